//! The rules that keep docs/walks.md true: every hop names files and functions that exist.

use super::{Finding, Tracked, texts};

const WALKS: &str = "docs/walks.md";

/// What a hop names: a file, or a function in the file named before it.
#[derive(Debug, PartialEq, Eq)]
enum Named<'a> {
    File(&'a str),
    Function(&'a str),
}

/// A numbered line of the page, with what it names before its first colon.
struct Hop<'a> {
    line: usize,
    number: usize,
    names: Vec<Named<'a>>,
}

/// The hops of a text, by walk: a heading begins one.
fn walks(text: &str) -> Vec<(usize, &str, Vec<Hop<'_>>)> {
    let mut walks = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            walks.push((index + 1, title, Vec::new()));
        } else if let Some((number, rest)) = numbered(line)
            && let Some((_, _, hops)) = walks.last_mut()
        {
            hops.push(Hop { line: index + 1, number, names: names(rest) });
        }
    }
    walks
}

/// The number and the rest of a line of a numbered list.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let (number, rest) = line.split_once(". ")?;
    Some((number.parse().ok()?, rest))
}

/// What stands in backticks before the colon that ends the names of a hop: the first one outside of backticks.
fn names(rest: &str) -> Vec<Named<'_>> {
    let mut names = Vec::new();
    for (index, part) in rest.split('`').enumerate() {
        match index % 2 {
            1 if part.ends_with(".rs") => names.push(Named::File(part)),
            1 => names.push(Named::Function(part)),
            _ if part.contains(':') => break,
            _ => {}
        }
    }
    names
}

/// The type that an `impl`, or the trait that a `trait`, at the beginning of a line is about.
fn owner(line: &str) -> Option<&str> {
    let words = line.strip_prefix("impl").filter(|rest| rest.starts_with([' ', '<']));
    let about = match words {
        Some(rest) => {
            let rest = without_generics(rest);
            rest.split_once(" for ").map_or(rest, |(_, about)| about)
        }
        None => line.split_once("trait ").filter(|(before, _)| !before.starts_with([' ', '/']))?.1,
    };
    let path = about.trim_start().split(['<', ' ', '{', ':']).next()?;
    Some(path).filter(|name| !name.is_empty())
}

/// What follows the parameters in angle brackets at the beginning of a text, if there are any.
fn without_generics(text: &str) -> &str {
    if !text.starts_with('<') {
        return text;
    }
    let mut depth = 0_usize;
    for (at, sign) in text.char_indices() {
        match sign {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..).unwrap_or_default();
        }
    }
    ""
}

/// The name of the function that a line begins to define.
fn defined(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once("fn ")?;
    let is_head = before.split(' ').all(|word| {
        word.is_empty() || word.starts_with("pub") || ["async", "const", "unsafe", "super)"].contains(&word)
    });
    let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_')?;
    rest.get(..end).filter(|name| is_head && !name.is_empty())
}

/// Whether a source defines a function: `Type::name` in an `impl` of the type, `name` outside of any.
fn defines(source: &str, function: &str) -> bool {
    let (wanted, name) = match function.rsplit_once("::") {
        Some((owner, name)) => (Some(owner), name),
        None => (None, function),
    };
    let mut here = None;
    for line in source.lines() {
        if let Some(about) = owner(line) {
            here = Some(about);
        } else if line.starts_with('}') {
            here = None;
        }
        // A free function begins its line; one of a test module does not.
        let is_free = wanted.is_none() && !line.starts_with(' ');
        if defined(line) == Some(name) && here == wanted && (is_free || wanted.is_some()) {
            return true;
        }
    }
    false
}

