//! `use-parent-property`: child resources whose names spell out that of their parent.

use rustc_hash::FxHashMap;
use syntax::ast::{AstNode as _, Expr, String as Text};
use syntax::{Span, SyntaxNode};

use super::text::Interpolation;
use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::finding::{Edit, Fix};
use crate::symbols::{Resource, SymbolId};
use crate::types::{Ty, assignable};

pub(super) const RULE: LintRule = LintRule::new(
    "use-parent-property",
    Category::BestPractice,
    "A child resource names its parent rather than the path to itself.",
    "A name such as `'${app.name}/slot'` repeats what `parent: app` says, and a change of one is forgotten in the other. With \
        `parent`, the child also waits for its parent.",
    &[
        Example::breaks(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

resource slot 'Contoso.App/sites/slots@2024-01-01' = {
  name: 'app/slot'
}
",
            "'app/slot'",
        )
        .fixed(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

resource slot 'Contoso.App/sites/slots@2024-01-01' = {
  parent: app
  name: 'slot'
}
",
        ),
        Example::keeps(
            "resource app 'Contoso.App/sites@2024-01-01' = {
  name: 'app'
}

resource slot 'Contoso.App/sites/slots@2024-01-01' = {
  parent: app
  name: 'slot'
}
",
        ),
    ],
    LintCheck::File(check),
);

/// How a name begins, and for resources of which type: what finds the parent of a child.
type Names<'m> = FxHashMap<(String, String), (usize, &'m Resource)>;

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    let mut names: Option<Names<'_>> = None;
    for resource in linter.azure_resources() {
        let Some((above, _)) = resource.ty.as_ref().and_then(|ty| ty.name.rsplit_once('/')) else { continue };
        if !above.contains('/') || resource.parent.is_some() {
            continue;
        }
        let Some(Expr::String(name)) = model.body_property(&resource.body, "name") else { continue };
        let found = by_name_of_parent(linter, name, above).or_else(|| {
            let names = names.get_or_insert_with(|| parents(linter));
            by_text(names, name, above)
        });
        if let Some((parent, rest)) = found {
            report(linter, resource, parent, name, &rest);
        }
    }
}

/// `'${parent.name}/child'`
fn by_name_of_parent<'m>(
    linter: &mut Linter<'_, 'm>,
    name: Text<'m>,
    above: &str,
) -> Option<(SymbolId, Interpolation)> {
    let Expr::PropertyAccess(access) = name.holes().next()? else { return None };
    if access.name().text() != "name" {
        return None;
    }
    let parent = linter.resource_named(access.base())?;
    if !parent.ty.as_ref().is_some_and(|ty| ty.is(above)) {
        return None;
    }
    Some((parent.symbol, after(name, 1, 1)?))
}

/// What is left of a name behind a piece, of which a part and the slash behind it go, too.
fn after(name: Text<'_>, piece: usize, slash: usize) -> Option<Interpolation> {
    let mut pieces = name.segments().skip(piece);
    let mut holes = name.holes().skip(piece);
    let first = pieces.next()?;
    let mut rest = Interpolation::new();
    rest.text(first.get(slash..).filter(|_| first.get(slash - 1..slash) == Some("/"))?);
    for piece in pieces {
        rest.hole(holes.next()?.node().text());
        rest.text(&piece);
    }
    Some(rest)
}

/// The resources that can be parents, by their types and names, with their places in the file.
fn parents<'m>(linter: &Linter<'_, 'm>) -> Names<'m> {
    let mut found = Names::default();
    for (place, resource) in linter.azure_resources().enumerate() {
        let Some(ty) = &resource.ty else { continue };
        let Some(name) = linter.model.body_property(&resource.body, "name") else { continue };
        if resource.body.is_collection() {
            continue;
        }
        let key = match name {
            Expr::String(text) => {
                let mut key = Vec::new();
                let mut holes = text.holes();
                for piece in text.segments() {
                    key.push(piece.into_owned());
                    key.extend(holes.next().map(|hole| written(hole.node())));
                }
                key.join("\0")
            }
            other => format!("\0{}", written(other.node())),
        };
        found.entry((ty.name.to_ascii_lowercase(), key)).or_insert((place, resource));
    }
    found
}

/// A part of a program without blanks and comments.
fn written(node: SyntaxNode<'_>) -> String {
    node.tokens().map(|token| token.text()).collect::<Vec<_>>().join(" ")
}

/// The first resource whose name is how the name of a child begins, up to a slash.
fn by_text(names: &Names<'_>, name: Text<'_>, above: &str) -> Option<(SymbolId, Interpolation)> {
    let above = above.to_ascii_lowercase();
    let holes: Vec<String> = name.holes().map(|hole| written(hole.node())).collect();
    let mut best: Option<(usize, SymbolId, usize, usize)> = None;
    let mut consider = |key: String, piece: usize, slash: usize| {
        if let Some((place, resource)) = names.get(&(above.clone(), key))
            && best.is_none_or(|best| *place < best.0)
        {
            best = Some((*place, resource.symbol, piece, slash));
        }
    };
    // A parent whose name is no text but a value.
    if let (Some(hole), Some(piece)) = (holes.first(), name.segments().nth(1))
        && piece.starts_with('/')
    {
        consider(format!("\0{hole}"), 1, 1);
    }
    let mut start = String::new();
    for (place, piece) in name.segments().enumerate() {
        for (at, _) in piece.match_indices('/').take(8) {
            consider(format!("{start}{}", piece.get(..at).unwrap_or_default()), place, at + 1);
        }
        start.push_str(&piece);
        if let Some(hole) = holes.get(place) {
            start.push('\0');
            start.push_str(hole);
            start.push('\0');
        }
    }
    let (_, symbol, piece, slash) = best?;
    Some((symbol, after(name, piece, slash)?))
}

fn report<'m>(
    linter: &mut Linter<'_, 'm>,
    child: &'m Resource,
    parent: SymbolId,
    name: Text<'m>,
    rest: &Interpolation,
) {
    let model = linter.model;
    let Some(object) = model.body_object(&child.body) else { return };
    if linter.checker.has_parse_errors(object.node()) {
        return;
    }
    let Some(property) = model.property(object, "name") else { return };
    let parent = &model.symbol(parent).name;
    let at = property.span().start;
    let before = model.file.tree.text().get(..at as usize).unwrap_or_default();
    let line = before.rsplit_once('\n').map_or(before, |(_, line)| line);
    let indent: String = line.chars().take_while(|it| it.is_whitespace()).collect();
    let separator = if line.trim().is_empty() { format!("\n{indent}") } else { ", ".to_owned() };
    let is_text = |linter: &mut Linter<'_, 'm>, hole: Expr<'m>| {
        let ty = linter.ty(hole);
        !ty.is_any() && assignable(&ty, &Ty::string())
    };
    let value = match rest.only_hole().zip(name.holes().next_back()) {
        Some((written, hole)) if is_text(linter, hole) => written.to_owned(),
        _ => rest.written(),
    };
    let fix = Fix {
        title: format!("use `parent: {parent}`").into(),
        edits: vec![
            Edit { span: Span::empty(at), text: format!("parent: {parent}{separator}") },
            Edit { span: name.span(), text: value },
        ],
    };
    let child = &model.symbol(child.symbol).name;
    let message = format!("the name of `{child}` spells out its parent `{parent}`, which `parent` is for");
    linter.push(linter.finding(name.span(), message).with_fix(fix));
}
