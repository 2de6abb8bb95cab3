//! Whether what a node says makes sense together: names that are required, values, defaults, bounds.
//!
//! Values are checked by the contract engine, as the values of resources are.

use std::collections::HashSet;

use contract::{Constant, Contract, Definitions, FlawCode, Node, Shape, Test};
use diagnostics::{Span, suggest};
use document::SourceValue;

use super::{Draft, SchemaReader};
use crate::findings::{Findings, PointerStep, shorten};
use crate::lower::{Purpose, node_shape, properties_shape};
use crate::rule::{self, ManifestRule};
use crate::schema::{Additional, Keyword, Schema, SchemaType};

/// Looks at one node whose members were read.
pub(super) fn node<'d>(reader: &mut SchemaReader<'_, 'd>, draft: &mut Draft<'d>, value: SourceValue<'d>) {
    values(reader, draft);
    required(reader, draft, value);
    marks(reader, draft, value);
    parts(reader, draft, value);
    written_value(reader, &rule::DEFAULT, "default", draft.schema.default.clone(), draft.default, draft);
    written_value(reader, &rule::EXAMPLE, "example", draft.schema.example.clone(), draft.example, draft);
}

/// The values of an `enum`.
fn values<'d>(reader: &mut SchemaReader<'_, 'd>, draft: &mut Draft<'d>) {
    let Some(list) = draft.values else { return };
    match list.node() {
        Node::List(1..) => {}
        Node::List(_) => {
            reader.findings.report_member(&rule::ENUM, "enum", list.place(), "the list of values is empty");
            return;
        }
        _ => return reader.wrong_kind("enum", list, "a list"),
    }
    let bare = node_shape(&Schema::new(draft.schema.kind), Purpose::State);
    let Ok(typed) = Contract::compile(&bare, &Definitions::new()) else { return };
    let mut all = Vec::new();
    let mut places = Vec::new();
    for (index, item) in list.items().enumerate() {
        let Some(constant) = reader.constant("enum", item) else { continue };
        let fits = typed.is_valid(&constant) || (constant == Constant::Null && draft.schema.nullable);
        if fits {
            all.push(constant);
            places.push((index, item.place()));
        } else {
            let shown = if reader.secret { contract::MASK.to_owned() } else { item.preview(60) };
            let message = format!("the value {shown} is not of the type `{}`", draft.schema.kind.name());
            let quotable = draft.schema.kind == SchemaType::String
                && !matches!(item.node(), Node::Object(_) | Node::List(_));
            reader
                .findings
                .report_element(&rule::ENUM, "enum", index, item.place(), message)
                .maybe_hint(quotable.then_some("put it in quotes"));
        }
    }
    let all = Constant::List(all);
    if let Some((index, place)) = first_repeated(&all).and_then(|at| places.get(at)) {
        let message = "the value is listed twice";
        reader.findings.report_element(&rule::ENUM, "enum", *index, *place, message);
    }
    if let Constant::List(all) = all {
        draft.schema.values = all;
        draft.schema.values_place = Some(list.place());
    }
}

/// The position of the first element that is equal to one before it.
fn first_repeated(list: &Constant) -> Option<usize> {
    let shape = Shape::list(Shape::any()).must(Test::Unique(()));
    let contract = Contract::compile(&shape, &Definitions::new()).ok()?;
    if contract.is_valid(list) {
        return None;
    }
    let Constant::List(items) = list else { return None };
    // Only lists that have such an element come here, and the shortest part that has one ends with it.
    let (mut low, mut high) = (1, items.len());
    while low < high {
        let middle = low.midpoint(high);
        let part = Constant::List(items.get(..middle)?.to_vec());
        if contract.is_valid(&part) { low = middle + 1 } else { high = middle }
    }
    low.checked_sub(1)
}

