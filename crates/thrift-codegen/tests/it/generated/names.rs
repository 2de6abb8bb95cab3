//! Programs whose every name is one of ours: what generated code declares moves aside.
//!
//! The names are those that a language's code has, read from the code itself, so a helper that is added tomorrow is among them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use thrift::model::{Config, LoadConfig, MemoryLoader, Type, load, resolve};
use thrift::rules::RuleConfig;
use thrift_codegen::GeneratedFile;
use thrift_conformance::Case;

/// Cases without values, of which code only has to compile: the names as types of every kind, as fields, as arguments and
/// functions, and as the names of files.
///
/// `cannot` names what the compiler of the types makes no code of, or code that does not compile. One name in `every` is taken.
pub(crate) fn cases(
    code: impl Fn(&Case) -> Vec<GeneratedFile>,
    cannot: &[&str],
    files: &[&str],
    every: usize,
) -> Vec<Case> {
    // What is in a package or module of its own meets no name of the program.
    let codes: Vec<String> = code(&case("U0", &format!("{RICH}{FUNCTIONS}")))
        .into_iter()
        .filter(|file| !file.path.starts_with("tendon"))
        .map(|file| file.text)
        .collect();
    let names: Vec<String> = names(&codes, cannot).into_iter().step_by(every).collect();
    assert!(names.len() > 20, "{names:?}");
    let mut cases: Vec<Case> = (0..KINDS.len()).step_by(4).map(|turn| types(&names, turn)).collect();
    // Its letter is that of the cases with functions of the user.
    let called = types(&names, 0);
    cases.push(case("U9types", &format!("{}{FUNCTIONS}", called.idl)));
    cases.push(fields(&names));
    cases.push(functions(&names));
    cases.extend(
        files
            .iter()
            .map(|file| case(file, &format!("struct {file} {{ 1: i32 {file} (vt.gt = \"0\") }}\n{RICH}"))),
    );
    for case in &cases {
        let read = case.read_as("case.thrift", "cases", &super::functions::declared()).unwrap();
        let errors: Vec<_> = read.diagnostics.iter().filter(|found| found.is_error()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", case.name);
    }
    cases
}

/// What the code of a language is called in the cases, and is not called in the code of the struct that needs every helper: names
/// that nobody would try. What comes from the names of a case is not meant.
pub(crate) fn untried(code: impl Fn(&Case) -> Vec<GeneratedFile>) -> BTreeMap<String, String> {
    let own = |case: &Case| -> Vec<String> {
        code(case).into_iter().filter(|file| !file.path.starts_with("tendon")).map(|file| file.text).collect()
    };
    let fold = |word: &str| word.to_lowercase().replace('_', "");
    // Numbers behind a name go as far as they have to.
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let rich = case("U0", &format!("{RICH}{FUNCTIONS}"));
    let tried: BTreeSet<String> = names(&own(&rich), &[]).iter().map(|name| stem(name)).collect();
    let mut untried = BTreeMap::new();
    for case in super::run::documented_for_apache() {
        let words =
            case.idl.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').chain([case.id.as_str()]);
        let theirs: Vec<String> = words.map(fold).filter(|word| word.len() > 1).collect();
        for name in names(&own(&case), &[]) {
            let folded = fold(&name);
            let is_theirs = theirs.iter().any(|word| folded.contains(word.as_str()))
                // Types of one letter, and what compilers make of functions.
                || name.ends_with(|c: char| c.is_ascii_uppercase())
                || folded.ends_with("args");
            if name.len() > 1 && !tried.contains(&stem(&name)) && !is_theirs {
                untried.insert(name, case.name.clone());
            }
        }
    }
    untried
}

/// A struct that needs every helper.
const RICH: &str = r#"
struct Root0 {
  1: i64 r1 (vt.gt = "@add($r2, 1)", vt.in = "[1, 2, $r2]", vt.not_in = "[3, 4, 5, 6, 7, 8, 9, 10, 11, 12]", vt.lt = "@now_unix()")
  2: optional i64 r2 (vt.ne = "@mul(@sub($r1, 5), @div($r1, @mod($r1, 7)))")
  3: string r3 (vt.pattern = "^[a-z]+\\b", vt.prefix = "x", vt.min_rune_size = "1")
  4: list<string> r4 (vt.elem.min_size = "1", vt.unique = "true", vt.elem.not_contains = "$r3")
  5: map<string, i32> r5 (vt.key.max_size = "9", vt.value.gt = "0", vt.no_sparse = "true")
  6: double r6 (vt.lt = "@mul($r6, 2.5)", vt.ge = "$r1", vt.in = "[1.5, 2.5]")
  7: binary r7 (vt.suffix = "z", vt.pattern = "a", vt.contains = "$r3")
  8: string r8 (vt.eq = "@sprintf(\"%d-%s-%x-%q\", $r1, $r3, $r1, $r3)", vt.redact = "true")
  9: map<i32, list<Part0>> r9 (vt.value.min_size = "@len($r4)")
  10: Part0 r10 (vt.not_nil = "true")
  11: map<double, bool> r11 (vt.key.gt = "0", vt.value.const = "true")
  12: double r12 (vt.lt = "inf", vt.ne = "@add($r6, 0.5)")
  13: i64 r13 (vt.gt = "-9223372036854775808")
  14: optional i32 r14 (vt.eq = "$r5['k']", vt.ne = "$r16[1]")
  15: optional i64 r15 (vt.gt = "@add(@now_unix_nano(), 1000)")
  16: list<i32> r16 (vt.unique = "true", vt.elem.in = "[1, $r14]")
  17: list<double> r17 (vt.unique = "true")
  18: list<list<bool>> r18 (vt.elem.unique = "true")
  19: Either0 r19
  20: optional i32 r20 (vt.ge = "$r10.p2.p1")
  21: string r21 (vt.not_contains = "$r22[0].p3", vt.ne = "@add($r3, \"!\")")
  22: list<Part0> r22
  23: list<binary> r23 (vt.unique = "true")
  24: optional i32 r24 (vt.le = "@sub(@len($r3), 2)")
  25: optional list<i32> r25 (vt.min_size = "2", vt.max_size = "5")
  26: Bare0 r26
  27: optional i32 r27 (vt.ge = "1", vt.lt = "9")
} (vt.assert = "@and(@has($r10.p1), @gt($r10.p1, 3))")
struct Part0 {
  1: i32 p1 (vt.gt = "0")
  2: optional Part0 p2
  3: string p3
}
struct Bare0 {
  1: i32 p6
}
union Either0 {
  1: i32 p4 (vt.gt = "1")
  2: string p5 (vt.min_size = "2")
}
"#;

/// A struct that needs functions of the user.
const FUNCTIONS: &str = r#"
struct Called0 {
  1: optional i32 r1
  2: optional i64 r2 (vt.le = "@twice($r1)")
  3: optional double r3 (vt.ge = "@half(8)")
  4: optional string r4 (vt.suffix = "@head($r4)")
  5: optional bool r5 (vt.eq = "@negated($r6)")
  6: optional bool r6
  7: optional binary r7 (vt.suffix = "@front($r7)")
  8: optional i64 r8 (vt.eq = "@sum($r1, 1, 2)")
}
"#;

fn case(id: &str, idl: &str) -> Case {
    Case {
        id: id.to_owned(),
        title: "names".to_owned(),
        name: format!("names {id}"),
        idl: idl.to_owned(),
        root: "Root0".to_owned(),
        options: vec![("bare".to_owned(), String::new())],
        config: RuleConfig::default(),
        rows: Vec::new(),
        refused: None,
        warned: Vec::new(),
    }
}

const KINDS: &[&str] = &["struct", "enum", "union", "exception", "typedef", "const", "service"];

/// Every name as a type; which kind it is depends on the turn.
fn types(names: &[String], turn: usize) -> Case {
    let mut idl = String::new();
    let mut fields = Vec::new();
    for (index, name) in alone(names).enumerate() {
        let kind = KINDS[(index + turn) % KINDS.len()];
        match kind {
            "enum" => writeln!(idl, "enum {name} {{ FIRST = 1 }}"),
            "typedef" => writeln!(idl, "typedef i32 {name}"),
            "const" => writeln!(idl, "const i32 {name} = 1"),
            "service" => writeln!(idl, "service {name} {{ i32 call(1: i32 a (vt.gt = \"0\")) }}"),
            kind => writeln!(idl, "{kind} {name} {{ 1: i32 a (vt.gt = \"0\") }}"),
        }
        .unwrap();
        let rule = match kind {
            "enum" => "vt.defined_only = \"true\"",
            "typedef" => "vt.gt = \"1\"",
            "const" | "service" | "exception" => continue,
            _ => "vt.not_nil = \"true\"",
        };
        fields.push(format!("  {}: optional {name} f{index} ({rule})\n", index + 1));
    }
    for (part, fields) in fields.chunks(SHARE).enumerate() {
        writeln!(idl, "struct All{part}0 {{\n{}}}", fields.concat()).unwrap();
    }
    case(&format!("N{turn}types"), &format!("{idl}{RICH}"))
}

/// Names without those that are the same to some compiler, and then meet one another.
fn alone(names: &[String]) -> impl Iterator<Item = &String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(move |name| seen.insert(name.to_lowercase().replace('_', "")))
}

