//! Goes over plain JSON with the type that it should have.

use std::collections::{HashMap, HashSet};

use contract::{Constant, Node, Path, PathStep, View, Violation};

use super::scalar;
use super::value::{Content, Plain};
use crate::Span;
use crate::model::{Model, StructId, StructRole, Type, TypeId};
use crate::suggest::nearest;

/// What to do with members that are no fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum UnknownFields {
    /// They do not fit: most are misspelt.
    #[default]
    Refuse,
    /// They are left out, as a reader of the wire skips fields that it does not know.
    Ignore,
}

/// Reads plain JSON by the types of a program.
#[derive(Debug)]
pub struct Reader {
    model: Model,
    unknown: UnknownFields,
    /// For each struct, the positions of its fields by name.
    names: Vec<HashMap<String, usize>>,
}

/// The code of a member that is not a field.
pub(super) const UNKNOWN_MEMBER: &str = "additionalProperties";

/// How deep values may nest; [`contract::CheckLimits`] allow no more either.
const DEEPEST: u32 = contract::CheckLimits::DEEPEST;

impl Reader {
    /// Makes a reader for the types of a program.
    pub fn new(model: Model, unknown: UnknownFields) -> Reader {
        let names = model.structs.iter().map(|it| {
            it.fields.iter().enumerate().map(|(at, field)| (field.name.text.clone(), at)).collect()
        });
        Reader { names: names.collect(), unknown, model }
    }

    /// The program whose types it reads.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Reads a value of a struct, and up to `most` things that do not fit its type.
    ///
    /// What does not fit stands in the value as null; checking it would say that again.
    pub fn read<'v, V: View<'v>>(&self, id: StructId, value: V, most: usize) -> (Plain<'v>, Vec<Violation>) {
        let mut walk = Walk::new(self, most);
        let plain = walk.structure(id, None, value, 0);
        (plain, walk.found)
    }

    /// Reads a value to find the secrets in it, with the places of members that are no fields.
    ///
    /// What does not fit stands in the value as text, which fits no type that has parts.
    pub(super) fn read_for_secrets<'v, V: View<'v>>(&self, id: StructId, value: V) -> (Plain<'v>, Vec<Span>) {
        let mut walk = Walk { stand_in: Node::Text(""), ..Walk::new(self, 0) };
        let plain = walk.structure(id, None, value, 0);
        (plain, walk.strangers)
    }
}

struct Walk<'r> {
    reader: &'r Reader,
    path: Vec<PathStep>,
    found: Vec<Violation>,
    most: usize,
    /// What stands for a value that does not fit.
    stand_in: Node<'static>,
    /// The places of members that are no fields.
    strangers: Vec<Span>,
}

/// Something that does not fit, before it has a place.
struct Misfit {
    code: &'static str,
    message: String,
    hint: Option<String>,
}

impl Misfit {
    fn new(message: impl Into<String>) -> Misfit {
        Misfit { code: "type", message: message.into(), hint: None }
    }
}

impl<'r> Walk<'r> {
    fn new(reader: &'r Reader, most: usize) -> Walk<'r> {
        let (path, found, strangers) = (Vec::new(), Vec::new(), Vec::new());
        Walk { reader, path, found, most, stand_in: Node::Null, strangers }
    }

    fn misfit<'v, V: View<'v>>(&mut self, value: V, written: Option<Span>, misfit: Misfit) {
        if self.found.len() >= self.most {
            return;
        }
        let path = Path { steps: self.path.clone() };
        self.found.push(Violation {
            found: shown(value.node()),
            hint: misfit.hint.map(Into::into),
            place: value.place(),
            written,
            ..Violation::stated(path, misfit.code, misfit.message)
        });
    }

    /// Notes that a value does not fit, and what stands for it.
    fn unfit<'v, V: View<'v>>(&mut self, value: V, written: Option<Span>, misfit: Misfit) -> Plain<'v> {
        self.misfit(value, written, misfit);
        Plain::scalar(self.stand_in, value.place())
    }

