//! A value against the type that is asked of it: what does not fit is reported where it is written, and the type of
//! the value within the one that was asked for is the result.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;
use syntax::ast::{Array, AstNode as _, Expr, Lambda, LocalVariable, Object, Statement};
use syntax::{NodeId, NodeKind, Span, SyntaxNode};

use super::access::keys_of;
use super::type_keys::{Keys, TypeKey};
use super::{Checker, nodes};
use crate::codes::{self, Code};
use crate::finding::Finding;
use crate::symbols::SymbolKind;
use crate::types::{
    Discriminated, Kind, Object as ObjectTy, Property, PropertyFlags, Range, Text, Ty, TypeRef, assignable,
    assignable_unless_null, collapse, nullable, text_length, union_of, warns, warns_for_properties,
};

/// How deep values are compared with types, counting the names that stand for them.
const MAX_DEPTH: usize = 250;

/// How many steps a finding counts for, at each level of values that it comes up through.
const FINDING_STEPS: usize = 16;

/// What to say when a value does not fit.
#[derive(Clone, Debug, Default)]
enum Mismatch {
    /// The usual.
    #[default]
    Value,
    /// An item of an array.
    Item(bool),
    /// What is spread into an array.
    Spread(bool),
    /// A property.
    Property { name: SmolStr, warn: bool, origin: Option<NodeId> },
}

/// How a value is compared.
#[derive(Clone, Debug, Default)]
struct Config {
    skip_errors: bool,
    skip_constant: bool,
    disallow_any: bool,
    /// The name that stands for the value; findings are reported there.
    origin: Option<NodeId>,
    mismatch: Mismatch,
    is_resource: bool,
    depth: usize,
}

/// Properties that were compared already; a type that contains itself comes back to them.
type Seen = FxHashSet<(NodeId, TypeKey, TypeKey)>;

/// A comparison of a value with a type, as far as its outcome depends on it.
#[derive(PartialEq, Eq, Hash)]
struct Question {
    node: NodeId,
    origin: Option<NodeId>,
    /// The flags of the configuration, and whether the value is an argument.
    flags: [bool; 5],
    ty: TypeKey,
    target: TypeKey,
}

/// An expression, or a local variable that stands for one.
#[derive(Clone, Copy)]
enum Source<'m> {
    Expr(Expr<'m>),
    /// An argument of a call, which is compared as a whole.
    Argument(Expr<'m>),
    Local(SyntaxNode<'m>),
}

impl<'m> Source<'m> {
    fn node(self) -> SyntaxNode<'m> {
        match self {
            Source::Expr(expr) | Source::Argument(expr) => expr.node(),
            Source::Local(node) => node,
        }
    }

    fn span(self) -> Span {
        self.node().span()
    }

    fn object(self) -> Option<Object<'m>> {
        match self {
            Source::Expr(Expr::Object(object)) => Some(object),
            _ => None,
        }
    }

    /// Tells whether the parts of the value are written in it: no other way leads to them but a name for the whole.
    fn is_written_out(self) -> bool {
        let Source::Expr(expr) = self else { return false };
        matches!(expr, Expr::Object(_) | Expr::Array(_) | Expr::For(_) | Expr::IfCondition(_))
    }

    /// The body behind a condition.
    fn unconditional(self) -> Source<'m> {
        match self {
            Source::Expr(Expr::IfCondition(condition)) => Source::Expr(condition.body()),
            other => other,
        }
    }
}

impl<'m> Checker<'m> {
    /// Compares a value with the type that is asked for, and reports what does not fit.
    pub(crate) fn narrow(&mut self, expr: Expr<'m>, target: &Ty) -> Ty {
        let mut out = Vec::new();
        let ty = self.narrow_into(expr, target, false, &mut out);
        self.out.append(&mut out);
        ty
    }

    /// Compares an argument with the type of its parameter, as a whole.
    pub(super) fn narrow_argument(&mut self, expr: Expr<'m>, target: &Ty) {
        let mut out = Vec::new();
        let ty = self.ty(expr);
        let mut job = Narrow::new(self, expr.node());
        job.whole(&Config::default(), Source::Argument(expr), ty, target, &mut out);
        self.out.append(&mut out);
    }

    /// The same, for the body of a resource, and with the findings handed to the caller.
    pub(super) fn narrow_into(
        &mut self,
        expr: Expr<'m>,
        target: &Ty,
        is_resource: bool,
        out: &mut Vec<Finding>,
    ) -> Ty {
        let config = Config { is_resource, ..Config::default() };
        let ty = self.ty(expr);
        let mut job = Narrow::new(self, expr.node());
        job.whole(&config, Source::Expr(expr), ty, target, out)
    }

