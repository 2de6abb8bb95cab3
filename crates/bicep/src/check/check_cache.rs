//! What the check of a file leaves to the next one: while one types, most declarations stay what they were.
//!
//! A declaration is taken over with all types in it if its text is the same, if nothing was to be said about it, and if
//! all that its names mean is taken over as well. Node numbers of what stands behind an edit are moved. Everything else is
//! worked out as always, so that a check finds the same with what was left to it as without.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use syntax::{NodeId, NodeKind, Span, SyntaxNode};

use super::Checker;
use crate::symbols::{Binding, Model, ModuleTarget, SymbolId};
use crate::types::{Role, Ty, TyKind, TypeRef};
use crate::work::MAX_WORK;

/// How many `type` declarations may be inside each other; of deeper ones, it depends on the order in which they are read
/// what is read at once.
const MAX_NESTING: u32 = 16;

/// What a check leaves to the next one.
#[derive(Debug)]
pub(crate) struct CheckCache {
    model: Arc<Model>,
    types: Vec<Option<Ty>>,
    type_nodes: FxHashMap<NodeId, TypeRef>,
    aliases: FxHashMap<SymbolId, Ty>,
    /// By part of the program.
    states: Vec<PartState>,
    work: u64,
}

/// What is known of a part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartState {
    /// Nothing was found in it, and it read no files.
    Quiet,
    /// Something was found, so that it has to be looked at again.
    Noisy,
    /// Some type in it is an error, which can be a part of types elsewhere.
    Failed,
}

/// What a check took over.
pub(super) struct ReusedTypes {
    types: Vec<Option<Ty>>,
    type_nodes: FxHashMap<NodeId, TypeRef>,
    aliases: FxHashMap<SymbolId, Ty>,
    /// The steps of the check before.
    work: u64,
}

impl CheckCache {
    /// What of it holds for a file as it is now, if anything can.
    pub(super) fn for_model(self, model: &Model) -> Option<ReusedTypes> {
        let old = Arc::clone(&self.model);
        let is_alike = Arc::ptr_eq(&old.file.config, &model.file.config)
            && old.file.path == model.file.path
            && old.target == model.target
            && old.dialect == model.dialect
            && !model.is_params()
            // Which extension has a type is not a matter of names.
            && [&*old, model].iter().all(|it| it.extensions.is_empty() && it.declarations.implicit.is_empty());
        if !is_alike {
            return None;
        }
        let pairs = Pairs::new(&old, model)?;
        let fit = pairs.fit(&self);
        let is_taken = |place: usize| {
            let before = pairs.before(place).and_then(|place| self.states.get(place));
            fit.get(place).copied().unwrap_or_default()
                && before == Some(&PartState::Quiet)
                && pairs.new.get(place).is_some_and(|part| is_declaration(part.node.kind()))
        };
        let CheckCache { mut types, mut type_nodes, aliases: old_aliases, work, .. } = self;

        let (first, last) = (pairs.prefix, pairs.suffix);
        let changed = |parts: &[ProgramPart<'_>]| {
            let (end, count) = (parts.last().map_or(0, |part| part.nodes.end), parts.len());
            let start = parts.get(first).map_or(end, |part| part.nodes.start);
            let stop =
                count.checked_sub(last).and_then(|at| parts.get(at)).map_or(end, |part| part.nodes.start);
            (start..stop.max(start), end)
        };
        let ((gone, old_end), (come, _)) = (changed(&pairs.old), changed(&pairs.new));
        types.truncate(old_end);
        types.get(gone.clone())?;
        drop(types.splice(gone, std::iter::repeat_n(None, come.len())));
        types.resize(model.file.tree.node_count(), None);
        let moves = pairs.moves();
        let mut moved: Vec<(NodeId, TypeRef)> = Vec::new();
        let mut aliases = FxHashMap::default();
        for (place, part) in pairs.new.iter().enumerate() {
            let is_taken = is_taken(place);
            if !is_taken {
                types.get_mut(part.nodes.clone())?.fill(None);
            }
            let Some(before) = pairs.before(place).and_then(|it| pairs.old.get(it)) else { continue };
            if is_taken && part.node.kind() == NodeKind::TypeDeclaration {
                let (was, is) = (old.symbol_at(before.node)?, model.symbol_at(part.node)?);
                aliases.insert(is, old_aliases.get(&was)?.clone());
            }
            if is_taken && (!moves || place < first) {
                continue;
            }
            for (was, is) in before.node.subtree().zip(part.node.subtree()) {
                if let Some(ty) = type_nodes.remove(&was.id())
                    && is_taken
                {
                    moved.push((is.id(), ty));
                }
            }
        }
        for part in pairs.old.get(first..pairs.old.len().saturating_sub(last)).unwrap_or_default() {
            for node in part.node.subtree() {
                type_nodes.remove(&node.id());
            }
        }
        type_nodes.extend(moved);
        Some(ReusedTypes { types, type_nodes, aliases, work })
    }
}

