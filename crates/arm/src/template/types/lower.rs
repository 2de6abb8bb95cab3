//! Types as they are written to shapes of contracts.
//!
//! A type is read through its layers: what is written beside a `$ref` is laid over what the reference leads to. All types
//! that are referred to, and all that have more than one layer, are definitions named by their node, so that
//! types may contain themselves.

use std::collections::{BTreeMap, HashMap, HashSet};

use contract::{
    Additional, Constant, Contract, Custom, Definitions, Flaw, Form, Host, IntWidth, Node, Object, Operand,
    Property, Rule, Select, Shape, Signature, Test, Tested, Tuple, Union, Unit,
};
use document::{Document, NodeId, SourceValue};
use smol_str::SmolStr;

use super::declared::is_type;
use super::{TypeDefinition, TypeWord, ValidatorKind};
use crate::expression::TemplateString;
use crate::template::Template;
use crate::template::read::{follow, member};
use crate::value::folded;

/// How many references may lead to one another.
const LONGEST_CHAIN: usize = 100;

/// Makes the test for a number that bounds values or lengths.
type BoundTestFn = fn(Unit, Operand) -> Test;

/// How deep the values of a type may be.
const DEPTH: usize = 512;

/// The contracts of a template's types.
#[derive(Debug)]
pub(crate) struct TypeContracts {
    pub(super) contract: Option<Contract>,
    /// What is wrong with the types themselves.
    pub(super) flaws: Vec<Flaw>,
    /// Validators that do not take the values of the types they stand on, and what is wrong with each.
    pub(super) misplaced: BTreeMap<u32, String>,
    /// The definitions of types whose values have secrets inside, or are secrets.
    secrets: HashSet<String>,
}

impl TypeContracts {
    /// Lowers all types of a template that are more than a word.
    pub(super) fn of(template: &Template) -> TypeContracts {
        let functions = template.functions.iter();
        let all = template
            .parameters
            .iter()
            .map(|parameter| &parameter.ty)
            .chain(template.outputs.iter().map(|output| &output.ty))
            .chain(template.extensions.iter().flat_map(|it| it.settings.iter().map(|setting| &setting.ty)))
            .chain(functions.flat_map(|function| function.parameters.iter().chain([&function.result])));
        let mut lowering = Lowering {
            template,
            misplaced: BTreeMap::new(),
            document: &template.document,
            root: template.source(),
            definitions: Definitions::new(),
            known: HashSet::new(),
            queue: Vec::new(),
            here: String::new(),
            users: HashMap::new(),
            secrets: Vec::new(),
        };
        let all: Vec<&TypeDefinition> = all.filter(|ty| !ty.plain).collect();
        for ty in &all {
            lowering.want(name(ty.node, None), ty.node, None);
        }
        lowering.run();
        for ty in all.into_iter().filter(|ty| ty.nullable) {
            if let Some(shape) = lowering.definitions.get_mut(name(ty.node, None).as_str()) {
                shape.nullable = true;
            }
        }
        let secrets = lowering.secrets();
        let (contract, flaws) = Contract::library(lowering.definitions, &NoValidators);
        let mut flaws: Vec<Flaw> = flaws.into_iter().filter(|flaw| !flaw.code.is_usable()).collect();
        // A contract that cannot be used has said why; what requires itself can be used, and lets nothing pass.
        if let Some(contract) = &contract {
            flaws = super::endless::find(contract.definitions());
        }
        TypeContracts { contract, flaws, misplaced: lowering.misplaced, secrets }
    }

    /// Tells whether values of the type have secrets inside, or are secrets.
    pub(super) fn has_secrets(&self, ty: &TypeDefinition) -> bool {
        self.secrets.contains(&TypeContracts::entry(ty))
    }

    /// The name of a type's definition.
    pub(super) fn entry(ty: &TypeDefinition) -> String {
        name(ty.node, None)
    }
}

/// A host without validators, for types that are being compiled: no value is checked by it.
pub(super) struct NoValidators;

impl Host for NoValidators {
    fn signature(&self, _: &str) -> Option<Signature> {
        None
    }

