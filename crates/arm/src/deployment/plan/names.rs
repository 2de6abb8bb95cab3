//! What deployments may be called.

use super::{PlanStep, StepKind};
use crate::deployment::Deployment;
use crate::template::{TemplateError, code};
use diagnostics::Message;

/// The errors in the names of a deployment and of those that it has inside.
pub(super) fn check(deployment: &Deployment, steps: &[PlanStep]) -> Vec<TemplateError> {
    let longest = deployment.template.limits().deployment_name;
    let context = deployment.context();
    // The one around has checked the name of one inside, and knows where it is written.
    let own = context.name.as_deref().filter(|_| context.depth == 0);
    let own = own.and_then(|name| mistake(name, longest));
    let inner = steps.iter().filter(|step| step.kind == StepKind::Deployment && !step.name.starts_with('['));
    let inner = inner.filter_map(|step| {
        let message = mistake(&step.name, longest)?;
        Some(TemplateError { code: code::INVALID_DEPLOYMENT.into(), ..deployment.error(message, step.span) })
    });
    own.map(|message| TemplateError::new(code::INVALID_DEPLOYMENT, message))
        .into_iter()
        .chain(inner)
        .collect()
}

/// What is wrong with the name of a deployment.
fn mistake(name: &str, longest: usize) -> Option<Message> {
    let is_allowed = |letter: &char| letter.is_alphanumeric() || "-._()".contains(*letter);
    if name.is_empty() {
        return Some(Message::sentence("The provided deployment name is empty"));
    }
    if let Some(wrong) = name.chars().find(|letter| !is_allowed(letter)) {
        return Some(Message::sentence(format!(
            "The provided deployment name '{name}' has the character '{wrong}'. It may have letters, digits, '-', '.', '_', '(' and ')'"
        )));
    }
    let length = name.chars().count();
    (length > longest).then(|| {
        Message::sentence(format!("The provided deployment name '{name}' has a length of '{length}' which exceeds the maximum length of '{longest}'"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_letters_digits_and_five_signs() {
        for name in ["a", "Main-1_x.(2)", "größe"] {
            assert_eq!(mistake(name, 64), None);
        }
        for (name, expect) in [("", "is empty"), ("a b", "the character ' '"), ("a/b", "the character '/'")] {
            assert!(mistake(name, 64).is_some_and(|message| message.contains(expect)), "{name}");
        }
        assert_eq!(mistake(&"a".repeat(64), 64), None);
        assert!(mistake(&"a".repeat(65), 64).is_some_and(|message| message.contains("length of '65'")));
    }
}
