//! What is told, as objects of Python.

use embed::{CompiledProgram, NamedViolation, PlacedDiagnostic, TextPlace};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pyo3::create_exception!(tendon, TendonError, PyValueError, "Something is wrong with a file or a value.");

/// A part of a file. Lines and columns are from 1, columns and offsets are characters.
#[pyclass(frozen, get_all, module = "tendon")]
#[derive(Clone)]
pub(crate) struct Place {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    start: u32,
    end: u32,
}

impl From<TextPlace> for Place {
    fn from(place: TextPlace) -> Place {
        let TextPlace { file, line, column, end_line, end_column, start, end } = place;
        Place { file, line, column, end_line, end_column, start, end }
    }
}

#[pymethods]
impl Place {
    fn __str__(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.column)
    }

    fn __repr__(&self) -> String {
        format!("<Place {}>", self.__str__())
    }
}

/// A change that mends a finding.
#[pyclass(frozen, get_all, module = "tendon")]
#[derive(Clone)]
pub(crate) struct Fix {
    title: String,
    /// The parts that are replaced, and by what.
    replacements: Vec<(Place, String)>,
}

/// Something that is to be said about a file or a value.
#[pyclass(frozen, get_all, module = "tendon")]
#[derive(Clone)]
pub(crate) struct Diagnostic {
    severity: String,
    code: String,
    message: String,
    hint: Option<String>,
    place: Option<Place>,
    rule: Option<Place>,
    pointer: Option<String>,
    fixes: Vec<Fix>,
}

impl From<PlacedDiagnostic> for Diagnostic {
    fn from(found: PlacedDiagnostic) -> Diagnostic {
        let fixes = found.fixes.into_iter().map(|fix| Fix {
            title: fix.title,
            replacements: fix.replacements.into_iter().map(|it| (it.place.into(), it.text)).collect(),
        });
        Diagnostic {
            severity: found.severity.to_owned(),
            code: found.code,
            message: found.message,
            hint: found.hint,
            place: found.place.map(Into::into),
            rule: found.rule.map(Into::into),
            pointer: found.pointer,
            fixes: fixes.collect(),
        }
    }
}

#[pymethods]
impl Diagnostic {
    fn __str__(&self) -> String {
        let place = self.place.as_ref().map(|place| format!("{}: ", place.__str__())).unwrap_or_default();
        let hint = self.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        format!("{place}{}[{}]: {}{hint}", self.severity, self.code, self.message)
    }

    fn __repr__(&self) -> String {
        format!("<Diagnostic {}>", self.__str__())
    }
}

/// A rule that a value breaks.
#[pyclass(frozen, module = "tendon")]
pub(crate) struct Violation {
    #[pyo3(get)]
    path: String,
    #[pyo3(get)]
    pointer: String,
    #[pyo3(get)]
    rule: String,
    #[pyo3(get)]
    message: String,
    #[pyo3(get)]
    found: Option<String>,
    #[pyo3(get)]
    hint: Option<String>,
    #[pyo3(get)]
    written: Option<Place>,
    /// The very object that breaks it; none if it is a secret, or not there.
    #[pyo3(get)]
    value: Option<Py<PyAny>>,
}

impl Violation {
    pub(crate) fn new(it: NamedViolation, value: Option<Py<PyAny>>) -> Violation {
        let NamedViolation { path, pointer, rule, message, found, hint, written } = it;
        Violation { path, pointer, rule, message, found, hint, written: written.map(Into::into), value }
    }
}

#[pymethods]
impl Violation {
    fn __str__(&self) -> String {
        format!("{}: {} ({})", self.path, self.message, self.rule)
    }

    fn __repr__(&self) -> String {
        format!("<Violation {}>", self.__str__())
    }
}

/// What compiling a file gives.
#[pyclass(frozen, get_all, module = "tendon")]
pub(crate) struct Compiled {
    /// The template or parameters as JSON; none if something is an error.
    template: Option<String>,
    diagnostics: Vec<Diagnostic>,
}

impl From<CompiledProgram> for Compiled {
    fn from(made: CompiledProgram) -> Compiled {
        Compiled {
            template: made.template,
            diagnostics: made.diagnostics.into_iter().map(Into::into).collect(),
        }
    }
}

#[pymethods]
impl Compiled {
    /// The template as a dict. Raises if there are errors.
    fn json<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.template {
            Some(text) => py.import("json")?.call_method1("loads", (text,)),
            None => {
                let errors = self.diagnostics.iter().filter(|it| it.severity == "error").cloned();
                Err(raised(py, errors.collect()))
            }
        }
    }
}

/// What is to be said about a message.
#[pyclass(frozen, module = "tendon")]
pub(crate) struct MessageResult {
    #[pyo3(get)]
    valid: bool,
    #[pyo3(get)]
    error: Option<String>,
    violations: Vec<NamedViolation>,
}

#[pymethods]
impl MessageResult {
    #[getter]
    fn violations(&self) -> Vec<Violation> {
        self.violations.iter().cloned().map(|it| Violation::new(it, None)).collect()
    }

    fn __bool__(&self) -> bool {
        self.valid
    }
}

impl From<embed::MessageResult> for MessageResult {
    fn from(it: embed::MessageResult) -> MessageResult {
        MessageResult { valid: it.valid, error: it.error, violations: it.violations }
    }
}

/// An exception that has all that is wrong as `diagnostics`.
pub(crate) fn refused(py: Python<'_>, found: Vec<PlacedDiagnostic>) -> PyErr {
    raised(py, found.into_iter().map(Into::into).collect())
}

fn raised(py: Python<'_>, found: Vec<Diagnostic>) -> PyErr {
    let lines: Vec<String> = found.iter().map(Diagnostic::__str__).collect();
    with(py, TendonError::new_err(lines.join("\n")), "diagnostics", found)
}

/// An exception that has the broken rules as `violations`.
pub(crate) fn violated(py: Python<'_>, found: Vec<Violation>) -> PyErr {
    let lines: Vec<String> = found.iter().map(Violation::__str__).collect();
    with(py, TendonError::new_err(lines.join("\n")), "violations", found)
}

fn with<'py>(py: Python<'py>, error: PyErr, name: &str, value: impl IntoPyObject<'py>) -> PyErr {
    match error.value(py).setattr(name, value) {
        Ok(()) => error,
        Err(other) => other,
    }
}
