//! What to check where: the lowered rules joined with the types of the fields they stand on.
//!
//! Everything that needs no check is gone: a field without rules, a struct in which nothing can break.

use contract::pattern::Pattern;
use contract::{Constant, Form, Property, Rule, Shape, Test, Unit};
use thrift::model::{Field, Model, Struct, StructId, Type, TypeId};
use thrift::{Code, Diagnostic, FileId, Severity, Span};

use crate::Input;
use crate::operand::{Expr, ExprKind, PlanError, Site, Sort, fault};

#[derive(Debug)]
pub(crate) struct Plan<'m> {
    /// One per struct of the model, in its order.
    pub(crate) structs: Vec<StructPlan<'m>>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// The checks of one struct.
#[derive(Debug)]
pub(crate) struct StructPlan<'m> {
    pub(crate) id: StructId,
    pub(crate) it: &'m Struct,
    /// The fields with something to check.
    pub(crate) fields: Vec<FieldPlan<'m>>,
    pub(crate) asserts: Vec<RulePlan<'m>>,
    /// Whether anything in it can break.
    pub(crate) busy: bool,
}

/// The checks of one field.
#[derive(Debug)]
pub(crate) struct FieldPlan<'m> {
    pub(crate) position: usize,
    pub(crate) field: &'m Field,
    pub(crate) property: &'m Property,
    pub(crate) checks: Vec<ValueCheck<'m>>,
    /// Whether `no_sparse` is written on it.
    pub(crate) no_sparse: Option<&'m str>,
    /// Whether it is `required`, and that is to be checked.
    pub(crate) required: bool,
}

impl FieldPlan<'_> {
    /// Says that readers of a language see the field otherwise than others, and what then sees it as it was sent.
    pub(crate) fn reader_default(&self, message: String, help: &'static str) -> Diagnostic {
        Code::ReaderDefault.at(self.field.name.span, message).with_severity(Severity::Warning).help(help)
    }
}

/// What a value of a type must pass.
#[derive(Debug)]
pub(crate) struct ValueCheck<'m> {
    pub(crate) secret: bool,
    pub(crate) rules: Vec<RulePlan<'m>>,
    pub(crate) inner: ElementChecks<'m>,
}

/// What the parts of a value must pass.
#[derive(Debug)]
pub(crate) enum ElementChecks<'m> {
    Nothing,
    Items(TypeId, Vec<ValueCheck<'m>>),
    Entries { key: TypeId, keys: Vec<ValueCheck<'m>>, value: TypeId, values: Vec<ValueCheck<'m>> },
    Struct(StructId),
}

/// One rule with its operands read.
#[derive(Debug)]
pub(crate) struct RulePlan<'m> {
    pub(crate) rule: &'m Rule,
    pub(crate) test: TestPlan<'m>,
}

/// What a rule asks.
#[derive(Debug)]
pub(crate) enum TestPlan<'m> {
    Order(Order, Expr),
    Equal(bool, Expr),
    /// One of the operands, or none.
    Among(bool, Vec<Expr>),
    Length {
        unit: Unit,
        least: bool,
        bound: Expr,
    },
    Text(TextTest, Expr),
    Pattern(&'m Pattern),
    /// No two elements of a list are equal; they are scalars.
    Unique,
    Assert(Expr),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Lt,
    Le,
    Gt,
    Ge,
}

