//! A primary that is lost, with a synchronous standby that is promoted: what was confirmed is there, and writers go on by themselves.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use postgres_server::Server;
use store::{CommitOutcome, Page, PostgresStore, Store, StoreError};

use crate::support::{address, batch, resource};

/// How long writers may be held up once the standby is promoted.
const HELD_UP: Duration = Duration::from_secs(5);

#[test]
fn nothing_that_was_confirmed_is_lost_and_writers_follow_the_new_primary() {
    let mut primary = Server::start().unwrap();
    primary.create_database("d").unwrap();
    let standby = primary.with_standby().unwrap();
    let hosts = format!("127.0.0.1:{},127.0.0.1:{}", primary.port(), standby.port());
    let url = format!("postgres://{}@{hosts}/d", postgres_server::USER);
    let store = PostgresStore::open(address(&url, "tendon")).unwrap();
    let (confirmed, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let (number, after) = (AtomicU64::new(0), Mutex::new(None));
    std::thread::scope(|scope| {
        for writer in 0..4_u128 {
            let (store, confirmed, stop, number, after) = (&store, &confirmed, &stop, &number, &after);
            scope.spawn(move || {
                let mut own = 0;
                while !stop.load(Ordering::SeqCst) {
                    own += 1;
                    let id = format!("/w{writer}/{own}");
                    let write = batch(1_000 + writer, own, vec![resource(&id, "")]);
                    // As the engine does: until somebody can say what became of it.
                    loop {
                        match store.commit(std::slice::from_ref(&write)).remove(0) {
                            CommitOutcome::Committed => break,
                            CommitOutcome::Unknown(_) if stop.load(Ordering::SeqCst) => return,
                            CommitOutcome::Unknown(_) => std::thread::sleep(Duration::from_millis(20)),
                            other => panic!("{id}: {other:?}"),
                        }
                    }
                    confirmed.lock().unwrap().push(id);
                    number.fetch_add(1, Ordering::SeqCst);
                    let mut after: std::sync::MutexGuard<'_, Option<(Instant, Option<Duration>)>> =
                        after.lock().unwrap();
                    if let Some((promoted, first @ None)) = after.as_mut() {
                        *first = Some(promoted.elapsed());
                    }
                }
            });
        }
        let until = |count: u64| {
            let begun = Instant::now();
            while number.load(Ordering::SeqCst) < count {
                assert!(begun.elapsed() < Duration::from_secs(60), "writers are held up");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        until(200);
        primary.kill().unwrap();
        // Others hear at once that nobody takes writes.
        std::thread::sleep(Duration::from_millis(300));
        let asked = Instant::now();
        for _ in 0..20 {
            assert!(matches!(store.resources("/", Page { skip: 0, take: 1 }), Err(StoreError::Remote(_))));
        }
        assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
        standby.promote().unwrap();
        *after.lock().unwrap() = Some((Instant::now(), None));
        let before = number.load(Ordering::SeqCst);
        until(before + 200);
        stop.store(true, Ordering::SeqCst);
    });
    let kept = store.resources("/", Page::ALL).unwrap();
    let kept: HashSet<&str> = kept.iter().map(|it| it.id.as_str()).collect();
    for id in confirmed.lock().unwrap().iter() {
        assert!(kept.contains(id.as_str()), "{id} is lost");
    }
    let (_, first) = after.lock().unwrap().unwrap();
    assert!(first.unwrap() < HELD_UP, "{first:?}");
}
