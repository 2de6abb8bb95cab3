//! `use-recent-api-versions`: resource types whose API version is old.

use contract::Node;
use smol_str::SmolStr;
use syntax::ast::{AstNode as _, Expr, Statement};
use syntax::{Span, SyntaxNode};

use super::api_version::{ApiVersion, Outdated, Recent};
use super::resource_type::is_type;
use super::{CALLS, Category, Example, LintCheck, LintRule, Linter, is_same};
use crate::finding::Fix;
use crate::symbols::{CallSyntax, Resource};

pub(super) const RULE: LintRule = LintRule::new(
    "use-recent-api-versions",
    Category::BestPractice,
    "Resources use recent API versions of their types.",
    "A version is recent if it is at most 730 days old (`maxAgeInDays` in the rule's configuration), or if there is no later \
        one. A preview is only recent if no stable version came after it or on the same day. A version that came out less \
        than 90 days ago (`gracePeriodInDays`) may be used, but is not demanded. The versions are those of the resource \
        types that the compiler has. Resources are checked, and calls of `reference` and `list` functions.",
    &[
        Example::breaks("resource app 'Test.Rp/secrets@2018-01-01' = {\n  name: 'app'\n}\n", "2018-01-01")
            .fixed("resource app 'Test.Rp/secrets@2024-01-01' = {\n  name: 'app'\n}\n"),
        Example::breaks(
            "output state object = reference(resourceId('Test.Rp/secrets', 'a'), '2018-01-01')\n",
            "reference(resourceId('Test.Rp/secrets', 'a'), '2018-01-01')",
        ),
        Example::keeps("resource app 'Test.Rp/secrets@2024-01-01' = {\n  name: 'app'\n}\n"),
    ],
    LintCheck::File(check),
)
.off();

const MAX_AGE: (&str, i64) = ("maxAgeInDays", 365 * 2);
const GRACE: (&str, i64) = ("gracePeriodInDays", 90);

fn check(linter: &mut Linter<'_, '_>) {
    let Some(today) = linter.checker.today() else { return };
    let max_age = days(linter, MAX_AGE);
    let grace = days(linter, GRACE);
    let recent = Recent { today, max_age, grace };
    for resource in linter.azure_resources() {
        check_resource(linter, recent, resource);
    }
    for node in linter.model.file.tree.root().descendants() {
        if CALLS.contains(&node.kind()) {
            check_call(linter, recent, node);
        }
    }
}

/// A number of days in the configuration of the rule.
fn days(linter: &mut Linter<'_, '_>, (name, default): (&str, i64)) -> i64 {
    let Some(value) = linter.setting(name) else { return default };
    match value.node() {
        Node::Int(days) if days >= 0 => days,
        _ => {
            let message = format!("`{name}` of the configuration is not a number of days, {default} is used");
            linter.report(Span::default(), message);
            default
        }
    }
}

fn check_resource(linter: &mut Linter<'_, '_>, recent: Recent, resource: &Resource) {
    let Some(ty) = &resource.ty else { return };
    let Some(version) = ty.version.as_deref() else { return };
    let Some(Statement::ResourceDeclaration(it)) = linter.model.statement_of(resource.symbol) else { return };
    // A nested resource without a version has that of the one around it, where it is reported.
    let written = it.ty().node();
    let Some(at) = written.text().rfind(&format!("@{version}")) else { return };
    let (Ok(at), Ok(length)) = (u32::try_from(at + 1), u32::try_from(version.len())) else { return };
    let start = written.span().start + at;
    let place = Span::new(start, start + length);
    let Some(version) = ApiVersion::parse(version) else { return };
    // The compiler says itself that a type or a version is not known.
    let all = versions(linter, &ty.name);
    if all.contains(&version) {
        check_version(linter, recent, &ty.name, &version, &all, place, true);
    }
}

fn check_call<'m>(linter: &mut Linter<'_, 'm>, recent: Recent, node: SyntaxNode<'m>) {
    let Some((name, call)) = linter.azure_call(node) else { return };
    if name != "reference" && !name.starts_with("list") {
        return;
    }
    let (Some(id), Some(version)) = (call.argument(0), call.argument(1)) else { return };
    let Some(version) = linter.constant(version).and_then(|it| ApiVersion::parse(&it)) else { return };
    let Some(ty) = resource_type(linter, id) else { return };
    let (ty, all) = known_part(linter, &ty);
    if all.is_empty() {
        let mut finding = linter.finding(node.span(), format!("there is no resource type `{ty}`"));
        let types = linter.model.az_types.as_ref();
        if let Some(similar) = types.and_then(|types| types.similar_names(&ty, 1).first().copied()) {
            finding = finding.with_hint(format!("did you mean `{similar}`?"));
        }
        return linter.push(finding);
    }
    if !all.contains(&version) {
        let acceptable = recent.acceptable(&all);
        let message = format!("`{ty}` has no API version `{version}`");
        return linter.push(linter.finding(node.span(), message).with_hint(hint(&acceptable)));
    }
    check_version(linter, recent, &ty, &version, &all, node.span(), false);
}

