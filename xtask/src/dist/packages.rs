//! The packages of a release, and what people do with them.
//!
//! `packages.py` writes them: Python has zip, tar and digests, which the standard library of Rust lacks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Release;
use crate::{Result, folder, process};

const SCRIPT: &str = "xtask/src/dist/packages.py";

/// Writes a package of a kind.
pub(super) fn run(release: &Release<'_>, kind: &str, words: &[&OsStr]) -> Result {
    let mut run = Command::new("python3");
    run.args([SCRIPT, kind]).arg(release.out).arg(release.version()?).args(words);
    run.env("TENDON_LEVEL", release.level.to_string());
    process::output(&mut run).map(drop)
}

/// Makes all packages of releases of one version.
pub(super) fn make(releases: &[Release<'_>]) -> Result {
    let mut image: Vec<&OsStr> = Vec::new();
    let mut platforms: Vec<String> = Vec::new();
    let mut archives: Vec<String> = Vec::new();
    for release in releases {
        let (target, binary) = (release.target, release.binary.as_os_str());
        run(release, "wheel", &[binary, target.wheel.as_ref()])?;
        run(release, "npm", &[binary, target.npm.0.as_ref(), target.npm.1.as_ref()])?;
        platforms.push(format!("{}-{}", target.npm.0, target.npm.1));
        if let Some(architecture) = target.debian {
            run(release, "debian", &[release.folder()?.as_os_str(), architecture.as_ref()])?;
            image.extend([OsStr::new(architecture), binary]);
        }
        let ending = if target.is_windows() { "zip" } else { "tar.gz" };
        archives.push(format!("tendon-{}-{}.{ending}", release.version()?, target.name));
    }
    let Some(first) = releases.first() else { return Ok(()) };
    let words = |names: &[String]| names.iter().map(|name| OsStr::new(name).to_owned()).collect::<Vec<_>>();
    let of = |words: &[std::ffi::OsString], kind: &str| {
        run(first, kind, &words.iter().map(AsRef::as_ref).collect::<Vec<_>>())
    };
    of(&words(&platforms), "npm_choice")?;
    of(&words(&archives), "formulas")?;
    if image.is_empty() { Ok(()) } else { run(first, "image", &image) }
}

/// Does with the packages of this machine what people do, in folders that are removed.
pub(super) fn try_out(release: &Release<'_>) -> Result {
    let work = release.out.join("tried");
    folder::remove(&work)?;
    std::fs::create_dir_all(&work).map_err(|error| format!("cannot make `{}`: {error}", work.display()))?;
    let work =
        std::path::absolute(&work).map_err(|error| format!("cannot find `{}`: {error}", work.display()))?;
    let out = std::path::absolute(release.out).map_err(|error| error.to_string())?;
    again(release)?;
    wheel(&out, &work)?;
    npm(&out, &work)?;
    debian(&out, &work)?;
    image(release, &out, &work)?;
    installer(release, &out, &work)
}

/// The script of the workflows installs the archive from a folder, and refuses one that is not what its checksum says.
fn installer(release: &Release<'_>, out: &Path, work: &Path) -> Result {
    let version = release.version()?;
    let install = |releases: &Path, folder: &str| {
        let mut install = Command::new("sh");
        install.args(["ci/install.sh", &version]).arg(work.join(folder));
        install
            .env("TENDON_RELEASES", format!("file://{}", releases.display()))
            .output()
            .map_err(|error| error.to_string())
    };
    let installed = install(out, "installed")?;
    if !installed.status.success() {
        return Err(format!("`ci/install.sh` fails:\n{}", String::from_utf8_lossy(&installed.stderr)));
    }
    works(&work.join("installed/bin/tendon"), work)?;
    let broken = work.join("broken");
    std::fs::create_dir_all(&broken).map_err(|error| error.to_string())?;
    let name = format!("tendon-{version}-{}.tar.gz", release.target.name);
    std::fs::write(broken.join(&name), "something else").map_err(|error| error.to_string())?;
    std::fs::copy(out.join("SHA256SUMS"), broken.join("SHA256SUMS")).map_err(|error| error.to_string())?;
    let refused = install(&broken, "refused")?;
    if refused.status.code() != Some(3) || work.join("refused").exists() {
        return Err("`ci/install.sh` installs what is not what its checksum says".to_owned());
    }
    Ok(())
}

/// The file of a package.
fn found(out: &Path, start: &str, end: &str) -> Result<PathBuf> {
    let entries =
        std::fs::read_dir(out).map_err(|error| format!("cannot read `{}`: {error}", out.display()))?;
    let mut names = entries.flatten().map(|entry| entry.path()).filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(start) && name.ends_with(end)
    });
    names.next().ok_or_else(|| format!("there is no `{start}*{end}` in `{}`", out.display()))
}

/// What a binary says, and does with a program.
fn works(program: &Path, work: &Path) -> Result {
    let said = process::output(Command::new(program).arg("--version"))?;
    if !said.starts_with("tendon ") {
        return Err(format!("`{} --version` says:\n{said}", program.display()));
    }
    let file = work.join("main.bicep");
    std::fs::write(&file, "param name string = 'x'\noutput o string = name\n")
        .map_err(|error| error.to_string())?;
    let said = process::output(Command::new(program).args(["build", "--stdout"]).arg(&file))?;
    if !said.contains("\"outputs\"") {
        return Err(format!("`{} build` says:\n{said}", program.display()));
    }
    println!("ok: {} runs", program.display());
    Ok(())
}

