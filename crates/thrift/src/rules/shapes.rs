//! Shapes of structs, with their rules on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::pattern::{Pattern, PatternSyntax};
use contract::{
    Constant, Contract, Definitions, Flaw, FlawCode, Form, IntWidth, Object, Operand, Property, Requirement,
    Rule, Shape, Test,
};

use super::absent_value::Absent;
use super::formats::{FORMATS, patterns};
use super::functions::Functions;
use super::key::{self, Key, KeyStep, RuleKey};
use super::listing::Listings;
use super::table::{Class, Flag, Takes};
use super::typedefs::Typedefs;
use super::vacuous::{Strongest, first_twice};
use super::value::Site;
use super::{Compat, ElementRecursion, PatternDialect, RuleConfig, UndefinedFunctions};
use crate::code::UnlocatedDiagnostic;
use crate::idl::{Annotations, Requiredness};
use crate::model::{Field, Model, Struct, StructId, StructRole, Type, TypeId, TypedefId};
use crate::{Code, Diagnostic, FileId, Span};

/// A program as shapes.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// One definition per struct.
    pub definitions: Definitions,
    /// The name of each struct's definition, in the order of [`Model::structs`].
    pub names: Vec<Arc<str>>,
    /// How many types and rules were looked at: what lowering costs.
    pub work: usize,
    /// The names of the fields of each struct that have a default which is written in the file.
    pub(super) defaulted: Vec<BTreeSet<Box<str>>>,
}

impl Lowered {
    /// The name of a struct's definition.
    pub fn name(&self, id: StructId) -> Option<&str> {
        self.names.get(id.0 as usize).map(AsRef::as_ref)
    }

    /// Leaves out what one struct does not lead to.
    pub fn retain_reachable(&mut self, root: StructId) {
        let mut kept: BTreeSet<Arc<str>> = self.names.get(root.0 as usize).cloned().into_iter().collect();
        let mut todo: Vec<Arc<str>> = kept.iter().cloned().collect();
        while let Some(name) = todo.pop() {
            let mut shapes: Vec<&Shape> = self.definitions.get(&name).into_iter().collect();
            while let Some(shape) = shapes.pop() {
                shape.form.each_part(&mut |part| shapes.push(part));
                if let Form::Ref(name) = &shape.form
                    && kept.insert(name.clone())
                {
                    todo.push(name.clone());
                }
            }
        }
        self.definitions.retain(|name, _| kept.contains(name));
    }

    /// Compiles all definitions into one contract. Contradictions are warnings: such rules can be run.
    pub fn compile(&self, functions: &Functions) -> (Option<Contract>, Vec<Diagnostic>) {
        let (contract, flaws) = Contract::library(self.definitions.clone(), functions);
        (contract, flaws.iter().map(from_flaw).collect())
    }
}

/// A flaw of a contract as a finding in the IDL.
fn from_flaw(flaw: &Flaw) -> Diagnostic {
    let code = match flaw.code {
        FlawCode::Unsatisfiable => Code::UnsatisfiableRule,
        // Fields have no examples.
        FlawCode::BrokenDefault | FlawCode::BrokenExample => Code::BrokenDefault,
        FlawCode::NeverApplies => Code::RuleType,
        FlawCode::UnknownField => Code::RuleReference,
        FlawCode::UnknownFunction => Code::RuleFunction,
        FlawCode::BadPattern => Code::RulePattern,
        FlawCode::OutsideType
        | FlawCode::BadOperand
        | FlawCode::UnknownDefinition
        | FlawCode::EndlessDefinition
        | FlawCode::DuplicateProperty
        | FlawCode::UnknownKeyword
        | FlawCode::BadKeyword
        | FlawCode::TooDeep => Code::RuleValue,
    };
    let span = flaw.place.unwrap_or(Span::empty(FileId(0), 0));
    code.at(span, flaw.message.clone()).maybe_help(flaw.hint.clone())
}

