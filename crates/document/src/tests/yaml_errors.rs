//! What the reader says about YAML that it does not read.

use crate::{Document, FileId, ReadErrorKind, ReadLimits};

/// The rows of a table: the text, then `line:column message`, then what the place covers, then the hint or `-`.
#[track_caller]
fn check(rows: &[(&str, &str, &str, &str)]) {
    for (text, message, covered, hint) in rows {
        let error = Document::from_yaml(*text, FileId(3), &ReadLimits::default()).expect_err(text);
        assert_eq!(format!("{}:{} {error}", error.line, error.column), *message, "{text}");
        assert_eq!(text.get(error.place.start as usize..error.place.end as usize), Some(*covered), "{text}");
        assert_eq!(error.hint.as_deref().unwrap_or("-"), *hint, "{text}");
    }
}

#[test]
fn what_the_document_model_does_not_have() {
    check(&[
        (
            "? [a]\n: 1",
            "1:3 a key must be a scalar, found a list",
            "[",
            "write the key as text; a key that begins with `{` or `[` goes in quotes",
        ),
        (
            "{a: 1}: 2",
            "1:1 a key must be a scalar, found a mapping",
            "{",
            "write the key as text; a key that begins with `{` or `[` goes in quotes",
        ),
        (
            "- &a [1]\n- *a : 2",
            "2:3 a key must be a scalar, found a list",
            "*a",
            "write the key as text; a key that begins with `{` or `[` goes in quotes",
        ),
        (
            "a: !Ref x",
            "1:4 the tag `!Ref` is not supported",
            "!Ref",
            "remove the tag; of tags, `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and `!!map` are known",
        ),
        (
            "a: !!binary aGk=",
            "1:4 the tag `!!binary` is not supported",
            "!!binary",
            "remove the tag; of tags, `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and `!!map` are known",
        ),
        (
            "a: !!int x",
            "1:4 the tag `!!int` does not fit this scalar",
            "!!int",
            "remove the tag, or write a value of its kind",
        ),
        (
            "!!int 1.0",
            "1:1 the tag `!!int` does not fit this scalar",
            "!!int",
            "remove the tag, or write a value of its kind",
        ),
        (
            "!!map [1]",
            "1:1 the tag `!!map` does not fit this list",
            "!!map",
            "remove the tag, or write a value of its kind",
        ),
        (
            "!!seq x",
            "1:1 the tag `!!seq` does not fit this scalar",
            "!!seq",
            "remove the tag, or write a value of its kind",
        ),
        (
            "a: 0x10000000000000000",
            "1:4 `0x10000000000000000` is not a number: a hexadecimal or octal number has at most 64 bits",
            "0x10000000000000000",
            "put it in quotes if it is text",
        ),
        (
            "a: 1\n---\nb: 2",
            "2:1 the text has more than one document",
            "---",
            "keep one document, or read the text as a stream",
        ),
    ]);
}

#[test]
fn aliases_and_merge_keys() {
    check(&[
        (
            "a: *nobody",
            "1:4 no anchor `&nobody` precedes this alias",
            "*nobody",
            "write `&nobody` before the value that is meant, further up",
        ),
        (
            "a: &x\n  b: *x",
            "2:6 the alias stands inside the value that it stands for",
            "*x",
            "a value cannot contain itself; write out what is meant",
        ),
        (
            "<<: 1",
            "1:5 the merge key `<<` takes an alias of a mapping or a list of such aliases",
            "1",
            "write the members themselves, or put `\"<<\"` in quotes if it is a name",
        ),
        (
            "a: &x [1]\nb: {<<: *x}",
            "2:9 the merge key `<<` takes an alias of a mapping or a list of such aliases",
            "*x",
            "write the members themselves, or put `\"<<\"` in quotes if it is a name",
        ),
        (
            "a: &x {}\nb: {<<: [*x, {}]}",
            "2:14 the merge key `<<` takes an alias of a mapping or a list of such aliases",
            "{",
            "write the members themselves, or put `\"<<\"` in quotes if it is a name",
        ),
        (
            "a: &x {}\nb: {<<: *x, <<: *x}",
            "2:13 the key `<<` is already a member of this object",
            "<<",
            "merge several mappings with a list: `<<: [*one, *two]`",
        ),
    ]);
}

#[test]
fn duplicate_keys_name_both_places() {
    let text = "a: 1\n\"b\": 2\n'a': 3\n";
    let error = Document::from_yaml(text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
    assert_eq!(
        (error.line, error.to_string().as_str()),
        (3, "the key `a` is already a member of this object")
    );
    assert!(
        matches!(error.problem, ReadErrorKind::DuplicateKey { first, .. } if (first.start, first.end) == (0, 1))
    );
    assert!(Document::from_yaml("1: a\n'1': b", FileId::FIRST, &ReadLimits::default()).is_err());
}

#[test]
fn syntax() {
    for (text, line, column, hint) in [
        ("a:\n\t- 1", 2, 2, Some("indent with blanks, not with tabs")),
        (
            "a: b: c",
            1,
            5,
            Some("put text that contains `: ` in quotes, or correct the indentation of the line"),
        ),
        ("a: @x", 1, 4, Some("put text that begins with this character in quotes")),
        ("a: 'x", 1, 4, Some("close the text with the quote that opens it")),
        ("a: [1", 1, 4, None),
        (
            "a: 1\n b: 2",
            2,
            3,
            Some("put text that contains `: ` in quotes, or correct the indentation of the line"),
        ),
        ("a: \"\\q\"", 1, 4, Some("write a backslash as `\\\\`, or put the text in single quotes")),
        ("a: \u{0}", 1, 4, Some("remove the character, or write it as an escape in double quotes")),
    ] {
        let error = Document::from_yaml(text, FileId::FIRST, &ReadLimits::default()).expect_err(text);
        assert!(matches!(error.problem, ReadErrorKind::YamlSyntax { .. }), "{text}: {error:?}");
        assert_eq!(
            (error.line, error.column, error.hint.as_deref()),
            (line, column, hint),
            "{text}: {error}"
        );
    }
}
