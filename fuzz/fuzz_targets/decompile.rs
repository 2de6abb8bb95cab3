//! Any template becomes programs without syntax errors, or is refused with a reason; what a compiler wrote, compiles again.
//!
//! The input is tried as a template and as parameters, and its bytes also choose a program whose template is decompiled.

#![no_main]

use std::sync::Arc;

use bicep::{Compilation, Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use bicep_programs::{Choices, program};
use libfuzzer_sys::fuzz_target;
use syntax::SourceKind;

/// What stands where people have to fill something in.
const TODO: &str = "TODO";

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes) {
        decompiled(text);
        if let Ok(made) = decompile::decompile_parameters(text, None) {
            is_fine(&made, SourceKind::Params);
        }
    }
    let files = program(&mut Choices::from_bytes(bytes)).files;
    let world = files.iter().fold(MemoryWorld::default(), |world, (name, text)| {
        world.with_file(&format!("/{name}"), text.as_str())
    });
    if let Some(template) = compiled(world).template {
        decompiled(&template);
    }
});

fn decompiled(template: &str) {
    let made = match decompile::decompile(template, &decompile::DecompileOptions::default()) {
        Ok(made) => made,
        Err(problem) => {
            assert!(!problem.message.is_empty());
            return;
        }
    };
    let mut world = MemoryWorld::default();
    for file in &made.files {
        if file.path.ends_with(".bicep") {
            is_fine(&file.text, SourceKind::Bicep);
        }
        world = world.with_file(FilePath::new("/a/b").join(&file.path).as_str(), file.text.as_str());
    }
    let compilation = compiled(world);
    if let Some(found) = &compilation.template {
        let differences = decompile::compare(template, found, 10).expect("both are templates");
        assert!(differences.iter().all(|it| it.wanted != it.found), "a difference that is none");
    }
}

fn compiled(world: MemoryWorld) -> Compilation {
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let nested = compiler.compile(&FilePath::new("/a/b/main.bicep"));
    if nested.template.is_some() { nested } else { compiler.compile(&FilePath::new("/main.bicep")) }
}

/// Fails if a program has syntax errors.
fn is_fine(text: &str, kind: SourceKind) {
    let tree = syntax::parse(text, kind);
    if let Some(found) = tree.diagnostics().first()
        && !text.contains(TODO)
    {
        panic!("{}: {}\n{text}", found.code.as_str(), found.message(tree.text()));
    }
}
