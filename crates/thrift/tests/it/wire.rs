//! The wire formats: one message with every type in every protocol, what must be refused, and no panic.

use crate::support::hex;
use proptest::prelude::*;
use thrift::wire::{
    BinaryReader, BinaryWriter, CompactReader, CompactWriter, JsonProblem, JsonReader, JsonWriter, Limits,
    MessageForm, MessageKind, Protocol, Reader, Result, WireError, WireErrorKind, WireType, Writer,
    message_len,
};

/// Written by Apache Thrift's Python library: `echo`, call, number 7, and a struct with every type.
const STRUCT: &str = "0200010102000200030003fb060004fed40800057fffffff0a000680000000000000000400073ff8000000000000\
    0b00080000000668c3a90a225c0b000900000003ff00010f001e080000000200000001ffffffff0e001f02000000020100\
    0d0020080b000000020000000100000001610000000200000001620d00210b08000000000d0022040200000001400400000000000001\
    0fffff0c00000002080001000000030008000100000004000f012c0300000010000102030405060708090a0b0c0d0e0f\
    04012dfff000000000000000";
const COMPACT: &str = "822107046563686f111213fb14d70415feffffff0f16ffffffffffffffffff0117000000000000f83f\
    180668c3a90a225c1803ff0001093c2502011a2101021b02580201610401621b001b017100000000000004400109012c1506001508\
    0009d804f310000102030405060708090a0b0c0d0e0f17000000000000f0ff00";
const JSON: &str = r#"[1,"echo",1,7,{"1":{"tf":1},"2":{"tf":0},"3":{"i8":-5},"4":{"i16":-300},"5":{"i32":2147483647},"6":{"i64":-9223372036854775808},"7":{"dbl":1.5},"8":{"str":"hé\n\"\\"},"9":{"str":"/wAB"},"30":{"lst":["i32",2,1,-1]},"31":{"set":["tf",2,1,0]},"32":{"map":["i32","str",2,{"1":"a","2":"b"}]},"33":{"map":["str","i32",0,{}]},"34":{"map":["dbl","tf",1,{"2.5":1}]},"-1":{"lst":["rec",2,{"1":{"i32":3}},{"1":{"i32":4}}]},"300":{"lst":["i8",16,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]},"301":{"dbl":"-Infinity"}}]"#;

/// The message in each protocol; the binary one with both envelopes.
fn messages() -> Vec<(Protocol, MessageForm, Vec<u8>)> {
    let strict = hex(&format!("80010001000000046563686f00000007{STRUCT}"));
    let old = hex(&format!("000000046563686f0100000007{STRUCT}"));
    vec![
        (Protocol::Binary, MessageForm::Versioned, strict),
        (Protocol::Binary, MessageForm::Old, old),
        (Protocol::Compact, MessageForm::Versioned, hex(COMPACT)),
        (Protocol::Json, MessageForm::Versioned, JSON.as_bytes().to_vec()),
    ]
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Bool(bool),
    I8(i8),
    I16(i16),
    I32(i32),
    I64(i64),
    Double(f64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    Uuid([u8; 16]),
    Struct(Vec<(i16, WireType, Value)>),
    List(WireType, Vec<Value>),
    Map(WireType, WireType, Vec<(Value, Value)>),
}

fn read<'b>(reader: &mut impl Reader<'b>, ty: WireType, is_bytes: bool) -> Result<Value> {
    Ok(match ty {
        WireType::Bool => Value::Bool(reader.bool()?),
        WireType::I8 => Value::I8(reader.i8()?),
        WireType::I16 => Value::I16(reader.i16()?),
        WireType::I32 => Value::I32(reader.i32()?),
        WireType::I64 => Value::I64(reader.i64()?),
        WireType::Double => Value::Double(reader.double()?),
        WireType::String if is_bytes => Value::Bytes(reader.binary()?.into_owned()),
        WireType::String => Value::Text(reader.string()?.into_owned()),
        WireType::Uuid => Value::Uuid(reader.uuid()?),
        WireType::Struct => {
            let scope = reader.struct_begin()?;
            let mut fields = Vec::new();
            while let Some(field) = reader.field_begin()? {
                // Only the schema can tell bytes from text; field 9 has bytes.
                fields.push((field.id, field.ty, read(reader, field.ty, field.id == 9)?));
                reader.field_end()?;
            }
            reader.struct_end(scope)?;
            Value::Struct(fields)
        }
        WireType::List | WireType::Set => {
            let list = reader.list_begin()?;
            let items = (0..list.len).map(|_| read(reader, list.element, false)).collect::<Result<_>>()?;
            reader.list_end(list.scope)?;
            Value::List(list.element, items)
        }
        WireType::Map => {
            let map = reader.map_begin()?;
            let entries = (0..map.len)
                .map(|_| Ok((read(reader, map.key, false)?, read(reader, map.value, false)?)))
                .collect::<Result<_>>()?;
            reader.map_end(map.scope)?;
            // The compact protocol writes no types for an empty map.
            if map.len == 0 {
                return Ok(Value::Map(WireType::Stop, WireType::Stop, entries));
            }
            Value::Map(map.key, map.value, entries)
        }
        WireType::Stop => unreachable!("no value has this type"),
    })
}

