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
