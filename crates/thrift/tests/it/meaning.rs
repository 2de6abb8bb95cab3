//! What a program means: names, types, constants, ids, services. Rows are files and the codes they get.

use thrift::idl::Requiredness;
use thrift::model::{
    Config, ConstantValue, ImplicitIds, LoadConfig, MemoryLoader, Model, SearchOrder, Type, load, resolve,
};
use thrift::{Diagnostic, FileId, Severity};

/// Loads files written as `--- name` sections; the first is the one asked for.
fn build_with(files: &str, ids: ImplicitIds, load_config: &LoadConfig) -> (Model, Vec<Diagnostic>) {
    let mut loader = MemoryLoader::default();
    let mut first = None;
    let sections =
        if files.contains("--- ") { files.to_owned() } else { format!("--- main.thrift\n{files}") };
    for section in sections.split("--- ").skip(1) {
        let (name, text) = section.split_once('\n').unwrap();
        loader = loader.file(name.trim(), text);
        first.get_or_insert(name.trim().to_owned());
    }
    let (program, mut diagnostics) = load(&first.unwrap(), &mut loader, load_config).unwrap();
    let (model, more) = resolve(&program, &Config { implicit_ids: ids, ..Config::default() });
    diagnostics.extend(more);
    (model, diagnostics)
}

fn build(files: &str) -> (Model, Vec<Diagnostic>) {
    build_with(files, ImplicitIds::Error, &LoadConfig::default())
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    let shown = |it: &Diagnostic| {
        let mark = if it.severity == Severity::Error { "!" } else { "" };
        format!("{mark}{}", it.code.trim_start_matches("thrift/"))
    };
    diagnostics.iter().map(shown).collect()
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    for (text, expected) in rows {
        let (_, diagnostics) = build(text);
        assert_eq!(codes(&diagnostics), *expected, "{text}\n{diagnostics:#?}");
    }
}

#[test]
fn names() {
    check(&[
        ("struct S { 1: X a }", &["!unknown-type"]),
        ("service V {} struct S { 1: V a }", &["!not-a-type"]),
        ("const i32 C = 1 struct S { 1: C a }", &["!not-a-type"]),
        ("struct A {} struct A {}", &["!duplicate-definition"]),
        ("struct A {} service A {}", &["!duplicate-definition"]),
        ("struct S { 1: T a } struct T { 1: optional S b }", &[]),
        ("typedef A B typedef B A", &["!typedef-cycle"]),
        ("typedef list<A> A struct S { 1: A a }", &["!typedef-cycle"]),
        ("typedef i32 A typedef A B typedef list<B> C struct S { 1: C a }", &[]),
        ("service A extends B {}", &["!unknown-service"]),
        ("struct B {} service A extends B {}", &["!unknown-service"]),
        ("service A extends B {} service B extends A {}", &["!service-cycle"]),
        ("service A { void f() void f() }", &["!duplicate-function"]),
        ("typedef string uuid struct S { 1: uuid a }", &[]),
        ("struct S { 1: required T t } struct T { 1: required S s }", &["endless-struct"]),
    ]);
}

#[test]
fn suggestions_name_what_was_meant() {
    for (text, help) in [
        ("struct Order {} struct S { 1: Ordr a }", "did you mean `Order`?"),
        ("struct S { 1: float a }", "Thrift has the type `double`"),
        ("enum E { RED } const E X = RED", "write `E.RED`"),
        ("enum E { RED } const E X = E.REED", "did you mean `RED`?"),
        ("const bool A = True", "write `true`"),
        ("--- a.thrift\ninclude \"b.thrift\"\nstruct S { 1: T t }\n--- b.thrift\nstruct T {}", "write `b.T`"),
    ] {
        let (_, diagnostics) = build(text);
        assert_eq!(
            diagnostics.first().and_then(|it| it.help.first().map(|help| &**help)),
            Some(help),
            "{text}"
        );
    }
}

