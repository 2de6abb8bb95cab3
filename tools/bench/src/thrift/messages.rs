//! The messages that everyone gets: valid ones of every struct in `thrift/messages.thrift`.

use thrift::wire::{BinaryWriter, CompactWriter, MessageForm, WireType, Writer};

use crate::random::Random;

/// How many different messages there are of each struct, so that no branch is always taken the same way.
const COUNT: u64 = 32;

/// The messages of one struct.
pub(super) struct Group {
    /// The name of the struct.
    pub(super) name: &'static str,
    /// What it stands for, in the tables.
    pub(super) title: &'static str,
    pub(super) binary: Vec<Vec<u8>>,
    pub(super) compact: Vec<Vec<u8>>,
}

impl Group {
    /// The mean size in the binary protocol.
    pub(super) fn size(&self) -> usize {
        self.binary.iter().map(Vec::len).sum::<usize>() / self.binary.len().max(1)
    }
}

/// Makes all messages.
pub(super) fn all() -> Vec<Group> {
    vec![
        group("Request", "mixed", request, request),
        group("Plain", "mixed, no map", plain, plain),
        group("Order", "list of 64 structs", order, order),
        group("Patterns", "patterns", patterns, patterns),
        group("Light", "few rules, 1 KB", light, light),
    ]
}

fn group(
    name: &'static str,
    title: &'static str,
    binary: fn(&mut BinaryWriter, &mut Random),
    compact: fn(&mut CompactWriter, &mut Random),
) -> Group {
    let binary = (1..=COUNT).map(|seed| {
        let mut out = BinaryWriter::new(MessageForm::Versioned);
        binary(&mut out, &mut Random::new(seed));
        out.into_bytes()
    });
    let compact = (1..=COUNT).map(|seed| {
        let mut out = CompactWriter::new();
        compact(&mut out, &mut Random::new(seed));
        out.into_bytes()
    });
    Group { name, title, binary: binary.collect(), compact: compact.collect() }
}

/// Writes a struct.
fn structure<W: Writer>(out: &mut W, fields: impl FnOnce(&mut W)) {
    out.struct_begin();
    fields(out);
    out.struct_end();
}

/// Writes a field.
fn field<W: Writer>(out: &mut W, id: i16, ty: WireType, value: impl FnOnce(&mut W)) {
    out.field_begin(ty, id);
    value(out);
    out.field_end();
}

fn text<W: Writer>(out: &mut W, id: i16, value: &str) {
    field(out, id, WireType::String, |out| out.string(value.as_bytes()));
}

fn i32<W: Writer>(out: &mut W, id: i16, value: usize) {
    field(out, id, WireType::I32, |out| out.i32(value as i32));
}

fn i64<W: Writer>(out: &mut W, id: i16, value: usize) {
    field(out, id, WireType::I64, |out| out.i64(value as i64));
}

fn double<W: Writer>(out: &mut W, id: i16, value: f64) {
    field(out, id, WireType::Double, |out| out.double(value));
}

fn texts<W: Writer>(out: &mut W, id: i16, values: &[String]) {
    field(out, id, WireType::List, |out| {
        out.list_begin(WireType::String, values.len());
        values.iter().for_each(|value| out.string(value.as_bytes()));
        out.list_end();
    });
}

fn words(random: &mut Random, count: usize, least: usize, most: usize) -> Vec<String> {
    (0..count).map(|_| random.word(least, most)).collect()
}

fn address<W: Writer>(out: &mut W, id: i16, random: &mut Random) {
    field(out, id, WireType::Struct, |out| {
        structure(out, |out| {
            text(out, 1, &words(random, 3, 4, 9).join(" "));
            text(out, 2, &random.word(4, 12));
            text(out, 3, &random.word(2, 2));
            i32(out, 4, 1000 + random.below(98_000));
        });
    });
}

/// The fields that `Request` and `Plain` both start with.
fn person<W: Writer>(out: &mut W, random: &mut Random) {
    text(out, 1, &random.word(4, 20));
    i32(out, 2, 1 + random.below(1000));
    i64(out, 3, 1 + random.below(1 << 40));
    double(out, 4, random.below(1000) as f64 / 1000.0);
    i32(out, 5, random.below(4));
    let count = 2 + random.below(7);
    field(out, 6, WireType::List, |out| {
        out.list_begin(WireType::I32, count);
        (0..count).for_each(|_| out.i32(random.below(101) as i32));
        out.list_end();
    });
}

