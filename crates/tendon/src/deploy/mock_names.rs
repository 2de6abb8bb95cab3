//! Whether what mocks say is about anything that a program mentions.

use std::collections::BTreeSet;

use arm::Value;
use arm::deployment::Mocks;
use diagnostics::{Diagnostic, suggest};

/// The functions whose answers are named by resources.
fn is_by_resource(function: &str) -> bool {
    function == "reference" || function.starts_with("list")
}

/// The names that answers have: the function, and the resource, symbolic name or type.
fn names(mocks: &Mocks) -> Vec<(&str, &str)> {
    let members = mocks.content().as_object().into_iter().flatten();
    let answers = members.filter(|(function, _)| is_by_resource(function.as_str()));
    answers
        .flat_map(|(function, answers)| {
            let names = answers.as_object().into_iter().flatten();
            names.map(move |(name, _)| (function.as_str(), name.as_str()))
        })
        .collect()
}

/// Whether an answer is for the symbolic name of a resource, so that templates need them.
pub(super) fn name_symbols(mocks: &Mocks) -> bool {
    names(mocks).iter().any(|(_, name)| !name.contains('/'))
}

/// The functions for which a server has its own resources, so that it does not need what mocks say.
pub(super) fn of_resources(mocks: &Mocks) -> Option<&str> {
    let members = mocks.content().as_object().into_iter().flatten();
    let mut names = members.map(|(name, _)| name.as_str());
    names.find(|name| !matches!(*name, "externalInputs" | "secrets" | "$schema"))
}

/// What mocks have answers for and no template mentions: it was misspelt, or nothing needs it.
pub(super) fn unused(mocks: &Mocks, file: &str, templates: &[&str]) -> Vec<Diagnostic> {
    // What stands behind an address is not in these texts.
    let is_template = |text: &&str| text.contains("\"resources\"");
    if !templates.iter().any(is_template) || templates.iter().any(|text| text.contains("templateLink")) {
        return Vec::new();
    }
    let texts: Vec<String> = templates.iter().map(|text| text.to_lowercase()).collect();
    let mut types = BTreeSet::new();
    for text in templates {
        types.extend(quoted(text).filter(|it| is_type(it)));
    }
    let is_unused = |(_, name): &(&str, &str)| !is_mentioned(name, &texts);
    let of_resources = names(mocks).into_iter().filter(is_unused).map(|(function, name)| {
        let message =
            format!("`{file}` has a result of `{function}` for `{name}`, which the program does not mention");
        let near = suggest(name, types.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        Diagnostic::warning("unused-mock", message).maybe_help(near)
    });
    let of_functions =
        whole_functions(mocks).filter(|function| !is_called(function, &texts)).map(|function| {
            let message = format!("`{file}` has a result of `{function}`, which the program does not call");
            Diagnostic::warning("unused-mock", message)
        });
    let of_secrets = secrets(mocks).into_iter().filter(is_unused).map(|(vault, secret)| {
        let message =
            format!("`{file}` has the secret `{secret}` of `{vault}`, which the program does not read");
        Diagnostic::warning("unused-mock", message)
    });
    of_resources.chain(of_functions).chain(of_secrets).collect()
}

/// Functions whose answers are used without a call.
const IMPLICIT: [&str; 2] = ["tenant", "providers"];

/// The functions that have an answer for all of their calls, or for some arguments.
fn whole_functions(mocks: &Mocks) -> impl Iterator<Item = &str> {
    let members = mocks.content().as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    members.filter(|name| {
        let is = |known: &str| known.eq_ignore_ascii_case(name);
        let is_section = ["secrets", "provider", "$schema", "externalInputs"].into_iter().any(is);
        !is_section && !is_by_resource(name) && !IMPLICIT.into_iter().any(is)
    })
}

/// Whether a template calls a function.
fn is_called(function: &str, texts: &[String]) -> bool {
    let call = format!("{}(", function.to_lowercase());
    texts.iter().any(|text| {
        text.match_indices(&call).any(|(at, _)| {
            !text.get(..at).is_some_and(|before| before.ends_with(|it: char| it.is_alphanumeric()))
        })
    })
}

/// The secrets that have a value: the vault and the name.
fn secrets(mocks: &Mocks) -> Vec<(&str, &str)> {
    let vaults = mocks.get("secrets").and_then(Value::as_object).into_iter().flatten();
    vaults
        .flat_map(|(vault, secrets)| {
            let secrets = secrets.as_object().into_iter().flatten();
            secrets.map(move |(secret, _)| (vault.as_str(), secret.as_str()))
        })
        .collect()
}

/// Whether a template mentions the resource, symbolic name or type.
fn is_mentioned(name: &str, texts: &[String]) -> bool {
    let name = name.to_lowercase();
    let wanted = if name.starts_with('/') { type_of(&name) } else { Some(name) };
    let Some(wanted) = wanted else { return true };
    // A name goes on with a letter, a type with another part; and an expression has quotes of its own around names.
    let ends = |rest: &str| {
        !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '_' | '/' | '-'))
    };
    let begins = |before: &str| before.ends_with(['"', '\'']);
    texts.iter().any(|text| {
        text.match_indices(&wanted).any(|(at, found)| {
            let (before, rest) = (text.get(..at), text.get(at + found.len()..));
            before.is_some_and(begins) && rest.is_some_and(ends)
        })
    })
}

