//! Any text is read as an interface file, resolved, and its rules compiled or reported. What that costs is in proportion to
//! the text, and so is an empty message of each struct. Formatting twice is formatting once.

#![no_main]

use libfuzzer_sys::fuzz_target;
use spacing::Style;
use thrift::FileId;
use thrift::idl::format;
use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::rules::{Functions, RuleConfig, lower};
use thrift::validate::{ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

/// How many rules typedefs may bring along, whatever the text.
const BROUGHT_ALONG: usize = 1 << 19;

fuzz_target!(|text: &str| {
    if let Ok(once) = format(FileId::FIRST, text, &Style::DEFAULT) {
        assert_eq!(format(FileId::FIRST, &once, &Style::DEFAULT).as_ref(), Ok(&once), "formatting twice");
    }
    let mut loader = MemoryLoader::default().file("a.thrift", text);
    let Ok((program, found)) = load("a.thrift", &mut loader, &LoadConfig::default()) else { return };
    let (model, more) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let usable = !found.iter().chain(&more).any(thrift::Diagnostic::is_error);
    let (lowered, _) = lower(&model, &RuleConfig::default(), &functions);
    assert!(
        lowered.work <= text.len() * 4 + BROUGHT_ALONG,
        "{} steps for {} bytes",
        lowered.work,
        text.len()
    );
    let (validator, rules) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    assert!(validator.is_some() || !usable || !rules.is_empty(), "refused without a reason");
    for finding in found.iter().chain(&more) {
        assert!(
            finding.primary.is_some_and(|span| span.end as usize <= text.len() + 3),
            "a finding outside the text"
        );
    }
    if let Some(validator) = validator.filter(|_| usable) {
        for id in (0..model.structs.len() as u32).map(StructId) {
            let _ = validator.validate(id, Protocol::Binary, &[0], &functions, Want::All);
        }
    }
});
