//! Looks at the memory of the process while it serves: budgets count values, and whatever else is made has to fit beside them.

use std::sync::{Arc, Weak};
use std::time::Duration;

use arm::budget::{MemoryPool, MemoryPressure};

use crate::process_memory::resident;

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(20);
/// From how many percent of the memory on what begins has to wait, and what is under way has to end.
const HIGH: u64 = 40;
const CRITICAL: u64 = 55;
/// How many bytes there are for what is asked of the process at least.
const LEAST: u64 = 64 << 20;

/// Looks until the pool is gone. Where the system does not say how much is in use, nobody looks.
pub(crate) fn start(pool: &Arc<MemoryPool>, memory: u64) {
    let pool = Arc::downgrade(pool);
    if resident().is_none() {
        return;
    }
    // What the program is by itself is not what was asked of it.
    let own = resident().unwrap_or(0);
    let memory = memory.saturating_sub(own).max(LEAST);
    let watch = move || {
        while let Some(pool) = Weak::upgrade(&pool) {
            pool.set_pressure(pressure(resident().unwrap_or(0).saturating_sub(own), memory));
            drop(pool);
            std::thread::sleep(LOOK);
        }
    };
    // Without the thread the budgets are what there is.
    let _ = std::thread::Builder::new().name("memory".to_owned()).stack_size(128 << 10).spawn(watch);
}

fn pressure(used: u64, memory: u64) -> MemoryPressure {
    match used / (memory / 100).max(1) {
        0..HIGH => MemoryPressure::Low,
        HIGH..CRITICAL => MemoryPressure::High,
        _ => MemoryPressure::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_rises_with_what_is_in_use() {
        assert_eq!(pressure(0, 1 << 30), MemoryPressure::Low);
        assert_eq!(pressure(450 << 20, 1 << 30), MemoryPressure::High);
        assert_eq!(pressure(600 << 20, 1 << 30), MemoryPressure::Critical);
        assert_eq!(pressure(1, 0), MemoryPressure::Low);
        assert_eq!(pressure(u64::MAX, 1 << 30), MemoryPressure::Critical);
        #[cfg(target_os = "linux")]
        assert!(resident().is_some_and(|bytes| bytes > 0));
    }
}
