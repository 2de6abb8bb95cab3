//! What the binary is by the name it was called by: other tools find their helpers by name alone.

use std::ffi::OsStr;
use std::path::Path;

use crate::exit::Exit;
use crate::{cli, thriftgo_plugin};

/// A name that means something by itself, and what runs under it.
struct Name {
    name: &'static str,
    run: fn() -> Exit,
}

/// Every such name; under any other the binary is `tendon`.
const NAMES: &[Name] = &[Name { name: "thrift-gen-tendon", run: thriftgo_plugin::run }];

/// Runs what the process was called as.
pub(crate) fn run() -> Exit {
    let called = std::env::args_os().next().unwrap_or_default();
    match find(&called) {
        Some(name) => (name.run)(),
        None => cli::run(),
    }
}

fn find(called: &OsStr) -> Option<&'static Name> {
    let file = Path::new(called).file_name()?.to_str()?;
    let name = file.strip_suffix(".exe").unwrap_or(file);
    NAMES.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_in_any_folder_and_with_the_ending_of_programs() {
        for called in ["thrift-gen-tendon", "/usr/bin/thrift-gen-tendon", "./thrift-gen-tendon.exe"] {
            assert!(find(OsStr::new(called)).is_some(), "{called}");
        }
        for called in ["tendon", "thrift-gen-tendon/tendon", "thrift-gen", ""] {
            assert!(find(OsStr::new(called)).is_none(), "{called}");
        }
    }
}
