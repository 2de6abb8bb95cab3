//! Entries: the objects by which files, requests and nested deployments give one value, `{"value": ..}` and the like.
//!
//! Every boundary that takes entries reads them here, so that a member that is misspelt is refused by all of them, and
//! never dropped by one.

use document::SourceValue;
use smol_str::SmolStr;

use super::inputs::{LateReference, ParameterSource, SecretReference};
use crate::expression::{Expression, TemplateString};
use crate::functions::{self, Stage};
use crate::template::{TypeWord, brief};
use crate::value::Value;

/// How an entry gives its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntrySource {
    /// The value itself, as in a parameters file.
    Value,
    /// As the secret of a key vault.
    Reference,
    /// As what an expression gives.
    Expression,
}

/// What entries of one kind may have: one of the ways, and what may stand beside it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntryForm {
    ways: &'static [(&'static str, EntrySource)],
    beside: &'static [&'static str],
}

/// An entry of the parameters. The type is what answers to requests write beside the value; people send it back.
pub(crate) const PARAMETER: EntryForm = EntryForm {
    ways: &[
        ("value", EntrySource::Value),
        ("reference", EntrySource::Reference),
        ("expression", EntrySource::Expression),
    ],
    beside: &["metadata", TYPE],
};

/// An entry of the configuration of an extension.
pub(crate) const SETTING: EntryForm = EntryForm {
    ways: &[
        ("value", EntrySource::Value),
        ("keyVaultReference", EntrySource::Reference),
        ("expression", EntrySource::Expression),
    ],
    beside: &["metadata", TYPE],
};

/// What a parameters file says behind `using`.
pub(crate) const USING: EntryForm = EntryForm {
    ways: &[("value", EntrySource::Value), ("expression", EntrySource::Expression)],
    beside: &["metadata"],
};

const TYPE: &str = "type";

/// The value of a member, as far as reading the entry looks into it.
pub(crate) trait EntryPart {
    /// The text, if it is one; none if it is not, or not known yet.
    fn text(&self) -> Option<&str>;
}

/// A name and what it names, as they are written.
impl EntryPart for (SourceValue<'_>, SourceValue<'_>) {
    fn text(&self) -> Option<&str> {
        self.1.as_str()
    }
}

impl EntryPart for &Value {
    fn text(&self) -> Option<&str> {
        self.as_str()
    }
}

/// Why an entry is none.
#[derive(Debug)]
pub(crate) struct EntryFlaw<P> {
    /// What is wrong, as what an entry does: `has the unknown member 'vlaue'`.
    pub(crate) message: String,
    /// The member that is wrong, with its name; none if it is the whole entry.
    pub(crate) member: Option<(SmolStr, P)>,
}

impl EntryForm {
    /// Which way an entry with these members gives its value, and the member that has it.
    pub(crate) fn read<'n, P: EntryPart>(
        &self,
        members: impl IntoIterator<Item = (&'n str, P)>,
    ) -> Result<(EntrySource, P), EntryFlaw<P>> {
        let mut seen: Vec<(&'static str, &'n str)> = Vec::new();
        let mut given: Option<(&'static str, EntrySource, P)> = None;
        for (name, part) in members {
            let wrong = |message: String, part: P| EntryFlaw { message, member: Some((name.into(), part)) };
            let way = self.ways.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let beside = self.beside.iter().find(|known| known.eq_ignore_ascii_case(name));
            let Some(known) = way.map(|(known, _)| *known).or(beside.copied()) else {
                let message =
                    format!("has the unknown member '{}'; it can have {}", brief(name), self.names());
                return Err(wrong(message, part));
            };
            if let Some((_, first)) = seen.iter().find(|(other, _)| *other == known) {
                let message = format!("has '{known}' twice, as '{first}' and as '{name}'");
                return Err(wrong(message, part));
            }
            seen.push((known, name));
            match (way, &given) {
                (Some((_, way)), None) => given = Some((known, *way, part)),
                (Some(_), Some((other, ..))) => {
                    let message = format!("has '{other}' and '{known}'; only one of them can give its value");
                    return Err(wrong(message, part));
                }
                (None, _) if known == TYPE => {
                    let is_word = part.text().is_some_and(|text| TypeWord::parse(text).is_some());
                    if !is_word {
                        let words: Vec<&str> = TypeWord::words().collect();
                        let message = format!("has a 'type' that is none of '{}'", words.join("', '"));
                        return Err(wrong(message, part));
                    }
                }
                (None, _) => {}
            }
        }
        match given {
            Some((_, way, part)) => Ok((way, part)),
            None => Err(EntryFlaw { message: format!("has none of {}", self.way_names()), member: None }),
        }
    }

    /// What is said of an entry that is no object.
    pub(crate) fn not_an_object(&self, found: &str) -> String {
        format!("must be an object with one of {}, not '{found}'", self.way_names())
    }

    /// The way of a member, by whatever case.
    pub(super) fn way(&self, name: &str) -> Option<EntrySource> {
        self.ways.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, way)| *way)
    }

    fn way_names(&self) -> String {
        quoted(self.ways.iter().map(|(name, _)| *name))
    }

    fn names(&self) -> String {
        quoted(self.ways.iter().map(|(name, _)| *name).chain(self.beside.iter().copied()))
    }
}