/// Turns a resolved program into shapes.
pub fn lower(model: &Model, config: &RuleConfig, functions: &Functions) -> (Lowered, Vec<Diagnostic>) {
    let names = definition_names(model);
    let mut lowering = Lowering {
        model,
        config,
        functions,
        names: &names,
        typedefs: Typedefs::new(model),
        repeated: 0,
        work: 0,
        diagnostics: Vec::new(),
    };
    let mut definitions: Definitions =
        model.structs.iter().zip(&names).map(|(it, name)| (name.clone(), lowering.structure(it))).collect();
    lowering.used_typedefs(&mut definitions);
    lowering.unused_typedefs();
    lowering.misplaced();
    let work = lowering.work;
    let mut seen = BTreeSet::new();
    // A typedef's rules are looked at wherever it is used; what is wrong with them is said once.
    let mut diagnostics = lowering.diagnostics;
    diagnostics.retain(|it| seen.insert((it.primary, it.code.clone(), it.message.clone())));
    let defaulted = model.structs.iter().map(defaulted).collect();
    (Lowered { definitions, names, work, defaulted }, diagnostics)
}

fn defaulted(it: &Struct) -> BTreeSet<Box<str>> {
    let fields = it.fields.iter().filter(|field| field.default.is_some());
    fields.map(|field| field.name.text.as_str().into()).collect()
}

/// Names structs apart: most by their own name, namesakes with a number.
fn definition_names(model: &Model) -> Vec<Arc<str>> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut names = Vec::with_capacity(model.structs.len());
    for it in &model.structs {
        let count = seen.entry(&it.name.text).or_default();
        *count += 1;
        names.push(match count {
            1 => it.name.text.as_str().into(),
            count => format!("{}@{count}", it.name.text).into(),
        });
    }
    names
}

pub(super) struct Lowering<'m> {
    pub(super) model: &'m Model,
    config: &'m RuleConfig,
    functions: &'m Functions,
    names: &'m [Arc<str>],
    pub(super) typedefs: Typedefs<'m>,
    /// How many rules were lowered that a typedef has brought along.
    repeated: usize,
    work: usize,
    diagnostics: Vec<Diagnostic>,
}

/// How many rules typedefs may bring along, all uses counted.
const MAX_REPEATED: usize = 1 << 18;

/// A rule on its way to the type it is for.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    pub(super) key: RuleKey,
    /// How many steps of the chain have been taken.
    taken: usize,
    pub(super) spelling: Box<str>,
    /// The value, decoded; `None` if only the key was written.
    pub(super) value: Option<Vec<u8>>,
    pub(super) span: Span,
    pub(super) value_span: Span,
}

impl Pending {
    fn next(&self) -> Option<KeyStep> {
        self.key.chain.get(self.taken).copied()
    }

    fn bytes(&self) -> &[u8] {
        self.value.as_deref().unwrap_or_default()
    }

    /// The value, for people.
    fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }
}

