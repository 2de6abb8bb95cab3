//! The process between ours and the server: it ends the server when the pipe to us is closed, for whatever reason.

use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::PATIENCE;
use crate::folder::Folder;

/// How often it is looked whether the server has ended.
const LOOK: Duration = Duration::from_millis(5);

/// Starts the server, waits for the name of a signal or the end of the input, and sends the signal. A server that ends by itself
/// ends the script. `KILL` goes to all processes of the server, and the script waits until they are gone.
const SCRIPT: &str = r#"
(sh -c 'echo $$ >"$FOLDER/pid"; exec "$@"' server "$@" </dev/null; kill -TERM $$) &
read -r signal || signal=GONE
trap '' TERM
server=$(cat "$FOLDER/pid")
children=
if [ "$signal" = INT ]; then
    kill -INT "$server"
else
    children=$(cat "/proc/$server/task/$server/children" 2>/dev/null)
    kill -KILL "$server" $children 2>/dev/null
fi
wait
for child in $children; do
    while kill -0 "$child" 2>/dev/null; do sleep 0.01; done
done
if [ "$signal" = GONE ]; then rm -rf "$FOLDER"; fi
"#;

/// A server that runs.
#[derive(Debug)]
pub(crate) struct Keeper(Child);

impl Keeper {
    pub(crate) fn start(
        programs: &Path,
        folder: &Folder,
        port: u16,
        settings: &[String],
    ) -> io::Result<Keeper> {
        let mut command = folder.command(Path::new("/bin/sh"));
        command.args(["-c", SCRIPT, "keeper"]).arg(programs.join("postgres")).arg("-D").arg(folder.data());
        let socket = format!("unix_socket_directories={}", folder.path().display());
        let usual = ["listen_addresses=127.0.0.1", "fsync=on", "logging_collector=off", &socket];
        let port = format!("port={port}");
        let own = settings.iter().map(String::as_str);
        for setting in usual.into_iter().chain([port.as_str()]).chain(own) {
            command.args(["-c", setting]);
        }
        command.env("FOLDER", folder.path());
        command.stdin(Stdio::piped()).stdout(folder.log_file()?).stderr(folder.log_file()?);
        // Ctrl-C is for whoever started us; the pipe tells the server.
        command.process_group(0);
        command.spawn().map(Keeper)
    }

    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.0.try_wait()?.is_some())
    }

    /// Ends the server with a signal and waits for its end.
    pub(crate) fn end(mut self, signal: &str) -> io::Result<()> {
        if let Some(input) = &mut self.0.stdin {
            // A server that has ended by itself listens no more.
            let _ = input.write_all(format!("{signal}\n").as_bytes());
        }
        let begun = Instant::now();
        while !self.has_ended()? {
            if begun.elapsed() > PATIENCE {
                return Err(io::Error::other("PostgreSQL did not stop"));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }
}