/// How many names a struct has at most: for some compilers the time for one grows faster than its fields.
const SHARE: usize = 16;

/// Every name as a field of a struct, a union and an exception, with references to them, and as a member of an enum.
fn fields(names: &[String]) -> Case {
    let names: Vec<&String> = alone(names).collect();
    let mut idl = String::from(RICH);
    for (part, names) in names.chunks(SHARE).enumerate() {
        let mut plain = String::new();
        let mut optional = String::new();
        for (number, name) in (1..).zip(names) {
            let other = names[number % names.len()];
            writeln!(plain, "  {number}: i32 {name} (vt.gt = \"0\", vt.ne = \"${other}\")").unwrap();
            writeln!(optional, "  {number}: optional string {name} (vt.min_size = \"1\")").unwrap();
        }
        let union = optional.replace("optional ", "");
        let members: Vec<String> =
            (1..).zip(names).map(|(number, name)| format!("{name} = {number}")).collect();
        let listed: Vec<&str> = names.iter().take(3).map(|name| name.as_str()).collect();
        writeln!(idl, "enum Members{part}0 {{ {} }}", members.join(", ")).unwrap();
        writeln!(
            idl,
            "struct Chosen{part}0 {{ 1: Members{part}0 a (vt.in = \"[{}]\"), 2: Members{part}0 b (vt.defined_only = \"true\") }}",
            listed.join(", "),
        )
        .unwrap();
        writeln!(idl, "struct Fields{part}0 {{\n{plain}}}\nexception Thrown{part}0 {{\n{optional}}}")
            .unwrap();
        writeln!(idl, "union Either{part}0 {{\n{union}}}").unwrap();
        writeln!(idl, "struct Whole{part}0 {{ 1: Fields{part}0 a, 2: Either{part}0 b }}").unwrap();
    }
    case("N9fields", &idl)
}