impl<'m> Lowering<'m> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn structure(&mut self, it: &'m Struct) -> Shape {
        let properties: Vec<Property> = it.fields.iter().map(|field| self.field(it, field)).collect();
        let mut shape = Shape::from(Object::open(properties));
        shape.title = Some(it.name.text.as_str().into());
        shape.place = Some(it.name.span);
        for pending in self.pending(&it.annotations) {
            match (pending.key.validator.takes, pending.next()) {
                (Takes::Expression, None) => {
                    let site = self.site(Some(it), None, Type::Error);
                    match site.expression(pending.bytes()) {
                        Ok(operand) => shape.rules.push(rule(Test::Assert(operand), &pending)),
                        Err(fault) => self.fault(fault, &pending),
                    }
                    self.pass_unchecked(&mut shape);
                }
                _ => {
                    let message = format!("`{}` does not stand on a whole struct", pending.spelling);
                    let help = "put it on a field; on a struct only `vt.assert` means something";
                    self.report(Code::RuleType.at(pending.span, message).help(help));
                }
            }
        }
        shape
    }

    fn field(&mut self, owner: &'m Struct, field: &'m Field) -> Property {
        let mut pending = self.pending(&field.annotations);
        let requirement = self.requirement(field, &mut pending);
        let skipped = self.is_skipped(&mut pending, owner, field);
        let shape = match skipped {
            true => Shape::any(),
            false => {
                let site = LoweringContext { owner: Some(owner), own: Some(field.ty), element: false };
                self.typed(field.ty, pending, site)
            }
        };
        let absent = Absent { model: self.model, compat: self.config.compat }.stand_in(owner, field);
        if !skipped && absent == Some(Constant::Int(0)) && field.default.is_none() {
            self.undefined_zero(owner, field);
        }
        let union = owner.role == StructRole::Union;
        let required = field.requiredness == Requiredness::Required && !union;
        Property {
            name: field.name.text.as_str().into(),
            tag: Some(i64::from(field.wire_id())),
            required: required || (requirement.is_some() && field.default.is_none()),
            undeclared: false,
            requirement: requirement.filter(|_| !required).map(Box::new),
            absent: absent.map(Box::new),
            place: Some(field.name.span),
            shape,
        }
    }

    /// Reports `defined_only` on a field that counts as zero where it is not sent, which is no member of its enum.
    fn undefined_zero(&mut self, owner: &Struct, field: &Field) {
        let Type::Enum(id) = self.model.real(field.ty) else { return };
        if self.model[id].members.iter().any(|member| member.number == 0) {
            return;
        }
        let is_flag = |rule: &Pending| {
            matches!(rule.key.validator.takes, Takes::Flag(Flag::DefinedOnly)) && rule.next().is_none()
        };
        let on = |rule: &Pending| !matches!(rule.bytes().trim_ascii(), b"false" | b"0");
        let rules = self.all_pending(field);
        let Some(rule) = rules.into_iter().find(|rule| is_flag(rule) && on(rule)) else { return };
        let (name, of) = (&field.name.text, &owner.name.text);
        let message =
            format!("`{of}.{name}` counts as 0 where it is not sent, which `{}` breaks", rule.spelling);
        let help = "make the field `optional` or `required`, or give it a default";
        self.report(Code::UnsetBreaksRule.at(rule.span, message).help(help));
    }

    /// The rules of a field, those of its type and of the typedefs behind it included.
    fn all_pending(&mut self, field: &Field) -> Vec<Pending> {
        let mut rules = self.pending(&field.annotations);
        let mut at = field.ty;
        loop {
            let node = &self.model[at];
            rules.extend(self.pending(&node.annotations));
            let Type::Typedef(typedef) = node.ty else { return rules };
            rules.extend(self.pending(&self.model[typedef].annotations));
            at = self.model[typedef].target;
        }
    }

    /// The rules among annotations, with everything else reported or left alone.
    pub(super) fn pending(&mut self, annotations: &Annotations) -> Vec<Pending> {
        let mut pending = Vec::new();
        for annotation in annotations {
            match key::parse(&annotation.key.text) {
                Key::Rule(key) => {
                    let value_span = annotation.value.as_ref().map_or(annotation.span, |value| value.span);
                    pending.push(Pending {
                        key,
                        taken: 0,
                        spelling: annotation.key.text.as_str().into(),
                        value: annotation.value.as_ref().map(|value| value.value.clone()),
                        span: annotation.key.span,
                        value_span,
                    });
                }
                Key::Bad(message, help) => {
                    self.report(Code::UnknownRule.at(annotation.key.span, message).maybe_help(help));
                }
                Key::NearMiss(prefix) => {
                    let message = format!("`{}` is not read as a rule", annotation.key.text);
                    let help = format!("write `{prefix}.` to make it one");
                    self.report(Code::RulePrefix.at(annotation.key.span, message).help(help));
                }
                Key::Foreign => {}
            }
        }
        pending
    }

    /// Takes `not_nil` out of the rules of a field.
    fn requirement(&mut self, field: &Field, pending: &mut Vec<Pending>) -> Option<Requirement> {
        let mut found = None;
        for rule in take(pending, Flag::NotNil) {
            if self.flag(&rule) == Some(true) {
                if field.requiredness == Requiredness::Required {
                    let message = "a required field is always there";
                    self.report(Code::DeadRule.at(rule.span, message).help("leave `not_nil` out"));
                }
                found = Some(Requirement {
                    spelling: rule.spelling.clone(),
                    message: message_of(pending),
                    place: Some(rule.span),
                });
            }
        }
        found
    }

    /// Takes `skip` out of the rules of a field; true if the field is not to be validated.
    fn is_skipped(&mut self, pending: &mut Vec<Pending>, owner: &Struct, field: &Field) -> bool {
        let mut skipped = false;
        for rule in take(pending, Flag::Skip) {
            if self.flag(&rule) == Some(true) {
                skipped = true;
                if let Some(dead) = pending.iter().find(|other| !is_remark(other)) {
                    let message = format!("`{}` never runs: the field is skipped", dead.spelling);
                    let name = format!("{}.{}", owner.name.text, field.name.text);
                    self.report(
                        Code::DeadRule
                            .at(dead.span, message)
                            .label(rule.span, format!("`{name}` is skipped here")),
                    );
                }
            }
        }
        skipped
    }

    fn flag(&mut self, rule: &Pending) -> Option<bool> {
        match rule.value.as_deref().map(<[u8]>::trim_ascii) {
            None | Some(b"true" | b"1") => Some(true),
            Some(b"false" | b"0") => Some(false),
            Some(_) => {
                let message = format!("`{}` needs `true` or `false`", rule.spelling);
                self.report(Code::RuleValue.at(rule.value_span, message));
                None
            }
        }
    }

    fn site(&self, owner: Option<&'m Struct>, own: Option<TypeId>, tested: Type) -> Site<'m> {
        Site { model: self.model, functions: self.functions, compat: self.config.compat, owner, own, tested }
    }

    fn fault(&mut self, fault: UnlocatedDiagnostic, rule: &Pending) {
        let diagnostic = fault.code.at(rule.value_span, fault.message).maybe_help(fault.help);
        self.report(diagnostic);
    }

    /// The shape of a type that stands in no struct yet.
    pub(super) fn alone(&mut self, id: TypeId, rules: Vec<Pending>) -> Shape {
        self.typed(id, rules, LoweringContext { owner: None, own: Some(id), element: false })
    }

    /// The shape of a type at one place, with the rules that lead there.
    // INVARIANT: types nest no deeper than the parser and the resolver of typedefs allow.
    fn typed(&mut self, id: TypeId, pending: Vec<Pending>, around: LoweringContext<'m>) -> Shape {
        self.work += 1;
        let node = &self.model[id];
        let real = self.model.real(id);
        let Some(class) = Class::of(real) else { return Shape::any() };
        let mut own = self.pending(&node.annotations);
        own.extend(pending);
        match (node.ty, class) {
            (Type::Typedef(typedef), Class::List | Class::Map) => {
                self.container_typedef(typedef, own, real, class, around, node.span)
            }
            (Type::Typedef(_), _) => self.scalar_typedef(id, own, real, class, around),
            _ => {
                // Any rule on elements, `skip = "false"` among them, makes kitex look into them.
                let ruled = !own.is_empty();
                match self.takes_skip(&mut own) {
                    true => Shape::any(),
                    false => self.level(real, class, own, around, node.span, Whole::Yes { ruled }),
                }
            }
        }
    }

    /// The shape of a typedef of a container: lowered once, referred to wherever it is used.
    fn container_typedef(
        &mut self,
        typedef: TypedefId,
        mut own: Vec<Pending>,
        real: Type,
        class: Class,
        around: LoweringContext<'m>,
        span: Span,
    ) -> Shape {
        if own.is_empty() {
            return self.typedefs.reference(typedef);
        }
        if self.takes_skip(&mut own) {
            return Shape::any();
        }
        if !self.typedefs.has_rules(typedef) {
            self.typedefs.mark(typedef);
            return self.level(real, class, own, around, span, Whole::Yes { ruled: true });
        }
        let shared = self.typedefs.reference(typedef);
        // What the typedef redacts must not be shown by the rules beside it either.
        own.extend(self.redactions(typedef));
        let further = self.level(real, class, own, around, span, Whole::No);
        Shape::new(Form::All(vec![shared, further])).at(Some(span))
    }

    /// The redactions that a typedef and those behind it have, with the steps to what they are for.
    fn redactions(&mut self, typedef: TypedefId) -> Vec<Pending> {
        let mut found = Vec::new();
        let mut next = Some(typedef);
        while let Some(id) = next {
            let it = &self.model[id];
            found.extend(self.pending(&it.annotations));
            found.extend(self.pending(&self.model[it.target].annotations));
            next = match self.model[it.target].ty {
                Type::Typedef(inner) => Some(inner),
                _ => None,
            };
        }
        found.retain(is_redaction);
        found
    }

    /// The shape of a typedef of anything else: the rules of all typedefs on the way, the innermost first.
    fn scalar_typedef(
        &mut self,
        id: TypeId,
        own: Vec<Pending>,
        real: Type,
        class: Class,
        around: LoweringContext<'m>,
    ) -> Shape {
        let mut levels = vec![(own, around, self.model[id].span)];
        let mut at = id;
        while let Type::Typedef(typedef) = self.model[at].ty {
            self.typedefs.mark(typedef);
            let typedef = &self.model[typedef];
            at = typedef.target;
            // A typedef's rules speak of fields of whatever struct they are used in.
            let outside = LoweringContext { owner: None, ..around };
            let mut rules = self.pending(&self.model[at].annotations);
            rules.extend(self.pending(&typedef.annotations));
            self.repeated += rules.len();
            if self.repeated > MAX_REPEATED {
                self.too_many(typedef.name.span);
                rules.clear();
            }
            levels.push((rules, outside, self.model[at].span));
        }
        let mut shapes: Vec<Shape> = Vec::new();
        let mut skipped = false;
        let last = levels.len() - 1;
        for (index, (mut own, around, span)) in levels.into_iter().rev().enumerate() {
            let ruled = !own.is_empty();
            let whole = !skipped && !shapes.iter().any(|shape| matches!(shape.form, Form::Ref(_)));
            if self.takes_skip(&mut own) {
                shapes.clear();
                skipped = true;
            } else if ruled || (index == last && shapes.is_empty() && !skipped) {
                let whole = if whole { Whole::Yes { ruled } } else { Whole::No };
                shapes.push(self.level(real, class, own, around, span, whole));
            }
        }
        if shapes.iter().any(|shape| shape.secret) {
            shapes.iter_mut().for_each(|shape| shape.secret = true);
        }
        match (shapes.pop(), shapes.is_empty()) {
            (None, _) => Shape::any(),
            (Some(only), true) => only,
            (Some(last), false) => {
                let at = last.place;
                shapes.push(last);
                Shape::new(Form::All(shapes)).at(at)
            }
        }
    }

    fn too_many(&mut self, span: Span) {
        let message =
            format!("typedefs bring along more than {MAX_REPEATED} rules, all fields that use them counted");
        let help = "put the rules on fewer typedefs, or the typedefs on fewer fields";
        if self.repeated <= MAX_REPEATED * 2 {
            self.repeated = MAX_REPEATED * 2;
            self.report(Code::TooLarge.at(span, message).help(help));
        }
    }

    fn takes_skip(&mut self, own: &mut Vec<Pending>) -> bool {
        take(own, Flag::Skip).iter().any(|rule| self.flag(rule) == Some(true))
    }

    /// The shape of a type with the rules that have reached it.
    fn level(
        &mut self,
        real: Type,
        class: Class,
        mut own: Vec<Pending>,
        around: LoweringContext<'m>,
        span: Span,
        whole: Whole,
    ) -> Shape {
        let mut shape = Shape::new(self.form(real, &mut own, around, whole));
        shape.place = Some(span);
        self.own_rules(&mut shape, own, real, class, around);
        shape
    }

    /// The shape of a part; if only further rules are wanted, nothing but those that lead there.
    fn part(
        &mut self,
        id: TypeId,
        mut rules: Vec<Pending>,
        around: LoweringContext<'m>,
        whole: Whole,
    ) -> Shape {
        let inside = LoweringContext { element: true, ..around };
        if let Whole::Yes { .. } = whole {
            return self.typed(id, rules, inside);
        }
        let real = self.model.real(id);
        let class = Class::of(real);
        match class {
            Some(class) if !rules.is_empty() && !self.takes_skip(&mut rules) => {
                self.work += 1;
                let node = &self.model[id];
                rules.extend(self.pending(&node.annotations).into_iter().filter(is_redaction));
                if let Type::Typedef(typedef) = node.ty {
                    rules.extend(self.redactions(typedef));
                }
                self.level(real, class, rules, inside, self.model[id].span, Whole::No)
            }
            _ => Shape::any(),
        }
    }

    fn form(
        &mut self,
        real: Type,
        pending: &mut Vec<Pending>,
        around: LoweringContext<'m>,
        whole: Whole,
    ) -> Form {
        match real {
            Type::Bool => Form::Bool,
            Type::I8 => Form::Int(IntWidth::I8),
            Type::I16 => Form::Int(IntWidth::I16),
            Type::I32 => Form::Int(IntWidth::I32),
            Type::I64 => Form::Int(IntWidth::I64),
            Type::Double => Form::Number,
            // Bytes that claim to be text; rules look at bytes, so that they need not be.
            Type::String | Type::Binary | Type::Uuid => Form::Bytes,
            Type::Enum(_) => Form::Int(IntWidth::I32),
            Type::List(element) | Type::Set(element) => {
                let rules = self.parts(pending, KeyStep::Elem);
                Form::List(Box::new(self.part(element, rules, around, whole)))
            }
            Type::Map(key, value) => {
                let keys = self.parts(pending, KeyStep::Key);
                let values = self.parts(pending, KeyStep::Value);
                Form::Map(
                    Box::new(self.part(key, keys, around, whole)),
                    Box::new(self.part(value, values, around, whole)),
                )
            }
            Type::Struct(id) => {
                let told = match (self.config.elements, whole) {
                    (ElementRecursion::Always, Whole::Yes { .. }) => true,
                    (ElementRecursion::Kitex, Whole::Yes { ruled }) => ruled || !around.element,
                    // The rules of the struct apply already.
                    (ElementRecursion::Always, Whole::No) => false,
                    // Whoever asks for less than the whole has rules.
                    (ElementRecursion::Kitex, Whole::No) => true,
                };
                match (told, self.names.get(id.0 as usize)) {
                    (true, Some(name)) => Form::Ref(name.clone()),
                    _ => Form::Any,
                }
            }
            Type::Typedef(_) | Type::Error => Form::Any,
        }
    }

    /// Takes the rules that go on into a part.
    fn parts(&mut self, pending: &mut Vec<Pending>, part: KeyStep) -> Vec<Pending> {
        let mut found = Vec::new();
        pending.retain(|rule| match rule.next() {
            Some(next) if next == part => {
                found.push(Pending { taken: rule.taken + 1, ..rule.clone() });
                false
            }
            _ => true,
        });
        found
    }

    fn own_rules(
        &mut self,
        shape: &mut Shape,
        pending: Vec<Pending>,
        real: Type,
        class: Class,
        around: LoweringContext<'m>,
    ) {
        self.work += pending.len();
        let message = message_of(&pending);
        let site = self.site(around.owner, around.own, real);
        let mut union: Option<usize> = None;
        let mut listings = Listings::default();
        let mut strongest = Strongest::default();
        for rule_in in &pending {
            if let Some(part) = rule_in.next() {
                let message =
                    format!("`{}` has no `{}`: it is {}", rule_in.spelling, part.name(), class.noun());
                self.report(Code::RuleType.at(rule_in.span, message));
                continue;
            }
            let validator = rule_in.key.validator;
            if !validator.on.contains(&class) || matches!(validator.takes, Takes::Expression) {
                let message = format!("`{}` is not for {}", rule_in.spelling, class.noun());
                let nouns: Vec<&str> = validator.on.iter().map(|class| class.noun()).collect();
                let help = format!("`{}` is for {}", validator.name, nouns.join(", "));
                self.report(Code::RuleType.at(rule_in.span, message).help(help));
                continue;
            }
            let value_needed = !matches!(validator.takes, Takes::Flag(_));
            if value_needed && rule_in.value.is_none() {
                let message = format!("`{}` needs a value", rule_in.spelling);
                self.report(Code::RuleValue.at(rule_in.span, message));
                continue;
            }
            self.tautology(rule_in);
            if matches!(validator.takes, Takes::Format) {
                for mut lowered in self.format(rule_in) {
                    lowered.message = message.clone().or(lowered.message);
                    shape.rules.push(lowered);
                }
                continue;
            }
            let Some(test) = self.test(rule_in, &site, class) else { continue };
            self.idle(rule_in, &test, real);
            if let Takes::Owns(_) = validator.takes {
                let listing = site.listing(rule_in.bytes(), rule_in.key.escaped);
                if let Some(mixed) = listings.add(validator, &rule_in.spelling, rule_in.span, &listing) {
                    self.report(mixed);
                }
            }
            // Repeated `in` rules are one set, as kitex documents it.
            let is_in = matches!((validator.takes, &test), (Takes::Owns(_), Test::In(_)));
            let unites = is_in && self.config.compat != Compat::Apache;
            if let (Test::In(more), Some(at), true) = (&test, union, unites)
                && let Some(Rule { test: Test::In(known), .. }) = shape.rules.get_mut(at)
            {
                let twice = first_twice(known.iter().chain(more)).filter(|_| first_twice(more).is_none());
                let found = twice.map(|twice| self.twice(rule_in, twice));
                known.extend(more.iter().cloned());
                self.diagnostics.extend(found);
                continue;
            }
            if is_in {
                union = Some(shape.rules.len());
            }
            self.diagnostics.extend(strongest.add(&test, rule_in));
            let mut lowered = rule(test, rule_in);
            lowered.message = message.clone();
            shape.rules.push(lowered);
        }
        self.pass_unchecked(shape);
        shape.secret = pending
            .iter()
            .any(|rule| is_redaction(rule) && rule.next().is_none() && self.flag(rule) == Some(true));
    }

    /// Replaces rules that cannot run, where values pass without them.
    fn pass_unchecked(&self, shape: &mut Shape) {
        if self.config.undefined_functions == UndefinedFunctions::Pass && !shape.rules.is_empty() {
            for rule in shape.rules.iter_mut() {
                if let Some(test) = self.functions.in_place_of(&rule.test) {
                    rule.test = test;
                }
            }
        }
    }

    fn test(&mut self, rule: &Pending, site: &Site<'m>, class: Class) -> Option<Test> {
        let text = rule.bytes();
        let escaped = rule.key.escaped;
        let test = match rule.key.validator.takes {
            Takes::Own(becomes) => site.own_value(text, escaped).map(becomes),
            Takes::Owns(becomes) => site.list(text, escaped).map(becomes),
            Takes::Size(count, becomes) => site.size(text).map(|operand| becomes(count.unit(class), operand)),
            Takes::Text(becomes) => site.text(text, escaped).map(becomes),
            Takes::Pattern | Takes::BrePattern => return self.pattern(rule),
            Takes::Flag(flag) => {
                let on = self.flag(rule)?;
                return on.then(|| self.flag_test(flag, rule, site.tested))?;
            }
            Takes::Words | Takes::Expression | Takes::Format => return None,
        };
        match test {
            Ok(test) => Some(test),
            Err(fault) => {
                self.fault(fault, rule);
                None
            }
        }
    }

    /// The test that a flag becomes when it is on.
    fn flag_test(&mut self, flag: Flag, rule: &Pending, tested: Type) -> Option<Test> {
        match flag {
            Flag::DefinedOnly => {
                let Type::Enum(id) = tested else { return None };
                let numbers = self.model[id].members.iter().map(|it| Operand::from(i64::from(it.number)));
                Some(Test::In(numbers.collect()))
            }
            Flag::Unique => match tested {
                Type::List(element) | Type::Set(element) => self.unique(rule, element),
                _ => None,
            },
            // Values of a map on the wire are always there; code generators look at the annotation.
            Flag::NoSparse => None,
            // Taken out before, or no matter of validity.
            Flag::NotNil | Flag::Skip | Flag::Redact => None,
        }
    }

    /// Whether elements are equal is a question that all languages answer alike only for scalars.
    fn unique(&mut self, rule: &Pending, element: TypeId) -> Option<Test> {
        match Class::of(self.model.real(element))? {
            class @ (Class::List | Class::Map | Class::Struct) => {
                let message =
                    format!("`{}` needs elements that are scalars, not {}", rule.spelling, class.noun());
                self.report(Code::RuleType.at(rule.span, message));
                None
            }
            Class::Bool
            | Class::Int
            | Class::Double
            | Class::String
            | Class::Binary
            | Class::Uuid
            | Class::Enum => Some(Test::Unique(())),
        }
    }

    /// The rules that a format comes to.
    fn format(&mut self, pending: &Pending) -> Vec<Rule> {
        let text = pending.text();
        let name = text.trim_matches(|c: char| c.is_ascii_whitespace());
        let found = FORMATS.iter().find(|format| format.name() == name);
        let Some(format) = found else {
            let names = || FORMATS.iter().map(|format| format.name());
            let message = format!("there is no format `{name}`");
            let help = match diagnostics::suggest(name, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("formats are {}", names().collect::<Vec<_>>().join(", ")),
            };
            self.report(Code::RuleValue.at(pending.value_span, message).help(help));
            return Vec::new();
        };
        let rules = patterns(*format).into_iter().filter_map(|source| {
            let test = Test::Pattern(Pattern::new(PatternSyntax::Re2, &source).ok()?);
            let message = Some(format!("must be {}", format.meaning()).into());
            Some(Rule { message, ..rule(test, pending) })
        });
        rules.collect()
    }

    fn pattern(&mut self, rule: &Pending) -> Option<Test> {
        let Ok(text) = std::str::from_utf8(rule.bytes()) else {
            let message = format!("the pattern of `{}` is not UTF-8", rule.spelling);
            let help = "a pattern can ask for bytes by their numbers only where they are characters";
            self.report(Code::RulePattern.at(rule.value_span, message).help(help));
            return None;
        };
        let bre = matches!(rule.key.validator.takes, Takes::BrePattern)
            || self.config.pattern == PatternDialect::Bre;
        let dialect = if bre { PatternSyntax::Bre } else { PatternSyntax::Re2 };
        match Pattern::new(dialect, text) {
            Ok(pattern) => {
                if matches!(rule.key.validator.takes, Takes::Pattern)
                    && contract::pattern::differs_between(PatternSyntax::Re2, PatternSyntax::Bre, text)
                {
                    let message = "the pattern means something else as a POSIX basic expression";
                    let help = "the proposal's text asks for basic expressions, both Go implementations use RE2; \
                                `vt.pattern_bre` is always basic";
                    self.report(Code::PatternDialect.at(rule.value_span, message).help(help));
                }
                Some(Test::Pattern(pattern))
            }
            Err(error) => {
                let message =
                    format!("`{text}` is not a pattern: {} at offset {}", error.message, error.offset);
                self.report(Code::RulePattern.at(rule.value_span, message).maybe_help(error.hint));
                None
            }
        }
    }
}

