//! The page of all commands is made from the commands, so that it cannot tell another story than they do.

use std::fmt::Write as _;

use clap::{Arg, ArgAction, Command, CommandFactory as _};

use crate::cli::Cli;
use crate::exit;
use crate::help::grouped;

/// The variables of the environment, each with what it says.
const VARIABLES: &[(&str, &str)] = &[
    ("TENDON_STATE", "the folder of the state, as `--state` says"),
    ("TENDON_DATABASE", "the PostgreSQL database with the state, as `--database` says"),
    ("TENDON_SEAL_KEY", "the file with the key of the secrets in a state, as `--seal-key` says"),
    ("TENDON_SERVER", "the server that is asked instead of the state on this machine, as `--server` says"),
    ("TENDON_CONTEXT", "the saved server that is asked, as `--context` says"),
    ("TENDON_TOKEN", "a token for the server"),
    ("TENDON_ENDPOINT", "the ARM endpoint that is deployed to, as `--endpoint` says"),
    ("TENDON_ENDPOINT_TOKEN", "a token for the ARM endpoint"),
    ("TENDON_TYPES", "the resource types, as `--types` says"),
    ("TENDON_MODULES", "the folder with modules and extensions from registries, as `--modules` says"),
    ("TENDON_REGISTRIES", "folders in the place of registries, as `--registry` says, separated by `;`"),
    ("BICEP_TRUSTED_REGISTRIES", "more registries to trust, separated by `,`"),
    ("BICEP_PARAMETERS_OVERRIDES", "values for `build-params`, as a JSON object"),
    ("DOCKER_CONFIG", "the folder with the credentials of registries"),
    ("DOCKER_REGISTRY", "the registry that `DOCKER_USERNAME` and `DOCKER_PASSWORD` are for"),
    ("DOCKER_USERNAME", "a user of that registry"),
    ("DOCKER_PASSWORD", "the password of that user"),
    ("NO_COLOR", "no colour, unless `--color` says otherwise"),
    ("TENDON_SERVE_*", "an option of `tendon serve`, such as `TENDON_SERVE_LISTEN` for `--listen`"),
];

fn page() -> String {
    // Building adds what a parser knows: names of values, and which options come together.
    let mut command = Cli::command();
    command.build();
    let mut out = String::from(
        "# Commands and options\n\nEvery command with its options, as `tendon COMMAND --help` shows them; [commands.md](commands.md) says more \
         about what commands do. This page is made from the commands.\n",
    );
    for (title, commands) in grouped(&command) {
        writeln!(out, "\n## {title}\n\n| command | does |\n|---|---|").unwrap();
        for it in commands {
            writeln!(out, "| [`tendon {0}`](#tendon-{0}) | {1} |", it.get_name(), about(it)).unwrap();
        }
    }
    let common: Vec<&Arg> = command.get_arguments().filter(|it| it.is_global_set()).collect();
    out.push_str("\n## Common options\n\nEvery command takes these.\n");
    table(&mut out, &common);
    for (_, commands) in grouped(&command) {
        for it in commands {
            section(&mut out, it, "tendon", &common);
        }
    }
    out.push_str(
        "\n## Environment\n\nAn option wins over a variable.\n\n| variable | meaning |\n|---|---|\n",
    );
    for (name, meaning) in VARIABLES {
        writeln!(out, "| `{name}` | {meaning} |").unwrap();
    }
    out.push_str(
        "\n## Exit codes\n\nIf several apply, the greatest wins.\n\n| code | meaning |\n|---|---|\n",
    );
    for line in exit::TABLE.lines().skip(1) {
        let (code, meaning) = line.trim().split_once("  ").unwrap();
        writeln!(out, "| {code} | {meaning} |").unwrap();
    }
    out
}

fn about(command: &Command) -> String {
    escaped(&command.get_about().map(ToString::to_string).unwrap_or_default())
}

