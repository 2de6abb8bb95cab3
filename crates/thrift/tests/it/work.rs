//! Validation takes steps in proportion to the bytes of a message, whatever its rules refer to. The steps are counted.

use thrift::FileId;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{Duplicates, ValidateConfig, Validator, Want};
use thrift::wire::{BinaryWriter, CompactWriter, JsonWriter, MessageForm, Protocol, WireType, Writer};

/// So many steps a byte are enough for a message that passes, and these for a start ...
const PER_BYTE: u64 = 8;
const AT_LEAST: u64 = 500;

/// ... and so many for any message, with everything that is wrong with it.
const PER_BYTE_OF_ANY: u64 = 60;
const AT_LEAST_FOR_ANY: u64 = 15_000;

/// Counts the steps for a message in every protocol, once with the strict and once with the lenient form.
fn each(idl: &str, valid: Option<bool>, write: impl Fn(&mut dyn Out)) {
    let mut loader = MemoryLoader::default().file("a.thrift", idl);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let id = model.structure(FileId(0), "S").unwrap();
    let mut binary = BinaryWriter::new(MessageForm::Versioned);
    let mut compact = CompactWriter::new();
    let mut json = JsonWriter::new();
    write(&mut binary);
    write(&mut compact);
    write(&mut json);
    let messages = [
        (Protocol::Binary, binary.into_bytes()),
        (Protocol::Compact, compact.into_bytes()),
        (Protocol::Json, json.into_bytes()),
    ];
    let lenient = ValidateConfig { duplicates: Duplicates::Last, ..ValidateConfig::lenient() };
    for config in [ValidateConfig::default(), lenient] {
        let (validator, found) = Validator::new(&model, &RuleConfig::default(), config, &functions);
        let validator = validator.unwrap_or_else(|| unreachable!("{found:?}"));
        for (protocol, bytes) in &messages {
            for want in [Want::First, Want::All] {
                let (result, steps) = validator.count_steps(id, *protocol, bytes, &functions, want);
                let most = match result.is_ok() {
                    true => PER_BYTE * bytes.len() as u64 + AT_LEAST,
                    false => PER_BYTE_OF_ANY * bytes.len() as u64 + AT_LEAST_FOR_ANY,
                };
                assert!(steps <= most, "{idl}: {protocol:?}: {steps} steps for {} bytes", bytes.len());
                if let (Some(valid), true) = (valid, config == lenient) {
                    assert_eq!(result.is_ok(), valid, "{idl}: {protocol:?}: {result:?}");
                }
            }
        }
    }
}

/// A writer of any protocol.
trait Out {
    fn begin(&mut self);
    fn end(&mut self);
    fn int(&mut self, id: i16, value: i32);
    fn text(&mut self, id: i16, text: &str);
    fn ints(&mut self, id: i16, count: usize, value: i32);
    fn texts(&mut self, id: i16, count: usize, text: &str);
    fn map(&mut self, id: i16, count: i32);
    fn open(&mut self, id: i16);
    fn close(&mut self);
}

impl<W: Writer> Out for W {
    fn begin(&mut self) {
        self.struct_begin();
    }

    fn end(&mut self) {
        self.struct_end();
    }

    fn int(&mut self, id: i16, value: i32) {
        self.field_begin(WireType::I32, id);
        self.i32(value);
        self.field_end();
    }

    fn text(&mut self, id: i16, text: &str) {
        self.field_begin(WireType::String, id);
        self.string(text.as_bytes());
        self.field_end();
    }

    fn ints(&mut self, id: i16, count: usize, value: i32) {
        self.field_begin(WireType::List, id);
        self.list_begin(WireType::I32, count);
        (0..count).for_each(|_| self.i32(value));
        self.list_end();
        self.field_end();
    }

    fn texts(&mut self, id: i16, count: usize, text: &str) {
        self.field_begin(WireType::List, id);
        self.list_begin(WireType::String, count);
        (0..count).for_each(|_| self.string(text.as_bytes()));
        self.list_end();
        self.field_end();
    }

    fn map(&mut self, id: i16, count: i32) {
        self.field_begin(WireType::Map, id);
        self.map_begin(WireType::I32, WireType::I32, count as usize);
        for key in 0..count {
            self.i32(key);
            self.i32(5);
        }
        self.map_end();
        self.field_end();
    }

    fn open(&mut self, id: i16) {
        self.field_begin(WireType::Struct, id);
        self.struct_begin();
    }

    fn close(&mut self) {
        self.struct_end();
        self.field_end();
    }
}

