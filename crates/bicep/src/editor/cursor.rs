//! What stands at an offset of a file: the token, the nodes around it, and the symbol that a name means.

use syntax::ast::{AstNode as _, NameOrString, Statement};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind};

use crate::symbols::{Model, SymbolId, SymbolKind};

/// A place in a file, with what stands there.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'m> {
    pub model: &'m Model,
    /// The offset, at most the end of the text.
    pub offset: u32,
    /// The token at the place. At a border it is the one of the two that is a name, and else the one after it.
    pub token: SyntaxToken<'m>,
    /// The innermost node around the token, or around the place if that is between tokens.
    pub node: SyntaxNode<'m>,
}

impl<'m> Cursor<'m> {
    /// What stands at an offset; none in a file without a single token, which the parser never makes.
    pub(crate) fn at(model: &'m Model, offset: u32) -> Option<Cursor<'m>> {
        let tree = &model.file.tree;
        let offset = offset.min(u32::try_from(tree.text().len()).unwrap_or(u32::MAX));
        let token = touching(model, offset)?;
        let place = if touches(token.span(), offset) { token.span() } else { Span::empty(offset) };
        Some(Cursor { model, offset, token, node: innermost(tree.root(), place, token) })
    }

    /// The same place as seen from the last token before it, which belongs to what is still being written.
    pub(crate) fn behind(&self) -> Option<Cursor<'m>> {
        let tree = &self.model.file.tree;
        let token = tree.token_at(self.offset.checked_sub(1)?)?;
        Some(Cursor { token, node: innermost(tree.root(), token.span(), token), ..*self })
    }

    /// The innermost node and those around it, from the inside out.
    pub(crate) fn ancestors(&self) -> impl Iterator<Item = SyntaxNode<'m>> {
        let model = self.model;
        std::iter::successors(Some(self.node), move |node| model.parent(*node))
    }

    /// Tells whether the place is inside a comment or a `#` directive.
    pub(crate) fn is_in_comment(&self) -> bool {
        let trivia = self.model.file.tree.trivia();
        let after = trivia.partition_point(|piece| piece.start < self.offset);
        after.checked_sub(1).and_then(|place| trivia.get(place)).is_some_and(|piece| {
            // The end of a comment that goes to the end of its line is still in it.
            let text = Span::new(piece.start, piece.end).text(self.model.file.tree.text());
            self.offset < piece.end || (self.offset == piece.end && !text.ends_with("*/"))
        })
    }

    /// The symbol that the name at the place means or declares.
    pub(crate) fn symbol(&self) -> Option<SymbolId> {
        symbol_of(self.model, self.token, self.node)
    }
}

/// Tells whether an offset is inside a span or at one of its borders.
fn touches(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

/// The token at an offset: of two that touch it, the one that is a name, and else the second.
fn touching(model: &Model, offset: u32) -> Option<SyntaxToken<'_>> {
    let tree = &model.file.tree;
    let at = tree.token_at(offset).or_else(|| tree.tokens().next())?;
    let is_name = |token: SyntaxToken<'_>| token.kind() == TokenKind::Identifier;
    if is_name(at) || at.span().start < offset {
        return Some(at);
    }
    let before = offset.checked_sub(1).and_then(|before| tree.token_at(before));
    Some(before.filter(|token| is_name(*token) && token.span().end == offset).unwrap_or(at))
}

/// The innermost node that covers a place. At borders it is the node that the token is in.
fn innermost<'m>(root: SyntaxNode<'m>, place: Span, token: SyntaxToken<'m>) -> SyntaxNode<'m> {
    let mut node = root;
    loop {
        let mut inner = None;
        for child in node.children() {
            match child {
                SyntaxElement::Token(own) if own == token => return node,
                SyntaxElement::Token(_) => {}
                SyntaxElement::Node(child) if child.span().encloses(place) => {
                    // Of nodes without text that stand at one place, the first is as good as any.
                    if inner.is_none_or(|known: SyntaxNode<'_>| known.span().is_empty()) {
                        inner = Some(child);
                    }
                }
                SyntaxElement::Node(_) => {}
            }
        }
        match inner {
            Some(child) => node = child,
            None => return node,
        }
    }
}

