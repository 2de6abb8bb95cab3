//! The reference of rules, types and functions, made from the tables: `docs/thrift-rules.md` and `tendon rules`.

use std::fmt::Write;

use super::formats::FORMATS;
use super::functions::{FUNCTIONS, ToolFunction};
use super::key::KeyStep;
use super::table::{AbsentOperand, Class, Takes, VALIDATORS, Validator};

impl Takes {
    /// What stands behind a validator, for people.
    fn words(self) -> &'static str {
        match self {
            Takes::Own(_) => {
                "a value of the field's own type, a reference `$field`, or a call `@function(..)`"
            }
            Takes::Owns(_) => {
                "a list `[a, b]` of values of the field's own type, references or calls; or one of them"
            }
            Takes::Size(..) => "a length: an integer that is not negative, a reference or a call",
            Takes::Text(_) => "text or bytes (`\\xff`), a reference or a call",
            Takes::Pattern => {
                "a regular expression of RE2, as Go writes it; basic with `--pattern-dialect bre`"
            }
            Takes::BrePattern => "a POSIX basic expression",
            Takes::Format => "the name of a format",
            Takes::Flag(_) => "`true` or `false`; nothing means `true`",
            Takes::Expression => "an expression over the fields of the struct that gives a bool",
            Takes::Words => "words for people",
        }
    }
}

impl Class {
    /// What the class is called in lists of types.
    fn types(self) -> &'static str {
        match self {
            Class::Bool => "`bool`",
            Class::Int => "`i8` to `i64`",
            Class::Double => "`double`",
            Class::String => "`string`",
            Class::Binary => "`binary`",
            Class::Uuid => "`uuid`",
            Class::Enum => "enums",
            Class::List => "`list`, `set`",
            Class::Map => "`map`",
            Class::Struct => "structs",
        }
    }
}

impl AbsentOperand {
    /// What becomes of the rule, for people.
    fn words(self) -> &'static str {
        match self {
            AbsentOperand::NotRun => "there is nothing to compare with: the rule is not run",
            AbsentOperand::OneOfRest => "the value is one of the rest; if all are absent, it is refused",
            AbsentOperand::NoneOfRest => "the value is none of the rest; if all are absent, it passes",
            AbsentOperand::NoExpression => {
                "the rule is not run; `@has` says whether something is there, and is never absent itself"
            }
            AbsentOperand::Impossible => "it has no operand that could be",
        }
    }
}

/// What rules mean where an operand leads nowhere: the validators of the proposal, in its order, and then ours.
fn absent_operands(out: &mut String) {
    out.push_str(
        "\n## Operands that are absent\n\nAn operand such as `$lo`, `$m['k']`, `$l[3]` or `@len($s)` leads nowhere where an optional \
         field is not set, a key is not in the map, or a list is too short. What a rule means then is the same on bytes and in all \
         generated languages; there is a [case](../crates/thrift-conformance/cases/references.md) for every validator that takes \
         references.\n\n| rule | an operand is absent |\n|---|---|\n",
    );
    let mut row = |validator: &Validator| {
        let _ = writeln!(out, "| `vt.{}` | {} |", validator.name, validator.absent_operand().words());
        // They stand behind `not_in` in the proposal's table.
        if validator.absent_operand() == AbsentOperand::NoneOfRest {
            for part in [KeyStep::Elem, KeyStep::Key, KeyStep::Value] {
                let _ = writeln!(
                    out,
                    "| `vt.{}.…` | as the validator behind it, for each element |",
                    part.name()
                );
            }
        }
    };
    VALIDATORS.iter().for_each(&mut row);
}

/// What there is to know about one validator, with backticks around code.
pub fn validator_page(validator: &Validator) -> String {
    let mut out = format!("The value {}.", validator.meaning);
    if validator.name == "message" {
        out = "A violation of the other rules on the field is reported in these words.".to_owned();
    }
    let types: Vec<&str> = validator.on.iter().map(|class| class.types()).collect();
    let _ = write!(out, "\n\n- For: {}.\n- Takes: {}.", types.join(", "), validator.takes.words());
    if matches!(validator.takes, Takes::Format) {
        for format in FORMATS {
            let _ = write!(out, "\n  - `{}`: {}", format.name(), format.meaning());
        }
    }
    if validator.escapes {
        let _ = write!(
            out,
            "\n- `vt.{}_escape` takes the value literally, also behind `$` or `@`.",
            validator.name
        );
    }
    if validator.extension {
        out.push_str("\n- An extension: the proposal does not have it, and other validators do not know it.");
    }
    let _ = write!(out, "\n\n```thrift\n{}\n```\n", validator.example);
    out
}

/// What there is to know about one function.
pub fn function_page(function: &ToolFunction) -> String {
    let arguments = match (function.least, function.most) {
        (0, 0) => "no arguments".to_owned(),
        (1, 1) => "one argument".to_owned(),
        (least, most) if least == most => format!("{least} arguments"),
        (least, _) => format!("{least} arguments or more"),
    };
    format!("Gives {}. Takes {arguments}.", function.meaning)
}

/// The whole page of the rules of Thrift files, in Markdown.
pub fn page() -> String {
    let mut out = String::from(
        "# Rules of Thrift files\n\nWhat annotations can ask of the values of fields. This page is made from the tables in \
         `crates/thrift/src/rules`; `tendon rules vt.gt` prints a part of it. What the rules mean in every detail is in \
         [cases](thrift-conformance.md).\n\n\
         A rule is an annotation behind a field, an argument, a typedef or a type: `vt.`, steps to the parts that are meant, \
         and a validator. `validate.` and `validator.` mean the same as `vt.`. Steps are `elem.` to the elements of a list or \
         set, `key.` and `value.` to those of a map, one behind the other for containers in containers: \
         `vt.value.elem.gt`.\n\n\
         An operand that begins with `$` is a reference: `$b` is the field `b` of the same struct, `$b[0]` and `$b['k']` are \
         elements, `$b.c` is a field of a struct; `$` is the field itself, `$$` the value that the rule tests. \
         [A table](#operands-that-are-absent) says what a rule means that refers to something that is not there. An operand that begins with `@` is a call of a \
         [function](#functions).\n\n| rule | the value |\n|---|---|\n",
    );
    for validator in VALIDATORS {
        let _ = writeln!(out, "| [`vt.{0}`](#vt{0}) | {1} |", validator.name, validator.meaning);
    }
    for validator in VALIDATORS {
        let _ = write!(out, "\n## `vt.{}`\n\n{}", validator.name, validator_page(validator));
    }
    absent_operands(&mut out);
    out.push_str("\n## Functions\n\n| function | arguments | gives |\n|---|---|---|\n");
    for function in FUNCTIONS {
        let arguments = match (function.least, function.most) {
            (least, most) if least == most => least.to_string(),
            (least, _) => format!("{least} or more"),
        };
        let _ = writeln!(out, "| `@{}` | {arguments} | {} |", function.name, function.meaning);
    }
    out
}
