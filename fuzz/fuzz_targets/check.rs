//! A contract and a value, one line each: the quick walk and the reporting walk agree, and both end.

#![no_main]

use contract::{CheckLimits, Contract, Order, Plain};
use document::{Document, FileId, ReadLimits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some(line) = bytes.iter().position(|byte| *byte == b'\n') else { return };
    let (contract, value) = bytes.split_at(line);
    let Ok(contract) = Document::from_json(contract, FileId::FIRST, &ReadLimits::default()) else { return };
    let Ok(contract) = Contract::from_json(contract.root(), &Plain) else { return };
    let Ok(value) = Document::from_yaml(value, FileId(1), &ReadLimits::default()) else { return };
    let limits = CheckLimits { depth: 64, work: 100_000, violations: 50 };
    for order in [Order::Document, Order::Declared] {
        let checker = contract.checker().limits(limits).order(order);
        let valid = checker.is_valid(value.root());
        let violations = checker.violations(value.root());
        let first = checker.first_violation(value.root());
        assert_eq!(valid, violations.is_empty(), "{}", contract.to_json());
        assert_eq!(first.as_ref(), violations.first(), "{}", contract.to_json());
        for violation in &violations {
            assert!(!violation.message().is_empty());
            let _ = violation.to_json();
        }
    }
});
