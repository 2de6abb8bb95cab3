//! `tendon test`: run the tests of infrastructure programs.

pub(crate) mod editor;
mod files;
mod host;
pub(crate) mod public;
mod reports;

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bicep::{Compiler, CompilerOptions, FilePath, World};
use diagnostics::terminal::Style;
use testing::coverage::coverage;
use testing::mutation::{mutate, mutate_generated};
use testing::{RunOptions, Session, SnapshotWrites, TestRun};

use crate::common::{Common, DiagnosticsFormat, FindingsForm, Form};
use crate::compile::disk::file_path;
use crate::compile::{CompileOptions, CompilerParts};
use crate::deploy::LimitsOption;
use crate::exit::{CommandError, Exit};
use crate::local_state::TypeOptions;
use crate::output::Streams;
use host::{CommandHost, Review};
use reports::{Report, Told};

/// Run tests of programs
///
/// Test files are Bicep files whose names end in `.biceptest`. Each case of a test deploys its program to a store of its own in memory, on a
/// virtual clock, with mocks in the place of a cloud; asserts read what came of it. Nothing is written but what options name.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Test files, or folders in which they are looked for; hidden folders and `node_modules` are left out [default: `.`]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Run a program with generated parameters, without a test file
    #[arg(long, value_name = "PROGRAM", conflicts_with = "paths")]
    auto: Option<PathBuf>,

    /// The seed of generated parameters, for tests that do not give one
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// The number of parameter sets to generate, for tests that do not give one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    /// Run the tests whose id `FILE::NAME[CASE]` contains TEXT, in which `*` stands for anything; may be repeated
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// Print the ids of the tests and run nothing
    #[arg(long)]
    list: bool,

    /// Write snapshots, and drop those of tests that are gone
    #[arg(long)]
    update: bool,

    /// Show each snapshot that differs, and ask whether it is written
    #[arg(long, conflicts_with_all = ["list", "update", "watch"])]
    review: bool,

    /// Write what is reported to a file, by its ending: `.xml` JUnit, `.jsonl` events, `.tap`, `.sarif`, `.html` with the text of the programs; may be repeated
    #[arg(long, value_name = "FILE")]
    report: Vec<PathBuf>,

    /// The number of cases that run at the same time [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,

    /// Do it again whenever a file that was read has changed, until it is interrupted
    #[arg(long)]
    pub(crate) watch: bool,

    /// Stop at the first failure
    #[arg(long)]
    fail_fast: bool,

    /// Run a part of the tests, such as `1/3`
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<(usize, usize)>,

    /// Leave out the checks that every case has
    #[arg(long)]
    no_checks: bool,

    /// Tell which parts of the programs the tests have reached
    #[arg(long)]
    coverage: bool,

    /// Write what was reached to a file, by its ending: `.info` lcov, `.xml` Cobertura, `.json`; may be repeated
    #[arg(long, value_name = "FILE")]
    coverage_out: Vec<PathBuf>,

    /// The part of the programs that has to be reached
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    min_coverage: Option<f64>,

    /// Change the programs in small ways, one at a time, and tell which changes no test notices; files stay as they are
    #[arg(long, conflicts_with_all = ["list", "update"])]
    mutate: bool,

    /// The kinds of changes, separated by commas [default: all]
    #[arg(long, value_name = "LIST", requires = "mutate")]
    mutators: Option<String>,

    /// The part of the changes that has to be noticed
    #[arg(long, value_name = "PERCENT", requires = "mutate", value_parser = percent)]
    min_score: Option<f64>,

    /// Limits on the size of templates: Tendon's, which is the default, or Azure's
    #[arg(long, value_enum, value_name = "SET")]
    limits: Option<LimitsOption>,

    #[command(flatten)]
    types: TypeOptions,
    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon test
  tendon test main.biceptest --filter sizes
  tendon test --list
  tendon test --report results.xml --report events.jsonl
  tendon test --update
  tendon test --shard 1/3 -o json";

