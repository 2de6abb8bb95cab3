//! Whole folders of real files: nothing may get lost, nothing may panic, and how fast.

use std::path::Path;
use std::time::Instant;

use syntax::format::FormatOptions;

use crate::{bicep_files, read, source_kind};

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

/// Formats all files below `root` into `out`; says which are other when they are formatted twice.
pub(crate) fn format(root: &Path, out: &Path) {
    let options = FormatOptions::default();
    let (mut files, mut unstable) = (0, 0);
    for path in bicep_files(root) {
        let (Some(text), Some(kind)) = (read(&path), source_kind(&path)) else { continue };
        files += 1;
        let once = syntax::format::format(&syntax::parse(text, kind), &options);
        let twice = syntax::format::format(&syntax::parse(once.as_str(), kind), &options);
        if once != twice {
            unstable += 1;
            println!("formatted otherwise the second time: {}", path.display());
        }
        let target = out.join(path.strip_prefix(root).unwrap_or(&path));
        let written = target.parent().map_or(Ok(()), std::fs::create_dir_all);
        if let Err(error) = written.and_then(|()| std::fs::write(&target, once)) {
            println!("cannot write {}: {error}", target.display());
        }
    }
    println!("{files} files, {unstable} formatted otherwise the second time");
}

pub(crate) fn bench(roots: &[&str]) {
    let mut sources = Vec::new();
    for path in roots.iter().flat_map(|root| bicep_files(Path::new(root))) {
        if let (Ok(text), Some(kind)) = (std::fs::read_to_string(&path), source_kind(&path)) {
            sources.push((std::sync::Arc::<str>::from(text), kind));
        }
    }
    let bytes: usize = sources.iter().map(|(text, _)| text.len()).sum();
    let (mut best, mut best_format) = (f64::MAX, f64::MAX);
    let (mut tokens, mut nodes) = (0, 0);
    let options = FormatOptions::default();
    for _ in 0..15 {
        (tokens, nodes) = (0, 0);
        let start = Instant::now();
        for (text, kind) in &sources {
            let tree = syntax::parse(std::sync::Arc::clone(text), *kind);
            tokens += tree.tokens().len();
            nodes += tree.node_count();
        }
        best = best.min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for (text, kind) in &sources {
            let tree = syntax::parse(std::sync::Arc::clone(text), *kind);
            std::hint::black_box(syntax::format::format(&tree, &options));
        }
        best_format = best_format.min(start.elapsed().as_secs_f64());
    }
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} files, {megabytes:.2} MB, {tokens} tokens, {nodes} nodes: best of 15 {:.1} ms, {:.1} MB/s",
        sources.len(),
        best * 1e3,
        megabytes / best
    );
    println!("with formatting {:.1} ms, {:.2} times as long", best_format * 1e3, best_format / best);
}
