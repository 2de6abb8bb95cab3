//! The names of the outputs that a deployment script writes, read from its text.
//!
//! Scripts are not run. PowerShell scripts assign members of `$DeploymentScriptOutputs`, those of the Azure CLI write JSON to the
//! file that `AZ_SCRIPTS_OUTPUT_PATH` names. What they write cannot be known, but often its names can, and the template that reads an
//! output knows its form.

use arm::deployment::ReadMember;
use arm::{ObjectBuilder, Value};

use super::generated_properties::{Values, generate_text};
use super::read_members::made_value;

/// The type of scripts.
pub(crate) const SCRIPTS: &str = "Microsoft.Resources/deploymentScripts";

/// The variable of PowerShell scripts, without its sign and in lower case.
const POWERSHELL: &str = "deploymentscriptoutputs";
/// The variable of scripts of the Azure CLI, in lower case.
const SHELL: &str = "az_scripts_output_path";
/// How many names are read, and how many places are looked at.
const MOST: usize = 256;
/// How much of a script is looked at; services take half of it. What follows one place may be all the rest, so
/// that looking is not linear.
const LONGEST: usize = 64 * 1024;

/// The outputs of a script: those that are read of it, and those that its text names.
pub(super) fn outputs(read: &[ReadMember], script: &str, own: &dyn Values) -> Value {
    let mut outputs = ObjectBuilder::default();
    for output in read {
        let name = output.name.as_deref().unwrap_or_default();
        if !name.is_empty() {
            outputs.set(name.into(), made_value(output, name, &format!("outputs/{name}"), own));
        }
    }
    for name in output_names(script) {
        if outputs.get(&name).is_none() {
            let text = generate_text(own, &name, &format!("outputs/{name}"));
            outputs.set(name.into(), Value::text(text));
        }
    }
    outputs.finish()
}

/// The names, each once, in the order of the text.
fn output_names(script: &str) -> Vec<String> {
    let end = script.char_indices().nth(LONGEST).map_or(script.len(), |(end, _)| end);
    let script = script.get(..end).unwrap_or_default();
    // Lower case of ASCII keeps all positions.
    let lower = script.to_ascii_lowercase();
    let mut names = Vec::new();
    for (at, found) in lower.match_indices(POWERSHELL).take(MOST) {
        assigned(script.get(at + found.len()..).unwrap_or_default(), &mut names);
    }
    for (at, found) in lower.match_indices(SHELL).take(MOST) {
        let before = script.get(..at).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        keys(line, &mut names);
        keys(here_document(script.get(at + found.len()..).unwrap_or_default()), &mut names);
    }
    names
}

fn add(name: &str, names: &mut Vec<String>) {
    let is_new = !name.is_empty() && !names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if is_new && names.len() < MOST {
        names.push(name.to_owned());
    }
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '-'
}

/// What is at the start of a text and can be a name, and the rest.
fn word(text: &str) -> (&str, &str) {
    let end = text.find(|character| !is_part(character)).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// A name in quotes at the start of a text.
fn quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|first| matches!(first, '\'' | '"'))?;
    let (name, rest) = word(text.get(1..)?);
    rest.starts_with(quote).then_some(name)
}

/// What follows the variable in PowerShell: `['name']`, `.name`, `.Add('name'` or `= @{ name = ...`.
fn assigned(after: &str, names: &mut Vec<String>) {
    let after = after.trim_start_matches([' ', '\t']);
    if let Some(index) = after.strip_prefix('[') {
        if let Some(name) = quoted(index.trim_start()) {
            add(name, names);
        }
    } else if let Some(member) = after.strip_prefix('.') {
        let (name, rest) = word(member);
        match rest.strip_prefix('(') {
            Some(argument) if name.eq_ignore_ascii_case("add") => {
                if let Some(name) = quoted(argument.trim_start()) {
                    add(name, names);
                }
            }
            Some(_) => {}
            None => add(name, names),
        }
    } else if let Some(table) =
        after.strip_prefix('=').and_then(|value| value.trim_start().strip_prefix("@{"))
    {
        entries(table, names);
    }
}

