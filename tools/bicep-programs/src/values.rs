//! Values of a type: literals, names, calls, loops, lambdas and spreads.

use crate::Choices;
use crate::names::Names;
use crate::types::{KEYS, Ty};

/// Writes a value of a type.
pub(crate) fn value(choices: &mut Choices<'_>, names: &mut Names, ty: &Ty, depth: usize) -> String {
    // A value that fits is a name of that type, a function that gives it, or anything made of others.
    if choices.one_in(3) {
        let known = names.values.iter().chain(&names.locals);
        let fitting: Vec<String> =
            known.filter(|(_, known)| known == ty).map(|(name, _)| name.clone()).collect();
        if let Some(name) = choices.one(&fitting) {
            return name.clone();
        }
    }
    // Names of any type, in reach or not: themselves, what comes later, what is something else.
    if choices.one_in(60) {
        return any_name(choices, names);
    }
    if depth == 0 {
        return literal(choices, names, ty, 0);
    }
    let inner = depth - 1;
    match choices.below(20) {
        0 => format!(
            "{} ? {} : {}",
            value(choices, names, &Ty::Bool, 0),
            value(choices, names, ty, inner),
            value(choices, names, ty, inner)
        ),
        1 => format!("({})", value(choices, names, ty, inner)),
        2 => match choices.one(&names.functions).cloned() {
            Some((name, given, result)) if &result == ty => {
                format!("{name}({})", value(choices, names, &given, inner))
            }
            _ => literal(choices, names, ty, depth),
        },
        3 => format!(
            "{} ?? {}",
            value(choices, names, &Ty::Nullable(Box::new(ty.clone())), inner),
            value(choices, names, ty, inner)
        ),
        4 => accessed(choices, names, inner),
        5 => {
            let call = choices.pick(&[
                "any",
                "first",
                "last",
                "json",
                "string",
                "items",
                "objectKeys",
                "flatten",
                "union",
                "intersection",
                "length",
            ]);
            format!("{call}({})", value(choices, names, ty, inner))
        }
        _ => literal(choices, names, ty, depth),
    }
}

fn any_name(choices: &mut Choices<'_>, names: &Names) -> String {
    let mut all: Vec<&str> = Vec::new();
    all.extend(names.types.iter().map(|(name, _)| name.as_str()));
    all.extend(names.values.iter().map(|(name, _)| name.as_str()));
    all.extend(names.functions.iter().map(|(name, ..)| name.as_str()));
    all.extend(names.resources.iter().map(|(name, ..)| name.as_str()));
    all.extend(names.modules.iter().map(|(name, _)| name.as_str()));
    all.extend(["v1", "v2", "p1", "r1", "m1", "t1", "sys", "az", "resourceGroup()", "this"]);
    choices.pick(&all).to_owned()
}

fn accessed(choices: &mut Choices<'_>, names: &mut Names, depth: usize) -> String {
    let index = choices.pick(&["", "[0]", "[i]", "[^1]", "[?0]"]);
    let path = choices.pick(&[
        "",
        ".id",
        ".name",
        ".properties",
        ".properties.x",
        ".?y",
        ".outputs.o",
        "!.x",
        "['x']",
        ".x.y[0]",
    ]);
    match choices.below(4) {
        0 => match choices.one(&names.resources) {
            Some((name, _, true)) => format!("{name}[0]{path}"),
            Some((name, ..)) => format!("{name}{path}"),
            None => "deployment().name".to_owned(),
        },
        1 => match choices.one(&names.modules) {
            Some((name, true)) => format!("{name}[0].outputs.o"),
            Some((name, _)) => format!("{name}.outputs.o"),
            None => "subscription().id".to_owned(),
        },
        2 => match choices.one(&names.values) {
            Some((name, _)) => format!("{name}{index}{path}"),
            None => "environment().name".to_owned(),
        },
        _ => format!("{}{index}{path}", value(choices, names, &Ty::Object, depth)),
    }
}