fn write(writer: &mut impl Writer, value: &Value) {
    match value {
        Value::Bool(value) => writer.bool(*value),
        Value::I8(value) => writer.i8(*value),
        Value::I16(value) => writer.i16(*value),
        Value::I32(value) => writer.i32(*value),
        Value::I64(value) => writer.i64(*value),
        Value::Double(value) => writer.double(*value),
        Value::Text(value) => writer.string(value),
        Value::Bytes(value) => writer.binary(value),
        Value::Uuid(value) => writer.uuid(*value),
        Value::Struct(fields) => {
            writer.struct_begin();
            for (id, ty, value) in fields {
                writer.field_begin(*ty, *id);
                write(writer, value);
                writer.field_end();
            }
            writer.struct_end();
        }
        Value::List(element, items) => {
            writer.list_begin(*element, items.len());
            items.iter().for_each(|item| write(writer, item));
            writer.list_end();
        }
        Value::Map(key, value, entries) => {
            // An empty map of field 33 has text keys in this message.
            let types = if entries.is_empty() { (WireType::String, WireType::I32) } else { (*key, *value) };
            writer.map_begin(types.0, types.1, entries.len());
            for (key, value) in entries {
                write(writer, key);
                write(writer, value);
            }
            writer.map_end();
        }
    }
}

fn read_message<'b>(mut reader: impl Reader<'b>) -> Result<(Vec<u8>, MessageKind, i32, Value, usize)> {
    let header = reader.message_begin()?;
    let value = read(&mut reader, WireType::Struct, false)?;
    reader.message_end()?;
    Ok((header.name.into_owned(), header.kind, header.seqid, value, reader.offset()))
}

fn read_any(protocol: Protocol, bytes: &[u8]) -> Result<(Vec<u8>, MessageKind, i32, Value, usize)> {
    let limits = Limits::default();
    match protocol {
        Protocol::Binary => read_message(BinaryReader::new(bytes, limits)),
        Protocol::Compact => read_message(CompactReader::new(bytes, limits)),
        Protocol::Json => read_message(JsonReader::new(bytes, limits)),
    }
}

fn write_any(protocol: Protocol, form: MessageForm, value: &Value) -> Vec<u8> {
    fn message(mut writer: impl Writer, value: &Value) -> Vec<u8> {
        writer.message_begin(b"echo", MessageKind::Call, 7);
        write(&mut writer, value);
        writer.message_end();
        writer.into_bytes()
    }
    match protocol {
        Protocol::Binary => message(BinaryWriter::new(form), value),
        Protocol::Compact => message(CompactWriter::new(), value),
        Protocol::Json => message(JsonWriter::new(), value),
    }
}

#[test]
fn every_protocol_reads_the_same_message() {
    let reference = read_any(Protocol::Binary, &messages()[0].2).unwrap().3;
    for (protocol, form, bytes) in messages() {
        let (name, kind, seqid, value, read) = read_any(protocol, &bytes).unwrap();
        assert_eq!(
            (name.as_slice(), kind, seqid),
            (&b"echo"[..], MessageKind::Call, 7),
            "{protocol:?} {form:?}"
        );
        assert_eq!(value, reference, "{protocol:?}");
        assert_eq!(read, bytes.len());
    }
}

#[test]
fn what_is_written_again_is_the_same_byte_for_byte() {
    for (protocol, form, bytes) in messages() {
        let value = read_any(protocol, &bytes).unwrap().3;
        assert_eq!(write_any(protocol, form, &value), bytes, "{protocol:?} {form:?}");
    }
}

