//! The boundaries of a contract: where values cross it, which way, and what is said of them there.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use ::radius::Purpose;
use ::radius::registry::CompiledSchema;
use ::radius::response_shape;
use comparison::{ChangeStep, Flow};
use contract::rules::Rule;
use contract::{Constant, Contract, Definitions, Form, Shape};
use diagnostics::{FileId, SourceMap, Span};
use document::{Document, ReadLimits};

use super::program::ProgramPart;
use super::{Against, LoadedContract, Reference, ThriftOptions, load};
use crate::exit::CommandError;

/// One boundary of a contract.
pub(crate) struct Crossing {
    /// Its name in reports.
    pub(crate) name: String,
    /// Which way values go; none if whoever asks has to say.
    pub(crate) flow: Option<Flow>,
    /// What `--against` takes for it.
    pub(crate) reference: String,
    /// What is said of values.
    pub(crate) shape: Shape,
    pub(crate) definitions: Definitions,
    /// Whether names of members ignore case.
    pub(crate) folds_names: bool,
    /// What members of the whole value are called.
    pub(crate) noun: &'static str,
    pub(crate) checker: Against,
    /// Whether nobody answers, for functions.
    pub(crate) oneway: bool,
}

impl Crossing {
    /// What the real checker says of a value.
    pub(crate) fn accepts(&self, value: &Constant) -> bool {
        if let LoadedContract::Contract(contract, None) = &self.checker.held {
            return contract.is_valid(value);
        }
        // Templates that were compiled have no number either, and what is wrong there is not in the value.
        const VALUE: FileId = FileId(u32::MAX - 1);
        let text = value.to_string();
        let Ok(document) = Document::from_json(text.as_str(), VALUE, &ReadLimits::default()) else {
            return false;
        };
        self.checker.admit(&Arc::new(document), contract::CheckLimits::default()).is_ok()
    }

    /// Where something is written that was said of a part of values: the text that people wrote, not what was made of it.
    pub(crate) fn locate(&self, place: Option<Span>, path: &[ChangeStep]) -> Option<Span> {
        match &self.checker.held {
            LoadedContract::Program(program) => program.locate(place, path),
            LoadedContract::Contract(..)
            | LoadedContract::Resource(_)
            | LoadedContract::Response(_)
            | LoadedContract::Functions(_) => place,
        }
    }

    /// Where its values are declared.
    pub(crate) fn place(&self) -> Option<Span> {
        match &self.shape.form {
            Form::Ref(name) => self.definitions.get(name).and_then(|target| target.place),
            _ => self.shape.place,
        }
    }

    /// What a rule says that only a host can run.
    pub(crate) fn describe(&self, rule: &Rule) -> Option<String> {
        match &self.checker.held {
            LoadedContract::Program(program) => program.validator_text(rule),
            LoadedContract::Contract(..)
            | LoadedContract::Resource(_)
            | LoadedContract::Response(_)
            | LoadedContract::Functions(_) => None,
        }
    }
}

impl Against {
    /// Where values cross the contract; `argument` is how it was named.
    pub(crate) fn boundaries(
        self,
        argument: &OsStr,
        thrift: &ThriftOptions,
        sources: &mut SourceMap,
    ) -> Result<Vec<Crossing>, CommandError> {
        let named = argument.to_string_lossy().into_owned();
        let one = |name: &str, flow: Option<Flow>, reference: String, checker: Against| {
            let (shape, definitions, folds_names, noun) = checker.said();
            Crossing {
                name: name.to_owned(),
                flow,
                reference,
                shape,
                definitions,
                folds_names,
                noun,
                checker,
                oneway: false,
            }
        };
        match self.held {
            LoadedContract::Program(program) if program.is_whole() => {
                let part = |part: ProgramPart| Against {
                    held: LoadedContract::Program(Box::new(program.part(part))),
                };
                Ok(vec![
                    one("parameters", Some(Flow::In), named.clone(), part(ProgramPart::Parameters)),
                    one("outputs", Some(Flow::Out), format!("{named}#/outputs"), part(ProgramPart::Outputs)),
                ])
            }
            LoadedContract::Program(program) => {
                let (name, flow) = program.boundary();
                Ok(vec![one(name, flow, named, Against { held: LoadedContract::Program(program) })])
            }
            LoadedContract::Resource(compiled) => {
                let response = CompiledSchema::new((**compiled).clone());
                let reference = match named.contains('#') {
                    true => format!("{named}:response"),
                    false => format!("{named}#:response"),
                };
                let request = Against { held: LoadedContract::Resource(compiled) };
                let response = Against::response(response);
                Ok(vec![
                    one("request", Some(Flow::In), named, request),
                    one("response", Some(Flow::Out), reference, response),
                ])
            }
            LoadedContract::Response(_) => Ok(vec![one("response", Some(Flow::Out), named, self)]),
            LoadedContract::Functions(functions) => {
                let mut all = Vec::new();
                for (fragment, name, flow, oneway) in functions.0 {
                    let reference =
                        Reference { file: functions_file(argument), fragment: Some(fragment.clone()) };
                    let loaded = load(&reference, thrift, sources, &ReadLimits::default())?;
                    let Ok(checker) = loaded else { continue };
                    let written = format!("{}#{fragment}", reference.file.to_string_lossy());
                    all.push(Crossing { oneway, ..one(&name, flow, written, checker) });
                }
                Ok(all)
            }
            held @ LoadedContract::Contract(..) => {
                let is_result = match &held {
                    LoadedContract::Contract(_, Some(reader)) => reader.is_result(),
                    _ => false,
                };
                Ok(vec![one("value", is_result.then_some(Flow::Out), named, Against { held })])
            }
        }
    }

    /// The contract for what a server answers about a resource.
    pub(super) fn response(schema: CompiledSchema) -> Against {
        let shape = response_shape(&schema);
        let contract = Contract::compile(&shape, &Definitions::new());
        match contract {
            Ok(contract) => Against { held: LoadedContract::Response(Box::new(contract)) },
            Err(_) => Against { held: LoadedContract::Resource(Box::new(schema)) },
        }
    }

    /// What is said of values, whether names ignore case, and what members are called.
    fn said(&self) -> (Shape, Definitions, bool, &'static str) {
        match &self.held {
            LoadedContract::Contract(contract, Some(reader)) => {
                let (shape, definitions) = reader.plain_shapes(contract);
                let noun = if reader.is_result() { "exception" } else { "property" };
                (shape, definitions, false, noun)
            }
            LoadedContract::Contract(contract, None) | LoadedContract::Response(contract) => {
                (contract.shape().clone(), contract.definitions().clone(), false, "property")
            }
            LoadedContract::Resource(compiled) => match compiled.contract(Purpose::Request) {
                Some(contract) => {
                    (contract.shape().clone(), contract.definitions().clone(), false, "property")
                }
                None => (Shape::any(), Definitions::new(), false, "property"),
            },
            LoadedContract::Program(program) => program.said(),
            LoadedContract::Functions(_) => (Shape::any(), Definitions::new(), false, "property"),
        }
    }
}

/// The file of an argument that may name a service behind `#`.
fn functions_file(argument: &OsStr) -> OsString {
    Reference::parse(argument).file
}
