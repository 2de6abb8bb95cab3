//! Small changes of programs that tests should notice, made from the syntax tree.

use std::collections::BTreeSet;

use syntax::ast::{
    AstNode as _, BinaryOperation, Decorator, Expr, For, FunctionDeclaration, IfCondition,
    ImportedSymbolsListItem, ObjectProperty, TernaryOperation, UnaryOperation,
};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxTree};

/// The operators, in the order of their names in help.
pub(crate) const OPERATORS: [&str; 13] = [
    "condition",
    "ternary",
    "comparison",
    "logical",
    "arithmetic",
    "coalesce",
    "bound",
    "constraint",
    "validator",
    "dependency",
    "loop",
    "literal",
    "property",
];

/// Decorators that bound values.
const CONSTRAINTS: [&str; 5] = ["minValue", "maxValue", "minLength", "maxLength", "allowed"];

/// Members of a resource's body that say what it is, and not what it is like.
const IDENTITY: [&str; 4] = ["name", "parent", "scope", "dependsOn"];

/// A change of one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) operator: &'static str,
    /// The place that is told.
    pub(crate) span: Span,
    /// The new text of the place.
    pub(crate) replacement: String,
    /// The bytes that are replaced, which may include a separator.
    pub(crate) edit: Span,
}

/// All changes of a program, in the order of their places.
pub(crate) fn changes(tree: &SyntaxTree, wanted: &BTreeSet<&str>) -> Vec<Change> {
    let mut finder =
        ChangeFinder { text: tree.text(), functions: functions_of(tree.root()), all: Vec::new() };
    let mut open = vec![(tree.root(), Inside::default())];
    while let Some((node, inside)) = open.pop() {
        let inside = finder.look(node, inside);
        for child in node.children().filter_map(SyntaxElement::node) {
            if let Some(inside) = within(node, child, inside) {
                open.push((child, inside));
            }
        }
    }
    finder.all.retain(|change| wanted.is_empty() || wanted.contains(change.operator));
    let rank = |change: &Change| OPERATORS.iter().position(|known| *known == change.operator);
    finder.all.sort_by_key(|change| (change.span.start, change.span.end, rank(change)));
    finder.all
}

/// What is around a node.
#[derive(Clone, Copy, Default)]
struct Inside {
    resource: bool,
    /// Where literals are values.
    value: bool,
    decorator: bool,
}

/// Functions that may be validators: those of the file, and what it imports.
pub(crate) fn functions_of(root: SyntaxNode<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for node in root.subtree() {
        if let Some(it) = FunctionDeclaration::cast(node) {
            names.insert(it.name().text().to_owned());
        } else if let Some(it) = ImportedSymbolsListItem::cast(node) {
            let name = match it.as_clause() {
                Some(clause) => Some(clause.alias().text().to_owned()),
                None => it.original_name().constant().map(|name| name.to_string()),
            };
            names.extend(name);
        }
    }
    names
}

/// What is around a child of a node; none if nothing in it is changed.
fn within(node: SyntaxNode<'_>, child: SyntaxNode<'_>, inside: Inside) -> Option<Inside> {
    match node.kind() {
        NodeKind::TestDeclaration
        | NodeKind::CompileTimeImportDeclaration
        | NodeKind::TargetScope
        | NodeKind::MetadataDeclaration
        | NodeKind::ExtensionDeclaration
        | NodeKind::AssertDeclaration => None,
        // The type of a resource and the path of a module are no values.
        NodeKind::ResourceDeclaration | NodeKind::ModuleDeclaration => match child.kind() {
            NodeKind::String => None,
            NodeKind::Decorator => Some(Inside { decorator: true, value: false, resource: false }),
            _ => {
                let resource = node.kind() == NodeKind::ResourceDeclaration;
                Some(Inside { resource, value: true, decorator: false })
            }
        },
        // A key is no value.
        NodeKind::ObjectProperty if child.kind() == NodeKind::String => {
            let is_key = ObjectProperty::cast(node).is_some_and(|it| it.key().span() == child.span());
            (!is_key).then_some(inside)
        }
        // Nor is the version of a template that is written as an object.
        NodeKind::ObjectProperty if is_template_version(node) => None,
        _ if child.kind() == NodeKind::Decorator => {
            Some(Inside { decorator: true, value: false, resource: false })
        }
        NodeKind::Program => Some(Inside { value: true, ..Inside::default() }),
        // The names of files that are loaded are no values.
        NodeKind::FunctionCall if is_load(node) && child.kind() == NodeKind::String => None,
        _ => Some(inside),
    }
}

fn is_template_version(node: SyntaxNode<'_>) -> bool {
    let key = ObjectProperty::cast(node).and_then(|it| it.key().constant());
    key.is_some_and(|key| key == "$schema" || key == "contentVersion")
}

fn is_load(node: SyntaxNode<'_>) -> bool {
    matches!(Expr::cast(node), Some(Expr::FunctionCall(call)) if call.name().text().starts_with("load"))
}

