//! Tendon in Python.
//!
//! A `Project` is a set of files in memory, over those of a folder if one is named. `tendon/__init__.pyi` says what everything is and does.

mod disk;
mod errors;
mod view;

use std::sync::{Arc, PoisonError, RwLock};

use contract::View as _;
use embed::{
    CheckedContract, Columns, MessageContract, MessageProtocol, PictureForm, PredictionInputs, ProjectOptions,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{Compiled, Diagnostic, MessageResult, TendonError, Violation, refused};
use crate::view::{Holder, PyView};

/// How many violations are told, unless it is said otherwise.
const MOST: usize = 1000;

/// A set of files, and what is worked out of them. It can be shared between threads.
#[pyclass(frozen, module = "tendon")]
struct Project {
    inner: RwLock<embed::Project>,
    /// What names are relative to; empty if everything is in memory.
    root: String,
}

impl Project {
    fn read<T>(&self, py: Python<'_>, work: impl FnOnce(&embed::Project) -> T + Send) -> T
    where
        T: Send,
    {
        py.detach(|| work(&self.inner.read().unwrap_or_else(PoisonError::into_inner)))
    }

    fn change<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut embed::Project) -> T + Send) -> T {
        py.detach(|| work(&mut self.inner.write().unwrap_or_else(PoisonError::into_inner)))
    }

    /// The path that a name stands for.
    fn path(&self, name: &str) -> String {
        let is_rooted = bicep_path_is_rooted(name);
        if self.root.is_empty() || is_rooted { name.to_owned() } else { format!("{}/{name}", self.root) }
    }
}

fn bicep_path_is_rooted(name: &str) -> bool {
    bicep::FilePath::is_rooted(name)
}

/// Seconds since 1970, UTC.
fn now(py: Python<'_>) -> PyResult<i64> {
    let seconds: f64 = py.import("time")?.call_method0("time")?.extract()?;
    Ok(seconds as i64)
}

/// Text as it is, everything else as JSON.
fn written(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<String>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Some(text.to_str()?.to_owned()));
    }
    let text = value.py().import("json")?.call_method1("dumps", (value,))?;
    Ok(Some(text.extract()?))
}

/// A JSON text as a Python value.
fn parsed<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (text,))
}

/// What a prediction is told.
struct Told<'a, 'py> {
    parameters: Option<&'a Bound<'py, PyAny>>,
    mocks: Option<&'a Bound<'py, PyAny>>,
    scope: Option<String>,
    location: Option<String>,
    deployment: Option<String>,
}

impl Told<'_, '_> {
    fn inputs(self, py: Python<'_>) -> PyResult<PredictionInputs> {
        Ok(PredictionInputs {
            parameters: written(self.parameters)?,
            mocks: written(self.mocks)?,
            scope: self.scope,
            location: self.location,
            name: self.deployment,
            now: now(py)?,
        })
    }
}

#[pymethods]
impl Project {
    #[new]
    #[pyo3(signature = (root = None, *, azure_types = true))]
    fn new(py: Python<'_>, root: Option<std::path::PathBuf>, azure_types: bool) -> PyResult<Project> {
        let beneath = root.is_some().then(|| Arc::new(disk::DiskFiles) as Arc<dyn bicep::files::World>);
        let root = match root {
            Some(root) => disk::absolute(&root)?,
            None => String::new(),
        };
        let options = ProjectOptions { columns: Columns::Scalars, beneath, ..ProjectOptions::default() };
        let mut inner = embed::Project::new(options);
        if azure_types {
            inner.use_types(Arc::new(azure_types::PACK)).map_err(PyValueError::new_err)?;
        }
        let today = py.import("datetime")?.getattr("date")?.call_method0("today")?;
        let day = |name: &str| today.getattr(name)?.extract::<i32>();
        let (month, date) = (u8::try_from(day("month")?)?, u8::try_from(day("day")?)?);
        inner.set_day(day("year")?, month, date).map_err(PyValueError::new_err)?;
        Ok(Project { inner: RwLock::new(inner), root })
    }

    fn set_file(&self, py: Python<'_>, name: &str, contents: &Bound<'_, PyAny>) -> PyResult<()> {
        let contents = match contents.cast::<PyString>() {
            Ok(text) => text.to_str()?.as_bytes().to_vec(),
            Err(_) => contents
                .cast::<PyBytes>()
                .map_err(|_| PyTypeError::new_err("the contents of a file are str or bytes"))?
                .as_bytes()
                .to_vec(),
        };
        let path = self.path(name);
        self.change(py, |project| project.set_file(&path, contents));
        Ok(())
    }

    fn remove_file(&self, py: Python<'_>, name: &str) {
        let path = self.path(name);
        self.change(py, |project| project.remove_file(&path));
    }

    fn compile(&self, py: Python<'_>, name: &str) -> Compiled {
        let path = self.path(name);
        self.read(py, |project| project.compile(&path)).into()
    }

    fn format(&self, py: Python<'_>, name: &str) -> PyResult<String> {
        let path = self.path(name);
        self.read(py, |project| project.format(&path)).map_err(|found| refused(py, found))
    }

    fn lint_thrift(&self, py: Python<'_>, name: &str) -> Vec<Diagnostic> {
        let path = self.path(name);
        self.read(py, |project| project.lint_thrift(&path)).into_iter().map(Into::into).collect()
    }

