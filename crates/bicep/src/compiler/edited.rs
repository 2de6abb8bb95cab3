//! A compiler that sees another text of one file: what an edit would lead to, before anybody makes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Compiler;
use crate::world::{EditedWorld, FilePath};

impl Compiler {
    /// The same with another text of a file that is there.
    #[must_use]
    pub fn with_text(&self, path: &FilePath, text: &str) -> Compiler {
        let world = EditedWorld::new(Arc::clone(&self.world), path.clone(), text);
        self.with_changes(Arc::new(world), &BTreeSet::from([path.clone()]))
    }
}
