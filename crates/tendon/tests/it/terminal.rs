//! What only shows with certain streams and environments: colour and the lack of it.

use crate::support::Folder;

const FILES: &[(&str, &[u8])] = &[("c.json", br#"{"type": "integer"}"#), ("v.json", b"true")];

fn stdout(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let folder = Folder::with(FILES);
    let mut command = folder.tendon(arguments);
    command.envs(environment.iter().copied());
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn a_pipe_has_no_colour_unless_it_is_asked_for() {
    let check = ["check", "v.json", "--against", "c.json"];
    assert!(!stdout(&check, &[]).contains('\u{1b}'));
    let always = ["check", "v.json", "--against", "c.json", "--color", "always"];
    assert!(stdout(&always, &[("NO_COLOR", "1")]).contains("\u{1b}[1;91merror[type]\u{1b}[0m"));
}

#[test]
fn help_follows_the_option_for_colour() {
    assert!(stdout(&["--color", "always", "--help"], &[]).contains('\u{1b}'));
    assert!(stdout(&["--color=always", "check", "--help"], &[]).contains('\u{1b}'));
    assert!(!stdout(&["--help"], &[]).contains('\u{1b}'));
}

#[test]
fn every_shell_gets_its_completions() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&["completions", shell], &[]);
        assert!(script.contains("tendon") && script.contains("against"), "{shell}");
    }
}
