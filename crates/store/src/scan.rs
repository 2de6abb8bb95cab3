//! Rows one after the other, of which only a few are in memory: records may be large, and there may be very many.

use std::vec::IntoIter;

use crate::record::{Deployment, Operation, Page, PageAfter, Resource, ResourceId, RunId};
use crate::{Result, Store};

/// How many rows are read at first, and of large ones always.
const FEW: usize = 4;
/// How many rows are read at a time, if they are small.
const MANY: usize = 512;
/// Rows that have more bytes together are large.
const LARGE: usize = 256 << 10;

/// Reads rows in parts: more at a time as long as they are small.
struct GrowingReads<T, R> {
    read: R,
    rows: IntoIter<T>,
    take: usize,
    is_last: bool,
}

impl<T, R: FnMut(usize) -> Result<Vec<(T, usize)>>> GrowingReads<T, R> {
    fn new(read: R) -> GrowingReads<T, R> {
        GrowingReads { read, rows: Vec::new().into_iter(), take: FEW, is_last: false }
    }
}

impl<T, R: FnMut(usize) -> Result<Vec<(T, usize)>>> Iterator for GrowingReads<T, R> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        if let Some(row) = self.rows.next() {
            return Some(Ok(row));
        }
        if self.is_last {
            return None;
        }
        let read = match (self.read)(self.take) {
            Ok(read) => read,
            Err(error) => {
                self.is_last = true;
                return Some(Err(error));
            }
        };
        self.is_last = read.len() < self.take;
        let bytes: usize = read.iter().map(|(_, bytes)| bytes).sum();
        self.take = if bytes < LARGE { self.take.saturating_mul(2).min(MANY) } else { FEW };
        self.rows = read.into_iter().map(|(row, _)| row).collect::<Vec<T>>().into_iter();
        self.rows.next().map(Ok)
    }
}

/// The resources whose id begins with another id and that are behind a third one, in the order of their ids.
pub fn scan_resources<'s>(
    store: &'s dyn Store,
    below: &str,
    after: &str,
) -> impl Iterator<Item = Result<Resource>> + 's {
    let (below, mut after) = (below.to_owned(), ResourceId::new(after));
    GrowingReads::new(move |take| {
        let rows = store.resources_after(&below, &after, take)?;
        if let Some(last) = rows.last() {
            after = ResourceId::new(&last.id);
        }
        Ok(rows
            .into_iter()
            .map(|row| {
                let bytes = row.body.len();
                (row, bytes)
            })
            .collect())
    })
}

/// The deployments of a scope, the newest first; of all scopes without one.
pub fn scan_deployments<'s>(
    store: &'s dyn Store,
    scope: Option<&str>,
) -> impl Iterator<Item = Result<Deployment>> + 's {
    let (scope, mut after) = (scope.map(str::to_owned), None);
    GrowingReads::new(move |take| {
        let rows = store.deployments_after(scope.as_deref(), PageAfter { after, take })?;
        after = rows.last().map(|last| (last.order, last.run)).or(after);
        Ok(rows
            .into_iter()
            .map(|row| {
                let bytes = row.body.len();
                (row, bytes)
            })
            .collect())
    })
}

/// The operations of a run, by number.
pub fn scan_operations(store: &dyn Store, run: RunId) -> impl Iterator<Item = Result<Operation>> + '_ {
    let mut skip = 0;
    GrowingReads::new(move |take| {
        let rows = store.operations(run, Page { skip, take })?;
        skip += rows.len();
        Ok(rows
            .into_iter()
            .map(|row| {
                let bytes = row.body.len();
                (row, bytes)
            })
            .collect())
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    /// Reads rows of so many bytes each, and tells how many were read at a time.
    fn parts(count: usize, bytes: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut at, taken) = (0, RefCell::new(Vec::new()));
        let read = |take: usize| {
            let rows: Vec<(usize, usize)> = (at..count.min(at + take)).map(|row| (row, bytes)).collect();
            at += rows.len();
            taken.borrow_mut().push(rows.len());
            Ok(rows)
        };
        let rows = GrowingReads::new(read).collect::<Result<Vec<usize>>>().unwrap();
        (rows, taken.into_inner())
    }

    #[test]
    fn small_rows_come_in_large_parts_and_large_ones_in_small_parts() {
        let (rows, taken) = parts(100, 10);
        assert!(rows.into_iter().eq(0..100));
        assert_eq!(taken, [4, 8, 16, 32, 40]);
        let (rows, taken) = parts(9, 1 << 20);
        assert_eq!((rows.len(), taken), (9, vec![4, 4, 1]));
        assert_eq!(parts(0, 1).1, [0]);
    }

    #[test]
    fn an_error_ends_the_scan() {
        let mut parts = GrowingReads::new(|_| -> Result<Vec<(u8, usize)>> {
            Err(crate::StoreError::Damaged("a page".to_owned()))
        });
        assert!(parts.next().unwrap().is_err());
        assert!(parts.next().is_none());
    }
}
