//! Apache's Go validators against the conformance suite, where there is a compiler that writes them.
//!
//! Distributions have older compilers, so that this is only for those who have a newer one: on the path, or named by
//! `TENDON_APACHE_THRIFT`.

use std::ffi::OsString;
use std::process::Command;

use crate::{Result, process, product};

const FOLDER: &str = "crates/thrift-conformance";

/// Holds the list of what is known to differ against the compiler.
pub(crate) fn run() -> Result {
    let compiler = std::env::var_os("TENDON_APACHE_THRIFT").unwrap_or_else(|| OsString::from("thrift"));
    let version = process::output(Command::new(&compiler).arg("-version"))?;
    let number = version.trim().rsplit(' ').next().unwrap_or_default();
    let minor = number.strip_prefix("0.").and_then(|rest| rest.split('.').next()?.parse::<u32>().ok());
    if minor.is_none_or(|minor| minor < 18) {
        return Err(format!(
            "`{}` is version {number}, which writes no validators; name a newer one in TENDON_APACHE_THRIFT",
            compiler.to_string_lossy()
        ));
    }
    let target = product::target()?;
    let programs = product::built()?;
    let executor = target.join("apache-executor");
    let module = format!("{FOLDER}/executors/go");
    process::run(Command::new("go").args(["build", "-o"]).arg(&executor).arg(".").current_dir(module))?;
    let mut suite = Command::new(programs.join("tendon"));
    suite.args(["thrift", "conformance", "--compare", "verdict", "--expected-failures"]);
    suite.arg(format!("{FOLDER}/expected/apache.txt")).arg("--").arg(executor).arg("-apache").arg(compiler);
    println!("{}", process::shown(&suite));
    process::run(&mut suite)
}
