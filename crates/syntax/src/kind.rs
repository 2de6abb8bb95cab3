//! The table of node kinds: one row per kind, with its parts in source order.
//!
//! A row reads `Kind(part: slot, ...) ..list(part: slot, ...)`: parts with a fixed place from the start, then a list of
//! any length, then parts with a fixed place from the end. The table makes [`NodeKind`] here, and a typed view per kind and
//! one enum per section in `ast`, where the slots are explained.
//!
//! Names follow the reference compiler's classes, so that its documentation and dumps can be read side by side.

/// Makes the kinds.
macro_rules! node_kinds {
    ($(
        $(#[$_section_doc:meta])*
        $_section:ident {$(
            $(#[$doc:meta])*
            $kind:ident ( $($head:ident : $head_slot:tt),* ) $( .. $rest:ident ( $($tail:ident : $tail_slot:tt),* ) )? ;
        )*}
    )*) => {
        /// What a node is.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum NodeKind {
            $($($(#[$doc])* $kind,)*)*
            /// Tokens that fit nowhere, or a part that is missing.
            Skipped,
            /// Several line breaks with comments between them, where the grammar allows line breaks.
            NewLines,
        }

        impl NodeKind {
            /// All kinds, in the table's order.
            pub const ALL: &'static [Self] = &[$($(Self::$kind,)*)* Self::Skipped, Self::NewLines];

            /// Returns the kind's name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$kind => stringify!($kind),)*)*
                    Self::Skipped => "Skipped",
                    Self::NewLines => "NewLines",
                }
            }

            /// Returns the parts at the start, as name and slot.
            #[must_use]
            pub const fn head(self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $($(Self::$kind => &[$((stringify!($head), stringify!($head_slot)),)*],)*)*
                    Self::Skipped | Self::NewLines => &[],
                }
            }

            /// Returns the parts at the end, as name and slot.
            #[must_use]
            pub const fn tail(self) -> &'static [(&'static str, &'static str)] {
                match self {
                    $($(Self::$kind => &[$($((stringify!($tail), stringify!($tail_slot)),)*)?],)*)*
                    Self::Skipped | Self::NewLines => &[],
                }
            }

            /// Returns the name of the list between head and tail, if the kind has one.
            #[must_use]
            pub const fn list(self) -> Option<&'static str> {
                match self {
                    $($(Self::$kind => node_kinds!(@list $($rest)?),)*)*
                    Self::Skipped => Some("elements"),
                    Self::NewLines => Some("tokens"),
                }
            }
        }
    };
    (@list) => { None };
    (@list $rest:ident) => { Some(stringify!($rest)) };
}

