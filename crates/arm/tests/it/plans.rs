//! What holds for the plan and the prediction of any template.

use std::fmt::Write;
use std::sync::Arc;

use arm::budget::Budget;
use arm::deployment::{DependencyKind, Deployment, DeploymentContext, Frontier, Plan, Unresolved, snapshot};
use arm::template::{Template, TemplateLimits};
use proptest::prelude::*;

const SCHEMA: &str = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";

/// A template of resources in loops; each pair makes the later resource depend on the earlier one.
fn template(counts: &[usize], edges: &[(usize, usize)], serial: bool) -> String {
    let mut resources = String::new();
    for (at, count) in counts.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let before: Vec<String> = edges
            .iter()
            .map(|(a, b)| (a % counts.len(), b % counts.len()))
            .filter(|(a, b)| a < b && *b == at)
            .map(|(a, _)| format!("\"r{a}\""))
            .collect();
        let mode = if serial { r#","mode":"serial","batchSize":2"# } else { "" };
        let _ = write!(
            resources,
            r#"{comma}"r{at}":{{"type":"Contoso.Shop/stores","apiVersion":"2024-01-01","name":"[format('r{at}-{{0}}', copyIndex())]",
            "copy":{{"name":"r{at}","count":{count}{mode}}},"dependsOn":[{}],
            "properties":{{"a":"[mul(copyIndex(), {at})]","b":"[concat('x', 'y')]"}}}}"#,
            before.join(",")
        );
    }
    format!(
        r#"{{"$schema":"{SCHEMA}","languageVersion":"2.0","contentVersion":"1.0.0.0","resources":{{{resources}}}}}"#
    )
}

fn deployment(text: String) -> Arc<Deployment> {
    made(text, &TemplateLimits::DEFAULT)
}

fn made(text: String, limits: &TemplateLimits) -> Arc<Deployment> {
    let template = Arc::new(Template::read(text, limits).expect("the template is fine"));
    let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    context.unresolved = Unresolved::Keep;
    Arc::new(Deployment::with_values(template, [], context).expect("there are no parameters"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_step_comes_behind_all_that_it_depends_on(
        counts in prop::collection::vec(0_usize..5, 1..8),
        edges in prop::collection::vec((0_usize..8, 0_usize..8), 0..12),
        serial in any::<bool>(),
    ) {
        let plan = Plan::new(deployment(template(&counts, &edges, serial))).expect("there is no cycle");
        prop_assert_eq!(plan.steps().len(), counts.iter().sum::<usize>());
        let mut done = vec![false; plan.steps().len()];
        for at in plan.order() {
            let step = &plan.steps()[*at];
            let groups = step.depends_on_groups.iter().flat_map(|group| &plan.groups()[*group]);
            for before in step.depends_on.iter().chain(groups) {
                prop_assert!(done[*before], "{} before {}", at, before);
            }
            done[*at] = true;
        }
        prop_assert!(done.iter().all(|done| *done));
        // Who finishes steps in any order in which they get ready gets to all of them, once.
        let (mut frontier, mut ready) = Frontier::new(&plan);
        let mut finished = 0;
        while let Some(step) = ready.pop() {
            finished += 1;
            ready.extend(frontier.finish(step));
            prop_assert!(frontier.finish(step).is_empty());
        }
        prop_assert_eq!(finished, plan.steps().len());
    }

    #[test]
    fn a_prediction_without_anything_unknown_has_no_expressions(
        counts in prop::collection::vec(0_usize..5, 1..6),
    ) {
        let snapshot = snapshot(deployment(template(&counts, &[], false))).expect("the template is fine");
        prop_assert_eq!(snapshot.resources.len(), counts.iter().sum::<usize>());
        prop_assert!(!snapshot.to_json().to_json().contains("\"["));
        prop_assert!(snapshot.diagnostics.is_empty());
    }
}

#[test]
fn loops_that_wait_for_loops_make_no_more_edges_than_resources() {
    let plan = Plan::new(deployment(template(&[2000, 2000], &[(0, 1)], false))).expect("there is no cycle");
    let edges: usize =
        plan.steps().iter().map(|step| step.depends_on.len() + step.depends_on_groups.len()).sum();
    let members: usize = plan.groups().iter().map(Vec::len).sum();
    assert_eq!((edges, members), (2000, 2000));
}

#[test]
fn deployments_that_copy_each_other_end_at_a_limit() {
    let mut text = format!(
        r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[{{"type":"A.B/c","apiVersion":"1","name":"n"}}]}}"#
    );
    for level in 0..8 {
        text = format!(
            r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[{{"type":"Microsoft.Resources/deployments","apiVersion":"1","name":"[concat('d{level}', copyIndex())]","copy":{{"name":"l","count":100}},"properties":{{"mode":"Incremental","expressionEvaluationOptions":{{"scope":"inner"}},"template":{text}}}}}]}}"#
        );
    }
    let limits = TemplateLimits { expanded_resources: 2000, ..TemplateLimits::DEFAULT };
    let errors = snapshot(made(text, &limits)).expect_err("this is too much");
    assert!(errors[0].message.contains("too many resources"), "{errors:?}");
}

