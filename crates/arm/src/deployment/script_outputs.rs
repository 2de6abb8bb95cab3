//! The outputs of deployment scripts that a template reads: all that is known of them where nobody runs the scripts.

use smol_str::SmolStr;

use super::nested;
use crate::expression::{Access, Expression};
use crate::template::{JsonKind, OutputValue, Template, TypeWord};

/// How deep the ways into outputs are that are looked at, and how many parts there are at most.
const DEEPEST: usize = 8;
const MOST: usize = 256;
/// The longest list of which an item is read.
const LONGEST: i64 = 64;

/// An output of a script, or a part of one, that a template reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptOutput {
    /// Its name; none for the items of a list.
    pub name: Option<SmolStr>,
    /// What the template says that it is; none if it says nothing.
    pub word: Option<TypeWord>,
    /// The parts of it that are read.
    pub parts: Vec<ScriptOutput>,
    /// How many items it has at least, if items of it are read.
    pub items: usize,
}

impl ScriptOutput {
    /// The outputs that a template reads, the same for all of its scripts: which of them an expression means is known only when it is
    /// evaluated.
    pub fn of_template(template: &Template) -> Vec<ScriptOutput> {
        let mut all = OutputTree::default();
        for output in &template.outputs {
            if let OutputValue::Json(json) = &output.value
                && let JsonKind::Expression(Expression::Access(access)) = &json.kind
                && let Some(way) = way(access)
            {
                all.add(way, output.ty.word);
            }
        }
        nested::for_each_expression(template, &mut |expression| {
            expression.for_each(&mut |part| {
                if let Expression::Access(access) = part
                    && let Some(way) = way(access)
                {
                    all.add(way, None);
                }
            });
        });
        all.outputs
    }
}

/// The way into the outputs of a script, if that is what is walked into. Outputs of deployments have their values inside.
fn way(access: &Access) -> Option<&[Expression]> {
    let call = access.base().as_call().filter(|call| call.is_call_to("reference"))?;
    let of_deployments = call.arguments.first().is_some_and(|argument| {
        let mut found = false;
        argument.for_each(&mut |part| {
            found |= matches!(part, Expression::Text(text) if text.eq_ignore_ascii_case(DEPLOYMENTS));
        });
        found
    });
    let is = |step: Option<&Expression>, name: &str| matches!(step, Some(Expression::Text(text)) if text.eq_ignore_ascii_case(name));
    let path = access.path();
    let path = if is(path.first(), "properties") { path.get(1..)? } else { path };
    let way = path.get(1..).filter(|way| is(path.first(), "outputs") && !way.is_empty())?;
    (!of_deployments && !is(way.get(1), "value")).then_some(way)
}

const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

#[derive(Default)]
struct OutputTree {
    outputs: Vec<ScriptOutput>,
    count: usize,
}

impl OutputTree {
    fn add(&mut self, way: &[Expression], word: Option<TypeWord>) {
        let mut into = &mut self.outputs;
        for (at, step) in way.iter().enumerate().take(DEEPEST) {
            let last = at + 1 == way.len();
            let items = match way.get(at + 1) {
                Some(Expression::Int(item @ 0..LONGEST)) => usize::try_from(*item).map_or(0, |item| item + 1),
                _ => 0,
            };
            let name = match step {
                Expression::Text(name) => Some(name.clone()),
                Expression::Int(_) => None,
                // Which part is meant is not known before.
                _ => return,
            };
            let is_it = |known: &ScriptOutput| match (&known.name, &name) {
                (Some(known), Some(name)) => known.eq_ignore_ascii_case(name),
                (known, name) => known.is_none() && name.is_none(),
            };
            let found = into.iter().position(is_it);
            let position = match found {
                Some(position) => position,
                None if self.count < MOST => {
                    self.count += 1;
                    into.push(ScriptOutput { name, word: None, parts: Vec::new(), items: 0 });
                    into.len() - 1
                }
                None => return,
            };
            let Some(output) = into.get_mut(position) else { return };
            output.items = output.items.max(items);
            if last {
                output.word = output.word.or(word);
            }
            into = &mut output.parts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::TemplateLimits;

    fn texts(outputs: &[ScriptOutput], before: &str, all: &mut Vec<String>) {
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
        let template = format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
                "contentVersion": "1.0.0.0", "resources": [], "variables": {{"v": "s"}},
                "outputs": {{"o": {{"type": "{ty}", "value": "[{expression}]"}}}}}}"#
        );
        let template = Template::read(template, &TemplateLimits::DEFAULT).unwrap();
        let mut all = Vec::new();
        texts(&ScriptOutput::of_template(&template), "", &mut all);
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
        let mut tree = OutputTree::default();
        for text in &many {
            let Expression::Access(access) = crate::expression::parse(text).unwrap() else { panic!() };
            tree.add(way(&access).unwrap(), None);
        }
        assert_eq!(tree.outputs.len(), MOST);
    }
}
