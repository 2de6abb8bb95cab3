//! A lossless parse against the tree-sitter grammar of Bicep, and which of them calls a right program wrong.

use std::hint::black_box;
use std::time::Duration;

use syntax::SourceKind;
use tree_sitter::Parser;

use super::Source;
use crate::Result;
use crate::timing::{geometric_mean, mean_processor_time, show};

/// The most programs that are timed one by one; the others are only looked at for errors.
const TIMED: usize = 200;

pub(super) fn run(sources: &[Source]) -> Result {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bicep::LANGUAGE.into())
        .map_err(|error| format!("the grammar does not load: {error}"))?;
    let (mut ours_wrong, mut theirs_wrong) = (Vec::new(), 0);
    for source in sources {
        let tree = syntax::parse(source.text.as_str(), SourceKind::Bicep);
        if tree.print() != source.text {
            return Err(format!("`{}` does not print back", source.name));
        }
        if !tree.diagnostics().is_empty() {
            ours_wrong.push(source.name.as_str());
        }
        let theirs = parser.parse(&source.text, None).ok_or("tree-sitter gave up")?;
        theirs_wrong += usize::from(theirs.root_node().has_error());
    }
    println!("Programs with syntax errors, of {}:\n", sources.len());
    println!("| ours | tree-sitter |\n|--:|--:|\n| {} | {theirs_wrong} |\n", ours_wrong.len());
    ours_wrong.iter().take(5).for_each(|name| println!("ours: {name}"));

    println!("Parsing:\n");
    println!("| program | bytes | tree-sitter | ours | times as fast |");
    println!("|---|--:|--:|--:|--:|");
    let every = sources.len().div_ceil(TIMED).max(1);
    let mut ratios = Vec::new();
    let (mut all_theirs, mut all_ours, mut all_bytes) = (0.0, 0.0, 0);
    let budget = Duration::from_millis(if sources.len() <= 10 { 1000 } else { 150 });
    let chosen: Vec<&Source> = sources.iter().step_by(every).collect();
    for source in &chosen {
        let mut theirs = || drop(black_box(parser.parse(&source.text, None)));
        let mut ours = || drop(black_box(syntax::parse(source.text.as_str(), SourceKind::Bicep)));
        let (theirs, ours) =
            (mean_processor_time(budget, &mut theirs), mean_processor_time(budget, &mut ours));
        ratios.push(theirs / ours);
        (all_theirs, all_ours) = (all_theirs + theirs, all_ours + ours);
        all_bytes += source.text.len();
        if chosen.len() <= 10 {
            let (name, bytes) = (&source.name, source.text.len());
            println!("| {name} | {bytes} | {} | {} | {:.1} |", show(theirs), show(ours), theirs / ours);
        }
    }
    let (theirs, ours) = (show(all_theirs), show(all_ours));
    println!("| all {} | {all_bytes} | {theirs} | {ours} | {:.1} |", chosen.len(), all_theirs / all_ours);
    println!("| geometric mean | | | | {:.1} |\n", geometric_mean(ratios));
    Ok(())
}
