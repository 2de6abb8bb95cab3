//! Declarations in order, found by their names without regard to case.

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::value::folded;

/// Declarations of one kind.
#[derive(Clone, Debug)]
pub struct Declared<T> {
    items: Vec<T>,
    names: HashMap<SmolStr, usize>,
}

impl<T> Declared<T> {
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
        self.names.get(&folded(name)).copied()
    }

    /// The declaration at a position.
    pub fn at(&self, position: usize) -> Option<&T> {
        self.items.get(position)
    }

    /// Adds a declaration; false if the name is taken, and then nothing is added.
    pub(super) fn add(&mut self, name: &str, item: T) -> bool {
        let position = self.items.len();
        match self.names.entry(folded(name)) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(position);
                self.items.push(item);
                true
            }
        }
    }
}

impl<T> Default for Declared<T> {
    fn default() -> Declared<T> {
        Declared { items: Vec::new(), names: HashMap::new() }
    }
}

impl<'d, T> IntoIterator for &'d Declared<T> {
    type Item = &'d T;
    type IntoIter = std::slice::Iter<'d, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
