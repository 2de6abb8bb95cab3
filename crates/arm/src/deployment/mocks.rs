//! Answers that a user gives in place of a cloud.
//!
//! The members of a mocks file are named after the functions that they answer. Objects such as `resourceGroup` are
//! laid over what the engine says by itself. `reference` and the `list...` functions answer by resource id, by type or
//! by symbolic name. Functions with other arguments answer by them: as an array of
//! `{"arguments": [...], "value": ...}`, or as an object with the arguments, joined by commas, as names.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use smol_str::SmolStr;

use crate::Value;
use crate::evaluate::article;
use crate::value::{Object, equal_ignoring_case, folded};

/// What a mocks file says.
#[derive(Clone, Debug)]
pub struct Mocks {
    content: Value,
    /// The answers that were given, as [`Mocks::answers`] names them; none if nobody wants to know.
    given: Option<Arc<Mutex<BTreeSet<String>>>>,
}

impl Default for Mocks {
    fn default() -> Mocks {
        Mocks { content: Value::Null, given: None }
    }
}

/// Which resource an answer is wanted for.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The id of the resource.
    pub id: &'s str,
    /// The type; empty if it is not known.
    pub kind: &'s str,
    /// The symbolic name; none in a template without them.
    pub symbol: Option<&'s str>,
}

impl Mocks {
    /// Takes the content of a mocks file, which has to be an object with names that mean something.
    pub fn new(content: Value) -> Result<Mocks, String> {
        let Some(members) = content.as_object() else {
            return Err(format!("mocks must be an object by function, not {}", article(&content)));
        };
        check_names(&content, "")?;
        for (name, value) in members {
            let may_be_array = match form(name).ok_or_else(|| unknown(name))? {
                MockForm::Object => false,
                MockForm::Rows => true,
                MockForm::Anything => continue,
            };
            match value {
                Value::Object(vaults) => {
                    check_names(value, name)?;
                    if equal_ignoring_case(name, "secrets") {
                        let mut vaults = vaults.iter();
                        vaults.try_for_each(|(vault, secrets)| {
                            check_names(secrets, &format!("{name}.{vault}"))
                        })?;
                    }
                }
                Value::Array(_) if may_be_array => {}
                other => {
                    let wanted = if may_be_array { "an array or an object" } else { "an object" };
                    return Err(format!("`{name}` must be {wanted}, not {}", article(other)));
                }
            }
        }
        Ok(Mocks { content, given: None })
    }

    /// The same, which remember the answers that they give.
    #[must_use]
    pub fn remembering(self) -> Mocks {
        Mocks { given: Some(Arc::default()), ..self }
    }

    /// The answers that were given, if they are remembered.
    pub fn given(&self) -> BTreeSet<String> {
        let given = self.given.as_ref().map(|given| given.lock().unwrap_or_else(PoisonError::into_inner));
        given.map(|given| given.clone()).unwrap_or_default()
    }

    /// Remembers that an answer was given; without somebody who asks for the list, nothing is made.
    pub fn note(&self, answer: impl FnOnce() -> String) {
        if let Some(given) = &self.given {
            given.lock().unwrap_or_else(PoisonError::into_inner).insert(answer());
        }
    }

    /// All answers that can be given, as they are written: `reference.vault`, `resourceGroup`, `pickZones[0]`. Whether a script was followed,
    /// and what is known of the tenant, is not told.
    pub fn answers(&self) -> Vec<String> {
        let mut all = Vec::new();
        for (name, value) in self.content.as_object().into_iter().flat_map(Object::iter) {
            let is = |known: &str| equal_ignoring_case(known, name);
            if ["provider", "$schema", "tenant", "providers"].into_iter().any(is) {
                continue;
            }
            let is_whole = OBJECTS.iter().any(|known| is(known)) && !is("reference") && !is("externalInputs");
            match value {
                _ if is_whole => all.push(name.to_string()),
                Value::Object(answers) if is("secrets") => {
                    for (vault, secrets) in answers.iter() {
                        let secrets = secrets.as_object().into_iter().flat_map(Object::iter);
                        all.extend(secrets.map(|(secret, _)| format!("{name}.{vault}.{secret}")));
                    }
                }
                Value::Object(answers) => all.extend(answers.iter().map(|(key, _)| format!("{name}.{key}"))),
                Value::Array(rows) => all.extend((0..rows.items().len()).map(|row| format!("{name}[{row}]"))),
                _ => all.push(name.to_string()),
            }
        }
        all
    }

