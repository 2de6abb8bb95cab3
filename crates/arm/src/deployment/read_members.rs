//! What a template reads of resources: all that is known of them where nobody runs the services, and of the outputs of scripts where
//! nobody runs the scripts.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::nested;
use super::run::body_member;
use crate::expression::{Expression, FunctionCall};
use crate::template::{JsonKind, OutputValue, Resource, Template, TypeWord};
use crate::value::Caseless as _;

/// How deep the ways into resources are that are looked at, and how many members there are at most.
const DEEPEST: usize = 8;
const MOST: usize = 256;
/// The longest list of which an item is read.
const LONGEST: i64 = 64;

/// A member that a template reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadMember {
    /// Its name; none for the items of a list.
    pub name: Option<SmolStr>,
    /// What the template says that it is; none if it says nothing.
    pub word: Option<TypeWord>,
    /// The parts of it that are read.
    pub parts: Vec<ReadMember>,
    /// How many items it has at least, if items of it are read.
    pub items: usize,
}

impl ReadMember {
    /// The outputs of scripts that a template reads, the same for all of its scripts: which of them an expression means is known only when
    /// it is evaluated.
    pub fn of_scripts(template: &Template) -> Vec<ReadMember> {
        members(template, &script_way)
    }

    /// The members of resources that a template reads, the same for all resources: those of the whole resource, so most are in `properties`.
    pub fn of_resources(template: &Template) -> Vec<ReadMember> {
        members(template, &resource_way)
    }
}

/// A step into a value; none if which one it is is not known before the template is evaluated.
#[derive(Clone, Debug, PartialEq)]
enum PathStep {
    Member(SmolStr),
    Item(i64),
    Unknown,
}

impl PathStep {
    fn of(step: &Expression) -> PathStep {
        match step {
            Expression::Text(name) => PathStep::Member(name.clone()),
            Expression::Int(item) => PathStep::Item(*item),
            _ => PathStep::Unknown,
        }
    }

    fn is(&self, name: &str) -> bool {
        matches!(self, PathStep::Member(own) if own.eq_ignore_ascii_case(name))
    }
}

/// The way into what is looked at, if that is what an expression gives.
type WayFinder<'w> = dyn Fn(&Expression) -> Option<Vec<PathStep>> + 'w;

fn members(template: &Template, way: &WayFinder<'_>) -> Vec<ReadMember> {
    let mut tree = MemberTree::default();
    look(template, way, &mut tree);
    tree.members
}

/// Looks at all expressions of a template, and at those of the templates inside that are given what is looked at. Templates stand as deep
/// inside each other as their limits allow.
fn look(template: &Template, way: &WayFinder<'_>, tree: &mut MemberTree) {
    for output in &template.outputs {
        if let OutputValue::Json(json) = &output.value
            && let JsonKind::Expression(expression) = &json.kind
            && let Some(way) = way(expression)
        {
            tree.add(&way, output.ty.word);
        }
    }
    nested::for_each_expression(template, &mut |expression| {
        expression.for_each(&mut |part| {
            if matches!(part, Expression::Access(_))
                && let Some(way) = way(part)
            {
                tree.add(&way, None);
            }
        });
    });
    for (at, resource) in template.resources.iter().enumerate() {
        let given = given_ways(resource, way);
        let Some(nested) = resource.nested.as_ref().filter(|_| !given.is_empty()) else { continue };
        let Ok(inner) = template.nested_at(at, nested) else { continue };
        for (name, way) in &given {
            let declared = inner.parameters.iter().find(|declared| declared.name.caseless() == *name);
            tree.add(way, declared.and_then(|declared| declared.ty.word));
        }
        let way_inside = |expression: &Expression| {
            let (call, path) = walk_of(expression)?;
            let name = call.arguments.first().filter(|_| call.is_call_to("parameters"));
            let Some(Expression::Text(name)) = name else { return None };
            let given = given.get(&name.caseless())?;
            Some(given.iter().cloned().chain(path.iter().map(PathStep::of)).collect())
        };
        look(&inner, &way_inside, tree);
    }
}

