"""Packs the folder of a release for those who install packages: an archive, a wheel, npm packages, a Debian package, an image.

usage: packages.py KIND OUT VERSION [WORD]...    `KINDS` at the end says which words a kind takes

The same files give the same bytes, whoever packs them and when: names are sorted, times are the start of 1980, owners are nobody in particular.
Nothing but Python's own library is needed.
"""

import base64
import gzip
import hashlib
import io
import json
import os
import stat
import sys
import tarfile
import zipfile

ABOUT = "Compile, lint, predict and deploy Bicep; check values against contracts; one binary"
SITE = "https://github.com/tendon-iac/tendon"
LICENCE = "MIT OR Apache-2.0"
EPOCH = 315532800  # the start of 1980, before which zip has no time


def files(folder):
    """The files below a folder, by name: the path, the bytes, whether it can be run, and where it links to."""
    found = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        for name in names:
            path = os.path.join(at, name)
            shown = os.path.relpath(path, folder).replace(os.sep, "/")
            if os.path.islink(path):
                found.append((shown, b"", True, os.readlink(path)))
            else:
                with open(path, "rb") as file:
                    found.append((shown, file.read(), bool(os.stat(path).st_mode & stat.S_IXUSR), None))
    return sorted(found)


def write(path, data):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    print(path)


def zipped(entries):
    """A zip of names, bytes and whether they can be run."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
        for name, data, runs in entries:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (0o755 if runs else 0o644) << 16 | stat.S_IFREG << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def tarred(entries, owner="root", folders=False):
    """A tar of names, bytes, whether they can be run, and links; with folders before what is in them if they are wanted."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        known = set()

        def add(name, data=b"", mode=0o644, kind=tarfile.REGTYPE, link=""):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.type, entry.linkname = len(data), mode, kind, link
            entry.mtime, entry.uname, entry.gname = EPOCH, owner, owner
            archive.addfile(entry, io.BytesIO(data))

        for name, data, runs, link in entries:
            parts = name.split("/")[:-1]
            for count in range(1, len(parts) + 1) if folders else ():
                folder = "/".join(parts[:count])
                if folder not in known and folder != ".":
                    known.add(folder)
                    add(folder + "/", mode=0o755, kind=tarfile.DIRTYPE)
            if link is None:
                add(name, data, 0o755 if runs else 0o644)
            else:
                add(name, mode=0o777, kind=tarfile.SYMTYPE, link=link)
    return buffer.getvalue()


def packed(data):
    return gzip.compress(data, compresslevel=LEVEL, mtime=0)


def archive(out, version, folder, target):
    """FOLDER TARGET: the release as a zip, for those whose system has no tar."""
    name = f"tendon-{version}-{target}"
    entries = [(f"{name}/{path}", data, runs) for path, data, runs, link in files(folder) if link is None]
    write(f"{out}/{name}.zip", zipped(entries))