#[test]
fn includes() {
    check(&[
        ("--- a.thrift\ninclude \"x/b.thrift\"\nstruct S { 1: b.T t }\n--- x/b.thrift\nstruct T {}", &[]),
        ("--- a.thrift\ninclude \"b.thrift\"\nstruct S { 1: b.T t }", &["!include-not-found"]),
        (
            "--- a.thrift\ninclude \"b.thrift\"\nstruct S { 1: b.X t }\n--- b.thrift\nstruct T {}",
            &["!unknown-type"],
        ),
        ("--- a.thrift\ninclude \"b.thrift\"\n--- b.thrift\ninclude \"a.thrift\"\n", &["!include-cycle"]),
        ("--- a.thrift\ninclude \"a.thrift\"\n", &["!include-cycle"]),
        (
            "--- a.thrift\ninclude \"b.thrift\"\ninclude \"b.thrift\"\n--- b.thrift\nstruct T {}",
            &["duplicate-include"],
        ),
        (
            "--- a.thrift\ninclude \"b.thrift\"\nstruct S { 1: c.T t }\n--- b.thrift\ninclude \"c.thrift\"\n--- c.thrift\nstruct T {}",
            &["!unknown-include"],
        ),
        (
            "--- a.thrift\ninclude \"x/b.thrift\"\ninclude \"y/b.thrift\"\nstruct S { 1: b.T t 2: b.U u }\n--- x/b.thrift\nstruct T {}\n--- y/b.thrift\nstruct T {} struct U {}",
            &["same-include-name", "!ambiguous-name"],
        ),
        (
            "--- a.thrift\ninclude \"b.thrift\"\nconst i32 X = b.C\nconst b.E Y = b.E.M\n--- b.thrift\nconst i32 C = 1\nenum E { M }",
            &[],
        ),
        ("--- a.thrift\ninclude \"v.x.thrift\"\nstruct S { 1: v.x.T t }\n--- v.x.thrift\nstruct T {}", &[]),
    ]);
}

#[test]
fn included_files_are_searched_in_the_order_of_the_compiler() {
    let files = "--- d/a.thrift\ninclude \"b.thrift\"\nconst i32 X = b.C\n--- b.thrift\nconst i32 C = 1\n--- d/b.thrift\nconst i32 C = 2\n--- i/b.thrift\nconst i32 C = 3";
    for (order, value) in [(SearchOrder::Apache, 2), (SearchOrder::Thriftgo, 1)] {
        let config = LoadConfig { include_dirs: vec!["i".to_owned()], order, ..LoadConfig::default() };
        let (model, _) = build_with(files, ImplicitIds::Error, &config);
        assert_eq!(model.consts[0].value, Some(ConstantValue::Int(value)));
    }
    let config = LoadConfig { include_dirs: vec!["i".to_owned()], ..LoadConfig::default() };
    let (model, _) = build_with(&files.replace("d/b", "e/b"), ImplicitIds::Error, &config);
    assert_eq!(model.consts[0].value, Some(ConstantValue::Int(3)));
}

#[test]
fn field_ids() {
    check(&[
        ("struct S { i32 a }", &["!implicit-field-id"]),
        ("struct S { 1: i32 a 1: i32 b }", &["!duplicate-field-id"]),
        ("struct S { 1: i32 a 2: i32 a }", &["!duplicate-field"]),
        ("struct S { 5: i32 a 2: i32 b }", &[]),
        ("struct S { 40000: i32 a }", &["field-id-range"]),
        ("struct S { 0: i32 a }", &["!non-positive-field-id"]),
        ("service S { void f(i32 a) }", &["!implicit-field-id"]),
        ("exception E {} service S { void f() throws (1: E a, 1: E b) }", &["!duplicate-field-id"]),
    ]);
    for (policy, text, ids) in [
        (ImplicitIds::Apache, "i32 a, i32 b, 5: i32 c, i32 d", [-1, -2, 5, -3]),
        (ImplicitIds::Thriftgo, "i32 a, i32 b, 5: i32 c, i32 d", [1, 2, 5, 6]),
        (ImplicitIds::Apache, "0: i32 a, -7: i32 b, 5: i32 c, i32 d", [-1, -2, 5, -3]),
        (ImplicitIds::Thriftgo, "0: i32 a, -7: i32 b, 5: i32 c, i32 d", [0, -7, 5, 6]),
    ] {
        let (model, _) = build_with(&format!("struct S {{ {text} }}"), policy, &LoadConfig::default());
        let found: Vec<i32> = model.structs[0].fields.iter().map(|field| field.id).collect();
        assert_eq!(found, ids, "{policy:?} {text}");
    }
}

