//! Placeholders in parameters files: texts such as `GEN-UNIQUE` that stand for a value which a pipeline makes.
//!
//! Public templates come with parameters files that nobody deploys as they are: what has to be new each time, or is a secret, is a
//! placeholder, and the pipeline that tests the template puts a value there. Deployed to the state on this machine, a template gets
//! made-up values: the same ones each time, different ones for different parameters, and of the kind that the parameter takes.

use arm::Value;
use arm::binding::{Inputs, ParameterSource};
use arm::hash;
use arm::template::{Parameter, Template, TypeWord};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use contract::sample::SampleOptions;
use diagnostics::Diagnostic;
use engine::provider::is_placeholder;
use smol_str::SmolStr;

/// How long a `GEN-UNIQUE` is that says no length.
const USUAL_LENGTH: usize = 18;
/// The longest that one may ask for.
const MAX_LENGTH: usize = 128;
/// Numbers that a parameter may take, the likeliest first.
const NUMBERS: [i64; 4] = [1, 2, 10, 100];
/// How deep in a value placeholders are looked for.
const DEPTH: u32 = 32;

/// What a placeholder asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlaceholderKind {
    /// A name that nothing else has, of so many characters.
    Unique(usize),
    Password,
    Guid,
    SshPublicKey,
    /// Something that only the pipeline knows, such as a name from a deployment before this one.
    Other,
}

impl PlaceholderKind {
    /// What a text asks for; none if it is no placeholder.
    fn of(text: &str) -> Option<PlaceholderKind> {
        if !is_placeholder(text) {
            return None;
        }
        let Some(name) = text.strip_prefix("GEN-") else { return Some(PlaceholderKind::Other) };
        if let Some(length) = name.strip_prefix("UNIQUE") {
            let digits = length.strip_prefix('-').unwrap_or(length);
            return Some(match digits.parse() {
                Ok(length @ 1..=MAX_LENGTH) => PlaceholderKind::Unique(length),
                Ok(_) | Err(_) if length.is_empty() => PlaceholderKind::Unique(USUAL_LENGTH),
                Ok(_) | Err(_) => PlaceholderKind::Other,
            });
        }
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        Some(if name.starts_with("PASSWORD") || name.ends_with("-PASSWORD") {
            PlaceholderKind::Password
        } else if name == "SSH-PUB-KEY" {
            PlaceholderKind::SshPublicKey
        } else if name == "GUID" || ends(&["-OBJECTID", "-OBJID", "-TENANTID", "-APPID"]) {
            PlaceholderKind::Guid
        } else {
            PlaceholderKind::Other
        })
    }

    /// What stands for it at a place of the parameters; none if the text itself does.
    fn text(self, place: &str) -> Option<String> {
        match self {
            PlaceholderKind::Unique(length) => Some(unique(place, length)),
            PlaceholderKind::Password => Some(password(place, USUAL_LENGTH)),
            PlaceholderKind::Guid => Some(hash::guid([MADE_UP, place])),
            PlaceholderKind::SshPublicKey => Some(ssh_public_key(place)),
            PlaceholderKind::Other => None,
        }
    }

    /// The same in so many characters; none if a part of it is of no use.
    fn text_of_length(self, place: &str, length: usize) -> Option<String> {
        match self {
            PlaceholderKind::Unique(_) | PlaceholderKind::Other => Some(unique(place, length)),
            PlaceholderKind::Password => Some(password(place, length)),
            PlaceholderKind::Guid | PlaceholderKind::SshPublicKey => None,
        }
    }
}

/// What keeps these values apart from those that templates make themselves.
const MADE_UP: &str = "placeholder";

/// Letters and digits in small letters, a letter first.
fn unique(place: &str, length: usize) -> String {
    let mut text = String::from("a");
    for part in 0_u32.. {
        if text.len() >= length {
            break;
        }
        text.push_str(&hash::unique_string([MADE_UP, place, &part.to_string()]));
    }
    text.truncate(length);
    text
}

