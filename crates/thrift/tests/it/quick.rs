//! The quick walk and the thorough one say the same, whatever the bytes; and the quick one allocates nothing.

use std::fmt::Write;

use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{NotUtf8, Rejection, ValidateConfig, Validator, Want, WrongType};
use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, Protocol, WireType, Writer};
use thrift_conformance::{Case, CaseSide, ExpectedVerdict, cases, encode};

const NOW: i64 = 2_000_000_000_000_000_000;

const PROTOCOLS: [Protocol; 2] = [Protocol::Binary, Protocol::Compact];

/// Calls back with every message of every case, and the validator for it.
fn each_message(mut with: impl FnMut(&Case, &ExpectedVerdict, StructId, Protocol, &Validator, &[u8])) {
    let functions = Functions::at(NOW);
    for case in cases().unwrap().iter().filter(|case| case.refused.is_none()) {
        let read = case.read_as("case.thrift", "cases", &functions).unwrap();
        let absent = ValidateConfig { wrong_type: WrongType::Absent, ..ValidateConfig::default() };
        for config in [ValidateConfig::default(), ValidateConfig::lenient(), absent] {
            let (validator, _) = Validator::new(&read.model, &case.config, config, &functions);
            let (validator, id) = (validator.unwrap(), read.structure(&case.root).unwrap());
            // Text that is not text does not pass unless told.
            let is_fit = |text: &str| config.not_utf8 == NotUtf8::Pass || !text.contains("$hex");
            for row in case.rows.iter().filter(|row| row.side != CaseSide::Go && is_fit(&row.text)) {
                for protocol in PROTOCOLS {
                    let value = read.value(id, &row.value).unwrap();
                    let bytes = encode(&read.model, id, &value, protocol).unwrap();
                    with(case, &row.verdict, id, protocol, &validator, &bytes);
                }
            }
        }
    }
}

#[test]
fn damaged_messages_are_judged_alike_by_both_walks() {
    let functions = Functions::at(NOW);
    let mut seed = 1_u64;
    let mut chance = move |bound: usize| {
        seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (seed >> 33) as usize % bound.max(1)
    };
    let mut count = 0;
    each_message(|case, _, id, protocol, validator, bytes| {
        let mut agree = |bytes: &[u8]| {
            let quick = validator.validate(id, protocol, bytes, &functions, Want::First);
            let thorough = validator.validate_thoroughly(id, protocol, bytes, &functions, Want::First);
            assert_eq!(quick, thorough, "{}: {bytes:02x?}", case.name);
            count += 1;
        };
        agree(bytes);
        for _ in 0..40 {
            let mut damaged = bytes.to_vec();
            for _ in 0..=chance(2) {
                let at = chance(damaged.len());
                match chance(6) {
                    0 => damaged.truncate(at),
                    1 => damaged.insert(at, chance(256) as u8),
                    2 => drop((at < damaged.len()).then(|| damaged.remove(at))),
                    // Small numbers are types, ids and lengths.
                    3 | 4 => damaged[at..].iter_mut().take(1).for_each(|byte| *byte = chance(17) as u8),
                    _ => {
                        // A part of it again: fields that come twice, among others.
                        let end = at + chance(damaged.len() - at + 1);
                        let again = damaged[at..end].to_vec();
                        damaged.splice(at..at, again);
                    }
                }
            }
            agree(&damaged);
        }
    });
    println!("{count} messages");
}

#[test]
fn a_valid_message_costs_no_allocation() {
    let functions = Functions::at(NOW);
    let mut count = 0;
    each_message(|case, verdict, id, protocol, validator, bytes| {
        // Functions may allocate, a general pattern fills its caches when it first runs, and what references of one object led to is
        // remembered beside it, where there is room for six.
        let many = case.idl.matches("\"$").count() > 6;
        if *verdict != ExpectedVerdict::Valid || case.idl.contains('@') || many {
            return;
        }
        let run = || validator.validate(id, protocol, bytes, &functions, Want::First).is_ok();
        assert!(run(), "{}", case.name);
        let measured = allocation_counter::measure(|| assert!(run()));
        assert_eq!(measured.count_total, 0, "{} ({protocol:?})", case.name);
        count += 1;
    });
    assert!(count > 300, "{count}");
}

