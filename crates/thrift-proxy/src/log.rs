//! Lines about what happens, written by a thread of their own so that nobody waits for a disk.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use crate::metrics::Metrics;
use crate::time::rfc3339;

/// How lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Everything is as it should be.
    Info,
    /// Somebody should look at it.
    Warning,
    /// Something does not work.
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// One piece of a line.
#[derive(Clone, Copy, Debug)]
pub enum Value<'v> {
    /// Text, from anywhere.
    Text(&'v str),
    /// A number.
    Number(u64),
}

/// How many lines may wait to be written; more are lost, and counted.
const WAITING: usize = 4096;

/// Takes lines.
#[derive(Clone, Debug)]
pub struct Log {
    lines: Option<SyncSender<String>>,
    format: LogFormat,
    access: bool,
    metrics: Arc<Metrics>,
}

/// Writes lines; to be joined when no [`Log`] is left.
#[derive(Debug)]
pub struct LogWriter(JoinHandle<()>);

impl LogWriter {
    /// Waits until everything is written.
    pub fn join(self) {
        // A writer that panicked has nothing to say.
        let _ = self.0.join();
    }
}

impl Log {
    /// Starts writing to a place; `access` asks for a line for each call.
    ///
    /// # Errors
    ///
    /// The thread cannot be started.
    pub fn start(
        sink: Box<dyn Write + Send>,
        format: LogFormat,
        access: bool,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Log, LogWriter)> {
        let (lines, waiting) = sync_channel(WAITING);
        let thread = std::thread::Builder::new().name("log".to_owned());
        let writer = thread.spawn(move || write_all(sink, &waiting))?;
        Ok((Log { lines: Some(lines), format, access, metrics }, LogWriter(writer)))
    }

    /// A log that nobody reads.
    pub fn silent(metrics: Arc<Metrics>) -> Log {
        Log { lines: None, format: LogFormat::Text, access: false, metrics }
    }

    /// Whether each call has its line.
    pub fn access(&self) -> bool {
        self.access && self.lines.is_some()
    }

    /// Writes a line.
    pub fn write(&self, level: Level, event: &str, fields: &[(&str, Value<'_>)]) {
        let Some(lines) = &self.lines else { return };
        let line = line(self.format, SystemTime::now(), level, event, fields);
        if let Err(TrySendError::Full(_)) = lines.try_send(line) {
            self.metrics.lost_log_lines.add(1);
        }
    }
}

fn write_all(mut sink: Box<dyn Write + Send>, lines: &Receiver<String>) {
    while let Ok(first) = lines.recv() {
        // What waits is written at once. If it cannot be written, there is nowhere to say so.
        let mut text = first;
        text.extend(lines.try_iter().take(WAITING));
        let _ = sink.write_all(text.as_bytes());
        let _ = sink.flush();
    }
}

fn line(
    format: LogFormat,
    time: SystemTime,
    level: Level,
    event: &str,
    fields: &[(&str, Value<'_>)],
) -> String {
    let time = rfc3339(time);
    let mut out = String::with_capacity(160);
    // Writing to a string cannot fail.
    match format {
        LogFormat::Json => {
            let _ = write!(out, "{{\"time\":\"{time}\",\"level\":\"{}\",\"event\":", level.name());
            quote(&mut out, event);
            for (name, value) in fields {
                let _ = write!(out, ",\"{name}\":");
                match value {
                    Value::Text(text) => quote(&mut out, text),
                    Value::Number(number) => drop(write!(out, "{number}")),
                }
            }
            out.push_str("}\n");
        }
        LogFormat::Text => {
            let _ = write!(out, "{time} {:<7} {event}", level.name());
            for (name, value) in fields {
                let _ = write!(out, " {name}=");
                match value {
                    Value::Text(text) if is_plain(text) => out.push_str(text),
                    Value::Text(text) => quote(&mut out, text),
                    Value::Number(number) => drop(write!(out, "{number}")),
                }
            }
            out.push('\n');
        }
    }
    out
}

fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '='))
}

/// Writes a JSON string. Everything that could change the look of a terminal is escaped too.
fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control()
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}') =>
            {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    #[test]
    fn lines_are_for_people_or_for_programs_and_never_more_than_one() {
        let fields = [
            ("method", Value::Text("echo")),
            ("message", Value::Text("a \"b\"\n\u{1b}[2J")),
            ("us", Value::Number(7)),
        ];
        assert_eq!(
            line(LogFormat::Text, UNIX_EPOCH, Level::Warning, "refused", &fields),
            "1970-01-01T00:00:00.000Z warning refused method=echo message=\"a \\\"b\\\"\\n\\u001b[2J\" us=7\n"
        );
        assert_eq!(
            line(LogFormat::Json, UNIX_EPOCH, Level::Info, "call", &fields),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"call\",\"method\":\"echo\",\
             \"message\":\"a \\\"b\\\"\\n\\u001b[2J\",\"us\":7}\n"
        );
    }
}
