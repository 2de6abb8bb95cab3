//! The rules of a shape, which the shape and the gate it is compiled to share.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Rule;

/// The rules of a shape, in the order they were written: a list that clones share until one of them changes it.
#[derive(Clone, Default)]
pub struct Rules(Option<Arc<Vec<Rule>>>);

/// What a shape without rules has.
static NONE: Vec<Rule> = Vec::new();

impl Deref for Rules {
    type Target = Vec<Rule>;

    fn deref(&self) -> &Vec<Rule> {
        self.0.as_deref().unwrap_or(&NONE)
    }
}

impl DerefMut for Rules {
    fn deref_mut(&mut self) -> &mut Vec<Rule> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl From<Vec<Rule>> for Rules {
    fn from(rules: Vec<Rule>) -> Rules {
        Rules((!rules.is_empty()).then(|| Arc::new(rules)))
    }
}

impl FromIterator<Rule> for Rules {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Rules {
        Vec::from_iter(rules).into()
    }
}

impl<'r> IntoIterator for &'r Rules {
    type Item = &'r Rule;
    type IntoIter = std::slice::Iter<'r, Rule>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        **self == **other
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Test;

    #[test]
    fn a_clone_keeps_its_rules_when_the_other_changes() {
        let mut rules = Rules::default();
        rules.push(Test::Unique(()).into());
        let clone = rules.clone();
        rules.push(Test::Minimum(1.into()).into());
        assert_eq!((rules.len(), clone.len()), (2, 1));
        assert_eq!(Rules::from(Vec::new()), Rules::default());
    }
}
