//! Whatever the program, generating ends, without a panic: words of the cases, taken out, doubled and moved about.

use proptest::prelude::*;
use proptest::sample::Index;
use thrift::model::MemoryLoader;
use thrift::rules::Functions;
use thrift_codegen::{go, java, plugin, python, rust, typescript};
use thrift_conformance::{Case, cases};

use crate::support::{input, read};

/// What is done to the words of a program.
#[derive(Clone, Debug)]
enum Change {
    Drop(Index),
    Double(Index),
    Swap(Index, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    prop_oneof![
        index().prop_map(Change::Drop),
        index().prop_map(Change::Double),
        (index(), index()).prop_map(|(one, other)| Change::Swap(one, other)),
    ]
}

/// The text between white space, and each mark by itself.
fn words(text: &str) -> Vec<&str> {
    text.split_inclusive(|c: char| c.is_whitespace() || "(){}<>[],:;=\"$@.".contains(c)).collect()
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut words = words(text);
    for change in changes {
        let count = words.len();
        match change {
            Change::Drop(index) if count > 1 => drop(words.remove(index.index(count))),
            Change::Drop(_) => {}
            Change::Double(index) => words.insert(index.index(count), words[index.index(count)]),
            Change::Swap(one, other) => words.swap(one.index(count), other.index(count)),
        }
    }
    words.concat()
}

/// Makes code in every language; of a program with errors, too, since callers may go on.
fn generate(text: &str) {
    let read = read(text);
    let functions = Functions::at(0);
    let input = input(&read, &functions);
    go::generate(input, &go::GoOptions::default());
    rust::generate(input, &rust::RustOptions::default());
    python::generate(input, &python::PythonOptions::default());
    java::generate(input, &java::JavaOptions::default());
    typescript::generate(input, &typescript::TypeScriptOptions::default());
}

fn idl() -> impl Strategy<Value = String> {
    let texts: Vec<String> = cases().unwrap().into_iter().map(|case: Case| case.idl).collect();
    prop::sample::select(texts)
}

proptest! {
    #[test]
    fn code_is_made_of_any_program(idl in idl(), changes in prop::collection::vec(change(), 0..8)) {
        generate(&changed(&idl, &changes));
    }

    #[test]
    fn any_request_of_a_plugin(bytes in prop::collection::vec(prop_oneof![Just(0u8), 1..16u8, any::<u8>()], 0..200)) {
        prop_assert!(!plugin::run(&bytes, &mut MemoryLoader::default(), &mut |_| Ok(Vec::new())).is_empty());
    }
}
