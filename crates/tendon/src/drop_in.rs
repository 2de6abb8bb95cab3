//! In the place of the public Bicep command: its commands, options, output and exit codes.
//!
//! Programs that call it, such as the command line of Azure, must not notice. Exit codes are 0 and 1, the parameters of
//! `build-params --stdout` come in an envelope together with their template, and SARIF has the original's shape.

mod changes;
mod deploy;
mod deployed;
mod diff_text;
mod predicted;
mod snapshot;

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};

use crate::commands::{
    bicep, build, build_params, decompile, decompile_params, format, generate_params, lint, publish, restore,
    test,
};
use crate::common::{Common, DiagnosticsFormat};
use crate::compile::LANGUAGE_VERSION;
use crate::exit::{CommandError, Exit};
use crate::output::{Colour, Streams};
use crate::unsupported_commands;

/// Bicep CLI
#[derive(Debug, Parser)]
#[command(name = "bicep", disable_version_flag = true, max_term_width = 100)]
struct Bicep {
    /// Show version information
    #[arg(short = 'v', long)]
    version: bool,

    /// Show the licence
    #[arg(long)]
    license: bool,

    /// Show the notices of third parties
    #[arg(long)]
    third_party_notices: bool,

    /// How to print diagnostics: Default or SARIF
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORM",
        ignore_case = true,
        hide_possible_values = true
    )]
    diagnostics_format: Option<Format>,

    /// Show help
    #[arg(short = '?', global = true, action = clap::ArgAction::Help, hide = true)]
    question: Option<bool>,

    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Arguments),
    BuildParams(build_params::Arguments),
    Decompile(decompile::Arguments),
    DecompileParams(decompile_params::Arguments),
    Deploy(Box<deploy::DeployArguments>),
    Format(format::Arguments),
    GenerateParams(generate_params::Arguments),
    Lint(lint::BicepArguments),
    Publish(Box<publish::Arguments>),
    PublishExtension(bicep::IndexArguments),
    Restore(restore::Arguments),
    Snapshot(Box<snapshot::Arguments>),
    Test(Box<test::public::Arguments>),
    WhatIf(Box<deploy::WhatIfArguments>),
    /// Anything else.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

/// The forms of findings that the original has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Default,
    Sarif,
}

/// What the help of some commands says in the place of what is true of them by their other name.
const OTHER_HELP: [(&str, &str, &str); 5] = [
    ("format", "Format files in every language", "Format Bicep files"),
    (
        "format",
        "Bicep programs and parameters, Thrift, JSON and YAML, each by its file type. Files are",
        "Files are",
    ),
    (
        "format",
        "In a folder, JSON and YAML are formatted if they are templates, parameters, manifests of resource types or contracts. The settings",
        "The settings",
    ),
    (
        "format",
        "A file with syntax errors is not changed.",
        "Declarations with syntax errors are not changed.",
    ),
    (
        "restore",
        "Other commands use the cache as it is, unless they are given `--restore`.",
        "Commands that compile do the same, unless they are given `--no-restore`.",
    ),
];

/// The commands, with help that calls them by this name.
fn command() -> clap::Command {
    Bicep::command().mut_subcommands(|mut command| {
        if let Some(examples) = command.get_after_help().map(ToString::to_string) {
            command = command.after_help(examples.replace("tendon ", "bicep "));
        }
        let name = command.get_name().to_owned();
        let others = OTHER_HELP.iter().filter(|(other, _, _)| *other == name);
        others.fold(command, |mut command, (_, theirs, ours)| {
            if let Some(about) = command.get_about().map(ToString::to_string) {
                command = command.about(about.replace(theirs, ours));
            }
            match command.get_long_about().map(ToString::to_string) {
                Some(about) => command.long_about(about.replace(theirs, ours)),
                None => command,
            }
        })
    })
}

