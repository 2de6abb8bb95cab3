//! `tendon contract convert`: a contract in another language, read again and compared with what it was made of.

mod bicep;
mod plain;
mod radius;
mod schema;
mod thrift;
mod wrapped;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use comparison::{
    BoundaryDiff, ChangeStep, ComparedContract, Comparison, Difference, Flow, SetRelation, compare,
};
use contract::rules::Rule;
use contract::{Constant, Shape};
use diagnostics::SourceMap;

use self::schema::quoted;
use self::wrapped::Wrapping;
use crate::against::{self, Crossing, Reference, ThriftOptions};
use crate::common::{Common, Form};
use crate::exit::{CommandError, Exit};
use crate::input;
use crate::output::Streams;
use crate::report;

/// Write a contract in another language
///
/// The result is read again and compared with the contract as sets of values. What it cannot say is reported with a value that shows it, and
/// refused unless `--allow-loss` is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The contract: a file, and after `#` a definition in it
    contract: OsString,

    /// The language to write
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    to: Language,

    /// The name of the result; `NAMESPACE/type@version` for Radius
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Write to a file instead of standard output
    #[arg(long = "outfile", alias = "out", value_name = "FILE")]
    out: Option<PathBuf>,

    /// Write the result although it accepts other values
    #[arg(long)]
    allow_loss: bool,

    /// The boundary that the contract is for
    #[arg(long, value_enum, value_name = "FLOW", default_value_t)]
    flow: Way,

    #[command(flatten)]
    thrift: ThriftOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    // JSON Schema 2020-12.
    #[value(name = "jsonschema")]
    JsonSchema,
    // A schema of OpenAPI 3.1.
    #[value(name = "openapi")]
    OpenApi,
    // A type of Bicep.
    Bicep,
    // A resource type of Radius.
    Radius,
    // A struct of Thrift with rules.
    Thrift,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Way {
    // What is written to the contract's owner.
    #[default]
    In,
    // What the owner writes.
    Out,
}

const EXAMPLES: &str = "\
Examples:
  tendon contract convert order.contract.json --to jsonschema --outfile order.schema.json
  tendon contract convert order.contract.json#Item --to bicep --allow-loss
  tendon contract convert main.bicep --to openapi --name Parameters
  tendon contract convert order.contract.json --to radius --name My.Company/orders@2025-01-01
  tendon contract convert order.contract.json --to thrift --name Order -o json";

/// Something that the result does not say.
pub(super) struct Dropped {
    /// The names of the members on the way to it.
    way: Vec<String>,
    message: String,
    /// Whether it bounds values, so that what is lost shows in the comparison.
    is_rule: bool,
}

impl Dropped {
    /// A rule that the language has no words for.
    fn rule(way: &[String], rule: &Rule) -> Dropped {
        let message = format!("the rule `{}` cannot be said", rule.name());
        Dropped { way: way.to_vec(), message, is_rule: true }
    }

    /// Something about values that is left out.
    fn at(way: &[String], message: impl Into<String>) -> Dropped {
        Dropped { way: way.to_vec(), message: message.into(), is_rule: true }
    }

    /// Something for people that is left out.
    fn note(way: &[String], message: &str) -> Dropped {
        Dropped { way: way.to_vec(), message: message.to_owned(), is_rule: false }
    }

    fn loss(&self) -> Loss {
        let steps = self.way.iter().map(|name| ChangeStep::Member(name.as_str().into()));
        let pointer = self.way.iter().map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1")));
        Loss {
            path: comparison::dotted(&steps.collect::<Vec<_>>()),
            pointer: pointer.collect(),
            effect: "dropped",
            message: self.message.clone(),
            witness: None,
        }
    }
}

/// A contract in another language.
pub(super) struct Written {
    text: String,
    /// What stands behind `#` in a reference to the result.
    fragment: Option<String>,
    dropped: Vec<Dropped>,
}

/// One thing that is lost.
struct Loss {
    path: String,
    pointer: String,
    effect: &'static str,
    message: String,
    witness: Option<(Constant, Option<Constant>)>,
}

