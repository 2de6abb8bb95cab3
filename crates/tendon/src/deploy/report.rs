//! Prints what is wrong: with source lines for people, as the REST API answers for programs.

use std::collections::BTreeSet;

use arm::Value;
use arm::template::{TemplateError, code, pointer_of_path};
use bicep::{Compilation, Compiler, FilePath};
use diagnostics::{Diagnostic, FileId, SourceMap};
use pages::DiagnosticView;

use super::html_report;
use super::sources::Sources;
use crate::common::{Common, Form, Output};
use crate::compile::{CompiledFile, FindingPrinter, Job, diagnostics_of};
use crate::exit::{CommandError, Exit};
use crate::load_error::DeploymentLoadError;
use crate::output::Streams;
use crate::report::{self, findings_text, value_text};

/// Prints what is wrong with deployments, and what the compiler found in each file once.
pub(crate) struct Reporter<'r> {
    common: &'r Common,
    compiler: Option<&'r Compiler>,
    seen: BTreeSet<FilePath>,
    /// What was found, for a report; none if nobody wants one.
    kept: Option<Vec<DiagnosticView>>,
}

impl<'r> Reporter<'r> {
    /// Begins to report; the compiler is the one of the files.
    pub(crate) fn new(common: &'r Common, compiler: Option<&'r Compiler>) -> Reporter<'r> {
        Reporter { common, compiler, seen: BTreeSet::new(), kept: None }
    }

    /// Keeps what is found for a report, if one is wanted.
    pub(crate) fn keeping(mut self, wanted: bool) -> Reporter<'r> {
        self.kept = wanted.then(Vec::new);
        self
    }

    /// What was found and kept.
    pub(crate) fn take_kept(&mut self) -> Vec<DiagnosticView> {
        self.kept.take().unwrap_or_default()
    }

    /// Prints what the compiler found, to standard error.
    pub(crate) fn findings(
        &mut self,
        streams: &mut Streams,
        compiled: Vec<(Job, Compilation)>,
    ) -> Result<(), CommandError> {
        let Some(compiler) = self.compiler else { return Ok(()) };
        // Standard output is for the result.
        let common = Common { output: Output::Text, ..self.common.clone() };
        for (job, mut compilation) in compiled {
            compilation.findings.retain(|(path, _)| self.seen.insert(path.clone()));
            if let Some(kept) = &mut self.kept {
                for (path, found) in &compilation.findings {
                    let (mut sources, said) = diagnostics_of(compiler, path, found);
                    // A report is sent to others; the terminal shows people their own files.
                    let secrets = compiler.secret_values(path).into_iter().map(|it| it.start..it.end);
                    let said = server::without_secrets(&mut sources, FileId::FIRST, secrets, &said);
                    kept.extend(html_report::findings(&sources, &said));
                }
            }
            if self.common.form() == Form::Json {
                for (path, found) in &compilation.findings {
                    let (sources, said) = diagnostics_of(compiler, path, found);
                    streams.add_findings(&sources, &report::few(&said))?;
                }
                continue;
            }
            let mut report = FindingPrinter::begin(&common, streams, compiler, false);
            report.take(&job, CompiledFile { compilation, failure: None })?;
            report.finish()?;
        }
        Ok(())
    }

    /// Prints warnings about what was given beside a program.
    pub(crate) fn warn(&self, streams: &mut Streams, warnings: &[Diagnostic]) -> Result<(), CommandError> {
        let sources = SourceMap::new();
        if self.common.form() == Form::Json {
            return streams.add_findings(&sources, warnings);
        }
        let text = findings_text(self.common, streams.error_style, &sources, warnings)?;
        if warnings.is_empty() { Ok(()) } else { streams.print_error(&text) }
    }

    /// Says why there is no result: for people to standard error, else one JSON object to standard output.
    pub(crate) fn refuse(
        &mut self,
        streams: &mut Streams,
        sources: &mut Sources,
        refused: DeploymentLoadError,
    ) -> Result<Exit, CommandError> {
        match refused {
            DeploymentLoadError::Failure(failure) => Err(failure),
            DeploymentLoadError::Errors { errors, told } => {
                if self.kept.is_some() && !told {
                    self.keep(sources, &errors);
                }
                if self.common.form() == Form::Json {
                    if !told {
                        let findings = self.diagnostics(sources, &errors);
                        streams.add_findings(sources.map(), &findings)?;
                    }
                    streams.print_result(&value_text(&error_object(errors)))?;
                } else if !told {
                    self.explain(streams, sources, &errors)?;
                }
                Ok(Exit::Input)
            }
        }
    }

    /// Says why there is no result, for a command that ends with it.
    pub(crate) fn stop(
        &mut self,
        streams: &mut Streams,
        sources: &mut Sources,
        refused: DeploymentLoadError,
    ) -> CommandError {
        self.refuse(streams, sources, refused).err().unwrap_or(CommandError::Reported)
    }

    /// Keeps errors for the report.
    fn keep(&mut self, sources: &mut Sources, errors: &[TemplateError]) {
        let findings = self.diagnostics(sources, errors);
        if let Some(kept) = &mut self.kept {
            kept.extend(html_report::findings(sources.map(), &findings));
        }
    }

    /// Prints errors for people, or in the form for diagnostics, to standard error.
    pub(crate) fn explain(
        &self,
        streams: &mut Streams,
        sources: &mut Sources,
        errors: &[TemplateError],
    ) -> Result<(), CommandError> {
        let findings = self.diagnostics(sources, errors);
        let text = findings_text(self.common, streams.error_style, sources.map(), &findings)?;
        streams.print_error(&text)
    }

    /// Errors with those behind them, each once.
    fn diagnostics(&self, sources: &mut Sources, errors: &[TemplateError]) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        let mut told: Vec<&TemplateError> = Vec::new();
        for error in errors {
            // A module that is used twice has its mistakes twice.
            if told.contains(&error) {
                continue;
            }
            told.push(error);
            self.flatten(sources, error, &mut findings);
        }
        findings
    }

    /// An error and those behind it; errors do not nest deep.
    fn flatten(&self, sources: &mut Sources, error: &TemplateError, findings: &mut Vec<Diagnostic>) {
        let mut message = error.brief().into_owned();
        if let (None, Some(target)) = (&error.at, &error.target)
            && !message.contains(&**target)
        {
            message = format!("{target}: {message}");
        }
        let mut diagnostic = Diagnostic::error(error.code.to_string(), message);
        if let Some(at) = &error.at {
            let span = sources.span(at, self.compiler);
            // An id is long, and the message has it.
            let target = error.target.as_deref().filter(|target| !target.starts_with('/'));
            let label = target.unwrap_or(&at.path);
            diagnostic = diagnostic.at(span).label(span, label.to_owned());
            if let Some(pointer) = pointer_of_path(&at.path).filter(|_| !at.path.is_empty()) {
                diagnostic = diagnostic.pointer(pointer);
            }
        }
        if let Some(rule) = &error.rule {
            let span = sources.span(rule, self.compiler);
            if diagnostic.primary.is_none() {
                diagnostic = diagnostic.at(span);
            }
            diagnostic = diagnostic.rule(span);
        }
        if let Some(hint) = &error.hint {
            diagnostic = diagnostic.help(String::from(&**hint));
        }
        findings.push(diagnostic);
        for detail in &error.details {
            self.flatten(sources, detail, findings);
        }
    }
}

/// `{"error": {...}}` for all that is wrong.
pub(crate) fn error_object(mut errors: Vec<TemplateError>) -> Value {
    // What is wrong with a template has words around it, as a service answers.
    let of_template = |error: &TemplateError| {
        error.code == code::INVALID_TEMPLATE || error.code == code::TEMPLATE_VALIDATION
    };
    let alone = errors.len() == 1 && !errors.iter().any(of_template);
    let error = if alone { errors.pop() } else { TemplateError::together(errors) };
    Value::object([("error", error.map_or(Value::Null, |error| error.to_json()))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_error_that_is_not_about_a_template_is_told_as_it_is() {
        let of = |code: &'static str| error_object(vec![TemplateError::new(code, "wrong")]).to_json();
        assert_eq!(of("Other"), r#"{"error":{"code":"Other","message":"wrong"}}"#);
        assert_eq!(
            of(code::INVALID_TEMPLATE),
            r#"{"error":{"code":"InvalidTemplate","message":"Deployment template validation failed: 'wrong'."}}"#
        );
    }
}
