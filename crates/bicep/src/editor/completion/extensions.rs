//! The extensions that a program can declare.

use super::Completer;
use super::item::{Completion, CompletionKind, Priority};

impl Completer<'_, '_> {
    pub(super) fn extension_names(&mut self) {
        let config = &self.model.file.config;
        let mut names = config.names(&["extensions"]);
        names.push("sys");
        names.sort_by_key(|name| name.to_ascii_lowercase());
        names.dedup();
        for name in names {
            let item = Completion::plain(CompletionKind::Folder, name, Priority::High, self.span, name);
            self.out.push(item.detail(name));
        }
    }
}
