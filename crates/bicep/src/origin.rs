//! The way back from a template to the Bicep that it was made of.

use syntax::Span;
use syntax::ast::{AstNode as _, Program, Statement};

use crate::decorators::{Decorator, Writes};
use crate::symbols::{Model, ModuleTarget, SymbolKind};
use crate::{Compiler, FilePath};

/// The sections of templates and parameters files whose members have the names of declarations.
const SECTIONS: &[(&str, &[SymbolKind])] = &[
    ("parameters", &[SymbolKind::Parameter, SymbolKind::ParameterAssignment]),
    ("variables", &[SymbolKind::Variable]),
    ("resources", &[SymbolKind::Resource, SymbolKind::Module]),
    ("outputs", &[SymbolKind::Output]),
    ("definitions", &[SymbolKind::Type]),
    ("asserts", &[SymbolKind::Assert]),
];

impl Compiler {
    /// The program of a module that a file declares; none if it is a template.
    #[must_use]
    pub fn module_program(&self, path: &FilePath, module: &str) -> Option<FilePath> {
        let model = self.model(path).ok()?;
        let is_it = |kind| matches!(kind, SymbolKind::Module);
        let (id, _) = model.symbols().find(|(_, symbol)| symbol.name == module && is_it(symbol.kind))?;
        let source = model.sources.get(model.module_of(id)?.source?)?;
        match source.target.as_ref().ok()? {
            ModuleTarget::Bicep(program) => Some(program.file.path.clone()),
            ModuleTarget::Template(_) => None,
        }
    }

    /// The values in a file that are secrets, or have some inside, whatever else is wrong with the file: defaults of its parameters, and what a
    /// parameters file gives to those of its program.
    #[must_use]
    pub fn secret_values(&self, path: &FilePath) -> Vec<Span> {
        let Ok(model) = self.model(path) else { return Vec::new() };
        let text = model.file.tree.text();
        let statements = Program::cast(model.file.tree.root()).into_iter().flat_map(|it| it.statements());
        let program = self.used_program(path).and_then(|program| self.model(&program).ok());
        let secret = statements.filter(|statement| match statement {
            Statement::ParameterAssignment(it) => given_to_secret(program.as_deref(), it.name().text()),
            other => model.is_secret_parameter(*other),
        });
        let values = secret.filter_map(|statement| {
            let node = statement.node();
            let last = node.decorators().next_back().map(|decorator| decorator.span().end);
            let start = last.unwrap_or(node.span().start);
            let (start, end) = (start as usize, node.span().end as usize);
            let sign = start + text.get(start..end)?.find('=')? + 1;
            // What cannot be parsed behind it, up to the end of its line, may be meant for the value; so may the line below a sign without one.
            let line = |from: usize| {
                text.get(from..).map_or(from, |rest| from + rest.find('\n').unwrap_or(rest.len()))
            };
            let mut last = line(end);
            if text.get(sign..last).is_some_and(|value| value.trim().is_empty()) {
                last = line(text.len().min(last + 1));
            }
            Some(Span::new(u32::try_from(sign).ok()?, u32::try_from(last).ok()?))
        });
        values.collect()
    }

    /// The names of the resources and modules of a file, in the order of a template that has them in an array, without their names.
    #[must_use]
    pub fn resource_names(&self, path: &FilePath) -> Vec<String> {
        let Ok(model) = self.model(path) else { return Vec::new() };
        let own = model.resources_in_template_order().into_iter().map(|id| model.resource(id));
        let resources = own.filter(|resource| !resource.is_existing).map(|resource| resource.symbol);
        let modules = model.modules.iter().map(|module| module.symbol);
        resources.chain(modules).map(|symbol| model.symbol(symbol).name.to_string()).collect()
    }

    /// What a part of a file's template, such as `parameters.name.minLength`, was made of: the decorator, or the
    /// first line of the declaration.
    #[must_use]
    pub fn origin(&self, path: &FilePath, part: &str) -> Option<Span> {
        if let Some((place, rest)) = part.strip_prefix("resources[").and_then(|rest| rest.split_once(']')) {
            let name = self.resource_names(path).into_iter().nth(place.parse().ok()?)?;
            return self.origin(path, &format!("resources.{name}{rest}"));
        }
        let mut steps = part.split('.');
        let (section, name, member) = (steps.next()?, steps.next()?, steps.next());
        let (_, kinds) = SECTIONS.iter().find(|(known, _)| *known == section)?;
        let model = self.model(path).ok()?;
        let (id, _) =
            model.symbols().find(|(_, symbol)| symbol.name == name && kinds.contains(&symbol.kind))?;
        let node = model.node_of(id);
        let text = model.file.tree.text();
        let decorator = member.and_then(|member| {
            let wrote = |row: &Decorator| matches!(row.writes, Writes::Member(known, _) if known == member);
            let built_in = model.decorators(node).find(|(row, _)| wrote(row)).map(|(_, call)| call);
            built_in.or_else(|| {
                // One of several has its place behind the name.
                let (member, place) = member.split_once('[').unwrap_or((member, "0]"));
                let place = place.strip_suffix(']')?.parse().ok()?;
                let mut validators = model.validators(node).filter(|_| member == "userDefinedConstraint");
                validators.nth(place).map(|(_, call)| call)
            })
        });
        let span = match decorator {
            Some(call) => call.node().span(),
            None => {
                let last = node.decorators().next_back().map(|decorator| decorator.span().end);
                Span::new(last.unwrap_or(node.span().start), node.span().end)
            }
        };
        let inside = text.get(span.start as usize..span.end as usize)?;
        let line = inside.trim_start().lines().next().unwrap_or_default().trim_end();
        let start = span.start + u32::try_from(inside.len() - inside.trim_start().len()).ok()?;
        Some(Span::new(start, start + u32::try_from(line.len()).ok()?))
    }
}

