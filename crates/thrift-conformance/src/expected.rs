//! Failures that are known: a list in a file, with a reason for each, that only shrinks.
//!
//! A line is `B04/2: reason` for one request or `B04: reason` for all requests of a case; empty lines and lines that
//! start with `#` are for people.

/// A list of expected failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectedFailures {
    /// The lines that name something.
    pub entries: Vec<ExpectedFailure>,
}

/// One line of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedFailure {
    /// The case or request.
    pub case: String,
    /// Why it fails, for people.
    pub reason: String,
    /// The number of the line, from one.
    pub line: usize,
}

impl ExpectedFailures {
    /// Reads a list; the error says what is wrong with which line.
    pub fn parse(text: &str) -> Result<ExpectedFailures, String> {
        let mut entries: Vec<ExpectedFailure> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (case, reason) = text
                .split_once(':')
                .map(|(case, reason)| (case.trim(), reason.trim()))
                .filter(|(case, reason)| !case.is_empty() && !reason.is_empty())
                .ok_or_else(|| format!("line {line}: write `CASE: reason`, found `{text}`"))?;
            if let Some(first) = entries.iter().find(|entry| entry.case == case) {
                return Err(format!("line {line}: `{case}` is already in line {}", first.line));
            }
            entries.push(ExpectedFailure { case: case.to_owned(), reason: reason.to_owned(), line });
        }
        Ok(ExpectedFailures { entries })
    }

    /// The line that expects a request to fail: its own, or that of its case.
    pub fn find(&self, request: &str) -> Option<&ExpectedFailure> {
        let case = request.split('/').next().unwrap_or(request);
        let line = |name: &str| self.entries.iter().find(|entry| entry.case == name);
        line(request).or_else(|| line(case))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_a_request_or_a_case() {
        let list = ExpectedFailures::parse("# why\n\nA01: no such rule\nA02/2: crashes: always\n").unwrap();
        assert_eq!(list.find("A01/7").map(|it| it.line), Some(3));
        assert_eq!(list.find("A02/2").map(|it| it.reason.as_str()), Some("crashes: always"));
        assert_eq!(list.find("A02/1"), None);
    }

    #[test]
    fn every_line_has_a_reason_and_is_there_once() {
        for (text, error) in [
            ("A01", "line 1: write `CASE: reason`, found `A01`"),
            ("A01:", "line 1: write `CASE: reason`, found `A01:`"),
            ("A01: x\nA01: y", "line 2: `A01` is already in line 1"),
        ] {
            assert_eq!(ExpectedFailures::parse(text), Err(error.to_owned()));
        }
    }
}
