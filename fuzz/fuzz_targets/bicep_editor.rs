//! Whatever an editor asks, at any place of any set of files, has an answer that lies inside the files.
//!
//! An input is a place and several files: the first four bytes are the offset, and a line `--- NAME` begins a file; what
//! stands before the first is `main.bicep`.

#![no_main]

use std::sync::Arc;

use bicep::editor;
use bicep::files::SourceFile;
use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use libfuzzer_sys::fuzz_target;
use syntax::Span;

fuzz_target!(|input: (u32, &str)| {
    let (offset, text) = input;
    let mut world = MemoryWorld::default();
    let mut workspace = Vec::new();
    let mut add = |name: &str, text: &str| {
        let path = FilePath::new(&format!("/{name}"));
        world = std::mem::take(&mut world).with_file(path.as_str(), text);
        workspace.push(path);
    };
    let mut name = "main.bicep";
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(next) = line.strip_prefix("--- ") {
            add(name, &text[start..at]);
            name = next.trim_end();
            start = at + line.len();
        }
        at += line.len();
    }
    add(name, &text[start..]);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    for path in &workspace {
        let file = compiler.file(path);
        let Ok(SourceFile::Bicep(file)) = file.as_deref() else { continue };
        let text = file.tree.text();
        let offset = offset % (u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_add(2));
        let inside = |span: Span| {
            assert!(text.get(span.start as usize..span.end as usize).is_some(), "{span:?} is not text");
        };
        editor::hover(&compiler, path, offset).iter().for_each(|found| inside(found.span));
        editor::definition(&compiler, path, offset).iter().for_each(|found| inside(found.origin));
        editor::highlight(&compiler, path, offset).iter().for_each(|found| inside(found.span));
        let _found = editor::references(&compiler, path, offset, &workspace, true);
        let _found = editor::signature_help(&compiler, path, offset);
        let _found = editor::prepare_call_hierarchy(&compiler, path, offset);
        if let Ok(files) = editor::rename(&compiler, path, offset, "fresh", &workspace) {
            for file in files {
                assert!(file.edits.is_sorted_by(|(one, _), (other, _)| one.end <= other.start));
            }
        }
        let ranges = editor::selection_ranges(&compiler, path, offset);
        assert!(ranges.is_sorted_by(|one, other| other.encloses(*one) && one != other));
        let tokens = editor::semantic_tokens(&compiler, path, None);
        assert!(tokens.is_sorted_by(|one, other| one.span.end <= other.span.start), "tokens overlap");
        tokens.iter().for_each(|token| inside(token.span));
        editor::document_symbols(&compiler, path).iter().for_each(|symbol| inside(symbol.span));
        editor::folding(&compiler, path).iter().for_each(|fold| inside(fold.span));
        editor::document_links(&compiler, path).iter().for_each(|link| inside(link.span));
        editor::code_lenses(&compiler, path).iter().for_each(|lens| inside(lens.span));
        let _found = editor::inlay_hints(&compiler, path, Span::new(0, u32::MAX));
    }
});
