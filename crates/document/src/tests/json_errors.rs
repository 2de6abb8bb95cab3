//! What the reader says about JSON that is none: position, message and hint.

use crate::{Document, FileId, JsonOptions, Limits, Problem, ReadError};

fn refused(text: &str) -> ReadError {
    match Document::from_json(text, FileId(3), &Limits::default()) {
        Ok(document) => panic!("{text:?} was read as {document:?}"),
        Err(error) => error,
    }
}

/// The rows of a table: the text, then `line:column message`, then the hint or `-`.
#[track_caller]
fn check(rows: &[(&str, &str, &str)]) {
    for (text, message, hint) in rows {
        let error = refused(text);
        assert_eq!(format!("{}:{} {error}", error.line, error.column), *message, "{text}");
        assert_eq!(error.hint.as_deref().unwrap_or("-"), *hint, "{text}");
    }
}

#[test]
fn structure() {
    check(&[
        ("", "1:1 expected a value, found the end of the text", "-"),
        (" \n ", "2:2 expected a value, found the end of the text", "-"),
        (
            "[",
            "1:2 expected a value or `]`, found the end of the text",
            "the list opened at line 1, column 1 is closed with `]`",
        ),
        (
            "[1",
            "1:3 expected `,` or `]` after the element, found the end of the text",
            "the list opened at line 1, column 1 is closed with `]`",
        ),
        ("[1 2]", "1:4 expected `,` or `]` after the element, found `2`", "a `,` is missing before it"),
        (
            "[1}",
            "1:3 expected `,` or `]` after the element, found `}`",
            "the list opened at line 1, column 1 is closed with `]`",
        ),
        (
            "[,1]",
            "1:2 expected a value or `]`, found `,`",
            "remove the `,`, or write the value that is missing before it",
        ),
        (
            "[1,,2]",
            "1:4 expected a value after `,`, found `,`",
            "remove the `,`, or write the value that is missing before it",
        ),
        (
            "{",
            "1:2 expected a key in double quotes or `}`, found the end of the text",
            "the object opened at line 1, column 1 is closed with `}`",
        ),
        ("{\"name\"}", "1:8 expected `:` after the key `name`, found `}`", "-"),
        (
            "{\"name\" = 1}",
            "1:9 expected `:` after the key `name`, found `=`",
            "write `:` between key and value",
        ),
        ("{\"name\":}", "1:9 expected a value for the member `name`, found `}`", "-"),
        ("{\"name\":1:", "1:10 expected `,` or `}` after the member `name`, found `:`", "-"),
        (
            "{\"a\": {\"b\": 1}\n \"c\": 2}",
            "2:2 expected `,` or `}` after the member `a`, found a string",
            "a `,` is missing before it",
        ),
        (
            "{\"a\": 1; \"b\": 2}",
            "1:8 expected `,` or `}` after the member `a`, found `;`",
            "write `,` instead",
        ),
        ("{\"a\": 1,, \"b\": 2}", "1:9 expected a key in double quotes, found `,`", "remove the `,`"),
        ("1 2", "1:3 expected the end of the text after the value, found `2`", "-"),
        (
            "{} {}",
            "1:4 expected the end of the text after the value, found `{`",
            "a JSON text is one value; put several into a list",
        ),
        (
            "[1]]",
            "1:4 expected the end of the text after the value, found `]`",
            "remove it, or write the bracket that opens it",
        ),
        ("[1]\0", "1:4 expected the end of the text after the value, found the character U+0000", "-"),
    ]);
}

