//! Python values as the checker looks at them: where they lie, without a copy.

use std::cell::RefCell;
use std::fmt;

use contract::{Node, View};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use typed_arena::Arena;

/// Holds on to the parts that were looked at, for as long as a value is checked.
#[derive(Default)]
pub(crate) struct Holder<'py> {
    parts: Arena<Bound<'py, PyAny>>,
    /// Integers that no 64 bits hold, as text.
    numbers: Arena<String>,
    /// The type of a part that is no JSON, if there was one.
    stranger: RefCell<Option<String>>,
}

impl Holder<'_> {
    /// Says whether everything that was looked at is a value.
    pub(crate) fn finish(&self) -> PyResult<()> {
        match self.stranger.borrow().as_ref() {
            None => Ok(()),
            Some(name) => Err(PyTypeError::new_err(format!(
                "a value of the type `{name}` cannot be checked: dict, list, tuple, str, int, float, bool, bytes and None can"
            ))),
        }
    }

    fn strange(&self, name: String) {
        self.stranger.borrow_mut().get_or_insert(name);
    }
}

/// A part of a Python value.
#[derive(Clone, Copy)]
pub(crate) struct PyView<'v, 'py> {
    object: &'v Bound<'py, PyAny>,
    node: Node<'v>,
    holder: &'v Holder<'py>,
}

impl<'v, 'py> PyView<'v, 'py> {
    pub(crate) fn of(object: &'v Bound<'py, PyAny>, holder: &'v Holder<'py>) -> PyView<'v, 'py> {
        PyView { object, node: node(object, holder), holder }
    }

    pub(crate) fn object(self) -> &'v Bound<'py, PyAny> {
        self.object
    }

    fn held(self, part: Bound<'py, PyAny>) -> PyView<'v, 'py> {
        PyView::of(self.holder.parts.alloc(part), self.holder)
    }
}

impl fmt::Debug for PyView<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.node.fmt(f)
    }
}

/// What an object is. The usual types come first, and are known by their own address.
fn node<'v, 'py>(object: &'v Bound<'py, PyAny>, holder: &'v Holder<'py>) -> Node<'v> {
    if let Ok(text) = object.cast_exact::<PyString>() {
        return string(text, holder);
    }
    if let Ok(number) = object.cast_exact::<PyInt>() {
        return integer(number, holder);
    }
    if let Ok(members) = object.cast_exact::<PyDict>() {
        return Node::Object(members.len());
    }
    if let Ok(items) = object.cast_exact::<PyList>() {
        return Node::List(items.len());
    }
    if let Ok(number) = object.cast_exact::<PyFloat>() {
        return Node::Float(number.value());
    }
    if object.is_none() {
        return Node::Null;
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Node::Bool(flag.is_true());
    }
    rare(object, holder)
}

fn rare<'v, 'py>(object: &'v Bound<'py, PyAny>, holder: &'v Holder<'py>) -> Node<'v> {
    if let Ok(items) = object.cast::<PyTuple>() {
        return Node::List(items.len());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return Node::Bytes(bytes.as_bytes());
    }
    if let Ok(text) = object.cast::<PyString>() {
        return string(text, holder);
    }
    if let Ok(number) = object.cast::<PyInt>() {
        return integer(number, holder);
    }
    if let Ok(number) = object.cast::<PyFloat>() {
        return Node::Float(number.value());
    }
    if let Ok(members) = object.cast::<PyDict>() {
        return Node::Object(members.len());
    }
    if let Ok(items) = object.cast::<PyList>() {
        return Node::List(items.len());
    }
    let name = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    holder.strange(name);
    Node::Unknown
}

fn string<'v, 'py>(text: &'v Bound<'py, PyString>, holder: &'v Holder<'py>) -> Node<'v> {
    match text.to_str() {
        Ok(text) => Node::Text(text),
        Err(_) => {
            holder.strange("str with half of a surrogate pair".to_owned());
            Node::Unknown
        }
    }
}

fn integer<'v, 'py>(number: &'v Bound<'py, PyInt>, holder: &'v Holder<'py>) -> Node<'v> {
    if let Ok(number) = number.extract::<i64>() {
        return Node::Int(number);
    }
    if let Ok(number) = number.extract::<u64>() {
        return Node::UInt(number);
    }
    match number.str().and_then(|text| text.to_str().map(str::to_owned)) {
        Ok(text) => Node::Decimal(holder.numbers.alloc(text)),
        Err(_) => {
            holder.strange("int with too many digits".to_owned());
            Node::Unknown
        }
    }
}

/// The elements of a list or tuple.
pub(crate) struct Elements<'v, 'py> {
    list: PyView<'v, 'py>,
    next: usize,
}

impl<'v, 'py> Iterator for Elements<'v, 'py> {
    type Item = PyView<'v, 'py>;

    fn next(&mut self) -> Option<PyView<'v, 'py>> {
        let found = self.list.item(self.next);
        self.next += 1;
        found
    }
}

/// The members of a dict.
pub(crate) struct Pairs<'v, 'py> {
    dict: PyView<'v, 'py>,
    inner: Option<pyo3::types::dict::BoundDictIterator<'py>>,
}

impl<'v, 'py> Iterator for Pairs<'v, 'py> {
    type Item = (PyView<'v, 'py>, PyView<'v, 'py>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.inner.as_mut()?.next()?;
        Some((self.dict.held(key), self.dict.held(value)))
    }
}

impl<'v, 'py> View<'v> for PyView<'v, 'py> {
    type Key = PyView<'v, 'py>;
    type Items = Elements<'v, 'py>;
    type Members = Pairs<'v, 'py>;

    #[inline]
    fn node(self) -> Node<'v> {
        self.node
    }

    fn items(self) -> Elements<'v, 'py> {
        Elements { list: self, next: 0 }
    }

    fn members(self) -> Pairs<'v, 'py> {
        Pairs { dict: self, inner: self.object.cast::<PyDict>().ok().map(|dict| dict.iter()) }
    }

    fn item(self, index: usize) -> Option<PyView<'v, 'py>> {
        let Node::List(count) = self.node else { return None };
        if index >= count {
            return None;
        }
        let found = match self.object.cast::<PyList>() {
            Ok(list) => list.get_item(index),
            Err(_) => self.object.cast::<PyTuple>().ok()?.get_item(index),
        };
        found.ok().map(|found| self.held(found))
    }

    fn member(self, name: &str) -> Option<PyView<'v, 'py>> {
        let found = self.object.cast::<PyDict>().ok()?.get_item(name).ok()??;
        Some(self.held(found))
    }

    fn has_unknown(self) -> bool {
        self.node == Node::Unknown
    }
}
