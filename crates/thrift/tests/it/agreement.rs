//! What passes has one meaning: readers that ignore the types in heads, trust them, keep the first or the last of two
//! fields, or replace what is not text, all see the value that the rules were tested on.

use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{
    Duplicates, Halfway, NotUtf8, Rejection, UnknownFields, ValidateConfig, Validator, Want, WrongType,
};
use thrift::wire::Protocol::{self, Binary, Compact, Json};

/// What is said of a message of the struct `S`: `valid`, the rule that is broken with its path, or `bytes`.
#[track_caller]
fn judged_with(idl: &str, config: ValidateConfig, protocol: Protocol, bytes: &[u8]) -> String {
    let mut loader = MemoryLoader::default().file("a.thrift", idl);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (validator, found) = Validator::new(&model, &RuleConfig::default(), config, &functions);
    let validator = validator.unwrap_or_else(|| unreachable!("{found:?}"));
    let id = model.structure(FileId(0), "S").unwrap();
    let quick = validator.validate(id, protocol, bytes, &functions, Want::First);
    let thorough = validator.validate_thoroughly(id, protocol, bytes, &functions, Want::First);
    assert_eq!(quick, thorough);
    let (counted, _) = validator.count_steps(id, protocol, bytes, &functions, Want::First);
    assert_eq!(quick, counted);
    match quick {
        Ok(len) if len == bytes.len() => "valid".to_owned(),
        Ok(len) => format!("{len} bytes"),
        Err(Rejection::Wire(error)) => format!("bytes: {error}"),
        Err(Rejection::Form(error)) => format!("{} {}", error.problem.rule(), error.path.dotted("S")),
        Err(Rejection::MissingField { path, .. }) => format!("required {}", path.dotted("S")),
        Err(Rejection::Rules(violations)) => {
            format!("{} {}", violations[0].rule, violations[0].path.dotted("S"))
        }
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[track_caller]
fn check(idl: &str, protocol: Protocol, bytes: &str, expected: &str) {
    let bytes = match protocol {
        Json => bytes.as_bytes().to_vec(),
        Binary | Compact => hex(bytes),
    };
    assert_eq!(judged_with(idl, ValidateConfig::default(), protocol, &bytes), expected);
}

#[test]
fn elements_have_the_type_of_the_idl() {
    let idl = r#"struct S{1:list<i64> l(vt.elem.gt="0")}"#;
    check(idl, Binary, "0f0001 0a 00000001 0000000000000005 00", "valid");
    check(idl, Binary, "0f0001 0a 00000001 fffffffffffffffb 00", "vt.elem.gt S.l[0]");
    check(idl, Binary, "0f0001 04 00000001 fffffffffffffffb 00", "type S.l");
    check(idl, Binary, "0f0001 08 00000002 00000001 00000001 00", "type S.l");
    check(idl, Compact, "19 16 0a 00", "valid");
    check(idl, Compact, "19 15 0a 00", "type S.l");
    check(idl, Compact, "19 14 0a 00", "type S.l");
    check(idl, Json, r#"{"1":{"lst":["i64",1,5]}}"#, "valid");
    check(idl, Json, r#"{"1":{"lst":["i32",1,5]}}"#, "type S.l");
    // A set is not a list, and bytes are no set.
    check(idl, Binary, "0e0001 0a 00000001 0000000000000005 00", "type S.l");
    check(idl, Binary, "0b0001 00000000 00", "type S.l");
}

#[test]
fn elements_without_rules_have_their_type_too_since_more_follows() {
    // A reader that trusts the IDL takes the bytes of the second field for elements of the first.
    let idl = r#"struct F{1:list<i64> l} struct S{1:F f 2:i32 n(vt.gt="0")}"#;
    check(idl, Binary, "0c0001 0f0001 0a 00000000 00 080002 00000001 00", "valid");
    check(idl, Binary, "0c0001 0f0001 08 00000002 00000001 00000001 00 080002 00000001 00", "type S.f.l");
    check(idl, Binary, "0c0001 080001 00000001 00 080002 00000001 00", "type S.f.l");
    // Not even in a message without any rule: the next message follows.
    let idl = "struct S{1:map<i32,list<map<string,i16>>> m}";
    check(idl, Binary, "0d0001 08 0f 00000001 00000007 0d 00000001 0b06 00000000 00", "valid");
    check(
        idl,
        Binary,
        "0d0001 08 0f 00000001 00000007 0d 00000001 0b08 00000001 0000000161 00000001 00",
        "type S.m[7][0]",
    );
    check(idl, Binary, "0d0001 08 0f 00000001 00000007 0b 00000001 00000000 00", "type S.m[7]");
    check(idl, Binary, "0d0001 0a 0f 00000000 00", "type S.m");
    // Nor where rules are switched off.
    let idl =
        r#"struct F{1:i32 a(vt.gt="0") 2:list<i64> l} struct S{1:F f(vt.skip="true") 2:i32 n(vt.gt="0")}"#;
    check(idl, Binary, "0c0001 080001 00000000 00 080002 00000001 00", "valid");
    check(idl, Binary, "0c0001 0f0002 08 00000001 00000000 00 080002 00000001 00", "type S.f.l");
    check(idl, Compact, "1c 29 15 00 00 15 02 00", "type S.f.l");
}

#[test]
fn every_type_of_element_is_compared() {
    let types = [
        ("bool", "02", "01"),
        ("i8", "03", "01"),
        ("double", "04", "0000000000000001"),
        ("i16", "06", "0001"),
        ("i32", "08", "00000001"),
        ("E", "08", "00000001"),
        ("i64", "0a", "0000000000000001"),
        ("string", "0b", "0000000161"),
        ("binary", "0b", "0000000161"),
        ("F", "0c", "00"),
        ("map<i8,i8>", "0d", "0303 00000000"),
        ("set<i8>", "0e", "03 00000000"),
        ("list<i8>", "0f", "03 00000000"),
        ("uuid", "10", "00000000000000000000000000000001"),
    ];
    for (name, number, _) in types {
        for container in ["list", "set"] {
            let idl = format!("enum E {{A = 1}} struct F {{}} struct S {{1: {container}<{name}> l}}");
            let head = if container == "list" { "0f" } else { "0e" };
            for (other, found, value) in types {
                let expected = if number == found { "valid" } else { "type S.l" };
                let bytes = hex(&format!("{head}0001 {found} 00000001 {value} 00"));
                assert_eq!(
                    judged_with(&idl, ValidateConfig::default(), Binary, &bytes),
                    expected,
                    "{name} {other}"
                );
                // Without elements there is nothing to disagree about, but that is how some readers see it, too.
                let bytes = hex(&format!("{head}0001 {found} 00000000 00"));
                assert_eq!(judged_with(&idl, ValidateConfig::default(), Binary, &bytes), expected);
            }
            check(&idl, Binary, &format!("{head}0001 00 00000000 00"), "valid");
            check(&idl, Binary, &format!("{head}0001 00 00000001 00"), "bytes: 0 is not a type at offset 3");
            check(&idl, Binary, &format!("{head}0001 01 00000000 00"), "bytes: 1 is not a type at offset 3");
        }
    }
}

#[test]
fn keys_and_values_have_the_types_of_the_idl() {
    let idl = r#"struct S{1:map<i32,i64> m(vt.value.gt="0")}"#;
    check(idl, Binary, "0d0001 08 0a 00000001 00000007 0000000000000005 00", "valid");
    check(idl, Binary, "0d0001 08 04 00000001 00000007 fffffffffffffffb 00", "type S.m");
    check(idl, Binary, "0d0001 0a 0a 00000001 0000000000000007 0000000000000005 00", "type S.m");
    check(idl, Binary, "0d0001 00 00 00000000 00", "valid");
    check(idl, Binary, "0d0001 08 0a 00000000 00", "valid");
    check(idl, Binary, "0d0001 08 0b 00000000 00", "type S.m");
    check(idl, Compact, "1b 00 00", "valid");
    check(idl, Compact, "1b 01 56 0e 0a 00", "valid");
    check(idl, Compact, "1b 01 55 0e 0a 00", "type S.m");
}

#[test]
fn truth_values_are_what_all_readers_take_for_the_same() {
    let idl = r#"struct S{1:bool b 2:i32 n(vt.gt="0")}(vt.assert="@or($b, @gt($n, 5))")"#;
    check(idl, Binary, "020001 01 080002 00000001 00", "valid");
    check(idl, Binary, "020001 00 080002 00000001 00", "vt.assert S");
    // True for Python, false for Go.
    check(idl, Binary, "020001 02 080002 00000001 00", "bytes: 2 is not a bool at offset 3");
    check(
        "struct S{1:list<bool> l}",
        Binary,
        "0f0001 02 00000002 01 07 00",
        "bytes: 7 is not a bool at offset 9",
    );
    check(idl, Compact, "11 15 02 00", "valid");
    check(idl, Compact, "12 15 02 00", "vt.assert S");
}

#[test]
fn a_field_comes_once() {
    let idl = r#"struct S{1:i32 a(vt.lt="$b") 2:i32 b=10}"#;
    check(idl, Binary, "080001 00000014 080002 0000001e 00", "valid");
    check(idl, Binary, "080001 00000014 080002 0000001e 080002 0000000a 00", "duplicate S.b");
    check(idl, Binary, "080001 00000014 080002 0000000a 080002 0000001e 00", "duplicate S.b");
    check(idl, Compact, "15 28 15 3c 05 04 14 00", "duplicate S.b");
    check(idl, Json, r#"{"1":{"i32":20},"2":{"i32":30},"2":{"i32":10}}"#, "duplicate S.b");
    // In a struct without rules as well, whatever the order, and beyond the fields that a word has bits for.
    check(
        "struct S{1:i32 a 2:i32 b}",
        Binary,
        "080002 00000001 080001 00000001 080002 00000001 00",
        "duplicate S.b",
    );
    let many: String = (1..=200).map(|id| format!("{id}: i32 f{id} ")).collect();
    let idl = format!("struct S {{{many}}}");
    check(&idl, Binary, "0800c8 00000001 080001 00000001 0800c8 00000001 00", "duplicate S.f200");
    check(&idl, Binary, "0800c8 00000001 080001 00000001 080064 00000001 00", "valid");
}

#[test]
fn told_to_be_lenient_the_last_field_is_the_one_that_others_are_compared_with() {
    let idl = r#"struct S{1:i32 a(vt.lt="$b") 2:i32 b=10}"#;
    let config = ValidateConfig { duplicates: Duplicates::Last, ..ValidateConfig::default() };
    for (first, last, expected) in [("0000001e", "0000000a", "vt.lt S.a"), ("0000000a", "0000001e", "valid")]
    {
        let bytes = hex(&format!("080001 00000014 080002 {first} 080002 {last} 00"));
        assert_eq!(judged_with(idl, config, Binary, &bytes), expected);
    }
    let json = br#"{"1":{"i32":20},"2":{"i32":30},"2":{"i32":10}}"#;
    assert_eq!(judged_with(idl, config, Json, json), "vt.lt S.a");
}

#[test]
fn told_to_be_lenient_a_field_of_another_type_is_absent_for_other_rules_too() {
    let idl = r#"struct S{1:i32 a(vt.lt="$b") 2:i32 b=10}"#;
    let bytes = hex("080001 00000014 0a0002 000000000000001e 00");
    assert_eq!(judged_with(idl, ValidateConfig::default(), Binary, &bytes), "type S.b");
    let config = ValidateConfig { wrong_type: WrongType::Absent, ..ValidateConfig::default() };
    assert_eq!(judged_with(idl, config, Binary, &bytes), "vt.lt S.a");
    let assert = r#"struct S{1:i32 a 2:i32 b=10}(vt.assert="@lt($a,$b)")"#;
    assert_eq!(judged_with(assert, config, Binary, &bytes), "vt.assert S");
    assert_eq!(judged_with(assert, config, Json, br#"{"1":{"i32":20},"2":{"i64":30}}"#), "vt.assert S");
}

#[test]
fn a_union_has_one_field() {
    let idl = r#"union U{1:i32 a 2:i32 b(vt.gt="$a")} struct S{1:U u}"#;
    check(idl, Binary, "0c0001 080002 00000001 00 00", "valid");
    check(idl, Binary, "0c0001 080001 00000000 080002 00000001 00 00", "union S.u.b");
    check(idl, Compact, "1c 15 02 15 04 00 00", "union S.u.b");
}

/// Servers of Apache's libraries for Java and Rust answer what they refuse, and read the rest of the message as the next one.
#[test]
fn no_reader_stops_halfway() {
    let pass = ValidateConfig { halfway: Halfway::Pass, ..ValidateConfig::default() };
    let idl = r#"
        enum E { A = 1, B = 2, Z = 9 }
        union U { 1: i32 a, 2: i32 b }
        struct T { 1: required E e (vt.ne = "2"), 2: required i32 n }
        struct S { 1: U u, 2: list<U> us, 3: T t, 4: T bare (vt.skip = "true"), 5: string s, 6: map<string, binary> m }
    "#;
    let both = |protocol, bytes, expected| {
        check(idl, protocol, bytes, expected);
        assert_eq!(judged_with(idl, pass, protocol, &hex(bytes)), "valid", "{bytes}");
    };
    // A union without a field.
    both(Binary, "0c0001 00 00", "union S.u");
    both(Compact, "1c 00 00", "union S.u");
    both(Binary, "0f0002 0c 00000001 00 00", "union S.us[0]");
    // A number that no member has, where one must be.
    both(Binary, "0c0003 080001 00000007 080002 00000001 00 00", "member S.t.e");
    both(Compact, "3c 15 0e 15 02 00 00", "member S.t.e");
    check(idl, Binary, "0c0003 080001 00000009 080002 00000001 00 00", "valid");
    check(idl, Binary, "0c0003 080001 00000002 080002 00000001 00 00", "vt.ne S.t.e");
    // The same where rules are skipped, and a field that is missing there.
    both(Binary, "0c0004 080001 00000007 080002 00000001 00 00", "member S.bare.e");
    both(Binary, "0c0004 080001 00000002 00 00", "required S.bare.n");
    check(idl, Binary, "0c0004 080001 00000002 080002 00000001 00 00", "valid");
    // Text without rules.
    both(Binary, "0b0005 00000001 ff 00", "utf8 S.s");
    both(Binary, "0d0006 0b0b 00000001 00000001ff 00000001ff 00", "utf8 S.m[0xff](key)");
    check(idl, Binary, "0d0006 0b0b 00000001 00000001 61 00000001ff 00", "valid");
    check(idl, Json, r#"{"1":{"rec":{}}}"#, "union S.u");
    check(idl, Json, r#"{"3":{"rec":{"1":{"i32":7},"2":{"i32":1}}}}"#, "member S.t.e");
}

#[test]
fn the_size_of_sets_and_maps_is_the_same_for_all_readers() {
    let idl = r#"struct S{1:set<i32> s(vt.min_size="2")}"#;
    check(idl, Binary, "0e0001 08 00000002 00000001 00000002 00", "valid");
    check(idl, Binary, "0e0001 08 00000002 00000001 00000001 00", "duplicate S.s");
    check(idl, Compact, "1a 25 02 02 00", "duplicate S.s");
    let idl = r#"struct S{1:map<string,i32> s(vt.min_size="2")}"#;
    check(idl, Binary, "0d0001 0b08 00000002 0000000161 00000001 0000000161 00000002 00", "duplicate S.s");
    check(idl, Binary, "0d0001 0b08 00000002 0000000161 00000001 0000000162 00000002 00", "valid");
    let idl = r#"struct S{1:set<double> s(vt.min_size="2")}"#;
    check(idl, Binary, "0e0001 04 00000002 0000000000000000 8000000000000000 00", "duplicate S.s");
    // One of them is there, however they are counted, and no reader has more than were sent.
    let idl = r#"struct S{1:set<i32> s(vt.min_size="1", vt.max_size="3")}"#;
    check(idl, Binary, "0e0001 08 00000002 00000001 00000001 00", "valid");
    // What is looked at from elsewhere.
    let idl = r#"struct S{1:set<i32> s 2:i32 n(vt.eq="@len($s)")}"#;
    check(idl, Binary, "0e0001 08 00000002 00000001 00000001 080002 00000002 00", "duplicate S.s");
    check(idl, Binary, "0e0001 08 00000002 00000001 00000003 080002 00000002 00", "valid");
    let idl = r#"struct S{1:map<i32,i32> m 2:i32 n(vt.eq="$m[7]")}"#;
    check(
        idl,
        Binary,
        "0d0001 0808 00000002 00000007 00000001 00000007 00000002 080002 00000002 00",
        "duplicate S.m",
    );
    // A list may have what it likes.
    let idl = r#"struct S{1:list<i32> s(vt.min_size="2")}"#;
    check(idl, Binary, "0f0001 08 00000002 00000001 00000001 00", "valid");
}

#[test]
fn elements_with_parts_are_told_apart_by_what_every_reader_sees() {
    let idl = r#"struct F{1:i32 a 2:i32 b=3} struct S{1:set<F> s(vt.min_size="2")}"#;
    let two = |left: &str, right: &str| format!("0e0001 0c 00000002 {left} 00 {right} 00 00");
    check(idl, Binary, &two("080001 00000001", "080001 00000002"), "valid");
    check(idl, Binary, &two("080001 00000001", "080001 00000001"), "duplicate S.s");
    // Zero is what is there if nothing was sent; three is the default; 9 is a field that nobody knows.
    check(idl, Binary, &two("080001 00000000", ""), "duplicate S.s");
    check(idl, Binary, &two("080002 00000003", ""), "duplicate S.s");
    check(idl, Binary, &two("080009 00000003", ""), "duplicate S.s");
    let idl = r#"struct S{1:set<set<i8>> s(vt.min_size="2")}"#;
    check(idl, Binary, "0e0001 0e 00000002 03 00000002 0102 03 00000002 0201 00", "duplicate S.s");
    check(idl, Binary, "0e0001 0e 00000002 03 00000002 0102 03 00000002 0301 00", "valid");
}

/// `__proto__` in hexadecimal digits, behind its length.
const PROTO: &str = "00000009 5f5f70726f746f5f5f";

#[test]
fn a_key_that_is_lost_in_an_object_does_not_make_up_the_size() {
    let one = |key: &str| format!("0d0001 0b03 00000001 {key} 01 00");
    let idl = r#"struct S{1:map<string,i8> m(vt.min_size="1")}"#;
    check(idl, Binary, &one("00000001 61"), "valid");
    check(idl, Binary, &one(PROTO), "duplicate S.m");
    check(idl, Binary, &format!("0d0001 0b03 00000002 00000001 61 01 {PROTO} 01 00"), "duplicate S.m");
    // What a rule refers to, it must find.
    let idl = r#"struct S{1:map<string,i8> m 2:i64 n(vt.eq="@len($m)")}"#;
    check(
        idl,
        Binary,
        &format!("0d0001 0b03 00000001 {PROTO} 01 0a0002 0000000000000001 00"),
        "duplicate S.m",
    );
    // Where nobody counts, and in a set, it is text like any other.
    check(r#"struct S{1:map<string,i8> m(vt.max_size="1")}"#, Binary, &one(PROTO), "valid");
    check(
        r#"struct S{1:set<string> m(vt.min_size="1")}"#,
        Binary,
        &format!("0e0001 0b 00000001 {PROTO} 00"),
        "valid",
    );
}

#[test]
fn text_that_rules_speak_of_is_utf8() {
    let idl = r#"struct S{1:string s(vt.max_size="4") 2:binary b(vt.max_size="4") 3:string t}"#;
    check(idl, Binary, "0b0001 00000002 c3a9 00", "valid");
    check(idl, Binary, "0b0001 00000004 ffffffff 00", "utf8 S.s");
    check(idl, Binary, "0b0001 00000003 eda080 00", "utf8 S.s");
    check(idl, Binary, "0b0002 00000004 ffffffff 00", "valid");
    check(idl, Binary, "0b0003 00000004 ffffffff 00", "utf8 S.t");
    check(idl, Compact, "18 02 ffff 00", "utf8 S.s");
    let halfway = ValidateConfig { halfway: Halfway::Pass, ..ValidateConfig::default() };
    assert_eq!(judged_with(idl, halfway, Binary, &hex("0b0003 00000004 ffffffff 00")), "valid");
    let idl = r#"struct S{1:string s(vt.pattern="^.$") 2:string t(vt.ne="$u") 3:string u}"#;
    check(idl, Binary, "0b0001 00000001 ff 00", "utf8 S.s");
    check(idl, Binary, "0b0001 00000001 61 0b0003 00000001 ff 00", "utf8 S.u");
    let idl = r#"struct S{1:map<string,i8> m(vt.min_size="2")}"#;
    check(idl, Binary, "0d0001 0b03 00000002 00000001ff01 00000001fe02 00", "utf8 S.m[0xff](key)");
    let config = ValidateConfig { not_utf8: NotUtf8::Pass, ..ValidateConfig::default() };
    let idl = r#"struct S{1:string s(vt.max_size="4")}"#;
    assert_eq!(judged_with(idl, config, Binary, &hex("0b0001 00000004 ffffffff 00")), "valid");
}

#[test]
fn an_unknown_field_in_a_union_is_refused() {
    // Apache's reader in Rust counts the field, has no value for it, and panics.
    let idl = "union U { 1: i32 a } struct S { 1: U u, 2: list<U> us, 3: i32 n (vt.gt = '0') }";
    check(idl, Binary, "0c 0001 08 0009 00000001 00 08 0003 00000001 00", "unknown_field S.u");
    check(
        idl,
        Binary,
        "0f 0002 0c 00000001 08 0009 00000001 00 08 0003 00000001 00",
        "unknown_field S.us[0]",
    );
    check(idl, Binary, "0c 0001 08 0001 00000001 00 08 0003 00000001 00", "valid");
    let pass = ValidateConfig { unknown_fields: UnknownFields::Pass, ..ValidateConfig::default() };
    let bytes = hex("0c 0001 08 0009 00000001 00 08 0003 00000001 00");
    assert_eq!(judged_with(idl, pass, Binary, &bytes), "valid");
}

#[test]
fn unknown_fields_pass_where_every_reader_can_move_over_them() {
    let idl = r#"struct S{1:i32 n(vt.gt="0")}"#;
    check(idl, Binary, "080009 00000000 080001 00000001 00", "valid");
    check(idl, Compact, "15 02 85 02 00", "unknown_field S");
    // Some do not know how long a uuid is; who has one in the IDL does.
    let uuid = "100009 00000000000000000000000000000000 080001 00000001 00";
    check(idl, Binary, uuid, "unknown_field S");
    check(
        idl,
        Binary,
        "0f0009 10 00000001 00000000000000000000000000000000 080001 00000001 00",
        "unknown_field S",
    );
    check(r#"struct S{1:i32 n(vt.gt="0") 2:optional uuid u}"#, Binary, uuid, "valid");
    let pass = ValidateConfig { unknown_fields: UnknownFields::Pass, ..ValidateConfig::default() };
    assert_eq!(judged_with(idl, pass, Compact, &hex("15 02 85 02 00")), "valid");
    assert_eq!(judged_with(idl, pass, Binary, &hex(uuid)), "valid");
    let refuse = ValidateConfig { unknown_fields: UnknownFields::Refuse, ..ValidateConfig::default() };
    let bytes = hex("080009 00000000 080001 00000001 00");
    assert_eq!(judged_with(idl, refuse, Binary, &bytes), "unknown_field S");
}

#[test]
fn numbers_that_readers_would_cut_are_refused() {
    let idl = r#"struct S{1:i32 a(vt.gt="0") 2:i16 b(vt.gt="0")}"#;
    // Zero in 32 bits, and more beyond.
    check(
        idl,
        Compact,
        "15 8080808010 00",
        "bytes: a number does not fit its type, or has more bytes than it needs at offset 1",
    );
    check(
        idl,
        Compact,
        "15 808080808001 00",
        "bytes: a number does not fit its type, or has more bytes than it needs at offset 1",
    );
    check(
        idl,
        Compact,
        "24 80800800",
        "bytes: a number does not fit its type, or has more bytes than it needs at offset 1",
    );
    // One, in more bytes than one reader takes for a number of 16 bits.
    check(
        idl,
        Compact,
        "24 82808000 00",
        "bytes: a number does not fit its type, or has more bytes than it needs at offset 1",
    );
    // An id that comes to 1 in 16 bits.
    check(idl, Compact, "05 82800800", "bytes: a field id does not fit 16 bits at offset 0");
    check(
        idl,
        Json,
        r#"{"1":{"i32":4294967297}}"#,
        "bytes: expected a number that fits its type at offset 12",
    );
    // A head without a type is the end for some.
    check(idl, Compact, "15 02 10 00", "bytes: 0 is not a type at offset 2");
}

#[test]
fn what_is_missing_is_named_from_the_root() {
    let idl = "struct I{1:required i32 id} struct O{1:list<I> items 2:map<string,I> by} struct S{1:O order}";
    check(
        idl,
        Binary,
        "0c0001 0f0001 0c 00000002 080001 00000001 00 00 00 00",
        "required S.order.items[1].id",
    );
    check(idl, Binary, "0c0001 0d0002 0b0c 00000001 000000016b 00 00 00", "required S.order.by['k'].id");
    let secret = idl.replace("I> by", "I> by (vt.redact = \"true\")");
    check(
        &secret,
        Binary,
        "0c0001 0d0002 0b0c 00000001 000000016b 00 00 00",
        "required S.order.by[<secret>].id",
    );
}

#[test]
fn the_form_of_the_whole_message_comes_before_its_rules() {
    let idl = r#"struct S{1:i32 a(vt.gt="0") 2:list<i64> l}"#;
    check(idl, Binary, "080001 00000000 0f0002 08 00000001 00000001 00", "type S.l");
    check(idl, Binary, "080001 00000000 0f0002 0a 00000000 00", "vt.gt S.a");
    check(
        idl,
        Binary,
        "080001 00000000 0f0002 0a 000000",
        "bytes: the bytes end early, at least 1 are missing at offset 10",
    );
}

#[test]
fn members_of_enums_are_named_beside_their_numbers() {
    let idl = r#"enum C{RED=1 BLUE=2 NONE=7} struct S{1:C c(vt.in="[RED, BLUE]") 2:list<C> l(vt.elem.defined_only="true")}"#;
    let said = |bytes: &str| {
        let mut loader = MemoryLoader::default().file("a.thrift", idl);
        let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
        let (model, _) = resolve(&program, &Config::default());
        let functions = Functions::at(0);
        let (validator, _) =
            Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
        let id = model.structure(FileId(0), "S").unwrap();
        match validator.unwrap().validate(id, Binary, &hex(bytes), &functions, Want::First) {
            Err(Rejection::Rules(violations)) => {
                (violations[0].message(), violations[0].found.clone().unwrap().to_string())
            }
            other => unreachable!("{other:?}"),
        }
    };
    let (message, found) = said("080001 00000007 00");
    assert_eq!((&*message, &*found), ("must be one of 1 (RED), 2 (BLUE)", "7 (NONE)"));
    let (_, found) = said("080001 00000001 0f0002 08 00000001 00000009 00");
    assert_eq!(found, "9 (not in C)");
}
