//! Plans: what to do with each field of each struct when its bytes come by.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::{
    Additional, Base, Constant, Contract, DefinitionHandle, Definitions, Form, Object, Operand, Property,
    Reference, ReferenceStep as RefStep, Rule, Rules, Shape, Test,
};

use super::relation::{self, Relation};
use super::types::{ProgramTypes, Ty, TypeForm, wire_type};
use super::{Halfway, NotUtf8, ValidateConfig};
use crate::model::{Model, StructId, StructRole, Type, TypeId};
use crate::rules::{Functions, Lowered};
use crate::wire::WireType;

/// The plans of all structs of a program.
#[derive(Clone, Debug)]
pub(super) struct Plans {
    structs: Vec<StructPlan>,
    /// Typedefs of containers, each planned once.
    shared: Vec<ValidationStep>,
    pub(super) types: ProgramTypes,
}

impl Plans {
    /// What to do with a value of a typedef.
    pub(super) fn shared(&self, number: u32) -> Option<&ValidationStep> {
        self.shared.get(number as usize)
    }

    /// What to do with values of typedefs.
    pub(super) fn all_shared(&self) -> &[ValidationStep] {
        &self.shared
    }

    pub(super) fn all(&self) -> &[StructPlan] {
        &self.structs
    }

    pub(super) fn get(&self, id: StructId) -> Option<&StructPlan> {
        self.structs.get(id.0 as usize)
    }
}

/// What to do with a struct.
#[derive(Clone, Debug)]
pub(super) struct StructPlan {
    /// The name of the definition with all its rules.
    pub(super) definition: Arc<str>,
    /// Fields by id, sorted.
    pub(super) fields: Box<[(i16, FieldPlan)]>,
    /// The names of the fields, as declared.
    names: Box<[Box<str>]>,
    /// Whether it can have but one field.
    pub(super) is_union: bool,
    /// The fields that must be there.
    pub(super) musts: Box<[Must]>,
    /// Rules that look at several fields.
    pub(super) late: Option<DefinitionHandle>,
    /// The same rules, if each of them compares two fields.
    pub(super) relations: Option<Box<[Relation]>>,
}

/// A field that must be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Must {
    /// Its place among the fields of the struct, as declared.
    pub(super) position: u32,
    /// Its place among the fields sorted by id.
    pub(super) index: usize,
    /// Whether the bytes are no message without it; otherwise a rule is broken.
    pub(super) required: bool,
}

impl StructPlan {
    /// The name of the field at a position.
    pub(super) fn field_name(&self, position: u32) -> Box<str> {
        self.names.get(position as usize).cloned().unwrap_or_default()
    }

    /// A field by its id, with its place among the fields.
    #[inline]
    pub(super) fn field(&self, id: i16, guess: usize) -> Option<(usize, &FieldPlan)> {
        // Writers send fields in order, so that the next one is nearly always the next one.
        match self.fields.get(guess) {
            Some((known, plan)) if *known == id => Some((guess, plan)),
            _ => {
                let at = self.fields.binary_search_by_key(&id, |(id, _)| *id).ok()?;
                self.fields.get(at).map(|(_, plan)| (at, plan))
            }
        }
    }
}

/// What to do with a field.
#[derive(Clone, Debug)]
pub(super) struct FieldPlan {
    /// Its place among the fields, as declared.
    pub(super) position: u32,
    /// The type it must have.
    pub(super) ty: Ty,
    /// The same as the wire has it.
    pub(super) wire: WireType,
    /// Whether it must be there.
    pub(super) must: bool,
    /// Whether readers may take a number for nothing that no member of its enum has, although it must be there.
    pub(super) member: bool,
    /// Whether rules on several fields look at it.
    pub(super) late: bool,
    /// Whether keys in it must not be shown.
    pub(super) secret: bool,
    pub(super) step: ValidationStep,
}

