//! Types.

use super::{Allow, CLOSERS};
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::{TokenKind as T, TokenSet};
use crate::tree::Slot;

impl Parser<'_> {
    pub(super) fn type_expression(&mut self) -> Parsed {
        self.nested(|p| {
            let list = p.list();
            let starts_with_bar = p.at_union_bar();
            if starts_with_bar {
                p.push_union_bar();
            }
            let member = p.unary_type()?;
            if !starts_with_bar && !p.at_union_bar() {
                return Ok(member);
            }
            p.push(member);
            while p.at_union_bar() {
                p.push_union_bar();
                // A member on the line after its bar would swallow the declaration that follows an unfinished union.
                let member = if p.at(T::NewLine) {
                    p.missing_separator(Code::ExpectedTypeLiteral)
                } else {
                    p.recover(Reporting::Yes, TokenSet::NONE, Self::unary_type)
                };
                p.push(member);
            }
            Ok(p.node_of_list(list, NodeKind::UnionType))
        })
    }

    fn at_union_bar(&self) -> bool {
        self.at(T::Pipe) || (self.at(T::NewLine) && self.peek_ahead(1).kind == T::Pipe)
    }

    fn push_union_bar(&mut self) {
        self.push_new_lines();
        let bar = self.bump();
        self.push(bar);
    }

    fn unary_type(&mut self) -> Parsed {
        let mut current = if matches!(self.kind(), T::Exclamation | T::Minus) {
            let operator = self.bump();
            let operand = self.recover(Reporting::Yes, CLOSERS, Self::member_type);
            self.node(NodeKind::UnaryTypeOperation, [operator, operand])
        } else {
            self.member_type()?
        };
        loop {
            let kind = match self.kind() {
                T::Question => NodeKind::NullableType,
                T::Exclamation => NodeKind::NonNullableType,
                _ => return Ok(current),
            };
            self.check_height(current)?;
            let marker = self.bump();
            current = self.node(kind, [current, marker]);
        }
    }

    fn member_type(&mut self) -> Parsed {
        let mut current = self.primary_type()?;
        loop {
            current = match self.kind() {
                T::LeftSquare => self.index_type(current)?,
                T::Dot => self.dot_type(current),
                _ => return Ok(current),
            };
            self.check_height(current)?;
        }
    }

    fn index_type(&mut self, base: Slot) -> Parsed {
        let open = self.bump();
        match self.kind() {
            T::RightSquare => {
                let close = self.bump();
                Ok(self.node(NodeKind::ArrayType, [base, open, close]))
            }
            T::Asterisk => {
                let asterisk = self.bump();
                let close = self.expect_fixed(T::RightSquare)?;
                Ok(self.node(NodeKind::TypeItemsAccess, [base, open, asterisk, close]))
            }
            _ => {
                let index = self.expression(Allow::SIMPLE)?;
                let close = self.expect_fixed(T::RightSquare)?;
                Ok(self.node(NodeKind::TypeArrayAccess, [base, open, index, close]))
            }
        }
    }

    fn dot_type(&mut self, base: Slot) -> Slot {
        let dot = self.bump();
        if self.at(T::Asterisk) {
            let asterisk = self.bump();
            return self.node(NodeKind::TypeAdditionalPropertiesAccess, [base, dot, asterisk]);
        }
        let name = self.member_name();
        if !self.at(T::LeftChevron) {
            return self.node(NodeKind::TypePropertyAccess, [base, dot, name]);
        }
        let list = self.list();
        for part in [base, dot, name] {
            self.push(part);
        }
        self.type_arguments();
        self.node_of_list(list, NodeKind::InstanceParameterizedTypeInstantiation)
    }

    fn primary_type(&mut self) -> Parsed {
        match self.kind() {
            T::Identifier => {
                let name = self.bump();
                if !self.at(T::LeftChevron) {
                    return Ok(self.node(NodeKind::TypeVariableAccess, [name]));
                }
                let list = self.list();
                self.push(name);
                self.type_arguments();
                Ok(self.node_of_list(list, NodeKind::ParameterizedTypeInstantiation))
            }
            T::StringComplete | T::StringLeftPiece => Ok(self.string(NodeKind::StringTypeLiteral)),
            T::Integer => self.integer(NodeKind::IntegerTypeLiteral),
            T::TrueKeyword | T::FalseKeyword => Ok(self.literal(NodeKind::BooleanTypeLiteral)),
            T::NullKeyword => Ok(self.literal(NodeKind::NullTypeLiteral)),
            T::LeftBrace => self.object_type(),
            T::LeftSquare => self.tuple_type(),
            T::LeftParen => Ok(self.parenthesized_type()),
            _ => self.fail(Code::ExpectedType, Arg::None),
        }
    }

    /// Lists the arguments of a type with their angle brackets.
    fn type_arguments(&mut self) {
        const STOP: TokenSet = TokenSet::of([T::NewLine, T::Comma, T::RightChevron]);
        let open = self.bump();
        self.push(open);
        self.separated_by_commas(T::RightChevron, |p| p.recover(Reporting::Yes, STOP, Self::type_expression));
        self.push_closer(T::RightChevron);
    }

    fn object_type(&mut self) -> Parsed {
        let list = self.list();
        let open = self.bump();
        self.push(open);
        self.separated_by_lines_or_commas(T::RightBrace, Self::object_type_item);
        let close = self.expect_fixed(T::RightBrace)?;
        self.push(close);
        Ok(self.node_of_list(list, NodeKind::ObjectType))
    }

    fn object_type_item(&mut self) -> Slot {
        const ITEM: TokenSet = TokenSet::of([T::NewLine, T::RightBrace]);
        const KEY: TokenSet = ITEM.and(TokenSet::of([T::Colon]));
        let list = self.list();
        self.leading();
        let is_matcher = self.at(T::Asterisk);
        let key = self.recover(Reporting::Yes, KEY, |p| match p.kind() {
            T::Identifier | T::Asterisk => Ok(p.bump()),
            T::StringComplete | T::StringLeftPiece => p.string_or_fail(Code::ExpectedPropertyName),
            _ => p.fail(Code::ExpectedPropertyNameOrMatcher, Arg::None),
        });
        self.push(key);
        let report = self.report_after(key);
        let colon = self.recover(report, ITEM, |p| p.expect_fixed(T::Colon));
        self.push(colon);
        let report = self.report_after(colon);
        let value = self.recover(report, ITEM, Self::type_expression);
        self.push(value);
        let kind =
            if is_matcher { NodeKind::ObjectTypeAdditionalProperties } else { NodeKind::ObjectTypeProperty };
        self.node_of_list(list, kind)
    }

    fn tuple_type(&mut self) -> Parsed {
        let list = self.list();
        let open = self.bump();
        self.push(open);
        self.separated_by_lines_or_commas(T::RightSquare, Self::tuple_type_item);
        let close = self.expect_fixed(T::RightSquare)?;
        self.push(close);
        Ok(self.node_of_list(list, NodeKind::TupleType))
    }

    fn tuple_type_item(&mut self) -> Slot {
        const STOP: TokenSet = TokenSet::of([T::NewLine, T::RightSquare]);
        self.recover(Reporting::Yes, STOP, |p| {
            let list = p.list();
            p.leading();
            let value = p.type_expression()?;
            p.push(value);
            Ok(p.node_of_list(list, NodeKind::TupleTypeItem))
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn types_are_names_literals_or_made_of_types() {
        check(
            "type a = sys.string",
            "(TypeDeclaration type a = (TypePropertyAccess (TypeVariableAccess sys) . string))",
        );
        check("type a = 'b'", "(TypeDeclaration type a = (StringTypeLiteral 'b'))");
        check("type a = -1", "(TypeDeclaration type a = (UnaryTypeOperation - (IntegerTypeLiteral 1)))");
        check(
            "type a = !true",
            "(TypeDeclaration type a = (UnaryTypeOperation ! (BooleanTypeLiteral true)))",
        );
        check("type a = null", "(TypeDeclaration type a = (NullTypeLiteral null))");
        check(
            "type a = b[]?!",
            "(TypeDeclaration type a = (NonNullableType (NullableType (ArrayType (TypeVariableAccess b) [ ]) ?) !))",
        );
        check(
            "type a = (b)[]",
            "(TypeDeclaration type a = (ArrayType (ParenthesizedType ( (TypeVariableAccess b) )) [ ]))",
        );
        check(
            "type a = b<c, 'd'>.e<f>",
            "(TypeDeclaration type a = (InstanceParameterizedTypeInstantiation (ParameterizedTypeInstantiation b < (TypeVariableAccess c) , (StringTypeLiteral 'd') >) . e < (TypeVariableAccess f) >))",
        );
        check(
            "type a = b[*].c.*[0]",
            "(TypeDeclaration type a = (TypeArrayAccess (TypeAdditionalPropertiesAccess (TypePropertyAccess (TypeItemsAccess (TypeVariableAccess b) [ * ]) . c) . *) [ (IntegerLiteral 0) ]))",
        );
    }

    #[test]
    fn an_array_of_nullable_items_needs_parentheses() {
        check(
            "type a = (b?)[]",
            "(TypeDeclaration type a = (ArrayType (ParenthesizedType ( (NullableType (TypeVariableAccess b) ?) )) [ ]))",
        );
        check_broken(
            "type a = b?[]",
            "(TypeDeclaration type a = (NullableType (TypeVariableAccess b) ?))",
            &["BCP019 11..12"],
        );
    }

    #[test]
    fn unions_can_start_with_a_bar_and_break_lines_before_bars() {
        check(
            "type a = 'b' | 'c'",
            "(TypeDeclaration type a = (UnionType (StringTypeLiteral 'b') | (StringTypeLiteral 'c')))",
        );
        check("type a = | 'b'", "(TypeDeclaration type a = (UnionType | (StringTypeLiteral 'b')))");
        check(
            "type a =\n  | 'b'\n  | 'c'",
            "(TypeDeclaration type a = (UnionType ; | (StringTypeLiteral 'b') ; | (StringTypeLiteral 'c')))",
        );
    }

    #[test]
    fn objects_have_properties_and_a_matcher() {
        check(
            "type a = {b: int, 'c': string?, *: bool}",
            "(TypeDeclaration type a = (ObjectType { (ObjectTypeProperty b : (TypeVariableAccess int)) , (ObjectTypeProperty (String 'c') : (NullableType (TypeVariableAccess string) ?)) , (ObjectTypeAdditionalProperties * : (TypeVariableAccess bool)) }))",
        );
        check(
            "type a = {\n  @d()\n  b: int\n  @e()\n  *: string\n}",
            "(TypeDeclaration type a = (ObjectType { ; (ObjectTypeProperty (Decorator @ (FunctionCall d ( ))) ; b : (TypeVariableAccess int)) ; (ObjectTypeAdditionalProperties (Decorator @ (FunctionCall e ( ))) ; * : (TypeVariableAccess string)) ; }))",
        );
    }

    #[test]
    fn tuples_have_items() {
        check(
            "type a = [int, string]",
            "(TypeDeclaration type a = (TupleType [ (TupleTypeItem (TypeVariableAccess int)) , (TupleTypeItem (TypeVariableAccess string)) ]))",
        );
        check(
            "type a = [\n  @b()\n  int\n]",
            "(TypeDeclaration type a = (TupleType [ ; (TupleTypeItem (Decorator @ (FunctionCall b ( ))) ; (TypeVariableAccess int)) ; ]))",
        );
    }

    #[test]
    fn missing_types_are_reported() {
        check_broken(
            "type a = 'b' |",
            "(TypeDeclaration type a = (UnionType (StringTypeLiteral 'b') | (Skipped)))",
            &["BCP279 14..14"],
        );
        check_broken(
            "type a = 'b' |\nvar c = 1",
            "(TypeDeclaration type a = (UnionType (StringTypeLiteral 'b') | (Skipped)))",
            &["BCP300 14..14"],
        );
        check_broken(
            "type a = {1: int}",
            "(TypeDeclaration type a = (ObjectType { (ObjectTypeProperty (Skipped 1) : (TypeVariableAccess int)) }))",
            &["BCP317 10..11"],
        );
        check_broken(
            "type a = {b}",
            "(TypeDeclaration type a = (ObjectType { (ObjectTypeProperty b (Skipped) (Skipped)) }))",
            &["BCP018 11..12"],
        );
        check_broken(
            "type a = {b:}",
            "(TypeDeclaration type a = (ObjectType { (ObjectTypeProperty b : (Skipped)) }))",
            &["BCP279 12..13"],
        );
        check_broken(
            "type a = [,]",
            "(TypeDeclaration type a = (TupleType [ (Skipped ,) ]))",
            &["BCP279 10..11"],
        );
        check_broken(
            "type a = b<",
            "(TypeDeclaration type a = (ParameterizedTypeInstantiation b < (Skipped)))",
            &["BCP018 11..11"],
        );
        check("type a = b<>", "(TypeDeclaration type a = (ParameterizedTypeInstantiation b < >))");
        check_broken(
            "type a = b<c,>",
            "(TypeDeclaration type a = (ParameterizedTypeInstantiation b < (TypeVariableAccess c) , (Skipped) >))",
            &["BCP279 13..14"],
        );
        check_broken(
            "type a = b.",
            "(TypeDeclaration type a = (TypePropertyAccess (TypeVariableAccess b) . (Skipped)))",
            &["BCP020 11..11"],
        );
        check_broken("type a = b[c", "(TypeDeclaration type a = (Skipped b [ c))", &["BCP018 12..12"]);
        check_broken("type a = b[[]]", "(TypeDeclaration type a = (Skipped b [ [ ] ]))", &["BCP087 11..12"]);
        check_broken(
            "type a = ()",
            "(TypeDeclaration type a = (ParenthesizedType ( (Skipped) )))",
            &["BCP243 10..10"],
        );
        check_broken(
            "param a (b|c",
            "(ParameterDeclaration param a (ParenthesizedType ( (UnionType (TypeVariableAccess b) | (TypeVariableAccess c)) (Skipped)))",
            &["BCP018 12..12"],
        );
    }
}
