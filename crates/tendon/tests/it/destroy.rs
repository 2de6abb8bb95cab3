//! `tendon destroy`: what goes, in which order, and what stays.

use super::server::Served;
use crate::support::Folder;

const PROGRAM: &[u8] = b"resource first 'A.B/firsts@2024-01-01' = {
  name: 'one'
}

resource second 'A.B/seconds@2024-01-01' = {
  name: 'two'
  properties: { needs: first.id }

  resource part 'parts' = {
    name: 'part'
  }
}

module inner 'inner.bicep' = {
  name: 'inner'
  params: { needed: second.id }
}
";

const INNER: &[u8] = b"param needed string
resource third 'A.B/thirds@2024-01-01' = {
  name: 'three'
  properties: { needs: needed }
}
";

fn program() -> Folder {
    Folder::with(&[
        ("main.bicep", PROGRAM),
        ("inner.bicep", INNER),
        ("other.bicep", b"resource other 'A.B/others@2024-01-01' = {\n  name: 'other'\n}\n"),
    ])
}

#[track_caller]
fn run(folder: &Folder, line: &str, exit: i32) -> String {
    let output = folder.run_line(line, b"");
    let text = folder.anonymous(&[output.stdout, output.stderr].concat());
    assert_eq!(output.status.code(), Some(exit), "{line}: {text}");
    text
}

/// The last parts of the ids behind the sign for what goes.
fn gone(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("- ")?.rsplit('/').next()).collect()
}

#[test]
fn a_deployment_goes_in_the_reverse_order_of_its_dependencies() {
    let folder = program();
    run(&folder, "tendon deploy main.bicep", 0);
    run(&folder, "tendon deploy other.bicep", 0);
    let plan = run(&folder, "tendon destroy main.bicep --what-if", 0);
    assert_eq!(
        gone(&plan),
        ["part", "three", "two", "one", "inner (its record)", "main (its record)"],
        "{plan}"
    );
    assert!(plan.ends_with("4 resources and 2 deployments to delete\n"), "{plan}");
    // Nobody is there to ask.
    let refused = run(&folder, "tendon destroy main.bicep", 2);
    assert!(refused.contains("`--yes` deletes without asking"), "{refused}");
    assert!(run(&folder, "tendon state list", 0).contains("A.B/firsts/one"));
    assert!(
        run(&folder, "tendon destroy main.bicep --yes", 0)
            .ends_with("4 resources and 2 deployments deleted\n")
    );
    let left = run(&folder, "tendon state list", 0);
    assert!(
        left.contains("A.B/others/other")
            && !left.contains("A.B/firsts")
            && !left.contains("deployments/main"),
        "{left}"
    );
    let (again, missing) = (run(&folder, "tendon destroy main.bicep --yes", 1), "no deployment");
    assert!(again.contains(missing), "{again}");
}

#[test]
fn a_group_and_a_project_go_as_a_whole() {
    let folder = program();
    for group in ["a", "b"] {
        let scope = format!("--scope /subscriptions/s/resourceGroups/{group}");
        run(&folder, &format!("tendon deploy main.bicep {scope}"), 0);
    }
    let refused = run(&folder, "tendon destroy main.bicep --yes", 2);
    assert!(
        refused.contains("resourceGroups/a/") && refused.contains("give the whole id of one"),
        "{refused}"
    );
    let plan = run(&folder, "tendon destroy A --what-if", 0);
    assert_eq!(gone(&plan)[..4], ["part", "three", "two", "one"], "{plan}");
    run(&folder, "tendon destroy /subscriptions/s/resourceGroups/a --yes", 0);
    let left = run(&folder, "tendon state list", 0);
    assert!(!left.contains("resourceGroups/a/") && left.contains("resourceGroups/b/"), "{left}");
    run(&folder, "tendon destroy --yes", 0);
    assert!(run(&folder, "tendon state list", 0).contains("nothing is kept"));
    run(&folder, "tendon destroy --yes", 0);
}

#[test]
fn the_plan_and_the_end_can_be_read_by_programs() {
    let folder = program();
    run(&folder, "tendon deploy main.bicep", 0);
    let plan = run(&folder, "tendon destroy main --what-if -o json", 0);
    assert!(plan.contains("\"resources\": [") && plan.contains("deployments/inner\""), "{plan}");
    let ended = run(&folder, "tendon destroy main --yes -o json", 0);
    for part in ["\"deleted\": [", "\"failed\": []", "\"kept\": []", "deployments/main\""] {
        assert!(ended.contains(part), "{part}: {ended}");
    }
}

#[test]
fn what_an_interrupted_destruction_left_goes_next_time() {
    let folder = program();
    run(&folder, "tendon deploy main.bicep", 0);
    let local = "/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/local";
    let listed = run(&folder, "tendon state list", 0);
    let id =
        listed.lines().find_map(|line| line.strip_prefix("resource    ").filter(|id| id.ends_with("/part")));
    let id = id.unwrap_or(local);
    run(&folder, &format!("tendon state delete {id}"), 0);
    let plan = run(&folder, "tendon destroy main --what-if", 0);
    assert_eq!(gone(&plan)[..3], ["three", "two", "one"], "{plan}");
    run(&folder, "tendon destroy main --yes", 0);
    assert!(run(&folder, "tendon state list", 0).contains("nothing is kept"));
}

