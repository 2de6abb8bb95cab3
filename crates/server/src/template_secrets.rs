//! Secrets that are written into templates: default values of secure parameters, and values that are given to those of templates inside. Pages that
//! show lines of a template hide them.

use std::collections::HashSet;
use std::ops::Range;

use arm::Caseless as _;
use diagnostics::{Diagnostic, SourceMap, Span};
use document::{Document, FileId, JsonOptions, ReadLimits, SourceValue};

/// What stands for a secret.
const MASK: &str = "***";

/// The types of secrets.
const SECURE: [&str; 2] = ["secureString", "secureObject"];

/// Where a template has secrets, in order; none if it cannot be read.
pub(crate) fn of(template: &str) -> Option<Vec<Range<u32>>> {
    let limits = &ReadLimits::DEFAULT;
    let template = Document::from_json_with(template, FileId::FIRST, limits, JsonOptions::TEMPLATE).ok()?;
    let mut found = Vec::new();
    let mut left = vec![template.root()];
    while let Some(value) = left.pop() {
        left.extend(value.items());
        left.extend(value.members().map(|(_, value)| value));
        let Some(parameters) = get(value, "parameters") else { continue };
        match get(value, "template") {
            // A deployment inside: what its template calls secure is given here.
            Some(inner) => {
                let names: HashSet<String> = secure(inner).into_iter().map(|(name, _)| name).collect();
                let is_meant = |name: &str| names.contains(&name.caseless());
                let given = parameters.members().filter(|(name, _)| name.as_str().is_some_and(is_meant));
                found.extend(given.map(|(_, value)| value.place()));
            }
            None => {
                let defaults = secure(value).into_iter().filter_map(|(_, it)| get(it, "defaultValue"));
                found.extend(defaults.map(SourceValue::place));
            }
        }
    }
    let mut found: Vec<Range<u32>> = found.into_iter().map(|place| place.start..place.end).collect();
    found.sort_by_key(|part| part.start);
    Some(found)
}

/// A member by whatever case, as templates have it.
fn get<'d>(value: SourceValue<'d>, name: &str) -> Option<SourceValue<'d>> {
    let is_it =
        |member: SourceValue<'_>| member.as_str().is_some_and(|member| member.eq_ignore_ascii_case(name));
    value.members().find(|(member, _)| is_it(*member)).map(|(_, value)| value)
}

/// The parameters of a template that are secrets, or may have some inside, by their names in lower case. Of one whose type has a name, all types that
/// have one are looked at.
fn secure(template: SourceValue<'_>) -> Vec<(String, SourceValue<'_>)> {
    let named = get(template, "definitions").is_some_and(has_secure);
    let is_secure = |it: SourceValue<'_>| has_secure(it) || (named && names_a_type(it));
    let all = get(template, "parameters").into_iter().flat_map(SourceValue::members);
    let secure = all.filter(|(_, it)| is_secure(*it));
    secure.map(|(name, it)| (name.as_str().unwrap_or_default().caseless(), it)).collect()
}

fn has_secure(value: SourceValue<'_>) -> bool {
    any(value, |name, value| {
        let is_secure = |text: &str| SECURE.iter().any(|secure| secure.eq_ignore_ascii_case(text));
        name.eq_ignore_ascii_case("type") && value.as_str().is_some_and(is_secure)
    })
}

fn names_a_type(value: SourceValue<'_>) -> bool {
    any(value, |name, _| name.eq_ignore_ascii_case("$ref"))
}

/// Whether any member in a value is what is looked for.
fn any(value: SourceValue<'_>, is_it: impl Fn(&str, SourceValue<'_>) -> bool) -> bool {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        if value.members().any(|(name, value)| name.as_str().is_some_and(|name| is_it(name, value))) {
            return true;
        }
        left.extend(value.items());
        left.extend(value.members().map(|(_, value)| value));
    }
    false
}

/// A part of a text that begins at an offset, without what is hidden.
pub(crate) fn masked(part: &str, start: usize, hidden: &[Range<u32>]) -> String {
    let end = start + part.len();
    let first = hidden.partition_point(|it| it.end as usize <= start);
    let mut out = String::new();
    let mut at = start;
    for secret in hidden.iter().skip(first).take_while(|it| (it.start as usize) < end) {
        let before = (secret.start as usize).max(at);
        out.push_str(part.get(at - start..before - start).unwrap_or_default());
        out.push_str(MASK);
        at = at.max(secret.end as usize).min(end);
    }
    out.push_str(part.get(at - start..).unwrap_or_default());
    out
}

