//! The same program with other line breaks, blanks and comments.

use syntax::{NodeKind, SourceKind, SyntaxElement, SyntaxTree, TokenId, TokenKind as T, parse};

use crate::Choices;

/// What stands in a gap between two tokens on one line.
const BLANKS: [&str; 12] =
    ["", "", "", " ", " ", " ", "  ", "\t", " /* b */ ", "/*é*/", " /* c */ /* d */ ", "/* e\n  f */ "];

/// What stands where a line ends.
const LINES: [&str; 14] = [
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\n\n",
    "\n \n",
    "\n \n \n",
    "\n\n \n\n",
    " // g\n",
    "\n// h\n",
    " /* i */\n",
    "\n  /* j */\n",
    "\n  #disable-next-line  k l\n",
    "\n /* m\n  n */ // o \n  \n",
];

/// How the gaps around a token can be changed.
#[derive(Clone, Copy, Default)]
struct LineBreakRules {
    /// A line can break before the token.
    line_before: bool,
    /// A line can break after it.
    line_after: bool,
    /// The token is a comma or line break between items that have either.
    between_items: bool,
    /// The token is a line break that can be left out.
    free_line: bool,
}

/// Changes what does not matter: blanks, comments, and line breaks where the grammar has them.
#[must_use]
pub fn shake(text: &str, kind: SourceKind, choices: &mut Choices<'_>) -> String {
    let tree = parse(text, kind);
    let places = places(&tree);
    let mut out = String::with_capacity(text.len() * 2);
    let place = |id: TokenId| places.get(id.index()).copied().unwrap_or_default();
    let mut tokens = tree.tokens().peekable();
    let mut holes = 0_usize;
    let mut last = None;
    while let Some(token) = tokens.next() {
        let here = place(token.id());
        let next = tokens.peek().map(|next| (next.kind(), place(next.id())));
        match token.kind() {
            T::StringLeftPiece => holes += 1,
            T::StringRightPiece => holes = holes.saturating_sub(1),
            T::NewLine
                if here.between_items
                    && last != Some(T::NewLine)
                    && next.is_some_and(|(next, _)| next != T::NewLine)
                    && choices.one_in(4) =>
            {
                out.push_str(", ");
                last = Some(T::Comma);
                continue;
            }
            T::NewLine if here.free_line && choices.one_in(2) => {
                out.push(' ');
                continue;
            }
            T::Comma if here.between_items && choices.one_in(4) => {
                out.push_str(choices.pick(&LINES));
                last = Some(T::NewLine);
                continue;
            }
            _ => {}
        }
        if token.kind() == T::NewLine {
            out.push_str(choices.pick(&LINES));
            last = Some(T::NewLine);
            continue;
        }
        if here.line_before
            && last != Some(T::NewLine)
            && last != Some(T::Comma)
            && holes == 0
            && choices.one_in(4)
        {
            out.push_str(choices.pick(&LINES));
        }
        out.push_str(token.text());
        last = Some(token.kind());
        let Some((next_kind, _)) = next else { break };
        // What the source has between the tokens stays if it says something.
        let gap =
            tokens.peek().and_then(|next| text.get(token.span().end as usize..next.span().start as usize));
        let gap = gap.unwrap_or_default();
        if gap.trim().is_empty() {
            let blanks = choices.pick(&BLANKS);
            let blanks = if holes > 0 && blanks.contains('\n') { " " } else { blanks };
            out.push_str(blanks);
            if blanks.is_empty()
                && (is_word(token.kind()) && is_word(next_kind) || sticks(token.kind(), next_kind))
            {
                out.push(' ');
            }
        } else {
            out.push_str(gap);
        }
        if here.line_after && next_kind != T::NewLine && holes == 0 && choices.one_in(4) {
            out.push_str(choices.pick(&LINES));
            last = Some(T::NewLine);
        }
    }
    out
}

fn is_word(kind: T) -> bool {
    matches!(kind, T::Identifier | T::Integer | T::TrueKeyword | T::FalseKeyword | T::NullKeyword)
}

/// Tells whether two tokens could be read as another one without a blank between them.
fn sticks(left: T, right: T) -> bool {
    let sign =
        |kind: T| kind.fixed_text().is_some_and(|text| text.starts_with(|c: char| c.is_ascii_punctuation()));
    let brackets =
        [T::LeftBrace, T::RightBrace, T::LeftParen, T::RightParen, T::LeftSquare, T::RightSquare, T::Comma];
    let string = matches!(left, T::StringComplete | T::StringRightPiece)
        && matches!(right, T::StringComplete | T::StringLeftPiece);
    string || sign(left) && sign(right) && !brackets.contains(&left) && !brackets.contains(&right)
}

fn places(tree: &SyntaxTree) -> Vec<LineBreakRules> {
    let mut places = vec![LineBreakRules::default(); tree.tokens().len()];
    let mut open = vec![tree.root()];
    while let Some(node) = open.pop() {
        open.extend(node.child_nodes());
        let mut set = |element: Option<SyntaxElement<'_>>, change: fn(&mut LineBreakRules)| {
            if let Some(SyntaxElement::Token(token)) = element
                && let Some(place) = places.get_mut(token.id().index())
            {
                change(place);
            }
        };
        let kind = node.kind();
        let open_bracket = node.slot(kind.head().len().saturating_sub(1));
        let close_bracket = node.slot_from_end(0);
        match kind {
            NodeKind::Array
            | NodeKind::Object
            | NodeKind::ObjectType
            | NodeKind::TupleType
            | NodeKind::ImportedSymbolsList => {
                set(open_bracket, |place| place.line_after = true);
                set(close_bracket, |place| place.line_before = true);
                let items: Vec<_> = node.children().collect();
                let inner = items.len().saturating_sub(2);
                for (index, item) in items.iter().enumerate() {
                    let is_edge = index <= 1 || index >= inner;
                    set(
                        Some(*item),
                        if is_edge {
                            |place| place.free_line = true
                        } else {
                            |place| place.between_items = true
                        },
                    );
                }
            }
            NodeKind::FunctionCall
            | NodeKind::InstanceFunctionCall
            | NodeKind::ParameterizedTypeInstantiation
            | NodeKind::InstanceParameterizedTypeInstantiation
            | NodeKind::TypedVariableBlock => {
                set(open_bracket, |place| place.line_after = true);
                set(close_bracket, |place| place.line_before = true);
                for item in node.children() {
                    if let SyntaxElement::Token(token) = item {
                        match token.kind() {
                            T::Comma => set(Some(item), |place| place.line_after = true),
                            T::NewLine => set(Some(item), |place| place.free_line = true),
                            _ => {}
                        }
                    }
                }
            }
            NodeKind::TernaryOperation => {
                set(node.slot(1), |place| place.free_line = true);
                set(node.slot(2), |place| place.line_before = true);
                set(node.slot(4), |place| place.free_line = true);
                set(node.slot(5), |place| place.line_before = true);
            }
            NodeKind::Lambda => {
                set(node.slot(1), |place| place.line_after = true);
                set(node.slot(2), |place| place.free_line = true);
            }
            NodeKind::TypedLambda => {
                set(node.slot(2), |place| place.line_after = true);
                set(node.slot(3), |place| place.free_line = true);
            }
            NodeKind::For => {
                set(node.slot(0), |place| place.line_after = true);
                set(node.slot(9), |place| place.line_before = true);
            }
            NodeKind::UnionType => {
                for item in node.children() {
                    set(Some(item), |place| place.line_before = true);
                }
            }
            _ => {}
        }
    }
    places
}
