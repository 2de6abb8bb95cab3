//! A list that is indexed only by positions of its own.

use std::ops::{Index, IndexMut};

/// Values by position. Whoever makes positions makes them from the list's own length.
#[derive(Clone, Debug)]
pub(crate) struct Table<T>(Vec<T>);

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table(Vec::new())
    }
}

impl<T: Clone> Table<T> {
    /// The same value `count` times.
    pub(crate) fn of(value: T, count: usize) -> Table<T> {
        Table(vec![value; count])
    }
}

impl<T> Table<T> {
    /// Adds a value and gives its position.
    pub(crate) fn add(&mut self, value: T) -> usize {
        self.0.push(value);
        self.0.len() - 1
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them.
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }

    /// All of them, to be changed.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.0.iter_mut()
    }
}

impl<T> FromIterator<T> for Table<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Table<T> {
        Table(items.into_iter().collect())
    }
}

impl<T> From<Table<T>> for Vec<T> {
    fn from(table: Table<T>) -> Vec<T> {
        table.0
    }
}

impl<T> Index<usize> for Table<T> {
    type Output = T;

    #[expect(clippy::indexing_slicing, reason = "positions are made from the length of the table")]
    fn index(&self, at: usize) -> &T {
        &self.0[at]
    }
}

impl<T> IndexMut<usize> for Table<T> {
    #[expect(clippy::indexing_slicing, reason = "positions are made from the length of the table")]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.0[at]
    }
}
