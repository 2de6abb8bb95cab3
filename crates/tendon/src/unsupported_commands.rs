//! Commands of the public Bicep command that are not here, and what to do instead.

/// A command and the advice for those who ask for it.
const COMMANDS: &[(&str, &str)] = &[
    ("console", "the public `bicep console` evaluates expressions"),
    ("docs", "the public `bicep docs` writes the documentation of modules"),
    ("jsonrpc", "run `tendon build`, `tendon build-params` or `tendon lint` with `--output json`"),
    ("local-deploy", "the public `bicep local-deploy` runs extensions on the own machine"),
    ("teardown", "the public `bicep teardown` removes what `bicep deploy` made"),
];

/// What to say to someone who asks for a command that is not here; nothing for a command that nobody knows.
pub(crate) fn advice(who: &str, command: &str) -> Option<String> {
    let (name, advice) = COMMANDS.iter().find(|(name, _)| *name == command)?;
    Some(format!("{who} has no command `{name}`: {advice}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_command_is_answered_with_what_to_do() {
        assert!(COMMANDS.is_sorted());
        assert!(advice("tendon", "console").is_some_and(|text| text.contains("`bicep console`")));
        assert_eq!(advice("tendon", "build"), None);
    }
}
