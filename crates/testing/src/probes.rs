//! What a thread has evaluated of programs that tell it.

use std::cell::RefCell;
use std::collections::BTreeMap;

use arm::Value;
use bicep::FilePath;

/// How often each label of a point was met, by the id of the point.
pub(crate) type Hits = BTreeMap<String, [u64; 2]>;

thread_local! {
    /// Points that were met since somebody asked. A case runs on one thread.
    static MET: RefCell<Hits> = RefCell::default();
}

/// The id of a point.
pub(crate) fn id(kind: &str, start: impl std::fmt::Display, path: &FilePath) -> String {
    format!("{kind}:{start}:{path}")
}

/// Notes a label of a point.
pub(crate) fn note(id: &str, label: usize) {
    MET.with_borrow_mut(|met| {
        let counts = match met.get_mut(id) {
            Some(counts) => counts,
            None => met.entry(id.to_owned()).or_default(),
        };
        if let Some(count) = counts.get_mut(label) {
            *count += 1;
        }
    });
}

/// What was met since the last call.
pub(crate) fn take() -> Hits {
    MET.take()
}

/// Puts back what was taken, in the place of what was met since.
pub(crate) fn restore(hits: Hits) {
    MET.set(hits);
}

/// Does something whose evaluations do not count, because they are made a second time or for the sake of a message.
pub(crate) fn aside<T>(work: impl FnOnce() -> T) -> T {
    let hits = take();
    let made = work();
    restore(hits);
    made
}

/// `probe(id, value)`: the value, which is noted.
pub(crate) fn probe(arguments: &[Value]) -> Result<Value, String> {
    let [id, value] = arguments else { return Err("it takes an id and a value".to_owned()) };
    let id = id.as_str().unwrap_or_default();
    let is_true = matches!(value, Value::Bool(true));
    let label = match id.split(':').next().unwrap_or_default() {
        "condition" | "ternary" | "or" => usize::from(!is_true),
        "and" => usize::from(is_true),
        "coalesce" | "safe" => usize::from(value.is_null()),
        "loop" => usize::from(!matches!(value, Value::Int(0))),
        _ => 0,
    };
    note(id, label);
    Ok(value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_labels() {
        take();
        for (id, value) in [
            ("condition:1:a", Value::Bool(true)),
            ("condition:1:a", Value::Bool(false)),
            ("and:2:a", Value::Bool(false)),
            ("or:3:a", Value::Bool(false)),
            ("coalesce:4:a", Value::Null),
            ("loop:5:a", Value::Int(0)),
            ("loop:5:a", Value::Int(3)),
        ] {
            assert_eq!(probe(&[id.into(), value.clone()]), Ok(value));
        }
        let met: Vec<(String, [u64; 2])> = take().into_iter().collect();
        let expect = [
            ("and:2:a", [1, 0]),
            ("coalesce:4:a", [0, 1]),
            ("condition:1:a", [1, 1]),
            ("loop:5:a", [1, 1]),
            ("or:3:a", [0, 1]),
        ];
        assert_eq!(met, expect.map(|(id, counts)| (id.to_owned(), counts)));
        assert!(take().is_empty());
    }
}
