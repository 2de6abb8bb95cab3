//! A whole state as lines of JSON: a header, a line for each row, and a last line that says how many there were.
//!
//! The format has a number. A program reads the numbers that it knows and refuses others, and it refuses lines and members that it does
//! not know: nothing is lost in silence.

use std::io::{self, BufRead, Read as _, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use store::{
    BackupRecord, Deployment, DeploymentKey, Operation, Phase, Resource, RunId, Status, StepRecord,
    StoreError,
};

/// The number of the format.
const VERSION: u32 = 1;

/// How long a line may be. Blobs are bounded by what a request may carry, so a longer one is not a line of ours.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Header {
    /// What the file is.
    tendon: String,
    /// The number of the format.
    version: u32,
    /// What tells the key that sealed what is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) key_check: Option<String>,
}

impl Header {
    pub(super) fn new(key_check: Option<String>) -> Header {
        Header { tendon: "state".to_owned(), version: VERSION, key_check }
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Line {
    Deployment {
        scope: String,
        name: String,
        run: Run,
        root: Run,
        active: bool,
        order: i64,
        format: u16,
        body: String,
        fence: u64,
        canceled: bool,
    },
    Step {
        run: Run,
        number: u32,
        confirmed: bool,
        format: u16,
        body: String,
    },
    Operation {
        run: Run,
        number: u32,
        format: u16,
        body: String,
    },
    Blob {
        run: Run,
        name: String,
        bytes: String,
    },
    Resource {
        id: String,
        version: u64,
        format: u16,
        body: String,
    },
    End {
        rows: u64,
    },
}

/// A run, as 32 digits.
#[derive(Clone, Copy, Debug)]
struct Run(RunId);

impl Serialize for Run {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:032x}", self.0.0))
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Run, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_run = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(&text, 16).ok().filter(|_| is_run);
        number
            .map(|number| Run(RunId(number)))
            .ok_or_else(|| serde::de::Error::custom("a run has 32 hexadecimal digits"))
    }
}

pub(super) struct Writer<W> {
    out: W,
    rows: u64,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(mut out: W, header: &Header) -> io::Result<Writer<W>> {
        line(&mut out, header)?;
        Ok(Writer { out, rows: 0 })
    }

    pub(super) fn row(&mut self, row: BackupRecord) -> io::Result<()> {
        self.rows += 1;
        line(&mut self.out, &line_of(row))
    }

