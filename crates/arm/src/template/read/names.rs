//! What a template declares, by name, before any of it is read.

use std::collections::{HashMap, HashSet};

use document::SourceValue;
use smol_str::SmolStr;

use super::{TemplateReader, is};
use crate::template::Content;
use crate::value::folded;

/// The names that expressions can refer to, folded.
#[derive(Clone, Debug, Default)]
pub(super) struct TemplateNames {
    pub(super) parameters: HashSet<SmolStr>,
    pub(super) variables: HashSet<SmolStr>,
    /// The functions by `NAMESPACE.NAME`, with the number of their parameters.
    pub(super) functions: HashMap<SmolStr, usize>,
}

impl TemplateNames {
    /// Adds what another template declares.
    pub(super) fn add(&mut self, template: &Content) {
        self.parameters.extend(template.parameters.iter().map(|parameter| folded(&parameter.name)));
        self.variables.extend(template.variables.iter().map(|variable| folded(&variable.name)));
        for function in &template.functions {
            let name = full_name(&function.namespace, &function.name);
            self.functions.entry(name).or_insert(function.parameters.len());
        }
    }
}

/// The name of a function with its namespace, folded.
pub(super) fn full_name(namespace: &str, name: &str) -> SmolStr {
    folded(&format!("{namespace}.{name}"))
}

impl<'d> TemplateReader<'d> {
    /// Looks for names alone; what is wrong with their declarations is found when these are read.
    pub(super) fn declared_names(
        &self,
        parameters: Option<SourceValue<'d>>,
        variables: Option<SourceValue<'d>>,
        functions: Option<SourceValue<'d>>,
    ) -> TemplateNames {
        let text = |key: SourceValue<'d>| folded(key.as_str().unwrap_or_default());
        let member = |value: SourceValue<'d>, name: &'static str| {
            value.members().find(|(key, _)| is(*key, name)).map(|(_, value)| value)
        };
        let mut names = TemplateNames::default();
        if let Some(parameters) = parameters {
            names.parameters = parameters.members().map(|(key, _)| text(key)).collect();
        }
        for (key, value) in variables.into_iter().flat_map(SourceValue::members) {
            if is(key, "copy") && matches!(value.node(), contract::Node::List(_)) {
                let loops = value.items().filter_map(|item| member(item, "name"));
                names.variables.extend(loops.filter_map(SourceValue::as_str).map(folded));
            } else {
                names.variables.insert(text(key));
            }
        }
        for space in functions.into_iter().flat_map(SourceValue::items) {
            let Some(namespace) = member(space, "namespace").and_then(SourceValue::as_str) else { continue };
            for (key, function) in member(space, "members").into_iter().flat_map(SourceValue::members) {
                let count = member(function, "parameters").map_or(0, |list| list.items().len());
                names.functions.insert(full_name(namespace, key.as_str().unwrap_or_default()), count);
            }
        }
        names
    }
}