fn shard(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    match parts {
        Some((part, of)) if (1..=of).contains(&part) => Ok((part, of)),
        _ => Err("write it as `1/3`: the part, and how many there are".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let number =
        text.trim_end_matches('%').parse::<f64>().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a percentage is a number from 0 to 100".to_owned())
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let reports: Vec<Report> =
        arguments.report.iter().map(|path| Report::of(path)).collect::<Result<_, _>>()?;
    let operators = arguments.mutators.as_deref().map(testing::mutation::operators).transpose();
    let operators = operators.map_err(CommandError::Usage)?;
    if arguments.review && !std::io::stdin().is_terminal() {
        let message = "there is no terminal to ask at: `--update` writes snapshots without asking";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let here = vec![PathBuf::from(".")];
    let paths = if arguments.paths.is_empty() { &here } else { &arguments.paths };
    let auto = arguments.auto.as_deref().map(AutoFile::of).transpose()?;
    let files = match &auto {
        Some(auto) => vec![auto.path.clone()],
        None => files::test_files(paths)?,
    };
    let none = || {
        let paths: Vec<String> = paths.iter().map(|path| format!("`{}`", path.display())).collect();
        let wanted = if arguments.filter.is_empty() { "" } else { " that the filter wants" };
        CommandError::Usage(format!("no test{wanted} was found in {}", paths.join(", ")))
    };
    if files.is_empty() {
        return Err(none());
    }
    let dialect = common.dialect();
    let covers = arguments.coverage || !arguments.coverage_out.is_empty() || arguments.min_coverage.is_some();
    for path in &arguments.coverage_out {
        reports::coverage_form(path)?;
    }
    let named = arguments.compile.clone().with_symbolic_names();
    let changed = || auto.iter().map(|auto| (auto.path.clone(), auto.text.clone())).collect::<Vec<_>>();
    let compiler = named.restore(common, streams).compiler(&files, changed(), dialect)?;
    let mut covering = None;
    if covers {
        let CompilerParts { world, options, mirrors } = named.parts(changed(), dialect)?;
        let options = CompilerOptions { probes: true, ..options };
        covering = Some(Compiler::new(Arc::new(world), options).with_mirrors(mirrors));
    }
    let compiler = covering.as_ref().unwrap_or(&compiler);
    let ordinary = arguments.compile.restore(common, streams).compiler(&files, changed(), dialect)?;
    let types = Arc::new(arguments.compile.engine_types(Some(compiler)));
    let options = RunOptions {
        filters: arguments.filter.clone(),
        only: Vec::new(),
        jobs: jobs(arguments.jobs),
        fail_fast: arguments.fail_fast,
        shard: arguments.shard,
        checks: !arguments.no_checks,
        snapshots: match (arguments.update, arguments.review) {
            (true, _) => SnapshotWrites::All,
            (false, true) => SnapshotWrites::Accepted,
            (false, false) => SnapshotWrites::None,
        },
        seed: arguments.seed,
        count: arguments.count,
        made_up: auto.is_some(),
        limits: arguments.limits.unwrap_or_default().limits(),
    };
    let auto_path = auto.as_ref().map(|auto| (auto.path.clone(), auto.program.clone()));
    let host = CommandHost {
        style: streams.out_style,
        types: arguments.types,
        auto: auto_path,
        review: Review::default(),
    };
    let session = Session::new(compiler, &ordinary, types, options, &host);
    if arguments.list {
        return list(&session, &files, common, streams)?.ok_or_else(none);
    }
    let (mut run, count) = testing::run(&session, &files).map_err(CommandError::Environment)?;
    if count == 0 && run.is_fine() {
        return Err(none());
    }
    let mut exit = if run.is_fine() { Exit::Fine } else { Exit::Input };
    let mut more = String::new();
    let (mut reached, mut mutated) = (None, None);
    if covers {
        let found = coverage(&session, &files);
        run.coverage = Some(found.json());
        more.push_str(&found.people(true));
        for path in &arguments.coverage_out {
            reports::write_coverage(path, &found)?;
        }
        if arguments.min_coverage.is_some_and(|least| found.percent() < least) {
            exit = exit.max(Exit::Input);
        }
        reached = Some(found);
    }
    if arguments.mutate {
        let world: Arc<dyn World> = Arc::new(arguments.compile.parts(changed(), dialect)?.world);
        let operators = operators.unwrap_or_default();
        let made = match &auto {
            // Predictions are compared with those of the program as it is, so that a failure among them is no reason to stop.
            Some(_) if !run.compiles() => Err("the program has errors"),
            Some(auto) => mutate_generated(&session, &world, &auto.path, &operators)
                .ok_or("no parameters can be generated"),
            None if !run.is_fine() => Err("a test fails"),
            None => Ok(mutate(&session, &world, &files, &operators)),
        };
        match made {
            Ok(made) => {
                if arguments.min_score.is_some_and(|least| made.score * 100.0 < least) {
                    exit = exit.max(Exit::Input);
                }
                more.push_str(&made.people());
                run.mutation = serde_json::to_value(&made).ok();
                mutated = Some(made);
            }
            Err(why) => {
                exit = exit.max(Exit::Input);
                more.push_str(&format!("mutation: nothing was changed, because {why}\n"));
            }
        }
    }
    let told = Told { run: &run, reached: reached.as_ref(), mutated: mutated.as_ref() };
    reports.iter().try_for_each(|report| report.write(&told))?;
    print(&run, common, streams)?;
    if common.form() == Form::Text {
        streams.print(&more)?;
    }
    Ok(exit)
}

/// Prints the ids of the tests that would be run; `None` if there is neither a test nor a broken file. A part of the tests may be empty.
fn list(
    session: &Session<'_>,
    files: &[FilePath],
    common: &Common,
    streams: &mut Streams,
) -> Result<Option<Exit>, CommandError> {
    let (ids, broken) = testing::listed(session, files);
    for file in &broken {
        file.error_texts.iter().try_for_each(|error| streams.print_error(error))?;
    }
    if ids.is_empty() && broken.is_empty() && session.options.shard.is_none() {
        return Ok(None);
    }
    if common.form() == Form::Json {
        streams.print(&crate::report::json_text(&ids)?)?;
    } else {
        ids.iter().try_for_each(|id| streams.print(&format!("{}\n", diagnostics::printable(id))))?;
    }
    Ok(Some(if broken.is_empty() { Exit::Fine } else { Exit::Input }))
}

/// A test file that is not there: one test of a program, with generated parameters.
struct AutoFile {
    path: FilePath,
    program: FilePath,
    text: Arc<[u8]>,
}

impl AutoFile {
    fn of(program: &Path) -> Result<AutoFile, CommandError> {
        crate::files::read(program)
            .map_err(|unread| CommandError::unread(&format!("`{}`", program.display()), &unread))?;
        let program = file_path(program);
        let name = program.name().replace('\\', "\\\\").replace('\'', "\\'").replace("${", "\\${");
        let text = format!("test auto '{name}' = {{\n  generate: {{}}\n}}\n");
        let path = FilePath::new(&format!("{program}.biceptest"));
        Ok(AutoFile { path, program, text: text.into_bytes().into() })
    }
}

fn jobs(wanted: Option<u16>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.map_or_else(processors, usize::from)
}

fn print(run: &TestRun, common: &Common, streams: &mut Streams) -> Result<(), CommandError> {
    match common.form() {
        Form::Json => return streams.print(&crate::report::json_text(run)?),
        Form::Findings(form) => {
            return streams.print(&match form {
                FindingsForm::JsonLines => testing::reports::events(run),
                FindingsForm::Sarif => testing::reports::sarif(run, env!("CARGO_PKG_VERSION")),
                FindingsForm::GitHub => testing::reports::annotations(run),
                FindingsForm::JUnit => testing::reports::junit(run),
            });
        }
        Form::Text => {}
    }
    let is_pretty = common.diagnostics_format != Some(DiagnosticsFormat::Default);
    let colour = streams.out_style == Style::Colour && is_pretty;
    streams.print(&testing::reports::people(run, common.verbose, colour))?;
    if std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true") {
        streams.print(&testing::reports::annotations(run))?;
    }
    if common.quiet {
        return Ok(());
    }
    let mut line = testing::reports::summary_line(&run.summary);
    if streams.watched {
        line.push_str(&format!(" in {:.2} s", run.summary.seconds));
    }
    streams.print(&format!("{line}\n"))
}