    fn call(&self, function: &str, _: &[contract::Argument<'_>]) -> Result<Constant, String> {
        Err(format!("there is no function `{function}`"))
    }

    fn test(&self, _: &Custom, _: &dyn contract::AnyView, _: &[contract::Argument<'_>]) -> Tested {
        Tested::Holds
    }
}

/// The name of a definition: its node, and a property that it has whether it says so or not.
fn name(node: NodeId, tag: Option<&str>) -> String {
    match tag {
        None => u32::from(node).to_string(),
        Some(tag) => format!("{} {tag}", u32::from(node)),
    }
}

struct Lowering<'d> {
    template: &'d Template,
    misplaced: BTreeMap<u32, String>,
    document: &'d Document,
    root: SourceValue<'d>,
    definitions: Definitions,
    known: HashSet<String>,
    queue: Vec<(String, NodeId, Option<SmolStr>)>,
    /// The definition that is being made.
    here: String,
    /// The definitions that refer to a definition.
    users: HashMap<String, Vec<String>>,
    /// The definitions in which something is secure.
    secrets: Vec<String>,
}

/// A type and what its references lead to, the nearest first.
pub(super) struct Layers<'d>(Vec<SourceValue<'d>>);

impl<'d> Layers<'d> {
    /// A type that is written in a document.
    pub(super) fn of(root: SourceValue<'d>, value: SourceValue<'d>) -> Layers<'d> {
        let mut layers = vec![value];
        let mut here = value;
        while let Some(next) =
            member(here, "$ref").and_then(SourceValue::as_str).and_then(|text| follow(root, text))
        {
            if layers.len() > LONGEST_CHAIN {
                break;
            }
            layers.push(next);
            here = next;
        }
        Layers(layers)
    }

    /// Tells whether values are secrets: a layer that says so cannot be overruled.
    pub(super) fn is_secure(&self) -> bool {
        self.0.iter().any(|layer| {
            let word = member(*layer, "type").and_then(SourceValue::as_str).and_then(TypeWord::parse);
            word.is_some_and(|(_, secure)| secure)
        })
    }

    /// An array with the elements that `change` makes of its own, each with its type; none if it changes none.
    pub(super) fn changed_elements(
        &self,
        items: &[crate::Value],
        mut change: impl FnMut(SourceValue<'d>, &crate::Value) -> Option<crate::Value>,
    ) -> Option<crate::Value> {
        let first: Vec<SourceValue<'d>> =
            self.get("prefixItems").into_iter().flat_map(SourceValue::items).collect();
        let rest = self.get("items").filter(is_type);
        let mut is_changed = false;
        let items = items.iter().enumerate().map(|(at, item)| {
            let changed = first.get(at).copied().or(rest).and_then(|ty| change(ty, item));
            is_changed |= changed.is_some();
            changed.unwrap_or_else(|| item.clone())
        });
        let items = items.collect();
        is_changed.then(|| crate::Value::array(items))
    }

    /// A member of the first layer that has it.
    pub(super) fn get(&self, name: &str) -> Option<SourceValue<'d>> {
        self.0.iter().find_map(|layer| member(*layer, name))
    }
}

impl<'d> Lowering<'d> {
    fn want(&mut self, name: String, node: NodeId, tag: Option<SmolStr>) {
        if !self.here.is_empty() {
            self.users.entry(name.clone()).or_default().push(self.here.clone());
        }
        if self.known.insert(name.clone()) {
            self.queue.push((name, node, tag));
        }
    }

    fn run(&mut self) {
        while let Some((name, node, tag)) = self.queue.pop() {
            self.here.clone_from(&name);
            let mut shape = self.layered(self.document.value(node), tag.as_deref());
            shape.nullable = false;
            self.definitions.insert(name.into(), shape);
        }
    }

    /// The definitions in which something is secure, and all that refer to them.
    fn secrets(&mut self) -> HashSet<String> {
        let mut found = HashSet::new();
        while let Some(name) = self.secrets.pop() {
            if let Some(users) = self.users.remove(&name) {
                self.secrets.extend(users);
            }
            found.insert(name);
        }
        found
    }

    /// The shape of a type that is a part of another.
    fn shape(&mut self, value: SourceValue<'d>) -> Shape {
        if member(value, "$ref").is_none() {
            return self.layered(value, None);
        }
        // What a reference leads to is a definition; beside it there may be more, which makes another one.
        let alone = value.members().all(|(key, _)| {
            let is = |name: &str| key.as_str().is_some_and(|key| key.eq_ignore_ascii_case(name));
            is("$ref") || is("nullable") || is("metadata")
        });
        let layers = Layers::of(self.root, value);
        let target = if alone { layers.0.get(1).copied().unwrap_or(value) } else { value };
        let name = name(target.id(), None);
        self.want(name.clone(), target.id(), None);
        let place = Some(value.place());
        let mut shape = Shape::new(Form::Ref(name.into())).at(place);
        shape.description = description(member(value, "metadata"));
        // Definitions take no null; what is written here counts, or else what is written there.
        shape.nullable = is_true(layers.get("nullable"));
        shape
    }