    /// A member with its name as it is written.
    fn member<'v>(value: &'v Value, name: &str) -> Option<(&'v str, &'v Value)> {
        let members = value.as_object()?;
        let found = members.get(name)?;
        let (written, _) = members.iter().find(|(_, value)| std::ptr::eq(value, found))?;
        Some((written, found))
    }

    /// What the file holds.
    pub fn content(&self) -> &Value {
        &self.content
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.content.as_object().is_none_or(Object::is_empty)
    }

    /// What is given for a function, as written.
    pub fn get(&self, function: &str) -> Option<&Value> {
        self.content.as_object()?.get(function)
    }

    /// The object that is laid over the one of a function.
    pub(super) fn object(&self, function: &str) -> Option<Value> {
        let (written, value) = Mocks::member(&self.content, function)?;
        value.as_object()?;
        self.note(|| written.to_owned());
        Some(value.clone())
    }

    /// The answer for a resource: by its id, then by its symbolic name, then by its type.
    pub fn resource(&self, function: &str, subject: Subject<'_>) -> Option<&Value> {
        let (function, answers) = Mocks::member(&self.content, function)?;
        let kind = Some(subject.kind).filter(|kind| !kind.is_empty());
        let names = [Some(subject.id), subject.symbol, kind];
        let (written, answer) = names.into_iter().flatten().find_map(|name| Mocks::member(answers, name))?;
        self.note(|| format!("{function}.{written}"));
        Some(answer)
    }

    /// The answer for some arguments.
    pub(super) fn call(&self, function: &str, arguments: &[Value]) -> Option<Value> {
        let (function, answers) = Mocks::member(&self.content, function)?;
        match answers {
            Value::Array(rows) => rows.items().iter().enumerate().find_map(|(place, row)| {
                let row = row.as_object()?;
                let given = row.get("arguments")?.as_array()?;
                let same =
                    given.len() == arguments.len() && given.iter().zip(arguments).all(|(a, b)| alike(a, b));
                same.then(|| {
                    self.note(|| format!("{function}[{place}]"));
                    row.get("value").cloned().unwrap_or(Value::Null)
                })
            }),
            Value::Object(_) => {
                let texts = arguments.iter().map(|value| match value {
                    Value::Text(text) => text.to_string(),
                    other => other.to_json(),
                });
                let (written, answer) = Mocks::member(answers, &texts.collect::<Vec<_>>().join(","))?;
                self.note(|| format!("{function}.{written}"));
                Some(answer.clone())
            }
            _ => None,
        }
    }

    /// A secret of a key vault: `secrets` by vault, which is an id or a name, and by the name of the secret.
    pub fn secret(&self, vault: &str, name: &str) -> Option<&Value> {
        let (section, vaults) = Mocks::member(&self.content, "secrets")?;
        let last = vault.rsplit('/').next().unwrap_or_default();
        let (vault, secrets) = Mocks::member(vaults, vault).or_else(|| Mocks::member(vaults, last))?;
        let (name, secret) = Mocks::member(secrets, name)?;
        self.note(|| format!("{section}.{vault}.{name}"));
        Some(secret)
    }

    /// What is known of a resource provider, or of one of its types: `providers` is an array of
    /// `{"namespace": .., "resourceTypes": [..]}`, or an object by namespace.
    pub(super) fn provider(&self, namespace: &str, kind: Option<&str>) -> Option<Value> {
        let provider = match self.get("providers")? {
            Value::Array(rows) => rows.items().iter().find(|row| has_text(row, "namespace", namespace))?,
            Value::Object(rows) => rows.get(namespace)?,
            _ => return None,
        };
        let Some(kind) = kind else { return Some(provider.clone()) };
        let types = provider.as_object()?.get("resourceTypes")?.as_array()?;
        types.iter().find(|row| has_text(row, "resourceType", kind)).cloned()
    }
}