/// How much of a type is to be lowered.
#[derive(Clone, Copy)]
enum Whole {
    /// All of it; and whether rules stand on it.
    Yes { ruled: bool },
    /// The rules at hand alone: the rest is in a shape beside this one.
    No,
}

/// What stands around a type.
#[derive(Clone, Copy)]
struct LoweringContext<'m> {
    owner: Option<&'m Struct>,
    own: Option<TypeId>,
    /// Whether the type is that of an element, not of a field.
    element: bool,
}

fn rule(test: Test, pending: &Pending) -> Rule {
    // The escape is a matter of spelling the value; reports name the validator.
    let spelling = pending.spelling.strip_suffix("_escape").unwrap_or(&pending.spelling);
    Rule { spelling: Some(spelling.to_owned().into()), place: Some(pending.span), ..Rule::from(test) }
}

/// The author's words for a violation, at the level that the rules have reached.
fn message_of(pending: &[Pending]) -> Option<Box<str>> {
    pending
        .iter()
        .find(|rule| matches!(rule.key.validator.takes, Takes::Words) && rule.next().is_none())
        .map(|rule| rule.text().into())
}

fn is_redaction(rule: &Pending) -> bool {
    rule.key.validator.is_flag(Flag::Redact)
}

fn is_remark(rule: &Pending) -> bool {
    matches!(rule.key.validator.takes, Takes::Words | Takes::Flag(Flag::Redact | Flag::NotNil))
}

/// Takes the rules of a flag that have reached their type.
fn take(pending: &mut Vec<Pending>, flag: Flag) -> Vec<Pending> {
    let (found, rest) = std::mem::take(pending)
        .into_iter()
        .partition(|rule| rule.next().is_none() && rule.key.validator.is_flag(flag));
    *pending = rest;
    found
}
