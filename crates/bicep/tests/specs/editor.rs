//! Runs the documents in `resources/editor`: each case is a program with a cursor, written `$0`, and what an editor is told there.
//!
//! The name of an output is the question. All files of a case are the workspace; the types of Azure's resources are those in the
//! folder `azure`, if there is one.

use std::fmt::Write as _;
use std::sync::Arc;

use ::diagnostics::{Columns, LineIndex};
use bicep::editor::{self, Access, DocumentSymbol};
use bicep::{Compiler, CompilerOptions, FilePath, Generator, MemoryWorld};
use spec_test::{Case, CaseOutput};
use syntax::Span;

/// What a document writes where the cursor is.
const CURSOR: &str = "$0";

/// A case with its cursor.
struct Asked {
    compiler: Compiler,
    path: FilePath,
    offset: u32,
    workspace: Vec<FilePath>,
    texts: Vec<(FilePath, String)>,
}

pub(super) fn run(case: &Case) -> CaseOutput {
    let asked = match Asked::read(case) {
        Ok(asked) => asked,
        Err(why) => return CaseOutput::error(why),
    };
    let mut outcome = CaseOutput::new();
    for (name, answer) in QUESTIONS {
        if case.expects(name) {
            outcome = outcome.output(*name, answer(&asked));
        }
    }
    outcome
}

