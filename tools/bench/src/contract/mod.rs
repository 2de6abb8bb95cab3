//! Contracts against the `jsonschema` crate: the same schemas, the same documents, in one run.
//!
//! Both are given the schema as a `serde_json::Value`. Documents are checked in memory, ours twice: through a
//! view on the very `serde_json::Value` that `jsonschema` checks, and through our own document model.

mod cases;
mod mutate;
mod real;
mod suite;
mod verdicts;
mod view;

use std::hint::black_box;

use contract::{Contract, Plain};
use document::{Document, FileId, ReadLimits};
use jsonschema::Validator;
use serde_json::Value;

use crate::Result;
use crate::timing::{Time, geometric_mean, race, show};
use cases::Case;
use view::Json;

/// Compares on schemas and documents of our own.
pub(crate) fn run_own(names: &[String]) -> Result {
    let cases = cases::all();
    let chosen = |case: &Case| names.is_empty() || names.iter().any(|name| case.name.contains(name.as_str()));
    compare(cases.into_iter().filter(chosen).collect())
}

/// Compares on public schemas.
pub(crate) fn run_real(paths: &[String]) -> Result {
    compare(match paths {
        [] => real::from_npm()?,
        paths => vec![real::from_files(paths)?],
    })
}

/// Compares on the schemas and values of the official test suite.
pub(crate) fn run_suite(paths: &[String]) -> Result {
    let [suite] = paths else {
        // All benchmarks run without arguments, and this one needs a checkout.
        println!("`contract-suite` needs FOLDER, a checkout of the official test suite of JSON Schema");
        return Ok(());
    };
    table("values of the official test suite", suite::lines(std::path::Path::new(suite))?);
    Ok(())
}

/// Both engines with one schema, and the documents in every form.
struct Bout {
    name: String,
    schema: Value,
    theirs: Validator,
    ours: Contract,
    documents: Vec<(Value, Document)>,
}

impl Bout {
    fn new(case: Case) -> Result<Bout> {
        let theirs = theirs(&case.schema)?;
        let ours = ours(&case.schema)?;
        let documents = case.documents.into_iter().map(|value| {
            let text = value.to_string();
            Ok((value, read(&text)?))
        });
        let documents = documents.collect::<Result<Vec<_>>>()?;
        Ok(Bout { name: case.name, schema: case.schema, theirs, ours, documents })
    }
}

/// Compiles a schema with `jsonschema`.
fn theirs(schema: &Value) -> Result<Validator> {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .map_err(|error| format!("jsonschema does not take the schema: {error}"))
}

/// Compiles the same schema as a contract.
fn ours(schema: &Value) -> Result<Contract> {
    Contract::from_json(Json(schema), &Plain).map_err(|flaws| {
        let flaws: Vec<String> = flaws.iter().map(ToString::to_string).collect();
        format!("not a contract: {}", flaws.join("; "))
    })
}

fn read(text: &str) -> Result<Document> {
    Document::from_json(text, FileId::FIRST, &ReadLimits::default()).map_err(|error| format!("{error:?}"))
}

/// One line of a table: a name and what each contender took.
type Line = (String, [Time; 3]);

fn compare(cases: Vec<Case>) -> Result {
    let mut bouts = Vec::new();
    for case in cases {
        let name = case.name.clone();
        bouts.push(Bout::new(case).map_err(|error| format!("{name}: {error}"))?);
    }
    for bout in &bouts {
        verdicts::agree(bout, verdicts::Trials::BENCH)?;
    }
    table("valid documents", bouts.iter().flat_map(check_times).collect());
    table("compiling the contract", bouts.iter().map(compile_times).collect());
    table("from text to verdict", bouts.iter().map(whole_times).collect());
    Ok(())
}

/// The documents of a bout together and, of several, the one that we do worst on.
fn check_times(bout: &Bout) -> Vec<Line> {
    let all = (bout.name.clone(), check_time(bout, &bout.documents));
    let count = bout.documents.len();
    if count < 2 {
        return vec![all];
    }
    let ratio = |[theirs, value, _]: &[Time; 3]| theirs.least / value.least;
    let each = bout.documents.chunks(1).map(|document| check_time(bout, document));
    let worst = each.min_by(|left, right| ratio(left).total_cmp(&ratio(right)));
    std::iter::once(all)
        .chain(worst.map(|times| (format!("{}, worst of {count}", bout.name), times)))
        .collect()
}

fn check_time(bout: &Bout, documents: &[(Value, Document)]) -> [Time; 3] {
    let all = |valid: &dyn Fn(&(Value, Document)) -> bool| {
        for document in documents {
            black_box(valid(black_box(document)));
        }
    };
    race(
        documents.len() == bout.documents.len(),
        [
            Box::new(|| all(&|(value, _)| bout.theirs.is_valid(value))),
            Box::new(|| all(&|(value, _)| bout.ours.is_valid(Json(value)))),
            Box::new(|| all(&|(_, document)| bout.ours.is_valid(document.root()))),
        ],
    )
}

fn compile_times(bout: &Bout) -> Line {
    let text = bout.schema.to_string();
    let document = read(&text);
    let times = race(
        true,
        [
            Box::new(|| drop(black_box(theirs(&bout.schema)))),
            Box::new(|| drop(black_box(ours(&bout.schema)))),
            Box::new(|| {
                if let Ok(document) = &document {
                    drop(black_box(Contract::from_json(document.root(), &Plain)));
                }
            }),
        ],
    );
    (bout.name.clone(), times)
}

fn whole_times(bout: &Bout) -> Line {
    let texts: Vec<String> = bout.documents.iter().map(|(value, _)| value.to_string()).collect();
    let parsed = |valid: &dyn Fn(&Value) -> bool| {
        for text in &texts {
            black_box(serde_json::from_str(text).is_ok_and(|value| valid(&value)));
        }
    };
    let times = race(
        true,
        [
            Box::new(|| parsed(&|value| bout.theirs.is_valid(value))),
            Box::new(|| parsed(&|value| bout.ours.is_valid(Json(value)))),
            Box::new(|| {
                for text in &texts {
                    black_box(read(text).is_ok_and(|document| bout.ours.is_valid(document.root())));
                }
            }),
        ],
    );
    (bout.name.clone(), times)
}

/// Prints times and how many times longer `jsonschema` takes, by medians and by minima.
fn table(title: &str, lines: Vec<Line>) {
    println!("\n{title}\n");
    println!(
        "| case | jsonschema | ours, same value | times as fast (median, least) | ours, document | times as fast (median, least) |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    let ratio = |theirs: &Time, ours: &Time| (theirs.median / ours.median, theirs.least / ours.least);
    for (name, [theirs, value, document]) in &lines {
        let (a, b) = (ratio(theirs, value), ratio(theirs, document));
        println!(
            "| {name} | {} | {} | {:.2}, {:.2} | {} | {:.2}, {:.2} |",
            show(theirs.median),
            show(value.median),
            a.0,
            a.1,
            show(document.median),
            b.0,
            b.1
        );
    }
    let mean = |of: &dyn Fn(&[Time; 3]) -> f64| geometric_mean(lines.iter().map(|(_, times)| of(times)));
    println!(
        "| geometric mean | | | {:.2}, {:.2} | | {:.2}, {:.2} |",
        mean(&|[theirs, value, _]| ratio(theirs, value).0),
        mean(&|[theirs, value, _]| ratio(theirs, value).1),
        mean(&|[theirs, _, document]| ratio(theirs, document).0),
        mean(&|[theirs, _, document]| ratio(theirs, document).1),
    );
}
