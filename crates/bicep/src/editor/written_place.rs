//! The way back from a part of a template to the Bicep that wrote it, as deep as it goes: a decorator of a property, a value in a resource.

use std::sync::Arc;

use syntax::ast::{AstNode as _, Expr, Object, Statement, TypeExpr};
use syntax::{Span, SyntaxNode};

use super::member::Entity;
use crate::decorators::{Decorator, Writes};
use crate::symbols::{Model, SymbolId, SymbolKind};
use crate::{Compiler, FilePath};

/// How deep types and values are looked into; nobody nests deeper by hand.
const MOST_STEPS: usize = 256;

/// What a part of a file's template, such as `definitions.size.properties.width.minValue` or `resources[0].properties.size`, was made of, and the file
/// that has it: the decorator, the property, or the first line of the declaration. What is imported leads to the file that declares it.
#[must_use]
pub fn written_place(compiler: &Compiler, path: &FilePath, part: &str) -> Option<(FilePath, Span)> {
    let steps = steps(part);
    let mut steps = steps.iter().map(String::as_str);
    let section = steps.next()?;
    let model = compiler.model(path).ok()?;
    let name = match section.strip_prefix("resources[").and_then(|rest| rest.strip_suffix(']')) {
        Some(place) => compiler.resource_names(path).into_iter().nth(place.parse().ok()?)?,
        None => steps.next()?.to_owned(),
    };
    let section = section.split('[').next().unwrap_or(section);
    let own = name.rsplit("::").next().unwrap_or(&name);
    let entity = declared(&model, section, own).or_else(|| brought(compiler, path, section, own))?;
    let model = &entity.model;
    let node = model.node_of(entity.symbol);
    let rest: Vec<&str> = steps.take(MOST_STEPS).collect();
    let found = match Statement::cast(node)? {
        Statement::TypeDeclaration(it) => in_type(model, node, it.value(), &rest),
        Statement::ParameterDeclaration(it) => in_type(model, node, it.ty(), &rest),
        Statement::OutputDeclaration(it) if rest.first() != Some(&"value") => {
            in_type(model, node, it.ty(), &rest)
        }
        Statement::ResourceDeclaration(it) => in_value(it.value(), &rest),
        Statement::ModuleDeclaration(it) => in_value(it.value(), &module_steps(&rest)),
        Statement::ParameterAssignment(it) => in_value(it.value(), &value_steps(&rest)),
        _ => None,
    };
    let text = model.file.tree.text();
    let span = found.unwrap_or_else(|| without_decorators(node));
    Some((model.file.path.clone(), first_line(text, span)?))
}

/// The names and places on the way: `a.b[0]['c.d']` has the steps `a`, `b[0]` and `c.d`.
fn steps(part: &str) -> Vec<String> {
    let mut steps = vec![String::new()];
    let mut rest = part;
    while let Some(letter) = rest.chars().next() {
        if let Some((quoted, behind)) = rest.strip_prefix("['").and_then(|rest| rest.split_once("']")) {
            steps.push(quoted.to_owned());
            rest = behind;
            continue;
        }
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        match (letter, steps.last_mut()) {
            ('.', _) => steps.push(String::new()),
            (letter, Some(last)) => last.push(letter),
            (_, None) => {}
        }
    }
    steps.retain(|step| !step.is_empty());
    steps
}

/// The declaration of a name in a section of a template, in the file that has it.
fn declared(model: &Arc<Model>, section: &str, name: &str) -> Option<Entity> {
    let is_kind = |kind: &SymbolKind| match section {
        "parameters" => matches!(kind, SymbolKind::Parameter | SymbolKind::ParameterAssignment),
        "variables" => matches!(kind, SymbolKind::Variable),
        "resources" => matches!(kind, SymbolKind::Resource | SymbolKind::Module),
        "outputs" => matches!(kind, SymbolKind::Output),
        "definitions" => matches!(kind, SymbolKind::Type),
        "asserts" => matches!(kind, SymbolKind::Assert),
        _ => false,
    };
    let own = model.symbols().find(|(_, symbol)| symbol.name == name && is_kind(&symbol.kind));
    if let Some((symbol, _)) = own {
        return Some(Entity { model: Arc::clone(model), symbol });
    }
    let imported = model.declarations.imported.iter().copied();
    let symbol: SymbolId =
        imported.filter(|_| section == "definitions").find(|it| model.symbol(*it).name == name)?;
    Some(Entity::of(model, symbol))
}

