//! Operands of rules: constants, and references to other values.

use value::{Constant, Node, View};

use super::{CONSTANT_DEPTH, ContractReader};
use crate::flaw::{Flaw, FlawCode};
use crate::operand::{Base, Operand, Reference, ReferenceStep};

impl<'v, V: View<'v>> ContractReader<'v, V> {
    pub(super) fn operands(&mut self, name: &str, value: V) -> Option<Vec<Operand>> {
        match value.node() {
            Node::List(len) => {
                let mut operands = Vec::with_capacity(len);
                operands.extend(value.items().map(|item| self.operand(item)));
                Some(operands)
            }
            other => {
                self.bad(value.place(), format!("`{name}` needs a list, found {}", other.kind()));
                None
            }
        }
    }

    /// An operand: `{"$field": ...}`, `{"$own": ...}`, `{"$current": ...}`, `{"$call": ...}` or a constant.
    pub(super) fn operand(&mut self, value: V) -> Operand {
        self.operand_within(value, CONSTANT_DEPTH)
    }

    pub(super) fn operand_within(&mut self, value: V, depth: usize) -> Operand {
        match value.node() {
            Node::Object(_) => {}
            Node::Text(text) => return Operand::Constant(Constant::text(text)),
            _ => return Operand::Constant(self.constant(value).unwrap_or(Constant::Null)),
        }
        let first = value.members().next().and_then(|(key, inner)| match key.node() {
            Node::Text(name) => Some((name, inner)),
            _ => None,
        });
        let reference = match first {
            Some((word @ ("$field" | "$own" | "$current" | "$call"), _)) if self.has_more(word, value) => {
                None
            }
            Some(("$field", path)) => self.path(path, |first| match first {
                ReferenceStep::Key(name) => Some(Base::Field(name)),
                ReferenceStep::Index(_) | ReferenceStep::Member { .. } => None,
            }),
            Some(("$own", path)) => self.steps(path).map(|steps| Reference { base: Base::Own, steps }),
            Some(("$current", path)) => {
                self.steps(path).map(|steps| Reference { base: Base::Current, steps })
            }
            Some(("$call", function)) if depth > 0 => {
                let function = self.text("$call", function).unwrap_or_default();
                let arguments = match value.member("arguments") {
                    Some(list) if matches!(list.node(), Node::List(_)) => {
                        list.items().map(|item| self.operand_within(item, depth - 1)).collect()
                    }
                    Some(other) => {
                        self.bad(other.place(), "`arguments` needs a list");
                        Vec::new()
                    }
                    None => Vec::new(),
                };
                return Operand::Call { function: function.into(), arguments };
            }
            _ => return Operand::Constant(self.constant(value).unwrap_or(Constant::Null)),
        };
        match reference {
            Some(reference) => Operand::Reference(reference),
            None => {
                let flaw = Flaw::new(FlawCode::BadKeyword, "the operand is neither a reference nor a call")
                    .hint("write `{\"$field\": name}` or `{\"$field\": [name, index or key, ...]}`, `$own` and `$current` with a list, or `{\"$call\": name, \"arguments\": [...]}`")
                    .at(value.place());
                self.flaws.push(flaw);
                Operand::Constant(Constant::Null)
            }
        }
    }

    /// Whether an operand has members besides those that belong to its first.
    pub(super) fn has_more(&self, word: &str, value: V) -> bool {
        value.members().skip(1).any(|(key, _)| match key.node() {
            Node::Text("arguments") => word != "$call",
            _ => true,
        })
    }

    pub(super) fn path(
        &mut self,
        path: V,
        base: impl Fn(ReferenceStep) -> Option<Base>,
    ) -> Option<Reference> {
        let mut steps = match path.node() {
            Node::Text(name) => vec![ReferenceStep::Key(name.into())],
            _ => self.steps(path)?,
        };
        if steps.is_empty() {
            return None;
        }
        let base = base(steps.remove(0))?;
        Some(Reference { base, steps })
    }

    pub(super) fn steps(&mut self, path: V) -> Option<Vec<ReferenceStep>> {
        if !matches!(path.node(), Node::List(_)) {
            return None;
        }
        path.items()
            .map(|item| match item.node() {
                Node::Text(key) => Some(ReferenceStep::Key(key.into())),
                Node::Int(index) => Some(ReferenceStep::Index(index)),
                _ => None,
            })
            .collect()
    }
}
