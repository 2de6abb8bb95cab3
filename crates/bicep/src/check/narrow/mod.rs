//! A value against the type that is asked of it: what does not fit is reported where it is written, and the type of
//! the value within the one that was asked for is the result.

mod bounds;
mod comparison;
mod constants;
mod lists;
mod mismatch;
mod objects;
mod type_keys;
mod unions;

pub(crate) use self::mismatch::discreet;

use std::mem;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{AstNode as _, Expr, Statement};
use syntax::{NodeId, SyntaxNode};

use self::comparison::{Comparison, Config, Source};
use self::type_keys::{Keys, TypeKey};
use super::Checker;
use crate::codes;
use crate::finding::Finding;
use crate::symbols::SymbolKind;
use crate::types::{Range, ResourceTy, Ty, TyKind, assignable, assignable_unless_null, collapse};

/// How deep values are compared with types, counting the names that stand for them.
const MAX_DEPTH: usize = 250;

/// How many steps a finding counts for, at each level of values that it comes up through.
const FINDING_STEPS: usize = 16;

/// Properties that were compared already; a type that contains itself comes back to them.
type VisitedProperties = FxHashSet<(NodeId, TypeKey, TypeKey)>;

/// A comparison of a value with a type, as far as its outcome depends on it.
#[derive(PartialEq, Eq, Hash)]
struct TypeComparison {
    node: NodeId,
    origin: Option<NodeId>,
    /// The flags of the configuration, and whether the value is an argument.
    flags: [bool; 5],
    ty: TypeKey,
    target: TypeKey,
}

impl<'m> Checker<'m> {
    /// Compares a value with the type that is asked for, and reports what does not fit.
    pub(crate) fn narrow(&mut self, expr: Expr<'m>, target: &Ty) -> Ty {
        Narrow::whole(self, &Config::default(), Source::Expr(expr), target)
    }

    /// Compares an argument with the type of its parameter, as a whole.
    pub(super) fn narrow_argument(&mut self, expr: Expr<'m>, target: &Ty) {
        Narrow::whole(self, &Config::default(), Source::Argument(expr), target);
    }

    /// Compares the body of a resource.
    pub(super) fn narrow_resource(&mut self, expr: Expr<'m>, target: &Ty) -> Ty {
        let config = Config { is_resource: true, ..Config::default() };
        Narrow::whole(self, &config, Source::Expr(expr), target)
    }
}

/// The comparison of one value and of all its parts.
struct Narrow<'c, 'm> {
    checker: &'c mut Checker<'m>,
    /// The value that all comparisons are for; the steps are its own.
    root: SyntaxNode<'m>,
    /// What was found so far.
    out: Vec<Finding>,
    seen: VisitedProperties,
    /// What came of comparisons without findings; nothing while they are being made.
    answers: FxHashMap<Rc<TypeComparison>, Option<Ty>>,
    keys: Keys,
    /// Whether a part was too deep to be compared, which makes the whole an error.
    is_too_deep: bool,
}

impl<'c, 'm> Narrow<'c, 'm> {
    /// Compares the whole value. A part that could not be compared is an error, once, and not what comes of the comparison:
    /// what is remembered of the parts stays right.
    fn whole(checker: &'c mut Checker<'m>, config: &Config, source: Source<'m>, target: &Ty) -> Ty {
        let mut narrow = Narrow {
            checker,
            root: source.node(),
            out: Vec::new(),
            seen: VisitedProperties::default(),
            answers: FxHashMap::default(),
            keys: Keys::default(),
            is_too_deep: false,
        };
        let ty = narrow.type_of(source);
        let made = narrow.value(Comparison { config, source, ty: &ty, target });
        if narrow.is_too_deep {
            narrow.out.push(codes::NESTING_TOO_DEEP.at(narrow.root.span(), &[&MAX_DEPTH]));
        }
        narrow.checker.out.append(&mut narrow.out);
        made
    }

    fn type_of(&mut self, source: Source<'m>) -> Ty {
        match source {
            Source::Expr(expr) | Source::Argument(expr) => self.checker.ty(expr),
            Source::Local(node) => self.checker.local(node),
        }
    }

    /// Compares an expression that is a part of the value.
    fn part(&mut self, config: &Config, expr: Expr<'m>, target: &Ty) -> Ty {
        let source = Source::Expr(expr);
        let ty = self.type_of(source);
        self.value(Comparison { config, source, ty: &ty, target })
    }

    /// Compares without reporting: what is found is handed to the caller.
    fn aside<T>(&mut self, compare: impl FnOnce(&mut Self) -> T) -> (T, Vec<Finding>) {
        let before = mem::take(&mut self.out);
        let made = compare(self);
        (made, mem::replace(&mut self.out, before))
    }

