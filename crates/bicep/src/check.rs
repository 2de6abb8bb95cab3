//! All that is wrong with a file before a template is written from it.

use syntax::SyntaxElement;
use syntax::ast::{AstNode as _, ImportedSymbolsList, Statement};

use crate::files::{FileReference, ReferenceKind};
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
        if let Err(fault) = &source.target
            && !is_empty_import(model, reference)
        {
            found.push(fault.at(reference.span));
        }
    }
    for extension in &model.extensions {
        if let Err(fault) = &extension.types {
            let reference = file.reference_of(model.symbol(extension.symbol).node);
            let span =
                reference.map_or_else(|| model.node_of(extension.symbol).span(), |reference| reference.span);
            found.push(fault.at(span));
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

/// Tells whether an import takes nothing; nobody notices then whether there is anything to take from.
fn is_empty_import(model: &Model, reference: &FileReference) -> bool {
    match Statement::cast(model.file.node(reference.declaration)) {
        Some(Statement::CompileTimeImportDeclaration(import)) => {
            let list = import.imported().and_then(SyntaxElement::node).and_then(ImportedSymbolsList::cast);
            list.is_some_and(|list| list.symbols().next().is_none())
        }
        _ => false,
    }
}

fn cycle_finding(model: &Model, id: SymbolId, cycle: &[SymbolId]) -> Finding {
    let span = model.node_of(id).span();
    if let [_] = cycle {
        return Finding::error(span, "BCP079", "this expression refers to its own declaration");
    }
    let names: Vec<&str> = cycle.iter().map(|symbol| model.symbol(*symbol).name.as_str()).collect();
    Finding::error(span, "BCP080", format!("these declarations need each other: `{}`", names.join("` -> `")))
}