/// A text with all kinds of characters that rules for passwords ask for.
fn password(place: &str, length: usize) -> String {
    let mut text = String::from("P1-");
    text.push_str(&unique(place, length.saturating_sub(text.len())));
    text.truncate(length);
    text
}

/// A public key as `ssh-keygen` writes it: nobody has the other half.
fn ssh_public_key(place: &str) -> String {
    let mut key = vec![0, 0, 0, 7];
    key.extend_from_slice(b"ssh-rsa");
    key.extend_from_slice(&[0, 0, 0, 3, 1, 0, 1, 0, 0, 1, 1, 0]);
    let blocks = (0..16_u32).map(|block| hash::guid_bytes([MADE_UP, place, &block.to_string()]));
    let modulus = key.len();
    key.extend(blocks.flatten());
    // A modulus has its highest bit set, and is odd.
    if let Some(first) = key.get_mut(modulus) {
        *first |= 0x80;
    }
    if let Some(last) = key.last_mut() {
        *last |= 1;
    }
    format!("ssh-rsa {}", BASE64_STANDARD.encode(key))
}

/// Puts made-up values where placeholders are, and says which parameters have one. What somebody says for a parameter is meant as it is: only
/// files that are published have placeholders.
pub(super) fn replace(
    template: &Template,
    inputs: &mut Inputs,
    is_said: impl Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let mut replaced: Vec<(SmolStr, Value)> = Vec::new();
    for parameter in template.parameters.iter().filter(|parameter| !is_said(&parameter.name)) {
        let Some(ParameterSource::Value(given)) = inputs.get(&parameter.name).map(|input| &input.given)
        else {
            continue;
        };
        let value = match given.as_str().map(PlaceholderKind::of) {
            Some(None) => None,
            Some(Some(kind)) => whole(template, parameter, kind, given),
            None => inside(given, &parameter.name, DEPTH),
        };
        if let Some(value) = value {
            replaced.push((parameter.name.clone(), value));
        }
    }
    let names: Vec<String> = replaced.iter().map(|(name, _)| format!("`{name}`")).collect();
    for (name, value) in replaced {
        inputs.set(&name, value);
    }
    let (first, count) = (names.first()?, names.len());
    let which = match count {
        1 => format!("the parameter {first}"),
        2..=4 => format!("the parameters {}", names.join(", ")),
        _ => format!("{first} and {} more parameters", count - 1),
    };
    let message = format!("{which} got made-up values: what is given for them is a placeholder");
    Some(Diagnostic::info("placeholder-value", message))
}

/// The value of a parameter for which a placeholder is given; none if the text itself will do.
fn whole(template: &Template, parameter: &Parameter, kind: PlaceholderKind, given: &Value) -> Option<Value> {
    let place = parameter.name.as_str();
    let admits = |value: &Value| template.type_admits(&parameter.ty, value);
    let wanted = kind.text(place).map_or_else(|| given.clone(), Value::from);
    if admits(&wanted) {
        return (kind != PlaceholderKind::Other).then_some(wanted);
    }
    // What nobody gives has its default.
    if parameter.default.is_some() {
        return Some(Value::Null);
    }
    let likely: Vec<Value> = match parameter.ty.word {
        Some(TypeWord::Int) => NUMBERS.map(Value::Int).to_vec(),
        Some(TypeWord::Bool) => vec![Value::Bool(false), Value::Bool(true)],
        Some(TypeWord::Array) => vec![Value::array(vec![wanted]), Value::array(Vec::new())],
        Some(TypeWord::Object) => vec![Value::object::<SmolStr>([])],
        Some(TypeWord::String) | None => {
            let shorter = (1..=USUAL_LENGTH).rev().chain(USUAL_LENGTH + 1..=MAX_LENGTH);
            shorter.filter_map(|length| kind.text_of_length(place, length)).map(Value::from).collect()
        }
    };
    let some = SampleOptions { count: 1, seed: 0, invalid: false };
    let mut fitting = likely.into_iter().filter(|value| admits(value));
    fitting.next().or_else(|| template.type_samples(&parameter.ty, some).into_iter().next())
}

