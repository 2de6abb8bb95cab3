//! Places and lengths in texts.

use crate::check::Checker;
use crate::functions::range;
use crate::symbols::CallSyntax;
use crate::types::{Range, Ty, TyKind, TypeFlags, text_length};

/// A place or length in the text that is the first argument.
pub(super) fn within_text<'m>(checker: &mut Checker<'m>, call: CallSyntax<'m>, place: usize) -> Option<Ty> {
    let longest = match checker.ty(call.argument(0)?).kind() {
        TyKind::StrLit(value) => Some(text_length(value)),
        TyKind::Str(text) => text.length.max,
        _ => None,
    };
    let max = if place == 1 {
        longest
    } else {
        let start = checker.ty(call.argument(1)?);
        longest.map(|longest| match start.kind() {
            TyKind::IntLit(value) if longest >= *value => longest - value,
            TyKind::Int(Range { min: Some(min), .. }) if longest >= *min => longest - min,
            _ => longest,
        })
    };
    Some(Ty::int_within(range(Some(0), max), TypeFlags::empty()))
}
