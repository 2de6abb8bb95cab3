//! Where references lead: documents, the resources and anchors inside of them, and their addresses.

use std::collections::{BTreeMap, HashMap};

use value::{Node, View};

/// How deep documents are looked into for identifiers.
const DEEPEST: usize = 256;

/// Words that are followed by one shape.
const ONE: &[&str] = &[
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "values",
];
/// Words that are followed by a list of shapes.
const LISTS: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems", "items"];
/// Words that are followed by shapes under names.
const MAPS: &[&str] = &[
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
    "patternProperties",
    "properties",
    "schemas",
];

/// The outermost resource that declares a dynamic anchor, by its name.
pub(super) type DynamicScope = BTreeMap<String, String>;

/// The name under which `$recursiveAnchor: true` is kept: no `$dynamicAnchor` can have it.
const RECURSIVE: &str = "#";

/// Every resource and anchor that is known.
pub(super) struct Resources<'v, V> {
    resources: HashMap<String, V>,
    anchors: BTreeMap<(String, String), (V, bool)>,
    /// The word by which a shape says its address.
    identifier: &'static str,
    /// Whether a reference rules out the words beside it, that one among them.
    reference_alone: bool,
    marker: std::marker::PhantomData<&'v ()>,
}

/// Where a reference leads.
pub(super) struct Target<V> {
    pub(super) value: V,
    /// The address of the resource that it is in.
    pub(super) base: String,
}

impl<'v, V: View<'v>> Resources<'v, V> {
    /// Looks through documents, each with its address.
    pub(super) fn new(
        documents: &[(String, V)],
        identifier: &'static str,
        reference_alone: bool,
    ) -> Resources<'v, V> {
        let mut all = Resources {
            resources: HashMap::new(),
            anchors: BTreeMap::new(),
            identifier,
            reference_alone,
            marker: std::marker::PhantomData,
        };
        for (address, root) in documents {
            let address = address.trim_end_matches('#').to_owned();
            all.resources.entry(address.clone()).or_insert(*root);
            all.walk(*root, &address, 0);
        }
        all
    }

    fn walk(&mut self, value: V, base: &str, depth: usize) {
        if depth > DEEPEST || !matches!(value.node(), Node::Object(_)) {
            return;
        }
        let outside = base;
        let base = self.inside(outside, value);
        if let Some(id) = self.identifier(value) {
            let (address, fragment) = split(id);
            if !address.is_empty() {
                self.resources.entry(base.clone()).or_insert(value);
            }
            if !fragment.is_empty() && !fragment.starts_with('/') {
                self.anchors.entry((base.clone(), fragment.to_owned())).or_insert((value, false));
            }
        }
        if matches!(value.member("$recursiveAnchor").map(View::node), Some(Node::Bool(true))) {
            self.anchors.entry((base.clone(), RECURSIVE.to_owned())).or_insert((value, true));
        }
        for (word, dynamic) in [("$anchor", false), ("$dynamicAnchor", true)] {
            if let Some(Node::Text(name)) = value.member(word).map(View::node) {
                let known = self.anchors.entry((base.clone(), name.to_owned())).or_insert((value, dynamic));
                known.1 |= dynamic;
            }
        }
        for (key, inner) in value.members() {
            let Node::Text(word) = key.node() else { continue };
            match inner.node() {
                Node::Object(_) if MAPS.contains(&word) => {
                    inner.members().for_each(|(_, shape)| self.walk(shape, &base, depth + 1));
                }
                Node::Object(_) if ONE.contains(&word) => self.walk(inner, &base, depth + 1),
                // The shapes of OpenAPI stand one level below.
                Node::Object(_) if word == "components" && depth == 0 => self.walk(inner, &base, depth + 1),
                Node::List(_) if LISTS.contains(&word) => {
                    inner.items().for_each(|shape| self.walk(shape, &base, depth + 1));
                }
                _ => {}
            }
        }
    }

    /// Follows a reference from inside a resource.
    pub(super) fn find(&self, base: &str, reference: &str) -> Option<Target<V>> {
        let (address, fragment) = split(reference);
        let address = if address.is_empty() { base.to_owned() } else { resolve(base, address) };
        let root = *self.resources.get(&address)?;
        let fragment = percent_encoding::percent_decode_str(fragment).decode_utf8_lossy();
        if fragment.is_empty() {
            return Some(Target { value: root, base: address });
        }
        let Some(steps) = fragment.strip_prefix('/') else {
            let (value, _) = self.anchors.get(&(address.clone(), fragment.to_string()))?;
            return Some(Target { value: *value, base: address });
        };
        let (mut value, mut base) = (root, address);
        for step in steps.split('/') {
            let step = step.replace("~1", "/").replace("~0", "~");
            value = match value.node() {
                Node::List(_) => value.item(step.parse().ok()?)?,
                _ => value.member(&step)?,
            };
            // What a pointer crosses, and what it ends at, may be a resource of its own.
            base = self.inside(&base, value);
        }
        Some(Target { value, base })
    }

    /// What a shape calls itself, if that counts.
    fn identifier(&self, value: V) -> Option<&'v str> {
        let written = text(value, self.identifier);
        written.filter(|_| !self.reference_alone || value.member("$ref").is_none())
    }

    /// The address of the resource that a shape is in, which may be the shape itself, from that of what is around it.
    pub(super) fn inside(&self, base: &str, value: V) -> String {
        match self.identifier(value).map(|id| split(id).0).filter(|address| !address.is_empty()) {
            Some(address) => resolve(base, address),
            None => base.to_owned(),
        }
    }

    /// Where `$recursiveRef` leads: to the outermost resource with `$recursiveAnchor: true`, if the one it means has that.
    pub(super) fn find_recursive(
        &self,
        base: &str,
        reference: &str,
        scope: &DynamicScope,
    ) -> Option<Target<V>> {
        let target = self.find(base, reference)?;
        let recursive = |address: &String| self.anchors.get(&(address.clone(), RECURSIVE.to_owned()));
        if recursive(&target.base).is_none() {
            return Some(target);
        }
        let outermost = scope.get(RECURSIVE).and_then(|outer| {
            let (value, _) = recursive(outer)?;
            Some(Target { value: *value, base: outer.clone() })
        });
        Some(outermost.unwrap_or(target))
    }

    /// Where a dynamic reference leads: to the outermost resource with that anchor, if it means a dynamic anchor at all.
    pub(super) fn find_dynamic(
        &self,
        base: &str,
        reference: &str,
        scope: &DynamicScope,
    ) -> Option<Target<V>> {
        let target = self.find(base, reference)?;
        let (address, anchor) = split(reference);
        let address = if address.is_empty() { base.to_owned() } else { resolve(base, address) };
        let is_dynamic = self.anchors.get(&(address, anchor.to_owned())).is_some_and(|(_, dynamic)| *dynamic);
        if !is_dynamic {
            return Some(target);
        }
        let outermost = scope.get(anchor).and_then(|outer| {
            let (value, _) = self.anchors.get(&(outer.clone(), anchor.to_owned()))?;
            Some(Target { value: *value, base: outer.clone() })
        });
        Some(outermost.unwrap_or(target))
    }

    /// The scope after a resource was entered.
    pub(super) fn entered(&self, scope: &DynamicScope, base: &str) -> DynamicScope {
        let mut next = scope.clone();
        for ((of, name), (_, dynamic)) in &self.anchors {
            if *dynamic && of == base {
                next.entry(name.clone()).or_insert_with(|| base.to_owned());
            }
        }
        next
    }
}

