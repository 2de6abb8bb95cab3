//! The programs that tests run: compiled once for all cases.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use arm::Value;
use arm::binding::Inputs;
use arm::template::{Template, TemplateError, TemplateLimits};
use bicep::{Compiler, FilePath, Using};
use diagnostics::{FileId, LineIndex};

use crate::flows::names;
use crate::functions::functions;
use crate::host::TestHost;
use crate::places;
use crate::template_points::TemplatePoints;

/// A program, its template, and what the compiler says about it.
pub(crate) struct Program {
    pub(crate) path: FilePath,
    /// The program that errors of deployments are about: of a parameters file, the one that it is for.
    pub(crate) main: FilePath,
    /// Why there is no template.
    pub(crate) unreadable: Option<String>,
    pub(crate) template: Option<Arc<Template>>,
    /// The parameters that are names of resources.
    pub(crate) names: BTreeSet<String>,
    /// What a parameters file gives.
    pub(crate) inputs: Inputs,
    /// What the compiler found, as asserts see it.
    pub(crate) diagnostics: Value,
    pub(crate) codes: Vec<String>,
    /// The template as it is deployed, read within Azure's limits.
    plain: OnceLock<Result<PlainProgram, String>>,
}

/// A program in its ordinary form.
pub(crate) struct PlainProgram {
    pub(crate) template: Arc<Template>,
    pub(crate) inputs: Inputs,
    /// The same, read within Azure's limits, or what breaks them.
    pub(crate) bounded: Result<Arc<Template>, Vec<TemplateError>>,
}

impl Program {
    /// The ordinary form of a program.
    pub(crate) fn plain(&self, compiler: &Compiler) -> Result<&PlainProgram, String> {
        let made = self.plain.get_or_init(|| {
            let (text, inputs) = texts(compiler, &self.path)?;
            let template = read(&text, &TemplateLimits::DEFAULT)?;
            let bounded = Template::read_file(&*text, FileId::FIRST, &TemplateLimits::azure()).map(Arc::new);
            Ok(PlainProgram { template, inputs, bounded })
        });
        made.as_ref().map_err(Clone::clone)
    }
}

fn in_words(errors: Vec<TemplateError>) -> String {
    let messages: Vec<String> = errors.iter().map(|error| error.brief().into_owned()).collect();
    messages.join("; ")
}

fn read(text: &str, limits: &TemplateLimits) -> Result<Arc<Template>, String> {
    Template::read_with(text, limits, functions()).map(Arc::new).map_err(in_words)
}

fn is_parameters(path: &FilePath) -> bool {
    path.extension().eq_ignore_ascii_case(".bicepparam")
}

/// Whether a file is a template.
pub(crate) fn is_template(path: &FilePath) -> bool {
    [".json", ".jsonc", ".arm"].iter().any(|known| path.extension().eq_ignore_ascii_case(known))
}

/// The text of the template that a file stands for, and what the file gives to its parameters.
fn texts(compiler: &Compiler, path: &FilePath) -> Result<(Arc<str>, Inputs), String> {
    if is_template(path) {
        let bytes = compiler.world().read(path).map_err(|_| format!("`{path}` cannot be read"))?;
        let text = String::from_utf8_lossy(&bytes);
        return Ok((text.strip_prefix('\u{feff}').unwrap_or(&text).into(), Inputs::default()));
    }
    let compilation = compiler.compile(path);
    let Some(text) = compilation.template else { return Err(format!("`{path}` does not compile")) };
    if !is_parameters(path) {
        return Ok((text, Inputs::default()));
    }
    let inputs = Inputs::read(&*text, FileId::FIRST, &TemplateLimits::DEFAULT).map_err(in_words)?;
    match compiler.using(path) {
        Some(Using::Template(template)) => Ok((template, inputs)),
        Some(Using::Spec(id)) => Err(format!("the template spec `{id}` is not on this machine")),
        None => Err("it is for no template: it says `using none`".to_owned()),
    }
}

/// Compiles a program, or reads a template.
pub(crate) fn compiled(
    compiler: &Compiler,
    host: &dyn TestHost,
    path: &FilePath,
    limits: &TemplateLimits,
) -> Program {
    let found = if is_template(path) { Vec::new() } else { compiler.compile(path).findings };
    let made = texts(compiler, path).and_then(|(text, inputs)| {
        let told: Arc<str> = match compiler.options().probes && is_template(path) {
            true => TemplatePoints::of(&text, path).telling(&text).into(),
            false => Arc::clone(&text),
        };
        Ok((read(&told, limits)?, names(&text), inputs))
    });
    let (template, names, inputs, unreadable) = match made {
        Ok((template, names, inputs)) => (Some(template), names, inputs, None),
        Err(why) => (None, BTreeSet::new(), Inputs::default(), Some(why)),
    };
    let main = match is_parameters(path) {
        true => compiler.used_program(path).unwrap_or_else(|| path.clone()),
        false => path.clone(),
    };
    let mut codes = Vec::new();
    let mut shown = Vec::new();
    for (file, findings) in &found {
        let text = places::text_of(compiler, file);
        let lines = LineIndex::new(text);
        let name = host.shown(file);
        for finding in findings.iter() {
            codes.push(finding.code.to_owned());
            let start = places::point(&lines, finding.span.start);
            shown.push(Value::object([
                ("code", Value::text(finding.code)),
                ("severity", Value::text(finding.severity.name())),
                ("message", Value::text(finding.message.as_ref())),
                ("file", Value::text(name.as_str())),
                ("line", Value::Int(start.line.into())),
                ("column", Value::Int(start.column.into())),
            ]));
        }
    }
    Program {
        path: path.clone(),
        main,
        unreadable,
        template,
        names,
        inputs,
        diagnostics: Value::array(shown),
        codes,
        plain: OnceLock::new(),
    }
}