impl Order {
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Order::Lt => "<",
            Order::Le => "<=",
            Order::Gt => ">",
            Order::Ge => ">=",
        }
    }

    /// The operator that holds when this one does not, for values that have an order.
    pub(crate) fn opposite(self) -> &'static str {
        match self {
            Order::Lt => ">=",
            Order::Le => ">",
            Order::Gt => "<=",
            Order::Ge => "<",
        }
    }

    /// The same question with the sides exchanged.
    pub(crate) fn turned(self) -> Order {
        match self {
            Order::Lt => Order::Gt,
            Order::Le => Order::Ge,
            Order::Gt => Order::Lt,
            Order::Ge => Order::Le,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextTest {
    Prefix,
    Suffix,
    Contains,
    NotContains,
}

impl<'m> Plan<'m> {
    /// The structs of a file that have a validator: all that are declared, and those of functions with something to check.
    pub(crate) fn of_file(&self, file: FileId) -> Vec<&StructPlan<'m>> {
        let is_validated = |it: &&StructPlan<'m>| it.it.file == file && (it.it.role.is_declared() || it.busy);
        self.structs.iter().filter(is_validated).collect()
    }

    /// Plans the checks of a program whose readers see to `required`.
    pub(crate) fn of(input: Input<'m>) -> Plan<'m> {
        Plan::new(input, false)
    }

    /// Plans the checks of a program, `required` among them.
    pub(crate) fn with_required(input: Input<'m>) -> Plan<'m> {
        Plan::new(input, true)
    }

    fn new(input: Input<'m>, required: bool) -> Plan<'m> {
        let mut planner = Planner { input, required, diagnostics: Vec::new(), budget: Some(MAX_CHECKS) };
        let mut structs: Vec<StructPlan<'m>> = Vec::with_capacity(input.model.structs.len());
        for (index, it) in input.model.structs.iter().enumerate() {
            let id = StructId(index as u32);
            let shape = input.lowered.name(id).and_then(|name| input.lowered.definitions.get(name));
            structs.push(match shape {
                Some(shape) => planner.structure(id, it, shape),
                None => StructPlan { id, it, fields: Vec::new(), asserts: Vec::new(), busy: false },
            });
        }
        if planner.budget.is_none() {
            // Nobody reads the rest.
            return Plan { structs: Vec::new(), diagnostics: planner.diagnostics };
        }
        let busy = busy(&structs);
        for (plan, busy_here) in structs.iter_mut().zip(&busy) {
            plan.busy = *busy_here;
            for field in &mut plan.fields {
                prune(&mut field.checks, &busy);
            }
            plan.fields.retain(FieldPlan::is_busy);
        }
        Plan { structs, diagnostics: planner.diagnostics }
    }
}

impl FieldPlan<'_> {
    fn is_busy(&self) -> bool {
        !self.checks.is_empty() || self.no_sparse.is_some() || self.requires() || self.required
    }

    /// Whether the dialect's own rule that it must be there applies.
    pub(crate) fn requires(&self) -> bool {
        self.property.required && self.property.requirement.is_some()
    }
}

/// Which structs can break, one way or another.
fn busy(structs: &[StructPlan<'_>]) -> Vec<bool> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); structs.len()];
    let mut busy = vec![false; structs.len()];
    let mut waiting = Vec::new();
    for (index, plan) in structs.iter().enumerate() {
        let mut own = !plan.asserts.is_empty();
        for field in &plan.fields {
            own |= field.requires() || field.no_sparse.is_some() || field.required;
            for check in &field.checks {
                own |= uses(check, &mut |id| {
                    if let Some(list) = users.get_mut(id.0 as usize) {
                        list.push(index);
                    }
                });
            }
        }
        if own {
            waiting.push(index);
        }
    }
    while let Some(index) = waiting.pop() {
        match busy.get_mut(index) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        waiting.extend(users.get(index).into_iter().flatten());
    }
    busy
}

/// Whether a check has rules of its own; names the structs it goes into.
fn uses(check: &ValueCheck<'_>, visit: &mut impl FnMut(StructId)) -> bool {
    let mut own = !check.rules.is_empty();
    match &check.inner {
        ElementChecks::Nothing => {}
        ElementChecks::Items(_, checks) => checks.iter().for_each(|check| own |= uses(check, visit)),
        ElementChecks::Entries { keys, values, .. } => {
            keys.iter().chain(values).for_each(|check| own |= uses(check, visit));
        }
        ElementChecks::Struct(id) => visit(*id),
    }
    own
}

/// Drops checks that cannot fail.
fn prune(checks: &mut Vec<ValueCheck<'_>>, busy: &[bool]) {
    for check in checks.iter_mut() {
        let idle = match &mut check.inner {
            ElementChecks::Nothing => true,
            ElementChecks::Items(_, items) => {
                prune(items, busy);
                items.is_empty()
            }
            ElementChecks::Entries { keys, values, .. } => {
                prune(keys, busy);
                prune(values, busy);
                keys.is_empty() && values.is_empty()
            }
            ElementChecks::Struct(id) => !busy.get(id.0 as usize).copied().unwrap_or_default(),
        };
        if idle {
            check.inner = ElementChecks::Nothing;
        }
    }
    checks.retain(|check| !check.rules.is_empty() || !matches!(check.inner, ElementChecks::Nothing));
}

/// How many checks the code of a program may have, those of typedefs counted wherever they are used.
const MAX_CHECKS: usize = 1 << 17;

struct Planner<'m> {
    input: Input<'m>,
    /// Whether `required` is checked.
    required: bool,
    diagnostics: Vec<Diagnostic>,
    /// How many checks may still be made; `None` once there were too many.
    budget: Option<usize>,
}

impl<'m> Planner<'m> {
    fn model(&self) -> &'m Model {
        self.input.model
    }

    fn structure(&mut self, id: StructId, it: &'m Struct, shape: &'m Shape) -> StructPlan<'m> {
        let properties = match &shape.form {
            Form::Object(object) => object.properties.as_slice(),
            _ => &[],
        };
        let mut fields = Vec::new();
        for (position, (field, property)) in it.fields.iter().zip(properties).enumerate() {
            let mut checks = Vec::new();
            let around = FieldContext { owner: it, own: field.ty };
            self.checks(&property.shape, field.ty, around, false, &mut checks);
            let no_sparse = no_sparse(field);
            let required = self.required && property.required && property.requirement.is_none();
            fields.push(FieldPlan { position, field, property, checks, no_sparse, required });
        }
        let site = self.site(it, None, None);
        let asserts = shape.rules.iter().filter_map(|rule| self.rule(rule, &site, Sort::Bool)).collect();
        StructPlan { id, it, fields, asserts, busy: false }
    }

    fn site(&self, owner: &'m Struct, own: Option<TypeId>, current: Option<TypeId>) -> Site<'m> {
        Site { model: self.model(), functions: self.input.functions, owner, own, current }
    }

    // INVARIANT: shapes nest no deeper than lowering makes them.
    fn checks(
        &mut self,
        shape: &'m Shape,
        ty: TypeId,
        around: FieldContext<'m>,
        secret: bool,
        out: &mut Vec<ValueCheck<'m>>,
    ) {
        let secret = secret || self.is_secret(shape);
        let real = self.model().real(ty);
        if let Form::All(shapes) = &shape.form {
            return shapes.iter().for_each(|shape| self.checks(shape, ty, around, secret, out));
        }
        if let (Form::Ref(name), false) = (&shape.form, matches!(real, Type::Struct(_))) {
            if let Some(shared) = self.input.lowered.definitions.get(name) {
                self.checks(shared, ty, around, secret, out);
            }
            return;
        }
        let Some(budget) = self.budget else { return };
        self.budget = budget.checked_sub(1 + shape.rules.len());
        if self.budget.is_none() {
            return self.too_many(around);
        }
        let site = self.site(around.owner, Some(around.own), Some(ty));
        let sort = Sort::of(real);
        let rules = shape.rules.iter().filter_map(|rule| self.rule(rule, &site, sort)).collect();
        let mut parts = |shape: &'m Shape, ty: TypeId| {
            let mut checks = Vec::new();
            self.checks(shape, ty, around, secret, &mut checks);
            checks
        };
        // Lowering makes the form from the type, or `Any` where the parts have no rules.
        let inner = match (real, &shape.form) {
            (Type::List(element) | Type::Set(element), Form::List(items)) => {
                ElementChecks::Items(element, parts(items, element))
            }
            (Type::Map(key, value), Form::Map(keys, values)) => {
                ElementChecks::Entries { key, keys: parts(keys, key), value, values: parts(values, value) }
            }
            (Type::Struct(id), Form::Ref(_)) => ElementChecks::Struct(id),
            (Type::List(_) | Type::Set(_) | Type::Map(..) | Type::Struct(_), _) => ElementChecks::Nothing,
            (
                Type::Bool
                | Type::I8
                | Type::I16
                | Type::I32
                | Type::I64
                | Type::Double
                | Type::String
                | Type::Binary
                | Type::Uuid
                | Type::Enum(_)
                | Type::Typedef(_)
                | Type::Error,
                _,
            ) => ElementChecks::Nothing,
        };
        out.push(ValueCheck { secret, rules, inner });
    }

    /// Whether a value must not be printed, on account of whatever typedef it has.
    fn is_secret(&self, shape: &Shape) -> bool {
        shape.secret
            || match &shape.form {
                Form::All(shapes) => shapes.iter().any(|shape| self.is_secret(shape)),
                // A struct is not a secret because it is one of itself.
                Form::Ref(name) => match self.input.lowered.definitions.get(name) {
                    Some(Shape { form: Form::Object(_), .. }) | None => false,
                    Some(shared) => self.is_secret(shared),
                },
                _ => false,
            }
    }

    fn too_many(&mut self, around: FieldContext<'m>) {
        let message = format!("the rules are more than {MAX_CHECKS} when typedefs are written out");
        self.diagnostics.push(
            Code::TooLarge
                .at(around.owner.name.span, message)
                .help("they can be validated on the wire, not in generated code"),
        );
    }

    fn rule(&mut self, rule: &'m Rule, site: &Site<'m>, sort: Sort) -> Option<RulePlan<'m>> {
        match test(rule, site, sort) {
            Ok(test) => Some(RulePlan { rule, test: test? }),
            Err(PlanError { code, message }) => {
                let span = rule.place.unwrap_or(Span::empty(FileId(0), 0));
                self.diagnostics.push(
                    code.at(span, message).help("it can be validated on the wire, not in generated code"),
                );
                None
            }
        }
    }
}

