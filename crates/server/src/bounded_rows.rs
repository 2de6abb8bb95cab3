//! Rows of lists, by count and by bytes: records may be large, so only some are read at a time.

use arm::{ObjectBuilder, Value};
use store::{Deployment, PageAfter, Resource, ResourceId, RunId, Store, StoreError};

/// How many rows are read first. If they are small, more follow at once.
const FIRST: usize = 4;
/// After how many bytes nothing more is read.
const MOST_BYTES: usize = 4 << 20;
/// A row that is larger than this many bytes is shown in a list without its large parts, which are those with more than so many bytes.
const ITEM: usize = 64 << 10;
const PART: u64 = 8 << 10;

pub(crate) struct BoundedRows<T> {
    pub(crate) rows: Vec<T>,
    /// Whether no others follow.
    pub(crate) is_last: bool,
}

/// The deployments of a scope behind a place.
pub(crate) fn deployments(
    store: &dyn Store,
    scope: Option<&str>,
    after: Option<(i64, RunId)>,
    take: usize,
) -> Result<BoundedRows<Deployment>, StoreError> {
    let read = |last: Option<&Deployment>, take| {
        let after = last.map(|last| (last.order, last.run)).or(after);
        store.deployments_after(scope, PageAfter { after, take })
    };
    bounded(take, read, |row| row.body.len())
}

/// The resources below an id behind another one.
pub(crate) fn resources(
    store: &dyn Store,
    below: &str,
    after: &str,
    take: usize,
) -> Result<BoundedRows<Resource>, StoreError> {
    let read = |last: Option<&Resource>, take| {
        let after = last.map_or(after, |last| last.id.as_str());
        store.resources_after(below, &ResourceId::new(after), take)
    };
    bounded(take, read, |row| row.body.len())
}

fn bounded<T>(
    take: usize,
    read: impl Fn(Option<&T>, usize) -> Result<Vec<T>, StoreError>,
    size: impl Fn(&T) -> usize,
) -> Result<BoundedRows<T>, StoreError> {
    let (mut rows, mut bytes, mut next) = (Vec::new(), 0_usize, FIRST);
    loop {
        let wanted = next.min(take.saturating_sub(rows.len()));
        let read = read(rows.last(), wanted)?;
        let is_last = read.len() < wanted;
        let more = read.iter().map(&size).sum::<usize>();
        bytes += more;
        rows.extend(read);
        if is_last || rows.len() >= take || bytes >= MOST_BYTES {
            return Ok(BoundedRows { rows, is_last });
        }
        next = if more < MOST_BYTES / 8 { next.saturating_mul(2) } else { FIRST };
    }
}

/// What a list shows of something: all of it, or if it is large, all but its large parts.
pub(crate) fn in_list(text: String, read: impl FnOnce(&str) -> Option<Value>) -> String {
    if text.len() <= ITEM {
        return text;
    }
    match read(&text) {
        Some(body) => without_large_parts(&body).to_json(),
        None => text,
    }
}

/// The same without the parts that are large, at the top and among the properties.
fn without_large_parts(body: &Value) -> Value {
    let Some(members) = body.as_object() else { return body.clone() };
    let mut shown = ObjectBuilder::default();
    for (name, value) in members {
        if name.eq_ignore_ascii_case("properties") && value.as_object().is_some() {
            let mut kept = ObjectBuilder::default();
            let small = value.as_object().into_iter().flatten().filter(|(_, part)| part.written() <= PART);
            small.for_each(|(name, part)| kept.set(name.clone(), part.clone()));
            shown.set(name.clone(), kept.finish());
        } else if value.written() <= PART {
            shown.set(name.clone(), value.clone());
        }
    }
    shown.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of a list of rows, each of which has so many bytes.
    fn read(sizes: &[usize], take: usize) -> (usize, bool, usize) {
        let asked = std::cell::Cell::new(0);
        let all: Vec<(usize, usize)> = sizes.iter().copied().enumerate().collect();
        let read = |last: Option<&(usize, usize)>, take: usize| {
            asked.set(asked.get() + 1);
            let start = last.map_or(0, |(at, _)| at + 1);
            Ok(all[start..].iter().take(take).copied().collect())
        };
        let found = bounded(take, read, |(_, size)| *size).unwrap();
        assert!(found.rows.iter().enumerate().all(|(at, row)| row.0 == at));
        (found.rows.len(), found.is_last, asked.get())
    }

    #[test]
    fn small_rows_are_read_in_few_steps_and_large_ones_end_a_page_early() {
        assert_eq!(read(&[100; 500], 201), (201, false, 6));
        assert_eq!(read(&[100; 10], 201), (10, true, 2));
        assert_eq!(read(&[], 201), (0, true, 1));
        assert_eq!(read(&[2 << 20; 500], 201), (4, false, 1));
        assert_eq!(read(&[600 << 10; 500], 201), (8, false, 2));
    }

    #[test]
    fn a_list_shows_large_things_without_what_makes_them_large() {
        let large = Value::from("x".repeat(100_000));
        let properties = Value::object([("size", Value::Int(1)), ("outputs", large)]);
        let body = Value::object([("id", Value::from("/a")), ("properties", properties)]);
        let shown = in_list(body.to_json(), |_| Some(body.clone()));
        assert_eq!(shown, r#"{"id":"/a","properties":{"size":1}}"#);
        assert_eq!(in_list("{}".to_owned(), |_| None), "{}");
    }
}
