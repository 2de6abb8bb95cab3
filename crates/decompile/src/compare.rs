//! Whether two templates are the same, but for who wrote them.

use document::{Document, FileId, JsonOptions, ReadLimits};

use crate::json::Json;
use crate::problem::DecompileError;

/// A place where two templates differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is, as a JSON pointer.
    pub path: String,
    /// What the first template has there; none if it has nothing.
    pub wanted: Option<String>,
    /// What the second template has there; none if it has nothing.
    pub found: Option<String>,
}

/// How much of a value is shown.
const MAX_SHOWN: usize = 200;

/// Compares two templates; the order of members and of `dependsOn`, and the maker of a template do not count.
/// At most `most` differences are told.
pub fn compare(wanted: &str, found: &str, most: usize) -> Result<Vec<Difference>, DecompileError> {
    let (wanted, found) = (read(wanted)?, read(found)?);
    let mut differences = Vec::new();
    different(&wanted, &found, &mut String::new(), most, &mut differences);
    Ok(differences)
}

fn read(text: &str) -> Result<Json, DecompileError> {
    let limits = ReadLimits { depth: 1000, ..ReadLimits::DEFAULT };
    let document = Document::from_json_with(text, FileId::FIRST, &limits, JsonOptions::TEMPLATE)
        .map_err(|error| DecompileError::new(error.to_string()))?;
    Ok(Json::of(document.root()))
}

fn different(wanted: &Json, found: &Json, path: &mut String, most: usize, differences: &mut Vec<Difference>) {
    if differences.len() >= most {
        return;
    }
    let length = path.len();
    match (wanted, found) {
        (Json::Object(a), Json::Object(b)) => {
            let other: rustc_hash::FxHashMap<&str, &Json> =
                b.iter().map(|(name, it)| (name.as_str(), it)).collect();
            let own: rustc_hash::FxHashSet<&str> = a.iter().map(|(name, _)| name.as_str()).collect();
            for (name, value) in a {
                if name == "_generator" {
                    continue;
                }
                step(path, name);
                match other.get(name.as_str()) {
                    // An order means nothing there.
                    Some(other)
                        if name == "dependsOn"
                            && sorted(value).is_some()
                            && sorted(value) == sorted(other) => {}
                    Some(other) => different(value, other, path, most, differences),
                    None => tell(path, Some(value), None, most, differences),
                }
                path.truncate(length);
            }
            for (name, value) in b {
                if name != "_generator" && !own.contains(name.as_str()) && !is_nothing(name, value) {
                    step(path, name);
                    tell(path, None, Some(value), most, differences);
                    path.truncate(length);
                }
            }
        }
        (Json::List(a), Json::List(b)) if a.len() == b.len() => {
            for (place, (a, b)) in a.iter().zip(b).enumerate() {
                step(path, &place.to_string());
                different(a, b, path, most, differences);
                path.truncate(length);
            }
        }
        (a, b) if a == b => {}
        (a, b) => tell(path, Some(a), Some(b), most, differences),
    }
}

/// The entries of a list in one order; nothing if they are not all texts.
fn sorted(json: &Json) -> Option<Vec<&str>> {
    let mut texts: Vec<&str> = json.items().iter().map(Json::as_str).collect::<Option<_>>()?;
    texts.sort_unstable();
    (!texts.is_empty()).then_some(texts)
}

/// Tells whether a member holds nothing but who wrote the template.
fn is_nothing(name: &str, value: &Json) -> bool {
    name == "metadata" && value.members().iter().all(|(name, _)| name == "_generator")
}

fn step(path: &mut String, name: &str) {
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
}

fn tell(
    path: &str,
    wanted: Option<&Json>,
    found: Option<&Json>,
    most: usize,
    differences: &mut Vec<Difference>,
) {
    if differences.len() < most {
        let shown = |json: Option<&Json>| json.map(|json| json.print().chars().take(MAX_SHOWN).collect());
        differences.push(Difference { path: path.to_owned(), wanted: shown(wanted), found: shown(found) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maker_and_the_order_do_not_count() {
        let a = r#"{"metadata": {"_generator": {"name": "a"}}, "x": 1, "y": [1, 2]}"#;
        let b = r#"{"y": [1, 2], "x": 1}"#;
        assert_eq!(compare(a, b, 10).unwrap().len(), 1);
        assert_eq!(compare(b, a, 10).unwrap(), []);
        let found = compare(r#"{"a": {"b/c": 1}}"#, r#"{"a": {"b/c": 2, "d": 3}}"#, 10).unwrap();
        let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["/a/b~1c", "/a/d"]);
        assert_eq!(found[1].wanted, None);
    }
}