#[test]
fn skipping_ends_where_reading_ends() {
    for (protocol, _, mut bytes) in messages() {
        let len = bytes.len();
        bytes.extend_from_slice(b"the next message");
        assert_eq!(message_len(protocol, &bytes, Limits::default()), Ok(len));
    }
}

#[test]
fn every_message_cut_short_asks_for_more() {
    for (protocol, form, bytes) in messages() {
        for end in 0..bytes.len() {
            let cut = &bytes[..end];
            for error in [
                read_any(protocol, cut).map(|_| ()).unwrap_err(),
                message_len(protocol, cut, Limits::default()).map(|_| ()).unwrap_err(),
            ] {
                assert!(error.is_truncated(), "{protocol:?} {form:?} at {end}: {error}");
                let WireErrorKind::Truncated { needed } = error.kind else { continue };
                assert!(needed >= 1 && end + needed <= bytes.len(), "{protocol:?} at {end}: {needed}");
            }
        }
    }
}

#[test]
fn uuids_travel() {
    let value = Value::Struct(vec![(1, WireType::Uuid, Value::Uuid(*b"0123456789abcdef"))]);
    for (protocol, form, _) in messages() {
        assert_eq!(read_any(protocol, &write_any(protocol, form, &value)).unwrap().3, value);
    }
}

/// Reads a value of a type from the start of the bytes, in full and by skipping; both must agree.
#[track_caller]
fn refuse(protocol: Protocol, ty: WireType, bytes: &[u8], kind: WireErrorKind) {
    fn both<'b>(mut reader: impl Reader<'b>, ty: WireType) -> [WireError; 2] {
        [read(&mut reader.clone(), ty, false).unwrap_err(), reader.skip(ty).unwrap_err()]
    }
    let limits = Limits { depth: 3, string: 100, container: 100, ..Limits::default() };
    let errors = match protocol {
        Protocol::Binary => both(BinaryReader::new(bytes, limits), ty),
        Protocol::Compact => both(CompactReader::new(bytes, limits), ty),
        Protocol::Json => both(JsonReader::new(bytes, limits), ty),
    };
    assert_eq!(errors[0].kind, kind, "{protocol:?} {ty:?}");
    assert!(errors[1].kind == kind || protocol == Protocol::Json, "skipping: {:?}", errors[1]);
}

#[test]
fn hostile_lengths_types_and_nesting_are_refused() {
    use Protocol::{Binary, Compact};
    let rows: &[(Protocol, WireType, &str, WireErrorKind)] = &[
        (Binary, WireType::String, "ffffffff", WireErrorKind::NegativeLength(-1)),
        (Binary, WireType::String, "00000065", WireErrorKind::TooLong { length: 101, limit: 100 }),
        (Binary, WireType::String, "00000005 61", WireErrorKind::Truncated { needed: 4 }),
        (Binary, WireType::List, "08 80000000", WireErrorKind::NegativeLength(i32::MIN.into())),
        (Binary, WireType::List, "08 7fffffff", WireErrorKind::TooLong { length: 0x7fff_ffff, limit: 100 }),
        (Binary, WireType::List, "08 00000003 00000000", WireErrorKind::Truncated { needed: 8 }),
        (Binary, WireType::List, "01 00000000", WireErrorKind::BadType(1)),
        (Binary, WireType::List, "00 00000001 00", WireErrorKind::BadType(0)),
        (Binary, WireType::Map, "0b11 00000001 00", WireErrorKind::BadType(17)),
        (Binary, WireType::Struct, "05 0001", WireErrorKind::BadType(5)),
        (Binary, WireType::Struct, "0c0001 0c0001 0c0001 00000000", WireErrorKind::TooDeep),
        (Binary, WireType::List, "0f 00000001 0f 00000001 0f 00000001 0f 00000000", WireErrorKind::TooDeep),
        (Compact, WireType::String, "ffffffff0f", WireErrorKind::NegativeLength(-1)),
        (Compact, WireType::String, "65", WireErrorKind::TooLong { length: 101, limit: 100 }),
        (Compact, WireType::String, "ffffffff1f", WireErrorKind::BadVarint),
        (Compact, WireType::I32, "808080808000", WireErrorKind::BadVarint),
        (Compact, WireType::I16, "80800a", WireErrorKind::BadVarint),
        (Compact, WireType::I64, "ffffffffffffffffff02", WireErrorKind::BadVarint),
        (Compact, WireType::Bool, "03", WireErrorKind::BadBool(3)),
        (Compact, WireType::List, "f5 0a 00", WireErrorKind::Truncated { needed: 9 }),
        (Compact, WireType::List, "1e 00", WireErrorKind::BadType(14)),
        (Compact, WireType::Map, "01 0000", WireErrorKind::BadType(0)),
        (Compact, WireType::Struct, "10", WireErrorKind::BadType(0)),
        (Compact, WireType::Struct, "05 feff03 00 f5", WireErrorKind::BadFieldId),
        (Compact, WireType::Struct, "1c 1c 1c 00 00 00 00", WireErrorKind::TooDeep),
    ];
    for (protocol, ty, bytes, kind) in rows {
        refuse(*protocol, *ty, &hex(bytes), *kind);
    }
    let byte = hex("02");
    let error = BinaryReader::new(&byte, Limits::default()).bool().unwrap_err();
    assert_eq!(error.kind, WireErrorKind::BadBool(2));
}