/// What to do with a value; `O` is what is known of the rules on the value alone.
#[derive(Clone, Debug)]
pub(super) enum ValidationStep<O = ValueRules> {
    /// Nothing: move over it. It is a number, or text that no rule speaks of.
    Skip,
    /// Test that it is a truth value.
    Bool,
    /// Test that text is UTF-8.
    Text,
    Test(O),
    /// Test that it has its type, and everything in it has.
    Typed(Ty),
    /// Test the size, then each element.
    List {
        size: Option<O>,
        element: WireType,
        step: Box<ValidationStep<O>>,
        /// The type of elements that must not come twice.
        distinct: Option<Ty>,
    },
    /// Test the size, then each key and value.
    Map {
        size: Option<O>,
        types: (WireType, WireType),
        key: Box<ValidationStep<O>>,
        value: Box<ValidationStep<O>>,
        /// The types of the entries of which no key must come twice.
        distinct: Option<(Ty, Ty)>,
    },
    /// Go on with the plan of a struct.
    Struct(StructId),
    /// Go on with the plan of a typedef, by its number.
    Shared(u32),
}

/// The rules of a value alone, compiled and as they were.
#[derive(Clone, Debug)]
pub(super) struct ValueRules {
    pub(super) entry: DefinitionHandle,
    /// Whether the value is bytes, not text.
    pub(super) binary: bool,
    /// Whether text must be UTF-8.
    pub(super) utf8: bool,
    pub(super) rules: Box<[Rule]>,
}

/// Plans before the contract is compiled: entries are names.
#[derive(Debug)]
pub(super) struct Drafts {
    structs: Vec<StructDraft>,
    shared: Vec<StepDraft>,
    types: ProgramTypes,
}

#[derive(Debug)]
struct StructDraft {
    definition: Arc<str>,
    is_union: bool,
    fields: Vec<FieldDraft>,
    late: Option<Arc<str>>,
    relations: Option<Box<[Relation]>>,
}

#[derive(Debug)]
struct FieldDraft {
    name: Box<str>,
    id: i16,
    ty: Ty,
    step: StepDraft,
    required: bool,
    member: bool,
    requirement: bool,
    late: bool,
    secret: bool,
    absent: Option<Box<Constant>>,
    /// The definition of the field's own rules, for what stands in when it is absent.
    whole: Arc<str>,
}

type StepDraft = ValidationStep<OwnDraft>;

#[derive(Debug)]
struct OwnDraft {
    name: Arc<str>,
    binary: bool,
    utf8: bool,
    rules: Box<[Rule]>,
}

/// Plans every struct, and adds to the definitions what the plans will test.
pub(super) fn draft(model: &Model, lowered: &mut Lowered, config: &ValidateConfig) -> Drafts {
    let by_name: BTreeMap<Arc<str>, StructId> =
        lowered.names.iter().cloned().zip((0..).map(StructId)).collect();
    let types = ProgramTypes::new(model);
    let looked_at = LookedAt::new(model, lowered, &types);
    let mut drafter = Drafter {
        model,
        types: &types,
        by_name: &by_name,
        lowered: &lowered.definitions,
        utf8: config.not_utf8 == NotUtf8::Refuse,
        all_utf8: config.all_utf8(),
        extra: Definitions::new(),
        refers: BTreeMap::new(),
        numbers: BTreeMap::new(),
        shared: Vec::new(),
    };
    let mut structs = Vec::with_capacity(model.structs.len());
    for ((it, name), id) in model.structs.iter().zip(&lowered.names).zip((0..).map(StructId)) {
        let properties = match lowered.definitions.get(name).map(|shape| (&shape.form, shape)) {
            Some((Form::Object(object), shape)) => Some((object, shape)),
            _ => None,
        };
        let mut fields = Vec::new();
        let mut late = Vec::new();
        for (field, property) in
            it.fields.iter().zip(properties.iter().flat_map(|(object, _)| &object.properties))
        {
            let (now, later) = drafter.split(&property.shape);
            let whole: Arc<str> = format!("{name}/{}", field.wire_id()).into();
            let exact = looked_at.fields.contains(&(id, field.wire_id()));
            let step = drafter.step(&now, field.ty, &whole, exact);
            drafter.extra.insert(whole.clone(), now);
            late.extend(later.map(|shape| Property {
                shape,
                required: false,
                requirement: None,
                ..property.clone()
            }));
            fields.push(FieldDraft {
                name: field.name.text.as_str().into(),
                id: field.wire_id(),
                ty: types.of(field.ty),
                step,
                late: exact,
                secret: property.shape.secret,
                required: property.required && property.requirement.is_none(),
                member: config.halfway == Halfway::Refuse
                    && property.required
                    && property.requirement.is_none()
                    && matches!(model.real(field.ty), Type::Enum(_)),
                requirement: property.required
                    && property.requirement.is_some()
                    && it.role != StructRole::Union,
                absent: property.absent.clone(),
                whole,
            });
        }
        let asserts: Rules = properties.iter().flat_map(|(_, shape)| shape.rules.iter().cloned()).collect();
        let relations = properties
            .filter(|_| asserts.is_empty())
            .and_then(|(object, _)| relation::all(model, it, &object.properties, &late));
        let late = (!late.is_empty() || !asserts.is_empty()).then(|| {
            let key: Arc<str> = format!("{name}/late").into();
            let declared = properties.iter().flat_map(|(object, _)| &object.properties);
            let shape = late_shape(declared, late, asserts);
            drafter.extra.insert(key.clone(), shape);
            key
        });
        let is_union = it.role == StructRole::Union;
        structs.push(StructDraft { definition: name.clone(), is_union, fields, late, relations });
    }
    let Drafter { extra, shared, .. } = drafter;
    lowered.definitions.extend(extra);
    Drafts { structs, shared, types }
}

