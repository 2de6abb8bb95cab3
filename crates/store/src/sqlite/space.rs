//! Room in the file that is free, and is given back to the disk.

use rusqlite::Connection;

use crate::Result;

/// How many pages may be free: what was deleted is soon written again.
const SPARE: i64 = 4096;
/// How many are given back at once, so that nobody waits for long.
const TOGETHER: i64 = 2048;

/// Gives pages back that are free, if they are many. A file that an earlier version made keeps them, and uses them again.
pub(super) fn give_back(connection: &Connection) -> Result<()> {
    let free: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
    if free <= SPARE {
        return Ok(());
    }
    let count = (free - SPARE).min(TOGETHER);
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({count})"))?;
    // Each row is a page.
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
