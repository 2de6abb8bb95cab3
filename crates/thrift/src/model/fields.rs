//! Fields of structs, unions, exceptions, arguments and throws clauses: ids, names, requiredness.

use std::collections::HashMap;

use super::ImplicitIds;
use super::data::{Field, StructId, StructRole};
use super::resolve::Resolver;
use crate::idl::{self, Requiredness};
use crate::{Code, FileId, Span};

impl<'p> Resolver<'p> {
    pub(super) fn structs(&mut self) {
        let declared = std::mem::take(&mut self.declared.structs);
        for (id, tree) in &declared {
            let (file, role) = (self.model[*id].file, self.model[*id].role);
            let fields = self.fields(file, role, &tree.fields, *id, 0);
            if let Some(slot) = self.model.structs.get_mut(id.0 as usize) {
                slot.fields = fields;
            }
        }
        self.declared.structs = declared;
    }

    /// Resolves a list of fields; `offset` is how many fields the struct has before them.
    pub(super) fn fields(
        &mut self,
        file: FileId,
        role: StructRole,
        written: &'p [idl::Field],
        owner: StructId,
        offset: usize,
    ) -> Vec<Field> {
        let mut fields = Vec::with_capacity(written.len());
        let mut ids: HashMap<i32, Span> = HashMap::new();
        let mut names: HashMap<&str, Span> = HashMap::new();
        let mut counter = Counter { negative: -1, last: 0 };
        for tree in written {
            let Some((id, implicit_id)) = self.field_id(tree, &mut counter) else { continue };
            let span = tree.id.map_or(tree.name.span, |id| id.span);
            if let Some(first) = ids.insert(id, span) {
                let message = format!("the field id {id} is used twice");
                let diagnostic = Code::DuplicateFieldId.at(span, message);
                self.report(
                    diagnostic.label(first, "first used here").help("give each field an id of its own"),
                );
            }
            if let Some(first) = names.insert(&tree.name.text, tree.name.span) {
                let message = format!("the field `{}` is already defined", tree.name.text);
                let diagnostic = Code::DuplicateField.at(tree.name.span, message);
                self.report(diagnostic.label(first, "first defined here"));
            }
            let requiredness = self.requiredness(role, tree);
            if let Some(default) = &tree.default {
                self.declared.defaults.push((owner, offset + fields.len(), default));
            }
            fields.push(Field {
                id,
                implicit_id,
                requiredness,
                ty: self.type_node(file, &tree.ty),
                name: tree.name.clone(),
                default: None,
                annotations: tree.annotations.clone(),
                comments: tree.comments.clone(),
                span: tree.span,
            });
        }
        fields
    }

    /// The id of a field, and whether it was counted.
    fn field_id(&mut self, tree: &idl::Field, counter: &mut Counter) -> Option<(i32, bool)> {
        let policy = self.config.implicit_ids;
        let Some(written) = tree.id else {
            if policy == ImplicitIds::Error {
                let message = format!("the field `{}` has no id", tree.name.text);
                let help = "write an id; compilers number such fields differently, so their bytes differ";
                self.report(Code::ImplicitFieldId.at(tree.name.span, message).help(help));
            }
            return Some((counter.next(policy), true));
        };
        let Ok(id) = i32::try_from(written.value) else {
            let message = format!("the field id {} does not fit 16 bits", written.value);
            self.report(Code::FieldIdRange.at(written.span, message).with_severity(crate::Severity::Error));
            return None;
        };
        if id <= 0 {
            let message = format!("the field id {id} is not positive");
            let help = "the Apache compiler replaces it by a negative number of its own, thriftgo keeps it";
            let diagnostic = Code::NonPositiveFieldId.at(written.span, message).help(help);
            self.report(match policy {
                ImplicitIds::Error => diagnostic.with_severity(crate::Severity::Error),
                ImplicitIds::Apache | ImplicitIds::Thriftgo => diagnostic,
            });
            if policy == ImplicitIds::Apache {
                return Some((counter.next(policy), true));
            }
        }
        if i16::try_from(id).is_err() {
            let message = format!("the field id {id} does not fit 16 bits; on the wire it is {}", id as i16);
            self.report(Code::FieldIdRange.at(written.span, message));
        }
        counter.last = id;
        Some((id, false))
    }

    /// What is written, bent by where it is written.
    fn requiredness(&mut self, role: StructRole, tree: &idl::Field) -> Requiredness {
        match (role, tree.requiredness) {
            (StructRole::Union, Requiredness::Required) => {
                let message = "a member of a union is never required";
                self.report(Code::RequiredUnionMember.at(tree.span, message).help("remove `required`"));
                Requiredness::Optional
            }
            (StructRole::Union | StructRole::Result, _) => Requiredness::Optional,
            (StructRole::Arguments, Requiredness::Optional) => {
                let message = "`optional` means nothing on an argument";
                self.report(Code::OptionalArgument.at(tree.span, message).help("remove `optional`"));
                Requiredness::Default
            }
            (_, written) => written,
        }
    }
}

/// Counts the ids that are not written.
struct Counter {
    negative: i32,
    last: i32,
}

impl Counter {
    fn next(&mut self, policy: ImplicitIds) -> i32 {
        match policy {
            ImplicitIds::Apache => {
                self.negative -= 1;
                self.negative + 1
            }
            ImplicitIds::Error | ImplicitIds::Thriftgo => {
                self.last = self.last.saturating_add(1);
                self.last
            }
        }
    }
}
