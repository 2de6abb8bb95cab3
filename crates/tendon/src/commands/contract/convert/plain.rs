//! A contract in the plainest words that say the same: what several languages have words for is found in combinations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use contract::rules::{Rule, Test};
use contract::{
    Additional, Constant, Definitions, Form, IntWidth, Object, Operand, Property, Select, Shape, Union,
};

/// How deep shapes are gone into.
const DEEPEST: usize = 64;

/// The contract in plain words, with the definitions that it needs.
///
/// Where a language has combinations itself, they stay. The result of a conversion is compared with the contract itself, so that nothing is believed here.
pub(super) fn plain(shape: &Shape, definitions: &Definitions, combines: bool) -> (Shape, Definitions) {
    let mut simpler = Simplifier { definitions, combines, tags: BTreeMap::new() };
    let mut root = shape.clone();
    // The contract itself has no need of a name of its own.
    for _ in 0..DEEPEST {
        let Form::Ref(name) = &root.form else { break };
        let Some(target) = definitions.get(name).filter(|_| root.rules.iter().next().is_none()) else {
            break;
        };
        let nullable = root.nullable || target.nullable;
        root = Shape { nullable, ..target.clone() };
    }
    let root = simpler.shape(&root, 0);
    let mut needed = Definitions::new();
    let mut todo: Vec<Arc<str>> = references(&root).into_iter().collect();
    while let Some(name) = todo.pop() {
        if needed.contains_key(&name) {
            continue;
        }
        if let Some(target) = definitions.get(&name) {
            let target = simpler.shape(target, 0);
            todo.extend(references(&target));
            needed.insert(name, target);
        }
    }
    (root, needed)
}

/// The definitions that a shape refers to.
fn references(shape: &Shape) -> BTreeSet<Arc<str>> {
    let mut found = BTreeSet::new();
    let mut todo = vec![shape];
    while let Some(shape) = todo.pop() {
        if let Form::Ref(name) = &shape.form {
            found.insert(Arc::clone(name));
        }
        shape.form.each_part(&mut |part| todo.push(part));
        for rule in shape.rules.iter() {
            rule.test.each_shape(&mut |part| todo.push(part));
        }
    }
    found
}

/// The names of members, each with the only text that it has.
type Tags = Vec<(Box<str>, Box<str>)>;

struct Simplifier<'d> {
    definitions: &'d Definitions,
    /// Whether combinations are taken apart.
    combines: bool,
    /// The constant members of definitions that are objects.
    tags: BTreeMap<Arc<str>, Tags>,
}

