//! What the commands need beside cargo, how to see that it is there, and how to get it.
//!
//! A new requirement is one row. It says why it is needed, since it will be installed on somebody's machine.

use std::process::Command;

use crate::{Result, process};

/// Who needs a requirement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Test,
    Fuzz,
    Dist,
    VsCode,
    Browser,
    Emacs,
}

struct Requirement {
    name: &'static str,
    why: &'static str,
    needs: &'static [Need],
    is_there: fn() -> bool,
    install: Install,
}

enum Install {
    /// A component of the Rust toolchain, through rustup.
    Component(&'static str),
    /// A Debian package, through apt-get.
    Package(&'static str),
}

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        name: "rustfmt",
        why: "the sources are checked to be formatted",
        needs: &[Need::Test],
        is_there: || process::exists("rustfmt"),
        install: Install::Component("rustfmt"),
    },
    Requirement {
        name: "clippy",
        why: "the lints of the workspace are clippy's",
        needs: &[Need::Test],
        is_there: || process::exists("cargo-clippy"),
        install: Install::Component("clippy"),
    },
    Requirement {
        name: "git",
        why: "the tidy step looks at tracked files only",
        needs: &[Need::Test],
        is_there: || process::exists("git"),
        install: Install::Package("git"),
    },
    Requirement {
        name: "Go",
        why: "generated Go is compiled and run, with the thriftgo, kitex and thrift-gen-validator that `crates/thrift-codegen/tests/go` pins, and a Go client calls through the proxy",
        needs: &[Need::Test],
        is_there: || process::succeeds("go", &["version"]) && process::succeeds("gofmt", &["-h"]),
        install: Install::Package("golang"),
    },
    Requirement {
        name: "Python",
        why: "generated Python is run, and Apache Thrift's and thriftpy2's clients call through the proxy, from an environment in the target folder; so do the Python SDK of Azure and az to a server",
        needs: &[Need::Test],
        is_there: || process::succeeds("python3", &["-c", "import venv, ensurepip"]),
        install: Install::Package("python3-venv"),
    },
    Requirement {
        name: "Java",
        why: "generated Java is compiled and run on the types that the Thrift compiler makes",
        needs: &[Need::Test],
        is_there: || process::succeeds("javac", &["-version"]) && process::succeeds("java", &["-version"]),
        install: Install::Package("default-jdk-headless"),
    },
    Requirement {
        name: "Maven",
        why: "it brings Apache Thrift's library for Java, into the target folder",
        needs: &[Need::Test],
        is_there: || process::exists("mvn"),
        install: Install::Package("maven"),
    },
    Requirement {
        name: "Node.js",
        why: "generated TypeScript is compiled and run, the JavaScript SDK of Azure deploys to a server, and the extension for VS Code is built, with packages in the target folder; a program of its own drives the browser that looks at pages",
        needs: &[Need::Test, Need::VsCode, Need::Browser],
        is_there: || process::succeeds("node", &["--version"]) && process::succeeds("npm", &["--version"]),
        install: Install::Package("npm"),
    },
    Requirement {
        name: "Thrift compiler",
        why: "generated code is compiled and run on the types that it makes, and messages are decoded to them",
        needs: &[Need::Test, Need::Fuzz],
        is_there: || process::succeeds("thrift", &["-version"]),
        install: Install::Package("thrift-compiler"),
    },
    Requirement {
        name: "PostgreSQL",
        why: "the state that many nodes share is kept in servers that the tests start, in temporary folders",
        needs: &[Need::Test],
        is_there: has_postgresql,
        install: Install::Package("postgresql"),
    },
    Requirement {
        name: "docker-registry",
        why: "modules are published to registries that the tests start, in temporary folders, and restored from them",
        needs: &[Need::Test],
        is_there: || process::exists("docker-registry"),
        install: Install::Package("docker-registry"),
    },
    Requirement {
        name: "Neovim",
        why: "its own client works with the language server",
        needs: &[Need::Test],
        is_there: || process::exists("nvim"),
        install: Install::Package("neovim"),
    },
    Requirement {
        name: "Emacs",
        why: "its own client works with the language server",
        needs: &[Need::Emacs],
        is_there: || process::exists("emacs"),
        install: Install::Package("emacs-nox"),
    },
    Requirement {
        name: "eglot",
        why: "before Emacs 29, its client for language servers is a package",
        needs: &[Need::Emacs],
        is_there: || {
            let eglot = "(progn (require 'package) (package-initialize) (require 'eglot))";
            process::succeeds("emacs", &["--batch", "-q", "--no-site-file", "--eval", eglot])
        },
        install: Install::Package("elpa-eglot"),
    },
    Requirement {
        name: "Chromium",
        why: "people look at the pages of a server in a browser, and VS Code runs as a server that one opens",
        needs: &[Need::Test, Need::VsCode, Need::Browser],
        is_there: || process::exists("chromium"),
        install: Install::Package("chromium"),
    },
    Requirement {
        name: "musl compiler",
        why: "the C parts of the static binary are built with it",
        needs: &[Need::Dist],
        is_there: || process::exists("musl-gcc"),
        install: Install::Package("musl-tools"),
    },
    Requirement {
        name: "C++ compiler",
        why: "libFuzzer and a part of VS Code's server are built from source",
        needs: &[Need::Fuzz, Need::VsCode],
        is_there: || process::exists("c++"),
        install: Install::Package("g++"),
    },
];

/// Debian keeps the server of each version in a folder of its own, which is not on the path.
fn has_postgresql() -> bool {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders = versions.map(|version| version.path().join("bin"));
    folders.any(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
        || (process::exists("initdb") && process::exists("postgres"))
}

/// Installs what is missing and says so; afterwards everything is there.
pub(crate) fn provide(need: Need) -> Result {
    let mut lists_are_fresh = false;
    for requirement in REQUIREMENTS.iter().filter(|requirement| requirement.needs.contains(&need)) {
        if (requirement.is_there)() {
            println!("{} is there", requirement.name);
            continue;
        }
        println!("{} is missing and will be installed, because {}", requirement.name, requirement.why);
        match requirement.install {
            Install::Component(component) => {
                process::run(Command::new("rustup").args(["component", "add", component]))?;
            }
            Install::Package(package) => {
                if !lists_are_fresh {
                    apt(&["update", "--quiet"], package)?;
                    lists_are_fresh = true;
                }
                apt(&["install", "--quiet", "--yes", "--no-install-recommends", package], package)?;
            }
        }
        if !(requirement.is_there)() {
            return Err(format!("{} is still missing after its installation", requirement.name));
        }
    }
    Ok(())
}

/// Runs apt-get where that is possible, and otherwise says what to install.
fn apt(arguments: &[&str], package: &str) -> Result {
    let root = process::output(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !process::exists("apt-get") {
        return Err(format!("this system has no apt-get; install `{package}` by its own means"));
    }
    if !root {
        return Err(format!("only root installs packages; run `sudo apt-get install {package}`"));
    }
    let mut command = Command::new("apt-get");
    println!("{}", process::shown(command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive")));
    process::run(&mut command)
}