    fn structure<'v, V: View<'v>>(
        &mut self,
        id: StructId,
        written: Option<Span>,
        value: V,
        depth: u32,
    ) -> Plain<'v> {
        let reader = self.reader;
        let it = &reader.model[id];
        let (Node::Object(count), true) = (value.node(), depth < DEEPEST) else {
            let words = match depth < DEEPEST {
                true => format!("must be an object with the fields of `{}`", it.name.text),
                false => format!("must not nest deeper than {DEEPEST} levels"),
            };
            return self.unfit(value, written, Misfit::new(words));
        };
        let names = reader.names.get(id.0 as usize);
        let mut members = Vec::with_capacity(count.min(1 << 16));
        for (key, member) in value.members() {
            let Node::Text(name) = key.node() else { continue };
            let field = names.and_then(|names| names.get(name)).and_then(|at| it.fields.get(*at));
            self.path.push(PathStep::Name(name.into()));
            match field {
                // Printers that know nothing of absent fields write null for them.
                Some(_) if member.node() == Node::Null => {}
                Some(field) => {
                    let value = self.typed(field.ty, member, depth + 1);
                    // References find members by number, as on the wire.
                    let tag = Node::Int(field.wire_id().into());
                    let key = Plain { spelt: Some(name), ..Plain::scalar(tag, key.place()) };
                    members.push((key, value));
                }
                None if reader.unknown == UnknownFields::Refuse => {
                    let near = nearest(name, it.fields.iter().map(|field| field.name.text.as_str()));
                    let misfit = Misfit {
                        code: UNKNOWN_MEMBER,
                        message: format!("`{name}` is not a field of `{}`", it.name.text),
                        hint: near.map(|near| format!("did you mean `{near}`?")),
                    };
                    self.misfit(key, Some(it.name.span), misfit);
                }
                None => {}
            }
            if field.is_none() {
                self.strangers.extend(member.place());
            }
            self.path.pop();
        }
        if it.role == StructRole::Union && members.len() > 1 {
            let words = format!("must be one member of the union `{}`, not {}", it.name.text, members.len());
            self.misfit(value, Some(it.name.span), Misfit::new(words));
        }
        Plain::new(Content::Object(members), value.place())
    }

    fn typed<'v, V: View<'v>>(&mut self, id: TypeId, value: V, depth: u32) -> Plain<'v> {
        let reader = self.reader;
        let model = &reader.model;
        let written = Some(model[id].span);
        let ty = model.real(id);
        if let Some(scalar) = scalar::read(model, ty, value.node()) {
            return match scalar {
                Ok(content) => Plain::new(content, value.place()),
                Err(words) => {
                    let misfit = Misfit { hint: member_hint(model, ty, value.node()), ..Misfit::new(words) };
                    self.unfit(value, written, misfit)
                }
            };
        }
        match (ty, value.node()) {
            _ if depth >= DEEPEST => {
                let words = format!("must not nest deeper than {DEEPEST} levels");
                self.unfit(value, written, Misfit::new(words))
            }
            (Type::Struct(id), _) => self.structure(id, written, value, depth),
            (Type::List(element) | Type::Set(element), Node::List(_)) => {
                let mut items = Vec::new();
                for (index, item) in value.items().enumerate() {
                    self.path.push(PathStep::Index(index));
                    items.push(self.typed(element, item, depth + 1));
                    self.path.pop();
                }
                Plain::new(Content::List(items), value.place())
            }
            (Type::List(_) | Type::Set(_), _) => self.unfit(value, written, Misfit::new("must be an array")),
            (Type::Map(key, of), Node::Object(_)) => self.entries(key, of, value, depth),
            (Type::Map(key, of), Node::List(_)) => self.pairs(key, of, value, depth),
            _ => self.unfit(value, written, Misfit::new("must be an object, or an array of entries")),
        }
    }

    /// A map as an object: keys are text.
    fn entries<'v, V: View<'v>>(&mut self, key: TypeId, of: TypeId, value: V, depth: u32) -> Plain<'v> {
        let reader = self.reader;
        let model = &reader.model;
        let (ty, written) = (model.real(key), Some(model[key].span));
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        for (name, member) in value.members() {
            let Node::Text(text) = name.node() else { continue };
            let read = match scalar::read_key(model, ty, text) {
                Some(Ok(content)) => Plain { content, place: name.place(), spelt: Some(text) },
                Some(Err(words)) => {
                    self.path.push(PathStep::Key(text.into()));
                    let misfit = Misfit { hint: member_hint(model, ty, name.node()), ..Misfit::new(words) };
                    let unfit = self.unfit(name, written, misfit);
                    self.path.pop();
                    unfit
                }
                None => {
                    let words =
                        format!("must be an array of entries: a `{}` is not text", model.type_name(key));
                    let hint = "write `[[key, value], ..]` or `[{\"key\": .., \"value\": ..}, ..]`";
                    let misfit = Misfit { hint: Some(hint.to_owned()), ..Misfit::new(words) };
                    return self.unfit(value, written, misfit);
                }
            };
            // Different texts may be one key, and readers of the message would see one of the values only.
            if matches!(ty, Type::Enum(_) | Type::Double | Type::Binary | Type::Uuid)
                && read.node() != Node::Null
                && !seen.insert(format!("{:?}", read.node()))
            {
                self.path.push(PathStep::Key(text.into()));
                self.misfit(name, written, Misfit::new("must be another key than those before it"));
                self.path.pop();
            }
            self.path.push(PathStep::Entry(text.into()));
            let member = self.typed(of, member, depth + 1);
            self.path.pop();
            members.push((read, member));
        }
        Plain::new(Content::Object(members), value.place())
    }

    /// A map as an array of entries: keys are of any type.
    fn pairs<'v, V: View<'v>>(&mut self, key: TypeId, of: TypeId, value: V, depth: u32) -> Plain<'v> {
        let mut members = Vec::new();
        for (index, entry) in value.items().enumerate() {
            let (found, at) = match entry.node() {
                Node::List(2) => (entry.item(0).zip(entry.item(1)), [PathStep::Index(0), PathStep::Index(1)]),
                Node::Object(2) => {
                    let step = |name: &str| PathStep::Name(name.into());
                    (entry.member("key").zip(entry.member("value")), [step("key"), step("value")])
                }
                _ => (None, [PathStep::Index(0), PathStep::Index(1)]),
            };
            self.path.push(PathStep::Index(index));
            match found {
                Some((first, second)) => {
                    let [key_step, value_step] = at;
                    self.path.push(key_step);
                    let read = self.typed(key, first, depth + 2);
                    self.path.pop();
                    self.path.push(value_step);
                    let member = self.typed(of, second, depth + 2);
                    self.path.pop();
                    members.push((read, member));
                }
                None => {
                    let words = "must be an entry: `[key, value]` or `{\"key\": .., \"value\": ..}`";
                    self.misfit(entry, Some(self.reader.model[key].span), Misfit::new(words));
                    if self.stand_in != Node::Null {
                        let part = || Plain::scalar(self.stand_in, entry.place());
                        members.push((part(), part()));
                    }
                }
            }
            self.path.pop();
        }
        Plain::new(Content::Object(members), value.place())
    }
}

/// What to write in the place of something that is not a member of an enum.
fn member_hint(model: &Model, ty: Type, node: Node<'_>) -> Option<String> {
    /// More members than that are no help.
    const MANY: usize = 12;
    let (Type::Enum(id), Node::Text(name)) = (ty, node) else { return None };
    let names = || model[id].members.iter().map(|member| member.name.text.as_str());
    match nearest(name, names()) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if model[id].members.len() > MANY => None,
        None => Some(format!(
            "its members are {}",
            names().map(|it| format!("`{it}`")).collect::<Vec<_>>().join(", ")
        )),
    }
}

/// A value without parts, as JSON, cut when long.
fn shown(node: Node<'_>) -> Option<Box<str>> {
    const LONG: usize = 60;
    let constant = match node {
        Node::Text(text) => match text.char_indices().nth(LONG) {
            Some((end, _)) => Constant::text(&format!("{}...", text.get(..end).unwrap_or_default())),
            None => Constant::text(text),
        },
        Node::List(_) | Node::Object(_) => return None,
        other => Constant::copy(other, 1)?,
    };
    Some(constant.to_string().into())
}
