//! The options of the command line, as a request carries them: `key=value`, with nothing behind `=` for a flag.

use thrift::rules::{Compat, Declarations, ElementRecursion, Functions, PatternDialect, RuleConfig};

use super::read::Request;
use crate::go::GoOptions;

/// What the options say.
pub(super) struct Parameters {
    pub(super) options: GoOptions,
    pub(super) rules: RuleConfig,
    pub(super) functions: Functions,
    pub(super) warnings: Vec<String>,
}

impl Parameters {
    /// Reads the options of thriftgo's generator, and those of the plugin.
    pub(super) fn read(request: &Request) -> Result<Parameters, String> {
        let mut options = GoOptions { recursive: request.recursive, ..GoOptions::default() };
        options.follow_thriftgo(request.generator.iter().map(String::as_str));
        let mut parameters = Parameters {
            options,
            rules: RuleConfig::default(),
            functions: Functions::at(0),
            warnings: Vec::new(),
        };
        let mut declared = Declarations::default();
        for parameter in &request.plugin {
            let (key, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            parameters.apply(key, value, &mut declared, request)?;
        }
        let symbols = declared.symbols().map(|(name, symbol)| (name.to_owned(), symbol.to_owned()));
        parameters.options.functions.extend(symbols);
        parameters.functions = Functions::at(0).with(declared);
        Ok(parameters)
    }

    fn apply(
        &mut self,
        key: &str,
        value: &str,
        declared: &mut Declarations,
        request: &Request,
    ) -> Result<(), String> {
        let wrong = |needs: &str| Err(format!("the parameter `{key}` needs {needs}, found `{value}`"));
        let flag = || match value {
            "" | "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("the parameter `{key}` needs `true` or `false`, found `{value}`")),
        };
        match (key, value) {
            ("validate", _) => self.options.validate = flag()?,
            ("is_valid", _) => self.options.is_valid = flag()?,
            ("avoid_name", _) => {
                self.options.avoid_name = flag()?;
                self.options.is_valid |= self.options.avoid_name;
            }
            ("validate_all", _) => self.options.validate_all = flag()?,
            ("arguments", _) => self.options.arguments = flag()?,
            ("exception", "") => {
                let path = request.generator.iter().find_map(|it| it.strip_prefix("thrift_import_path="));
                let path = path.unwrap_or("github.com/apache/thrift/lib/go/thrift");
                self.options.application_exception = Some(path.to_owned());
            }
            ("exception", path) => self.options.application_exception = Some(path.to_owned()),
            ("element_recursion", "always") => self.rules.elements = ElementRecursion::Always,
            ("element_recursion", "kitex") => self.rules.elements = ElementRecursion::Kitex,
            ("element_recursion", _) => return wrong("`always` or `kitex`"),
            ("compat", "proposal") => self.rules.compat = Compat::Proposal,
            ("compat", "go") => self.rules.compat = Compat::Go,
            ("compat", "apache") => self.rules.compat = Compat::Apache,
            ("compat", _) => return wrong("`proposal`, `go` or `apache`"),
            ("pattern_dialect", "re2") => self.rules.pattern = PatternDialect::Re2,
            ("pattern_dialect", "bre") => self.rules.pattern = PatternDialect::Bre,
            ("pattern_dialect", _) => return wrong("`re2` or `bre`"),
            ("func", _) => match value.split_once('=') {
                Some((name, symbol)) if !name.is_empty() && !symbol.is_empty() => {
                    declared.add(value.parse()?)?;
                }
                _ => return wrong("`name=Symbol` or `name=import/path.Symbol`"),
            },
            _ => self.warnings.push(format!("the parameter `{key}` is not known")),
        }
        Ok(())
    }
}
