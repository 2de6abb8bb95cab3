//! The table of layouts: one row for each kind of node.

use super::document::Flat;
use crate::NodeKind;

/// How the parts of a node are put together. Decorators before the parts are items of the list that the node is in.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeLayout {
    /// One after the other.
    Glued,
    /// With a blank between them.
    Spread,
    /// The first two glued, then the others with a blank between them: `key: value`.
    Entry,
    /// The last two glued: `func name(...)`.
    Function,
    /// With a blank between them; line breaks stay where comments are between them.
    Body,
    /// The parts before the opening bracket glued to it, then the items of the list.
    List(&'static List),
    /// Members of a union.
    Union,
    /// Parts that can go on lines of their own.
    Ternary,
    /// Parts of which the body can go on a line of its own.
    Lambda,
    /// The same with types.
    TypedLambda,
    /// `[for item in items: body]`
    Loop,
    /// As in the source, apart from line breaks.
    Text,
    /// Line breaks and the comments on their lines.
    Lines,
    Program,
}

/// How the items of a list in brackets are put together.
#[derive(Debug)]
pub(super) struct List {
    /// What is between the items on one line.
    pub(super) separator: Flat,
    /// What is inside of each bracket on one line.
    pub(super) padding: Flat,
    /// Whether a comma stays behind each item but the last.
    pub(super) commas: bool,
    /// Whether a list that starts with a line break stays on lines of its own.
    pub(super) keeps_lines: bool,
    /// Whether the only item is neither indented nor on a line of its own.
    pub(super) hugs_only_item: bool,
    /// Whether an object or array as the last of several items keeps the others on one line.
    pub(super) has_tail: bool,
    /// Whether the list is on one line however long it is.
    pub(super) flat: bool,
}

const ARRAY: List = List {
    separator: Flat::CommaSpace,
    padding: Flat::Empty,
    commas: false,
    keeps_lines: true,
    hugs_only_item: false,
    has_tail: false,
    flat: false,
};
const OBJECT: List = List { padding: Flat::Space, ..ARRAY };
const TUPLE: List = List { keeps_lines: false, ..ARRAY };
const VARIABLES: List = List { separator: Flat::Space, commas: true, keeps_lines: false, ..ARRAY };
const ARGUMENTS: List = List { hugs_only_item: true, has_tail: true, ..VARIABLES };
// The names of resource types are long and read best on one line.
const TYPE_ARGUMENTS: List = List { keeps_lines: true, flat: true, ..VARIABLES };
/// The two variables of a loop, between which the grammar has no line break.
pub(super) const LOOP_VARIABLES: List = List { flat: true, ..VARIABLES };
/// The brackets of a loop around its only item.
pub(super) const LOOP: List = List { separator: Flat::Empty, ..TUPLE };

/// Returns the row of a kind of node.
pub(super) const fn row(kind: NodeKind) -> NodeLayout {
    use NodeKind as K;
    match kind {
        K::TargetScope
        | K::MetadataDeclaration
        | K::ParameterDeclaration
        | K::VariableDeclaration
        | K::TypeDeclaration
        | K::TestDeclaration
        | K::OutputDeclaration
        | K::AssertDeclaration
        | K::CompileTimeImportDeclaration
        | K::ExtensionDeclaration
        | K::ExtensionConfigAssignment
        | K::UsingDeclaration
        | K::ExtendsDeclaration
        | K::ParameterAssignment
        | K::MissingDeclaration
        | K::ParameterDefaultValue
        | K::ImportedSymbolsListItem
        | K::WildcardImport
        | K::AliasAsClause
        | K::CompileTimeImportFromClause
        | K::ExtensionWithClause
        | K::UsingWithClause
        | K::TypedLocalVariable
        | K::BinaryOperation
        | K::IfCondition => NodeLayout::Spread,

        K::Decorator
        | K::LocalVariable
        | K::TupleTypeItem
        | K::BooleanLiteral
        | K::IntegerLiteral
        | K::NullLiteral
        | K::NoneLiteral
        | K::SpreadExpression
        | K::ParenthesizedExpression
        | K::VariableAccess
        | K::PropertyAccess
        | K::ArrayAccess
        | K::ResourceAccess
        | K::NonNullAssertion
        | K::UnaryOperation
        | K::TypeVariableAccess
        | K::ArrayType
        | K::NullableType
        | K::NonNullableType
        | K::UnaryTypeOperation
        | K::ParenthesizedType
        | K::TypePropertyAccess
        | K::TypeAdditionalPropertiesAccess
        | K::TypeArrayAccess
        | K::TypeItemsAccess
        | K::IntegerTypeLiteral
        | K::BooleanTypeLiteral
        | K::NullTypeLiteral => NodeLayout::Glued,
        // UPSTREAM: no blank before the name of the type.
        K::ResourceType => NodeLayout::Glued,

        K::ObjectProperty | K::ObjectTypeProperty | K::ObjectTypeAdditionalProperties => NodeLayout::Entry,
        K::FunctionDeclaration => NodeLayout::Function,
        K::ResourceDeclaration | K::ModuleDeclaration => NodeLayout::Body,

        K::Array => NodeLayout::List(&ARRAY),
        K::Object | K::ObjectType | K::ImportedSymbolsList => NodeLayout::List(&OBJECT),
        K::TupleType => NodeLayout::List(&TUPLE),
        K::VariableBlock | K::TypedVariableBlock => NodeLayout::List(&VARIABLES),
        K::FunctionCall | K::InstanceFunctionCall => NodeLayout::List(&ARGUMENTS),
        K::ParameterizedTypeInstantiation | K::InstanceParameterizedTypeInstantiation => {
            NodeLayout::List(&TYPE_ARGUMENTS)
        }

        K::UnionType => NodeLayout::Union,
        K::TernaryOperation => NodeLayout::Ternary,
        K::Lambda => NodeLayout::Lambda,
        K::TypedLambda => NodeLayout::TypedLambda,
        K::For => NodeLayout::Loop,
        K::String | K::StringTypeLiteral | K::Skipped => NodeLayout::Text,
        K::NewLines => NodeLayout::Lines,
        K::Program => NodeLayout::Program,
    }
}

/// The kinds of nodes that have decorators before their parts, one bit each.
const LEADING: u128 = {
    let mut bits = 0;
    let mut rest = NodeKind::ALL;
    while let [kind, tail @ ..] = rest {
        if let Some(list) = kind.list()
            && let b"leading" = list.as_bytes()
        {
            bits |= 1 << *kind as u8;
        }
        rest = tail;
    }
    bits
};

/// Tells whether decorators stand before the parts of such a node.
pub(super) const fn has_leading(kind: NodeKind) -> bool {
    LEADING & (1 << kind as u8) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_with_decorators_fit_their_bits() {
        assert!(NodeKind::ALL.len() <= 128);
        let with_decorators = NodeKind::ALL.iter().filter(|kind| has_leading(**kind));
        assert_eq!(with_decorators.count(), 18 + 3);
    }
}
