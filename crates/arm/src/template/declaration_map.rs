//! Declarations in order, found by their names without regard to case.

use smol_str::SmolStr;

use crate::value::equal_ignoring_case;
use crate::value::names::{self, NameIndex};

/// Declarations of one kind.
#[derive(Clone, Debug)]
pub struct DeclarationMap<T> {
    items: Vec<T>,
    /// The names, by position.
    names: Vec<SmolStr>,
    table: NameIndex,
}

impl<T> DeclarationMap<T> {
    /// The declarations, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The declaration of a name, by whatever case.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.at(self.position(name)?)
    }

    /// The position of the declaration of a name, by whatever case.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.table.find(names::hash(name), |at| self.is_at(at, name))
    }

    /// The declaration at a position.
    pub fn at(&self, position: usize) -> Option<&T> {
        self.items.get(position)
    }

    /// Adds a declaration; false if the name is taken, and then nothing is added.
    pub(super) fn add(&mut self, name: &str, item: T) -> bool {
        let hash = names::hash(name);
        if self.table.find(hash, |at| self.is_at(at, name)).is_some() {
            return false;
        }
        self.table.add(hash, self.items.len());
        self.names.push(name.into());
        self.items.push(item);
        true
    }

    fn is_at(&self, position: usize, name: &str) -> bool {
        self.names.get(position).is_some_and(|other| equal_ignoring_case(other, name))
    }
}

impl<T> Default for DeclarationMap<T> {
    fn default() -> DeclarationMap<T> {
        DeclarationMap { items: Vec::new(), names: Vec::new(), table: NameIndex::default() }
    }
}

impl<'d, T> IntoIterator for &'d DeclarationMap<T> {
    type Item = &'d T;
    type IntoIter = std::slice::Iter<'d, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
