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

    /// Reject or pass a field that is not in the file; `safe` rejects it only in the compact protocol and in unions
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    unknown_fields: UnknownFieldsOption,

    /// Refuse a field that has another type on the wire, which is the default
    #[arg(long, hide = true, conflicts_with = "wrong_types")]
    strict_types: bool,
}

/// The same without what is done with fields that the file does not have.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Where readers disagree")]
pub(crate) struct ReaderOptions {
    /// Reject a field that has another type on the wire than in the file, or treat it as absent
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    wrong_types: Wrong,

    /// Reject a field that comes twice and a union with several fields, or take the last one
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    duplicates: Twice,

    /// Reject or pass text with rules that is not UTF-8
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
    not_utf8: FormText,

    /// Reject or pass what some readers stop at and continue after: text that is not UTF-8, a union without a field, or a
    /// number in a required field that is no member of its enum
    #[arg(long, value_enum, value_name = "ACTION", default_value_t)]
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