pub(super) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let mut sources = SourceMap::new();
    let reference = Reference::parse(&arguments.contract);
    let from = super::operand::kind_of(&reference, &arguments.thrift, &mut sources)?;
    let loaded = match from.1 {
        Ok(loaded) => loaded,
        Err(findings) => {
            report::print_findings(common, streams, &sources, &findings)?;
            return Ok(Exit::Input);
        }
    };
    let mut crossings = loaded.boundaries(&arguments.contract, &arguments.thrift, &mut sources)?;
    if crossings.len() > 2 {
        let names: Vec<&str> = crossings.iter().map(|it| it.reference.as_str()).collect();
        return Err(CommandError::Usage(format!("name one of {}", names.join(", "))));
    }
    let wanted = match arguments.flow {
        Way::In => Flow::In,
        Way::Out => Flow::Out,
    };
    let at = crossings.iter().position(|it| it.flow == Some(wanted)).unwrap_or(0);
    if crossings.is_empty() {
        return Err(CommandError::Usage("the contract has no boundary".to_owned()));
    }
    let source = crossings.swap_remove(at);
    let name = arguments.name.clone().unwrap_or_else(|| name_of(&arguments.contract));
    let converted = converted(arguments, &source, &name);
    let (written, verdict, losses, reference) = match converted {
        Ok(written) => {
            let (verdict, losses, reference) = held_against(arguments, &source, &written)?;
            (Some(written), verdict, losses, Some(reference))
        }
        Err(why) => {
            let loss = Loss {
                path: "$".to_owned(),
                pointer: String::new(),
                effect: "dropped",
                message: why,
                witness: None,
            };
            (None, "impossible", vec![loss], None)
        }
    };
    let refused = verdict == "impossible" || (verdict != "kept" && !arguments.allow_loss);
    if let (Some(written), Some(out), false) = (&written, &arguments.out, refused) {
        write_file(out, &written.text)?;
    }
    let file = arguments.out.as_ref().filter(|_| !refused).map(|out| out.display().to_string());
    match common.form() {
        Form::Json => {
            let text =
                written.as_ref().filter(|_| arguments.out.is_none()).map(|written| quoted(&written.text));
            streams.print(&json_text(arguments, from.0, file, text, reference, verdict, &losses))?;
        }
        _ => {
            if !refused
                && arguments.out.is_none()
                && let Some(written) = &written
            {
                streams.print(&written.text)?;
            }
            let mut words = String::new();
            for loss in &losses {
                words.push_str(&format!("{} {}: {}\n", loss.effect, loss.path, loss.message));
                if let Some((value, _)) = &loss.witness {
                    words.push_str(&format!("  {value}\n"));
                }
            }
            if refused && verdict != "impossible" {
                words.push_str(&format!(
                    "{verdict}: nothing is written; `--allow-loss` writes it all the same\n"
                ));
            } else {
                words.push_str(&format!("{verdict}\n"));
            }
            if !common.quiet || refused {
                streams.print_error(&words)?;
            }
        }
    }
    Ok(if refused { Exit::Input } else { Exit::Fine })
}

fn converted(arguments: &Arguments, source: &Crossing, name: &str) -> Result<Written, String> {
    let combines = !matches!(arguments.to, Language::JsonSchema | Language::OpenApi);
    let (shape, definitions) = plain::plain(&source.shape, &source.definitions, combines);
    let (shape, definitions) = (&shape, &definitions);
    let mut written = match arguments.to {
        Language::JsonSchema => {
            let (text, dropped) = schema::json_schema(shape, definitions, arguments.name.as_deref());
            Written { text, fragment: None, dropped }
        }
        Language::OpenApi => {
            let (text, dropped) = schema::openapi(shape, definitions, name);
            Written { text, fragment: Some(format!("/components/schemas/{name}")), dropped }
        }
        Language::Bicep => bicep::write(shape, definitions, name)?,
        Language::Radius => radius::write(shape, definitions, name)?,
        Language::Thrift => {
            let before = arguments.out.as_ref().and_then(|out| crate::files::read_former(out).ok());
            let before = before.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
            thrift::write(shape, definitions, name, &before)?
        }
    };
    if combines {
        unsaid(shape, &mut Vec::new(), arguments.to, &mut written.dropped);
    }
    Ok(written)
}