/// The rows, handed to whatever makes something of them.
macro_rules! node_table {
    ($make:ident) => {
        $make! {
            /// A declaration, decorators included.
            Statement {
                /// `targetScope = value`
                TargetScope() ..leading(keyword: token, assignment: token, value: expr);
                /// `metadata name = value`
                MetadataDeclaration() ..leading(keyword: token, name: name, assignment: token, value: expr);
                /// `param name type = default`
                ParameterDeclaration() ..leading(keyword: token, name: name, ty: ty, modifier: element);
                /// `var name type = value`
                VariableDeclaration() ..leading(keyword: token, name: name, ty: opt_ty, assignment: token, value: expr);
                /// `type name = value`
                TypeDeclaration() ..leading(keyword: token, name: name, assignment: token, value: ty);
                /// `func name(a string) string => body`
                FunctionDeclaration() ..leading(keyword: token, name: name, lambda: [TypedLambda]);
                /// `resource name 'type@version' existing = body`
                ResourceDeclaration() ..leading(
                    keyword: token, name: name, ty: expr, existing: token, assignment: token, new_lines: element, value: expr
                );
                /// `module name 'path' = body`
                ModuleDeclaration() ..leading(
                    keyword: token, name: name, path: expr, assignment: token, new_lines: element, value: expr
                );
                /// `test name 'path' = body`
                TestDeclaration() ..leading(keyword: token, name: name, path: expr, assignment: token, value: expr);
                /// `output name type = value`
                OutputDeclaration() ..leading(keyword: token, name: name, ty: ty, assignment: token, value: expr);
                /// `assert name = condition`
                AssertDeclaration() ..leading(keyword: token, name: name, assignment: token, value: expr);
                /// `import {a, b as c} from 'path'` or `import * as ns from 'path'`
                CompileTimeImportDeclaration() ..leading(keyword: token, imported: element, from_clause: [CompileTimeImportFromClause]);
                /// `extension name with {...} as alias`
                ExtensionDeclaration() ..leading(
                    keyword: token, specification: name_or_string, with_clause: [ExtensionWithClause], as_clause: [AliasAsClause]
                );
                /// `extensionConfig alias with {...}`, in a parameters file.
                ExtensionConfigAssignment() ..leading(keyword: token, alias: name, with_clause: [ExtensionWithClause]);
                /// `using 'path' with {...}`, in a parameters file.
                UsingDeclaration() ..leading(keyword: token, path: expr, with_clause: [UsingWithClause]);
                /// `extends 'path'`, in a parameters file.
                ExtendsDeclaration() ..leading(keyword: token, path: expr);
                /// `param name = value`, in a parameters file.
                ParameterAssignment() ..leading(keyword: token, name: name, assignment: token, value: expr);
                /// Decorators that no declaration follows.
                MissingDeclaration() ..leading();
            }

            /// A part of a declaration or of a list, or the whole file.
            Part {
                /// A whole file: statements, line breaks and skipped text.
                Program() ..items(end_of_file: token);
                /// `@name(...)`
                Decorator(at: token, expression: expr);
                /// `= value` of a parameter.
                ParameterDefaultValue(assignment: token, value: expr);
                /// `{a, b as c}` of an import.
                ImportedSymbolsList(open_brace: token) ..items(close_brace: token);
                /// `a as b` in an import.
                ImportedSymbolsListItem(original_name: name_or_string, as_clause: [AliasAsClause]);
                /// `* as ns` of an import.
                WildcardImport(wildcard: token, as_clause: [AliasAsClause]);
                /// `as name`
                AliasAsClause(keyword: token, alias: name);
                /// `from 'path'`
                CompileTimeImportFromClause(keyword: token, path: expr);
                /// `with {...}` of an extension.
                ExtensionWithClause(keyword: token, config: expr);
                /// `with {...}` of a `using` declaration.
                UsingWithClause(keyword: token, config: expr);
                /// `key: value`
                ObjectProperty(key: name_or_string, colon: token, value: expr);
                /// The declaration of a lambda's or loop's variable.
                LocalVariable(name: name);
                /// `(a, b)` before the arrow of a lambda or after `for`.
                VariableBlock(open_paren: token) ..items(close_paren: token);
                /// `a string` among a function's parameters.
                TypedLocalVariable(name: name, ty: ty);
                /// `(a string, b int)` of a function.
                TypedVariableBlock(open_paren: token) ..items(close_paren: token);
                /// `(a string) string => body` of a function.
                TypedLambda(variables: [TypedVariableBlock], return_type: ty, arrow: token, new_lines: element, body: expr);
                /// `key: type`
                ObjectTypeProperty() ..leading(key: name_or_string, colon: token, value: ty);
                /// `*: type`
                ObjectTypeAdditionalProperties() ..leading(asterisk: token, colon: token, value: ty);
                /// A type in a tuple.
                TupleTypeItem() ..leading(value: ty);
            }

            /// A value, or the body of a resource or module.
            Expr {
                /// `true` or `false`
                BooleanLiteral(literal: token);
                /// `42`
                IntegerLiteral(literal: token);
                /// `null`
                NullLiteral(literal: token);
                /// `none` of a `using` declaration.
                NoneLiteral(literal: token);
                /// `'text ${value} text'`: string pieces with the expressions of the holes between them.
                String() ..parts();
                /// `[a, b]`
                Array(open_bracket: token) ..items(close_bracket: token);
                /// `{a: 1, b: 2}`
                Object(open_brace: token) ..items(close_brace: token);
                /// `...value`
                SpreadExpression(ellipsis: token, expression: expr);
                /// `(value)`
                ParenthesizedExpression(open_paren: token, expression: expr, close_paren: token);
                /// `name`
                VariableAccess(name: name);
                /// `name(a, b)`
                FunctionCall(name: name, open_paren: token) ..items(close_paren: token);
                /// `base.name(a, b)`
                InstanceFunctionCall(base: expr, dot: token, name: name, open_paren: token) ..items(close_paren: token);
                /// `base.name` or `base.?name`
                PropertyAccess(base: expr, dot: token, safe_access: token, name: name);
                /// `base[index]`, `base[?index]` or `base[^index]`
                ArrayAccess(
                    base: expr, open_square: token, safe_access: token, from_end: token, index: expr, close_square: token
                );
                /// `base::name`
                ResourceAccess(base: expr, double_colon: token, name: name);
                /// `base!`
                NonNullAssertion(base: expr, operator: token);
                /// `!value` or `-value`
                UnaryOperation(operator: token, operand: expr);
                /// `left + right`
                BinaryOperation(left: expr, operator: token, right: expr);
                /// `condition ? a : b`
                TernaryOperation(
                    condition: expr, new_lines_before_question: element, question: token, true_expression: expr,
                    new_lines_before_colon: element, colon: token, false_expression: expr
                );
                /// `x => body` or `(x, y) => body`
                Lambda(variables: element, arrow: token, new_lines: element, body: expr);
                /// `[for item in items: body]`
                For(
                    open_square: token, open_new_lines: element, for_keyword: token, variables: element, in_keyword: token,
                    expression: expr, colon: token, body: expr, close_new_lines: element, close_square: token
                );
                /// `if (condition) {...}`
                IfCondition(keyword: token, condition: expr, body: expr);
            }

            /// A type.
            TypeExpr {
                /// `name`
                TypeVariableAccess(name: name);
                /// `resource 'type@version'`
                ResourceType(keyword: token, ty: opt_expr);
                /// `name<a, b>`
                ParameterizedTypeInstantiation(name: name, open_chevron: token) ..items(close_chevron: token);
                /// `base.name<a, b>`
                InstanceParameterizedTypeInstantiation(base: ty, dot: token, name: name, open_chevron: token)
                    ..items(close_chevron: token);
                /// `{a: string, *: int}`
                ObjectType(open_brace: token) ..items(close_brace: token);
                /// `[string, int]`
                TupleType(open_bracket: token) ..items(close_bracket: token);
                /// `item[]`
                ArrayType(item: ty, open_bracket: token, close_bracket: token);
                /// `'a' | 'b'`: types with the bars and line breaks between them.
                UnionType() ..items();
                /// `base?`
                NullableType(base: ty, marker: token);
                /// `base!`
                NonNullableType(base: ty, marker: token);
                /// `-1` or `!true`
                UnaryTypeOperation(operator: token, operand: ty);
                /// `(type)`
                ParenthesizedType(open_paren: token, expression: ty, close_paren: token);
                /// `base.name`
                TypePropertyAccess(base: ty, dot: token, name: name);
                /// `base.*`
                TypeAdditionalPropertiesAccess(base: ty, dot: token, asterisk: token);
                /// `base[index]`
                TypeArrayAccess(base: ty, open_square: token, index: expr, close_square: token);
                /// `base[*]`
                TypeItemsAccess(base: ty, open_square: token, asterisk: token, close_square: token);
                /// `'text'`, with the same parts as a string.
                StringTypeLiteral() ..parts();
                /// `42`
                IntegerTypeLiteral(literal: token);
                /// `true` or `false`
                BooleanTypeLiteral(literal: token);
                /// `null`
                NullTypeLiteral(literal: token);
            }
        }
    };
}
pub(crate) use node_table;

node_table!(node_kinds);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_fit_a_byte_and_know_their_parts() {
        assert_eq!(size_of::<NodeKind>(), 1);
        assert_eq!(NodeKind::BinaryOperation.head().len(), 3);
        assert_eq!(NodeKind::VariableDeclaration.list(), Some("leading"));
        assert_eq!(NodeKind::VariableDeclaration.tail().first(), Some(&("keyword", "token")));
    }
}
