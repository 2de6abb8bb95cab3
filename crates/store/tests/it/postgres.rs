//! PostgreSQL when connections break, servers restart, nodes differ and values are unusual.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use crate::support::proxy::{Fault, Proxy};
use crate::support::{
    address, batch, committed, deployment, key, new_schema, open, resource, server, settled,
};
use postgres_server::Server;
use store::{
    Address, Claim, Commit, CommitOutcome, Condition, Deployment, DeploymentKey, Operation, Page, Passwords,
    Phase, PostgresStore, ResourceId, RunId, Status, StepRecord, Store, Write,
};

fn through(proxy: &Proxy, schema: &str) -> PostgresStore {
    let url = format!("postgres://{}@127.0.0.1:{}/postgres", postgres_server::USER, proxy.port);
    PostgresStore::open(address(&url, schema)).unwrap()
}

fn version_of(store: &dyn Store, id: &str) -> Option<u64> {
    store.resource(&ResourceId::new(id)).unwrap().map(|resource| resource.version)
}

#[test]
fn a_connection_that_is_cut_before_the_commit_has_written_nothing() {
    let schema = new_schema();
    let (proxy, direct) = (Proxy::to(server().port()), open(&schema));
    let store = through(&proxy, &schema);
    proxy.arm(Fault::CutBefore);
    let write = batch(1, 1, vec![resource("/a", "")]);
    assert!(matches!(store.commit(std::slice::from_ref(&write))[..], [CommitOutcome::Unknown(_)]));
    assert_eq!(version_of(&direct, "/a"), None);
    assert_eq!(settled(&store, &write), CommitOutcome::Committed);
    assert_eq!((version_of(&direct, "/a"), proxy.happened()), (Some(1), 1));
}

#[test]
fn a_commit_whose_answer_is_lost_is_written_once() {
    let schema = new_schema();
    let (proxy, direct) = (Proxy::to(server().port()), open(&schema));
    let store = through(&proxy, &schema);
    proxy.arm(Fault::CutAfter);
    let write = batch(1, 1, vec![resource("/a", "")]);
    assert!(matches!(store.commit(std::slice::from_ref(&write))[..], [CommitOutcome::Unknown(_)]));
    assert_eq!(settled(&store, &write), CommitOutcome::Committed);
    assert_eq!((version_of(&direct, "/a"), proxy.happened()), (Some(1), 1));
}

#[test]
fn a_condition_that_the_lost_commit_itself_broke_does_not_refuse_it() {
    let schema = new_schema();
    let (proxy, direct) = (Proxy::to(server().port()), open(&schema));
    let store = through(&proxy, &schema);
    let run = RunId(1);
    let mut accept =
        batch(1, 0, vec![Write::Deployment(deployment(run, Status::Active)), resource("/a", "")]);
    accept.conditions =
        vec![Condition::NotActive(key()), Condition::ResourceVersion(ResourceId::new("/a"), None)];
    proxy.arm(Fault::CutAfter);
    assert!(matches!(store.commit(std::slice::from_ref(&accept))[..], [CommitOutcome::Unknown(_)]));
    assert_eq!(settled(&store, &accept), CommitOutcome::Committed);
    assert_eq!(version_of(&direct, "/a"), Some(1));
}