/// Every name as an argument, and some as functions: compilers write a thousand lines for each.
fn functions(names: &[String]) -> Case {
    let mut functions = String::new();
    for name in alone(names).step_by(5) {
        writeln!(functions, "  i32 {name}(1: i32 {name} (vt.gt = \"0\"), 2: Part0 part0)").unwrap();
    }
    let names: Vec<&String> = alone(names).collect();
    for (part, names) in names.chunks(SHARE).enumerate() {
        let argument = |(number, name): (usize, &&String)| format!("{number}: i32 {name} (vt.gt = \"0\")");
        let arguments: Vec<String> = (1..).zip(names).map(argument).collect();
        writeln!(functions, "  void all{part}0({})", arguments.join(", ")).unwrap();
    }
    case("N9functions", &format!("{RICH}service Calls0 {{\n{functions}}}\n"))
}

/// The names in code, comments and texts aside.
fn names(codes: &[String], cannot: &[&str]) -> Vec<String> {
    let mut names = BTreeSet::new();
    for code in codes {
        let mut rest = code.as_str();
        while let Some(first) = rest.chars().next() {
            let length = match first {
                '#' => line(rest),
                '/' if rest.starts_with("//") => line(rest),
                '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
                '"' if rest.starts_with("\"\"\"") => {
                    rest.get(3..).and_then(|rest| rest.find("\"\"\"")).map_or(rest.len(), |at| at + 6)
                }
                '"' | '`' => text(rest, first),
                c if c.is_ascii_alphabetic() || c == '_' => {
                    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                    names.insert(rest.get(..length).unwrap().to_owned());
                    length
                }
                c => c.len_utf8(),
            };
            rest = rest.get(length..).unwrap();
        }
    }
    // Names of the struct that needs every helper, and that of its file.
    let theirs = |name: &str| {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        name.ends_with('0') || (matches!(stem, "r" | "R" | "p" | "P") && stem != name)
    };
    names
        .into_iter()
        .filter(|name| !is_reserved(name) && !cannot.contains(&name.as_str()))
        // Objects of Python have names of that kind themselves.
        .filter(|name| !name.starts_with("__"))
        .filter(|name| !theirs(name) && name.chars().any(|c| c.is_ascii_alphabetic()))
        .collect()
}

/// Whether a name is a word of the IDL, or one that the Apache compiler keeps for some language.
fn is_reserved(name: &str) -> bool {
    // As a type, too.
    let text = format!("struct {name} {{}} struct Other0 {{ 1: {name} {name} }}");
    let mut loader = MemoryLoader::default().file("name.thrift", &text);
    let (program, found) = load("name.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, more) = resolve(&program, &Config::default());
    // What cannot be read leaves less.
    let structs = model.structs.len() == 2
        && model.structs[1]
            .fields
            .first()
            .is_some_and(|field| matches!(model.real(field.ty), Type::Struct(_)));
    !found.is_empty() || !more.is_empty() || !structs
}

fn line(rest: &str) -> usize {
    rest.find('\n').unwrap_or(rest.len())
}

fn text(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    rest.len()
}