    /// Writes the last line; answers with the number of rows.
    pub(super) fn end(mut self) -> io::Result<(W, u64)> {
        line(&mut self.out, &Line::End { rows: self.rows })?;
        self.out.flush()?;
        Ok((self.out, self.rows))
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn line_of(row: BackupRecord) -> Line {
    match row {
        BackupRecord::Deployment { deployment: it, fence, canceled } => Line::Deployment {
            scope: it.key.scope().to_owned(),
            name: it.key.name().to_owned(),
            run: Run(it.run),
            root: Run(it.root),
            active: it.status == Status::Active,
            order: it.order,
            format: it.format,
            body: it.body,
            fence,
            canceled,
        },
        BackupRecord::Step(it) => {
            let confirmed = it.phase == Phase::Confirmed;
            Line::Step { run: Run(it.run), number: it.number, confirmed, format: it.format, body: it.body }
        }
        BackupRecord::Operation(it) => {
            Line::Operation { run: Run(it.run), number: it.number, format: it.format, body: it.body }
        }
        BackupRecord::Blob { run, name, bytes } => {
            Line::Blob { run: Run(run), name, bytes: STANDARD.encode(bytes) }
        }
        BackupRecord::Resource(it) => {
            Line::Resource { id: it.id, version: it.version, format: it.format, body: it.body }
        }
    }
}

pub(super) struct Reader<R> {
    input: R,
    number: u64,
    rows: u64,
    has_ended: bool,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Result<(Reader<R>, Header), String> {
        let mut reader = Reader { input, number: 0, rows: 0, has_ended: false };
        let Some(text) = reader.text()? else {
            return Err("it is empty; it must be what `tendon state export` wrote".to_owned());
        };
        // A later format may have other members: its number is what matters.
        let of = |name: &str| {
            serde_json::from_slice::<serde_json::Value>(&text).ok().and_then(|it| it.get(name).cloned())
        };
        if of("tendon").as_ref().and_then(serde_json::Value::as_str) != Some("state") {
            return Err("it does not begin as what `tendon state export` writes".to_owned());
        }
        let version = of("version").and_then(|it| it.as_u64()).unwrap_or_default();
        if version != u64::from(VERSION) {
            return Err(format!("it has the format {version}, this program reads {VERSION}"));
        }
        let header = serde_json::from_slice(&text).map_err(|error| reader.wrong(&error))?;
        Ok((reader, header))
    }

    fn wrong(&self, why: &dyn std::fmt::Display) -> String {
        format!("line {}: {why}", self.number)
    }

    /// The next line; none at the end.
    fn text(&mut self) -> Result<Option<Vec<u8>>, String> {
        self.number += 1;
        let mut text = Vec::new();
        let read = (&mut self.input).take(MOST_BYTES).read_until(b'\n', &mut text);
        read.map_err(|error| self.wrong(&crate::exit::in_words(&error)))?;
        if text.len() as u64 == MOST_BYTES && text.last() != Some(&b'\n') {
            return Err(self.wrong(&"it is too long"));
        }
        Ok((!text.is_empty()).then_some(text))
    }

    fn row(&mut self) -> Result<Option<BackupRecord>, String> {
        let Some(text) = self.text()? else {
            return if self.has_ended {
                Ok(None)
            } else {
                Err(self.wrong(&"the end is missing; the file is incomplete"))
            };
        };
        if self.has_ended {
            return Err(self.wrong(&"there is more behind the end"));
        }
        let line = serde_json::from_slice(&text).map_err(|error| self.wrong(&error))?;
        let row = match line {
            Line::Deployment { scope, name, run, root, active, order, format, body, fence, canceled } => {
                let status = if active { Status::Active } else { Status::Ended };
                let key = DeploymentKey::new(&scope, &name);
                let deployment = Deployment { key, run: run.0, root: root.0, status, order, format, body };
                BackupRecord::Deployment { deployment, fence, canceled }
            }
            Line::Step { run, number, confirmed, format, body } => {
                let phase = if confirmed { Phase::Confirmed } else { Phase::Intended };
                BackupRecord::Step(StepRecord { run: run.0, number, phase, format, body })
            }
            Line::Operation { run, number, format, body } => {
                BackupRecord::Operation(Operation { run: run.0, number, format, body })
            }
            Line::Blob { run, name, bytes } => {
                let bytes = STANDARD.decode(bytes).map_err(|error| self.wrong(&error))?;
                BackupRecord::Blob { run: run.0, name, bytes }
            }
            Line::Resource { id, version, format, body } => {
                BackupRecord::Resource(Resource { id, version, format, body })
            }
            Line::End { rows } if rows == self.rows => {
                self.has_ended = true;
                return self.row();
            }
            Line::End { rows } => {
                return Err(self.wrong(&format!("there should be {rows} rows, and there are {}", self.rows)));
            }
        };
        self.rows += 1;
        Ok(Some(row))
    }
}

impl<R> Reader<R> {
    /// The number of the line that was read last.
    pub(super) fn line(&self) -> u64 {
        self.number
    }
}

/// A row as its line says it.
pub(super) fn line_text(row: BackupRecord) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    line(&mut text, &line_of(row))?;
    Ok(text)
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = store::Result<BackupRecord>;

    fn next(&mut self) -> Option<store::Result<BackupRecord>> {
        self.row().map_err(StoreError::Source).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<BackupRecord> {
        let run = RunId(u128::MAX - 5);
        let key = DeploymentKey::new("/s\0\n", "d\"");
        let deployment = Deployment {
            key,
            run,
            root: RunId(1),
            status: Status::Active,
            order: -3,
            format: 2,
            body: "{\"a\":1}".to_owned(),
        };
        vec![
            BackupRecord::Deployment { deployment, fence: 7, canceled: true },
            BackupRecord::Step(StepRecord {
                run,
                number: u32::MAX,
                phase: Phase::Intended,
                format: 1,
                body: "ü".to_owned(),
            }),
            BackupRecord::Step(StepRecord {
                run,
                number: 0,
                phase: Phase::Confirmed,
                format: 1,
                body: String::new(),
            }),
            BackupRecord::Operation(Operation { run, number: 1, format: 1, body: "\u{1}".to_owned() }),
            BackupRecord::Blob { run, name: "secrets".to_owned(), bytes: (0..=255).collect() },
            BackupRecord::Resource(Resource {
                id: "/A".to_owned(),
                version: 1 << 60,
                format: 1,
                body: "\r\n".to_owned(),
            }),
        ]
    }

    fn written() -> String {
        let mut writer = Writer::new(Vec::new(), &Header::new(Some("abc".to_owned()))).unwrap();
        rows().into_iter().for_each(|row| writer.row(row).unwrap());
        String::from_utf8(writer.end().unwrap().0).unwrap()
    }

    fn read(text: &str) -> Result<Vec<BackupRecord>, String> {
        let (reader, _) = Reader::new(text.as_bytes())?;
        reader.map(|row| row.map_err(|error| error.to_string())).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let text = written();
        assert_eq!(text.lines().count(), rows().len() + 2);
        assert_eq!(text.lines().next().unwrap(), r#"{"tendon":"state","version":1,"keyCheck":"abc"}"#);
        assert_eq!(read(&text).unwrap(), rows());
        assert_eq!(Reader::new(text.as_bytes()).unwrap().1.key_check.as_deref(), Some("abc"));
    }

    #[test]
    fn a_file_that_is_not_whole_is_refused() {
        let text = written();
        let lines: Vec<&str> = text.lines().collect();
        // Without the last line break it is still whole.
        for cut in 0..text.len() - 1 {
            assert!(text.get(..cut).is_none_or(|cut| read(cut).is_err()), "{cut}");
        }
        for missing in 1..lines.len() {
            let rest: Vec<&str> =
                lines.iter().enumerate().filter(|(at, _)| *at != missing).map(|(_, line)| *line).collect();
            assert!(read(&rest.join("\n")).is_err(), "{missing}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let header = "{\"tendon\":\"state\",\"version\":1}\n";
        for (text, said) in [
            ("", "it is empty"),
            ("{}\n", "it does not begin"),
            ("[1]\n", "it does not begin"),
            ("{\"tendon\":\"state\",\"version\":2,\"new\":1}\n", "it has the format 2, this program reads 1"),
            ("{\"tendon\":\"state\",\"version\":1,\"new\":1}\n", "line 1: unknown field `new`"),
            (&format!("{header}{{\"thing\":{{}}}}\n"), "line 2: unknown variant `thing`"),
            (&format!("{header}{{\"resource\":{{\"id\":1}}}}\n"), "line 2: invalid type"),
            (
                &format!("{header}{{\"blob\":{{\"run\":\"1\",\"name\":\"\",\"bytes\":\"\"}}}}\n"),
                "line 2: a run has 32",
            ),
            (
                &format!("{header}{{\"end\":{{\"rows\":1}}}}\n"),
                "line 2: there should be 1 rows, and there are 0",
            ),
            (&format!("{header}{{\"end\":{{\"rows\":0}}}}\n{{}}\n"), "line 3: there is more behind the end"),
            (header, "line 2: the end is missing"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with(said), "{error}");
        }
        assert_eq!(read(&format!("{header}{{\"end\":{{\"rows\":0}}}}\n")), Ok(Vec::new()));
    }
}