    /// Reports values that are not known when the program is compiled.
    pub(super) fn require_constant(expr: SyntaxNode<'m>, out: &mut Vec<Finding>) {
        match expr.kind() {
            NodeKind::ArrayAccess
            | NodeKind::BinaryOperation
            | NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::For
            | NodeKind::ParenthesizedExpression
            | NodeKind::PropertyAccess
            | NodeKind::TernaryOperation
            | NodeKind::VariableAccess => out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[])),
            NodeKind::String if expr.slot_count() > 1 => {
                out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[]))
            }
            NodeKind::UnaryOperation
                if !syntax::ast::UnaryOperation::cast(expr).is_some_and(nodes::is_minus) =>
            {
                out.push(codes::CONSTANT_REQUIRED.at(expr.span(), &[]));
            }
            _ => expr.child_nodes().for_each(|child| Self::require_constant(child, out)),
        }
    }
}

struct Narrow<'c, 'm> {
    checker: &'c mut Checker<'m>,
    /// The value that all comparisons are for; the steps are its own.
    root: SyntaxNode<'m>,
    seen: Seen,
    /// What came of comparisons without findings; nothing while they are being made.
    answers: FxHashMap<Rc<Question>, Option<Ty>>,
    keys: Keys,
    /// Whether a part was too deep to be compared, which makes the whole an error.
    is_too_deep: bool,
}

impl<'c, 'm> Narrow<'c, 'm> {
    fn new(checker: &'c mut Checker<'m>, root: SyntaxNode<'m>) -> Narrow<'c, 'm> {
        Narrow {
            checker,
            root,
            seen: Seen::default(),
            answers: FxHashMap::default(),
            keys: Keys::default(),
            is_too_deep: false,
        }
    }

    /// Compares the whole value. A part that could not be compared is an error, once, and not what comes of the comparison:
    /// what is remembered of the parts stays right.
    fn whole(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: Ty,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) -> Ty {
        let found = self.value(config, source, ty, target, out);
        if self.is_too_deep {
            out.push(codes::NESTING_TOO_DEEP.at(self.root.span(), &[&MAX_DEPTH]));
        }
        found
    }

    fn type_of(&mut self, source: Source<'m>) -> Ty {
        match source {
            Source::Expr(expr) | Source::Argument(expr) => self.checker.ty(expr),
            Source::Local(node) => self.checker.local(node),
        }
    }

    fn place(&self, config: &Config, source: Source<'m>) -> Span {
        config.origin.map_or_else(|| source.span(), |origin| self.checker.node(origin).span())
    }