/// The parameters of a nested deployment with a template of its own that are given what is looked at, by name in lower case.
fn given_ways(resource: &Resource, way: &WayFinder<'_>) -> BTreeMap<String, Vec<PathStep>> {
    let nested = resource.nested.as_ref().filter(|nested| nested.inner_scope && nested.template.is_some());
    let properties = nested.and_then(|_| body_member(resource, "properties"));
    let parameters = properties.and_then(|properties| properties.member("parameters"));
    let ways =
        parameters.into_iter().flat_map(|parameters| parameters.members()).filter_map(|(name, given)| {
            let JsonKind::Expression(expression) = &given?.member("value")?.kind else { return None };
            Some((name.caseless(), way(expression)?))
        });
    ways.collect()
}

/// The call that an expression starts from, and the steps that it takes into its result.
fn walk_of(expression: &Expression) -> Option<(&FunctionCall, &[Expression])> {
    match expression {
        Expression::Call(call) => Some((call, &[])),
        Expression::Access(access) => Some((access.base().as_call()?, access.path())),
        _ => None,
    }
}

/// The way into a resource; none if it is a deployment.
fn resource_way(expression: &Expression) -> Option<Vec<PathStep>> {
    let (call, path) = walk_of(expression).filter(|(call, _)| call.is_call_to("reference"))?;
    let of_deployments = call.arguments.first().is_some_and(|argument| {
        let mut found = false;
        argument.for_each(&mut |part| {
            found |= matches!(part, Expression::Text(text) if text.eq_ignore_ascii_case(DEPLOYMENTS));
        });
        found
    });
    if of_deployments {
        return None;
    }
    let is_full = match call.arguments.get(2) {
        None => false,
        Some(Expression::Text(word)) => word.eq_ignore_ascii_case("full"),
        Some(_) => return None,
    };
    let start = (!is_full).then(|| PathStep::Member(SmolStr::new_static("properties")));
    Some(start.into_iter().chain(path.iter().map(PathStep::of)).collect())
}

/// The way into the outputs of a script. Outputs of deployments have their values inside.
fn script_way(expression: &Expression) -> Option<Vec<PathStep>> {
    let mut way = resource_way(expression)?;
    let is_output =
        matches!(way.get(..3)?, [first, second, _] if first.is("properties") && second.is("outputs"));
    let of_deployment = way.get(3).is_some_and(|step| step.is("value"));
    (is_output && !of_deployment).then(|| way.split_off(2))
}

const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

#[derive(Default)]
struct MemberTree {
    members: Vec<ReadMember>,
    count: usize,
}

