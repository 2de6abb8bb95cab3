//! A report of a run of tests: what failed and why, and the programs with the lines that no test reached.

use maud::{Markup, html};

use crate::findings::counted;
use crate::report::{Status, document};
use crate::text::clean;

/// A run of tests.
#[derive(Clone, Debug)]
pub struct TestsPage {
    /// How it ended, which gives the page its colour.
    pub status: Status,
    /// How it ended, in a few words.
    pub verdict: String,
    /// What else is worth knowing: names and values.
    pub facts: Vec<(&'static str, String)>,
    /// The files with tests, in order.
    pub files: Vec<TestsOfFile>,
    /// The programs with what was reached of them; none if nobody looked.
    pub programs: Option<Vec<ReachedProgram>>,
    /// Changes of programs that no test noticed; none if nothing was changed.
    pub survivors: Option<Vec<String>>,
}

/// The tests of a file.
#[derive(Clone, Debug)]
pub struct TestsOfFile {
    /// The file, by the path that people gave.
    pub name: String,
    /// What is wrong with it.
    pub errors: Vec<String>,
    /// Its tests, in order.
    pub tests: Vec<TestRow>,
}

/// A row of the table of tests.
#[derive(Clone, Debug)]
pub struct TestRow {
    /// Its name, with its case.
    pub name: String,
    /// How it ended: one that was skipped has a warning.
    pub status: Status,
    /// How long it took.
    pub seconds: f64,
    /// What is wrong, with lines of the source; why it was skipped.
    pub notes: Vec<String>,
}

/// A program with what was reached of it.
#[derive(Clone, Debug)]
pub struct ReachedProgram {
    /// The file, by the path that people gave.
    pub name: String,
    /// The part of its labels that was met, in percent.
    pub percent: f64,
    /// Its lines, in order.
    pub lines: Vec<ReachedLine>,
}

/// A line of a program.
#[derive(Clone, Debug)]
pub struct ReachedLine {
    /// What is written there.
    pub text: String,
    /// How often it was met; none if nothing in it counts.
    pub hits: Option<u64>,
    /// What was not met of it.
    pub missing: Vec<String>,
}

impl ReachedLine {
    fn class(&self) -> &'static str {
        match (self.hits, self.missing.is_empty()) {
            (None, _) => "quiet",
            (Some(0), _) => "bad",
            (Some(_), false) => "change",
            (Some(_), true) => "good",
        }
    }
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Good => "passed",
        Status::Warning => "skipped",
        Status::Bad => "failed",
    }
}

/// The text of the file.
pub fn tests_report(page: &TestsPage) -> String {
    let main = html! {
        @for file in &page.files { (tests(file)) }
        @if let Some(survivors) = &page.survivors { (mutation(survivors)) }
        @if let Some(programs) = &page.programs {
            @for program in programs { (reached(program)) }
        }
    };
    document("Tests", page.status, &page.verdict, &page.facts, &main)
}

fn tests(file: &TestsOfFile) -> Markup {
    html! {
        section {
            h2 { (clean(&file.name)) " " span.count { (counted(file.tests.len(), "test")) } }
            @for error in &file.errors {
                article.bad { pre tabindex="0" aria-label="Error" { (clean(error)) } }
            }
            @for test in &file.tests {
                // What failed is open, so that nobody has to look for it.
                details open[test.status == Status::Bad] class=(test.status.class()) {
                    summary {
                        span.tag { (word(test.status)) } " " (clean(&test.name)) " "
                        span.count { (format!("{:.0} ms", test.seconds * 1000.0)) }
                    }
                    @for note in &test.notes { pre tabindex="0" aria-label="Why" { (clean(note)) } }
                }
            }
        }
    }
}

fn mutation(survivors: &[String]) -> Markup {
    html! {
        section {
            h2 { "Mutation" }
            @if survivors.is_empty() {
                p { "The tests noticed all changes." }
            } @else {
                p { (counted(survivors.len(), "change")) " no test noticed." }
                @for survivor in survivors {
                    article.change { pre tabindex="0" aria-label="Change" { (clean(survivor)) } }
                }
            }
        }
    }
}

fn reached(program: &ReachedProgram) -> Markup {
    html! {
        section {
            h2 { (clean(&program.name)) " " span.count { (format!("{:.1} % reached", program.percent)) } }
            div.wide tabindex="0" role="region" aria-label=(clean(&program.name)) {
                table.source {
                    thead { tr { th scope="col" { "Line" } th scope="col" { "Hits" } th scope="col" { "Source" } } }
                    tbody {
                        @for (place, line) in program.lines.iter().enumerate() {
                            tr class=(line.class()) {
                                td.number { (place + 1) }
                                td.number { @if let Some(hits) = line.hits { span.tag { (hits) } } }
                                td {
                                    pre { (clean(&line.text)) }
                                    @for missing in &line.missing { small.tag { (clean(missing)) } " " }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_strangers_write_is_text_and_lines_say_what_was_met() {
        const HOSTILE: &str = "</style><script>alert(1)</script>\u{202e}\"'&\u{0}";
        let line = |hits, missing: &[&str]| ReachedLine {
            text: HOSTILE.to_owned(),
            hits,
            missing: missing.iter().map(|it| (*it).to_owned()).collect(),
        };
        let lines = vec![line(None, &[]), line(Some(0), &[]), line(Some(2), &[HOSTILE]), line(Some(3), &[])];
        let test = TestRow {
            name: HOSTILE.to_owned(),
            status: Status::Bad,
            seconds: 0.5,
            notes: vec![HOSTILE.to_owned()],
        };
        let file =
            TestsOfFile { name: HOSTILE.to_owned(), errors: vec![HOSTILE.to_owned()], tests: vec![test] };
        let text = tests_report(&TestsPage {
            status: Status::Bad,
            verdict: HOSTILE.to_owned(),
            facts: vec![("asserts", HOSTILE.to_owned())],
            files: vec![file],
            programs: Some(vec![ReachedProgram { name: HOSTILE.to_owned(), percent: 50.0, lines }]),
            survivors: Some(vec![HOSTILE.to_owned()]),
        });
        assert!(!text.contains("<script") && !text.contains(['\u{202e}', '\u{0}']), "{text}");
        assert_eq!(text.matches("</style>").count(), 1);
        for class in ["quiet", "bad", "change", "good"] {
            assert!(text.contains(&format!("<tr class=\"{class}\">")), "{class}");
        }
        assert!(text.contains("<details open class=\"bad\">") && text.contains("50.0 % reached"));
        for way in ["src=", "href=", "url(", "@import", "<link", "<iframe", "<img", "<form"] {
            assert!(!text.contains(way), "{way}");
        }
    }
}
