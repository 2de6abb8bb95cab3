//! Programs that end in the middle. Documents cannot say this, because their files end with a line.

use std::sync::Arc;

use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

fn codes(text: &str) -> Vec<&'static str> {
    let world = MemoryWorld::default().with_file("/main.bicep", text);
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let options = CompilerOptions::new(generator);
    let compilation = Compiler::new(Arc::new(world), options).compile(&FilePath::new("/main.bicep"));
    let all = compilation.findings.iter().flat_map(|(_, found)| found.iter());
    let mut codes: Vec<&str> = all.map(|finding| finding.code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn a_function_without_a_body_says_nothing_of_its_type() {
    assert_eq!(codes("func area() size"), ["BCP009", "BCP018"]);
}

#[test]
fn a_configuration_that_is_cut_off_is_none() {
    assert_eq!(codes("extension az with {\n  region"), ["BCP018"]);
}