/// A value with made-up texts in place of the placeholders inside; none if there are none.
fn inside(value: &Value, place: &str, depth: u32) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let part = |part: &Value, name: &str| {
        let place = format!("{place}/{name}");
        match part.as_str() {
            Some(text) => PlaceholderKind::of(text)?.text(&place).map(Value::from),
            None => inside(part, &place, depth),
        }
    };
    if let Some(items) = value.as_array() {
        let made: Vec<Option<Value>> =
            items.iter().enumerate().map(|(at, item)| part(item, &at.to_string())).collect();
        let changed = made.iter().any(Option::is_some);
        let items = made.into_iter().zip(items).map(|(made, item)| made.unwrap_or_else(|| item.clone()));
        return changed.then(|| Value::array(items.collect()));
    }
    let members = value.as_object()?;
    let made: Vec<Option<Value>> = members.iter().map(|(name, value)| part(value, name)).collect();
    let changed = made.iter().any(Option::is_some);
    let both = members.iter().zip(made);
    let members = both.map(|((name, value), made)| (name.clone(), made.unwrap_or_else(|| value.clone())));
    changed.then(|| Value::object(members))
}

#[cfg(test)]
mod tests {
    use arm::template::TemplateLimits;
    use document::FileId;

    use super::*;

    #[test]
    fn a_placeholder_is_a_whole_text_in_capitals() {
        for (text, expect) in [
            ("GEN-UNIQUE", Some(PlaceholderKind::Unique(18))),
            ("GEN-UNIQUE-8", Some(PlaceholderKind::Unique(8))),
            ("GEN-UNIQUE12", Some(PlaceholderKind::Unique(12))),
            ("GEN-UNIQUE-0", Some(PlaceholderKind::Other)),
            ("GEN-UNIQUE-99999999999999999999", Some(PlaceholderKind::Other)),
            ("GEN-PASSWORD", Some(PlaceholderKind::Password)),
            ("GEN-SELFSIGNED-CERT-PASSWORD", Some(PlaceholderKind::Password)),
            ("GEN-SSH-PUB-KEY", Some(PlaceholderKind::SshPublicKey)),
            ("GEN-GUID", Some(PlaceholderKind::Guid)),
            ("GEN-AZUREAD-OBJECTID", Some(PlaceholderKind::Guid)),
            ("GEN-VNET-NAME", Some(PlaceholderKind::Other)),
            ("GET-PREREQ-storageAccountName", Some(PlaceholderKind::Other)),
            ("gen-unique", None),
            ("GEN-", None),
            ("GEN-unique", None),
            ("GET-/x", None),
            ("GENERATE", None),
            ("GEN-UNIQUE@contoso.com", None),
            ("", None),
        ] {
            assert_eq!(PlaceholderKind::of(text), expect, "{text}");
        }
    }

