//! Whatever the text, the tree holds all of it and stays consistent.

use proptest::prelude::*;
use syntax::format::{FormatOptions, format, format_once};
use syntax::{SourceKind, SyntaxElement, SyntaxTree, TriviaKind, parse};

/// Pieces that make interesting neighbours: starts, ends and separators of every construct.
const PIECES: &[&str] = &[
    "param",
    "var",
    "type",
    "resource",
    "module",
    "output",
    "func",
    "import",
    "from",
    "as",
    "with",
    "extension",
    "using",
    "none",
    "extends",
    "metadata",
    "targetScope",
    "assert",
    "test",
    "existing",
    "if",
    "for",
    "in",
    "true",
    "null",
    "a",
    "b1",
    "'c'",
    "'d${",
    "}e${",
    "}f'",
    "'",
    "'''",
    "$'''",
    "$$'''",
    "''",
    "${",
    "\\",
    "\\u{41}",
    "0",
    "42",
    "18446744073709551616",
    "@",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    "?",
    "??",
    ":",
    "::",
    ";",
    "=",
    "==",
    "=~",
    "=>",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "!=",
    "!~",
    "<",
    "<=",
    ">",
    ">=",
    "&",
    "&&",
    "|",
    "||",
    "...",
    "^",
    "$",
    "\"",
    "#",
    "#disable-next-line x",
    "#restore-diagnostics",
    "//c",
    "/*d",
    "*/",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "é",
    "\u{1F600}",
    "\u{FEFF}",
    "\u{0}",
];

fn texts() -> impl Strategy<Value = String> {
    let soup = prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat());
    prop_oneof![4 => soup, 1 => any::<String>()]
}

/// Checks everything that holds for every tree.
fn check(tree: &SyntaxTree) {
    let text = tree.text();
    assert_eq!(tree.print(), text);
    // Every byte is in exactly one token or piece of trivia.
    let mut at = 0;
    for token in tree.tokens() {
        for piece in token.leading_trivia() {
            assert_eq!(piece.start, at);
            at = piece.end;
            if piece.kind == TriviaKind::Whitespace {
                assert!(piece.span().text(text).bytes().all(|byte| matches!(byte, b' ' | b'\t')));
            }
        }
        assert_eq!(token.span().start, at);
        at = token.span().end;
        for piece in token.trailing_trivia() {
            assert_eq!(piece.start, at);
            at = piece.end;
        }
    }
    assert_eq!(at as usize, text.len());
    // Children lie in their parents, in order. Only decorators of some declarations lie before.
    for node in tree.root().descendants() {
        let mut last = 0;
        for child in node.children() {
            let span = child.span();
            assert!(last <= span.start && span.start <= span.end, "{node:?} {child:?}");
            assert!(span.end <= node.span().end, "{node:?} {child:?}");
            last = span.end;
        }
    }
    for found in tree.diagnostics() {
        assert!(text.get(found.span.start as usize..found.span.end as usize).is_some(), "{found:?}");
        assert!(!found.message(text).is_empty());
    }
    assert!(tree.diagnostics().is_sorted_by_key(|found| found.span));
    // A scan over memory meets all nodes below a node; no others, unless the parser had to mend something.
    for node in tree.root().descendants() {
        let mut below: Vec<_> = node.descendants().map(|node| node.id()).collect();
        below.sort_unstable();
        let mut scanned: Vec<_> = node.subtree().map(|node| node.id()).collect();
        if !tree.diagnostics().is_empty() {
            scanned.retain(|id| below.binary_search(id).is_ok());
        }
        assert_eq!(scanned, below);
    }
    // Every node but the root has one parent.
    let parents = tree.parents();
    for node in tree.root().descendants().skip(1) {
        let parent = parents.get(node.id().index()).copied().flatten().and_then(|parent| tree.node(parent));
        assert!(
            parent.is_some_and(|parent| parent.children().any(|child| child == SyntaxElement::Node(node)))
        );
    }
}

