//! The linter's rules: what they are called, how serious they are unless a configuration says otherwise, and where they
//! are explained.
//!
//! Rules have the names that people know from the public compiler, so that configurations and `#disable-next-line`
//! comments keep their meaning. [`RULES`] is the one list; the page of the documentation is made from it.

mod declarations;
mod max_asserts;
mod max_outputs;
mod max_params;
mod max_resources;
mod max_variables;
mod nested_deployment_template_scoping;
mod rules;

use std::borrow::Cow;
use std::fmt;

pub use rules::RULES;

use syntax::Span;

use crate::check::Checker;
use crate::config::Config;
use crate::files::FilePath;
use crate::finding::{Finding, Severity};

/// How serious what a rule finds is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The rule is not looked at.
    Off,
    /// Good to know.
    Info,
    /// Probably wrong.
    Warning,
    /// Nothing is written.
    Error,
}

impl Level {
    /// The level with a name, in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Level> {
        [Level::Off, Level::Info, Level::Warning, Level::Error]
            .into_iter()
            .find(|level| level.name().eq_ignore_ascii_case(name))
    }

    /// The name in configurations.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Info => "info",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }

    /// The severity of findings; none when the rule is off.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Level::Off => None,
            Level::Info => Some(Severity::Info),
            Level::Warning => Some(Severity::Warning),
            Level::Error => Some(Severity::Error),
        }
    }
}

impl fmt::Display for Level {
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
    /// Where resources are.
    Location,
    /// What it does may not be what was meant.
    PotentialMistake,
    /// Secrets could leak.
    Security,
    /// How it looks.
    Style,
}

