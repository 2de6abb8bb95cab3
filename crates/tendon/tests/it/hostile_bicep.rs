//! Programs that were made to hurt, by mistake or on purpose: a clear finding, the right exit code, and neither a panic
//! nor more time and memory than their size explains.

use std::fs::File;
use std::process::Output;

use crate::support::Folder;

/// Compiles `main.bicep` among other files.
fn build(files: &[(&str, &[u8])]) -> Output {
    Folder::with(files).run(&["build", "main.bicep", "--stdout"], b"")
}

/// Asserts the exit code and that the findings hold some words.
#[track_caller]
fn assert_says(output: &Output, exit: i32, words: &[&str]) {
    let text = String::from_utf8_lossy(&output.stderr);
    let shown: String = text.chars().take(4000).collect();
    assert_eq!(output.status.code(), Some(exit), "{shown}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in:\n{shown}");
    }
    assert!(!text.contains("panicked"), "{shown}");
    assert_eq!(output.stdout.is_empty(), exit != 0);
}

#[test]
fn bytes_that_are_not_text_become_replacement_characters() {
    let output = build(&[("main.bicep", b"output a string = 'x\xFFy'\n")]);
    assert_says(&output, 0, &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"x\u{fffd}y\""));
    let output = build(&[("main.bicep", b"module m 'm.bicep' = {\n  name: 'm'\n}\n"), ("m.bicep", b"\x80")]);
    assert_says(&output, 1, &["main.bicep(1,10) : Error BCP104", "m.bicep(1,1) : Error BCP001"]);
}

#[test]
fn utf_16_with_a_mark_is_text() {
    let wide: Vec<u8> =
        "\u{feff}output o string = 'ä😀'\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let output = build(&[("main.bicep", &wide)]);
    assert_says(&output, 0, &[]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("\"ä😀\""));
    assert_says(&build(&[("main.bicep", wide.get(..wide.len() - 1).unwrap())]), 1, &["Error BCP001"]);
}

#[test]
fn a_file_above_the_limit_is_not_loaded() {
    let folder = Folder::with(&[("main.bicep", b"")]);
    // A file of one tebibyte that takes no room: reading it would not end in time.
    File::options().write(true).open(folder.path("main.bicep")).unwrap().set_len(1 << 40).unwrap();
    let output = folder.run(&["build", "main.bicep", "--stdout"], b"");
    assert_says(&output, 1, &["Error BCP091", "it has 1099511627776 bytes, and 67108864 are the most"]);
}

