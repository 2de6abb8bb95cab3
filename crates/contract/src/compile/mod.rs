//! From shapes to gates: folds constants, fuses rules, and finds contracts that can never hold.
//!
//! [`Compiler::gate`] turns one shape into one gate; `operand` makes operands ready, `fuse` turns rules into
//! the tests that the quick walk runs, `sound` looks for contradictions.

mod fuse;
mod operand;
mod sound;

use std::collections::HashMap;

use crate::constant::Constant;
use crate::contract::Contract;
use crate::flaw::{Flaw, FlawCode};
use crate::host::Host;
use crate::kind::{Kind, Kinds};
use crate::names::Names;
use crate::number::IntWidth;
use crate::program::{Choice, Compiled, EnumPart, Gate, GateId, ListPart, ObjectPart, PropertyPart, Rest};
use crate::rules::{Rule, Test};
use crate::shape::{Additional, Definitions, Form, Object, Select, Shape, Union};

/// How deep shapes may nest in one another.
const DEEPEST: u32 = 256;

/// Compiles a shape and its definitions.
pub(crate) fn compile(
    shape: &Shape,
    definitions: &Definitions,
    host: &dyn Host,
) -> Result<Contract, Vec<Flaw>> {
    let mut compiler = Compiler::new(definitions, host);
    let root = compiler.gate(shape, Around { object: None, known: true, depth: 0 });
    let (contract, flaws) = compiler.finish(shape, root);
    if flaws.is_empty() { Ok(contract) } else { Err(flaws) }
}

/// Compiles all definitions, each of which can be checked for itself.
pub(crate) fn library(definitions: &Definitions, host: &dyn Host) -> (Option<Contract>, Vec<Flaw>) {
    let any = Shape::any();
    let mut compiler = Compiler::new(definitions, host);
    for name in definitions.keys() {
        compiler.definition(name, &any, 0);
    }
    let root = compiler.gate(&any, Around { object: None, known: true, depth: 0 });
    let (contract, flaws) = compiler.finish(&any, root);
    (flaws.iter().all(|flaw| flaw.code.is_usable()).then_some(contract), flaws)
}

/// The state of one compilation.
struct Compiler<'d> {
    definitions: &'d Definitions,
    host: &'d dyn Host,
    gates: Vec<Gate>,
    named: HashMap<&'d str, GateId>,
    /// Defaults to check once all gates are there.
    defaults: Vec<(GateId, &'d Shape, &'d Constant)>,
    flaws: Vec<Flaw>,
    scoped: bool,
}

/// What stands around a shape.
#[derive(Clone, Copy)]
struct Around<'d> {
    /// The nearest object, whose fields a reference can name.
    object: Option<&'d Object>,
    /// Whether that is all there can be around; a definition may stand in any object.
    known: bool,
    depth: u32,
}

