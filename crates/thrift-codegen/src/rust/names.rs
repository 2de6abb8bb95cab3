//! Rust names as pilota and the Apache compiler give them.

use super::RustTypes;

const KEYWORDS: &[&str] = &[
    "as", "use", "break", "const", "continue", "crate", "else", "if", "enum", "extern", "false", "fn", "for",
    "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "Self", "self",
    "static", "struct", "super", "trait", "true", "type", "unsafe", "where", "while", "abstract", "alignof",
    "become", "box", "do", "final", "macro", "offsetof", "override", "priv", "proc", "pure", "sizeof",
    "typeof", "unsized", "virtual", "yield", "dyn", "async", "await", "try", "gen",
];

/// A name that is not a keyword.
pub(super) fn escaped(name: &str, types: RustTypes) -> String {
    let path = matches!(name, "super" | "self" | "Self" | "crate");
    match (KEYWORDS.contains(&name), types) {
        (false, _) => name.to_owned(),
        (true, RustTypes::Pilota) if !path => format!("r#{name}"),
        (true, _) => format!("{name}_"),
    }
}

/// Names that the code around modules has for something else.
const AROUND: &[&str] = &["alloc", "core", "fmt", "mod", "regex", "std", "union"];

/// The name of a module of ours, for the name of a file.
pub(super) fn module(stem: &str) -> String {
    let mut name = pilota_snake(stem);
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    // A keyword as the name of a module would not be that of its file.
    while KEYWORDS.contains(&name.as_str())
        || AROUND.contains(&name.as_str())
        || name.trim_matches('_').is_empty()
    {
        name.push('_');
        if name.trim_matches('_').is_empty() {
            name.push('m');
        }
    }
    name
}

/// The name of a struct, enum or union.
pub(super) fn structure(name: &str, types: RustTypes) -> String {
    match types {
        RustTypes::Pilota => escaped(&upper_camel(name), types),
        RustTypes::Apache => apache_camel(name),
    }
}

/// The name of a field.
pub(super) fn field(name: &str, types: RustTypes) -> String {
    match types {
        RustTypes::Pilota => escaped(&pilota_snake(name), types),
        RustTypes::Apache => escaped(&apache_snake(name), types),
    }
}

/// The name of a union's variant.
pub(super) fn variant(name: &str, types: RustTypes) -> String {
    structure(name, types)
}

/// Splits a name at what is not a letter or digit and where the case changes: `HTTPServer` is `HTTP` and `Server`.
fn words(name: &str) -> Vec<String> {
    #[derive(PartialEq)]
    enum CaseMode {
        Boundary,
        Lower,
        Upper,
    }
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_alphanumeric()) {
        let mut word = String::new();
        let mut mode = CaseMode::Boundary;
        let mut chars = part.chars().peekable();
        while let Some(c) = chars.next() {
            let Some(next) = chars.peek() else {
                word.push(c);
                break;
            };
            let lower = match c {
                c if c.is_lowercase() => true,
                c if c.is_uppercase() => false,
                _ => mode == CaseMode::Lower,
            };
            if lower && next.is_uppercase() {
                word.push(c);
                words.push(std::mem::take(&mut word));
                mode = CaseMode::Boundary;
            } else if mode == CaseMode::Upper && c.is_uppercase() && next.is_lowercase() {
                words.push(std::mem::take(&mut word));
                word.push(c);
                mode = CaseMode::Boundary;
            } else {
                word.push(c);
                if c.is_lowercase() {
                    mode = CaseMode::Lower;
                } else if c.is_uppercase() {
                    mode = CaseMode::Upper;
                }
            }
        }
        if !word.is_empty() {
            words.push(word);
        }
    }
    words
}

/// Leading underscores, and what stands behind them.
fn underscores(name: &str) -> (&str, &str) {
    name.split_at(name.find(|c| c != '_').unwrap_or(name.len()))
}

/// `UpperCamel` as pilota writes it; leading underscores stay.
pub(super) fn upper_camel(name: &str) -> String {
    let (lead, rest) = underscores(name);
    let words: String = words(rest)
        .iter()
        .map(|word| {
            let mut chars = word.chars();
            let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
            first + &chars.as_str().to_lowercase()
        })
        .collect();
    format!("{lead}{words}")
}

/// `snake_case` as pilota writes it; leading underscores stay.
pub(super) fn pilota_snake(name: &str) -> String {
    let (lead, rest) = underscores(name);
    let words: Vec<String> = words(rest).iter().map(|word| word.to_lowercase()).collect();
    format!("{lead}{}", words.join("_"))
}

/// `snake_case` as the Apache compiler writes it: an underscore before every capital.
pub(super) fn apache_snake(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            if !out.is_empty() && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(c);
        }
    }
    out
}

/// `UpperCamel` as the Apache compiler writes it: capitals stay capitals.
fn apache_camel(name: &str) -> String {
    let mut out = String::new();
    let mut up = true;
    for c in name.chars() {
        match c {
            '_' => up = true,
            c if up => {
                out.push(c.to_ascii_uppercase());
                up = false;
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pilota_splits_words_where_the_case_changes() {
        for (name, snake, camel) in [
            ("URLPath", "url_path", "UrlPath"),
            ("userId", "user_id", "UserId"),
            ("a2b", "a2b", "A2b"),
            ("_x", "_x", "_X"),
            ("HTTPServer2Go", "http_server2_go", "HttpServer2Go"),
            ("g_h", "g_h", "GH"),
        ] {
            assert_eq!((pilota_snake(name).as_str(), upper_camel(name).as_str()), (snake, camel));
        }
    }

    #[test]
    fn apache_splits_before_every_capital() {
        for (name, snake) in [("HTTPServer", "h_t_t_p_server"), ("fooBar", "foo_bar"), ("Foo_Bar", "foo_bar")]
        {
            assert_eq!(apache_snake(name), snake);
        }
        assert_eq!(apache_camel("my_struct"), "MyStruct");
        assert_eq!(apache_camel("HTTPThing"), "HTTPThing");
    }

    #[test]
    fn keywords_are_escaped() {
        assert_eq!(field("type", RustTypes::Pilota), "r#type");
        assert_eq!(field("self", RustTypes::Pilota), "self_");
        assert_eq!(field("type", RustTypes::Apache), "type_");
    }
}
