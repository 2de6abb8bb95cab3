//! Events of `tracing` as lines of the log: those of the server, and of the libraries that it stands on.

use std::fmt::Debug;

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::line::{LogLevel, LogValue};
use crate::log::Log;

/// Writes events up to a level to a log. Spans are not followed: the server traces requests on its own.
#[derive(Debug)]
pub struct LogSubscriber {
    log: Log,
    most: LevelFilter,
}

impl LogSubscriber {
    /// Writes events up to this level.
    pub fn new(log: Log, most: LogLevel) -> LogSubscriber {
        let most = match most {
            LogLevel::Error => LevelFilter::ERROR,
            LogLevel::Warning => LevelFilter::WARN,
            LogLevel::Info => LevelFilter::INFO,
            LogLevel::Debug => LevelFilter::DEBUG,
        };
        LogSubscriber { log, most }
    }
}

impl Subscriber for LogSubscriber {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && *metadata.level() <= self.most
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most)
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        // No span is enabled, so that none needs an id of its own.
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut seen = EventFields::default();
        event.record(&mut seen);
        let level = match *event.metadata().level() {
            Level::ERROR => LogLevel::Error,
            Level::WARN => LogLevel::Warning,
            Level::INFO => LogLevel::Info,
            Level::DEBUG | Level::TRACE => LogLevel::Debug,
        };
        let fields: Vec<(&str, LogValue<'_>)> = seen
            .fields
            .iter()
            .map(|(name, value)| match value {
                FieldValue::Text(text) => (*name, LogValue::Text(text)),
                FieldValue::Number(number) => (*name, LogValue::Number(*number)),
            })
            .collect();
        self.log.write(level, &seen.message, &fields);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// What an event says.
#[derive(Default)]
struct EventFields {
    message: String,
    fields: Vec<(&'static str, FieldValue)>,
}

enum FieldValue {
    Text(String),
    Number(u64),
}

impl Visit for EventFields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.push((field.name(), FieldValue::Number(value)));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.push((field.name(), FieldValue::Text(value.to_owned())));
    }

    /// Everything else, and the message.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        match field.name() {
            "message" => self.message = text,
            name => self.fields.push((name, FieldValue::Text(text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::LogFormat;
    use crate::log::OpenSink;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn events_up_to_a_level_are_lines() {
        let lines = Lines::default();
        let opened = lines.clone();
        let open: OpenSink = Box::new(move || Ok(Box::new(opened.clone())));
        let log = Log::start(open, LogFormat::Json).unwrap();
        let subscriber = LogSubscriber::new(log.clone(), LogLevel::Info);
        tracing::subscriber::with_default(subscriber, || {
            let span = tracing::info_span!("outside");
            let _inside = span.enter();
            tracing::warn!(count = 3_u64, from = %"a\nb", whole = "w", "requests were {}", "refused");
            tracing::debug!("not asked for");
        });
        log.flush();
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        let rest =
            r#","level":"warning","event":"requests were refused","count":3,"from":"a\nb","whole":"w"}"#;
        assert!(text.trim_end().ends_with(rest), "{text}");
    }
}
