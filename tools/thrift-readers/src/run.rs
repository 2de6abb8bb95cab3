//! Messages are made, judged, given to all readers, and counted.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use thrift::validate::Want;
use thrift::wire::Protocol;

use crate::arguments::Arguments;
use crate::json;
use crate::mutate::{CHANGES, SPOILS};
use crate::random::Random;
use crate::readers::{Programs, READERS, Reader, ReaderVerdict};
use crate::schemas::{MessageStatus, Schema};
use crate::values::Values;
use crate::{Result, said};

/// What messages are written in; their places are the numbers that the programs of readers know them by.
const PROTOCOLS: [Protocol; 3] = [Protocol::Binary, Protocol::Compact, Protocol::Json];
/// How many messages that keep the rules there are of each schema, before anything is changed.
const ORIGINALS: usize = 24;
/// How many messages of each schema that break a rule are shown to the readers in each protocol, to see that they would notice:
/// as many as there happen to be up to the first number, and at least the second.
const CONTROLS: usize = 20;
const LEAST_CONTROLS: usize = 3;
/// How often one is looked for.
const ATTEMPTS: usize = 4000;

/// A message, and what the validator said.
#[derive(Clone, Debug)]
pub struct Message {
    schema: usize,
    protocol: Protocol,
    bytes: Vec<u8>,
    /// What was changed.
    changes: Vec<&'static str>,
    role: Role,
}

/// Why a message is shown to the readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// It is as a writer would write it, and keeps the rules: readers agree.
    Original,
    /// It passes, whatever it is: no reader may disagree.
    Passed,
    /// It breaks a rule and nothing else: readers notice.
    Control,
}

/// How many messages there were.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageCounts {
    /// All of them.
    pub all: usize,
    /// Those that passed.
    pub passed: usize,
}

/// Makes so many different messages in all, and returns those that the readers shall see.
pub fn messages(schemas: &[Schema], count: usize, seed: u64) -> Result<(Vec<Message>, MessageCounts)> {
    let mut made = MessageCounts::default();
    let mut messages = Vec::new();
    for (index, schema) in schemas.iter().enumerate() {
        let share = count.div_ceil(schemas.len());
        let mut random = Random::new(seed ^ (index as u64) << 32);
        of_schema(index, schema, share, &mut random, &mut messages, &mut made)?;
    }
    Ok((messages, made))
}

