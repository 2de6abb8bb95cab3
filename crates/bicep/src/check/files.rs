//! Functions that read files and the environment while the program is compiled.

use arm::Value;
use syntax::Span;
use syntax::ast::AstNode as _;

use super::Checker;
use crate::codes;
use crate::content::{self, DataFormat, Encoding, Loader};
use crate::finding::{Finding, UnlocatedFinding};
use crate::language::Feature;
use crate::symbols::CallSyntax;
use crate::types::{Object, Property, PropertyFlags, Range, Ty, union_of};

impl<'m> Checker<'m> {
    /// What `loadTextContent` reads.
    pub(crate) fn load_text(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let loaded = self.file_text(call, arguments);
        self.loaded(call, loaded)
    }

    /// What `loadFileAsBase64` reads.
    pub(crate) fn load_bytes(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let path = constant(call, arguments, 0);
        let loaded = path.and_then(|path| {
            let loaded = self.loader().base64(path.unwrap_or_default());
            loaded.map(Value::text).map_err(|fault| fault.at(place(call, 0)))
        });
        self.loaded(call, loaded)
    }

    /// What `loadDirectoryFileInfo` lists.
    pub(crate) fn load_folder(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let pattern = constant(call, arguments, 1);
        let loaded = pattern.and_then(|pattern| {
            let path = constant(call, arguments, 0)?.unwrap_or_default();
            let loaded = self.loader().folder(path, pattern.unwrap_or_default());
            loaded.map_err(|fault| fault.at(place(call, 0)))
        });
        self.loaded(call, loaded)
    }

    /// What `loadJsonContent` reads.
    pub(crate) fn load_json(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let loaded = self.file_data(DataFormat::Json, call, arguments);
        self.loaded(call, loaded)
    }

    /// What `loadYamlContent` reads.
    pub(crate) fn load_yaml(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let loaded = self.file_data(DataFormat::Yaml, call, arguments);
        self.loaded(call, loaded)
    }

    /// The type of what was read; the value is kept for the template.
    fn loaded(&mut self, call: CallSyntax<'m>, loaded: Result<Value, Finding>) -> Ty {
        match loaded {
            Ok(value) => {
                let ty = value_type(&value, 0);
                self.loads.insert(call.node().id(), value);
                ty
            }
            Err(finding) => Ty::error(finding),
        }
    }

    fn loader(&self) -> Loader<'m> {
        Loader::new(self.around.world(), &self.model.file.path)
    }

    fn file_text(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Result<Value, Finding> {
        let path = constant(call, arguments, 0)?.unwrap_or_default();
        let encoding = constant(call, arguments, 1)?;
        let text = self.loader().text(path, named(encoding)).map_err(|fault| fault.at(place(call, 0)))?;
        self.check_encoding(call, 1, encoding, text.marked);
        Ok(Value::text(text.text))
    }

    fn file_data(
        &mut self,
        format: DataFormat,
        call: CallSyntax<'m>,
        arguments: &[Ty],
    ) -> Result<Value, Finding> {
        let selector = constant(call, arguments, 1)?;
        let path = constant(call, arguments, 0)?.unwrap_or_default();
        let encoding = constant(call, arguments, 2)?;
        let unbounded = self.model.features().has(Feature::LocalDeploy);
        let at_path = |fault: UnlocatedFinding| fault.at(place(call, 0));
        let text = self.loader().data_text(path, named(encoding), unbounded).map_err(at_path)?;
        self.check_encoding(call, 2, encoding, text.marked);
        let value = content::parse(format, &text).map_err(at_path)?;
        match selector {
            Some(selector) => content::select(&value, selector).map_err(|fault| fault.at(place(call, 1))),
            None => Ok(value),
        }
    }

    /// Says when the mark at the start of a file contradicts the encoding that the call names.
    fn check_encoding(
        &mut self,
        call: CallSyntax<'m>,
        position: usize,
        encoding: Option<&str>,
        marked: Option<Encoding>,
    ) {
        if let (Some(encoding), Some(marked)) = (encoding, marked)
            && named(Some(encoding)) != marked
        {
            self.push(codes::ENCODING.at(place(call, position), &[&marked.name()]));
        }
    }

    /// What `json` reads.
    pub(crate) fn json(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let Some(text) = arguments.first().and_then(Ty::as_string_literal) else { return Ty::any() };
        match content::read_json(text) {
            Ok(value) => value_type(&value, 0),
            Err(why) => {
                let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
                Ty::error(codes::BAD_JSON.at(at, &[&why]))
            }
        }
    }

    /// What `readEnvironmentVariable` reads.
    pub(crate) fn environment_variable(&mut self, call: CallSyntax<'m>, arguments: &[Ty]) -> Ty {
        let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
        let Some(name) = arguments.first().and_then(Ty::as_string_literal) else {
            return Ty::error(codes::CONSTANT_REQUIRED.at(at, &[]));
        };
        let default = || arguments.get(1).and_then(Ty::as_string_literal).map(ToString::to_string);
        match self.around.world().variable(name).or_else(default) {
            Some(value) => {
                self.loads.insert(call.node().id(), Value::text(value.as_str()));
                Ty::string_literal(value)
            }
            None => Ty::error(codes::ENVIRONMENT_VARIABLE.at(at, &[name])),
        }
    }
}

/// Where an argument stands.
fn place(call: CallSyntax<'_>, position: usize) -> Span {
    call.argument(position).map_or(call.node().span(), |it| it.span())
}

/// The text that an argument is known to be; none if it is not given.
fn constant<'t>(
    call: CallSyntax<'_>,
    arguments: &'t [Ty],
    position: usize,
) -> Result<Option<&'t str>, Finding> {
    match arguments.get(position) {
        None => Ok(None),
        Some(ty) => match ty.as_string_literal() {
            Some(text) => Ok(Some(text.as_str())),
            None => Err(codes::CONSTANT_REQUIRED.at(place(call, position), &[])),
        },
    }
}

/// The encoding that a call names; checks of its own see to names that are none.
fn named(encoding: Option<&str>) -> Encoding {
    encoding.and_then(Encoding::named).unwrap_or_default()
}

/// The type of one value.
fn value_type(value: &Value, depth: usize) -> Ty {
    const MAX_DEPTH: usize = 64;
    if depth > MAX_DEPTH {
        return Ty::any();
    }
    match value {
        Value::Null => Ty::null(),
        Value::Bool(value) => Ty::bool_literal(*value),
        Value::Text(text) => Ty::string_literal(text.as_str()),
        Value::Int(number) => Ty::int_literal(*number),
        Value::Float(_) | Value::Decimal(_) | Value::Secret(_) | Value::Unknown(_) => Ty::any(),
        Value::Array(list) => {
            let items = union_of(list.items().iter().map(|item| value_type(item, depth + 1)));
            Ty::array_of(items, Range::default())
        }
        Value::Object(object) => {
            let flags = PropertyFlags::READ_ONLY.union(PropertyFlags::READABLE_AT_DEPLOY_TIME);
            let members = object
                .iter()
                .map(|(name, value)| (name.clone(), Property::new(value_type(value, depth + 1), flags)));
            let properties = members.collect();
            Ty::object_of(Object { name: "object".into(), properties, ..Object::default() })
        }
    }
}