fn editor<W: Writer>(out: &mut W, random: &mut Random) {
    text(out, 11, random.pick(&["vim", "emacs", "helix"]).unwrap_or(&""));
}

fn request<W: Writer>(out: &mut W, random: &mut Random) {
    structure(out, |out| {
        person(out, random);
        let count = 2 + random.below(4);
        field(out, 7, WireType::Map, |out| {
            out.map_begin(WireType::String, WireType::I64, count);
            for number in 0..count {
                out.string(format!("{}{number}", random.word(3, 9)).as_bytes());
                out.i64(random.below(100_000) as i64);
            }
            out.map_end();
        });
        address(out, 8, random);
        let least = random.below(100);
        i32(out, 9, least);
        i32(out, 10, least + random.below(100));
        editor(out, random);
        if random.below(2) == 0 {
            text(out, 12, &words(random, 6, 3, 9).join(" "));
        }
    });
}

fn plain<W: Writer>(out: &mut W, random: &mut Random) {
    structure(out, |out| {
        person(out, random);
        address(out, 8, random);
        editor(out, random);
    });
}

fn order<W: Writer>(out: &mut W, random: &mut Random) {
    structure(out, |out| {
        text(out, 1, &format!("order-{}", random.below(1_000_000)));
        i64(out, 2, 1 + random.below(1 << 40));
        field(out, 3, WireType::List, |out| {
            out.list_begin(WireType::Struct, 64);
            for _ in 0..64 {
                structure(out, |out| {
                    text(out, 1, &random.word(5, 30));
                    i32(out, 2, 1 + random.below(100));
                    double(out, 3, random.below(10_000) as f64 / 100.0);
                });
            }
            out.list_end();
        });
    });
}

fn patterns<W: Writer>(out: &mut W, random: &mut Random) {
    structure(out, |out| {
        text(out, 1, &format!("{}-{}", random.word(4, 12), random.below(100)));
        text(out, 2, &format!("{}.{}@{}.example", random.word(3, 9), random.word(3, 9), random.word(3, 9)));
        text(out, 3, &format!("20{:02}-{:02}-{:02}", random.below(90), random.below(12), random.below(28)));
        let greek = random.pick(&["alpha", "beta", "gamma"]).unwrap_or(&"");
        text(out, 4, &format!("{} {greek}-{}", random.word(2, 8), random.below(1000)));
        let tags: Vec<String> = (0..3).map(|_| words(random, 2, 3, 8).join("-")).collect();
        texts(out, 5, &tags);
    });
}

fn light<W: Writer>(out: &mut W, random: &mut Random) {
    structure(out, |out| {
        i64(out, 1, 1 + random.below(1 << 40));
        text(out, 2, &words(random, 6, 3, 9).join(" "));
        text(out, 3, &words(random, 20, 3, 9).join(" "));
        text(out, 4, &words(random, 50, 3, 9).join(" "));
        text(out, 5, &words(random, 2, 4, 9).join(" "));
        i64(out, 6, 1_700_000_000_000 + random.below(1 << 30));
        i64(out, 7, 1_700_000_000_000 + random.below(1 << 30));
        field(out, 8, WireType::Bool, |out| out.bool(random.below(2) == 0));
        i32(out, 9, random.below(1_000_000));
        i32(out, 10, random.below(1000));
        double(out, 11, random.below(1000) as f64 / 10.0);
        texts(out, 12, &words(random, 5, 4, 9));
        field(out, 13, WireType::List, |out| {
            out.list_begin(WireType::I64, 8);
            (0..8).for_each(|_| out.i64(random.below(1 << 40) as i64));
            out.list_end();
        });
        field(out, 14, WireType::Map, |out| {
            out.map_begin(WireType::String, WireType::String, 3);
            for number in 0..3 {
                out.string(format!("{}{number}", random.word(3, 9)).as_bytes());
                out.string(random.word(3, 12).as_bytes());
            }
            out.map_end();
        });
        text(out, 15, &random.word(2, 5));
        text(out, 16, &random.word(6, 12));
        field(out, 17, WireType::String, |out| out.binary(random.word(32, 32).as_bytes()));
        field(out, 18, WireType::Struct, |out| {
            structure(out, |out| {
                text(out, 1, &words(random, 3, 3, 9).join(" "));
                text(out, 2, &format!("https://{}.example/{}", random.word(4, 12), random.word(8, 20)));
                i32(out, 3, random.below(100));
            });
        });
        i32(out, 19, random.below(10));
        text(out, 20, random.pick(&["draft", "live", "gone"]).unwrap_or(&""));
    });
}
