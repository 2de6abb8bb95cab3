//! The form of a deployment inside another one: what is no envelope, no link and no setting is refused, literal or not.

use std::sync::Arc;

use arm::Value;
use arm::deployment::{Deployment, DeploymentContext};
use arm::template::{Template, TemplateError, TemplateLimits};

use crate::simulate;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// Deploys a template with a deployment in it that has more members, and more properties.
fn deployed(members: &str, properties: &str) -> Result<(), Vec<TemplateError>> {
    let template = format!(
        r#"{{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0",
        "parameters": {{"five": {{"type": "int", "defaultValue": 5}}, "text": {{"type": "string", "defaultValue": "x"}}}},
        "resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "nested"{members},
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}{properties},
                "template": {{"$schema": "{SCHEMA}", "contentVersion": "1.0.0.0", "resources": []}}}}}}]}}"#
    );
    let template = Arc::new(Template::read(&*template, &TemplateLimits::default())?);
    let context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    let deployment = Arc::new(Deployment::with_values(template, std::iter::empty::<(_, Value)>(), context)?);
    simulate::deploy(deployment, &mut simulate::World::default()).map(drop)
}

/// What refuses a value, with all behind it.
fn all_of(errors: &[TemplateError]) -> String {
    let texts =
        errors.iter().map(|error| format!("{} {:?} {}", error.message, error.target, all_of(&error.details)));
    texts.collect::<Vec<_>>().join("; ")
}

#[test]
fn members_of_the_envelope_are_of_their_kind() {
    for (name, good, bad) in [
        ("location", r#""eastus""#, r#"5"#),
        ("location", r#""[parameters('text')]""#, r#""[parameters('five')]""#),
        ("tags", r#"{"a": "x", "b": 5}"#, r#"{"a": ["x"]}"#),
        (
            "tags",
            r#"{"a": "[parameters('text')]", "b": "[parameters('five')]"}"#,
            r#"{"a": "[createArray(parameters('five'))]"}"#,
        ),
        ("tags", "null", r#"["a"]"#),
        ("identity", r#"{"type": "None"}"#, r#""None""#),
    ] {
        let with = |value: &str| deployed(&format!(r#", "{name}": {value}"#), "");
        with(good).unwrap();
        let errors = with(bad).unwrap_err();
        assert!(all_of(&errors).contains(name), "{name}: {bad}: {}", all_of(&errors));
    }
}

#[test]
fn links_and_settings_mean_something() {
    for (name, bad) in [
        ("templateLink", r#"{"relativePath": "x.json"}"#),
        ("templateLink", r#""x.json""#),
        ("parametersLink", r#"{"uri": 5}"#),
        ("parametersLink", r#"{"uri": "a", "relativePath": "b"}"#),
        ("parametersLink", r#"{"url": "a"}"#),
        ("debugSetting", "5"),
        ("debugSetting", r#"{"detailLevel": "all"}"#),
        ("debugSetting", r#"{"detailLevel": "[string(parameters('five'))]"}"#),
        ("validationLevel", r#""Perhaps""#),
        ("validationLevel", "5"),
    ] {
        let errors = deployed("", &format!(r#", "{name}": {bad}"#)).unwrap_err();
        assert!(all_of(&errors).contains(name), "{name}: {bad}: {}", all_of(&errors));
    }
    for good in [
        r#", "debugSetting": {"detailLevel": "requestContent, responseContent"}, "validationLevel": "provider""#,
        r#", "debugSetting": null, "templateLink": null, "parametersLink": null, "validationLevel": null"#,
    ] {
        deployed("", good).unwrap();
    }
}
