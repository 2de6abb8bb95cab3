//! Functions that read files and the environment while the program is compiled.

use document::{Document, JsonOptions, Limits, Value};
use syntax::Span;
use syntax::ast::AstNode as _;

use super::{Checker, codes};
use crate::files::ReadError;
use crate::finding::Finding;
use crate::symbols::Call;
use crate::types::{Object, Property, PropertyFlags, Range, Ty, union_of};

/// Characters that paths cannot have.
const FORBIDDEN: [char; 6] = ['"', '*', '<', '>', '?', '|'];
/// Characters that paths cannot end with.
const FORBIDDEN_ENDS: [char; 2] = [' ', '.'];
/// How long texts may be that become part of a template.
const MAX_TEXT: usize = 131_072;
/// How long files may be that become values.
const MAX_DATA: usize = 1_048_576;

/// What is wrong with a path to another file.
pub(super) fn path_fault(path: &str, at: Span) -> Option<Finding> {
    if path.is_empty() {
        return Some(codes::PATH_EMPTY.at(at, &[]));
    }
    let drive =
        path.as_bytes().get(1) == Some(&b':') && path.starts_with(|it: char| it.is_ascii_alphabetic());
    if path.starts_with('/') || drive {
        return Some(codes::PATH_ABSOLUTE.at(at, &[]));
    }
    for character in path.chars() {
        if FORBIDDEN.contains(&character) {
            return Some(codes::PATH_CHARACTERS.at(at, &[&codes::list(FORBIDDEN)]));
        }
        if character == '\\' {
            return Some(codes::PATH_BACKSLASH.at(at, &[]));
        }
        if character.is_control() {
            return Some(codes::PATH_CONTROL.at(at, &[]));
        }
    }
    let bad_end = path.ends_with(FORBIDDEN_ENDS) && path != ".." && path != "." && !path.ends_with("/..");
    bad_end.then(|| codes::PATH_ENDING.at(at, &[&codes::list(FORBIDDEN_ENDS)]))
}

impl<'m> Checker<'m> {
    /// The type of what a `load` function reads.
    pub(super) fn loaded(&mut self, name: &str, call: Call<'m>, arguments: &[Ty]) -> Ty {
        let place = |position: usize| call.argument(position).map_or(call.node().span(), |it| it.span());
        let data = matches!(name, "loadJsonContent" | "loadYamlContent");
        let mut json_path = None;
        if data && let Some(path) = arguments.get(1) {
            match path.as_string_literal() {
                Some(path) => json_path = Some(path.to_string()),
                None => return Ty::error(codes::CONSTANT_REQUIRED.at(place(1), &[])),
            }
        }
        let Some(path) = arguments.first().and_then(Ty::as_string_literal) else {
            return Ty::error(codes::CONSTANT_REQUIRED.at(place(0), &[]));
        };
        let encoding = match name {
            "loadTextContent" => 1,
            _ if data => 2,
            _ => usize::MAX,
        };
        if arguments.get(encoding).is_some_and(|it| it.as_string_literal().is_none()) {
            return Ty::error(codes::CONSTANT_REQUIRED.at(place(encoding), &[]));
        }
        if let Some(fault) = path_fault(path, place(0)) {
            return Ty::error(fault);
        }
        if name == "loadDirectoryFileInfo" {
            return Ty::any();
        }
        let target = self.model.file.path.folder().join(path);
        let bytes = match self.around.world().read(&target) {
            Ok(bytes) => bytes,
            Err(ReadError::NotFound) => {
                let why = format!("`{target}` does not exist");
                return Ty::error(codes::UNREADABLE_FILE.at(place(0), &[&why]));
            }
            Err(ReadError::Failed(_)) if self.around.world().list(&target).is_ok() => {
                return Ty::error(codes::FOLDER_NOT_FILE.at(place(0), &[&target]));
            }
            Err(ReadError::Failed(why)) => return Ty::error(codes::UNREADABLE_FILE.at(place(0), &[&why])),
        };
        if name == "loadFileAsBase64" {
            if bytes.len() > MAX_TEXT / 4 * 3 {
                let most = MAX_TEXT / 4 * 3;
                return Ty::error(codes::FILE_SIZE.at(place(0), &[&target, &most, &"bytes"]));
            }
            return Ty::string();
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(&text);
        let most = if data { MAX_DATA } else { MAX_TEXT };
        if text.encode_utf16().count() > most {
            return Ty::error(codes::FILE_SIZE.at(place(0), &[&target, &most, &"characters"]));
        }
        match name {
            "loadTextContent" => Ty::string_literal(text),
            "loadJsonContent" => {
                match Document::from_json_with(text, 0, &Limits::DEFAULT, JsonOptions::RELAXED) {
                    Ok(document) => match json_path.as_deref() {
                        None | Some("$" | "") => json_type(document.root(), 0),
                        Some(_) => Ty::any(),
                    },
                    Err(_) => Ty::error(codes::BAD_JSON.at(place(0), &[])),
                }
            }
            _ => Ty::any(),
        }
    }

    pub(super) fn json(&mut self, call: Call<'m>, arguments: &[Ty]) -> Ty {
        let Some(text) = arguments.first().and_then(Ty::as_string_literal) else { return Ty::any() };
        match Document::from_json_with(text.as_str(), 0, &Limits::DEFAULT, JsonOptions::RELAXED) {
            Ok(document) => json_type(document.root(), 0),
            Err(_) => {
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
        if let Some(value) = self.around.world().variable(name) {
            return Ty::string_literal(value);
        }
        match arguments.get(1).and_then(Ty::as_string_literal) {
            Some(default) => Ty::string_literal(default),
            None => Ty::error(codes::ENVIRONMENT_VARIABLE.at(at, &[name])),
        }
    }
}

/// The type of one JSON value.
fn json_type(value: Value<'_>, depth: usize) -> Ty {
    use contract::Node;
    const MAX_DEPTH: usize = 64;
    if depth > MAX_DEPTH {
        return Ty::any();
    }
    match value.node() {
        Node::Null => Ty::null(),
        Node::Bool(value) => Ty::bool_literal(value),
        Node::Text(text) => Ty::string_literal(text),
        Node::Int(number) => Ty::int_literal(number),
        Node::List(_) => {
            let items = union_of(value.items().map(|item| json_type(item, depth + 1)));
            Ty::array_of(items, Range::default())
        }
        Node::Object(_) => {
            let flags = PropertyFlags::READ_ONLY.with(PropertyFlags::READABLE_AT_DEPLOY_TIME);
            let members = value.members().filter_map(|(name, value)| {
                Some((name.as_str()?.into(), Property::new(json_type(value, depth + 1), flags)))
            });
            let properties = members.collect();
            Ty::object_of(Object { name: "object".into(), properties, ..Object::default() })
        }
        _ => Ty::any(),
    }
}
