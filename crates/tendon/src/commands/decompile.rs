//! `tendon decompile`: template JSON to Bicep, and whether that compiles to the same template.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;
use std::mem::ManuallyDrop;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bicep::{Compilation, Compiler, Edit, FilePath, Finding, fixes};
use decompile::{DecompileOptions, Decompiled, Difference, File};
use diagnostics::printable;

use crate::common::{Common, Output};
use crate::compile::disk::{FileOverrides, file_path};
use crate::compile::restore::Restore;
use crate::compile::{CompileOptions, CompiledFile, FindingPrinter, Job};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::output_file::OutputFile;

/// Decompile template JSON to Bicep
///
/// Nested templates become modules in files of their own, which lie beside the program. What is written is compiled again in memory:
/// where the result differs from the template, the place is named.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The template
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    target: DecompileOutputOptions,

    /// Write nothing: tell whether the result compiles to the same template, and exit with 1 if it does not
    #[arg(long, conflicts_with_all = ["stdout", "outdir", "outfile"])]
    check: bool,

    /// Write also files outside of the folder of the result, if the template imports from there
    #[arg(long)]
    write_outside: bool,

    #[command(flatten)]
    compile: CompileOptions,
}

/// Where the result goes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DecompileOutputOptions {
    /// Print the result
    #[arg(long, conflicts_with_all = ["outdir", "outfile"])]
    pub(crate) stdout: bool,

    /// Write the result to a folder
    #[arg(long, value_name = "DIR", conflicts_with = "outfile")]
    outdir: Option<PathBuf>,

    /// Write the result to a file
    #[arg(long, value_name = "FILE")]
    outfile: Option<PathBuf>,

    /// Overwrite existing files
    #[arg(long)]
    pub(crate) force: bool,
}

const EXAMPLES: &str = "\
Examples:
  tendon decompile main.json
  tendon decompile azuredeploy.json --outdir bicep
  tendon decompile main.json --stdout
  tendon decompile main.json --check";

/// What the public command says first.
pub(super) const DISCLAIMER: &str = "\
WARNING: Decompilation is a best-effort process, as there is no guaranteed mapping from ARM JSON to Bicep Template or Bicep Parameters.
You may need to fix warnings and errors in the generated bicep/bicepparam file(s), or decompilation may fail entirely if an accurate conversion is not possible.
If you would like to report any issues or inaccurate conversions, please see https://github.com/Azure/bicep/issues.
";

/// How many differences are told.
const MAX_DIFFERENCES: usize = 20;

/// How often nested templates that do not compile to the same are put back.
const ROUNDS: usize = 3;

impl DecompileOutputOptions {
    /// The file that the result goes to.
    pub(crate) fn file(&self, source: &Path, extension: &str) -> PathBuf {
        if let Some(file) = &self.outfile {
            return file.clone();
        }
        let beside = source.with_extension(extension);
        match &self.outdir {
            Some(folder) => folder.join(beside.file_name().unwrap_or_default()),
            None => beside,
        }
    }

    /// Refuses to replace a file.
    pub(crate) fn check_free(&self, path: &Path) -> Result<(), CommandError> {
        if self.stdout || self.force || !path.exists() {
            return Ok(());
        }
        let shown = printable(&path.to_string_lossy()).into_owned();
        Err(CommandError::Usage(format!(
            "The output file \"{shown}\" already exists. Use --force to overwrite the existing file."
        )))
    }
}

/// Says that a file cannot be decompiled, in the words of the public compiler where it is called as that.
pub(super) fn cannot(
    file: &Path,
    problem: &dyn Display,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let shown = printable(&file.to_string_lossy()).into_owned();
    if common.drop_in {
        let problem = problem.to_string();
        let problem = printable(&problem);
        streams.print_error(&format!("{shown}: Decompilation failed with fatal error \"{problem}\"\n"))?;
        return Ok(Exit::Input);
    }
    streams.reject(&format!("cannot decompile `{shown}`: {problem}"))
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    if common.drop_in {
        streams.print_error(DISCLAIMER)?;
    }
    if arguments.target.stdout && common.output == Output::Json {
        let message = "`--output json` and `--stdout` both want standard output, leave out one of them";
        return Err(CommandError::Usage(message.to_owned()));
    }
    let is_bicep = arguments.file.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep"));
    if is_bicep && arguments.file.is_file() && !common.drop_in {
        let shown = printable(&arguments.file.to_string_lossy()).into_owned();
        let message = format!("`{shown}` is Bicep already; name the template, which ends with `.json`");
        return Err(CommandError::Usage(message));
    }
    let target = arguments.target.file(&arguments.file, "bicep");
    if !arguments.check {
        arguments.target.check_free(&target)?;
    }
    let text = template_text(&arguments.file)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = target.parent().unwrap_or(Path::new("")).to_owned();
    let mut restore = arguments.compile.restore(common, streams);
    let made = match write_back(&text, &name, &folder, &mut restore, common) {
        Ok(made) => made,
        Err(DecompileFailure::Template(problem)) => {
            return cannot(&arguments.file, &problem, common, streams);
        }
        Err(DecompileFailure::Other(failure)) => return Err(failure),
    };
    if !arguments.check && !arguments.target.stdout {
        write(&made.decompiled.files, &folder, arguments)?;
    }
    let is_json = common.output == Output::Json;
    if !is_json {
        print_notes(&made, &folder, common, streams)?;
    }
    let written = !arguments.check && !arguments.target.stdout;
    let job =
        Job { path: file_path(&target), named: arguments.file.clone(), output: written.then_some(target) };
    let has_errors = made.compilation.has_errors();
    let RoundTrip { decompiled, compiler, compilation, differences } = made;
    let mut report = FindingPrinter::begin(common, streams, &compiler, false);
    if is_json {
        report.add_members(members(&decompiled, &folder, &differences));
    }
    if common.drop_in || has_errors || is_json {
        report.take(&job, CompiledFile { compilation, failure: None })?;
    }
    let exit = report.finish()?;
    if arguments.target.stdout {
        for file in &decompiled.files {
            streams.print(&file.text)?;
        }
    }
    let differs = arguments.check && !differences.is_empty();
    Ok(if differs { exit.max(Exit::Input) } else { exit })
}

