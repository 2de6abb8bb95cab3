//! What the words of a file are, for its colours: keywords, names by what they mean, strings, numbers, operators.

use syntax::ast::{AstNode as _, NameOrString, Statement};
use syntax::literal::StringForm;
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode, SyntaxToken, TokenKind, TriviaKind};

use crate::symbols::{Binding, ExportKind, Model, SymbolKind};
use crate::{Compiler, FilePath};

/// A piece of text with what it is. It never spans lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticToken {
    /// The bytes that are coloured.
    pub span: Span,
    /// What the text means there, from which its colour is taken.
    pub kind: SemanticKind,
}

/// Makes the kinds and their names.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal;)*) => {
        /// What a piece of text is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SemanticKind { $($(#[$doc])* $kind,)* }

        impl SemanticKind {
            /// All kinds; the place of a kind is its number in the protocol of editors.
            pub const ALL: &'static [SemanticKind] = &[$(SemanticKind::$kind,)*];

            /// The name that editors know the kind by.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(SemanticKind::$kind => $name,)* }
            }

            /// Its place among all kinds.
            #[must_use]
            pub const fn index(self) -> u32 {
                self as u32
            }
        }
    };
}

kinds! {
    /// A namespace: `sys`, an extension, or what `import * as` declares.
    Namespace "namespace";
    /// The name of a type, built in or declared.
    Type "type";
    /// A key of an object.
    TypeParameter "typeParameter";
    /// A variable, parameter, resource, module or output.
    Variable "variable";
    /// A property that is read.
    Property "property";
    /// A function or decorator.
    Function "function";
    /// A directive that begins with `#`.
    Macro "macro";
    /// A keyword of the language.
    Keyword "keyword";
    /// A comment of either form.
    Comment "comment";
    /// The text of a string, quotes included.
    String "string";
    /// A number of decimal digits.
    Number "number";
    /// An operator, or what stands between names and values.
    Operator "operator";
}

/// The words of a file by position, or those that touch a part of it.
#[must_use]
pub fn semantic_tokens(compiler: &Compiler, path: &FilePath, range: Option<Span>) -> Vec<SemanticToken> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let range = range.unwrap_or(Span::new(0, u32::MAX));
    let mut found = TokenCollector { text: model.file.tree.text(), range, tokens: Vec::new() };
    // Only what touches the range is looked at.
    let mut open = vec![model.file.tree.root()];
    while let Some(node) = open.pop() {
        for child in node.children() {
            match child {
                SyntaxElement::Node(child) => {
                    if found.touches(child.span()) {
                        open.push(child);
                    }
                }
                SyntaxElement::Token(token) => found.token(&model, node, token),
            }
        }
    }
    for piece in model.file.tree.trivia() {
        let kind = match piece.kind {
            TriviaKind::LineComment | TriviaKind::BlockComment => SemanticKind::Comment,
            TriviaKind::DisableNextLine | TriviaKind::DisableDiagnostics | TriviaKind::RestoreDiagnostics => {
                SemanticKind::Macro
            }
            TriviaKind::Whitespace | TriviaKind::ByteOrderMark => continue,
        };
        found.add(Span::new(piece.start, piece.end), kind);
    }
    found.tokens.sort_unstable_by_key(|token| token.span.start);
    found.tokens
}

/// The words that were found.
struct TokenCollector<'t> {
    text: &'t str,
    range: Span,
    tokens: Vec<SemanticToken>,
}

