//! Thrift messages: our checks on the bytes and our generated Go and Rust, against the Go that thrift-gen-validator
//! generates and against pilota's decoder. The same IDL, the same messages, in one run.

mod instructions;
mod messages;
mod peers;

use std::cell::RefCell;
use std::hint::black_box;
use std::time::Instant;

use thrift::model::{Config, LoadConfig, MemoryLoader, Model, StructId, ThriftProgram, load, resolve};
use thrift::rules::{Functions, RuleConfig};
use thrift::validate::{ValidateConfig, Validator, Want};
use thrift::wire::Protocol;

use crate::timing::{Sampler, Time, race_samplers, show};
use crate::{Result, said};
use messages::Group;
use peers::Peer;

/// Compares, and prints a table for each of the questions; `--instructions` prints counts instead of times.
pub(crate) fn run(arguments: &[String]) -> Result {
    let (names, counted) = match arguments.split_first() {
        Some((first, names)) if first == instructions::COUNT => (names, true),
        Some((first, walk)) if first == instructions::WALK => return walk_over(walk),
        _ => (arguments, false),
    };
    let groups = messages::all();
    if counted {
        return instructions::run(groups.iter().filter(|group| is_asked_for(names, group)));
    }
    let (program, model) = read_idl()?;
    let functions = Functions::at(0);
    let validator = compile(&model, &functions)?;
    let go = RefCell::new(peers::go(&program, &model, &groups)?);
    let rust = RefCell::new(peers::rust(&program, &model, &groups)?);
    let mut bouts = Vec::new();
    for group in &groups {
        if is_asked_for(names, group) {
            bouts.push(Bout {
                group,
                id: struct_id(&model, group)?,
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

/// Whether a group is to be measured: all are if none is named.
fn is_asked_for(names: &[String], group: &Group) -> bool {
    names.is_empty() || names.iter().any(|name| group.name == name)
}

fn read_idl() -> Result<(ThriftProgram, Model)> {
    let mut loader = MemoryLoader::default().file("messages.thrift", peers::IDL);
    let (program, _) = load("messages.thrift", &mut loader, &LoadConfig::default())?;
    let (model, _) = resolve(&program, &Config::default());
    Ok((program, model))
}

fn compile(model: &Model, functions: &Functions) -> Result<Validator> {
    let (validator, found) =
        Validator::new(model, &RuleConfig::default(), ValidateConfig::default(), functions);
    validator.ok_or_else(|| format!("{found:?}"))
}

fn struct_id(model: &Model, group: &Group) -> Result<StructId> {
    let position = model.structs.iter().position(|it| it.name.text == group.name);
    Ok(StructId(position.ok_or(group.name)? as u32))
}

/// What is counted by [`instructions`]: so many rounds over the messages of a struct, in a protocol.
fn walk_over(arguments: &[String]) -> Result {
    let [name, protocol, rounds] = arguments else { return Err("STRUCT PROTOCOL ROUNDS".to_owned()) };
    let groups = messages::all();
    let group = groups.iter().find(|group| group.name == name).ok_or("no such struct")?;
    let (_, model) = read_idl()?;
    let functions = Functions::at(0);
    let (validator, id) = (compile(&model, &functions)?, struct_id(&model, group)?);
    let protocol = instructions::protocol(protocol).ok_or("no such protocol")?;
    check(&validator, &functions, id, protocol, group, rounds.parse().map_err(said)?);
    Ok(())
}

/// Our checks on the bytes of all messages of a group, so many times.
fn check(
    validator: &Validator,
    functions: &Functions,
    id: StructId,
    protocol: Protocol,
    group: &Group,
    rounds: u32,
) {
    let messages = match protocol {
        Protocol::Compact => &group.compact,
        _ => &group.binary,
    };
    for _ in 0..rounds {
        for bytes in messages {
            let verdict = validator.validate(id, protocol, black_box(bytes), functions, Want::First);
            assert!(verdict.is_ok(), "{}: {verdict:?}", group.name);
        }
    }
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
        Box::new(move |rounds| {
            let start = Instant::now();
            check(self.validator, self.functions, self.id, protocol, self.group, rounds);
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
        "| message | Go, `IsValid` of thrift-gen-validator | Go, our `Validate` | times as fast | Go, an empty method | Rust, `validate` | times as fast |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|");
    for bout in bouts {
        let [go, ours, empty, rust] =
            bout.race([bout.go("valid"), bout.go("ours"), bout.go("empty"), bout.rust("valid")]);
        println!(
            "| {} | {} | {} | {} | {} | {} | {} |",
            bout.title(),
            show(go.median),
            show(ours.median),
            times(go, ours),
            show(empty.median),
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