/// The type that an imported one refers to: it is there under a number and its name, such as `_1.width`.
fn brought(compiler: &Compiler, path: &FilePath, section: &str, name: &str) -> Option<Entity> {
    let (number, own) = name.split_once('.').filter(|_| section == "definitions")?;
    let is_number = number.strip_prefix('_').is_some_and(|it| it.chars().all(|digit| digit.is_ascii_digit()));
    let mut needed = compiler.needed(path).into_iter().filter(|needed| needed != path && is_number);
    needed.find_map(|needed| declared(&compiler.model(&needed).ok()?, section, own))
}

/// The decorator of a type, or of a part of it, that wrote a member.
fn in_type(model: &Model, node: SyntaxNode<'_>, ty: TypeExpr<'_>, steps: &[&str]) -> Option<Span> {
    let (mut node, mut ty, mut steps) = (node, ty, steps);
    loop {
        ty = match ty {
            TypeExpr::NullableType(inner) => inner.base(),
            TypeExpr::NonNullableType(inner) => inner.base(),
            TypeExpr::ParenthesizedType(inner) => inner.expression(),
            other => other,
        };
        let (step, rest) = steps.split_first()?;
        let part = match (*step, ty) {
            ("properties", TypeExpr::ObjectType(object)) => {
                let name = rest.first()?;
                let found = object.properties().find(|it| it.key().constant().as_deref() == Some(name))?;
                steps = rest.get(1..).unwrap_or_default();
                Some((found.node(), found.value()))
            }
            ("additionalProperties", TypeExpr::ObjectType(object)) => {
                let found = object.additional_properties().next()?;
                steps = rest;
                Some((found.node(), found.value()))
            }
            ("items", TypeExpr::ArrayType(array)) => {
                steps = rest;
                Some((node, array.item()))
            }
            (step, TypeExpr::TupleType(tuple)) => {
                let place = step.strip_prefix("prefixItems[")?.strip_suffix(']')?.parse().ok()?;
                let found = tuple.members().nth(place)?;
                steps = rest;
                Some((found.node(), found.value()))
            }
            _ => None,
        };
        let Some(inside) = part else {
            return written_by(model, node, step).or(Some(without_decorators(node)));
        };
        (node, ty) = inside;
        if steps.is_empty() {
            return Some(without_decorators(node));
        }
    }
}

/// The decorator that wrote a member of what it decorates.
fn written_by(model: &Model, node: SyntaxNode<'_>, member: &str) -> Option<Span> {
    let wrote = |row: &Decorator| matches!(row.writes, Writes::Member(known, _) if known == member);
    if let Some((_, call)) = model.decorators(node).find(|(row, _)| wrote(row)) {
        return Some(decorator_around(node, call.node().span()));
    }
    // One of several has its place behind the name.
    let (member, place) = member.split_once('[').unwrap_or((member, "0]"));
    let place: usize = place.strip_suffix(']')?.parse().ok()?;
    let mut validators = model.validators(node).filter(|_| member == "userDefinedConstraint");
    validators.nth(place).map(|(_, call)| decorator_around(node, call.node().span()))
}

/// A call of a decorator with its `@`.
fn decorator_around(node: SyntaxNode<'_>, call: Span) -> Span {
    let mut decorators = node.decorators().map(|decorator| decorator.span());
    decorators.find(|it| it.start <= call.start && call.end <= it.end).unwrap_or(call)
}

/// The way in the value of a parameter: behind `value`, which may be followed by the place of an item.
fn value_steps<'s>(steps: &[&'s str]) -> Vec<&'s str> {
    let first = steps.first().and_then(|step| step.strip_prefix("value")).filter(|step| !step.is_empty());
    first.into_iter().chain(steps.iter().skip(1).copied()).collect()
}

/// The way in the body of a module that the way in its template comes from.
fn module_steps<'s>(steps: &[&'s str]) -> Vec<&'s str> {
    match steps {
        ["properties", "parameters", name, "value", rest @ ..] => {
            ["params", *name].into_iter().chain(rest.iter().copied()).collect()
        }
        ["properties", "parameters", name] => vec!["params", *name],
        ["properties", ..] => Vec::new(),
        other => other.to_vec(),
    }
}

/// A part of a value, or the nearest thing around it that is written as one.
fn in_value(value: Expr<'_>, steps: &[&str]) -> Option<Span> {
    let mut value = value;
    let mut found = None;
    for step in steps {
        let (name, places) = step.split_once('[').map_or((*step, ""), |(name, places)| (name, places));
        if !name.is_empty() {
            let Some(property) = object_of(value).and_then(|object| {
                object.properties().find(|it| it.key().constant().as_deref() == Some(name))
            }) else {
                break;
            };
            found = Some(property.node().span());
            value = property.value();
        }
        for place in places.split('[').filter_map(|place| place.strip_suffix(']')?.parse::<usize>().ok()) {
            let Expr::Array(array) = value else { return found };
            let Some(item) = array.values().nth(place) else { return found };
            found = Some(item.node().span());
            value = item;
        }
    }
    found
}

