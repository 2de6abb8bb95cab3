//! How serious findings are, and what rules are about.

use std::fmt;

use crate::finding::Severity;

/// How serious what a rule finds is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LintLevel {
    /// The rule is not looked at.
    Off,
    /// Something worth knowing, which is reported and stops nothing.
    Info,
    /// Probably wrong, which is reported and stops nothing.
    Warning,
    /// Wrong: no template is written.
    Error,
}

impl LintLevel {
    /// The level with a name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<LintLevel> {
        [LintLevel::Off, LintLevel::Info, LintLevel::Warning, LintLevel::Error]
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// The name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            LintLevel::Off => "off",
            LintLevel::Info => "info",
            LintLevel::Warning => "warning",
            LintLevel::Error => "error",
        }
    }

    /// The severity of findings; none when the rule is off.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            LintLevel::Off => None,
            LintLevel::Info => Some(Severity::Info),
            LintLevel::Warning => Some(Severity::Warning),
            LintLevel::Error => Some(Severity::Error),
        }
    }
}

impl fmt::Display for LintLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a rule is about; this decides how serious it is by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Category {
    /// A better way to write it.
    BestPractice,
    /// A deployment would fail.
    DeploymentError,
    /// A deployment stack would not do what a deployment does.
    DeploymentStacks,
    /// Where resources are deployed to.
    Location,
    /// What it does may not be what was meant.
    PotentialMistake,
    /// Somebody could read a secret.
    Security,
    /// How the text looks; what it means is the same.
    Style,
}

impl Category {
    /// The level of rules that have no other.
    #[must_use]
    pub const fn level(self) -> LintLevel {
        match self {
            Category::BestPractice | Category::PotentialMistake | Category::Security | Category::Style => {
                LintLevel::Warning
            }
            Category::DeploymentError => LintLevel::Error,
            Category::DeploymentStacks => LintLevel::Info,
            Category::Location => LintLevel::Off,
        }
    }

    /// What it is called in the documentation.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Category::BestPractice => "best practice",
            Category::DeploymentError => "deployment error",
            Category::DeploymentStacks => "deployment stacks",
            Category::Location => "location",
            Category::PotentialMistake => "potential mistake",
            Category::Security => "security",
            Category::Style => "style",
        }
    }
}
