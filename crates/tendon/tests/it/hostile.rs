//! Inputs that were made to hurt, and an environment that fails: a clear error, the right exit code, and no more
//! time or memory than the limits allow.

use std::fs::File;
use std::process::{Output, Stdio};

use crate::support::Folder;

const ANYTHING: (&str, &[u8]) = ("any.json", b"{}");

/// Checks one file against a contract that takes anything.
fn check_file(name: &str, content: &[u8], options: &[&str]) -> Output {
    let folder = Folder::with(&[ANYTHING, (name, content)]);
    let arguments = [&["check", name, "--against", "any.json"], options].concat();
    folder.run(&arguments, b"")
}

/// Asserts the exit code and that the outputs hold some words.
#[track_caller]
fn assert_says(output: &Output, exit: i32, words: &[&str]) {
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(exit), "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in:\n{text}");
    }
    assert!(!text.contains("panicked"), "{text}");
}

#[test]
fn ten_thousand_brackets_are_too_deep() {
    let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
    for (name, code) in [("deep.json", "error[json/limit]"), ("deep.yaml", "error[yaml/limit]")] {
        assert_says(
            &check_file(name, deep.as_bytes(), &[]),
            1,
            &[code, "nested deeper than 128 levels", "1:129", "--max-depth"],
        );
    }
    let allowed = ["[".repeat(500), "]".repeat(500)].concat();
    assert_says(&check_file("deep.json", allowed.as_bytes(), &["--max-depth", "512"]), 0, &["1 value valid"]);
}

#[test]
fn a_string_of_200_megabytes_is_a_string() {
    let mut long = vec![b'x'; 200 << 20];
    let last = long.len() - 1;
    (long[0], long[last]) = (b'"', b'"');
    assert_says(&check_file("long.json", &long, &[]), 0, &["1 value valid"]);
}

#[test]
fn a_file_above_the_limit_is_not_loaded() {
    let folder = Folder::with(&[ANYTHING, ("huge.json", b"")]);
    // A file of one tebibyte that takes no room: reading it would not end in time.
    File::options().write(true).open(folder.path("huge.json")).unwrap().set_len(1 << 40).unwrap();
    let output = folder.run(&["check", "huge.json", "--against", "any.json"], b"");
    assert_says(&output, 1, &["error[input/too-large]", "1099511627776 bytes", "--max-bytes", "huge.json"]);
}

#[test]
fn endless_input_is_cut_off_at_the_limit() {
    let output = check_file("unused.json", b"1", &["/dev/zero", "--max-bytes", "1MiB"]);
    assert_says(&output, 1, &["error[input/too-large]", "more bytes than the limit of 1048576"]);
}

#[test]
fn aliases_of_aliases_stop_at_the_limit() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert_says(
        &check_file("bomb.yaml", bomb.as_bytes(), &[]),
        1,
        &["error[yaml/limit]", "aliases stand for more than", "bomb.yaml:6:"],
    );
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_place() {
    let output = check_file("bad.json", b"{\n  \"name\": \"\xff\xfe\"\n}\n", &[]);
    assert_says(&output, 1, &["error[json/encoding]", "byte 0xFF at offset 13", "bad.json:2:12", "UTF-8"]);
}

#[test]
fn a_contract_can_be_hostile_too() {
    let deep = ["{\"items\":".repeat(10_000), "{}".to_owned(), "}".repeat(10_000)].concat();
    let folder = Folder::with(&[("deep.json", deep.as_bytes()), ("bad.json", b"\xff"), ANYTHING]);
    for (contract, code) in [("deep.json", "json/limit"), ("bad.json", "json/encoding")] {
        let output = folder.run(&["check", "any.json", "--against", contract], b"");
        assert_says(&output, 1, &[code, contract]);
    }
}

#[test]
fn control_sequences_in_names_and_texts_do_not_reach_the_terminal() {
    let folder =
        Folder::with(&[("c.json", br#"{"type": "integer"}"#), ("v.json", "\"\u{9b}31m\"".as_bytes())]);
    folder.write("\u{1b}[2Jvalid.json", b"1");
    let names = ["v.json", "\u{1b}[2Jvalid.json", "\u{1b}[2Jmissing.json"];
    let output = folder.run(&[&["check", "--against", "c.json", "--verbose"], &names[..]].concat(), b"");
    assert_says(&output, 3, &["<U+009B>31m", "[2Jvalid.json: valid", "[2Jmissing.json`"]);
    for stream in [&output.stdout, &output.stderr] {
        let text = String::from_utf8_lossy(stream);
        assert!(!text.contains('\u{1b}') && !text.contains('\u{9b}'), "{text:?}");
    }
}

#[test]
fn ten_thousand_violations_are_cut_to_the_limit() {
    let many = format!("[{}\"\"]", "\"\",".repeat(9_999));
    let folder = Folder::with(&[("c.json", br#"{"items": {"minLength": 1}}"#), ("v.json", many.as_bytes())]);
    let output = folder.run(&["check", "v.json", "--against", "c.json", "--max-violations", "5"], b"");
    assert_says(&output, 1, &["there are more violations", "1 value invalid, 5 violations"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout).matches("error[minLength]").count(), 5);
}

#[cfg(target_os = "linux")]
mod streams {
    use super::*;

    #[test]
    fn a_full_disk_is_told_and_is_no_panic() {
        let folder = Folder::with(&[ANYTHING]);
        for arguments in [
            &["check", "any.json", "--against", "any.json"][..],
            &["check", "any.json", "--against", "any.json", "--output", "json"],
            &["rules"],
            &["contract", "show", "any.json"],
            &["completions", "bash"],
            &["--help"],
        ] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let output = folder.tendon(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
            assert_says(&output, 3, &["cannot write to standard output: no space left on device"]);
        }
    }

    #[test]
    fn a_closed_pipe_ends_the_run_without_a_word() {
        let many = format!("[{}\"\"]", "\"\",".repeat(9_999));
        let folder =
            Folder::with(&[("c.json", br#"{"items": {"minLength": 1}}"#), ("v.json", many.as_bytes())]);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let arguments = ["check", "v.json", "--against", "c.json"];
        let output = folder.tendon(&arguments).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(3), ""));
    }
}