/// The names of a table of PowerShell, whose `@{` has been read.
fn entries(table: &str, names: &mut Vec<String>) {
    let mut depth = 0_usize;
    for line in table.lines() {
        for entry in line.split(';') {
            let entry = entry.trim_start();
            if entry.starts_with('#') {
                break;
            }
            if depth == 0 {
                let bare = entry.trim_start_matches(['\'', '"']);
                let (name, rest) = word(bare);
                if rest.trim_start_matches(['\'', '"']).trim_start().starts_with('=') {
                    add(name, names);
                }
            }
            for character in entry.chars() {
                match character {
                    '{' | '(' => depth += 1,
                    '}' | ')' => match depth.checked_sub(1) {
                        Some(less) => depth = less,
                        None => return,
                    },
                    _ => {}
                }
            }
        }
    }
}

/// The lines of `<< EOF` after a command, up to its end.
fn here_document(after: &str) -> &str {
    let (line, rest) = after.split_once('\n').unwrap_or((after, ""));
    let Some((_, mark)) = line.split_once("<<") else { return "" };
    let mark = mark.trim_start_matches('-').trim().trim_matches(['\'', '"']);
    let end = rest.find(&format!("\n{mark}")).unwrap_or(0);
    if mark.is_empty() { "" } else { rest.get(..end).unwrap_or_default() }
}

/// The names of the outermost object in a text that holds JSON, or what the shell or `jq` make JSON of.
fn keys(text: &str, names: &mut Vec<String>) {
    let mut depth = 0_usize;
    let mut rest = text;
    let mut expects = false;
    while let Some(character) = rest.chars().next() {
        let after = rest.get(character.len_utf8()..).unwrap_or_default();
        match character {
            '{' | '[' => {
                depth += 1;
                expects = character == '{';
            }
            '}' | ']' => depth = depth.saturating_sub(1),
            ',' => expects = true,
            '"' | '\'' | '\\' | ' ' | '\t' | '\n' | '\r' => {}
            _ if is_part(character) && expects && depth == 1 => {
                let (name, after) = word(rest);
                if after.trim_start_matches(['"', '\'', '\\', ' ']).starts_with(':') {
                    add(name, names);
                }
                expects = false;
                rest = after;
                continue;
            }
            _ => expects = false,
        }
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(script: &str, expect: &[&str]) {
        assert_eq!(output_names(script), expect, "{script}");
    }

    #[test]
    fn powershell_assigns_members() {
        check("$DeploymentScriptOutputs['a'] = 1\n$deploymentScriptOutputs[\"b\"] = 2", &["a", "b"]);
        check("$DeploymentScriptOutputs.a = 1; $DeploymentScriptOutputs.Add('b', 2)", &["a", "b"]);
        check("$DeploymentScriptOutputs.Count; $DeploymentScriptOutputs.Clear()", &["Count"]);
        check("$DeploymentScriptOutputs[$name] = 1", &[]);
    }

    #[test]
    fn powershell_assigns_a_table() {
        let script = "$x = @{ no = 1 }\n$DeploymentScriptOutputs = @{\n    # why = not\n    publicKey = $key | Out-String\n    'other' = @{ inner = 1 }\n}\nlast = 1";
        check(script, &["publicKey", "other"]);
        check("$DeploymentScriptOutputs = @{ a = 1; b = 2 }\nc = 3", &["a", "b"]);
        check("$DeploymentScriptOutputs = @{}\nc = 3", &[]);
    }

    #[test]
    fn the_shell_writes_json() {
        check(r#"echo "{\"output\": \"$KEY\"}"> $AZ_SCRIPTS_OUTPUT_PATH"#, &["output"]);
        check("jq -n '{a: $x, \"b\": {c: 1}}' > $AZ_SCRIPTS_OUTPUT_PATH", &["a", "b"]);
        check(
            "cat > $AZ_SCRIPTS_OUTPUT_PATH << EOF\n{\n  \"status\": \"ok\",\n  \"time\": \"a:b, c\"\n}\nEOF\nx",
            &["status", "time"],
        );
        check("echo 1 > $AZ_SCRIPTS_OUTPUT_PATH", &[]);
    }

    #[test]
    fn only_the_beginning_of_a_long_script_is_read() {
        let repeated = "$DeploymentScriptOutputs = @{ ".repeat(100_000);
        check(&repeated, &[]);
        let late = format!("{}$DeploymentScriptOutputs.late = 1", " ".repeat(LONGEST));
        check(&late, &[]);
    }

    #[test]
    fn odd_texts_have_no_names() {
        for script in [
            "",
            "$DeploymentScriptOutputs",
            "AZ_SCRIPTS_OUTPUT_PATH <<",
            "{{{{AZ_SCRIPTS_OUTPUT_PATH << \n\n",
            "é$DeploymentScriptOutputs['é",
        ] {
            check(script, &[]);
        }
    }
}