    /// The shape of all layers together. Recursion is bounded by the depth of documents.
    fn layered(&mut self, value: SourceValue<'d>, tag: Option<&str>) -> Shape {
        let layers = Layers::of(self.root, value);
        let word = layers.get("type").and_then(SourceValue::as_str).and_then(TypeWord::parse);
        let has = |names: &[&str]| names.iter().any(|name| layers.get(name).is_some());
        let kind = match word {
            Some((word, _)) => Some(word),
            None if has(&["properties", "additionalProperties", "discriminator"]) => Some(TypeWord::Object),
            None if has(&["items", "prefixItems"]) => Some(TypeWord::Array),
            None => None,
        };
        let form = match kind {
            None => Form::Any,
            Some(TypeWord::String) => Form::Text,
            Some(TypeWord::Int) => Form::Int(IntWidth::Written),
            Some(TypeWord::Bool) => Form::Bool,
            Some(TypeWord::Array) => self.list(&layers),
            Some(TypeWord::Object) => self.object(&layers, tag),
        };
        let mut shape = Shape::new(form).at(Some(value.place()));
        shape.description = description(layers.get("metadata"));
        shape.secret = layers.is_secure();
        if shape.secret {
            self.secrets.push(self.here.clone());
        }
        shape.nullable = is_true(layers.get("nullable"));
        self.constraints(&layers, kind, &mut shape);
        // Those of a definition run before those of what refers to it.
        for layer in layers.0.iter().rev() {
            for word in ["validate", "userDefinedConstraint"] {
                let Some(written) = member(*layer, word) else { continue };
                let each = match written.node() {
                    Node::List(_) if word == "userDefinedConstraint" => written.items().collect(),
                    _ => vec![written],
                };
                for one in each {
                    if let Some(kind) = kind {
                        self.accepts(one.place().start, kind);
                    }
                    let id = one.place().start;
                    let custom = Custom { name: word.into(), id, arguments: Vec::new() };
                    shape = shape.rule(Rule {
                        test: Test::Custom(custom),
                        spelling: Some(word.into()),
                        message: None,
                        place: Some(one.place()),
                    });
                }
            }
        }
        shape
    }

    /// Finds out whether a validator takes values of a kind.
    fn accepts(&mut self, validator: u32, kind: TypeWord) {
        let known = self.template.validators.get(&validator).map(|validator| &validator.kind);
        let Some(ValidatorKind::Function { namespace, name, .. }) = known else { return };
        let first = self.template.function(namespace, name).and_then(|function| function.parameters.first());
        let Some((first, wanted)) = first.and_then(|first| Some((first, first.word?))) else { return };
        if wanted != kind {
            let message = format!(
                "the validator '{namespace}.{name}' takes a value of type '{}', and stands on a type whose values are '{}'",
                first.name().unwrap_or("Any"),
                kind.name()
            );
            self.misplaced.insert(validator, message);
        }
    }

