//! Plans: what to do with each field of each struct when its bytes come by.

use std::collections::BTreeMap;
use std::sync::Arc;

use contract::{
    Additional, Constant, Contract, Definitions, Entry, Form, Object, Operand, Property, Rule, Rules, Shape,
    Test,
};

use super::relation::{self, Relation};
use super::value::Binaries;
use crate::model::{Model, StructId, StructRole, Type, TypeId};
use crate::rules::{Functions, Lowered};
use crate::wire::WireType;

/// The plans of all structs of a program.
#[derive(Clone, Debug)]
pub(super) struct Plans {
    structs: Vec<StructPlan>,
    /// Typedefs of containers, each planned once.
    shared: Vec<Step>,
    pub(super) binaries: Binaries,
}

impl Plans {
    /// What to do with a value of a typedef.
    pub(super) fn shared(&self, number: u32) -> &Step {
        self.shared.get(number as usize).unwrap_or(&Step::Skip)
    }

    /// What to do with values of typedefs.
    pub(super) fn all_shared(&self) -> &[Step] {
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
    /// Whether nothing in it, or below it, can fail but missing fields.
    pub(super) free: bool,
    /// The fields that must be there.
    pub(super) musts: Box<[Must]>,
    /// Rules that look at several fields.
    pub(super) late: Option<Entry>,
    /// The same rules, if each of them compares two fields.
    pub(super) relations: Option<Box<[Relation]>>,
}

/// A field that must be there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Must {
    /// Its place among the fields of the struct, as declared.
    pub(super) position: u32,
    /// Whether the bytes are no message without it; otherwise a rule is broken.
    pub(super) required: bool,
}

impl StructPlan {
    /// The name of the field at a position.
    pub(super) fn field_name(&self, position: u32) -> Box<str> {
        self.names.get(position as usize).cloned().unwrap_or_default()
    }

    #[inline]
    pub(super) fn field(&self, id: i16, guess: usize) -> Option<&FieldPlan> {
        // Writers send fields in order, so that the next one is nearly always the next one.
        match self.fields.get(guess) {
            Some((known, plan)) if *known == id => Some(plan),
            _ => {
                let at = self.fields.binary_search_by_key(&id, |(id, _)| *id).ok()?;
                self.fields.get(at).map(|(_, plan)| plan)
            }
        }
    }
}

/// What to do with a field.
#[derive(Clone, Debug)]
pub(super) struct FieldPlan {
    /// The type it must have on the wire.
    pub(super) ty: WireType,
    /// Its place among the fields that must be there, if it is one of them.
    pub(super) must: Option<u32>,
    pub(super) step: Step,
}

/// What to do with a value.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Nothing: move over it.
    Skip,
    /// Test a scalar.
    Test(Own),
    /// Test the size, then each element.
    List { size: Option<Own>, element: WireType, step: Box<Step> },
    /// Test the size, then each key and value.
    Map { size: Option<Own>, types: (WireType, WireType), key: Box<Step>, value: Box<Step> },
    /// Go on with the plan of a struct.
    Struct(StructId),
    /// Go on with the plan of a typedef, by its number.
    Shared(u32),
}

/// The rules of a value alone, compiled and as they were.
#[derive(Clone, Debug)]
pub(super) struct Own {
    pub(super) entry: Entry,
    /// Whether the value is bytes, not text.
    pub(super) binary: bool,
    pub(super) rules: Box<[Rule]>,
}

/// Plans before the contract is compiled: entries are names.
#[derive(Debug)]
pub(super) struct Drafts {
    structs: Vec<StructDraft>,
    shared: Vec<StepDraft>,
    binaries: Binaries,
}

#[derive(Debug)]
struct StructDraft {
    definition: Arc<str>,
    fields: Vec<FieldDraft>,
    late: Option<Arc<str>>,
    relations: Option<Box<[Relation]>>,
}

#[derive(Debug)]
struct FieldDraft {
    name: Box<str>,
    id: i16,
    ty: WireType,
    step: StepDraft,
    required: bool,
    requirement: bool,
    absent: Option<Box<Constant>>,
    /// The definition of the field's own rules, for what stands in when it is absent.
    whole: Arc<str>,
}

