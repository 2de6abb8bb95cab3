//! Inflates the packed types, so that the program holds them in the form in which they are used.

use std::error::Error;
use std::io::{self, BufReader, BufWriter, Write as _};
use std::path::Path;
use std::{env, fs};

use lzma_rust2::LzmaReader;

/// How much memory the decoder may take, in KiB: the dictionary of the strongest setting, and some.
const MEMORY: u32 = 80 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=types.pack.lzma");
    println!("cargo::rerun-if-changed=source.txt");
    let packed = BufReader::new(fs::File::open("types.pack.lzma")?);
    let out = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?;
    let mut inflated = BufWriter::new(fs::File::create(Path::new(&out).join("types.pack"))?);
    io::copy(&mut LzmaReader::new_mem_limit(packed, MEMORY, None)?, &mut inflated)?;
    inflated.flush()?;

    for line in fs::read_to_string("source.txt")?.lines() {
        let (name, value) = line.split_once(' ').ok_or("a line of source.txt is a name and a value")?;
        println!("cargo::rustc-env=AZURE_TYPES_{}={value}", name.to_uppercase());
    }
    Ok(())
}
