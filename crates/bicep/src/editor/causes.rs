//! Which errors follow from others: those about a name whose declaration has an error of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use diagnostics::Severity;
use syntax::Span;
use syntax::ast::{AstNode as _, Program};

use super::cursor::Cursor;
use super::definition::definition;
use super::name_at::NameTarget;
use crate::codes;
use crate::symbols::Model;
use crate::{Compiler, FilePath, Finding};

/// How many names are looked at in what an error is about.
const MOST_NAMES: usize = 16;

/// How many errors are looked at; nobody reads more.
const MOST_ERRORS: usize = 2_000;

/// An error: the place of its file in the findings, and its place there.
type ErrorPlace = (usize, usize);

/// The errors that follow from others, each as the place of its file among the findings and its place in the file. What is left are causes; where
/// errors follow from each other, all of them are.
#[must_use]
pub fn followers(compiler: &Compiler, findings: &[(FilePath, Arc<[Finding]>)]) -> BTreeSet<(usize, usize)> {
    let mut errors: Vec<(ErrorPlace, Span)> = Vec::new();
    for (file, (_, found)) in findings.iter().enumerate() {
        let own = found.iter().enumerate().filter(|(_, it)| it.severity == Severity::Error);
        errors.extend(own.map(|(place, it)| ((file, place), it.span)));
    }
    errors.truncate(MOST_ERRORS);
    let mut by_file: BTreeMap<usize, Vec<(Span, ErrorPlace)>> = BTreeMap::new();
    for (place, span) in &errors {
        by_file.entry(place.0).or_default().push((*span, *place));
    }
    let files: BTreeMap<&FilePath, usize> =
        findings.iter().enumerate().map(|(file, (path, _))| (path, file)).collect();
    let mut led_to: BTreeMap<ErrorPlace, Vec<ErrorPlace>> = BTreeMap::new();
    let mut has_cause: BTreeSet<ErrorPlace> = BTreeSet::new();
    for (place, span) in &errors {
        let Some((path, _)) = findings.get(place.0) else { continue };
        for (file, declared) in declarations(compiler, path, *span) {
            let Some(file) = files.get(&file) else { continue };
            // What is wrong inside a declaration does not follow from itself.
            if *file == place.0 && contains(declared, *span) {
                continue;
            }
            let inside = by_file.get(file).into_iter().flatten();
            for (_, cause) in inside.filter(|(span, _)| contains(declared, *span)) {
                led_to.entry(*cause).or_default().push(*place);
                has_cause.insert(*place);
            }
        }
    }
    let mut following = BTreeSet::new();
    let mut open: Vec<ErrorPlace> =
        errors.iter().map(|(place, _)| *place).filter(|place| !has_cause.contains(place)).collect();
    while let Some(cause) = open.pop() {
        for place in led_to.get(&cause).into_iter().flatten() {
            if following.insert(*place) {
                open.push(*place);
            }
        }
    }
    // That a declaration has errors is never the first of them.
    let only_follows = |place: &ErrorPlace| {
        let found = findings.get(place.0).and_then(|(_, found)| found.get(place.1));
        found.is_some_and(|it| it.code == codes::DECLARATION_HAS_ERRORS.code)
    };
    let (followers, others): (Vec<ErrorPlace>, Vec<ErrorPlace>) =
        errors.iter().map(|(place, _)| *place).partition(only_follows);
    if others.iter().any(|place| !following.contains(place)) {
        following.extend(followers);
    }
    following
}

fn contains(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Where the names are declared that stand in a part of a file.
fn declarations(compiler: &Compiler, path: &FilePath, span: Span) -> Vec<(FilePath, Span)> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    let text = model.file.tree.text();
    let Some(part) = text.get(span.start as usize..span.end as usize) else { return Vec::new() };
    let mut found = Vec::new();
    for start in names(part).take(MOST_NAMES) {
        let Ok(start) = u32::try_from(start) else { continue };
        let offset = span.start + start;
        if let Some(local) = local_declaration(&model, offset) {
            found.push(local);
        }
        found.extend(definition(compiler, path, offset).map(|it| match it.span.start == it.span.end {
            // A file as a whole.
            true => (it.path, Span::new(0, u32::MAX)),
            false => (it.path, it.span),
        }));
    }
    found
}

/// The statement of this file that a name comes from, which may import it.
fn local_declaration(model: &Arc<Model>, offset: u32) -> Option<(FilePath, Span)> {
    let NameTarget::Symbol(symbol) = Cursor::at(model, offset)?.named()?.target else { return None };
    let span = model.node_of(symbol).span();
    let statements = Program::cast(model.file.tree.root())?;
    let around = statements.statements().map(|it| it.node().span()).find(|it| contains(*it, span))?;
    Some((model.file.path.clone(), around))
}

/// The offsets of the names in a text.
fn names(text: &str) -> impl Iterator<Item = usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut before = None;
    text.char_indices().filter_map(move |(at, letter)| {
        let starts = is_part(letter) && !letter.is_numeric() && !before.is_some_and(is_part);
        before = Some(letter);
        starts.then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{CompilerOptions, Generator, MemoryWorld};

    /// The lines of the causes, and how many errors follow from them.
    #[track_caller]
    fn check(files: &[(&str, &str)], causes: &[(&str, usize)], followed: usize) {
        let world =
            files.iter().fold(MemoryWorld::default(), |world, (path, text)| world.with_file(path, text));
        let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let compiled = compiler.compile(&FilePath::new("/main.bicep"));
        let following = followers(&compiler, &compiled.findings);
        let mut found = Vec::new();
        for (file, (path, findings)) in compiled.findings.iter().enumerate() {
            for (place, finding) in findings.iter().enumerate() {
                if finding.severity == Severity::Error && !following.contains(&(file, place)) {
                    let text = files.iter().find(|(name, _)| *name == path.as_str()).unwrap().1;
                    found.push((
                        path.to_string(),
                        text.get(..finding.span.start as usize).unwrap().matches('\n').count() + 1,
                    ));
                }
            }
        }
        let found: Vec<(&str, usize)> = found.iter().map(|(path, line)| (path.as_str(), *line)).collect();
        assert_eq!((found.as_slice(), following.len()), (causes, followed), "{:?}", compiled.findings);
    }

    #[test]
    fn what_uses_a_wrong_declaration_follows_from_it() {
        let program = "var a = b.c
var b = nothing
output c string = a
func f(n int) bool => 'no'
output d int = f(1)
output e int = 'own'
";
        check(&[("/main.bicep", program)], &[("/main.bicep", 2), ("/main.bicep", 4), ("/main.bicep", 6)], 3);
    }

    #[test]
    fn what_comes_from_a_wrong_file_follows_from_it() {
        let main = "import { f } from 'missing.bicep'
module m 'module.bicep' = {
  name: 'm'
}
output a string = f(1)
output b string = m.outputs.b
";
        let module = "output b string = nothing\n";
        let files = [("/main.bicep", main), ("/module.bicep", module)];
        check(&files, &[("/main.bicep", 1), ("/module.bicep", 1)], 2);
    }

    #[test]
    fn errors_that_follow_from_each_other_are_causes() {
        check(&[("/main.bicep", "var a = b\nvar b = a\n")], &[("/main.bicep", 1), ("/main.bicep", 2)], 0);
    }
}
