//! The rules of the SARIF 2.1.0 schema as a table, and a validator that walks a log with it.
//!
//! The table holds the objects that a log of findings is made of. A property that the schema knows and the table does
//! not is reported like one that nobody knows: whoever starts to write it adds its row here first. Rules that only the
//! prose of the standard states are below the table, in [`prose`].

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// What a value may be.
enum Is {
    /// A string.
    Text,
    /// A string of this list.
    OneOf(&'static [&'static str]),
    /// A URI with a scheme.
    Uri,
    /// A URI or a relative reference.
    UriReference,
    /// A language tag such as `en` or `en-US`.
    Language,
    /// `true` or `false`.
    Bool,
    /// A whole number not below this.
    Int(i64),
    /// A number between these.
    Number(f64, f64),
    /// An object of the table.
    Object(&'static Object),
    /// A list of at least so many items.
    List(usize, Items, &'static Is),
    /// Whatever the producer likes, in an object.
    Bag,
}

#[derive(Clone, Copy, PartialEq)]
enum Items {
    Any,
    Unique,
}

/// One object type of the schema.
struct Object {
    name: &'static str,
    properties: &'static [(&'static str, Is)],
    required: &'static [&'static str],
    /// At least one of these is required; an empty list asks for none.
    any_of: &'static [&'static str],
}

const LEVEL: Is = Is::OneOf(&["none", "note", "warning", "error"]);

static LOG: Object = Object {
    name: "sarifLog",
    properties: &[
        ("$schema", Is::Uri),
        ("version", Is::OneOf(&["2.1.0"])),
        ("runs", Is::List(0, Items::Any, &Is::Object(&RUN))),
        ("properties", Is::Bag),
    ],
    required: &["version", "runs"],
    any_of: &[],
};

static RUN: Object = Object {
    name: "run",
    properties: &[
        ("tool", Is::Object(&TOOL)),
        ("language", Is::Language),
        ("results", Is::List(0, Items::Any, &Is::Object(&RESULT))),
        ("redactionTokens", Is::List(0, Items::Unique, &Is::Text)),
        ("defaultEncoding", Is::Text),
        ("defaultSourceLanguage", Is::Text),
        ("newlineSequences", Is::List(1, Items::Unique, &Is::Text)),
        ("columnKind", Is::OneOf(&["utf16CodeUnits", "unicodeCodePoints"])),
        ("properties", Is::Bag),
    ],
    required: &["tool"],
    any_of: &[],
};

static TOOL: Object = Object {
    name: "tool",
    properties: &[
        ("driver", Is::Object(&COMPONENT)),
        ("extensions", Is::List(0, Items::Unique, &Is::Object(&COMPONENT))),
        ("properties", Is::Bag),
    ],
    required: &["driver"],
    any_of: &[],
};

static COMPONENT: Object = Object {
    name: "toolComponent",
    properties: &[
        ("name", Is::Text),
        ("organization", Is::Text),
        ("product", Is::Text),
        ("productSuite", Is::Text),
        ("shortDescription", Is::Object(&MULTIFORMAT)),
        ("fullDescription", Is::Object(&MULTIFORMAT)),
        ("fullName", Is::Text),
        ("version", Is::Text),
        ("semanticVersion", Is::Text),
        ("releaseDateUtc", Is::Text),
        ("downloadUri", Is::Uri),
        ("informationUri", Is::Uri),
        ("rules", Is::List(0, Items::Unique, &Is::Object(&RULE))),
        ("language", Is::Language),
        ("isComprehensive", Is::Bool),
        ("properties", Is::Bag),
    ],
    required: &["name"],
    any_of: &[],
};

