//! What the compiler says about a file.

use std::borrow::Cow;

pub use diagnostics::Severity;
use syntax::Span;

/// One finding about one file. Codes, severities and places are the public compiler's; the sentences are our own. The
/// rows of `codes` make them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where, in bytes of the file.
    pub span: Span,
    /// The code that people search for.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: a fragment, user text in backticks.
    pub message: Cow<'static, str>,
    /// What to do about it, where the compiler knows.
    pub hint: Option<Cow<'static, str>>,
    /// Changes to the file that would mend it, the best first.
    pub fixes: Vec<Fix>,
}

/// A change to a file that mends a finding: all edits together, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, as the menu of an editor shows it.
    pub title: Cow<'static, str>,
    /// The edits; they do not overlap.
    pub edits: Vec<Edit>,
}

/// One replacement: an empty span inserts, an empty text deletes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced; empty for an insertion.
    pub span: Span,
    /// What takes its place.
    pub text: String,
}

impl Fix {
    /// A change of one stretch of text.
    pub(crate) fn replace(title: impl Into<Cow<'static, str>>, span: Span, text: impl Into<String>) -> Fix {
        Fix { title: title.into(), edits: vec![Edit { span, text: text.into() }] }
    }
}

/// What becomes of the meaning of a program when a finding is mended, so how far its fix may be made unseen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FixSafety {
    /// The program deploys the same as before, and those who use the file notice nothing.
    Safe,
    /// The program may deploy something else, or those who use the file may have to change theirs.
    Unsafe,
    /// The fix is a guess, or takes away what callers rely on: people decide on each one.
    ByHand,
}

impl FixSafety {
    /// What a fix of the kind does, behind "which".
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            FixSafety::Safe => "is safe",
            FixSafety::Unsafe => "`lint --fix --unsafe-fixes` makes",
            FixSafety::ByHand => "editors alone offer",
        }
    }
}

/// How safe the fixes of a code are. A code without a row here has fixes that are guesses.
#[must_use]
pub fn safety(code: &str) -> FixSafety {
    match code {
        "no-unnecessary-dependson"
        | "no-unused-imports"
        | "no-unused-types"
        | "no-unused-vars"
        | "prefer-interpolation"
        | "prefer-unquoted-property-names"
        | "simplify-interpolation"
        | "simplify-json-null"
        | "use-parent-property"
        | "use-resource-symbol-reference" => FixSafety::Safe,
        "artifacts-parameters"
        | "no-hardcoded-location"
        | "no-hardcoded-outputs"
        | "no-module-name"
        | "no-unused-existing-resources"
        | "no-unused-params"
        | "secure-secrets-in-params"
        | "use-recent-api-versions"
        | "use-recent-module-versions"
        | "use-safe-access" => FixSafety::Unsafe,
        _ => FixSafety::ByHand,
    }
}

/// What a finding says of the text at its place, apart from its message. Editors draw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Nothing uses it, so editors show it faded.
    Unnecessary,
    /// It will be removed from the language.
    Deprecated,
}

impl Finding {
    /// The finding with a change that would mend it.
    #[must_use]
    pub(crate) fn with_fix(mut self, fix: Fix) -> Finding {
        self.fixes.push(fix);
        self
    }

    /// The finding with a hint.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Finding {
        self.hint = Some(hint.into());
        self
    }

    /// The message and the hint in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        sentence(&self.message, self.hint.as_deref())
    }

    /// How safe its fixes are.
    #[must_use]
    pub fn fix_safety(&self) -> FixSafety {
        safety(self.code)
    }

    /// Tells whether the finding keeps a result from being made.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// What is wrong with something that has no place of its own, such as a reference: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnlocatedFinding {
    /// The code that people search for.
    pub code: &'static str,
    /// What is wrong, as users read it.
    pub message: Cow<'static, str>,
    /// What to do about it, where the compiler knows.
    pub hint: Option<Cow<'static, str>>,
}

impl UnlocatedFinding {
    /// The message and the hint in one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        sentence(&self.message, self.hint.as_deref())
    }

    /// Puts the fault at a place, as an error.
    #[must_use]
    pub fn at(&self, span: Span) -> Finding {
        Finding {
            span,
            code: self.code,
            severity: Severity::Error,
            message: self.message.clone(),
            hint: self.hint.clone(),
            fixes: Vec::new(),
        }
    }
}

fn sentence(message: &str, hint: Option<&str>) -> String {
    match hint {
        Some(hint) => format!("{message}; {hint}"),
        None => message.to_owned(),
    }
}
