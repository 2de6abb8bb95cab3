//! The binary as a plugin of thriftgo, and so of kitex: `thriftgo -p tendon`, `kitex --thrift-plugin tendon`.
//!
//! thriftgo starts it without arguments, writes a request to its standard input and reads the answer from its
//! standard output. What is wrong with the IDL is part of the answer; thriftgo prints it.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};

use thrift_codegen::plugin;

use crate::exit::{CommandError, Exit};
use crate::files;
use crate::go_folder;
use crate::output::{Colour, Streams};
use crate::thrift_idl::Disk;

const ABOUT: &str = "\
A plugin of thriftgo and kitex that writes methods which validate. It is not called by hand:

  thriftgo -g go -p tendon service.thrift
  kitex --thrift-plugin tendon service.thrift

Options follow a colon, `-p tendon:is_valid,exception`; `tendon thrift gen --help` is for use without either.
";

/// No interface comes near: thriftgo repeats included files wherever they are included, but not that often.
const LARGEST: usize = 1 << 30;

/// Answers one request; the arguments after the name say nothing that the request does not.
pub(crate) fn run(_arguments: &[OsString]) -> Exit {
    match answer() {
        Ok(exit) => exit,
        Err(failure) => {
            if failure.is_news() {
                Streams::new(Colour::Auto).report_error(&failure.to_string());
            }
            failure.exit()
        }
    }
}

fn answer() -> Result<Exit, CommandError> {
    let written = |error: io::Error| CommandError::writing("standard output", &error);
    let mut out = io::stdout().lock();
    if std::env::args_os().len() > 1 || io::stdin().is_terminal() {
        let version = concat!("thrift-gen-tendon ", env!("CARGO_PKG_VERSION"), "\n");
        out.write_all(version.as_bytes()).and_then(|()| out.write_all(ABOUT.as_bytes())).map_err(written)?;
        return Ok(Exit::Fine);
    }
    let request = files::read_standard_input(LARGEST)
        .map_err(|unread| CommandError::unread("standard input", &unread))?;
    let mut folder = |folder: &str| go_folder::files(folder.as_ref()).map_err(|failure| failure.to_string());
    let response = plugin::run(&request, &mut Disk, &mut folder);
    out.write_all(&response).and_then(|()| out.flush()).map_err(written)?;
    Ok(Exit::Fine)
}
