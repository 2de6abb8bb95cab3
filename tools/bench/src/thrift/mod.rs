//! Thrift messages: our checks on the bytes and our generated Go and Rust, against the Go that thrift-gen-validator
//! generates and against pilota's decoder. The same IDL, the same messages, in one run.

mod messages;
mod peers;

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use thrift::model::{Config, LoadConfig, MemoryLoader, StructId, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

use crate::Result;
use crate::timing::{Sampler, Time, race_samplers, show};
use messages::Group;
use peers::Peer;

/// Compares, and prints a table for each of the questions.
pub(crate) fn run(names: &[String]) -> Result {
    let groups = messages::all();
    let mut loader = MemoryLoader::default().file("messages.thrift", peers::IDL);
    let (program, _) = load("messages.thrift", &mut loader, &LoadConfig::default())?;
    let (model, _) = resolve(&program, &Config::default());
    let functions = Functions::at(0);
    let (validator, found) =
        Validator::new(&model, &RuleConfig::default(), ValidateConfig::default(), &functions);
    let validator = validator.ok_or_else(|| format!("{found:?}"))?;
    let go = RefCell::new(peers::go(&program, &model, &groups)?);
    let rust = RefCell::new(peers::rust(&program, &model, &groups)?);
    let mut bouts = Vec::new();
    for group in &groups {
        let position = model.structs.iter().position(|it| it.name.text == group.name);
        let id = StructId(position.ok_or(group.name)? as u32);
        if names.is_empty() || names.iter().any(|name| group.name == name) {
            bouts.push(Bout {
                group,
                id,
                validator: &validator,
                functions: &functions,
                go: &go,
                rust: &rust,
            });
        }
    }
    wire(&bouts);
    generated(&bouts);
    decoding(&bouts);
    Ok(())
}

/// The contenders on one group of messages.
struct Bout<'b> {
    group: &'b Group,
    id: StructId,
    validator: &'b Validator,
    functions: &'b Functions,
    go: &'b RefCell<Peer>,
    rust: &'b RefCell<Peer>,
}

impl<'b> Bout<'b> {
    fn title(&self) -> String {
        format!("{} ({} B)", self.group.title, self.group.size())
    }

    /// The times that one message takes.
    fn race<const N: usize>(&self, contenders: [Sampler<'_>; N]) -> [Time; N] {
        race_samplers(true, contenders).map(|time| time.each(self.group.binary.len()))
    }

    /// Our checks on the bytes.
    fn wire(&self, protocol: Protocol) -> Sampler<'_> {
        let messages = match protocol {
            Protocol::Compact => &self.group.compact,
            _ => &self.group.binary,
        };
        Box::new(move |rounds| {
            let start = Instant::now();
            for _ in 0..rounds {
                for bytes in messages {
                    let bytes = black_box(bytes);
                    let verdict =
                        self.validator.validate(self.id, protocol, bytes, self.functions, Want::First);
                    assert!(verdict.is_ok(), "{}: {verdict:?}", self.group.name);
                }
            }
            start.elapsed().as_nanos() as f64 / f64::from(rounds)
        })
    }

    fn go(&self, what: &'static str) -> Sampler<'_> {
        self.peer(self.go, what)
    }

    fn rust(&self, what: &'static str) -> Sampler<'_> {
        self.peer(self.rust, what)
    }

    fn peer<'s>(&'s self, peer: &'b RefCell<Peer>, what: &'static str) -> Sampler<'s> {
        // A peer that fails says so itself; a time that is not a number shows in the table.
        Box::new(move |rounds| peer.borrow_mut().ask(what, self.group.name, rounds).unwrap_or(f64::NAN))
    }
}

/// Our checks on the bytes against decoding and checking in Go.
fn wire(bouts: &[Bout<'_>]) {
    println!("\nFrom bytes to verdict: how many times as fast our checks on the bytes are\n");
    println!(
        "| message | Go, fast codec | ours, binary | times as fast | Go, Apache binary | times as fast | Go, Apache compact | ours, compact | times as fast |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
    for bout in bouts {
        let [fast, ours, apache, go_compact, compact] = bout.race([
            bout.go("fast"),
            bout.wire(Protocol::Binary),
            bout.go("binary"),
            bout.go("compact"),
            bout.wire(Protocol::Compact),
        ]);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            bout.title(),
            show(fast.median),
            show(ours.median),
            times(fast, ours),
            show(apache.median),
            times(apache, ours),
            show(go_compact.median),
            show(compact.median),
            times(go_compact, compact),
        );
    }
}

/// Our generated Go and Rust against the Go of thrift-gen-validator, on values in memory.
fn generated(bouts: &[Bout<'_>]) {
    println!("\nValues in memory: how many times as fast our generated code is\n");
    println!(
        "| message | Go, `IsValid` of thrift-gen-validator | Go, our `Validate` | times as fast | Rust, `validate` | times as fast |"
    );
    println!("|---|--:|--:|--:|--:|--:|");
    for bout in bouts {
        let [go, ours, rust] = bout.race([bout.go("valid"), bout.go("ours"), bout.rust("valid")]);
        println!(
            "| {} | {} | {} | {} | {} | {} |",
            bout.title(),
            show(go.median),
            show(ours.median),
            times(go, ours),
            show(rust.median),
            times(go, rust)
        );
    }
}

/// Our checks on the bytes against nothing but decoding in Rust.
fn decoding(bouts: &[Bout<'_>]) {
    println!("\nDecoding alone, and what it costs to check the same bytes\n");
    println!("| message | pilota | pilota, unchecked | ours | share of the faster |");
    println!("|---|--:|--:|--:|--:|");
    for bout in bouts {
        let [pilota, unchecked, ours] =
            bout.race([bout.rust("binary"), bout.rust("unchecked"), bout.wire(Protocol::Binary)]);
        let faster = pilota.median.min(unchecked.median);
        println!(
            "| {} | {} | {} | {} | {:.0} % |",
            bout.title(),
            show(pilota.median),
            show(unchecked.median),
            show(ours.median),
            ours.median / faster * 100.0,
        );
    }
}

/// How many times longer they take, by medians and by minima.
fn times(theirs: Time, ours: Time) -> String {
    format!("{:.2}, {:.2}", theirs.median / ours.median, theirs.least / ours.least)
}