/// Notes what a contract says for people that a language has no words for.
fn unsaid(shape: &Shape, way: &mut Vec<String>, to: Language, found: &mut Vec<Dropped>) {
    if way.len() > DEEPEST {
        return;
    }
    let mut note = |is: bool, message: &str| {
        if is {
            found.push(Dropped::note(way, message));
        }
    };
    let notes = shape.notes.as_deref();
    note(shape.default.is_some() || notes.is_some_and(|it| it.default.is_some()), "the default is left out");
    note(shape.title.is_some(), "the title is left out");
    note(notes.is_some_and(|it| it.deprecated), "that it is deprecated is left out");
    note(shape.secret && to == Language::Bicep && !is_securable(shape), "that it is a secret is left out");
    match &shape.form {
        contract::Form::Object(object) => {
            for property in &object.properties {
                way.push(property.name.to_string());
                unsaid(&property.shape, way, to, found);
                way.pop();
            }
        }
        form => form.each_part(&mut |part| unsaid(part, way, to, found)),
    }
}

/// Whether Bicep has a decorator for secrets of this kind.
fn is_securable(shape: &Shape) -> bool {
    matches!(shape.form, contract::Form::Text | contract::Form::Object(_))
}

/// How deep contracts are gone into.
const DEEPEST: usize = 64;

/// A name for something from a file.
fn name_of(argument: &OsString) -> String {
    let text = input::display_name(argument);
    let last = text.rsplit(['/', '#']).next().unwrap_or("value");
    let stem = last.split('.').next().unwrap_or("value");
    let mut name: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert_str(0, "value");
    }
    let (first, rest) = name.split_at(1);
    format!("{}{rest}", first.to_ascii_uppercase())
}

fn extension(language: Language) -> &'static str {
    match language {
        Language::JsonSchema | Language::OpenApi => "json",
        Language::Bicep => "bicep",
        Language::Radius => "yaml",
        Language::Thrift => "thrift",
    }
}

/// Reads the result again and compares it with what it was made of.
fn held_against(
    arguments: &Arguments,
    source: &Crossing,
    written: &Written,
) -> Result<(&'static str, Vec<Loss>, String), CommandError> {
    let folder = std::env::temp_dir().join(format!("tendon-convert-{}", std::process::id()));
    let fails = |error: std::io::Error| CommandError::reading("the result", &error);
    std::fs::create_dir_all(&folder).map_err(fails)?;
    let file = folder.join(format!("result.{}", extension(arguments.to)));
    let outcome = crate::output_file::OutputFile::at(&file)
        .write(written.text.as_bytes())
        .map_err(fails)
        .and_then(|()| {
            let mut named = file.clone().into_os_string();
            if let Some(fragment) = &written.fragment {
                named.push("#");
                named.push(fragment);
            }
            let mut sources = SourceMap::new();
            let options = ThriftOptions::with(&[], &[])?;
            let loaded = against::load_whole(&Reference::parse(&named), &options, &mut sources)?;
            match loaded {
                Ok(loaded) => Ok(Ok(loaded.boundaries(&named, &options, &mut sources)?)),
                Err(findings) => Ok(Err(findings)),
            }
        });
    let _ = std::fs::remove_dir_all(&folder);
    let shown = arguments
        .out
        .as_ref()
        .map_or_else(|| format!("result.{}", extension(arguments.to)), |out| out.display().to_string());
    let reference = match &written.fragment {
        Some(fragment) => format!("{shown}#{fragment}"),
        None => shown,
    };
    let mut losses: Vec<Loss> = Vec::new();
    let crossings = match outcome? {
        Ok(crossings) => crossings,
        Err(findings) => {
            let message = findings.first().map_or_else(String::new, |finding| finding.message.to_string());
            losses.push(Loss {
                path: "$".to_owned(),
                pointer: String::new(),
                effect: "dropped",
                message: format!("the result cannot be used: {message}"),
                witness: None,
            });
            return Ok(("impossible", losses, reference));
        }
    };
    let Some(result) = crossings.into_iter().next() else { return Ok(("unknown", losses, reference)) };
    let wrapping = if arguments.to == Language::Radius { Wrapping::Properties } else { Wrapping::None };
    let diff = compared(source, &result, wrapping);
    for change in &diff.changes {
        for (value, effect) in [(&change.lost, "narrowed"), (&change.gained, "widened")] {
            let is = match effect {
                "narrowed" => matches!(change.relation, SetRelation::Narrower | SetRelation::Incomparable),
                _ => matches!(change.relation, SetRelation::Wider | SetRelation::Incomparable),
            };
            if is {
                losses.push(Loss {
                    path: change.dotted(),
                    pointer: change.pointer.clone(),
                    effect,
                    message: format!("{} ({})", change.message, change.rule),
                    witness: value.clone().map(|value| {
                        let other = wrapping.outside(&value);
                        (value, other)
                    }),
                });
            }
        }
    }
    for (difference, effect) in [(&diff.lost, "narrowed"), (&diff.gained, "widened")] {
        if let Difference::Some(value) = difference
            && !losses.iter().any(|loss| loss.effect == effect && loss.witness.is_some())
        {
            losses.push(Loss {
                path: "$".to_owned(),
                pointer: String::new(),
                effect,
                message: match effect {
                    "narrowed" => "the result refuses values that the contract accepts".to_owned(),
                    _ => "the result accepts values that the contract refuses".to_owned(),
                },
                witness: Some((value.clone(), wrapping.outside(value))),
            });
        }
    }
    // What bounds values is told with a value that shows it; the rest is told as it is.
    let told = !losses.is_empty() || diff.relation == SetRelation::Equal;
    let unsaid = written.dropped.iter().filter(|it| !(it.is_rule && told));
    let mut seen = BTreeSet::new();
    losses.extend(unsaid.filter(|it| seen.insert((&it.way, &it.message))).map(Dropped::loss));
    let verdict = match diff.relation {
        SetRelation::Equal => "kept",
        SetRelation::Wider => "widened",
        SetRelation::Narrower => "narrowed",
        SetRelation::Incomparable => "changed",
        SetRelation::Unknown => "unknown",
    };
    Ok((verdict, losses, reference))
}

