//! What a client can do, as far as answers depend on it.

use serde_json::Value;

/// What a client can do, as far as answers depend on it. One that says nothing can do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Abilities {
    /// It fills in snippets.
    pub(crate) snippets: bool,
    /// It takes what is the same for most items of a list once, for the whole list.
    pub(crate) shared_items: bool,
    /// It takes the place of a declaration together with the name that leads there.
    pub(crate) links: bool,
    /// It wants to be asked which files to watch.
    pub(crate) watches: bool,
    /// It shows how far something is that takes a while.
    pub(crate) progress: bool,
}

/// What an item of a list can leave to the list.
const SHARED: [&str; 3] = ["editRange", "insertTextFormat", "insertTextMode"];

impl Abilities {
    /// What the parameters of `initialize` say.
    pub(crate) fn of(params: &Value) -> Abilities {
        let at = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let is_on = |path: &str| at(path) == Some(&Value::Bool(true));
        let defaults = at("textDocument/completion/completionList/itemDefaults").and_then(Value::as_array);
        let takes = |name: &&str| defaults.is_some_and(|known| known.iter().any(|it| it == *name));
        Abilities {
            snippets: is_on("textDocument/completion/completionItem/snippetSupport"),
            shared_items: SHARED.iter().all(takes),
            links: is_on("textDocument/definition/linkSupport"),
            watches: is_on("workspace/didChangeWatchedFiles/dynamicRegistration"),
            progress: is_on("window/workDoneProgress"),
        }
    }
}