/// The symbol that a token means or declares, given the node that it is a part of.
pub(crate) fn symbol_of(model: &Model, token: SyntaxToken<'_>, node: SyntaxNode<'_>) -> Option<SymbolId> {
    // A name in quotes can be imported; its token is in a string.
    let node = match node.kind() {
        NodeKind::String => model.parent(model.file.node(node.id()))?,
        _ => model.file.node(node.id()),
    };
    let owner = if node.kind() == NodeKind::AliasAsClause { model.parent(node)? } else { node };
    let symbol = model.symbol_at(owner)?;
    let declares = model.symbol(symbol).node == owner.id();
    let is_named =
        if declares { name_spans(model, symbol).contains(&token.span()) } else { names(node, token) };
    is_named.then_some(symbol)
}

/// Tells whether a token is the name in a node that refers to something by name.
fn names(node: SyntaxNode<'_>, token: SyntaxToken<'_>) -> bool {
    token.kind() == TokenKind::Identifier
        && node.children().filter_map(SyntaxElement::token).any(|child| child == token)
}

/// Where the name of a declaration is written, or is missing.
pub(crate) fn name_place(model: &Model, symbol: SymbolId) -> Option<Span> {
    name_span(model, symbol).or_else(|| {
        let statement = model.statement_of(symbol)?;
        let place = match statement {
            Statement::ExtensionDeclaration(it) => it.specification().span(),
            Statement::ExtensionConfigAssignment(it) => it.alias().span(),
            _ => crate::check::declared_name(statement)?.0.span(),
        };
        Some(place)
    })
}

/// Where the name of a symbol is declared.
pub(crate) fn name_span(model: &Model, symbol: SymbolId) -> Option<Span> {
    name_spans(model, symbol).into_iter().next()
}