/// Runs the command of the process; every failure is code 1.
pub(crate) fn run(arguments: &[OsString]) -> Exit {
    let arguments = match deploy::with_inputs_at_the_end(with_joined_flags(arguments)) {
        Ok(arguments) => arguments,
        Err(failure) => {
            Streams::new(Colour::Auto).report_error(&failure.to_string());
            return Exit::Input;
        }
    };
    let parsed = command().try_get_matches_from(arguments).and_then(|it| Bicep::from_arg_matches(&it));
    let mut bicep = match parsed {
        Ok(bicep) => bicep,
        Err(error) => return crate::cli::explain(&error).min(Exit::Input),
    };
    let mut streams = Streams::new(Colour::Auto);
    let command = bicep.command.take();
    let result = bicep
        .execute(command, &mut streams)
        .or_else(CommandError::settled)
        .and_then(|exit| streams.flush().map(|()| exit));
    let exit = result.unwrap_or_else(|failure| {
        if failure.is_news() {
            streams.report_error(&failure.to_string());
        }
        failure.exit()
    });
    exit.min(Exit::Input)
}

impl Bicep {
    fn execute(&self, command: Option<Command>, streams: &mut Streams) -> Result<Exit, CommandError> {
        let common = Common {
            diagnostics_format: Some(match self.diagnostics_format {
                Some(Format::Sarif) => DiagnosticsFormat::Sarif,
                Some(Format::Default) | None => DiagnosticsFormat::Default,
            }),
            drop_in: true,
            ..Common::default()
        };
        match command {
            Some(Command::Build(arguments)) => build::run(&arguments, &common, streams),
            Some(Command::BuildParams(arguments)) => build_params::run(&arguments, &common, streams),
            Some(Command::Decompile(arguments)) => decompile::run(&arguments, &common, streams),
            Some(Command::DecompileParams(arguments)) => decompile_params::run(&arguments, &common, streams),
            Some(Command::Deploy(arguments)) => deploy::run(*arguments, &common, streams),
            Some(Command::Format(arguments)) => format::run(&arguments, &common, streams),
            Some(Command::GenerateParams(arguments)) => generate_params::run(&arguments, &common, streams),
            Some(Command::Lint(arguments)) => lint::run_bicep(&arguments, &common, streams),
            Some(Command::PublishExtension(arguments)) => bicep::publish_index(&arguments, &common, streams),
            Some(Command::Publish(arguments)) => publish::run(&arguments, &common, streams),
            Some(Command::Restore(arguments)) => restore::run(&arguments, &common, streams),
            Some(Command::Snapshot(arguments)) => snapshot::run(&arguments, &common, streams),
            Some(Command::Test(arguments)) => test::public::run(&arguments, &common, streams),
            Some(Command::WhatIf(arguments)) => deploy::what_if(*arguments, &common, streams),
            Some(Command::Other(words)) => Err(CommandError::Usage(refusal(&words))),
            None => self.inform(streams),
        }
    }

    fn inform(&self, streams: &mut Streams) -> Result<Exit, CommandError> {
        if self.version {
            // Programs look for the first version in this line.
            let own = env!("CARGO_PKG_VERSION");
            streams.print(&format!("Bicep CLI version {LANGUAGE_VERSION} (tendon {own})\n"))?;
        } else if self.license {
            streams.print(include_str!("../../../LICENSE-MIT"))?;
        } else if self.third_party_notices {
            streams.print(
                "Licences of all dependencies: `cargo metadata` in the sources of tendon lists them.\n",
            )?;
        } else {
            return Err(CommandError::Usage("no command is given; `bicep --help` lists them".to_owned()));
        }
        Ok(Exit::Fine)
    }
}

/// Options that are true unless a truth value follows them, which is then joined with `=`.
const FLAGS_WITH_VALUES: [&str; 1] = ["--insert-final-newline"];
/// Options that are there or not, and that are as if they were not there before a `false`.
const FLAGS: [&str; 4] = ["--stdout", "--no-restore", "--force", "--with-source"];

