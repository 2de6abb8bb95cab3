//! Texts made to cost more than they should.

use crate::{Document, FileId, JsonOptions, ReadErrorKind, ReadLimits};

#[test]
fn nesting_stops_at_the_limit_with_a_position() {
    let text = "[".repeat(10_000);
    let error = Document::from_json(&text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
    assert_eq!(error.problem, ReadErrorKind::TooDeep { limit: 128 });
    assert_eq!((error.place.start, error.line, error.column), (128, 1, 129));
}

#[test]
fn nesting_below_a_large_limit_is_read_printed_and_dropped_without_recursion() {
    let limits = ReadLimits { depth: 1_000_000, ..ReadLimits::default() };
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = format!("{}1{}", open.repeat(1_000_000), close.repeat(1_000_000));
        let document = Document::from_json(&text, FileId::FIRST, &limits).unwrap();
        assert_eq!(document.root().to_json_string(), text);
        assert_eq!(document.root().preview(3).chars().last(), Some('…'));
    }
    let error = Document::from_json("[".repeat(1_000_000), FileId::FIRST, &limits).unwrap_err();
    assert_eq!(error.column, 1_000_001);
}

#[test]
fn a_text_over_the_size_limit_is_not_looked_at() {
    let limits = ReadLimits { bytes: 3, ..ReadLimits::default() };
    let error = Document::from_json(b"\xff\xff\xff\xff", FileId::FIRST, &limits).unwrap_err();
    assert_eq!(error.problem, ReadErrorKind::TooLarge { size: 4, limit: 3 });
    assert!(Document::from_json("[1]", FileId::FIRST, &limits).is_ok());
}

#[test]
fn the_number_of_nodes_is_limited() {
    let limits = ReadLimits { nodes: 4, ..ReadLimits::default() };
    assert!(Document::from_json("[1, {\"a\": 2}]", FileId::FIRST, &limits).is_err());
    let error = Document::from_json("[1, 2, 3, 4]", FileId::FIRST, &limits).unwrap_err();
    assert_eq!((error.problem, error.column), (ReadErrorKind::TooManyNodes { limit: 4 }, 11));
    assert!(Document::from_json("[1, 2, 3]", FileId::FIRST, &limits).is_ok());
}

#[test]
fn a_string_of_two_hundred_megabytes_is_one_slice() {
    let mut text = String::with_capacity(200_000_002);
    text.push('"');
    text.extend(std::iter::repeat_n("0123456789", 20_000_000));
    text.push('"');
    let document = Document::from_json(text, FileId::FIRST, &ReadLimits::default()).unwrap();
    assert_eq!(document.root().as_str().map(str::len), Some(200_000_000));
    assert!(document.tree.decoded.is_empty());
}

#[test]
fn invalid_utf8_is_an_error_at_its_byte() {
    for (bytes, offset, byte, column) in [
        (&b"\"ab\xff\""[..], 3, 0xff, 4),
        (b"\n\"\xc3\xa9\xc3\"", 4, 0xc3, 3),
        (b"\"\xed\xa0\x80\"", 1, 0xed, 2),
        (b"\xf0\x9f", 0, 0xf0, 1),
        (b"\xff\xfe1\0", 0, 0xff, 1),
    ] {
        let error = Document::from_json(bytes, FileId::FIRST, &ReadLimits::default()).unwrap_err();
        assert_eq!(error.problem, ReadErrorKind::InvalidUtf8 { offset, byte });
        assert_eq!((error.place.start as usize, error.column), (offset, column));
    }
}

#[test]
fn every_prefix_of_a_document_is_an_error() {
    let text =
        r#"{"a": [1, -2.5e+3, "x\u00e9\ud83d\ude00\n", true, false, null], "é": {"b": {}}, "c": [[]] }"#;
    for options in [JsonOptions::STRICT, JsonOptions::RELAXED] {
        let read =
            |bytes: &[u8]| Document::from_json_with(bytes, FileId::FIRST, &ReadLimits::default(), options);
        for end in 0..text.len() {
            let error = read(&text.as_bytes()[..end]).unwrap_err();
            assert!(error.place.start as usize <= end, "{end}: {error}");
        }
        assert!(read(text.as_bytes()).is_ok());
    }
}

#[test]
fn nul_bytes_are_never_white_space() {
    for text in ["\0", "\0 1", "1\0", "[\0]", "{\"a\"\0:1}", "\"\0\"", "tr\0ue"] {
        assert!(Document::from_json(text, FileId::FIRST, &ReadLimits::default()).is_err(), "{text:?}");
    }
}

