//! `cargo xtask dist`: what people install, as a folder and as an archive of it.
//!
//! The binary is static, so that it runs on every Linux of its architecture. Everything else is made by the binary itself or copied from here.

mod bill;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::requirements::Need;
use crate::{Result, process, product, requirements};

/// What the static binary is built for.
const TARGET: &str = "x86_64-unknown-linux-musl";

/// The other names of the binary.
const NAMES: &[&str] = &["bicep", "thrift-gen-tendon"];

/// The completions: the shell, and the file below `share`.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "bash-completion/completions/tendon"),
    ("zsh", "zsh/site-functions/_tendon"),
    ("fish", "fish/vendor_completions.d/tendon.fish"),
    ("elvish", "elvish/lib/tendon.elv"),
    ("powershell", "powershell/tendon.ps1"),
];

/// What is copied to `share/doc/tendon`.
const DOCUMENTS: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "NOTICE"];

/// What makes an image of the folder.
const CONTAINERFILE: &str = "\
# An image with nothing but Tendon: `podman build -t tendon .` in this folder. State is in /state.
FROM scratch
COPY bin/ /bin/
ENV TENDON_STATE=/state
VOLUME /state
ENTRYPOINT [\"/bin/tendon\"]
";

/// What a deployment of an example prints.
const FIRST: &str = "deployment main succeeded";

/// Builds the binary, or takes the one that is named, and packs it.
pub(crate) fn run(mut arguments: Arguments) -> Result {
    let binary = arguments.value::<PathBuf>("--binary")?;
    let out = arguments.value::<PathBuf>("--out")?;
    arguments.finish()?;
    let out = match out {
        Some(out) => out,
        None => product::target()?.join("dist"),
    };
    let (binary, is_static) = match binary {
        Some(binary) => (binary, false),
        None => (build()?, true),
    };
    let archive = pack(&binary, &out, if is_static { 9 } else { 1 })?;
    if is_static {
        let linked = process::output(Command::new("readelf").args(["--dynamic", "--wide"]).arg(&binary))?;
        if linked.contains("(NEEDED)") {
            return Err(format!("`{}` needs shared libraries:\n{linked}", binary.display()));
        }
    }
    try_out(&archive, &out)?;
    println!("{}", archive.display());
    Ok(())
}

/// The step of the tests: everything but the build of the static binary.
pub(crate) fn check() -> Result {
    let binary = product::built()?.join("tendon");
    let out = product::target()?.join("dist-check");
    let archive = pack(&binary, &out, 1)?;
    try_out(&archive, &out)?;
    fs::remove_dir_all(&out).map_err(|error| format!("cannot remove `{}`: {error}", out.display()))
}

/// Builds the static binary.
fn build() -> Result<PathBuf> {
    requirements::provide(Need::Dist)?;
    process::run(Command::new("rustup").args(["target", "add", TARGET]))?;
    let mut build = process::cargo();
    build.args(["build", "--profile", "dist", "--package", "tendon", "--locked", "--target", TARGET]);
    build.env("CC_x86_64_unknown_linux_musl", "musl-gcc");
    println!("{}", process::shown(&build));
    process::run(&mut build)?;
    Ok(product::target()?.join(TARGET).join("dist/tendon"))
}

/// Makes the folder and its archive with a checksum, and says where the archive is. Nobody waits for the smallest archive of what is only tried out.
fn pack(binary: &Path, out: &Path, level: u8) -> Result<PathBuf> {
    let version = process::output(Command::new(binary).arg("--version"))?;
    let version = version.split_whitespace().nth(1).unwrap_or_default();
    let name = format!("tendon-{version}-x86_64-linux");
    let folder = out.join(&name);
    remade(&folder)?;
    let bin = folder.join("bin");
    copy(binary, &bin.join("tendon"))?;
    for name in NAMES {
        link("tendon", &bin.join(name))?;
    }
    for (shell, file) in COMPLETIONS {
        let script = process::output(Command::new(binary).args(["completions", shell]))?;
        write(&folder.join("share").join(file), &script)?;
    }
    process::run(Command::new(binary).args(["man", "-q"]).arg(folder.join("share/man/man1")))?;
    let documents = folder.join("share/doc/tendon");
    for document in DOCUMENTS {
        copy(Path::new(document), &documents.join(document))?;
    }
    write(&documents.join("tendon.cdx.json"), &bill::of_materials(version)?)?;
    write(&folder.join("Containerfile"), CONTAINERFILE)?;
    let archive = out.join(format!("{name}.tar.gz"));
    // The same sources make the same archive, whoever packs them and when.
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]);
    tar.arg(format!("--use-compress-program=gzip -n{level}"));
    process::run(tar.arg("--create").arg("--file").arg(&archive).arg("--directory").arg(out).arg(&name))?;
    let sums = process::output(Command::new("sha256sum").arg(format!("{name}.tar.gz")).current_dir(out))?;
    write(&out.join("SHA256SUMS"), &sums)?;
    Ok(archive)
}

