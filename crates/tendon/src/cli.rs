//! The command line: what can be asked, and which command answers it.

use std::ffi::OsString;
use std::sync::LazyLock;

use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    az_env, bicep as extensions, build, build_params, check, completions, context, contract, decompile,
    decompile_params, deploy, destroy, eval, format, functions, generate_params, graph, init, lint, lsp, man,
    params, publish, rad_env, resource, resource_type, restore, rules, seal, serve, snapshot, state, test,
    thrift, token, types, validate, what_if,
};
use crate::common::{Common, Output};
use crate::exit::{self, CommandError, Exit};
use crate::help;
use crate::output::{Colour, JsonLayout, Streams};
use crate::{unsupported_commands, watch};

/// The widest line of help.
const WIDTH: usize = 100;

/// Compiles Bicep, predicts what templates deploy, and checks values against contracts.
///
/// A contract says what a value must look like: its shape, and the rules on it. A value crosses a boundary
/// only if its contract holds.
#[derive(Debug, Parser)]
#[command(name = "tendon", version = VERSION.as_str(), styles = STYLES, max_term_width = WIDTH, after_help = examples())]
pub(crate) struct Cli {
    /// What every command takes.
    #[command(flatten)]
    pub(crate) common: Common,
    /// What to do.
    #[command(subcommand)]
    command: Command,
}