/// The type in the id of a resource.
fn type_of(id: &str) -> Option<String> {
    let (_, behind) = id.rsplit_once("/providers/")?;
    let mut parts = behind.split('/');
    let namespace = parts.next()?;
    let types: Vec<&str> = parts.step_by(2).collect();
    (!types.is_empty()).then(|| format!("{namespace}/{}", types.join("/")))
}

/// The strings of a text of JSON that have no escapes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// Whether a string reads like the type of a resource.
fn is_type(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
    };
    text.split_once('/').is_some_and(|(namespace, _)| namespace.contains('.')) && text.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEMPLATE: &str = r#"{"resources": {"store": {"type": "Microsoft.Storage/storageAccounts", "name": "a"}},
        "outputs": {"o": {"value": "[reference('old').x]"}}}"#;

    fn mocks(text: &str) -> Mocks {
        Mocks::new(engine::records::parse(text).unwrap()).unwrap()
    }

    #[track_caller]
    fn check(name: &str, expect: Option<Option<&str>>) {
        let mocks = mocks(&format!(r#"{{"reference": {{"{name}": {{}}}}}}"#));
        let found = unused(&mocks, "mocks.json", &[TEMPLATE]);
        let help = found.first().map(|it| it.help.first().map(|help| &**help));
        assert_eq!(help, expect, "{name}");
    }

    #[test]
    fn what_no_template_mentions_is_unused() {
        check("store", None);
        check("old", None);
        check("microsoft.storage/storageaccounts", None);
        check("/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/x", None);
        check("stor", Some(None));
        check(
            "Microsoft.Storage/storageAcounts",
            Some(Some("did you mean `Microsoft.Storage/storageAccounts`?")),
        );
        check("Microsoft.Storage", Some(None));
        check("/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/x", Some(None));
    }

    #[test]
    fn what_no_template_calls_is_unused() {
        let count = |text: &str| unused(&mocks(text), "mocks.json", &[TEMPLATE]).len();
        assert_eq!(count(r#"{"deployer": {}}"#), 1);
        assert_eq!(count(r#"{"Tenant": {}, "provider": []}"#), 0);
        assert_eq!(count(r#"{"secrets": {"vault": {"pw": "x", "old": "y"}}}"#), 1);
        let calls = r#"{"resources": [], "x": "[mydeployer()]", "y": "[concat(DEPLOYER().objectId)]"}"#;
        assert!(unused(&mocks(r#"{"deployer": {}}"#), "mocks.json", &[calls]).is_empty());
        let calls = r#"{"resources": [], "x": "[mydeployer()]"}"#;
        assert_eq!(unused(&mocks(r#"{"deployer": {}}"#), "mocks.json", &[calls]).len(), 1);
    }

    #[test]
    fn symbols_have_no_slash() {
        assert!(name_symbols(&mocks(r#"{"listKeys": {"store": {}}}"#)));
        assert!(!name_symbols(&mocks(r#"{"listKeys": {"A.B/c": {}}, "secrets": {"vault": {}}}"#)));
    }

    #[test]
    fn a_server_has_its_own_resources() {
        assert_eq!(of_resources(&mocks(r#"{"secrets": {}, "reference": {}}"#)), Some("reference"));
        assert_eq!(of_resources(&mocks(r#"{"secrets": {}}"#)), None);
    }
}
