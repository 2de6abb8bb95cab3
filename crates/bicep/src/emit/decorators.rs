//! What built-in decorators add to the members of declarations and parts of types: one arm for each rule.

use syntax::{NodeKind, SyntaxNode};

use super::emitter::Emitter;
use super::tree::{EmitTree, Members, merge};
use crate::decorators::{MemberRule, PartRule, Writes};
use crate::symbols::CallSyntax;

/// What a decorator decorates.
#[derive(Clone, Copy)]
pub(super) struct DecoratedNode<'u> {
    /// The declaration or part of a type.
    pub(super) node: SyntaxNode<'u>,
    /// Whether it is a type that other files can import.
    pub(super) can_export: bool,
}

impl<'u> Emitter<'u> {
    /// Adds what a decorator writes to the members of what it decorates.
    pub(super) fn add_decorator(
        &mut self,
        writes: Writes,
        on: DecoratedNode<'u>,
        call: CallSyntax<'u>,
        members: &mut Members<'u>,
    ) {
        match writes {
            Writes::Member(name, rule) => self.add_member(name, rule, on, call, members),
            Writes::Part(_, rule) => self.add_part(rule, on, members),
            Writes::Elsewhere(_) | Writes::Options | Writes::Method(_) => {}
        }
    }

    fn add_member(
        &self,
        name: &str,
        rule: MemberRule,
        on: DecoratedNode<'u>,
        call: CallSyntax<'u>,
        members: &mut Members<'u>,
    ) {
        let value = match rule {
            MemberRule::FirstArgument => call.argument(0).map(EmitTree::Expression),
            MemberRule::Arguments => {
                Some(EmitTree::Array(call.arguments().map(EmitTree::Expression).collect()))
            }
            // Values are listed for parameters only, although the qualified name can stand elsewhere.
            MemberRule::AllowedValues => {
                let is_parameter = on.node.kind() == NodeKind::ParameterDeclaration;
                call.argument(0).filter(|_| is_parameter).map(EmitTree::Expression)
            }
            MemberRule::Sealed => Some(EmitTree::Bool(false)),
            MemberRule::Metadata => call.argument(0).map(|metadata| self.tree_of(metadata)),
        };
        if let Some(value) = value {
            merge(members, name, value);
        }
    }

    fn add_part(&mut self, rule: PartRule, on: DecoratedNode<'u>, members: &mut Members<'u>) {
        let (name, value) = match rule {
            PartRule::SecureType => return make_secure(members),
            PartRule::Export => ("__bicep_export!", Some(EmitTree::Bool(true)).filter(|_| on.can_export)),
            PartRule::Description => ("description", self.description(on.node)),
        };
        if let Some(value) = value {
            merge(members, "metadata", EmitTree::Object(vec![(name.into(), value)]));
        }
    }
}

fn make_secure(members: &mut Members<'_>) {
    if let Some((_, EmitTree::Text(kind))) = members.iter_mut().find(|(name, _)| name == "type") {
        match &**kind {
            "string" => *kind = "securestring".into(),
            "object" => *kind = "secureObject".into(),
            _ => {}
        }
    }
}
