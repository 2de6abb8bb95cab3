//! Functions that read files and the environment while the program is compiled.

use arm::Value;
use syntax::ast::AstNode as _;

use super::{Checker, codes};
use crate::config::Feature;
use crate::files::content::{self, DataFormat, Encoding, Loader};
use crate::finding::{Fault, Finding};
use crate::symbols::Call;
use crate::types::{Object, Property, PropertyFlags, Range, Ty, union_of};

impl<'m> Checker<'m> {
    /// The type of what a `load` function reads; the value is kept for the template.
    pub(super) fn loaded(&mut self, name: &str, call: Call<'m>, arguments: &[Ty]) -> Ty {
        match self.load(name, call, arguments) {
            Ok(value) => {
                let ty = value_type(&value, 0);
                self.loads.insert(call.node().id(), value);
                ty
            }
            Err(finding) => Ty::error(finding),
        }
    }

    fn load(&mut self, name: &str, call: Call<'m>, arguments: &[Ty]) -> Result<Value, Finding> {
        let place = |position: usize| call.argument(position).map_or(call.node().span(), |it| it.span());
        let constant = |position: usize| match arguments.get(position) {
            None => Ok(None),
            Some(ty) => match ty.as_string_literal() {
                Some(text) => Ok(Some(text.as_str())),
                None => Err(codes::CONSTANT_REQUIRED.at(place(position), &[])),
            },
        };
        let (selector, encoding) = match name {
            "loadTextContent" => (None, constant(1)),
            "loadJsonContent" | "loadYamlContent" => (constant(1)?, constant(2)),
            "loadDirectoryFileInfo" => (constant(1)?, Ok(None)),
            _ => (None, Ok(None)),
        };
        let path = constant(0)?.unwrap_or_default();
        let encoding = encoding?;
        let world = self.around.world();
        let loader = Loader::new(world, &self.model.file.path);
        let at_path = |fault: Fault| fault.at(place(0));
        let text = match name {
            "loadFileAsBase64" => return loader.base64(path).map(Value::text).map_err(at_path),
            "loadDirectoryFileInfo" => {
                return loader.folder(path, selector.unwrap_or_default()).map_err(at_path);
            }
            "loadTextContent" => loader.text(path, named(encoding)),
            _ => {
                let unbounded = self.model.features().has(Feature::LocalDeploy);
                loader.data_text(path, named(encoding), unbounded)
            }
        };
        let text = text.map_err(at_path)?;
        if let (Some(encoding), Some(marked)) = (encoding, text.marked)
            && named(Some(encoding)) != marked
        {
            let at = place(if name == "loadTextContent" { 1 } else { 2 });
            self.push(codes::ENCODING.at(at, &[&marked.name()]));
        }
        let format = match name {
            "loadTextContent" => return Ok(Value::text(text.text)),
            "loadJsonContent" => DataFormat::Json,
            _ => DataFormat::Yaml,
        };
        let value = content::parse(format, &text.text).map_err(at_path)?;
        match selector {
            Some(selector) => content::select(&value, selector).map_err(|fault| fault.at(place(1))),
            None => Ok(value),
        }
    }

    pub(super) fn json(&mut self, call: Call<'m>, arguments: &[Ty]) -> Ty {
        let Some(text) = arguments.first().and_then(Ty::as_string_literal) else { return Ty::any() };
        match content::read_json(text) {
            Some(value) => value_type(&value, 0),
            None => {
                let at = call.argument(0).map_or(call.node().span(), |argument| argument.span());
                Ty::error(codes::BAD_JSON.at(at, &[]))
            }
        }
    }

    pub(super) fn environment_variable(&mut self, call: Call<'m>, arguments: &[Ty]) -> Ty {
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
        Value::Float(_) | Value::Long(_) | Value::Secret(_) | Value::Unknown(_) => Ty::any(),
        Value::Array(list) => {
            let items = union_of(list.items().iter().map(|item| value_type(item, depth + 1)));
            Ty::array_of(items, Range::default())
        }
        Value::Object(object) => {
            let flags = PropertyFlags::READ_ONLY.with(PropertyFlags::READABLE_AT_DEPLOY_TIME);
            let members = object
                .iter()
                .map(|(name, value)| (name.clone(), Property::new(value_type(value, depth + 1), flags)));
            let properties = members.collect();
            Ty::object_of(Object { name: "object".into(), properties, ..Object::default() })
        }
    }
}
