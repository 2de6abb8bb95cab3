//! Whatever the text, reading it ends, without a panic, with places inside the text.

use proptest::prelude::*;
use thrift::idl::{Strict, parse};
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::{Diagnostic, FileId};

/// Pieces that the grammar is made of, good and bad.
const PIECES: &[&str] = &[
    "struct",
    "union",
    "exception",
    "enum",
    "service",
    "const",
    "typedef",
    "include",
    "namespace",
    "S",
    "T",
    "E.A",
    "a.b.c",
    "required",
    "optional",
    "i32",
    "list",
    "map",
    "set",
    "<",
    ">",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":",
    "=",
    "*",
    "&",
    "@",
    "1",
    "-1",
    "0x",
    "1.5",
    "\"x\"",
    "'y\\'",
    "\"",
    "'",
    "\\",
    "// c\n",
    "/** d */",
    "/*",
    "#",
    "\n",
    "true",
    "void",
    "oneway",
    "throws",
    "extends",
    "uuid",
    "cpp_type",
    "xsd_attrs",
    "\u{e9}",
    "\u{feff}",
    "stream",
    "senum",
    "-",
    "..",
    "S {",
    "1: i32 a",
    "vt.gt = \"0\"",
];

fn check(text: &str) -> Result<(), TestCaseError> {
    let inside = |it: &Diagnostic| {
        it.primary.is_some_and(|span| span.start <= span.end && span.end as usize <= text.len())
    };
    for strict in [Strict::None, Strict::Apache, Strict::Thriftgo] {
        let (_, diagnostics) = parse(FileId(0), text, strict);
        prop_assert!(diagnostics.iter().all(inside));
    }
    let mut loader = MemoryLoader::default().file("main.thrift", text).file("x", "struct T {} enum E { A }");
    if let Ok((program, _)) = load("main.thrift", &mut loader, &LoadConfig::default()) {
        let (model, diagnostics) = resolve(&program, &Config::default());
        let own = diagnostics.iter().filter(|it| it.primary.is_some_and(|span| span.file == FileId(0)));
        prop_assert!(own.into_iter().all(inside));
        prop_assert!(
            model.structs.iter().flat_map(|it| &it.fields).all(|it| !model.type_name(it.ty).is_empty())
        );
        lower(&model, &RuleConfig::default(), &Functions::at(0));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_text(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_order_of_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        check(&pieces.join(" "))?;
        check(&pieces.concat())?;
    }

    #[test]
    fn every_prefix_of_a_good_file(end in 0..GOOD.len()) {
        if let Some(prefix) = GOOD.get(..end) {
            check(prefix)?;
        }
    }
}

const GOOD: &str = r#"include "x"
namespace go a.b (k = "v")
/** An order. */
struct Order {
  1: required string id (vt.min_size = "1", vt.pattern = "^[a-z]+\\d$"), // key
  2: optional map<string, list<i32 (a = "b")>> parts = {"a": [1, 2]} (vt.key.max_size = "@len($id)")
  3: x.E kind = x.E.A
} (vt.assert = "@equal($id, 1)")
typedef list<Order> (k = "v") Orders
enum Kind { A, B = -0x2; C } (x)
const map<Kind, double> D = {Kind.A: 1.5e3, Kind.B: .5}
union U { 1: i32 a 2: Orders b }
exception Bad { 1: string why }
service Base { oneway void ping() }
service Shop extends Base { Orders find(1: i32 n (vt.gt = "0"), 2: U u) throws (1: Bad bad) (k = "v"); }
"#;

#[test]
fn the_good_file_is_good() {
    let (_, diagnostics) = parse(FileId(0), GOOD, Strict::None);
    let errors: Vec<_> = diagnostics.iter().filter(|it| it.severity == thrift::Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:?}");
}
