//! Every boundary that takes entries reads them alike: what one refuses all refuse, and what one takes all take.

use std::sync::Arc;

use arm::Value;
use arm::binding::Inputs;
use arm::deployment::{Deployment, DeploymentContext, Links, Mocks};
use arm::template::{Template, TemplateError, TemplateLimits};
use document::{Document, FileId};

use crate::simulate;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
const VAULT: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.KeyVault/vaults/v";

/// A boundary: from the text of `parameters`, and of the other members beside it, to the output `q`.
type Boundary = fn(&str, &str) -> Result<String, Vec<TemplateError>>;

const BOUNDARIES: [(&str, Boundary); 5] = [
    ("a parameters file", in_file),
    ("a request", in_request),
    ("a nested deployment", nested),
    ("a linked template", linked),
    ("a linked parameters file", linked_file),
];

fn inner() -> String {
    format!(
        r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.2-experimental", "contentVersion": "1.0.0.0",
        "parameters": {{
            "q": {{"type": "string", "defaultValue": "default", "maxLength": 10}},
            "s": {{"type": "secureString", "defaultValue": "default", "maxLength": 10}}
        }},
        "extensions": {{
            "k8s": {{"name": "Kubernetes", "version": "1.0.0", "config": {{"namespace": {{"defaultValue": "default"}}}}}},
            "things": {{"name": "Things", "version": "1.0.0", "config": {{
                "size": {{"type": "int", "minValue": 1, "defaultValue": 1}},
                "key": {{"type": "secureString", "defaultValue": "", "minLength": 8}}
            }}}},
            "open": {{"name": "Open", "version": "1.0.0"}}
        }},
        "resources": {{}},
        "outputs": {{"q": {{"type": "string", "value": "[concat(parameters('q'), '/', length(parameters('s')))]"}}}}}}"#
    )
}

fn mocks() -> Arc<Mocks> {
    let secrets = Value::object([(
        "v",
        Value::object([("admin", "hunter2".into()), ("long", "hunter2-and-more".into())]),
    )]);
    Arc::new(Mocks::new(Value::object([("secrets", secrets)])).unwrap())
}

fn deployed(template: &str, inputs: &Inputs, links: Links) -> Result<String, Vec<TemplateError>> {
    let template = Arc::new(Template::read(template, &TemplateLimits::default())?);
    let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    context.links = links;
    context.mocks = mocks();
    let vaults = mocks();
    let secrets = move |reference: &arm::binding::SecretReference| {
        Some(Ok(vaults.secret(&reference.vault, &reference.secret)?.clone()))
    };
    let deployment = Arc::new(Deployment::with_inputs(template, inputs, context, &secrets)?);
    let outputs = simulate::deploy(deployment, &mut simulate::World::default())?;
    let state = outputs.first().expect("there is an output").to_state();
    let value = state.as_object().and_then(|state| state.get("value")).expect("it has a value");
    Ok(value.plain().as_str().unwrap_or_default().to_owned())
}