    #[test]
    fn values_are_the_same_each_time_and_differ_by_parameter() {
        for length in 1..=MAX_LENGTH {
            let (one, other) = (unique("one", length), unique("other", length));
            assert_eq!((one.len(), one.clone()), (length, unique("one", length)));
            assert!(length < 4 || one != other, "{one}");
            assert!(one.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()), "{one}");
        }
        let key = ssh_public_key("key");
        let bytes = BASE64_STANDARD.decode(key.strip_prefix("ssh-rsa ").unwrap()).unwrap();
        // The name of the algorithm, the exponent, and a modulus of 2,048 bits.
        assert_eq!((bytes.len(), key.len()), (4 + 7 + 4 + 3 + 4 + 257, 380));
        assert_ne!(key, ssh_public_key("other"));
    }

    /// The values of the parameters `p` after placeholders are replaced, as JSON.
    fn replaced(declaration: &str, given: &str) -> (String, Option<String>) {
        let template = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "languageVersion": "2.0", "contentVersion": "1.0.0.0", "parameters": {{"p": {declaration}}}, "resources": {{}}}}"#
        );
        let limits = TemplateLimits::DEFAULT;
        let template = Template::read_file(template, FileId(0), &limits).unwrap();
        let text = format!(r#"{{"parameters": {{"P": {{"value": {given}}}}}}}"#);
        let mut inputs = Inputs::read(text, FileId(1), &limits).unwrap();
        let said = replace(&template, &mut inputs, |_| false);
        let ParameterSource::Value(value) = &inputs.get("p").unwrap().given else { unreachable!() };
        (value.to_json(), said.map(|said| said.message.to_string()))
    }

    #[track_caller]
    fn check(declaration: &str, given: &str, expect: &str) {
        let (value, said) = replaced(declaration, given);
        assert_eq!(value, expect, "{declaration}: {given}");
        assert_eq!(said.is_some(), value != given, "{said:?}");
    }

    #[test]
    fn a_value_is_one_that_the_parameter_takes() {
        let unique = |length| format!("\"{}\"", super::unique("p", length));
        check(r#"{"type": "string"}"#, r#""GEN-UNIQUE""#, &unique(18));
        check(r#"{"type": "string"}"#, r#""GEN-UNIQUE-8""#, &unique(8));
        check(r#"{"type": "string", "maxLength": 5}"#, r#""GEN-UNIQUE-8""#, &unique(5));
        check(r#"{"type": "string", "minLength": 30}"#, r#""GEN-UNIQUE""#, &unique(30));
        check(r#"{"type": "string"}"#, r#""GET-PREREQ-name""#, r#""GET-PREREQ-name""#);
        check(r#"{"type": "string", "maxLength": 9}"#, r#""GET-PREREQ-name""#, &unique(9));
        check(r#"{"type": "string", "allowedValues": ["west"]}"#, r#""GET-PREREQ-location""#, r#""west""#);
        check(
            r#"{"type": "string", "allowedValues": ["west"], "defaultValue": "west"}"#,
            r#""GET-PREREQ-location""#,
            "null",
        );
        check(r#"{"type": "int", "minValue": 7}"#, r#""GEN-UNIQUE-3""#, "10");
        check(r#"{"type": "bool"}"#, r#""GET-PREREQ-flag""#, "false");
        check(r#"{"type": "array"}"#, r#""GET-PREREQ-list""#, r#"["GET-PREREQ-list"]"#);
        check(r#"{"type": "object"}"#, r#""GET-PREREQ-thing""#, "{}");
    }

    #[test]
    fn parts_of_values_are_placeholders_too() {
        let unique = |place: &str| super::unique(place, 18);
        let (first, second) = (unique("p/0/a"), unique("p/1"));
        let expect = format!(r#"[{{"a":"{first}","b":1}},"{second}","GET-PREREQ-x"]"#);
        check(
            r#"{"type": "array"}"#,
            r#"[{"a": "GEN-UNIQUE", "b": 1}, "GEN-UNIQUE", "GET-PREREQ-x"]"#,
            &expect,
        );
        check(r#"{"type": "object"}"#, r#"{"a":{"b":["c"]}}"#, r#"{"a":{"b":["c"]}}"#);
    }

    #[test]
    fn what_is_said_names_parameters_and_no_value() {
        let (value, said) = replaced(r#"{"type": "secureString"}"#, r#""GEN-PASSWORD""#);
        assert_eq!(
            said.as_deref(),
            Some("the parameter `p` got made-up values: what is given for them is a placeholder")
        );
        assert!(value.len() > 15 && value.starts_with("\"P1-a"), "{value}");
    }
}
