//! The engine agrees with an implementation of JSON Schema on contracts in their common words.

use proptest::prelude::*;

use super::grammar::{Words, contract, document};
use super::{compile, read};

proptest! {
    #[test]
    fn shared_words_mean_the_same(contract in contract(Words::Shared), values in prop::collection::vec(document(), 1..8)) {
        let Some(compiled) = compile(&contract) else { return Ok(()) };
        let other = jsonschema::draft202012::new(&contract);
        let other = other.map_err(|error| TestCaseError::fail(format!("{contract}: {error}")))?;
        for value in values {
            let document = read(&value.to_string());
            let violations = compiled.violations(document.root());
            prop_assert_eq!(
                violations.is_empty(), other.is_valid(&value),
                "{} for {}: {:?}", contract, value, violations
            );
        }
    }
}

/// The tests above skip contracts that are rejected when they are compiled; most are not.
#[test]
fn most_contracts_compile() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    for words in [Words::Shared, Words::All] {
        let contracts = contract(words);
        let compiled = (0..400)
            .filter(|_| compile(&contracts.new_tree(&mut runner).unwrap().current()).is_some())
            .count();
        assert!(compiled > 100, "{compiled} of 400");
    }
}
