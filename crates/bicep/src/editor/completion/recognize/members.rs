//! What can be written inside of objects, lists, and the arguments of calls and types.

use syntax::ast::{
    Array, ArrayType, AstNode as _, Decorator, Expr, Object, ObjectProperty, PropertyAccess,
    ResourceDeclaration, Statement, TypeArrayAccess,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind};

use super::super::cursor_context::{has_room, is_line_break, is_skipped, is_token, touches};
use super::super::expected_syntax::{ExpectedSyntax, ValuePlace};
use super::{Recognizer, body};
use crate::symbols::CallSyntax;

impl<'t> Recognizer<'_, 't> {
    pub(super) fn member(&mut self, access: PropertyAccess<'t>) {
        self.add(ExpectedSyntax::Member(access));
        let around = self.place.nodes.iter().rev().skip_while(|node| **node != access.node()).nth(1);
        if let Some(decorator) = around.and_then(|node| Decorator::cast(*node)) {
            self.wanted.pop();
            self.add(ExpectedSyntax::Decorator(decorator));
        }
    }

    /// A property or a nested resource in an object.
    pub(super) fn object(&mut self, node: SyntaxNode<'t>) {
        let Some(object) = Object::cast(node) else { return };
        if !has_object_room(object, self.offset) {
            return;
        }
        self.nested_resource(object);
        self.add(ExpectedSyntax::PropertyName { object, has_colon: false });
    }

    /// A resource in the body of another one.
    pub(super) fn nested_resource(&mut self, object: Object<'t>) {
        let declaration = self.place.nodes.iter().rev().find_map(|node| {
            let is_declaration = node.kind() != NodeKind::Skipped && Statement::cast(*node).is_some();
            is_declaration.then_some(*node)
        });
        if let Some(resource) = declaration.and_then(ResourceDeclaration::cast)
            && body(resource.value()).is_some_and(|body| body.node() == object.node())
        {
            self.add(ExpectedSyntax::NestedResource(resource));
        }
    }

    pub(super) fn in_property(&mut self, node: SyntaxNode<'t>, token: SyntaxToken<'t>) {
        let Some(property) = ObjectProperty::cast(node) else { return };
        if node.slot(0) == Some(SyntaxElement::Token(token)) {
            self.property_name(node);
        } else if token.kind() == TokenKind::Colon {
            if self.offset >= token.span().end {
                self.value(ValuePlace::Property(property));
            } else {
                self.is_barred = true;
            }
        }
    }

    /// The name of a property that stands there already.
    pub(super) fn property_name(&mut self, node: SyntaxNode<'t>) {
        let Some(property) = ObjectProperty::cast(node) else { return };
        let Some(object) = self.place.innermost::<Object<'t>>() else { return };
        if property.colon().is_none() && is_skipped(node.slot(2)) {
            self.nested_resource(object);
        }
        self.add(ExpectedSyntax::PropertyName { object, has_colon: property.colon().is_some() });
    }

    pub(super) fn array_item(&mut self, node: SyntaxNode<'t>) {
        let Some(array) = Array::cast(node) else { return };
        let room = has_room(node.children(), self.offset);
        let lists = |part: Option<SyntaxElement<'_>>| {
            is_token(part, TokenKind::RightSquare) || part.and_then(SyntaxElement::node).is_some()
        };
        let has_room = room.is_in_gap()
            || match room.before {
                Some(part) if is_line_break(part) => room.after.is_some_and(is_line_break),
                _ if room.has_lines => false,
                Some(part) if is_token(Some(part), TokenKind::LeftSquare) => lists(room.after),
                Some(SyntaxElement::Token(token)) => token.kind() == TokenKind::Comma,
                Some(SyntaxElement::Node(node)) => {
                    !node.is_skipped() || is_token(room.after, TokenKind::RightSquare)
                }
                None => false,
            };
        if has_room {
            self.value(ValuePlace::Item(array));
        }
    }

    /// An argument of a call, behind those that were written before it.
    pub(super) fn argument(&mut self, node: SyntaxNode<'t>) {
        let Some(call) = Expr::cast(node).and_then(CallSyntax::of) else { return };
        let open = match call {
            CallSyntax::Plain(call) => call.open_paren(),
            CallSyntax::Instance(call) => call.open_paren(),
        };
        let close = match call {
            CallSyntax::Plain(call) => call.close_paren(),
            CallSyntax::Instance(call) => call.close_paren(),
        };
        let is_inside = open.is_some_and(|token| self.offset >= token.span().end)
            && close.is_none_or(|token| self.offset <= token.span().start);
        if !is_inside {
            return;
        }
        let arguments = call.arguments().map(|argument| argument.span());
        self.value(ValuePlace::Argument(node, position(arguments, self.offset)));
    }

    pub(super) fn type_argument(&mut self, node: SyntaxNode<'t>) {
        let is_inside = node
            .children()
            .filter_map(SyntaxElement::token)
            .any(|token| token.kind() == TokenKind::LeftChevron && self.offset >= token.span().end);
        if is_inside {
            let arguments = node.child_nodes().filter(|child| !child.is_separator()).map(SyntaxNode::span);
            // What stands before the dot of a qualified name is no argument.
            let skipped = usize::from(node.kind() == NodeKind::InstanceParameterizedTypeInstantiation);
            let place = position(arguments.skip(skipped), self.offset);
            self.add(ExpectedSyntax::TypeArgument(node, place));
        }
    }

    pub(super) fn type_index(&mut self, node: SyntaxNode<'t>) {
        let base = match node.kind() {
            NodeKind::TypeArrayAccess => TypeArrayAccess::cast(node).map(TypeArrayAccess::base),
            _ => ArrayType::cast(node).map(ArrayType::item),
        };
        if let Some(base) = base {
            self.add(ExpectedSyntax::TypeIndex(base));
        }
    }
}

/// The position of an argument at an offset: how many were written before it.
pub(super) fn position(spans: impl Iterator<Item = Span>, offset: u32) -> usize {
    let mut count = 0;
    for (place, span) in spans.enumerate() {
        if touches(span, offset) {
            return place;
        }
        if span.start < offset {
            count = place + 1;
        }
    }
    count
}

/// Tells whether a property can be put into an object at an offset.
pub(super) fn has_object_room(object: Object<'_>, offset: u32) -> bool {
    let room = has_room(object.node().children(), offset);
    if room.is_in_gap() {
        return true;
    }
    let (Some(before), Some(after)) = (room.before, room.after) else { return false };
    let opens = object.open_brace().map(SyntaxElement::Token) == Some(before);
    let closes = object.close_brace().map(SyntaxElement::Token) == Some(after);
    let (line_before, line_after) = (is_line_break(before), is_line_break(after));
    let comma = is_token(Some(before), TokenKind::Comma);
    closes && (line_before || comma || opens) || line_after && (opens || line_before)
}
