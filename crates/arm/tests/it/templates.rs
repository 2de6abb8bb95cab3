//! Templates that are cut, stretched and stirred are read and bound, or refused at places that are in their text.

use arm::Value;
use arm::binding::{BindingContext, Inputs, SecretReference, bind};
use arm::evaluate::{EvaluationLimits as Work, Void};
use arm::template::{Template, TemplateError, TemplateLimits};
use document::FileId;
use proptest::prelude::*;

const SEEDS: [&str; 4] = [
    include_str!("../../../../fuzz/seeds/template/parameters"),
    include_str!("../../../../fuzz/seeds/template/types"),
    include_str!("../../../../fuzz/seeds/template/secure"),
    include_str!("../../../../fuzz/seeds/template/nested"),
];

/// Pieces that mean something in templates.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "null",
    "-1",
    "1e400",
    "\"[\"",
    "\"[[]\"",
    "\"[f(\"",
    "\"$ref\":\"#/definitions/t\",",
    "\"nullable\":true,",
    "\"type\":\"object\",",
    "\"copy\":[{\"name\":\"l\",\"count\":3,\"input\":\"[copyIndex('l')]\"}],",
    "\"copy\":{},",
    "\"value\":{},",
    "\"[parameters('a')]\"",
    "\"[variables('v')]\"",
    "\"allowedValues\":[1,[2]],",
    "\"discriminator\":{\"propertyName\":\"k\",\"mapping\":{\"a\":{}}},",
    "\u{0}",
];

#[derive(Clone, Debug)]
enum Change {
    Cut(usize, usize),
    Repeat(usize, usize),
    Put(usize, usize),
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let at = 0..2_000_usize;
    let change = prop_oneof![
        (at.clone(), 1..40_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (at.clone(), 1..80_usize).prop_map(|(at, length)| Change::Repeat(at, length)),
        (at, 0..PIECES.len()).prop_map(|(at, piece)| Change::Put(at, piece)),
    ];
    prop::collection::vec(change, 0..6)
}

fn changed(text: &str, changes: &[Change]) -> String {
    let mut text = text.to_owned();
    for change in changes {
        let from = |at: usize| text.floor_char_boundary(at % (text.len() + 1));
        match *change {
            Change::Cut(at, length) => {
                let start = from(at);
                let end = text.floor_char_boundary((start + length).min(text.len()));
                text.replace_range(start..end, "");
            }
            Change::Repeat(at, length) => {
                let start = from(at);
                let end = text.floor_char_boundary((start + length).min(text.len()));
                let piece = text.get(start..end).unwrap_or_default().to_owned();
                text.insert_str(start, &piece);
            }
            Change::Put(at, piece) => {
                text.insert_str(from(at), PIECES.get(piece).copied().unwrap_or_default())
            }
        }
    }
    text
}

fn check(errors: &[TemplateError], length: usize) {
    assert!(!errors.is_empty(), "refused without a reason");
    for at in errors.iter().filter_map(|error| error.at.as_ref()) {
        assert!(at.span.end as usize <= length, "{at:?}");
    }
}

fn run(text: &str) {
    let limits = TemplateLimits::DEFAULT;
    let (template, parameters) = text.split_once('\0').unwrap_or((text, "{}"));
    let inputs = Inputs::read(parameters, FileId(1), &limits).unwrap_or_else(|errors| {
        check(&errors, text.len());
        Inputs::default()
    });
    let template = match Template::read(template, &limits) {
        Ok(template) => template,
        Err(errors) => return check(&errors, text.len()),
    };
    let secrets = |_: &SecretReference| Some(Ok(Value::from("from the vault")));
    for complete in [true, false] {
        let limits = Work { steps: 10_000, ..Work::DEFAULT };
        let around = BindingContext {
            world: &Void,
            secrets: &secrets,
            complete,
            limits,
            budget: None,
            boundary: contract::Boundary::Parameter,
        };
        if let Err(errors) = bind(&template, &inputs, &around) {
            check(&errors, text.len());
            for error in &errors {
                assert!(
                    !error.message.contains("secret-secret-1") || text.matches("secret-secret-1").count() > 1
                );
            }
        }
    }
    for nested in template.resources.iter().filter_map(|resource| resource.nested.as_ref()) {
        if let Some(Err(errors)) = template.nested(nested) {
            check(&errors, text.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    #[test]
    fn no_text_breaks_the_reader(seed in 0..SEEDS.len(), changes in changes()) {
        run(&changed(SEEDS[seed], &changes));
    }
}

#[test]
fn the_seeds_are_what_they_seem() {
    for seed in SEEDS {
        let template = seed.split('\0').next().unwrap_or_default();
        assert!(Template::read(template, &TemplateLimits::DEFAULT).is_ok(), "{template}");
    }
}