#[test]
fn a_batch_that_is_sent_again_while_it_is_still_written_is_written_once() {
    let schema = new_schema();
    let store = open(&schema);
    committed(&store, batch(1, 1, vec![resource("/a", "")]));
    let mut write = batch(1, 2, vec![resource("/a", "")]);
    write.conditions = vec![Condition::ResourceVersion(ResourceId::new("/a"), Some(1))];
    // What a connection that was lost has the server do: the batch is written, and not yet committed.
    let run = "00000000-0000-0000-0000-000000000001";
    let statements = format!(
        "BEGIN; UPDATE {schema}.resources SET version = 2 WHERE key = '/a';
         INSERT INTO {schema}.batches (run, number) VALUES ('{run}', 2);
         SELECT 'written';"
    );
    let mut psql = server().program("psql");
    psql.args(["--quiet", "--tuples-only", "--no-align"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut lost = psql.spawn().unwrap();
    let mut input = lost.stdin.take().unwrap();
    input.write_all(format!("{statements}\n").as_bytes()).unwrap();
    let mut answer = String::new();
    BufReader::new(lost.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "written\n");
    let outcome = thread::scope(|scope| {
        let again = scope.spawn(|| store.commit(std::slice::from_ref(&write)));
        let waiting = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\"{schema}\".%'"
        );
        while server().sql("postgres", &waiting).unwrap() == "0" {
            thread::yield_now();
        }
        input.write_all(b"COMMIT;\n").unwrap();
        drop(input);
        again.join().unwrap()
    });
    assert!(lost.wait().unwrap().success());
    assert_eq!(outcome, [CommitOutcome::Committed]);
    assert_eq!(version_of(&store, "/a"), Some(2));
}

#[test]
fn a_node_that_stops_in_the_middle_of_a_commit_keeps_its_locks_only_for_a_while() {
    let schema = new_schema();
    let (proxy, direct) = (Proxy::to(server().port()), open(&schema));
    committed(&direct, batch(1, 1, vec![resource("/a", "")]));
    let store = through(&proxy, &schema);
    proxy.arm(Fault::Stall);
    // The thread is left behind: its node never hears of anything again.
    thread::spawn(move || store.commit(&[batch(2, 1, vec![resource("/a", "stopped")])]));
    while proxy.happened() == 0 {
        thread::yield_now();
    }
    assert_eq!(settled(&direct, &batch(1, 2, vec![resource("/a", "")])), CommitOutcome::Committed);
    assert_eq!(version_of(&direct, "/a"), Some(2));
}

/// Somebody keeps a row locked: whoever wants to write it gives up after a while, has written nothing, and can be sent again.
#[test]
fn a_lock_that_somebody_keeps_is_waited_for_only_for_a_while() {
    let schema = new_schema();
    let store = PostgresStore::open(address(&server().url("postgres"), &schema).within(200, 60_000)).unwrap();
    committed(&store, batch(1, 1, vec![resource("/a", "")]));
    let mut keeper = server().program("psql");
    keeper.args(["--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]);
    let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = keeper.stdin.take().unwrap();
    writeln!(input, "BEGIN; SELECT 'locked' FROM {schema}.resources FOR UPDATE;").unwrap();
    let mut line = String::new();
    BufReader::new(keeper.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line.trim(), "locked");
    let late = batch(1, 2, vec![resource("/a", "late")]);
    let [CommitOutcome::Unknown(why)] = &store.commit(std::slice::from_ref(&late))[..] else { panic!() };
    assert!(why.contains("lock timeout"), "{why}");
    assert_eq!(version_of(&store, "/a"), Some(1), "reading waits for nobody");
    drop(input);
    assert!(keeper.wait().unwrap().success());
    assert_eq!(settled(&store, &late), CommitOutcome::Committed);
    assert_eq!(version_of(&store, "/a"), Some(2));
}

/// A statement that takes too long is stopped by the database, and nothing of its group is written.
#[test]
fn a_statement_that_takes_too_long_is_stopped() {
    let schema = new_schema();
    let store =
        PostgresStore::open(address(&server().url("postgres"), &schema).within(60_000, 2_000)).unwrap();
    let slow = format!(
        "CREATE FUNCTION {schema}.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(60); RETURN NEW; END $$;
         CREATE TRIGGER slow BEFORE INSERT ON {schema}.blobs FOR EACH ROW EXECUTE FUNCTION {schema}.slow();"
    );
    server().sql("postgres", &slow).unwrap();
    let blob = Write::Blob { run: RunId(1), name: "x".to_owned(), bytes: vec![1] };
    let group = [batch(1, 1, vec![resource("/a", "")]), batch(2, 1, vec![blob])];
    for outcome in store.commit(&group) {
        let CommitOutcome::Unknown(why) = outcome else { panic!() };
        assert!(why.contains("statement timeout"), "{why}");
    }
    assert_eq!(version_of(&store, "/a"), None);
    server().sql("postgres", &format!("DROP TRIGGER slow ON {schema}.blobs")).unwrap();
    for batch in &group {
        assert_eq!(settled(&store, batch), CommitOutcome::Committed);
    }
    assert_eq!(version_of(&store, "/a"), Some(1));
}

#[test]
fn connections_that_were_closed_while_nobody_used_them_are_replaced() {
    let schema = new_schema();
    let store = open(&schema);
    let close = || {
        let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE application_name = 'tendon' AND state = 'idle' AND query LIKE '%\"SCHEMA\"%'";
        server().sql("postgres", &others.replace("SCHEMA", &schema)).unwrap();
    };
    committed(&store, batch(1, 1, vec![resource("/a", "")]));
    assert_eq!(version_of(&store, "/a"), Some(1));
    close();
    assert_eq!(version_of(&store, "/a"), Some(1));
    close();
    assert_eq!(settled(&store, &batch(1, 2, vec![resource("/a", "")])), CommitOutcome::Committed);
    close();
    assert_eq!(store.abandoned(9).unwrap(), []);
    close();
    assert!(store.claim_abandoned("a", 1000, 9).is_ok());
}

#[test]
fn what_was_confirmed_survives_restarts_and_kills_of_the_server() {
    let mut server = Server::start().unwrap();
    let url = server.url("postgres");
    let store = PostgresStore::open(address(&url, "tendon")).unwrap();
    let next = AtomicU32::new(0);
    let confirmed = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut confirmed = Vec::new();
            while next.load(Ordering::SeqCst) < 4 {
                let number = confirmed.len() as u64;
                let write =
                    batch(1, number, vec![resource(&format!("/r/{number:06}"), ""), resource("/all", "")]);
                assert_eq!(settled(&store, &write), CommitOutcome::Committed);
                confirmed.push(number);
            }
            confirmed
        });
        for kill in [false, true, false, true] {
            let begun = store_len(&store);
            while store_len(&store) < begun + 5 {
                thread::yield_now();
            }
            if kill {
                server.kill().unwrap();
                server.resume().unwrap();
            } else {
                server.restart().unwrap();
            }
            next.fetch_add(1, Ordering::SeqCst);
        }
        writer.join().unwrap()
    });
    let kept = store.resources("/r/", Page::ALL).unwrap().len();
    assert_eq!(kept, confirmed.len(), "every batch is there");
    assert_eq!(version_of(&store, "/all"), Some(confirmed.len() as u64), "and was written once");
}

