//! Changes of resources as text, in the layout and the colours of the public Bicep command.

use std::cmp::Ordering;

use arm::Value;
use diagnostics::printable;

use super::changes::{ChangeDetail, Delta, PropertyDifference, ResourceDifference};

/// The colours, by what they mean.
#[derive(Clone, Copy)]
enum Colour {
    Plain,
    Gone,
    New,
    Other,
}

impl Colour {
    fn code(self) -> &'static str {
        match self {
            Colour::Plain => "\u{1b}[0m",
            Colour::Gone => "\u{1b}[38;5;208m",
            Colour::New => "\u{1b}[38;5;77m",
            Colour::Other => "\u{1b}[38;5;141m",
        }
    }
}

/// Changes as text: by scope, and in each what is gone, what is new, and what has other properties.
pub(super) fn text(changes: &[ResourceDifference<'_>], colourful: bool) -> String {
    let mut placed: Vec<Placed<'_>> = changes.iter().map(Placed::of).collect();
    placed.sort_by_cached_key(|it| (it.scope.to_uppercase(), it.rank(), it.name.to_lowercase(), it.name));
    let mut page = Page { text: String::new(), colours: Vec::new(), colourful };
    for in_scope in placed.chunk_by(|one, other| one.scope.to_uppercase() == other.scope.to_uppercase()) {
        let scope = in_scope.first().map(|it| it.scope).unwrap_or_default();
        page.put(&format!("\nScope: {}\n", printable(scope)));
        let last = in_scope.last().map(|it| it.rank());
        for alike in in_scope.chunk_by(|one, other| one.rank() == other.rank()) {
            let Some(first) = alike.first() else { continue };
            page.within(first.colour(), |page| {
                alike.iter().for_each(|it| page.resource(it));
                // The others end their lines themselves.
                if matches!(first.kind, ChangeDetail::Keep) && Some(first.rank()) == last {
                    page.put("\n");
                }
            });
        }
    }
    page.text
}

/// A change with the two parts of its id.
struct Placed<'c> {
    scope: &'c str,
    name: &'c str,
    kind: &'c ChangeDetail<'c>,
}

impl<'c> Placed<'c> {
    fn of(change: &'c ResourceDifference<'c>) -> Placed<'c> {
        let (scope, name) = split(change.id);
        Placed { scope, name, kind: &change.kind }
    }

    fn rank(&self) -> u8 {
        match self.kind {
            ChangeDetail::Delete(_) => 0,
            ChangeDetail::Create(_) => 1,
            ChangeDetail::Modify(_) => 2,
            ChangeDetail::Keep => 3,
        }
    }

    fn colour(&self) -> Colour {
        match self.kind {
            ChangeDetail::Delete(_) => Colour::Gone,
            ChangeDetail::Create(_) => Colour::New,
            ChangeDetail::Modify(_) => Colour::Other,
            ChangeDetail::Keep => Colour::Plain,
        }
    }
}

/// The scope that an id is in, and the rest of the id.
fn split(id: &str) -> (&str, &str) {
    let slash = |number: usize| id.match_indices('/').nth(number).map_or(id.len(), |(at, _)| at);
    let segment = |number: usize| id.split('/').nth(number).unwrap_or_default();
    let is = |number: usize, name: &str| segment(number).eq_ignore_ascii_case(name);
    // The number of segments of the scope, and of those before the rest.
    let (scope, skipped) = if is(1, "subscriptions") && is(3, "resourceGroups") && is(5, "providers") {
        (4, 5)
    } else if is(1, "subscriptions") && is(3, "providers") {
        (2, 3)
    } else if is(1, "subscriptions") && !segment(3).is_empty() {
        (2, 2)
    } else if is(1, "providers") {
        (0, 1)
    } else {
        return ("<unknown>", id);
    };
    let rest = id.get(slash(skipped) + 1..).unwrap_or_default();
    let scope = if scope == 0 { "/" } else { id.get(..slash(scope)).unwrap_or_default() };
    (scope, rest)
}

/// The text so far, and the colours that are in effect.
struct Page {
    text: String,
    colours: Vec<Colour>,
    colourful: bool,
}

impl Page {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn within(&mut self, colour: Colour, inside: impl FnOnce(&mut Page)) {
        self.paint(colour);
        self.colours.push(colour);
        inside(self);
        self.colours.pop();
        self.paint(self.colours.last().copied().unwrap_or(Colour::Plain));
    }

    fn paint(&mut self, colour: Colour) {
        if self.colourful {
            self.put(colour.code());
        }
    }

    fn indent(&mut self, level: usize) {
        self.text.extend(std::iter::repeat_n("  ", level));
    }

    fn resource(&mut self, change: &Placed<'_>) {
        let sign = match change.kind {
            ChangeDetail::Delete(_) => '-',
            ChangeDetail::Create(_) => '+',
            ChangeDetail::Modify(_) => '~',
            ChangeDetail::Keep => '=',
        };
        self.put(&format!("\n  {sign} {}", printable(change.name)));
        match change.kind {
            ChangeDetail::Delete(value) | ChangeDetail::Create(value) => self.value(value, 2),
            ChangeDetail::Modify(properties) => self.within(Colour::Plain, |page| {
                page.put("\n");
                page.properties(properties, 2);
            }),
            ChangeDetail::Keep => {}
        }
    }

