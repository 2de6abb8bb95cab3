//! What is shown between the lines and between the words: sizes of plans, names of parameters, types.

use bicep::editor::{self, HintKind};
use serde_json::{Value, json};

use crate::document::{position_of, range_of, span_of};
use crate::message::ResponseError;
use crate::protocol::{InDocument, InRange};
use crate::snapshot::Snapshot;

/// What is announced about lenses.
pub(super) fn lens_options() -> Value {
    json!({ "resolveProvider": false })
}

/// What is shown between the words of a stretch of a document.
pub(super) fn inlay(snapshot: &Snapshot, params: InRange) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    let span = span_of(&lines, params.range);
    let shown = |hint: &editor::InlayHint| {
        let (kind, right) = match hint.kind {
            HintKind::Type => (1, false),
            HintKind::Parameter => (2, true),
        };
        json!({
            "position": position_of(&lines, hint.offset),
            "label": hint.label,
            "kind": kind,
            "paddingRight": right,
        })
    };
    Ok(editor::inlay_hints(&snapshot.compiler, &path, span).iter().map(shown).collect())
}

/// The command that runs tests.
pub(super) const RUN_TESTS: &str = "tendon.test.run";

/// The sizes of the plans of modules, above their declarations; above tests, what runs them.
pub(super) fn lenses(snapshot: &Snapshot, params: InDocument) -> Result<Vec<Value>, ResponseError> {
    let (path, _) = snapshot.program(&params.text_document)?;
    let lines = snapshot.lines(&path);
    if path.extension().eq_ignore_ascii_case(".biceptest") {
        let file = snapshot.compiler.test_file(&path);
        let tests = file.tests.iter().map(|test| (&test.name, test.span));
        let facts = file.asserts.iter().filter(|it| it.tests.is_empty()).map(|it| (&it.name, it.span));
        let uri = &params.text_document.uri;
        let shown = tests.chain(facts).flat_map(|(name, span)| {
            let range = range_of(&lines, span);
            [("run", false), ("run with coverage", true)].map(|(title, coverage)| {
                let arguments = json!([{ "uri": uri, "test": name, "coverage": coverage }]);
                let command = json!({ "title": title, "command": RUN_TESTS, "arguments": arguments });
                json!({ "range": range, "command": command })
            })
        });
        return Ok(shown.collect());
    }
    let shown = |lens: &editor::CodeLens| {
        // A command without a name is text that cannot be clicked.
        let command = json!({ "title": lens.size.title(), "command": "" });
        json!({ "range": range_of(&lines, lens.span), "command": command })
    };
    Ok(editor::code_lenses(&snapshot.compiler, &path).iter().map(shown).collect())
}
