//! Formatting against parsing, over all programs in one go.

use std::hint::black_box;
use std::time::Duration;

use syntax::format::{FormatOptions, format};
use syntax::{SourceKind, SyntaxTree, parse};

use super::Source;
use crate::Result;
use crate::timing::{mean_processor_time, show};

/// How long one thing is measured.
const BUDGET: Duration = Duration::from_secs(2);

/// Fails if formatting twice is other than formatting once.
pub(super) fn run(sources: &[Source]) -> Result {
    let options = FormatOptions::default();
    let trees: Vec<SyntaxTree> =
        sources.iter().map(|source| parse(source.text.as_str(), SourceKind::Bicep)).collect();
    let mut changed = 0;
    for (tree, source) in trees.iter().zip(sources) {
        let once = format(tree, &options);
        changed += usize::from(once != source.text);
        if format(&parse(once.as_str(), SourceKind::Bicep), &options) != once {
            return Err(format!("`{}` is formatted otherwise the second time", source.name));
        }
    }
    let mut parsing = || {
        sources.iter().for_each(|source| drop(black_box(parse(source.text.as_str(), SourceKind::Bicep))));
    };
    let mut formatting = || trees.iter().for_each(|tree| drop(black_box(format(tree, &options))));
    let (parsing, formatting) =
        (mean_processor_time(BUDGET, &mut parsing), mean_processor_time(BUDGET, &mut formatting));
    println!("Formatting {} programs, {changed} of which change:\n", sources.len());
    println!("| parse | format | times the parse | both, times the parse |\n|--:|--:|--:|--:|");
    let (share, both) = (formatting / parsing, (parsing + formatting) / parsing);
    println!("| {} | {} | {share:.2} | {both:.2} |\n", show(parsing), show(formatting));
    Ok(())
}
