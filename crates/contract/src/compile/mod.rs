//! From shapes to gates: folds constants, fuses rules, and finds contracts that can never hold.
//!
//! [`Compiler::gate`] turns one shape into one gate; `operand` makes operands ready, `fuse` turns rules into
//! tests, `sound` looks for contradictions, `settle` finds out what only the whole tells (which definitions have
//! no end, which kinds a gate can take, what must not be printed), `lower` turns gates into the checks that the
//! quick walk runs, with `tag` for unions and `merge` for objects.

mod analysis;
mod fuse;
mod lower;
mod merge;
mod operand;
mod soundness;
mod tag;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::branch::{Branch, BranchTest};
use crate::check::GateCheck;
use crate::flaw::{self, Flaw, FlawCode};
use crate::gate_id::{GateId, Rest};
use crate::host::Host;
use crate::members::ConstantSet;
use crate::names::NameTable;
use crate::operand::Operand;
use crate::program::{
    Choice, CompiledProgram, EnumPart, Gate, ListPart, ObjectPart, PropertyPart, Ready, RuleSet,
};
use crate::rules::{Conditional, Rule, Rules, Test, size};
use crate::shape::{Additional, Definitions, Form, Object, Select, Shape, Union};
use value::Constant;
use value::View;
use value::{Kinds, ValueKind};

/// How deep shapes may nest in one another.
const DEEPEST: u32 = 256;

/// Which definitions are compiled with a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionUses {
    /// Those that the shape leads to.
    Referred,
    /// All of them: what nobody refers to may be wrong as well.
    All,
}

/// Compiles a shape and its definitions.
pub(crate) fn compile(
    shape: &Shape,
    definitions: &Definitions,
    uses: DefinitionUses,
    host: &dyn Host,
) -> Result<CompiledProgram, Vec<Flaw>> {
    let mut compiler = Compiler::new(definitions, host);
    let root = compiler.gate(shape, ShapeContext::NOTHING);
    if uses == DefinitionUses::All {
        for name in definitions.keys() {
            compiler.definition(name, shape);
        }
    }
    compiler.settle();
    let mut flaws = std::mem::take(&mut compiler.flaws);
    if flaws.is_empty() {
        return Ok(compiler.program(root));
    }
    flaw::in_written_order(&mut flaws);
    Err(flaws)
}

/// Compiles a shape that may contradict itself.
pub(crate) fn compile_usable(
    shape: &Shape,
    definitions: &Definitions,
    host: &dyn Host,
) -> Result<CompiledProgram, Vec<Flaw>> {
    let mut compiler = Compiler::new(definitions, host);
    let root = compiler.gate(shape, ShapeContext::NOTHING);
    compiler.settle();
    let mut flaws = std::mem::take(&mut compiler.flaws);
    flaws.retain(|flaw| !flaw.code.is_usable());
    if flaws.is_empty() {
        return Ok(compiler.program(root));
    }
    flaw::in_written_order(&mut flaws);
    Err(flaws)
}

/// Compiles all definitions, each of which can be checked for itself.
pub(crate) fn library(definitions: &Definitions, host: &dyn Host) -> (Option<CompiledProgram>, Vec<Flaw>) {
    let any = Shape::any();
    let mut compiler = Compiler::new(definitions, host);
    for name in definitions.keys() {
        compiler.definition(name, &any);
    }
    let root = compiler.gate(&any, ShapeContext::NOTHING);
    compiler.settle();
    let mut flaws = std::mem::take(&mut compiler.flaws);
    let usable = flaws.iter().all(|flaw| flaw.code.is_usable());
    flaw::in_written_order(&mut flaws);
    (usable.then(|| compiler.program(root)), flaws)
}

/// The state of one compilation.
struct Compiler<'d> {
    definitions: &'d Definitions,
    host: &'d dyn Host,
    gates: Vec<Gate>,
    /// What the quick walk runs, once all gates are there.
    checks: Vec<GateCheck>,
    named: HashMap<&'d str, GateId>,
    /// Definitions that are referred to and not built yet.
    queue: Vec<(GateId, &'d Shape)>,
    /// Defaults and examples to check once all gates are there, each with what it is if it is broken.
    defaults: Vec<(GateId, &'d Shape, &'d Constant, FlawCode)>,
    flaws: Vec<Flaw>,
    /// Whether some rule refers to a field.
    scoped: bool,
    /// Whether some value must not be printed.
    secrets: bool,
}

