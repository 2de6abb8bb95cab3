//! `uniqueItems`: no two elements of a list are equal.

use std::cell::RefCell;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use super::{RuleExample, RuleInfo};
use crate::compare::{deep_equal, deep_hash};
use value::number::Number;
use value::{Kinds, ValueKind};
use value::{Node, View};

pub(crate) const INFO: RuleInfo = RuleInfo {
    name: "uniqueItems",
    applies_to: Kinds::of(&[ValueKind::List]),
    summary: "No two elements of the list are equal.",
    details: "Elements are equal as for `const`: `1` and `1.0` are, and so are objects with the same members in \
              another order. The cost is linear in the size of the list.",
    examples: &[RuleExample {
        contract: r#"{"uniqueItems": true}"#,
        holds: &["[]", "[1, 2]", r#"[1, "1", [1], true]"#],
        breaks: &["[1, 2, 1.0]", r#"[{"a": 1, "b": 2}, {"b": 2, "a": 1}]"#],
    }],
};

pub(super) fn demand(_: &(), _: &str) -> String {
    "must not have equal elements".to_owned()
}

/// How many elements with one hash are compared. Only those that differ below the depth limit, or that equal
/// not even themselves, share a hash without being equal.
const LIKE: usize = 8;

/// Lists up to this length are compared pair by pair.
const FEW: usize = 12;

thread_local! {
    /// Hashes of the list being looked at, kept so that a checker that has seen a long list once does not
    /// allocate for the next.
    static HASHES: RefCell<Vec<(u64, u32)>> = const { RefCell::new(Vec::new()) };

    /// The table of the list being looked at: half a hash and the number of an element, zero is free.
    static SLOTS: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Whether no two elements of a list are equal. Says the same as [`first_duplicate`], sooner.
pub(crate) fn all_distinct<'v, V: View<'v>>(list: V, len: usize, depth: u32) -> bool {
    if len <= FEW {
        return among_few(list, depth).is_none();
    }
    let mut slots = SLOTS.take();
    let distinct = distinct_by_table(list, len, depth, &mut slots);
    SLOTS.set(slots);
    distinct.unwrap_or_else(|| among_many(list, depth).is_none())
}

/// Puts elements into a table by a quick hash without a key. Gives up on a list that was made to collide.
fn distinct_by_table<'v, V: View<'v>>(list: V, len: usize, depth: u32, slots: &mut Vec<u64>) -> Option<bool> {
    const TAG: u64 = !0 << 32;
    slots.clear();
    slots.resize((len * 2).next_power_of_two(), 0);
    let mask = slots.len() - 1;
    let (mut probes, mut comparisons) = (len * 4, 4u32);
    for (item, number) in list.items().zip(1u32..) {
        let hash = quick_hash(item, depth);
        let mut slot = hash as usize & mask;
        loop {
            match slots.get_mut(slot)? {
                free @ 0 => {
                    *free = hash & TAG | u64::from(number);
                    break;
                }
                taken if *taken & TAG == hash & TAG => {
                    let other = list.item((*taken & !TAG) as usize - 1)?;
                    if deep_equal(item, other, depth) {
                        return Some(false);
                    }
                    // Half a hash is rarely shared by chance, and finding an element may cost.
                    comparisons = comparisons.checked_sub(1)?;
                }
                _ => {}
            }
            probes = probes.checked_sub(1)?;
            slot = (slot + 1) & mask;
        }
    }
    Some(true)
}

/// A hash that equal values share.
#[inline(always)]
fn quick_hash<'v, V: View<'v>>(item: V, depth: u32) -> u64 {
    let mut state = Fold::default();
    // What is known without the text of the number.
    if let Some(fraction) = item.nearest().filter(|near| Number::is_fraction(*near)) {
        state.write_u64(fraction.to_bits());
    } else {
        match item.node() {
            Node::Text(text) => state.write(text.as_bytes()),
            Node::Bytes(bytes) => state.write(bytes),
            node @ (Node::Int(_) | Node::UInt(_) | Node::Float(_) | Node::Decimal(_)) => {
                state.write_u64(Number::key(&node, item.nearest()).unwrap_or_default());
            }
            _ => deep_hash(item, &mut state, &BuildHasherDefault::<Fold>::default(), depth),
        }
    }
    state.finish()
}

/// A quick hash: words folded by multiplication.
#[derive(Default)]
struct Fold(u64);

impl Fold {
    #[inline]
    fn word(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xd6e8_feb8_6659_fd93;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for Fold {
    fn finish(&self) -> u64 {
        self.0
    }

    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        match bytes.last_chunk::<8>() {
            Some(last) => {
                let (words, rest) = bytes.as_chunks::<8>();
                words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
                if !rest.is_empty() {
                    // With some of what was read already.
                    self.word(u64::from_le_bytes(*last));
                }
            }
            None => self.word(bytes.iter().fold(1, |word, byte| word << 8 | u64::from(*byte))),
        }
        self.0 ^= (bytes.len() as u64).rotate_left(48);
    }

    #[inline]
    fn write_u8(&mut self, byte: u8) {
        self.word(byte.into());
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.word(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.word(word as u64);
    }
}

/// Finds the first element that equals an earlier one, as (earlier, later).
pub(crate) fn first_duplicate<'v, V: View<'v>>(list: V, len: usize, depth: u32) -> Option<(usize, usize)> {
    if len <= FEW { among_few(list, depth) } else { among_many(list, depth) }
}

fn among_few<'v, V: View<'v>>(list: V, depth: u32) -> Option<(usize, usize)> {
    list.items().enumerate().skip(1).find_map(|(later, item)| {
        let earlier = list.items().take(later).position(|other| deep_equal(item, other, depth))?;
        Some((earlier, later))
    })
}

/// Sorts hashes to find candidates; only elements with equal hashes are compared.
fn among_many<'v, V: View<'v>>(list: V, depth: u32) -> Option<(usize, usize)> {
    // Keyed, so that nobody can prepare a list of elements that collide.
    let keyed = RandomState::new();
    // Taken out rather than borrowed: nothing can find the buffer in use.
    let mut hashes = HASHES.take();
    hashes.clear();
    hashes.extend(list.items().zip(0u32..).map(|(item, index)| {
        let mut state = keyed.build_hasher();
        deep_hash(item, &mut state, &keyed, depth);
        (state.finish(), index)
    }));
    hashes.sort_unstable();
    let mut first: Option<(usize, usize)> = None;
    for run in hashes.chunk_by(|left, right| left.0 == right.0).filter(|run| run.len() > 1) {
        for (position, (_, later)) in run.iter().enumerate().take(LIKE).skip(1) {
            let later = *later as usize;
            if first.is_some_and(|(_, found)| found <= later) {
                break;
            }
            let Some(item) = list.item(later) else { break };
            // Equal elements cluster, so the neighbour nearly always settles it.
            let twin = run.iter().take(position).find(|(_, earlier)| {
                list.item(*earlier as usize).is_some_and(|other| deep_equal(item, other, depth))
            });
            if let Some((_, earlier)) = twin {
                first = Some((*earlier as usize, later));
                break;
            }
        }
    }
    HASHES.set(hashes);
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Constant;

    #[track_caller]
    fn check(items: Vec<Constant>, expected: Option<(usize, usize)>) {
        let len = items.len();
        assert_eq!(first_duplicate(&Constant::List(items), len, 16), expected);
    }

    /// Short lists are compared pair by pair, long ones by hash; both find the first that repeats.
    #[test]
    fn the_first_element_that_repeats_is_found_in_short_and_long_lists() {
        check(vec![1.into(), 2.into(), 2.0.into(), 1.into()], Some((1, 2)));
        let long = |last: Vec<Constant>| (0..50).map(Constant::Int).chain(last).collect::<Vec<_>>();
        check(long(vec![]), None);
        check(long(vec![7.0.into(), 3.into()]), Some((7, 50)));
        check(long(vec!["a".into(), Constant::Bytes(b"a"[..].into())]), Some((50, 51)));
    }

    /// The table knows numbers by the double nearest to them, which numbers that differ may share.
    #[test]
    fn numbers_are_the_same_however_they_are_written_and_others_are_not() {
        let literal = |text: &str| Constant::Decimal(text.into());
        let distinct = |last: &[Constant]| {
            let items: Vec<Constant> = (0..50).map(Constant::Int).chain(last.iter().cloned()).collect();
            let len = items.len();
            let list = Constant::List(items);
            let (table, sorted) = (all_distinct(&list, len, 16), first_duplicate(&list, len, 16).is_none());
            assert_eq!(table, sorted, "{last:?}");
            table
        };
        for same in [
            [Constant::Float(0.123_456_789_012_345_68), literal("0.12345678901234568")],
            [literal("12345678901234567890123e-3"), literal("12345678901234567890.123")],
            [Constant::UInt(1 << 63), literal("9223372036854775808.0")],
            [Constant::Float(7.0), 60.into()],
            [Constant::Float(1e300), literal("10e299")],
            [literal("7.00000000000000000000"), 60.into()],
        ] {
            assert!(!distinct(&same), "{same:?}");
        }
        let close: Vec<Constant> =
            (10..40).map(|last| literal(&format!("0.12345678901234567890{last}1"))).collect();
        assert!(distinct(&close));
        assert!(!distinct(&[&close[..], &[literal("12345678901234567890.391e-20")]].concat()));
        assert!(distinct(&[Constant::Float(0.1), literal("0.1000000000000000055511151231257827")]));
        assert!(distinct(&[Constant::UInt(u64::MAX), Constant::UInt(u64::MAX - 1), Constant::Int(-1)]));
    }

    #[test]
    fn what_equals_not_even_itself_is_unique() {
        check(vec![Constant::Float(f64::NAN); 3], None);
        check(vec![Constant::Float(f64::NAN); 30], None);
    }

    #[test]
    fn objects_are_equal_in_any_order_and_with_the_same_number_of_members() {
        let object = |members: &[(&str, i64)]| {
            Constant::Object(members.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect())
        };
        check(vec![object(&[("a", 1), ("b", 2)]), object(&[("b", 2), ("a", 1)])], Some((0, 1)));
        check(vec![object(&[("a", 1), ("a", 1)]), object(&[("a", 1), ("b", 2)])], None);
        check(vec![object(&[("a", 1)]), object(&[("a", 2)]), object(&[])], None);
    }
}