/// What a compiler says of a program, without the secrets in it: their places are masked, and what names one is not told.
pub fn without_secrets(
    sources: &mut SourceMap,
    program: FileId,
    secrets: impl IntoIterator<Item = Range<u32>>,
    said: &[Diagnostic],
) -> Vec<Diagnostic> {
    let hidden: Vec<Span> =
        secrets.into_iter().map(|part| Span::new(program, part.start, part.end)).collect();
    sources.hide(hidden.iter().copied());
    if sources.text(program).is_some_and(|text| has_broken_decorator(text)) {
        // What it is about cannot be told: any value may be meant.
        sources.withhold(program);
    } else if hidden.is_empty() {
        return said.to_vec();
    }
    said.iter().map(|it| without(it, sources, &hidden)).collect()
}

/// What a compiler says, without words about what is hidden: messages name values.
fn without(diagnostic: &Diagnostic, sources: &SourceMap, hidden: &[Span]) -> Diagnostic {
    let mut bare = diagnostic.clone();
    // What would be changed is not shown, and may have the value.
    bare.fixes.clear();
    let is_there = |span: Span| {
        let overlaps = |it: &Span| span.file == it.file && span.start <= it.end && it.start <= span.end;
        hidden.iter().any(overlaps)
    };
    let names = |text: &str| {
        let values = hidden.iter().filter_map(|span| sources.slice(*span));
        values
            .map(|value| value.trim_matches(['\'', ' ', '\r', '\n']))
            .any(|it| it.len() > 2 && text.contains(it))
    };
    let says = diagnostic.primary.is_some_and(is_there)
        || names(&diagnostic.message)
        || diagnostic.help.iter().any(|help| names(help))
        || diagnostic.labels.iter().any(|label| is_there(label.span) || names(&label.message));
    if says {
        bare.message =
            "the code names the error; neither the value of a secure parameter nor the message is shown"
                .into();
        bare.help.clear();
        bare.labels.clear();
    }
    bare
}

/// Whether a program says `@secure` of something in a way that the compiler does not understand.
fn has_broken_decorator(program: &str) -> bool {
    const WORD: &str = "secure";
    program.match_indices(WORD).any(|(at, _)| {
        let before = program.get(..at).unwrap_or_default().trim_end();
        let behind = program.get(at + WORD.len()..).unwrap_or_default();
        let is_whole = !behind.starts_with(|next: char| next.is_ascii_alphanumeric() || next == '_');
        let call = behind.trim_start().strip_prefix('(').map(str::trim_start);
        is_whole && before.ends_with(['@', '.']) && !call.is_some_and(|rest| rest.starts_with(')'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_in_templates_and_those_inside() {
        let text = r##"{"definitions": {"key": {"TYPE": "securestring"}}, "parameters": {
            "a": {"type": "secureString", "defaultValue": "hunter2"}, "b": {"$ref": "#/definitions/key", "defaultValue": "hunter2"},
            "c": {"type": "object", "properties": {"x": {"type": "secureObject"}}, "DefaultValue": {"x": {"y": "hunter2"}}},
            "plain": {"type": "string", "defaultValue": "shown"}},
          "resources": [{"properties": {"parameters": {"P": {"value": "hunter2"}, "q": {"value": "shown"}}, "template": {
            "parameters": {"p": {"type": "secureString", "defaultValue": "hunter2"}, "q": {"type": "string"}}}}}]}"##;
        let hidden = of(text).unwrap();
        let shown = masked(text, 0, &hidden);
        assert!(!shown.contains("hunter2") && shown.matches("shown").count() == 2, "{shown}");
        assert_eq!(hidden.len(), 5);
        assert_eq!(of("{"), None);
    }

    #[test]
    fn lines_begin_and_end_inside_of_secrets() {
        let hidden = [2..4, 6..20];
        assert_eq!(masked("abcdefgh", 0, &hidden), "ab***ef***");
        assert_eq!(masked("xyz", 10, &hidden), "***");
        assert_eq!(masked("wxyz", 18, &hidden), "***yz");
        assert_eq!(masked("xyz", 20, &hidden), "xyz");
    }

    #[test]
    fn decorators_that_are_not_closed_are_broken() {
        for text in
            ["@secure(\nparam a string = 'x'", "@secure\nparam a string", "@sys.secure(1)", "@ secure ("]
        {
            assert!(has_broken_decorator(text), "{text}");
        }
        for text in
            ["@secure()\nparam a string", "@sys.secure( )", "param secure string", "@secured(", "// secure("]
        {
            assert!(!has_broken_decorator(text), "{text}");
        }
    }
}
