//! Bicep programs of every shape, for tests: valid ones, ones that refer to themselves in every way, ones that grow
//! with each line, and all of them with a few tokens changed.
//!
//! [`program`] makes one from [`Choices`]; [`compile`] runs the compiler on it as a command line would.

mod choices;
mod declarations;
mod format;
mod growth;
mod mutate;
mod names;
mod run;
mod scale;
mod shake;
mod types;
mod values;

pub use choices::Choices;
pub use format::{check_format, format_options};
pub use run::{ProgramStats, compile};
pub use scale::{CONSTRUCTS, Construct, Growth, Sample, measure};
pub use shake::shake;

/// The files of a program; the first is the one that is compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Names and texts.
    pub files: Vec<(String, String)>,
}

impl Program {
    /// The text of all files, each after a line with its name.
    #[must_use]
    pub fn text(&self) -> String {
        self.files.iter().map(|(name, text)| format!("--- {name}\n{text}\n")).collect()
    }
}

/// Makes a program.
pub fn program(choices: &mut Choices<'_>) -> Program {
    let mut program = match choices.below(8) {
        0..6 => declarations::program(choices),
        _ => growth::program(choices),
    };
    if choices.one_in(2) {
        for _ in 0..=choices.below(3) {
            mutate::mutate(&mut program, choices);
        }
    }
    program
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_program_every_time() {
        let make = |seed| program(&mut Choices::from_seed(seed));
        assert!((0..200).all(|seed| make(seed) == make(seed)));
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn no_bytes_give_a_program_too() {
        assert!(!program(&mut Choices::from_bytes(&[])).files.is_empty());
    }
}