impl MemberTree {
    fn add(&mut self, way: &[PathStep], word: Option<TypeWord>) {
        let mut into = &mut self.members;
        for (at, step) in way.iter().enumerate().take(DEEPEST) {
            let last = at + 1 == way.len();
            let items = match way.get(at + 1) {
                Some(PathStep::Item(item @ 0..LONGEST)) => usize::try_from(*item).map_or(0, |item| item + 1),
                _ => 0,
            };
            let name = match step {
                PathStep::Member(name) => Some(name.clone()),
                PathStep::Item(_) => None,
                // Which part is meant is not known before.
                PathStep::Unknown => return,
            };
            let is_it = |known: &ReadMember| match (&known.name, &name) {
                (Some(known), Some(name)) => known.eq_ignore_ascii_case(name),
                (known, name) => known.is_none() && name.is_none(),
            };
            let found = into.iter().position(is_it);
            let position = match found {
                Some(position) => position,
                None if self.count < MOST => {
                    self.count += 1;
                    into.push(ReadMember { name, word: None, parts: Vec::new(), items: 0 });
                    into.len() - 1
                }
                None => return,
            };
            let Some(member) = into.get_mut(position) else { return };
            member.items = member.items.max(items);
            if last {
                member.word = member.word.or(word);
            }
            into = &mut member.parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::TemplateLimits;

    fn texts(outputs: &[ReadMember], before: &str, all: &mut Vec<String>) {
        for output in outputs {
            let own = format!("{before}{}", output.name.as_deref().unwrap_or("*"));
            let word = output.word.map(|word| format!(": {}", word.name())).unwrap_or_default();
            let items = if output.items > 0 { format!(" [{}]", output.items) } else { String::new() };
            all.push(format!("{own}{word}{items}"));
            texts(&output.parts, &format!("{own}."), all);
        }
    }

    #[track_caller]
    fn check(ty: &str, expression: &str, expect: &[&str]) {
        check_members(ReadMember::of_scripts, ty, expression, expect);
    }

    #[track_caller]
    fn check_members(find: fn(&Template) -> Vec<ReadMember>, ty: &str, expression: &str, expect: &[&str]) {
        let template = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0", "resources": [], "variables": {{"v": "s"}},
                "outputs": {{"o": {{"type": "{ty}", "value": "[{expression}]"}}}}}}"#
        );
        let template = Template::read(template, &TemplateLimits::DEFAULT).unwrap();
        let mut all = Vec::new();
        texts(&find(&template), "", &mut all);
        assert_eq!(all, expect, "{expression}");
    }

    #[test]
    fn what_is_read_of_outputs_is_found_where_it_is_read() {
        check("string", "reference('s').outputs.text", &["text: String"]);
        check("bool", "reference(variables('v'), '2020-10-01').Outputs['flag']", &["flag: Bool"]);
        check("string", "reference('s', '2020-10-01', 'Full').properties.outputs.a.b", &["a", "a.b: String"]);
        check(
            "string",
            "concat(reference('s').outputs.a.b, reference('s').outputs.A.c)",
            &["a", "a.b", "a.c"],
        );
        check(
            "string",
            "reference('s').outputs.list[2].name",
            &["list [3]", "list.*", "list.*.name: String"],
        );
        check("object", "reference('s').outputs", &[]);
    }

    #[test]
    fn what_is_read_of_resources_is_found_where_it_is_read() {
        let check = |expression: &str, expect: &[&str]| {
            check_members(ReadMember::of_resources, "string", expression, expect);
        };
        check("reference(variables('v')).a.b", &["properties", "properties.a", "properties.a.b: String"]);
        check(
            "reference('x', '2020-01-01', 'FULL').identity.principalId",
            &["identity", "identity.principalId: String"],
        );
        check("reference('x', '2020-01-01', variables('v')).a", &[]);
        check("reference(resourceId('microsoft.resources/Deployments', 'd')).outputs.a.value", &[]);
    }

    #[test]
    fn what_a_template_inside_reads_of_what_it_is_given_is_found() {
        let inner = r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
            "parameters": {"keys": {"type": "secureObject"}, "list": {"type": "array"}, "other": {"type": "string"}},
            "resources": [{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "c", "properties": {"key": "[parameters('KEYS').private]", "x": "[parameters('other')]"}}],
            "outputs": {"o": {"type": "int", "value": "[parameters('keys').size]"}}}"#;
        let text = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#", "contentVersion": "1.0.0.0",
            "resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2020-10-01", "name": "d", "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
                "parameters": {{
                    "keys": {{"value": "[reference('s').outputs.info]"}}, "list": {{"value": "[reference('s').outputs.list]"}},
                    "other": {{"value": "[reference('s').status]"}}}},
                "template": {inner}}}}}]}}"#
        );
        let mut all = Vec::new();
        let template = Template::read(text, &TemplateLimits::DEFAULT).unwrap();
        texts(&ReadMember::of_scripts(&template), "", &mut all);
        assert_eq!(all, ["info: Object", "info.size: Int", "info.private", "list: Array"]);
    }

    #[test]
    fn outputs_of_deployments_are_none_of_scripts() {
        check("string", "reference('d').outputs.text.value", &[]);
        check("object", "reference(resourceId('Microsoft.Resources/deployments', 'd')).outputs.text", &[]);
        check("string", "reference('s').keys.text", &[]);
        check("string", "list('s').outputs.text", &[]);
    }

    #[test]
    fn what_is_not_known_or_too_much_is_left_out() {
        check("string", "reference('s').outputs[variables('v')]", &[]);
        check("string", "reference('s').outputs.list[99999999999]", &["list", "list.*: String"]);
        let deep = format!("reference('s').outputs{}", ".a".repeat(100));
        let ways: Vec<String> = (1..=DEEPEST).map(|depth| vec!["a"; depth].join(".")).collect();
        check("string", &deep, &ways.iter().map(String::as_str).collect::<Vec<_>>());
        let many: Vec<String> = (0..1000).map(|at| format!("reference('s').outputs.o{at}")).collect();
        let mut tree = MemberTree::default();
        for text in &many {
            tree.add(&script_way(&crate::expression::parse(text).unwrap()).unwrap(), None);
        }
        assert_eq!(tree.members.len(), MOST);
    }
}