#[derive(Clone, Copy)]
struct FieldContext<'m> {
    owner: &'m Struct,
    own: TypeId,
}

fn test<'m>(rule: &'m Rule, site: &Site<'m>, sort: Sort) -> Result<Option<TestPlan<'m>>, PlanError> {
    let one = |operand| site.operand(operand, sort);
    let size = |operand, unit, least| {
        let bound = site.operand(operand, Sort::Int)?;
        match bound.sort {
            // Nothing is shorter than that.
            Sort::Int if least && matches!(bound.kind, ExprKind::Constant(Constant::Int(..=0))) => Ok(None),
            Sort::Int => Ok(Some(TestPlan::Length { unit, least, bound })),
            _ => fault(
                Code::RuleType,
                format!("`{}` is not an integer, so nothing has that size", bound.written),
            ),
        }
    };
    Ok(Some(match &rule.test {
        Test::Eq(operand) => TestPlan::Equal(true, one(operand)?),
        Test::Ne(operand) => TestPlan::Equal(false, one(operand)?),
        Test::Lt(operand) => TestPlan::Order(Order::Lt, one(operand)?),
        Test::Le(operand) => TestPlan::Order(Order::Le, one(operand)?),
        Test::Gt(operand) => TestPlan::Order(Order::Gt, one(operand)?),
        Test::Ge(operand) => TestPlan::Order(Order::Ge, one(operand)?),
        Test::In(operands) => TestPlan::Among(true, operands.iter().map(one).collect::<Result<_, _>>()?),
        Test::NotIn(operands) => TestPlan::Among(false, operands.iter().map(one).collect::<Result<_, _>>()?),
        Test::MinLength(unit, operand) => return size(operand, *unit, true),
        Test::MaxLength(unit, operand) => return size(operand, *unit, false),
        Test::Prefix(operand) => TestPlan::Text(TextTest::Prefix, one(operand)?),
        Test::Suffix(operand) => TestPlan::Text(TextTest::Suffix, one(operand)?),
        Test::Contains(operand) => TestPlan::Text(TextTest::Contains, one(operand)?),
        Test::NotContains(operand) => TestPlan::Text(TextTest::NotContains, one(operand)?),
        Test::Pattern(pattern) => TestPlan::Pattern(pattern),
        Test::Unique(()) => TestPlan::Unique,
        Test::Assert(operand) => TestPlan::Assert(site.operand(operand, Sort::Bool)?),
        // No annotation lowers to these; one that did would have to be generated here.
        Test::Minimum(_)
        | Test::ExclusiveMinimum(_)
        | Test::Maximum(_)
        | Test::ExclusiveMaximum(_)
        | Test::MultipleOf(_)
        | Test::Constant(_)
        | Test::Format(_)
        | Test::Presence(_)
        | Test::Elements(_)
        | Test::Keys(_)
        | Test::Values(_)
        | Test::Not(_)
        | Test::If(_)
        | Test::Dependent(_)
        | Test::Containment(_)
        | Test::Custom(_) => {
            let message = format!("generated code has no form of `{}`", rule.name());
            return fault(Code::RuleType, message);
        }
    }))
}

/// The spelling of `no_sparse` on a field. Lowering knows no such rule: values on the wire are always there.
fn no_sparse(field: &Field) -> Option<&str> {
    field.annotations.iter().find_map(|annotation| {
        let on =
            annotation.value.as_ref().is_none_or(|value| matches!(value.value.trim_ascii(), b"true" | b"1"));
        let (prefix, name) = annotation.key.text.split_once('.')?;
        let ours = matches!(prefix, "vt" | "validate" | "validator") && name == "no_sparse";
        (on && ours).then_some(annotation.key.text.as_str())
    })
}
