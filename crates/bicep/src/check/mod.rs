//! Everything that can be wrong with a file beyond its syntax: names, types, and what templates cannot say.
//!
//! `check` gives the findings of one file, sorted and with those taken out that the file switches off, and its
//! [`Interface`]: the types of what other files can use of it. Each expression is typed once.

mod access;
mod built_ins;
mod calls;
mod check_cache;
mod constants;
mod context;
mod declarations;
mod decorator_uses;
mod decorators;
mod expected;
mod expressions;
mod files;
mod fold;
mod inlined;
mod interface;
mod loops;
mod modules;
mod names;
mod narrow;
mod node_set;
mod nodes;
mod operators;
mod params;
mod resources;
mod runtime;
mod scopes;
mod suppress;
mod template_rules;
mod template_types;
mod test_file;
mod type_order;
mod type_syntax;
mod typed;
mod validators;

use std::sync::Arc;

use arm::Value;
use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Statement};
use syntax::{NodeId, Span, SyntaxNode};

pub(crate) use interface::{ExportedItem, Interface};

pub(crate) use self::built_ins::name_of;
pub(crate) use self::calls::arguments_span;
pub(crate) use self::check_cache::CheckCache;
pub(crate) use self::constants::constants;
pub(crate) use self::expressions::Errors;
pub(crate) use self::narrow::discreet;
use self::node_set::NodeSet;
pub(crate) use self::nodes::{body, declared_name, items as array_items};
pub(crate) use self::suppress::unsuppressed;
pub(crate) use self::test_file::{has_sound_tests, sound_tests};
pub(crate) use self::typed::{TypeTable, ask, ask_fresh, typed};
pub(crate) use self::validators::is_verdict;
use crate::codes;
use crate::files::ModuleIndex;
use crate::finding::Finding;
use crate::layout::Inlined;
use crate::symbols::{Model, ModuleTarget, ResourceId, SymbolId};
use crate::types::azure::DeclarationFlags;
use crate::types::{BuiltIn, LaterType, RecentTypes, ResourceTy, Signature, Ty, TypeRef};
use crate::work::{MAX_WORK, WorkBudget};
use crate::world::{FilePath, World};

