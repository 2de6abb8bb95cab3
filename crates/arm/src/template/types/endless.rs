//! Finds types that require themselves: no value of such a type ever ends.

use std::collections::HashMap;

use contract::{Definitions, Flaw, FlawCode, Form, Shape};

/// Reports one definition of each cycle of definitions that require each other.
///
/// What a union requires is not looked at: one of its alternatives may do without.
pub(super) fn find(definitions: &Definitions) -> Vec<Flaw> {
    let numbers: HashMap<&str, usize> =
        definitions.keys().enumerate().map(|(number, name)| (&**name, number)).collect();
    let shapes: Vec<&Shape> = definitions.values().collect();
    let edges: Vec<Vec<usize>> = shapes
        .iter()
        .map(|shape| {
            let mut names = Vec::new();
            required(shape, &mut names);
            names.iter().filter_map(|name| numbers.get(name).copied()).collect()
        })
        .collect();
    let mut flaws = Vec::new();
    let mut marks = vec![VisitState::New; shapes.len()];
    for start in 0..shapes.len() {
        // The definitions on the way, each with how many of its edges have been followed.
        let mut way = vec![(start, 0)];
        if marks.get(start) != Some(&VisitState::New) {
            continue;
        }
        set(&mut marks, start, VisitState::Open);
        while let Some((at, followed)) = way.last_mut() {
            let next = edges.get(*at).and_then(|edges| edges.get(*followed)).copied();
            *followed += 1;
            let Some(next) = next else {
                set(&mut marks, *at, VisitState::Done);
                way.pop();
                continue;
            };
            match marks.get(next) {
                Some(VisitState::New) => {
                    set(&mut marks, next, VisitState::Open);
                    way.push((next, 0));
                }
                Some(VisitState::Open) => {
                    let place = shapes.get(next).and_then(|shape| shape.place);
                    let message = "it requires itself, so that no value ever has it";
                    flaws.push(
                        Flaw::new(FlawCode::EndlessDefinition, message)
                            .hint("make a property on the way nullable")
                            .at(place),
                    );
                }
                Some(VisitState::Done) | None => {}
            }
        }
    }
    flaws
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    New,
    Open,
    Done,
}

fn set(marks: &mut [VisitState], at: usize, mark: VisitState) {
    if let Some(slot) = marks.get_mut(at) {
        *slot = mark;
    }
}

/// The definitions that every value of a shape has a value of. Recursion is bounded by how deep a document may nest.
fn required<'s>(shape: &'s Shape, names: &mut Vec<&'s str>) {
    if shape.nullable {
        return;
    }
    match &shape.form {
        Form::Ref(name) => names.push(name),
        Form::Object(object) => {
            let properties = object.properties.iter().filter(|property| property.required);
            properties.for_each(|property| required(&property.shape, names));
        }
        Form::Tuple(tuple) => tuple.items.iter().take(tuple.least).for_each(|item| required(item, names)),
        Form::All(all) => all.iter().for_each(|shape| required(shape, names)),
        Form::Any
        | Form::Never
        | Form::Null
        | Form::Bool
        | Form::Int(_)
        | Form::Number
        | Form::Text
        | Form::Bytes
        | Form::Enum(_)
        | Form::List(_)
        | Form::Set(_)
        | Form::Map(..)
        | Form::Union(_) => {}
    }
}