    fn constraints(&self, layers: &Layers<'d>, kind: Option<TypeWord>, shape: &mut Shape) {
        let unit = match kind {
            Some(TypeWord::Array) => Unit::Items,
            Some(TypeWord::Object) => Unit::Properties,
            _ => Unit::Utf16,
        };
        let tests: [(&'static str, BoundTestFn); 4] = [
            ("minValue", |_, operand| Test::Minimum(operand)),
            ("maxValue", |_, operand| Test::Maximum(operand)),
            ("minLength", Test::MinLength),
            ("maxLength", Test::MaxLength),
        ];
        for (word, test) in tests {
            let Some(written) = layers.get(word) else { continue };
            let Node::Int(bound) = written.node() else { continue };
            shape.rules.push(rule(test(unit, bound.into()), word, written));
        }
        // An empty list allows everything.
        if let Some(written) = layers.get("allowedValues").filter(|written| written.items().len() > 0) {
            let operand = |item: SourceValue<'d>| Some(Operand::Constant(literal(item, DEPTH)?));
            let Some(allowed) = written.items().map(operand).collect::<Option<Vec<_>>>() else { return };
            let lists = written.items().any(|item| matches!(item.node(), Node::List(_)));
            let test = match kind {
                // A list that is not in the list may consist of what is in the list.
                Some(TypeWord::Array) if !lists => {
                    let element = Shape::any().rule(rule(Test::In(allowed), "allowedValues", written));
                    Test::Elements(Box::new(element))
                }
                _ => Test::In(allowed),
            };
            shape.rules.push(rule(test, "allowedValues", written));
        }
    }

    fn list(&mut self, layers: &Layers<'d>) -> Form {
        let items = layers.get("items");
        let rest = match items.map(|items| (items, items.node())) {
            Some((_, Node::Bool(false))) => None,
            Some((items, Node::Object(_))) => Some(self.shape(items)),
            _ => Some(Shape::any()),
        };
        let first: Vec<Shape> = layers
            .get("prefixItems")
            .into_iter()
            .flat_map(SourceValue::items)
            .map(|item| self.shape(item))
            .collect();
        match (first.is_empty(), rest) {
            (true, Some(rest)) => Form::List(Box::new(rest)),
            (_, rest) => {
                Form::Tuple(Box::new(Tuple { least: first.len(), items: first, rest: rest.map(Box::new) }))
            }
        }
    }

    fn object(&mut self, layers: &Layers<'d>, tag: Option<&str>) -> Form {
        let mut properties = Vec::new();
        let mut seen = HashSet::new();
        for (key, value) in layers.get("properties").into_iter().flat_map(SourceValue::members) {
            let name = key.as_str().unwrap_or_default();
            // Names do not depend on case: the first declaration counts.
            if !seen.insert(folded(name)) {
                continue;
            }
            let shape = self.shape(value);
            let required = !shape.nullable;
            let property = Property { required, place: Some(key.place()), ..Property::optional(name, shape) };
            properties.push(property);
        }
        if let Some(tag) = tag
            && seen.insert(folded(tag))
        {
            properties.push(Property::optional(tag, Shape::any()));
        }
        let additional = match layers.get("additionalProperties").map(|value| (value, value.node())) {
            Some((_, Node::Bool(false))) => Additional::Closed,
            Some((value, Node::Object(_))) => Additional::Shape(Box::new(self.shape(value))),
            _ => Additional::Open,
        };
        let Some(discriminator) = layers.get("discriminator") else {
            return Form::Object(Box::new(Object {
                properties,
                patterns: Vec::new(),
                additional,
                names: None,
            }));
        };
        let property =
            member(discriminator, "propertyName").and_then(SourceValue::as_str).unwrap_or_default();
        let (mut alternatives, mut values): (Vec<Shape>, Vec<(Box<str>, usize)>) = (Vec::new(), Vec::new());
        for (key, branch) in member(discriminator, "mapping").into_iter().flat_map(SourceValue::members) {
            let name = name(branch.id(), Some(property));
            self.want(name.clone(), branch.id(), Some(property.into()));
            values.push((key.as_str().unwrap_or_default().into(), alternatives.len()));
            alternatives.push(Shape::new(Form::Ref(name.into())).at(Some(branch.place())));
        }
        let select = Select::Property { name: property.into(), values };
        let union = Shape::from(Union { alternatives, select }).at(Some(discriminator.place()));
        if properties.is_empty() && matches!(additional, Additional::Open) {
            return union.form;
        }
        // What is said of all branches holds besides, but for which members there may be.
        let own = Object { properties, patterns: Vec::new(), additional: Additional::Open, names: None };
        Form::All(vec![Shape::from(own), union])
    }
}

fn rule(test: Test, word: &'static str, written: SourceValue<'_>) -> Rule {
    Rule { test, spelling: Some(word.into()), message: None, place: Some(written.place()) }
}

fn is_true(value: Option<SourceValue<'_>>) -> bool {
    value.is_some_and(|value| value.node() == Node::Bool(true))
}

/// A value that is written in a type: text without what escapes it.
fn literal(value: SourceValue<'_>, depth: usize) -> Option<Constant> {
    let below = depth.checked_sub(1)?;
    Some(match value.node() {
        Node::Text(text) => match TemplateString::of(text) {
            TemplateString::Text(text) => Constant::text(text),
            TemplateString::Expression(_) => Constant::text(text),
        },
        Node::List(_) => {
            Constant::List(value.items().map(|item| literal(item, below)).collect::<Option<_>>()?)
        }
        Node::Object(_) => Constant::Object(
            value
                .members()
                .map(|(key, value)| Some((Constant::copy(key, 1)?, literal(value, below)?)))
                .collect::<Option<_>>()?,
        ),
        _ => Constant::copy(value, 1)?,
    })
}

/// What the metadata of a type say for people.
pub(super) fn description(metadata: Option<SourceValue<'_>>) -> Option<Box<str>> {
    member(metadata?, "description")?.as_str().map(Into::into)
}