/// The fields that rules on other values look at. What is compared must be the same for all readers.
struct LookedAt {
    fields: BTreeSet<(StructId, i16)>,
}

impl LookedAt {
    fn new(model: &Model, lowered: &Lowered, types: &ProgramTypes) -> LookedAt {
        let structs: BTreeSet<&str> = lowered.names.iter().map(AsRef::as_ref).collect();
        let mut found = LookedAt { fields: BTreeSet::new() };
        for ((it, name), id) in model.structs.iter().zip(&lowered.names).zip((0..).map(StructId)) {
            let Some(shape) = lowered.definitions.get(name) else { continue };
            let Form::Object(object) = &shape.form else { continue };
            let mut all = Vec::new();
            shape.rules.iter().for_each(|rule| rule_references(rule, &mut all));
            for (field, property) in it.fields.iter().zip(&object.properties) {
                let mut rules = References {
                    lowered,
                    structs: &structs,
                    todo: vec![&property.shape],
                    typedefs: BTreeSet::new(),
                    found: Vec::new(),
                    refers: false,
                };
                rules.collect();
                if rules.refers {
                    found.fields.insert((id, field.wire_id()));
                }
                for own in rules.found.iter().filter(|it| it.base == Base::Own) {
                    found.follow(types, types.of(field.ty), &own.steps);
                }
                all.extend(rules.found);
            }
            for reference in all {
                let Base::Field(name) = &reference.base else { continue };
                if let Some(field) = it.fields.iter().find(|field| field.name.text == **name) {
                    found.fields.insert((id, field.wire_id()));
                    found.follow(types, types.of(field.ty), &reference.steps);
                }
            }
        }
        found
    }

    /// Notes the fields of other structs that steps lead to.
    fn follow(&mut self, types: &ProgramTypes, from: Ty, steps: &[RefStep]) {
        let mut ty = from;
        for step in steps {
            ty = match (types.kind(ty), step) {
                (TypeForm::List(element) | TypeForm::Set(element), _) => element,
                (TypeForm::Map(_, value), _) => value,
                (TypeForm::Struct(id), RefStep::Index(number) | RefStep::Member { number, .. }) => {
                    let field = i16::try_from(*number)
                        .ok()
                        .and_then(|number| types.structure(id)?.field(number).map(|(_, field)| field));
                    let Some(field) = field else { return };
                    self.fields.insert((id, field.id));
                    field.ty
                }
                _ => return,
            };
        }
    }
}

/// What the rules on a field refer to, with those of its typedefs.
struct References<'s> {
    lowered: &'s Lowered,
    structs: &'s BTreeSet<&'s str>,
    todo: Vec<&'s Shape>,
    typedefs: BTreeSet<&'s str>,
    found: Vec<&'s Reference>,
    /// Whether some rule looks at another field or calls a function.
    refers: bool,
}

