//! The official test suite of JSON Schema: its own schemas and values, a line for each of its files.

use std::hint::black_box;
use std::path::Path;

use document::Document;
use serde_json::Value;

use super::cases::Case;
use super::view::Json;
use super::{Bout, Line, real};
use crate::Result;
use crate::timing::race;

/// The draft whose tests are read.
const DRAFT: &str = "draft2020-12";

/// Compares the engines on a checkout of the suite.
pub(super) fn lines(suite: &Path) -> Result<Vec<Line>> {
    let folder = suite.join("tests").join(DRAFT);
    let unread = |error: std::io::Error| format!("cannot read `{}`: {error}", folder.display());
    let entries = std::fs::read_dir(&folder).map_err(unread)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<_>>>();
    let mut paths = paths.map_err(unread)?;
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    let (mut lines, mut left_out, mut all) = (Vec::new(), 0, 0);
    for path in paths {
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let groups = real::json(&path)?;
        let groups = groups.as_array().map(Vec::as_slice).unwrap_or_default();
        let bouts: Vec<Bout> = groups.iter().filter_map(|group| bout(&name, group)).collect();
        all += groups.len();
        left_out += groups.len() - bouts.len();
        if !bouts.is_empty() {
            lines.push((name, times(&bouts)));
        }
    }
    println!(
        "{all} schemas, {left_out} of them left out: one of the engines says something else than the suite"
    );
    Ok(lines)
}

/// A schema of the suite, if both engines say of all its values what the suite says.
fn bout(name: &str, group: &Value) -> Option<Bout> {
    let mut schema = group.get("schema")?.clone();
    if let Some(members) = schema.as_object_mut() {
        members.entry("$schema").or_insert_with(|| "https://json-schema.org/draft/2020-12/schema".into());
    }
    let tests = group.get("tests")?.as_array()?;
    let documents = tests.iter().filter_map(|test| test.get("data").cloned()).collect();
    let bout = Bout::new(Case { name: name.to_owned(), schema, documents }).ok()?;
    let is_right = |((value, document), test): (&(Value, Document), &Value)| {
        let verdicts = [
            bout.theirs.is_valid(value),
            bout.ours.is_valid(Json(value)),
            bout.ours.is_valid(document.root()),
        ];
        test.get("valid").and_then(Value::as_bool).is_some_and(|valid| verdicts == [valid; 3])
    };
    bout.documents.iter().zip(tests).all(is_right).then_some(bout)
}

fn times(bouts: &[Bout]) -> [crate::timing::Time; 3] {
    let all = |valid: &dyn Fn(&Bout, &(Value, Document)) -> bool| {
        for bout in bouts {
            for document in &bout.documents {
                black_box(valid(bout, black_box(document)));
            }
        }
    };
    race(
        true,
        [
            Box::new(|| all(&|bout, (value, _)| bout.theirs.is_valid(value))),
            Box::new(|| all(&|bout, (value, _)| bout.ours.is_valid(Json(value)))),
            Box::new(|| all(&|bout, (_, document)| bout.ours.is_valid(document.root()))),
        ],
    )
}
