//! A whole template as a program.

use arm::expression::TemplateString;
use arm::template::SECTIONS;
use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use syntax::SourceKind;

use crate::children;
use crate::code::{checked, formatted, quoted};
use crate::converter::{Converter, ExpressionContext};
use crate::declared::Repeats;
use crate::imports::{source_of, ups};
use crate::json::Json;
use crate::names::{declared, escape};
use crate::output::{Output, joined, relative};
use crate::problem::{DecompileError, Result, Under as _};
use crate::types::{Of, line};

/// Tells whether a compiler wrote a template.
pub(crate) fn is_generated(template: &Json) -> bool {
    let name = template.at(&["metadata", "_generator", "name"]).and_then(Json::as_str);
    matches!(name, Some("bicep" | "tendon")) || template.find("resources").is_some_and(Json::is_object)
}

/// How many folders up a template imports from; none if it imports from no file beside it.
pub(crate) fn ways_up(template: &Json) -> Option<usize> {
    let types = template.find("definitions").map(Json::members).unwrap_or_default().iter();
    let namespaces = template.find("functions").map(Json::items).unwrap_or_default().iter();
    let functions = namespaces.flat_map(|it| it.find("members").map(Json::members).unwrap_or_default());
    types.chain(functions).filter_map(|(_, declaration)| source_of(declaration)).filter_map(ups).max()
}

pub(crate) fn write(output: &mut Output, file: String, template: &Json, exact: bool) -> Result<String> {
    let flat;
    let template = if exact {
        template
    } else {
        let mut changed = template.clone();
        children::flatten(&mut changed)?;
        flat = changed;
        &flat
    };
    let text = Converter::new(template, output, file, exact)?.program()?;
    Ok(formatted(text, SourceKind::Bicep))
}