static RULE: Object = Object {
    name: "reportingDescriptor",
    properties: &[
        ("id", Is::Text),
        ("deprecatedIds", Is::List(0, Items::Unique, &Is::Text)),
        ("name", Is::Text),
        ("shortDescription", Is::Object(&MULTIFORMAT)),
        ("fullDescription", Is::Object(&MULTIFORMAT)),
        ("defaultConfiguration", Is::Object(&CONFIGURATION)),
        ("helpUri", Is::Uri),
        ("help", Is::Object(&MULTIFORMAT)),
        ("properties", Is::Bag),
    ],
    required: &["id"],
    any_of: &[],
};

static CONFIGURATION: Object = Object {
    name: "reportingConfiguration",
    properties: &[
        ("enabled", Is::Bool),
        ("level", LEVEL),
        ("rank", Is::Number(-1.0, 100.0)),
        ("parameters", Is::Bag),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &[],
};

static MULTIFORMAT: Object = Object {
    name: "multiformatMessageString",
    properties: &[("text", Is::Text), ("markdown", Is::Text), ("properties", Is::Bag)],
    required: &["text"],
    any_of: &[],
};

static MESSAGE: Object = Object {
    name: "message",
    properties: &[
        ("text", Is::Text),
        ("markdown", Is::Text),
        ("id", Is::Text),
        ("arguments", Is::List(0, Items::Any, &Is::Text)),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &["text", "id"],
};

static RESULT: Object = Object {
    name: "result",
    properties: &[
        ("ruleId", Is::Text),
        ("ruleIndex", Is::Int(-1)),
        ("kind", Is::OneOf(&["notApplicable", "pass", "fail", "review", "open", "informational"])),
        ("level", LEVEL),
        ("message", Is::Object(&MESSAGE)),
        ("analysisTarget", Is::Object(&ARTIFACT_LOCATION)),
        ("locations", Is::List(0, Items::Any, &Is::Object(&LOCATION))),
        ("occurrenceCount", Is::Int(1)),
        ("relatedLocations", Is::List(0, Items::Unique, &Is::Object(&LOCATION))),
        ("baselineState", Is::OneOf(&["new", "unchanged", "updated", "absent"])),
        ("rank", Is::Number(-1.0, 100.0)),
        ("hostedViewerUri", Is::Uri),
        ("workItemUris", Is::List(0, Items::Unique, &Is::Uri)),
        ("fixes", Is::List(0, Items::Unique, &Is::Object(&FIX))),
        ("properties", Is::Bag),
    ],
    required: &["message"],
    any_of: &[],
};

static LOCATION: Object = Object {
    name: "location",
    properties: &[
        ("id", Is::Int(-1)),
        ("physicalLocation", Is::Object(&PHYSICAL_LOCATION)),
        ("message", Is::Object(&MESSAGE)),
        ("annotations", Is::List(0, Items::Unique, &Is::Object(&REGION))),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &[],
};

static PHYSICAL_LOCATION: Object = Object {
    name: "physicalLocation",
    properties: &[
        ("artifactLocation", Is::Object(&ARTIFACT_LOCATION)),
        ("region", Is::Object(&REGION)),
        ("contextRegion", Is::Object(&REGION)),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &["address", "artifactLocation"],
};

static ARTIFACT_LOCATION: Object = Object {
    name: "artifactLocation",
    properties: &[
        ("uri", Is::UriReference),
        ("uriBaseId", Is::Text),
        ("index", Is::Int(-1)),
        ("description", Is::Object(&MESSAGE)),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &[],
};

static REGION: Object = Object {
    name: "region",
    properties: &[
        ("startLine", Is::Int(1)),
        ("startColumn", Is::Int(1)),
        ("endLine", Is::Int(1)),
        ("endColumn", Is::Int(1)),
        ("charOffset", Is::Int(-1)),
        ("charLength", Is::Int(0)),
        ("byteOffset", Is::Int(-1)),
        ("byteLength", Is::Int(0)),
        ("snippet", Is::Object(&CONTENT)),
        ("message", Is::Object(&MESSAGE)),
        ("sourceLanguage", Is::Text),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &["startLine", "charOffset", "byteOffset"],
};

static CONTENT: Object = Object {
    name: "artifactContent",
    properties: &[
        ("text", Is::Text),
        ("binary", Is::Text),
        ("rendered", Is::Object(&MULTIFORMAT)),
        ("properties", Is::Bag),
    ],
    required: &[],
    any_of: &[],
};

static FIX: Object = Object {
    name: "fix",
    properties: &[
        ("description", Is::Object(&MESSAGE)),
        ("artifactChanges", Is::List(1, Items::Unique, &Is::Object(&CHANGE))),
        ("properties", Is::Bag),
    ],
    required: &["artifactChanges"],
    any_of: &[],
};

static CHANGE: Object = Object {
    name: "artifactChange",
    properties: &[
        ("artifactLocation", Is::Object(&ARTIFACT_LOCATION)),
        ("replacements", Is::List(1, Items::Any, &Is::Object(&REPLACEMENT))),
        ("properties", Is::Bag),
    ],
    required: &["artifactLocation", "replacements"],
    any_of: &[],
};

static REPLACEMENT: Object = Object {
    name: "replacement",
    properties: &[
        ("deletedRegion", Is::Object(&REGION)),
        ("insertedContent", Is::Object(&CONTENT)),
        ("properties", Is::Bag),
    ],
    required: &["deletedRegion"],
    any_of: &[],
};

/// Returns what is wrong with a log, each with its JSON pointer; an empty list means that the log is valid.
pub(crate) fn validate(log: &Value) -> Vec<String> {
    let mut walk = Walk { path: String::new(), errors: Vec::new() };
    walk.value(log, &Is::Object(&LOG));
    prose(log, &mut walk.errors);
    walk.errors
}

struct Walk {
    path: String,
    errors: Vec<String>,
}

impl Walk {
    fn error(&mut self, what: impl AsRef<str>) {
        self.errors.push(format!("{}: {}", self.path, what.as_ref()));
    }

    fn inside(&mut self, step: &str, check: impl FnOnce(&mut Walk)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(step);
        check(self);
        self.path.truncate(length);
    }

    fn value(&mut self, value: &Value, rule: &Is) {
        match (rule, value) {
            (Is::Text, Value::String(_)) | (Is::Bool, Value::Bool(_)) | (Is::Bag, Value::Object(_)) => {}
            (Is::OneOf(words), Value::String(text)) => {
                if !words.contains(&text.as_str()) {
                    self.error(format!("`{text}` is not one of {words:?}"));
                }
            }
            (Is::Uri, Value::String(text)) => {
                if !is_uri_reference(text) || scheme(text).is_none() {
                    self.error(format!("`{text}` is not a URI"));
                }
            }
            (Is::UriReference, Value::String(text)) => {
                if !is_uri_reference(text) {
                    self.error(format!("`{text}` is not a URI reference"));
                }
            }
            (Is::Language, Value::String(text)) => {
                let parts: Vec<&str> = text.split('-').collect();
                let two_letters =
                    |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
                if parts.len() > 2 || !parts.iter().all(two_letters) {
                    self.error(format!("`{text}` is not a language"));
                }
            }
            (Is::Int(least), Value::Number(number)) => match number.as_i64() {
                Some(number) if number >= *least => {}
                Some(number) => self.error(format!("{number} is below {least}")),
                None => self.error(format!("{number} is not a whole number")),
            },
            (Is::Number(least, most), Value::Number(number)) => {
                if !number.as_f64().is_some_and(|number| (*least..=*most).contains(&number)) {
                    self.error(format!("{number} is not between {least} and {most}"));
                }
            }
            (Is::List(least, items, rule), Value::Array(list)) => {
                if list.len() < *least {
                    self.error(format!("has fewer than {least} items"));
                }
                let distinct: BTreeSet<String> = list.iter().map(Value::to_string).collect();
                if *items == Items::Unique && distinct.len() < list.len() {
                    self.error("has the same item twice");
                }
                for (at, item) in list.iter().enumerate() {
                    self.inside(&at.to_string(), |walk| walk.value(item, rule));
                }
            }
            (Is::Object(object), Value::Object(members)) => self.object(members, object),
            _ => self.error(format!("{value} has the wrong type")),
        }
    }

    fn object(&mut self, members: &Map<String, Value>, object: &Object) {
        for name in object.required {
            if !members.contains_key(*name) {
                self.error(format!("{} needs `{name}`", object.name));
            }
        }
        if !object.any_of.is_empty() && !object.any_of.iter().any(|name| members.contains_key(*name)) {
            self.error(format!("{} needs one of {:?}", object.name, object.any_of));
        }
        for (name, value) in members {
            match object.properties.iter().find(|(known, _)| known == name) {
                Some((_, rule)) => self.inside(name, |walk| walk.value(value, rule)),
                None => self.error(format!("{} has no `{name}`", object.name)),
            }
        }
    }
}

/// Rules that the schema cannot say and the text of the standard does.
fn prose(log: &Value, errors: &mut Vec<String>) {
    for run in list(log, "/runs") {
        let rules: Vec<&Value> = list(run, "/tool/driver/rules").collect();
        for result in list(run, "/results") {
            let rule = result["ruleIndex"].as_u64().and_then(|at| rules.get(at as usize));
            if result.get("ruleIndex").is_some() && rule.is_none_or(|rule| rule["id"] != result["ruleId"]) {
                errors.push(format!("ruleIndex {} is not rule {}", result["ruleIndex"], result["ruleId"]));
            }
            let ids: Vec<&Value> =
                list(result, "/relatedLocations").map(|location| &location["id"]).collect();
            if ids.iter().enumerate().any(|(at, id)| ids.iter().take(at).any(|earlier| earlier == id)) {
                errors.push("two related locations have one id".to_owned());
            }
            for fix in list(result, "/fixes") {
                let files: Vec<_> = list(fix, "/artifactChanges")
                    .map(|change| change.pointer("/artifactLocation/uri"))
                    .collect();
                if files
                    .iter()
                    .enumerate()
                    .any(|(at, file)| files.iter().take(at).any(|earlier| earlier == file))
                {
                    errors.push("a fix changes one file twice".to_owned());
                }
            }
        }
    }
    each(log, &mut |value| {
        if let Some(line) = value["startLine"].as_i64() {
            let last = value["endLine"].as_i64().unwrap_or(line);
            let columns = (value["startColumn"].as_i64().unwrap_or(1), value["endColumn"].as_i64());
            if last < line || (last == line && columns.1.is_some_and(|end| end < columns.0)) {
                errors.push(format!("a region ends before it starts: {value}"));
            }
        }
        if let Some(uri) = value.pointer("/artifactLocation/uri").and_then(Value::as_str)
            && uri.starts_with('/')
        {
            errors.push(format!("a relative reference starts with a slash: {uri}"));
        }
    });
}

fn list<'v>(value: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn each(value: &Value, visit: &mut dyn FnMut(&Value)) {
    visit(value);
    match value {
        Value::Array(items) => items.iter().for_each(|item| each(item, visit)),
        Value::Object(members) => members.values().for_each(|member| each(member, visit)),
        _ => {}
    }
}

/// The scheme of a URI.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let first = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    let others = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    (first && others).then_some(scheme)
}

/// Whether text has only the characters of RFC 3986, whole percent codes, one fragment, and no stray colon.
fn is_uri_reference(text: &str) -> bool {
    let legal = text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b));
    let encoded = text
        .split('%')
        .skip(1)
        .all(|part| part.len() >= 2 && part.bytes().take(2).all(|b| b.is_ascii_hexdigit()));
    let first_segment = text.split(['/', '?', '#']).next().unwrap_or_default();
    let colon = !first_segment.contains(':') || scheme(text).is_some();
    legal && encoded && colon && text.matches('#').count() <= 1
}
