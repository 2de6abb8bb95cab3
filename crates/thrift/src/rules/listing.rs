//! How the lists of `in` and `not_in` are written. Validators read several annotations, brackets, quotes, names and
//! numbers in ways of their own, so that a list in several forms at once means different things to different people.

use super::table::Validator;
use crate::{Code, Diagnostic, Span};

/// How a constant of a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    Word,
    Number,
    Quoted,
}

impl Spelling {
    fn noun(self) -> &'static str {
        match self {
            Spelling::Word => "names",
            Spelling::Number => "numbers",
            Spelling::Quoted => "quoted texts",
        }
    }
}

/// How one annotation writes its values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    /// Whether they stand between brackets.
    pub(super) bracketed: bool,
    /// How its constants are written, in their order.
    pub(super) constants: Vec<Spelling>,
}

/// The annotations of one type so far, each validator with how its first values were written.
#[derive(Default)]
pub(super) struct Listings {
    firsts: Vec<First>,
}

struct First {
    validator: &'static str,
    at: Span,
    bracketed: bool,
    spelling: Option<Spelling>,
}

impl Listings {
    /// Takes one more annotation, and tells in which way it differs from those before it or from itself.
    pub(super) fn add(
        &mut self,
        validator: &'static Validator,
        written: &str,
        at: Span,
        listing: &Listing,
    ) -> Option<Diagnostic> {
        let known = self.firsts.iter_mut().find(|first| first.validator == validator.name);
        let Some(first) = known else {
            let spelling = listing.constants.first().copied();
            let further = listing.constants.iter().find(|it| Some(**it) != spelling);
            self.firsts.push(First { validator: validator.name, at, bracketed: listing.bracketed, spelling });
            return further.and_then(|further| spellings(written, at, spelling?, *further));
        };
        if first.bracketed != listing.bracketed {
            let message = format!("`{written}` is written as a list and as single values");
            return Some(
                Code::MixedForms
                    .at(at, message)
                    .label(first.at, "and otherwise here")
                    .help(format!("write one list, `{written} = \"[.., ..]\"`")),
            );
        }
        let spelling = *first.spelling.get_or_insert(*listing.constants.first()?);
        let further = listing.constants.iter().find(|it| **it != spelling)?;
        spellings(written, at, spelling, *further)
    }
}

fn spellings(written: &str, at: Span, first: Spelling, further: Spelling) -> Option<Diagnostic> {
    let message = format!("`{written}` has {} and {}", first.noun(), further.noun());
    Some(Code::MixedForms.at(at, message).help("write all of them alike"))
}