fn is_declaration(kind: NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::ParameterDeclaration
            | NodeKind::VariableDeclaration
            | NodeKind::TypeDeclaration
            | NodeKind::FunctionDeclaration
            | NodeKind::ResourceDeclaration
            | NodeKind::ModuleDeclaration
            | NodeKind::OutputDeclaration
    )
}

/// A part of a program: a statement, or what could not be read as one.
struct ProgramPart<'m> {
    node: SyntaxNode<'m>,
    /// The places of its nodes among all nodes.
    nodes: Range<usize>,
}

/// The parts of a program; none if they do not follow each other.
fn parts(model: &Model) -> Option<Vec<ProgramPart<'_>>> {
    let mut start = 0;
    let part = |node: SyntaxNode<'_>| {
        let nodes = start..node.id().index() + 1;
        start = nodes.end;
        (!nodes.is_empty()).then_some(nodes)
    };
    let nodes: Option<Vec<Range<usize>>> = model.file.tree.root().child_nodes().map(part).collect();
    Some(
        model
            .file
            .tree
            .root()
            .child_nodes()
            .zip(nodes?)
            .map(|(node, nodes)| ProgramPart { node, nodes })
            .collect(),
    )
}

/// The place of the part that has a node.
fn part_of(parts: &[ProgramPart<'_>], node: NodeId) -> Option<usize> {
    let place = parts.partition_point(|part| part.nodes.end <= node.index());
    (place < parts.len()).then_some(place)
}

/// Marks the parts that touch a place.
fn touch(parts: &[ProgramPart<'_>], span: Span, mut mark: impl FnMut(usize)) {
    let first = parts.partition_point(|part| part.node.span().end < span.start);
    let touched =
        parts.iter().enumerate().skip(first).take_while(|(_, part)| part.node.span().start <= span.end);
    touched.for_each(|(place, _)| mark(place));
}

/// Two versions of a program: the parts at the start and at the end that have the same text.
struct Pairs<'m> {
    old_model: &'m Model,
    new_model: &'m Model,
    old: Vec<ProgramPart<'m>>,
    new: Vec<ProgramPart<'m>>,
    prefix: usize,
    suffix: usize,
}

impl<'m> Pairs<'m> {
    fn new(old_model: &'m Model, new_model: &'m Model) -> Option<Pairs<'m>> {
        let (old, new) = (parts(old_model)?, parts(new_model)?);
        let is_same = |(old, new): &(&ProgramPart<'_>, &ProgramPart<'_>)| {
            old.nodes.len() == new.nodes.len()
                && old.node.kind() == new.node.kind()
                && old.node.text() == new.node.text()
        };
        let prefix = old.iter().zip(&new).take_while(is_same).count();
        let (old_rest, new_rest) = (old.iter().skip(prefix).rev(), new.iter().skip(prefix).rev());
        let suffix = old_rest.zip(new_rest).take_while(is_same).count();
        Some(Pairs { old_model, new_model, old, new, prefix, suffix })
    }

    /// Tells whether what stands behind the change has other numbers than before.
    fn moves(&self) -> bool {
        self.suffix > 0
            && self.old.last().map(|part| part.nodes.end) != self.new.last().map(|part| part.nodes.end)
    }

    /// The place that a part had before, if it has the same text.
    fn before(&self, place: usize) -> Option<usize> {
        if place < self.prefix {
            return Some(place);
        }
        let from_end = self.new.len().checked_sub(place)?;
        if from_end <= self.suffix { self.old.len().checked_sub(from_end) } else { None }
    }

    /// Which of the new parts mean what they meant before, with all that they name.
    fn fit(&self, kept: &CheckCache) -> Vec<bool> {
        let mut unfit = vec![false; self.new.len()];
        let mut uses: Vec<(usize, usize)> = Vec::new();
        // Where a part of the old program is now.
        let after = |place: usize| {
            if place < self.prefix {
                return Some(place);
            }
            let from_end = self.old.len().checked_sub(place)?;
            if from_end <= self.suffix { self.new.len().checked_sub(from_end) } else { None }
        };
        let mut known: FxHashMap<SymbolId, Option<(SymbolId, usize)>> = FxHashMap::default();
        for (place, part) in self.new.iter().enumerate() {
            let before = self.before(place).and_then(|it| Some((self.old.get(it)?, kept.states.get(it)?)));
            let is_fit = before.is_some_and(|(before, state)| {
                *state != PartState::Failed
                    && self.has_same_file(before, part)
                    && !(place >= self.prefix && self.moves() && has_places(&kept.types, &before.nodes))
                    && self.has_same_names(before, part, &mut |old, new| {
                        let meaning = *known.entry(old).or_insert_with(|| self.meaning(old));
                        match meaning {
                            Some((same, owner)) if same == new => {
                                uses.push((owner, place));
                                true
                            }
                            _ => false,
                        }
                    })
            });
            if let Some(unfit) = unfit.get_mut(place) {
                *unfit = !is_fit;
            }
        }
        let mut mark = |place: Option<usize>| {
            if let Some(unfit) = place.and_then(|place| unfit.get_mut(place)) {
                *unfit = true;
            }
        };
        // What is wrong with the syntax or with names can be seen from what stands beside it.
        let spans = |model: &Model| {
            let syntax = model.file.tree.diagnostics().iter().map(|found| found.span);
            syntax.chain(model.findings.iter().map(|found| found.span)).collect::<Vec<Span>>()
        };
        for span in spans(self.old_model) {
            touch(&self.old, span, |place| mark(after(place)));
        }
        for span in spans(self.new_model) {
            touch(&self.new, span, |place| mark(Some(place)));
        }
        // What names something that is not what it was is not either.
        uses.sort_unstable();
        uses.dedup();
        let mut open: Vec<usize> =
            (0..unfit.len()).filter(|place| unfit.get(*place) == Some(&true)).collect();
        while let Some(owner) = open.pop() {
            let first = uses.partition_point(|(it, _)| *it < owner);
            for (_, user) in uses.iter().skip(first).take_while(|(it, _)| *it == owner) {
                if let Some(unfit) = unfit.get_mut(*user)
                    && !std::mem::replace(unfit, true)
                {
                    open.push(*user);
                }
            }
        }
        unfit.into_iter().map(|unfit| !unfit).collect()
    }

    /// What a symbol is now, and the part that declares it, if that part is the same.
    fn meaning(&self, old: SymbolId) -> Option<(SymbolId, usize)> {
        let declared = self.old_model.symbol(old);
        let owner = part_of(&self.old, declared.node)?;
        let before = self.old.get(owner)?;
        // INVARIANT: of parts with the same text, the same one is the partner of both.
        let place = if owner < self.prefix {
            owner
        } else {
            let from_end = self.old.len().checked_sub(owner).filter(|it| *it <= self.suffix)?;
            self.new.len().checked_sub(from_end)?
        };
        let after = self.new.get(place)?;
        let offset = declared.node.index().checked_sub(before.nodes.start)?;
        let found = self.new_model.bindings().get(after.nodes.start + offset)?.symbol()?;
        let is = self.new_model.symbol(found);
        let is_same = is.kind == declared.kind
            && is.name == declared.name
            && is.node.index() == after.nodes.start + offset;
        is_same.then_some((found, place))
    }

    fn has_same_names(
        &self,
        before: &ProgramPart<'_>,
        after: &ProgramPart<'_>,
        is_same_symbol: &mut dyn FnMut(SymbolId, SymbolId) -> bool,
    ) -> bool {
        let old = self.old_model.bindings().get(before.nodes.clone());
        let new = self.new_model.bindings().get(after.nodes.clone());
        let (Some(old), Some(new)) = (old, new) else { return false };
        old.iter().zip(new).all(|pair| match pair {
            (Binding::None, Binding::None) => true,
            (Binding::Symbol(old), Binding::Symbol(new)) => is_same_symbol(*old, *new),
            (old, new) => old == new,
        })
    }

    /// Tells whether a part refers to the same file as before, or to none.
    fn has_same_file(&self, before: &ProgramPart<'_>, after: &ProgramPart<'_>) -> bool {
        let old = self.old_model.source_of(before.node.id()).map(|it| &it.target);
        let new = self.new_model.source_of(after.node.id()).map(|it| &it.target);
        match (old, new) {
            (None, None) => true,
            (Some(Ok(ModuleTarget::Bicep(old))), Some(Ok(ModuleTarget::Bicep(new)))) => Arc::ptr_eq(old, new),
            (Some(Ok(ModuleTarget::Template(old))), Some(Ok(ModuleTarget::Template(new)))) => {
                Arc::ptr_eq(old, new)
            }
            _ => false,
        }
    }
}

