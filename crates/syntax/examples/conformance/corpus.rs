//! Whole folders of real files: nothing may get lost, nothing may panic, and how fast.

use std::path::Path;
use std::time::Instant;

use crate::{bicep_files, source_kind};

pub(crate) fn run(roots: &[&str], verbose: bool) {
    let (mut files, mut with_findings, mut lost, mut prefixes) = (0, 0, 0, 0_u64);
    for path in roots.iter().flat_map(|root| bicep_files(Path::new(root))) {
        let (Ok(bytes), Some(kind)) = (std::fs::read(&path), source_kind(&path)) else { continue };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        files += 1;
        let tree = syntax::parse(text.as_str(), kind);
        if tree.print() != text {
            lost += 1;
            println!("lost text: {}", path.display());
        }
        if let Some(first) = tree.diagnostics().first() {
            with_findings += 1;
            if verbose {
                let line =
                    text.get(..first.span.start as usize).map_or(0, |before| before.matches('\n').count())
                        + 1;
                println!("{}:{line}: {} {}", path.display(), first.code.as_str(), first.message(&text));
            }
        }
        // Every prefix of small files, some of larger ones.
        let step = (text.len() / 400).max(1);
        for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
            let prefix = text.get(..end).unwrap_or("");
            prefixes += 1;
            if syntax::parse(prefix, kind).print() != prefix {
                lost += 1;
                println!("lost text in prefix {end}: {}", path.display());
            }
        }
    }
    println!("{files} files, {with_findings} with findings, {prefixes} prefixes, {lost} not printed back");
}

pub(crate) fn bench(roots: &[&str]) {
    let mut sources = Vec::new();
    for path in roots.iter().flat_map(|root| bicep_files(Path::new(root))) {
        if let (Ok(text), Some(kind)) = (std::fs::read_to_string(&path), source_kind(&path)) {
            sources.push((std::sync::Arc::<str>::from(text), kind));
        }
    }
    let bytes: usize = sources.iter().map(|(text, _)| text.len()).sum();
    let mut best = f64::MAX;
    let (mut tokens, mut nodes) = (0, 0);
    for _ in 0..15 {
        (tokens, nodes) = (0, 0);
        let start = Instant::now();
        for (text, kind) in &sources {
            let tree = syntax::parse(std::sync::Arc::clone(text), *kind);
            tokens += tree.tokens().len();
            nodes += tree.node_count();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} files, {megabytes:.2} MB, {tokens} tokens, {nodes} nodes: best of 15 {:.1} ms, {:.1} MB/s",
        sources.len(),
        best * 1e3,
        megabytes / best
    );
}
