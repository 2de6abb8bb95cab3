//! Operands: folded where they are constant, checked where they are not.

use crate::flaw::{Flaw, FlawCode};
use crate::host::Argument;
use crate::operand::{Base, Operand, Reference};
use crate::rules::Rule;
use crate::shape::Additional;

use super::{Compiler, ShapeContext};

/// How many names are compared to suggest one; a contract may have a hundred thousand.
const SUGGESTED: usize = 1000;

impl<'d> Compiler<'d> {
    /// Makes an operand ready.
    pub(super) fn operand(&mut self, operand: &'d Operand, rule: &Rule, around: ShapeContext<'_>) -> Operand {
        match operand {
            Operand::Constant(_) => operand.clone(),
            Operand::Reference(reference) => {
                self.scoped = true;
                self.known_field(reference, rule, around);
                operand.clone()
            }
            Operand::Call { function, arguments } => {
                let arguments: Vec<Operand> =
                    arguments.iter().map(|argument| self.operand(argument, rule, around)).collect();
                self.call(function, arguments, rule)
            }
        }
    }

    fn known_field(&mut self, reference: &Reference, rule: &Rule, around: ShapeContext<'_>) {
        let Base::Field(name) = &reference.base else { return };
        if !around.known {
            return;
        }
        let Some(fields) = around.fields else {
            let message = format!("`{reference}` refers to a field, but no object is around the rule");
            self.flaw(Flaw::new(FlawCode::UnknownField, message).at(rule.place));
            return;
        };
        let allowed = fields.object.additional != Additional::Closed
            || fields.names.get(name.as_bytes()).is_some()
            || fields.object.patterns.iter().any(|(pattern, _)| pattern.is_match(name.as_bytes()));
        if allowed {
            return;
        }
        let message = format!("`{reference}` refers to a field that the object does not have");
        let mut flaw = Flaw::new(FlawCode::UnknownField, message).at(rule.place);
        let declared = fields.object.properties.iter().map(|property| &*property.name);
        flaw.hint = diagnostics::suggest(name, declared.take(SUGGESTED))
            .map(|near| format!("did you mean `${near}`?"));
        self.flaw(flaw);
    }

    fn call(&mut self, function: &str, arguments: Vec<Operand>, rule: &Rule) -> Operand {
        let call = |arguments: Vec<Operand>| Operand::Call { function: function.into(), arguments };
        let Some(signature) = self.host.signature(function) else {
            let names = self.host.names();
            let mut flaw = Flaw::new(FlawCode::UnknownFunction, format!("there is no function `{function}`"))
                .at(rule.place);
            flaw.hint = match diagnostics::suggest(function, names.iter().copied()) {
                Some(near) => Some(format!("did you mean `{near}`?")),
                None if names.is_empty() => None,
                None => Some(format!("known functions are {}", names.join(", "))),
            };
            self.flaw(flaw);
            return call(arguments);
        };
        let count = arguments.len();
        if count < signature.least || count > signature.most {
            let takes = match (signature.least, signature.most) {
                (1, 1) => "1 argument".to_owned(),
                (least, most) if least == most => format!("{least} arguments"),
                (least, usize::MAX) => format!("at least {least} arguments"),
                (least, most) => format!("{least} to {most} arguments"),
            };
            let message = format!("the function `{function}` takes {takes}, found {count}");
            self.flaw(Flaw::new(FlawCode::UnknownFunction, message).at(rule.place));
            return call(arguments);
        }
        let constants: Option<Vec<Argument<'_>>> =
            arguments.iter().map(|argument| argument.as_constant().map(Argument::Constant)).collect();
        let folded = constants.filter(|_| signature.pure_).map(|it| self.host.call(function, &it));
        match folded {
            Some(Ok(constant)) => Operand::Constant(constant),
            Some(Err(reason)) => {
                self.flaw(Flaw::new(FlawCode::BadOperand, reason).at(rule.place));
                call(arguments)
            }
            None => call(arguments),
        }
    }
}