/// How many resources there are; none while the server is away.
fn store_len(store: &PostgresStore) -> usize {
    store.resources("/r/", Page::ALL).map_or(0, |rows| rows.len())
}

#[test]
fn a_server_that_is_away_is_told_and_found_again() {
    let mut server = Server::start().unwrap();
    let store = PostgresStore::open(address(&server.url("postgres"), "tendon")).unwrap();
    server.stop().unwrap();
    let error = store.run(RunId(1)).unwrap_err().to_string();
    assert!(error.starts_with("the database cannot be used: "), "{error}");
    assert!(matches!(store.commit(&[batch(1, 1, vec![])])[..], [CommitOutcome::Unknown(_)]));
    assert!(store.claim(RunId(1), "a", 1).is_err());
    server.resume().unwrap();
    // For a moment after a failure, callers are told that one without another attempt.
    let found = (0..200).find_map(|_| {
        let read = store.run(RunId(1)).ok();
        if read.is_none() {
            thread::sleep(std::time::Duration::from_millis(50));
        }
        read
    });
    assert_eq!(found, Some(None));
    committed(&store, batch(1, 1, vec![]));
}

#[test]
fn many_open_a_new_database_at_once() {
    let schema = new_schema();
    let barrier = Barrier::new(8);
    thread::scope(|scope| {
        for node in 0..8u64 {
            let (schema, barrier) = (&schema, &barrier);
            scope.spawn(move || {
                barrier.wait();
                let store = open(schema);
                committed(&store, batch(node.into(), 1, vec![resource(&format!("/{node}"), "")]));
            });
        }
    });
    assert_eq!(open(&schema).resources("", Page::ALL).unwrap().len(), 8);
}