#[cfg(unix)]
#[test]
fn a_device_is_no_program() {
    let folder = Folder::with(&[]);
    std::os::unix::fs::symlink("/dev/zero", folder.path("main.bicep")).unwrap();
    let output = folder.run(&["build", "main.bicep", "--stdout"], b"");
    assert_says(&output, 1, &["Error BCP091", "it is not a regular file"]);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_no_program_and_is_not_waited_for() {
    let folder = Folder::with(&[("main.bicep", b"output o string = loadTextContent('pipe.bicep')\n")]);
    let made = std::process::Command::new("mkfifo").arg(folder.path("pipe.bicep")).status().unwrap();
    assert!(made.success());
    for (arguments, exit) in [
        (&["build", "pipe.bicep"][..], 1),
        (&["build", "main.bicep"], 1),
        (&["lint", "pipe.bicep", "--fix"], 1),
        (&["format", "pipe.bicep"], 3),
        (&["decompile", "pipe.bicep", "--stdout"], 3),
    ] {
        assert_says(&folder.run(arguments, b""), exit, &["it is not a regular file"]);
    }
}

#[test]
fn a_folder_is_no_program() {
    let folder = Folder::with(&[("main.bicep/inner.bicep", b"")]);
    assert_says(
        &folder.run(&["build", "main.bicep", "--stdout"], b""),
        1,
        &["Error BCP275", "is a folder, expected a file"],
    );
}

#[test]
fn columns_count_from_behind_the_byte_order_mark() {
    for text in ["\u{FEFF}param a int = b".as_bytes(), "param a int = b".as_bytes()] {
        let folder = Folder::with(&[("main.bicep", text)]);
        assert_says(&folder.run(&["build", "main.bicep", "--stdout"], b""), 1, &["(1,15) : Error BCP057"]);
    }
}

#[test]
fn two_thousand_levels_are_too_deep() {
    let levels = 2_000;
    for (name, open, close) in [
        ("lists", "[", "]"),
        ("parentheses", "(", ")"),
        ("objects", "{a:", "}"),
        ("calls", "string(", ")"),
        ("texts", "'${", "}'"),
        ("choices", "true?1:", ""),
        ("negations", "!(", ")"),
    ] {
        let text = format!("var a = {}1{}\n", open.repeat(levels), close.repeat(levels));
        let output = build(&[("main.bicep", text.as_bytes())]);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{name}: {:?}", output.status);
        assert_says(&output, output.status.code().unwrap(), &[]);
    }
}

#[test]
fn a_hundred_thousand_lines_are_a_program() {
    let object = |number: usize| {
        let lines: String = (0..197).map(|line| format!("  line{line}: 'text {line}'\n")).collect();
        format!("// part {number}\nvar v{number} = {{\n{lines}}}\n")
    };
    let text: String = (0..500).map(object).collect();
    assert_eq!(text.lines().count(), 100_000);
    let output = build(&[("main.bicep", text.as_bytes())]);
    assert_says(&output, 0, &[]);
}

#[test]
fn files_that_need_each_other_are_findings() {
    let one: &[u8] = b"module m 'two.bicep' = {\n  name: 'm'\n}\n";
    let two: &[u8] = b"module m 'main.bicep' = {\n  name: 'm'\n}\n";
    assert_says(&build(&[("main.bicep", one), ("two.bicep", two)]), 1, &["main.bicep(1,10) : Error BCP095"]);
    assert_says(&build(&[("main.bicep", two)]), 1, &["main.bicep(1,10) : Error BCP094"]);
    let one: &[u8] = b"import { a } from 'two.bicep'\n@export()\nvar b = a\n";
    let two: &[u8] = b"import { b } from 'main.bicep'\n@export()\nvar a = b\n";
    assert_says(&build(&[("main.bicep", one), ("two.bicep", two)]), 1, &["main.bicep(1,19) : Error BCP095"]);
}

#[test]
fn a_long_chain_of_modules_is_a_program() {
    let chain: Vec<(String, String)> = (0..400)
        .map(|number| {
            let name = if number == 0 { "main.bicep".to_owned() } else { format!("m{number}.bicep") };
            (name, format!("import {{ v }} from 'm{}.bicep'\n@export()\nvar w = v\n", number + 1))
        })
        .collect();
    let mut files: Vec<(&str, &[u8])> =
        chain.iter().map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    files.push(("m400.bicep", b"@export()\nvar v = 1\n"));
    let output = build(&files);
    assert!(matches!(output.status.code(), Some(0 | 1)), "{:?}", output.status);
    assert_says(&output, output.status.code().unwrap(), &[]);
}

#[test]
fn types_that_refer_to_themselves_end() {
    assert_says(&build(&[("main.bicep", b"type a = a\nparam p a\n")]), 1, &["main.bicep(1,"]);
    assert_says(
        &build(&[("main.bicep", b"type a = b\ntype b = a[]\ntype c = c | 'x'\nparam p c\n")]),
        1,
        &["(3,"],
    );
    // Through an optional property there is an end, so this one is fine.
    let tree: &[u8] = b"type tree = {\n  value: int\n  left: tree?\n  right: tree?\n}\nparam t tree = { value: 1, left: { value: 2 } }\noutput o int = t.value\n";
    assert_says(&build(&[("main.bicep", tree)]), 0, &[]);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_read_only_is_not_fixed_or_formatted() {
    use std::os::unix::fs::PermissionsExt as _;
    let text = "var  unused = 1\n";
    let folder = Folder::with(&[("main.bicep", text.as_bytes()), ("other.bicep", text.as_bytes())]);
    std::fs::set_permissions(folder.path("main.bicep"), std::fs::Permissions::from_mode(0o444)).unwrap();
    let output = folder.run(&["lint", "main.bicep", "other.bicep", "--fix"], b"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("cannot write to `main.bicep`") && said.contains("fixed 1 finding in `other.bicep`"),
        "{said}"
    );
    assert_eq!(folder.run(&["format", "main.bicep"], b"").status.code(), Some(3));
    assert_eq!(std::fs::read_to_string(folder.path("main.bicep")).unwrap(), text);
    assert_eq!(std::fs::read_to_string(folder.path("other.bicep")).unwrap(), "");
}

#[test]
fn a_file_with_a_byte_order_mark_is_fixed_and_keeps_it() {
    let rule =
        br#"{ "analyzers": { "core": { "rules": { "no-hardcoded-location": { "level": "warning" } } } } }"#;
    let text = "\u{FEFF}resource a 'Contoso.App/sites@2024-01-01' = {\n  name: 'a'\n  location: 'west'\n}\nvar unused = 1\n";
    let folder = Folder::with(&[("main.bicep", text.as_bytes()), ("bicepconfig.json", rule)]);
    folder.run(&["lint", "main.bicep", "--fix", "--unsafe-fixes"], b"");
    let after = std::fs::read_to_string(folder.path("main.bicep")).unwrap();
    assert!(after.starts_with("\u{FEFF}param location string = 'west'\n\nresource a"), "{after}");
    assert!(after.ends_with("location: location\n}\n"), "{after}");
}

#[test]
fn as_many_fixes_are_made_in_one_run_as_in_many() {
    let chain: String = (0..40).map(|number| format!("var v{number} = v{}\n", number + 1)).collect();
    let folder = Folder::with(&[("main.bicep", format!("{chain}var v40 = 1\n").as_bytes())]);
    folder.run(&["lint", "main.bicep", "--fix", "--unsafe-fixes"], b"");
    assert_eq!(std::fs::read_to_string(folder.path("main.bicep")).unwrap(), "");
}

#[test]
fn a_template_writes_nothing_outside_of_its_folder() {
    let template = r#"{
      "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
      "contentVersion": "1.0.0.0",
      "metadata": { "_generator": { "name": "bicep" } },
      "variables": { "$fxv#x/../../evil": "text" },
      "resources": []
    }"#;
    let folder = Folder::with(&[("inner/main.json", template.as_bytes())]);
    let output = folder.run(&["decompile", "inner/main.json"], b"");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.path("inner/main_content_x_evil.txt").exists());
    assert!(!folder.path("evil.txt").exists() && !folder.path("inner/evil.txt").exists());
}

#[test]
fn no_name_of_a_template_reaches_the_terminal_as_it_is() {
    let template = br#"{
      "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
      "contentVersion": "1.0.0.0",
      "resources": [],
      "outputs": { "o": { "type": "string", "value": "[parameters('\u001b]0;title\u0007')]" } }
    }"#;
    let parameters = br#"{ "parameters": { "\u001b]0;title\u0007": { "value": 1 } } }"#;
    let folder = Folder::with(&[("main.json", template), ("main.parameters.json", parameters)]);
    for program in ["tendon", "bicep"] {
        for command in ["decompile main.json", "decompile-params main.parameters.json"] {
            let output = folder.run_line(&format!("{program} {command} --stdout"), b"");
            assert_eq!(output.status.code(), Some(1));
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(said.contains("]0;title") && !said.contains('\u{1b}'), "{said:?}");
        }
    }
}
