//! Holds what was recorded against what several nodes on one state promise.
//!
//! The database itself keeps the record: a trigger notes every row of steps, leases and deployments that is written, in the order of the
//! writes to that row. What clients were told comes from the clients.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use postgres_server::Server;

use crate::nodes::DATABASE;
use crate::{Result, said};

/// How long what is still under way may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What names of deployments begin with that end every node which works on them.
pub(crate) const POISON: &str = "poison-";

/// Who works on deployments whose names begin so, as the leases tell it.
pub(crate) fn workers(server: &Server, names: &str) -> Result<Vec<String>> {
    let statement = format!(
        "SELECT DISTINCT l.owner FROM tendon.leases l JOIN tendon.deployments d ON d.run = l.run
         WHERE d.active AND d.name LIKE '{names}%' AND l.owner IS NOT NULL"
    );
    Ok(rows(server, &statement)?.iter().map(|row| cell(row, 0)).collect())
}

/// Notes everything that is written.
const RECORD: &str = "
CREATE TABLE public.record (
    at bigserial PRIMARY KEY, kind text NOT NULL, run uuid NOT NULL, number bigint NOT NULL, what text NOT NULL,
    name text NOT NULL DEFAULT ''
);
CREATE FUNCTION public.note_step() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.record (kind, run, number, what) VALUES ('step', NEW.run, NEW.number, NEW.phase::text); RETURN NEW;
END $$;
CREATE FUNCTION public.note_lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.record (kind, run, number, what) VALUES ('lease', NEW.run, NEW.fence, coalesce(NEW.owner, '')); RETURN NEW;
END $$;
CREATE FUNCTION public.note_deployment() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO public.record (kind, run, number, what, name)
    VALUES ('deployment', NEW.run, CASE WHEN NEW.active THEN 1 ELSE 0 END,
        coalesce(NEW.body::json->'properties'->>'provisioningState', ''), NEW.name); RETURN NEW;
END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON tendon.steps FOR EACH ROW EXECUTE FUNCTION public.note_step();
CREATE TRIGGER note AFTER INSERT OR UPDATE ON tendon.leases FOR EACH ROW EXECUTE FUNCTION public.note_lease();
CREATE TRIGGER note AFTER INSERT OR UPDATE ON tendon.deployments FOR EACH ROW EXECUTE FUNCTION public.note_deployment();
";

/// What a client was told of one deployment.
#[derive(Clone, Debug)]
pub struct ClientObservation {
    /// The name of the deployment.
    pub name: String,
    /// The run that was acknowledged; none if the answer was lost.
    pub acknowledged: Option<String>,
    /// The run that a node said has ended.
    pub run: String,
    /// Whether a node was asked to stop it.
    pub canceled: bool,
    /// The end that a node told.
    pub end: String,
    /// Why, if it failed.
    pub why: String,
}

/// What was found in a record that keeps all promises.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClusterSummary {
    /// How many deployments there were.
    pub deployments: usize,
    /// How many of them succeeded.
    pub succeeded: usize,
    /// How many ended every node that worked on them, and failed after some of them.
    pub poisoned: usize,
    /// How many were canceled.
    pub canceled: usize,
    /// How many steps were confirmed.
    pub steps: usize,
    /// How often a deployment went from one node to another.
    pub takeovers: usize,
}

/// Begins to record.
pub fn record(server: &Server) -> Result {
    server.sql(DATABASE, RECORD).map(drop).map_err(said)
}

/// One line of the record.
struct Line {
    kind: String,
    run: String,
    number: u64,
    what: String,
    name: String,
}