def wheel(out, version, binary, tag):
    """BINARY TAG: a wheel that carries the binary, so that `pip install` has it on the path."""
    suffix = ".exe" if tag.startswith("win") else ""
    info = f"tendon_iac-{version}.dist-info"
    with open(binary, "rb") as file:
        program = file.read()
    with open("README.md", encoding="utf-8") as file:
        readme = file.read()
    tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))
    metadata = f"""Metadata-Version: 2.1
Name: tendon-iac
Version: {version}
Summary: {ABOUT}
License: {LICENCE}
Project-URL: Source, {SITE}
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""
    entries = [
        (f"tendon_iac-{version}.data/scripts/tendon{suffix}", program, True),
        (f"{info}/METADATA", metadata.encode(), False),
        (f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: tendon\nRoot-Is-Purelib: false\n{tags}".encode(), False),
    ]
    for licence in ("LICENSE-APACHE", "LICENSE-MIT", "NOTICE"):
        with open(licence, "rb") as file:
            entries.append((f"{info}/licenses/{licence}", file.read(), False))
    record = ""
    for name, data, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    entries.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), False))
    write(f"{out}/tendon_iac-{version}-py3-none-{tag}.whl", zipped(entries))


CHOOSE = """#!/usr/bin/env node
// Starts the binary of this platform, which is a package of its own, with the same arguments.
'use strict';
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const name = `@tendon-iac/cli-${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'tendon.exe' : 'tendon';
let binary;
try {
  binary = path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin', file);
} catch {
  console.error(`error: there is no tendon for ${process.platform} on ${process.arch}: the package ${name} is not installed`);
  process.exit(3);
}
const { status, signal, error } = spawnSync(binary, process.argv.slice(2), { stdio: 'inherit', windowsHide: true });
if (error) {
  console.error(`error: cannot start ${binary}: ${error.message}`);
  process.exit(3);
}
if (signal) process.kill(process.pid, signal);
process.exit(status ?? 3);
"""


def npm_package(out, package, entries):
    own = {"license": LICENCE, "repository": SITE, **package}
    data = (json.dumps(own, indent=2) + "\n").encode()
    entries = [("package/package.json", data, False, None), *entries]
    for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
        with open(licence, "rb") as file:
            entries.append((f"package/{licence}", file.read(), False, None))
    name = package["name"].replace("@", "").replace("/", "-")
    write(f"{out}/{name}-{package['version']}.tgz", packed(tarred(sorted(entries))))


def npm(out, version, binary, platform, processor):
    """BINARY OS CPU: the npm package of one platform."""
    suffix = ".exe" if platform == "win32" else ""
    with open(binary, "rb") as file:
        entries = [(f"package/bin/tendon{suffix}", file.read(), True, None)]
    package = {"name": f"@tendon-iac/cli-{platform}-{processor}", "version": version, "description": f"{ABOUT}, for {platform} on {processor}"}
    npm_package(out, {**package, "os": [platform], "cpu": [processor]}, entries)


def npm_choice(out, version, *platforms):
    """OS-CPU...: the small npm package that has the others as optional parts, of which npm installs the one that fits."""
    package = {"name": "@tendon-iac/cli", "version": version, "description": ABOUT, "bin": {"tendon": "bin/tendon.js"}}
    package["engines"] = {"node": ">=16"}
    package["optionalDependencies"] = {f"@tendon-iac/cli-{each}": version for each in platforms}
    npm_package(out, package, [("package/bin/tendon.js", CHOOSE.encode(), True, None)])


def debian(out, version, folder, architecture):
    """FOLDER ARCHITECTURE: a Debian package."""
    places = {"bin/": "usr/bin/", "share/": "usr/share/"}
    entries = []
    for path, data, runs, link in files(folder):
        place = next((path.replace(own, other, 1) for own, other in places.items() if path.startswith(own)), None)
        if place is None:
            continue
        # `bicep` is also the name of the public compiler; who wants ours there makes the link.
        if place == "usr/bin/bicep":
            continue
        if "/man/" in place:
            place, data = place + ".gz", packed(data)
        entries.append((f"./{place}", data, runs, link))
    texts = [open(name, encoding="utf-8").read() for name in ("NOTICE", "LICENSE-MIT")]
    entries.append(("./usr/share/doc/tendon/copyright", "\n".join(texts).encode(), False, None))
    entries.sort()
    size = sum(len(data) for _, data, _, _ in entries) // 1024 + 1
    control = f"""Package: tendon
Version: {version}
Architecture: {architecture}
Maintainer: the developers of Tendon <{SITE}>
Installed-Size: {size}
Section: devel
Priority: optional
Homepage: {SITE}
Description: {ABOUT}
 A static binary without dependencies. It compiles Bicep as the public compiler does, deploys
 offline to a durable state, and checks values against contracts of several languages.
"""
    sums = "".join(f"{hashlib.md5(data, usedforsecurity=False).hexdigest()}  {name[2:]}\n" for name, data, _, link in entries if link is None)
    controls = [("./control", control.encode(), False, None), ("./md5sums", sums.encode(), False, None)]
    members = [
        ("debian-binary", b"2.0\n"),
        ("control.tar.gz", packed(tarred(controls))),
        ("data.tar.gz", packed(tarred(entries, folders=True))),
    ]
    data = b"!<arch>\n"
    for name, content in members:
        data += f"{name:<16}{EPOCH:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n".encode() + content + b"\n" * (len(content) % 2)
    write(f"{out}/tendon_{version}_{architecture}.deb", data)


def image(out, version, *pairs):
    """ARCHITECTURE BINARY...: an OCI image layout for several architectures, from nothing, whose process is nobody."""
    layout = f"{out}/tendon-{version}.oci"

    def blob(data, media):
        digest = hashlib.sha256(data).hexdigest()
        write(f"{layout}/blobs/sha256/{digest}", data)
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)}

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    labels = {
        "org.opencontainers.image.title": "tendon", "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": LICENCE, "org.opencontainers.image.source": SITE,
    }
    manifests = []
    for architecture, binary in zip(pairs[::2], pairs[1::2]):
        with open(binary, "rb") as file:
            program = file.read()
        passwd = b"nobody:x:65532:65532:nobody:/state:/nowhere\n"
        entries = [
            ("bin/bicep", b"", True, "tendon"), ("bin/tendon", program, True, None),
            ("etc/passwd", passwd, False, None),
        ]
        layer = tarred(entries, folders=True)
        # What the process may write: its state, and files for a moment.
        buffer = io.BytesIO(layer)
        with tarfile.open(fileobj=buffer, mode="a", format=tarfile.GNU_FORMAT) as archive:
            for name, mode in (("state/", 0o755), ("work/", 0o755)):
                entry = tarfile.TarInfo(name)
                entry.type, entry.mode, entry.uid, entry.gid, entry.mtime = tarfile.DIRTYPE, mode, 65532, 65532, EPOCH
                archive.addfile(entry)
        layer = buffer.getvalue()
        config = {
            "architecture": architecture, "os": "linux", "created": "1980-01-01T00:00:00Z",
            "config": {
                "Entrypoint": ["/bin/tendon"], "Env": ["PATH=/bin", "TENDON_STATE=/state", "HOME=/state"], "Labels": labels,
                "User": "65532:65532", "Volumes": {"/state": {}}, "WorkingDir": "/work",
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
            "history": [{"created": "1980-01-01T00:00:00Z", "created_by": "tendon"}],
        }
        manifest = {
            "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": blob(text(config), "application/vnd.oci.image.config.v1+json"),
            "layers": [blob(packed(layer), "application/vnd.oci.image.layer.v1.tar+gzip")],
        }
        described = blob(text(manifest), "application/vnd.oci.image.manifest.v1+json")
        manifests.append({**described, "platform": {"architecture": architecture, "os": "linux"}})
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests, "annotations": labels}
    described = blob(text(index), "application/vnd.oci.image.index.v1+json")
    named = {**described, "annotations": {"org.opencontainers.image.ref.name": version}}
    write(f"{layout}/index.json", text({"schemaVersion": 2, "manifests": [named]}))
    write(f"{layout}/oci-layout", b'{"imageLayoutVersion":"1.0.0"}')


def formulas(out, version, *names):
    """ARCHIVE...: a Homebrew formula and a Scoop manifest with the checksums of the archives, as far as these are there."""
    sums = {}
    for name in names:
        with open(f"{out}/{name}", "rb") as file:
            sums[name] = hashlib.sha256(file.read()).hexdigest()
    address = f"{SITE}/releases/download/v{version}"
    blocks = []
    for system, word in (("macos", "macos"), ("linux", "linux")):
        lines = []
        for condition, processor in (("intel", "x86_64"), ("arm", "aarch64")):
            name = f"tendon-{version}-{processor}-{system}.tar.gz"
            if name in sums:
                lines += [f"    on_{condition} do", f'      url "{address}/{name}"', f'      sha256 "{sums[name]}"', "    end"]
        if lines:
            blocks += [f"  on_{word} do", *lines, "  end", ""]
    if blocks:
        body = "\n".join(blocks)
        formula = f"""class Tendon < Formula
  desc "{ABOUT.split(';')[0]}"
  homepage "{SITE}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{body}
  def install
    bin.install "bin/tendon", "bin/thrift-gen-tendon"
    man1.install Dir["share/man/man1/*.1"]
    bash_completion.install "share/bash-completion/completions/tendon"
    zsh_completion.install "share/zsh/site-functions/_tendon"
    fish_completion.install "share/fish/vendor_completions.d/tendon.fish"
  end

  test do
    (testpath/"main.bicep").write "output answer int = 42\\n"
    assert_match "\\"answer\\"", shell_output("#{{bin}}/tendon build main.bicep --stdout")
  end
end
"""
        write(f"{out}/tendon.rb", formula.encode())
    name = f"tendon-{version}-x86_64-windows.zip"
    if name in sums:
        folder = name.removesuffix(".zip")
        manifest = {
            "version": version, "description": ABOUT, "homepage": SITE, "license": LICENCE,
            "architecture": {"64bit": {"url": f"{address}/{name}", "hash": sums[name], "extract_dir": folder}},
            "bin": "bin\\tendon.exe", "checkver": "github",
            "autoupdate": {"architecture": {"64bit": {"url": f"{SITE}/releases/download/v$version/tendon-$version-x86_64-windows.zip"}}},
        }
        write(f"{out}/tendon.json", (json.dumps(manifest, indent=4) + "\n").encode())


KINDS = {each.__name__: each for each in (archive, wheel, npm, npm_choice, debian, image, formulas)}
LEVEL = int(os.environ.get("TENDON_LEVEL", "9"))

if __name__ == "__main__":
    kind, out, version, *words = sys.argv[1:]
    KINDS[kind](out, version, *words)
