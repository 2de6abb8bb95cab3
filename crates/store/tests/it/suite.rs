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
fn a_blob_is_replaced_only_if_it_is_what_was_read() {
    let folder = new_folder();
    let stores: [Box<dyn Store>; 3] = [
        Box::new(MemoryStore::new()),
        Box::new(SqliteStore::open(&folder).unwrap()),
        Box::new(open(&new_schema())),
    ];
    for store in &stores {
        let store = &**store;
        let (run, name) = (store::RunId(7), "secrets");
        assert!(!store.replace_blob(run, name, b"", b"new").unwrap(), "there is none");
        let blob = store::Write::Blob { run, name: name.to_owned(), bytes: vec![0, 255, 1] };
        committed(store, batch(7, 1, vec![blob]));
        assert!(!store.replace_blob(run, name, b"other", b"new").unwrap());
        assert!(store.replace_blob(run, name, &[0, 255, 1], b"new").unwrap());
        assert_eq!(store.blob(run, name).unwrap().unwrap(), b"new");
        committed(store, batch(7, 2, vec![store::Write::DeleteBlob { run, name: name.to_owned() }]));
        assert!(!store.replace_blob(run, name, b"new", b"newer").unwrap(), "what was erased stays erased");
        assert_eq!(store.blob(run, name).unwrap(), None);
    }
    drop(stores);
    std::fs::remove_dir_all(folder).unwrap();
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
