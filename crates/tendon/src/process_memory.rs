//! How much memory this process may use, and the budgets that follow from it.

use std::path::Path;

use arm::budget::{BudgetLimits, BudgetSource};

/// What is assumed where the system does not say it.
const UNKNOWN: u64 = 4 << 30;
/// The bytes of a page.
const PAGE: u64 = 4096;

/// The bytes that the process may use: the memory of the machine, or what its control group or its limits leave of that.
pub(crate) fn bytes() -> u64 {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| of_machine(&text));
    let groups = read("/proc/self/cgroup").map(|text| group_files(&text)).unwrap_or_default();
    let groups = groups.iter().filter_map(|file| read(file)?.trim().parse::<u64>().ok());
    let own = read("/proc/self/limits").and_then(|text| of_limits(&text));
    machine.into_iter().chain(groups).chain(own).min().unwrap_or(UNKNOWN)
}

/// How many bytes of the process are in memory now; none if the system does not say it.
pub(crate) fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(text.split_whitespace().nth(1)?.parse::<u64>().ok()?.saturating_mul(PAGE))
}

/// Where the accounts of deployments come from in this process.
pub(crate) fn budgets(limits: BudgetLimits) -> BudgetSource {
    BudgetSource::of_process(limits, bytes())
}

/// The memory in `/proc/meminfo`.
fn of_machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The address space in `/proc/self/limits`; none if it is unlimited.
fn of_limits(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The files with the limits of the control groups in `/proc/self/cgroup`, of both versions. In a container
/// the group is the root of what is mounted.
fn group_files(text: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max")
        } else if controllers.split(',').any(|controller| controller == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
        } else {
            continue;
        };
        // A group is bound by those around it, too.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            files.push(Path::new(root).join(group).join(name).display().to_string());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_all_limits_is_found_in_what_the_system_says() {
        assert_eq!(of_machine("MemTotal:       24658408 kB\nMemFree: 1 kB\n"), Some(24_658_408 << 10));
        let limits = "Limit                     Soft Limit           Hard Limit           Units\n\
                      Max address space         1073741824           unlimited            bytes\n";
        assert_eq!(of_limits(limits), Some(1 << 30));
        assert_eq!(
            of_limits("Max address space         unlimited            unlimited            bytes\n"),
            None
        );
        assert!(bytes() > 0);
    }

    #[test]
    fn groups_of_both_versions_and_those_around_them_are_looked_at() {
        let files = group_files("9:name=systemd:/\n4:cpu,memory:/a\n0::/b\n");
        let expected = [
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/b/memory.max",
            "/sys/fs/cgroup/memory.max",
        ];
        assert_eq!(files, expected);
    }
}