impl<'s> References<'s> {
    fn collect(&mut self) {
        while let Some(shape) = self.todo.pop() {
            for rule in &shape.rules {
                self.refers |= rule_refers(rule);
                rule_references(rule, &mut self.found);
            }
            shape.form.each_part(&mut |part| self.todo.push(part));
            if let Form::Ref(name) = &shape.form
                && !self.structs.contains(&**name)
                && self.typedefs.insert(name)
            {
                self.todo.extend(self.lowered.definitions.get(name));
            }
        }
    }
}

fn rule_references<'s>(rule: &'s Rule, found: &mut Vec<&'s Reference>) {
    rule.test.operands().iter().for_each(|operand| operand_references(operand, found));
}

// INVARIANT: operands nest no deeper than they are written, for which their parser has a limit.
fn operand_references<'s>(operand: &'s Operand, found: &mut Vec<&'s Reference>) {
    match operand {
        Operand::Constant(_) => {}
        Operand::Reference(reference) => found.push(reference),
        Operand::Call { arguments, .. } => {
            arguments.iter().for_each(|argument| operand_references(argument, found));
        }
    }
}

/// A struct with nothing but the rules that refer to fields, and what stands in for absent ones.
fn late_shape<'p>(
    declared: impl Iterator<Item = &'p Property>,
    late: Vec<Property>,
    asserts: Rules,
) -> Shape {
    let properties = declared.map(|property| match late.iter().find(|late| late.name == property.name) {
        Some(late) => late.clone(),
        None => Property {
            shape: Shape { secret: property.shape.secret, ..Shape::any() },
            required: false,
            requirement: None,
            ..property.clone()
        },
    });
    let object = Object { additional: Additional::Open, ..Object::open(properties) };
    Shape { rules: asserts, ..Shape::from(object) }
}

fn rule_refers(rule: &Rule) -> bool {
    let dynamic = |operand: &Operand| !matches!(operand, Operand::Constant(_));
    // Elements are compared with each other, once they are all there.
    matches!(rule.test, Test::Assert(_) | Test::Unique(())) || rule.test.operands().iter().any(dynamic)
}

struct Drafter<'d> {
    model: &'d Model,
    types: &'d ProgramTypes,
    by_name: &'d BTreeMap<Arc<str>, StructId>,
    lowered: &'d Definitions,
    /// Whether text must be UTF-8 where that makes a difference.
    utf8: bool,
    /// Whether all text must be.
    all_utf8: bool,
    /// Definitions for what is tested on its own.
    extra: Definitions,
    /// Whether a typedef has rules that look at other fields.
    refers: BTreeMap<Arc<str>, bool>,
    /// The numbers of typedefs, by their definitions and whether others look at them.
    numbers: BTreeMap<(Arc<str>, bool), u32>,
    shared: Vec<StepDraft>,
}

