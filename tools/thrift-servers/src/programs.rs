//! Other people's servers: how they are built and started.

use std::path::{Path, PathBuf};
use std::process::Command;

use thrift_readers::tools::{java, run, write};
use thrift_readers::{Result, said};

use crate::expected::IDL;
use crate::server::Server;
use crate::stacks::Stack;

/// The programs, built.
#[derive(Debug)]
pub struct Programs {
    work: PathBuf,
    python: PathBuf,
    cargo_target: PathBuf,
}

impl Programs {
    /// Writes and builds the programs of all servers in a folder, with an interpreter that has the libraries. The target
    /// folder of cargo may be one that has the `thrift` crate already.
    pub fn build(work: &Path, python: &Path, cargo_target: &Path) -> Result<Programs> {
        let idl = work.join("calls.thrift");
        write(&idl, IDL)?;
        std::fs::create_dir_all(work.join("go/gen")).map_err(said(work.display()))?;
        compile(&["py"], &idl, work)?;
        compile(&["go:package_prefix=servers/gen/"], &idl, &work.join("go/gen"))?;
        for (from, to) in [("main.go.txt", "main.go"), ("go.mod.txt", "go.mod"), ("go.sum.txt", "go.sum")] {
            write(&work.join("go").join(to), &part(&format!("go/{from}"))?)?;
        }
        run(Command::new("go").args(["build", "-o", "server", "."]).current_dir(work.join("go")))?;
        kitex(&idl, &work.join("kitex"))?;
        java(&idl, work)?;
        rust(&idl, &work.join("rust"), cargo_target)?;
        let (work, python, cargo_target) = (work.to_owned(), python.to_owned(), cargo_target.to_owned());
        Ok(Programs { work, python, cargo_target })
    }

    /// Starts a server.
    pub fn start(&self, stack: &Stack) -> Result<Server> {
        let mut command = match stack.name.split('-').next() {
            Some(library @ ("go" | "kitex")) => Command::new(self.work.join(library).join("server")),
            Some("java") => java::program(&self.work, &self.work.join("java"), "servers.Server"),
            Some("rust") => Command::new(self.cargo_target.join("debug/servers")),
            _ => {
                let mut command = Command::new(&self.python);
                command.arg(part_path("python/server.py")).env("PYTHONDONTWRITEBYTECODE", "1");
                command
            }
        };
        Server::start(command.arg(stack.name).arg(&self.work), stack.name)
    }
}

/// Types and servers as the tool of kitex writes them.
fn kitex(idl: &Path, folder: &Path) -> Result {
    // The versions of the tools are pinned there.
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/thrift-codegen/tests/go");
    let tool = folder.join("kitex");
    for (from, to) in [("main.go.txt", "main.go"), ("go.mod.txt", "go.mod"), ("go.sum.txt", "go.sum")] {
        write(&folder.join(to), &part(&format!("kitex/{from}"))?)?;
    }
    let package = "github.com/cloudwego/kitex/tool/cmd/kitex";
    run(Command::new("go").args(["build", "-o"]).arg(&tool).arg(package).current_dir(tools))?;
    run(Command::new(&tool).args(["-module", "servers"]).arg(idl).current_dir(folder))?;
    run(Command::new("go").args(["build", "-o", "server", "."]).current_dir(folder)).map(|_| ())
}

fn java(idl: &Path, work: &Path) -> Result {
    let sources = work.join("java/src");
    write(&sources.join("servers/Server.java"), &part("java/Server.java.txt")?)?;
    compile(&["java:generated_annotations=suppress"], idl, &sources)?;
    java::compile(work, &work.join("java"))
}

fn rust(idl: &Path, folder: &Path, target: &Path) -> Result {
    for (from, to) in
        [("main.rs.txt", "src/main.rs"), ("Cargo.toml.txt", "Cargo.toml"), ("Cargo.lock.txt", "Cargo.lock")]
    {
        write(&folder.join(to), &part(&format!("rust/{from}"))?)?;
    }
    compile(&["rs"], idl, &folder.join("src"))?;
    run(Command::new("cargo").args(["build", "--locked", "--target-dir"]).arg(target).current_dir(folder))
        .map(|_| ())
}

fn compile(generators: &[&str], idl: &Path, out: &Path) -> Result {
    generators.iter().try_for_each(|generator| {
        run(Command::new("thrift").args(["--gen", generator, "-out"]).arg(out).arg(idl)).map(|_| ())
    })
}

/// A file that lies beside this crate's sources.
fn part_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("servers").join(path)
}

fn part(path: &str) -> Result<String> {
    let path = part_path(path);
    std::fs::read_to_string(&path).map_err(said(path.display()))
}