    #[pyo3(signature = (name, parameters = None, mocks = None, *, scope = None, location = None, deployment = None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn snapshot<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        parameters: Option<&Bound<'py, PyAny>>,
        mocks: Option<&Bound<'py, PyAny>>,
        scope: Option<String>,
        location: Option<String>,
        deployment: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inputs = Told { parameters, mocks, scope, location, deployment }.inputs(py)?;
        let path = self.path(name);
        let made = self.read(py, |project| project.snapshot(&path, &inputs));
        parsed(py, &made.map_err(|found| refused(py, found))?)
    }

    #[pyo3(signature = (name, expression, parameters = None, mocks = None, *, scope = None, location = None, deployment = None))]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        expression: &str,
        parameters: Option<&Bound<'py, PyAny>>,
        mocks: Option<&Bound<'py, PyAny>>,
        scope: Option<String>,
        location: Option<String>,
        deployment: Option<String>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let inputs = Told { parameters, mocks, scope, location, deployment }.inputs(py)?;
        let path = self.path(name);
        let made = self.read(py, |project| project.evaluate(&path, expression, &inputs));
        parsed(py, &made.map_err(|found| refused(py, found))?)
    }

    #[pyo3(signature = (name, form = "svg", parameters = None, mocks = None))]
    fn picture(
        &self,
        py: Python<'_>,
        name: &str,
        form: &str,
        parameters: Option<&Bound<'_, PyAny>>,
        mocks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let form = match form {
            "svg" => PictureForm::Svg,
            "mermaid" => PictureForm::Mermaid,
            "dot" => PictureForm::Dot,
            other => {
                let message = format!("`{other}` is no form of pictures; `svg`, `mermaid` and `dot` are");
                return Err(PyValueError::new_err(message));
            }
        };
        let told = Told { parameters, mocks, scope: None, location: None, deployment: None };
        let inputs = told.inputs(py)?;
        let path = self.path(name);
        self.read(py, |project| project.picture(&path, &inputs, form)).map_err(|found| refused(py, found))
    }

    fn contract(&self, py: Python<'_>, reference: &str) -> PyResult<Contract> {
        let (path, now) = (self.path(reference), now(py)?);
        let inner =
            self.read(py, |project| project.contract(&path, now)).map_err(|found| refused(py, found))?;
        Ok(Contract { inner })
    }

    fn messages(&self, py: Python<'_>, reference: &str) -> PyResult<Messages> {
        let (path, now) = (self.path(reference), now(py)?);
        let made = self.read(py, |project| project.messages(&path, now.saturating_mul(1_000_000_000)));
        Ok(Messages { inner: made.map_err(|found| refused(py, found))? })
    }
}

/// A contract, ready for values.
#[pyclass(frozen, module = "tendon")]
struct Contract {
    inner: CheckedContract,
}

#[pymethods]
impl Contract {
    /// A contract of a schema: a dict, or JSON as text.
    #[new]
    fn new(py: Python<'_>, schema: &Bound<'_, PyAny>) -> PyResult<Contract> {
        let text = written(Some(schema))?.unwrap_or_default();
        let made = py.detach(|| {
            let mut project = embed::Project::new(ProjectOptions::default());
            project.set_file("schema.json", text);
            project.contract("schema.json", 0)
        });
        Ok(Contract { inner: made.map_err(|found| refused(py, found))? })
    }

    fn is_valid(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let holder = Holder::default();
        let valid = self.inner.is_valid(PyView::of(value, &holder));
        holder.finish().map(|()| valid)
    }

    #[pyo3(signature = (value, limit = MOST))]
    fn violations(&self, value: &Bound<'_, PyAny>, limit: usize) -> PyResult<Vec<Violation>> {
        let holder = Holder::default();
        let view = PyView::of(value, &holder);
        let found = self.inner.violations(view, limit);
        holder.finish()?;
        let told = found.into_iter().map(|it| {
            let found = at(view, &it.pointer).filter(|_| it.found.as_deref() != Some(contract::MASK));
            Violation::new(it, found.map(|it| it.object().clone().unbind()))
        });
        Ok(told.collect())
    }

    fn validate(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let found = self.violations(value, MOST)?;
        if found.is_empty() { Ok(()) } else { Err(errors::violated(py, found)) }
    }

    #[pyo3(signature = (text, name = "value"))]
    fn check_text(&self, py: Python<'_>, text: &str, name: &str) -> Vec<Diagnostic> {
        py.detach(|| self.inner.check(name, text)).diagnostics.into_iter().map(Into::into).collect()
    }

    #[getter]
    fn has_secrets(&self) -> bool {
        self.inner.has_secrets()
    }
}

/// The part of a value that a JSON pointer leads to.
fn at<'v, 'py>(root: PyView<'v, 'py>, pointer: &str) -> Option<PyView<'v, 'py>> {
    let mut here = root;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        here = match here.node() {
            contract::Node::List(_) => here.item(step.parse().ok()?)?,
            _ => here.member(&step)?,
        };
    }
    Some(here)
}

/// The rules of a Thrift type, ready for messages.
#[pyclass(frozen, module = "tendon")]
struct Messages {
    inner: MessageContract,
}

#[pymethods]
impl Messages {
    #[pyo3(signature = (message, protocol = "binary"))]
    fn validate(&self, py: Python<'_>, message: &[u8], protocol: &str) -> PyResult<MessageResult> {
        let protocol = MessageProtocol::named(protocol).ok_or_else(|| {
            let message = format!("`{protocol}` is no protocol; `binary`, `compact` and `json` are");
            PyValueError::new_err(message)
        })?;
        Ok(py.detach(|| self.inner.validate(message, protocol)).into())
    }
}

/// The module.
#[pymodule]
fn _tendon(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Project>()?;
    module.add_class::<Contract>()?;
    module.add_class::<Messages>()?;
    module.add_class::<errors::Place>()?;
    module.add_class::<errors::Fix>()?;
    module.add_class::<Diagnostic>()?;
    module.add_class::<Violation>()?;
    module.add_class::<Compiled>()?;
    module.add_class::<MessageResult>()?;
    module.add("TendonError", module.py().get_type::<TendonError>())?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    Ok(())
}
