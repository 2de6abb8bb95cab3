//! Where in a value something is: as a JSON pointer and as people write it.

use std::fmt;

use crate::constant::Constant;
use crate::show::{MASK, SHOWN, cut, write_whole};

/// The way from the root of a value to a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Path {
    /// The steps, from the root.
    pub steps: Vec<PathStep>,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq)]
pub enum PathStep {
    /// A property of an object.
    Name(Box<str>),
    /// An element of a list, counted from zero.
    Index(usize),
    /// The value of a map's entry.
    Entry(Constant),
    /// The key of a map's entry, itself.
    Key(Constant),
    /// A part whose name must not be printed.
    Secret,
}

impl Path {
    /// About how many bytes the path takes.
    pub fn size(&self) -> usize {
        let name = |constant: &Constant| match constant {
            Constant::Text(text) => text.len(),
            Constant::Decimal(text) => text.len(),
            Constant::Bytes(bytes) => bytes.len(),
            _ => 0,
        };
        let size = |step: &PathStep| match step {
            PathStep::Name(text) => text.len(),
            PathStep::Entry(key) | PathStep::Key(key) => name(key),
            PathStep::Index(_) | PathStep::Secret => 0,
        };
        self.steps.iter().map(|step| size_of::<PathStep>() + size(step)).sum()
    }

    /// Writes the path as a JSON pointer (RFC 6901); the root is the empty text.
    pub fn pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.steps {
            out.push('/');
            let text = match step {
                PathStep::Name(name) => name.to_string(),
                PathStep::Index(index) => index.to_string(),
                PathStep::Entry(Constant::Text(key)) | PathStep::Key(Constant::Text(key)) => key.to_string(),
                PathStep::Entry(key) | PathStep::Key(key) => key.to_string(),
                PathStep::Secret => MASK.to_owned(),
            };
            out.push_str(&text.replace('~', "~0").replace('/', "~1"));
        }
        out
    }

    /// Writes the path after a name for its root: `Order.items[3].price`, `tags['k']`.
    pub fn dotted(&self, root: &str) -> String {
        self.after(root, usize::MAX)
    }

    /// Writes the dotted form with the beginnings of keys only: whoever made the value says how long they are.
    pub fn short(&self, root: &str) -> String {
        self.after(root, SHOWN)
    }

    /// `most`: bytes of a key.
    fn after(&self, root: &str, most: usize) -> String {
        let mut out = root.to_owned();
        for step in &self.steps {
            match step {
                PathStep::Name(name) if is_plain(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                PathStep::Name(name) => out.push_str(&quoted(name)),
                PathStep::Index(index) => out.push_str(&format!("[{index}]")),
                PathStep::Entry(key) => out.push_str(&entry(key, most)),
                PathStep::Key(key) => out.push_str(&format!("{}(key)", entry(key, most))),
                PathStep::Secret => out.push_str(&format!("[{MASK}]")),
            }
        }
        out
    }
}

fn entry(key: &Constant, most: usize) -> String {
    match key {
        Constant::Text(key) if key.len() <= most => quoted(key),
        Constant::Text(key) => {
            format!("{}...", quoted(key.get(..key.floor_char_boundary(most)).unwrap_or_default()))
        }
        key => format!("[{}]", cut(most, |out| write_whole(out, key))),
    }
}

/// Writes the dotted form; the root is `$`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.dotted("$"))
    }
}

fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))
}

fn quoted(name: &str) -> String {
    format!("['{}']", name.escape_debug().to_string().replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(steps: Vec<PathStep>, pointer: &str, dotted: &str) {
        let path = Path { steps };
        assert_eq!(path.pointer(), pointer);
        assert_eq!(path.dotted("Req"), dotted);
    }

    #[test]
    fn the_root_is_the_empty_pointer() {
        check(vec![], "", "Req");
    }

    #[test]
    fn long_keys_are_cut_where_that_is_asked() {
        let text = PathStep::Entry("é".repeat(1000).as_str().into());
        let list = PathStep::Key(Constant::List(vec![7.into(); 1000]));
        let path = Path { steps: vec![text, list] };
        assert!(path.dotted("").len() > 4000);
        let short = path.short("m");
        assert!(short.starts_with("m['éé") && short.contains("é']...[[7,7") && short.ends_with("...](key)"));
        assert!(short.len() < 2 * SHOWN + 40, "{short}");
    }

    #[test]
    fn properties_elements_and_entries_read_as_code() {
        check(
            vec![PathStep::Name("items".into()), PathStep::Index(3), PathStep::Name("price".into())],
            "/items/3/price",
            "Req.items[3].price",
        );
        check(vec![PathStep::Name("tags".into()), PathStep::Entry("k".into())], "/tags/k", "Req.tags['k']");
        check(vec![PathStep::Name("m".into()), PathStep::Key(7.into())], "/m/7", "Req.m[7](key)");
    }

    #[test]
    fn odd_names_are_quoted_and_escaped() {
        check(vec![PathStep::Name("a/b~c".into())], "/a~1b~0c", "Req['a/b~c']");
        check(vec![PathStep::Name("it's\n".into())], "/it's\n", "Req['it\\'s\\n']");
        check(vec![PathStep::Name("".into())], "/", "Req['']");
    }

    #[test]
    fn a_secret_key_is_masked() {
        check(vec![PathStep::Secret], "/<secret>", "Req[<secret>]");
    }
}
