//! What the documents in `resources/specs` cannot say: keys, and files that several programs open.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use store::{MemoryStore, Page, SqliteStore, Store};

use crate::support::{batch, committed, new_schema, open, resource};

/// A folder of its own for each test.
fn new_folder() -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let name = format!("tendon-store-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(name)
}

#[test]
fn a_state_knows_the_key_that_it_is_used_with() {
    let folder = new_folder();
    let stores: [Box<dyn Store>; 3] = [
        Box::new(MemoryStore::new()),
        Box::new(SqliteStore::open(&folder).unwrap()),
        Box::new(open(&new_schema())),
    ];
    for store in &stores {
        let store = &**store;
        let (one, other) = (store::Key::random().unwrap(), store::Key::random().unwrap());
        assert_eq!(store::kept_key_check(store).unwrap(), None);
        assert!(store::is_key_of(store, &one).unwrap());
        assert!(store::is_key_of(store, &one).unwrap());
        assert!(!store::is_key_of(store, &other).unwrap());
        assert_eq!(store::kept_key_check(store).unwrap(), Some(store::key_check(&one).unwrap()));
    }
    drop(stores);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_that_open_and_write_the_same_folder_take_turns() {
    let folder = new_folder();
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let folder = &folder;
            scope.spawn(move || {
                let store = SqliteStore::open(folder).unwrap();
                for number in 0..25 {
                    let id = format!("/{writer}/{number:02}");
                    committed(&store, batch(writer.into(), number, vec![resource(&id, "")]));
                }
            });
        }
    });
    let store = SqliteStore::open(&folder).unwrap();
    assert_eq!(store.resources("", Page::ALL).unwrap().len(), 100);
    drop(store);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn state_of_a_newer_program_is_refused() {
    let folder = new_folder();
    drop(SqliteStore::open(&folder).unwrap());
    let database = rusqlite::Connection::open(folder.join("state.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    let error = SqliteStore::open(&folder).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}
