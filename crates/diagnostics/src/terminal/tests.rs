//! How findings look.

use expect_test::{expect, expect_file};

use super::*;
use crate::Fix;

/// Takes spans marked as `«n text»` out of a text; `n` is the number of the span, and spans may nest.
fn unmark(file: FileId, marked: &str) -> (String, Vec<Span>) {
    let mut text = String::new();
    let mut spans = BTreeMap::new();
    let mut open = Vec::new();
    let mut characters = marked.chars();
    while let Some(character) = characters.next() {
        let at = text.len() as u32;
        match character {
            '«' => open.push((characters.next().unwrap(), at)),
            '»' => {
                let (number, start) = open.pop().unwrap();
                spans.insert(number, Span::new(file, start, at));
            }
            _ => text.push(character),
        }
    }
    (text, spans.into_values().collect())
}

fn render(sources: &SourceMap, diagnostic: &Diagnostic, style: Style) -> String {
    let mut out = String::new();
    write(&mut out, sources, diagnostic, style).unwrap();
    out
}

/// What a picture shows, the text with marks, and the labels: `«0 »` is the primary place, and the labels are those of the
/// marks, in order.
type Case<'c> = (&'static str, &'c str, &'c [&'static str]);

const PICTURES: &[Case<'_>] = &[
    ("the place is underlined", "var a = 1\nvar b = «0nane»\n", &[]),
    ("a label on the place stands at the caret", "var b = «0nane»", &["not found"]),
    (
        "labels on one line hang below the rightmost",
        "var «1b» = «2foo»(«0nane»)",
        &["not found", "declared here", "called here"],
    ),
    ("overlapping labels hang all", "var b = «1foo(«0nane»)»", &["not found", "in this call"]),
    ("overlapping labels hang all", "«0«1same»» place", &["first", "second"]),
    ("lines far apart are joined by a gap", "«1a»\nb\n«2c»\nd\ne\nf\n«0g»", &["here", "one", "two"]),
    (
        "a place over several lines runs beside them",
        "resource a 'x' = «0{\n  name: «1nane»\n}»\n",
        &["this object", "this name"],
    ),
    ("a long place shows its ends", "var a = «0[\n  1\n  2\n  3\n  4\n  5\n]»\n", &["this array"]),
    (
        "nested places have lanes of their own",
        "«1module m {\n  params: «0{\n    a: 1\n  }»\n}»\n",
        &["these parameters", "in this module"],
    ),
    ("a place that ends with the line break stays on its line", "«0var a = 1\n»var b = 2\n", &["this line"]),
    ("the end of the file can be marked", "var a = «0»", &["expected a value"]),
    ("the end of the file can be marked", "var a = 1\n«0»", &["expected a statement"]),
    ("the end of the file can be marked", "«0»", &["the file is empty"]),
    ("tabs and wide characters keep the marks in place", "\tvar\tb = «0nane»", &["not found"]),
    (
        "tabs and wide characters keep the marks in place",
        "var 名前 = '«0語😀»' // «1here»",
        &["wide", "after"],
    ),
    ("windows and old line breaks do not show", "var a = 1\r\nvar b = «0nane»\r\nvar c", &[]),
    ("windows and old line breaks do not show", "var a = 1\rvar b = «0nane\rvar» c", &["both"]),
    (
        "control characters are shown and not obeyed",
        "var a = '\u{1b}[2J\u{202e}' «0x»",
        &["after `\u{1b}[1m`"],
    ),
];

fn picture((_, marked, labels): Case<'_>) -> String {
    let mut sources = SourceMap::new();
    let (text, spans) = unmark(FileId(0), marked);
    sources.add("main.bicep", text);
    let found = Diagnostic::error("BCP000", "something is wrong").at(spans[0]);
    let found = spans.iter().zip(labels).fold(found, |found, (span, label)| match *label {
        "" => found,
        label => found.label(*span, label),
    });
    render(&sources, &found, Style::Plain)
}

#[test]
fn places_and_labels_are_drawn() {
    let pictures = PICTURES.iter().map(|case| format!("# {}\n\n{}", case.0, picture(*case)));
    expect_file!["pictures.txt"].assert_eq(&pictures.collect::<String>());
}

#[test]
fn long_lines_are_cropped_around_the_marks() {
    let json = format!("{}\"«0nane»\"{}«1]»", "[1,2],".repeat(5000), ",[3,4]".repeat(5000));
    let shown = picture(("", &json, &["unknown", "end of the list"]));
    expect![[r#"
        error[BCP000]: something is wrong
         --> main.bicep:1:30002
          |
        1 | …,[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],[1,2],"nane",[3,4],[3,4],[3,4],[3,4],[3,4],[3,4],[3,4],[3,4],…4],[3,4],[3,4],[3,4],[3,4],[3,4],[3,4],[3,4],[3,4]]
          |                                                    ^^^^                                                                                                     - end of the list
          |                                                    |
          |                                                    unknown

    "#]]
    .assert_eq(&shown);
}

#[test]
fn other_files_follow_the_file_of_the_place() {
    let mut sources = SourceMap::new();
    let module = sources.add("modules/storage.bicep", "param name string\n");
    let main = sources.add("main.bicep", "\n\n\nmodule m 'modules/storage.bicep' = {}\n");
    let found = Diagnostic::warning("BCP035", "the parameter `name` is missing")
        .at(Span::new(main, 3, 9))
        .label(Span::new(module, 6, 10), "declared here without a default")
        .label(Span::empty(FileId(9), 0), "a place that is gone")
        .help("add `name` to `params`\nor give it a default")
        .docs("https://example.org/BCP035");
    expect![[r#"
        warning[BCP035]: the parameter `name` is missing
         --> main.bicep:4:1
          |
        4 | module m 'modules/storage.bicep' = {}
          | ^^^^^^
          |
         ::: modules/storage.bicep:1:7
          |
        1 | param name string
          |       ---- declared here without a default
          |
          = note: a place that is gone
          = help: add `name` to `params`
                  or give it a default
          = docs: https://example.org/BCP035

    "#]]
    .assert_eq(&render(&sources, &found, Style::Plain));
}

#[test]
fn a_finding_without_a_place_is_its_message_and_notes() {
    let found = Diagnostic::info("I1", "nothing to do").help("give a file");
    expect![[r#"
        info[I1]: nothing to do
          = help: give a file

    "#]]
    .assert_eq(&render(&SourceMap::new(), &found, Style::Plain));
}

#[test]
fn a_short_fix_is_shown_as_a_change() {
    let mut sources = SourceMap::new();
    let file = sources.add("main.bicep", "var a = 1\nvar b = '${a}'\nvar c = 3\n");
    let found = Diagnostic::warning("simplify", "the interpolation does nothing")
        .at(Span::new(file, 18, 24))
        .fix(
            Fix::new("use `a` itself")
                .replace(Span::new(file, 18, 21), "")
                .replace(Span::new(file, 22, 24), ""),
        )
        .fix(Fix::new("add a comment").replace(Span::empty(file, 10), "// why\n\t"));
    expect![[r#"
        warning[simplify]: the interpolation does nothing
         --> main.bicep:2:9
          |
        2 | var b = '${a}'
          |         ^^^^^^
          |
          = fix: use `a` itself
        2 - var b = '${a}'
        2 + var b = a
          = fix: add a comment
        2 - var b = '${a}'
        2 + // why
        3 +     var b = '${a}'

    "#]]
    .assert_eq(&render(&sources, &found, Style::Plain));
}

#[test]
fn a_long_or_impossible_fix_is_told_by_its_title() {
    let mut sources = SourceMap::new();
    let file = sources.add("main.bicep", "x\n".repeat(50));
    let other = sources.add("b.bicep", "y");
    let found = Diagnostic::warning("W", "m")
        .fix(Fix::new("too long").replace(Span::new(file, 0, 60), "z"))
        .fix(Fix::new("two files").replace(Span::new(file, 0, 1), "z").replace(Span::new(other, 0, 1), "z"))
        .fix(Fix::new("overlap").replace(Span::new(file, 0, 1), "z").replace(Span::new(file, 0, 1), "z"))
        .fix(Fix::new("past the end").replace(Span::new(file, 99, 400), "z"))
        .fix(Fix::new("empty"));
    expect![[r#"
        warning[W]: m
          = fix: too long
          = fix: two files
          = fix: overlap
          = fix: past the end
          = fix: empty

    "#]]
    .assert_eq(&render(&sources, &found, Style::Plain));
}

#[test]
fn colours_come_only_when_asked() {
    let mut sources = SourceMap::new();
    let file = sources.add("a", "x y");
    let found =
        Diagnostic::error("E", "m").at(Span::new(file, 0, 1)).label(Span::new(file, 2, 3), "l").help("h");
    let colour = render(&sources, &found, Style::Colour);
    expect![[r#"
        ␛[1;91merror[E]␛[0m␛[1m: m␛[0m
         ␛[1;94m--> ␛[0ma:1:1
          ␛[1;94m|␛[0m
        ␛[1;94m1 | ␛[0mx y
          ␛[1;94m| ␛[0m␛[1;91m^ ␛[0m␛[1;94m- l␛[0m
          ␛[1;94m|␛[0m
          ␛[1;94m= ␛[0m␛[1mhelp␛[0m: h

    "#]]
    .assert_eq(&colour.replace('\u{1b}', "␛"));
    assert!(!render(&sources, &found, Style::Plain).contains('\u{1b}'));
}

#[test]
fn a_hidden_part_is_masked_in_every_line_and_what_is_around_it_stays() {
    let mut sources = SourceMap::new();
    let (text, spans) =
        unmark(FileId(0), "«0{ user: 'ann', key: «1'hunter2'»,\n  note: «2'first\n  second'» }»\n");
    sources.add("a.json", text);
    sources.hide([spans[1], spans[2]]);
    let found =
        Diagnostic::error("E", "m").at(spans[0]).label(Span::empty(FileId(0), spans[1].start), "this");
    let shown = render(&sources, &found, Style::Plain);
    expect![[r#"
        error[E]: m
         --> a.json:1:1
          |
        1 |   { user: 'ann', key: ********,
          |                       - this
          |  _^
        2 | |   note: ********
        3 | | ******** }
          | |__________^

    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_withheld_file_is_named_but_none_of_its_lines_is_shown() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.json", "one\n'hunter2'");
    sources.withhold(file);
    let found = Diagnostic::error("E", "m")
        .at(Span::new(file, 4, 13))
        .label(Span::new(file, 4, 13), "here")
        .fix(Fix::new("remove it").replace(Span::new(file, 4, 13), ""))
        .help("look");
    expect![[r#"
        error[E]: m
         --> a.json:2:1
          |
          = note: here
          = help: look
          = fix: remove it

    "#]]
    .assert_eq(&render(&sources, &found, Style::Plain));
}

#[test]
fn a_fix_in_a_line_with_a_hidden_part_is_told_by_its_title() {
    let mut sources = SourceMap::new();
    let file = sources.add("a.json", "{ a: 'hunter2', b: 1 }");
    sources.hide([Span::new(file, 5, 14)]);
    let found = Diagnostic::error("E", "m")
        .at(Span::new(file, 16, 17))
        .fix(Fix::new("rename").replace(Span::new(file, 16, 17), "c"));
    let shown = render(&sources, &found, Style::Plain);
    assert!(shown.contains("fix: rename") && !shown.contains("hunter2"), "{shown}");
}