#[test]
fn requiredness_bends_to_its_place() {
    let text = "union U { 1: required i32 a } service S { i32 f(1: optional i32 a, 2: required i32 b) }";
    let (model, diagnostics) = build(text);
    assert_eq!(codes(&diagnostics), ["required-union-member", "optional-argument"]);
    let of = |at: usize| model.structs[at].fields.iter().map(|it| it.requiredness).collect::<Vec<_>>();
    assert_eq!(of(0), [Requiredness::Optional]);
    assert_eq!(of(1), [Requiredness::Default, Requiredness::Required]);
}

#[test]
fn enums_count_from_the_last_number() {
    let (model, _) = build("enum E { A, B = 7, C, D = -2, F }");
    let numbers: Vec<i32> = model.enums[0].members.iter().map(|it| it.number).collect();
    assert_eq!(numbers, [0, 7, 8, -2, -1]);
    check(&[
        ("enum E { A, A }", &["!duplicate-enum-member"]),
        ("enum E { A = 3000000000 }", &["!enum-range"]),
        ("enum E { A = 2147483647, B }", &["!enum-range"]),
        ("enum E { A = 1, B = 1 }", &["duplicate-enum-number"]),
    ]);
}

#[test]
fn constants_are_worked_out() {
    for (text, value) in [
        ("const i32 A = 5", ConstantValue::Int(5)),
        ("const i64 A = B const i32 B = 5", ConstantValue::Int(5)),
        ("const double A = 5", ConstantValue::Double(5.0)),
        ("const bool A = 1", ConstantValue::Bool(true)),
        ("const string A = 'a\\\\'", ConstantValue::Bytes((*b"a\\").into())),
        ("const binary A = \"\\xff\"", ConstantValue::Bytes((*b"\xff").into())),
        ("const i8 A = E.B enum E { B = 3 }", ConstantValue::Int(3)),
        (
            "const set<i32> A = [1, B] const i32 B = 2",
            ConstantValue::List([ConstantValue::Int(1), ConstantValue::Int(2)].into()),
        ),
        ("const map<i32, i32> A = []", ConstantValue::Map([].into())),
        ("const list<i32> A = {}", ConstantValue::List([].into())),
        (
            "typedef map<string, i32> M const M A = {'k': 1}",
            ConstantValue::Map([(ConstantValue::Bytes((*b"k").into()), ConstantValue::Int(1))].into()),
        ),
        (
            "const uuid A = '00000000-0000-0000-0000-0000000000ff'",
            ConstantValue::Uuid(255_u128.to_be_bytes()),
        ),
    ] {
        let (model, diagnostics) = build(text);
        assert_eq!(model.consts[0].value, Some(value), "{text} {diagnostics:?}");
    }
}

