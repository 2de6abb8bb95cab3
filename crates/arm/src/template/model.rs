//! What a template declares.

use document::NodeId;
use smol_str::SmolStr;

use super::json::{Loop, Span, TemplateMember, TemplateNode};
use super::types::TypeDefinition;
use crate::evaluate::UserFunction;

/// A parameter that the template declares.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Its name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// Where the declaration stands.
    pub span: Span,
    /// What its values look like.
    pub ty: TypeDefinition,
    /// The value that is used when none is given.
    pub default: Option<TemplateNode>,
}

/// A variable that the template declares.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// What its value is made from.
    pub value: VariableValue,
}

/// What a variable is made from.
#[derive(Clone, Debug)]
pub enum VariableValue {
    /// A value with expressions in it.
    Json(TemplateNode),
    /// A loop: an array with an element for each iteration.
    Loop(Box<Loop>),
}

/// A function that the template defines.
#[derive(Clone, Debug)]
pub struct Function {
    /// The namespace as written.
    pub namespace: SmolStr,
    /// The name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// The types of its parameters, in order; their names are in [`Function::call`].
    pub parameters: Vec<TypeDefinition>,
    /// The type of its result.
    pub result: TypeDefinition,
    /// Where the result is written.
    pub value_span: Span,
    /// The function as expressions call it.
    pub call: UserFunction,
}

/// An extension that resources can belong to.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The name by which the template refers to it.
    pub alias: SmolStr,
    /// Where the alias stands.
    pub alias_span: Span,
    /// The extension's own name.
    pub name: SmolStr,
    /// The version of the extension that the template asks for.
    pub version: SmolStr,
    /// How it is configured: an object, in which each member declares a value.
    pub config: Option<TemplateNode>,
    /// The settings of which the template says the type.
    pub settings: Vec<DeclaredSetting>,
}

/// A setting of an extension as a template declares it.
#[derive(Clone, Debug)]
pub struct DeclaredSetting {
    /// Its name as written.
    pub name: SmolStr,
    /// What its value looks like.
    pub ty: TypeDefinition,
    /// Whether there is a value where none is given.
    pub has_default: bool,
}

/// An output that the template declares.
#[derive(Clone, Debug)]
pub struct OutputDeclaration {
    /// Its name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// Where the declaration stands.
    pub span: Span,
    /// What its value looks like.
    pub ty: TypeDefinition,
    /// What it is made from.
    pub value: OutputValue,
    /// Whether it is there at all.
    pub condition: Option<TemplateNode>,
}

/// What an output is made from.
#[derive(Clone, Debug)]
pub enum OutputValue {
    /// A value with expressions in it.
    Json(TemplateNode),
    /// A loop without a name: an array with an element for each iteration.
    Loop {
        /// How many iterations there are.
        count: Box<TemplateNode>,
        /// What is evaluated each time.
        input: Box<TemplateNode>,
    },
}

/// A statement about a deployment that has to be true.
#[derive(Clone, Debug)]
pub struct Assert {
    /// Its name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// What has to be true.
    pub value: TemplateNode,
}

/// A resource, or a nested deployment.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The name by which the template refers to it, where resources have such names.
    pub symbol: Option<SmolStr>,
    /// The bytes of the whole declaration.
    pub span: Span,
    /// The resource that it was written inside of, by its position in [`super::Content::resources`].
    pub parent: Option<usize>,
    /// Whether it is only read.
    pub existing: bool,
    /// The type. For one that was written inside another, the whole type.
    pub kind: TemplateNode,
    /// The version of the API.
    pub api_version: Option<TemplateNode>,
    /// The name; resources of extensions have none. For one that was written inside another, the whole name.
    pub name: Option<TemplateNode>,
    /// Whether it is deployed.
    pub condition: Option<TemplateNode>,
    /// The loop that it is deployed in.
    pub copy: Option<Box<ResourceLoop>>,
    /// What has to be deployed before.
    pub depends_on: Option<TemplateNode>,
    /// The scope, if it is not that of the deployment.
    pub scope: Option<TemplateNode>,
    /// The resource group of a nested deployment.
    pub resource_group: Option<TemplateNode>,
    /// The subscription of a nested deployment.
    pub subscription_id: Option<TemplateNode>,
    /// The alias of the extension that the resource belongs to.
    pub extension: Option<SmolStr>,
    /// The method that deploys it, if it is not `PUT`.
    pub method: Option<TemplateNode>,
    /// How it is deployed, beyond what templates say otherwise: the members of `@options`.
    pub options: Vec<ResourceOption>,
    /// The nested deployment, if it is one.
    pub nested: Option<Nested>,
    /// All other members, which make up the body: `location`, `tags`, `properties` and the like.
    pub body: Vec<TemplateMember>,
}

/// A nested deployment. Its members stand in the body's `properties`, too.
#[derive(Clone, Debug)]
pub struct Nested {
    /// The template, if it is written there.
    pub template: Option<NodeId>,
    /// Whether the nested template's expressions are evaluated with its own parameters and variables.
    pub inner_scope: bool,
}

/// Whose parameters, variables and functions the expressions of a nested template use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationScope {
    /// Those of the template around.
    Outer,
    /// Its own, so that it sees nothing of the template around.
    Inner,
}

impl EvaluationScope {
    /// What can be written for it; not to specify it means the outer one.
    pub const WORDS: &[&str] = &["NotSpecified", "Outer", "Inner"];

    /// The scope that a text names, by whatever case.
    pub fn parse(text: &str) -> Option<EvaluationScope> {
        match Self::WORDS.iter().position(|word| word.eq_ignore_ascii_case(text))? {
            2 => Some(EvaluationScope::Inner),
            _ => Some(EvaluationScope::Outer),
        }
    }
}

/// The loop of a resource.
#[derive(Clone, Debug)]
pub struct ResourceLoop {
    /// Its name; none where the symbolic name stands for it.
    pub name: Option<SmolStr>,
    /// How many resources there are.
    pub count: TemplateNode,
    /// `parallel` or `serial`; parallel if it is not said.
    pub mode: Option<TemplateNode>,
    /// How many are deployed at a time when they are deployed one batch after the other.
    pub batch_size: Option<TemplateNode>,
    /// The bytes of the loop.
    pub span: Span,
}

/// A member of `@options`.
#[derive(Clone, Debug)]
pub struct ResourceOption {
    /// Its name as written.
    pub name: SmolStr,
    /// Where the name stands.
    pub name_span: Span,
    /// What it is given; lambdas are expressions.
    pub arguments: Vec<TemplateNode>,
}
