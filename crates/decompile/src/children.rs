//! Resources that are written inside of others: in a program, all stand side by side.

use arm::expression::Expression;

use crate::json::{Json, template_string};
use crate::problem::{DecompileError, Result, Under as _};

/// The most resources that may be inside each other.
const MAX_DEPTH: usize = 32;

/// Takes the children out of the resources of a template.
pub(crate) fn flatten(template: &mut Json) -> Result<()> {
    let Some(Json::List(resources)) = template.find_mut("resources") else { return Ok(()) };
    let mut flat = Vec::with_capacity(resources.len());
    for (place, resource) in std::mem::take(resources).into_iter().enumerate() {
        add(resource, &mut flat, 0).under(&place.to_string()).under("resources")?;
    }
    *resources = flat;
    Ok(())
}

fn add(mut resource: Json, flat: &mut Vec<Json>, depth: usize) -> Result<()> {
    if depth > MAX_DEPTH {
        return Err(DecompileError::new("too many resources are inside each other"));
    }
    let children = match resource.find("resources") {
        Some(Json::List(_)) => resource.remove("resources"),
        _ => None,
    };
    let outer = |name: &str| resource.find(name).cloned();
    let (ty, name) = (outer("type"), outer("name"));
    let (copy, condition) = (outer("copy"), outer("condition"));
    flat.push(resource);
    let Some(Json::List(children)) = children else { return Ok(()) };
    let missing = |name: &str| DecompileError::new(format!("the resource has no `{name}`"));
    let ty = ty.ok_or_else(|| missing("type"))?.to_text();
    let name = name.ok_or_else(|| missing("name"))?.expression()?;
    for (place, mut child) in children.into_iter().enumerate() {
        if let Some(copy) = &copy {
            child.set("copy", copy.clone());
        }
        if let Some(condition) = &condition {
            child.set("condition", condition.clone());
        }
        let step = place.to_string();
        let child_type = child.find("type").map(Json::to_text);
        let child_type = child_type.ok_or_else(|| missing("type")).under(&step).under("resources")?;
        let space = |ty: &str| ty.split('/').next().unwrap_or_default().to_lowercase();
        // Types and names can be complete already.
        if space(&ty) != space(&child_type) {
            let own = child.find("name").ok_or_else(|| missing("name")).under(&step).under("resources")?;
            let full = [name.clone(), Expression::text("/"), own.expression()?];
            child.set("type", Json::text(format!("{}/{}", ty.trim_end_matches('/'), child_type)));
            child.set("name", Json::text(template_string(&Expression::call("concat", full))));
        }
        add(child, flat, depth + 1).under(&step).under("resources")?;
    }
    Ok(())
}
