//! A view for each row of the table of kinds, and an enum for each of its sections.

use super::{Name, NameOrString};
use crate::kind::{NodeKind, node_table};
use crate::tree::{SyntaxElement, SyntaxNode, SyntaxToken};

macro_rules! views {
    ($(
        $(#[$section_doc:meta])*
        $section:ident {$(
            $(#[$doc:meta])*
            $kind:ident ( $($head:ident : $head_slot:tt),* ) $( .. $rest:ident ( $($tail:ident : $tail_slot:tt),* ) )? ;
        )*}
    )*) => {
        $(
            $($crate::ast::view! {
                $(#[$doc])*
                $kind ( $($head : $head_slot),* ) $( .. $rest ( $($tail : $tail_slot),* ) )?
            })*
            $crate::ast::section! { $(#[$section_doc])* $section { $($kind)* } }
        )*
    };
}

node_table!(views);
