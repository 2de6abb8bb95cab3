//! `cargo xtask types DIR`: packs the resource types of Azure for `crates/azure-types`.
//!
//! DIR is a checkout of the public type data (bicep-types-az). The types are packed by the product itself, without descriptions,
//! and compressed with `xz`, whose strongest setting makes half of what `gzip` does; the commit and its day are kept beside them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::arguments::Arguments;
use crate::{Result, process};

const CRATE: &str = "crates/azure-types";
const PACK: &str = "types.pack";

pub(crate) fn run(arguments: Arguments) -> Result {
    let words = arguments.words()?;
    let [checkout] = words.as_slice() else {
        return Err("name the checkout of bicep-types-az: cargo xtask types DIR".to_owned());
    };
    let stamp = ["-C", checkout, "log", "-1", "--date=format:%Y-%m-%d", "--format=commit %H%ndate %cd"];
    let source = process::output(Command::new("git").args(stamp))?;

    let pack = Path::new(CRATE).join(PACK);
    let generated = Path::new(checkout).join("generated");
    let mut make = process::cargo();
    make.args(["run", "--quiet", "--package", "tendon", "--", "types", "pack", "--no-descriptions"]);
    process::run(make.arg(&generated).arg("--outfile").arg(&pack))?;
    process::run(Command::new("xz").args(["--format=lzma", "-9", "--extreme", "--force"]).arg(&pack))?;
    fs::write(Path::new(CRATE).join("source.txt"), source).map_err(|error| error.to_string())?;
    println!("{CRATE} is made anew; NOTICE names the commit too");
    Ok(())
}