/// The names of properties that must be there.
fn required<'d>(reader: &mut SchemaReader<'_, 'd>, draft: &mut Draft<'d>, _value: SourceValue<'d>) {
    let Some(list) = draft.required else { return };
    match list.node() {
        Node::List(1..) => {}
        Node::List(_) => {
            let message = "the list of required names is empty";
            reader
                .findings
                .report_member(&rule::NO_EFFECT, "required", list.place(), message)
                .hint("leave it out");
            return;
        }
        _ => return reader.wrong_kind("required", list, "a list of names"),
    }
    let declared: HashSet<&str> = draft.schema.properties().iter().map(|property| &*property.name).collect();
    let mut seen = HashSet::new();
    let mut names = Vec::new();
    for (index, item) in list.items().enumerate() {
        let place = item.place();
        let mut report = |rule: &'static ManifestRule, message: String, hint: Option<String>| {
            reader.findings.report_element(rule, "required", index, place, message).maybe_hint(hint);
        };
        let Some(name) = item.as_str() else {
            let message = format!("`required` lists names, found {}", item.node().kind());
            report(&rule::KEYWORD_KIND, message, None);
            continue;
        };
        if !seen.insert(name) {
            report(&rule::REQUIRED, format!("`{}` is listed twice", shorten(name)), None);
            continue;
        }
        if !declared.contains(name) && !draft.has_base(name) {
            let near = suggest(name, declared_in_order(&draft.schema));
            let hint = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "declare it in `properties`".to_owned(),
            };
            report(
                &rule::REQUIRED,
                format!("the required property `{}` is not declared", shorten(name)),
                Some(hint),
            );
            continue;
        }
        names.push(Box::from(name));
    }
    draft.schema.required = names;
}

fn declared_in_order(schema: &Schema) -> impl Iterator<Item = &str> {
    schema.properties().iter().map(|property| &*property.name)
}

/// Marks that contradict each other, or that have no effect.
fn marks<'d>(reader: &mut SchemaReader<'_, 'd>, draft: &Draft<'d>, value: SourceValue<'d>) {
    let schema = &draft.schema;
    if schema.read_only && schema.write_only {
        let message = "the value is read-only and write-only at once";
        let place = value.member_with_key("writeOnly").map_or(draft.at, |(key, _)| key.place());
        reader.findings.report_member(&rule::READ_AND_WRITE_ONLY, "writeOnly", place, message);
    }
    for (mark, bound) in
        [(Keyword::ExclusiveMinimum, Keyword::Minimum), (Keyword::ExclusiveMaximum, Keyword::Maximum)]
    {
        let Some(constraint) = schema.constraint(mark) else { continue };
        if schema.is_set(mark) && schema.constraint(bound).is_none() {
            let message = format!("`{}` says nothing without `{}`", mark.name(), bound.name());
            let place = constraint.place.unwrap_or(draft.at);
            reader.findings.report_member(&rule::NO_EFFECT, mark.name(), place, message);
        }
    }
    let required: HashSet<&str> = schema.required.iter().map(|name| &**name).collect();
    for property in schema.properties() {
        let is_required = required.contains(&*property.name);
        let (Some(place), inner) = (property.place, &property.schema) else { continue };
        let why = match (is_required, inner.read_only) {
            (true, true) => {
                let message = format!(
                    "`{}` is required and read-only: no request can have it",
                    shorten(&property.name)
                );
                report_property(reader, &rule::REQUIRED_READ_ONLY, &property.name, place, message);
                continue;
            }
            (true, false) => "required",
            (false, true) => "read-only",
            (false, false) => continue,
        };
        if inner.default.is_some() {
            let message =
                format!("the default of `{}` is never used: the property is {why}", shorten(&property.name));
            report_property(reader, &rule::UNUSED_DEFAULT, &property.name, place, message);
        }
    }
}

fn report_property(
    reader: &mut SchemaReader<'_, '_>,
    rule: &'static ManifestRule,
    name: &str,
    place: Span,
    message: String,
) {
    reader.findings.enter(PointerStep::Name("properties"));
    reader.findings.report_member(rule, name, place, message);
    reader.findings.leave();
}

