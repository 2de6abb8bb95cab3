//! Any set of files compiles to JSON or is refused with findings that lie inside the files.
//!
//! An input is several files: a line `--- NAME` begins one, and what stands before the first is `main.bicep`.

#![no_main]

use bicep::files::SourceFile;
use bicep::{FilePath, MemoryWorld};
use document::{Document, FileId, ReadLimits};
use libfuzzer_sys::fuzz_target;
use tendon_fuzz::compiler;

fuzz_target!(|text: &str| {
    let mut world = MemoryWorld::default().with_variable("STAGE", "test");
    let mut name = "main.bicep";
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if let Some(next) = line.strip_prefix("--- ") {
            world = world.with_file(&format!("/{name}"), &text[start..at]);
            name = next.trim_end();
            start = at + line.len();
        }
        at += line.len();
    }
    world = world.with_file(&format!("/{name}"), &text[start..]);
    let compiler = compiler(world);
    for entry in ["/main.bicep", "/main.bicepparam"] {
        let entry = FilePath::new(entry);
        if compiler.file(&entry).is_err() {
            continue;
        }
        let compilation = compiler.compile(&entry);
        assert_eq!(
            compilation.template.is_none(),
            compilation.has_errors(),
            "a template and errors, or neither"
        );
        for (path, findings) in &compilation.findings {
            let file = compiler.file(path);
            let Ok(SourceFile::Bicep(file)) = file.as_deref() else { continue };
            let length = file.tree.text().len();
            for finding in findings.iter() {
                assert!(finding.span.end as usize <= length, "a finding outside the text");
                assert!(!finding.message.is_empty());
            }
        }
        if let Some(template) = compilation.template {
            let limits = ReadLimits { depth: 4096, ..ReadLimits::DEFAULT };
            if let Err(error) = Document::from_json(&*template, FileId::FIRST, &limits) {
                panic!("the template is not JSON: {error}");
            }
        }
        let _using = compiler.using(&entry);
    }
});
