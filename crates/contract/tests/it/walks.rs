//! What the quick walk must not lose: many properties, a count of work, an order, and hints that help.

use contract::{
    CheckLimits, Constant, Contract, Definitions, FlawCode, Object, Operand, Order, Property, Shape, Test,
    Unit,
};

fn compile(shape: &Shape) -> Contract {
    Contract::compile(shape, &Definitions::new()).unwrap_or_else(|flaws| panic!("{flaws:?}"))
}

fn object(names: &[String]) -> Constant {
    Constant::Object(names.iter().map(|name| (name.as_str().into(), 1.into())).collect())
}

/// More properties than fit the set of those seen that lies on the stack, and more required ones than have a bit.
#[test]
fn each_of_many_required_properties_is_missed() {
    let names: Vec<String> = (0..200).map(|number| format!("p{number}")).collect();
    let properties = names.iter().map(|name| Property::required(name.as_str(), Shape::int()));
    let contract = compile(&Shape::object(properties.collect::<Vec<_>>()));
    assert!(contract.is_valid(&object(&names)));
    for missing in 0..names.len() {
        let mut others = names.clone();
        others[missing] = "stranger".to_owned();
        assert!(!contract.is_valid(&object(&others)), "{missing}");
        assert_eq!(contract.violations(&object(&others)).len(), 1, "{missing}");
    }
}

/// The least work with which a value is found valid.
fn work_for(shape: &Shape, value: &Constant) -> u64 {
    let contract = compile(shape);
    let suffices = |work: &u64| {
        contract.checker().limits(CheckLimits { work: *work, ..CheckLimits::default() }).is_valid(value)
    };
    (0..1000).find(suffices).unwrap()
}

#[test]
fn a_container_costs_a_step_and_one_for_each_part() {
    let names: Vec<String> = (0..10).map(|number| format!("p{number}")).collect();
    let properties = |count: usize| {
        names
            .iter()
            .take(count)
            .map(|name| Property::required(name.as_str(), Shape::any()))
            .collect::<Vec<_>>()
    };
    let value = object(&names);
    // All are known; then two of them, which are looked up.
    assert_eq!(work_for(&Shape::object(properties(10)), &value), 11);
    assert_eq!(work_for(&Shape::object(properties(2)), &value), 3);
    // As it is written, because a rule compares members.
    let same = Test::Eq(Operand::Reference(contract::Reference::field("p0")));
    let compared = Property::required("p1", Shape::any().must(same));
    let written = Shape::object([Property::required("p0", Shape::any()), compared]);
    assert_eq!(work_for(&written, &value) - work_for(&written, &object(&names[..2])), 0);
}

#[test]
fn violations_can_be_in_the_order_of_the_declaration() {
    let short = || Shape::text().must(Test::MaxLength(Unit::Scalars, 1.into()));
    let properties = ["a", "b", "c"].map(|name| Property::optional(name, short()));
    let contract = compile(&Object::open(properties).closed().into());
    let members = [("c", "long"), ("x", "long"), ("a", "long"), ("b", "long")];
    let members = members.map(|(name, text)| (name.into(), text.into()));
    let value = Constant::Object(members.into());
    let paths = |order| {
        let found = contract.checker().order(order).violations(&value);
        found.iter().map(|it| it.path.pointer()).collect::<Vec<_>>()
    };
    assert_eq!(paths(Order::Document), ["/c", "/x", "/a", "/b"]);
    assert_eq!(paths(Order::Declared), ["/a", "/b", "/c", "/x"]);
}

#[test]
fn a_call_of_an_unknown_function_lists_those_that_are_known() {
    let call = Operand::Call { function: "twice".into(), arguments: Vec::new() };
    let flaws = Contract::compile(&Shape::int().must(Test::Le(call)), &Definitions::new()).unwrap_err();
    assert_eq!(
        (flaws[0].code, flaws[0].hint.as_deref()),
        (FlawCode::UnknownFunction, Some("known functions are len"))
    );
}