/// Arguments as the parser wants them: the original takes `:` as well as `=` between an option and its value, a truth value
/// after a flag, and anything else as the next argument.
fn with_joined_flags(arguments: &[OsString]) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(arguments.len());
    let mut words = arguments.iter();
    for argument in words.by_ref() {
        if argument == "--" {
            joined.push(argument.clone());
            break;
        }
        let truth = ["true", "false"].into_iter().find(|value| argument.eq_ignore_ascii_case(value));
        match (joined.last_mut(), truth) {
            (Some(flag), Some(truth)) if FLAGS_WITH_VALUES.iter().any(|name| flag == name) => {
                flag.push("=");
                flag.push(truth);
            }
            (Some(flag), Some(truth)) if FLAGS.iter().any(|name| flag == name) => {
                if truth == "false" {
                    joined.pop();
                }
            }
            _ => joined.extend(separated(argument)),
        }
    }
    joined.extend(words.cloned());
    joined
}

/// An option with `=` before its value, and a flag without one.
fn separated(argument: &OsString) -> Option<OsString> {
    let Some(option) = argument.to_str().filter(|it| it.starts_with("--") && !it.starts_with("--arg-"))
    else {
        return Some(argument.clone());
    };
    let Some((name, value)) = option.split_once([':', '=']) else { return Some(argument.clone()) };
    if FLAGS.contains(&name) && value.eq_ignore_ascii_case("true") {
        return Some(name.into());
    }
    if FLAGS.contains(&name) && value.eq_ignore_ascii_case("false") {
        return None;
    }
    Some(format!("{name}={value}").into())
}

fn refusal(words: &[OsString]) -> String {
    let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
    let missing = words
        .first()
        .and_then(|command| unsupported_commands::advice("tendon, which stands in for bicep here,", command));
    missing.unwrap_or_else(|| {
        format!("`{}` is not understood; `bicep --help` lists the commands", words.join(" "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_value_after_a_flag_belongs_to_it() {
        let join = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            with_joined_flags(&words).join(std::ffi::OsStr::new(" "))
        };
        assert_eq!(
            join("format --insert-final-newline False a.bicep"),
            "format --insert-final-newline=false a.bicep"
        );
        assert_eq!(join("format --insert-final-newline a.bicep"), "format --insert-final-newline a.bicep");
        assert_eq!(join("format --stdout true a.bicep"), "format --stdout a.bicep");
        assert_eq!(join("format a.bicep --stdout false"), "format a.bicep");
        assert_eq!(join("build a.bicep --no-restore:TRUE --stdout=false"), "build a.bicep --no-restore");
        assert_eq!(join("format -- --stdout true"), "format -- --stdout true");
    }

    #[test]
    fn a_colon_is_as_good_as_an_equals_sign() {
        let join = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            with_joined_flags(&words).join(std::ffi::OsStr::new(" "))
        };
        assert_eq!(join("build a.bicep --outfile:b:c.json"), "build a.bicep --outfile=b:c.json");
        assert_eq!(join("build a.bicep --outfile=b:c.json"), "build a.bicep --outfile=b:c.json");
        assert_eq!(join("deploy a.bicepparam --arg-x:y"), "deploy a.bicepparam --arg-x:y");
        assert_eq!(join("publish a.bicep --target br:x/y:1"), "publish a.bicep --target br:x/y:1");
    }

    #[test]
    fn help_calls_the_commands_by_this_name() {
        for subcommand in command().get_subcommands_mut() {
            let help = subcommand.render_long_help().to_string();
            assert!(!help.contains("\n  tendon "), "{help}");
        }
        let command = command();
        for (name, theirs, ours) in OTHER_HELP {
            let about = command.find_subcommand(name).and_then(|it| it.get_long_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            assert!(about.contains(ours) && !about.contains(theirs), "{name}: {about}");
        }
    }

    #[test]
    fn the_commands_are_declared_without_contradiction() {
        Bicep::command().debug_assert();
    }
}
