//! `cargo xtask dist`: what people install, as folders, archives and packages of them.
//!
//! The binaries are static, so that they run on every system of their kind. Everything else is made by the binary itself or copied from here.

mod bill;
mod packages;
mod target;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::arguments::Arguments;
use crate::{Result, process, product};

use target::{TARGETS, Target};

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

/// What is packed: a binary for a target, and the one that writes the completions and manual pages of all.
struct Release<'r> {
    target: &'static Target,
    binary: &'r Path,
    writer: &'r Path,
    out: &'r Path,
    /// How hard archives are compressed. Nobody waits for the smallest archive of what is only tried out.
    level: u8,
}

/// Builds the binaries, or takes the one that is named, and packs them.
pub(crate) fn run(mut arguments: Arguments) -> Result {
    let binary = arguments.value::<PathBuf>("--binary")?;
    let out = arguments.value::<PathBuf>("--out")?;
    let all = arguments.flag("--all");
    let named = arguments.values("--target")?;
    arguments.finish()?;
    let out = match out {
        Some(out) => out,
        None => product::target()?.join("dist"),
    };
    let chosen: Vec<&'static Target> = match (all, named.as_slice()) {
        (true, _) => TARGETS.iter().collect(),
        (false, []) => TARGETS.iter().take(1).collect(),
        (false, names) => names.iter().map(|name| Target::named(name)).collect::<Result<_>>()?,
    };
    let level = if binary.is_some() { 1 } else { 9 };
    let mut built = Vec::new();
    for target in chosen {
        let own = match &binary {
            Some(binary) => binary.clone(),
            None => target.build()?,
        };
        built.push((target, own));
    }
    let writer =
        match built.iter().find(|(target, _)| target.name == TARGETS.first().map_or("", |it| it.name)) {
            Some((_, binary)) => binary.clone(),
            None => product::built()?.join("tendon"),
        };
    let releases: Vec<Release<'_>> = built
        .iter()
        .map(|(target, binary)| Release { target, binary, writer: &writer, out: &out, level })
        .collect();
    for release in &releases {
        let archive = release.pack()?;
        if binary.is_none() {
            release.is_static()?;
        }
        if release.binary == writer {
            try_out(&archive, &out)?;
        }
        println!("{}", archive.display());
    }
    packages::make(&releases)?;
    sum_up(&out)
}

/// The step of the tests: everything but the build of the static binary.
pub(crate) fn check() -> Result {
    let binary = product::built()?.join("tendon");
    let out = product::target()?.join("dist-check");
    let archive = Release::tried(&binary, &out).pack()?;
    sum_up(&out)?;
    try_out(&archive, &out)?;
    fs::remove_dir_all(&out).map_err(|error| format!("cannot remove `{}`: {error}", out.display()))
}

/// The step that tries the packages as people would: those of this machine, with the binary of the tests.
pub(crate) fn packages() -> Result {
    let binary = match std::env::var_os("TENDON_BINARY") {
        Some(binary) => PathBuf::from(binary),
        None => product::built()?.join("tendon"),
    };
    let out = product::target()?.join("packages-check");
    remade(&out)?;
    let release = Release::tried(&binary, &out);
    release.pack()?;
    packages::make(std::slice::from_ref(&release))?;
    sum_up(&out)?;
    packages::try_out(&release)?;
    fs::remove_dir_all(&out).map_err(|error| format!("cannot remove `{}`: {error}", out.display()))
}

/// Checksums of everything that is handed out.
fn sum_up(out: &Path) -> Result {
    let sums =
        "find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%f\\n' | LC_ALL=C sort | xargs sha256sum";
    let sums = process::output(Command::new("sh").args(["-c", sums]).current_dir(out))?;
    write(&out.join("SHA256SUMS"), &sums)
}

impl<'r> Release<'r> {
    /// What is tried out, and never handed out.
    fn tried(binary: &'r Path, out: &'r Path) -> Release<'r> {
        let target = TARGETS.first().unwrap_or_else(|| unreachable!("there is a target"));
        Release { target, binary, writer: binary, out, level: 1 }
    }

    /// The version that the binary says it has.
    fn version(&self) -> Result<String> {
        let said = process::output(Command::new(self.writer).arg("--version"))?;
        Ok(said.split_whitespace().nth(1).unwrap_or_default().to_owned())
    }

    /// The folder of the release.
    fn folder(&self) -> Result<PathBuf> {
        Ok(self.out.join(format!("tendon-{}-{}", self.version()?, self.target.name)))
    }

    /// Says what is wrong if the binary needs libraries.
    fn is_static(&self) -> Result {
        if self.target.is_windows() {
            return Ok(());
        }
        let linked = process::output(Command::new("readelf").args(["--dynamic", "--wide"]).arg(self.binary))?;
        if linked.contains("(NEEDED)") {
            return Err(format!("`{}` needs shared libraries:\n{linked}", self.binary.display()));
        }
        Ok(())
    }

    /// Makes the folder and its archive, and says where the archive is.
    fn pack(&self) -> Result<PathBuf> {
        let (version, folder) = (self.version()?, self.folder()?);
        remade(&folder)?;
        let bin = folder.join("bin");
        let own = self.target.program("tendon");
        copy(self.binary, &bin.join(&own))?;
        for name in NAMES {
            let name = bin.join(self.target.program(name));
            if self.target.is_windows() { copy(self.binary, &name)? } else { link(&own, &name)? }
        }
        for (shell, file) in COMPLETIONS {
            let script = process::output(Command::new(self.writer).args(["completions", shell]))?;
            write(&folder.join("share").join(file), &script)?;
        }
        process::run(Command::new(self.writer).args(["man", "-q"]).arg(folder.join("share/man/man1")))?;
        let documents = folder.join("share/doc/tendon");
        for document in DOCUMENTS {
            copy(Path::new(document), &documents.join(document))?;
        }
        write(&documents.join("tendon.cdx.json"), &bill::of_materials(&version, self.target.triple)?)?;
        let name = format!("tendon-{version}-{}", self.target.name);
        if self.target.is_windows() {
            packages::run(self, "archive", &[folder.as_os_str(), self.target.name.as_ref()])?;
            return Ok(self.out.join(format!("{name}.zip")));
        }
        write(&folder.join("Containerfile"), CONTAINERFILE)?;
        let archive = self.out.join(format!("{name}.tar.gz"));
        // The same sources make the same archive, whoever packs them and when.
        let mut tar = Command::new("tar");
        tar.args(["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner"]);
        tar.arg(format!("--use-compress-program=gzip -n{}", self.level));
        process::run(
            tar.arg("--create").arg("--file").arg(&archive).arg("--directory").arg(self.out).arg(&name),
        )?;
        Ok(archive)
    }
}

/// Installs the archive into an empty folder, and uses it there as somebody would who has nothing else.
fn try_out(archive: &Path, out: &Path) -> Result {
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
