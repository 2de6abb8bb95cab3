//! What a file of tests declares, for those who run it: the tests, the asserts, and which asserts belong to which tests.

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::ast::{AstNode as _, Expr, ObjectProperty, Statement};
use syntax::{NodeKind, Span, SyntaxElement, SyntaxNode};

use crate::decorators::DESCRIPTION;
use crate::files::SourceFile;
use crate::language::Feature;
use crate::layout::assert_parts;
use crate::symbols::{Model, SymbolId, SymbolKind};
use crate::{Compiler, FilePath};

/// What a file of tests declares.
#[derive(Clone, Debug, Default)]
pub struct TestFile {
    /// The tests, in source order.
    pub tests: Vec<DeclaredTest>,
    /// The asserts, in source order.
    pub asserts: Vec<DeclaredAssert>,
}

/// A `test` declaration of a file.
#[derive(Clone, Debug)]
pub struct DeclaredTest {
    /// The name that the declaration gives it.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// Where the whole declaration starts, decorators included.
    pub start: u32,
    /// What it says of itself.
    pub description: Option<String>,
    /// The program as it is written.
    pub written: String,
    /// The file of the program; none if it cannot be had.
    pub program: Option<FilePath>,
    /// The tests that its body mentions, by their position: they run before it.
    pub needs: Vec<usize>,
    /// The members that are written in its body, with the places of their names and values.
    pub members: Vec<BodyMember>,
}

/// A member of the body of a test.
#[derive(Clone, Debug)]
pub struct BodyMember {
    /// The name; those of members of members follow behind dots.
    pub name: String,
    /// Where the name stands.
    pub key: Span,
    /// Where the value stands.
    pub value: Span,
}

/// An `assert` declaration of a file.
#[derive(Clone, Debug)]
pub struct DeclaredAssert {
    /// The name that the declaration gives it.
    pub name: String,
    /// Where the whole declaration stands, decorators aside.
    pub span: Span,
    /// What it says of itself.
    pub description: Option<String>,
    /// The tests that it mentions, by their position, through variables as well; none for a fact.
    pub tests: Vec<usize>,
    /// The conditions that `&&` connects in it.
    pub parts: Vec<DeclaredPart>,
}

/// One of the conditions of an assert.
#[derive(Clone, Debug)]
pub struct DeclaredPart {
    /// Where the condition is written.
    pub span: Span,
    /// The operator or function, and the places of the sides that it compares.
    pub compared: Option<(String, Span, Span)>,
}

/// How deep members of members of a body are listed.
const DEEPEST: usize = 4;

impl Compiler {
    /// What a file declares of tests and asserts; nothing if it cannot be had.
    #[must_use]
    pub fn test_file(&self, path: &FilePath) -> TestFile {
        let Ok(model) = self.model(path) else { return TestFile::default() };
        let model = &*model;
        let positions: FxHashMap<SymbolId, usize> =
            model.declarations.tests.iter().enumerate().map(|(place, symbol)| (*symbol, place)).collect();
        let mut mentions = Mentions { model, positions, known: FxHashMap::default() };
        let tests = model.declarations.tests.iter().filter_map(|symbol| {
            let Some(Statement::TestDeclaration(it)) = model.statement_of(*symbol) else { return None };
            let mut members = Vec::new();
            list(it.value(), "", 0, &mut members);
            let reference = model.file.reference_of(it.node().id());
            Some(DeclaredTest {
                name: model.symbol(*symbol).name.to_string(),
                span: it.name().span(),
                start: it.node().span().start,
                description: description(model, it.node()),
                written: match it.path() {
                    Expr::String(text) => text.constant().map(Into::into).unwrap_or_default(),
                    _ => String::new(),
                },
                program: reference.and_then(|it| Some(it.target.as_ref().ok()?.path.clone())),
                needs: mentions.of(it.value().node()),
                members,
            })
        });
        let tests: Vec<DeclaredTest> = tests.collect();
        let asserts = model.declarations.asserts.iter().filter_map(|symbol| {
            let Some(Statement::AssertDeclaration(it)) = model.statement_of(*symbol) else { return None };
            let parts = assert_parts(it.value()).into_iter().map(|part| DeclaredPart {
                span: part.span(),
                compared: part.compared.map(|compared| {
                    let (left, right) = (compared.left.node().span(), compared.right.node().span());
                    (compared.operator.to_owned(), left, right)
                }),
            });
            let last = it.node().decorators().next_back().map(|decorator| decorator.span().end);
            let (span, text) = (it.node().span(), model.file.tree.text());
            let start = last.map_or(span.start, |end| {
                let rest = text.get(end as usize..).unwrap_or_default();
                end + u32::try_from(rest.len() - rest.trim_start().len()).unwrap_or_default()
            });
            Some(DeclaredAssert {
                name: model.symbol(*symbol).name.to_string(),
                span: Span::new(start, span.end),
                description: description(model, it.node()),
                tests: mentions.of(it.value().node()),
                parts: parts.collect(),
            })
        });
        TestFile { asserts: asserts.collect(), tests }
    }

