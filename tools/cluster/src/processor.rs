//! Processor time of processes, as Linux counts it: unlike the time that passes, it hardly depends on what else the machine does.

use std::path::Path;
use std::time::Duration;

/// The processor time of a process; with its children, the living and the dead, if that is wanted.
///
/// The system counts in hundredths of a second. Where it does not tell, it is zero.
pub(crate) fn time(process: u32, with_children: bool) -> Duration {
    let fields = if with_children { 4 } else { 2 };
    let own = ticks(process, fields);
    let children = if with_children { children(process) } else { Vec::new() };
    let ticks = children.into_iter().fold(own, |sum, child| sum + self::ticks(child, 4));
    Duration::from_millis(ticks * 10)
}

/// The sum of the first fields of user time, system time, and those of children that have ended.
fn ticks(process: u32, fields: usize) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // The name of the process is in parentheses and may hold blanks.
    let rest = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
    rest.split(' ').skip(11).take(fields).filter_map(|field| field.parse::<u64>().ok()).sum()
}

fn children(process: u32) -> Vec<u32> {
    let path = format!("/proc/{process}/task/{process}/children");
    let text = std::fs::read_to_string(Path::new(&path)).unwrap_or_default();
    text.split_whitespace().filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn work_is_counted() {
        let before = time(std::process::id(), false);
        let began = Instant::now();
        let mut sum = 0u64;
        while time(std::process::id(), false) < before + Duration::from_millis(20) {
            sum = std::hint::black_box(sum).wrapping_mul(31);
            assert!(began.elapsed() < Duration::from_secs(60), "nothing was counted");
        }
        assert!(time(std::process::id(), true) >= before + Duration::from_millis(20));
        assert_eq!(time(u32::MAX, true), Duration::ZERO);
    }
}
