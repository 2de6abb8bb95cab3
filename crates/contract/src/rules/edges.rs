//! What tests of comparisons share: values that JSON cannot write, and values that doubles cannot hold.

use std::cmp::Ordering::{self, Equal, Greater, Less};

use value::Node;

/// Whether a comparison holds between a value and an operand.
type Holds = fn(Node<'_>, Node<'_>) -> bool;

/// Numbers, and how the first of two is ordered to the second.
const ORDERED: &[(Node<'_>, Node<'_>, Option<Ordering>)] = &[
    (Node::Int(i64::MIN), Node::Int(i64::MAX), Some(Less)),
    (Node::UInt(u64::MAX), Node::Int(-1), Some(Greater)),
    (Node::Int(9_007_199_254_740_993), Node::Float(9_007_199_254_740_992.0), Some(Greater)),
    (Node::Decimal("1e400"), Node::Decimal("10e399"), Some(Equal)),
    (Node::Decimal("-1e400"), Node::Float(f64::MIN), Some(Less)),
    (Node::Float(0.1), Node::Decimal("0.10000000000000000001"), Some(Less)),
    (Node::Float(-0.0), Node::Int(0), Some(Equal)),
    (Node::Float(f64::INFINITY), Node::Decimal("1e400"), Some(Greater)),
    (Node::Float(f64::NEG_INFINITY), Node::Float(f64::INFINITY), Some(Less)),
    (Node::Float(f64::NAN), Node::Int(0), None),
    (Node::Int(0), Node::Float(f64::NAN), None),
    (Node::Float(f64::NAN), Node::Float(f64::NAN), None),
    (Node::Int(1), Node::Text("0"), None),
];

/// Values, and whether the two are equal.
const EQUAL: &[(Node<'_>, Node<'_>, bool)] = &[
    (Node::Int(1), Node::Float(1.0), true),
    (Node::UInt(u64::MAX), Node::Decimal("18446744073709551615.0"), true),
    (Node::Int(i64::MAX), Node::Float(i64::MAX as f64), false),
    (Node::Float(-0.0), Node::Float(0.0), true),
    (Node::Float(f64::NAN), Node::Float(f64::NAN), false),
    (Node::Float(f64::INFINITY), Node::Float(f64::INFINITY), true),
    (Node::Text("a"), Node::Bytes(b"a"), true),
    (Node::Text("a"), Node::Text("A"), false),
    (Node::Text("\u{e9}"), Node::Text("e\u{301}"), false),
    (Node::Null, Node::Bool(false), false),
    (Node::Text("1"), Node::Int(1), false),
    (Node::List(0), Node::List(0), false),
];

/// Checks a comparison on values and operands.
#[track_caller]
pub(super) fn check(holds: Holds, table: &[(Node<'_>, Node<'_>, bool)]) {
    for (found, wanted, expected) in table {
        assert_eq!(holds(*found, *wanted), *expected, "{found:?} {wanted:?}");
    }
}

/// Checks that a comparison holds for certain orders of numbers, and for nothing else.
#[track_caller]
pub(super) fn check_order(holds: Holds, accepted: &[Ordering]) {
    for (found, wanted, order) in ORDERED {
        let expected = order.is_some_and(|order| accepted.contains(&order));
        assert_eq!(holds(*found, *wanted), expected, "{found:?} {wanted:?}");
    }
}

/// Checks that a comparison holds for equal values alone, or for all others.
#[track_caller]
pub(super) fn check_equality(holds: Holds, wants_equal: bool) {
    for (found, wanted, equal) in EQUAL {
        assert_eq!(holds(*found, *wanted), *equal == wants_equal, "{found:?} {wanted:?}");
    }
}
