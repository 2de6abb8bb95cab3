//! How many declarations a template can have: beyond that, a deployment is refused.

use super::Checker;
use crate::finding::Finding;
use crate::lint;
use crate::symbols::{ExportKind, Model, SymbolId};

/// A rule of the linter, the most that it allows, and what it counts.
struct Limit {
    rule: &'static str,
    most: usize,
    what: &'static str,
    declared: fn(&Model) -> &[SymbolId],
}

const LIMITS: [Limit; 5] = [
    Limit { rule: "max-asserts", most: 32, what: "assertions", declared: |it| &it.declarations.asserts },
    Limit { rule: "max-outputs", most: 64, what: "outputs", declared: |it| &it.declarations.outputs },
    Limit { rule: "max-params", most: 256, what: "parameters", declared: |it| &it.declarations.parameters },
    Limit { rule: "max-resources", most: 800, what: "resources", declared: |it| &it.declarations.resources },
    Limit { rule: VARIABLES, most: 512, what: "variables", declared: |it| &it.declarations.variables },
];

const VARIABLES: &str = "max-variables";

impl Checker<'_> {
    /// Reports, at the first declaration of a kind, that there are too many.
    pub(super) fn counts(&mut self) {
        let model = self.model;
        for Limit { rule, most, what, declared } in LIMITS {
            let declared = declared(model);
            let mut count = declared.len();
            if rule == VARIABLES {
                count += model.imported.iter().filter(|item| item.kind == ExportKind::Variable).count();
            }
            if count <= most || rule == VARIABLES && self.is_library() {
                continue;
            }
            let level = lint::rule(rule).map(|rule| rule.level(&model.file.config));
            let Some(severity) = level.and_then(lint::Level::severity) else { continue };
            // Nested resources come before those that they are in, but the outermost is the first to read.
            let first =
                declared.iter().filter_map(|symbol| self.name_span(*symbol)).min_by_key(|it| it.start);
            let message = format!("{count} {what}, a template can have at most {most}");
            let span = first.unwrap_or_default();
            self.push(Finding { span, code: rule, severity, message: message.into(), hint: None });
        }
    }

    /// Tells whether a file deploys nothing, and only offers values to others.
    fn is_library(&self) -> bool {
        let model = self.model;
        let declarations = &model.declarations;
        let deployed =
            [&declarations.modules, &declarations.resources, &declarations.parameters, &declarations.outputs];
        deployed.into_iter().all(Vec::is_empty)
            && declarations.variables.iter().any(|variable| {
                model.decorator(model.node_of(*variable), &crate::decorators::EXPORT).is_some()
            })
    }
}
