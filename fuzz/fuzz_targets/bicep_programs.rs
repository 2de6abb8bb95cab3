//! Whatever program the bytes choose, the compiler gives a template or an error, with a bounded amount of work.
//!
//! Other than in `bicep_compile`, the bytes are no text but decisions of a grammar: programs that mean something, that
//! refer to themselves in every way, and that grow with each line.

#![no_main]

use bicep_programs::{Choices, compile, program};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let program = program(&mut Choices::from_bytes(bytes));
    match compile(&program) {
        Ok(outcome) => assert!(outcome.work <= 2 * bicep::MAX_WORK, "too much work:\n{}", program.text()),
        Err(broken) => panic!("{broken}:\n{}", program.text()),
    }
});