/// Whether a parameters file gives a secret, as far as its program is known. A name that the program does not have may be meant for one.
fn given_to_secret(program: Option<&Model>, name: &str) -> bool {
    let Some(program) = program else { return true };
    let statements = Program::cast(program.file.tree.root()).into_iter().flat_map(|it| it.statements());
    let (mut has_secrets, mut is_declared) = (false, false);
    for statement in statements {
        let Statement::ParameterDeclaration(it) = statement else { continue };
        let is_secret = program.is_secret_parameter(statement);
        if it.name().text() == name {
            if is_secret {
                return true;
            }
            is_declared = true;
        }
        has_secrets |= is_secret;
    }
    has_secrets && !is_declared
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

    #[test]
    fn defaults_of_secrets_are_found_whatever_is_wrong() {
        for (text, expected) in [
            ("@secure()\nparam a string = 'x'\nparam b string = 'y'\n", " 'x'"),
            ("@secure()\nparam a string = x y\nvar b = 1\n", " x y"),
            ("@secure()\nparam a string =\n  'x'\nvar b = 1\n", "\n  'x'"),
            ("@secure()\nparam a string = 'x\nvar b = 1\n", " 'x"),
            ("@secure()\nparam a object = {\n  b: 'x'\n}\nvar b = 1\n", " {\n  b: 'x'\n}"),
            ("type t = {\n  @secure()\n  b: string\n}\nparam a t = { b: 'x' }\n", " { b: 'x' }"),
            ("param a string = 'x'\n", ""),
        ] {
            let world = MemoryWorld::default().with_file("/main.bicep", text);
            let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
            let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
            let found = compiler.secret_values(&FilePath::new("/main.bicep"));
            let found: Vec<&str> =
                found.iter().filter_map(|it| text.get(it.start as usize..it.end as usize)).collect();
            assert_eq!(found.concat(), expected, "{text}");
        }
    }

    #[test]
    fn what_a_parameters_file_gives_to_secrets_is_found() {
        let program = "@secure()\nparam a string\nparam b string\n";
        for (program, values, expected) in [
            (program, "using 'main.bicep'\nparam a = 'x'\nparam b = 'y'\n", " 'x'"),
            (program, "using 'main.bicep'\nparam aa = 'x'\nparam b = 5\n", " 'x'"),
            ("param b string\n", "using 'main.bicep'\nparam aa = 'x'\nparam b = 5\n", ""),
            (program, "using 'none.bicep'\nparam a = 'x'\n", " 'x'"),
        ] {
            let world = MemoryWorld::default()
                .with_file("/main.bicep", program)
                .with_file("/main.bicepparam", values);
            let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
            let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
            let path = FilePath::new("/main.bicepparam");
            let _made = compiler.compile(&path);
            let found = compiler.secret_values(&path);
            let found: Vec<&str> =
                found.iter().filter_map(|it| values.get(it.start as usize..it.end as usize)).collect();
            assert_eq!(found.concat(), expected, "{values}");
        }
    }

    #[test]
    fn a_validator_leads_to_its_decorator() {
        let text = "func f(n int) object => { kind: 'success' }\n@f()\n@minValue(1)\n@f( )\nparam n int\n";
        let world = MemoryWorld::default().with_file("/main.bicep", text);
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let path = FilePath::new("/main.bicep");
        let line = |part: &str| {
            let span = compiler.origin(&path, part)?;
            text.get(span.start as usize..span.end as usize)
        };
        assert_eq!(line("parameters.n.userDefinedConstraint"), Some("f()"));
        assert_eq!(line("parameters.n.userDefinedConstraint[1]"), Some("f( )"));
        assert_eq!(line("parameters.n.userDefinedConstraint[2]"), Some("param n int"));
    }

    #[test]
    fn a_module_leads_to_its_program() {
        let world = MemoryWorld::default()
            .with_file("/main.bicep", "module m 'inner/m.bicep' = { name: 'm' }\nvar v = 1\n")
            .with_file("/inner/m.bicep", "param p int = 1\n");
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let path = FilePath::new("/main.bicep");
        assert_eq!(compiler.module_program(&path, "m"), Some(FilePath::new("/inner/m.bicep")));
        assert_eq!(compiler.module_program(&path, "v"), None);
    }

    #[test]
    fn a_part_of_a_template_leads_to_its_declaration() {
        let text = "@description('d')\n@minLength(3)\nparam name string\n\nvar v = {\n  a: 1\n}\n";
        let world = MemoryWorld::default().with_file("/main.bicep", text);
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let options = CompilerOptions::new(generator);
        let compiler = Compiler::new(Arc::new(world), options);
        let of = |part: &str| {
            let span = compiler.origin(&FilePath::new("/main.bicep"), part)?;
            text.get(span.start as usize..span.end as usize)
        };
        assert_eq!(of("parameters.name.type"), Some("param name string"));
        assert_eq!(of("parameters.name"), Some("param name string"));
        assert_eq!(of("parameters.name.minLength"), Some("minLength(3)"));
        assert_eq!(of("variables.v.a"), Some("var v = {"));
        assert_eq!(of("resources[0].name"), None);
        assert_eq!(of("variables.name"), None);
    }
}
