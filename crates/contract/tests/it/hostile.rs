//! Hostile contracts and documents: answered in time that grows with their size, and without a deep stack.

use std::time::Duration;

use contract::{
    CheckLimits, Constant, Contract, Definitions, Enum, Flaw, FlawCode, Form, Object, Operand, Order, Plain,
    Presence, Property, Reference, Rule, Select, Shape, Test, Union, Unit,
};
use document::{Document, FileId};

/// Far more processor time than any of these takes, far less than the square of their size would.
const PATIENCE: Duration = Duration::from_secs(20);

/// The processor time of this thread, which does not depend on what else the machine does.
fn processor_time() -> Duration {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Duration::try_from(time).unwrap()
    }
    #[cfg(not(unix))]
    Duration::ZERO
}

#[track_caller]
fn in_time<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = processor_time();
    let result = work();
    let taken = processor_time().saturating_sub(start);
    assert!(taken < PATIENCE, "{what} took {taken:?}");
    result
}

fn compile(shape: &Shape) -> Contract {
    Contract::compile(shape, &Definitions::new()).unwrap_or_else(|flaws| panic!("{flaws:?}"))
}

fn object(members: impl IntoIterator<Item = (String, Constant)>) -> Constant {
    Constant::Object(members.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

const MANY: usize = 30_000;

/// Names that agree in length and at both ends.
fn alike(number: usize) -> String {
    format!("property-{number:06}-of-an-object")
}

/// A contract with many properties in every role, through its JSON form and back.
#[test]
fn a_hundred_thousand_words() {
    let names: Vec<String> = (0..MANY).map(alike).collect();
    let list = |make: &dyn Fn(&String) -> String| names.iter().map(make).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}],"additionalProperties":false,
            "dependentRequired":{{{}}},"anyOf":[{}],"$defs":{{{}}}}}"#,
        list(&|name| format!(r##""{name}":{{"$ref":"#/$defs/{name}","default":1}}"##)),
        list(&|name| format!(r#""{name}""#)),
        list(&|name| format!(r#""{name}":["{name}"]"#)),
        list(&|name| format!(r#"{{"required":["{name}"]}}"#)),
        list(&|name| format!(r#""{name}":{{"gt":{{"$field":"{name}"}},"enum":[{{"$field":"{name}"}},1]}}"#)),
    );
    let document = Document::from_json(&*text, FileId::FIRST, &document::ReadLimits::default()).unwrap();
    let contract = in_time("compiling", || Contract::from_json(document.root(), &Plain)).unwrap();
    let written = in_time("writing", || contract.to_json());
    let written = Document::from_json(&*written, FileId::FIRST, &document::ReadLimits::default()).unwrap();
    in_time("compiling again", || Contract::from_json(written.root(), &Plain)).unwrap();
    in_time("the outline", || contract.to_text());
    let all = object(names.iter().map(|name| (name.clone(), 1.into())));
    let strange = object((0..MANY).map(|number| (alike(number + MANY), 1.into())));
    for (what, value) in [("nothing", object([])), ("everything", all), ("strangers", strange)] {
        let document =
            Document::from_json(value.to_string(), FileId::FIRST, &document::ReadLimits::default()).unwrap();
        let value = document.root();
        assert!(!in_time(what, || contract.is_valid(value)));
        in_time(what, || contract.violations(value));
        in_time(what, || contract.checker().order(Order::Declared).violations(value));
    }
}

#[test]
fn long_lists_of_values() {
    let constants = |from: i64| (from..).take(MANY).map(Operand::from).collect::<Vec<_>>();
    let contract =
        compile(&Shape::list(Shape::any().must(Test::In(constants(0))).must(Test::NotIn(constants(1)))));
    let value = Constant::List((0..MANY as i64).map(Constant::from).collect());
    assert!(!in_time("members", || contract.is_valid(&value)));
    let contradiction = Shape::int().must(Test::In(constants(0))).must(Test::In(constants(MANY as i64)));
    let flaws = in_time("contradictions", || Contract::compile(&contradiction, &Definitions::new()));
    assert_eq!(flaws.unwrap_err().first().unwrap().code, FlawCode::Unsatisfiable);
}

#[test]
fn large_objects_compared_whole() {
    let forward = object((0..MANY).map(|number| (alike(number), Constant::Int(1))));
    let backward = object((0..MANY).rev().map(|number| (alike(number), Constant::Float(1.0))));
    let contract = compile(&Shape::any().must(Test::Constant(forward)));
    assert!(in_time("const", || contract.is_valid(&backward)));
    let keyed = |keys: &mut dyn Iterator<Item = i64>| {
        Constant::Object(keys.map(|key| (key.into(), Constant::Null)).collect())
    };
    let twins = Constant::List(vec![keyed(&mut (0..MANY as i64)), keyed(&mut (0..MANY as i64).rev())]);
    assert!(!in_time("unique", || compile(&Shape::any().must(Test::Unique(()))).is_valid(&twins)));
}

/// Values that no comparison tells apart, or that equal nothing.
#[test]
fn lists_that_defy_hashing() {
    let unique = compile(&Shape::any().must(Test::Unique(())));
    let nan = Constant::List(vec![Constant::Float(f64::NAN); MANY]);
    assert!(in_time("NaN", || unique.is_valid(&nan)));
    let deep = |inner: i64| (0..200).fold(Constant::Int(inner), |inner, _| Constant::List(vec![inner]));
    let deep = Constant::List((0..1000).map(deep).collect());
    in_time("deep elements", || unique.is_valid(&deep));
}

#[test]
fn ways_that_double_on_every_level() {
    let mut definitions = Definitions::new();
    let next = |name: &str| Shape::object([Property::required("next", Shape::reference(name))]);
    let either = Union { alternatives: vec![next("n"), next("n")], select: Select::Any };
    definitions.insert("n".into(), either.into());
    let contract = Contract::compile(&Shape::reference("n"), &definitions).unwrap();
    let value = (0..60).fold(object([]), |inner, _| object([("next".to_owned(), inner)]));
    let limits = CheckLimits { work: 1_000_000, ..CheckLimits::default() };
    let violations = in_time("alternatives", || contract.checker().limits(limits).violations(&value));
    assert_eq!(violations.last().unwrap().code, "limit");
}

/// Alternatives are looked into for what tells them apart, but not into all of what they lead to.
#[test]
fn alternatives_of_alternatives_of_alternatives() {
    let some = Shape::any().must(Test::MinLength(Unit::Properties, 1.into()));
    let either = |inner: Shape| Shape::from(Union { alternatives: vec![inner; 1000], select: Select::Any });
    let mut definitions = Definitions::new();
    definitions.insert("b".into(), either(Shape::reference("c")));
    definitions.insert("c".into(), either(some));
    let contract = in_time("compiling", || Contract::compile(&either(Shape::reference("b")), &definitions));
    assert!(contract.unwrap().is_valid(&object([("a".to_owned(), 1.into())])));
}

/// A step of work stands for a bounded amount of it, however long the texts and lists are.
#[test]
fn long_values_cost_work() {
    let long = Constant::Text("a".repeat(1 << 20).into());
    let shape = Shape::text().must(Test::MaxLength(Unit::Utf16, 5_000_000.into()));
    let alternatives = vec![shape.must(Test::NotContains("b".into())); 1000];
    let contract = compile(&Shape::new(Form::All(alternatives)));
    let limits = CheckLimits { work: 10_000, ..CheckLimits::default() };
    let violations = in_time("text", || contract.checker().limits(limits).violations(&long));
    assert_eq!(violations.last().unwrap().code, "limit");
}

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

/// The deepest walks that limits allow fit a thread of two megabytes, without optimisation.
#[test]
fn the_greatest_depth_fits_the_stack() {
    let mut definitions = Definitions::new();
    let inner = Shape::object([Property::optional("a", Shape::reference("n"))])
        .must(Test::Values(Box::new(Shape::reference("n"))))
        .must(Test::Eq(Operand::Reference(Reference::field("x"))));
    let either = Union {
        alternatives: vec![Shape::int(), inner, Shape::list(Shape::reference("n"))],
        select: Select::Any,
    };
    definitions.insert("n".into(), Shape::from(either).must(Test::Not(Box::new(Shape::text()))));
    let contract = Contract::compile(&Shape::reference("n"), &definitions).unwrap();
    let lists = (0..10_000).fold(Constant::Null, |inner, _| Constant::List(vec![inner]));
    let objects = (0..10_000).fold(Constant::Null, |inner, _| object([("a".to_owned(), inner)]));
    for value in [lists, objects] {
        let limits = CheckLimits { depth: CheckLimits::DEEPEST, work: 100_000, ..CheckLimits::default() };
        let violations = on_a_small_stack(|| contract.checker().limits(limits).violations(&value));
        assert_eq!(violations.last().unwrap().code, "limit");
        // Dropping it is the caller's business, and takes a stack of its own.
        std::mem::forget(value);
    }
}

fn flaws(shape: &Shape) -> Vec<Flaw> {
    on_a_small_stack(|| Contract::compile(shape, &Definitions::new()).unwrap_err())
}

#[test]
fn shapes_that_nest_too_deeply_are_refused() {
    let lists = (0..2000).fold(Shape::int(), |inner, _| Shape::list(inner));
    let nots = (0..2000).fold(Shape::int(), |inner, _| Shape::any().must(Test::Not(Box::new(inner))));
    for shape in [lists, nots] {
        assert_eq!(flaws(&shape).first().unwrap().code, FlawCode::TooDeep);
        std::mem::forget(shape);
    }
}

/// A chain of definitions is long, not deep.
#[test]
fn a_long_chain_of_definitions_compiles() {
    let name = |number: usize| format!("d{number}");
    let definitions: Definitions = (0..MANY)
        .map(|number| {
            let next = Property::optional("next", Shape::reference(&name(number + 1)));
            (name(number).into(), Shape::object([next]))
        })
        .chain([(name(MANY).into(), Shape::int())])
        .collect();
    let contract = in_time("chain", || Contract::compile(&Shape::reference(&name(0)), &definitions)).unwrap();
    assert!(contract.is_valid(&object([])));
    let cycle: Definitions =
        (0..MANY).map(|number| (name(number).into(), Shape::reference(&name((number + 1) % MANY)))).collect();
    let flaws = in_time("cycle", || Contract::compile(&Shape::reference(&name(0)), &cycle)).unwrap_err();
    assert_eq!(flaws.first().unwrap().code, FlawCode::EndlessDefinition);
}

/// The paths of violations inside a very long name do not fill the memory.
#[test]
fn long_names_are_not_repeated_without_end() {
    let contract = compile(&Shape::map(Shape::text(), Shape::list(Shape::int())));
    let name = "n".repeat(1 << 20);
    let value = object([(name, Constant::List(vec![Constant::Null; 2000]))]);
    let violations = contract.violations(&value);
    assert!(violations.len() < 40, "{}", violations.len());
}

#[test]
fn properties_declared_twice_are_refused() {
    let twice = Shape::object([Property::optional("a", Shape::int()), Property::optional("a", Shape::any())]);
    assert_eq!(flaws(&twice).first().unwrap().message, "the property `a` is declared twice");
    let tagged = |name: &str| Property { tag: Some(7), ..Property::optional(name, Shape::any()) };
    let tags = Shape::object([tagged("a"), tagged("b")]);
    let found = flaws(&tags);
    assert_eq!(found.first().unwrap().code, FlawCode::DuplicateProperty);
    assert_eq!(
        found.first().unwrap().message,
        "the property `b` has the number 7, which another property has"
    );
}

/// Properties by number: rules name them, documents number them.
#[test]
fn numbered_properties_are_found_by_rules_that_name_them() {
    let tagged =
        |name: &str, tag: i64, shape: Shape| Property { tag: Some(tag), ..Property::optional(name, shape) };
    let shape = Shape::object([
        tagged("least", 1, Shape::int()),
        tagged("most", 2, Shape::int().must(Test::Ge(Operand::Reference(Reference::field("least"))))),
        tagged("other", 3, Shape::any()),
    ])
    .must(Test::Presence(Presence::Requires("most".into(), vec!["least".into()])));
    let contract = compile(&shape);
    let struct_of = |members: &[(i64, i64)]| {
        Constant::Object(members.iter().map(|(tag, value)| ((*tag).into(), (*value).into())).collect())
    };
    assert!(contract.is_valid(&struct_of(&[(1, 1), (2, 2)])));
    let broken = contract.violations(&struct_of(&[(9, 5), (2, 1), (1, 2)]));
    assert_eq!(
        broken.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["$.most: must be at least 2 ($least) (ge)"]
    );
    let missing = contract.violations(&struct_of(&[(2, 1)]));
    assert_eq!(missing.first().unwrap().message(), "must have `least` because it has `most`");
}

/// A value that stands for an absent property is checked in its place, unless the property must be there.
#[test]
fn absent_properties_are_checked_by_what_stands_for_them() {
    let with = |required: bool| {
        let size = Shape::int().must(Test::Gt(0.into()));
        let property =
            Property { absent: Some(Box::new(0.into())), required, ..Property::optional("size", size) };
        let twice = Shape::int().must(Test::Gt(Operand::Reference(Reference::field("size"))));
        compile(&Shape::object([property, Property::optional("twice", twice)]))
    };
    let lines = |contract: &Contract, value: &Constant| {
        contract.violations(value).iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(lines(&with(false), &object([])), ["$.size: must be greater than 0 (gt)"]);
    assert_eq!(lines(&with(true), &object([])), ["$: must have the property `size` (required)"]);
    let value = object([("twice".to_owned(), 0.into())]);
    assert_eq!(
        lines(&with(false), &value),
        ["$.twice: must be greater than 0 ($size) (gt)", "$.size: must be greater than 0 (gt)"]
    );
    assert!(with(false).is_valid(&object([("size".to_owned(), 1.into())])));
}

/// Constants of a host may be what JSON cannot write.
#[test]
fn nan_and_infinities_break_what_they_must() {
    let (nan, infinite) = (Constant::Float(f64::NAN), Constant::Float(f64::INFINITY));
    let holds = |test: Test, value: &Constant| compile(&Shape::any().must(test)).is_valid(value);
    for test in [Test::Lt(1.into()), Test::Ge(1.into()), Test::Eq(1.into()), Test::MultipleOf(1.into())] {
        assert!(!holds(test, &nan));
    }
    assert!(holds(Test::Ne(1.into()), &nan));
    assert!(holds(Test::Ge(1.into()), &infinite));
    assert!(!holds(Test::Le(Constant::UInt(u64::MAX).into()), &infinite));
    assert!(!holds(Test::MultipleOf(1.into()), &infinite));
    assert!(compile(&Shape::number()).is_valid(&nan));
    assert!(!compile(&Shape::int()).is_valid(&infinite));
    let bad = Contract::compile(&Shape::any().must(Test::Lt(f64::NAN.into())), &Definitions::new());
    assert_eq!(bad.unwrap_err().first().unwrap().code, FlawCode::BadOperand);
}

/// Enums whose numbers are open still know their names.
#[test]
fn enums_take_members_by_number_and_by_name() {
    let table = [
        (false, false, [true, false, false, false]),
        (true, false, [true, true, false, false]),
        (false, true, [true, false, true, false]),
        (true, true, [true, true, true, false]),
    ];
    for (open, by_name, expected) in table {
        let members = vec![("ONE".into(), 1)];
        let contract = compile(&Shape::new(Form::Enum(Box::new(Enum { members, open, by_name }))));
        let values: [Constant; 4] = [1.into(), 2.into(), "ONE".into(), "TWO".into()];
        assert_eq!(values.each_ref().map(|value| contract.is_valid(value)), expected, "{open} {by_name}");
        let document =
            Document::from_json(contract.to_json(), FileId::FIRST, &document::ReadLimits::default()).unwrap();
        let again = Contract::from_json(document.root(), &Plain).unwrap();
        assert_eq!(values.each_ref().map(|value| again.is_valid(value)), expected, "{}", again.to_json());
    }
}

/// Text in a contract equals the same text as bytes.
#[test]
fn bytes_equal_the_text_they_spell() {
    let contract = compile(&Shape::new(Form::Bytes).must(Test::In(vec!["ab".into(), "cd".into()])));
    assert!(contract.is_valid(&Constant::Bytes(b"ab"[..].into())));
    assert!(!contract.is_valid(&Constant::Bytes(b"\xff"[..].into())));
    assert_eq!(contract.violations(&Constant::Bytes(b"ac"[..].into())).len(), 1);
}

/// A closed object of many members, with a rule for every one, reports as many as asked for.
#[test]
fn violations_stop_at_their_limit() {
    let contract = compile(&Object::open([]).closed().into());
    let value = object((0..5000).map(|number| (alike(number), Constant::Null)));
    assert_eq!(contract.violations(&value).len(), CheckLimits::default().violations);
    let limits = CheckLimits { violations: 7, ..CheckLimits::default() };
    assert_eq!(contract.checker().limits(limits).violations(&value).len(), 7);
}

/// A rule written by a dialect keeps its spelling and its words.
#[test]
fn a_dialect_names_its_rules() {
    let rule = Rule {
        spelling: Some("vt.gt".into()),
        message: Some("more!".into()),
        ..Rule::from(Test::Gt(3.into()))
    };
    let violation = compile(&Shape::int().rule(rule)).first_violation(&Constant::Int(1)).unwrap();
    assert_eq!(
        (violation.rule.as_ref(), violation.code, violation.message().as_str()),
        ("vt.gt", "gt", "more!")
    );
}