/// Tells whether some types name nodes, which have other numbers when they move.
fn has_places(types: &[Option<Ty>], nodes: &Range<usize>) -> bool {
    let types = types.get(nodes.clone()).unwrap_or_default();
    types.iter().flatten().any(|ty| match ty.kind() {
        TyKind::Object(object) => matches!(&object.role, Role::Scope(_, places) if !places.is_empty()),
        // Those that have others in them were made from those, whose nodes are looked at as well.
        TyKind::Array(_)
        | TyKind::Tuple(_)
        | TyKind::Discriminated(_)
        | TyKind::Union(_)
        | TyKind::Lambda(_)
        | TyKind::Resource(_)
        | TyKind::Module(..)
        | TyKind::Test(_)
        | TyKind::TypeOf(_)
        | TyKind::Any
        | TyKind::Null
        | TyKind::Bool
        | TyKind::BoolLit(_)
        | TyKind::Int(_)
        | TyKind::IntLit(_)
        | TyKind::Str(_)
        | TyKind::StrLit(_)
        | TyKind::ScopeRef(_)
        | TyKind::ParentOf(_)
        | TyKind::ResourceParameter(_)
        | TyKind::Error(_) => false,
    })
}

impl Checker<'_> {
    /// Takes over what the check before left, and says how many steps that took; none if nothing can be taken.
    pub(super) fn take_over(&mut self, kept: CheckCache) -> Option<u64> {
        let taken = kept.for_model(self.model)?;
        self.types = taken.types;
        self.type_nodes = taken.type_nodes;
        self.aliases = taken.aliases;
        Some(taken.work)
    }

    /// What this check leaves to the next one, when it is done; nothing if what it found depends on more than what declarations say.
    pub(super) fn take_cache(&mut self, model: &Arc<Model>, work: u64) -> Option<CheckCache> {
        let is_simple = !self.has_later
            && self.work.overrun().is_none()
            && work < MAX_WORK / 4
            && self.nesting.values().all(|depth| *depth <= MAX_NESTING);
        if !is_simple {
            return None;
        }
        let parts = parts(model)?;
        let mut states = vec![PartState::Quiet; parts.len()];
        for (marked, state) in [(&self.noisy, PartState::Noisy), (&self.failed, PartState::Failed)] {
            for node in marked {
                let place = part_of(&parts, *node);
                if let Some(slot) = place.and_then(|place| states.get_mut(place)) {
                    *slot = state;
                }
            }
        }
        Some(CheckCache {
            types: std::mem::take(&mut self.types),
            type_nodes: std::mem::take(&mut self.type_nodes),
            aliases: std::mem::take(&mut self.aliases),
            model: Arc::clone(model),
            states,
            work,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check_again;
    use crate::{Compiler, CompilerOptions, FilePath, Finding, Generator, MemoryWorld};

    fn compiler(main: &str) -> Compiler {
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let module = "param p string\nparam q int = 1\noutput o string = '${p}${q}'\n";
        let world = MemoryWorld::default()
            .with_file("/main.bicep", main)
            .with_file("/m.bicep", module)
            .with_file("/t.txt", "text");
        Compiler::new(Arc::new(world), CompilerOptions::new(generator))
    }

    /// The declarations that are taken over when a program is edited.
    fn taken(before: &str, after: &str) -> Vec<String> {
        let path = FilePath::new("/main.bicep");
        let old = compiler(before);
        // What does not change is shared with what was read before.
        let was = old.model(&path).unwrap();
        let new = old.with_text(&path, after);
        let is = new.model(&path).unwrap();
        let Some(kept) = check_again(&was, &old, None).1 else { return vec!["nothing is left".to_owned()] };
        let Some(taken) = kept.for_model(&is) else { return vec!["nothing fits".to_owned()] };
        let has_type = |node: SyntaxNode<'_>| taken.types.get(node.id().index()).is_some_and(Option::is_some);
        let names = is.symbols().filter(|(id, _)| has_type(is.node_of(*id)));
        names.map(|(_, symbol)| symbol.name.to_string()).collect()
    }

    const PROGRAM: &str = "param a string\nparam b string\ntype t = { p: a2 }\ntype a2 = string\nvar x = a\nvar y = '${x}${b}'\noutput o string = y\noutput z t = { p: b }\n";

    #[test]
    fn what_names_an_edited_declaration_is_looked_at_again() {
        let edited = PROGRAM.replace("var x = a", "var x = toLower(a)");
        assert_eq!(taken(PROGRAM, &edited), ["a", "b", "t", "a2", "z"]);
        let edited = PROGRAM.replace("type a2 = string", "type a2 = string?");
        assert_eq!(taken(PROGRAM, &edited), ["a", "b", "x", "y", "o"]);
        let edited = PROGRAM.replace("output o", "output other");
        assert_eq!(taken(PROGRAM, &edited), ["a", "b", "t", "a2", "x", "y", "z"]);
    }

    #[test]
    fn declarations_that_move_are_taken_over() {
        let all = ["a", "b", "t", "a2", "x", "y", "o", "z"];
        assert_eq!(taken(PROGRAM, PROGRAM), all);
        let edited = format!("// A comment.\nparam new object\n{PROGRAM}");
        assert_eq!(taken(PROGRAM, &edited), all);
        let edited = PROGRAM.replace("param b string", "param b string\nvar more = [\n  a\n]");
        assert_eq!(taken(PROGRAM, &edited), all);
        assert_eq!(taken(&edited, PROGRAM), all);
    }

    #[test]
    fn a_name_that_comes_to_mean_something_else_is_seen() {
        // The function is hidden, and the type as well.
        let edited = PROGRAM.replace("param a string", "param string string");
        assert_eq!(taken(PROGRAM, &edited), Vec::<String>::new());
        let edited = PROGRAM.replace("param b string", "param b2 string");
        assert_eq!(taken(PROGRAM, &edited), ["a", "t", "a2", "x"]);
        let edited = PROGRAM.replace("param b string", "param a string");
        // Of two with one name, the first is meant.
        assert_eq!(taken(PROGRAM, &edited), ["a", "t", "a2", "x"]);
    }

    #[test]
    fn what_was_found_or_loaded_is_found_and_loaded_again() {
        let program = "var a = loadTextContent('t.txt')\nvar b = '${a}'\nvar c = 1.x\nvar d = c\n";
        assert_eq!(taken(program, &format!("{program}\nvar e = 1\n")), ["b"]);
    }

    #[test]
    fn what_is_seen_from_everywhere_changes_everything() {
        let edited = format!("{PROGRAM}targetScope = 'subscription'\n");
        assert_eq!(taken(PROGRAM, &edited), ["nothing fits"]);
        let recursive = format!("{PROGRAM}type r = {{ r: r? }}\n");
        assert_eq!(taken(&recursive, PROGRAM), ["nothing is left"]);
    }

    #[test]
    fn after_any_edit_the_same_is_found_as_without_what_was_left() {
        let path = FilePath::new("/main.bicep");
        let program = format!(
            "{PROGRAM}module m 'm.bicep' = {{\n  name: 'm'\n  params: {{ p: x }}\n}}\nfunc f(s string) string => s\n\
             resource r 'My.Types/things@2020-01-01' = [for i in range(0, 3): {{\n  name: f('r${{i}}')\n  \
             scope: resourceGroup(y)\n}}]\nvar unused = loadTextContent('t.txt')\noutput last string = m.outputs.o\n"
        );
        let found = |compiler: &Compiler| -> Vec<Finding> { compiler.check(&path, &|| true).unwrap() };
        let mut edited = compiler(&program);
        let places = (0..program.len())
            .step_by(5)
            .zip(["x", "\n", "}", "'", "type r = { r: r? }\n", ""].iter().cycle());
        for (place, insertion) in places {
            let (before, after) = program.split_at(place);
            // An empty insertion takes the rest of the line.
            let after = if insertion.is_empty() {
                after.find('\n').map_or("", |at| after.split_at(at).1)
            } else {
                after
            };
            for text in [&format!("{before}{insertion}{after}"), &program] {
                edited = edited.with_text(&path, text);
                assert_eq!(found(&edited), found(&compiler(text)), "{text}");
            }
        }
    }
}