#[derive(Debug)]
enum StepDraft {
    Skip,
    Test(OwnDraft),
    List { size: Option<OwnDraft>, element: WireType, step: Box<StepDraft> },
    Map { size: Option<OwnDraft>, types: (WireType, WireType), key: Box<StepDraft>, value: Box<StepDraft> },
    Struct(StructId),
    Shared(u32),
}

#[derive(Debug)]
struct OwnDraft {
    name: Arc<str>,
    binary: bool,
    rules: Box<[Rule]>,
}

/// Plans every struct, and adds to the definitions what the plans will test.
pub(super) fn draft(model: &Model, lowered: &mut Lowered) -> Drafts {
    let by_name: BTreeMap<Arc<str>, StructId> =
        lowered.names.iter().cloned().zip((0..).map(StructId)).collect();
    let mut drafter = Drafter {
        model,
        by_name: &by_name,
        lowered: &lowered.definitions,
        extra: Definitions::new(),
        refers: BTreeMap::new(),
        numbers: BTreeMap::new(),
        shared: Vec::new(),
    };
    let mut structs = Vec::with_capacity(model.structs.len());
    for (it, name) in model.structs.iter().zip(&lowered.names) {
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
            let step = drafter.step(&now, field.ty, &whole);
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
                ty: wire_type(model, field.ty),
                step,
                required: property.required && property.requirement.is_none(),
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
        structs.push(StructDraft { definition: name.clone(), fields, late, relations });
    }
    let Drafter { extra, shared, .. } = drafter;
    lowered.definitions.extend(extra);
    Drafts { structs, shared, binaries: Binaries::new(model) }
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
    match &rule.test {
        Test::In(operands) | Test::NotIn(operands) => operands.iter().any(dynamic),
        Test::Assert(_) => true,
        other => other.operand().is_some_and(dynamic),
    }
}

