//! Values for a parameters file that come from the environment, which replace those that it has.

use std::path::Path;
use std::sync::Arc;

use arm::binding::{Inputs, refused_inputs};
use arm::template::{Template, TemplateError};
use bicep::files::Reference;
use bicep::{Compiler, FilePath, Using};
use diagnostics::FileId;
use document::{Document, JsonOptions, ReadLimits};

use crate::common::Common;
use crate::deploy::{Reporter, Sources};
use crate::exit::CommandError;
use crate::output::Streams;

/// The variable with the values.
pub(crate) const VARIABLE: &str = "BICEP_PARAMETERS_OVERRIDES";

/// The values of the variable.
pub(crate) struct Overrides {
    values: Arc<Document>,
    sources: Sources,
}

/// Whether a template takes the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Taken,
    /// It does not, which was said.
    Refused,
    /// The same, and more must not be said, because the template has secrets.
    Hushed,
}

impl Overrides {
    /// Reads the variable; none if it is not set, or empty.
    pub(crate) fn read() -> Result<Option<Overrides>, CommandError> {
        let Some(given) = std::env::var_os(VARIABLE).filter(|given| !given.is_empty()) else {
            return Ok(None);
        };
        let text = given.into_string().map_err(|given| {
            let lossy = given.to_string_lossy();
            let start = lossy.split(char::REPLACEMENT_CHARACTER).next().unwrap_or_default();
            let (line, column) =
                (start.matches('\n').count() + 1, start.rsplit('\n').next().unwrap_or_default());
            unusable(&format!("it is not UTF-8 at line {line}, column {}", column.chars().count() + 1))
        })?;
        let mut sources = Sources::default();
        let file = sources.add(VARIABLE, text.as_str());
        let values = Document::from_json_with(text, file, &ReadLimits::DEFAULT, JsonOptions::RELAXED)
            // What cannot be read may hold secrets, so that nothing of it is repeated.
            .map_err(|error| {
                unusable(&format!("it is not valid JSON at line {}, column {}", error.line, error.column))
            })?;
        Ok(Some(Overrides { values: Arc::new(values), sources }))
    }

    /// The text of a parameters file with the values in it.
    pub(crate) fn applied(&self, text: &str) -> Result<String, CommandError> {
        bicep::override_parameters(text, &self.values).map_err(|fault| unusable(&fault))
    }

    /// Holds the values against the types of the parameters that they are for, and says what is wrong with them.
    pub(crate) fn check(
        mut self,
        compiler: &Compiler,
        file: &FilePath,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<Fit, CommandError> {
        // `using none` is for any template, and what lies in Azure is not here.
        let Some(Using::Template(text)) = compiler.using(file) else { return Ok(Fit::Taken) };
        let template = self.template(compiler, file, text);
        let template =
            match Template::read_file(&*template.0, template.1, &arm::template::TemplateLimits::DEFAULT) {
                Ok(template) => template,
                Err(errors) => return self.refuse(&errors, compiler, common, streams).map(|()| Fit::Hushed),
            };
        let errors = match Inputs::from_values(Arc::clone(&self.values), self.values.root().id()) {
            Ok(inputs) => {
                inputs.secret_places(&template).iter().for_each(|place| self.sources.hide(place));
                refused_inputs(&template, &inputs)
            }
            Err(errors) => {
                self.sources.withhold(self.values.file());
                errors
            }
        };
        if errors.is_empty() {
            return Ok(Fit::Taken);
        }
        let mut hushed = false;
        for parameter in template.parameters.iter().filter(|parameter| template.has_secrets(&parameter.ty)) {
            self.sources.hide_parameter(template.location(parameter.span).span.file, &parameter.name);
            hushed = true;
        }
        self.refuse(&errors, compiler, common, streams)?;
        Ok(if hushed { Fit::Hushed } else { Fit::Refused })
    }

    /// The template, with the number of its text.
    fn template(&mut self, compiler: &Compiler, file: &FilePath, text: Arc<str>) -> (Arc<str>, FileId) {
        let target = compiler.using_target(file);
        let number = match &target {
            Some(target) if is_program(target.path.as_str()) => {
                self.sources.add_compiled(&target.path, Arc::clone(&text))
            }
            Some(target) => {
                let name = match &target.reference {
                    Reference::Local(_) => target.path.to_string(),
                    other => other.full_name(),
                };
                self.sources.add(&name, Arc::clone(&text))
            }
            None => self.sources.add("the template", Arc::clone(&text)),
        };
        (text, number)
    }

    fn refuse(
        &mut self,
        errors: &[TemplateError],
        compiler: &Compiler,
        common: &Common,
        streams: &mut Streams,
    ) -> Result<(), CommandError> {
        Reporter::new(common, Some(compiler)).explain(streams, &mut self.sources, errors)
    }
}

fn is_program(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep"))
}

fn unusable(fault: &str) -> CommandError {
    CommandError::Input(format!("the variable {VARIABLE} cannot be used: {fault}"))
}