fn of_schema(
    index: usize,
    schema: &Schema,
    share: usize,
    random: &mut Random,
    messages: &mut Vec<Message>,
    made: &mut MessageCounts,
) -> Result {
    let values = Values::of(schema);
    let mut originals = Vec::new();
    for _ in 0..ORIGINALS {
        originals.push(values.valid(random)?);
    }
    let mut seen = HashSet::new();
    let mut controls = [0; PROTOCOLS.len()];
    // Small messages run out of changes; that is noticed by the number of messages in the end.
    for turn in 0..share * 2 * PROTOCOLS.len() {
        if seen.len() == share {
            break;
        }
        let mut changes = Vec::new();
        let Some(protocol) = PROTOCOLS.get(turn % PROTOCOLS.len()).copied() else { break };
        let round = turn / PROTOCOLS.len();
        let Some(mut wire) = originals.get(round).or_else(|| random.pick(&originals)).cloned() else {
            break;
        };
        if round >= originals.len() {
            for _ in 0..random.pick(&[1, 1, 1, 2, 2, 3]).copied().unwrap_or(1) {
                let Some((name, change)) = random.pick(CHANGES) else { break };
                if change(&mut wire, &values, random) {
                    changes.push(*name);
                }
            }
        }
        let Some(mut bytes) = schema.write(&wire, protocol) else { continue };
        let is_json = protocol == Protocol::Json;
        let spoilt =
            round >= originals.len() && (changes.is_empty() || random.once_in(if is_json { 2 } else { 12 }));
        let spoils = if is_json && !random.once_in(4) { json::SPOILS } else { SPOILS };
        if let Some((name, spoil)) = random.pick(spoils).filter(|_| spoilt) {
            spoil(&mut bytes, random);
            changes.push(name);
        }
        if !seen.insert((turn % PROTOCOLS.len(), bytes.clone())) {
            continue;
        }
        let verdict = schema.judge(protocol, &bytes, Want::First);
        made.all += 1;
        made.passed += usize::from(verdict == MessageStatus::Passes);
        let harmless = changes.len() == 1 && changes.first() == CHANGES.first().map(|(name, _)| name);
        let role = match verdict {
            MessageStatus::Passes if changes.is_empty() => Role::Original,
            MessageStatus::Passes => Role::Passed,
            MessageStatus::Breaks(_) if harmless => Role::Control,
            MessageStatus::Breaks(_) | MessageStatus::NoMessage => continue,
        };
        if let (Role::Control, Some(controls)) = (role, controls.get_mut(turn % PROTOCOLS.len())) {
            if *controls == CONTROLS {
                continue;
            }
            *controls += 1;
        }
        messages.push(Message { schema: index, protocol, bytes, changes, role });
    }
    for (protocol, found) in PROTOCOLS.into_iter().zip(&mut controls) {
        let Some(change) = CHANGES.first() else { break };
        for _ in 0..ATTEMPTS {
            if *found >= LEAST_CONTROLS {
                break;
            }
            let Some(mut wire) = random.pick(&originals).cloned() else { break };
            if !(change.1)(&mut wire, &values, random) {
                continue;
            }
            let Some(bytes) = schema.write(&wire, protocol) else { break };
            if matches!(schema.judge(protocol, &bytes, Want::First), MessageStatus::Breaks(_)) {
                let changes = vec![change.0];
                messages.push(Message { schema: index, protocol, bytes, changes, role: Role::Control });
                *found += 1;
            }
        }
    }
    Ok(())
}

/// A message that should not be, with what a reader says of it.
#[derive(Debug)]
pub struct ReaderMismatch {
    /// The schema and the rule, without numbers: findings that are alike have the same.
    pub kind: String,
    /// All there is to know.
    pub text: String,
}

/// What a reader did.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many messages it decoded, to values that keep the rules.
    pub valid: usize,
    /// How many it refused.
    pub refused: usize,
    /// Messages that it refused in the middle, where its servers would read another message.
    pub halfway: Vec<ReaderMismatch>,
    /// How many it decoded to values that break a rule, and which.
    pub invalid: Vec<ReaderMismatch>,
    /// Messages that it died of, or did not come to an end with.
    pub lost: Vec<ReaderMismatch>,
    /// Messages as writers write them that it refused or found wrong.
    pub disagreed: Vec<ReaderMismatch>,
    /// How many messages that break a rule it was shown, and in how many it noticed.
    pub controls: (usize, usize),
    /// Schemas of which it noticed nothing.
    pub blind: Vec<String>,
}

/// Shows the messages to the readers that are asked, as many at a time as there are processors.
pub fn ask(
    schemas: &[Schema],
    messages: &[Message],
    programs: &Programs,
    arguments: &Arguments,
) -> Result<Vec<(&'static Reader, Tally)>> {
    let left = Mutex::new(READERS.iter().enumerate().filter(|(_, reader)| arguments.ask(reader.name)));
    let found = Mutex::new(Vec::new());
    let worker = || -> Result {
        loop {
            let next = left.lock().map_err(|error| error.to_string())?.next();
            let Some((position, reader)) = next else { return Ok(()) };
            let tally = ask_one(schemas, messages, programs, &arguments.work, reader)?;
            found.lock().map_err(|error| error.to_string())?.push((position, reader, tally));
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(worker)).collect();
        workers
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or_else(|_| Err("a thread has failed".to_owned())))
    })?;
    let mut found = found.into_inner().map_err(|error| error.to_string())?;
    found.sort_by_key(|(position, ..)| *position);
    Ok(found.into_iter().map(|(_, reader, tally)| (reader, tally)).collect())
}