    /// Compares a value. What was compared before and is fine, or is being compared, is not looked at again: types
    /// contain themselves, and one variable can stand in many places.
    fn value(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: Ty,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) -> Ty {
        if config.depth > MAX_DEPTH {
            self.is_too_deep = true;
            return target.clone();
        }
        if !self.checker.spend(self.root, 1) {
            return target.clone();
        }
        if !has_parts(target) || config.origin.is_none() && source.is_written_out() {
            return self.compare(config, source, ty, target, out);
        }
        let Config { skip_errors, skip_constant, disallow_any, origin, mismatch: _, is_resource, depth: _ } =
            *config;
        let is_argument = matches!(source, Source::Argument(_));
        let question = Question {
            node: source.node().id(),
            origin,
            flags: [skip_errors, skip_constant, disallow_any, is_resource, is_argument],
            ty: self.keys.of(&ty),
            target: self.keys.of(target),
        };
        match self.answers.get(&question) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return target.clone(),
            None => {}
        }
        let question = Rc::new(question);
        self.answers.insert(Rc::clone(&question), None);
        let before = out.len();
        let made = self.compare(config, source, ty, target, out);
        if out.len() == before {
            self.answers.insert(question, Some(made.clone()));
        } else {
            // What is wrong is reported wherever it is used, which has to have an end too.
            self.checker.spend(self.root, FINDING_STEPS * (out.len() - before));
            self.answers.remove(&question);
        }
        made
    }

    fn compare(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: Ty,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) -> Ty {
        if config.disallow_any && ty.is_any() {
            out.push(codes::ANY_NOT_ALLOWED.at(self.place(config, source), &[]));
            return target.clone();
        }
        if !config.skip_errors && ty.is_error() {
            out.extend_from_slice(ty.findings());
            return target.clone();
        }
        let mut target = target.clone();
        match target.kind() {
            Kind::Resource(resource) => {
                let body = self.value(config, source, ty, &resource.body, out);
                return Ty::new(Kind::Resource(Box::new(crate::types::ResourceTy {
                    body,
                    ..(**resource).clone()
                })));
            }
            Kind::Module(scopes, body) => {
                let body = self.value(config, source, ty, body, out);
                return Ty::new(Kind::Module(*scopes, body));
            }
            Kind::Test(body) => {
                let body = self.value(config, source, ty, body, out);
                return Ty::new(Kind::Test(body));
            }
            Kind::Array(_) | Kind::Tuple(_) => {
                if let Source::Expr(Expr::For(each)) = source {
                    let item = target.as_list().map_or_else(Ty::any, |(item, _)| item);
                    let body = Source::Expr(each.body());
                    let ty = self.type_of(body);
                    let narrowed = self.value(config, body, ty, &item, out);
                    return Ty::array_of(narrowed, Range::default());
                }
            }
            Kind::Union(_) => {
                if let Some(folded) = collapse(&target) {
                    target = folded;
                }
            }
            _ => {}
        }
        if !assignable(&ty, &target) {
            if let Some(rest) = assignable_unless_null(&ty, &target) {
                out.push(codes::NULL_ASSIGNMENT.at(source.span(), &[&target, &ty]));
                return self.value(config, source, rest, &target, out);
            }
            self.mismatch(config, source, &ty, &target, out);
            return target;
        }
        if matches!(target.kind(), Kind::ResourceParameter(_)) {
            return target;
        }
        let warn = config.is_resource || warns(&target);
        match target.kind() {
            Kind::Int(range) => return integer(source.span(), &ty, &target, *range, warn, out),
            Kind::IntLit(value) => {
                let range = Range { min: Some(*value), max: Some(*value) };
                return if let Kind::Int(own) = ty.kind() {
                    if disjoint(
                        *own,
                        range,
                        source.span(),
                        warn,
                        codes::INT_TOO_LARGE,
                        codes::INT_TOO_SMALL,
                        out,
                    ) {
                        ty
                    } else {
                        target
                    }
                } else {
                    target
                };
            }
            Kind::Str(text) => return string(source.span(), &ty, &target, text, warn, out),
            Kind::StrLit(value) => {
                let length = Some(text_length(value));
                let range = Range { min: length, max: length };
                if let Kind::Str(own) = ty.kind()
                    && disjoint(
                        own.length,
                        range,
                        source.span(),
                        warn,
                        codes::TOO_LONG,
                        codes::TOO_SHORT,
                        out,
                    )
                {
                    return ty;
                }
                return target;
            }
            Kind::Object(object) => {
                if let Some(made) = self.object(config, source.unconditional(), &ty, &target, object, out) {
                    return made;
                }
            }
            Kind::Discriminated(object) => {
                if let Some(made) =
                    self.discriminated(config, source.unconditional(), &ty, &target, object, out)
                {
                    return made;
                }
            }
            Kind::Array(_) | Kind::Tuple(_) => {
                if let Some(made) = self.list(config, source, &ty, &target, out) {
                    return made;
                }
            }
            _ => {}
        }
        if let Some(behind) = self.behind(source) {
            let config =
                Config { origin: Some(source.node().id()), depth: config.depth + 1, ..config.clone() };
            let ty = self.type_of(behind);
            return self.value(&config, behind, ty, &target, out);
        }
        match (source, target.kind()) {
            (_, Kind::Union(members)) => self.union(config, source, &ty, &target, members, out),
            (Source::Expr(Expr::Lambda(lambda)), Kind::Lambda(wanted)) => {
                self.lambda(config, lambda, wanted, out)
            }
            _ => ty,
        }
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

    /// Words for the declaration that a value comes from.
    fn origin_clause(&self, origin: Option<NodeId>) -> String {
        let symbol = origin.and_then(|id| self.checker.model.symbol_at(self.checker.node(id)));
        symbol.map_or_else(String::new, |id| {
            format!(", in the value of `{}`", self.checker.model.symbol(id).name)
        })
    }

    fn has_origin(&self, config: &Config) -> bool {
        config.origin.is_some_and(|id| self.checker.model.symbol_at(self.checker.node(id)).is_some())
    }

    fn mismatch(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: &Ty,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) {
        let found = match &config.mismatch {
            Mismatch::Value => {
                codes::VALUE_TYPE.or_warning(warns(target)).at(self.place(config, source), &[target, ty])
            }
            Mismatch::Item(warn) => codes::ITEM_TYPE.or_warning(*warn).at(source.span(), &[target, ty]),
            Mismatch::Spread(warn) => codes::SPREAD_ITEMS.or_warning(*warn).at(source.span(), &[target, ty]),
            Mismatch::Property { name, warn, origin } => {
                let at = origin.map_or_else(|| source.span(), |id| self.checker.node(id).span());
                let clause = self.origin_clause(*origin);
                match near_literal(ty, target).filter(|_| clause.is_empty()) {
                    Some(near) => {
                        codes::PROPERTY_LITERAL_NEAR.or_warning(*warn).at(at, &[name, target, ty, &near])
                    }
                    None => codes::PROPERTY_TYPE.or_warning(*warn).at(at, &[name, target, ty, &clause]),
                }
            }
        };
        out.push(found);
    }

    fn list(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: &Ty,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) -> Option<Ty> {
        if let Source::Expr(Expr::Array(array)) = source {
            return Some(self.array(config, array, target, out));
        }
        if let Some(behind) = self.behind(source) {
            let config =
                Config { origin: Some(source.node().id()), depth: config.depth + 1, ..config.clone() };
            let ty = self.type_of(behind);
            return Some(self.value(&config, behind, ty, target, out));
        }
        let warn = config.is_resource || warns(target);
        let inner = Config { depth: config.depth + 1, ..config.clone() };
        if let (Kind::Tuple(own), Kind::Tuple(wanted)) = (ty.kind(), target.kind()) {
            if own.len() != wanted.len() {
                out.push(codes::TOO_LONG.or_warning(warn).at(source.span(), &[&own.len(), &wanted.len()]));
                return Some(ty.clone());
            }
            let items = own.iter().zip(wanted);
            let items =
                items.map(|(own, wanted)| self.value(&inner, source, own.get(), &wanted.get(), out).into());
            return Some(Ty::flagged(Kind::Tuple(items.collect()), target.flags()));
        }
        let ((item, own), (wanted_item, wanted)) = (ty.as_list()?, target.as_list()?);
        if disjoint(own, wanted, source.span(), warn, codes::TOO_LONG, codes::TOO_SHORT, out) {
            return Some(ty.clone());
        }
        overlap(own, wanted, source.span(), codes::MAYBE_SHORT, codes::MAYBE_LONG, out);
        let item = self.value(&inner, source, item, &wanted_item, out);
        Some(Ty::array_within(item, tighter(own, wanted, 0), target.flags()))
    }

    fn array(&mut self, config: &Config, array: Array<'m>, target: &Ty, out: &mut Vec<Finding>) -> Ty {
        if self.checker.has_parse_errors(array.node()) {
            return target.clone();
        }
        let Some((item, length)) = target.as_list() else { return target.clone() };
        let warn = warns(target);
        let mut items: Vec<TypeRef> = Vec::new();
        let mut has_spread = false;
        for value in array.values() {
            let mut inner = Config { skip_errors: true, depth: config.depth + 1, ..config.clone() };
            if let Expr::SpreadExpression(spread) = value {
                has_spread = true;
                inner.mismatch = Mismatch::Spread(warn);
                let wanted = Ty::array_within(item.clone(), Range::default(), target.flags());
                let source = Source::Expr(spread.expression());
                let ty = self.type_of(source);
                let narrowed = self.value(&inner, source, ty, &wanted, out);
                items.push(narrowed.as_list().map_or_else(Ty::any, |(item, _)| item).into());
            } else {
                inner.mismatch = Mismatch::Item(warn);
                let wanted = match target.kind() {
                    Kind::Tuple(wanted) if !has_spread => {
                        wanted.get(items.len()).map_or_else(Ty::any, TypeRef::get)
                    }
                    _ => item.clone(),
                };
                let source = Source::Expr(value);
                let ty = self.type_of(source);
                items.push(self.value(&inner, source, ty, &wanted, out).into());
            }
        }
        if has_spread {
            return Ty::array_within(crate::types::union(items), Range::default(), target.flags());
        }
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let warn = config.is_resource || warn;
        if let Some(max) = length.max.filter(|max| *max < count) {
            out.push(codes::TOO_LONG.or_warning(warn).at(array.span(), &[&count, &max]));
        } else if let Some(min) = length.min.filter(|min| *min > count) {
            out.push(codes::TOO_SHORT.or_warning(warn).at(array.span(), &[&count, &min]));
        }
        Ty::flagged(Kind::Tuple(items), target.flags())
    }

    fn lambda(
        &mut self,
        config: &Config,
        lambda: Lambda<'m>,
        wanted: &crate::types::Lambda,
        out: &mut Vec<Finding>,
    ) -> Ty {
        let body = Source::Expr(lambda.body());
        let inner = Config { depth: config.depth + 1, ..config.clone() };
        let ty = self.type_of(body);
        let result = self.value(&inner, body, ty, &wanted.result.get(), out);
        let variables: Vec<LocalVariable<'m>> = nodes::variables(lambda.variables()).collect();
        let arguments = variables.iter().enumerate().map(|(place, variable)| {
            let source = Source::Local(variable.node());
            let ty = self.type_of(source);
            let wanted = wanted.argument(place).unwrap_or_else(Ty::any);
            self.value(&inner, source, ty, &wanted, out)
        });
        let arguments = arguments.collect();
        Ty::lambda(arguments, Vec::new(), result)
    }

    fn union(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: &Ty,
        target: &Ty,
        members: &[TypeRef],
        out: &mut Vec<Finding>,
    ) -> Ty {
        let inner = Config { depth: config.depth + 1, ..config.clone() };
        if let Kind::Union(candidates) = ty.kind() {
            let mut narrowed = Vec::new();
            let mut failed = false;
            for candidate in candidates {
                let candidate = candidate.get();
                let mut found = Vec::new();
                if assignable(&candidate, target) {
                    narrowed.push(self.union(&inner, source, &candidate, target, members, &mut found));
                    if found.iter().any(Finding::is_error) {
                        failed = true;
                        found.push(codes::ARGUMENT_TYPE.at(source.span(), &[&candidate, target]));
                    }
                } else {
                    failed = true;
                    found.push(codes::ARGUMENT_TYPE.at(source.span(), &[&candidate, target]));
                }
                out.append(&mut found);
            }
            return if failed { target.clone() } else { union_of(narrowed) };
        }
        let mut viable: Vec<(Ty, Vec<Finding>)> = Vec::new();
        let mut rejected: Vec<Finding> = Vec::new();
        let mut any_fits = false;
        for member in members {
            let member = member.get();
            if !assignable(ty, &member) {
                continue;
            }
            any_fits = true;
            let mut found = Vec::new();
            let narrowed = self.value(&inner, source, ty.clone(), &member, &mut found);
            if found.iter().any(Finding::is_error) {
                rejected.append(&mut found);
            } else {
                viable.push((if config.is_resource { member } else { narrowed }, found));
            }
        }
        if !viable.is_empty() {
            if viable.iter().all(|(_, found)| !found.is_empty()) {
                out.extend(viable.iter().flat_map(|(_, found)| found.iter().cloned()));
            }
            return union_of(viable.into_iter().map(|(ty, _)| ty));
        }
        out.append(&mut rejected);
        if !any_fits {
            out.push(codes::ARGUMENT_TYPE.at(source.span(), &[ty, target]));
        }
        target.clone()
    }

    fn discriminated(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: &Ty,
        target: &Ty,
        wanted: &Discriminated,
        out: &mut Vec<Finding>,
    ) -> Option<Ty> {
        if self.checker.has_parse_errors(source.node()) {
            return Some(Ty::any());
        }
        let own = ty.as_object()?;
        let keys = keys_of(wanted);
        let warn_properties = warns_for_properties(target);
        let Some(given) = own.properties.get(&wanted.key) else {
            let explicit = own.additional.as_ref().is_some_and(|it| !it.flags.has(PropertyFlags::FALLBACK));
            if !explicit {
                let text = own.additional.as_ref().is_some_and(|it| assignable(&it.ty.get(), &Ty::string()));
                let rule = codes::MISSING_PROPERTY.or_warning(text || warn_properties);
                out.push(rule.at(self.place(config, source), &[&wanted.key, &keys]));
                let names = own.properties.keys().map(SmolStr::as_str);
                if let Some(near) = diagnostics::suggest_without_swaps(&wanted.key, names) {
                    let at = source.object().and_then(|object| self.checker.model.property(object, near));
                    let at = match (config.origin, at) {
                        (None, Some(property)) => property.key().span(),
                        _ => self.place(config, source),
                    };
                    let rule = codes::EXTRA_PROPERTY_NEAR.or_warning(warn_properties);
                    out.push(rule.at(at, &[&near, &keys, &wanted.key]));
                }
            }
            return Some(Ty::any());
        };
        let at = match (
            config.origin,
            source.object().and_then(|object| self.checker.model.property(object, &wanted.key)),
        ) {
            (None, Some(property)) => property.value().span(),
            _ => self.place(config, source),
        };
        let given = given.ty.get();
        if given.is_any() {
            return Some(Ty::any());
        }
        if let Some(value) = given.as_string_literal() {
            if let Some((_, member)) = wanted.members.iter().find(|(key, _)| key == value) {
                let member = member.get();
                return match member.as_object() {
                    Some(object) => self.object(config, source, ty, &member, object, out),
                    None => Some(Ty::any()),
                };
            }
            let warn = config.is_resource || warn_properties;
            let mut names: Vec<SmolStr> =
                wanted.members.iter().map(|(key, _)| crate::types::quoted(key)).collect();
            names.sort();
            let near = diagnostics::suggest_without_swaps(given.name(), names.iter().map(SmolStr::as_str));
            out.push(match near.filter(|_| !self.has_origin(config)) {
                Some(near) => {
                    codes::PROPERTY_LITERAL_NEAR.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &near])
                }
                None => {
                    let clause = self.origin_clause(config.origin);
                    codes::PROPERTY_TYPE.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &clause])
                }
            });
            return Some(Ty::any());
        }
        if assignable(&given, &keys) {
            out.push(codes::UNKNOWN_DISCRIMINATOR.at(at, &[&wanted.key]));
        } else {
            let warn = config.is_resource || warn_properties;
            let clause = self.origin_clause(config.origin);
            out.push(codes::PROPERTY_TYPE.or_warning(warn).at(at, &[&wanted.key, &keys, &given, &clause]));
        }
        Some(Ty::any())
    }

    fn object(
        &mut self,
        config: &Config,
        source: Source<'m>,
        ty: &Ty,
        target: &Ty,
        wanted: &ObjectTy,
        out: &mut Vec<Finding>,
    ) -> Option<Ty> {
        if let Some(behind) = self.behind(source) {
            let config =
                Config { origin: Some(source.node().id()), depth: config.depth + 1, ..config.clone() };
            return if config.depth > MAX_DEPTH {
                self.is_too_deep = true;
                None
            } else {
                self.object(&config, behind, ty, target, wanted, out)
            };
        }
        if self.checker.has_parse_errors(source.node()) {
            return Some(target.clone());
        }
        let own = ty.as_object()?;
        self.missing(config, source, own, target, wanted, out);
        let mut properties = wanted.properties.clone();
        for (name, property) in &wanted.properties {
            let Some(given) = own.properties.get(name) else { continue };
            let made = self.known_property(config, source, (name, property), given, target, out);
            if let Some(made) = made {
                properties.insert(name.clone(), Property::new(made, property.flags));
            }
        }
        self.extra(config, source, own, target, wanted, out);
        if config.is_resource {
            for property in properties.values_mut() {
                property.flags = property.flags.without(PropertyFlags::READ_ONLY);
                property.ty = without_read_only(&property.ty);
            }
        }
        let made = ObjectTy {
            name: wanted.name.clone(),
            properties,
            additional: wanted.additional.clone(),
            methods: wanted.methods.clone(),
            role: wanted.role.clone(),
            origin: wanted.origin,
        };
        Some(Ty::flagged(Kind::Object(made), target.flags()))
    }

    fn missing(
        &mut self,
        config: &Config,
        source: Source<'m>,
        own: &ObjectTy,
        target: &Ty,
        wanted: &ObjectTy,
        out: &mut Vec<Finding>,
    ) {
        if own.additional.is_some() {
            return;
        }
        let missing = wanted.properties.iter().filter(|(name, property)| {
            property.flags.has(PropertyFlags::REQUIRED)
                && !property.flags.has(PropertyFlags::READ_ONLY)
                && !own.properties.contains_key(*name)
                && !assignable(&Ty::null(), &property.ty.get())
        });
        let missing: Vec<(&SmolStr, &Property)> = missing.collect();
        if missing.is_empty() {
            return;
        }
        let system = missing.iter().any(|(_, property)| property.flags.has(PropertyFlags::SYSTEM));
        let warn = (config.is_resource && !system) || warns_for_properties(target);
        let (at, block) = self.block(source.node());
        let at = config.origin.map_or(at, |origin| self.checker.node(origin).span());
        let names = codes::list(missing.iter().map(|(name, _)| name));
        let clause = self.origin_clause(config.origin);
        out.push(codes::MISSING_PROPERTIES.or_warning(warn).at(at, &[&block, &names, &clause]));
    }

    /// Where missing properties are reported, and what they are missing from.
    fn block(&self, node: SyntaxNode<'m>) -> (Span, &'static str) {
        let object = (node.span(), "object");
        let Some(parent) = self.checker.model.parent(node) else { return object };
        match parent.kind() {
            NodeKind::ObjectProperty => syntax::ast::ObjectProperty::cast(parent)
                .map_or(object, |property| (property.key().span(), "object")),
            NodeKind::IfCondition | NodeKind::For => self.block(parent),
            _ => match Statement::cast(parent).and_then(nodes::declared_name) {
                Some((name, keyword)) => {
                    let word = match keyword {
                        "resource" => "resource",
                        "module" => "module",
                        "output" => "output",
                        _ => "declaration",
                    };
                    (name.span(), word)
                }
                None => object,
            },
        }
    }

    fn known_property(
        &mut self,
        config: &Config,
        source: Source<'m>,
        (name, property): (&SmolStr, &Property),
        given: &Property,
        target: &Ty,
        out: &mut Vec<Finding>,
    ) -> Option<Ty> {
        let written = source.object().and_then(|object| self.checker.model.property(object, name));
        let value = written.map_or(source, |written| Source::Expr(written.value()));
        let mut skip_constant = config.skip_constant;
        if !skip_constant && property.flags.has(PropertyFlags::CONSTANT) {
            Checker::require_constant(value.node(), out);
            skip_constant = true;
        }
        let key = match (config.origin, written) {
            (None, Some(written)) => written.key().span(),
            _ => self.place(config, source),
        };
        let system = property.flags.has(PropertyFlags::SYSTEM);
        if property.flags.has(PropertyFlags::READ_ONLY) {
            if self.is_existing_body(source.node()) == Some(true) {
                out.push(codes::EXISTING_PROPERTY.at(key, &[name]));
            } else if !given.flags.has(PropertyFlags::READ_ONLY) {
                let warn = (!system && config.is_resource) || warns_for_properties(target);
                out.push(codes::READ_ONLY.or_warning(warn).at(key, &[name, &""]));
            }
            return None;
        }
        if property.flags.has(PropertyFlags::FALLBACK) {
            out.push(codes::FALLBACK_PROPERTY.at(key, &[name, &""]));
        }
        let wanted = property.ty.get();
        let inner = Config {
            skip_constant,
            skip_errors: true,
            disallow_any: property.flags.has(PropertyFlags::DISALLOW_ANY),
            mismatch: Mismatch::Property {
                name: name.clone(),
                warn: (config.is_resource && !system) || warns(&wanted),
                origin: config.origin,
            },
            depth: config.depth + 1,
            ..config.clone()
        };
        let given = given.ty.get();
        if !self.seen.insert((value.node().id(), self.keys.of(&given), self.keys.of(&wanted))) {
            return Some(wanted);
        }
        let keeps =
            property.flags.has(PropertyFlags::REQUIRED) || !property.flags.has(PropertyFlags::IMPLICIT_NULL);
        let assigned = if keeps { wanted } else { nullable(&wanted) };
        let narrowed = self.value(&inner, value, given, &assigned, out);
        Some(if keeps { narrowed } else { crate::types::non_null(&narrowed) })
    }

    fn is_existing_body(&self, node: SyntaxNode<'m>) -> Option<bool> {
        let mut parent = self.checker.model.parent(node)?;
        if parent.kind() == NodeKind::IfCondition {
            parent = self.checker.model.parent(parent)?;
        }
        match Statement::cast(parent)? {
            Statement::ResourceDeclaration(it) => Some(it.existing().is_some()),
            _ => None,
        }
    }

    fn extra(
        &mut self,
        config: &Config,
        source: Source<'m>,
        own: &ObjectTy,
        target: &Ty,
        wanted: &ObjectTy,
        out: &mut Vec<Finding>,
    ) {
        let extra = own.properties.iter().filter(|(name, _)| !wanted.properties.contains_key(*name));
        let fallback = wanted.additional.as_ref().is_some_and(|it| it.flags.has(PropertyFlags::FALLBACK));
        let object = source.object();
        let additional = wanted.additional.as_ref().filter(|_| !(fallback && object.is_some()));
        let Some(additional) = additional else {
            let computed = object.into_iter().flat_map(|object| object.properties());
            let computed: Vec<_> = computed.filter(|property| property.key().constant().is_none()).collect();
            let mut extra = extra.peekable();
            if extra.peek().is_none() && computed.is_empty() {
                return;
            }
            let warn = fallback || warns_for_properties(target);
            let possible = wanted.properties.iter().filter(|(name, property)| {
                !property.flags.has(PropertyFlags::READ_ONLY)
                    && !property.flags.has(PropertyFlags::FALLBACK)
                    && !own.properties.contains_key(*name)
            });
            let possible: Vec<&str> = possible.map(|(name, _)| name.as_str()).collect();
            let hint = if possible.is_empty() {
                String::new()
            } else {
                format!(", which can have {}", codes::list(&possible))
            };
            for (name, _) in extra {
                let written = object.and_then(|object| self.checker.model.property(object, name));
                let at = match (config.origin, written) {
                    (None, Some(written)) => written.key().span(),
                    _ => self.place(config, source),
                };
                let near = diagnostics::suggest_without_swaps(name, possible.iter().copied());
                out.push(match near.filter(|_| !self.has_origin(config)) {
                    Some(near) => codes::EXTRA_PROPERTY_NEAR.or_warning(warn).at(at, &[name, target, &near]),
                    None => codes::EXTRA_PROPERTY.or_warning(warn).at(at, &[name, target, &hint]),
                });
            }
            for property in computed {
                let at = property.key().span();
                out.push(codes::INTERPOLATED_KEY.or_warning(warn).at(at, &[target, &hint]));
            }
            return;
        };
        let value_type = additional.ty.get();
        for (name, given) in extra {
            let written = object.and_then(|object| self.checker.model.property(object, name));
            let value = written.map_or(source, |written| Source::Expr(written.value()));
            let mut skip_constant = config.skip_constant;
            if !skip_constant && additional.flags.has(PropertyFlags::CONSTANT) {
                Checker::require_constant(value.node(), out);
                skip_constant = true;
            }
            let inner = Config {
                skip_constant,
                skip_errors: true,
                disallow_any: additional.flags.has(PropertyFlags::DISALLOW_ANY),
                mismatch: Mismatch::Property {
                    name: name.clone(),
                    warn: warns(&value_type),
                    origin: config.origin,
                },
                depth: config.depth + 1,
                ..config.clone()
            };
            let given = given.ty.get();
            if self.seen.insert((value.node().id(), self.keys.of(&given), self.keys.of(&value_type))) {
                let implicit = additional.flags.has(PropertyFlags::IMPLICIT_NULL);
                let assigned = if implicit { nullable(&value_type) } else { value_type.clone() };
                self.value(&inner, value, given, &assigned, out);
            }
        }
    }
}

