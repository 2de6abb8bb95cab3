//! What the properties of built-in types refer to: environments, recipe packs and settings, by their ids.
//!
//! A recipe pack may be named without its group; what is kept is its id. A text that is no id at all says nothing: people write
//! `dev` for an environment that nobody made.

use contract::{Constant, Path, PathStep, Violation};

use crate::complete::{Opened, ValueTree};
use crate::findings::shorten;

/// The rule that what is referred to is there.
const RULE: &str = "reference";

/// A property that has ids.
struct ReferenceProperty {
    /// The type whose property it is.
    of: &'static str,
    property: &'static str,
    /// The types that it may refer to.
    to: &'static [&'static str],
    /// Whether a name without slashes is one in the same group.
    names: bool,
}

const ROWS: &[ReferenceProperty] = &[
    ReferenceProperty {
        of: "Applications.Core/applications",
        property: "environment",
        to: &["Applications.Core/environments", "Radius.Core/environments"],
        names: false,
    },
    ReferenceProperty {
        of: "Radius.Core/applications",
        property: "environment",
        to: &["Radius.Core/environments", "Applications.Core/environments"],
        names: false,
    },
    ReferenceProperty {
        of: "Radius.Core/environments",
        property: "recipePacks",
        to: &["Radius.Core/recipePacks"],
        names: true,
    },
    ReferenceProperty {
        of: "Radius.Core/environments",
        property: "terraformSettings",
        to: &["Radius.Core/terraformSettings"],
        names: false,
    },
    ReferenceProperty {
        of: "Radius.Core/environments",
        property: "bicepSettings",
        to: &["Radius.Core/bicepSettings"],
        names: false,
    },
];

fn rows(full_name: &str) -> impl Iterator<Item = &'static ReferenceProperty> {
    ROWS.iter().filter(move |row| row.of.eq_ignore_ascii_case(full_name))
}

/// A resource of a built-in type that another one refers to.
#[derive(Debug)]
pub(crate) struct BuiltInReference {
    pub(crate) id: String,
    path: Path,
}

impl BuiltInReference {
    /// It is not there.
    pub(crate) fn missing(&self) -> Violation {
        let message = format!("refers to `{}`, which was not found", shorten(&self.id));
        violation(self.path.clone(), message)
    }
}

fn violation(path: Path, message: String) -> Violation {
    Violation::stated(path, RULE, message)
}

/// A whole resource of a type in which names in the same group are ids; `scope` is that of the group.
pub(crate) fn addressed<T: ValueTree>(full_name: &str, scope: &str, resource: T) -> T {
    let rows: Vec<&ReferenceProperty> = rows(full_name).filter(|row| row.names).collect();
    if rows.is_empty() {
        return resource;
    }
    map_member(resource, "properties", &mut |properties| {
        rows.iter().fold(properties, |properties, row| {
            let to = row.to.first().copied().unwrap_or_default();
            map_member(properties, row.property, &mut |value| match value.open() {
                Opened::List(items) => T::list(items.into_iter().map(|it| id_of(it, scope, to)).collect()),
                Opened::Object(members) => T::object(members),
                Opened::Leaf(leaf) => id_of(leaf, scope, to),
            })
        })
    })
}

fn map_member<T: ValueTree>(value: T, name: &str, change: &mut dyn FnMut(T) -> T) -> T {
    match value.open() {
        Opened::Object(members) => T::object(
            members
                .into_iter()
                .map(|(key, it)| if key == name { (key, change(it)) } else { (key, it) })
                .collect(),
        ),
        Opened::List(items) => T::list(items),
        Opened::Leaf(leaf) => leaf,
    }
}

fn id_of<T: ValueTree>(value: T, scope: &str, to: &str) -> T {
    let id = match value.exact().as_deref() {
        Some(Constant::Text(name)) if !name.is_empty() && !name.contains('/') => {
            format!("{scope}/providers/{to}/{name}")
        }
        _ => return value,
    };
    T::of(&Constant::text(&id)).unwrap_or(value)
}

/// What a whole resource of a type refers to, and the ids in it that are none of the types they have to be.
pub(crate) fn references(full_name: &str, resource: &Constant) -> (Vec<BuiltInReference>, Vec<Violation>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let Some(properties) = member(resource, "properties") else { return (found, wrong) };
    for row in rows(full_name) {
        let start = vec![PathStep::Name("properties".into()), PathStep::Name(row.property.into())];
        let texts: Vec<(Path, &str)> = match member(properties, row.property) {
            Some(Constant::Text(text)) => vec![(Path { steps: start }, text.as_str())],
            Some(Constant::List(items)) => items
                .iter()
                .enumerate()
                .filter_map(|(index, item)| match item {
                    Constant::Text(text) => {
                        let mut steps = start.clone();
                        steps.push(PathStep::Index(index));
                        Some((Path { steps }, text.as_str()))
                    }
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        for (path, text) in texts {
            match kind_of(text) {
                Some(kind) if row.to.iter().any(|to| to.eq_ignore_ascii_case(&kind)) => {
                    found.push(BuiltInReference { id: text.to_owned(), path });
                }
                // What names nothing is not known to be wrong, except where a name would do.
                None if !text.contains('/') && (text.is_empty() || !row.names) => {}
                Some(_) | None => {
                    let expected: Vec<String> = row.to.iter().map(|to| format!("`{to}`")).collect();
                    let message =
                        format!("must be the id of {}, found `{}`", expected.join(" or "), shorten(text));
                    wrong.push(violation(path, message));
                }
            }
        }
    }
    (found, wrong)
}

/// The type of a resource in a group of the plane, by its id.
fn kind_of(id: &str) -> Option<String> {
    let parts: Vec<&str> = id.strip_prefix('/')?.split('/').collect();
    let [planes, radius, _, groups, _, providers, namespace, kind, _] = parts.as_slice() else { return None };
    let is = |word: &str, expected: &str| word.eq_ignore_ascii_case(expected);
    let is_it = is(planes, "planes")
        && is(radius, "radius")
        && is(groups, "resourceGroups")
        && is(providers, "providers")
        && parts.iter().all(|part| !part.is_empty());
    is_it.then(|| format!("{namespace}/{kind}"))
}

fn member<'c>(value: &'c Constant, name: &str) -> Option<&'c Constant> {
    let Constant::Object(members) = value else { return None };
    let is_it = |key: &Constant| matches!(key, Constant::Text(text) if text == name);
    members.iter().find(|(key, _)| is_it(key)).map(|(_, value)| value)
}