impl<'d> Compiler<'d> {
    fn new(definitions: &'d Definitions, host: &'d dyn Host) -> Compiler<'d> {
        Compiler {
            definitions,
            host,
            gates: Vec::new(),
            named: HashMap::new(),
            defaults: Vec::new(),
            flaws: Vec::new(),
            scoped: false,
        }
    }

    /// Makes the contract, and checks what could only be checked with all gates there.
    fn finish(mut self, shape: &Shape, root: GateId) -> (Contract, Vec<Flaw>) {
        sound::endless(&mut self);
        let contract = Contract {
            secrets: self.gates.iter().any(|gate| gate.secret),
            gates: self.gates.into(),
            root,
            scoped: self.scoped,
            shape: shape.clone(),
            definitions: self.definitions.clone(),
            entries: self.named.iter().map(|(name, id)| ((*name).into(), *id)).collect(),
        };
        let mut flaws = self.flaws;
        if flaws.iter().all(|flaw| flaw.code.is_usable()) {
            sound::broken_defaults(&contract, &self.defaults, self.host, &mut flaws);
        }
        (contract, flaws)
    }

    fn flaw(&mut self, flaw: Flaw) {
        self.flaws.push(flaw);
    }

    /// Makes room for a gate, so that others can refer to it before it is built.
    fn reserve(&mut self) -> GateId {
        self.gates.push(Gate::default());
        u32::try_from(self.gates.len() - 1).unwrap_or(u32::MAX)
    }

    /// Compiles a shape into a gate of its own, or finds the gate it already is.
    fn gate(&mut self, shape: &'d Shape, around: Around<'d>) -> GateId {
        if let Form::Ref(name) = &shape.form
            && shape.rules.is_empty()
            && shape.default.is_none()
            && !shape.nullable
            && !shape.secret
        {
            return self.definition(name, shape, around.depth);
        }
        let id = self.reserve();
        self.build(id, shape, around);
        id
    }

    fn definition(&mut self, name: &str, shape: &'d Shape, depth: u32) -> GateId {
        if let Some(id) = self.named.get(name) {
            return *id;
        }
        let id = self.reserve();
        match self.definitions.get_key_value(name) {
            Some((name, definition)) => {
                self.named.insert(name, id);
                self.build(id, definition, Around { object: None, known: false, depth: depth + 1 });
            }
            None => {
                let known = self.definitions.keys().map(AsRef::as_ref);
                let nearest = diagnostics::suggest(name, known);
                let mut flaw =
                    Flaw::new(FlawCode::UnknownDefinition, format!("there is no definition `{name}`"))
                        .at(shape.place);
                flaw.hint = nearest.map(|name| format!("did you mean `{name}`?"));
                self.flaw(flaw);
            }
        }
        id
    }

    fn build(&mut self, id: GateId, shape: &'d Shape, around: Around<'d>) {
        if around.depth > DEEPEST {
            let message = format!("shapes nest deeper than {DEEPEST} levels");
            self.flaw(Flaw::new(FlawCode::TooDeep, message).at(shape.place));
            return;
        }
        let inner = Around { depth: around.depth + 1, ..around };
        let mut gate = self.form(shape, inner);
        gate.nullable = shape.nullable;
        gate.secret = shape.secret;
        gate.title = shape.title.clone();
        gate.place = shape.place;
        let rules = self.rules(shape, &mut gate, inner);
        sound::check_rules(self, shape, &gate, &rules);
        gate.fast = fuse::fuse(&rules);
        gate.rules = rules.into();
        gate.free = is_free(&gate);
        if let Some(default) = &shape.default {
            self.defaults.push((id, shape, default));
        }
        if let Some(place) = self.gates.get_mut(id as usize) {
            *place = gate;
        }
    }

    fn form(&mut self, shape: &'d Shape, around: Around<'d>) -> Gate {
        let mut gate = Gate { width: IntWidth::Any, ..Gate::default() };
        gate.accept = match &shape.form {
            Form::Any => Kinds::ALL,
            Form::Never => Kinds::NONE,
            Form::Null => Kind::Null.into(),
            Form::Bool => Kind::Bool.into(),
            Form::Int(width) => {
                gate.width = *width;
                Kind::Int.into()
            }
            Form::Number => Kinds::NUMBERS,
            Form::Text => Kind::Text.into(),
            Form::Bytes => Kinds::STRINGS,
            Form::Enum(it) => {
                if !it.open {
                    let mut numbers: Vec<i64> = it.members.iter().map(|(_, number)| *number).collect();
                    numbers.sort_unstable();
                    let names = it.members.iter().filter(|_| it.by_name).map(|(name, _)| name.clone());
                    gate.members =
                        Some(Box::new(EnumPart { numbers: numbers.into(), names: Names::new(names) }));
                }
                if it.by_name { Kinds::of(&[Kind::Int, Kind::Text]) } else { Kind::Int.into() }
            }
            Form::List(items) | Form::Set(items) => {
                let rest = Rest::Gate(self.gate(items, around));
                let set = matches!(shape.form, Form::Set(_));
                gate.list = Some(Box::new(ListPart { rest, set, ..ListPart::open() }));
                Kind::List.into()
            }
            Form::Tuple(tuple) => {
                let prefix = tuple.items.iter().map(|item| self.gate(item, around)).collect();
                let rest = match &tuple.rest {
                    Some(rest) => Rest::Gate(self.gate(rest, around)),
                    None => Rest::Closed,
                };
                gate.list = Some(Box::new(ListPart { prefix, least: tuple.least, rest, ..ListPart::open() }));
                Kind::List.into()
            }
            Form::Map(key, value) => {
                let keys = Box::new([self.gate(key, around)]);
                let rest = Rest::Gate(self.gate(value, around));
                gate.object = Some(Box::new(ObjectPart { keys, rest, map: true, ..ObjectPart::open() }));
                Kind::Object.into()
            }
            Form::Object(object) => {
                gate.object = Some(Box::new(self.object(object, shape, around)));
                Kind::Object.into()
            }
            Form::Union(union) => {
                gate.choice = Some(Box::new(self.union(union, around)));
                Kinds::ALL
            }
            Form::All(shapes) => {
                gate.also = shapes.iter().map(|shape| self.gate(shape, around)).collect();
                Kinds::ALL
            }
            Form::Ref(name) => {
                gate.also = Box::new([self.definition(name, shape, around.depth)]);
                Kinds::ALL
            }
        };
        self.prune(&mut gate);
        gate
    }

    /// Leaves out gates that let everything pass.
    fn prune(&self, gate: &mut Gate) {
        let free = |id: &GateId| self.gates.get(*id as usize).is_some_and(|gate| gate.free);
        if let Some(list) = &mut gate.list
            && let Rest::Gate(rest) = list.rest
            && free(&rest)
        {
            list.rest = Rest::Open;
        }
        if let Some(object) = &mut gate.object {
            if let Rest::Gate(rest) = object.rest
                && free(&rest)
            {
                object.rest = Rest::Open;
            }
            object.keys = object.keys.iter().copied().filter(|id| !free(id)).collect();
        }
        gate.also = gate.also.iter().copied().filter(|id| !free(id)).collect();
    }

    fn object(&mut self, object: &'d Object, shape: &'d Shape, around: Around<'d>) -> ObjectPart {
        let inside = Around { object: Some(object), known: true, depth: around.depth };
        let mut properties = Vec::with_capacity(object.properties.len());
        let mut tags = Vec::new();
        let mut seen: HashMap<&str, ()> = HashMap::new();
        for (property, position) in object.properties.iter().zip(0u32..) {
            let place = property.place.or(property.shape.place);
            if seen.insert(&property.name, ()).is_some() {
                let message = format!("the property `{}` is declared twice", property.name);
                self.flaw(Flaw::new(FlawCode::DuplicateProperty, message).at(place));
            }
            tags.extend(property.tag.map(|tag| (tag, position)));
            let gate = self.gate(&property.shape, inside);
            if property.required && matches!(property.shape.form, Form::Never) {
                let message = format!("the required property `{}` can have no value", property.name);
                self.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(place.or(shape.place)));
            }
            properties.push(PropertyPart {
                name: property.name.clone(),
                gate,
                required: property.required,
                requirement: property.requirement.clone(),
                absent: property.absent.clone(),
                place,
            });
        }
        tags.sort_unstable();
        let patterns = object
            .patterns
            .iter()
            .map(|(pattern, shape)| (pattern.clone(), self.gate(shape, inside)))
            .collect();
        let rest = match &object.additional {
            Additional::Open => Rest::Open,
            Additional::Closed => Rest::Closed,
            Additional::Shape(shape) => Rest::Gate(self.gate(shape, inside)),
        };
        let keys = object.names.iter().map(|shape| self.gate(shape, inside)).collect();
        ObjectPart {
            names: Names::new(properties.iter().map(|property| property.name.clone())),
            tags: tags.into(),
            required: properties.iter().filter(|property| property.required).count(),
            defaults: properties.iter().any(|property| property.absent.is_some()),
            properties: properties.into(),
            patterns,
            rest,
            keys,
            values: Box::default(),
            asserts: Box::default(),
            map: false,
        }
    }

    fn union(&mut self, union: &'d Union, around: Around<'d>) -> Choice {
        let gates: Vec<GateId> = union.alternatives.iter().map(|shape| self.gate(shape, around)).collect();
        match &union.select {
            Select::Any => Choice::Any(gates.into()),
            Select::One => Choice::One(gates.into()),
            Select::Kind => {
                let first = |kind: Kind| {
                    gates.iter().copied().find(|id| {
                        self.gates.get(*id as usize).is_some_and(|gate| {
                            // A whole float may pass where integers do.
                            gate.accept.contains(kind)
                                || (gate.nullable && kind == Kind::Null)
                                || (kind == Kind::Float && gate.accept.contains(Kind::Int))
                        })
                    })
                };
                Choice::Kind(Kind::ALL.map(first))
            }
            Select::Property { name, values } => Choice::Property {
                name: name.clone(),
                gates: values.iter().filter_map(|(_, position)| gates.get(*position).copied()).collect(),
                values: Names::new(
                    values
                        .iter()
                        .filter(|(_, position)| *position < gates.len())
                        .map(|(value, _)| value.clone()),
                ),
            },
        }
    }

    /// Compiles the rules of a shape; those about parts become gates of the parts.
    fn rules(&mut self, shape: &'d Shape, gate: &mut Gate, around: Around<'d>) -> Vec<Compiled> {
        let mut rules = Vec::with_capacity(shape.rules.len());
        for rule in &shape.rules {
            match &rule.test {
                Test::Elements(shape) => {
                    let id = self.part_gate(rule, shape, around);
                    let list = gate.list.get_or_insert_with(|| Box::new(ListPart::open()));
                    list.each = list.each.iter().copied().chain([id]).collect();
                }
                Test::Keys(shape) => {
                    let id = self.part_gate(rule, shape, around);
                    let object = gate.object.get_or_insert_with(|| Box::new(ObjectPart::map()));
                    object.keys = object.keys.iter().copied().chain([id]).collect();
                }
                Test::Values(shape) => {
                    let id = self.part_gate(rule, shape, around);
                    let object = gate.object.get_or_insert_with(|| Box::new(ObjectPart::map()));
                    object.values = object.values.iter().copied().chain([id]).collect();
                }
                Test::Assert(_) => {
                    let around = match &shape.form {
                        Form::Object(object) => Around { object: Some(object), known: true, ..around },
                        // The fields of a definition, or of any object, are not known here.
                        _ => Around { object: None, known: false, ..around },
                    };
                    let compiled = self.rule(rule, around);
                    self.scoped = true;
                    let object = gate.object.get_or_insert_with(|| Box::new(ObjectPart::open()));
                    object.asserts = object.asserts.iter().cloned().chain([compiled]).collect();
                }
                _ => rules.push(self.rule(rule, around)),
            }
        }
        rules
    }

    fn part_gate(&mut self, rule: &'d Rule, shape: &'d Shape, around: Around<'d>) -> GateId {
        let id = self.gate(shape, around);
        if let Some(gate) = self.gates.get_mut(id as usize) {
            gate.place = gate.place.or(rule.place);
        }
        id
    }

    fn rule(&mut self, rule: &'d Rule, around: Around<'d>) -> Compiled {
        let gate = match &rule.test {
            Test::Not(shape) => Some(self.gate(shape, around)),
            _ => None,
        };
        let operands = match &rule.test {
            Test::In(operands) | Test::NotIn(operands) => operands.as_slice(),
            Test::Custom(custom) => &custom.arguments,
            Test::Assert(operand) => std::slice::from_ref(operand),
            other => other.operand().map(std::slice::from_ref).unwrap_or_default(),
        };
        let operands = operands.iter().map(|operand| self.operand(operand, rule, around)).collect();
        Compiled { rule: rule.clone(), operands, gate }
    }
}

/// Whether a gate lets every value pass without a look at it, and without a word against showing it.
fn is_free(gate: &Gate) -> bool {
    gate.accept == Kinds::ALL
        && !gate.secret
        && gate.rules.is_empty()
        && gate.list.is_none()
        && gate.object.is_none()
        && gate.members.is_none()
        && gate.choice.is_none()
        && gate.also.is_empty()
}

impl ListPart {
    /// Says nothing about elements.
    fn open() -> ListPart {
        ListPart { prefix: Box::default(), least: 0, rest: Rest::Open, each: Box::default(), set: false }
    }
}

impl ObjectPart {
    /// Says nothing about members.
    fn open() -> ObjectPart {
        ObjectPart {
            names: Names::default(),
            tags: Box::default(),
            properties: Box::default(),
            patterns: Box::default(),
            rest: Rest::Open,
            keys: Box::default(),
            values: Box::default(),
            required: 0,
            defaults: false,
            asserts: Box::default(),
            map: false,
        }
    }

    /// Says nothing about the entries of a map.
    fn map() -> ObjectPart {
        ObjectPart { map: true, ..ObjectPart::open() }
    }
}