/// A question, as an output block names it, and its answer as text.
type Question = (&'static str, fn(&Asked) -> String);

const QUESTIONS: &[Question] = &[
    ("symbols", |it| {
        let mut text = String::new();
        for symbol in editor::document_symbols(&it.compiler, &it.path) {
            outline(&mut text, &symbol, 0);
        }
        text
    }),
    ("definition", |it| match editor::definition(&it.compiler, &it.path, it.offset) {
        Some(found) => {
            let from = it.place(&it.path, found.origin);
            format!("{from} is declared at {}", it.place(&found.path, found.name_span))
        }
        None => "nothing".to_owned(),
    }),
    ("references", |it| {
        let found = editor::references(&it.compiler, &it.path, it.offset, &it.workspace, true);
        let lines: Vec<String> = found.iter().map(|found| it.place(&found.path, found.span)).collect();
        lines.join("\n")
    }),
    ("highlight", |it| {
        let found = editor::highlight(&it.compiler, &it.path, it.offset);
        let lines = found.iter().map(|found| {
            let access = match found.access {
                Access::Declaration => "declaration",
                Access::Write => "write",
                Access::Read => "read",
            };
            format!("{}: {access}", it.place(&it.path, found.span))
        });
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("rename", |it| match editor::rename(&it.compiler, &it.path, it.offset, "renamed", &it.workspace) {
        Ok(files) => {
            let mut text = String::new();
            for file in files {
                let mut changed = it.text(&file.path).to_owned();
                for (span, new) in file.edits.iter().rev() {
                    changed.replace_range(span.start as usize..span.end as usize, new);
                }
                let _written =
                    writeln!(text, "{}:\n{}", file.path.as_str().trim_start_matches('/'), changed.trim_end());
            }
            text
        }
        Err(error) => format!("error: {error}"),
    }),
    ("hover", |it| match editor::hover(&it.compiler, &it.path, it.offset) {
        Some(found) => found.markdown.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"),
        None => "nothing".to_owned(),
    }),
    ("tokens", |it| {
        let text = it.text(&it.path);
        let found = editor::semantic_tokens(&it.compiler, &it.path, None);
        let lines = found.iter().map(|token| format!("{}: {}", token.span.text(text), token.kind.name()));
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("signature", |it| match editor::signature_help(&it.compiler, &it.path, it.offset) {
        Some(found) => {
            let lines = found.signatures.iter().enumerate().map(|(place, signature)| {
                let mut label = signature.label.clone();
                if let Some(parameter) = signature.parameters.get(found.argument) {
                    label.insert(parameter.end, '>');
                    label.insert(parameter.start, '<');
                }
                let mark = if found.active == Some(place) { "* " } else { "  " };
                format!("{mark}{label}")
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        None => "nothing".to_owned(),
    }),
    ("workspace", |it| {
        let found = editor::workspace_symbols(&it.compiler, &it.workspace, "na", 100);
        let lines = found.iter().map(|symbol| {
            let place = &symbol.location;
            format!("{:?} {}", symbol.kind, it.place(&place.path, place.span))
        });
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("folding", |it| {
        let lines = LineIndex::new(it.text(&it.path));
        let line = |offset| lines.position(offset, Columns::Utf16).line;
        let found = editor::folding(&it.compiler, &it.path);
        let shown = found
            .iter()
            .map(|fold| format!("{}-{} {:?}", line(fold.span.start), line(fold.span.end), fold.kind));
        shown.collect::<Vec<_>>().join("\n")
    }),
    ("selection", |it| {
        let found = editor::selection_ranges(&it.compiler, &it.path, it.offset);
        let text = it.text(&it.path);
        found.iter().map(|span| span.text(text).trim_end()).collect::<Vec<_>>().join("\n---\n")
    }),
    ("links", |it| {
        let found = editor::document_links(&it.compiler, &it.path);
        let lines = found.iter().map(|link| format!("{} -> {}", it.place(&it.path, link.span), link.path));
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("hints", |it| {
        let mut text = it.text(&it.path).to_owned();
        let whole = Span::new(0, u32::MAX);
        for hint in editor::inlay_hints(&it.compiler, &it.path, whole).iter().rev() {
            text.insert_str(hint.offset as usize, &format!("<{}>", hint.label));
        }
        text
    }),
    ("lenses", |it| {
        let found = editor::code_lenses(&it.compiler, &it.path);
        let lines =
            found.iter().map(|lens| format!("{}: {}", it.place(&it.path, lens.span), lens.size.title()));
        lines.collect::<Vec<_>>().join("\n")
    }),
    ("hierarchy", |it| {
        let Some(about) = editor::prepare_call_hierarchy(&it.compiler, &it.path, it.offset) else {
            return "nothing".to_owned();
        };
        let mut text = format!("{about}\n");
        for call in editor::incoming_calls(&it.compiler, &about, &it.workspace) {
            for span in call.spans {
                let _written = writeln!(text, "used at {}", it.place(&call.path, span));
            }
        }
        for call in editor::outgoing_calls(&it.compiler, &about) {
            for span in call.spans {
                let _written = writeln!(text, "uses {} at {}", call.path, it.place(&about, span));
            }
        }
        text
    }),
];

impl Asked {
    fn read(case: &Case) -> Result<Asked, String> {
        let mut world = MemoryWorld::default();
        let mut cursor = None;
        let mut texts = Vec::new();
        for file in &case.files {
            let path = FilePath::new(&format!("/{}", file.name));
            let mut text = file.text.clone();
            if let Some(offset) = text.find(CURSOR) {
                text.replace_range(offset..offset + CURSOR.len(), "");
                cursor = Some((path.clone(), u32::try_from(offset).map_err(|error| error.to_string())?));
            }
            world = world.with_file(path.as_str(), &text);
            texts.push((path, text));
        }
        let main = || (FilePath::new("/main.bicep"), 0);
        let (path, offset) = cursor.unwrap_or_else(main);
        let generator = Generator { name: "bicep".into(), version: "dev".into() };
        let options =
            CompilerOptions { az_types: crate::azure::types(case), ..CompilerOptions::new(generator) };
        let compiler = Compiler::new(Arc::new(world), options);
        let workspace = texts.iter().map(|(path, _)| path.clone()).collect();
        Ok(Asked { compiler, path, offset, workspace, texts })
    }

    fn text(&self, path: &FilePath) -> &str {
        self.texts.iter().find(|(known, _)| known == path).map_or("", |(_, text)| text)
    }

    /// A place as people write it, with the text that is there.
    fn place(&self, path: &FilePath, span: Span) -> String {
        let text = self.text(path);
        let place = LineIndex::new(text).position(span.start, Columns::Utf16);
        let name = path.as_str().trim_start_matches('/');
        let shown = span.text(text);
        format!("{name}:{}:{}{}{shown}", place.line, place.column, if shown.is_empty() { "" } else { " " })
    }
}

fn outline(text: &mut String, symbol: &DocumentSymbol, depth: usize) {
    let _written = writeln!(text, "{}{:?} {}: {}", "  ".repeat(depth), symbol.kind, symbol.name, symbol.ty);
    for child in &symbol.children {
        outline(text, child, depth + 1);
    }
}