/// Writes a literal, of values that may be anything.
fn literal(choices: &mut Choices<'_>, names: &mut Names, ty: &Ty, depth: usize) -> String {
    let inner = depth.saturating_sub(1);
    match ty {
        Ty::Str => match choices.below(8) {
            0..4 => "'text'".into(),
            4 => format!("'a${{{}}}b'", value(choices, names, &Ty::Str, inner)),
            5 => format!("toLower({})", value(choices, names, &Ty::Str, inner)),
            6 => format!("format('{{0}}-{{1}}', {}, 1)", value(choices, names, &Ty::Int, inner)),
            _ => "'''\nmany\nlines'''".into(),
        },
        Ty::Int => match choices.below(6) {
            0..3 => "7".into(),
            3 => format!(
                "{} + {}",
                value(choices, names, &Ty::Int, inner),
                value(choices, names, &Ty::Int, inner)
            ),
            4 => "-1".into(),
            _ => format!("length({})", value(choices, names, &Ty::Array, inner)),
        },
        Ty::Bool => match choices.below(5) {
            0 | 1 => "true".into(),
            2 => "false".into(),
            3 => format!("!{}", value(choices, names, &Ty::Bool, inner)),
            _ => format!(
                "{} == {}",
                value(choices, names, &Ty::Int, inner),
                value(choices, names, &Ty::Int, inner)
            ),
        },
        Ty::Object | Ty::Part(_) => object(choices, names, depth),
        Ty::Array => array(choices, names, &Ty::Str, depth),
        Ty::Texts(texts) => choices.pick(texts).to_owned(),
        Ty::List(item) => array(choices, names, item, depth),
        Ty::Tuple(items) => {
            let items: Vec<String> = items.iter().map(|item| value(choices, names, item, inner)).collect();
            format!("[{}]", items.join(", "))
        }
        Ty::Record(members) => record(choices, names, members, inner),
        Ty::Map(item) => {
            let keys = KEYS.iter().take(choices.below(3));
            let members: Vec<String> =
                keys.map(|key| format!("{key}: {}", value(choices, names, item, inner))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Ty::Nullable(base) => {
            if depth == 0 || choices.one_in(2) {
                "null".into()
            } else {
                value(choices, names, base, inner)
            }
        }
        Ty::Named(name) => {
            let known = names.types.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone());
            match known {
                Some(ty) if depth > 0 => value(choices, names, &ty, inner),
                _ => "null".into(),
            }
        }
        Ty::Kinds(kinds) => match choices.one(kinds) {
            Some((kind, members)) => {
                let rest = record(choices, names, members, inner);
                let rest = rest.trim_start_matches('{');
                format!("{{ kind: {kind},{rest}")
            }
            None => "{}".into(),
        },
    }
}

fn record(
    choices: &mut Choices<'_>,
    names: &mut Names,
    members: &[(&'static str, Ty)],
    depth: usize,
) -> String {
    let mut written = Vec::new();
    for (name, ty) in members {
        if !(matches!(ty, Ty::Nullable(_)) && choices.one_in(2)) {
            written.push(format!("{name}: {}", value(choices, names, ty, depth)));
        }
    }
    format!("{{ {} }}", written.join(", "))
}

fn object(choices: &mut Choices<'_>, names: &mut Names, depth: usize) -> String {
    let mut members = Vec::new();
    for key in KEYS.iter().take(choices.below(4)) {
        members.push(format!("{key}: {}", value(choices, names, &Ty::Str, depth.saturating_sub(1))));
    }
    if depth > 0 {
        match choices.below(8) {
            0 => members.push(format!("...{}", value(choices, names, &Ty::Object, depth - 1))),
            1 => members.push(format!("'${{{}}}': 1", value(choices, names, &Ty::Str, 0))),
            2 => members.push(format!("z: {}", each(choices, names, &Ty::Object, depth - 1))),
            _ => {}
        }
    }
    format!("{{ {} }}", members.join(", "))
}

fn array(choices: &mut Choices<'_>, names: &mut Names, item: &Ty, depth: usize) -> String {
    let inner = depth.saturating_sub(1);
    let list = Ty::List(Box::new(item.clone()));
    if depth > 0 {
        match choices.below(12) {
            0 => {
                return format!(
                    "concat({}, {})",
                    value(choices, names, &list, inner),
                    value(choices, names, &list, inner)
                );
            }
            1 => return lambda(choices, names, item, inner),
            2 => {
                let items = [value(choices, names, &list, inner), value(choices, names, &list, inner)];
                return format!("[...{}, {}]", items.join(", ..."), value(choices, names, item, inner));
            }
            3 => return each(choices, names, item, inner),
            4 => return "range(0, 3)".to_owned(),
            _ => {}
        }
    }
    let items: Vec<String> = (0..choices.below(3)).map(|_| value(choices, names, item, inner)).collect();
    format!("[{}]", items.join(", "))
}

fn lambda(choices: &mut Choices<'_>, names: &mut Names, item: &Ty, depth: usize) -> String {
    let name = names.fresh('l');
    let list = value(choices, names, &Ty::List(Box::new(item.clone())), depth);
    let function = choices.pick(&["map", "filter", "sort", "reduce", "toObject", "groupBy", "mapValues"]);
    names.locals.push((name.clone(), item.clone()));
    let made = match function {
        "map" => format!("map({list}, {name} => {})", value(choices, names, item, depth)),
        "filter" => format!("filter({list}, {name} => {})", value(choices, names, &Ty::Bool, depth)),
        "sort" => format!("sort({list}, ({name}, other) => {})", value(choices, names, &Ty::Bool, depth)),
        "reduce" => format!("reduce({list}, [], ({name}, other) => concat({name}, other))"),
        _ => format!("{function}({list}, {name} => {})", value(choices, names, &Ty::Str, depth)),
    };
    names.locals.pop();
    made
}

/// Writes a loop over a list.
pub(crate) fn each(choices: &mut Choices<'_>, names: &mut Names, item: &Ty, depth: usize) -> String {
    let name = names.fresh('i');
    let (variables, source, ty) = match choices.below(3) {
        0 => (name.clone(), "range(0, 2)".to_owned(), Ty::Int),
        1 => (format!("({name}, i)"), value(choices, names, &Ty::Array, depth), Ty::Str),
        _ => (name.clone(), value(choices, names, &Ty::List(Box::new(Ty::Str)), depth), Ty::Str),
    };
    names.locals.push((name, ty));
    let body = value(choices, names, item, depth);
    names.locals.pop();
    format!("[for {variables} in {source}: {body}]")
}