struct Drafter<'d> {
    model: &'d Model,
    by_name: &'d BTreeMap<Arc<str>, StructId>,
    lowered: &'d Definitions,
    /// Definitions for what is tested on its own.
    extra: Definitions,
    /// Whether a typedef has rules that look at other fields.
    refers: BTreeMap<Arc<str>, bool>,
    /// The numbers of typedefs, by their definitions.
    numbers: BTreeMap<Arc<str>, u32>,
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
            _ => {}
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
        shape.rules.iter().any(rule_refers)
            || match &shape.form {
                Form::List(element) => self.refers(element),
                Form::Map(key, value) => self.refers(key) || self.refers(value),
                Form::All(shapes) => shapes.iter().any(|shape| self.refers(shape)),
                Form::Ref(name) => {
                    if let Some(known) = self.refers.get(name) {
                        return *known;
                    }
                    let Some(shape) = self.typedef(name).cloned() else { return false };
                    let found = self.refers(&shape);
                    self.refers.insert(name.clone(), found);
                    found
                }
                _ => false,
            }
    }

    fn step(&mut self, shape: &Shape, ty: TypeId, key: &str) -> StepDraft {
        if let Form::All(shapes) = &shape.form
            && let [first, rest @ ..] = shapes.as_slice()
        {
            // A typedef's rules and the field's: the same form twice, so that the rules can be put together.
            let merged = self.merged(first, rest, &shape.rules);
            return self.step(&merged, ty, key);
        }
        let real = self.model.real(ty);
        match (&shape.form, real) {
            (Form::Ref(name), Type::Struct(_)) => match self.by_name.get(name) {
                Some(id) => StepDraft::Struct(*id),
                None => StepDraft::Skip,
            },
            (Form::Ref(name), _) if shape.rules.is_empty() => self.shared(name, ty),
            // Rules beside a typedef: its form is put together with them.
            (Form::Ref(name), _) => match self.typedef(name).cloned() {
                Some(typedef) => {
                    let merged = self.merged(&typedef, &[], &shape.rules);
                    self.step(&merged, ty, key)
                }
                None => StepDraft::Skip,
            },
            (Form::List(element), Type::List(id) | Type::Set(id)) => {
                let step = Box::new(self.step(element, id, &format!("{key}/elem")));
                let size = self.rules(shape, real, key);
                match (&*step, &size) {
                    (StepDraft::Skip, None) => StepDraft::Skip,
                    _ => StepDraft::List { size, element: wire_type(self.model, id), step },
                }
            }
            (Form::Map(key_shape, value_shape), Type::Map(key_id, value_id)) => {
                let key_step = Box::new(self.step(key_shape, key_id, &format!("{key}/key")));
                let value_step = Box::new(self.step(value_shape, value_id, &format!("{key}/value")));
                let size = self.rules(shape, real, key);
                match (&*key_step, &*value_step, &size) {
                    (StepDraft::Skip, StepDraft::Skip, None) => StepDraft::Skip,
                    _ => StepDraft::Map {
                        size,
                        types: (wire_type(self.model, key_id), wire_type(self.model, value_id)),
                        key: key_step,
                        value: value_step,
                    },
                }
            }
            _ => match self.rules(shape, real, key) {
                Some(own) => StepDraft::Test(own),
                None => StepDraft::Skip,
            },
        }
    }

    /// The plan of a typedef, made with its first use: all uses lead to the same types.
    fn shared(&mut self, name: &Arc<str>, ty: TypeId) -> StepDraft {
        if let Some(number) = self.numbers.get(name) {
            return StepDraft::Shared(*number);
        }
        let Some(shape) = self.typedef(name).cloned() else { return StepDraft::Skip };
        let step = self.step(&shape, ty, name);
        let number = self.shared.len() as u32;
        self.shared.push(step);
        self.numbers.insert(name.clone(), number);
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
        Some(OwnDraft { name, binary, rules: shape.rules.as_slice().into() })
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

/// How values of a type are marked on the wire; `Stop` if the type could not be resolved.
pub fn wire_type(model: &Model, id: TypeId) -> WireType {
    match model.real(id) {
        Type::Bool => WireType::Bool,
        Type::I8 => WireType::I8,
        Type::I16 => WireType::I16,
        Type::I32 | Type::Enum(_) => WireType::I32,
        Type::I64 => WireType::I64,
        Type::Double => WireType::Double,
        Type::String | Type::Binary => WireType::String,
        Type::Uuid => WireType::Uuid,
        Type::List(_) => WireType::List,
        Type::Set(_) => WireType::Set,
        Type::Map(..) => WireType::Map,
        Type::Struct(_) => WireType::Struct,
        Type::Typedef(_) | Type::Error => WireType::Stop,
    }
}

/// Puts the entries of the compiled contract into the plans.
pub(super) fn finish(drafts: Drafts, contract: &Contract, functions: &Functions) -> Plans {
    let mut structs: Vec<StructPlan> =
        drafts.structs.into_iter().map(|draft| struct_plan(draft, contract, functions)).collect();
    let mut shared: Vec<Step> = drafts.shared.into_iter().map(|step| step_plan(step, contract)).collect();
    let free = free(&structs, &shared);
    for (plan, free_here) in structs.iter_mut().zip(&free.structs) {
        plan.free = *free_here;
        for (_, field) in &mut plan.fields {
            prune(&mut field.step, &free);
        }
    }
    shared.iter_mut().for_each(|step| prune(step, &free));
    Plans { structs, shared, binaries: drafts.binaries }
}

fn struct_plan(draft: StructDraft, contract: &Contract, functions: &Functions) -> StructPlan {
    let mut musts = Vec::new();
    let mut fields: Vec<(i16, FieldPlan)> = Vec::with_capacity(draft.fields.len());
    let names = draft.fields.iter().map(|field| field.name.clone()).collect();
    for (field, position) in draft.fields.into_iter().zip(0u32..) {
        let breaks = field.absent.as_deref().is_some_and(|constant| {
            contract
                .definition(&field.whole)
                .is_some_and(|checker| !checker.host(functions).is_valid(constant))
        });
        let must = (field.required || breaks || field.requirement).then_some(musts.len() as u32);
        if must.is_some() {
            musts.push(Must { position, required: field.required });
        }
        let step = step_plan(field.step, contract);
        fields.push((field.id, FieldPlan { ty: field.ty, must, step }));
    }
    fields.sort_by_key(|(id, _)| *id);
    StructPlan {
        definition: draft.definition,
        fields: fields.into(),
        names,
        free: true,
        musts: musts.into(),
        late: draft.late.and_then(|name| contract.entry(&name)),
        relations: draft.relations,
    }
}

fn step_plan(draft: StepDraft, contract: &Contract) -> Step {
    let own = |draft: OwnDraft| {
        let OwnDraft { name, binary, rules } = draft;
        contract.entry(&name).map(|entry| Own { entry, binary, rules })
    };
    match draft {
        StepDraft::Skip => Step::Skip,
        StepDraft::Test(draft) => own(draft).map_or(Step::Skip, Step::Test),
        StepDraft::List { size, element, step } => {
            Step::List { size: size.and_then(own), element, step: Box::new(step_plan(*step, contract)) }
        }
        StepDraft::Map { size, types, key, value } => Step::Map {
            size: size.and_then(own),
            types,
            key: Box::new(step_plan(*key, contract)),
            value: Box::new(step_plan(*value, contract)),
        },
        StepDraft::Struct(id) => Step::Struct(id),
        StepDraft::Shared(number) => Step::Shared(number),
    }
}

/// What nothing can fail in, but missing fields.
struct Free {
    structs: Vec<bool>,
    shared: Vec<bool>,
}

/// Finds what is free: everything is until something in it is not, and what uses that is not either.
fn free(structs: &[StructPlan], shared: &[Step]) -> Free {
    // Structs first, then typedefs, as the nodes of one graph.
    let count = structs.len();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); count + shared.len()];
    let mut waiting = Vec::new();
    let mut note = |step: &Step, user: usize| {
        let mut bound = false;
        let mut todo = vec![step];
        while let Some(step) = todo.pop() {
            let used = match step {
                Step::Skip => continue,
                Step::Test(_) => {
                    bound = true;
                    continue;
                }
                Step::List { size, step, .. } => {
                    bound |= size.is_some();
                    todo.push(step);
                    continue;
                }
                Step::Map { size, key, value, .. } => {
                    bound |= size.is_some();
                    todo.extend([&**key, &**value]);
                    continue;
                }
                Step::Struct(id) => id.0 as usize,
                Step::Shared(number) => count + *number as usize,
            };
            if let Some(list) = users.get_mut(used) {
                list.push(user);
            }
        }
        bound
    };
    for (plan, user) in structs.iter().zip(0..) {
        let mut bound = !plan.musts.is_empty() || plan.late.is_some();
        for (_, field) in &plan.fields {
            bound |= note(&field.step, user);
        }
        if bound {
            waiting.push(user);
        }
    }
    for (step, user) in shared.iter().zip(count..) {
        if note(step, user) {
            waiting.push(user);
        }
    }
    let mut free = vec![true; users.len()];
    while let Some(at) = waiting.pop() {
        if free.get_mut(at).is_some_and(|free| std::mem::replace(free, false)) {
            waiting.extend(users.get(at).into_iter().flatten());
        }
    }
    let shared = free.split_off(count);
    Free { structs: free, shared }
}

fn is_free(step: &Step, free: &Free) -> bool {
    match step {
        Step::Skip => true,
        Step::Test(_) => false,
        Step::List { size, step, .. } => size.is_none() && is_free(step, free),
        Step::Map { size, key, value, .. } => size.is_none() && is_free(key, free) && is_free(value, free),
        Step::Struct(id) => free.structs.get(id.0 as usize).copied().unwrap_or(true),
        Step::Shared(number) => free.shared.get(*number as usize).copied().unwrap_or(true),
    }
}

/// Replaces what cannot fail by moving over it.
fn prune(step: &mut Step, free: &Free) {
    if is_free(step, free) {
        *step = Step::Skip;
        return;
    }
    match step {
        Step::List { step, .. } => prune(step, free),
        Step::Map { key, value, .. } => {
            prune(key, free);
            prune(value, free);
        }
        Step::Skip | Step::Test(_) | Step::Struct(_) | Step::Shared(_) => {}
    }
}