/// Whether a text in quotes is the name of a type or of a version of an API: `'My.Rp/things@2024-01-01'`, `'2024-01-01-preview'`.
fn is_name(written: &str) -> bool {
    let text = written.trim_matches('\'');
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None if is_version(text) => return true,
        None => (text, None),
    };
    let is_word =
        |part: &str| !part.is_empty() && part.chars().all(|it| it.is_ascii_alphanumeric() || it == '.');
    let (namespace, kinds) = name.split_once('/').unwrap_or((name, ""));
    is_word(namespace)
        && namespace.contains('.')
        && kinds.split('/').all(is_word)
        && version.is_none_or(is_version)
}

/// Whether a text begins with a date.
fn is_version(text: &str) -> bool {
    let mut parts = text.splitn(4, '-');
    let digits = |part: Option<&str>, count: usize| {
        part.is_some_and(|part| part.len() == count && part.chars().all(|it| it.is_ascii_digit()))
    };
    digits(parts.next(), 4) && digits(parts.next(), 2) && digits(parts.next(), 2)
}

struct ChangeFinder<'t> {
    text: &'t str,
    functions: BTreeSet<String>,
    all: Vec<Change>,
}

impl<'t> ChangeFinder<'t> {
    fn slice(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn push(&mut self, operator: &'static str, span: Span, replacement: impl Into<String>) {
        self.all.push(Change { operator, span, replacement: replacement.into(), edit: span });
    }

    fn look(&mut self, node: SyntaxNode<'t>, inside: Inside) -> Inside {
        match node.kind() {
            NodeKind::IfCondition => {
                if let Some(it) = IfCondition::cast(node) {
                    self.truths("condition", it.condition());
                }
            }
            NodeKind::TernaryOperation => {
                if let Some(it) = TernaryOperation::cast(node) {
                    self.truths("ternary", it.condition());
                }
            }
            NodeKind::BinaryOperation => self.binary(node),
            NodeKind::UnaryOperation => {
                let operator = UnaryOperation::cast(node).and_then(UnaryOperation::operator);
                if let Some(operator) = operator.filter(|operator| operator.text() == "!") {
                    self.push("logical", operator.span(), "");
                }
            }
            NodeKind::For => {
                if let Some(it) = For::cast(node) {
                    let span = it.expression().node().span();
                    let source = self.slice(span);
                    let (none, one) = (format!("take({source}, 0)"), format!("take({source}, 1)"));
                    self.push("loop", span, none);
                    self.push("loop", span, one);
                }
            }
            NodeKind::Decorator => self.decorator(node),
            NodeKind::ObjectProperty => self.property(node, inside),
            NodeKind::String if inside.value && !inside.decorator => {
                let span = node.span();
                if is_name(self.slice(span)) {
                    return inside;
                }
                let other = if self.slice(span) == "''" { "'changed'" } else { "''" };
                self.push("literal", span, other);
            }
            NodeKind::IntegerLiteral if inside.value && !inside.decorator => {
                let span = node.span();
                if let Some(next) = self.slice(span).parse::<i64>().ok().and_then(|it| it.checked_add(1)) {
                    self.push("literal", span, next.to_string());
                }
            }
            NodeKind::BooleanLiteral if inside.value && !inside.decorator => {
                let span = node.span();
                let other = if self.slice(span) == "true" { "false" } else { "true" };
                self.push("literal", span, other);
            }
            _ => {}
        }
        inside
    }

    fn truths(&mut self, operator: &'static str, condition: Expr<'t>) {
        let inner = match condition {
            Expr::ParenthesizedExpression(it) => it.expression(),
            other => other,
        };
        let span = inner.node().span();
        for truth in ["true", "false"] {
            if self.slice(span) != truth {
                self.push(operator, span, truth);
            }
        }
    }

    fn binary(&mut self, node: SyntaxNode<'t>) {
        const SWAPS: [(&str, &str, &str); 13] = [
            ("==", "!=", "comparison"),
            ("!=", "==", "comparison"),
            ("<", "<=", "comparison"),
            ("<=", "<", "comparison"),
            (">", ">=", "comparison"),
            (">=", ">", "comparison"),
            ("&&", "||", "logical"),
            ("||", "&&", "logical"),
            ("+", "-", "arithmetic"),
            ("-", "+", "arithmetic"),
            ("*", "/", "arithmetic"),
            ("/", "*", "arithmetic"),
            ("%", "*", "arithmetic"),
        ];
        let Some(it) = BinaryOperation::cast(node) else { return };
        let Some(operator) = it.operator() else { return };
        if operator.text() == "??" {
            let right = self.slice(it.right().node().span());
            return self.push("coalesce", node.span(), right);
        }
        if let Some((_, other, kind)) = SWAPS.iter().find(|(own, ..)| *own == operator.text()) {
            self.push(kind, operator.span(), *other);
        }
    }

    fn decorator(&mut self, node: SyntaxNode<'t>) {
        let expression = Decorator::cast(node).map(Decorator::expression);
        let (name, arguments) = match expression {
            Some(Expr::FunctionCall(call)) => (call.name().text(), call.items().collect::<Vec<_>>()),
            Some(Expr::InstanceFunctionCall(call)) => (call.name().text(), call.items().collect()),
            _ => return,
        };
        if !CONSTRAINTS.contains(&name) {
            let is_validator = name == "validate" || self.functions.contains(name);
            if is_validator {
                self.push("validator", node.span(), "");
            }
            return;
        }
        self.push("constraint", node.span(), "");
        if name == "allowed" {
            return;
        }
        let Some(argument) = arguments.into_iter().find_map(SyntaxElement::node) else { return };
        let span = argument.span();
        let Ok(bound) = self.slice(span).replace(' ', "").parse::<i64>() else { return };
        for other in [bound.checked_sub(1), bound.checked_add(1)].into_iter().flatten() {
            // A length is no less than nothing.
            if other >= 0 || !name.ends_with("Length") {
                self.push("bound", span, other.to_string());
            }
        }
    }

    fn property(&mut self, node: SyntaxNode<'t>, inside: Inside) {
        let Some(it) = ObjectProperty::cast(node) else { return };
        let key = it.key().constant();
        if key.as_deref() == Some("dependsOn")
            && let Expr::Array(items) = it.value()
        {
            for item in items.items().filter_map(SyntaxElement::node) {
                let span = item.span();
                let edit = self.with_separator(span);
                self.all.push(Change { operator: "dependency", span, replacement: String::new(), edit });
            }
        }
        let is_identity = key.as_deref().is_some_and(|key| IDENTITY.contains(&key));
        if inside.resource && !is_identity {
            let span = node.span();
            let edit = self.with_separator(span);
            self.all.push(Change { operator: "property", span, replacement: String::new(), edit });
        }
    }

    /// An item with the comma behind it, or else the one before it.
    fn with_separator(&self, span: Span) -> Span {
        let behind = self.text.get(span.end as usize..).unwrap_or_default();
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        if behind.trim_start_matches([' ', '\t']).starts_with(',') {
            return Span::new(span.start, span.end + u32::try_from(blanks + 1).unwrap_or_default());
        }
        let before = self.text.get(..span.start as usize).unwrap_or_default();
        match before.trim_end_matches([' ', '\t']).strip_suffix(',') {
            Some(rest) => Span::new(u32::try_from(rest.len()).unwrap_or(span.start), span.end),
            None => span,
        }
    }
}

#[cfg(test)]
mod tests {
    use syntax::SourceKind;

