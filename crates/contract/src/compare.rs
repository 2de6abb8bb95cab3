//! Equality, order and hashing of values, the same for every rule that needs them.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use value::number::Number;
use value::{Node, View};

/// Equality of two scalars. Numbers are equal by value, text equals the bytes it is made of.
///
/// Containers are never equal here: see [`deep_equal`].
pub(crate) fn equal(left: Node<'_>, right: Node<'_>) -> bool {
    match (left, right) {
        (Node::Null, Node::Null) => true,
        (Node::Bool(left), Node::Bool(right)) => left == right,
        (Node::Int(left), Node::Int(right)) => left == right,
        (Node::Text(_) | Node::Bytes(_), Node::Text(_) | Node::Bytes(_)) => bytes(&left) == bytes(&right),
        _ => order(left, right) == Some(Ordering::Equal),
    }
}

/// The order of two numbers; `None` if one is not a number or is NaN.
pub(crate) fn order(left: Node<'_>, right: Node<'_>) -> Option<Ordering> {
    if let (Node::Int(left), Node::Int(right)) = (left, right) {
        return Some(left.cmp(&right));
    }
    Number::compare(&Number::from_node(&left)?, &Number::from_node(&right)?)
}

/// The bytes of text or bytes; `None` for anything else.
pub(crate) fn bytes<'v>(node: &Node<'v>) -> Option<&'v [u8]> {
    match node {
        Node::Text(text) => Some(text.as_bytes()),
        Node::Bytes(bytes) => Some(bytes),
        _ => None,
    }
}

/// Whether two texts, or bytes, hold together; nothing else does.
pub(crate) fn both_texts(found: &Node<'_>, wanted: &Node<'_>, holds: impl Fn(&[u8], &[u8]) -> bool) -> bool {
    bytes(found).zip(bytes(wanted)).is_some_and(|(found, wanted)| holds(found, wanted))
}

/// Equality of whole values. Objects are equal when they have equal members in any order.
///
/// Deeper than `depth` levels, values count as different: the caller's depth limit has already spoken of such a document.
pub(crate) fn deep_equal<'a, 'b, A: View<'a>, B: View<'b>>(left: A, right: B, depth: u32) -> bool {
    match (left.node(), right.node()) {
        (Node::List(left_len), Node::List(right_len)) => {
            depth > 0
                && left_len == right_len
                && left.items().zip(right.items()).all(|(left, right)| deep_equal(left, right, depth - 1))
        }
        (Node::Object(left_len), Node::Object(right_len)) => {
            depth > 0
                && left_len == right_len
                && match left_len <= FEW {
                    true => same_few_members(left, right, depth - 1),
                    false => same_many_members(left, right, depth - 1),
                }
        }
        (left, right) => equal(left, right),
    }
}

/// Objects up to this size are compared member by member; one bit each says which members are taken.
const FEW: usize = 16;

fn same_few_members<'a, 'b, A: View<'a>, B: View<'b>>(left: A, right: B, depth: u32) -> bool {
    let mut taken = 0u32;
    left.members().all(|(key, value)| {
        let twin = right.members().take(FEW).enumerate().find(|(position, (other, twin))| {
            taken >> position & 1 == 0 && deep_equal(key, *other, depth) && deep_equal(value, *twin, depth)
        });
        twin.is_some_and(|(position, _)| {
            taken |= 1 << position;
            true
        })
    })
}

/// Sorts the members of both sides by a keyed hash, so that no document makes the comparison slow.
fn same_many_members<'a, 'b, A: View<'a>, B: View<'b>>(left: A, right: B, depth: u32) -> bool {
    let keyed = RandomState::new();
    let (left, right) = (sorted_members(left, &keyed, depth), sorted_members(right, &keyed, depth));
    left.len() == right.len()
        && left.iter().zip(&right).all(|((print, key, value), (other_print, other_key, twin))| {
            print == other_print && deep_equal(*key, *other_key, depth) && deep_equal(*value, *twin, depth)
        })
}

fn sorted_members<'v, V: View<'v>>(object: V, keyed: &RandomState, depth: u32) -> Vec<(u64, V::Key, V)> {
    let print = |key: V::Key| {
        let mut state = keyed.build_hasher();
        deep_hash(key, &mut state, keyed, depth);
        state.finish()
    };
    let mut members: Vec<(u64, V::Key, V)> =
        object.members().map(|(key, value)| (print(key), key, value)).collect();
    members.sort_by_key(|(print, ..)| *print);
    members
}

/// Feeds a value into a hasher such that equal values give equal hashes.
pub(crate) fn deep_hash<'v, V: View<'v>, S: BuildHasher>(
    value: V,
    state: &mut S::Hasher,
    keyed: &S,
    depth: u32,
) {
    match value.node() {
        Node::Null | Node::Unknown => 0u8.hash(state),
        Node::Bool(it) => it.hash(state),
        Node::Text(text) => text.as_bytes().hash(state),
        Node::Bytes(bytes) => bytes.hash(state),
        Node::List(len) => {
            len.hash(state);
            if depth > 0 {
                value.items().for_each(|item| deep_hash(item, state, keyed, depth - 1));
            }
        }
        Node::Object(len) => {
            len.hash(state);
            if depth > 0 {
                // Members hash apart and are added up, because their order does not matter.
                let sum = value.members().fold(0u64, |sum, (key, value)| {
                    let mut member = keyed.build_hasher();
                    deep_hash(key, &mut member, keyed, depth - 1);
                    deep_hash(value, &mut member, keyed, depth - 1);
                    sum.wrapping_add(member.finish())
                });
                sum.hash(state);
            }
        }
        node @ (Node::Int(_) | Node::UInt(_) | Node::Float(_) | Node::Decimal(_)) => {
            let number = Number::from_node(&node);
            match (number.and_then(|number| number.as_i64()), number) {
                (Some(whole), _) => state.write_i64(whole),
                (None, Some(number)) => number.hash_into(state),
                (None, None) => {}
            }
        }
    }
}