impl Simplifier<'_> {
    fn shape(&mut self, shape: &Shape, depth: usize) -> Shape {
        let mut plain = shape.clone();
        if depth > DEEPEST {
            return plain;
        }
        if let Form::Ref(name) = &plain.form
            && name.starts_with(|c: char| !c.is_alphabetic() && c != '_')
            && let Some(target) = self.definitions.get(name)
            && plain.rules.iter().next().is_none()
            && !self.is_recursive(name)
        {
            // Nobody gave it a name: it is a place in a text.
            let nullable = plain.nullable || target.nullable;
            let description = plain.description.take().or_else(|| target.description.clone());
            let secret = plain.secret || target.secret;
            plain = Shape { nullable, description, secret, default: plain.default.take(), ..target.clone() };
        }
        plain.form = self.form(&plain.form, depth);
        if !self.combines {
            return plain;
        }
        if let Form::Any = plain.form {
            kind_of_constants(&mut plain);
        }
        if let Form::Union(union) = &mut plain.form
            && let Some(at) = union.alternatives.iter().position(is_null)
        {
            union.alternatives.remove(at);
            plain.nullable = true;
        }
        if let Form::Union(union) = &plain.form
            && let [only] = union.alternatives.as_slice()
        {
            let only = only.clone();
            plain = joined(plain, only);
        }
        if let Form::All(parts) = &plain.form
            && let [only] = parts.as_slice()
        {
            let only = only.clone();
            plain = joined(plain, only);
        }
        plain
    }

    fn form(&mut self, form: &Form, depth: usize) -> Form {
        let mut inner = |shape: &Shape| Box::new(self.shape(shape, depth + 1));
        match form {
            Form::List(element) => Form::List(inner(element)),
            Form::Set(element) => Form::Set(inner(element)),
            Form::Map(key, value) => Form::Map(inner(key), inner(value)),
            Form::Tuple(tuple) => {
                let mut tuple = tuple.clone();
                tuple.items.iter_mut().for_each(|item| *item = *inner(item));
                Form::Tuple(tuple)
            }
            Form::Object(object) => {
                let mut object = object.clone();
                object.properties.iter_mut().for_each(|it| it.shape = *inner(&it.shape));
                if let Additional::Shape(shape) = &mut object.additional {
                    *shape = inner(shape);
                }
                Form::Object(object)
            }
            Form::All(parts) => {
                let parts: Vec<Shape> = parts.iter().map(|part| *inner(part)).collect();
                let merged = if self.combines { merged(&parts) } else { None };
                merged.map_or(Form::All(parts), |object| Form::Object(Box::new(object)))
            }
            Form::Union(union) => {
                let alternatives: Vec<Shape> = union.alternatives.iter().map(|part| *inner(part)).collect();
                let select = match &union.select {
                    Select::Any | Select::One if self.combines => {
                        self.tag(&alternatives).unwrap_or_else(|| union.select.clone())
                    }
                    other => other.clone(),
                };
                Form::Union(Box::new(Union { alternatives, select }))
            }
            other => other.clone(),
        }
    }

    /// Whether a definition comes up within itself.
    fn is_recursive(&self, name: &Arc<str>) -> bool {
        let mut seen = BTreeSet::new();
        let mut todo: Vec<Arc<str>> =
            self.definitions.get(name).map(references).unwrap_or_default().into_iter().collect();
        while let Some(next) = todo.pop() {
            if next == *name {
                return true;
            }
            if seen.insert(Arc::clone(&next))
                && let Some(target) = self.definitions.get(&next)
            {
                todo.extend(references(target));
            }
        }
        false
    }

    /// The property whose constant text tells all alternatives apart.
    fn tag(&mut self, alternatives: &[Shape]) -> Option<Select> {
        let others: Vec<&Shape> = alternatives.iter().filter(|it| !is_null(it)).collect();
        if others.len() < 2 || others.len() != alternatives.len() {
            return None;
        }
        let tags: Option<Vec<Tags>> = others.iter().map(|shape| self.constants(shape)).collect();
        let tags = tags?;
        let (first, rest) = tags.split_first()?;
        first.iter().find_map(|(name, value)| {
            let mut values = vec![(value.clone(), 0)];
            for (at, own) in rest.iter().enumerate() {
                let (_, value) = own.iter().find(|(known, _)| known == name)?;
                if values.iter().any(|(known, _)| known == value) {
                    return None;
                }
                values.push((value.clone(), at + 1));
            }
            Some(Select::Property { name: name.clone(), values })
        })
    }

    /// The members of an object that must be there and have one text only.
    fn constants(&mut self, shape: &Shape) -> Option<Tags> {
        match &shape.form {
            Form::Object(object) if !shape.nullable => Some(constants_of(object)),
            Form::Ref(name) if !shape.nullable => {
                if let Some(known) = self.tags.get(name) {
                    return Some(known.clone());
                }
                let Form::Object(object) = &self.definitions.get(name)?.form else { return None };
                let found = constants_of(object);
                self.tags.insert(Arc::clone(name), found.clone());
                Some(found)
            }
            _ => None,
        }
    }
}