fn quoted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    names.join(", ")
}

/// Where the strings of a reference come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strings {
    /// From a file or a request: `[...]` is an expression.
    SourceValue,
    /// From a template that was evaluated already: they are what they are.
    Evaluated,
}

/// The secret of a key vault that an entry refers to.
pub(crate) fn reference(reference: &Value, strings: Strings) -> Result<ParameterSource, String> {
    // What a pipeline replaces before it deploys: a name for the whole reference.
    if let Value::Text(name) = reference
        && !name.is_empty()
        && matches!(TemplateString::of(name), TemplateString::Text(_))
    {
        let name = name.clone();
        return Ok(ParameterSource::Reference(SecretReference {
            vault: name.clone(),
            secret: name,
            version: None,
        }));
    }
    let [vault, secret, version] =
        members(reference, "its reference", ["keyVault", "secretName", "secretVersion"])?;
    let (Some(vault), Some(secret)) = (vault, secret) else {
        return Err("its reference must have 'keyVault' with an 'id', and 'secretName'".to_owned());
    };
    let [id] = members(vault, "the 'keyVault' of its reference", ["id"])?;
    let text = |value: &Value, what: &str| match value.as_str() {
        Some(text) if !text.is_empty() => Ok(SmolStr::from(text)),
        Some(_) => Err(format!("{what} of its reference is empty")),
        None => Err(format!("{what} of its reference must be a string, not '{}'", value.kind())),
    };
    let Some(id) = id else {
        return Err("the 'keyVault' of its reference must have an 'id'".to_owned());
    };
    let (vault, secret) = (text(id, "the 'id'")?, text(secret, "the 'secretName'")?);
    let version = version.filter(|version| !version.is_null());
    let version = version.map(|version| text(version, "the 'secretVersion'")).transpose()?;
    let is_late = |text: &SmolStr| matches!(TemplateString::of(text), TemplateString::Expression(_));
    if strings == Strings::Evaluated || ![&vault, &secret].into_iter().chain(&version).any(is_late) {
        return Ok(ParameterSource::Reference(SecretReference { vault, secret, version }));
    }
    let part = |text: SmolStr| match TemplateString::of(&text) {
        TemplateString::Text(text) => Ok(Expression::text(text)),
        TemplateString::Expression(_) => expression(Some(&text)),
    };
    let version = version.map(part).transpose()?;
    Ok(ParameterSource::LateReference(Box::new(LateReference {
        vault: part(vault)?,
        secret: part(secret)?,
        version,
    })))
}

/// The members of an object that has no others, each once.
fn members<'v, const N: usize>(
    value: &'v Value,
    what: &str,
    names: [&'static str; N],
) -> Result<[Option<&'v Value>; N], String> {
    let object =
        value.as_object().ok_or_else(|| format!("{what} must be an object, not '{}'", value.kind()))?;
    let mut found = [None; N];
    for (name, value) in object {
        match names.iter().zip(&mut found).find(|(known, _)| known.eq_ignore_ascii_case(name)) {
            Some((_, slot @ None)) => *slot = Some(value),
            Some((known, Some(_))) => return Err(format!("{what} has '{known}' twice")),
            None => {
                let known = quoted(names.into_iter());
                return Err(format!("{what} has the unknown member '{}'; it can have {known}", brief(name)));
            }
        }
    }
    Ok(found)
}

/// An expression that is evaluated before anything else.
pub(crate) fn expression(text: Option<&str>) -> Result<Expression, String> {
    let text = text.unwrap_or_default();
    if matches!(TemplateString::of(text), TemplateString::Text(_)) {
        return Err("its expression must be a string '[...]'".to_owned());
    }
    let expression = TemplateString::parse(text)
        .map_err(|error| format!("its expression cannot be read: {error} (at offset {})", error.offset))?;
    match illegal(&expression) {
        Some(message) => Err(message),
        None => Ok(expression),
    }
}