/// The text of a template or of parameters.
pub(super) fn template_text(path: &Path) -> Result<String, CommandError> {
    let shown = format!("`{}`", printable(&path.to_string_lossy()));
    let bytes = files::read(path).map_err(|unread| CommandError::unread(&shown, &unread))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| CommandError::Input(format!("cannot read {shown}: it is not UTF-8")))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// What was written, and what it compiles to.
struct RoundTrip {
    decompiled: Decompiled,
    compiler: ManuallyDrop<Compiler>,
    compilation: Compilation,
    differences: Vec<Difference>,
}

/// Why nothing was written.
enum DecompileFailure {
    Template(decompile::DecompileError),
    Other(CommandError),
}

impl From<CommandError> for DecompileFailure {
    fn from(failure: CommandError) -> DecompileFailure {
        DecompileFailure::Other(failure)
    }
}

impl From<decompile::DecompileError> for DecompileFailure {
    fn from(problem: decompile::DecompileError) -> DecompileFailure {
        DecompileFailure::Template(problem)
    }
}

/// Decompiles and compiles again. Nested templates that come out differently stay JSON in the next round.
fn write_back(
    text: &str,
    name: &str,
    folder: &Path,
    restore: &mut Restore<'_>,
    common: &Common,
) -> Result<RoundTrip, DecompileFailure> {
    let mut options = DecompileOptions { file: name.to_owned(), ..DecompileOptions::default() };
    let mut round = 0;
    loop {
        round += 1;
        let mut decompiled = decompile::decompile(text, &options)?;
        let paths: Vec<FilePath> =
            decompiled.files.iter().map(|file| file_path(&folder.join(&file.path))).collect();
        let mut compiler = restore.compiler(&paths, contents(&paths, &decompiled.files), common.dialect())?;
        if !decompiled.is_generated {
            for _ in 0..MAX_CORRECTIONS {
                if !correct_capitals(&mut decompiled.files, &paths, &compiler) {
                    break;
                }
                let changed = contents(&paths, &decompiled.files);
                let next = restore.compiler(&paths, changed, common.dialect())?;
                drop(ManuallyDrop::into_inner(std::mem::replace(&mut compiler, next)));
            }
        }
        let compilation = paths.first().map(|path| compiler.compile(path)).unwrap_or_default();
        let differences = match &compilation.template {
            Some(template) => decompile::compare(text, template, MAX_DIFFERENCES)?,
            None => Vec::new(),
        };
        let is_fine = compilation.template.is_some() && differences.is_empty();
        if decompiled.is_generated && !is_fine && round < ROUNDS {
            let different = different(text, &decompiled.files, &paths, &compiler)?;
            let before = options.keep.len();
            options.keep.extend(different);
            if options.keep.len() > before {
                continue;
            }
        }
        return Ok(RoundTrip { decompiled, compiler, compilation, differences });
    }
}

/// The files with their texts.
fn contents(paths: &[FilePath], files: &[File]) -> FileOverrides {
    let content = |(path, file): (&FilePath, &File)| (path.clone(), Arc::from(file.text.as_bytes()));
    paths.iter().zip(files).map(content).collect()
}

/// How often capitals are corrected: what is inside of a property is looked at when its name is right.
const MAX_CORRECTIONS: usize = 8;