/// The same type with all that could only be read made readable, worked out when it is asked for.
fn without_read_only(ty: &TypeRef) -> TypeRef {
    let ty = ty.clone();
    // Most types are known and no objects: they stay as they are, and nothing is made for later.
    if let TypeRef::Now(known) = &ty
        && known.as_object().is_none()
    {
        return ty;
    }
    TypeRef::loaded(move || {
        let ty = ty.get();
        let Kind::Object(object) = ty.kind() else { return ty };
        if !matches!(object.role, crate::types::Role::Plain) {
            return ty;
        }
        let mut object = object.clone();
        for property in object.properties.values_mut() {
            property.flags = property.flags.without(PropertyFlags::READ_ONLY);
            property.ty = without_read_only(&property.ty);
        }
        Ty::flagged(Kind::Object(object), ty.flags())
    })
}

/// Tells whether a type has parts that values are compared with one by one.
fn has_parts(ty: &Ty) -> bool {
    match ty.kind() {
        Kind::Array(_)
        | Kind::Tuple(_)
        | Kind::Object(_)
        | Kind::Discriminated(_)
        | Kind::Lambda(_)
        | Kind::Resource(_)
        | Kind::Module(..)
        | Kind::Test(_) => true,
        Kind::Union(members) => members.iter().any(|member| has_parts(&member.get())),
        Kind::Any
        | Kind::Null
        | Kind::Bool
        | Kind::BoolLit(_)
        | Kind::Int(_)
        | Kind::IntLit(_)
        | Kind::Str(_)
        | Kind::StrLit(_)
        | Kind::ScopeRef(_)
        | Kind::ParentOf(_)
        | Kind::ResourceParameter(_)
        | Kind::TypeOf(_)
        | Kind::Error(_) => false,
    }
}

