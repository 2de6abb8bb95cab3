//! The formatter: white space anew, and everything else as it is.
//!
//! Members of structs, unions, exceptions, enums and services have a line each. Other lists (arguments, annotations,
//! constants) have one line, or a line for each element if the first one was written on a line of its own.

use spacing::{Comment, Space, Style, Token, TokenRole};

use super::lexer::{Lexed, lex};
use super::token::{IdlToken, IdlTokenKind, Keyword};
use super::{
    Annotations, CommentKind, ConstKind, ConstValue, Definition, Field, Header, IdlFile, Strict, TypeKind,
    TypeRef, parse,
};
use crate::{Diagnostic, FileId, Severity};

/// Formats a file that any of the compilers accepts; the errors of another.
///
/// Tokens and comments are kept. Formatting the result changes nothing.
pub fn format(file: FileId, text: &str, style: &Style) -> Result<String, Vec<Diagnostic>> {
    let (tree, mut found) = parse(file, text, Strict::None);
    found.retain(|it| it.severity == Severity::Error);
    if !found.is_empty() {
        return Err(found);
    }
    let Lexed { tokens, comments, .. } = lex(text);
    let printed = Spacer::of(&tree, &tokens).tokens();
    let comments: Vec<Comment> = comments
        .iter()
        .map(|it| Comment {
            start: it.start as usize,
            end: it.end as usize,
            is_line: matches!(it.kind, CommentKind::Line | CommentKind::Hash),
        })
        .collect();
    let formatted = spacing::print(text, &printed, &comments, style);
    // A member with the name of a keyword can begin a line now, where it is read as a definition.
    let is_readable = parse(file, &formatted, Strict::None).1.iter().all(|it| it.severity != Severity::Error);
    Ok(if is_readable { formatted } else { text.to_owned() })
}

/// A bracket that is open.
struct Bracket {
    /// Whether its elements have a line each.
    has_lines: bool,
}

/// Says what separates the tokens of a file.
struct Spacer<'t> {
    source: &'t [IdlToken],
    /// The offsets at which headers, definitions, members and elements start, in order.
    starts: Vec<u32>,
    /// The offsets behind the names of functions, in order: the bracket there has the arguments.
    calls: Vec<u32>,
    /// The offsets of `throws`, in order.
    throws: Vec<u32>,
    open: Vec<Bracket>,
    /// The word that the definition or header starts with.
    definition: Option<Keyword>,
}