impl Category {
    /// The level of rules that have no other.
    #[must_use]
    pub const fn level(self) -> Level {
        match self {
            Category::BestPractice | Category::PotentialMistake | Category::Security | Category::Style => {
                Level::Warning
            }
            Category::DeploymentError => Level::Error,
            Category::DeploymentStacks => Level::Info,
            Category::Location => Level::Off,
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

/// Looks for what breaks a rule, and reports it with the severity that the configuration gives it.
type Check = fn(&mut Checker<'_>, &LintRule, Severity);

/// A program and what a rule finds in it.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// The program. Where it is repeated, `#` is the number of the repetition, from 1.
    pub program: &'static str,
    /// How often the program is repeated.
    pub times: usize,
    /// The text that the finding is at; none if the program keeps the rule.
    pub found: Option<&'static str>,
}

impl Example {
    /// The program, written out.
    #[must_use]
    pub fn text(&self) -> String {
        match self.times {
            1 => self.program.to_owned(),
            times => (1..=times).map(|number| self.program.replace('#', &number.to_string())).collect(),
        }
    }
}

/// A rule of the linter. One that programs are checked for is a file here, with its check, documentation and examples.
#[derive(Clone, Copy, Debug)]
pub struct LintRule {
    /// Its name: the code of its findings, and the key in configurations.
    pub name: &'static str,
    /// What it is about.
    pub category: Category,
    /// The level where it is not that of its category.
    pub override_level: Option<Level>,
    /// What it demands, in a sentence.
    pub summary: &'static str,
    /// Why, and what to do about it; empty where no program is checked for it.
    pub documentation: &'static str,
    /// Programs that break it and that keep it.
    pub examples: &'static [Example],
    check: Option<Check>,
}

impl LintRule {
    /// The level where no configuration says otherwise.
    #[must_use]
    pub const fn default_level(&self) -> Level {
        match self.override_level {
            Some(level) => level,
            None => self.category.level(),
        }
    }

    /// The level in a configuration.
    #[must_use]
    pub fn level(&self, config: &Config) -> Level {
        if config.flag(&["analyzers", "core", "enabled"]) == Some(false) {
            return Level::Off;
        }
        let given = config.text(&["analyzers", "core", "rules", self.name, "level"]);
        given.and_then(Level::from_name).unwrap_or_else(|| self.default_level())
    }

    /// A finding of the rule.
    pub(crate) fn finding(
        &self,
        span: Span,
        severity: Severity,
        message: impl Into<Cow<'static, str>>,
    ) -> Finding {
        Finding { span, code: self.name, severity, message: message.into(), hint: None }
    }

    /// Tells whether programs are checked for the rule.
    #[must_use]
    pub fn is_looked_for(&self) -> bool {
        self.check.is_some()
    }

    /// Where the rule is explained.
    #[must_use]
    pub fn link(&self) -> String {
        format!("https://aka.ms/bicep/linter-diagnostics#{}", self.name)
    }
}

/// Checks a file for all rules that are not off.
pub(crate) fn check(checker: &mut Checker<'_>) {
    for rule in RULES {
        let Some(check) = rule.check else { continue };
        if let Some(severity) = rule.level(&checker.model.file.config).severity() {
            check(checker, rule, severity);
        }
    }
}

/// The rule with a name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static LintRule> {
    let place = RULES.binary_search_by(|rule| rule.name.cmp(name)).ok()?;
    RULES.get(place)
}

/// Warnings about a configuration that makes errors of what no program is checked for, with the files they are about.
/// Without them, a program would seem to keep the rule.
#[must_use]
pub fn not_looked_for(config: &Config) -> Vec<(FilePath, Finding)> {
    let known = config.names(&["analyzers", "core", "rules"]).into_iter().filter_map(rule);
    let asked = known.filter(|rule| !rule.is_looked_for() && rule.level(config) == Level::Error);
    let warning = |rule: &'static LintRule| {
        let (file, span) = config.place_of(&["analyzers", "core", "rules", rule.name, "level"])?;
        let message = format!("`{}` is an error here, but no program is checked for it yet", rule.name);
        Some((file.clone(), rule.finding(span, Severity::Warning, message)))
    };
    asked.filter_map(warning).collect()
}

/// Where a code of a finding is explained, whether the linter's or the language's own; nowhere for a limit of this
/// compiler, whose message and hint say all there is.
#[must_use]
pub fn link(code: &str) -> Option<String> {
    match rule(code) {
        Some(rule) => Some(rule.link()),
        None => code.starts_with("BCP").then(|| format!("https://aka.ms/bicep/core-diagnostics#{code}")),
    }
}

/// Tells whether a code is the language's own, or a limit of this compiler. Their errors cannot be switched off; the
/// linter's can.
#[must_use]
pub fn is_core(code: &str) -> bool {
    rule(code).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{FilePath, MemoryWorld};

    #[test]
    fn rules_are_found_by_name() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name));
        assert!(RULES.iter().all(|rule| rule.is_looked_for() != rule.documentation.is_empty()));
        let shown = |rule: &LintRule| {
            [true, false].map(|breaks| rule.examples.iter().any(|it| it.found.is_some() == breaks))
        };
        assert!(RULES.iter().all(|rule| shown(rule) == [rule.is_looked_for(); 2]));
        assert_eq!(rule("no-unused-params").map(LintRule::default_level), Some(Level::Warning));
        assert_eq!(rule("max-params").map(LintRule::default_level), Some(Level::Error));
        assert_eq!(rule("no-hardcoded-location").map(LintRule::default_level), Some(Level::Off));
        assert!(rule("nothing").is_none());
        assert!(
            link("no-unused-params").is_some_and(|it| it.ends_with("/linter-diagnostics#no-unused-params"))
        );
        assert!(link("BCP057").is_some_and(|it| it.ends_with("/core-diagnostics#BCP057")));
        let limits = crate::codes::FAMILIES.iter().filter(|(family, _)| *family == "limits");
        let mut limits = limits.flat_map(|(_, rows)| *rows);
        assert!(limits.all(|row| link(row.code).is_none() && is_core(row.code)));
    }

    #[test]
    fn a_configuration_decides_about_levels() {
        let text = r#"{ "analyzers": { "core": { "rules": {
            "no-unused-params": { "level": "Error" },
            "no-unused-vars": { "level": "off" },
            "no-unused-types": { "level": "sometimes" }
        } } } }"#;
        let world = MemoryWorld::default().with_file("/bicepconfig.json", text);
        let config = Config::find(&world, &FilePath::new("/a/b"));
        let level = |name| rule(name).map(|rule| rule.level(&config));
        assert_eq!(level("no-unused-params"), Some(Level::Error));
        assert_eq!(level("no-unused-vars"), Some(Level::Off));
        assert_eq!(level("no-unused-types"), Some(Level::Warning));
        assert_eq!(level("prefer-interpolation"), Some(Level::Warning));
        let off = r#"{ "analyzers": { "core": { "enabled": false } } }"#;
        let world = MemoryWorld::default().with_file("/bicepconfig.json", off);
        let config = Config::find(&world, &FilePath::new("/"));
        assert!(RULES.iter().all(|rule| rule.level(&config) == Level::Off));
    }
    #[test]
    fn a_rule_that_is_an_error_and_not_looked_for_is_named_where_that_is_said() {
        let base = r#"{ "analyzers": { "core": { "rules": { "no-unused-vars": { "level": "error" } } } } }"#;
        let text = r#"{ "extends": "base.json", "analyzers": { "core": { "rules": {
            "no-unused-params": { "level": "Error" },
            "no-unused-types": { "level": "warning" },
            "max-params": { "level": "error" },
            "unknown": { "level": "error" }
        } } } }"#;
        let world = MemoryWorld::default().with_file("/bicepconfig.json", text).with_file("/base.json", base);
        let found = not_looked_for(&Config::find(&world, &FilePath::new("/")));
        let places: Vec<(&str, &str, &str)> = found
            .iter()
            .map(|(file, it)| {
                let text = if file.name() == "base.json" { base } else { text };
                (file.name(), it.code, text.get(it.span.start as usize..it.span.end as usize).unwrap())
            })
            .collect();
        assert_eq!(
            places,
            [
                ("bicepconfig.json", "no-unused-params", r#""Error""#),
                ("base.json", "no-unused-vars", r#""error""#)
            ]
        );
        assert!(found.iter().all(|(_, finding)| finding.severity == Severity::Warning));
    }
}
