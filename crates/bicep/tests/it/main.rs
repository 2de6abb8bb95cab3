//! The compiler as its users call it: everything that is not a specification document.
#![cfg(test)]

mod archives;
mod codes;
mod completion;
mod counts;
mod cut_off;
mod editor;
mod fixes;
mod limits;
mod lint;
mod reference;
mod worlds;