fn near_literal(ty: &Ty, target: &Ty) -> Option<SmolStr> {
    ty.as_string_literal()?;
    let mut names: Vec<SmolStr> = match target.kind() {
        Kind::StrLit(_) => vec![target.name().clone()],
        Kind::Union(members) => {
            let names = members.iter().map(|member| {
                let member = member.get();
                member.as_string_literal().is_some().then(|| member.name().clone())
            });
            names.collect::<Option<Vec<_>>>()?
        }
        _ => return None,
    };
    names.sort();
    diagnostics::suggest_without_swaps(ty.name(), names.iter().map(SmolStr::as_str)).map(Into::into)
}

/// Reports ranges that have nothing in common.
fn disjoint(
    own: Range,
    wanted: Range,
    at: Span,
    warn: bool,
    high: Code,
    low: Code,
    out: &mut Vec<Finding>,
) -> bool {
    if let (Some(least), Some(most)) = (own.min, wanted.max)
        && least > most
    {
        out.push(high.or_warning(warn).at(at, &[&least, &most]));
        return true;
    }
    if let (Some(most), Some(least)) = (own.max, wanted.min)
        && most < least
    {
        out.push(low.or_warning(warn).at(at, &[&most, &least]));
        return true;
    }
    false
}

/// Reports ranges that reach beyond what is wanted.
fn overlap(own: Range, wanted: Range, at: Span, low: Code, high: Code, out: &mut Vec<Finding>) {
    if let (Some(own), Some(wanted)) = (own.min, wanted.min)
        && own < wanted
    {
        out.push(low.at(at, &[&own, &wanted]));
    }
    if let (Some(own), Some(wanted)) = (own.max, wanted.max)
        && own > wanted
    {
        out.push(high.at(at, &[&own, &wanted]));
    }
}

