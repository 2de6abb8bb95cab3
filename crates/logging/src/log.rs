//! The queue of lines, and the thread that writes them so that nobody waits for a disk.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, SystemTime};

use metrics::Counter;

use crate::line::{LogFormat, LogLevel, LogValue, write_line};

/// How many lines may wait to be written; more are lost, and counted.
const WAITING: usize = 4096;

/// How long the end of a process waits for a disk or a pipe that takes no lines.
const FLUSH: Duration = Duration::from_secs(5);

/// Opens the place that lines go to, once at the start and again whenever it is told to.
pub type OpenSink = Box<dyn FnMut() -> std::io::Result<Box<dyn Write + Send>> + Send>;

/// Takes lines. Clones write to the same place.
#[derive(Clone, Debug)]
pub struct Log {
    queue: Option<SyncSender<LogJob>>,
    /// Whether the sink is to be opened again before the next line.
    reopen: Arc<AtomicBool>,
    format: LogFormat,
    lost: Arc<Counter>,
}

/// What the thread that writes is asked to do.
#[derive(Debug)]
enum LogJob {
    Write(String),
    /// Look at what else it was told.
    Wake,
    /// Say when everything before is written.
    Answer(SyncSender<()>),
}

impl Log {
    /// Starts writing to a place.
    ///
    /// # Errors
    ///
    /// The place cannot be opened, or the thread cannot be started.
    pub fn start(mut open: OpenSink, format: LogFormat) -> std::io::Result<Log> {
        let (queue, jobs) = sync_channel(WAITING);
        let sink = open()?;
        let reopen = Arc::new(AtomicBool::new(false));
        let writer = LogWriter { sink, open, reopen: Arc::clone(&reopen), format };
        std::thread::Builder::new().name("log".to_owned()).spawn(move || writer.run(&jobs))?;
        Ok(Log { queue: Some(queue), reopen, format, lost: Arc::default() })
    }

    /// A log that nobody reads.
    pub fn silent() -> Log {
        Log { queue: None, reopen: Arc::default(), format: LogFormat::Text, lost: Arc::default() }
    }

    /// Whether somebody reads it.
    pub fn is_read(&self) -> bool {
        self.queue.is_some()
    }

    /// Lines that were lost because the place could not keep up.
    pub fn lost_lines(&self) -> u64 {
        self.lost.get()
    }

    /// Opens the place again, for those who have moved the file away. Lines that are written from now on go there.
    pub fn reopen(&self) {
        self.reopen.store(true, Ordering::Release);
        if let Some(queue) = &self.queue {
            // If the writer is busy, it looks anyway.
            let _ = queue.try_send(LogJob::Wake);
        }
    }

    /// Writes a line if the level is not below that of the log; if it cannot be written, it is lost.
    pub fn write(&self, level: LogLevel, event: &str, fields: &[(&str, LogValue<'_>)]) {
        let Some(queue) = &self.queue else { return };
        let line = write_line(self.format, SystemTime::now(), level, event, fields);
        if let Err(TrySendError::Full(_)) = queue.try_send(LogJob::Write(line)) {
            self.lost.add(1);
        }
    }

    /// Waits until everything is written, for a process that ends; not for long, if it cannot be written.
    pub fn flush(&self) {
        let Some(queue) = &self.queue else { return };
        let (written, wait) = sync_channel(1);
        if queue.try_send(LogJob::Answer(written)).is_ok() {
            let _ = wait.recv_timeout(FLUSH);
        }
    }
}

struct LogWriter {
    sink: Box<dyn Write + Send>,
    open: OpenSink,
    reopen: Arc<AtomicBool>,
    format: LogFormat,
}

impl LogWriter {
    /// Ends when no [`Log`] is left. What cannot be written is lost: there is nowhere to say so.
    fn run(mut self, jobs: &Receiver<LogJob>) {
        while let Ok(first) = jobs.recv() {
            if self.reopen.swap(false, Ordering::AcqRel) {
                self.open_again();
            }
            // What waits is written at once.
            let mut text = String::new();
            let mut answers = Vec::new();
            for job in std::iter::once(first).chain(jobs.try_iter().take(WAITING)) {
                match job {
                    LogJob::Write(line) => text.push_str(&line),
                    LogJob::Wake => {}
                    LogJob::Answer(answer) => answers.push(answer),
                }
            }
            let _ = self.sink.write_all(text.as_bytes());
            let _ = self.sink.flush();
            for answer in answers {
                // Who asked may have stopped waiting.
                let _ = answer.try_send(());
            }
        }
    }

    fn open_again(&mut self) {
        match (self.open)() {
            Ok(fresh) => self.sink = fresh,
            // The old one is better than none.
            Err(error) => {
                let message = format!("cannot open the log again: {error}");
                let fields = [("message", LogValue::Text(&message))];
                let line = write_line(self.format, SystemTime::now(), LogLevel::Error, "log", &fields);
                let _ = self.sink.write_all(line.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// The files that were opened one after the other, as text.
    #[derive(Clone, Default)]
    struct Files(Arc<Mutex<Vec<String>>>);

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
        let log = Log::start(open, LogFormat::Text).unwrap();
        log.write(LogLevel::Info, "first", &[]);
        log.flush();
        log.reopen();
        log.write(LogLevel::Info, "second", &[]);
        log.flush();
        // It cannot be opened a third time, so that it goes on where it is.
        log.reopen();
        log.write(LogLevel::Info, "third", &[]);
        log.flush();
        let files = files.0.lock().unwrap();
        assert!(files[0].contains("first") && !files[0].contains("second") && files[1].contains("third"));
        assert!(files[1].contains("cannot open the log again: the disk is gone"), "{}", files[1]);
    }

    #[test]
    fn lines_that_cannot_be_written_in_time_are_lost_and_counted() {
        let (release, held) = sync_channel::<()>(0);
        let held = Mutex::new(Some(held));
        let open: OpenSink = Box::new(move || {
            // Opening the place a second time waits, and with it the thread that writes.
            let wait = held.lock().unwrap().take();
            Ok(Box::new(Waiting(wait)) as Box<dyn Write + Send>)
        });
        let log = Log::start(open, LogFormat::Json).unwrap();
        for _ in 0..WAITING * 3 {
            log.write(LogLevel::Info, "line", &[]);
        }
        assert!(log.lost_lines() >= WAITING as u64 - 1, "{}", log.lost_lines());
        drop(release);
        log.flush();
    }

    /// Takes nothing until it is let go.
    struct Waiting(Option<Receiver<()>>);

    impl Write for Waiting {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            if let Some(wait) = self.0.take() {
                let _ = wait.recv();
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
}
