//! The items of lists, without what separates them.

use super::{
    Array, AstNode, Decorator, Expr, FunctionCall, ImportedSymbolsList, ImportedSymbolsListItem,
    InstanceFunctionCall, InstanceParameterizedTypeInstantiation, IntegerLiteral, IntegerTypeLiteral,
    LocalVariable, Object, ObjectProperty, ObjectType, ObjectTypeAdditionalProperties, ObjectTypeProperty,
    ParameterizedTypeInstantiation, Program, SpreadExpression, Statement, TupleType, TupleTypeItem, TypeExpr,
    TypedLocalVariable, TypedVariableBlock, UnionType, VariableBlock,
};
use crate::tree::{SyntaxElement, SyntaxNode};

impl<'t> SyntaxNode<'t> {
    /// Returns the decorators of a declaration, type property or tuple item.
    pub fn decorators(self) -> impl DoubleEndedIterator<Item = Decorator<'t>> {
        self.child_nodes().filter_map(Decorator::cast)
    }
}

impl<'t> Program<'t> {
    /// Returns the declarations, in source order.
    pub fn statements(self) -> impl Iterator<Item = Statement<'t>> {
        self.node().child_nodes().filter(|node| !node.is_skipped()).filter_map(Statement::cast)
    }
}

/// Methods that pick the items of one kind, or all that is not a separator.
macro_rules! items {
    ($($(#[$doc:meta])* $view:ident.$method:ident -> $item:ident $($filter:ident)?;)*) => {$(
        impl<'t> $view<'t> {
            $(#[$doc])*
            pub fn $method(self) -> impl DoubleEndedIterator<Item = $item<'t>> {
                let nodes = self.items().filter_map(SyntaxElement::node);
                $(let nodes = nodes.filter(|node| !node.$filter());)?
                nodes.filter_map($item::cast)
            }
        }
    )*};
}

items! {
    /// Returns the values and spreads; text that could not be read is left out.
    Array.values -> Expr is_no_item;
    /// Returns the properties; nested resources and spreads are left out.
    Object.properties -> ObjectProperty;
    /// Returns the nested resource declarations.
    Object.declarations -> Statement is_skipped;
    /// Returns the spreads; what they spread may be no object.
    Object.spreads -> SpreadExpression;
    /// Returns the arguments; one that could not be read is skipped text and still counts.
    FunctionCall.arguments -> Expr is_separator;
    /// Returns the arguments; one that could not be read is skipped text and still counts.
    InstanceFunctionCall.arguments -> Expr is_separator;
    /// Returns the variables of a lambda or a loop, in order.
    VariableBlock.variables -> LocalVariable;
    /// Returns the parameters of a user-defined function, in order.
    TypedVariableBlock.variables -> TypedLocalVariable;
    /// Returns the imported symbols.
    ImportedSymbolsList.symbols -> ImportedSymbolsListItem;
    /// Returns the members of the union; text that could not be read is left out.
    UnionType.members -> TypeExpr is_no_item;
    /// Returns the items; text that could not be read is left out.
    TupleType.members -> TupleTypeItem;
    /// Returns the type arguments; one that could not be read is skipped text and still counts.
    ParameterizedTypeInstantiation.arguments -> TypeExpr is_separator;
    /// Returns the type arguments; one that could not be read is skipped text and still counts.
    InstanceParameterizedTypeInstantiation.arguments -> TypeExpr is_separator;
    /// Returns the declared properties.
    ObjectType.properties -> ObjectTypeProperty;
    /// Returns the types of properties that are not declared; more than one is a mistake.
    ObjectType.additional_properties -> ObjectTypeAdditionalProperties;
}

/// Methods that read an integer token.
macro_rules! integers {
    ($($view:ident)*) => {$(
        impl $view<'_> {
            /// Returns the value, without a sign.
            #[must_use]
            pub fn value(self) -> u64 {
                // The parser makes no literal of digits that do not fit.
                self.literal().and_then(|token| crate::literal::integer_value(token.text())).unwrap_or(u64::MAX)
            }
        }
    )*};
}

integers! { IntegerLiteral IntegerTypeLiteral }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::VariableDeclaration;
    use crate::{SourceKind, SyntaxTree, parse};

    fn first<'t, T: AstNode<'t>>(tree: &'t SyntaxTree) -> T {
        tree.root().descendants().find_map(T::cast).unwrap()
    }

    fn texts<'t, T: AstNode<'t>>(items: impl Iterator<Item = T>) -> Vec<&'t str> {
        items.map(|item| item.node().text()).collect()
    }

    #[test]
    fn items_come_without_separators() {
        let tree = parse("var a = f(b, [1, ...c], {\n  d: 1\n  ...e\n})", SourceKind::Bicep);
        assert_eq!(texts(first::<FunctionCall<'_>>(&tree).arguments()).len(), 3);
        assert_eq!(texts(first::<Array<'_>>(&tree).values()), ["1", "...c"]);
        assert_eq!(texts(first::<Object<'_>>(&tree).properties()), ["d: 1"]);
        assert_eq!(texts(first::<Object<'_>>(&tree).spreads()), ["...e"]);
    }

    #[test]
    fn arguments_that_cannot_be_read_still_count_and_array_items_do_not() {
        let tree = parse("var a = f(b c, +, [1, +])", SourceKind::Bicep);
        assert_eq!(texts(first::<FunctionCall<'_>>(&tree).arguments()), ["b", "c", "+", "[1, +]"]);
        assert_eq!(texts(first::<Array<'_>>(&tree).values()), ["1"]);
    }

    #[test]
    fn parts_are_found_whatever_stands_before_them() {
        let tree = parse("@a()\n@b()\nvar c = 1\nvar = 2", SourceKind::Bicep);
        let program: Program<'_> = first(&tree);
        assert_eq!(program.statements().count(), 2);
        let variable: VariableDeclaration<'_> = first(&tree);
        assert_eq!(variable.name().text(), "c");
        assert_eq!(variable.ty(), None);
        assert_eq!(texts(variable.node().decorators()), ["@a()", "@b()"]);
        assert!(matches!(variable.value(), Expr::IntegerLiteral(one) if one.value() == 1));
        let Some(Statement::VariableDeclaration(broken)) = program.statements().nth(1) else { panic!() };
        assert!(!broken.name().is_valid());
        assert_eq!(broken.name().text(), "<error>");
        assert_eq!(broken.assignment(), None);
    }

    #[test]
    fn unions_and_blocks_list_their_members() {
        let text = "type a =\n | 'b'\n | 2\nfunc f(x int, y int) int => x\nvar z = [for (i, j) in k: i]";
        let tree = parse(text, SourceKind::Bicep);
        assert_eq!(texts(first::<UnionType<'_>>(&tree).members()), ["'b'", "2"]);
        assert_eq!(texts(first::<TypedVariableBlock<'_>>(&tree).variables()), ["x int", "y int"]);
        assert_eq!(texts(first::<VariableBlock<'_>>(&tree).variables()), ["i", "j"]);
    }
}
