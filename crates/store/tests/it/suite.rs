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
fn room_that_is_free_is_given_back_to_the_disk() {
    let folder = new_folder();
    let store = SqliteStore::open(&folder).unwrap();
    let text = "x".repeat(100_000);
    for part in 0..8u64 {
        let some = (0..50).map(|number| resource(&format!("/r/{part}-{number:02}"), &text)).collect();
        committed(&store, batch(1, part, some));
    }
    let size = || {
        let all = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap());
        all.filter(|it| it.file_name().to_string_lossy().ends_with(".db"))
            .map(|it| it.metadata().unwrap().len())
            .sum()
    };
    for part in 0..8u64 {
        let id = |number: u32| store::ResourceId::new(&format!("/r/{part}-{number:02}"));
        let gone = (0..50).map(|number| store::Write::DeleteResource(id(number))).collect();
        committed(&store, batch(1, 1000 + part, gone));
    }
    committed(&store, batch(1, 5000, vec![resource("/r/last", "")]));
    // What goes from the log to the file goes there when the file is opened alone.
    drop(store);
    let store = SqliteStore::open(&folder).unwrap();
    let left: u64 = size();
    assert!(left < 20_000_000, "{left} bytes are left of 40 megabytes");
    assert_eq!(store.resources("/r/", Page::ALL).unwrap().len(), 1);
    drop(store);
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
fn state_of_the_first_version_is_read_and_goes_on() {
    let folder = new_folder();
    std::fs::create_dir_all(&folder).unwrap();
    let database = rusqlite::Connection::open(folder.join("state.db")).unwrap();
    database.execute_batch(include_str!("sqlite/version-1.sql")).unwrap();
    drop(database);
    for _ in 0..2 {
        let store = SqliteStore::open(&folder).unwrap();
        let all = store.deployments(None, Page::ALL).unwrap();
        assert_eq!(all.len(), 1);
        let deployment = &all[0];
        assert!(deployment.body.contains(r#""provisioningState":"Succeeded""#), "{}", deployment.body);
        assert_eq!(store.steps(deployment.run).unwrap().len(), 1);
        assert_eq!(store.operations(deployment.run, Page::ALL).unwrap().len(), 1);
        let template = store.blob(deployment.run, "template").unwrap().unwrap();
        assert!(String::from_utf8(template).unwrap().contains("Microsoft.Storage/storageAccounts"));
        assert_eq!(store.resources("/subscriptions", Page::ALL).unwrap().len(), 1);
        assert!(store::kept_key_check(&store).unwrap().is_some());
        // What only later versions have works as well.
        assert!(!store.cancel(deployment.run).unwrap());
        assert_eq!(store.runs(deployment.run).unwrap().len(), 1);
    }
    let store = SqliteStore::open(&folder).unwrap();
    committed(&store, batch(9, 1, vec![resource("/new", "")]));
    assert_eq!(store.resources("", Page::ALL).unwrap().len(), 3);
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