impl Converter<'_> {
    /// The text of the program.
    fn program(mut self) -> Result<String> {
        let mut blocks: Vec<String> = Vec::new();
        if let Some(scope) = self.target.keyword() {
            blocks.push(format!("targetScope = '{scope}'\n"));
        }
        self.check_sections()?;
        let mut metadata = String::new();
        for (name, value) in self.section("metadata") {
            if !name.starts_with('_') {
                checked(name).under("metadata")?;
                let value = self.value(value).under(name).under("metadata")?;
                metadata.push_str(&format!("metadata {name} = {}\n", value.print()));
            }
        }
        blocks.push(metadata);
        blocks.push(self.extension_lines()?);
        blocks.push(self.import_lines()?);
        blocks.extend(self.type_lines()?);
        blocks.extend(self.function_lines()?);
        blocks.extend(self.parameter_lines()?);
        self.load_contents();
        blocks.extend(self.variable_lines()?);
        blocks.extend(self.resource_lines()?);
        blocks.extend(self.output_lines()?);
        blocks.push(self.assert_lines()?);
        blocks.retain(|block| !block.is_empty());
        Ok(blocks.join("\n"))
    }

    /// Sections that nothing is known about cannot be written.
    fn check_sections(&self) -> Result<()> {
        for (name, _) in self.template.members() {
            if self.exact && !SECTIONS.contains(&name.as_str()) {
                return Err(DecompileError::new(format!("nothing is known about `{name}`")).under(name));
            }
        }
        Ok(())
    }

    fn extension_lines(&mut self) -> Result<String> {
        let mut text = String::new();
        for section in ["imports", "extensions"] {
            for (alias, extension) in self.section(section) {
                let name = extension.find("provider").or_else(|| extension.find("name")).map(Json::to_text);
                let name = name.ok_or_else(|| {
                    DecompileError::new("the extension has no name").under(alias).under(section)
                })?;
                checked(&name).and_then(|_| declared(alias)).under(alias).under(section)?;
                text.push_str(&format!("extension {}", name.to_lowercase()));
                if let Some(config) = extension.find("config") {
                    let config = match section {
                        "imports" => config.clone(),
                        _ => Json::Object(
                            config
                                .members()
                                .iter()
                                .map(|(name, value)| {
                                    (name.clone(), value.find("defaultValue").unwrap_or(value).clone())
                                })
                                .collect(),
                        ),
                    };
                    let config = self.value(&config).under("config").under(alias).under(section)?;
                    text.push_str(&format!(" with {}", config.print()));
                }
                if !alias.eq_ignore_ascii_case(&name) {
                    text.push_str(&format!(" as {alias}"));
                }
                text.push('\n');
            }
        }
        Ok(text)
    }

    fn type_lines(&mut self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (name, declaration) in self.section("definitions") {
            if source_of(declaration).is_some() {
                continue;
            }
            lines.push(self.type_text(name, declaration, &[]).under(name).under("definitions")?);
        }
        Ok(lines)
    }

    /// The declaration of a type.
    pub(crate) fn type_text(&mut self, name: &str, declaration: &Json, more: &[String]) -> Result<String> {
        declared(name)?;
        if name == "resource" {
            return Err(DecompileError::new("`resource` is not a name for a type in Bicep"));
        }
        let typed = self.typed(declaration, Of::Declaration)?;
        let mut text = String::new();
        line(&mut text, more);
        line(&mut text, &typed.decorators);
        text.push_str(&format!("type {name} = {}\n", typed.text));
        Ok(text)
    }

    /// The functions: their namespaces, their names and their declarations.
    pub(crate) fn function_list(&self) -> Result<Vec<(SmolStr, SmolStr, Json)>> {
        let mut list = Vec::new();
        for (place, space) in
            self.template.find("functions").map(Json::items).unwrap_or_default().iter().enumerate()
        {
            let name = space.find("namespace").and_then(Json::as_str);
            let name = name.ok_or_else(|| {
                DecompileError::new("the functions have no namespace").under(&place.to_string())
            })?;
            for (member, declaration) in space.find("members").map(Json::members).unwrap_or_default() {
                list.push((name.into(), member.clone(), declaration.clone()));
            }
        }
        Ok(list)
    }

    fn function_lines(&mut self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (space, member, declaration) in self.function_list()? {
            if source_of(&declaration).is_some() {
                continue;
            }
            let name =
                self.functions.get(&format!("{space}.{member}").to_lowercase()).cloned().unwrap_or_default();
            let text = self.function_text(&name, &declaration, &[]);
            lines.push(text.under(&member).under("functions")?);
        }
        Ok(lines)
    }

    /// The declaration of a function.
    pub(crate) fn function_text(
        &mut self,
        name: &str,
        declaration: &Json,
        more: &[String],
    ) -> Result<String> {
        let mut decorators = more.to_vec();
        self.description(declaration, &mut decorators)?;
        if declaration.at(&["metadata", "__bicep_export!"]) == Some(&Json::Bool(true)) {
            decorators.push(format!("{}()", self.decorator("export")));
        }
        let mut parameters = Vec::new();
        for parameter in declaration.find("parameters").map(Json::items).unwrap_or_default() {
            let name = parameter.find("name").and_then(Json::as_str);
            let name =
                name.ok_or_else(|| DecompileError::new("a parameter has no name").under("parameters"))?;
            let typed = self.typed(parameter, Of::Part).under(name).under("parameters")?;
            declared(name).under("parameters")?;
            self.function_parameters.push(name.into());
            parameters.push(format!("{name} {}", typed.text));
        }
        let missing = |name: &str| DecompileError::new(format!("the function has no `{name}`"));
        let output = declaration.find("output").ok_or_else(|| missing("output"))?;
        let typed = self.typed(output, Of::Part).under("output")?;
        let value = output.find("value").ok_or_else(|| missing("value").under("output"))?;
        let value = self.value(value).under("value").under("output");
        self.function_parameters.clear();
        let mut text = String::new();
        line(&mut text, &decorators);
        text.push_str(&format!(
            "func {name}({}) {} => {}\n",
            parameters.join(", "),
            typed.text,
            value?.print()
        ));
        Ok(text)
    }

    fn parameter_lines(&mut self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (name, declaration) in self.section("parameters") {
            lines.push(self.parameter_line(name, declaration).under(name).under("parameters")?);
        }
        Ok(lines)
    }

    fn parameter_line(&mut self, name: &str, declaration: &Json) -> Result<String> {
        let own = self.parameters.get(&name.to_lowercase()).cloned().unwrap_or_default();
        let mut text = String::new();
        if own != name {
            text.push_str(&format!(
                "// WARNING: `{}` is not a name in Bicep, so this parameter has another one\n",
                name.replace(['\n', '\r'], " ")
            ));
        }
        let typed = self.typed(declaration, Of::Parameter)?;
        line(&mut text, &typed.decorators);
        text.push_str(&format!("param {own} {}", typed.text));
        if let Some(value) = declaration.find("defaultValue") {
            let value = self.value(value).under("defaultValue")?;
            text.push_str(&format!(" = {}", value.print()));
        }
        text.push('\n');
        Ok(text)
    }

    /// Puts what the compiler loaded from files into files.
    fn load_contents(&mut self) {
        for (name, value) in self.section("variables") {
            let Some(number) = name.strip_prefix("$fxv#") else { continue };
            let stem = self.file.rsplit_once('.').map_or(self.file.as_str(), |(stem, _)| stem);
            // The name is from the template, and no text of a template leads to another folder.
            let stem = format!("{stem}_{}", escape(&format!("content_{number}"), false));
            let (function, extension, mut text) = match value {
                Json::Text(text) => {
                    let text = match TemplateString::of(text) {
                        TemplateString::Text(text) => text,
                        TemplateString::Expression(_) => text,
                    };
                    ("loadTextContent", ".txt", text.to_owned())
                }
                other => {
                    let mut other = other.clone();
                    other.unescape();
                    ("loadJsonContent", ".json", other.print())
                }
            };
            if extension == ".json" {
                text.push('\n');
            }
            let path = self.output.claim(&stem, extension);
            let function = self.function_name(function);
            let call = format!("{function}({})", quoted(&relative(&self.file, &path)));
            self.output.add(path, text);
            self.loaded.insert(name.clone(), call);
        }
    }

    fn variable_lines(&mut self) -> Result<Vec<String>> {
        let exported = self.template.at(&["metadata", "__bicep_exported_variables!"]);
        let exported = exported.map(Json::items).unwrap_or_default();
        let mut exports: FxHashMap<&str, &Json> = FxHashMap::default();
        for export in exported {
            if let Some(name) = export.find("name").and_then(Json::as_str) {
                exports.entry(name).or_insert(export);
            }
        }
        let mut text = String::new();
        for (name, value, is_loop) in self.variable_list()? {
            let Some(own) = self.variables.get(&name.to_lowercase()).cloned() else { continue };
            let code = if is_loop {
                let count = crate::values::required(value, "count").under(&name).under("variables")?;
                let input = crate::values::required(value, "input").under(&name).under("variables")?;
                self.repeat(Repeats::Variable, Some(&name), count, |this| this.value(input).under("input"))
            } else {
                self.value(value)
            };
            let code = code.under(&name).under("variables")?;
            let mut ty = String::new();
            if let Some(export) = exports.get(name.as_str()) {
                text.push('\n');
                if let Some(description) = export.find("description") {
                    text.push_str(&format!(
                        "{}({})\n",
                        self.decorator("description"),
                        self.value(description)?.print()
                    ));
                }
                text.push_str(&format!("{}()\n", self.decorator("export")));
                if let Some(declared) = export.find("type") {
                    ty = format!("{} ", self.typed(declared, Of::Part).under(&name).under("variables")?.text);
                }
            }
            text.push_str(&format!("var {own} {ty}= {}\n", code.print()));
        }
        Ok(vec![text])
    }

    fn resource_lines(&mut self) -> Result<Vec<String>> {
        if !self.exact {
            self.compare_names();
        }
        // What is only named mentions others that count for those who mention it.
        let is_first = |place: &usize| self.symbols.get(*place).is_some_and(|symbol| symbol.is_existing);
        let (first, last): (Vec<usize>, Vec<usize>) = (0..self.symbols.len()).partition(is_first);
        let mut lines: Vec<(usize, String)> = Vec::new();
        for place in first.into_iter().chain(last) {
            if self.symbols.get(place).is_none_or(|symbol| symbol.nested_in.is_some()) {
                continue;
            }
            let text = self.symbol_text(place).under(&self.step_of(place)).under("resources")?;
            let line = if self.symbolic { place } else { self.first_of(place) };
            lines.push((line, text));
        }
        lines.sort_by_key(|(place, _)| *place);
        Ok(lines.into_iter().map(|(_, text)| text).collect())
    }

    fn output_lines(&mut self) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        self.place = ExpressionContext::Output;
        for (name, declaration) in self.section("outputs") {
            lines.push(self.output_line(name, declaration).under(name).under("outputs")?);
        }
        self.place = ExpressionContext::Apart;
        if self.exact { Ok(lines) } else { Ok(vec![lines.concat()]) }
    }

    fn output_line(&mut self, name: &str, declaration: &Json) -> Result<String> {
        let own = self.outputs.get(name).cloned().unwrap_or_default();
        let mut typed = self.typed(declaration, Of::Declaration)?;
        if !self.exact {
            typed
                .decorators
                .retain(|decorator| decorator.starts_with("@description") || decorator == "@secure()");
        }
        let mut text = String::new();
        line(&mut text, &typed.decorators);
        let value = match declaration.find("copy") {
            Some(copy) => {
                let count = crate::values::required(copy, "count").under("copy")?;
                let input = crate::values::required(copy, "input").under("copy")?;
                self.repeat(Repeats::Declaration, None, count, |this| this.value(input).under("input"))?
            }
            None => {
                let value = declaration
                    .find("value")
                    .ok_or_else(|| DecompileError::new("the output has no value"))?;
                self.value(value).under("value")?
            }
        };
        text.push_str(&format!("output {own} {} = {}\n", typed.text, value.print()));
        Ok(text)
    }

    fn assert_lines(&mut self) -> Result<String> {
        let mut text = String::new();
        for (name, value) in self.section("asserts") {
            checked(name).under("asserts")?;
            let value = self.value(value).under(name).under("asserts")?;
            text.push_str(&format!("assert {name} = {}\n", value.print()));
        }
        Ok(text)
    }

    /// Where a file that a program imports from lies.
    pub(crate) fn beside(&self, path: &str) -> String {
        joined(&self.file, path)
    }
}