#[test]
fn a_hundred_thousand_members_take_no_quadratic_time() {
    let members: Vec<String> = (0..100_000).map(|n| format!("\"{n:020}\":{n}")).collect();
    let text = format!("{{{}}}", members.join(","));
    let document = Document::from_json(&text, FileId::FIRST, &ReadLimits::default()).unwrap();
    let found = members.iter().filter(|member| document.root().member(member.get(1..21).unwrap()).is_some());
    assert_eq!(found.count(), members.len());
}

#[test]
fn yaml_nesting_stops_at_the_limit_and_is_safe_below_a_large_one() {
    for (text, column) in
        [("[".repeat(10_000), 129), ("- ".repeat(10_000), 257), ("{a: ".repeat(10_000), 513)]
    {
        let error = Document::from_yaml(&text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
        assert_eq!((error.problem, error.column), (ReadErrorKind::TooDeep { limit: 128 }, column));
    }
    let limits = ReadLimits { depth: 10_000, ..ReadLimits::default() };
    for text in [format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), format!("{}1", "- ".repeat(10_000))]
    {
        let document = Document::from_yaml(&text, FileId::FIRST, &limits).unwrap();
        assert_eq!(document.root().to_json_string().matches('[').count(), 10_000);
    }
}

#[test]
fn a_billion_laughs_are_an_error_before_they_are_in_memory() {
    let mut text = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..10 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    let error = Document::from_yaml(&text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
    assert_eq!((error.problem, error.line), (ReadErrorKind::AliasBomb { limit: 1 << 20 }, 6));

    let merges = text.replace("[lol, lol, lol, lol, lol, lol, lol, lol, lol, lol]", "{b: 1}");
    let limits = ReadLimits { alias_nodes: 1_000, ..ReadLimits::default() };
    assert!(matches!(
        Document::from_yaml(&merges, FileId::FIRST, &limits).unwrap_err().problem,
        ReadErrorKind::AliasBomb { limit: 1_000 }
    ));
}

#[test]
fn merging_a_mapping_again_and_again_costs_even_when_it_adds_nothing() {
    let members: String = (0..1_000).map(|n| format!("  k{n}: 0\n")).collect();
    let text = format!("base: &base\n{members}all:\n  <<: [{}]\n", "*base, ".repeat(10_000));
    let error = Document::from_yaml(&text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
    assert_eq!(error.problem, ReadErrorKind::AliasBomb { limit: 1 << 20 });
}

#[test]
fn aliases_cannot_nest_deeper_than_the_limit() {
    let text =
        format!("a: &a {}{}\nb: {}*a{}", "[".repeat(100), "]".repeat(100), "[".repeat(100), "]".repeat(100));
    let error = Document::from_yaml(&text, FileId::FIRST, &ReadLimits::default()).unwrap_err();
    assert_eq!((error.problem, error.line, error.column), (ReadErrorKind::TooDeep { limit: 128 }, 2, 104));
}

#[test]
fn aliases_count_as_nodes() {
    let limits = ReadLimits { nodes: 10, ..ReadLimits::default() };
    let error = Document::from_yaml("- &a [1, 2, 3]\n- *a\n- *a", FileId::FIRST, &limits).unwrap_err();
    assert_eq!((error.problem, error.line), (ReadErrorKind::TooManyNodes { limit: 10 }, 3));
}

#[test]
fn every_prefix_of_a_yaml_stream_is_read_or_refused() {
    let text = "%YAML 1.2\n---\na: &x [1, \"\\u00e9\", 'b']\n? k\n: {c: *x, d: !!str 1}\nt: |2-\n  é\n   x\n<<: {}\n...\n---\n- - ~\n";
    for end in 0..=text.len() {
        let bytes = &text.as_bytes()[..end];
        if let Err(error) = Document::from_yaml_stream(bytes, FileId::FIRST, &ReadLimits::default()) {
            assert!(error.place.start as usize <= end && error.place.end as usize <= end, "{end}: {error}");
        }
    }
}

#[test]
fn a_stream_of_many_documents_shares_one_text() {
    let text = "--- {a: 1}\n".repeat(20_000);
    let documents = Document::from_yaml_stream(&text, FileId::FIRST, &ReadLimits::default()).unwrap();
    assert_eq!(documents.len(), 20_000);
    assert!(documents.iter().all(|document| std::ptr::eq(document.text(), documents[0].text())));
}