    use super::*;

    fn all(text: &str, operator: &str) -> Vec<String> {
        let tree = syntax::parse(text, SourceKind::Bicep);
        let found = changes(&tree, &BTreeSet::from([operator]));
        let applied = |change: &Change| {
            let (start, end) = (change.edit.start as usize, change.edit.end as usize);
            let part = |range| text.get(range).unwrap();
            format!("{}{}{}", part(0..start), change.replacement, part(end..text.len()))
        };
        found.iter().map(applied).collect()
    }

    #[test]
    fn operators_are_swapped() {
        assert_eq!(all("var a = b == c", "comparison"), ["var a = b != c"]);
        assert_eq!(all("var a = b < c", "comparison"), ["var a = b <= c"]);
        assert_eq!(all("var a = !b && c", "logical"), ["var a = b && c", "var a = !b || c"]);
        assert_eq!(all("var a = b % c", "arithmetic"), ["var a = b * c"]);
        assert_eq!(all("var a = b ?? c", "coalesce"), ["var a = c"]);
        assert_eq!(all("var a = b ? c : d", "ternary"), ["var a = true ? c : d", "var a = false ? c : d"]);
        assert_eq!(all("var a = [for b in c: b]", "loop").len(), 2);
    }

    #[test]
    fn decorators_are_moved_and_removed() {
        let text = "@minValue(5)\nparam a int\n";
        assert_eq!(all(text, "bound"), ["@minValue(4)\nparam a int\n", "@minValue(6)\nparam a int\n"]);
        assert_eq!(all(text, "constraint"), ["\nparam a int\n"]);
        assert_eq!(all("@minLength(0)\nparam a string\n", "bound").len(), 1);
        let text = "func f(a int) bool => true\n@f()\nparam b int\n";
        assert_eq!(all(text, "validator").len(), 1);
        assert_eq!(
            all("@description('x')\nparam b int = 1\n", "literal"),
            ["@description('x')\nparam b int = 2\n"]
        );
    }

    #[test]
    fn bodies_lose_properties_and_dependencies() {
        let text =
            "resource a 'T@1' = if (x) {\n  name: 'n'\n  tags: { b: 'c', d: 'e' }\n  dependsOn: [b, c]\n}\n";
        let removed = all(text, "dependency");
        assert!(removed[0].contains("[ c]") && removed[1].contains("[b]"), "{removed:?}");
        let removed = all(text, "property");
        assert_eq!(removed.len(), 3, "{removed:?}");
        assert!(removed.iter().all(|text| text.contains("name: 'n'")));
        assert_eq!(all(text, "condition").len(), 2);
        // The type is no value.
        assert_eq!(all(text, "literal").len(), 3);
        let names = "var a = reference(resourceId('My.Rp/as/bs', 'x'), '2024-01-01-preview').b\n";
        assert_eq!(all(names, "literal"), [names.replace("'x'", "''")]);
    }
}