impl<'t> Spacer<'t> {
    fn of(tree: &IdlFile, source: &'t [IdlToken]) -> Spacer<'t> {
        let mut spacer = Spacer {
            source,
            starts: Vec::new(),
            calls: Vec::new(),
            throws: Vec::new(),
            open: Vec::new(),
            definition: None,
        };
        for header in &tree.headers {
            let (span, annotations) = match header {
                Header::Include(it) => (it.span, None),
                Header::CppInclude(it) => (it.span, None),
                Header::Namespace(it) => (it.span, Some(&it.annotations)),
            };
            spacer.starts.push(span.start);
            annotations.into_iter().for_each(|it| spacer.annotations(it));
        }
        tree.definitions.iter().for_each(|it| spacer.definition(it));
        spacer.starts.sort_unstable();
        spacer.calls.sort_unstable();
        spacer.throws.sort_unstable();
        spacer
    }

    fn definition(&mut self, definition: &Definition) {
        let (span, annotations) = match definition {
            Definition::Const(it) => {
                self.type_ref(&it.ty);
                self.value(&it.value);
                (it.span, &it.annotations)
            }
            Definition::Typedef(it) => {
                self.type_ref(&it.ty);
                (it.span, &it.annotations)
            }
            Definition::Enum(it) => {
                for value in &it.values {
                    self.starts.push(value.span.start);
                    self.annotations(&value.annotations);
                }
                (it.span, &it.annotations)
            }
            Definition::Struct(it) => {
                it.fields.iter().for_each(|field| self.field(field));
                (it.span, &it.annotations)
            }
            Definition::Service(it) => {
                for function in &it.functions {
                    self.starts.push(function.span.start);
                    self.calls.push(function.name.span.end);
                    function.result.iter().for_each(|ty| self.type_ref(ty));
                    function.arguments.iter().for_each(|field| self.field(field));
                    if let Some(throws) = &function.throws {
                        self.throws.push(throws.span.start);
                        throws.fields.iter().for_each(|field| self.field(field));
                    }
                    self.annotations(&function.annotations);
                }
                (it.span, &it.annotations)
            }
        };
        self.starts.push(span.start);
        self.annotations(annotations);
    }

    fn field(&mut self, field: &Field) {
        self.starts.push(field.span.start);
        self.type_ref(&field.ty);
        field.default.iter().for_each(|value| self.value(value));
        let attributes = field.xsd.iter().flat_map(|xsd| &xsd.attributes);
        attributes.for_each(|attribute| self.field(attribute));
        self.annotations(&field.annotations);
    }

    fn type_ref(&mut self, ty: &TypeRef) {
        match &ty.kind {
            TypeKind::List(element) | TypeKind::Set(element) => self.type_ref(element),
            TypeKind::Map(key, value) => {
                self.type_ref(key);
                self.type_ref(value);
            }
            TypeKind::Base(_) | TypeKind::Named(_) | TypeKind::Error => {}
        }
        self.annotations(&ty.annotations);
    }

    fn value(&mut self, value: &ConstValue) {
        match &value.kind {
            ConstKind::List(items) => {
                for item in items {
                    self.starts.push(item.span.start);
                    self.value(item);
                }
            }
            ConstKind::Map(entries) => {
                for (key, value) in entries {
                    self.starts.push(key.span.start);
                    self.value(key);
                    self.value(value);
                }
            }
            _ => {}
        }
    }

    fn annotations(&mut self, annotations: &Annotations) {
        self.starts.extend(annotations.iter().map(|it| it.span.start));
    }

    fn tokens(mut self) -> Vec<Token> {
        let mut out = Vec::with_capacity(self.source.len());
        let source = self.source;
        for (number, token) in source.iter().enumerate() {
            if token.kind == IdlTokenKind::End {
                break;
            }
            let before = number.checked_sub(1).and_then(|number| source.get(number));
            out.push(self.token(*token, before.copied(), source.get(number + 1).copied()));
        }
        out
    }

    fn level(&self) -> u32 {
        self.open.iter().filter(|bracket| bracket.has_lines).count() as u32
    }

    fn token(&mut self, token: IdlToken, last: Option<IdlToken>, next: Option<IdlToken>) -> Token {
        use IdlTokenKind::{
            Colon, Comma, Greater, LBrace, LBracket, LParen, Less, RBrace, RBracket, RParen, Semicolon,
        };
        let is_start = self.starts.binary_search(&token.start).is_ok();
        if is_start && self.open.is_empty() {
            self.definition = match token.kind {
                IdlTokenKind::Keyword(keyword) => Some(keyword),
                _ => None,
            };
        }
        let has_lines = self.open.last().is_none_or(|bracket| bracket.has_lines);
        let is_after_open = last.is_some_and(|it| matches!(it.kind, LParen | LBracket | LBrace | Less));
        let role = match token.kind {
            LParen | LBracket | LBrace | Less => TokenRole::Open,
            RParen | RBracket | RBrace | Greater => TokenRole::Close,
            Comma | Semicolon | Colon => TokenRole::Separator,
            _ => TokenRole::Plain,
        };
        let is_throws = token.new_line && self.throws.binary_search(&token.start).is_ok();
        let before = match token.kind {
            _ if role == TokenRole::Close => match self.open.pop() {
                Some(Bracket { has_lines: true }) => Space::Line,
                _ => Space::None,
            },
            _ if role == TokenRole::Separator => Space::None,
            _ if is_start && has_lines => Space::Line,
            _ if is_throws => Space::Line,
            _ if is_after_open => Space::None,
            Less => Space::None,
            LParen if last.is_some_and(|it| self.calls.binary_search(&it.end).is_ok()) => Space::None,
            _ => Space::Blank,
        };
        let is_continued = role != TokenRole::Close && !(is_start && has_lines);
        let level = self.level() + u32::from(is_continued);
        if role == TokenRole::Open {
            let has_lines = self.has_lines(token, next);
            self.open.push(Bracket { has_lines });
        }
        Token { start: token.start as usize, end: token.end as usize, role, before, level }
    }

    /// Whether the elements behind an opening bracket have a line each.
    fn has_lines(&self, open: IdlToken, next: Option<IdlToken>) -> bool {
        let Some(next) = next else { return false };
        let closes = matches!(
            next.kind,
            IdlTokenKind::RParen | IdlTokenKind::RBracket | IdlTokenKind::RBrace | IdlTokenKind::Greater
        );
        let is_body = open.kind == IdlTokenKind::LBrace
            && self.open.is_empty()
            && self.definition.is_some_and(|word| word != Keyword::Const);
        let has_comments = next.comments > open.comments;
        match (is_body, closes) {
            (true, false) => true,
            (true, true) => has_comments,
            (false, closes) => !closes && next.new_line && open.kind != IdlTokenKind::Less,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn formatted(text: &str) -> String {
        let formatted = format(FileId::FIRST, text, &Style::DEFAULT).unwrap();
        assert_eq!(format(FileId::FIRST, &formatted, &Style::DEFAULT).unwrap(), formatted, "twice");
        formatted
    }

    const MESSY: &str = r#"
namespace   go  shop // the shop
include"base.thrift"


/** An order. */
struct Order{1:required string id(vt.min_size="1",vt.max_size = "64"),2: optional list< base.Item >items;
 3:map<string,i32>counts={ "a":1,'b' : 2 } // how many

  /* last */ 4: double total=1.5}(a="b")
enum Color{RED=1,GREEN,BLUE=0x3;}
const list<string>NAMES=[
"a", "b"]
union Empty { }
service Shop extends base.Service{
 # places an order
 Order place(1:Order order,2:i32 count)
   throws(1:base.Failed failed)
 oneway void forget( // everything
   1: string id),
 void ping()
}
"#;

    #[test]
    fn members_have_a_line_each_and_lists_keep_the_one_they_have() {
        assert_eq!(
            formatted(MESSY),
            r#"namespace go shop // the shop
include "base.thrift"

/** An order. */
struct Order {
  1: required string id (vt.min_size = "1", vt.max_size = "64"),
  2: optional list<base.Item> items;
  3: map<string, i32> counts = {"a": 1, 'b': 2} // how many

  /* last */ 4: double total = 1.5
} (a = "b")
enum Color {
  RED = 1,
  GREEN,
  BLUE = 0x3;
}
const list<string> NAMES = [
  "a",
  "b"
]
union Empty {}
service Shop extends base.Service {
  # places an order
  Order place(1: Order order, 2: i32 count)
    throws (1: base.Failed failed)
  oneway void forget( // everything
    1: string id
  ),
  void ping()
}
"#
        );
    }

    #[test]
    fn separators_stay_before_comments_that_end_a_line() {
        assert_eq!(
            formatted("struct A {\n 1: i32 a // first\n , 2: i32 b /* second */, }"),
            "struct A {\n  1: i32 a, // first\n  2: i32 b /* second */,\n}\n"
        );
    }

    #[test]
    fn a_file_with_errors_is_refused() {
        assert!(format(FileId::FIRST, "struct A { 1: i32 }", &Style::DEFAULT).is_err());
    }

    #[test]
    fn a_member_that_would_begin_a_definition_stays_where_it_is() {
        let text = "enum E { struct union }";
        assert_eq!(formatted(text), text);
    }

    /// The texts of tokens and comments, blanks in comments as one.
    fn parts(text: &str) -> (Vec<&str>, Vec<String>) {
        let lexed = lex(text);
        let cut = |start: u32, end: u32| text.get(start as usize..end as usize).unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        (
            lexed.tokens.iter().map(|it| cut(it.start, it.end)).collect(),
            lexed.comments.iter().map(|it| words(cut(it.start, it.end))).collect(),
        )
    }

    /// What a file means: its tree without places, and without the blanks in comments.
    fn meaning(text: &str) -> String {
        let tree = format!("{:?}", parse(FileId::FIRST, text, Strict::None).0);
        let mut out = String::new();
        let mut rest = tree.as_str();
        while let Some((before, after)) = rest.split_once("Span {") {
            out.push_str(before);
            rest = after.split_once('}').unwrap().1;
        }
        out.push_str(rest);
        out.replace("\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The same tokens with other things between them.
    fn scattered(gaps: &[&str]) -> String {
        let lexed = lex(MESSY);
        let mut out = String::new();
        for (token, gap) in lexed.tokens.iter().zip(gaps.iter().cycle()) {
            out.push_str(MESSY.get(token.start as usize..token.end as usize).unwrap());
            out.push_str(gap);
        }
        out
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn whatever_is_between_tokens_all_is_kept_and_twice_is_once(
            gaps in prop::collection::vec(
                prop::sample::select(vec![
                    " ", " ", "  ", "\n", "\n\n\n", "\t", "\r\n", " /* c */ ", "// line\n", " # hash\n\n",
                    "\n/** doc\n   * more\n */\n", "/* a\n  b */", "\n // own\n",
                ]),
                1..60,
            ),
        ) {
            let text = scattered(&gaps);
            prop_assume!(parse(FileId::FIRST, &text, Strict::None).1.iter().all(|it| !it.is_error()));
            let once = format(FileId::FIRST, &text, &Style::DEFAULT).unwrap();
            prop_assert_eq!(parts(&once), parts(&text), "{}", once);
            let twice = format(FileId::FIRST, &once, &Style::DEFAULT).unwrap();
            prop_assert_eq!(&twice, &once, "of {}", text);
        }

        #[test]
        fn without_comments_the_layout_does_not_depend_on_blanks(
            gaps in prop::collection::vec(prop::sample::select(vec![" ", "  ", "\t", " \t "]), 1..40),
        ) {
            let text = scattered(&gaps);
            let once = format(FileId::FIRST, &text, &Style::DEFAULT).unwrap();
            prop_assert_eq!(&once, &format(FileId::FIRST, &scattered(&[" "]), &Style::DEFAULT).unwrap());
            prop_assert_eq!(meaning(&once), meaning(&text));
        }
    }
}
