//! A state is the same after it was carried from one kind of store into another.

use std::path::PathBuf;

use crate::support::{batch, committed, deployment, new_schema, open, resource};
use contract::{Admitted, Boundary, OpenTerms};
use store::{
    Backup, BackupRecord, Claim, CommitOutcome, Deployment, DeploymentKey, MemoryStore, Operation, Phase,
    ResourceId, RunId, SqliteStore, Status, StepRecord, Store, StoreError, Write,
};

/// A store, and the folder that goes with it.
struct Kept(Box<dyn Backup>, Option<PathBuf>);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(folder) = &self.1 {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// An empty store of each kind.
fn stores() -> [Kept; 3] {
    let folder = std::env::temp_dir().join(format!("tendon-backup-{}-{}", std::process::id(), new_schema()));
    let sqlite = SqliteStore::open(&folder).unwrap();
    [
        Kept(Box::new(MemoryStore::new()), None),
        Kept(Box::new(sqlite), Some(folder)),
        Kept(Box::new(open(&new_schema())), None),
    ]
}

fn fill(store: &dyn Store, count: u32) {
    for number in 0..count {
        let run = RunId(number.into());
        let kept = Deployment {
            key: DeploymentKey::new("/S\0", &format!("D{number}")),
            root: RunId(u128::from(number / 2 * 2)),
            order: number.into(),
            body: "ü\u{1}\0".to_owned(),
            ..deployment(run, if number % 3 == 0 { Status::Active } else { Status::Ended })
        };
        let step =
            StepRecord { run, number: number + 1, phase: Phase::Intended, format: 3, body: "{}".to_owned() };
        let done = StepRecord { number: 0, phase: Phase::Confirmed, ..step.clone() };
        let operation = Operation { run, number: 1, format: 1, body: "put".to_owned() };
        let blob = Write::Blob { run, name: "secrets".to_owned(), bytes: vec![0, 255, number as u8] };
        let writes = vec![
            Write::Deployment(kept),
            Write::Step(step),
            Write::Step(done),
            Write::Operation(operation),
            blob,
            resource(&format!("/Things/{number}"), "{}"),
            resource("/All", ""),
        ];
        committed(store, batch(run.0, 1, writes));
    }
    for _ in 0..3 {
        let Claim::Granted(lease) = store.claim(RunId(0), "somebody", 60_000).unwrap() else { panic!() };
        store.release(&[lease]).unwrap();
    }
    let Claim::Granted(_) = store.claim(RunId(6), "somebody", 60_000).unwrap() else { panic!() };
    assert!(store.cancel(RunId(6)).unwrap());
}

fn rows(store: &dyn Backup) -> Vec<BackupRecord> {
    let mut rows = Vec::new();
    store
        .export(&mut |row| {
            rows.push(row);
            Ok(())
        })
        .unwrap();
    rows
}

/// A row that is let in unasked: what it says is its owner's business.
fn own(row: BackupRecord) -> Admitted<BackupRecord> {
    OpenTerms::admit(Boundary::ImportedRecord, row)
}

fn imported(store: &dyn Backup, rows: &[BackupRecord], replace: bool) -> Result<u64, StoreError> {
    store.import(&mut rows.iter().cloned().map(own).map(Ok), replace)
}

#[test]
fn everything_is_carried_between_all_kinds_of_stores() {
    let filled = MemoryStore::new();
    fill(&filled, 1_200);
    let all = rows(&filled);
    assert_eq!(all.len(), 1_200 * 6 + 1);
    for Kept(first, _folder) in &stores() {
        assert_eq!(imported(&**first, &all, false).unwrap(), all.len() as u64);
        assert_eq!(rows(&**first), all);
        // Versions, fences and wishes to stop go on; nobody has a lease.
        assert_eq!(first.resource(&ResourceId::new("/all")).unwrap().unwrap().version, 1_200);
        let Claim::Granted(lease) = first.claim(RunId(0), "next", 60_000).unwrap() else { panic!() };
        assert_eq!((lease.fence.number, lease.canceled), (4, false));
        let Claim::Granted(lease) = first.claim(RunId(6), "next", 60_000).unwrap() else { panic!() };
        assert_eq!((lease.fence.number, lease.canceled), (2, true));
        // A batch of the next lease is not one that was written before.
        let mut write = batch(0, lease.fence.number << 32, vec![resource("/new", "")]);
        write.fence = Some(lease.fence);
        assert_eq!(first.commit(&[write]), [CommitOutcome::Committed]);
    }
}

#[test]
fn a_store_that_has_something_is_replaced_only_if_that_is_wanted() {
    let filled = MemoryStore::new();
    committed(
        &filled,
        batch(1, 1, vec![resource("/new", ""), Write::Deployment(deployment(RunId(1), Status::Ended))]),
    );
    let new = rows(&filled);
    for Kept(store, _folder) in &stores() {
        fill(&**store, 10);
        let old = rows(&**store);
        assert!(matches!(imported(&**store, &new, false), Err(StoreError::NotEmpty)));
        assert_eq!(rows(&**store), old);
        imported(&**store, &new, true).unwrap();
        assert_eq!(rows(&**store), new);
    }
}

#[test]
fn rows_that_end_early_leave_nothing() {
    let filled = MemoryStore::new();
    fill(&filled, 1_200);
    let all = rows(&filled);
    for Kept(store, _folder) in &stores() {
        let cut = || Err(StoreError::Source("the file was cut off".to_owned()));
        let mut rows_then_error =
            all.iter().cloned().map(own).map(Ok).take(5_000).chain(std::iter::once_with(cut));
        let error = store.import(&mut rows_then_error, false).unwrap_err().to_string();
        assert_eq!(error, "the file was cut off");
        assert_eq!(rows(&**store), []);
        committed(&**store, batch(1, 1, vec![resource("/a", "")]));
    }
}

#[test]
fn an_export_is_of_one_moment_and_nobody_waits_for_it() {
    let schema = new_schema();
    let (store, writer) = (open(&schema), open(&schema));
    for number in 0..50u32 {
        committed(&writer, batch(number.into(), 1, vec![resource(&format!("/r{number:03}"), "")]));
    }
    let mut count = 0;
    store
        .export(&mut |row| {
            // Somebody writes while the first row is handed out.
            if count == 0 {
                committed(&writer, batch(1, 2, vec![resource("/r049", ""), resource("/r050", "")]));
            }
            count += 1;
            assert!(!matches!(row, BackupRecord::Resource(it) if it.version != 1));
            Ok(())
        })
        .unwrap();
    assert_eq!(count, 50);
}