impl TokenCollector<'_> {
    fn touches(&self, span: Span) -> bool {
        span.start <= self.range.end && self.range.start <= span.end
    }

    /// Adds a piece of text, line by line.
    fn add(&mut self, span: Span, kind: SemanticKind) {
        if !self.touches(span) {
            return;
        }
        let mut start = span.start;
        for line in span.text(self.text).split_inclusive(['\n', '\r']) {
            let length = u32::try_from(line.trim_end_matches(['\n', '\r']).len()).unwrap_or(0);
            if length > 0 {
                self.tokens.push(SemanticToken { span: Span::new(start, start + length), kind });
            }
            start += u32::try_from(line.len()).unwrap_or(0);
        }
    }

    fn token(&mut self, model: &Model, node: SyntaxNode<'_>, token: SyntaxToken<'_>) {
        let kind = match token.kind() {
            TokenKind::StringComplete
            | TokenKind::StringLeftPiece
            | TokenKind::StringMiddlePiece
            | TokenKind::StringRightPiece => return self.string(node, token),
            TokenKind::Integer => SemanticKind::Number,
            TokenKind::TrueKeyword | TokenKind::FalseKeyword | TokenKind::NullKeyword => {
                SemanticKind::Keyword
            }
            TokenKind::Identifier => match identifier(model, node, token) {
                Some(kind) => kind,
                None => return,
            },
            _ if is_operator(node.kind(), token.kind()) => SemanticKind::Operator,
            _ => return,
        };
        self.add(token.span(), kind);
    }

    /// Adds a piece of a string: what is between holes is text, except for escape sequences.
    fn string(&mut self, node: SyntaxNode<'_>, token: SyntaxToken<'_>) {
        let (span, text) = (token.span(), token.text());
        let mut inner = span;
        let opens = matches!(token.kind(), TokenKind::StringMiddlePiece | TokenKind::StringRightPiece);
        if opens && text.starts_with('}') {
            inner.start += 1;
            self.add(Span::new(span.start, inner.start), SemanticKind::Operator);
        }
        let closes = matches!(token.kind(), TokenKind::StringLeftPiece | TokenKind::StringMiddlePiece);
        if closes && text.ends_with("${") && inner.len() >= 2 {
            inner.end -= 2;
        }
        let first = node.children().next().map_or("", SyntaxElement::text);
        if matches!(StringForm::of(first), StringForm::SingleLine) {
            self.unescaped(inner);
        } else {
            self.add(inner, SemanticKind::String);
        }
        if inner.end < span.end {
            self.add(Span::new(inner.end, span.end), SemanticKind::Operator);
        }
    }

    /// Adds the parts of a text that are not escape sequences.
    fn unescaped(&mut self, span: Span) {
        let text = span.text(self.text);
        let mut from = span.start;
        let mut rest = text.char_indices().peekable();
        while let Some((place, character)) = rest.next() {
            if character != '\\' {
                continue;
            }
            let start = span.start + u32::try_from(place).unwrap_or(0);
            self.add(Span::new(from, start), SemanticKind::String);
            let mut end = rest.next().map_or(text.len(), |(place, it)| place + it.len_utf8());
            if text.get(place..end) == Some("\\u") && rest.peek().is_some_and(|(_, next)| *next == '{') {
                for (place, digit) in rest.by_ref() {
                    end = place + digit.len_utf8();
                    if !(digit == '{' || digit.is_ascii_hexdigit()) {
                        break;
                    }
                }
            }
            from = span.start + u32::try_from(end).unwrap_or(0);
        }
        self.add(Span::new(from.min(span.end), span.end), SemanticKind::String);
    }
}

/// What an identifier is, by the node that it is a part of.
fn identifier(model: &Model, node: SyntaxNode<'_>, token: SyntaxToken<'_>) -> Option<SemanticKind> {
    if let Some(statement) = Statement::cast(node) {
        return statement_word(statement, token);
    }
    Some(match node.kind() {
        NodeKind::FunctionCall | NodeKind::InstanceFunctionCall => SemanticKind::Function,
        NodeKind::PropertyAccess | NodeKind::ResourceAccess => SemanticKind::Property,
        NodeKind::VariableAccess | NodeKind::TypeVariableAccess => named(model, node),
        NodeKind::TypePropertyAccess
        | NodeKind::ParameterizedTypeInstantiation
        | NodeKind::InstanceParameterizedTypeInstantiation => SemanticKind::Type,
        NodeKind::ObjectProperty | NodeKind::ObjectTypeProperty => SemanticKind::TypeParameter,
        NodeKind::LocalVariable | NodeKind::TypedLocalVariable => SemanticKind::Variable,
        NodeKind::ImportedSymbolsListItem => imported(model, node),
        NodeKind::AliasAsClause => {
            if node.children().find_map(SyntaxElement::token) == Some(token) {
                SemanticKind::Keyword
            } else {
                imported(model, model.parent(model.file.node(node.id()))?)
            }
        }
        NodeKind::Skipped => return None,
        // What is left of the identifiers are keywords: `for`, `in`, `if`, `from`, `with`, `none`, `resource`.
        _ => SemanticKind::Keyword,
    })
}

