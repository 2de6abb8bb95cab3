//! Says what can be written at a place, as far as the syntax tells.
//!
//! The first match of [`recognize`] is on the innermost node, once for places inside of a token and once for those
//! between tokens. Only where that gives nothing, the place may be somewhere in an expression.

mod declarations;
mod members;

use syntax::ast::{
    Array, ArrayAccess, AssertDeclaration, AstNode as _, CompileTimeImportFromClause, Decorator, Expr,
    ExtendsDeclaration, ExtensionDeclaration, ExtensionWithClause, ImportedSymbolsList, InstanceFunctionCall,
    ModuleDeclaration, Object, ObjectProperty, ObjectTypeAdditionalProperties, ObjectTypeProperty,
    ParameterAssignment, ParameterDeclaration, ParameterDefaultValue, PropertyAccess, ResourceAccess,
    ResourceDeclaration, SpreadExpression, Statement, TargetScope, TestDeclaration, TypeDeclaration,
    TypePropertyAccess, TypedLambda, TypedLocalVariable, UsingDeclaration, UsingWithClause,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind};

use super::cursor_context::{
    CursorContext, has_room, is_line_break, is_missing, is_skipped, is_token, touches,
};
use super::expected_syntax::{ExpectedSyntax, PathKind, TypePlace, ValuePlace, Word};

/// Says what can be written at a place; nothing inside of comments is asked.
pub(super) fn recognize<'t>(place: &CursorContext<'t>, has_asserts: bool) -> Vec<ExpectedSyntax<'t>> {
    let mut found =
        Recognizer { place, offset: place.offset, has_asserts, wanted: Vec::new(), is_barred: false };
    if let Some(node) = place.node() {
        match place.token {
            Some(token) => found.in_token(node, token),
            None => found.between_tokens(node),
        }
    }
    if found.wanted.is_empty() && !found.is_barred && found.is_in_expression() {
        found.add(ExpectedSyntax::Symbols);
        found.flow_through();
    }
    found.wanted
}

/// What was found so far.
pub(super) struct Recognizer<'p, 't> {
    pub(super) place: &'p CursorContext<'t>,
    pub(super) offset: u32,
    has_asserts: bool,
    wanted: Vec<ExpectedSyntax<'t>>,
    /// Whether nothing can stand here although an expression is around it.
    is_barred: bool,
}