/// Checks that formatting loses nothing but blanks, commas and bars, whatever the text, and settles programs that can be read.
fn check_formatted(tree: &SyntaxTree) {
    let said = |text: &str| -> String {
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, ',' | '|' | '\u{FEFF}')).collect()
    };
    let options = FormatOptions::default();
    assert_eq!(said(&format_once(tree, &options)), said(tree.text()), "{}", tree.text());
    if tree.diagnostics().is_empty() {
        let formatted = format(tree, &options);
        let again = format(&parse(formatted.as_str(), tree.source_kind()), &options);
        assert_eq!(again, formatted, "{}", tree.text());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_text_is_held_completely(text in texts()) {
        check(&parse(text.as_str(), SourceKind::Bicep));
        check(&parse(text.as_str(), SourceKind::Params));
    }

    #[test]
    fn any_text_is_formatted_completely(text in texts()) {
        check_formatted(&parse(text.as_str(), SourceKind::Bicep));
        check_formatted(&parse(text.as_str(), SourceKind::Params));
    }

    #[test]
    fn any_part_of_a_program_is_formatted_completely(from in 0..PROGRAM.len(), to in 0..PROGRAM.len()) {
        if let (Some(before), Some(after)) = (PROGRAM.get(..from.min(to)), PROGRAM.get(from.max(to)..)) {
            check_formatted(&parse(before, SourceKind::Bicep));
            check_formatted(&parse([before, after].concat(), SourceKind::Bicep));
        }
    }

    #[test]
    fn any_prefix_and_any_gap_of_a_program_is_held_completely(from in 0..PROGRAM.len(), to in 0..PROGRAM.len()) {
        if let (Some(before), Some(after)) = (PROGRAM.get(..from.min(to)), PROGRAM.get(from.max(to)..)) {
            check(&parse(before, SourceKind::Bicep));
            check(&parse([before, after].concat(), SourceKind::Bicep));
            check(&parse([before, after].concat(), SourceKind::Params));
        }
    }
}

#[test]
fn the_program_is_well_formed() {
    let tree = parse(PROGRAM, SourceKind::Bicep);
    check(&tree);
    assert_eq!(tree.diagnostics(), []);
}

/// One of everything.
const PROGRAM: &str = r#"// A comment before anything.
targetScope = 'subscription'
metadata description = 'one of everything'

import { shared, 'quoted-name' as quoted } from 'types.bicep'
import * as all from '../all.bicep'
extension kubernetes with {
  namespace: 'default'
} as k8s

@description('''
  Several
  lines.
''')
@allowed([
  'a'
  'b'
])
param first string = 'a'
param second { inner: int, *: string }? // optional
param third resource 'Group/type@2020-01-01'

@sealed()
type shape = {
  @minLength(3)
  name: string
  kind: 'round' | 'square' | -1 | !true | null
  parts: (string | null)[]
  pair: [int, all.thing]
  part: shape.parts[*]
  extra: resourceInput<'Group/type@2020-01-01'>.properties
}
type choice =
  | shape
  | { other: bool }

var plain int = 1 + 2 * (3 - 4) % 5
var text = 'a ${plain} b ${'nested ${first}'} \u{1F600} \${not}'
var raw = $$'''
  $${first} and ${this is text}
'''
var list = [
  1
  ...other
  [for (item, index) in items: item.?name ?? items[^1]]
]
var object = {
  'key with blanks': first == 'a' && !empty(second!.inner) ? {} : null
  '${first}-key': map(list, x => x + 1)
  ...shared(
    1,
    2 // last
  )
}
var broken = first == 'a'
  ? 1
  : 2

func double(value int, times int) int =>
  value * times

resource parent 'Group/type@2020-01-01' existing = {
  name: 'parent'
}

#disable-next-line no-unused BCP081
resource child 'Group/type@2020-01-01' = if (plain > 1) {
  name: '${parent.name}/child'
  @batchSize(2)
  resource nested 'nested' = [for i in range(0, 3): {
    name: string(i)
  }]
}

module part './part.bicep' = [for item in list: if (item != 1) {
  name: 'part'
  params: { value: child::nested[0].properties[?'x'] }
}]

/* block
   comment */
test check 'check.bicep' = { params: {} }
assert small = plain <= 3 || text =~ 'X' || text !~ 'y'
output result string[] = [text, raw]
"#;