    /// Properties: what is gone, what is new, and what is another.
    fn properties(&mut self, properties: &[PropertyDifference<'_>], level: usize) {
        let mut sorted: Vec<&PropertyDifference<'_>> = properties.iter().collect();
        sorted
            .sort_by(|one, other| rank(one).cmp(&rank(other)).then_with(|| by_name(&one.path, &other.path)));
        self.sorted(&sorted, level);
    }

    /// Elements of an array, by index.
    fn elements(&mut self, elements: &[PropertyDifference<'_>], level: usize) {
        let mut sorted: Vec<&PropertyDifference<'_>> = elements.iter().collect();
        sorted.sort_by_key(|element| (element.path.parse::<usize>().unwrap_or(usize::MAX), rank(element)));
        self.sorted(&sorted, level);
    }

    fn sorted(&mut self, properties: &[&PropertyDifference<'_>], level: usize) {
        let lengths = properties.iter().filter(|it| is_short(&it.delta)).map(|it| width(&it.path));
        let longest = lengths.max().unwrap_or(0);
        for property in properties {
            self.property(property, longest, level);
            self.put("\n");
        }
    }

    fn property(&mut self, property: &PropertyDifference<'_>, longest: usize, level: usize) {
        let PropertyDifference { path, delta } = property;
        let padding = match delta {
            Delta::Create(value) | Delta::Delete(value) | Delta::Replace(value, _) => match shape(value) {
                ValueLayout::Leaf => longest.saturating_sub(width(path)) + 1,
                ValueLayout::Array(_) => 1,
                ValueLayout::Object(_) => 0,
            },
            Delta::Array(_) => 1,
            Delta::Inside(_) => 0,
        };
        if !path.is_empty() {
            self.indent(level);
            let (sign, colour) = match delta {
                Delta::Delete(_) => ("-", Colour::Gone),
                Delta::Create(_) => ("+", Colour::New),
                Delta::Replace(..) | Delta::Inside(_) | Delta::Array(_) => ("~", Colour::Other),
            };
            self.within(colour, |page| page.put(sign));
            self.put(" ");
            self.name(path, padding);
        }
        match delta {
            Delta::Create(value) => self.within(Colour::New, |page| page.value(value, level + 1)),
            Delta::Delete(value) => self.within(Colour::Gone, |page| page.value(value, level + 1)),
            Delta::Replace(before, after) => self.replaced(before, after, level + 1),
            Delta::Inside(properties) => {
                self.put("\n\n");
                self.properties(properties, level + 1);
            }
            Delta::Array(elements) => {
                // An array inside an array has no name before it.
                let level = if path.is_empty() { level } else { level + 1 };
                if path.is_empty() {
                    self.indent(level);
                }
                self.put("[\n");
                self.elements(elements, level);
                self.indent(level);
                self.put("]");
            }
        }
    }

    fn replaced(&mut self, before: &Value, after: &Value, level: usize) {
        self.within(Colour::Gone, |page| page.value(before, level));
        match shape(before) {
            ValueLayout::Object(_) => {
                self.put("\n");
                self.indent(level);
            }
            ValueLayout::Leaf | ValueLayout::Array(_) => self.put(" "),
        }
        self.put("=>");
        if !matches!(shape(after), ValueLayout::Object(_)) {
            self.put(" ");
        }
        self.within(Colour::New, |page| page.value(after, level));
        if !matches!(shape(before), ValueLayout::Leaf) && matches!(shape(after), ValueLayout::Leaf) {
            self.put("\n");
        }
    }

    /// A name with its colon, and space behind.
    fn name(&mut self, name: &str, padding: usize) {
        self.put(&printable(name));
        self.within(Colour::Plain, |page| page.put(":"));
        self.text.extend(std::iter::repeat_n(' ', padding));
    }

    /// A value behind its name; the members of an object have lines of their own, with paths.
    fn value(&mut self, value: &Value, level: usize) {
        match shape(value) {
            ValueLayout::Leaf => self.leaf(value),
            ValueLayout::Array(items) => self.array(items, level),
            ValueLayout::Object(_) => {
                self.put("\n\n");
                self.members(value, "", longest_path(value), level + 1);
            }
        }
    }

    /// Recursion is bounded by how deep a value may nest.
    fn members(&mut self, object: &Value, path: &str, longest: usize, level: usize) {
        for (name, value) in object.as_object().into_iter().flatten() {
            let path = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            match shape(value) {
                ValueLayout::Object(_) => self.members(value, &path, longest, level),
                ValueLayout::Leaf => {
                    self.indent(level);
                    self.name(&path, longest.saturating_sub(width(&path)) + 1);
                    self.leaf(value);
                    self.put("\n");
                }
                ValueLayout::Array(items) => {
                    self.indent(level);
                    self.name(&path, 1);
                    self.array(items, level);
                    self.put("\n");
                }
            }
        }
    }

    fn array(&mut self, items: &[Value], level: usize) {
        self.within(Colour::Plain, |page| page.put("["));
        self.put("\n");
        let last_leaf = items.iter().rposition(|item| matches!(shape(item), ValueLayout::Leaf)).unwrap_or(0);
        let longest = width(&last_leaf.to_string());
        for (index, item) in items.iter().enumerate() {
            let name = index.to_string();
            self.indent(level + 1);
            match shape(item) {
                ValueLayout::Leaf => self.name(&name, longest.saturating_sub(width(&name)) + 1),
                ValueLayout::Array(_) => self.name(&name, 1),
                ValueLayout::Object(_) => self.name(&name, 0),
            }
            self.value(item, level + 1);
            self.put("\n");
        }
        self.indent(level);
        self.within(Colour::Plain, |page| page.put("]"));
    }

    fn leaf(&mut self, value: &Value) {
        match value.as_str() {
            Some(text) => self.put(&format!("\"{}\"", printable(text))),
            None => self.put(&value.to_json()),
        }
    }
}

/// How a value is laid out.
enum ValueLayout<'v> {
    /// In one line; also an array or an object with nothing in it.
    Leaf,
    Array(&'v [Value]),
    Object(&'v Value),
}

fn shape(value: &Value) -> ValueLayout<'_> {
    match (value.as_array(), value.as_object()) {
        (Some(items), _) if !items.is_empty() => ValueLayout::Array(items),
        (_, Some(members)) if !members.is_empty() => ValueLayout::Object(value),
        _ => ValueLayout::Leaf,
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// Whether the value of a property stands behind its name, in line with the others.
fn is_short(delta: &Delta<'_>) -> bool {
    match delta {
        Delta::Create(value) | Delta::Delete(value) | Delta::Replace(value, _) => {
            matches!(shape(value), ValueLayout::Leaf)
        }
        Delta::Inside(_) => true,
        Delta::Array(_) => false,
    }
}

fn rank(property: &PropertyDifference<'_>) -> u8 {
    match property.delta {
        Delta::Delete(_) => 0,
        Delta::Create(_) => 1,
        Delta::Replace(..) | Delta::Inside(_) | Delta::Array(_) => 2,
    }
}

fn by_name(one: &str, other: &str) -> Ordering {
    one.to_lowercase().cmp(&other.to_lowercase()).then_with(|| one.cmp(other))
}

/// The length of the longest path to a leaf; arrays have lines of their own and do not count.
fn longest_path(object: &Value) -> usize {
    let members = object.as_object().into_iter().flatten();
    let length = |(name, value): &(smol_str::SmolStr, Value)| match shape(value) {
        ValueLayout::Leaf => width(name),
        ValueLayout::Array(_) => 0,
        ValueLayout::Object(inner) => width(name) + 1 + longest_path(inner),
    };
    members.map(length).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_split_at_its_scope() {
        assert_eq!(
            split("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"),
            ("/subscriptions/s/resourceGroups/g", "A.B/c/d")
        );
        assert_eq!(split("/subscriptions/s/providers/A.B/c/d"), ("/subscriptions/s", "A.B/c/d"));
        assert_eq!(split("/subscriptions/s/resourceGroups/g"), ("/subscriptions/s", "resourceGroups/g"));
        assert_eq!(split("/providers/A.B/c/d"), ("/", "A.B/c/d"));
        assert_eq!(split("[resourceId('A.B/c', 'd')]"), ("<unknown>", "[resourceId('A.B/c', 'd')]"));
        assert_eq!(split(""), ("<unknown>", ""));
    }

    #[test]
    fn colours_return_to_those_around_them() {
        let (before, after) = (Value::from("eastus"), Value::from("westus"));
        let property =
            PropertyDifference { path: "location".to_owned(), delta: Delta::Replace(&before, &after) };
        let change =
            ResourceDifference { id: "/providers/A.B/c/d", kind: ChangeDetail::Modify(vec![property]) };
        let named = [Colour::Plain, Colour::Gone, Colour::New, Colour::Other]
            .iter()
            .zip(["<>", "<gone>", "<new>", "<other>"]);
        let text =
            named.fold(text(&[change], true), |text, (colour, name)| text.replace(colour.code(), name));
        assert_eq!(
            text,
            "\nScope: /\n<other>\n  ~ A.B/c/d<>\n    <other>~<> location<>:<> <gone>\"eastus\"<> => <new>\"westus\"<>\n<other><>"
        );
    }

    #[test]
    fn text_of_a_file_cannot_steer_a_terminal() {
        let value = Value::object([("a\u{1b}[2J", Value::from("b\u{1b}[2J"))]);
        let change =
            ResourceDifference { id: "/providers/A.B/c/\u{1b}[2J", kind: ChangeDetail::Create(&value) };
        assert!(!text(&[change], false).contains('\u{1b}'));
    }
}
