//! Names of changes: each is found between the contracts of its example, and what proves it does so.

use comparison::{ChangeRule, RULES};
use serde_json::Value;

use crate::support::Folder;

/// Whether `tendon check` accepts a value.
#[track_caller]
fn accepts(folder: &Folder, contract: &str, value: &Value) -> bool {
    std::fs::write(folder.path("value.json"), value.to_string()).unwrap();
    let output = folder.run(&["check", "--against", contract, "value.json"], b"");
    output.status.code() == Some(0)
}

/// Whether `tendon thrift validate` accepts bytes.
fn accepts_bytes(folder: &Folder, contract: &str, hex: &str) -> bool {
    std::fs::write(folder.path("value.hex"), hex).unwrap();
    let words = ["thrift", "validate", contract, "--type", "Order", "--encoding", "hex", "--in", "value.hex"];
    folder.run(&words, b"").status.code() == Some(0)
}

/// Holds a value against both contracts of a boundary.
#[track_caller]
fn holds(folder: &Folder, rule: &ChangeRule, proof: &Value, of: &Value, not_of: &Value) {
    let (Some(of), Some(not_of)) = (of.as_str(), not_of.as_str()) else { return };
    let both = match proof.get("hex").and_then(Value::as_str) {
        Some(hex) => (accepts_bytes(folder, of, hex), accepts_bytes(folder, not_of, hex)),
        None => (accepts(folder, of, &proof["value"]), accepts(folder, not_of, &proof["value"])),
    };
    assert_eq!(both, (true, false), "{}: {proof}", rule.name);
}

#[test]
fn every_name_is_found_in_its_example() {
    let folder = Folder::with(&[]);
    for rule in RULES {
        let (old, new) =
            (format!("old.{}", rule.language.extension()), format!("new.{}", rule.language.extension()));
        std::fs::write(folder.path(&old), rule.old).unwrap();
        std::fs::write(folder.path(&new), rule.new).unwrap();
        let output = folder.run(&["contract", "diff", &old, &new, "--output", "json"], b"");
        let said = String::from_utf8_lossy(&output.stdout);
        let report: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{}: {said}", rule.name));
        let mut found = false;
        for boundary in report["boundaries"].as_array().unwrap() {
            let (old, new) = (&boundary["old"], &boundary["new"]);
            for change in boundary["changes"].as_array().unwrap() {
                found |= change["rule"] == rule.name;
                assert!(RULES.iter().any(|known| change["rule"] == known.name), "{change}");
                if !change["lost"].is_null() {
                    holds(&folder, rule, &change["lost"], old, new);
                }
                if !change["gained"].is_null() {
                    holds(&folder, rule, &change["gained"], new, old);
                }
            }
        }
        assert!(found, "{} is not found: {said}", rule.name);
    }
}

#[test]
fn every_name_has_a_page() {
    let folder = Folder::with(&[]);
    let list = folder.run(&["rules", "contract-diff"], b"");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    for rule in RULES {
        assert!(list.lines().any(|line| line.starts_with(&format!("{} ", rule.name))), "{}", rule.name);
        let page = folder.run(&["rules", &format!("contract-diff/{}", rule.name)], b"");
        let page = String::from_utf8_lossy(&page.stdout);
        assert!(page.contains(rule.summary) && page.contains(rule.new.lines().next().unwrap()), "{page}");
    }
}