/// What a check needs from outside: the files that the file refers to, and the machine.
pub(crate) trait CheckHost {
    /// What another file offers.
    fn interface(&self, target: &ModuleTarget) -> Arc<Interface>;
    /// Where files come from.
    fn world(&self) -> &dyn World;
    /// The day that ages are counted to, where it is known.
    fn today(&self) -> Option<time::Date>;
    /// An index of modules, or why it cannot be had.
    fn module_index(&self, path: &FilePath) -> Result<Arc<ModuleIndex>, String>;
    /// The resource types that were needed last.
    fn recent_types(&self) -> &RecentTypes;
    /// Adds what the linter finds in a file whose declarations were checked.
    fn lint(&self, checker: &mut Checker<'_>);
    /// Tells whether a code is the language's own, and not that of a rule of the linter.
    fn is_core(&self, code: &str) -> bool;
}

/// The outcome of checking a file.
#[derive(Clone, Debug)]
pub(crate) struct FileCheckResult {
    /// All findings about the file, its syntax included, by position.
    pub findings: Arc<[Finding]>,
    /// What other files can use of it.
    pub interface: Arc<Interface>,
    /// What its calls loaded, by the call.
    pub(crate) loads: Arc<FxHashMap<NodeId, Value>>,
    /// What is not written at its own place in the template.
    pub(crate) inlined: Arc<Inlined>,
    /// Of a parameters file, the parameters and variables whose values have errors.
    pub(crate) failed: Arc<FxHashSet<SymbolId>>,
    /// How many steps the check took.
    pub(crate) work: u64,
    /// The files and folders that it read beside the programs.
    pub(crate) read: Arc<[FilePath]>,
}

/// How high a tree may be for the stack of the caller; higher ones get a stack of their own.
const LOW_TREE: u16 = 120;
/// The stack for high trees.
const STACK: usize = 256 << 20;

pub(crate) fn check(model: &Model, around: &(dyn CheckHost + Sync)) -> FileCheckResult {
    if model.file.tree.root().height() <= LOW_TREE {
        return Checker::new(model, around).run();
    }
    check_on_stack(model, around, STACK)
}

/// Checks a file that changed since it was checked, with what that check left, and leaves something to the next one.
pub(crate) fn check_again(
    model: &Arc<Model>,
    around: &(dyn CheckHost + Sync),
    kept: Option<CheckCache>,
) -> (FileCheckResult, Option<CheckCache>) {
    if model.file.tree.root().height() > LOW_TREE {
        return (check_on_stack(model, around, STACK), None);
    }
    let mut checker = Checker::new(model, around);
    let before = kept.and_then(|kept| checker.take_over(kept)).unwrap_or_default();
    let checked = checker.finish();
    // Steps that were not taken are not counted, and a check that might have had too many is made as a whole.
    if before > 0 && checked.work + before > MAX_WORK / 2 {
        return (Checker::new(model, around).run(), None);
    }
    let checked = FileCheckResult { work: checked.work.max(before), ..checked };
    let kept = checker.take_cache(model, checked.work);
    (checked, kept)
}

/// Checks a file on a thread with a stack of this size. Without a thread nothing is checked, and that is an error.
fn check_on_stack(model: &Model, around: &(dyn CheckHost + Sync), stack: usize) -> FileCheckResult {
    let checked = std::thread::scope(|scope| {
        let job = std::thread::Builder::new().stack_size(stack);
        match job.spawn_scoped(scope, || Checker::new(model, around).run()) {
            Ok(job) => job.join().map_err(|_| "its thread ended early".to_owned()),
            Err(error) => Err(format!("there is no thread for it: {error}")),
        }
    });
    checked.unwrap_or_else(|why| unchecked(&why))
}

/// What stands for the outcome of a check that did not happen.
fn unchecked(why: &str) -> FileCheckResult {
    let finding = codes::CHECK_FAILED.at(Span::default(), &[&why]);
    FileCheckResult {
        findings: Arc::new([finding]),
        interface: Arc::new(Interface { has_errors: true, ..Interface::default() }),
        loads: Arc::default(),
        inlined: Arc::default(),
        failed: Arc::default(),
        work: 0,
        read: Arc::default(),
    }
}

/// A file while it is checked.
pub(crate) struct Checker<'m> {
    pub(crate) model: &'m Model,
    around: &'m dyn CheckHost,
    /// The types of expressions and declarations, by node.
    types: Vec<Option<Ty>>,
    /// What was worked out before, when this checker only answers a question.
    known: Option<Arc<TypeTable>>,
    /// The nodes that are being typed; coming back to one means that names refer to each other in a cycle.
    open: NodeSet,
    out: Vec<Finding>,
    /// What is wrong with names, by the place of the name.
    name_findings: FxHashMap<Span, usize>,
    /// The types of resources and modules as they are declared, before their bodies are looked at.
    declared: FxHashMap<SymbolId, Ty>,
    /// The resource types that were found, by how they are written: many resources of one program have one type.
    resource_types: FxHashMap<(DeclarationFlags, SmolStr), ResourceTy>,
    /// The ways to call the built-in functions that were met.
    built_ins: FxHashMap<(BuiltIn, &'static str), Arc<[Signature]>>,
    /// The ways to use the built-in decorators that were met, by where their rows are.
    decorators: FxHashMap<usize, Arc<[Signature]>>,
    /// The types that `type` declarations stand for.
    aliases: FxHashMap<SymbolId, Ty>,
    alias_depth: usize,
    /// Types that are filled in when all `type` declarations are known.
    pending: Vec<(NodeId, Arc<LaterType>)>,
    /// Whether they are being filled in.
    filling: bool,
    type_nodes: FxHashMap<NodeId, TypeRef>,
    type_cycles: FxHashSet<SymbolId>,
    /// How many types are inside a `type` declaration.
    nesting: FxHashMap<SymbolId, u32>,
    parse_errors: Vec<Span>,
    /// Variables that hide no collection, and those that read nothing too early: looked at once, not once per use.
    plain: FxHashSet<SymbolId>,
    timely: FxHashSet<SymbolId>,
    loads: FxHashMap<NodeId, Value>,
    inlined: Arc<Inlined>,
    /// Whether resources and their parents have types.
    sound: FxHashMap<ResourceId, bool>,
    /// Whether objects with spreads have loops in them.
    looping: FxHashMap<NodeId, bool>,
    /// The bodies of existing resources whose identity is only known during the deployment.
    late_bodies: FxHashMap<SymbolId, Ty>,
    /// The nodes at which something was found or loaded, those around them included.
    noisy: Vec<NodeId>,
    /// The nodes whose types are errors.
    failed: Vec<NodeId>,
    /// Whether a type was put off, because it may contain itself.
    has_later: bool,
    work: WorkBudget,
}

impl<'m> Checker<'m> {
    /// The day that ages are counted to, where it is known.
    pub(crate) fn today(&self) -> Option<time::Date> {
        self.around.today()
    }

    /// An index of modules, or why it cannot be had.
    pub(crate) fn module_index(&self, path: &FilePath) -> Result<Arc<ModuleIndex>, String> {
        self.around.module_index(path)
    }

