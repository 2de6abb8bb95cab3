//! Bombs at three nodes on one PostgreSQL, each in little memory: every node lives, others are served by another node, and what was acknowledged is there.

use std::path::Path;

use cluster::client;
use cluster::nodes::Cluster;
use postgres_server::Server as Database;

use crate::server::{Client, REFUSED, Watch, body, check_honest, end, expect};
use crate::table::Bomb;
use crate::{ADDRESS_SPACE, Result};

/// How many nodes there are.
const NODES: usize = 3;

/// Sends all bombs, each to another node; one of the nodes is killed in between, so that what is under way is taken over.
pub fn run(program: &Path, folder: &Path, bombs: &[Bomb], tell: &dyn Fn(&str)) -> Result {
    let said = |error: std::io::Error| error.to_string();
    let database = Database::with_settings(&["max_connections=100"]).map_err(said)?;
    let confined = folder.join("confined");
    let script = format!(
        "#!/bin/sh\nulimit -c 0\nulimit -v {ADDRESS_SPACE}\nexport MALLOC_ARENA_MAX=2\nexec '{}' \"$@\"\n",
        program.display()
    );
    std::fs::write(&confined, script).map_err(said)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(&confined, std::fs::Permissions::from_mode(0o700)).map_err(said)?;
    }
    let cluster = Cluster::start(&confined, &database, NODES)?;
    let group = format!("{}?api-version=2025-04-01", client::GROUP);
    let node = |number: usize| Client(cluster.address(number % NODES));
    let (mut honest, mut wrong) = (Vec::new(), Vec::new());
    for (number, bomb) in bombs.iter().enumerate() {
        let name = &bomb.name;
        tell(&format!("node {}: {name}", number % NODES));
        let watch = Watch::start(node(number + 1).0, &group);
        let prediction = if number % 2 == 0 { "/validate" } else { "/whatIf" };
        if let Err(why) =
            node(number + 2).ask("POST", &client::deployment(name, prediction), &body(&bomb.template))
        {
            wrong.push(format!("{name}{prediction}: {why}"));
        }
        let sent = node(number).ask("PUT", &client::deployment(name, ""), &body(&bomb.template));
        if number % 8 == 0 {
            let own = format!("honest-{number}");
            let put = node(number + 1).ask("PUT", &client::deployment(&own, ""), &client::template(2));
            expect(put, &own, &[200, 201])?;
            honest.push(own);
        }
        if number % 12 == 11 {
            // Whatever it was working on is taken over by others.
            cluster.kill(number % NODES);
        }
        wrong.extend(watch.end().err().map(|why| format!("{name}: {why}")));
        match sent {
            Ok(reply) if REFUSED.contains(&reply.status) => {}
            Ok(reply) if reply.status == 201 => match end(node(number + 1), name) {
                Ok(ended) if client::ended(&ended) == Some("Failed") => {}
                Ok(_) => wrong.push(format!("{name}: it succeeded")),
                Err(why) => wrong.push(why),
            },
            Ok(reply) => wrong.push(format!("{name}: answered with {}", reply.status)),
            Err(why) => wrong.push(format!("{name}: {why}")),
        }
        if number % 12 == 11 {
            cluster.revive(number % NODES)?;
        }
        for lost in cluster.ended() {
            wrong.push(format!("node {lost} ended after `{name}`"));
            cluster.revive(lost)?;
        }
    }
    // Each of them tells the same, also one that was just started.
    cluster.kill(0);
    cluster.revive(0)?;
    for number in 0..NODES {
        check_honest(node(number), &honest)?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
