//! Reading templates: the model, and what is wrong with them.

use super::*;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// A template with some members.
fn text(members: &str) -> String {
    let resources = if members.contains("resources") { "" } else { ", \"resources\": []" };
    format!("{{\"$schema\": \"{SCHEMA}\", \"contentVersion\": \"1.0.0.0\", {members}{resources}}}")
}

#[track_caller]
fn read(members: &str) -> Template {
    Template::read(text(members), &TemplateLimits::DEFAULT).unwrap()
}

#[test]
fn resources_inside_others_have_whole_types_and_names() {
    let template = read(
        r#""resources": [{
            "type": "Microsoft.Sql/servers", "apiVersion": "2021-11-01", "name": "[concat('s', 1)]",
            "resources": [
                {"type": "databases", "apiVersion": "2021-11-01", "name": "db", "dependsOn": ["x"],
                 "resources": [{"type": "backups", "apiVersion": "2021-11-01", "name": "b"}]}
            ]}]"#,
    );
    let shown = |json: &TemplateNode| match &json.kind {
        JsonKind::Value(value) => value.to_json(),
        JsonKind::Expression(expression) => expression.to_string(),
        other => format!("{other:?}"),
    };
    let [server, database, backup] = template.resources.as_slice() else { panic!() };
    assert_eq!(shown(&server.kind), "\"Microsoft.Sql/servers\"");
    assert_eq!(shown(&database.kind), "\"Microsoft.Sql/servers/databases\"");
    assert_eq!(shown(database.name.as_ref().unwrap()), "format('{0}/{1}', concat('s', 1), 'db')");
    assert_eq!(shown(&backup.kind), "\"Microsoft.Sql/servers/databases/backups\"");
    assert_eq!((database.parent, backup.parent), (Some(0), Some(1)));
}

#[test]
fn nested_templates_are_read_when_they_are_asked_for() {
    let inner = text(r#""parameters": {"p": {"type": "strin"}}"#);
    let template = read(&format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "Inner"}},
            "template": {inner}}}}}]"#
    ));
    let nested = template.resources[0].nested.as_ref().unwrap();
    assert!(nested.inner_scope);
    let errors = template.nested(nested).unwrap().unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].message.contains("'strin' is not a type"), "{}", errors[0]);
    let at = errors[0].at.as_ref().unwrap();
    assert_eq!((at.line, at.path.as_str()), (3, "parameters.p.type"));
}

#[test]
fn literals_without_expressions_are_values_as_a_whole() {
    let template = read(r#""variables": {"a": {"b": [1, "[[x]"]}, "c": {"b": ["[add(1, 2)]"]}}"#);
    let value = |name| match &template.variables.get(name).unwrap().value {
        VariableValue::Json(json) => json.clone(),
        VariableValue::Loop(_) => panic!(),
    };
    assert_eq!(value("A").as_value().unwrap().to_json(), r#"{"b":[1,"[x]"]}"#);
    assert_eq!(value("c").as_value(), None);
    assert_eq!(value("c").to_expression().unwrap().to_string(), "createObject('b', createArray(add(1, 2)))");
}

#[test]
fn everything_that_is_wrong_is_counted_and_most_of_it_shown() {
    let many: Vec<String> = (0..1_000).map(|n| format!("\"v{n}\": \"[nothing()]\"")).collect();
    let errors =
        Template::read(text(&format!("\"variables\": {{{}}}", many.join(","))), &TemplateLimits::DEFAULT)
            .unwrap_err();
    assert_eq!(errors.len(), 101);
    assert_eq!(errors[100].message, "there are 900 more errors");
}

#[test]
fn templates_in_templates_have_a_limit() {
    let mut inner = text("\"variables\": {}");
    for _ in 0..40 {
        inner = text(&format!(
            r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
                "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "template": {inner}}}}}]"#
        ));
    }
    let mut template = Template::read(inner, &TemplateLimits::DEFAULT).unwrap();
    for level in 1.. {
        match template.nested(template.resources[0].nested.as_ref().unwrap()).unwrap() {
            Ok(next) => template = next,
            Err(errors) => {
                assert!(errors[0].message.contains("32 levels"), "{}", errors[0]);
                assert_eq!(level, 33);
                break;
            }
        }
    }
}

#[test]
fn the_template_of_a_nested_deployment_is_read_once() {
    let inner = text(r#""resources": []"#);
    let outer = text(&format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2025-04-01", "name": "inner",
            "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "template": {inner}}}}}]"#
    ));
    let template = Template::read(outer, &TemplateLimits::DEFAULT).unwrap();
    let nested = template.resources[0].nested.as_ref().unwrap();
    let (first, second) = (template.nested_at(0, nested).unwrap(), template.nested_at(0, nested).unwrap());
    assert!(std::ptr::eq(&**first, &**second));
}