/// Installs the archive into an empty folder, and uses it there as somebody would who has nothing else.
fn try_out(archive: &Path, out: &Path) -> Result {
    process::run(Command::new("sha256sum").args(["--check", "--quiet", "SHA256SUMS"]).current_dir(out))?;
    let folder = out.join("installed");
    remade(&folder)?;
    let mut tar = Command::new("tar");
    process::run(
        tar.args(["--extract", "--strip-components=1", "--file"])
            .arg(archive)
            .arg("--directory")
            .arg(&folder),
    )?;
    let work = folder.join("work");
    remade(&work)?;
    process::run(Command::new("cp").args(["--recursive", "examples"]).arg(&work))?;
    let ask = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(folder.join("bin").join(program));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", &work)
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&work);
        process::output(&mut command)
    };
    // An example that needs nothing but the binary.
    let said = ask("tendon", &["deploy", "examples/validated/main.bicepparam", "--", "--team", "crane"])?;
    if !said.starts_with(FIRST) {
        return Err(format!("a deployment of an example says:\n{said}"));
    }
    let said = ask("bicep", &["--version"])?;
    if !said.starts_with("Bicep CLI version ") {
        return Err(format!("`bicep --version` says:\n{said}"));
    }
    for file in ["share/man/man1/tendon-deploy.1", "share/doc/tendon/tendon.cdx.json"] {
        if !folder.join(file).is_file() {
            return Err(format!("`{file}` is missing"));
        }
    }
    fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove `{}`: {error}", folder.display()))
}

/// An empty folder.
fn remade(folder: &Path) -> Result {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .map_err(|error| format!("cannot remove `{}`: {error}", folder.display()))?;
    }
    fs::create_dir_all(folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))
}

fn parent(file: &Path) -> Result {
    let Some(folder) = file.parent() else { return Ok(()) };
    fs::create_dir_all(folder).map_err(|error| format!("cannot make `{}`: {error}", folder.display()))
}

fn copy(from: &Path, to: &Path) -> Result {
    parent(to)?;
    let failed = |error| format!("cannot copy `{}` to `{}`: {error}", from.display(), to.display());
    fs::copy(from, to).map(drop).map_err(failed)
}

fn write(file: &Path, text: &str) -> Result {
    parent(file)?;
    fs::write(file, text).map_err(|error| format!("cannot write `{}`: {error}", file.display()))
}

#[cfg(unix)]
fn link(to: &str, file: &Path) -> Result {
    let failed = |error| format!("cannot make the link `{}`: {error}", file.display());
    std::os::unix::fs::symlink(to, file).map_err(failed)
}

#[cfg(not(unix))]
fn link(_: &str, file: &Path) -> Result {
    Err(format!("cannot make the link `{}`: what is shipped is made on Linux", file.display()))
}