#[test]
fn habits_from_other_formats() {
    check(&[
        ("[1,\n]", "2:1 expected a value after `,`, found `]`", "remove the `,` at line 1, column 3"),
        ("{\"a\": 1, }", "1:10 expected a key after `,`, found `}`", "remove the `,` at line 1, column 8"),
        (
            "{'a': 1}",
            "1:2 expected a key in double quotes or `}`, found `'`",
            "strings and keys take double quotes",
        ),
        ("['a']", "1:2 expected a value or `]`, found `'`", "strings and keys take double quotes"),
        (
            "{\"a\": 1, // one\n \"b\": 2}",
            "1:10 expected a key in double quotes, found `/`",
            "comments are not allowed here; remove it",
        ),
        ("/* x */ 1", "1:1 expected a value, found `/`", "comments are not allowed here; remove it"),
        ("# x\n1", "1:1 expected a value, found `#`", "JSON has no such comments; remove it"),
        (
            "{name: 1}",
            "1:2 expected a key in double quotes or `}`, found `name`",
            "put the key in double quotes: `\"name\"`",
        ),
        (
            "{\"a\": True}",
            "1:7 expected a value for the member `a`, found `True`",
            "write `true` in lower case",
        ),
        ("[FALSE]", "1:2 expected a value or `]`, found `FALSE`", "write `false` in lower case"),
        ("[None]", "1:2 expected a value or `]`, found `None`", "write `null`"),
        (
            "[NaN]",
            "1:2 expected a value or `]`, found `NaN`",
            "JSON has no such number; write `null` or a string",
        ),
        (
            "[nulls]",
            "1:2 expected a value or `]`, found `nulls`",
            "put the text in double quotes: `\"nulls\"`",
        ),
        ("[tru]", "1:2 expected a value or `]`, found `tru`", "put the text in double quotes: `\"tru\"`"),
        (
            "[-Infinity]",
            "1:2 `-Infinity` is not a number: a digit must follow the `-`",
            "JSON has no such number; write `null` or a string",
        ),
        ("[+1]", "1:2 expected a value or `]`, found `+`", "write the number without `+`"),
        ("[.5]", "1:2 expected a value or `]`, found `.`", "write a digit before the decimal point"),
        (
            "[007]",
            "1:2 `007` is not a number: a number has no leading zeros",
            "remove the zeros, or put the digits in double quotes",
        ),
        ("[1.]", "1:2 `1.` is not a number: a digit must follow the decimal point", "-"),
        ("[1.5e]", "1:2 `1.5e` is not a number: a digit must follow the exponent's `e`", "-"),
        ("[0x1F]", "1:3 expected `,` or `]` after the element, found `x1F`", "-"),
    ]);
}

#[test]
fn strings() {
    check(&[
        ("[\"abc", "1:2 the string has no closing `\"` on its line", "close the string with `\"`"),
        (
            "[\"abc\n\"]",
            "1:2 the string has no closing `\"` on its line",
            "close the string with `\"`; a line break in it is written `\\n`",
        ),
        ("\"a\\", "1:3 the string has no closing `\"` on its line", "close the string with `\"`"),
        ("\"é\ta\"", "1:3 the control character U+0009 must be escaped in a string", "write it as `\\t`"),
        ("\"\0\"", "1:2 the control character U+0000 must be escaped in a string", "write it as `\\u0000`"),
        (
            "\"C:\\dir\"",
            "1:4 `\\d` is not an escape: after `\\` only `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t` and `u` may stand",
            "write a backslash as `\\\\`",
        ),
        (
            "\"it\\'s\"",
            "1:4 `\\'` is not an escape: after `\\` only `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t` and `u` may stand",
            "write `'` as it is",
        ),
        (
            "\"\\é\"",
            "1:2 `\\é` is not an escape: after `\\` only `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t` and `u` may stand",
            "write a backslash as `\\\\`",
        ),
        ("\"\\u12G4\"", "1:2 `\\u12` is not an escape: `\\u` takes four hexadecimal digits", "-"),
        ("\"\\u12", "1:2 `\\u12` is not an escape: `\\u` takes four hexadecimal digits", "-"),
        (
            "\"\\ud800\"",
            "1:2 `\\ud800` is not an escape: a high surrogate must be followed by a low one",
            "-",
        ),
        (
            "\"\\ud800\\u0041\"",
            "1:2 `\\ud800` is not an escape: a high surrogate must be followed by a low one",
            "-",
        ),
        (
            "\"\\udc00\"",
            "1:2 `\\udc00` is not an escape: a low surrogate stands without the high one before it",
            "-",
        ),
    ]);
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
        assert!(matches!(error.problem, Problem::DuplicateKey { first, .. } if slice(first) == "\"name\""));
    }
    assert!(Document::from_json("{\"a\": {\"a\": 1}, \"A\": 2}", FileId::FIRST, &Limits::default()).is_ok());
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
        Document::from_json_with("[1, /* 2]", FileId::FIRST, &Limits::default(), JsonOptions::RELAXED)
            .unwrap_err();
    assert_eq!((error.problem, error.column), (Problem::UnclosedComment, 5));
}
