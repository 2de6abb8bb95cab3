//! Every code has a section in the document of its family, with a program that raises it at a place; and no document has
//! a section of a code that does not exist. That the programs raise what they say is what `specs` tests.

#![expect(clippy::disallowed_methods, reason = "this test reads documents from the disk")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use bicep::codes::FAMILIES;

const DOCUMENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/resources/specs/codes");

/// Codes that no document can raise, because it takes more than a few files that end with a new line: each with the test that does.
const ELSEWHERE: &[(&str, &str)] = &[
    ("BCP003", "worlds.rs"),
    ("BCP005", "worlds.rs"),
    ("BCP184", "worlds.rs"),
    ("BCP185", "worlds.rs"),
    ("BCP192", "worlds.rs"),
    ("BCP429", "worlds.rs"),
    ("BCP446", "worlds.rs"),
    ("BCP455", "worlds.rs"),
    ("check-failed", "../../src/check/mod.rs"),
    ("source-too-large", "../../../syntax/tests/it/limits.rs"),
    ("template-too-large", "limits.rs"),
    ("too-much-work", "limits.rs"),
];

/// Codes of which a form is shown by no document, with why.
const FORMS_ELSEWHERE: &[(&str, &str)] = &[
    ("BCP091", "a file that is there and cannot be read takes a disk: `hostile_bicep.rs` of `tendon`"),
    ("BCP193", "mirrors of registries are named on the command line"),
    ("too-much-work", "limits.rs"),
];

/// How many rows a code has.
fn forms(family: &str, code: &str) -> usize {
    let rows = FAMILIES.iter().filter(|(known, _)| *known == family).flat_map(|(_, rows)| rows.iter());
    rows.filter(|row| row.code == code).count()
}

/// How many messages the programs of a section expect of a code: `[CODE] "message"`.
fn messages(text: &str, code: &str) -> usize {
    let start = format!("[{code}] \"");
    let messages = text.split(start.as_str()).skip(1).filter_map(|rest| rest.split('"').next());
    messages.collect::<BTreeSet<_>>().len()
}

/// The codes of each family; those of the lexer and the parser are one.
fn families() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let families = FAMILIES.iter().map(|(family, rows)| (*family, rows.iter().map(|row| row.code).collect()));
    let syntax = syntax::Code::ALL.iter().map(|code| code.as_str()).collect();
    families.chain([("syntax", syntax)]).collect()
}

/// The sections of a document: each code with the text below its heading.
fn sections(document: &str) -> BTreeMap<&str, &str> {
    let parts = document.split("\n## ").skip(1);
    parts.filter_map(|part| part.split_once(": ")).collect()
}

#[test]
fn every_code_has_a_section_that_raises_it() {
    let mut wrong = Vec::new();
    for (family, codes) in families() {
        let path = Path::new(DOCUMENTS).join(format!("{family}.md"));
        let document = std::fs::read_to_string(&path).unwrap_or_default();
        let sections = sections(&document);
        for code in &codes {
            match sections.get(code) {
                None => wrong.push(format!("{family}.md has no section `## {code}: ...`")),
                Some(text) if raises(text, code) || is_raised_elsewhere(code) => {
                    let (forms, shown) = (forms(family, code), messages(text, code));
                    if forms > 1 && forms > shown && !FORMS_ELSEWHERE.iter().any(|(known, _)| known == code) {
                        wrong.push(format!(
                            "{family}.md: {code} has {forms} forms, {shown} are shown in words"
                        ));
                    }
                }
                Some(_) => wrong.push(format!("{family}.md: no program under {code} raises it at a column")),
            }
        }
        let unknown = sections.keys().filter(|code| !codes.contains(*code));
        wrong.extend(unknown.map(|code| format!("{family}.md: {code} is not a code of the family")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Tells whether a program of a section has a comment `// error: COLUMN [CODE]`.
fn raises(text: &str, code: &str) -> bool {
    let mut comments = text.split("// ").filter_map(|comment| comment.split_once(": "));
    comments.any(|(level, rest)| {
        let column = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        let has_column = column.len() < rest.len();
        matches!(level, "error" | "warning" | "info")
            && has_column
            && column.trim_start().strip_prefix('[').and_then(|it| it.strip_prefix(code)).is_some()
    })
}

fn is_raised_elsewhere(code: &str) -> bool {
    let known = ELSEWHERE.iter().find(|(known, _)| *known == code);
    known.is_some_and(|(_, file)| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it").join(file);
        std::fs::read_to_string(path).is_ok_and(|text| text.contains(code))
    })
}

#[test]
fn there_is_a_document_for_every_family_and_no_other() {
    let files = std::fs::read_dir(DOCUMENTS).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let documents: BTreeSet<String> = names.collect();
    let expected: BTreeSet<String> = families().keys().map(|family| format!("{family}.md")).collect();
    assert_eq!(documents, expected);
}