#[test]
fn a_schema_that_only_newer_programs_can_use_is_refused() {
    let schema = new_schema();
    drop(open(&schema));
    let set = |values: &str| {
        server().sql("postgres", &format!("UPDATE {schema}.schema_version SET {values}")).unwrap()
    };
    set("version = 99");
    drop(open(&schema));
    set("version = 99, oldest = 99");
    let error = PostgresStore::open(address(&server().url("postgres"), &schema)).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
}

#[test]
fn nodes_of_the_version_before_go_on_while_others_are_replaced() {
    let schema = new_schema();
    let first = address(&server().url("postgres"), &schema);
    // A database as version 1 made it, with the statements that its programs send.
    let old = include_str!("postgres/version-1.sql").replace("STATE", &schema);
    let (tables, statements) = old.split_once("-- statements\n").unwrap();
    server().sql("postgres", tables).unwrap();
    server().sql("postgres", statements).unwrap();
    let before = PostgresStore::open_as(first.clone(), 1).unwrap();
    committed(&before, batch(1, 1, vec![Write::Deployment(deployment(RunId(1), Status::Active))]));
    let Claim::Granted(lease) = before.claim(RunId(1), "old", 60_000).unwrap() else { panic!() };
    // A new node starts while the deployment runs, and brings the tables up to date.
    let after = PostgresStore::open(first.clone()).unwrap();
    let newest =
        server().sql("postgres", &format!("SELECT version, oldest FROM {schema}.schema_version")).unwrap();
    assert_ne!(newest, "1|1", "there is something newer");
    let step = |number, fence| {
        let step =
            StepRecord { run: RunId(1), number, phase: Phase::Confirmed, format: 1, body: String::new() };
        Commit { fence, ..batch(1, u64::from(number) + 10, vec![Write::Step(step)]) }
    };
    committed(&before, step(1, Some(lease.fence)));
    assert_eq!(after.steps(RunId(1)).unwrap().len(), 1);
    server().sql("postgres", statements).unwrap();
    // The old node hands over to the new one, and an old one that starts late still can.
    before.release(std::slice::from_ref(&lease)).unwrap();
    let next = after.claim_abandoned("new", 60_000, 1).unwrap().remove(0).lease;
    assert_eq!(before.commit(&[step(2, Some(lease.fence))]), [CommitOutcome::Fenced]);
    committed(&after, step(2, Some(next.fence)));
    let late = PostgresStore::open_as(first, 1).unwrap();
    assert_eq!(late.steps(RunId(1)).unwrap().len(), 2);
}

#[test]
fn text_may_hold_every_character() {
    let store = open(&new_schema());
    let odd = "a\0b\u{1}c\u{10ffff}ü'\"\\";
    let odd_key = DeploymentKey::new(odd, "n\0");
    let kept =
        Deployment { key: odd_key.clone(), body: odd.to_owned(), ..deployment(RunId(1), Status::Active) };
    let operation = Operation { run: RunId(1), number: 1, format: 1, body: odd.to_owned() };
    let step = StepRecord {
        run: RunId(1),
        number: u32::MAX,
        phase: Phase::Intended,
        format: u16::MAX,
        body: odd.to_owned(),
    };
    let blob = Write::Blob { run: RunId(1), name: odd.to_owned(), bytes: vec![0, 1, 255] };
    let writes = vec![
        Write::Deployment(kept.clone()),
        Write::Operation(operation.clone()),
        Write::Step(step.clone()),
        blob,
        resource(odd, odd),
        resource("a\0c", ""),
        resource("a", ""),
    ];
    committed(&store, batch(1, 1, writes));
    assert_eq!(store.deployment(&odd_key).unwrap(), Some(kept.clone()));
    assert_eq!(store.deployments(Some(odd), Page::ALL).unwrap(), [kept]);
    assert_eq!(store.operations(RunId(1), Page::ALL).unwrap(), [operation]);
    assert_eq!(store.steps(RunId(1)).unwrap(), [step]);
    assert_eq!(store.blob(RunId(1), odd).unwrap(), Some(vec![0, 1, 255]));
    assert_eq!(store.resource(&ResourceId::new(odd)).unwrap().unwrap().body, odd);
    let below: Vec<String> = store.resources("a\0", Page::ALL).unwrap().into_iter().map(|it| it.id).collect();
    assert_eq!(below, [odd, "a\0c"]);
    assert!(
        matches!(store.claim(RunId(1), odd, 60_000).unwrap(), Claim::Granted(lease) if lease.owner == odd)
    );
    assert!(matches!(store.claim(RunId(1), "b", 1).unwrap(), Claim::Taken { owner, .. } if owner == odd));
}

