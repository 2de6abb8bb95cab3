//! Tokens and trees in the reference compiler's notation.

use crate::place::Lines;
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxTree, TokenKind};

/// A line of a dump: where, and what.
type Line = (Span, String);

pub(crate) fn tokens(tree: &SyntaxTree, line_break: &str) -> String {
    let lines =
        tree.tokens().map(|token| (token.span(), format!("{} |{}|", token.kind().name(), token.text())));
    annotate(tree.text(), line_break, lines.collect())
}

pub(crate) fn syntax(tree: &SyntaxTree, line_break: &str) -> String {
    let mut lines = Vec::new();
    let root = convert(SyntaxElement::Node(tree.root()));
    root.render("", None, &mut lines);
    annotate(tree.text(), line_break, lines)
}

/// Puts each line of a dump below the source line it starts on.
fn annotate(text: &str, line_break: &str, dump: Vec<Line>) -> String {
    let places = Lines::new(text);
    let placed: Vec<_> = dump.into_iter().map(|(span, label)| (places.place(span), label)).collect();
    let width = |largest: Option<usize>| largest.unwrap_or(0).to_string().len();
    let start_width = width(placed.iter().map(|((_, start, _), _)| *start).max());
    let end_width = width(placed.iter().map(|((_, _, end), _)| *end).max());
    let mut by_line: std::collections::BTreeMap<usize, Vec<String>> = std::collections::BTreeMap::new();
    for ((line, start, end), label) in placed {
        let label = label.replace('\r', "\\r").replace('\n', "\\n").replace('\t', "\\t");
        by_line
            .entry(line)
            .or_default()
            .push(format!("//@[{start:0start_width$}:{end:0end_width$}) {label}"));
    }
    let mut out = String::new();
    for (number, line) in text.split(line_break).enumerate() {
        out.push_str(line);
        out.push('\n');
        for label in by_line.get(&number).into_iter().flatten() {
            out.push_str(label);
            out.push('\n');
        }
    }
    out
}

struct Item {
    label: String,
    span: Span,
    children: Vec<Item>,
}

impl Item {
    fn around(label: &str, inner: Item) -> Self {
        Self { label: label.to_owned(), span: inner.span, children: vec![inner] }
    }

    fn render(&self, prefix: &str, is_last: Option<bool>, out: &mut Vec<Line>) {
        let branch = match is_last {
            None => "",
            Some(true) => "└─",
            Some(false) => "├─",
        };
        out.push((self.span, format!("{prefix}{branch}{}", self.label)));
        let prefix = match is_last {
            None => String::new(),
            Some(true) => format!("{prefix}  "),
            Some(false) => format!("{prefix}| "),
        };
        for (index, child) in self.children.iter().enumerate() {
            child.render(&prefix, Some(index + 1 == self.children.len()), out);
        }
    }
}

fn convert(element: SyntaxElement<'_>) -> Item {
    match element {
        SyntaxElement::Token(token) => Item {
            label: format!("Token({}) |{}|", token.kind().name(), token.text()),
            span: token.span(),
            children: Vec::new(),
        },
        SyntaxElement::Node(node) => {
            let name = if node.is_skipped() { "SkippedTrivia" } else { node.kind().name() };
            Item { label: format!("{name}Syntax"), span: node.span(), children: children(node) }
        }
    }
}

/// Converts the parts of a node, with the wrappers that the reference compiler has and this tree goes without.
fn children(node: SyntaxNode<'_>) -> Vec<Item> {
    let kind = node.kind();
    let (head, tail, count) = (kind.head(), kind.tail(), node.slot_count());
    let mut items = Vec::new();
    for index in 0..count {
        let Some(part) = node.slot(index) else { continue };
        let slot = head.get(index).or_else(|| tail.get((index + tail.len()).checked_sub(count)?));
        let item = convert(part);
        match (slot, part) {
            (_, SyntaxElement::Node(lines)) if lines.kind() == NodeKind::NewLines => {
                items.extend(item.children)
            }
            (Some((_, "name")), SyntaxElement::Node(skipped)) if kind == NodeKind::InstanceFunctionCall => {
                let mut item = item;
                if skipped.slot_count() == 2 && skipped.slot(0).is_some_and(|first| first.text() == "?") {
                    item.children = item
                        .children
                        .into_iter()
                        .enumerate()
                        .map(
                            |(at, child)| {
                                if at == 1 { Item::around("IdentifierSyntax", child) } else { child }
                            },
                        )
                        .collect();
                }
                items.push(Item::around("IdentifierSyntax", item));
            }
            (Some((_, "name")), _) => items.push(Item::around("IdentifierSyntax", item)),
            (Some((_, "name_or_string")), SyntaxElement::Token(token))
                if token.kind() == TokenKind::Identifier =>
            {
                items.push(Item::around("IdentifierSyntax", item));
            }
            (Some(("item", _)), _) => items.push(Item::around("ArrayTypeMemberSyntax", item)),
            (None, SyntaxElement::Node(child)) => match wrapper(kind, child) {
                Some(wrapper) => items.push(Item::around(wrapper, item)),
                None => items.push(item),
            },
            _ => items.push(item),
        }
    }
    items
}

fn wrapper(list: NodeKind, item: SyntaxNode<'_>) -> Option<&'static str> {
    let is_item = !item.is_separator();
    match list {
        NodeKind::Array if item.kind() != NodeKind::SpreadExpression && is_item && !item.is_recovered() => {
            Some("ArrayItemSyntax")
        }
        NodeKind::FunctionCall | NodeKind::InstanceFunctionCall if is_item => Some("FunctionArgumentSyntax"),
        NodeKind::ParameterizedTypeInstantiation | NodeKind::InstanceParameterizedTypeInstantiation
            if is_item =>
        {
            Some("ParameterizedTypeArgumentSyntax")
        }
        NodeKind::UnionType if is_item && !item.is_recovered() => Some("UnionTypeMemberSyntax"),
        _ => None,
    }
}