#[test]
fn constants_must_have_their_type() {
    check(&[
        ("const i32 A = 'x'", &["!constant-type"]),
        ("const i32 A = 1.5", &["!constant-type"]),
        ("const string A = 1", &["!constant-type"]),
        ("const i8 A = 300", &["!constant-range"]),
        ("const bool A = 3", &["constant-range"]),
        ("const uuid A = 'x'", &["!constant-type"]),
        ("const list<i32> A = [1, 'x', 2.5]", &["!constant-type", "!constant-type"]),
        ("const i32 A = B const i32 B = A", &["!constant-cycle"]),
        ("const i32 A = NOPE", &["!unknown-constant"]),
        ("struct S { 1: i32 a } const S A = {'b': 1, 'a': 'x'}", &["!unknown-const-field", "!constant-type"]),
        ("struct S { 1: i32 a } const S A = {'a': 1, 'a': 2}", &["!duplicate-const-field"]),
        ("enum E { A } enum F { A } const F X = E.A", &["constant-type"]),
        ("struct S { 1: i32 a = 'x' }", &["!constant-type"]),
        ("const list<i32> A = [] const list<string> B = A", &["!constant-type"]),
        ("const list<i32> A = [] typedef i32 I const list<I> B = A", &[]),
    ]);
}

#[test]
fn functions_have_argument_and_result_structs() {
    let text = "exception E {} service B { void ping() } service S extends B { list<i32> f(1: i32 n (vt.gt = \"0\")) throws (1: E e), oneway void g() }";
    let (model, diagnostics) = build(text);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let service = model.service(FileId(0), "S").unwrap();
    let names: Vec<&str> = model.functions(service).map(|it| it.name.text.as_str()).collect();
    assert_eq!(names, ["f", "g", "ping"]);
    let f = model.functions(service).next().unwrap();
    assert_eq!(model[f.arguments].name.text, "f_args");
    assert_eq!(model[f.arguments].fields[0].annotations.len(), 1);
    let result = &model[f.result.unwrap()];
    let fields: Vec<(i32, &str)> = result.fields.iter().map(|it| (it.id, it.name.text.as_str())).collect();
    assert_eq!(fields, [(0, "success"), (1, "e")]);
    assert!(matches!(model.real(result.fields[0].ty), Type::List(_)));
    assert_eq!(model.type_name(result.fields[0].ty), "list<i32>");
    assert!(model.functions(service).nth(1).unwrap().result.is_none());
}

#[test]
fn programs_written_to_hurt_are_only_slow_readers_business() {
    // Chains need no stack, doubling needs no memory, depth is bounded.
    let chain: String = (0..20_000).map(|n| format!("const i32 C{n} = C{}\n", n + 1)).collect();
    assert_eq!(codes(&build(&format!("{chain}const i32 C20000 = 1")).1), Vec::<String>::new());
    let doubling: String = (1..64).map(|n| format!("const L L{n} = [L{}, L{}]\n", n - 1, n - 1)).collect();
    let (_, diagnostics) = build(&format!("typedef list<i32> L\nconst L L0 = []\n{doubling}"));
    assert!(codes(&diagnostics).iter().all(|code| code == "!constant-type"));
    let nested: String = (1..200).map(|n| format!("typedef list<T{}> T{n}\n", n - 1)).collect();
    assert!(codes(&build(&format!("typedef i32 T0\n{nested}")).1).contains(&"!too-deep".to_owned()));
    let structs: String = (1..2000).map(|n| format!("const S C{n} = {{'s': C{}}}\n", n - 1)).collect();
    let text = format!("struct S {{ 1: optional S s }}\nconst S C0 = {{}}\n{structs}");
    assert!(codes(&build(&text).1).contains(&"!too-deep".to_owned()));
    let aliases: String = (1..20_000).map(|n| format!("typedef T{} T{n}\n", n - 1)).collect();
    let found = codes(&build(&format!("typedef i32 T0\n{aliases}")).1);
    assert!(!found.is_empty() && found.iter().all(|code| code == "!too-deep"), "{found:?}");
    let few: String = (1..60).map(|n| format!("typedef T{} T{n}\n", n - 1)).collect();
    assert_eq!(codes(&build(&format!("typedef i32 T0\n{few}")).1), Vec::<String>::new());
}