impl<'t> Recognizer<'_, 't> {
    pub(super) fn add(&mut self, wanted: ExpectedSyntax<'t>) {
        if !self.wanted.contains(&wanted) {
            self.wanted.push(wanted);
        }
    }

    /// A value of a certain type, which any expression can give.
    fn value(&mut self, place: ValuePlace<'t>) {
        self.add(ExpectedSyntax::Value(place));
        self.add(ExpectedSyntax::Symbols);
    }

    /// Tells whether the place is behind one part and no further than the start of another.
    fn is_between(&self, first: Span, second: Span) -> bool {
        !first.is_empty() && first.end < self.offset && self.offset <= second.start
    }

    /// The words that can follow, of which the first is left out where it is there already.
    fn assignment_or(&mut self, node: SyntaxNode<'t>, back: usize, others: &'static [Word]) {
        if is_missing(node.slot_from_end(back)) {
            self.add(ExpectedSyntax::Words(&[Word::Assignment]));
        }
        if !others.is_empty() {
            self.add(ExpectedSyntax::Words(others));
        }
    }

    /// The place is between the tokens of a node.
    fn between_tokens(&mut self, node: SyntaxNode<'t>) {
        let offset = self.offset;
        match node.kind() {
            NodeKind::Program => self.add(ExpectedSyntax::Declaration),
            NodeKind::ParameterDeclaration => self.parameter(node),
            NodeKind::ResourceType => self.resource_typed(node),
            NodeKind::ParameterDefaultValue => {
                if let Some(default) = ParameterDefaultValue::cast(node)
                    && default.assignment().is_some_and(|token| offset >= token.span().end)
                {
                    self.parameter_default();
                }
            }
            NodeKind::VariableDeclaration => self.variable(node),
            NodeKind::OutputDeclaration => self.output(node),
            NodeKind::TypeDeclaration => {
                if let Some(it) = TypeDeclaration::cast(node)
                    && let Some(assignment) = it.assignment()
                    && self.is_between(assignment.span(), it.value().span())
                {
                    self.add(ExpectedSyntax::Type(TypePlace::Declaration(it)));
                }
            }
            NodeKind::AssertDeclaration => {
                if let Some(it) = AssertDeclaration::cast(node)
                    && self.has_asserts
                    && it.assignment().is_some_and(|token| offset >= token.span().end)
                {
                    self.value(ValuePlace::Assert);
                }
            }
            NodeKind::TargetScope => {
                if let Some(it) = TargetScope::cast(node)
                    && it.assignment().is_some_and(|token| !touches(token.span(), offset))
                    && is_skipped(node.slot_from_end(0))
                    && offset == it.value().span().start
                {
                    self.add(ExpectedSyntax::Value(ValuePlace::TargetScope));
                }
            }
            NodeKind::ResourceDeclaration => self.resource(node),
            NodeKind::ModuleDeclaration => self.module(node),
            NodeKind::TestDeclaration => self.test(node),
            NodeKind::UsingDeclaration => self.using(node),
            NodeKind::UsingWithClause => {
                if let Some(it) = UsingWithClause::cast(node)
                    && is_skipped(node.slot(1))
                    && it.keyword().is_some_and(|token| self.is_between(token.span(), it.config().span()))
                {
                    self.add(ExpectedSyntax::Value(ValuePlace::UsingConfig(it)));
                }
            }
            NodeKind::ExtendsDeclaration => {
                if let Some(it) = ExtendsDeclaration::cast(node)
                    && it.keyword().is_some_and(|token| token.span().end < offset)
                {
                    self.add(ExpectedSyntax::Path(PathKind::Extends, Some(it.path().node())));
                }
            }
            NodeKind::ParameterAssignment => self.assignment(node),
            NodeKind::CompileTimeImportDeclaration => self.import(node),
            NodeKind::CompileTimeImportFromClause => {
                if let Some(it) = CompileTimeImportFromClause::cast(node)
                    && it.keyword().is_some_and(|token| self.is_between(token.span(), it.path().span()))
                {
                    self.add(ExpectedSyntax::Path(PathKind::Module, Some(it.path().node())));
                }
            }
            NodeKind::ImportedSymbolsList => {
                if let Some(list) = ImportedSymbolsList::cast(node)
                    && list.open_brace().is_some_and(|token| token.span().end <= offset)
                {
                    self.imported_name();
                }
            }
            NodeKind::ExtensionDeclaration => self.extension(node),
            NodeKind::ExtensionWithClause => {
                if let Some(with) = ExtensionWithClause::cast(node)
                    && with.keyword().is_some_and(|token| token.span().end < offset)
                    && is_skipped(node.slot(1))
                {
                    self.extension_config();
                }
            }
            NodeKind::Decorator => {
                if let Some(it) = Decorator::cast(node)
                    && it.at().is_some_and(|token| offset > token.span().start)
                {
                    self.add(ExpectedSyntax::Decorator(it));
                }
            }
            NodeKind::Object => self.object(node),
            NodeKind::ObjectProperty => {
                let property = ObjectProperty::cast(node);
                let behind = |property: &ObjectProperty<'_>| {
                    property.colon().is_some_and(|token| offset >= token.span().end)
                };
                match property.filter(behind).filter(|_| is_skipped(node.slot(2))) {
                    Some(property) => self.value(ValuePlace::Property(property)),
                    None => self.is_barred = true,
                }
            }
            NodeKind::Array => self.array_item(node),
            NodeKind::For => self.in_loop(node),
            NodeKind::PropertyAccess => {
                if let Some(access) = PropertyAccess::cast(node)
                    && access.dot().is_some_and(|token| offset > token.span().start)
                {
                    self.member(access);
                }
            }
            NodeKind::ResourceAccess => {
                if let Some(access) = ResourceAccess::cast(node)
                    && access.double_colon().is_some_and(|token| offset > token.span().start)
                {
                    self.add(ExpectedSyntax::NestedName(access));
                }
            }
            NodeKind::SpreadExpression => {
                if let Some(spread) = SpreadExpression::cast(node)
                    && !spread.expression().node().is_skipped()
                    && offset >= spread.expression().span().end
                {
                    self.add(ExpectedSyntax::Symbols);
                }
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.argument(node),
            NodeKind::TypePropertyAccess => {
                if let Some(access) = TypePropertyAccess::cast(node)
                    && access.dot().is_some_and(|token| offset > token.span().start)
                {
                    self.add(ExpectedSyntax::TypeMember(access));
                }
            }
            NodeKind::ParameterizedTypeInstantiation | NodeKind::InstanceParameterizedTypeInstantiation => {
                self.type_argument(node);
            }
            NodeKind::ObjectTypeProperty => {
                if let Some(it) = ObjectTypeProperty::cast(node)
                    && it.colon().is_some_and(|token| offset > token.span().start)
                {
                    self.add(ExpectedSyntax::Type(TypePlace::Other));
                }
            }
            NodeKind::ObjectTypeAdditionalProperties => {
                if let Some(it) = ObjectTypeAdditionalProperties::cast(node)
                    && it.colon().is_some_and(|token| offset > token.span().start)
                {
                    self.add(ExpectedSyntax::Type(TypePlace::Other));
                }
            }
            NodeKind::IfCondition => self.condition_body(node),
            NodeKind::UnionType
                if node
                    .children()
                    .next_back()
                    .and_then(SyntaxElement::node)
                    .is_some_and(SyntaxNode::is_skipped) =>
            {
                self.add(ExpectedSyntax::Type(TypePlace::Member(node)));
            }
            NodeKind::TypedLambda => {
                if let Some(it) = TypedLambda::cast(node)
                    && it.variables().is_some_and(|block| offset > block.span().end)
                    && it.arrow().is_none_or(|token| offset < token.span().start)
                {
                    self.add(ExpectedSyntax::Type(TypePlace::Other));
                }
            }
            NodeKind::TypedLocalVariable => {
                if let Some(it) = TypedLocalVariable::cast(node)
                    && offset > it.name().span().end
                {
                    self.add(ExpectedSyntax::Type(TypePlace::Other));
                }
            }
            NodeKind::Skipped => self.between_skipped(),
            _ => {}
        }
    }

    /// The place is at a part that is missing, or between tokens that could not be read.
    fn between_skipped(&mut self) {
        let Some(parent) = self.place.above(1) else { return };
        match parent.kind() {
            NodeKind::Array => self.array_item(parent),
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.argument(parent),
            NodeKind::ParameterizedTypeInstantiation | NodeKind::InstanceParameterizedTypeInstantiation => {
                self.type_argument(parent);
            }
            NodeKind::TypeArrayAccess => self.type_index(parent),
            NodeKind::For => self.in_loop(parent),
            NodeKind::IfCondition => self.condition_body(parent),
            // The same as without the missing part.
            NodeKind::ObjectProperty | NodeKind::ParameterDefaultValue | NodeKind::PropertyAccess => {
                self.between_tokens(parent);
            }
            _ => {}
        }
    }

    /// The place is in a token, or at the end of one.
    fn in_token(&mut self, node: SyntaxNode<'t>, token: SyntaxToken<'t>) {
        let offset = self.offset;
        let at_end = token.span().end == offset;
        let is_name = token.kind() == TokenKind::Identifier;
        if let Some(statement) = Statement::cast(node).filter(|_| node.kind() != NodeKind::Skipped) {
            self.first_word(statement, token);
        }
        if is_line_break(SyntaxElement::Token(token)) || token.kind() == TokenKind::EndOfFile {
            self.below_decorators();
        }
        match node.kind() {
            NodeKind::Program => self.program(token),
            NodeKind::Skipped => self.in_skipped(node, token),
            NodeKind::VariableAccess if is_name => self.name(node),
            NodeKind::TypeVariableAccess if is_name => self.type_name(node),
            NodeKind::String => self.text(node, token),
            NodeKind::StringTypeLiteral => {
                if let Some(parent) = self.place.above(1)
                    && token.kind() == TokenKind::StringComplete
                    && is_instantiation(parent.kind())
                {
                    self.type_argument(parent);
                }
            }
            NodeKind::PropertyAccess => {
                let access = PropertyAccess::cast(node);
                let is_part = |access: &PropertyAccess<'t>| {
                    access.name().token() == Some(token)
                        || access.dot() == Some(token)
                        || access.safe_access() == Some(token)
                };
                if let Some(access) = access.filter(is_part) {
                    self.member(access);
                }
            }
            NodeKind::ResourceAccess => {
                if let Some(access) = ResourceAccess::cast(node) {
                    self.add(ExpectedSyntax::NestedName(access));
                }
            }
            NodeKind::ArrayAccess => {
                if let Some(access) = ArrayAccess::cast(node)
                    && access.open_square() == Some(token)
                {
                    self.add(ExpectedSyntax::Index(access));
                    self.add(ExpectedSyntax::Symbols);
                }
            }
            NodeKind::TypePropertyAccess => {
                if let Some(access) = TypePropertyAccess::cast(node) {
                    self.add(ExpectedSyntax::TypeMember(access));
                }
            }
            NodeKind::TypeArrayAccess | NodeKind::ArrayType if token.kind() == TokenKind::LeftSquare => {
                self.type_index(node);
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall if !is_name => self.argument(node),
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.called_name(node),
            NodeKind::ParameterizedTypeInstantiation if is_name => self.type_name(node),
            NodeKind::ParameterizedTypeInstantiation | NodeKind::InstanceParameterizedTypeInstantiation
                if !is_name =>
            {
                self.type_argument(node);
            }
            NodeKind::Decorator => {
                if let Some(it) = Decorator::cast(node) {
                    self.add(ExpectedSyntax::Decorator(it));
                }
            }
            NodeKind::Object => {
                let opens = Object::cast(node).is_some_and(|object| object.open_brace() == Some(token));
                if opens || matches!(token.kind(), TokenKind::NewLine | TokenKind::Comma) {
                    self.object(node);
                }
            }
            NodeKind::ObjectProperty => self.in_property(node, token),
            NodeKind::Array => self.array_item(node),
            NodeKind::For if !is_name => self.in_loop(node),
            NodeKind::SpreadExpression if at_end => self.add(ExpectedSyntax::Symbols),
            NodeKind::TupleType
                if matches!(token.kind(), TokenKind::LeftSquare | TokenKind::Comma | TokenKind::NewLine) =>
            {
                self.add(ExpectedSyntax::Type(TypePlace::Other));
            }
            NodeKind::ParenthesizedType if token.kind() == TokenKind::LeftParen => {
                self.add(ExpectedSyntax::Type(TypePlace::Other));
            }
            NodeKind::ObjectTypeAdditionalProperties if token.kind() == TokenKind::Colon && at_end => {
                self.add(ExpectedSyntax::Type(TypePlace::Other));
            }
            NodeKind::UnionType if token.kind() == TokenKind::Pipe => {
                self.add(ExpectedSyntax::Type(TypePlace::Member(node)));
            }
            NodeKind::ImportedSymbolsList | NodeKind::ImportedSymbolsListItem => self.imported_name(),
            NodeKind::ParameterDefaultValue if at_end => self.parameter_default(),
            NodeKind::VariableDeclaration if token.kind() == TokenKind::Assignment => {
                if at_end {
                    self.value_of(node);
                } else {
                    self.add(ExpectedSyntax::Type(TypePlace::Other));
                    self.add(ExpectedSyntax::Words(&[Word::Assignment]));
                }
            }
            NodeKind::OutputDeclaration | NodeKind::AssertDeclaration | NodeKind::ParameterAssignment
                if token.kind() == TokenKind::Assignment && at_end =>
            {
                self.value_of(node);
            }
            NodeKind::ParameterAssignment
                if is_name
                    && ParameterAssignment::cast(node).is_some_and(|it| it.name().token() == Some(token)) =>
            {
                self.add(ExpectedSyntax::ParameterName);
            }
            NodeKind::TargetScope if token.kind() == TokenKind::Assignment => {
                self.add(ExpectedSyntax::Value(ValuePlace::TargetScope));
            }
            NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration | NodeKind::TestDeclaration
                if token.kind() == TokenKind::Assignment =>
            {
                if at_end {
                    self.body_of(node);
                } else if node.kind() == NodeKind::ResourceDeclaration {
                    self.existing(node);
                }
            }
            NodeKind::ExtensionDeclaration if is_name => {
                if let Some(it) = ExtensionDeclaration::cast(node)
                    && it.keyword() != Some(token)
                {
                    self.add(ExpectedSyntax::ExtensionName);
                }
            }
            _ => {}
        }
    }

    /// A line of its own below decorators, where what they are for comes.
    fn below_decorators(&mut self) {
        let mut nodes = self.place.nodes.iter().skip(1);
        let is_decorated = |node: &SyntaxNode<'_>| {
            node.child_nodes()
                .any(|child| child.kind() == NodeKind::Decorator && child.span().end < self.offset)
        };
        if let Some(statement) = nodes.next().filter(|node| is_decorated(node))
            && Statement::cast(*statement).is_some()
            && nodes.all(|node| node.kind() == NodeKind::NewLines)
        {
            self.add(ExpectedSyntax::Declaration);
        }
    }

    /// A keyword that is half typed: there is no name behind it yet.
    fn first_word(&mut self, statement: Statement<'t>, token: SyntaxToken<'t>) {
        let Some((name, _)) = crate::check::declared_name(statement) else { return };
        let is_missing = name.text() == "<missing>";
        let span = token.span();
        let node = statement.node();
        let is_keyword = node.children().find_map(SyntaxElement::token) == Some(token);
        if is_missing && is_keyword && span.start <= self.offset && self.offset < span.end {
            self.add(ExpectedSyntax::Declaration);
        }
    }

    fn program(&mut self, token: SyntaxToken<'t>) {
        if token.kind() == TokenKind::EndOfFile {
            return self.add(ExpectedSyntax::Declaration);
        }
        let Some(root) = self.place.node() else { return };
        // The end of the file is no part of the list.
        let parts = root.children().filter(|part| !is_token(Some(*part), TokenKind::EndOfFile));
        let room = has_room(parts, self.offset);
        let is_line = |part: Option<SyntaxElement<'_>>| part.is_none_or(is_line_break);
        if token.kind() == TokenKind::NewLine
            && (room.is_in_gap() || is_line(room.before) && is_line(room.after))
        {
            self.add(ExpectedSyntax::Declaration);
        }
    }

    /// The token stands where something else should.
    fn in_skipped(&mut self, skipped: SyntaxNode<'t>, token: SyntaxToken<'t>) {
        let is_name = token.kind() == TokenKind::Identifier;
        let Some(parent) = self.place.above(1) else { return };
        match parent.kind() {
            NodeKind::Program if is_name => self.add(ExpectedSyntax::Declaration),
            NodeKind::ResourceDeclaration => {
                if let Some(it) = ResourceDeclaration::cast(parent) {
                    if it.ty().node() == skipped {
                        self.add(ExpectedSyntax::ResourceType(Some(skipped)));
                    } else if parent.slot_from_end(2) == Some(SyntaxElement::Node(skipped)) && is_name {
                        self.existing(parent);
                    }
                }
            }
            NodeKind::ModuleDeclaration
                if ModuleDeclaration::cast(parent).is_some_and(|it| it.path().node() == skipped) => {
                    self.add(ExpectedSyntax::Path(PathKind::Module, Some(skipped)));
                }
            NodeKind::TestDeclaration
                if TestDeclaration::cast(parent).is_some_and(|it| it.path().node() == skipped) => {
                    self.add(ExpectedSyntax::Path(PathKind::Test, Some(skipped)));
                }
            NodeKind::UsingDeclaration => {
                if UsingDeclaration::cast(parent).is_some_and(|it| it.path().node() == skipped) {
                    self.add(ExpectedSyntax::Path(PathKind::Using, Some(skipped)));
                } else {
                    self.add(ExpectedSyntax::Words(&[Word::With]));
                }
            }
            NodeKind::ExtendsDeclaration => self.add(ExpectedSyntax::Path(PathKind::Extends, Some(skipped))),
            NodeKind::CompileTimeImportFromClause => {
                self.add(ExpectedSyntax::Path(PathKind::Module, Some(skipped)));
            }
            NodeKind::ExtensionDeclaration => {
                if ExtensionDeclaration::cast(parent)
                    .is_some_and(|it| it.specification().span() == skipped.span())
                {
                    self.add(ExpectedSyntax::ExtensionName);
                } else {
                    self.add(ExpectedSyntax::Words(&[Word::With, Word::As]));
                }
            }
            NodeKind::ObjectProperty
                // The name of a property that cannot be one.
                if parent.slot(0) == Some(SyntaxElement::Node(skipped)) => {
                    self.property_name(parent);
                }
            NodeKind::Array => {
                if matches!(token.kind(), TokenKind::Comma | TokenKind::StringComplete) {
                    self.array_item(parent);
                } else if let Some(array) = Array::cast(parent)
                    && !array.items().any(is_line_break)
                {
                    self.value(ValuePlace::Item(array));
                }
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.argument(parent),
            NodeKind::ParameterAssignment
                if parent.slot_from_end(2) == Some(SyntaxElement::Node(skipped)) => {
                    self.add(ExpectedSyntax::ParameterName);
                }
            _ => {}
        }
    }

    /// A name in an expression, whole or half typed.
    fn name(&mut self, access: SyntaxNode<'t>) {
        let Some(parent) = self.place.above(1) else { return };
        match parent.kind() {
            NodeKind::ObjectProperty => {
                if let Some(property) = ObjectProperty::cast(parent).filter(|it| it.value().node() == access)
                {
                    self.value(ValuePlace::Property(property));
                }
            }
            NodeKind::Array => {
                if let Some(array) = Array::cast(parent) {
                    self.value(ValuePlace::Item(array));
                }
            }
            NodeKind::ParameterDefaultValue => self.parameter_default(),
            NodeKind::VariableDeclaration
            | NodeKind::OutputDeclaration
            | NodeKind::AssertDeclaration
            | NodeKind::ParameterAssignment => self.value_of(parent),
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => self.argument(parent),
            NodeKind::ArrayAccess => {
                if let Some(indexed) = ArrayAccess::cast(parent).filter(|it| it.index().node() == access) {
                    self.add(ExpectedSyntax::Index(indexed));
                    self.add(ExpectedSyntax::Symbols);
                }
            }
            NodeKind::Decorator => {
                if let Some(decorator) = Decorator::cast(parent) {
                    self.add(ExpectedSyntax::Decorator(decorator));
                }
            }
            _ => {}
        }
    }

    /// The name of what is called, with its arguments behind it.
    fn called_name(&mut self, call: SyntaxNode<'t>) {
        if let Some(decorator) = self.place.above(1).and_then(Decorator::cast) {
            self.add(ExpectedSyntax::Decorator(decorator));
        } else if let Some(call) = InstanceFunctionCall::cast(call) {
            self.add(ExpectedSyntax::Method(call));
        }
    }

    /// A name in a type, whole or half typed. Marks behind it, such as `[]` and `?`, do not change what it can be.
    fn type_name(&mut self, access: SyntaxNode<'t>) {
        let has_arguments = is_instantiation(access.kind());
        let is_mark = |node: &&SyntaxNode<'t>| match node.kind() {
            NodeKind::ArrayType
            | NodeKind::NullableType
            | NodeKind::NonNullableType
            | NodeKind::ParenthesizedType => true,
            // What stands before a dot can also be a namespace, which is no type, but has no arguments then.
            NodeKind::TypePropertyAccess | NodeKind::TypeItemsAccess | NodeKind::TypeArrayAccess => {
                has_arguments
            }
            _ => false,
        };
        let Some(direct) = self.place.above(1) else { return };
        let mut around = self.place.nodes.iter().rev().skip(1).skip_while(is_mark);
        let Some(parent) = around.next().copied() else { return };
        match parent.kind() {
            NodeKind::ParameterDeclaration if direct != parent => {
                self.add(ExpectedSyntax::Type(TypePlace::Other))
            }
            NodeKind::ParameterDeclaration => {
                if let Some(it) = ParameterDeclaration::cast(parent) {
                    self.add(ExpectedSyntax::Type(TypePlace::Parameter(it)));
                }
            }
            NodeKind::TypeDeclaration => {
                if let Some(it) = TypeDeclaration::cast(parent) {
                    self.add(ExpectedSyntax::Type(TypePlace::Declaration(it)));
                }
            }
            NodeKind::OutputDeclaration => self.add(ExpectedSyntax::Type(TypePlace::Output)),
            NodeKind::VariableDeclaration => {
                self.add(ExpectedSyntax::Type(TypePlace::Other));
                self.add(ExpectedSyntax::Words(&[Word::Assignment]));
            }
            NodeKind::ObjectTypeProperty
            | NodeKind::ObjectTypeAdditionalProperties
            | NodeKind::TupleTypeItem
            | NodeKind::TypedLocalVariable
            | NodeKind::TypedLambda => {
                self.add(ExpectedSyntax::Type(TypePlace::Other));
            }
            NodeKind::UnionType => self.add(ExpectedSyntax::Type(TypePlace::Member(access))),
            kind if is_instantiation(kind) => self.type_argument(parent),
            _ => {}
        }
    }

    /// A string, in which some places say what it should be.
    fn text(&mut self, text: SyntaxNode<'t>, token: SyntaxToken<'t>) {
        let Some(parent) = self.place.above(1) else { return };
        let is_whole = token.kind() == TokenKind::StringComplete;
        let is_part = |part: SyntaxNode<'t>| part == text;
        match parent.kind() {
            NodeKind::ObjectProperty if is_whole => {
                if let Some(property) = ObjectProperty::cast(parent)
                    && is_part(property.value().node())
                {
                    self.value(ValuePlace::Property(property));
                }
            }
            NodeKind::Array if is_whole => {
                if let Some(array) = Array::cast(parent) {
                    self.value(ValuePlace::Item(array));
                }
            }
            NodeKind::ParameterAssignment if is_whole => {
                if let Some(it) = ParameterAssignment::cast(parent) {
                    self.add(ExpectedSyntax::Value(ValuePlace::Assignment(it)));
                }
            }
            NodeKind::FunctionCall | NodeKind::InstanceFunctionCall if is_whole => self.argument(parent),
            NodeKind::ArrayAccess if is_whole => {
                if let Some(access) = ArrayAccess::cast(parent).filter(|it| is_part(it.index().node())) {
                    self.add(ExpectedSyntax::Index(access));
                    self.add(ExpectedSyntax::Symbols);
                }
            }
            NodeKind::ResourceDeclaration
                if ResourceDeclaration::cast(parent).is_some_and(|it| is_part(it.ty().node())) =>
            {
                self.add(ExpectedSyntax::ResourceType(Some(text)));
            }
            NodeKind::ResourceType if is_whole => self.add(ExpectedSyntax::ResourceType(Some(text))),
            NodeKind::ModuleDeclaration
                if ModuleDeclaration::cast(parent).is_some_and(|it| is_part(it.path().node())) =>
            {
                self.add(ExpectedSyntax::Path(PathKind::Module, Some(text)));
            }
            NodeKind::TestDeclaration
                if TestDeclaration::cast(parent).is_some_and(|it| is_part(it.path().node())) =>
            {
                self.add(ExpectedSyntax::Path(PathKind::Test, Some(text)));
            }
            NodeKind::TargetScope if is_whole => self.add(ExpectedSyntax::Value(ValuePlace::TargetScope)),
            NodeKind::UsingDeclaration => self.add(ExpectedSyntax::Path(PathKind::Using, Some(text))),
            NodeKind::ExtendsDeclaration => self.add(ExpectedSyntax::Path(PathKind::Extends, Some(text))),
            NodeKind::CompileTimeImportFromClause => {
                self.add(ExpectedSyntax::Path(PathKind::Module, Some(text)))
            }
            _ => {}
        }
    }
}

/// The object that is the body of a resource or module.
pub(super) fn body(value: Expr<'_>) -> Option<Object<'_>> {
    let mut value = value;
    // There is at most a loop with a condition in it.
    for _ in 0..3 {
        value = match value {
            Expr::For(each) => each.body(),
            Expr::IfCondition(condition) => condition.body(),
            Expr::Object(object) => return Some(object),
            _ => return None,
        };
    }
    None
}

fn is_instantiation(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::ParameterizedTypeInstantiation | NodeKind::InstanceParameterizedTypeInstantiation
    )
}
