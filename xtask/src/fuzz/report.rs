//! Reads what libFuzzer says about a run, and prints the table.

use std::path::Path;

/// The figures of one run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) target: String,
    executions: u64,
    per_second: u64,
    /// The number of covered edges.
    coverage: u64,
    failure: Option<Failure>,
}

/// How a run that failed left its traces.
#[derive(Debug, PartialEq, Eq)]
enum Failure {
    /// The input that made it fail.
    Input(String),
    /// The log, when there is no input to blame: the target did not start, for instance.
    Log(String),
}

impl Report {
    pub(super) fn read(target: &str, ok: bool, log: &str, log_path: &Path) -> Report {
        let after = |line: &str, mark: &str| line.split_once(mark).and_then(|(_, rest)| first_number(rest));
        let last = |mark: &str| log.lines().rev().find_map(|line| after(line, mark));
        let artifact =
            log.lines().find_map(|line| Some(line.split_once("Test unit written to ")?.1.to_owned()));
        Report {
            target: target.to_owned(),
            // A run that ends early has no final statistics; its last progress line starts with the count.
            executions: last("stat::number_of_executed_units:")
                .or_else(|| log.lines().rev().find_map(|line| first_number(line.strip_prefix('#')?)))
                .unwrap_or(0),
            per_second: last("stat::average_exec_per_sec:").or_else(|| last(" exec/s: ")).unwrap_or(0),
            coverage: last(" cov: ").unwrap_or(0),
            failure: (!ok).then(|| {
                artifact.map_or_else(|| Failure::Log(log_path.display().to_string()), Failure::Input)
            }),
        }
    }

    /// What was found and how to see it again.
    pub(super) fn finding(&self) -> Option<String> {
        let target = &self.target;
        Some(match self.failure.as_ref()? {
            Failure::Input(path) => format!(
                "`{target}` failed on {path}\nrun it again: cargo xtask fuzz --target {target} --input {path}"
            ),
            Failure::Log(path) => format!("`{target}` failed without an input to blame; its log is {path}"),
        })
    }
}

/// The table of a whole run, one row per target.
pub(super) fn table(reports: &[Report]) -> String {
    let width = reports.iter().map(|report| report.target.len()).max().unwrap_or(0).max("target".len());
    let mut rows = vec![format!(
        "{:<width$}  {:>12}  {:>8}  {:>8}  findings",
        "target", "executions", "exec/s", "coverage"
    )];
    rows.extend(reports.iter().map(|report| {
        let Report { target, executions, per_second, coverage, failure } = report;
        let findings = u8::from(failure.is_some());
        format!("{target:<width$}  {executions:>12}  {per_second:>8}  {coverage:>8}  {findings}")
    }));
    rows.join("\n")
}

fn first_number(text: &str) -> Option<u64> {
    let digits = text.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "\
#3\tINITED cov: 510 ft: 692 corp: 2/251b exec/s: 0 rss: 27Mb
#65536\tpulse  cov: 744 ft: 2691 corp: 405/21Kb lim: 652 exec/s: 32768 rss: 28Mb
Done 551883 runs in 11 second(s)
stat::number_of_executed_units: 551883
stat::average_exec_per_sec:     50171
";

    const BAD: &str = "\
#3\tINITED cov: 510 ft: 692 corp: 2/251b exec/s: 0 rss: 27Mb
#1024\tNEW    cov: 530 ft: 700 corp: 9/512b lim: 8 exec/s: 512 rss: 28Mb L: 5/8 MS: 1 CopyPart-
thread '<unnamed>' panicked at fuzz_targets/demo.rs:9:5:
==7== ERROR: libFuzzer: deadly signal
artifact_prefix='fuzz/artifacts/demo/'; Test unit written to fuzz/artifacts/demo/crash-0a1b
";

    fn read(ok: bool, log: &str) -> Report {
        Report::read("demo", ok, log, Path::new("fuzz/artifacts/demo/log"))
    }

    #[test]
    fn a_quiet_run_is_read_from_its_final_statistics() {
        let report = read(true, GOOD);
        assert_eq!((report.executions, report.per_second, report.coverage), (551_883, 50_171, 744));
        assert_eq!(report.finding(), None);
    }

    #[test]
    fn a_finding_names_its_input_and_the_command_that_shows_it_again() {
        let report = read(false, BAD);
        assert_eq!((report.executions, report.per_second, report.coverage), (1024, 512, 530));
        assert_eq!(
            report.finding().unwrap(),
            "`demo` failed on fuzz/artifacts/demo/crash-0a1b\n\
             run it again: cargo xtask fuzz --target demo --input fuzz/artifacts/demo/crash-0a1b"
        );
    }

    #[test]
    fn a_target_that_fails_without_an_input_points_to_its_log() {
        assert_eq!(
            read(false, "").finding().unwrap(),
            "`demo` failed without an input to blame; its log is fuzz/artifacts/demo/log"
        );
    }

    #[test]
    fn the_table_has_a_row_per_target() {
        assert_eq!(
            table(&[read(true, GOOD), read(false, BAD)]),
            "target    executions    exec/s  coverage  findings\n\
             demo          551883     50171       744  0\n\
             demo            1024       512       530  1"
        );
    }
}
