//! `cargo xtask playground`: the compiler for browsers and Node.js, and the page that runs it, as files that any web server can host.
//!
//! The sources are `bindings/wasm` and `playground`; what is made is below `target/playground`: `node` and `web` are the modules, `site` is the page.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::requirements::{self, Need};
use crate::{Result, browser, folder, process, product};

/// What the modules are built for.
const TARGET: &str = "wasm32-unknown-unknown";

/// The stack of a module: templates nest, and the usual megabyte is for shallower programs.
const FLAGS: &str = "-Clink-arg=-zstack-size=4194304";

/// The most that a browser may have to load before the first result, packed.
const LARGEST: usize = 4 << 20;

/// The manifest of what other languages load.
pub(crate) const MANIFEST: &str = "bindings/Cargo.toml";

/// What the page consists of, apart from what is made.
const PAGE: &str = "playground";

pub(crate) fn run(mut arguments: Arguments) -> Result {
    let out = arguments.value::<PathBuf>("--out")?;
    arguments.finish()?;
    let made = build()?;
    let site = made.join("site");
    if let Some(out) = &out {
        folder::copy_anew(&site, out)?;
    }
    println!("{}", out.unwrap_or(site).display());
    Ok(())
}

/// The step `node`: the module in Node.js.
pub(crate) fn node() -> Result {
    let made = build()?;
    let mut test = Command::new("node");
    test.arg("--test").arg("bindings/wasm/tests/");
    test.env("TENDON_MODULE", made.join("node/tendon.js"));
    test.env(
        "TENDON_TYPES",
        std::path::absolute(TYPES).map_err(|error| format!("cannot find `{TYPES}`: {error}"))?,
    );
    process::run(&mut test)
}

/// The step `playground`: the page in a browser.
pub(crate) fn check() -> Result {
    requirements::provide(Need::Browser)?;
    let made = build()?;
    let modules = browser::modules(&product::target()?.join("browser-modules"))?;
    let home = product::target()?.join("playground-browser");
    folder::remove(&home)?;
    let mut run = Command::new("node");
    run.arg("playground/tests/run.mjs").args([&made.join("site"), &home, &modules]);
    println!("{}", process::shown(&run));
    process::run(&mut run)
}

const TYPES: &str = "crates/azure-types/types.pack.lzma";

/// Builds the module, writes the JavaScript beside it, and puts the page together. Answers the folder.
fn build() -> Result<PathBuf> {
    process::run(Command::new("rustup").args(["target", "add", TARGET]))?;
    let target = product::target()?;
    let built = target.join("bindings");
    let mut compile = process::cargo();
    compile.args(["build", "--locked", "--release", "--package", "tendon-wasm", "--target", TARGET]);
    compile.args(["--manifest-path", MANIFEST, "--target-dir"]).arg(&built);
    compile.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS);
    println!("{}", process::shown(&compile));
    process::run(&mut compile)?;
    let made = target.join("playground");
    folder::remove(&made)?;
    let mut bind = process::cargo();
    bind.args(["run", "--locked", "--quiet", "--package", "tendon-bindgen", "--manifest-path", MANIFEST]);
    bind.arg("--target-dir").arg(&built).arg("--");
    bind.arg(built.join(TARGET).join("release/tendon.wasm")).arg(&made);
    process::run(&mut bind)?;
    let site = made.join("site");
    folder::copy_anew(Path::new(PAGE), &site)?;
    folder::remove(&site.join("tests"))?;
    let parts = [
        (made.join("web/tendon.js"), "tendon.js"),
        (made.join("web/tendon_bg.wasm"), "tendon_bg.wasm"),
        (PathBuf::from(TYPES), "types.pack.lzma"),
        (PathBuf::from("crates/graph/src/svg.css"), "graph.css"),
    ];
    for (from, to) in &parts {
        std::fs::copy(from, site.join(to))
            .map_err(|error| format!("cannot copy `{}`: {error}", from.display()))?;
    }
    let packed = process::output(
        Command::new("sh").args(["-c", "gzip -9 -c \"$1\" | wc -c", "sh"]).arg(site.join("tendon_bg.wasm")),
    )?;
    let size: usize = packed.trim().parse().map_err(|_| format!("`wc` says `{packed}`"))?;
    println!("tendon_bg.wasm: {} KiB packed", size / 1024);
    if size > LARGEST {
        return Err(format!("the module has {size} bytes packed, more than {LARGEST}"));
    }
    Ok(made)
}