/// The same files give the same bytes.
fn again(release: &Release<'_>) -> Result {
    let digests = |out: &Path| {
        let list = "find . -maxdepth 1 -type f \\( -name '*.whl' -o -name '*.tgz' -o -name '*.deb' \\) | sort | xargs sha256sum; cat *.oci/index.json";
        process::output(Command::new("sh").args(["-c", list]).current_dir(out))
    };
    let first = digests(release.out)?;
    make(std::slice::from_ref(release))?;
    if digests(release.out)? == first {
        Ok(())
    } else {
        Err("packages that are made twice differ".to_owned())
    }
}

fn wheel(out: &Path, work: &Path) -> Result {
    let environment = work.join("venv");
    process::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
    let pip = |words: &[&OsStr]| {
        let mut pip = Command::new(environment.join("bin/python"));
        process::run(pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]).args(words))
    };
    let wheel = found(out, "tendon_iac-", ".whl")?;
    pip(&["install".as_ref(), "--no-index".as_ref(), wheel.as_ref()])?;
    let program = environment.join("bin/tendon");
    works(&program, work)?;
    pip(&["uninstall".as_ref(), "--yes".as_ref(), "tendon-iac".as_ref()])?;
    if program.exists() { Err("the wheel leaves its program behind".to_owned()) } else { Ok(()) }
}

fn npm(out: &Path, work: &Path) -> Result {
    let project = work.join("npm");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    std::fs::write(project.join("package.json"), "{\"private\": true}\n")
        .map_err(|error| error.to_string())?;
    // The one of the platform first: the registry, which would have it, is not asked.
    let packages = [found(out, "tendon-iac-cli-linux-", ".tgz")?, found(out, "tendon-iac-cli-0", ".tgz")?];
    let mut install = Command::new("npm");
    install.args(["install", "--offline", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"]);
    process::run(install.args(&packages).current_dir(&project))?;
    works(&project.join("node_modules/.bin/tendon"), work)?;
    let wrong = Command::new(project.join("node_modules/.bin/tendon")).arg("nothing").output();
    let code = wrong.map_err(|error| error.to_string())?.status.code();
    if code == Some(2) {
        Ok(())
    } else {
        Err(format!("wrong usage ends with {code:?} through npm, and not with 2"))
    }
}

fn debian(out: &Path, work: &Path) -> Result {
    let root = work.join("root");
    for folder in ["var/lib/dpkg/info", "var/lib/dpkg/updates"] {
        std::fs::create_dir_all(root.join(folder)).map_err(|error| error.to_string())?;
    }
    for file in ["var/lib/dpkg/status", "var/lib/dpkg/available"] {
        std::fs::write(root.join(file), "").map_err(|error| error.to_string())?;
    }
    let dpkg = |words: &[&OsStr]| {
        let mut dpkg = Command::new("dpkg");
        dpkg.arg(format!("--root={}", root.display())).args(["--force-not-root", "--log=/dev/null"]);
        process::output(dpkg.args(words)).map(drop)
    };
    let package = found(out, "tendon_", ".deb")?;
    dpkg(&["--install".as_ref(), package.as_ref()])?;
    dpkg(&["--verify".as_ref(), "tendon".as_ref()])?;
    let program = root.join("usr/bin/tendon");
    works(&program, work)?;
    for file in
        ["usr/share/man/man1/tendon.1.gz", "usr/share/doc/tendon/copyright", "usr/bin/thrift-gen-tendon"]
    {
        if !root.join(file).exists() {
            return Err(format!("the Debian package has no `{file}`"));
        }
    }
    dpkg(&["--remove".as_ref(), "tendon".as_ref()])?;
    if program.exists() { Err("the Debian package leaves its program behind".to_owned()) } else { Ok(()) }
}

/// Unpacks the image as a daemon would, holding every digest against what it names, and starts its program.
fn image(release: &Release<'_>, out: &Path, work: &Path) -> Result {
    const UNPACK: &str = "\
import gzip, hashlib, json, pathlib, sys, tarfile, io
layout, root = map(pathlib.Path, sys.argv[1:])
def blob(it):
    data = (layout / 'blobs' / it['digest'].replace(':', '/')).read_bytes()
    assert hashlib.sha256(data).hexdigest() == it['digest'].split(':')[1] and len(data) == it['size'], it
    return data
assert json.loads((layout / 'oci-layout').read_text()) == {'imageLayoutVersion': '1.0.0'}
index = json.loads(blob(json.loads((layout / 'index.json').read_text())['manifests'][0]))
manifest = json.loads(blob(index['manifests'][0]))
config = json.loads(blob(manifest['config']))
assert config['config']['User'] == '65532:65532'
for layer, digest in zip(manifest['layers'], config['rootfs']['diff_ids'], strict=True):
    data = gzip.decompress(blob(layer))
    assert 'sha256:' + hashlib.sha256(data).hexdigest() == digest
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        state = archive.getmember('state')
        assert (state.uid, state.mode) == (65532, 0o755)
        archive.extractall(root, members=[it for it in archive if not it.name.startswith('/') and '..' not in it.name])
print(config['config']['Entrypoint'][0])
";
    let root = work.join("image");
    let layout = out.join(format!("tendon-{}.oci", release.version()?));
    let said = process::output(Command::new("python3").args(["-c", UNPACK]).arg(&layout).arg(&root))?;
    works(&root.join(said.trim().trim_start_matches('/')), work)
}
