//! What several targets share.

use std::sync::{Arc, LazyLock};

use bicep::{Compiler, CompilerOptions, Generator, MemoryWorld};
use bicep_types::{TypeStore, pack};

/// Types of a few resources, with every kind of type in them.
const TYPES: &str = include_str!("../data/types.json");

static STORE: LazyLock<Arc<TypeStore>> = LazyLock::new(|| {
    let read = |_: &str| Ok(TYPES.as_bytes().to_vec());
    let bytes = pack(&["types.json".into()], &read, None).expect("the types are ours");
    Arc::new(TypeStore::from_pack(Arc::new(bytes)).expect("a pack that was just made"))
});

/// A compiler of the files of a world that knows these types.
pub fn compiler(world: MemoryWorld) -> Compiler {
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let options = CompilerOptions { az_types: Some(Arc::clone(&STORE)), ..CompilerOptions::new(generator) };
    Compiler::new(Arc::new(world), options)
}