/// A struct of so many required fields and as many with a rule that an absent one breaks.
fn wide(fields: i16) -> (Validator, StructId, Functions) {
    let mut idl = "struct S {\n".to_owned();
    for id in 1..=fields {
        writeln!(idl, "  {id}: required i32 r{id}").unwrap();
        writeln!(idl, "  {}: i32 n{id} (vt.gt = \"0\")", fields + id).unwrap();
    }
    idl.push('}');
    let mut loader = MemoryLoader::default().file("a.thrift", &idl);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (validator, _) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    (validator.unwrap(), StructId(0), functions)
}

fn write_wide<W: Writer>(mut out: W, fields: i16, without: i16) -> Vec<u8> {
    out.struct_begin();
    for id in (1..=2 * fields).filter(|id| *id != without) {
        out.field_begin(WireType::I32, id);
        out.i32(1);
        out.field_end();
    }
    out.struct_end();
    out.into_bytes()
}

#[test]
fn every_missing_field_of_a_very_wide_struct_is_noticed() {
    const FIELDS: i16 = 150;
    let (validator, id, functions) = wide(FIELDS);
    for without in 0..=2 * FIELDS {
        let messages = [
            (Protocol::Binary, write_wide(BinaryWriter::new(MessageForm::Versioned), FIELDS, without)),
            (Protocol::Compact, write_wide(CompactWriter::new(), FIELDS, without)),
            (Protocol::Json, write_wide(JsonWriter::new(), FIELDS, without)),
        ];
        for (protocol, bytes) in messages {
            let found = validator.validate(id, protocol, &bytes, &functions, Want::First);
            match found {
                Ok(len) => assert_eq!((without, len), (0, bytes.len())),
                Err(Rejection::MissingField { path, .. }) => {
                    assert_eq!(path.to_string(), format!("$.r{without}"));
                }
                Err(Rejection::Rules(violations)) => {
                    assert_eq!(violations[0].path.dotted("S"), format!("S.n{}", without - FIELDS));
                }
                Err(other) => unreachable!("{other}"),
            }
            let thorough = validator.validate_thoroughly(id, protocol, &bytes, &functions, Want::First);
            assert_eq!(validator.validate(id, protocol, &bytes, &functions, Want::First), thorough);
        }
        if without == 0 {
            let bytes = write_wide(BinaryWriter::new(MessageForm::Versioned), FIELDS, 0);
            let run = || validator.validate(id, Protocol::Binary, &bytes, &functions, Want::First).is_ok();
            assert_eq!(allocation_counter::measure(|| assert!(run())).count_total, 0);
        }
    }
}

/// A validator for a struct `S` that is written in lines.
fn validator_of(idl: &str) -> Validator {
    let mut loader = MemoryLoader::default().file("a.thrift", idl);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let (validator, found) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &Functions::at(0));
    validator.unwrap_or_else(|| panic!("{found:?}"))
}

/// Whether a message passes, which both walks agree about.
fn passes(validator: &Validator, protocol: Protocol, bytes: &[u8]) -> bool {
    let functions = Functions::at(0);
    let quick = validator.validate(StructId(0), protocol, bytes, &functions, Want::First);
    let thorough = validator.validate_thoroughly(StructId(0), protocol, bytes, &functions, Want::First);
    assert_eq!(quick, thorough, "{bytes:02x?}");
    quick.is_ok()
}

/// A message in both protocols.
fn write_both(
    binary: impl Fn(&mut BinaryWriter),
    compact: impl Fn(&mut CompactWriter),
) -> [(Protocol, Vec<u8>); 2] {
    let (mut first, mut second) = (BinaryWriter::new(MessageForm::Versioned), CompactWriter::new());
    binary(&mut first);
    compact(&mut second);
    [(Protocol::Binary, first.into_bytes()), (Protocol::Compact, second.into_bytes())]
}

