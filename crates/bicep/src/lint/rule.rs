//! What a rule of the linter is.

use syntax::{NodeKind, SyntaxNode};

use super::{Category, LintLevel, Linter};
use crate::config::Config;

/// How a rule looks for what breaks it.
#[derive(Clone, Copy, Debug)]
pub(super) enum LintCheck {
    /// Once, at what the file declares.
    File(for<'m> fn(&mut Linter<'_, 'm>)),
    /// At every node of some kinds. All rules of this kind share one walk over the file.
    Nodes(&'static [NodeKind], NodeCheck),
}

/// Looks at a node of a kind that a rule is about.
pub(super) type NodeCheck = for<'m> fn(&mut Linter<'_, 'm>, SyntaxNode<'m>);

/// A program and what a rule finds in it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The program. Where it is repeated, `#` is the number of the repetition, from 1.
    pub program: &'static str,
    /// How often the program is repeated.
    pub times: usize,
    /// The text that the finding is at; none if the program keeps the rule.
    pub found: Option<&'static str>,
    /// The program once what is found was fixed, where there is a fix.
    pub fixed: Option<&'static str>,
    /// The program is a parameters file, and this is the file that it is for.
    pub using: Option<&'static str>,
}

impl Example {
    /// A program that breaks the rule, with the text that the finding is at.
    pub(super) const fn breaks(program: &'static str, found: &'static str) -> Example {
        Example { program, times: 1, found: Some(found), fixed: None, using: None }
    }

    /// A program that keeps the rule.
    pub(super) const fn keeps(program: &'static str) -> Example {
        Example { program, times: 1, found: None, fixed: None, using: None }
    }

    /// The same, with the program repeated.
    pub(super) const fn repeated(mut self, times: usize) -> Example {
        self.times = times;
        self
    }

    /// The same, with what the fix makes of the program.
    pub(super) const fn fixed(mut self, program: &'static str) -> Example {
        self.fixed = Some(program);
        self
    }

    /// The same as a parameters file for another program, `main.bicep`.
    pub(super) const fn using(mut self, program: &'static str) -> Example {
        self.using = Some(program);
        self
    }

    /// The program, written out.
    #[must_use]
    pub fn text(&self) -> String {
        match self.times {
            1 => self.program.to_owned(),
            times => (1..=times).map(|number| self.program.replace('#', &number.to_string())).collect(),
        }
    }
}

/// A rule of the linter. Each is a file here, with its check, documentation and examples.
#[derive(Clone, Copy, Debug)]
pub struct LintRule {
    /// Its name: the code of its findings, and the key in configurations.
    pub name: &'static str,
    /// What it is about.
    pub category: Category,
    /// The level where it is not that of its category.
    pub override_level: Option<LintLevel>,
    /// What it demands, in a sentence.
    pub summary: &'static str,
    /// Why, and what to do about it.
    pub documentation: &'static str,
    /// Programs that break it and that keep it.
    pub examples: &'static [Example],
    /// The member of the configuration without which no program is checked for it.
    pub(super) needs: Option<&'static [&'static str]>,
    pub(super) check: LintCheck,
}

impl LintRule {
    /// A rule with the level of its category.
    pub(super) const fn new(
        name: &'static str,
        category: Category,
        summary: &'static str,
        documentation: &'static str,
        examples: &'static [Example],
        check: LintCheck,
    ) -> LintRule {
        LintRule {
            name,
            category,
            override_level: None,
            summary,
            documentation,
            examples,
            needs: None,
            check,
        }
    }

    /// The same rule, off unless a configuration says otherwise.
    pub(super) const fn off(mut self) -> LintRule {
        self.override_level = Some(LintLevel::Off);
        self
    }

    /// The same rule, which needs a member of the configuration.
    pub(super) const fn needs(mut self, member: &'static [&'static str]) -> LintRule {
        self.needs = Some(member);
        self
    }

    /// The level where no configuration says otherwise.
    #[must_use]
    pub const fn default_level(&self) -> LintLevel {
        match self.override_level {
            Some(level) => level,
            None => self.category.level(),
        }
    }

    /// The level in a configuration.
    #[must_use]
    pub fn level(&self, config: &Config) -> LintLevel {
        if config.flag(&["analyzers", "core", "enabled"]) == Some(false) {
            return LintLevel::Off;
        }
        let given = config.text(&["analyzers", "core", "rules", self.name, "level"]);
        given.and_then(LintLevel::from_name).unwrap_or_else(|| self.default_level())
    }

    /// Where the rule is explained.
    #[must_use]
    pub fn link(&self) -> String {
        format!("https://aka.ms/bicep/linter-diagnostics#{}", self.name)
    }
}