#[test]
fn chains_of_services_are_bounded() {
    let chain = |count: usize| {
        (0..count).fold("service V0 {}".to_owned(), |text, n| {
            format!("{text} service V{} extends V{n} {{}}", n + 1)
        })
    };
    assert_eq!(codes(&build(&chain(64)).1), Vec::<String>::new());
    assert_eq!(codes(&build(&chain(65)).1), ["!too-deep"]);
}

#[test]
fn defaults_without_an_end_are_reported() {
    check(&[
        ("struct S { 1: S s = {} }", &["!endless-default"]),
        ("struct S { 1: i32 a 2: optional S s = {'a': 1} }", &["!endless-default"]),
        ("struct A { 1: B b = {} } struct B { 1: A a = {} }", &["!endless-default"]),
        ("struct S { 1: list<S> l = [{}] }", &["!endless-default"]),
        ("struct S { 1: map<i32, list<S>> m = {1: [{}]} }", &["!endless-default"]),
        ("struct S { 1: S s = {'s': {}} }", &["!endless-default"]),
        ("typedef S T struct S { 1: T s = {} }", &["!endless-default"]),
        ("const S C = {} struct S { 1: S s = C }", &["!endless-default"]),
        ("union U { 1: S s } struct S { 1: U u = {'s': {}} }", &["!endless-default"]),
        ("exception E { 1: E e = {} }", &["!endless-default"]),
        ("struct S { 1: S s = {} } service V { void f(1: S s = {}) }", &["!endless-default"]),
        (
            "--- a.thrift\ninclude \"b.thrift\"\nstruct A { 1: b.B b = {} }\n--- b.thrift\nstruct B { 1: B b = {} }",
            &["!endless-default"],
        ),
        ("struct S { 1: optional S s 2: list<S> l = [] 3: map<i32, S> m = {} }", &[]),
        ("struct A { 1: B b = {} } struct B { 1: i32 a = 1 2: optional A c }", &[]),
        ("union U { 1: i32 a 2: U u = {'a': 1} }", &[]),
    ]);
}

#[test]
fn defaults_that_grow_beyond_measure_are_reported() {
    let chain: String = (0..40)
        .map(|n| format!("struct S{n} {{ 1: S{} a = {{}} 2: S{} b = {{}} }}\n", n + 1, n + 1))
        .collect();
    let found = codes(&build(&format!("{chain}struct S40 {{ 1: i32 a = 1 }}")).1);
    assert!(!found.is_empty() && found.iter().all(|code| code == "!too-large"), "{found:?}");
    let types: String = (1..40).map(|n| format!("typedef list<T{}> T{n}\n", n - 1)).collect();
    let lists: String = (1..40).map(|n| format!("const T{n} C{n} = [C{}, C{}]\n", n - 1, n - 1)).collect();
    let text =
        format!("typedef list<i32> T0\nconst T0 C0 = [1]\n{types}{lists}struct S {{ 1: T39 a = C39 }}");
    assert_eq!(codes(&build(&text).1), ["!too-large"]);
}

#[test]
fn a_file_that_is_no_text_is_a_mistake_with_a_place() {
    struct Bytes;
    impl thrift::model::Loader for Bytes {
        fn read(&mut self, _: &str) -> Result<Option<String>, String> {
            Err("no text".to_owned())
        }
        fn bytes(&mut self, _: &str) -> Result<Option<Vec<u8>>, String> {
            Ok(Some(b"struct S {}\n# \xff\xfe\nstruct T { 1: X x }".to_vec()))
        }
    }
    let (program, found) = thrift::model::load("a.thrift", &mut Bytes, &LoadConfig::default()).unwrap();
    let [only] = found.as_slice() else { panic!("{found:?}") };
    let (code, start) = (thrift::Code::NotUtf8.name(), only.primary.map(|span| span.start));
    assert_eq!((&*only.code, start, only.severity), (code, Some(14), Severity::Error));
    assert_eq!(program.files[0].document.definitions.len(), 2);
}