/// What two ranges have in common; `least` is where a lower bound says nothing.
fn tighter(a: Range, b: Range, least: i64) -> Range {
    let min = a.min.unwrap_or(least).max(b.min.unwrap_or(least));
    let max = a.max.unwrap_or(i64::MAX).min(b.max.unwrap_or(i64::MAX));
    Range { min: Some(min).filter(|min| *min > least), max: Some(max).filter(|max| *max < i64::MAX) }
}

fn integer(at: Span, ty: &Ty, target: &Ty, wanted: Range, warn: bool, out: &mut Vec<Finding>) -> Ty {
    match ty.kind() {
        Kind::Int(own) => {
            if disjoint(*own, wanted, at, warn, codes::INT_TOO_LARGE, codes::INT_TOO_SMALL, out) {
                return ty.clone();
            }
            overlap(*own, wanted, at, codes::INT_MAYBE_SMALL, codes::INT_MAYBE_LARGE, out);
            Ty::int_within(tighter(*own, wanted, i64::MIN), target.flags())
        }
        Kind::IntLit(value) => {
            let own = Range { min: Some(*value), max: Some(*value) };
            disjoint(own, wanted, at, warn, codes::INT_TOO_LARGE, codes::INT_TOO_SMALL, out);
            ty.clone()
        }
        _ => ty.clone(),
    }
}