/// Answers are found by their names, whatever the case: of two that differ by it alone, nobody can tell which one is meant.
fn check_names(answers: &Value, path: &str) -> Result<(), String> {
    let mut seen: HashMap<SmolStr, &SmolStr> = HashMap::new();
    for (name, _) in answers.as_object().into_iter().flat_map(Object::iter) {
        if let Some(first) = seen.insert(folded(name), name) {
            let path = if path.is_empty() { String::new() } else { format!("{path}.") };
            let (first, name) = (contract::short_name(first), contract::short_name(name));
            return Err(format!(
                "`{path}{name}` is there twice, also as `{first}`; names do not depend on case"
            ));
        }
    }
    Ok(())
}

/// What a member of a mocks file looks like.
#[derive(Clone, Copy)]
enum MockForm {
    Object,
    Rows,
    /// Somebody else reads it.
    Anything,
}

/// Members that are not functions.
const SECTIONS: &[(&str, MockForm)] =
    &[("secrets", MockForm::Object), ("provider", MockForm::Anything), ("$schema", MockForm::Anything)];

/// Functions that answer by what stands in their arguments.
const BY_ARGUMENTS: &[&str] = &[
    "pickZones",
    "providers",
    "roleDefinitions",
    "toLogicalZone",
    "toLogicalZones",
    "toPhysicalZone",
    "toPhysicalZones",
];

/// Functions that answer with one object, or by resource.
const OBJECTS: &[&str] = &[
    "deployer",
    "deployment",
    "environment",
    "externalInputs",
    "managementGroup",
    "reference",
    "resourceGroup",
    "subscription",
    "tenant",
];

/// The form of a member, if mocks can have it.
fn form(name: &str) -> Option<MockForm> {
    let is = |known: &str| equal_ignoring_case(known, name);
    if let Some((_, form)) = SECTIONS.iter().find(|(section, _)| is(section)) {
        return Some(*form);
    }
    let is_list = name.get(..4).is_some_and(|start| equal_ignoring_case(start, "list")) && name.len() > 4;
    if is_list || OBJECTS.iter().any(|known| is(known)) {
        return Some(MockForm::Object);
    }
    BY_ARGUMENTS.iter().any(|known| is(known)).then_some(MockForm::Rows)
}

fn unknown(name: &str) -> String {
    let known = || OBJECTS.iter().chain(BY_ARGUMENTS).copied().chain(["secrets", "provider"]);
    match diagnostics::suggest(name, known()) {
        Some(near) => format!("`{name}` is not something that mocks answer; did you mean `{near}`?"),
        None => {
            let known: Vec<&str> = known().collect();
            format!(
                "`{name}` is not something that mocks answer; there are {} and `list...`",
                known.join(", ")
            )
        }
    }
}

fn has_text(row: &Value, member: &str, text: &str) -> bool {
    let found = row.as_object().and_then(|row| row.get(member)).and_then(Value::as_str);
    found.is_some_and(|found| equal_ignoring_case(found, text))
}

fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Text(a), Value::Text(b)) => equal_ignoring_case(a, b),
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mocks(json: &str) -> Mocks {
        let document =
            document::Document::from_json(json, document::FileId::FIRST, &document::ReadLimits::DEFAULT)
                .unwrap();
        Mocks::new(Value::from_view(document.root()).unwrap()).unwrap()
    }

    #[test]
    fn a_member_that_answers_nothing_is_refused() {
        #[track_caller]
        fn check(json: &str, expect: &str) {
            let document =
                document::Document::from_json(json, document::FileId::FIRST, &document::ReadLimits::DEFAULT)
                    .unwrap();
            let error = Mocks::new(Value::from_view(document.root()).unwrap()).unwrap_err();
            assert!(error.contains(expect), "{error}");
        }
        check("[]", "not an array");
        check(r#"{"refrence": {}}"#, "did you mean `reference`?");
        check(r#"{"list": {}}"#, "and `list...`");
        check(r#"{"utcNow": "x"}"#, "is not something that mocks answer");
        check(r#"{"REFERENCE": []}"#, "`REFERENCE` must be an object, not an array");
        check(r#"{"pickZones": "1"}"#, "must be an array or an object, not a string");
        check(r#"{"listKeys": null}"#, "must be an object, not null");
        check(r#"{"secrets": {}, "Secrets": {}}"#, "`Secrets` is there twice, also as `secrets`");
        check(r#"{"reference": {"/a/B": 1, "/A/b": 2}}"#, "`reference./A/b` is there twice");
        check(r#"{"subscription": {"tenantId": "a", "TenantId": "b"}}"#, "`subscription.TenantId`");
        check(r#"{"secrets": {"v": {"s": "a"}, "V": {}}}"#, "`secrets.V` is there twice");
        check(r#"{"secrets": {"v": {"s": "a", "S": "b"}}}"#, "`secrets.v.S` is there twice");
    }

    #[test]
    fn a_resource_is_answered_by_id_then_symbol_then_type() {
        let mocks = mocks(r#"{"reference": {"/a/B": 1, "sym": 2, "Microsoft.X/y": 3}}"#);
        let ask = |id, kind, symbol| mocks.resource("reference", Subject { id, kind, symbol }).cloned();
        assert_eq!(ask("/A/b", "Microsoft.X/y", Some("sym")), Some(Value::Int(1)));
        assert_eq!(ask("/c", "Microsoft.X/y", Some("SYM")), Some(Value::Int(2)));
        assert_eq!(ask("/c", "microsoft.x/Y", None), Some(Value::Int(3)));
        assert_eq!(ask("/c", "", None), None);
    }

    #[test]
    fn functions_are_answered_by_their_arguments() {
        let mocks = mocks(
            r#"{"pickZones": [{"arguments": ["a", "b", "c"], "value": ["1"]}], "toPhysicalZone": {"s,l,1": "z1"}}"#,
        );
        let texts = |texts: &[&str]| texts.iter().map(|text| Value::from(*text)).collect::<Vec<_>>();
        assert_eq!(mocks.call("pickZones", &texts(&["A", "b", "c"])), Some(Value::array(vec!["1".into()])));
        assert_eq!(mocks.call("pickZones", &texts(&["a", "b"])), None);
        assert_eq!(mocks.call("toPhysicalZone", &texts(&["s", "l", "1"])), Some("z1".into()));
    }

    #[test]
    fn answers_that_were_given_are_remembered() {
        let mocks = mocks(
            r#"{"reference": {"Site": 1, "other": 2}, "resourceGroup": {"location": "x"}, "pickZones": [{"arguments": ["a"], "value": ["1"]}],
                "secrets": {"vault": {"key": "hush"}}, "provider": []}"#,
        );
        let mocks = mocks.remembering();
        let all = ["reference.Site", "reference.other", "resourceGroup", "pickZones[0]", "secrets.vault.key"];
        assert_eq!(mocks.answers(), all);
        assert!(mocks.given().is_empty());
        mocks.resource("reference", Subject { id: "/a", kind: "", symbol: Some("site") });
        mocks.object("resourcegroup");
        mocks.call("pickZones", &["A".into()]);
        mocks.secret("/x/vault", "KEY");
        let given: Vec<String> = mocks.given().into_iter().collect();
        assert_eq!(given, ["pickZones[0]", "reference.Site", "resourceGroup", "secrets.vault.key"]);
    }

    #[test]
    fn providers_are_an_array_or_an_object() {
        for json in [
            r#"{"providers": [{"namespace": "Microsoft.Web", "resourceTypes": [{"resourceType": "sites"}]}]}"#,
            r#"{"providers": {"Microsoft.Web": {"resourceTypes": [{"resourceType": "sites"}]}}}"#,
        ] {
            let mocks = mocks(json);
            assert!(mocks.provider("microsoft.web", None).is_some());
            assert_eq!(
                mocks.provider("Microsoft.Web", Some("SITES")).unwrap().to_json(),
                r#"{"resourceType":"sites"}"#
            );
            assert!(mocks.provider("Microsoft.Other", None).is_none());
        }
    }
}