/// The function by which expressions ask for an external input.
const INPUTS: &str = "externalInputs";

/// The first call that expressions of inputs cannot make, in words.
fn illegal(expression: &Expression) -> Option<String> {
    let mut found = None;
    expression.for_each(&mut |part| {
        let Some(call) = part.as_call() else { return };
        let known = if call.namespace.is_some() { None } else { functions::find(&call.name) };
        let message = match known {
            None => format!("The template function '{}' is not valid", brief(&call.name)),
            Some(function) if !function.stages.contains(Stage::ParametersFile) => {
                format!("The template function '{}' is not expected at this location", call.name)
            }
            Some(function) if function.name == INPUTS && call.arguments.len() != 1 => {
                let count = call.arguments.len();
                format!("The template function '{INPUTS}' takes 1 argument, the key of an input, not {count}")
            }
            Some(_) => return,
        };
        found.get_or_insert(message);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(form: EntryForm, names: &[&str]) -> Result<EntrySource, String> {
        let value = Value::text("string");
        form.read(names.iter().map(|name| (*name, &value))).map(|(way, _)| way).map_err(|flaw| flaw.message)
    }

    #[test]
    fn an_entry_gives_its_value_in_one_way() {
        assert_eq!(read(PARAMETER, &["value"]), Ok(EntrySource::Value));
        assert_eq!(read(PARAMETER, &["metadata", "Reference"]), Ok(EntrySource::Reference));
        assert_eq!(read(PARAMETER, &["type", "EXPRESSION"]), Ok(EntrySource::Expression));
        assert_eq!(read(SETTING, &["keyVaultReference"]), Ok(EntrySource::Reference));
        assert_eq!(read(USING, &["expression"]), Ok(EntrySource::Expression));
    }

    #[test]
    fn whatever_else_it_has_is_refused() {
        for (form, names, said) in [
            (PARAMETER, &["vlaue"][..], "has the unknown member 'vlaue'"),
            (PARAMETER, &["value", "foo"], "has the unknown member 'foo'"),
            (PARAMETER, &["keyVaultReference"], "has the unknown member 'keyVaultReference'"),
            (PARAMETER, &["value", "VALUE"], "has 'value' twice, as 'value' and as 'VALUE'"),
            (PARAMETER, &["metadata", "value", "Metadata"], "has 'metadata' twice"),
            (PARAMETER, &["value", "reference"], "has 'value' and 'reference'"),
            (PARAMETER, &["metadata"], "has none of 'value', 'reference', 'expression'"),
            (PARAMETER, &[], "has none of"),
            (SETTING, &["reference"], "has the unknown member 'reference'"),
            (USING, &["value", "type"], "has the unknown member 'type'"),
        ] {
            let message = read(form, names).unwrap_err();
            assert!(message.starts_with(said), "{names:?}: {message}");
        }
        let number = Value::Int(1);
        assert!(PARAMETER.read([("type", &number), ("value", &number)]).is_err());
    }

    #[test]
    fn a_reference_has_nothing_that_has_no_meaning() {
        let of = |text: &str| {
            let document =
                document::Document::from_json(text, document::FileId::FIRST, &document::ReadLimits::DEFAULT);
            reference(&Value::from_view(document.unwrap().root()).unwrap(), Strings::SourceValue)
        };
        assert!(matches!(
            of(r#"{"keyVault": {"id": "/v"}, "secretName": "s"}"#),
            Ok(ParameterSource::Reference(_))
        ));
        assert!(matches!(of(r#""GEN-SECRET""#), Ok(ParameterSource::Reference(_))));
        assert!(matches!(
            of(r#"{"keyVault": {"id": "/v"}, "secretName": "s", "secretVersion": "[externalInputs('v')]"}"#),
            Ok(ParameterSource::LateReference(_))
        ));
        for text in [
            r#"{"keyVault": {"id": "/v"}}"#,
            r#"{"keyVault": {"id": "/v"}, "secretName": ""}"#,
            r#"{"keyVault": {"id": "/v"}, "secretName": "s", "secretVersoin": "1"}"#,
            r#"{"keyVault": {"id": "/v"}, "secretName": "s", "secretVersion": 1}"#,
            r#"{"keyVault": {"id": "/v", "name": "v"}, "secretName": "s"}"#,
            r#"{"keyVault": {"id": "/v"}, "secretName": "s", "SecretName": "t"}"#,
            r#"{"keyVault": "/v", "secretName": "s"}"#,
            r#"["s"]"#,
        ] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
