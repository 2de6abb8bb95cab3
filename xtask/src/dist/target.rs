//! What is shipped for which machines: one row for each.

use std::path::PathBuf;
use std::process::Command;

use crate::clients::python;
use crate::requirements::{self, Need};
use crate::{Result, process, product};

/// Who compiles C and links.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Linker {
    /// The compiler for musl of the system.
    Musl,
    /// zig, which has the libraries of other systems; pip installs it into the target folder.
    Zig,
}

/// A kind of machine.
pub(super) struct Target {
    /// What archives are called after.
    pub(super) name: &'static str,
    /// What rustc calls it.
    pub(super) triple: &'static str,
    linker: Linker,
    /// The platforms of a wheel.
    pub(super) wheel: &'static str,
    /// The operating system and the processor, as Node.js calls them.
    pub(super) npm: (&'static str, &'static str),
    /// The architecture, as Debian calls it; none for systems that are not Linux.
    pub(super) debian: Option<&'static str>,
}

/// Every kind of machine that something is shipped for. The first one is what this machine has to be.
pub(super) const TARGETS: &[Target] = &[
    Target {
        name: "x86_64-linux",
        triple: "x86_64-unknown-linux-musl",
        linker: Linker::Musl,
        wheel: "manylinux_2_17_x86_64.musllinux_1_1_x86_64",
        npm: ("linux", "x64"),
        debian: Some("amd64"),
    },
    Target {
        name: "aarch64-linux",
        triple: "aarch64-unknown-linux-musl",
        linker: Linker::Zig,
        wheel: "manylinux_2_17_aarch64.musllinux_1_1_aarch64",
        npm: ("linux", "arm64"),
        debian: Some("arm64"),
    },
    Target {
        name: "x86_64-windows",
        triple: "x86_64-pc-windows-gnu",
        linker: Linker::Zig,
        wheel: "win_amd64",
        npm: ("win32", "x64"),
        debian: None,
    },
];

/// The libraries of other systems and what calls them, pinned.
const ZIG: &str = "xtask/src/dist/requirements.txt";

impl Target {
    /// The target of a name.
    pub(super) fn named(name: &str) -> Result<&'static Target> {
        TARGETS.iter().find(|target| target.name == name).ok_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            format!("there is no target `{name}`; there are {}", known.join(", "))
        })
    }

    /// Whether its programs end in `.exe`, and links are copies.
    pub(super) fn is_windows(&self) -> bool {
        self.npm.0 == "win32"
    }

    /// The name of a program.
    pub(super) fn program(&self, name: &str) -> String {
        if self.is_windows() { format!("{name}.exe") } else { name.to_owned() }
    }

    /// Builds the binary.
    pub(super) fn build(&self) -> Result<PathBuf> {
        process::run(Command::new("rustup").args(["target", "add", self.triple]))?;
        let mut build = match self.linker {
            Linker::Musl => {
                requirements::provide(Need::Dist)?;
                let mut build = process::cargo();
                build.arg("build").env("CC_x86_64_unknown_linux_musl", "musl-gcc");
                build
            }
            Linker::Zig => {
                let python = python(&product::target()?.join("zig"), ZIG)?;
                let programs = python.parent().unwrap_or(&python).to_owned();
                let path = std::env::var_os("PATH").unwrap_or_default();
                let path =
                    std::env::join_paths([programs.clone()].into_iter().chain(std::env::split_paths(&path)))
                        .map_err(|error| format!("cannot add to the path: {error}"))?;
                let mut build = Command::new(programs.join("cargo-zigbuild"));
                build.arg("zigbuild").env("PATH", path);
                build
            }
        };
        build.args(["--profile", "dist", "--package", "tendon", "--locked", "--target", self.triple]);
        println!("{}", process::shown(&build));
        process::run(&mut build)?;
        Ok(product::target()?.join(self.triple).join("dist").join(self.program("tendon")))
    }
}
