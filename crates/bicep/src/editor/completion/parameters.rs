//! The parameters that a parameters file can still give a value to.

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use super::Completer;
use super::item::{Completion, CompletionKind, Priority, markdown_line};
use crate::files::ReferenceKind;
use crate::symbols::ModuleTarget;

impl Completer<'_, '_> {
    pub(super) fn parameter_names(&mut self) {
        let Some(interface) = self.checker.using_interface() else { return };
        let model = self.model;
        let given: FxHashSet<&str> =
            model.declarations.assignments.iter().map(|symbol| model.symbol(*symbol).name.as_str()).collect();
        let mut described: FxHashMap<&str, SmolStr> = FxHashMap::default();
        if let Some(ModuleTarget::Bicep(program)) = model.target_of(ReferenceKind::Using) {
            for symbol in &program.declarations.parameters {
                if let Some(text) = super::description(program, *symbol) {
                    described.insert(program.symbol(*symbol).name.as_str(), text);
                }
            }
        }
        for (name, parameter) in
            interface.parameters.iter().filter(|(name, _)| !given.contains(name.as_str()))
        {
            let required = if parameter.required { " (Required)" } else { "" };
            let mut about = format!("Type: `{}`  \n", parameter.ty);
            about.push_str(&markdown_line(described.get(name.as_str()).map_or("", SmolStr::as_str)));
            // What must be given comes first.
            let priority = if parameter.required { Priority::High } else { Priority::Medium };
            let item =
                Completion::plain(CompletionKind::Field, name.clone(), priority, self.span, name.as_str());
            self.out.push(item.detail(format!("{name}{required}")).documentation(about));
        }
    }
}
