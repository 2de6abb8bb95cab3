//! All that is wrong with a file before a template is written from it.

use crate::files::ReferenceKind;
use crate::finding::{Finding, Severity};
use crate::symbols::{Model, SymbolId};

/// What was found in a file: its syntax, its configuration, its names, and the files it refers to; sorted by place.
pub(crate) fn findings(model: &Model) -> Vec<Finding> {
    let file = &model.file;
    let text = file.tree.text();
    let mut found: Vec<Finding> = Vec::new();
    for fault in file.config.faults() {
        found.push(fault.at(syntax::Span::default()));
    }
    for finding in file.tree.diagnostics() {
        let message = finding.message(text).into();
        found.push(Finding {
            span: finding.span,
            code: finding.code.as_str(),
            severity: Severity::Error,
            message,
        });
    }
    found.extend(model.findings.iter().cloned());
    let references = file.references.iter().filter(|reference| reference.kind != ReferenceKind::Extension);
    for (source, reference) in model.sources.iter().zip(references) {
        if let Err(fault) = &source.target {
            found.push(fault.at(reference.span));
        }
    }
    for (id, _) in model.symbols() {
        if let Some(cycle) = model.cycle(id) {
            found.push(cycle_finding(model, id, cycle));
        }
    }
    found.sort_by_key(|finding| finding.span.start);
    found
}

fn cycle_finding(model: &Model, id: SymbolId, cycle: &[SymbolId]) -> Finding {
    let span = model.node_of(id).span();
    if let [_] = cycle {
        return Finding::error(span, "BCP079", "this expression refers to its own declaration");
    }
    let names: Vec<&str> = cycle.iter().map(|symbol| model.symbol(*symbol).name.as_str()).collect();
    Finding::error(span, "BCP080", format!("these declarations need each other: `{}`", names.join("` -> `")))
}