/// The object that a body is, through loops and conditions.
fn object_of(value: Expr<'_>) -> Option<Object<'_>> {
    let mut value = value;
    for _ in 0..MOST_STEPS {
        value = match value {
            Expr::Object(object) => return Some(object),
            Expr::For(each) => each.body(),
            Expr::IfCondition(condition) => condition.body(),
            Expr::ParenthesizedExpression(inner) => inner.expression(),
            _ => return None,
        };
    }
    None
}

fn without_decorators(node: SyntaxNode<'_>) -> Span {
    let last = node.decorators().next_back().map(|decorator| decorator.span().end);
    Span::new(last.unwrap_or(node.span().start), node.span().end)
}

/// The first line of a part of a text, without the blanks around it.
fn first_line(text: &str, span: Span) -> Option<Span> {
    let inside = text.get(span.start as usize..span.end as usize)?;
    let line = inside.trim_start().lines().next().unwrap_or_default().trim_end();
    let start = span.start + u32::try_from(inside.len() - inside.trim_start().len()).ok()?;
    Some(Span::new(start, start + u32::try_from(line.len()).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CompilerOptions, Generator, MemoryWorld};

    const MAIN: &str = "import { even, sized } from 'rules.bicep'
type local = {
  name: string
  @even()
  @minValue(1)
  height: int?
  'odd.name': {
    @maxLength(3)
    inner: string
  }
  pair: [
    int
    @even()
    int
  ]
}
param a local
@even()
@minValue(2)
param n int
param list {
  @even()
  x: int
}[]
resource one 'A.B/c@2024-01-01' = [for i in range(0, 2): {
  name: 'one'
  properties: {
    size: n
    list: [
      1
      { deep: n }
    ]
  }
}]
module m 'rules.bicep' = {
  params: { p: 3 }
}
output o int = n
";
    const RULES: &str = "@export()
func even(n int) object => { kind: 'success' }
@export()
type sized = {
  @even()
  width: int
}
param p int
";
    const VALUES: &str = "using 'main.bicep'
param a = {
  height: 3
  list: [
    { x: 1 }
  ]
}
param list = [{ x: 1 }, { x: 2 }]
";

    #[track_caller]
    fn check(file: &str, part: &str, expect: (&str, &str)) {
        let files = [("/main.bicep", MAIN), ("/rules.bicep", RULES), ("/main.bicepparam", VALUES)];
        let world =
            files.iter().fold(MemoryWorld::default(), |world, (path, text)| world.with_file(path, text));
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let found = written_place(&compiler, &FilePath::new(file), part);
        let (path, span) = found.unwrap_or_else(|| panic!("{part} is not found"));
        let (_, text) = files.iter().find(|(name, _)| *name == path.as_str()).unwrap();
        let written = text.get(span.start as usize..span.end as usize).unwrap();
        assert_eq!((path.as_str(), written), expect, "{part}");
    }

    #[test]
    fn rules_are_decorators() {
        let main = |part, expect| check("/main.bicep", part, ("/main.bicep", expect));
        main("definitions.local.properties.height.minValue", "@minValue(1)");
        main("definitions.local.properties.height.userDefinedConstraint", "@even()");
        main("definitions.local.properties['odd.name'].properties.inner.maxLength", "@maxLength(3)");
        main("definitions.local.properties.pair.prefixItems[1].userDefinedConstraint[0]", "@even()");
        main("definitions.local.properties.height", "height: int?");
        main("parameters.n.minValue", "@minValue(2)");
        main("parameters.n.allowedValues", "param n int");
        main("parameters.list.items.properties.x.userDefinedConstraint", "@even()");
    }

    #[test]
    fn what_is_imported_leads_to_its_file() {
        let expect = ("/rules.bicep", "@even()");
        check("/main.bicep", "definitions.sized.properties.width.userDefinedConstraint", expect);
    }

    #[test]
    fn values_are_found_where_they_are_written() {
        let main = |part, expect| check("/main.bicep", part, ("/main.bicep", expect));
        main("resources[0].properties.size", "size: n");
        main("resources.one.properties.list[1].deep", "deep: n");
        main("resources[0].properties.nothing", "properties: {");
        main("resources[0].name", "name: 'one'");
        main("resources[1].properties.parameters.p.value", "p: 3");
        main("resources[1].properties.template.outputs.x", "module m 'rules.bicep' = {");
        main("outputs.o.value", "output o int = n");
        let values = |part, expect| check("/main.bicepparam", part, ("/main.bicepparam", expect));
        values("parameters.a.value.height", "height: 3");
        values("parameters.a.value.list[0].x", "x: 1");
        values("parameters.a.value", "param a = {");
        values("parameters.list.value[1].x", "x: 2");
    }
}