fn string(at: Span, ty: &Ty, target: &Ty, wanted: &Text, warn: bool, out: &mut Vec<Finding>) -> Ty {
    match ty.kind() {
        Kind::Str(own) => {
            if disjoint(own.length, wanted.length, at, warn, codes::TOO_LONG, codes::TOO_SHORT, out) {
                return ty.clone();
            }
            overlap(own.length, wanted.length, at, codes::MAYBE_SHORT, codes::MAYBE_LONG, out);
            Ty::string_within(tighter(own.length, wanted.length, 0), None, target.flags())
        }
        Kind::StrLit(value) => {
            let length = Some(text_length(value));
            let own = Range { min: length, max: length };
            disjoint(own, wanted.length, at, warn, codes::TOO_LONG, codes::TOO_SHORT, out);
            if let Some(pattern) = &wanted.pattern
                && !matches(pattern, value)
            {
                out.push(codes::PATTERN.or_warning(warn).at(at, &[pattern]));
            }
            ty.clone()
        }
        _ => ty.clone(),
    }
}

/// Tells whether a text matches a pattern; a pattern that cannot be read matches everything.
fn matches(pattern: &str, value: &str) -> bool {
    contract::pattern::Pattern::new(contract::pattern::Dialect::Ecma, pattern)
        .map_or(true, |pattern| pattern.is_match(value.as_bytes()))
}
