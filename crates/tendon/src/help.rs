//! The help of the whole program: its commands by what people want to do.

use clap::Command;
use clap::builder::StyledStr;

/// A group of commands: its title, and their names in the order in which they are listed.
type Group = (&'static str, &'static [&'static str]);

/// The groups. A command that stands in none is listed behind them, so that none is lost.
pub(crate) const GROUPS: &[Group] = &[
    (
        "Write",
        &[
            "init",
            "lint",
            "format",
            "build",
            "build-params",
            "generate-params",
            "decompile",
            "decompile-params",
            "lsp",
        ],
    ),
    ("Deploy", &["validate", "what-if", "deploy", "destroy", "snapshot", "graph", "eval", "params", "state"]),
    ("Check", &["check", "test", "contract", "thrift", "rules", "functions"]),
    ("Share", &["restore", "publish", "publish-extension", "types"]),
    ("Serve", &["serve", "context", "token", "seal", "resource-type", "resource", "az-env", "rad-env"]),
    ("Set up", &["completions", "man"]),
];

/// The title of what stands in no group.
const REST: &str = "Other";

/// The commands that people see, by group; groups without one are left out.
pub(crate) fn grouped(command: &Command) -> Vec<(&'static str, Vec<&Command>)> {
    let visible = |it: &&Command| !it.is_hide_set() && it.get_name() != "help";
    let named = |name: &&str| command.get_subcommands().filter(visible).find(|it| it.get_name() == *name);
    let mut groups: Vec<(&str, Vec<&Command>)> =
        GROUPS.iter().map(|(title, names)| (*title, names.iter().filter_map(&named).collect())).collect();
    let is_known = |it: &&Command| GROUPS.iter().any(|(_, names)| names.contains(&it.get_name()));
    let rest = command.get_subcommands().filter(visible).filter(|it| !is_known(it));
    groups.push((REST, rest.collect()));
    groups.retain(|(_, commands)| !commands.is_empty());
    groups
}

/// The program with help in which its commands are grouped.
pub(crate) fn with_groups(command: Command) -> Command {
    const HEADER: &str = "\u{1b}[1m\u{1b}[92m";
    const LITERAL: &str = "\u{1b}[1m\u{1b}[96m";
    const END: &str = "\u{1b}[0m";
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    let groups = grouped(&command);
    let names = groups.iter().flat_map(|(_, commands)| commands).map(|it| it.get_name().len());
    let width = names.max().unwrap_or_default();
    for (title, commands) in &groups {
        text.push_str(&format!("\n{HEADER}{title}:{END}\n"));
        for it in commands {
            let about = it.get_about().map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {LITERAL}{:width$}{END}  {about}\n", it.get_name()));
        }
    }
    text.push_str(&format!("\n{HEADER}Options:{END}\n{{options}}{{after-help}}"));
    command.help_template(StyledStr::from(text))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn every_command_is_listed_once() {
        let command = Cli::command();
        let mut listed: Vec<&str> =
            grouped(&command).iter().flat_map(|(_, commands)| commands).map(|it| it.get_name()).collect();
        let visible = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut all: Vec<&str> = visible.map(Command::get_name).collect();
        listed.sort_unstable();
        all.sort_unstable();
        assert_eq!(listed, all);
    }
}