/// Parts that must be there, or that exclude each other.
fn parts<'d>(reader: &mut SchemaReader<'_, 'd>, draft: &mut Draft<'d>, value: SourceValue<'d>) {
    let schema = &mut draft.schema;
    if schema.kind == SchemaType::Array && schema.items.is_none() {
        reader
            .findings
            .report(&rule::ITEMS, draft.at, "the array does not say what its elements are")
            .hint("add `items`, as in `items: {type: string}`");
    }
    let is_map = matches!(schema.additional, Additional::Schema(_));
    let has_properties = !schema.properties().is_empty();
    if is_map && (has_properties || draft.is_root()) {
        let place = value.member_with_key("additionalProperties").map_or(draft.at, |(key, _)| key.place());
        let (message, hint) = if has_properties {
            (
                "the object has both `properties` and a schema for `additionalProperties`",
                "keep one of them, or give the map a property of its own",
            )
        } else {
            ("the schema of a type has properties, it cannot be a map", "give the map a property of its own")
        };
        reader
            .findings
            .report_member(&rule::PROPERTIES_AND_MAP, "additionalProperties", place, message)
            .hint(hint);
        draft.schema.additional = Additional::Unsaid;
    }
}

/// A value that is written in the schema itself.
fn written_value<'d>(
    reader: &mut SchemaReader<'_, 'd>,
    rule: &'static ManifestRule,
    name: &str,
    constant: Option<Constant>,
    value: Option<SourceValue<'d>>,
    draft: &Draft<'d>,
) {
    let (Some(constant), Some(value)) = (constant, value) else { return };
    let shape = node_shape(&draft.schema, Purpose::State);
    // What is wrong with the schema itself is reported where it is.
    let Ok(contract) = Contract::compile(&shape, &Definitions::new()) else { return };
    let Some(violation) = contract.first_violation(&constant) else { return };
    let place = if draft.schema.sensitive {
        Span::empty(value.place().file, value.place().start)
    } else {
        value.place()
    };
    let inside =
        if violation.path.steps.is_empty() { String::new() } else { format!(" at `{}`", violation.path) };
    let message = format!("the {name} breaks its own schema{inside}: {}", violation.message());
    reader.findings.report_member(rule, name, place, message).maybe_hint(violation.hint);
}

/// Looks at a schema as a whole: the contract engine says what no value can satisfy.
pub(super) fn whole<'d>(findings: &mut Findings<'d>, schema: &Schema, value: SourceValue<'d>) {
    let shape = properties_shape(schema, Purpose::State);
    let Err(flaws) = Contract::compile(&shape, &Definitions::new()) else { return };
    for flaw in flaws {
        let rule = match flaw.code {
            FlawCode::BadPattern => &rule::PATTERN,
            FlawCode::BrokenDefault | FlawCode::BrokenExample => &rule::DEFAULT,
            FlawCode::NeverApplies => &rule::KEYWORD_TYPE,
            FlawCode::TooDeep => &rule::LIMIT,
            _ => &rule::BOUNDS,
        };
        let place = flaw.place.unwrap_or(value.place());
        let steps = steps_to(value, place);
        let count = steps.len();
        for step in steps {
            findings.enter(step);
        }
        findings.report(rule, first_bytes(place), flaw.message).maybe_hint(flaw.hint);
        for _ in 0..count {
            findings.leave();
        }
    }
}

/// The start of a long place: what is wrong with a whole node is said at its beginning.
fn first_bytes(place: Span) -> Span {
    const MOST: u32 = 80;
    if place.end.saturating_sub(place.start) > MOST { Span::empty(place.file, place.start) } else { place }
}

/// The way from a value to the part of it at a place.
fn steps_to<'d>(value: SourceValue<'d>, place: Span) -> Vec<PointerStep<'d>> {
    let mut steps = Vec::new();
    let mut value = value;
    let covers =
        |value: SourceValue<'_>| value.place().start <= place.start && place.end <= value.place().end;
    while value.place() != place {
        let member = value.members().find(|(key, value)| covers(*key) || covers(*value));
        let item = || value.items().enumerate().find(|(_, item)| covers(*item));
        let (step, inner) = match member {
            Some((key, inner)) => (PointerStep::Name(key.as_str().unwrap_or_default()), inner),
            None => match item() {
                Some((index, inner)) => (PointerStep::Index(index), inner),
                None => break,
            },
        };
        steps.push(step);
        if !covers(inner) {
            break;
        }
        value = inner;
    }
    steps
}