fn compared(source: &Crossing, result: &Crossing, wrapping: Wrapping) -> BoundaryDiff {
    let (shape, definitions) = wrapping.inside(&result.shape, &result.definitions);
    compare(&Comparison {
        old: ComparedContract {
            shape: &source.shape,
            definitions: &source.definitions,
            // That a language ignores case is no loss of a rule: names are written as they are declared.
            folds_names: false,
            describe: &|rule| source.describe(rule),
            accepts: &|value| source.accepts(value),
        },
        new: ComparedContract {
            shape: &shape,
            definitions: &definitions,
            folds_names: false,
            describe: &|rule| result.describe(rule),
            accepts: &|value| match wrapping.outside(value) {
                Some(whole) => result.accepts(&whole),
                None => result.accepts(value),
            },
        },
        flow: Flow::Both,
        strict: true,
        noun: "property",
    })
}

fn write_file(out: &Path, text: &str) -> Result<(), CommandError> {
    let written = crate::output_file::OutputFile::at(out).write(text.as_bytes());
    written.map_err(|error| CommandError::writing(&format!("`{}`", out.display()), &error))
}

fn json_text(
    arguments: &Arguments,
    from: &str,
    file: Option<String>,
    text: Option<String>,
    reference: Option<String>,
    verdict: &str,
    losses: &[Loss],
) -> String {
    let null = || "null".to_owned();
    let to = arguments.to.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    let losses: Vec<String> = losses
        .iter()
        .map(|loss| {
            let witness = match &loss.witness {
                Some((value, Some(result))) => format!("{{\"value\":{value},\"resultValue\":{result}}}"),
                Some((value, None)) => format!("{{\"value\":{value}}}"),
                None => null(),
            };
            format!(
                "{{\"path\":{},\"pointer\":{},\"effect\":{},\"message\":{},\"witness\":{witness}}}",
                quoted(&loss.path),
                quoted(&loss.pointer),
                quoted(loss.effect),
                quoted(&loss.message)
            )
        })
        .collect();
    let text = text.map(|text| format!("\"text\":{text},")).unwrap_or_default();
    format!(
        "{{\"from\":{},\"to\":{},\"file\":{},{text}\"contract\":{},\"verdict\":{},\"losses\":[{}]}}\n",
        quoted(from),
        quoted(&to),
        file.as_deref().map_or_else(null, quoted),
        reference.as_deref().map_or_else(null, quoted),
        quoted(verdict),
        losses.join(",")
    )
}