/// The text of a member.
pub(super) fn text<'v, V: View<'v>>(value: V, member: &str) -> Option<&'v str> {
    match value.member(member)?.node() {
        Node::Text(text) => Some(text),
        _ => None,
    }
}

/// An address and its fragment.
fn split(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// An address as it is seen from another one (RFC 3986).
pub fn resolve(base: &str, reference: &str) -> String {
    if has_scheme(reference) {
        return reference.to_owned();
    }
    let Some((scheme, rest)) = base.split_once(':').filter(|_| has_scheme(base)) else {
        // Without a base that is an address, a name is relative to the folder of another name.
        if reference.starts_with('/') || base.is_empty() {
            return reference.to_owned();
        }
        let folder = base.rsplit_once('/').map_or("", |(folder, _)| folder);
        return if folder.is_empty() {
            reference.to_owned()
        } else {
            without_dots(&format!("{folder}/{reference}"))
        };
    };
    if let Some(authority) = reference.strip_prefix("//") {
        return format!("{scheme}://{authority}");
    }
    let Some(rest) = rest.strip_prefix("//") else { return format!("{scheme}:{reference}") };
    let (authority, path) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
    if reference.is_empty() {
        return base.to_owned();
    }
    if reference.starts_with('/') {
        return format!("{scheme}://{authority}{}", without_dots(reference));
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    if reference.starts_with('?') {
        return format!("{scheme}://{authority}{path}{reference}");
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{scheme}://{authority}{}", without_dots(&format!("{folder}/{reference}")))
}

fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// A path without the steps `.` and `..`.
fn without_dots(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    let all: Vec<&str> = path.split('/').collect();
    for (at, step) in all.iter().enumerate() {
        let last = at + 1 == all.len();
        match *step {
            "." if last => steps.push(""),
            "." => {}
            ".." => {
                if steps.len() > 1 {
                    steps.pop();
                }
                if last {
                    steps.push("");
                }
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn addresses_are_relative_to_addresses() {
        let table = [
            ("http://a/b/c/d", "g", "http://a/b/c/g"),
            ("http://a/b/c/d", "./g", "http://a/b/c/g"),
            ("http://a/b/c/d", "/g", "http://a/g"),
            ("http://a/b/c/d", "../g", "http://a/b/g"),
            ("http://a/b/c/d", "../../../g", "http://a/g"),
            ("http://a/b/c/d", "//g", "http://g"),
            ("http://a/b/c/d", "", "http://a/b/c/d"),
            ("http://a", "g", "http://a/g"),
            ("http://a/b", "urn:x:y", "urn:x:y"),
            ("", "g.json", "g.json"),
        ];
        for (base, reference, expected) in table {
            assert_eq!(resolve(base, reference), expected, "{base} {reference}");
        }
    }
}
