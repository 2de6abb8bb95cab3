//! Sessions: outputs that hold what is asked together with what is answered.

use crate::document::Case;

/// Plays the expected output of that name: every statement goes to `answer`, and what comes back replaces the lines below it.
/// `None` if the case expects no such output.
///
/// A statement is a line that begins with `> ` and the lines directly below it that begin with `+ `; it reaches `answer` without
/// these marks. Lines that begin with `# ` are comments. Empty lines above a statement or a comment stay, those in answers go.
pub fn play_session(case: &Case, output: &str, mut answer: impl FnMut(&str) -> String) -> Option<String> {
    let session = case.expectations.iter().find(|expectation| expectation.name == output)?;
    let mut played = String::new();
    let mut statement: Option<String> = None;
    let mut empty_lines = 0;
    let lines = session.text.lines().map(Some).chain([None]);
    for line in lines {
        if let (Some(text), Some(more)) = (&mut statement, line.and_then(|line| line.strip_prefix("+ "))) {
            text.push('\n');
            text.push_str(more);
            push_line(&mut played, line.unwrap_or_default());
            continue;
        }
        if let Some(text) = statement.take() {
            answer(&text)
                .lines()
                .filter(|line| !line.is_empty())
                .for_each(|line| push_line(&mut played, line));
        }
        let line = line.unwrap_or_default();
        if line.is_empty() {
            empty_lines += 1;
            continue;
        }
        statement = line.strip_prefix("> ").map(str::to_owned);
        if statement.is_some() || line.starts_with("# ") {
            (0..empty_lines).for_each(|_| played.push('\n'));
            push_line(&mut played, line);
        }
        empty_lines = 0;
    }
    Some(played)
}

fn push_line(played: &mut String, line: &str) {
    played.push_str(line);
    played.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn played(text: &str) -> String {
        let document = Document::parse(&format!("# A\n\n```output session\n{text}```\n")).unwrap();
        let mut count = 0;
        let count = |statement: &str| {
            count += 1;
            format!("{count}: {}", statement.replace('\n', " | "))
        };
        play_session(&document.cases[0], "session", count).unwrap()
    }

    #[test]
    fn answers_replace_the_lines_below_their_statement() {
        assert_eq!(played("> a\nold\nold\n> b\n"), "> a\n1: a\n> b\n2: b\n");
    }

    #[test]
    fn a_statement_may_have_several_lines() {
        assert_eq!(played("> a\n+ b\n+ c\nold\n"), "> a\n+ b\n+ c\n1: a | b | c\n");
    }

    #[test]
    fn comments_and_empty_lines_between_statements_stay() {
        let right = "# One.\n> a\n1: a\n\n# Two.\n\n> b\n2: b\n";
        assert_eq!(played(right), right);
    }

    #[test]
    fn what_answers_nothing_does_not_stay() {
        assert_eq!(played("old\n+ old\n> a\n\nold\n"), "> a\n1: a\n");
    }
}