#[test]
fn empty_containers_may_leave_out_their_types() {
    for bytes in ["00 00000000", "08 00000000"] {
        assert_eq!(BinaryReader::new(&hex(bytes), Limits::default()).list_begin().unwrap().len, 0);
    }
    assert_eq!(BinaryReader::new(&hex("0000 00000000"), Limits::default()).map_begin().unwrap().len, 0);
    assert_eq!(CompactReader::new(&hex("00"), Limits::default()).list_begin().unwrap().len, 0);
}

#[test]
fn compact_lists_of_truth_values_read_every_writer() {
    for bytes in ["21 01 02", "22 01 02", "21 01 00", "22 01 00"] {
        let value =
            read(&mut CompactReader::new(&hex(bytes), Limits::default()), WireType::List, false).unwrap();
        assert_eq!(
            value,
            Value::List(WireType::Bool, vec![Value::Bool(true), Value::Bool(false)]),
            "{bytes}"
        );
    }
}

#[test]
fn json_that_is_not_the_protocol_is_refused() {
    for text in [
        r#"[2,"f",1,7,{}]"#,
        r#"[1,"f",9,7,{}]"#,
        r#"[1,"f",1,7,{"1":{"nope":1}}]"#,
        r#"[1,"f",1,7,{"x":{"i32":1}}]"#,
        r#"[1,"f",1,7,{"1":{"i8":300}}]"#,
        r#"[1,"f",1,7,{"1":{"i32":1.5}}]"#,
        r#"[1,"f",1,7,{"1":{"i32":"5"}}]"#,
        r#"[1,"f",1,7,{"1":{"tf":2}}]"#,
        r#"[1,"f",1,7,{"1":{"i32":1},}]"#,
        r#"[1,"f",1,7,{"1":{"i32":1}"2":{"i32":1}}]"#,
        r#"[1,"f",1,7,{"1":{"lst":["i32",2,1]}}]"#,
        r#"[1,"f",1,7,{"1":{"lst":["i32",1,1,2]}}]"#,
        r#"[1,"f",1,7,{"1":{"map":["i32","i32",1,{1:2}]}}]"#,
        r#"[1,"f",1,7,{"1":{"dbl":"1.5"}}]"#,
        r#"[1,"f",1,7,{"1":{"dbl":NaN}}]"#,
        r#"[1,"f",1,7,{"1":{"str":"\x"}}]"#,
        r#"[1,"f",1,7,{"1":{"str":5}}]"#,
        r#"[1,"f",1,7,{}}"#,
    ] {
        let error = read_any(Protocol::Json, text.as_bytes()).unwrap_err();
        assert!(!error.is_truncated(), "{text}: {error}");
    }
}

#[test]
fn json_is_read_with_blanks_and_struct_keys() {
    let text = r#" [ 1 , "f" , 1 , 7 , { "1" : { "map" : [ "rec" , "dbl" , 2 , { {} : 1 , { "1" : { "i32" : 5 } } : "NaN" } ] } } ] "#;
    let value = read_any(Protocol::Json, text.as_bytes()).unwrap().3;
    assert!(format!("{value:?}").contains("NaN"));
}

