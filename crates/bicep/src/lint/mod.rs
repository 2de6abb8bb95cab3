//! The linter's rules: what they are called, how serious they are unless a configuration says otherwise, and where they
//! are explained.
//!
//! Rules have the names that people know from the public compiler, so that configurations and `#disable-next-line`
//! comments keep their meaning. [`RULES`] is the one list; the page of the documentation is made from it.

mod adminusername_should_not_be_literal;
mod api_version;
mod artifacts_parameters;
mod deciding;
mod deciding_template;
mod declarations;
mod decompiler_cleanup;
mod descriptions;
mod explicit_values_for_loc_params;
mod level;
mod linter;
mod locations;
mod max_asserts;
mod max_outputs;
mod max_params;
mod max_resources;
mod max_variables;
mod nested_deployment_template_scoping;
mod no_conflicting_metadata;
mod no_deployments_resources;
mod no_explicit_any;
mod no_hardcoded_env_urls;
mod no_hardcoded_location;
mod no_hardcoded_outputs;
mod no_loc_expr_outside_params;
mod no_module_name;
mod no_unnecessary_dependson;
mod no_unused_existing_resources;
mod no_unused_imports;
mod no_unused_params;
mod no_unused_types;
mod no_unused_vars;
mod outputs_should_not_contain_secrets;
mod prefer_interpolation;
mod prefer_unquoted_property_names;
mod protect_commandtoexecute_secrets;
mod resource_type;
mod rule;
mod rules;
mod secrets;
mod secure_parameter_default;
mod secure_params_in_nested_deploy;
mod secure_params_in_parameters_file;
mod secure_secrets_in_params;
mod simplify_interpolation;
mod simplify_json_null;
mod stacks_extensibility_compat;
mod text;
mod unused;
mod use_description_outputs;
mod use_description_params;
mod use_description_type_properties;
mod use_description_types;
mod use_description_vars;
mod use_parent_property;
mod use_recent_api_versions;
mod use_recent_az_powershell_version;
mod use_recent_module_versions;
mod use_recognized_resource_type;
mod use_resource_id_functions;
mod use_resource_symbol_reference;
mod use_safe_access;
mod use_secure_value_for_secure_inputs;
mod use_stable_resource_identifiers;
mod use_stable_vm_image;
mod use_user_defined_types;
mod what_if_short_circuiting;

pub use level::{Category, LintLevel};
pub(crate) use linter::check;
use linter::{CALLS, Linter, is_same, value_of};
use rule::LintCheck;
pub use rule::{Example, LintRule};
pub use rules::RULES;

use crate::config::Config;
use crate::finding::{Finding, Severity};
use crate::world::FilePath;

/// The rule with a name.
#[must_use]
pub fn rule(name: &str) -> Option<&'static LintRule> {
    let place = RULES.binary_search_by(|rule| rule.name.cmp(name)).ok()?;
    RULES.get(place)
}

/// Warnings about a configuration that makes an error of a rule and lacks what the rule needs, with the files they are
/// about. Without them, a program would seem to keep the rule.
#[must_use]
pub fn not_looked_for(config: &Config) -> Vec<(FilePath, Finding)> {
    let known = config.names(&["analyzers", "core", "rules"]).into_iter().filter_map(rule);
    let asked = known.filter(|rule| rule.level(config) == LintLevel::Error);
    let unmet = asked.filter_map(|rule| Some((rule, rule.needs.filter(|it| config.text(it).is_none())?)));
    let warning = |(rule, needs): (&'static LintRule, &[&str])| {
        let (file, span) = config.place_of(&["analyzers", "core", "rules", rule.name, "level"])?;
        let message = format!(
            "`{}` is an error here, but no program is checked for it without `{}`",
            rule.name,
            needs.join(".")
        );
        let finding = Finding {
            span,
            code: rule.name,
            severity: Severity::Warning,
            message: message.into(),
            hint: None,
            fixes: Vec::new(),
        };
        Some((file.clone(), finding))
    };
    unmet.filter_map(warning).collect()
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

/// Tells whether a code is the language's own, or a limit of this compiler. Their errors cannot be switched
/// off; the linter's can.
#[must_use]
pub fn is_core(code: &str) -> bool {
    rule(code).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{FilePath, MemoryWorld};

    #[test]
    fn rules_are_found_by_name() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name));
        let shown = |rule: &LintRule| {
            [true, false].map(|breaks| rule.examples.iter().any(|it| it.found.is_some() == breaks))
        };
        assert!(RULES.iter().all(|rule| shown(rule) == [true; 2] && !rule.documentation.is_empty()));
        assert_eq!(rule("no-unused-params").map(LintRule::default_level), Some(LintLevel::Warning));
        assert_eq!(rule("max-params").map(LintRule::default_level), Some(LintLevel::Error));
        assert_eq!(rule("no-hardcoded-location").map(LintRule::default_level), Some(LintLevel::Off));
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
        assert_eq!(level("no-unused-params"), Some(LintLevel::Error));
        assert_eq!(level("no-unused-vars"), Some(LintLevel::Off));
        assert_eq!(level("no-unused-types"), Some(LintLevel::Warning));
        assert_eq!(level("prefer-interpolation"), Some(LintLevel::Warning));
        let off = r#"{ "analyzers": { "core": { "enabled": false } } }"#;
        let world = MemoryWorld::default().with_file("/bicepconfig.json", off);
        let config = Config::find(&world, &FilePath::new("/"));
        assert!(RULES.iter().all(|rule| rule.level(&config) == LintLevel::Off));
    }
    #[test]
    fn a_rule_that_is_an_error_and_lacks_what_it_needs_is_named_where_that_is_said() {
        let base = r#"{ "analyzers": { "core": { "rules": { "use-recent-module-versions": { "level": "Error" } } } } }"#;
        let found = |more: &str| {
            let text = format!(
                r#"{{ "extends": "base.json", {more} "analyzers": {{ "core": {{ "rules": {{
                    "max-params": {{ "level": "error" }},
                    "unknown": {{ "level": "error" }}
                }} }} }} }}"#
            );
            let world =
                MemoryWorld::default().with_file("/bicepconfig.json", text).with_file("/base.json", base);
            not_looked_for(&Config::find(&world, &FilePath::new("/")))
        };
        let missing = found("");
        let places: Vec<(&str, &str, &str)> =
            missing.iter().map(|(file, it)| (file.name(), it.code, it.span.text(base))).collect();
        assert_eq!(places, [("base.json", "use-recent-module-versions", r#""Error""#)]);
        assert!(missing.iter().all(|(_, finding)| finding.severity == Severity::Warning));
        assert_eq!(found(r#""tendon": { "moduleIndex": null },"#), missing);
        assert_eq!(found(r#""tendon": { "moduleIndex": "index.json" },"#), []);
    }
}
