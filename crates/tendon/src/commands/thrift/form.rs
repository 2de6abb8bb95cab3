//! Options for messages that readers would not agree about.

use clap::ValueEnum;
use thrift::validate::{Duplicates, Halfway, NotUtf8, UnknownFields, ValidateConfig, WrongType};
use thrift::wire::Limits;

/// What is let pass although some readers see another value than others.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Where readers disagree")]
pub(super) struct FormOptions {
    #[command(flatten)]
    readers: ReaderOptions,

    /// How to treat a field that the file does not have: `safe` rejects it in the compact protocol and in unions only
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    unknown_fields: UnknownFieldsOption,

    /// Refuse a field that has another type on the wire, which is the default
    #[arg(long, hide = true, conflicts_with = "wrong_types")]
    strict_types: bool,
}

/// The same without what is done with fields that the file does not have.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Where readers disagree")]
pub(crate) struct ReaderOptions {
    /// How to treat a field that has another type on the wire than in the file
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    wrong_types: Wrong,

    /// How to treat a field that comes twice, or a union with several fields
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    duplicates: Twice,

    /// How to treat text that is not UTF-8, if it has rules
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    not_utf8: FormText,

    /// How to treat what some readers refuse halfway, to go on there: text that is not UTF-8, a union without a field, or
    /// a number in a required field that no member of its enum has
    #[arg(long, value_enum, value_name = "WHAT", default_value_t)]
    halfway: Stop,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Wrong {
    // A violation.
    #[default]
    Refuse,
    // As if it were not there; most readers skip it.
    Absent,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Twice {
    // A violation.
    #[default]
    Refuse,
    // Each keeps its rules, and others are compared with the last.
    Last,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FormText {
    // A violation.
    #[default]
    Refuse,
    // Rules look at its bytes.
    Pass,
}

/// What happens to fields that the file does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnknownFieldsOption {
    // Refused where some readers cannot move over it.
    #[default]
    Safe,
    // Skipped.
    Pass,
    // A violation.
    Refuse,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Stop {
    // A violation.
    #[default]
    Refuse,
    // The server reads to the end.
    Pass,
}

impl FormOptions {
    /// The options of another command.
    pub(super) fn new(readers: ReaderOptions, unknown_fields: UnknownFieldsOption) -> FormOptions {
        FormOptions { readers, unknown_fields, strict_types: false }
    }

    /// How messages are read.
    pub(super) fn config(&self, limits: Limits) -> ValidateConfig {
        self.readers.config(limits, self.unknown_fields)
    }
}

impl ReaderOptions {
    /// How messages are read.
    pub(super) fn config(&self, limits: Limits, unknown_fields: UnknownFieldsOption) -> ValidateConfig {
        ValidateConfig {
            limits: Limits { exact_bools: self.halfway == Stop::Refuse, ..limits },
            wrong_type: match self.wrong_types {
                Wrong::Refuse => WrongType::Refuse,
                Wrong::Absent => WrongType::Absent,
            },
            duplicates: match self.duplicates {
                Twice::Refuse => Duplicates::Refuse,
                Twice::Last => Duplicates::Last,
            },
            not_utf8: match self.not_utf8 {
                FormText::Refuse => NotUtf8::Refuse,
                FormText::Pass => NotUtf8::Pass,
            },
            unknown_fields: match unknown_fields {
                UnknownFieldsOption::Safe => UnknownFields::Safe,
                UnknownFieldsOption::Pass => UnknownFields::Pass,
                UnknownFieldsOption::Refuse => UnknownFields::Refuse,
            },
            halfway: match self.halfway {
                Stop::Refuse => Halfway::Refuse,
                Stop::Pass => Halfway::Pass,
            },
        }
    }
}