    /// Whether a program may have tests of its own: the feature is on in its configuration.
    #[must_use]
    pub fn has_test_framework(&self, path: &FilePath) -> bool {
        match self.file(path).as_deref() {
            Ok(SourceFile::Bicep(file)) => file.config.features().has(Feature::TestFramework),
            _ => false,
        }
    }

    /// A template that has the bodies of the tests of a program as outputs, `test:NAME`, of those without
    /// errors; none if the program has errors elsewhere.
    #[must_use]
    pub fn test_bodies(&self, path: &FilePath) -> Option<String> {
        let model = self.model(path).ok()?;
        let sound = crate::check::sound_tests(&model, &self.checked(&model).findings)?;
        crate::emit::write_test_bodies(self, &model, &sound)
    }

    /// The asserts of a program, with their places.
    #[must_use]
    pub fn assert_spans(&self, path: &FilePath) -> Vec<(String, Span)> {
        self.test_file(path).asserts.into_iter().map(|assert| (assert.name, assert.span)).collect()
    }
}

/// Which tests a part of a file mentions.
struct Mentions<'m> {
    model: &'m Model,
    positions: FxHashMap<SymbolId, usize>,
    /// What variables mention, themselves and through others.
    known: FxHashMap<SymbolId, FxHashSet<usize>>,
}

impl<'m> Mentions<'m> {
    fn of(&mut self, node: SyntaxNode<'m>) -> Vec<usize> {
        let mut found = FxHashSet::default();
        let mut open = vec![node];
        let mut seen = FxHashSet::default();
        while let Some(node) = open.pop() {
            for symbol in mentioned(self.model, node) {
                if let Some(place) = self.positions.get(&symbol) {
                    found.insert(*place);
                } else if let Some(known) = self.known.get(&symbol) {
                    found.extend(known);
                } else if self.model.symbol(symbol).kind == SymbolKind::Variable && seen.insert(symbol) {
                    open.push(self.model.node_of(symbol));
                }
            }
        }
        // What was met on the way mentions some of these; only what mentions none is remembered, as most do.
        if found.is_empty() {
            self.known.extend(seen.into_iter().map(|symbol| (symbol, FxHashSet::default())));
        }
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        found
    }
}

fn mentioned<'m>(model: &'m Model, node: SyntaxNode<'m>) -> impl Iterator<Item = SymbolId> + 'm {
    let accesses = node.subtree().filter(|node| node.kind() == NodeKind::VariableAccess);
    accesses.filter_map(|node| model.symbol_at(node))
}

fn description(model: &Model, node: SyntaxNode<'_>) -> Option<String> {
    match model.decorator(node, &DESCRIPTION)?.argument(0)? {
        Expr::String(text) => text.constant().map(|text| text.trim().to_owned()),
        _ => None,
    }
}