/// Gives names the capitals that types and declarations have; in a template, capitals do not count. Tells whether there was something to correct.
fn correct_capitals(files: &mut [File], paths: &[FilePath], compiler: &Compiler) -> bool {
    let Some(entry) = paths.first() else { return false };
    let mut by_path: HashMap<&FilePath, &mut File> = paths.iter().zip(files).collect();
    let mut is_corrected = false;
    for (path, found) in compiler.compile(entry).findings {
        let Some(file) = by_path.get_mut(&path) else { continue };
        let is_capital = |edit: &Edit| {
            let there = file.text.get(edit.span.start as usize..edit.span.end as usize);
            there.is_some_and(|there| there != edit.text && there.eq_ignore_ascii_case(&edit.text))
        };
        let is_about_capitals =
            |it: &&Finding| it.fixes.first().is_some_and(|fix| fix.edits.iter().all(is_capital));
        let found: Vec<Finding> = found.iter().filter(is_about_capitals).cloned().collect();
        let (edits, _) = fixes::chosen(&found);
        if let Some(text) = fixes::applied(&file.text, &edits).filter(|text| *text != file.text) {
            file.text = text;
            is_corrected = true;
        }
    }
    is_corrected
}

/// The nested templates whose programs do not compile to them.
fn different(
    text: &str,
    files: &[File],
    paths: &[FilePath],
    compiler: &Compiler,
) -> Result<BTreeSet<u64>, decompile::DecompileError> {
    let mut found = BTreeSet::new();
    let mut wanted = decompile::nested_texts(text)?;
    for (file, path) in files.iter().zip(paths) {
        let Some(template) = file.template else { continue };
        let Some(wanted) = wanted.remove(&template) else { continue };
        let same = match compiler.compile(path).template {
            Some(template) => decompile::compare(&wanted, &template, 1)?.is_empty(),
            None => false,
        };
        if !same {
            found.insert(template);
        }
    }
    Ok(found)
}

/// Writes all files, or none if one of them is in the way.
fn write(files: &[File], folder: &Path, arguments: &Arguments) -> Result<(), CommandError> {
    let paths: Vec<PathBuf> = files.iter().map(|file| folder.join(&file.path)).collect();
    for (file, path) in files.iter().zip(&paths) {
        let shown = printable(&path.to_string_lossy()).into_owned();
        let is_outside = Path::new(&file.path).components().any(|part| !matches!(part, Component::Normal(_)));
        if is_outside && !arguments.write_outside {
            return Err(CommandError::Usage(format!(
                "the template imports from `{shown}`, which is outside of the folder of the result; with `--write-outside`, it is written there"
            )));
        }
        if !arguments.target.force && path.exists() {
            return Err(CommandError::Usage(format!(
                "the file `{shown}` already exists; with `--force`, it is replaced"
            )));
        }
    }
    for (file, path) in files.iter().zip(&paths) {
        let shown = format!("`{}`", printable(&path.to_string_lossy()));
        OutputFile::at(path)
            .write(file.text.as_bytes())
            .map_err(|error| CommandError::writing(&shown, &error))?;
    }
    Ok(())
}

/// What the JSON form has beside files and findings: the files of the program, what is worth knowing, and where the result is another template.
fn members(
    decompiled: &Decompiled,
    folder: &Path,
    differences: &[Difference],
) -> Vec<(&'static str, serde_json::Value)> {
    let path = |file: &str| folder.join(file).to_string_lossy().into_owned();
    let program: Vec<_> = decompiled.files.iter().map(|file| path(&file.path)).collect();
    let notes = decompiled.notes.iter();
    let notes: Vec<_> =
        notes.map(|note| serde_json::json!({ "file": path(&note.file), "message": note.message })).collect();
    let differences = differences.iter();
    let differences: Vec<_> = differences
        .map(|it| serde_json::json!({ "path": it.path, "expected": it.wanted, "found": it.found }))
        .collect();
    vec![("program", program.into()), ("notes", notes.into()), ("differences", differences.into())]
}

/// Says what is worth knowing.
fn print_notes(
    made: &RoundTrip,
    folder: &Path,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    if common.drop_in {
        if made.decompiled.is_generated {
            streams.print_error(
                "WARNING: The source file appears to have been generated from a .bicep file. Decompiling it may produce results that are less accurate than the original Bicep source, since information is lost when compiling to ARM JSON. If you have access to the original .bicep file, use that instead.\n",
            )?;
        }
        return Ok(());
    }
    if !common.quiet {
        for note in &made.decompiled.notes {
            let file = folder.join(&note.file);
            let message =
                format!("note: {}: {}\n", printable(&file.to_string_lossy()), printable(&note.message));
            streams.print_error(&message)?;
        }
    }
    for difference in &made.differences {
        let shown = |value: &Option<String>| match value {
            Some(value) => {
                format!("`{}`", printable(&value.split_whitespace().collect::<Vec<_>>().join(" ")))
            }
            None => "nothing".to_owned(),
        };
        let message = format!(
            "warning: the result compiles to another template: at `{}`, expected {}, found {}\n",
            printable(&difference.path),
            shown(&difference.wanted),
            shown(&difference.found)
        );
        streams.print_error(&message)?;
    }
    Ok(())
}