    /// Compares a value. What was compared before and is fine, or is being compared, is not looked at again: types
    /// contain themselves, and one variable can stand in many places.
    fn value(&mut self, it: Comparison<'_, 'm>) -> Ty {
        let Comparison { config, source, ty, target } = it;
        if config.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return target.clone();
        }
        if !self.checker.spend(self.root, 1) {
            return target.clone();
        }
        if !has_parts(target) || config.origin.is_none() && source.is_written_out() {
            return self.compare(it);
        }
        let Config { skip_errors, skip_constant, disallow_any, origin, mismatch: _, is_resource, depth: _ } =
            *config;
        let is_argument = matches!(source, Source::Argument(_));
        let question = TypeComparison {
            node: source.node().id(),
            origin,
            flags: [skip_errors, skip_constant, disallow_any, is_resource, is_argument],
            ty: self.keys.of(ty),
            target: self.keys.of(target),
        };
        match self.answers.get(&question) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return target.clone(),
            None => {}
        }
        let question = Rc::new(question);
        self.answers.insert(Rc::clone(&question), None);
        let before = self.out.len();
        let made = self.compare(it);
        let found = self.out.len() - before;
        if found == 0 {
            self.answers.insert(question, Some(made.clone()));
        } else {
            // What is wrong is reported wherever it is used, which has to have an end too.
            self.checker.spend(self.root, FINDING_STEPS * found);
            self.answers.remove(&question);
        }
        made
    }

    fn compare(&mut self, it: Comparison<'_, 'm>) -> Ty {
        let Comparison { config, source, ty, target } = it;
        if config.disallow_any && ty.is_any() {
            self.out.push(codes::ANY_NOT_ALLOWED.at(self.place(it), &[]));
            return target.clone();
        }
        if !config.skip_errors && ty.is_error() {
            self.out.extend_from_slice(ty.findings());
            return target.clone();
        }
        match target.kind() {
            TyKind::Resource(resource) => {
                let body = self.value(it.with_target(&resource.body));
                return Ty::new(TyKind::Resource(Box::new(ResourceTy { body, ..(**resource).clone() })));
            }
            TyKind::Module(scopes, body) => {
                let body = self.value(it.with_target(body));
                return Ty::new(TyKind::Module(*scopes, body));
            }
            TyKind::Test(body) => {
                let body = self.value(it.with_target(body));
                return Ty::new(TyKind::Test(body));
            }
            TyKind::Array(_) | TyKind::Tuple(_) => {
                if let Source::Expr(Expr::For(each)) = source {
                    let item = target.as_list().map_or_else(Ty::any, |(item, _)| item);
                    let narrowed = self.part(config, each.body(), &item);
                    return Ty::array_of(narrowed, Range::default());
                }
            }
            TyKind::Union(_) => {
                if let Some(folded) = collapse(target) {
                    return self.fitting(it.with_target(&folded));
                }
            }
            _ => {}
        }
        self.fitting(it)
    }

    /// Compares a value with a type that stands for itself alone.
    fn fitting(&mut self, it: Comparison<'_, 'm>) -> Ty {
        let Comparison { config, source, ty, target } = it;
        if !assignable(ty, target) {
            if let Some(rest) = assignable_unless_null(ty, target) {
                self.out.push(codes::NULL_ASSIGNMENT.at(source.span(), &[target, ty]));
                return self.value(it.with(source, &rest, target));
            }
            self.mismatch(it);
            return target.clone();
        }
        let made = match target.kind() {
            TyKind::ResourceParameter(_) => return target.clone(),
            TyKind::Int(range) => return bounds::integer(it, *range, &mut self.out),
            TyKind::IntLit(value) => return bounds::integer_literal(it, *value, &mut self.out),
            TyKind::Str(text) => return bounds::string(it, text, &mut self.out),
            TyKind::StrLit(value) => return bounds::string_literal(it, value, &mut self.out),
            TyKind::Object(object) => self.object(it.unconditional(), object),
            TyKind::Discriminated(object) => self.discriminated(it.unconditional(), object),
            TyKind::Array(_) | TyKind::Tuple(_) => self.list(it),
            _ => None,
        };
        if let Some(made) = made.or_else(|| self.named(it)) {
            return made;
        }
        match (source, target.kind()) {
            (_, TyKind::Union(members)) => self.union(it, members),
            (Source::Expr(Expr::Lambda(lambda)), TyKind::Lambda(wanted)) => {
                self.lambda(config, lambda, wanted)
            }
            _ => ty.clone(),
        }
    }

    /// Compares the value of the variable that a name stands for; nothing if it is not such a name.
    fn named(&mut self, it: Comparison<'_, 'm>) -> Option<Ty> {
        let behind = self.behind(it.source)?;
        let config = it.config.behind(it.source.node());
        let ty = self.type_of(behind);
        Some(self.value(Comparison { config: &config, source: behind, ty: &ty, target: it.target }))
    }

    /// The value of the variable that a name stands for.
    fn behind(&self, source: Source<'m>) -> Option<Source<'m>> {
        let Source::Expr(Expr::VariableAccess(access)) = source else { return None };
        let model = self.checker.model;
        let symbol = model.symbol_at(access.node())?;
        match model.symbol(symbol).kind {
            SymbolKind::Variable => match model.statement_of(symbol)? {
                Statement::VariableDeclaration(it) => Some(Source::Expr(it.value())),
                _ => None,
            },
            SymbolKind::LoopItem
            | SymbolKind::LoopIndex
            | SymbolKind::LambdaParameter
            | SymbolKind::FunctionParameter => Some(Source::Local(model.node_of(symbol))),
            _ => None,
        }
    }
}

/// Tells whether a type has parts that values are compared with one by one.
fn has_parts(ty: &Ty) -> bool {
    match ty.kind() {
        TyKind::Array(_)
        | TyKind::Tuple(_)
        | TyKind::Object(_)
        | TyKind::Discriminated(_)
        | TyKind::Lambda(_)
        | TyKind::Resource(_)
        | TyKind::Module(..)
        | TyKind::Test(_) => true,
        TyKind::Union(members) => !ty.is_listed() && members.iter().any(|member| has_parts(&member.get())),
        TyKind::Any
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
        | TyKind::TypeOf(_)
        | TyKind::Error(_) => false,
    }
}
