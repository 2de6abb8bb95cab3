//! Lets pilota and the Apache compiler make their types, and writes the validators.

fn main() {
    #[cfg(feature = "built")]
    build();
}

#[cfg(feature = "built")]
fn build() {
    use std::path::PathBuf;

    use pilota_build::{Builder, IdlService, Output};

    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets it"));
    let schemas = thrift_readers::schemas::schemas().expect("the interface files are in order");
    println!("cargo:rerun-if-changed={}", thrift_readers::schemas::folder().display());
    let idl = out.join("idl");
    std::fs::create_dir_all(&idl).expect("cargo made the folder above it");
    let mut services = Vec::new();
    for schema in &schemas {
        let path = idl.join(format!("{}.thrift", schema.name));
        std::fs::write(&path, &schema.text).expect("the folder is there");
        services.push(IdlService::from_path(path));
    }
    Builder::thrift().ignore_unused(false).compile_with_config(services, Output::File(out.join("pilota.rs")));
    thrift_readers::readers::sources(&schemas, &idl, &out.join("readers"), "crate::readers")
        .expect("the Thrift compiler is installed");
}