#[test]
fn large_payloads_are_kept() {
    let store = open(&new_schema());
    let bytes: Vec<u8> = (0..40_000_000u32).map(|at| (at ^ (at >> 7)) as u8).collect();
    let blob = |name: &str| Write::Blob { run: RunId(1), name: name.to_owned(), bytes: bytes.clone() };
    // More than goes into one transaction.
    let group =
        [batch(1, 1, vec![blob("a")]), batch(1, 2, vec![blob("b")]), batch(1, 3, vec![resource("/a", "")])];
    assert_eq!(
        store.commit(&group),
        [CommitOutcome::Committed, CommitOutcome::Committed, CommitOutcome::Committed]
    );
    assert!(store.blob(RunId(1), "a").unwrap().unwrap() == bytes);
    assert!(store.blob(RunId(1), "b").unwrap().unwrap() == bytes);
}

#[test]
fn groups_are_as_large_as_they_come() {
    let store = open(&new_schema());
    let group: Vec<Commit> = (0..2_000u32)
        .map(|number| {
            batch(number.into(), 1, vec![resource(&format!("/{number}"), ""), resource("/all", "")])
        })
        .collect();
    assert!(store.commit(&group).iter().all(|outcome| *outcome == CommitOutcome::Committed));
    assert_eq!(version_of(&store, "/all"), Some(2_000));
}

#[test]
fn each_lease_goes_to_one_of_those_who_claim_at_once() {
    let schema = new_schema();
    let store = open(&schema);
    for number in 1..=60u32 {
        let run = RunId(number.into());
        let kept = Deployment {
            key: DeploymentKey::new("/s", &number.to_string()),
            ..deployment(run, Status::Active)
        };
        committed(&store, batch(run.0, 0, vec![Write::Deployment(kept)]));
    }
    let barrier = Arc::new(Barrier::new(6));
    let claimed: Vec<Vec<RunId>> = thread::scope(|scope| {
        let nodes: Vec<_> = (0..6)
            .map(|node| {
                let (schema, barrier) = (&schema, Arc::clone(&barrier));
                scope.spawn(move || {
                    let store = open(schema);
                    barrier.wait();
                    let mut mine = Vec::new();
                    // Half of them claim by name, half of them what comes.
                    for number in 1..=60u32 {
                        if node % 2 == 0 {
                            let found = store.claim_abandoned(&node.to_string(), 60_000, 3).unwrap();
                            mine.extend(found.into_iter().map(|it| it.lease.run));
                        } else if let Claim::Granted(lease) =
                            store.claim(RunId(number.into()), &node.to_string(), 60_000).unwrap()
                        {
                            mine.push(lease.run);
                        }
                    }
                    mine
                })
            })
            .collect();
        nodes.into_iter().map(|node| node.join().unwrap()).collect()
    });
    let mut all: Vec<RunId> = claimed.into_iter().flatten().collect();
    all.sort();
    assert_eq!(all, (1..=60).map(RunId).collect::<Vec<_>>(), "each once");
}