/// What stands around a shape.
#[derive(Clone, Copy)]
struct ShapeContext<'a> {
    /// The fields of the nearest object, which a reference can name.
    fields: Option<&'a Fields<'a>>,
    /// Whether that is all there can be around; a definition may stand in any object.
    known: bool,
    depth: u32,
}

/// An object with an index of its properties.
struct Fields<'a> {
    object: &'a Object,
    names: &'a NameTable,
}

impl ShapeContext<'_> {
    /// A shape that stands alone.
    const NOTHING: ShapeContext<'static> = ShapeContext { fields: None, known: true, depth: 0 };
}

impl<'d> Compiler<'d> {
    fn new(definitions: &'d Definitions, host: &'d dyn Host) -> Compiler<'d> {
        Compiler {
            definitions,
            host,
            gates: Vec::with_capacity(16),
            checks: Vec::new(),
            named: HashMap::new(),
            queue: Vec::new(),
            defaults: Vec::new(),
            flaws: Vec::new(),
            scoped: false,
            secrets: false,
        }
    }

    /// Builds the definitions, and finds out what only the whole tells.
    fn settle(&mut self) {
        // One after the other, not inside one another: a chain of definitions may be long.
        while let Some((id, definition)) = self.queue.pop() {
            self.build(id, definition, ShapeContext { known: false, ..ShapeContext::NOTHING });
        }
        self.secrets = analysis::settle(self);
        self.checks = lower::lower(&mut self.gates, self.scoped);
        if self.flaws.iter().all(|flaw| flaw.code.is_usable()) {
            soundness::broken_defaults(self);
        }
    }

    fn program(self, root: GateId) -> CompiledProgram {
        CompiledProgram {
            gates: self.gates,
            checks: self.checks.into(),
            root,
            scoped: self.scoped,
            secrets: self.secrets,
            entries: self
                .definitions
                .keys()
                .filter_map(|name| Some((name.clone(), *self.named.get(&**name)?)))
                .collect(),
        }
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
    fn gate(&mut self, shape: &'d Shape, around: ShapeContext<'_>) -> GateId {
        if let Form::Ref(name) = &shape.form
            && shape.rules.is_empty()
            && shape.default.is_none()
            && shape.examples.is_empty()
            && !shape.nullable
            && !shape.secret
        {
            return self.definition(name, shape);
        }
        let id = self.reserve();
        self.build(id, shape, around);
        id
    }

    fn definition(&mut self, name: &str, shape: &'d Shape) -> GateId {
        if let Some(id) = self.named.get(name) {
            return *id;
        }
        let id = self.reserve();
        match self.definitions.get_key_value(name) {
            Some((name, definition)) => {
                self.named.insert(name, id);
                self.queue.push((id, definition));
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

    fn build(&mut self, id: GateId, shape: &'d Shape, around: ShapeContext<'_>) {
        if around.depth > DEEPEST {
            let message = format!("shapes nest deeper than {DEEPEST} levels");
            self.flaw(Flaw::new(FlawCode::TooDeep, message).at(shape.place));
            return;
        }
        let inner = ShapeContext { depth: around.depth + 1, ..around };
        let mut gate = self.form(shape, inner);
        gate.nullable = shape.nullable;
        gate.secret = shape.secret;
        gate.title = shape.title.clone();
        gate.place = shape.place;
        self.rules(shape, &mut gate, inner);
        if !gate.rules.is_empty() {
            soundness::check_rules(self, shape, &gate);
        }
        gate.free = is_free(&gate);
        if let Some(default) = shape.default.as_deref() {
            self.defaults.push((id, shape, default, FlawCode::BrokenDefault));
        }
        let examples = shape.examples.iter().map(|example| (id, shape, example, FlawCode::BrokenExample));
        self.defaults.extend(examples);
        if let Some(place) = self.gates.get_mut(id as usize) {
            *place = gate;
        }
    }

    fn form(&mut self, shape: &'d Shape, around: ShapeContext<'_>) -> Gate {
        let mut gate = Gate::default();
        gate.accept = match &shape.form {
            Form::Any => Kinds::ALL,
            Form::Never => Kinds::NONE,
            Form::Null => ValueKind::Null.into(),
            Form::Bool => ValueKind::Bool.into(),
            Form::Int(width) => {
                gate.width = *width;
                ValueKind::Int.into()
            }
            Form::Number => Kinds::NUMBERS,
            Form::Text => ValueKind::Text.into(),
            Form::Bytes => Kinds::STRINGS,
            Form::Enum(it) => {
                if !it.open || it.by_name {
                    let mut numbers: Vec<i64> = it.members.iter().map(|(_, number)| *number).collect();
                    numbers.sort_unstable();
                    let names = it.members.iter().filter(|_| it.by_name).map(|(name, _)| &**name);
                    let (numbers, names) = (numbers.into(), NameTable::new(names));
                    gate.members = Some(Box::new(EnumPart { numbers, names, open: it.open }));
                }
                if it.by_name { Kinds::of(&[ValueKind::Int, ValueKind::Text]) } else { ValueKind::Int.into() }
            }
            Form::List(items) | Form::Set(items) => {
                let rest = Rest::Gate(self.gate(items, around));
                let set = matches!(shape.form, Form::Set(_));
                gate.list = Some(Box::new(ListPart { rest, set, ..ListPart::open() }));
                ValueKind::List.into()
            }
            Form::Tuple(tuple) => {
                let prefix = tuple.items.iter().map(|item| self.gate(item, around)).collect();
                let rest = match &tuple.rest {
                    Some(rest) => Rest::Gate(self.gate(rest, around)),
                    None => Rest::Closed,
                };
                gate.list = Some(Box::new(ListPart { prefix, least: tuple.least, rest, ..ListPart::open() }));
                ValueKind::List.into()
            }
            Form::Map(key, value) => {
                let keys = Box::new([self.gate(key, around)]);
                let rest = Rest::Gate(self.gate(value, around));
                gate.object = Some(Box::new(ObjectPart { keys, rest, map: true, ..ObjectPart::open() }));
                ValueKind::Object.into()
            }
            Form::Object(object) => {
                gate.object = Some(Box::new(self.object(object, shape, around)));
                ValueKind::Object.into()
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
                gate.also = Box::new([self.definition(name, shape)]);
                Kinds::ALL
            }
        };
        gate
    }

    fn object(&mut self, object: &'d Object, shape: &'d Shape, around: ShapeContext<'_>) -> ObjectPart {
        let names = NameTable::new(object.properties.iter().map(|property| &*property.name));
        self.duplicates(object, &names);
        let fields = Fields { object, names: &names };
        let inside = ShapeContext { fields: Some(&fields), known: true, depth: around.depth };
        let rest = match &object.additional {
            Additional::Open => Rest::Open,
            Additional::Closed => Rest::Closed,
            Additional::Shape(shape) => Rest::Gate(self.gate(shape, inside)),
        };
        let mut properties = Vec::with_capacity(object.properties.len());
        let mut tags = Vec::new();
        for (property, position) in object.properties.iter().zip(0u32..) {
            let place = property.place.or(property.shape.place);
            tags.extend(property.tag.map(|tag| (tag, position)));
            let has_pattern =
                || object.patterns.iter().any(|(pattern, _)| pattern.is_match(property.name.as_bytes()));
            let gate = match rest {
                Rest::Gate(rest) if property.undeclared && !has_pattern() => rest,
                Rest::Open | Rest::Closed | Rest::Gate(_) => self.gate(&property.shape, inside),
            };
            if property.required && matches!(property.shape.form, Form::Never) {
                let message = format!("the required property `{}` can have no value", property.name);
                self.flaw(Flaw::new(FlawCode::Unsatisfiable, message).at(place.or(shape.place)));
            }
            properties.push(PropertyPart {
                position,
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
        // A rule about all names is a rule on the object, and refers to what is around it.
        let keys = object.names.iter().map(|shape| self.gate(shape, around)).collect();
        ObjectPart {
            names: names.into(),
            tags: tags.into(),
            required: properties.iter().filter(|property| property.required).count(),
            defaults: properties.iter().any(|property| property.absent.is_some()),
            properties: properties.into(),
            patterns,
            rest,
            keys,
            values: Box::default(),
            asserts: None,
            map: false,
        }
    }

    fn duplicates(&mut self, object: &Object, names: &NameTable) {
        if !names.has_repeated() && object.properties.iter().all(|property| property.tag.is_none()) {
            return;
        }
        let mut tags = HashSet::new();
        for (position, property) in object.properties.iter().enumerate() {
            let name = &property.name;
            let message = if names.get(name.as_bytes()) != Some(position) {
                format!("the property `{name}` is declared twice")
            } else if let Some(tag) = property.tag.filter(|tag| !tags.insert(*tag)) {
                format!("the property `{name}` has the number {tag}, which another property has")
            } else {
                continue;
            };
            let place = property.place.or(property.shape.place);
            self.flaw(Flaw::new(FlawCode::DuplicateProperty, message).at(place));
        }
    }

    fn union(&mut self, union: &'d Union, around: ShapeContext<'_>) -> Choice {
        let gates: Vec<GateId> = union.alternatives.iter().map(|shape| self.gate(shape, around)).collect();
        match &union.select {
            Select::Any => Choice::Any(gates.into()),
            Select::One => Choice::One(gates.into()),
            Select::Kind => Choice::Kind { gates: gates.into(), table: [None; 8] },
            Select::Property { name, values } => Choice::Property {
                name: name.clone(),
                gates: values.iter().filter_map(|(_, position)| gates.get(*position).copied()).collect(),
                values: NameTable::new(
                    values.iter().filter(|(_, position)| *position < gates.len()).map(|(value, _)| &**value),
                ),
            },
        }
    }

    /// Compiles the rules of a shape; those about parts become gates of the parts.
    fn rules(&mut self, shape: &'d Shape, gate: &mut Gate, around: ShapeContext<'_>) {
        if shape.rules.is_empty() {
            return;
        }
        let (mut each, mut keys, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (mut own, mut asserts) = (false, false);
        for rule in &shape.rules {
            match &rule.test {
                Test::Elements(shape) => each.push(self.part_gate(rule, shape, around)),
                Test::Keys(shape) => keys.push(self.part_gate(rule, shape, around)),
                Test::Values(shape) => values.push(self.part_gate(rule, shape, around)),
                Test::Assert(_) => asserts = true,
                _ => own = true,
            }
        }
        if asserts {
            let names = gate.object.as_ref().map(|part| part.names.clone());
            let asserts = self.asserts(shape, names.as_deref(), around);
            gate.object.get_or_insert_with(|| Box::new(ObjectPart::map())).asserts = Some(Box::new(asserts));
        }
        if !each.is_empty() {
            gate.list.get_or_insert_with(|| Box::new(ListPart::open())).each = each.into();
        }
        if !keys.is_empty() || !values.is_empty() {
            let object = gate.object.get_or_insert_with(|| Box::new(ObjectPart::map()));
            object.keys = object.keys.iter().copied().chain(keys).collect();
            object.values = values.into();
        }
        if own {
            gate.rules = self.rule_set(&shape.rules, around, |test| !test.is_on_parts());
        }
    }

    /// Compiles rules on an object's own fields.
    fn asserts(&mut self, shape: &'d Shape, names: Option<&NameTable>, around: ShapeContext<'_>) -> RuleSet {
        self.scoped = true;
        let known = match (&shape.form, names) {
            (Form::Object(object), Some(names)) => Some((object, names)),
            // The fields of a definition, or of any object, are not known here.
            _ => None,
        };
        let fields = known.map(|(object, names)| Fields { object, names });
        let inside = ShapeContext { fields: fields.as_ref(), known: fields.is_some(), ..around };
        self.rule_set(&shape.rules, inside, |test| matches!(test, Test::Assert(_)))
    }

    fn part_gate(&mut self, rule: &'d Rule, shape: &'d Shape, around: ShapeContext<'_>) -> GateId {
        let id = self.gate(shape, around);
        if let Some(gate) = self.gates.get_mut(id as usize) {
            gate.place = gate.place.or(rule.place);
        }
        id
    }

    /// Makes the rules of one kind ready.
    fn rule_set(&mut self, rules: &'d Rules, around: ShapeContext<'_>, wanted: fn(&Test) -> bool) -> RuleSet {
        let mut ready = Vec::new();
        for (position, rule) in rules.iter().enumerate().filter(|(_, rule)| wanted(&rule.test)) {
            if let Some(it) = self.ready(rule, around) {
                ready.reserve_exact(rules.len() - ready.len());
                ready.resize_with(position, Ready::default);
                ready.push(it);
            }
        }
        RuleSet::new(rules.clone(), ready)
    }

    /// What a rule needs besides what was written, if that is anything.
    fn ready(&mut self, rule: &'d Rule, around: ShapeContext<'_>) -> Option<Ready> {
        let all_constant = || rule.test.operands().iter().all(|operand| operand.as_constant().is_some());
        match &rule.test {
            Test::Not(shape) => Some(Ready { gate: Some(self.gate(shape, around)), ..Ready::default() }),
            Test::If(conditional) => {
                let Conditional { test, then, otherwise } = &**conditional;
                let test = BranchTest::Gate(self.gate(test, around));
                let mut further = |shape: &'d Option<Shape>| Some(self.gate(shape.as_ref()?, around));
                let (then, otherwise) = (further(then), further(otherwise));
                Some(Ready::branch(Branch { test, then, otherwise }))
            }
            Test::Dependent(dependent) => {
                let test = BranchTest::Member(dependent.property.clone());
                let then = Some(self.gate(&dependent.shape, around));
                Some(Ready::branch(Branch { test, then, otherwise: None }))
            }
            Test::Containment(containment) => {
                Some(Ready { gate: Some(self.gate(&containment.shape, around)), ..Ready::default() })
            }
            Test::Constant(constant) => Some(Ready::members(std::iter::once(constant))),
            Test::In(operands) | Test::NotIn(operands) if all_constant() => {
                Some(Ready::members(operands.iter().filter_map(Operand::as_constant)))
            }
            Test::MinLength(_, Operand::Constant(length)) | Test::MaxLength(_, Operand::Constant(length)) => {
                let length = whole_length(length)?;
                Some(Ready { operands: Some(Box::new([length.into()])), ..Ready::default() })
            }
            _ if all_constant() => None,
            test => {
                let operands = test.operands().iter().map(|operand| self.operand(operand, rule, around));
                Some(Ready { operands: Some(operands.collect()), ..Ready::default() })
            }
        }
    }
}

impl Ready {
    /// Where a rule leads.
    fn branch(branch: Branch) -> Ready {
        Ready { branch: Some(Box::new(branch)), ..Ready::default() }
    }

    /// Constants to look up.
    fn members<'c>(constants: impl Iterator<Item = &'c Constant> + Clone) -> Ready {
        Ready { members: Some(Arc::new(ConstantSet::new(constants))), ..Ready::default() }
    }
}

/// A length that is written with a fraction, such as `2.0`, as the integer it is.
fn whole_length(length: &Constant) -> Option<i64> {
    match length {
        Constant::Float(_) => i64::try_from(size(View::node(length))?).ok(),
        _ => None,
    }
}

/// Whether a gate lets every value pass without a look at it.
fn is_free(gate: &Gate) -> bool {
    gate.accept == Kinds::ALL
        && gate.rules.is_empty()
        && gate.list.is_none()
        && gate.object.is_none()
        && gate.members.is_none()
        && gate.choice.is_none()
        && gate.also.is_empty()
        // What must not be printed must be met to be known.
        && !gate.secret
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
            names: Arc::default(),
            tags: Box::default(),
            properties: Box::default(),
            patterns: Box::default(),
            rest: Rest::Open,
            keys: Box::default(),
            values: Box::default(),
            required: 0,
            defaults: false,
            asserts: None,
            map: false,
        }
    }

    /// Says nothing about the entries of a map.
    fn map() -> ObjectPart {
        ObjectPart { map: true, ..ObjectPart::open() }
    }
}
