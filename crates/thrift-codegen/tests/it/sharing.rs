//! Types that many places share are planned once, and written out within bounds.

use thrift::rules::Functions;
use thrift_codegen::{go, java, python, rust, typescript};

use crate::support::{errors, input, read};

/// A type that stands for two of the one below it, and so on down to a leaf.
fn doubling(levels: usize) -> String {
    let maps: String = (0..levels).map(|n| format!("typedef map<T{0}, T{0}> T{n}\n", n + 1)).collect();
    format!("{maps}typedef i32 T{levels} (vt.gt = \"0\")\nstruct S {{1: T0 f}}")
}

/// Code is written out, so that what it would need is bounded.
#[test]
fn code_for_shared_types_is_bounded() {
    for (levels, fits) in [(8, true), (40, false)] {
        let read = read(&doubling(levels));
        let functions = Functions::at(0);
        let input = input(&read, &functions);
        for generated in [
            go::generate(input, &go::GoOptions::default()),
            rust::generate(input, &rust::RustOptions::default()),
            python::generate(input, &python::PythonOptions::default()),
            java::generate(input, &java::JavaOptions::default()),
            typescript::generate(input, &typescript::TypeScriptOptions::default()),
        ] {
            assert_eq!(!generated.files.is_empty(), fits, "{levels}");
            let expected: &[&str] = if fits { &[] } else { &["thrift/too-large"] };
            assert_eq!(errors(&generated.diagnostics), expected);
        }
    }
}

/// A typedef that is redacted is so for the rules of the fields that have it.
#[test]
fn values_of_a_redacted_typedef_are_masked() {
    for typedef in ["string T (vt.redact = \"true\")", "list<string> T (vt.elem.redact = \"true\")"] {
        let field = if typedef.starts_with("list") { "vt.elem.min_size" } else { "vt.min_size" };
        let read = read(&format!("typedef {typedef}\nstruct S {{1: T t ({field} = \"8\")}}"));
        let functions = Functions::at(0);
        let input = input(&read, &functions);
        let generated = go::generate(input, &go::GoOptions::default());
        let code = &generated.files.first().unwrap().text;
        assert!(code.contains("\"<secret>\"") && !code.contains("tendonShown"), "{code}");
    }
}
