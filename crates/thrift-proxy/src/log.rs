//! Lines about what happens, written by a thread of their own so that nobody waits for a disk.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::SystemTime;

use value::{Escapes, write_json_string};

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
pub enum LogLevel {
    /// Everything is as it should be.
    Info,
    /// Somebody should look at it.
    Warning,
    /// Something does not work.
    Error,
}

impl LogLevel {
    fn name(self) -> &'static str {
        match self {
            LogLevel::Info => "info",
            LogLevel::Warning => "warning",
            LogLevel::Error => "error",
        }
    }
}

/// One piece of a line.
#[derive(Clone, Copy, Debug)]
pub enum LogValue<'v> {
    /// Text, from anywhere.
    Text(&'v str),
    /// A number.
    Number(u64),
}

/// How many lines may wait to be written; more are lost, and counted.
const WAITING: usize = 4096;

/// Opens the place that lines go to, once at the start and again whenever it is told to.
pub type OpenSink = Box<dyn FnMut() -> std::io::Result<Box<dyn Write + Send>> + Send>;

/// Takes lines.
#[derive(Clone, Debug)]
pub struct Log {
    lines: Option<SyncSender<String>>,
    /// Whether the sink is to be opened again before the next line.
    reopen: Arc<AtomicBool>,
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
    /// The place cannot be opened, or the thread cannot be started.
    pub fn start(
        mut open: OpenSink,
        format: LogFormat,
        access: bool,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Log, LogWriter)> {
        let (lines, waiting) = sync_channel(WAITING);
        let sink = open()?;
        let reopen = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&reopen);
        let thread = std::thread::Builder::new().name("log".to_owned());
        let writer = thread.spawn(move || write_all(sink, open, &told, format, &waiting))?;
        Ok((Log { lines: Some(lines), reopen, format, access, metrics }, LogWriter(writer)))
    }

    /// Opens the place again, for those who have moved the file away. Lines that are written from now on go there.
    pub fn reopen(&self) {
        self.reopen.store(true, Ordering::Release);
        if let Some(lines) = &self.lines {
            // Nothing to write, but something to do. If the writer is busy, it looks anyway.
            let _ = lines.try_send(String::new());
        }
    }

    /// A log that nobody reads.
    pub fn silent(metrics: Arc<Metrics>) -> Log {
        Log { lines: None, reopen: Arc::default(), format: LogFormat::Text, access: false, metrics }
    }

    /// Whether each call has its line.
    pub fn access(&self) -> bool {
        self.access && self.lines.is_some()
    }

    /// Writes a line.
    pub fn write(&self, level: LogLevel, event: &str, fields: &[(&str, LogValue<'_>)]) {
        let Some(lines) = &self.lines else { return };
        let line = line(self.format, SystemTime::now(), level, event, fields);
        if let Err(TrySendError::Full(_)) = lines.try_send(line) {
            self.metrics.lost_log_lines.add(1);
        }
    }
}

fn write_all(
    mut sink: Box<dyn Write + Send>,
    mut open: OpenSink,
    reopen: &AtomicBool,
    format: LogFormat,
    lines: &Receiver<String>,
) {
    while let Ok(first) = lines.recv() {
        if reopen.swap(false, Ordering::AcqRel) {
            match open() {
                Ok(fresh) => sink = fresh,
                // The old one is better than none.
                Err(error) => {
                    let message = format!("cannot open the log again: {error}");
                    let fields = [("message", LogValue::Text(&message))];
                    let text = line(format, SystemTime::now(), LogLevel::Error, "log", &fields);
                    let _ = sink.write_all(text.as_bytes());
                }
            }
        }
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
    level: LogLevel,
    event: &str,
    fields: &[(&str, LogValue<'_>)],
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
                    LogValue::Text(text) => quote(&mut out, text),
                    LogValue::Number(number) => drop(write!(out, "{number}")),
                }
            }
            out.push_str("}\n");
        }
        LogFormat::Text => {
            let _ = write!(out, "{time} {:<7} {event}", level.name());
            for (name, value) in fields {
                let _ = write!(out, " {name}=");
                match value {
                    LogValue::Text(text) if is_plain(text) => out.push_str(text),
                    LogValue::Text(text) => quote(&mut out, text),
                    LogValue::Number(number) => drop(write!(out, "{number}")),
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

/// Writes a JSON string that a terminal can show.
fn quote(out: &mut String, text: &str) {
    // Writing to a string cannot fail.
    let _ = write_json_string(out, text, Escapes::Invisible);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::UNIX_EPOCH;

    /// The files that were opened one after the other, as text.
    #[derive(Clone, Default)]
    struct Files(Arc<std::sync::Mutex<Vec<String>>>);

    struct File(Files, usize);

    impl Write for File {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.0.lock().unwrap()[self.1].push_str(std::str::from_utf8(bytes).unwrap());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_is_opened_again_when_it_is_told_to_be() {
        let files = Files::default();
        let opened = files.clone();
        let open: OpenSink = Box::new(move || {
            let mut all = opened.0.lock().unwrap();
            if all.len() == 2 {
                return Err(std::io::Error::other("the disk is gone"));
            }
            all.push(String::new());
            Ok(Box::new(File(opened.clone(), all.len() - 1)))
        });
        let (log, writer) = Log::start(open, LogFormat::Text, false, Arc::default()).unwrap();
        let wait_for = |file: usize, text: &str| {
            while !files.0.lock().unwrap().get(file).is_some_and(|file| file.contains(text)) {
                std::thread::yield_now();
            }
        };
        log.write(LogLevel::Info, "first", &[]);
        wait_for(0, "first");
        log.reopen();
        log.write(LogLevel::Info, "second", &[]);
        wait_for(1, "second");
        // It cannot be opened a third time, so that it goes on where it is.
        log.reopen();
        log.write(LogLevel::Info, "third", &[]);
        drop(log);
        writer.join();
        let files = files.0.lock().unwrap();
        assert!(!files[0].contains("second") && files[1].contains("third"));
        assert!(files[1].contains("cannot open the log again: the disk is gone"), "{}", files[1]);
    }

    #[test]
    fn lines_are_for_people_or_for_programs_and_never_more_than_one() {
        let fields = [
            ("method", LogValue::Text("echo")),
            ("message", LogValue::Text("a \"b\"\n\u{1b}[2J")),
            ("us", LogValue::Number(7)),
        ];
        assert_eq!(
            line(LogFormat::Text, UNIX_EPOCH, LogLevel::Warning, "refused", &fields),
            "1970-01-01T00:00:00.000Z warning refused method=echo message=\"a \\\"b\\\"\\n\\u001b[2J\" us=7\n"
        );
        assert_eq!(
            line(LogFormat::Json, UNIX_EPOCH, LogLevel::Info, "call", &fields),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"call\",\"method\":\"echo\",\
             \"message\":\"a \\\"b\\\"\\n\\u001b[2J\",\"us\":7}\n"
        );
    }
}
