//! What the reader says about JSON that is none: position, message and hint.

use crate::{Document, FileId, JsonOptions, ReadError, ReadErrorKind, ReadLimits};

fn refused(text: &str) -> ReadError {
    match Document::from_json(text, FileId(3), &ReadLimits::default()) {
        Ok(document) => panic!("{text:?} was read as {document:?}"),
        Err(error) => error,
    }
}

/// Every text with the message and hint for it. The texts are between backticks, with line breaks, tabs, zeros and backslashes
/// escaped; the place is `line:column`; lines that start with `# ` are titles.
const TABLE: &str = include_str!("json_errors.txt");

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        out.push(match (character, character == '\\') {
            (_, true) => match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('0') => '\0',
                Some('\\') => '\\',
                other => panic!("the escape {other:?} in {text}"),
            },
            (plain, false) => plain,
        });
    }
    out
}

#[test]
fn every_mistake_has_its_message_and_hint() {
    let rows = TABLE.split("\n\n").filter(|row| !row.starts_with("# "));
    for row in rows {
        let shown = row.lines().next().and_then(|line| line.strip_prefix('`')?.strip_suffix('`'));
        let shown = shown.unwrap_or_else(|| panic!("{row:?} does not begin with a text"));
        let error = refused(&unescape(shown));
        let mut actual = format!("`{shown}`\n    {}:{} {error}", error.line, error.column);
        if let Some(hint) = &error.hint {
            actual.push_str(&format!("\n    hint: {hint}"));
        }
        assert_eq!(actual, row.trim_end());
    }
}

#[test]
fn duplicate_keys_name_both_places() {
    let many: String = (0..30).map(|n| format!("\"k{n}\": {n}, ")).collect();
    for (before, after) in
        [("", ""), ("", "\"z\": {\"name\": 0}, "), (many.as_str(), ""), ("", many.as_str())]
    {
        let text = format!("{{{before}\"name\": 1, {after}\"na\\u006de\": 2}}");
        let error = refused(&text);
        assert_eq!(error.to_string(), "the key `name` is already a member of this object");
        let slice = |place: diagnostics::Span| text.get(place.start as usize..place.end as usize).unwrap();
        assert_eq!(slice(error.place), "\"na\\u006de\"");
        assert!(
            matches!(error.problem, ReadErrorKind::DuplicateKey { first, .. } if slice(first) == "\"name\"")
        );
    }
    assert!(
        Document::from_json("{\"a\": {\"a\": 1}, \"A\": 2}", FileId::FIRST, &ReadLimits::default()).is_ok()
    );
}

#[test]
fn the_place_of_an_error_is_the_text_it_is_about() {
    for (text, about) in
        [("{name: 1}", "name"), ("[1, é]", "é"), ("[-Infinity]", "-Infinity"), ("\"a\\x\"", "\\x")]
    {
        let place = refused(text).place;
        assert_eq!(
            (place.file, text.get(place.start as usize..place.end as usize)),
            (diagnostics::FileId(3), Some(about))
        );
    }
}

#[test]
fn an_unclosed_comment_is_shown_where_it_starts() {
    let error =
        Document::from_json_with("[1, /* 2]", FileId::FIRST, &ReadLimits::default(), JsonOptions::RELAXED)
            .unwrap_err();
    assert_eq!((error.problem, error.column), (ReadErrorKind::UnclosedComment, 5));
}