fn list(value: Expr<'_>, prefix: &str, depth: usize, members: &mut Vec<BodyMember>) {
    let Expr::Object(object) = value else { return };
    for property in object.items().filter_map(SyntaxElement::node).filter_map(ObjectProperty::cast) {
        let Some(name) = property.key().constant() else { continue };
        let name = format!("{prefix}{name}");
        if depth < DEEPEST {
            list(property.value(), &format!("{name}."), depth + 1, members);
        }
        let key = property.key().span();
        members.push(BodyMember { name, key, value: property.value().node().span() });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Compilation, Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};

    const MAIN: &str = "param size int\nparam tags object = {}\nresource a 'My.Rp/as@2024-01-01' = {\n  name: 'a'\n}\noutput sku string = size > 3 ? 'Premium' : 'Basic'\n";

    fn compile(tests: &str) -> (Compiler, FilePath, Compilation) {
        let world = MemoryWorld::default().with_file("/main.bicep", MAIN).with_file("/a.biceptest", tests);
        let generator = Generator { name: "bicep".into(), version: "dev".into() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        let path = FilePath::new("/a.biceptest");
        let compilation = compiler.compile(&path);
        (compiler, path, compilation)
    }

    #[track_caller]
    fn refuses(tests: &str, code: &str) {
        let (_, _, compilation) = compile(tests);
        let errors = compilation.findings.iter().flat_map(|(_, found)| found.iter());
        let errors: Vec<&str> = errors.filter(|found| found.is_error()).map(|found| found.code).collect();
        assert_eq!(errors, [code], "{tests}");
    }

    #[test]
    fn asserts_belong_to_the_tests_that_they_mention() {
        let (compiler, path, compilation) = compile(
            "test one 'main.bicep' = {\n  params: { size: 1 }\n}\ntest two 'main.bicep' = {\n  params: { size: 2 }\n  after: one\n}\nvar kind = two.outputs.sku\n@description('why')\nassert same = (one.outputs.sku == 'Basic') && kind != 'x'\nassert fact = 1 < 2\n",
        );
        assert!(!compilation.has_errors(), "{:?}", compilation.findings);
        let file = compiler.test_file(&path);
        let names = |tests: &[usize]| -> Vec<String> {
            tests.iter().filter_map(|place| Some(file.tests.get(*place)?.name.clone())).collect()
        };
        let found: Vec<_> = file.asserts.iter().map(|it| (it.name.as_str(), names(&it.tests))).collect();
        assert_eq!(found, [("same", vec!["one".to_owned(), "two".to_owned()]), ("fact", vec![])]);
        assert_eq!(
            file.tests.iter().map(|it| names(&it.needs)).collect::<Vec<_>>(),
            [vec![], vec!["one".to_owned()]]
        );
        let same = file.asserts.first().unwrap();
        assert_eq!((same.parts.len(), same.description.as_deref()), (2, Some("why")));
        let template = compilation.template.unwrap();
        for part in ["test:one", "assert:same", "assert:same:1:left", "parameters('two').outputs.sku"] {
            assert!(template.contains(part), "{part}: {template}");
        }
    }

    #[test]
    fn bodies_and_results_are_typed() {
        refuses("test a 'main.bicep' = {\n  parms: {}\n  params: { size: 1 }\n}\n", "BCP037");
        refuses("test a 'main.bicep' = {\n  params: { size: 'x' }\n}\n", "BCP036");
        refuses("test a 'main.bicep' = {\n  params: {}\n}\n", "BCP035");
        refuses(
            "test a 'main.bicep' = {\n  params: { size: 1 }\n}\nassert b = a.outputs.no == 1\n",
            "BCP053",
        );
        refuses(
            "test a 'main.bicep' = {\n  params: { size: 1 }\n}\nassert b = a.resources.no == 1\n",
            "BCP053",
        );
        refuses("param x int\n", "not-in-test-file");
        refuses("test a 'none.bicep' = {}\n", "BCP091");
    }

    #[test]
    fn values_that_are_expected_to_be_refused_are_not_checked() {
        for body in [
            "params: { size: 'x' }\n  expect: { failure: true }",
            "params: {}\n  expect: { failure: { code: 'InvalidTemplate' } }",
            "params: { no: 1 }\n  expect: { failure: true }",
            "cases: { a: { params: { size: 1 } } }",
        ] {
            let (_, _, compilation) = compile(&format!("test a 'main.bicep' = {{\n  {body}\n}}\n"));
            assert!(!compilation.has_errors(), "{body}: {:?}", compilation.findings);
        }
    }

    #[test]
    fn functions_of_tests_are_there_in_test_files_alone() {
        let (_, _, compilation) =
            compile("assert a = matches({}, exactly({})) && testing.count([1], anything()) == 1\n");
        let template = compilation.template.unwrap();
        assert!(
            template.contains("testing.matches(createObject(), testing.exactly(createObject()))"),
            "{template}"
        );
        let world = MemoryWorld::default().with_file("/a.bicep", "output a bool = matches({}, {})\n");
        let generator = Generator { name: "bicep".into(), version: "dev".into() };
        let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
        assert!(compiler.compile(&FilePath::new("/a.bicep")).has_errors());
    }
}