#[test]
fn deployments_inside_each_other_are_work() {
    let text = format!(
        r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[{{"type":"Microsoft.Resources/deployments","apiVersion":"1","name":"[concat('d', copyIndex())]","copy":{{"name":"l","count":20}},"properties":{{"mode":"Incremental","expressionEvaluationOptions":{{"scope":"inner"}},"template":{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[]}}}}}}]}}"#
    );
    let all = deployment(text);
    for (steps, is_enough) in [(1_000_000, true), (200_000, false)] {
        let context = DeploymentContext { budget: Budget::of_steps(steps), ..all.context().clone() };
        let result = snapshot(all.within(context));
        assert_eq!(result.is_ok(), is_enough, "{steps}");
        if let Err(errors) = result {
            assert!(errors[0].message.contains("too many deployments"), "{errors:?}");
        }
    }
}

#[test]
fn a_plan_says_why_resources_depend_on_each_other() {
    let resources = r#"
        "account": {"type": "A.B/c", "apiVersion": "1", "name": "a"},
        "child": {"type": "A.B/c/d", "apiVersion": "1", "name": "a/x", "dependsOn": ["account"]},
        "loop": {"type": "A.B/e", "apiVersion": "1", "name": "[format('l{0}', copyIndex())]",
            "copy": {"name": "loop", "count": 2}, "dependsOn": ["child"],
            "properties": {"id": "[resourceId('A.B/c', 'a')]"}},
        "inner": {"type": "Microsoft.Resources/deployments", "apiVersion": "1", "name": "i", "properties": {"mode": "Incremental",
            "parameters": {"p": {"value": "[reference('account').endpoints.blob]"}},
            "template": {"$schema": "SCHEMA", "contentVersion": "1.0.0.0", "resources": []}}},
        "last": {"type": "A.B/f", "apiVersion": "1", "name": "f", "dependsOn": ["loop"], "properties": {
            "a": "[reference('inner').outputs.o.value]", "b": ["[listKeys('account', '1').keys[0].value]"],
            "c": "[tryGet(if(true(), reference('loop[0]', '1', 'full'), null()), 'properties', 'x')]"}}"#;
    let text = format!(
        r#"{{"$schema":"{SCHEMA}","languageVersion":"2.0","contentVersion":"1.0.0.0","resources":{{{resources}}}}}"#
    );
    let plan = Plan::new(deployment(text.replace("SCHEMA", SCHEMA))).unwrap();
    let told: Vec<Vec<(usize, DependencyKind, String, String)>> = plan
        .dependencies()
        .into_iter()
        .map(|all| all.into_iter().map(|it| (it.on, it.kind, it.reads, it.at)).collect())
        .collect();
    let row =
        |on: usize, kind: DependencyKind, reads: &str, at: &str| (on, kind, reads.to_owned(), at.to_owned());
    use DependencyKind::{DependsOn, Id, Parent, Reference};
    assert_eq!(told[0], []);
    assert_eq!(told[1], [row(0, Parent, "", "")]);
    assert_eq!(told[2], [row(0, Id, "", "properties.id"), row(1, DependsOn, "", "")]);
    assert_eq!(told[3], [row(0, Reference, "properties.endpoints.blob", "properties.parameters.p.value")]);
    assert_eq!(
        told[4],
        [
            row(3, Reference, "outputs.o.value", "properties.a"),
            row(0, Reference, "listKeys()", "properties.b[0]"),
            row(2, Reference, "properties.x", "properties.c"),
            row(2, DependsOn, "", ""),
        ]
    );
    assert!(plan.nested(0).unwrap().is_none());
    let inner = plan.nested(plan.symbol("inner")[0]).unwrap().unwrap();
    assert_eq!(inner.context().name.as_deref(), Some("i"));
}

#[test]
fn a_dependency_is_known_although_its_name_is_not() {
    let text = format!(
        r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","parameters":{{"n":{{"type":"string"}}}},"resources":[
        {{"type":"A.B/c","apiVersion":"1","name":"[parameters('n')]"}},
        {{"type":"A.B/d","apiVersion":"1","name":"d","dependsOn":["[resourceId('A.B/c', parameters('n'))]"],
          "properties":{{"of":"[parameters('n')]"}}}}]}}"#
    );
    let template = Arc::new(Template::read(text, &TemplateLimits::DEFAULT).unwrap());
    let mut context = DeploymentContext::local(DeploymentContext::local_scope(template.scope), "main");
    context.unresolved = Unresolved::Keep;
    let deployment =
        Deployment::again(template, vec![arm::binding::StoredParameter::Unknown], context).unwrap();
    let plan = Plan::new(deployment).unwrap();
    let told: Vec<_> = plan.dependencies()[1].iter().map(|it| (it.on, it.kind)).collect();
    assert_eq!(told, [(0, DependencyKind::DependsOn), (0, DependencyKind::Name)]);
}

