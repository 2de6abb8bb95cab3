//! What scripts may say; what they do is in `resources/specs/providers.md`.

use engine::provider::Script;
use engine::records::parse;

#[test]
fn what_is_wrong_with_a_script_is_said() {
    for (script, expect) in [
        ("{}", "`provider` is a list"),
        (r#"[{"resource": "a", "on": "post", "answers": [{"body": {}}]}]"#, "`on` is `put`"),
        (r#"[{"resource": "a", "on": "put", "answers": []}]"#, "at least one"),
        (r#"[{"resource": "a", "on": "put", "answers": [{"body": {}, "merge": {}}]}]"#, "one member"),
        (r#"[{"resource": "a", "on": "put", "answers": [{"error": {}}]}]"#, "`code`"),
        (r#"[{"resource": "a", "on": "put", "latency": "soon", "answers": [{"body": {}}]}]"#, "`latency`"),
        (r#"[{"resource": "a", "on": "get", "answers": [{"body": 1}]}]"#, "`body` is an object"),
        (r#"[{"resource": "a", "on": "put", "answer": [{"body": {}}]}]"#, "`answer` is unknown"),
    ] {
        let error = Script::read(&parse(script).unwrap()).unwrap_err();
        assert!(error.contains(expect), "{script}: {error}");
    }
}
