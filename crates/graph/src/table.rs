//! A list that is indexed only by positions of its own.

use std::ops::{Index, IndexMut};

/// Values by position. Whoever makes positions makes them from the list's own length.
#[derive(Clone, Debug)]
pub(crate) struct IndexedTable<T>(Vec<T>);

impl<T> Default for IndexedTable<T> {
    fn default() -> IndexedTable<T> {
        IndexedTable(Vec::new())
    }
}

impl<T: Clone> IndexedTable<T> {
    /// The same value `count` times.
    pub(crate) fn of(value: T, count: usize) -> IndexedTable<T> {
        IndexedTable(vec![value; count])
    }
}

impl<T> IndexedTable<T> {
    /// Adds a value and gives its position.
    pub(crate) fn add(&mut self, value: T) -> usize {
        self.0.push(value);
        self.0.len() - 1
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All values, in the order of their numbers.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// All of them, to be changed.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }
}

impl<T> FromIterator<T> for IndexedTable<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> IndexedTable<T> {
        IndexedTable(items.into_iter().collect())
    }
}

impl<T> From<IndexedTable<T>> for Vec<T> {
    fn from(table: IndexedTable<T>) -> Vec<T> {
        table.0
    }
}

impl<T> Index<usize> for IndexedTable<T> {
    type Output = T;

    #[expect(clippy::indexing_slicing, reason = "positions are made from the length of the table")]
    fn index(&self, at: usize) -> &T {
        &self.0[at]
    }
}

impl<T> IndexMut<usize> for IndexedTable<T> {
    #[expect(clippy::indexing_slicing, reason = "positions are made from the length of the table")]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.0[at]
    }
}