fn rows(server: &Server, statement: &str) -> Result<Vec<Vec<String>>> {
    let text = server.sql(DATABASE, statement).map_err(said)?;
    Ok(text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

fn cell(row: &[String], at: usize) -> String {
    row.get(at).cloned().unwrap_or_default()
}

/// Waits until nothing is under way: requests whose answers were lost may begin late.
fn settle(server: &Server) -> Result {
    let began = Instant::now();
    loop {
        let open = rows(server, "SELECT count(*) FROM tendon.deployments WHERE active")?;
        match open.first().map(|row| cell(row, 0)).as_deref() {
            Some("0") => return Ok(()),
            open if began.elapsed() > PATIENCE => {
                return Err(format!("{} deployments never ended", open.unwrap_or("some")));
            }
            _ => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

/// Checks everything; an error is the promise that was broken. Every deployment has so many resources.
pub fn check(server: &Server, told: &[ClientObservation], resources: usize) -> Result<ClusterSummary> {
    settle(server)?;
    let lines = rows(server, "SELECT kind, run, number, what, name FROM public.record ORDER BY at")?;
    let lines: Vec<Line> = lines
        .iter()
        .map(|row| Line {
            kind: cell(row, 0),
            run: cell(row, 1),
            number: cell(row, 2).parse().unwrap_or(0),
            what: cell(row, 3),
            name: cell(row, 4),
        })
        .collect();
    let found = judge(lines, told)?;
    check_resources(server, resources, &found)?;
    Ok(found)
}

/// Holds the record against the promises and against what clients were told.
fn judge(lines: Vec<Line>, told: &[ClientObservation]) -> Result<ClusterSummary> {
    let mut found = ClusterSummary::default();
    let mut confirmed: BTreeMap<(String, u64), u32> = BTreeMap::new();
    let mut leases: BTreeMap<String, (u64, String)> = BTreeMap::new();
    // The name of a run, and the last run of a name.
    let (mut names, mut last) = (BTreeMap::new(), BTreeMap::new());
    // None while they are under way.
    let mut ended: BTreeMap<String, Option<String>> = BTreeMap::new();
    for line in lines {
        match line.kind.as_str() {
            "step" => {
                let times = confirmed.entry((line.run.clone(), line.number)).or_default();
                *times += 1;
                if *times > 1 {
                    return Err(format!("step {} of {} was confirmed twice", line.number, line.run));
                }
                if matches!(ended.get(&line.run), Some(Some(_))) {
                    return Err(format!("a step of {} was confirmed after its end", line.run));
                }
            }
            "lease" => {
                let (fence, owner) = leases.get(&line.run).cloned().unwrap_or_default();
                if line.number < fence {
                    return Err(format!("the fence of {} went from {fence} to {}", line.run, line.number));
                }
                let is_other = !line.what.is_empty() && line.what != owner;
                if is_other && line.number == fence {
                    return Err(format!("two nodes had {} under the fence {fence}", line.run));
                }
                found.takeovers += usize::from(is_other && fence > 0);
                leases.insert(line.run, (line.number, line.what));
            }
            "deployment" => {
                names.insert(line.run.clone(), line.name.clone());
                last.insert(line.name, line.run.clone());
                let end = (line.number == 0).then_some(line.what);
                if matches!(ended.insert(line.run.clone(), end), Some(Some(_))) {
                    return Err(format!("{} was written after its end", line.run));
                }
            }
            other => return Err(format!("the record has a line of the kind `{other}`")),
        }
    }
    for (run, _) in ended.iter().filter(|(_, end)| end.is_none()) {
        // Its end and the beginning of the next run of its name were one transaction, in which the row was written once. That happens if an
        // answer was lost and the client sent it again.
        let name = names.get(run).map(String::as_str).unwrap_or_default();
        let is_told = told.iter().any(|it| it.run == *run || it.acknowledged.as_deref() == Some(run));
        let is_replaced = last.get(name).is_some_and(|last| last != run);
        if is_told || !is_replaced {
            return Err(format!("{run} (`{name}`) never ended"));
        }
    }
    found.steps = confirmed.len();
    found.deployments = ended.len();
    check_ends(told, &ended, &mut found)?;
    Ok(found)
}

/// What clients were told is what was recorded.
fn check_ends(
    told: &[ClientObservation],
    ended: &BTreeMap<String, Option<String>>,
    found: &mut ClusterSummary,
) -> Result {
    for it in told {
        if let Some(run) = it.acknowledged.as_ref().filter(|run| !ended.contains_key(*run)) {
            return Err(format!("{run} (`{}`) was acknowledged, and was never there", it.name));
        }
        let state = ended.get(&it.run).and_then(Option::as_deref).unwrap_or("nothing");
        if state != it.end {
            return Err(format!("{} (`{}`) ended as {state}, and a node said {}", it.run, it.name, it.end));
        }
        if state == "Canceled" && !it.canceled {
            return Err(format!("`{}` was canceled, and nobody had asked for it", it.name));
        }
        let is_poison = it.name.starts_with(POISON);
        if is_poison && state != "Failed" {
            return Err(format!("`{}` ends every node that works on it, and ended as {state}", it.name));
        }
        if is_poison {
            found.poisoned += 1;
            continue;
        }
        if state == "Failed" {
            return Err(format!("`{}` failed, and nothing in it can: {}", it.name, it.why));
        }
        found.succeeded += usize::from(state == "Succeeded");
        found.canceled += usize::from(state == "Canceled");
    }
    Ok(())
}

/// There is no resource without a step that was confirmed, and no such step without its resource.
fn check_resources(server: &Server, resources: usize, found: &ClusterSummary) -> Result {
    let statement = format!(
        "WITH put AS (
             SELECT lower(d.name || '-' || s.number) AS name FROM tendon.steps s JOIN tendon.deployments d ON d.run = s.run
             WHERE s.body::json->'state' IS NOT NULL
         ), kept AS (
             SELECT substring(key FROM '/providers/our.things/things/(.*)$') AS name FROM tendon.resources
             WHERE key LIKE '%/providers/our.things/things/%'
         )
         SELECT 'put and not kept', name FROM put WHERE name NOT IN (SELECT name FROM kept)
         UNION ALL SELECT 'kept and not put', name FROM kept WHERE name NOT IN (SELECT name FROM put)
         UNION ALL SELECT 'succeeded without all its resources', d.name FROM tendon.deployments d
             WHERE d.body::json->'properties'->>'provisioningState' = 'Succeeded'
             AND (SELECT count(*) FROM tendon.steps s WHERE s.run = d.run AND s.body::json->'state' IS NOT NULL) <> {resources}
         LIMIT 5"
    );
    let wrong = rows(server, &statement)?;
    let statement = "SELECT count(*) FROM tendon.leases l WHERE NOT EXISTS (SELECT 1 FROM tendon.deployments d WHERE d.run = l.run)";
    let leases = rows(server, statement)?.first().map(|row| cell(row, 0)).unwrap_or_default();
    match wrong.first() {
        Some(row) => Err(format!("{}: `{}`, and {} more", cell(row, 0), cell(row, 1), wrong.len() - 1)),
        None if leases != "0" => Err(format!("{leases} leases are on nothing")),
        None if found.steps < found.succeeded * resources => Err("there are too few steps".to_owned()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line {
        let mut words = text.split(' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        let (kind, run, number) = (next(), next(), next().parse().unwrap());
        Line { kind, run, number, what: next(), name: next() }
    }

    fn told(end: &str) -> ClientObservation {
        let run = "r".to_owned();
        ClientObservation {
            name: "d".into(),
            acknowledged: Some(run.clone()),
            run,
            canceled: false,
            end: end.into(),
            why: String::new(),
        }
    }

    fn judged(record: &str, told: &[ClientObservation]) -> Result<ClusterSummary> {
        judge(record.lines().map(|text| line(text.trim())).collect(), told)
    }

    const GOOD: &str = "deployment r 1 Running d
        lease r 1 a
        step r 0 1
        lease r 2 b
        step r 1 1
        deployment r 0 Succeeded d";

    #[test]
    fn a_record_that_keeps_the_promises_passes() {
        let found = judged(GOOD, &[told("Succeeded")]).unwrap();
        assert_eq!((found.deployments, found.succeeded, found.steps, found.takeovers), (1, 1, 2, 1));
    }

    #[test]
    fn what_breaks_a_promise_is_found() {
        for (wrong, right, promise) in [
            ("step r 0 1", "step r 1 1", "confirmed twice"),
            ("lease r 1 b", "lease r 2 b", "under the fence"),
            ("lease r 0 b", "lease r 2 b", "went from 1 to 0"),
            ("deployment r 1 Running d", "deployment r 0 Succeeded d", "never ended"),
            ("deployment r 0 Failed d", "deployment r 0 Succeeded d", "a node said"),
            ("deployment r 0 Succeeded d\nstep r 2 1", "deployment r 0 Succeeded d", "after its end"),
            (
                "deployment r 0 Succeeded d\ndeployment r 1 Running d",
                "deployment r 0 Succeeded d",
                "after its end",
            ),
        ] {
            let broken = judged(&GOOD.replace(right, wrong), &[told("Succeeded")]).unwrap_err();
            assert!(broken.contains(promise), "{wrong}: {broken}");
        }
        let other = ClientObservation { acknowledged: Some("s".to_owned()), ..told("Succeeded") };
        assert!(judged(GOOD, &[other]).unwrap_err().contains("never there"));
        let canceled = GOOD.replace("Succeeded", "Canceled");
        assert!(judged(&canceled, &[told("Canceled")]).unwrap_err().contains("nobody had asked"));
    }
}