/// The plan of the resources of a template for a subscription, which has to be fine.
fn plan_at_subscription(resources: &str) -> Plan {
    let schema =
        "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#";
    let text = format!(r#"{{"$schema":"{schema}","contentVersion":"1.0.0.0","resources":[{resources}]}}"#);
    Plan::new(deployment(text)).expect("the plan is fine")
}

#[test]
fn a_resource_group_is_depended_on_by_any_spelling_of_its_id() {
    for group in [
        "rg",
        "[resourceId('Microsoft.Resources/resourceGroups', 'rg')]",
        "[resourceId('Microsoft.Resources/resourceGroups/', 'RG')]",
        "[subscriptionResourceId('Microsoft.Resources/resourceGroups', 'rg')]",
        "Microsoft.Resources/resourceGroups/rg",
    ] {
        let plan = plan_at_subscription(&format!(
            r#"{{"type":"Microsoft.Resources/resourceGroups","apiVersion":"2022-05-01","name":"rg","location":"eastus"}},
            {{"type":"A.B/c","apiVersion":"2022-05-01","name":"c","dependsOn":["{group}"]}}"#
        ));
        assert_eq!(plan.steps()[1].depends_on, [0], "{group}");
    }
}

#[test]
fn a_resource_group_that_is_not_deployed_is_depended_on_by_any_spelling() {
    let plan = plan_at_subscription(
        r#"{"type":"Microsoft.Resources/resourceGroups","apiVersion":"2022-05-01","name":"rg","location":"eastus","condition":"[false()]"},
        {"type":"A.B/c","apiVersion":"2022-05-01","name":"c","dependsOn":["[resourceId('Microsoft.Resources/resourceGroups', 'rg')]"]}"#,
    );
    assert_eq!((plan.steps().len(), plan.steps()[0].depends_on.len()), (1, 0));
}

#[test]
fn a_slash_at_the_end_of_a_type_means_nothing() {
    let plan = plan_at_subscription(
        r#"{"type":"A.B/c/d/","apiVersion":"2022-05-01","name":"x/y"},
        {"type":"A.B/e","apiVersion":"2022-05-01","name":"e","dependsOn":["[resourceId('A.B/c/d', 'x', 'y')]"]}"#,
    );
    assert_eq!(plan.steps()[0].type_name, "A.B/c/d");
    assert_eq!(plan.steps()[1].depends_on, [0]);
}

#[test]
fn a_branch_that_is_not_taken_needs_no_loop() {
    let of = |condition: &str| {
        let template = format!(
            r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[
            {{"type":"A.B/c","apiVersion":"2022-05-01","name":"[if({condition}, 'one', concat('n', copyIndex()))]"}}]}}"#
        );
        Plan::new(deployment(template))
    };
    assert_eq!(of("true()").expect("the other branch is not taken").steps()[0].name, "one");
    let errors = of("false()").expect_err("there is no loop");
    assert!(errors[0].message.contains("`copyIndex` cannot be used here"), "{}", errors[0].message);
}

#[test]
fn a_part_of_a_template_that_is_null_is_not_there() {
    let of = |root: &str, resource: &str| {
        let text = format!(
            r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0",{root}"resources":[
            {{"type":"A.B/c","apiVersion":"2022-05-01","name":"c"{resource}}}]}}"#
        );
        Template::read(text, &TemplateLimits::DEFAULT).map(|template| template.resources.len())
    };
    for root in ["functions", "parameters", "variables", "outputs"] {
        assert_eq!(of(&format!(r#""{root}":null,"#), "").unwrap(), 1, "{root}");
        assert!(of(&format!(r#""{root}":1,"#), "").is_err(), "{root}");
    }
    for member in ["copy", "dependsOn", "scope", "resources"] {
        assert_eq!(of("", &format!(r#","{member}":null"#)).unwrap(), 1, "{member}");
    }
    for member in ["copy", "dependsOn", "resources"] {
        assert!(of("", &format!(r#","{member}":7"#)).is_err(), "{member}");
    }
    for needed in ["resources", "contentVersion"] {
        let text = format!(r#"{{"$schema":"{SCHEMA}","contentVersion":"1.0.0.0","resources":[]}}"#);
        let text = match needed {
            "resources" => text.replace("[]", "null"),
            _ => text.replace(r#""1.0.0.0""#, "null"),
        };
        assert!(Template::read(text, &TemplateLimits::DEFAULT).is_err(), "{needed}");
    }
}