impl Drafter<'_> {
    /// The definition of a typedef; `None` for that of a struct.
    fn typedef(&self, name: &Arc<str>) -> Option<&Shape> {
        match self.by_name.contains_key(name) {
            true => None,
            false => self.extra.get(name).or_else(|| self.lowered.get(name)),
        }
    }

    /// Parts a shape into what can be tested where it stands and what must wait for other fields.
    // INVARIANT: typedefs and types nest no deeper than the resolver allows.
    fn split(&mut self, shape: &Shape) -> (Shape, Option<Shape>) {
        if !self.refers(shape) {
            return (shape.clone(), None);
        }
        let mut now = shape.clone();
        let mut late = Shape { rules: Rules::default(), form: Form::Any, ..shape.clone() };
        now.rules.retain(|rule| !rule_refers(rule));
        late.rules = shape.rules.iter().filter(|rule| rule_refers(rule)).cloned().collect();
        match &shape.form {
            Form::List(element) => {
                let (inner, later) = self.split(element);
                now.form = Form::List(Box::new(inner));
                late.form = later.map_or(Form::Any, |later| Form::List(Box::new(later)));
            }
            Form::Map(key, value) => {
                let ((key, late_key), (value, late_value)) = (self.split(key), self.split(value));
                now.form = Form::Map(Box::new(key), Box::new(value));
                if late_key.is_some() || late_value.is_some() {
                    let any = |shape: Option<Shape>| Box::new(shape.unwrap_or_else(Shape::any));
                    late.form = Form::Map(any(late_key), any(late_value));
                }
            }
            Form::All(shapes) => {
                let (inner, later): (Vec<Shape>, Vec<Option<Shape>>) =
                    shapes.iter().map(|shape| self.split(shape)).unzip();
                now.form = Form::All(inner);
                late.form = Form::All(later.into_iter().flatten().collect());
            }
            Form::Ref(name) => {
                let [first, second] = self.split_typedef(name);
                now.form = Form::Ref(first);
                late.form = Form::Ref(second);
            }
            // Lowering makes none of these; all of such a value would wait.
            Form::Set(_) | Form::Tuple(_) | Form::Object(_) | Form::Union(_) => {
                now.form = Form::Any;
                late.form = shape.form.clone();
            }
            Form::Any
            | Form::Never
            | Form::Null
            | Form::Bool
            | Form::Int(_)
            | Form::Number
            | Form::Text
            | Form::Bytes
            | Form::Enum(_) => {}
        }
        (now, Some(late))
    }

    /// The definitions of a typedef's two parts.
    fn split_typedef(&mut self, name: &Arc<str>) -> [Arc<str>; 2] {
        let names: [Arc<str>; 2] = ["now", "late"].map(|part| format!("{name}/{part}").into());
        let [first, second] = &names;
        if !self.extra.contains_key(first)
            && let Some(shape) = self.typedef(name).cloned()
        {
            let (now, late) = self.split(&shape);
            self.extra.insert(first.clone(), now);
            self.extra.insert(second.clone(), late.unwrap_or_else(Shape::any));
        }
        names
    }

    /// Whether some rule in a shape, other structs aside, looks at another field or calls a function.
    fn refers(&mut self, shape: &Shape) -> bool {
        if shape.rules.iter().any(rule_refers) {
            return true;
        }
        if let Form::Ref(name) = &shape.form {
            if let Some(known) = self.refers.get(name) {
                return *known;
            }
            let Some(shape) = self.typedef(name).cloned() else { return false };
            let found = self.refers(&shape);
            self.refers.insert(name.clone(), found);
            return found;
        }
        let mut found = false;
        shape.form.each_part(&mut |part| found = found || self.refers(part));
        found
    }

    /// What to do with a value; `exact` if other rules look at it, so that all readers must see the same.
    fn step(&mut self, shape: &Shape, ty: TypeId, key: &str, exact: bool) -> StepDraft {
        if let Form::All(shapes) = &shape.form
            && let [first, rest @ ..] = shapes.as_slice()
        {
            // A typedef's rules and the field's: the same form twice, so that the rules can be put together.
            let merged = self.merged(first, rest, &shape.rules);
            return self.step(&merged, ty, key, exact);
        }
        let real = self.model.real(ty);
        match (&shape.form, real) {
            (Form::Ref(name), Type::Struct(_)) => match self.by_name.get(name) {
                Some(id) => StepDraft::Struct(*id),
                None => StepDraft::Typed(self.types.of(ty)),
            },
            (Form::Ref(name), _) if shape.rules.is_empty() => self.shared(name, ty, exact),
            // Rules beside a typedef: its form is put together with them.
            (Form::Ref(name), _) => match self.typedef(name).cloned() {
                Some(typedef) => {
                    let merged = self.merged(&typedef, &[], &shape.rules);
                    self.step(&merged, ty, key, exact)
                }
                None => StepDraft::Typed(self.types.of(ty)),
            },
            (Form::List(element), Type::List(id) | Type::Set(id)) => {
                let size = self.rules(shape, real, key);
                let is_set = matches!(real, Type::Set(_));
                let distinct = is_set && (exact || size.as_ref().is_some_and(|size| needs_distinct(size, 1)));
                StepDraft::List {
                    size,
                    element: wire_type(self.model, id),
                    step: Box::new(self.step(element, id, &format!("{key}/elem"), exact || distinct)),
                    distinct: distinct.then(|| self.types.of(id)),
                }
            }
            (Form::Map(key_shape, value_shape), Type::Map(key_id, value_id)) => {
                let size = self.rules(shape, real, key);
                // One key of text may be none.
                let certain = i64::from(!matches!(self.model.real(key_id), Type::String));
                let distinct = exact || size.as_ref().is_some_and(|size| needs_distinct(size, certain));
                StepDraft::Map {
                    size,
                    types: (wire_type(self.model, key_id), wire_type(self.model, value_id)),
                    key: Box::new(self.step(key_shape, key_id, &format!("{key}/key"), distinct)),
                    value: Box::new(self.step(value_shape, value_id, &format!("{key}/value"), exact)),
                    distinct: distinct.then(|| (self.types.of(key_id), self.types.of(value_id))),
                }
            }
            (_, Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_)) => {
                StepDraft::Typed(self.types.of(ty))
            }
            _ => match (self.rules(shape, real, key), real) {
                (Some(own), _) => StepDraft::Test(own),
                (None, Type::Bool) => StepDraft::Bool,
                (None, Type::String) if self.all_utf8 || (exact && self.utf8) => StepDraft::Text,
                (None, _) => StepDraft::Skip,
            },
        }
    }

    /// The plan of a typedef, made with its first use: all uses lead to the same types.
    fn shared(&mut self, name: &Arc<str>, ty: TypeId, exact: bool) -> StepDraft {
        let key = (name.clone(), exact);
        if let Some(number) = self.numbers.get(&key) {
            return StepDraft::Shared(*number);
        }
        let Some(shape) = self.typedef(name).cloned() else {
            return StepDraft::Typed(self.types.of(ty));
        };
        let step = self.step(&shape, ty, name, exact);
        let number = self.shared.len() as u32;
        self.shared.push(step);
        self.numbers.insert(key, number);
        StepDraft::Shared(number)
    }

    /// Names the rules of a value alone, without its parts; `None` if it has none.
    fn rules(&mut self, shape: &Shape, real: Type, key: &str) -> Option<OwnDraft> {
        if shape.rules.is_empty() {
            return None;
        }
        let name: Arc<str> = format!("{key}/own").into();
        self.extra.insert(name.clone(), Shape { rules: shape.rules.clone(), ..Shape::any() });
        let binary = real == Type::Binary;
        let utf8 = self.utf8 && real == Type::String;
        Some(OwnDraft { name, binary, utf8, rules: shape.rules.as_slice().into() })
    }

    /// Shapes of one form, with the rules of all. A typedef is written out only as far as others say more.
    fn merged(&mut self, first: &Shape, rest: &[Shape], rules: &[Rule]) -> Shape {
        let mut all = first.clone();
        for shape in rest {
            let (left, right) = (self.unfolded(&all, shape), self.unfolded(shape, &all));
            all = left;
            all.form = match (all.form, &right.form) {
                (Form::Any, form) => form.clone(),
                (form, Form::Any) => form,
                (Form::List(left), Form::List(right)) => {
                    Form::List(Box::new(self.merged(&left, &[(**right).clone()], &[])))
                }
                (Form::Map(key, value), Form::Map(other_key, other_value)) => Form::Map(
                    Box::new(self.merged(&key, &[(**other_key).clone()], &[])),
                    Box::new(self.merged(&value, &[(**other_value).clone()], &[])),
                ),
                (form, _) => form,
            };
            all.rules.extend(right.rules.iter().cloned());
        }
        all.rules.extend(rules.iter().cloned());
        all
    }

    /// A shape of which the form can be seen, if there is something to put beside it.
    fn unfolded(&mut self, shape: &Shape, beside: &Shape) -> Shape {
        match &shape.form {
            Form::All(shapes) => match shapes.split_first() {
                Some((first, rest)) => {
                    let flat = self.merged(first, rest, &shape.rules);
                    self.unfolded(&flat, beside)
                }
                None => Shape { form: Form::Any, ..shape.clone() },
            },
            Form::Ref(name) if beside.form != Form::Any || !beside.rules.is_empty() => {
                match self.typedef(name).cloned() {
                    Some(typedef) => {
                        let flat = self.merged(&typedef, &[], &shape.rules);
                        self.unfolded(&flat, beside)
                    }
                    None => shape.clone(),
                }
            }
            _ => shape.clone(),
        }
    }
}