fn section(out: &mut String, command: &Command, before: &str, common: &[&Arg]) {
    let path = format!("{before} {}", command.get_name());
    let visible: Vec<&Command> =
        command.get_subcommands().filter(|it| !it.is_hide_set() && it.get_name() != "help").collect();
    if visible.is_empty() || before == "tendon" {
        let long = command.get_long_about().or_else(|| command.get_about());
        let long = long.map(ToString::to_string).unwrap_or_default();
        // The first line is what the command does, without a period.
        let text = match long.split_once("\n\n") {
            Some((first, rest)) => format!("{}.\n\n{}", escaped(first), escaped(rest)),
            None => escaped(&long),
        };
        writeln!(out, "\n### {path}\n\n{text}").unwrap();
    }
    if visible.is_empty() {
        let usage = command.clone().render_usage().to_string();
        writeln!(out, "\n```text\n{}\n```", usage.trim()).unwrap();
        let own: Vec<&Arg> = command
            .get_arguments()
            .filter(|it| !it.is_hide_set() && !common.iter().any(|known| known.get_id() == it.get_id()))
            .filter(|it| {
                !matches!(it.get_action(), ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong)
            })
            .collect();
        table(out, &own);
    }
    for it in visible {
        section(out, it, &path, common);
    }
}

fn table(out: &mut String, arguments: &[&Arg]) {
    if arguments.is_empty() {
        return;
    }
    out.push_str("\n| option | meaning |\n|---|---|\n");
    for it in arguments {
        writeln!(out, "| `{}` | {} |", name(it).replace('|', "\\|"), meaning(it)).unwrap();
    }
}

fn name(argument: &Arg) -> String {
    let takes = argument.get_action().takes_values();
    let value = argument.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let value = value.filter(|_| takes).unwrap_or_default();
    let spelled = match (argument.get_short(), argument.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => {
            let several = matches!(argument.get_action(), ArgAction::Append);
            return format!("{value}{}", if several { "..." } else { "" });
        }
    };
    if value.is_empty() { spelled } else { format!("{spelled} {value}") }
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or_else(|| argument.get_help());
    let mut text = escaped(&help.map(ToString::to_string).unwrap_or_default());
    let values: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|it| !it.is_hide_set())
        .map(|it| format!("`{}`", it.get_name()))
        .collect();
    if argument.get_action().takes_values() && !values.is_empty() && values.len() < 20 {
        text.push_str(&format!("; one of {}", values.join(", ")));
    }
    let default: Vec<String> =
        argument.get_default_values().iter().map(|it| format!("`{}`", it.to_string_lossy())).collect();
    if argument.get_action().takes_values() && !default.is_empty() {
        text.push_str(&format!("; default {}", default.join(", ")));
    }
    text
}

/// Text in a cell of a table, or on one line of a page.
fn escaped(text: &str) -> String {
    text.replace("\n\n", " ").replace('\n', " ").replace('|', "\\|").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_of_commands_is_up_to_date() {
        spec_test::check_page("docs/cli.md", &page());
    }

    #[test]
    fn every_variable_that_is_read_is_in_the_page() {
        fn names(folder: &Path, found: &mut BTreeSet<String>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    names(&path, found);
                } else if path.extension().is_some_and(|it| it == "rs") {
                    let text = std::fs::read_to_string(&path).unwrap();
                    let quoted = text.split('"').skip(1).step_by(2);
                    let is_name =
                        |it: &&str| it.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
                    found.extend(
                        quoted.filter(|it| it.starts_with("TENDON_")).filter(is_name).map(str::to_owned),
                    );
                }
            }
        }
        let mut found = BTreeSet::new();
        names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
        // Tests are told by this one to write what they expect.
        found.remove("TENDON_UPDATE");
        // Every option of the server has one.
        found.retain(|name| !name.starts_with("TENDON_SERVE_"));
        let missing: Vec<&String> =
            found.iter().filter(|name| !VARIABLES.iter().any(|(known, _)| known == name)).collect();
        assert!(found.len() > 5 && missing.is_empty(), "{missing:?}");
    }
}
