//! Any text is read as an interface file, resolved, and its rules compiled or reported.

#![no_main]

use libfuzzer_sys::fuzz_target;
use thrift::model::{Config, LoadConfig, MemoryLoader, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{ValidateConfig, Validator};

fuzz_target!(|text: &str| {
    let mut loader = MemoryLoader::default().file("a.thrift", text);
    let Ok((program, found)) = load("a.thrift", &mut loader, &LoadConfig::default()) else { return };
    let (model, more) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let usable = !found.iter().chain(&more).any(thrift::Diagnostic::is_error);
    let (validator, rules) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    assert!(validator.is_some() || !usable || !rules.is_empty(), "refused without a reason");
    for finding in found.iter().chain(&more) {
        assert!(finding.span.end as usize <= text.len() + 3, "a finding outside the text");
    }
});
