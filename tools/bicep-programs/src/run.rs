//! The compiler on one program, as a command line would run it.

use std::sync::{Arc, LazyLock};

use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use bicep_types::{TypeStore, pack};

use crate::Program;

/// Types of a few resources, with every kind of type in them.
const TYPES: &str = include_str!("../../../fuzz/data/types.json");

static STORE: LazyLock<Option<Arc<TypeStore>>> = LazyLock::new(|| {
    let read = |_: &str| Ok(TYPES.as_bytes().to_vec());
    let bytes = pack(&["types.json".into()], &read, None).ok()?;
    TypeStore::from_pack(Arc::new(bytes)).ok().map(Arc::new)
});

/// What became of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramStats {
    /// How long the template is, if there is one.
    pub template: Option<usize>,
    /// How many findings there are.
    pub findings: usize,
    /// How much work was counted.
    pub work: u64,
}

/// Compiles a program. Whatever it is, there is a template or an error, and never both.
///
/// # Errors
///
/// A sentence about a promise that the compiler broke.
pub fn compile(program: &Program) -> Result<ProgramStats, String> {
    let mut world = MemoryWorld::default();
    for (name, text) in &program.files {
        world = world.with_file(&format!("/{name}"), text);
    }
    let Some((entry, _)) = program.files.first() else { return Err("a program without files".to_owned()) };
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions { az_types: STORE.clone(), ..CompilerOptions::new(generator) };
    let compiler = Compiler::new(Arc::new(world), options);
    let compilation = compiler.compile(&FilePath::new(&format!("/{entry}")));
    if compilation.template.is_some() == compilation.has_errors() {
        return Err("a template and errors, or neither".to_owned());
    }
    Ok(ProgramStats {
        template: compilation.template.as_ref().map(|text| text.len()),
        findings: compilation.findings.iter().map(|(_, found)| found.len()).sum(),
        work: compilation.work,
    })
}