#[test]
fn a_message_passes_if_each_field_comes_once_in_whatever_order() {
    // As many as have a bit in one word, and more.
    for fields in [3, 63, 64, 65, 130] {
        let ids: Vec<String> = (1..=fields).map(|id| format!("{id}: required i32 n{id}")).collect();
        let validator = validator_of(&format!("struct S {{ {} }}", ids.join("\n")));
        let all: Vec<i16> = (1..=fields).collect();
        for (moved, to) in [(0, 0), (0, 1), (0, 2), (1, 0), (2, 1), (all.len() - 1, 0), (all.len() / 2, 1)] {
            for again in [None, Some(1), Some(2), Some(fields), Some(fields / 2)] {
                for at in [0, 1, 2, all.len() / 2, all.len()] {
                    let mut order = all.clone();
                    let id = order.remove(moved);
                    order.insert(to, id);
                    if let Some(id) = again {
                        order.insert(at, id);
                    }
                    fn write<W: Writer>(out: &mut W, order: &[i16]) {
                        out.struct_begin();
                        for id in order {
                            out.field_begin(WireType::I32, *id);
                            out.i32(7);
                            out.field_end();
                        }
                        out.struct_end();
                    }
                    for (protocol, bytes) in write_both(|out| write(out, &order), |out| write(out, &order)) {
                        assert_eq!(passes(&validator, protocol, &bytes), again.is_none(), "{order:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn numbers_in_a_list_pass_as_the_bounds_say_wherever_they_stand() {
    for (name, ty, values) in [
        ("i8", WireType::I8, [-128, -6, -5, 0, 7, 8, 127]),
        ("i16", WireType::I16, [i16::MIN.into(), -6, -5, 0, 7, 8, i16::MAX.into()]),
        ("i32", WireType::I32, [i32::MIN.into(), -6, -5, 0, 7, 8, i32::MAX.into()]),
        ("i64", WireType::I64, [i64::MIN, -6, -5, 0, 7, 8, i64::MAX]),
        ("double", WireType::Double, [-9, -6, -5, 0, 7, 8, 9]),
    ] {
        let idl = format!("struct S {{ 1: list<{name}> l (vt.elem.ge = \"-5\", vt.elem.le = \"7\") }}");
        let validator = validator_of(&idl);
        for (length, at, value) in (0..40).flat_map(|length| {
            (0..length).flat_map(move |at| values.into_iter().map(move |value| (length, at, value)))
        }) {
            fn write<W: Writer>(out: &mut W, ty: WireType, list: impl Iterator<Item = i64> + Clone) {
                out.struct_begin();
                out.field_begin(WireType::List, 1);
                out.list_begin(ty, list.clone().count());
                for number in list {
                    match ty {
                        WireType::I8 => out.i8(number as i8),
                        WireType::I16 => out.i16(number as i16),
                        WireType::I32 => out.i32(number as i32),
                        WireType::I64 => out.i64(number),
                        _ => out.double(number as f64),
                    }
                }
                out.list_end();
                out.field_end();
                out.struct_end();
            }
            let list = (0..length).map(|index| if index == at { value } else { 1 });
            for (protocol, mut bytes) in
                write_both(|out| write(out, ty, list.clone()), |out| write(out, ty, list.clone()))
            {
                assert_eq!(passes(&validator, protocol, &bytes), (-5..=7).contains(&value), "{value}");
                bytes.truncate(bytes.len() - 2);
                assert!(!passes(&validator, protocol, &bytes));
            }
        }
    }
}

#[test]
fn short_texts_pass_if_they_are_equal_and_not_if_they_only_begin_alike() {
    let validator =
        validator_of("struct S { 1: string s (vt.in = \"[vim, emacs, eightest, é, 'a']\"), 2: i32 n }");
    let members = ["vim", "emacs", "eightest", "é", "a"];
    for text in [
        "vim",
        "emacs",
        "eightest",
        "é",
        "a",
        "",
        "vi",
        "vim\0",
        "vims",
        "a\0\0",
        "eightests",
        "\0",
        "Vim",
        "e",
        "eightes",
    ] {
        // At the end of the message, and with a word behind it.
        for more in [false, true] {
            fn write<W: Writer>(out: &mut W, text: &str, more: bool) {
                out.struct_begin();
                out.field_begin(WireType::String, 1);
                out.string(text.as_bytes());
                out.field_end();
                if more {
                    out.field_begin(WireType::I32, 2);
                    out.i32(0x0076_6900);
                    out.field_end();
                }
                out.struct_end();
            }
            for (protocol, bytes) in write_both(|out| write(out, text, more), |out| write(out, text, more)) {
                assert_eq!(passes(&validator, protocol, &bytes), members.contains(&text), "{text:?}");
            }
        }
    }
}