#[test]
fn it_answers_wherever_it_is_asked() {
    let schema = new_schema();
    let store = Arc::new(open(&schema));
    committed(&*store, batch(1, 1, vec![resource("/a", "")]));
    for mut builder in
        [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()]
    {
        let runtime = builder.enable_all().build().unwrap();
        runtime.block_on(async {
            assert_eq!(version_of(&*store, "/a"), Some(1));
            let task = Arc::clone(&store);
            let spawned = tokio::spawn(async move { version_of(&*task, "/a") });
            assert_eq!(spawned.await.unwrap(), Some(1));
            let task = Arc::clone(&store);
            let blocking = tokio::task::spawn_blocking(move || version_of(&*task, "/a"));
            assert_eq!(blocking.await.unwrap(), Some(1));
            // A store may also end there.
            drop(open(&schema));
        });
    }
}

#[test]
fn a_lease_that_is_given_back_is_told_to_those_who_listen() {
    let schema = new_schema();
    let (one, other) = (open(&schema), open(&schema));
    let (told, heard) = std::sync::mpsc::channel();
    other.listen(Box::new(move || {
        let _ = told.send(());
    }));
    // Whoever begins to listen is told once: something may have happened before.
    heard.recv().unwrap();
    committed(&one, batch(1, 1, vec![Write::Deployment(deployment(RunId(1), Status::Active))]));
    let Claim::Granted(lease) = one.claim(RunId(1), "a", 60_000).unwrap() else { panic!() };
    one.release(&[lease]).unwrap();
    heard.recv().unwrap();
    assert!(one.cancel(RunId(1)).unwrap());
    heard.recv().unwrap();
}

#[test]
fn a_database_that_may_lose_what_it_has_confirmed_is_refused() {
    let server = Server::with_settings(&["synchronous_commit=off"]).unwrap();
    let error = PostgresStore::open(address(&server.url("postgres"), "tendon")).unwrap_err().to_string();
    assert!(error.contains("`synchronous_commit` is off"), "{error}");
}

#[test]
fn statements_can_be_prepared() {
    let url = format!("{}?schema={}&prepare=yes", server().url("postgres"), new_schema());
    let store = PostgresStore::open(Address::parse(&url, &Passwords::default()).unwrap()).unwrap();
    committed(
        &store,
        batch(1, 1, vec![resource("/a", ""), Write::Deployment(deployment(RunId(1), Status::Active))]),
    );
    committed(
        &store,
        batch(1, 2, vec![resource("/a", ""), Write::Deployment(deployment(RunId(1), Status::Ended))]),
    );
    assert_eq!(version_of(&store, "/a"), Some(2));
    assert_eq!(store.run(RunId(1)).unwrap().unwrap().status, Status::Ended);
}

#[test]
fn a_certificate_must_be_that_of_the_server() {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let server = Server::start().unwrap();
    let certificate = server.file("server.crt", &made.cert.pem()).unwrap();
    server.file("server.key", &made.signing_key.serialize_pem()).unwrap();
    let folder = certificate.parent().unwrap().display().to_string();
    let set = format!(
        "ALTER SYSTEM SET ssl_cert_file = '{folder}/server.crt'; ALTER SYSTEM SET ssl_key_file = '{folder}/server.key'"
    );
    for statement in set.split("; ").chain(["ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"]) {
        server.sql("postgres", statement).unwrap();
    }
    let user = postgres_server::USER;
    let connect = |host: &str, rest: &str| {
        let url = format!("postgres://{user}@{host}:{}/postgres?sslmode=verify-full{rest}", server.port());
        PostgresStore::open(Address::parse(&url, &Passwords::default()).unwrap())
    };
    let trusted = format!("&sslrootcert={folder}/server.crt");
    // The server takes its time to read its settings.
    let mut opened = connect("localhost", &trusted);
    for _ in 0..200 {
        if opened.is_ok() {
            break;
        }
        thread::sleep(std::time::Duration::from_millis(20));
        opened = connect("localhost", &trusted);
    }
    committed(&opened.unwrap(), batch(1, 1, vec![resource("/a", "")]));
    for (host, rest) in [("localhost", ""), ("127.0.0.1", trusted.as_str())] {
        let error = connect(host, rest).unwrap_err().to_string();
        assert!(error.contains("certificate"), "{error}");
    }
}