#[test]
fn reading_is_limited_in_depth_for_every_protocol() {
    let deep = |levels: usize| {
        let mut value = Value::Struct(Vec::new());
        for _ in 1..levels {
            value = Value::Struct(vec![(1, WireType::Struct, value)]);
        }
        value
    };
    for (protocol, form, _) in messages() {
        let fits = write_any(protocol, form, &deep(64));
        assert!(read_any(protocol, &fits).is_ok(), "{protocol:?}");
        assert!(message_len(protocol, &fits, Limits::default()).is_ok(), "{protocol:?}");
        let deeper = write_any(protocol, form, &deep(100));
        assert_eq!(read_any(protocol, &deeper).unwrap_err().kind, WireErrorKind::TooDeep, "{protocol:?}");
        let skipped = message_len(protocol, &deeper, Limits::default());
        assert_eq!(skipped.unwrap_err().kind, WireErrorKind::TooDeep, "{protocol:?}");
    }
}

fn any_value(depth: u32) -> impl Strategy<Value = (WireType, Value)> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(|it| (WireType::Bool, Value::Bool(it))),
        any::<i8>().prop_map(|it| (WireType::I8, Value::I8(it))),
        any::<i16>().prop_map(|it| (WireType::I16, Value::I16(it))),
        any::<i32>().prop_map(|it| (WireType::I32, Value::I32(it))),
        any::<i64>().prop_map(|it| (WireType::I64, Value::I64(it))),
        any::<f64>()
            .prop_filter("NaN is not equal to itself", |it| !it.is_nan())
            .prop_map(|it| (WireType::Double, Value::Double(it))),
        any::<String>().prop_map(|it| (WireType::String, Value::Text(it.into_bytes()))),
        any::<[u8; 16]>().prop_map(|it| (WireType::Uuid, Value::Uuid(it))),
    ];
    leaf.prop_recursive(depth, 64, 6, |inner| {
        prop_oneof![
            prop::collection::vec(
                (any::<i16>().prop_filter("9 has bytes", |id| *id != 9), inner.clone()),
                0..6
            )
            .prop_map(|fields| {
                let fields = fields.into_iter().map(|(id, (ty, value))| (id, ty, value)).collect();
                (WireType::Struct, Value::Struct(fields))
            }),
            (inner.clone(), 0..20_usize)
                .prop_map(|((ty, value), len)| (WireType::List, Value::List(ty, vec![value; len]))),
            (inner.clone(), inner, 1..5_usize).prop_map(|((key, k), (value, v), len)| {
                (WireType::Map, Value::Map(key, value, vec![(k, v); len]))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn values_come_back_from_every_protocol((ty, value) in any_value(4)) {
        let value = Value::Struct(vec![(1, ty, value)]);
        for (protocol, form, _) in messages() {
            let bytes = write_any(protocol, form, &value);
            prop_assert_eq!(&read_any(protocol, &bytes).unwrap().3, &value);
            prop_assert_eq!(message_len(protocol, &bytes, Limits::default()), Ok(bytes.len()));
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for protocol in [Protocol::Binary, Protocol::Compact, Protocol::Json] {
            let _ = read_any(protocol, &bytes);
            let _ = message_len(protocol, &bytes, Limits::default());
        }
        let _ = thrift::wire::detect(&bytes);
        let _ = thrift::wire::HeaderFrame::parse(&bytes, 1 << 20).map(|frame| frame.infos().count());
    }

    #[test]
    fn broken_messages_never_panic_and_reading_agrees_with_skipping(at in any::<prop::sample::Index>(), byte in any::<u8>(), which in 0..4_usize) {
        let (protocol, _, mut bytes) = messages().swap_remove(which);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let read = read_any(protocol, &bytes);
        let skipped = message_len(protocol, &bytes, Limits::default());
        if let Ok((.., len)) = read {
            prop_assert_eq!(skipped, Ok(len));
        }
    }
}

#[test]
fn a_control_character_in_json_text_is_escaped_or_refused() {
    let read = |text: &[u8]| JsonReader::new(text, Limits::default()).string().map(|text| text.into_owned());
    assert_eq!(read(br#""a\tb""#), Ok(b"a\tb".to_vec()));
    for control in [0, 9, 10, 0x1f] {
        let error = read(&[b'"', b'a', control, b'"']).unwrap_err();
        assert_eq!(error.kind, WireErrorKind::Json(JsonProblem::Control), "{control}");
    }
}