/// Every walk has hops, numbered from one, and each hop names functions in files that define them.
pub(super) fn name_functions_that_exist(files: &[Tracked]) -> Vec<Finding> {
    let Some((_, text)) = texts(files, WALKS).next() else {
        return vec![Finding::new(WALKS, 0, "the page is missing")];
    };
    let mut findings = Vec::new();
    let walks = walks(text);
    if walks.is_empty() {
        findings.push(Finding::new(WALKS, 0, "the page has no walk"));
    }
    for (line, title, hops) in walks {
        if hops.is_empty() {
            findings.push(Finding::new(WALKS, line, format!("the walk \"{title}\" has no hop")));
        }
        for (index, hop) in hops.iter().enumerate() {
            let mut report = |message: String| findings.push(Finding::new(WALKS, hop.line, message));
            if hop.number != index + 1 {
                report(format!("hop {} is written as {}", index + 1, hop.number));
            }
            let mut source = None;
            let mut functions = 0;
            for named in &hop.names {
                match named {
                    Named::File(path) => {
                        source =
                            files.iter().find(|file| file.path == *path).and_then(|it| it.text.as_deref());
                        if source.is_none() {
                            report(format!("there is no file `{path}`"));
                        }
                    }
                    Named::Function(function) => {
                        functions += 1;
                        if source.is_some_and(|source| !defines(source, function)) {
                            report(format!("its file does not define `{function}`"));
                        }
                    }
                }
            }
            if functions == 0 || !matches!(hop.names.first(), Some(Named::File(_))) {
                report("a hop names a file and then a function in it".to_owned());
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::tests::findings;

    const SOURCE: &str = "\
impl<'a, T: Into<u8>> Display for Outer<'a, T> {
    pub(crate) async fn inside(&self) {}
}

pub(super) trait Terms<V>: Sized {
    fn admit(&self) {}
}

pub fn free<T>(value: T) {}

impl Other {
    fn mention(&self) {
        // fn nowhere()
    }
}

mod tests {
    fn tested() {}
}
";

    fn found(hop: &str) -> Vec<String> {
        let page = format!("# Page\n\n## A walk\n\n1. {hop}\n");
        findings(name_functions_that_exist, &[(WALKS, &page), ("crates/a/src/b.rs", SOURCE)])
    }

    #[test]
    fn hops_whose_functions_exist_are_fine() {
        for hop in [
            "`crates/a/src/b.rs` `free`: does `nothing.rs` and `nowhere`",
            "`crates/a/src/b.rs` `Outer::inside`, `Terms::admit`: two",
            "`crates/a/src/b.rs` `free`, then `crates/a/src/b.rs` `Other::mention`: again",
        ] {
            assert_eq!(found(hop), Vec::<String>::new(), "{hop}");
        }
    }

    #[test]
    fn a_function_that_is_gone_is_found() {
        for function in
            ["nowhere", "inside", "Other::inside", "Display::inside", "Outer::free", "Terms::mention"]
        {
            let hop = format!("`crates/a/src/b.rs` `{function}`: gone");
            assert_eq!(found(&hop), [format!("{WALKS}:5: its file does not define `{function}`")]);
        }
    }

    #[test]
    fn a_file_that_is_gone_is_found() {
        let expected = [format!("{WALKS}:5: there is no file `crates/a/src/gone.rs`")];
        assert_eq!(found("`crates/a/src/gone.rs` `free`: gone"), expected);
    }

    #[test]
    fn a_hop_without_a_file_or_a_function_is_found() {
        let expected = [format!("{WALKS}:5: a hop names a file and then a function in it")];
        for hop in ["`crates/a/src/b.rs`: all of it", "`free`: somewhere", "words"] {
            assert_eq!(found(hop), expected, "{hop}");
        }
    }

    #[test]
    fn a_page_without_walks_and_a_walk_without_hops_are_found() {
        let run = |page: &str| findings(name_functions_that_exist, &[(WALKS, page)]);
        assert_eq!(run("# Page\n"), [format!("{WALKS}:0: the page has no walk")]);
        assert_eq!(run("## Empty\n"), [format!("{WALKS}:1: the walk \"Empty\" has no hop")]);
        assert_eq!(run("## W\n\n2. x\n")[0], format!("{WALKS}:3: hop 1 is written as 2"));
        let none = findings(name_functions_that_exist, &[("README.md", "")]);
        assert_eq!(none, [format!("{WALKS}:0: the page is missing")]);
    }
}
