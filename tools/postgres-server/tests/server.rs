//! A server starts, stops, is killed, and leaves nothing.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::path::PathBuf;

use postgres_server::Server;

fn folder_of(server: &Server) -> PathBuf {
    server.file("mark", "").unwrap().parent().unwrap().to_owned()
}

#[test]
fn what_was_committed_is_there_after_a_restart_and_after_a_kill() {
    let mut server = Server::start().unwrap();
    assert_eq!(server.sql("postgres", "SHOW fsync").unwrap(), "on");
    server.create_database("d").unwrap();
    server.sql("d", "CREATE TABLE t (n int); INSERT INTO t VALUES (1)").unwrap();
    server.restart().unwrap();
    server.sql("d", "INSERT INTO t VALUES (2)").unwrap();
    server.kill().unwrap();
    assert!(!server.is_running() && server.sql("d", "SELECT 1").is_err());
    server.resume().unwrap();
    assert_eq!(server.sql("d", "SELECT n FROM t ORDER BY n").unwrap(), "1\n2");
    let folder = folder_of(&server);
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn a_setting_that_does_not_exist_is_an_error_with_the_words_of_the_server() {
    let error = Server::with_settings(&["no_such_setting=1"]).unwrap_err().to_string();
    assert!(error.contains("no_such_setting"), "{error}");
}

#[test]
fn the_server_ends_with_the_process_that_started_it() {
    const CHILD: &str = "TENDON_TEST_START_AND_DIE";
    if std::env::var_os(CHILD).is_some() {
        let server = Server::start().unwrap();
        println!("folder:{}:", folder_of(&server).display());
        std::process::exit(0);
    }
    let name = "the_server_ends_with_the_process_that_started_it";
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let output = command.args([name, "--exact", "--nocapture"]).env(CHILD, "1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let folder = PathBuf::from(text.split_once("folder:").unwrap().1.split_once(':').unwrap().0);
    let begun = std::time::Instant::now();
    while folder.exists() {
        assert!(begun.elapsed().as_secs() < 60, "the server still runs in {}", folder.display());
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
