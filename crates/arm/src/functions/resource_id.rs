//! Resource ids, made of types, names and the scope that they start from.

use std::borrow::Cow;

use super::{Arguments, Function, FunctionBody, FunctionError};
use crate::evaluate::Scope;
use crate::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    row(
        "extensionResourceId",
        "base, type, names...",
        extension,
        "Makes the id of a resource that extends another.",
    ),
    row(
        "managementGroupResourceId",
        "typeAndNames...",
        management_group,
        "Makes the id of a resource in a management group.",
    ),
    row(
        "resourceId",
        "typeAndNames...",
        resource,
        "Makes the id of a resource where the template is deployed, or in a resource group that is named.",
    ),
    row(
        "subscriptionResourceId",
        "typeAndNames...",
        subscription,
        "Makes the id of a resource in a subscription.",
    ),
    row("tenantResourceId", "typeAndNames...", tenant, "Makes the id of a resource in the tenant."),
];

const fn row(
    name: &'static str,
    parameters: &'static str,
    run: fn(Arguments<'_>, &Scope) -> Result<Option<Value>, FunctionError>,
    doc: &'static str,
) -> Function {
    Function::new(name, parameters, FunctionBody::Scoped(run), doc)
}

fn resource(arguments: Arguments<'_>, scope: &Scope) -> Result<Option<Value>, FunctionError> {
    let texts = names(arguments)?;
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let (before, provider) = split(&texts, 2)?;
    let start = match (before, scope) {
        ([subscription, group], _) => format!("/subscriptions/{subscription}/resourceGroups/{group}"),
        ([subscription], _) if is_guid(subscription) => format!("/subscriptions/{subscription}"),
        ([group], Scope::ResourceGroup { subscription, .. } | Scope::Subscription(subscription)) => {
            format!("/subscriptions/{subscription}/resourceGroups/{group}")
        }
        ([_], Scope::Unknown) | ([], Scope::Unknown) => return Ok(None),
        ([group, ..], _) => {
            return Err(FunctionError::Argument(format!(
                "the resource group `{group}` needs a subscription in front of it"
            )));
        }
        ([], scope) => scope.id().to_string(),
    };
    Ok(Some(Value::text(start + &provider)))
}

fn subscription(arguments: Arguments<'_>, scope: &Scope) -> Result<Option<Value>, FunctionError> {
    let texts = names(arguments)?;
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let (before, provider) = split(&texts, 1)?;
    let subscription = match (before, scope) {
        ([subscription, ..], _) => subscription,
        ([], Scope::ResourceGroup { subscription, .. } | Scope::Subscription(subscription)) => {
            subscription.as_str()
        }
        ([], Scope::Unknown) => return Ok(None),
        ([], Scope::Tenant | Scope::ManagementGroup(_) | Scope::Plane { .. }) => {
            return Err(FunctionError::Argument("the subscription must be given here".to_owned()));
        }
    };
    Ok(Some(Value::text(format!("/subscriptions/{subscription}{provider}"))))
}

fn management_group(arguments: Arguments<'_>, scope: &Scope) -> Result<Option<Value>, FunctionError> {
    let texts = names(arguments)?;
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let (before, provider) = split(&texts, 1)?;
    let group = match (before, scope) {
        ([group, ..], _) => group,
        ([], Scope::ManagementGroup(group)) => group.as_str(),
        ([], Scope::Unknown) => return Ok(None),
        ([], _) => return Err(FunctionError::Argument("the management group must be given here".to_owned())),
    };
    let start = Scope::ManagementGroup(group.into()).id();
    Ok(Some(Value::text(format!("{start}{provider}"))))
}

fn tenant(arguments: Arguments<'_>, _: &Scope) -> Result<Option<Value>, FunctionError> {
    let texts = names(arguments)?;
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let (_, provider) = split(&texts, 0)?;
    Ok(Some(Value::text(provider)))
}

fn extension(arguments: Arguments<'_>, _: &Scope) -> Result<Option<Value>, FunctionError> {
    let texts = names(arguments)?;
    let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
    let Some((base, rest)) = texts.split_first() else {
        return Err(FunctionError::Argument("the id of the base resource is missing".to_owned()));
    };
    let (_, provider) = split(rest, 0)?;
    Ok(Some(Value::text(base.trim_end_matches('/').to_owned() + &provider)))
}

/// The arguments as text; a number is a name as well.
fn names(arguments: Arguments<'_>) -> Result<Vec<Cow<'_, str>>, FunctionError> {
    let name = |at: usize| match arguments.value(at) {
        Value::Int(number) => Ok(Cow::Owned(number.to_string())),
        _ => arguments.str_at(at).map(Cow::Borrowed),
    };
    (0..arguments.count()).map(name).collect()
}

/// Splits arguments into the names before the type, at most `most`, and `/providers/...`.
///
/// The type is the first argument with a slash: `'Microsoft.Web/sites/config', 'site', 'name'`. Without any, the
/// provider and the types may be arguments of their own: `'Microsoft.KeyVault', 'vaults', 'name'`.
fn split<'t, 'a>(texts: &'t [&'a str], most: usize) -> Result<(&'t [&'a str], String), FunctionError> {
    let at = texts.iter().position(|text| text.contains('/'));
    let (before, segments): (&[&str], Vec<&str>) = match at.filter(|at| *at <= most) {
        Some(at) => {
            let (before, rest) = texts.split_at(at);
            let (name, names) = rest.split_first().map_or(("", rest), |(first, rest)| (*first, rest));
            let mut types = name.trim_matches('/').split('/');
            let provider = types.next().unwrap_or_default();
            let types: Vec<&str> = types.collect();
            if types.len() != names.len() {
                let message = format!("the type `{name}` needs {} names, not {}", types.len(), names.len());
                return Err(FunctionError::Argument(message));
            }
            let pairs = types.into_iter().zip(names).flat_map(|(kind, name)| [kind, *name]);
            (before, std::iter::once(provider).chain(pairs).collect())
        }
        None => {
            let starts = (0..=most).rev().filter(|at| texts.len() > *at + 2 && (texts.len() - at) % 2 == 1);
            let named = starts.clone().find(|at| texts.get(*at).is_some_and(|text| text.contains('.')));
            let Some(at) = named else {
                return Err(FunctionError::Argument(
                    "a resource type such as `Microsoft.Web/sites` is missing".to_owned(),
                ));
            };
            let (before, rest) = texts.split_at(at);
            (before, rest.to_vec())
        }
    };
    if let [provider, "resourceGroups" | "resourcegroups", name] = segments.as_slice()
        && provider.eq_ignore_ascii_case("Microsoft.Resources")
        && before.len() <= 1
        && most == 1
    {
        return Ok((before, format!("/resourceGroups/{name}")));
    }
    Ok((before, format!("/providers/{}", segments.join("/"))))
}

fn is_guid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