    fn new(model: &'m Model, around: &'m dyn CheckHost) -> Checker<'m> {
        let places = model.findings.iter().enumerate().map(|(place, finding)| (finding.span, place));
        let parser = model.file.tree.diagnostics().iter().filter(|found| !found.code.is_lexical());
        Checker {
            model,
            around,
            types: vec![None; model.file.tree.node_count()],
            known: None,
            open: NodeSet::new(model.file.tree.node_count()),
            out: Vec::new(),
            name_findings: places.collect(),
            declared: FxHashMap::default(),
            resource_types: FxHashMap::default(),
            built_ins: FxHashMap::default(),
            decorators: FxHashMap::default(),
            aliases: FxHashMap::default(),
            alias_depth: 0,
            pending: Vec::new(),
            filling: false,
            type_nodes: FxHashMap::default(),
            type_cycles: FxHashSet::default(),
            nesting: FxHashMap::default(),
            parse_errors: parser.map(|found| found.span).collect(),
            plain: FxHashSet::default(),
            timely: FxHashSet::default(),
            loads: FxHashMap::default(),
            inlined: Arc::default(),
            sound: FxHashMap::default(),
            looping: FxHashMap::default(),
            late_bodies: FxHashMap::default(),
            noisy: Vec::new(),
            failed: Vec::new(),
            has_later: false,
            work: WorkBudget::default(),
        }
    }

    fn run(mut self) -> FileCheckResult {
        self.finish()
    }

    fn finish(&mut self) -> FileCheckResult {
        self.aliases();
        self.names();
        self.declarations();
        self.template_rules();
        let around = self.around;
        around.lint(self);
        let interface = self.interface();
        self.params();
        self.test_file_rules();
        let failed = self.failed_values();
        self.overrun();
        let findings =
            suppress::assemble(self.model, std::mem::take(&mut self.out), |code| around.is_core(code));
        let interface = Interface { has_errors: findings.iter().any(Finding::is_error), ..interface };
        FileCheckResult {
            findings: findings.into(),
            interface: Arc::new(interface),
            loads: Arc::new(std::mem::take(&mut self.loads)),
            inlined: std::mem::take(&mut self.inlined),
            failed: Arc::new(failed),
            work: self.work.used(),
            read: Arc::default(),
        }
    }

    /// Counts steps for a node; false when the file took more than it may.
    fn spend(&mut self, node: SyntaxNode<'m>, steps: usize) -> bool {
        self.work.spend(node.id(), steps)
    }

    /// Reports that the check ended early, at the declaration that took too long.
    fn overrun(&mut self) {
        let Some(node) = self.work.overrun() else { return };
        let mut at = self.node(node);
        let found = loop {
            if let Some(found) = Statement::cast(at).and_then(nodes::declared_name) {
                break Some(found);
            }
            match self.model.parent(at) {
                Some(parent) => at = parent,
                None => break None,
            }
        };
        let (span, what) = match found {
            Some((name, keyword)) => (name.span(), format!("`{keyword} {}`", name.text())),
            None => (at.span(), "this file".to_owned()),
        };
        self.push(codes::TOO_MUCH_WORK.at(span, &[&what, &MAX_WORK]));
    }

    pub(crate) fn push(&mut self, finding: Finding) {
        self.out.push(finding);
    }

    /// Does something for its result alone: what it finds was reported before, or is not wrong where it is asked.
    pub(crate) fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.out.len();
        let result = work(self);
        self.out.truncate(before);
        result
    }

    /// How much was found and loaded up to now.
    fn noise(&self) -> (usize, usize) {
        (self.out.len(), self.loads.len())
    }

    /// Remembers what came of a node for the check after this one.
    fn note(&mut self, node: NodeId, before: (usize, usize), made: &Ty) {
        if self.noise() != before {
            self.noisy.push(node);
        }
        if made.is_error() {
            self.failed.push(node);
        }
    }

    fn node(&self, id: NodeId) -> SyntaxNode<'m> {
        self.model.file.node(id)
    }

    /// Tells whether the parser found something wrong inside a node.
    pub(crate) fn has_parse_errors(&self, node: SyntaxNode<'_>) -> bool {
        let span = node.span();
        self.parse_errors.iter().any(|found| span.start <= found.start && found.end <= span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

    #[test]
    fn without_a_thread_there_is_an_error() {
        let world = MemoryWorld::default().with_file("/main.bicep", "param p string");
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let options = CompilerOptions::new(generator);
        let compiler = Compiler::new(Arc::new(world), options);
        let model = compiler.model(&FilePath::new("/main.bicep")).unwrap();
        assert!(!check(&model, &compiler).interface.has_errors);
        let checked = check_on_stack(&model, &compiler, usize::MAX / 4);
        assert!(checked.interface.has_errors);
        assert_eq!(checked.findings.first().map(|found| found.code), Some("check-failed"));
    }
}
