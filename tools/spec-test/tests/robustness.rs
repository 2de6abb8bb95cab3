//! Properties that hold for every text, tried on the crate's own documents and on what remains of them when they
//! are cut short.

use spec_test::{CaseOutput, Document, rewrite};

const DOCUMENTS: [&str; 4] = [
    include_str!("../resources/specs/assertions.md"),
    include_str!("../resources/specs/files.md"),
    include_str!("../resources/specs/outputs.md"),
    include_str!("../resources/specs/sections.md"),
];

#[test]
fn every_prefix_of_a_document_is_read_or_refused() {
    for text in DOCUMENTS {
        for (end, _) in text.char_indices() {
            if let Err(problems) = Document::parse(text.get(..end).unwrap()) {
                assert!(!problems.is_empty(), "refused without a reason at byte {end}");
            }
        }
    }
}

#[test]
fn an_update_with_the_expected_outputs_changes_nothing() {
    for text in DOCUMENTS {
        for case in Document::parse(text).unwrap().cases {
            let same = case
                .expectations
                .iter()
                .fold(CaseOutput::new(), |outcome, e| outcome.output(&e.name, &e.text));
            assert_eq!(rewrite(text, &case.name, &same).unwrap(), text, "{}", case.name);
        }
    }
}

#[test]
fn an_update_with_any_text_can_be_read_back() {
    let awkward = ["", "\n", "no newline", "```", "``` x\n~~~\n````\n", "   ```\n", "# heading\n", "é\rü"];
    for text in DOCUMENTS {
        let document = Document::parse(text).unwrap();
        for (case, output) in document.cases.iter().flat_map(|case| awkward.map(|output| (case, output))) {
            let outcome = case
                .expectations
                .iter()
                .fold(CaseOutput::new(), |outcome, e| outcome.output(&e.name, output));
            let written = rewrite(text, &case.name, &outcome).unwrap();
            let read = Document::parse(&written).unwrap();
            assert_eq!(read.cases.len(), document.cases.len(), "{}", case.name);
            let read = read.cases.iter().find(|other| other.name == case.name).unwrap();
            for expectation in &read.expectations {
                assert_eq!(expectation.text.trim_end_matches('\n'), output.trim_end_matches('\n'));
            }
        }
    }
}

#[test]
fn an_update_never_writes_a_carriage_return_that_makes_the_document_unreadable() {
    for output in ["a\r\nb", "a\r"] {
        let outcome = CaseOutput::new().output("output", output);
        let problems = rewrite("# A\n\n```output\n```\n", "A", &outcome).unwrap_err();
        assert_eq!(
            problems[0].to_string(),
            "4: output `output` has CR LF line ends, which no document can hold"
        );
    }
}

#[test]
fn files_are_limited_in_number() {
    let files: String = (0..=spec_test::MAX_FILES).map(|n| format!("```json {n}.json\n```\n")).collect();
    let problems = Document::parse(&format!("# A\n\n{files}")).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].message.contains("more than 64 files"), "{}", problems[0]);
}

#[test]
fn a_carriage_return_is_refused_once() {
    let problems = Document::parse("# A\r\n\r\n```json\r\n```\r\n").unwrap_err();
    let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["1: the line ends with CR LF; a specification is written with LF alone"]);
}