fn in_file(parameters: &str, beside: &str) -> Result<String, Vec<TemplateError>> {
    let file = format!(r#"{{"$schema": "x", "parameters": {parameters}{beside}}}"#);
    let inputs = Inputs::read(file, FileId(1), &TemplateLimits::DEFAULT)?;
    deployed(&inner(), &inputs, Links::default())
}

fn in_request(parameters: &str, beside: &str) -> Result<String, Vec<TemplateError>> {
    let request =
        format!(r#"{{"properties": {{"mode": "Incremental", "parameters": {parameters}{beside}}}}}"#);
    let document = Arc::new(Document::from_json(request, FileId(1), &document::ReadLimits::DEFAULT).unwrap());
    let properties = document.root().member("properties").unwrap().id();
    let inputs = Inputs::from_request(document, properties)?;
    deployed(&inner(), &inputs, Links::default())
}

fn outer(properties: &str, links: Links) -> Result<String, Vec<TemplateError>> {
    let template = format!(
        r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.0", "contentVersion": "1.0.0.0",
        "resources": {{"inner": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {{
            "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, {properties}}}}}}},
        "outputs": {{"q": {{"type": "string", "value": "[reference('inner').outputs.q.value]"}}}}}}"#
    );
    deployed(&template, &Inputs::default(), links)
}

fn nested(parameters: &str, beside: &str) -> Result<String, Vec<TemplateError>> {
    outer(&format!(r#""parameters": {parameters}{beside}, "template": {}"#, inner()), Links::default())
}

fn linked(parameters: &str, beside: &str) -> Result<String, Vec<TemplateError>> {
    let links = Links::new(|_| Some(inner().into()));
    let link = r#""templateLink": {"uri": "https://example.com/inner.json"}"#;
    outer(&format!(r#""parameters": {parameters}{beside}, {link}"#), links)
}

fn linked_file(parameters: &str, beside: &str) -> Result<String, Vec<TemplateError>> {
    let file = format!(r#"{{"contentVersion": "1.0.0.0", "parameters": {parameters}{beside}}}"#);
    let links = Links::new(move |address| {
        Some(if address.plain().ends_with("inner.json") { inner().into() } else { file.as_str().into() })
    });
    let properties = r#""templateLink": {"uri": "https://example.com/inner.json"},
        "parametersLink": {"uri": "https://example.com/values.json"}"#;
    outer(properties, links)
}

/// All that errors say, with those behind them.
fn said(errors: &[TemplateError]) -> String {
    let one = |error: &TemplateError| {
        let target = error.target.as_deref().unwrap_or_default();
        format!("{} [{target}] {}", error.message, said(&error.details))
    };
    errors.iter().map(one).collect()
}

#[track_caller]
fn everywhere_taken(parameters: &str, beside: &str, expected: &str) {
    for (name, boundary) in BOUNDARIES {
        match boundary(parameters, beside) {
            Ok(found) => assert_eq!(found, expected, "{name}: {parameters}{beside}"),
            Err(errors) => panic!("{name} refuses {parameters}{beside}: {}", said(&errors)),
        }
    }
}

#[track_caller]
fn everywhere_refused(parameters: &str, beside: &str, path: &str) {
    for (name, boundary) in BOUNDARIES {
        match boundary(parameters, beside) {
            Ok(found) => panic!("{name} takes {parameters}{beside} as {found}"),
            Err(errors) => {
                let said = said(&errors);
                assert!(said.contains(path), "{name}: {parameters}{beside}: {said}");
                assert!(!said.contains("hunter2"), "{name} tells a secret: {said}");
                assert!(said.len() < 20_000, "{name} says too much");
            }
        }
    }
}

#[test]
fn what_an_entry_may_be() {
    for (entry, expected) in [
        (r#"{"q": {"value": "mine"}}"#, "mine/7"),
        (r#"{"Q": {"VALUE": "mine"}}"#, "mine/7"),
        (r#"{"q": {"value": "mine", "metadata": {"why": 1}}}"#, "mine/7"),
        (r#"{"q": {"type": "String", "value": "mine"}}"#, "mine/7"),
        (r#"{"q": {"value": null}}"#, "default/7"),
        (r#"{}"#, "default/7"),
        (r#"{"q": {"value": "[[text]"}}"#, ""),
    ] {
        // Text that looks like an expression is one in a template.
        if !expected.is_empty() {
            everywhere_taken(entry, "", expected);
        }
    }
    for reference in ["", r#", "secretVersion": "1""#, r#", "secretVersion": null"#] {
        let entry = format!(
            r#"{{"s": {{"reference": {{"keyVault": {{"id": "{VAULT}"}}, "secretName": "admin"{reference}}}}}}}"#
        );
        everywhere_taken(&entry, "", "default/7");
    }
    let both = format!(
        r#"{{"q": {{"value": "mine"}}, "s": {{"reference": {{"keyVault": {{"id": "{VAULT}"}}, "secretName": "admin"}}, "metadata": {{}}}}}}"#
    );
    everywhere_taken(&both, "", "mine/7");
}

#[test]
fn an_expression_works_in_every_entry() {
    everywhere_taken(r#"{"q": {"expression": "[toLower('MINE')]"}}"#, "", "mine/7");
    // In a template, what is escaped is evaluated by the deployment inside.
    for (name, boundary) in &BOUNDARIES[2..4] {
        let found = boundary(r#"{"q": {"expression": "[[toLower('MINE')]"}}"#, "");
        assert_eq!(found.unwrap(), "mine/7", "{name}");
    }
    everywhere_refused(r#"{"q": {"expression": "mine"}}"#, "", "q.expression");
    everywhere_refused(r#"{"q": {"expression": 5}}"#, "", "q.expression");
    everywhere_refused(r#"{"q": {"expression": "[toLower('MUCH TOO LONG')]"}}"#, "", "[q]");
}

#[test]
fn what_is_no_entry_is_refused_with_its_path() {
    for (parameters, path) in [
        (r#"{"q": {"vlaue": "mine"}}"#, "q.vlaue"),
        (r#"{"q": {}}"#, "q]"),
        (r#"{"q": "mine"}"#, "q]"),
        (r#"{"q": 7}"#, "q]"),
        (r#"{"q": null}"#, "q]"),
        (r#"{"q": ["mine"]}"#, "q]"),
        (r#"{"q": {"value": "mine", "foo": 1}}"#, "q.foo"),
        (r#"{"q": {"value": "mine", "VALUE": "toolong"}}"#, "q.VALUE"),
        (r#"{"q": {"value": "mine", "metadata": {}, "Metadata": {}}}"#, "q.Metadata"),
        (r#"{"q": {"metadata": {}}}"#, "q]"),
        (r#"{"q": {"value": "mine", "type": "text"}}"#, "q.type"),
        (r#"{"q": {"value": "mine", "type": 7}}"#, "q.type"),
        (
            r#"{"q": {"value": "mine", "reference": {"keyVault": {"id": "x"}, "secretName": "y"}}}"#,
            "q.reference",
        ),
        (r#"{"q": {"value": "mine", "expression": "[toLower('MINE')]"}}"#, "q.expression"),
        (r#"{"q": {"keyVaultReference": {}}}"#, "q.keyVaultReference"),
        (r#"{"q": {"defaultValue": "mine"}}"#, "q.defaultValue"),
        (r#"{"s": {"reference": {}}}"#, "s.reference"),
        (r#"{"s": {"reference": {"keyVault": {"id": "x"}, "secretName": 5}}}"#, "s.reference"),
        (r#"{"s": {"reference": {"keyVault": {"id": "x"}, "secretName": "y", "foo": 1}}}"#, "s.reference"),
        (r#"{"s": {"reference": ""}}"#, "s.reference"),
        (r#"{"s": {"reference": 7}}"#, "s.reference"),
        (r#"{"s": {"value": "hunter2", "foo": "hunter2"}}"#, "s.foo"),
    ] {
        everywhere_refused(parameters, "", path);
    }
    everywhere_refused(r#"{"Q": {"value": "a"}, "q": {"value": "b"}}"#, "", "given twice");
    everywhere_refused(r#"["q"]"#, "", "`parameters`");
}

#[test]
fn a_secret_of_a_key_vault_is_held_against_its_parameter() {
    let of = |parameter: &str, secret: &str| {
        format!(
            r#"{{"{parameter}": {{"reference": {{"keyVault": {{"id": "{VAULT}"}}, "secretName": "{secret}"}}}}}}"#
        )
    };
    everywhere_refused(&of("s", "long"), "", "[s]");
    everywhere_refused(&of("q", "admin"), "", "only a secure parameter");
}

#[test]
fn a_long_name_is_not_repeated() {
    let long = "n".repeat(1 << 20);
    everywhere_refused(&format!(r#"{{"q": {{"value": "a", "{long}": 1}}}}"#), "", "1048576 bytes");
    everywhere_refused(
        "{}",
        &format!(r#", "extensionConfigs": {{"k8s": {{"{long}": {{"value": "a"}}}}}}"#),
        "1048576 bytes",
    );
}

#[test]
fn a_setting_is_held_against_the_type_of_the_extension() {
    for config in [
        r#"{"k8s": {"namespace": {"value": "shop"}}}"#,
        r#"{"K8S": {"Namespace": {"value": "shop"}, "kubeConfig": {"value": "hunter2"}, "context": {"value": null}}}"#,
        r#"{"things": {"size": {"value": 3}, "key": {"value": "hunter2-and-more"}}}"#,
        r#"{"things": {"size": {"expression": "[int('3')]"}}}"#,
        r#"{"open": {"whatever": {"value": [1]}}}"#,
    ] {
        everywhere_taken("{}", &format!(r#", "extensionConfigs": {config}"#), "default/7");
    }
    let vault =
        format!(r#"{{"keyVaultReference": {{"keyVault": {{"id": "{VAULT}"}}, "secretName": "long"}}}}"#);
    everywhere_taken(
        "{}",
        &format!(r#", "extensionConfigs": {{"things": {{"key": {vault}}}}}"#),
        "default/7",
    );
    for (config, path) in [
        (r#"{"k8s": {"namespace": {"value": 5}}}"#, "extensionConfigs.k8s.namespace"),
        (r#"{"k8s": {"namespace": {"value": null}}}"#, "extensionConfigs.k8s.namespace"),
        (r#"{"k8s": {"namespace": null}}"#, "extensionConfigs.k8s.namespace"),
        (r#"{"k8s": {"namespace": "shop"}}"#, "extensionConfigs.k8s.namespace"),
        (r#"{"k8s": {"namespace": {"value": "shop", "foo": 1}}}"#, "extensionConfigs.k8s.namespace.foo"),
        (
            r#"{"k8s": {"namespace": {"value": "shop", "Value": "x"}}}"#,
            "extensionConfigs.k8s.namespace.Value",
        ),
        (r#"{"k8s": {"namespace": {"reference": {}}}}"#, "extensionConfigs.k8s.namespace.reference"),
        (
            r#"{"k8s": {"NAMESPACE": {"value": "a"}, "namespace": {"value": "b"}}}"#,
            "extensionConfigs.k8s.namespace",
        ),
        (r#"{"k8s": {"namespcae": {"value": "shop"}}}"#, "did you mean 'namespace'"),
        (r#"{"k8s": {"kubeConfig": {"value": ["hunter2"]}}}"#, "extensionConfigs.k8s.kubeConfig"),
        (r#"{"k8s": null}"#, "extensionConfigs.k8s"),
        (r#"{"k8s": []}"#, "extensionConfigs.k8s"),
        (r#"{"k8s": {}, "K8S": {}}"#, "extensionConfigs.K8S"),
        (r#"{"k9s": {"namespace": {"value": "shop"}}}"#, "extensionConfigs.k9s.namespace"),
        (r#"{"things": {"size": {"value": 0}}}"#, "extensionConfigs.things.size"),
        (r#"{"things": {"size": {"value": 1.5}}}"#, "extensionConfigs.things.size"),
        (r#"{"things": {"key": {"value": "hunter2"}}}"#, "extensionConfigs.things.key"),
        (r#"{"things": {"size": {"expression": "[string(3)]"}}}"#, "extensionConfigs.things.size"),
        (r#"{"things": {"weight": {"value": 1}}}"#, "extensionConfigs.things.weight"),
        (r#"[]"#, "`extensionConfigs`"),
    ] {
        everywhere_refused("{}", &format!(r#", "extensionConfigs": {config}"#), path);
    }
    let vault = vault.replace("long", "admin");
    everywhere_refused(
        "{}",
        &format!(r#", "extensionConfigs": {{"things": {{"key": {vault}}}}}"#),
        "extensionConfigs.things.key",
    );
}

#[test]
fn a_section_that_is_almost_right_is_refused() {
    for (section, said) in [
        (r#", "Parameters": {"q": {"value": "mine"}}"#, "twice"),
        (r#", "paramters": {"q": {"value": "mine"}}"#, "did you mean"),
        (r#", "extensionConfig": {}"#, "did you mean"),
        (r#", "externalInputValue": {}"#, "`externalInputValue` is unknown"),
    ] {
        for (name, boundary) in BOUNDARIES {
            // The names of a request are looked at before.
            if name == "a request" {
                continue;
            }
            let errors = boundary("{}", section).expect_err(name);
            let all = self::said(&errors);
            assert!(all.contains(said) || all.contains("a deployment has no member"), "{name}: {all}");
        }
    }
    assert_eq!(in_file("{}", r#", "metadata": {}, "_comment": "ours""#).unwrap(), "default/7");
}

#[test]
fn a_setting_of_the_deployment_around_is_passed_on() {
    let of = |entry: &str| {
        let template = format!(
            r#"{{"$schema": "{SCHEMA}", "languageVersion": "2.2-experimental", "contentVersion": "1.0.0.0",
            "extensions": {{"outer": {{"name": "Things", "version": "1.0.0", "config": {{"size": {{"type": "int"}}}}}}}},
            "resources": {{"inner": {{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner", "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {},
                "extensionConfigs": {{"things": {{"size": "{entry}"}}}}}}}}}},
            "outputs": {{"q": {{"type": "string", "value": "[reference('inner').outputs.q.value]"}}}}}}"#,
            inner().replace(
                "concat(parameters('q'), '/', length(parameters('s')))",
                "string(extensions('things').config.size)"
            )
        );
        let file = r#"{"parameters": {}, "extensionConfigs": {"outer": {"size": {"value": 4}}}}"#;
        let inputs = Inputs::read(file, FileId(1), &TemplateLimits::DEFAULT).unwrap();
        deployed(&template, &inputs, Links::default())
    };
    assert_eq!(of("[extensions('outer').config.size]").unwrap(), "4");
    assert_eq!(of("[if(true(), extensions('outer').config.size, createObject('value', 1))]").unwrap(), "4");
    assert_eq!(of("[if(false(), extensions('outer').config.size, createObject('value', 1))]").unwrap(), "1");
    let wrong = of("[sub(extensions('outer').config.size, 9)]").unwrap_err();
    assert!(said(&wrong).contains("extensionConfigs.things.size"), "{}", said(&wrong));
}

#[test]
fn what_an_extension_needs_is_asked_for() {
    let template = inner().replace(r#""type": "int", "minValue": 1, "defaultValue": 1"#, r#""type": "int""#);
    let missing = deployed(&template, &Inputs::default(), Links::default()).unwrap_err();
    assert!(said(&missing).contains("extensionConfigs.things.size"), "{}", said(&missing));
}
