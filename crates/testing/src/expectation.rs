//! Failures that tests expect.

use arm::Caseless as _;
use engine::Failure;

use crate::body::ExpectedFailure;

/// How deep errors are looked into.
const DEEPEST: usize = 64;

impl ExpectedFailure {
    /// Whether an error, or one behind it, has everything that is expected. `names` are what ids, in folded form, are called in the program.
    ///
    /// `declared` is the declaration that an error was noted at.
    pub(crate) fn is_met(
        &self,
        failure: &Failure,
        names: &[(String, String)],
        declared: &dyn Fn(&Failure) -> Option<String>,
    ) -> bool {
        self.is_met_within(failure, names, declared, DEEPEST)
    }

    fn is_met_within(
        &self,
        failure: &Failure,
        names: &[(String, String)],
        declared: &dyn Fn(&Failure) -> Option<String>,
        depth: usize,
    ) -> bool {
        let within = |it: &Failure| self.is_met_within(it, names, declared, depth - 1);
        self.fits(failure, names, declared) || (depth > 0 && failure.details.iter().any(within))
    }

    fn fits(
        &self,
        failure: &Failure,
        names: &[(String, String)],
        declared: &dyn Fn(&Failure) -> Option<String>,
    ) -> bool {
        let target = failure.target.as_deref();
        self.code.as_deref().is_none_or(|code| failure.code == code)
            && self.message.as_deref().is_none_or(|message| failure.message.contains(message))
            && self.target.as_deref().is_none_or(|wanted| target == Some(wanted))
            && self.symbol.as_deref().is_none_or(|symbol| {
                is_of(symbol, target, names) || declared(failure).is_some_and(|name| name == symbol)
            })
    }

    /// What is expected, in words.
    pub(crate) fn in_words(&self) -> String {
        let parts = [
            ("code", &self.code),
            ("message", &self.message),
            ("target", &self.target),
            ("symbol", &self.symbol),
        ];
        let given = parts.into_iter().filter_map(|(name, part)| Some(format!("{name} `{}`", part.as_ref()?)));
        let given: Vec<String> = given.collect();
        if given.is_empty() { "a failure".to_owned() } else { given.join(", ") }
    }
}

/// Whether an error speaks of a declaration.
fn is_of(symbol: &str, target: Option<&str>, names: &[(String, String)]) -> bool {
    let Some(target) = target else { return false };
    // A parameter, an output or an assert is called what it is; a part of it follows.
    let whole = target.split(['.', '[']).next().unwrap_or(target);
    if target == symbol || whole == symbol {
        return true;
    }
    let folded = target.caseless();
    let own = |name: &str| name.rsplit('.').next() == Some(symbol);
    names.iter().any(|(id, name)| *id == folded && (name == symbol || own(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected(code: &str, symbol: &str) -> ExpectedFailure {
        let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        ExpectedFailure { code: text(code), symbol: text(symbol), ..ExpectedFailure::default() }
    }

    #[test]
    fn one_error_of_the_tree_has_everything() {
        let inner = Failure::new("Conflict", "it is busy").target("/g/providers/A.B/c/x");
        let failure = Failure::new("DeploymentFailed", "a step failed").because(vec![inner]);
        let names = [("/g/providers/a.b/c/x".to_owned(), "many.vault".to_owned())];
        for (code, symbol, met) in [
            ("", "", true),
            ("DeploymentFailed", "", true),
            ("Conflict", "many.vault", true),
            ("Conflict", "vault", true),
            ("DeploymentFailed", "vault", false),
            ("conflict", "", false),
            ("", "other", false),
        ] {
            assert_eq!(expected(code, symbol).is_met(&failure, &names, &|_| None), met, "{code} {symbol}");
        }
    }

    #[test]
    fn a_parameter_is_its_own_symbol() {
        let failure = Failure::new("InvalidTemplate", "too large").target("size.width");
        assert!(expected("", "size").is_met(&failure, &[], &|_| None));
        assert!(!expected("", "width").is_met(&failure, &[], &|_| None));
        assert!(expected("", "width").is_met(&failure, &[], &|_| Some("width".to_owned())));
    }
}