/// Where the names of a symbol stand in its declaration: first the one that it is known by in this file, and then, for
/// what is imported under another name, the one that it has in the other file.
pub(crate) fn name_spans(model: &Model, symbol: SymbolId) -> Vec<Span> {
    use syntax::ast::{ImportedSymbolsListItem, LocalVariable, TypedLocalVariable, WildcardImport};
    let declared = model.symbol(symbol);
    if matches!(declared.kind, SymbolKind::This | SymbolKind::Base | SymbolKind::Inherited) {
        return Vec::new();
    }
    let node = model.node_of(symbol);
    let mut spans = Vec::new();
    let mut add = |name: syntax::ast::Name<'_>| spans.extend(name.token().map(|token| token.span()));
    match node.kind() {
        NodeKind::LocalVariable => LocalVariable::cast(node).into_iter().for_each(|it| add(it.name())),
        NodeKind::TypedLocalVariable => {
            TypedLocalVariable::cast(node).into_iter().for_each(|it| add(it.name()));
        }
        NodeKind::WildcardImport => {
            let alias = WildcardImport::cast(node).and_then(WildcardImport::as_clause);
            alias.into_iter().for_each(|alias| add(alias.alias()));
        }
        NodeKind::ImportedSymbolsListItem => {
            if let Some(item) = ImportedSymbolsListItem::cast(node) {
                item.as_clause().into_iter().for_each(|alias| add(alias.alias()));
                match item.original_name() {
                    NameOrString::Name(_) | NameOrString::String(_) => {
                        spans.push(item.original_name().span())
                    }
                    NameOrString::Skipped(_) => {}
                }
            }
        }
        _ => match Statement::cast(node) {
            Some(Statement::ExtensionDeclaration(it)) => match (it.as_clause(), it.specification()) {
                (Some(alias), _) => add(alias.alias()),
                (None, NameOrString::Name(name)) => spans.push(name.span()),
                (None, NameOrString::String(_) | NameOrString::Skipped(_)) => {}
            },
            Some(Statement::ExtensionConfigAssignment(it)) => add(it.alias()),
            Some(statement) => {
                crate::check::declared_name(statement).into_iter().for_each(|(name, _)| add(name));
            }
            None => {}
        },
    }
    spans
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

    /// Asks at the `$0` of a program.
    #[track_caller]
    fn at<T>(marked: &str, question: impl FnOnce(&Compiler, Cursor<'_>) -> T) -> T {
        let offset = marked.find("$0").expect("a mark");
        let text = marked.replacen("$0", "", 1);
        let path = FilePath::new("/main.bicep");
        let world = MemoryWorld::default().with_file("/main.bicep", text);
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let model = compiler.model(&path).unwrap();
        let cursor = Cursor::at(&model, u32::try_from(offset).unwrap()).unwrap();
        question(&compiler, cursor)
    }

    fn token(marked: &str) -> String {
        at(marked, |_, cursor| cursor.token.text().to_owned())
    }

    fn symbol(marked: &str) -> Option<String> {
        at(marked, |_, cursor| cursor.symbol().map(|it| cursor.model.symbol(it).name.to_string()))
    }

    fn expected(marked: &str) -> Option<String> {
        at(marked, |compiler, cursor| {
            let asked = compiler.ask(cursor.model, |checker| {
                let node = checker.model.file.node(cursor.node.id());
                checker.expected(node).map(|ty| ty.name().to_string())
            });
            asked.flatten()
        })
    }

    #[test]
    fn of_two_tokens_at_a_place_the_name_counts() {
        assert_eq!(token("param $0name string"), "name");
        assert_eq!(token("param name$0 string"), "name");
        assert_eq!(token("output a string = '${name$0}'\nparam name string"), "name");
        assert_eq!(token("var a = [1, $02]"), "2");
        assert_eq!(token("var a = foo$0()"), "foo");
    }

    #[test]
    fn names_mean_symbols_and_keywords_do_not() {
        assert_eq!(symbol("param na$0me string"), Some("name".to_owned()));
        assert_eq!(symbol("par$0am name string"), None);
        assert_eq!(symbol("param name string\nvar x = $0name"), Some("name".to_owned()));
        assert_eq!(symbol("func f(a string) string => $0a"), Some("a".to_owned()));
        assert_eq!(symbol("func f(a string) string => 'x'\nvar x = $0f('')"), Some("f".to_owned()));
        assert_eq!(symbol("type t = string\nparam p $0t"), Some("t".to_owned()));
        assert_eq!(symbol("var x = toLow$0er('A')"), None);
    }

    #[test]
    fn a_place_beyond_the_text_is_its_end() {
        at("var x = 1$0", |_, cursor| {
            let end = Cursor::at(cursor.model, u32::MAX).unwrap();
            assert_eq!(end.offset, 9);
        });
    }

    #[test]
    fn comments_are_told_from_what_is_beside_them() {
        let is_in = |marked| at(marked, |_, cursor| cursor.is_in_comment());
        assert!(is_in("// a$0\nvar x = 1"));
        assert!(is_in("var x /* $0 */ = 1"));
        assert!(!is_in("var x /* */$0 = 1"));
        assert!(!is_in("var x $0/* */ = 1"));
        assert!(is_in("#disable-next-line $0x\nvar x = 1"));
    }

    #[test]
    fn the_type_that_is_asked_for_comes_from_what_is_around() {
        assert_eq!(expected("param p string = $0''").as_deref(), Some("string"));
        assert_eq!(expected("param p { a: int? } = { a: $01 }").as_deref(), Some("int | null"));
        assert_eq!(expected("param p int[] = [true ? $01 : 2]").as_deref(), Some("int"));
        assert_eq!(expected("var v = $01"), None);
    }

    #[test]
    fn an_argument_is_asked_for_by_its_parameter() {
        assert_eq!(expected("func f(a bool) string => ''\nvar v = f($0true)").as_deref(), Some("bool"));
        assert_eq!(expected("var v = map([1], a => $0a)").as_deref(), Some("any"));
    }

    #[test]
    fn of_several_objects_the_discriminator_chooses() {
        let types =
            "type a = { kind: 'a', x: int }\ntype b = { kind: 'b', x: bool }\n@discriminator('kind')\n";
        let program = format!("{types}param p (a | b) = {{ kind: 'b', x: $0true }}");
        assert_eq!(expected(&program).as_deref(), Some("bool"));
    }
}