/// The commands, one file each in `commands`.
#[derive(Debug, Subcommand)]
enum Command {
    Init(init::Arguments),
    Build(build::Arguments),
    BuildParams(build_params::Arguments),
    GenerateParams(generate_params::Arguments),
    Lint(lint::Arguments),
    #[command(visible_alias = "fmt")]
    Format(format::Arguments),
    Restore(restore::Arguments),
    Publish(Box<publish::Arguments>),
    PublishExtension(extensions::ExtensionArguments),
    Lsp(lsp::Arguments),
    Decompile(decompile::Arguments),
    DecompileParams(decompile_params::Arguments),
    #[command(subcommand)]
    Params(params::Command),
    Validate(Box<validate::Arguments>),
    #[command(alias = "plan")]
    WhatIf(Box<what_if::Arguments>),
    #[command(alias = "apply")]
    Deploy(Box<deploy::Arguments>),
    Destroy(Box<destroy::Arguments>),
    Serve(Box<serve::Arguments>),
    AzEnv(az_env::Arguments),
    RadEnv(rad_env::Arguments),
    #[command(subcommand)]
    Seal(seal::Command),
    #[command(subcommand)]
    Token(token::Command),
    #[command(subcommand)]
    Context(context::Command),
    #[command(subcommand)]
    State(state::Command),
    Test(Box<test::Arguments>),
    Snapshot(Box<snapshot::Arguments>),
    Graph(Box<graph::Arguments>),
    Eval(Box<eval::Arguments>),
    #[command(subcommand)]
    Types(types::Command),
    Check(check::Arguments),
    #[command(subcommand, hide = true)]
    Bicep(extensions::Command),
    #[command(subcommand)]
    ResourceType(resource_type::Command),
    #[command(subcommand)]
    Resource(resource::Command),
    Contract(contract::Arguments),
    Functions(functions::Arguments),
    Rules(rules::Arguments),
    Thrift(thrift::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// Whether it is done again after each change.
    fn is_watching(&self) -> bool {
        match self {
            Command::Lint(arguments) => arguments.watch,
            Command::Check(arguments) => arguments.watch,
            Command::WhatIf(arguments) => arguments.watch,
            Command::Test(arguments) => arguments.watch,
            _ => false,
        }
    }

    /// Whether it talks to another program on its standard streams, or prints a text that is no result.
    fn has_own_output(&self) -> bool {
        match self {
            Command::Lsp(_) | Command::Serve(_) | Command::Completions(_) => true,
            Command::Thrift(arguments) => arguments.has_own_output(),
            _ => false,
        }
    }

    /// What its JSON form looks like: documents that other programs read stay as they are.
    fn json_layout(&self) -> JsonLayout {
        match self {
            Command::Deploy(_) | Command::Validate(_) | Command::WhatIf(_) => JsonLayout::Response,
            Command::Snapshot(_)
            | Command::Eval(_)
            | Command::Graph(_)
            | Command::State(_)
            | Command::Resource(_) => JsonLayout::Document,
            Command::ResourceType(command) if command.is_query() => JsonLayout::Document,
            _ => JsonLayout::Envelope,
        }
    }
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::BrightGreen.on_default().bold())
    .usage(AnsiColor::BrightGreen.on_default().bold())
    .literal(AnsiColor::BrightCyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The version, and how new the resource types are.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{} (resource types of {})", env!("CARGO_PKG_VERSION"), azure_types::DATE));

fn examples() -> String {
    format!(
        "\
Examples:
  tendon build main.bicep --stdout
  tendon build-params main.bicepparam
  tendon format main.bicep --check
  tendon decompile main.json
  tendon params resolve main.bicepparam -- --stage prod
  tendon validate main.bicep --parameters main.parameters.json
  tendon snapshot main.bicepparam
  tendon test
  tendon graph main.bicep --outfile main.svg
  tendon eval \"uniqueString('a', 'b')\"
  tendon check order.json --against order.contract.json
  tendon check config/*.yaml --against service.contract.yaml
  curl -s localhost:8080/orders/7 | tendon check - --against order.contract.json#Order
  tendon lint .
  tendon functions uniqueString
  tendon rules minimum
  tendon lint service.thrift
  tendon completions bash > ~/.local/share/bash-completion/completions/tendon

{}",
        exit::TABLE
    )
}

/// Runs the command that the process was started with.
pub(crate) fn run(arguments: &[OsString]) -> Exit {
    let cli = match parse(arguments) {
        Ok(cli) => cli,
        Err(error) => return missing(&error).unwrap_or_else(|| explain(&error)),
    };
    let mut streams = Streams::new(cli.common.color);
    let wants_json = cli.common.output == Output::Json && !cli.command.has_own_output();
    streams.set_layout(wants_json, cli.command.json_layout());
    let execute = |streams: &mut Streams| match cli.command.is_watching() {
        true => watch::run(arguments, streams),
        false => cli.execute(streams),
    };
    let result = execute(&mut streams).or_else(CommandError::settled);
    let result = result.or_else(|failure| match wants_json && streams.end_json_with(&failure)? {
        // What is wrong with the input is a finding, and nothing else.
        true => {
            if failure.exit() == Exit::Input {
                Ok(Exit::Input)
            } else {
                Err(failure)
            }
        }
        false => Err(failure),
    });
    let result = result.and_then(|exit| {
        if wants_json {
            streams.end_json()?
        } else {
            streams.end_findings()?
        }
        streams.flush().map(|()| exit)
    });
    if let Some(note) = &cli.common.note_inputs {
        // Who wanted to know sees nothing, and says so.
        let _ = watch::note_inputs(note);
    }
    result.unwrap_or_else(|failure| {
        // What was found before is whole JSON in spite of the failure; the pipe may be closed.
        let _ = streams.end_findings().and_then(|()| streams.flush());
        if failure.is_news() {
            streams.report_error(&failure.to_string());
        }
        failure.exit()
    })
}

impl Cli {
    fn execute(&self, streams: &mut Streams) -> Result<Exit, CommandError> {
        if self.common.output == Output::Json && self.common.diagnostics_format.is_some() {
            let message = "`--output json` holds the findings already; leave out `--diagnostics-format`";
            return Err(CommandError::Usage(message.to_owned()));
        }
        match &self.command {
            Command::Init(arguments) => init::run(arguments, &self.common, streams),
            Command::Build(arguments) => build::run(arguments, &self.common, streams),
            Command::BuildParams(arguments) => build_params::run(arguments, &self.common, streams),
            Command::GenerateParams(arguments) => generate_params::run(arguments, &self.common, streams),
            Command::Lint(arguments) => lint::run(arguments, &self.common, streams),
            Command::Format(arguments) => format::run(arguments, &self.common, streams),
            Command::Restore(arguments) => restore::run(arguments, &self.common, streams),
            Command::Publish(arguments) => publish::run(arguments, &self.common, streams),
            Command::PublishExtension(arguments) => extensions::publish_any(arguments, &self.common, streams),
            Command::Lsp(arguments) => lsp::run(arguments, &self.common),
            Command::Decompile(arguments) => decompile::run(arguments, &self.common, streams),
            Command::DecompileParams(arguments) => decompile_params::run(arguments, &self.common, streams),
            Command::Params(command) => params::run(command, &self.common, streams),
            Command::Validate(arguments) => validate::run(arguments, &self.common, streams),
            Command::WhatIf(arguments) => what_if::run(arguments, &self.common, streams),
            Command::Deploy(arguments) => deploy::run(arguments, &self.common, streams),
            Command::Destroy(arguments) => destroy::run(arguments, &self.common, streams),
            Command::Serve(arguments) => serve::run(arguments, &self.common, streams),
            Command::AzEnv(arguments) => az_env::run(arguments, &self.common, streams),
            Command::RadEnv(arguments) => rad_env::run(arguments, &self.common, streams),
            Command::Seal(command) => seal::run(command, &self.common, streams),
            Command::Token(command) => token::run(command, &self.common, streams),
            Command::Context(command) => context::run(command, &self.common, streams),
            Command::State(command) => state::run(command, &self.common, streams),
            Command::Test(arguments) => test::run(arguments, &self.common, streams),
            Command::Snapshot(arguments) => snapshot::run(arguments, &self.common, streams),
            Command::Graph(arguments) => graph::run(arguments, &self.common, streams),
            Command::Eval(arguments) => eval::run(arguments, &self.common, streams),
            Command::Types(command) => types::run(command, &self.common, streams),
            Command::Check(arguments) => check::run(arguments, &self.common, streams),
            Command::Bicep(command) => extensions::run(command, &self.common, streams),
            Command::Resource(command) => resource::run(command, &self.common, streams),
            Command::ResourceType(command) => resource_type::run(command, &self.common, streams),
            Command::Contract(arguments) => contract::run(arguments, &self.common, streams),
            Command::Functions(arguments) => functions::run(arguments, &self.common, streams),
            Command::Rules(arguments) => rules::run(arguments, &self.common, streams),
            Command::Thrift(arguments) => thrift::run(arguments, &self.common, streams),
            Command::Completions(arguments) => completions::run(arguments, &mut Cli::command(), streams),
            Command::Man(arguments) => man::run(arguments, Cli::command(), &self.common, streams),
        }
    }
}

fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    // The parser prints help and errors before it knows the option, so the option is looked for first.
    let given = arguments.windows(2).find_map(|pair| match pair {
        [option, value] if option == "--color" => value.to_str(),
        [_, option] => option.to_str()?.strip_prefix("--color="),
        _ => None,
    });
    let colour = match given {
        Some("always") => clap::ColorChoice::Always,
        Some("never") => clap::ColorChoice::Never,
        _ => clap::ColorChoice::Auto,
    };
    let settings = settings(arguments)?;
    let completed = arguments.iter().chain(&settings.arguments);
    let matches = help::with_groups(Cli::command()).color(colour).try_get_matches_from(completed);
    let matches = matches.map_err(|error| with_tip(error, arguments));
    let matches = matches.map_err(|error| match settings.explain(&error.to_string()) {
        Some(note) => {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            clap::Error::raw(error.kind(), format!("{}\n\n{note}\n", text.trim_end()))
        }
        None => error,
    })?;
    Cli::from_arg_matches(&matches)
}

/// An error of the parser with what it does not say: the values of an option that is missing, and what `-o` is not.
fn with_tip(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let tips: Vec<String> = match (error.kind(), error.get(ContextKind::InvalidArg)) {
        (ErrorKind::MissingRequiredArgument, Some(ContextValue::Strings(missing))) => {
            let command = called(arguments);
            let of = |it: &clap::Arg| {
                let values: Vec<String> =
                    it.get_possible_values().iter().map(|it| it.get_name().to_owned()).collect();
                let is_meant = missing.contains(&it.to_string()) && !values.is_empty();
                is_meant.then(|| format!("`{it}` is one of {}", values.join(", ")))
            };
            command.get_arguments().filter_map(of).collect()
        }
        (ErrorKind::InvalidValue, Some(ContextValue::String(option))) if option.starts_with("--output ") => {
            let tip = "`-o` is the form of what is printed; `--outfile` and `--outdir` say where results go";
            vec![tip.to_owned()]
        }
        _ => Vec::new(),
    };
    if !tips.is_empty() {
        let tips = tips.into_iter().map(Into::into).collect();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

/// The command that arguments call.
fn called(arguments: &[OsString]) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(inner) = command.find_subcommand(word) {
            command = inner.clone();
        }
    }
    command
}

/// The options of `serve` that are in the environment or in a file.
fn settings(arguments: &[OsString]) -> Result<serve::Settings, clap::Error> {
    if !arguments.iter().any(|argument| argument == "serve") {
        return Ok(serve::Settings::default());
    }
    let asked = Cli::command().ignore_errors(true).try_get_matches_from(arguments);
    let command = Cli::command();
    let Some(command) = command.find_subcommand("serve") else { return Ok(serve::Settings::default()) };
    if !asked.is_ok_and(|asked| asked.subcommand_name() == Some("serve")) {
        return Ok(serve::Settings::default());
    }
    let environment = |name: &str| std::env::var_os(name);
    serve::Settings::find(command, arguments, &environment)
        .map_err(|message| clap::Error::raw(clap::error::ErrorKind::InvalidValue, format!("{message}\n")))
}

/// Answers someone who asks for a command that the public Bicep command has and this one has not.
fn missing(error: &clap::Error) -> Option<Exit> {
    let ContextValue::String(command) = error.get(ContextKind::InvalidSubcommand)? else { return None };
    let advice = unsupported_commands::advice("tendon", command)?;
    Streams::new(Colour::Auto).report_error(&advice);
    Some(Exit::Usage)
}

/// Prints help, the version, or what is wrong with the arguments.
pub(crate) fn explain(error: &clap::Error) -> Exit {
    let printed = error.print();
    match printed {
        Ok(()) if error.exit_code() == 0 => Exit::Fine,
        Ok(()) => Exit::Usage,
        Err(failed) => {
            let failure = CommandError::writing("standard output", &failed);
            if failure.is_news() {
                Streams::new(Colour::Auto).report_error(&failure.to_string());
            }
            failure.exit()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_are_declared_without_contradiction() {
        Cli::command().debug_assert();
    }

    #[test]
    fn errors_of_the_parser_say_what_can_be_given() {
        let said = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            parse(&words).err().unwrap().to_string()
        };
        let missing = said("tendon thrift gen order.thrift");
        assert!(missing.contains("`--lang <LANGUAGE>` is one of go, "), "{missing}");
        let form = said("tendon build main.bicep -o out.json");
        assert!(form.contains("`--outfile` and `--outdir` say where results go"), "{form}");
        assert!(!said("tendon build main.bicep --color no").contains("--outfile"));
    }

    #[test]
    fn every_command_and_option_is_explained_and_every_command_has_examples() {
        fn visit(command: &clap::Command, path: &str) {
            let path = format!("{path} {}", command.get_name());
            assert!(command.get_about().is_some(), "{path}: no description");
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{path}: nothing is said about `{}`",
                    argument.get_id()
                );
            }
            let leaf = command.get_subcommands().next().is_none();
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let count = examples.lines().filter(|line| line.contains("tendon ")).count();
            assert!(!leaf || count >= 3, "{path}: {count} examples");
            for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
                visit(inner, &path);
            }
        }
        visit(&Cli::command(), "");
    }

    /// The words of a command line up to a comment, a pipe or a redirection; quotes keep words together.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quote = None;
        for c in line.chars() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, c) if c.is_whitespace() => words.push(String::new()),
                (Some(_) | None, c) => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        let end = words
            .iter()
            .position(|word| word == "|" || word.starts_with(['#', '>', '<']))
            .unwrap_or(words.len());
        words.truncate(end);
        words
    }

    /// The commands in a text: lines that start with `tendon`, perhaps behind a prompt, and go on behind a backslash.
    fn commands(text: &str) -> Vec<String> {
        let joined = text.replace("\\\n", " ");
        let lines = joined.lines().map(|line| line.trim_start().trim_start_matches("$ "));
        lines.filter(|line| line.starts_with("tendon ")).map(str::to_owned).collect()
    }

    #[track_caller]
    fn parses(command: &str, place: &str) {
        if let Err(error) = Cli::command().try_get_matches_from(words(command)) {
            assert_eq!(error.exit_code(), 0, "{place}: `{command}`: {error}");
        }
    }

    #[test]
    fn every_command_in_the_documentation_can_be_typed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let pages = std::fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
        let mut count = 0;
        for page in
            pages.chain([root.join("README.md")]).filter(|page| page.extension().is_some_and(|it| it == "md"))
        {
            for command in commands(&std::fs::read_to_string(&page).unwrap()) {
                parses(&command, &page.file_name().unwrap().to_string_lossy());
                count += 1;
            }
        }
        assert!(count > 20, "{count} commands");
    }

    #[test]
    fn every_example_in_the_help_can_be_typed() {
        fn visit(command: &clap::Command) {
            let examples = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            // What is longer is broken where it cannot be typed; a backslash ends a line of an example.
            let long = examples.lines().find(|line| line.chars().count() > WIDTH);
            assert_eq!(long, None, "in the help of `{}`", command.get_name());
            for example in commands(&examples) {
                parses(&example, command.get_name());
            }
            command.get_subcommands().for_each(visit);
        }
        visit(&Cli::command());
    }
}
