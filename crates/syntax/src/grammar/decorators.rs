//! Decorators before a declaration, a type property or a tuple item.

use super::{Allow, NEW_LINE};
use crate::diagnostics::{Arg, Code};
use crate::kind::NodeKind;
use crate::parser::{Parsed, Parser, Reporting};
use crate::token::TokenKind as T;
use crate::tree::Slot;

impl Parser<'_> {
    /// Lists decorators and the line breaks after each of them.
    pub(super) fn leading(&mut self) {
        while self.at(T::At) {
            let decorator = self.decorator();
            self.push(decorator);
            let new_line = self.recover_through(NEW_LINE, |p| p.expect(T::NewLine, Code::ExpectedNewLine));
            self.push(new_line);
            self.push_new_lines();
        }
    }

    fn decorator(&mut self) -> Slot {
        let at = self.bump();
        let expression = self.recover(Reporting::Yes, NEW_LINE, Self::decorator_expression);
        self.node(NodeKind::Decorator, [at, expression])
    }

    fn decorator_expression(&mut self) -> Parsed {
        let name = self.expect(T::Identifier, Code::ExpectedDecoratorName)?;
        let mut current = self.call_or_access(name, Allow::COMPLEX);
        while self.at(T::Dot) {
            self.check_height(current)?;
            let dot = self.bump();
            let name = self.member_name();
            current = if self.at(T::LeftParen) {
                let list = self.list();
                for part in [current, dot, name] {
                    self.push(part);
                }
                self.arguments(Allow::COMPLEX);
                self.node_of_list(list, NodeKind::InstanceFunctionCall)
            } else {
                self.node(NodeKind::PropertyAccess, [current, dot, Slot::NONE, name])
            };
        }
        Ok(current)
    }

    /// Takes an identifier after `.` or `::`, or says that it is missing.
    pub(super) fn member_name(&mut self) -> Slot {
        if self.at(T::Identifier) {
            self.bump()
        } else {
            self.missing_with(Code::ExpectedMemberName, Arg::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_broken};

    #[test]
    fn decorators_belong_to_the_declaration_below() {
        check(
            "@a()\n@b.c(1)\n\nparam d string",
            "(ParameterDeclaration (Decorator @ (FunctionCall a ( ))) ; (Decorator @ (InstanceFunctionCall (VariableAccess b) . c ( (IntegerLiteral 1) ))) ; param d (TypeVariableAccess string))",
        );
        check(
            "@a\nparam b string",
            "(ParameterDeclaration (Decorator @ (VariableAccess a)) ; param b (TypeVariableAccess string))",
        );
        check(
            "@a().b.c()\nvar d = 1",
            "(VariableDeclaration (Decorator @ (InstanceFunctionCall (PropertyAccess (FunctionCall a ( )) . b) . c ( ))) ; var d = (IntegerLiteral 1))",
        );
    }

    #[test]
    fn decorators_stand_alone_on_their_lines() {
        check_broken(
            "@a() b\nparam c string",
            "(ParameterDeclaration (Decorator @ (FunctionCall a ( ))) (Skipped b ;) param c (TypeVariableAccess string))",
            &["BCP019 5..6"],
        );
        check_broken(
            "@\nparam a string",
            "(ParameterDeclaration (Decorator @ (Skipped)) ; param a (TypeVariableAccess string))",
            &["BCP123 1..1"],
        );
        check_broken(
            "@a.\nparam b string",
            "(ParameterDeclaration (Decorator @ (PropertyAccess (VariableAccess a) . (Skipped))) ; param b (TypeVariableAccess string))",
            &["BCP020 3..3"],
        );
        check_broken(
            "@a(\nparam b string",
            "(MissingDeclaration (Decorator @ (FunctionCall a ( ; (VariableAccess param) (Skipped) (VariableAccess b) (Skipped) (VariableAccess string) (Skipped))) (Skipped))",
            &["BCP236 10..10", "BCP236 12..12", "BCP018 18..18", "BCP019 18..18"],
        );
    }

    #[test]
    fn decorators_need_a_declaration() {
        check("@a()\n", "(MissingDeclaration (Decorator @ (FunctionCall a ( ))) ;)");
        check_broken(
            "@a()\nbad",
            "(MissingDeclaration (Decorator @ (FunctionCall a ( ))) ;)",
            &["BCP007 5..8"],
        );
    }
}
