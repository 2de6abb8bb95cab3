//! What can be written at a place.

use syntax::SyntaxNode;
use syntax::ast::{
    Array, ArrayAccess, CompileTimeImportDeclaration, Decorator, ExtensionDeclaration, InstanceFunctionCall,
    Object, ObjectProperty, OutputDeclaration, ParameterAssignment, ParameterDeclaration, PropertyAccess,
    ResourceAccess, ResourceDeclaration, Statement, TypeDeclaration, TypeExpr, TypePropertyAccess,
    UsingWithClause, VariableDeclaration,
};

/// Something that can be written at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExpectedSyntax<'t> {
    /// A declaration, from its first word on.
    Declaration,
    /// A resource inside the body of another one.
    NestedResource(ResourceDeclaration<'t>),
    Type(TypePlace<'t>),
    /// The name of a member of a type.
    TypeMember(TypePropertyAccess<'t>),
    /// What stands in the brackets behind a type.
    TypeIndex(TypeExpr<'t>),
    /// An argument of a type.
    TypeArgument(SyntaxNode<'t>, usize),
    /// The type of a resource, in quotes; what was written of it so far.
    ResourceType(Option<SyntaxNode<'t>>),
    /// One of a few words.
    Words(&'static [Word]),
    /// The name of a property.
    PropertyName {
        object: Object<'t>,
        /// Whether the colon is there already.
        has_colon: bool,
    },
    /// The name of a property or method.
    Member(PropertyAccess<'t>),
    /// The name of a method whose arguments are there already.
    Method(InstanceFunctionCall<'t>),
    /// The name of a nested resource.
    NestedName(ResourceAccess<'t>),
    /// The name of a property, in quotes between brackets.
    Index(ArrayAccess<'t>),
    /// A value of a certain type.
    Value(ValuePlace<'t>),
    /// A symbol or function: any expression.
    Symbols,
    /// The body of a resource, module or test.
    Body(Statement<'t>),
    /// The name of a decorator.
    Decorator(Decorator<'t>),
    /// The path of a file or the name of a module.
    Path(PathKind, Option<SyntaxNode<'t>>),
    /// What to import from a file.
    ImportForm,
    /// A name that another file exports.
    ImportedName(CompileTimeImportDeclaration<'t>),
    /// The name of an extension.
    ExtensionName,
    /// The name of a parameter, in a parameters file.
    ParameterName,
}

/// A place for a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TypePlace<'t> {
    /// The type of a parameter.
    Parameter(ParameterDeclaration<'t>),
    /// The type of an output.
    Output,
    /// What a `type` stands for.
    Declaration(TypeDeclaration<'t>),
    /// A member of a union, which has to be a literal.
    Member(SyntaxNode<'t>),
    Other,
}

/// A place for a value whose type is known from what is around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValuePlace<'t> {
    /// The value of a property.
    Property(ObjectProperty<'t>),
    /// An item of an array.
    Item(Array<'t>),
    /// A part of an expression that is missing.
    Part(SyntaxNode<'t>),
    /// The default of a parameter.
    Default(ParameterDeclaration<'t>),
    /// The value of a variable.
    Variable(VariableDeclaration<'t>),
    /// The value of an output.
    Output(OutputDeclaration<'t>),
    /// The value of a parameter, in a parameters file.
    Assignment(ParameterAssignment<'t>),
    /// The scope that a file is deployed to.
    TargetScope,
    /// The condition of an assertion.
    Assert,
    /// An argument of a call, by its position.
    Argument(SyntaxNode<'t>, usize),
    /// The configuration of an extension.
    ExtensionConfig(ExtensionDeclaration<'t>),
    /// The configuration of a `using` declaration.
    UsingConfig(UsingWithClause<'t>),
}

/// A word that can only stand at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Assignment,
    Existing,
    With,
    As,
    From,
}

/// Which files a path can lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathKind {
    /// Programs and templates, also those of registries.
    Module,
    /// Programs, for a test.
    Test,
    /// Programs and templates that a parameters file is for.
    Using,
    Extends,
}
