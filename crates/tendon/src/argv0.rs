//! The names that the program answers to. Called by the name of another tool, it stands in for that tool.
//!
//! A link named after the tool is enough: `ln -s "$(command -v tendon)" ~/bin/bicep`. To add a tool, write its row.

use std::ffi::OsString;
use std::path::Path;

use crate::exit::Exit;
use crate::{cli, drop_in, thriftgo_plugin};

/// A tool: its name, and what answers with all arguments of the process, the name included.
type Tool = (&'static str, fn(&[OsString]) -> Exit);

/// The tools that the program can stand in for.
const TOOLS: &[Tool] = &[("bicep", drop_in::run), ("thrift-gen-tendon", thriftgo_plugin::run)];

/// Runs what the process was started as.
pub(crate) fn run() -> Exit {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    tool(arguments.first())(&arguments)
}

fn tool(called: Option<&OsString>) -> fn(&[OsString]) -> Exit {
    let name = called.and_then(|called| Path::new(called).file_stem()).unwrap_or_default();
    TOOLS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)).map_or(cli::run, |(_, run)| *run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(called: &str, expect: fn(&[OsString]) -> Exit) {
        assert!(std::ptr::fn_addr_eq(tool(Some(&called.into())), expect), "{called}");
    }

    #[test]
    fn what_is_shipped_has_a_link_for_each_tool() {
        let dist = include_str!("../../../xtask/src/dist.rs");
        assert!(TOOLS.iter().all(|(name, _)| dist.contains(&format!("\"{name}\""))));
    }

    #[test]
    fn the_last_part_of_the_path_decides() {
        check("bicep", drop_in::run);
        check("/usr/local/bin/bicep", drop_in::run);
        check("Bicep.exe", drop_in::run);
        check("./thrift-gen-tendon", thriftgo_plugin::run);
        check("bicep-tool/tendon", cli::run);
        check("thrift-gen", cli::run);
        check("anything", cli::run);
    }
}