/// Reports a version that there is and that is not recent.
fn check_version(
    linter: &mut Linter<'_, '_>,
    recent: Recent,
    ty: &str,
    version: &ApiVersion,
    all: &[ApiVersion],
    place: Span,
    is_version: bool,
) {
    let acceptable = recent.acceptable(all);
    let Some(why) = recent.outdated(version, all, &acceptable) else { return };
    let why = match why {
        Outdated::StableIsLater => "is a preview, and there is a later version that is not".to_owned(),
        Outdated::StableOfSameDay => {
            "is a preview, and there is a version of the same day that is not".to_owned()
        }
        Outdated::Days(age) => {
            format!("is {age} days old, it should be the latest or at most {} days old", recent.max_age)
        }
    };
    let mut finding = linter.finding(place, format!("the API version `{version}` of `{ty}` {why}"));
    finding = finding.with_hint(hint(&acceptable));
    if let Some(best) = acceptable.iter().find(|it| it.is_ahead_of(version)).filter(|_| is_version) {
        finding = finding.with_fix(Fix::replace(format!("use `{best}`"), place, best.to_string()));
    }
    linter.push(finding);
}

fn hint(acceptable: &[ApiVersion]) -> String {
    let names: Vec<String> = acceptable.iter().map(ToString::to_string).collect();
    format!("acceptable versions are {}", crate::codes::list(&names))
}

/// The versions of a type that are known; none if the type is not.
fn versions(linter: &Linter<'_, '_>, ty: &str) -> Vec<ApiVersion> {
    let Some(types) = &linter.model.az_types else { return Vec::new() };
    let rows = types.versions(ty).unwrap_or_default();
    rows.iter().filter_map(|row| ApiVersion::parse(row.api_version?)).collect()
}

/// The resource type in the first argument of a function.
fn resource_type<'m>(linter: &mut Linter<'_, 'm>, argument: Expr<'m>) -> Option<SmolStr> {
    if let Some(call) = CallSyntax::of(argument)
        && call.name() == "resourceId"
        && let Some(ty) = of_resource_id(linter, call)
    {
        return Some(ty);
    }
    let text = linter.constant(argument);
    if let Some(text) = text.filter(|text| is_type(text)) {
        return Some(text);
    }
    let model = linter.model;
    let resource = match argument {
        Expr::PropertyAccess(access) => model.symbol_in(access.base()).and_then(|it| model.resource_of(it)),
        _ => None,
    };
    let is_named = |resource: &&Resource| {
        let name = model.body_property(&resource.body, "name");
        name.is_some_and(|name| is_same(name.node(), argument.node()))
    };
    let resource = resource.filter(|it| it.extension.is_none());
    let resource = resource.or_else(|| linter.azure_resources().find(is_named))?;
    resource.ty.as_ref().map(|ty| ty.name.clone())
}

/// The type in the arguments of `resourceId`, with all that is written out after it.
fn of_resource_id<'m>(linter: &mut Linter<'_, 'm>, call: CallSyntax<'m>) -> Option<SmolStr> {
    let mut found: Option<String> = None;
    for argument in call.arguments() {
        let text = linter.constant(argument);
        match (&mut found, text) {
            (Some(found), Some(text)) => {
                found.push('/');
                found.push_str(&text);
            }
            (Some(_), None) => break,
            (None, Some(text)) => {
                let text = text.trim_end_matches('/');
                found = is_type(text).then(|| text.to_owned());
            }
            (None, None) => {}
        }
    }
    found.map(Into::into)
}

/// The longest beginning of a text that is a known type, with its versions; or else the shortest that looks like a type.
fn known_part(linter: &Linter<'_, '_>, text: &str) -> (SmolStr, Vec<ApiVersion>) {
    // No type has as many parts.
    const MAX_PARTS: usize = 32;
    let ends = text.match_indices('/').map(|(at, _)| at).chain([text.len()]).skip(1);
    let parts: Vec<&str> = ends.take(MAX_PARTS).filter_map(|end| text.get(..end)).collect();
    let parts: Vec<&str> = parts.into_iter().take_while(|part| is_type(part)).collect();
    let known = parts.iter().rev().find_map(|part| {
        let all = versions(linter, part);
        (!all.is_empty()).then(|| (SmolStr::from(*part), all))
    });
    known.unwrap_or_else(|| (parts.first().copied().unwrap_or(text).into(), Vec::new()))
}
