//! One line of the log as text, for people or for programs.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use value::{Escapes, write_json_string};

/// How lines of a log look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people: time, level, event and fields in one line.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// How much a line matters, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Something does not work.
    Error,
    /// Somebody should look at it.
    Warning,
    /// Everything is as it should be.
    Info,
    /// Why something went the way it did.
    Debug,
}

impl LogLevel {
    fn name(self) -> &'static str {
        match self {
            LogLevel::Error => "error",
            LogLevel::Warning => "warning",
            LogLevel::Info => "info",
            LogLevel::Debug => "debug",
        }
    }
}

/// The value of a field of a line.
#[derive(Clone, Copy, Debug)]
pub enum LogValue<'v> {
    /// Text from anywhere; it is escaped.
    Text(&'v str),
    /// A number, written in decimal.
    Number(u64),
}

/// Writes a line with its end. Whatever its text, it is one line, and a terminal can show it.
pub(crate) fn write_line(
    format: LogFormat,
    time: SystemTime,
    level: LogLevel,
    event: &str,
    fields: &[(&str, LogValue<'_>)],
) -> String {
    let mut out = String::with_capacity(160);
    // Writing to a string cannot fail.
    match format {
        LogFormat::Json => {
            out.push_str("{\"time\":\"");
            write_time(&mut out, time);
            let _ = write!(out, "\",\"level\":\"{}\",\"event\":", level.name());
            quote(&mut out, event);
            for (name, value) in fields {
                out.push(',');
                quote(&mut out, name);
                out.push(':');
                match value {
                    LogValue::Text(text) => quote(&mut out, text),
                    LogValue::Number(number) => drop(write!(out, "{number}")),
                }
            }
            out.push_str("}\n");
        }
        LogFormat::Text => {
            write_time(&mut out, time);
            let _ = write!(out, " {:<7} ", level.name());
            if event.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
                out.push_str(event);
            } else {
                quote(&mut out, event);
            }
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

/// Writes a time as RFC 3339 does, in UTC with milliseconds; one that no calendar has is the start of 1970.
fn write_time(out: &mut String, time: SystemTime) {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute, second) = at.to_hms();
    let milliseconds = since.subsec_millis();
    let _ = write!(out, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn times_are_written_in_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199, "2024-02-29T23:59:59.000Z"),
            (1_709_251_200, "2024-03-01T00:00:00.000Z"),
            (4_102_444_799, "2099-12-31T23:59:59.000Z"),
        ] {
            let mut written = String::new();
            write_time(&mut written, UNIX_EPOCH + Duration::from_secs(seconds));
            assert_eq!(written, text);
        }
    }

    #[test]
    fn lines_are_for_people_or_for_programs_and_never_more_than_one() {
        let fields = [
            ("method", LogValue::Text("echo")),
            ("message", LogValue::Text("a \"b\"\n\u{1b}[2J")),
            ("us", LogValue::Number(7)),
        ];
        assert_eq!(
            write_line(LogFormat::Text, UNIX_EPOCH, LogLevel::Warning, "refused", &fields),
            "1970-01-01T00:00:00.000Z warning refused method=echo message=\"a \\\"b\\\"\\n\\u001b[2J\" us=7\n"
        );
        assert_eq!(
            write_line(LogFormat::Json, UNIX_EPOCH, LogLevel::Info, "call", &fields),
            "{\"time\":\"1970-01-01T00:00:00.000Z\",\"level\":\"info\",\"event\":\"call\",\"method\":\"echo\",\
             \"message\":\"a \\\"b\\\"\\n\\u001b[2J\",\"us\":7}\n"
        );
        assert_eq!(
            write_line(LogFormat::Text, UNIX_EPOCH, LogLevel::Debug, "two\nlines", &[]),
            "1970-01-01T00:00:00.000Z debug   \"two\\nlines\"\n"
        );
    }
}
