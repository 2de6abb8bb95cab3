//! From byte offsets to lines, columns and paths.

use contract::Node;
use document::SourceValue;

use super::error::ErrorLocation;
use super::json::Span;

/// Where a part of a template stands.
pub(crate) fn location(root: SourceValue<'_>, span: Span) -> ErrorLocation {
    let document = root.document();
    let (line, column) = document.position(span.start);
    ErrorLocation { span: span.in_file(document.file()), line, column, path: path(root, span.start) }
}

/// The outermost part of a value that starts at an offset.
pub(crate) fn part_at(root: SourceValue<'_>, start: u32) -> Option<SourceValue<'_>> {
    let mut value = root;
    while value.place().start != start {
        let around = |part: &SourceValue<'_>| part.place().start <= start && start < part.place().end;
        value = match value.node() {
            Node::Object(_) => value.members().map(|(_, member)| member).find(around)?,
            Node::List(_) => value.items().find(around)?,
            _ => return None,
        };
    }
    Some(value)
}

/// The way from a value to the innermost part that an offset is in; a key belongs to its member.
fn path(root: SourceValue<'_>, offset: u32) -> String {
    let mut path = String::new();
    let mut value = root;
    loop {
        let inside = |part: SourceValue<'_>| part.place().start <= offset && offset < part.place().end;
        match value.node() {
            Node::Object(_) => {
                let Some((key, member)) = value
                    .members()
                    .find(|(key, member)| key.place().start <= offset && offset < member.place().end)
                else {
                    return path;
                };
                push_name(&mut path, key.as_str().unwrap_or_default());
                if !inside(member) {
                    return path;
                }
                value = member;
            }
            Node::List(_) => {
                let Some((index, item)) = value.items().enumerate().find(|(_, item)| inside(*item)) else {
                    return path;
                };
                path.push_str(&format!("[{index}]"));
                value = item;
            }
            _ => return path,
        }
    }
}

/// Appends the name of a member as JSON paths have it: `.name`, or `['na.me']`.
pub(crate) fn push_name(path: &mut String, name: &str) {
    let plain =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '@'));
    if plain {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    } else {
        path.push_str(&format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")));
    }
}

/// The JSON pointer of a path as errors have it: `/a/b.c/1/$x` for `a['b.c'][1].$x`; none if it is not written so.
pub fn pointer_of_path(path: &str) -> Option<String> {
    let mut pointer = String::new();
    let mut add = |name: &str| {
        pointer.push('/');
        pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
    };
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(mut quoted) = rest.strip_prefix("['") {
            let mut name = String::new();
            loop {
                let mut letters = quoted.chars();
                match letters.next()? {
                    '\'' => break,
                    '\\' => name.push(letters.next()?),
                    letter => name.push(letter),
                }
                quoted = letters.as_str();
            }
            add(&name);
            rest = quoted.strip_prefix("']")?;
        } else if let Some(index) = rest.strip_prefix('[') {
            let (index, behind) = index.split_once(']')?;
            add(index);
            rest = behind;
        } else {
            let name = rest.strip_prefix('.').unwrap_or(rest);
            let (name, behind) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
            if name.is_empty() {
                return None;
            }
            add(name);
            rest = behind;
        }
    }
    Some(pointer)
}

#[cfg(test)]
mod tests {
    use document::{Document, FileId, ReadLimits};

    use super::*;

    #[test]
    fn a_path_leads_to_the_innermost_part() {
        let text = r#"{"a": {"b.c": [1, {"$x": 2}]}, "d": 3}"#;
        let document = Document::from_json(text, FileId::FIRST, &ReadLimits::DEFAULT).unwrap();
        let of = |part: &str| path(document.root(), text.find(part).unwrap() as u32);
        assert_eq!(of("2"), "a['b.c'][1].$x");
        assert_eq!(of("\"$x\""), "a['b.c'][1].$x");
        assert_eq!(of("1,"), "a['b.c'][0]");
        assert_eq!(of("\"d\""), "d");
        assert_eq!(of("{\"a"), "");
    }

    #[test]
    fn a_path_is_a_pointer_as_well() {
        for names in [vec!["a", "b.c", "$x"], vec!["it's", "a\\b", "c/d~e", ""], vec!["[0]", "']", "é"]] {
            let (mut path, mut pointer) = (String::new(), String::new());
            for name in names {
                push_name(&mut path, name);
                path.push_str("[1]");
                pointer.push_str(&format!("/{}/1", name.replace('~', "~0").replace('/', "~1")));
            }
            assert_eq!(pointer_of_path(&path), Some(pointer), "{path}");
        }
        assert_eq!(pointer_of_path(""), Some(String::new()));
        for wrong in ["a..b", "a['b", "a[0", "['a'x"] {
            assert_eq!(pointer_of_path(wrong), None, "{wrong}");
        }
    }
}
