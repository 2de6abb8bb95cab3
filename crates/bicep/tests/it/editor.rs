//! Questions of an editor have an answer at every place of every program, also of one that is being written.

use std::sync::Arc;

use bicep::editor;
use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use syntax::Span;

const LIB: &str = "@export()\ntype t = { a: int, b: t? }\n@export()\nfunc f(a t) string => ''\nparam p t = { a: 1 }\noutput o string = f(p)\n";

const PROGRAMS: &[&str] = &[
    "import { t, f as g } from 'lib.bicep'\nimport * as l from 'lib.bicep'\nparam p t\nvar v = g(p)\nvar w = l.f(p)\n",
    "module m 'lib.bicep' = [for (x, i) in [1]: if (x > i) {\n  name: 'm'\n  params: { p: { a: x, 'b': null } }\n}]\noutput o string = m[0].outputs.o\n",
    "resource a 'x.y/z@2020-01-01' = {\n  name: 'a'\n  resource b 'w' = { name: '${a.name}/b' }\n  dependsOn: [a::b]\n}\n",
    "@minLength(1)\n@description('''x\ny''')\nparam a string = 'ä\u{1F600}\\u{1F600}${toLower(sys.toUpper('a'))}'\n// c\n/* d */ var x = map([1], y => y + 1) // e",
    "func f(\nparam\nvar x = {\n  a: [\n  b.\n  c(\n  '${\n",
    "var x = x\ntype t = t\nvar y = z.\nvar z = y[\nresource\nmodule a '' = {\n  params: {",
    "extension kubernetes with {} as k\ntargetScope = 'tenant'\nassert a = true\n#disable-next-line x\ntest t 'lib.bicep' = { params: {} }\nvar s = loadTextContent('lib.bicep')",
    "",
    "\u{feff}\r\nvar a = 1\r\n\r\nvar b = a\r",
];

const PARAMETERS: &[&str] = &[
    "using 'lib.bicep'\nparam p = { a: 1 }\nvar x = p.a\n",
    "extends 'base.bicepparam'\nusing none\nparam q = base.p\nextensionConfig k with {",
];

fn ask_everything(name: &str, text: &str) {
    let path = FilePath::new(name);
    let world = MemoryWorld::default()
        .with_file("/lib.bicep", LIB)
        .with_file("/base.bicepparam", "using 'lib.bicep'\nparam p = { a: 1 }\n")
        .with_file(name, text);
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let workspace = [FilePath::new("/lib.bicep"), path.clone(), FilePath::new("/missing.bicep")];
    // The mark at the start of a file is not a part of its text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let end = u32::try_from(text.len()).unwrap();
    let inside = |span: Span| {
        assert!(span.start <= span.end && span.end <= end, "{span:?} of {text:?}");
        assert!(text.is_char_boundary(span.start as usize) && text.is_char_boundary(span.end as usize));
    };
    for offset in (0..=end).chain([end + 1, u32::MAX]) {
        if let Some(hover) = editor::hover(&compiler, &path, offset) {
            inside(hover.span);
        }
        if let Some(found) = editor::definition(&compiler, &path, offset) {
            inside(found.origin);
            assert!(found.span.encloses(found.name_span), "{found:?}");
        }
        for found in editor::references(&compiler, &path, offset, &workspace, true) {
            if found.path == path {
                inside(found.span);
            }
        }
        editor::highlight(&compiler, &path, offset).iter().for_each(|found| inside(found.span));
        if let Ok((span, name)) = editor::prepare_rename(&compiler, &path, offset) {
            assert_eq!(span.text(text), name);
        }
        if let Ok(files) = editor::rename(&compiler, &path, offset, "fresh", &workspace) {
            for file in files {
                assert!(file.edits.is_sorted_by(|(one, _), (other, _)| one.end <= other.start), "{file:?}");
            }
        }
        if let Some(help) = editor::signature_help(&compiler, &path, offset) {
            for signature in &help.signatures {
                for parameter in &signature.parameters {
                    assert!(signature.label.get(parameter.clone()).is_some());
                }
            }
        }
        let ranges = editor::selection_ranges(&compiler, &path, offset);
        assert!(ranges.is_sorted_by(|one, other| other.encloses(*one) && one != other), "{ranges:?}");
        let _found = editor::prepare_call_hierarchy(&compiler, &path, offset);
        let some = Span::new(offset, offset.saturating_add(5));
        let _found = editor::semantic_tokens(&compiler, &path, Some(some));
        let _found = editor::inlay_hints(&compiler, &path, some);
    }
    let tokens = editor::semantic_tokens(&compiler, &path, None);
    assert!(tokens.is_sorted_by(|one, other| one.span.end <= other.span.start), "{tokens:?}");
    tokens.iter().for_each(|token| inside(token.span));
    for symbol in editor::document_symbols(&compiler, &path) {
        inside(symbol.span);
        assert!(symbol.span.encloses(symbol.name_span), "{symbol:?}");
    }
    editor::folding(&compiler, &path).iter().for_each(|fold| inside(fold.span));
    editor::document_links(&compiler, &path).iter().for_each(|link| inside(link.span));
    editor::code_lenses(&compiler, &path).iter().for_each(|lens| inside(lens.span));
    let whole = Span::new(0, u32::MAX);
    editor::inlay_hints(&compiler, &path, whole).iter().for_each(|hint| assert!(hint.offset <= end));
    let _found = editor::workspace_symbols(&compiler, &workspace, "", 10);
    let _found = editor::incoming_calls(&compiler, &path, &workspace);
}

#[test]
fn every_question_has_an_answer_at_every_place() {
    for program in PROGRAMS {
        ask_everything("/main.bicep", program);
    }
    for program in PARAMETERS {
        ask_everything("/main.bicepparam", program);
    }
}

#[test]
fn programs_that_are_cut_off_have_answers_too() {
    for program in PROGRAMS {
        for start in (0..program.len()).filter_map(|place| program.get(..place)).step_by(7) {
            ask_everything("/main.bicep", start);
        }
    }
}

#[test]
fn what_is_shown_of_a_large_file_is_short() {
    let program = "var text = loadTextContent('large.txt')\nvar both = { one: text }\nvar one = both.one\n";
    let world = MemoryWorld::default()
        .with_file("/main.bicep", program)
        .with_file("/large.txt", "\u{1F600} much text ".repeat(5_000));
    let generator = Generator { name: "bicep".to_owned(), version: "dev".to_owned() };
    let compiler = Compiler::new(Arc::new(world), CompilerOptions::new(generator));
    let path = FilePath::new("/main.bicep");
    let hover = editor::hover(&compiler, &path, 4).unwrap();
    assert!(
        hover.markdown.starts_with("```bicep\nvar text: '\u{1F600} much") && hover.markdown.len() < 9_000
    );
    assert!(editor::document_symbols(&compiler, &path).iter().all(|symbol| symbol.ty.len() < 1_100));
    let place = u32::try_from(program.rfind("one\n").unwrap()).unwrap();
    let items = editor::completion::complete(&compiler, &path, place);
    assert!(items.iter().all(|item| item.documentation.as_ref().is_none_or(|text| text.len() < 9_000)));
}