/// What a word of a declaration is: its name or a keyword.
fn statement_word(statement: Statement<'_>, token: SyntaxToken<'_>) -> Option<SemanticKind> {
    let (name, kind) = match statement {
        Statement::TypeDeclaration(it) => (it.name().token(), SemanticKind::Type),
        Statement::FunctionDeclaration(it) => (it.name().token(), SemanticKind::Function),
        Statement::ExtensionDeclaration(it) => match it.specification() {
            NameOrString::Name(name) => (Some(name), SemanticKind::Namespace),
            NameOrString::String(_) | NameOrString::Skipped(_) => (None, SemanticKind::Namespace),
        },
        Statement::ExtensionConfigAssignment(it) => (it.alias().token(), SemanticKind::Namespace),
        Statement::Skipped(_) => return None,
        _ => {
            let name = crate::check::declared_name(statement).and_then(|(name, _)| name.token());
            (name, SemanticKind::Variable)
        }
    };
    Some(if name == Some(token) { kind } else { SemanticKind::Keyword })
}

/// What a name is, by what it means.
fn named(model: &Model, node: SyntaxNode<'_>) -> SemanticKind {
    let is_type = node.kind() == NodeKind::TypeVariableAccess;
    match model.binding(node.id()) {
        Binding::Namespace(_) => SemanticKind::Namespace,
        Binding::Symbol(symbol) => match model.symbol(symbol).kind {
            SymbolKind::WildcardImport | SymbolKind::Extension => SemanticKind::Namespace,
            _ if is_type => SemanticKind::Type,
            _ => SemanticKind::Variable,
        },
        _ if is_type => SemanticKind::Type,
        _ => SemanticKind::Variable,
    }
}

/// What an imported name is.
fn imported(model: &Model, item: SyntaxNode<'_>) -> SemanticKind {
    match item.kind() {
        NodeKind::WildcardImport | NodeKind::ExtensionDeclaration => return SemanticKind::Namespace,
        _ => {}
    }
    let found = model.symbol_at(item).and_then(|symbol| model.imported_item(symbol));
    match found.map(|(item, _)| item.kind) {
        Some(ExportKind::Type) => SemanticKind::Type,
        Some(ExportKind::Function) => SemanticKind::Function,
        Some(ExportKind::Variable) | None => SemanticKind::Variable,
    }
}

/// Tells whether a sign in a node of this kind is an operator, or stands between names and values.
fn is_operator(node: NodeKind, token: TokenKind) -> bool {
    if matches!(token, TokenKind::NewLine | TokenKind::EndOfFile | TokenKind::Unrecognized) {
        return false;
    }
    matches!(
        node,
        NodeKind::BinaryOperation
            | NodeKind::UnaryOperation
            | NodeKind::TernaryOperation
            | NodeKind::UnaryTypeOperation
            | NodeKind::UnionType
            | NodeKind::NullableType
            | NodeKind::NonNullableType
            | NodeKind::NonNullAssertion
            | NodeKind::SpreadExpression
            | NodeKind::PropertyAccess
            | NodeKind::ResourceAccess
            | NodeKind::ArrayAccess
            | NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::TypePropertyAccess
            | NodeKind::TypeAdditionalPropertiesAccess
            | NodeKind::TypeArrayAccess
            | NodeKind::TypeItemsAccess
            | NodeKind::ParameterizedTypeInstantiation
            | NodeKind::InstanceParameterizedTypeInstantiation
            | NodeKind::Lambda
            | NodeKind::TypedLambda
            | NodeKind::WildcardImport
            | NodeKind::Decorator
    )
}
