//! Runs the documents in `resources`: what programs mean, and what editors are told about them.

mod azure;
mod completion;
mod diagnostics;
mod editor;
mod programs;

fn main() -> std::process::ExitCode {
    spec_test::main_of(&[
        ("resources/specs", diagnostics::run),
        ("resources/programs", programs::run),
        ("resources/editor", editor::run),
        ("resources/completion", completion::run),
    ])
}
