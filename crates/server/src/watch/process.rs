//! What the system says of the process: processor time, memory, open files. Where it says nothing, as on other systems than Linux, there is nothing.

use std::fs;
use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many ticks of processor time a second has for Linux, on every machine that it runs on.
const TICKS: u64 = 100;
/// The bytes of a page, of which the system counts the resident ones.
const PAGE: u64 = 4096;

/// What is known of the process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessFigures {
    /// Processor time, in milliseconds.
    pub(super) processor: u64,
    /// Resident memory, in bytes.
    pub(super) memory: u64,
    pub(super) files: u64,
    /// How many files may be open.
    pub(super) most_files: u64,
    /// When the process began to count, in seconds since 1970.
    pub(super) since: u64,
}

impl ProcessFigures {
    /// As they are now.
    pub(super) fn now() -> ProcessFigures {
        let read = |name: &str| fs::read_to_string(format!("/proc/self/{name}")).unwrap_or_default();
        let files = fs::read_dir("/proc/self/fd").map_or(0, |files| files.count() as u64);
        let figures = figures(&read("stat"), &read("limits"));
        ProcessFigures { files, since: since(), ..figures }
    }
}

/// When this was asked first, which a server does when it starts.
pub(super) fn since() -> u64 {
    static SINCE: OnceLock<u64> = OnceLock::new();
    *SINCE.get_or_init(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}

fn figures(stat: &str, limits: &str) -> ProcessFigures {
    // The name of the program may have anything in it, and ends with the last parenthesis.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    let ticks = number(11).saturating_add(number(12));
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let most_files = line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0);
    ProcessFigures {
        processor: ticks.saturating_mul(1000 / TICKS),
        memory: number(21).saturating_mul(PAGE),
        most_files,
        ..ProcessFigures::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_behind_any_name() {
        let stat =
            "7 (a) b) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 9 0 100 1000000 300 18446744073709551615";
        let limits = "Max processes  100 100 processes\nMax open files            1024                 4096                 files\n";
        let found = figures(stat, limits);
        assert_eq!((found.processor, found.memory, found.most_files), (3_000, 300 * PAGE, 1_024));
        assert_eq!(figures("", ""), ProcessFigures::default());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_has_memory_and_files() {
        let found = ProcessFigures::now();
        assert!(found.memory > 0 && found.files > 0 && found.most_files > 0 && found.since > 0);
    }
}
