//! What a template declares, while it is written: resources, modules and loops.

use arm::expression::Expression;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use crate::code::BicepCode;
use crate::json::Json;

/// A resource or module.
#[derive(Debug)]
pub(crate) struct Symbol<'t> {
    /// Its declaration; none for resources that only lend their names to others.
    pub(crate) json: Option<&'t Json>,
    /// The name of its member, or its place in the list.
    pub(crate) step: SmolStr,
    /// What it is called where it is declared.
    pub(crate) own: String,
    /// What it is called elsewhere.
    pub(crate) name: String,
    pub(crate) ty: String,
    pub(crate) version: String,
    pub(crate) is_module: bool,
    pub(crate) is_existing: bool,
    pub(crate) is_loop: bool,
    /// Its name with those of its parents, or the parts of it that parents do not give.
    pub(crate) full_name: Expression,
    pub(crate) short_name: Expression,
    /// The same as code, where names were compared as code.
    pub(crate) short_code: Option<BicepCode>,
    /// The parts of the name, if they are known one by one.
    pub(crate) segments: Option<Vec<Expression>>,
    pub(crate) condition: Option<Expression>,
    /// The resource that its body names as its parent.
    pub(crate) parent: Option<usize>,
    /// Which element of the parent, if that is a collection.
    pub(crate) parent_index: Option<Expression>,
    /// The resource that it is declared in.
    pub(crate) nested_in: Option<usize>,
    pub(crate) children: Vec<usize>,
    /// The resource that it extends.
    pub(crate) scope: Option<usize>,
    /// The subscription and the resource group that it is in, if it is not in the template and elsewhere.
    pub(crate) group: Option<(Expression, Expression)>,
    /// The outputs of a module, and whether they are secure.
    pub(crate) outputs: FxHashMap<SmolStr, bool>,
    pub(crate) depends_on: Vec<Dependency>,
    /// What its body mentions, once that is written; only for resources that are not deployed.
    pub(crate) mentioned: Vec<usize>,
}

/// An entry of `dependsOn`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Dependency {
    Symbol(usize, Option<Expression>),
    Other(Json),
}

/// What a loop repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeats {
    /// A resource, module or output as a whole, which `copyIndex()` without a name means.
    Declaration,
    Variable,
    /// A member of an object.
    Member,
}

/// A loop that is being written.
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) repeats: Repeats,
    pub(crate) name: Option<SmolStr>,
    /// What is repeated for, if that is known.
    pub(crate) source: Option<Expression>,
    pub(crate) item: String,
    pub(crate) index: String,
    pub(crate) item_used: bool,
    pub(crate) index_used: bool,
}