/// Whether rules on the size of a set or map depend on how those are counted that come twice. All of them are no
/// more than were sent, so that the most is safe; `certain` of them are there if any is.
fn needs_distinct(size: &OwnDraft, certain: i64) -> bool {
    size.rules.iter().any(|rule| match &rule.test {
        Test::MaxLength(..) => false,
        Test::MinLength(_, Operand::Constant(Constant::Int(least))) => *least > certain,
        _ => true,
    })
}

/// Puts the entries of the compiled contract into the plans.
pub(super) fn finish(drafts: Drafts, contract: &Contract, functions: &Functions) -> Plans {
    let Drafts { structs, shared, types } = drafts;
    let plan = |draft| struct_plan(draft, &types, contract, functions);
    let structs = structs.into_iter().map(plan).collect();
    let shared = shared.into_iter().map(|step| step_plan(step, contract)).collect();
    Plans { structs, shared, types }
}

fn struct_plan(
    draft: StructDraft,
    types: &ProgramTypes,
    contract: &Contract,
    functions: &Functions,
) -> StructPlan {
    let mut musts = Vec::new();
    let mut fields: Vec<(i16, FieldPlan)> = Vec::with_capacity(draft.fields.len());
    let names = draft.fields.iter().map(|field| field.name.clone()).collect();
    for (field, position) in draft.fields.into_iter().zip(0u32..) {
        let breaks = field.absent.as_deref().is_some_and(|constant| {
            contract
                .definition(&field.whole)
                .is_some_and(|checker| !checker.host(functions).is_valid(constant))
        });
        let must = field.required || breaks || field.requirement;
        if must {
            musts.push((field.id, Must { position, index: 0, required: field.required }));
        }
        let plan = FieldPlan {
            position,
            ty: field.ty,
            wire: types.wire(field.ty),
            must,
            member: field.member,
            late: field.late,
            secret: field.secret,
            step: step_plan(field.step, contract),
        };
        fields.push((field.id, plan));
    }
    fields.sort_by_key(|(id, _)| *id);
    let index = |id: i16| fields.binary_search_by_key(&id, |(id, _)| *id).unwrap_or_default();
    let musts = musts.into_iter().map(|(id, must)| Must { index: index(id), ..must }).collect();
    StructPlan {
        definition: draft.definition,
        fields: fields.into(),
        names,
        is_union: draft.is_union,
        musts,
        late: draft.late.and_then(|name| contract.entry(&name)),
        relations: draft.relations,
    }
}

fn step_plan(draft: StepDraft, contract: &Contract) -> ValidationStep {
    let own = |draft: OwnDraft| {
        let OwnDraft { name, binary, utf8, rules } = draft;
        contract.entry(&name).map(|entry| ValueRules { entry, binary, utf8, rules })
    };
    match draft {
        StepDraft::Skip => ValidationStep::Skip,
        StepDraft::Bool => ValidationStep::Bool,
        StepDraft::Text => ValidationStep::Text,
        StepDraft::Typed(ty) => ValidationStep::Typed(ty),
        StepDraft::Test(draft) => own(draft).map_or(ValidationStep::Skip, ValidationStep::Test),
        StepDraft::List { size, element, step, distinct } => {
            let step = Box::new(step_plan(*step, contract));
            ValidationStep::List { size: size.and_then(own), element, step, distinct }
        }
        StepDraft::Map { size, types, key, value, distinct } => ValidationStep::Map {
            size: size.and_then(own),
            types,
            key: Box::new(step_plan(*key, contract)),
            value: Box::new(step_plan(*value, contract)),
            distinct,
        },
        StepDraft::Struct(id) => ValidationStep::Struct(id),
        StepDraft::Shared(number) => ValidationStep::Shared(number),
    }
}