#[test]
fn symbolic_names_and_groups_are_as_good_as_ids() {
    let folder = program();
    run(&folder, "tendon deploy main.bicep", 0);
    for (name, id) in
        [("first", "A.B/firsts/one"), ("part", "seconds/two/parts/part"), ("third", "A.B/thirds/three")]
    {
        let shown = run(&folder, &format!("tendon state show {name}"), 0);
        assert!(shown.contains(&format!("{id}\"")), "{name}: {shown}");
    }
    let plan = run(&folder, "tendon destroy second --what-if", 0);
    assert_eq!(gone(&plan).len(), 2, "{plan}");
    assert!(run(&folder, "tendon state delete third", 0).contains("deleted resource /sub"));
    // What is gone has no name any more.
    let missing = run(&folder, "tendon state show third", 1);
    assert!(missing.contains("symbolic name `third`"), "{missing}");
    // A name that two programs have is one of several.
    run(&folder, "tendon deploy main.bicep --scope /subscriptions/s/resourceGroups/b", 0);
    let several = run(&folder, "tendon state delete first", 2);
    assert!(several.contains("2 resources") && several.contains("resourceGroups/b/"), "{several}");
    assert!(
        run(&folder, "tendon state delete B", 0)
            .contains("deleted resource group /subscriptions/s/resourceGroups/b")
    );
    let left = run(&folder, "tendon state list", 0);
    assert!(!left.contains("resourceGroups/b") && left.contains("A.B/firsts/one"), "{left}");
    run(&folder, "tendon state delete first", 0);
    run(&folder, "tendon state delete nothing", 1);
}

#[test]
fn a_destruction_says_that_there_is_nothing() {
    let folder = program();
    for line in ["tendon destroy --yes", "tendon destroy --what-if", "tendon destroy"] {
        assert!(run(&folder, line, 0).ends_with("nothing to delete\n"), "{line}");
    }
}

/// What goes of the program, in order.
const ORDER: [&str; 6] = ["part", "three", "two", "one", "inner (its record)", "main (its record)"];

#[test]
fn what_a_server_has_goes_in_the_same_order() {
    let folder = program();
    let served = Served::start(&folder);
    let there = format!("--server {}", served.url);
    let deployed = run(&folder, &format!("tendon deploy main.bicep {there}"), 0);
    assert!(deployed.contains(": 4 created"), "{deployed}");
    let plan = run(&folder, &format!("tendon destroy main.bicep --what-if {there}"), 0);
    assert_eq!(gone(&plan), ORDER, "{plan}");
    let refused = run(&folder, &format!("tendon destroy main.bicep {there}"), 2);
    assert!(refused.contains("`--yes` deletes without asking"), "{refused}");
    let unnamed = run(&folder, &format!("tendon destroy --yes {there}"), 2);
    assert!(unnamed.contains("a server has those of others, too"), "{unnamed}");
    let done = run(&folder, &format!("tendon destroy main.bicep --yes {there}"), 0);
    assert!(done.ends_with("4 resources and 2 deployments deleted\n"), "{done}");
    let left = run(&folder, &format!("tendon state list {there}"), 0);
    assert!(!left.contains("A.B/") && !left.contains("deployments/main"), "{left}");
    run(&folder, &format!("tendon destroy main.bicep --yes {there}"), 1);
}

#[test]
fn what_an_endpoint_has_is_deleted_there() {
    let folder = program();
    let served = Served::start(&folder);
    // Makes the group.
    folder.write("empty.bicep", b"");
    run(&folder, &format!("tendon deploy empty.bicep --server {}", served.url), 0);
    let here = format!("--endpoint {} --state here", served.url);
    let scope = "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/local";
    run(&folder, &format!("tendon deploy main.bicep --scope {scope} {here}"), 0);
    let plan = run(&folder, &format!("tendon destroy main.bicep --what-if {here}"), 0);
    assert_eq!(gone(&plan), ORDER, "{plan}");
    // Without the endpoint, the records would go and the resources would stay.
    for line in ["destroy main.bicep --yes", "destroy main.bicep --what-if", "destroy --yes"] {
        let elsewhere = run(&folder, &format!("tendon {line} --state here"), 1);
        assert!(elsewhere.contains(&format!("give `--endpoint {}", served.url)), "{line}: {elsewhere}");
    }
    let kept = run(&folder, &format!("tendon state list --server {}", served.url), 0);
    assert!(kept.contains("A.B/firsts/one"), "{kept}");
    let done = run(&folder, &format!("tendon destroy main.bicep --yes {here}"), 0);
    assert!(done.ends_with("4 resources and 2 deployments deleted\n"), "{done}");
    let left = run(&folder, &format!("tendon state list --server {}", served.url), 0);
    assert!(!left.contains("A.B/"), "{left}");
    let records = run(&folder, "tendon state list --state here", 0);
    assert!(!records.contains("deployments/main"), "{records}");
}