#[test]
fn a_field_that_comes_forty_thousand_times() {
    each(r#"struct S{1:i32 b 3:i32 n(vt.gt="$b")}"#, Some(true), |out| {
        out.begin();
        out.int(1, 1);
        (0..40_000).for_each(|_| out.int(3, 2));
        out.end();
    });
    each(r#"struct S{1:i32 b 3:i32 n(vt.gt="$b")}"#, Some(false), |out| {
        out.begin();
        (0..40_000).for_each(|_| out.int(3, 2));
        out.int(1, 2);
        out.end();
    });
}

#[test]
fn elements_that_are_compared_with_an_entry_of_a_map() {
    for (value, valid) in [(5, true), (4, false)] {
        each(r#"struct S{1:map<i32,i32> m 2:list<i32> l(vt.elem.ge="$m[7]")}"#, Some(valid), |out| {
            out.begin();
            out.map(1, 6_000);
            out.ints(2, 11_000, value);
            out.end();
        });
    }
}

#[test]
fn elements_that_are_compared_with_an_element_or_with_long_text() {
    each(r#"struct S{1:list<i32> m 2:list<i32> l(vt.elem.ge="$m[9999]")}"#, Some(true), |out| {
        out.begin();
        out.ints(1, 10_000, 1);
        out.ints(2, 10_000, 2);
        out.end();
    });
    each(r#"struct S{2:list<i32> l(vt.elem.ge="$[9999]")}"#, Some(true), |out| {
        out.begin();
        out.ints(2, 10_000, 2);
        out.end();
    });
    let long = "x".repeat(50_000);
    each(r#"struct S{1:string s 2:list<string> l(vt.elem.ne="$s")}"#, Some(true), |out| {
        out.begin();
        out.text(1, &long);
        out.texts(2, 20_000, "y");
        out.end();
    });
    each(r#"struct S{1:string s 2:list<i32> l(vt.elem.le="@rune_len($s)")}"#, Some(true), |out| {
        out.begin();
        out.text(1, &long);
        out.ints(2, 20_000, 2);
        out.end();
    });
}

#[test]
fn rules_at_every_level_of_nested_structs() {
    // Each level looks at the next one, which holds all others.
    for value in [1, 2] {
        let idl =
            r#"struct S{1:optional S s 2:i32 a(vt.le="$s.a") 3:list<i32> l 4:optional i32 b(vt.gt="$a")}"#;
        each(idl, None, |out| {
            out.begin();
            (0..50).for_each(|_| out.open(1));
            out.ints(3, 20_000, 1);
            out.int(2, 1);
            out.close();
            for _ in 1..50 {
                out.int(2, value);
                out.close();
            }
            out.int(2, 1);
            out.end();
        });
    }
}

#[test]
fn many_fields_that_nobody_knows_before_one_that_is_looked_at() {
    let rules: String = (2..40).map(|id| format!("{id}: i32 n{id} (vt.gt = \"@add($b, 0)\") ")).collect();
    each(&format!("struct S {{1: i32 b {rules}}}"), Some(true), |out| {
        out.begin();
        (0..20_000).for_each(|at| out.int(1000 + at, 0));
        (2..40).for_each(|id| out.int(id, 2));
        out.int(1, 1);
        out.end();
    });
}

/// A list of structs that nest: what is around each part is looked at again for each of them, so that to say all takes too long.
#[test]
fn the_first_broken_rule_is_said_even_where_all_of_them_take_too_long() {
    let idl = r#"
        struct Inner { 1: i32 a (vt.gt = "0") 2: optional Inner next 3: required bool on }
        struct S { 3: list<Inner> l (vt.max_size = "5", vt.elem.not_nil = "true") }
    "#;
    let mut loader = MemoryLoader::default().file("a.thrift", idl);
    let (program, _) = load("a.thrift", &mut loader, &LoadConfig::default()).unwrap();
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let id = model.structure(FileId(0), "S").unwrap();
    let config = ValidateConfig::default();
    let (validator, _) = Validator::new(&model, &RuleConfig::default(), config, &functions);
    let validator = validator.unwrap();
    // In compact: ten structs, each sixty levels deep.
    let mut bytes = vec![0x39, 0xac];
    for _ in 0..10 {
        bytes.extend([0x2c].repeat(60));
        bytes.push(0x31);
        bytes.extend([0x00].repeat(61));
    }
    bytes.push(0x00);
    let violations = |want| match validator.validate(id, Protocol::Compact, &bytes, &functions, want) {
        Err(thrift::validate::Rejection::Rules(found)) => found,
        other => unreachable!("{other:?}"),
    };
    let (first, all) = (violations(Want::First), violations(Want::All));
    assert_eq!(first.first(), all.first());
    assert_eq!(&*first.first().unwrap().rule, "vt.max_size");
    assert_eq!(all.last().unwrap().code, "limit");
}