fn constants_of(object: &Object) -> Tags {
    let required = object.properties.iter().filter(|it| it.required);
    let constant = |property: &Property| {
        property.shape.rules.iter().find_map(|rule| match &rule.test {
            Test::Constant(Constant::Text(text)) | Test::Eq(Operand::Constant(Constant::Text(text))) => {
                Some(text.as_str().into())
            }
            Test::In(operands) => match operands.as_slice() {
                [Operand::Constant(Constant::Text(text))] => Some(text.as_str().into()),
                _ => None,
            },
            _ => None,
        })
    };
    required.filter_map(|it| Some((it.name.as_str().into(), constant(it)?))).collect()
}

fn is_null(shape: &Shape) -> bool {
    let only_null = |rule: &Rule| matches!(rule.test, Test::Constant(Constant::Null));
    matches!(shape.form, Form::Null) || (matches!(shape.form, Form::Any) && shape.rules.iter().any(only_null))
}

/// One shape that says what two say of the same value.
fn joined(outer: Shape, inner: Shape) -> Shape {
    let nullable = outer.nullable || inner.nullable;
    let mut shape = Shape { nullable, ..inner };
    for rule in outer.rules.iter() {
        shape = shape.rule(rule.clone());
    }
    shape.secret |= outer.secret;
    shape.default = outer.default.or(shape.default);
    shape.title = outer.title.or(shape.title);
    shape.description = outer.description.or(shape.description);
    shape.notes = outer.notes.or(shape.notes);
    shape
}

/// Objects that leave open what they do not declare are one object if they do not speak of the same members.
fn merged(parts: &[Shape]) -> Option<Object> {
    let mut all: Option<Object> = None;
    for part in parts {
        let Form::Object(object) = &part.form else { return None };
        let plain = matches!(object.additional, Additional::Open)
            && object.patterns.is_empty()
            && object.names.is_none()
            && !part.nullable
            && part.rules.iter().next().is_none();
        if !plain {
            return None;
        }
        let Some(known) = &mut all else {
            all = Some((**object).clone());
            continue;
        };
        for property in &object.properties {
            match known.properties.iter_mut().find(|it| it.name == property.name) {
                // That it must be there may be said apart from what it is.
                Some(same) if property.undeclared => same.required |= property.required,
                Some(same) if same.undeclared => {
                    let required = same.required || property.required;
                    *same = Property { required, ..property.clone() };
                }
                Some(_) => return None,
                None => known.properties.push(property.clone()),
            }
        }
    }
    all
}

/// Says what kind the constants of a shape are, if they are all of one.
fn kind_of_constants(shape: &mut Shape) {
    let mut constants: Vec<&Constant> = Vec::new();
    for rule in shape.rules.iter() {
        match &rule.test {
            Test::Constant(constant) | Test::Eq(Operand::Constant(constant)) => constants.push(constant),
            Test::In(operands) => {
                for operand in operands {
                    let Operand::Constant(constant) = operand else { return };
                    constants.push(constant);
                }
            }
            _ => {}
        }
    }
    let has_null = constants.iter().any(|it| matches!(it, Constant::Null));
    constants.retain(|it| !matches!(it, Constant::Null));
    let all = |test: fn(&Constant) -> bool| !constants.is_empty() && constants.iter().all(|it| test(it));
    let form = if all(|it| matches!(it, Constant::Text(_))) {
        Form::Text
    } else if all(|it| matches!(it, Constant::Int(_))) {
        Form::Int(IntWidth::Any)
    } else if all(|it| matches!(it, Constant::Bool(_))) {
        Form::Bool
    } else {
        return;
    };
    if has_null {
        let others: Vec<Operand> = constants.into_iter().cloned().map(Operand::Constant).collect();
        let kept = shape
            .rules
            .iter()
            .filter(|rule| !matches!(rule.test, Test::In(_) | Test::Constant(_) | Test::Eq(_)));
        let kept: Vec<Rule> = kept.cloned().collect();
        shape.rules = kept.into();
        *shape = std::mem::replace(shape, Shape::any()).must(Test::In(others));
        shape.nullable = true;
    }
    shape.form = form;
}