fn ask_one(
    schemas: &[Schema],
    messages: &[Message],
    programs: &Programs,
    work: &Path,
    reader: &Reader,
) -> Result<Tally> {
    let fits = |message: &&Message| {
        let schema = schemas.get(message.schema);
        reader.protocols.contains(&message.protocol) && schema.is_some_and(|it| it.is_for(reader.name))
    };
    let shown: Vec<&Message> = messages.iter().filter(fits).collect();
    let path = work.join(format!("{}.messages", reader.name));
    let mut answers: Vec<ReaderVerdict> = Vec::new();
    while let Some(left) = shown.get(answers.len()..).filter(|left| !left.is_empty()) {
        std::fs::write(&path, stream(left)).map_err(said(path.display()))?;
        let before = answers.len();
        answers.extend(programs.ask(reader, &path)?);
        if answers.len() < shown.len() {
            // The message behind the last answer is the one it cannot cope with.
            answers.push(ReaderVerdict::Lost);
        }
        if before == 0 && answers.len() == 1 {
            return Err(format!("{} does not start", reader.name));
        }
    }
    let mut tally = Tally::default();
    let mut noticed = vec![0usize; schemas.len()];
    for (message, answer) in shown.into_iter().zip(answers) {
        match (message.role, answer) {
            (_, ReaderVerdict::Lost) => tally.lost.push(message.found(schemas, "no answer")),
            (Role::Control, answer) => {
                tally.controls.0 += 1;
                if let (ReaderVerdict::Invalid(_), Some(noticed)) = (answer, noticed.get_mut(message.schema))
                {
                    tally.controls.1 += 1;
                    *noticed += 1;
                }
            }
            (Role::Original | Role::Passed, ReaderVerdict::Valid) => tally.valid += 1,
            (Role::Original, ReaderVerdict::Refused(why)) => {
                tally.disagreed.push(message.found(schemas, &why))
            }
            (Role::Original, ReaderVerdict::Invalid(why)) => {
                tally.disagreed.push(message.found(schemas, &why))
            }
            (Role::Passed, ReaderVerdict::Refused(why)) => {
                tally.refused += 1;
                // What is left of a message of JSON is no other one: it would have to begin right behind a bracket that ends
                // something, which what passes has in texts alone, and there the quotes of a message end the text.
                let is_told = message.protocol == Protocol::Json;
                if !is_told && reader.goes_on.is_some_and(|words| why.contains(words)) {
                    tally.halfway.push(message.found(schemas, &why));
                }
            }
            (Role::Passed, ReaderVerdict::Invalid(why)) => tally.invalid.push(message.found(schemas, &why)),
        }
    }
    for (schema, noticed) in schemas.iter().zip(noticed) {
        if noticed == 0 && schema.is_for(reader.name) {
            tally.blind.push(schema.name.clone());
        }
    }
    Ok(tally)
}

/// Messages as the programs of readers take them.
fn stream(messages: &[&Message]) -> Vec<u8> {
    let mut stream = Vec::new();
    for message in messages {
        stream.push(message.schema as u8);
        let number = PROTOCOLS.iter().position(|it| *it == message.protocol);
        stream.push(number.unwrap_or_default() as u8);
        stream.extend((message.bytes.len() as u32).to_be_bytes());
        stream.extend(&message.bytes);
    }
    stream
}

impl Message {
    fn found(&self, schemas: &[Schema], what: &str) -> ReaderMismatch {
        let schema = schemas.get(self.schema).map_or("", |schema| &schema.name);
        let bytes = match self.protocol {
            Protocol::Json => String::from_utf8_lossy(&self.bytes).into_owned(),
            _ => self.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let (rule, value) = what.split_once('\t').unwrap_or((what, ""));
        let mut text = format!("{schema}.thrift, {:?}: {rule}\n  bytes    {bytes}", self.protocol);
        if !value.is_empty() {
            _ = write!(text, "\n  value    {value}");
        }
        _ = write!(text, "\n  changes  {}", self.changes.join("; "));
        let kind = format!("{schema} {}", rule.split('[').next().unwrap_or(rule));
        ReaderMismatch { kind, text }
    }
}
