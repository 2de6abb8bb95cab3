//! The pieces and holes of strings.

use std::borrow::Cow;

use super::{Expr, String, StringTypeLiteral};
use crate::literal::{StringForm, string_piece_value};
use crate::tree::{SyntaxElement, SyntaxToken};

/// The same methods for strings among values and among types.
macro_rules! string_parts {
    ($($view:ident)*) => {$(
        impl<'t> $view<'t> {
            /// Returns the pieces of text; one more than there are holes.
            pub fn pieces(self) -> impl DoubleEndedIterator<Item = SyntaxToken<'t>> {
                self.parts().filter_map(SyntaxElement::token)
            }

            /// Returns the expressions in the holes.
            pub fn holes(self) -> impl DoubleEndedIterator<Item = Expr<'t>> {
                let node = super::AstNode::node(self);
                self.parts().filter(|part| part.node().is_some()).map(move |part| Expr::read(node, Some(part)))
            }

            /// Tells whether there is at least one hole.
            #[must_use]
            pub fn is_interpolated(self) -> bool {
                super::AstNode::node(self).slot_count() > 1
            }

            /// Returns how the string is written.
            #[must_use]
            pub fn form(self) -> StringForm {
                self.pieces().next().map_or(StringForm::SingleLine, |first| StringForm::of(first.text()))
            }

            /// Returns the values of the pieces, in source order.
            pub fn segments(self) -> impl Iterator<Item = Cow<'t, str>> {
                let form = self.form();
                // The parser makes no string of malformed pieces, so there is always a value.
                self.pieces().map(move |piece| string_piece_value(piece.text(), piece.kind(), form).unwrap_or_default())
            }

            /// Returns the value of a string without holes.
            #[must_use]
            pub fn constant(self) -> Option<Cow<'t, str>> {
                if self.is_interpolated() { None } else { self.segments().next() }
            }
        }
    )*};
}

string_parts! { String StringTypeLiteral }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::AstNode as _;
    use crate::{SourceKind, parse};

    #[track_caller]
    fn check(text: &str, segments: &[&str], holes: &[&str]) {
        let tree = parse(format!("var a = {text}"), SourceKind::Bicep);
        let string = tree.root().descendants().find_map(String::cast).unwrap();
        assert_eq!(string.segments().collect::<Vec<_>>(), segments, "{text}");
        assert_eq!(string.holes().map(|hole| hole.node().text()).collect::<Vec<_>>(), holes, "{text}");
        assert_eq!(string.is_interpolated(), !holes.is_empty());
        assert_eq!(string.constant().as_deref(), holes.is_empty().then(|| segments[0]));
    }

    #[test]
    fn strings_are_segments_around_holes() {
        check("'a'", &["a"], &[]);
        check(r"'\tb${c.d}\'${1}'", &["\tb", "'", ""], &["c.d", "1"]);
        check("'''\n  x\n'''", &["  x\n"], &[]);
        check("$$'''\n${a}$${b}'''", &["${a}", ""], &["b"]);
    }
}
