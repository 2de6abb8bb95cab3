//! Words that can only stand at one place: `=`, `existing`, `with`, `as` and `from`.

use super::Completer;
use super::expected_syntax::Word;
use super::item::{Completion, CompletionKind, Priority};
use crate::language::Feature;

impl Completer<'_, '_> {
    pub(super) fn words(&mut self, words: &[Word]) {
        let span = self.span;
        for word in words {
            let item = match word {
                Word::Assignment => {
                    Completion::plain(CompletionKind::Operator, "=", Priority::Medium, span, "=")
                        .preselect(true)
                }
                Word::Existing => Completion::keyword("existing", "existing", Priority::Medium, span),
                // Behind `using`, the word is a part of a feature.
                Word::With
                    if self.model.is_params() && !self.model.features().has(Feature::DeployCommands) =>
                {
                    continue;
                }
                Word::With => Completion::keyword("with", "With keyword", Priority::Medium, span),
                Word::As => Completion::keyword("as", "As keyword", Priority::Medium, span),
                Word::From => Completion::keyword("from", "From keyword", Priority::Medium, span),
            };
            self.out.push(item);
        }
    }
}
