//! Structs that no finite value can have, because they require themselves.

use super::data::{StructRole, Type};
use super::graph;
use super::resolve::Resolver;
use crate::Code;
use crate::idl::Requiredness;

impl Resolver<'_> {
    pub(super) fn endless_structs(&mut self) {
        let edges: Vec<Vec<usize>> = self
            .model
            .structs
            .iter()
            .map(|it| {
                let needs =
                    |requiredness| requiredness == Requiredness::Required && it.role != StructRole::Union;
                it.fields
                    .iter()
                    .filter(|field| needs(field.requiredness))
                    .filter_map(|field| match self.model.real(field.ty) {
                        Type::Struct(id) => Some(id.0 as usize),
                        _ => None,
                    })
                    .collect()
            })
            .collect();
        for cycle in graph::order(&edges).cycles {
            let name = |at: usize| self.model.structs.get(at).map_or("", |it| it.name.text.as_str());
            let message = format!("no value can have this struct: {}", graph::describe(&cycle, name));
            if let Some(owner) = cycle.last().and_then(|at| self.model.structs.get(*at)) {
                let diagnostic = Code::EndlessStruct.at(owner.name.span, message);
                self.report(diagnostic.help("make one of the fields optional"));
            }
        }
    }
}
