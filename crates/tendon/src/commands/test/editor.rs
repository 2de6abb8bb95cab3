//! Tests that an editor runs, with the texts that it has.

use std::sync::Arc;

use bicep::{Compiler, CompilerOptions, FilePath};
use diagnostics::terminal::Style;
use lsp::{TestFinding, TestsAsked, TestsRun};
use syntax::Span;
use testing::coverage::coverage;
use testing::{RunOptions, Session, TestFailure, TestHost as _, TestRun};

use super::host::{CommandHost, Review};
use super::jobs;
use crate::compile::CompileOptions;
use crate::local_state::TypeOptions;

/// Runs tests of a file. The compiler has the texts of the editor.
pub(crate) fn run(
    compiler: &Compiler,
    compile: &CompileOptions,
    asked: &TestsAsked,
) -> Result<TestsRun, String> {
    let plain = compiler.with_options(compiler.options().clone());
    let options =
        CompilerOptions { symbolic_names: true, probes: asked.coverage, ..compiler.options().clone() };
    let named = compiler.with_options(options);
    let host = CommandHost {
        style: Style::Plain,
        types: TypeOptions::default(),
        auto: None,
        review: Review::default(),
    };
    let only = asked.test.as_ref().map(|name| format!("{}::{name}", host.shown(&asked.file)));
    let options = RunOptions {
        filters: asked.filters.clone(),
        only: only.into_iter().collect(),
        jobs: jobs(None),
        ..RunOptions::default()
    };
    let types = Arc::new(compile.engine_types(Some(compiler)));
    let session = Session::new(&named, &plain, types, options, &host);
    let files = [asked.file.clone()];
    let (mut run, _) = testing::run(&session, &files)?;
    if asked.coverage {
        run.coverage = Some(coverage(&session, &files).json());
    }
    let mut paths = named.needed(&asked.file);
    paths.push(asked.file.clone());
    let findings = findings(&run, &|file| paths.iter().find(|path| host.shown(path) == file).cloned());
    Ok(TestsRun { report: serde_json::to_value(&run).map_err(|error| error.to_string())?, findings })
}

/// What is wrong, in the files that have it.
fn findings(run: &TestRun, path: &dyn Fn(&str) -> Option<FilePath>) -> Vec<TestFinding> {
    let tests = run.files.iter().filter(|file| file.errors.is_empty()).flat_map(|file| &file.tests);
    let found = |id: &str, failure: &TestFailure| {
        let place = failure.place.as_ref()?;
        let (start, end) = (place.start.offset, place.end.offset.max(place.start.offset));
        let path = path(&place.file)?;
        Some(TestFinding { path, span: Span::new(start, end), message: format!("{id}: {}", failure.message) })
    };
    let short = |id: &str| id.rsplit("::").next().unwrap_or(id).to_owned();
    tests
        .flat_map(|test| test.failures.iter().filter_map(move |failure| found(&short(&test.id), failure)))
        .collect()
}
