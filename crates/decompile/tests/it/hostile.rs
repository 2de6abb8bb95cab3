//! Templates that were made to hurt: each ends with a program or with a problem, and takes no more time and memory than its size explains.

use std::fmt::Write as _;

use decompile::{DecompileError, DecompileOptions, Decompiled, decompile};

/// A template with some sections, the resources among them.
fn template(sections: &str) -> String {
    let schema = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#";
    format!(r#"{{ "$schema": "{schema}", "contentVersion": "1.0.0.0", {sections} }}"#)
}

fn made(sections: &str) -> Result<Decompiled, DecompileError> {
    decompile(&template(sections), &DecompileOptions::default())
}

#[track_caller]
fn program(sections: &str) -> String {
    made(sections).unwrap().files.swap_remove(0).text
}

#[track_caller]
fn problem(sections: &str) -> String {
    made(sections).unwrap_err().to_string()
}

/// Members with numbers in the place of `#`.
fn numbered(count: usize, member: &str) -> String {
    (0..count).map(|number| member.replace('#', &number.to_string())).collect::<Vec<_>>().join(", ")
}

#[test]
fn copies_of_copies_stay_calls() {
    let doubled = (0..60).fold("parameters('p')".to_owned(), |it, _| format!("format('{{0}}{{0}}', {it})"));
    let parameters = r#""parameters": { "p": { "type": "string" } }"#;
    let output = format!(
        r#"{parameters}, "resources": [], "outputs": {{ "o": {{ "type": "string", "value": "[{doubled}]" }} }}"#
    );
    let text = program(&output);
    assert!(text.contains("format(") && text.len() < 50_000, "{}", text.len());
    let named = format!(
        r#"{parameters}, "resources": [ {{ "type": "A.B/c", "apiVersion": "1", "name": "[{doubled}]", "dependsOn": [ "[{doubled}]" ] }} ]"#
    );
    assert!(program(&named).len() < 100_000);
}

#[test]
fn variables_that_name_others_many_times_are_not_followed_to_the_end() {
    let mut variables = String::new();
    for number in 0..16 {
        let next = format!("variables('v{}')", number + 1);
        let _ = write!(variables, r#""v{number}": "[concat({})]", "#, [next.as_str(); 10].join(", "));
    }
    let text = program(&format!(
        r#""variables": {{ {variables} "v16": "x" }}, "resources": [ {{
          "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
          "properties": {{ "mode": "Incremental", "templateLink": {{ "uri": "[variables('v0')]" }} }} }} ]"#
    ));
    assert!(text.contains("TODO: replace with correct path"), "{text}");
}

#[test]
fn what_stands_in_a_row_has_an_end() {
    let output = |metadata: &str, value: &str| {
        format!(
            r#"{metadata} "parameters": {{ "p": {{ "type": "object" }} }}, "resources": [],
               "outputs": {{ "o": {{ "type": "bool", "value": "[{value}]" }} }}"#
        )
    };
    let generated = r#""metadata": { "_generator": { "name": "bicep" } },"#;
    let all = ["parameters('p')"; 100_000].join(",");
    for metadata in ["", generated] {
        for value in [
            format!("parameters('p'){}", ".a".repeat(100_000)),
            format!("and({all})"),
            format!("tryGet({all})"),
        ] {
            let found = problem(&output(metadata, &value));
            assert_eq!(found, "/outputs/o/value: there are too many steps or operands in a row for Bicep");
        }
    }
    // Rows inside of rows, each of which would do.
    let rows =
        (0..20).fold("parameters('p')".to_owned(), |it, _| format!("and({it}{})", ", true()".repeat(99)));
    assert!(problem(&output("", &rows)).contains("in a row"));
    program(&output("", &format!("and({})", ["true()"; 500].join(", "))));
}

#[test]
fn no_name_of_a_template_leads_to_another_folder() {
    let sections = r#""metadata": { "_generator": { "name": "bicep" } }, "resources": [],
        "variables": { "$fxv#0": "a", "$fxv#x/../../../evil": "b", "$fxv#/etc/evil": "c", "$fxv#..\\evil": "d" }"#;
    let made = made(sections).unwrap();
    let paths: Vec<&str> = made.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "main.bicep",
            "main_content_0.txt",
            "main_content_etc_evil.txt",
            "main_content_evil.txt",
            "main_content_x_evil.txt"
        ]
    );
}

#[test]
fn resources_inside_each_other_have_an_end() {
    let chain = |count: usize| {
        let resource = |depth: usize| {
            format!(
                r#""{}": {{ "type": "A.B{}", "apiVersion": "1", "name": "x" }}"#,
                ["a"].repeat(depth).join("::"),
                "/c".repeat(depth)
            )
        };
        let resources: Vec<String> = (1..=count).map(resource).collect();
        format!(r#""languageVersion": "2.0", "resources": {{ {} }}"#, resources.join(", "))
    };
    program(&chain(20));
    assert!(problem(&chain(2_000)).ends_with("too many resources are inside each other"));
}

#[test]
fn names_that_are_taken_are_not_looked_for_from_the_beginning_each_time() {
    let resource = r#"{ "type": "A.B/c", "apiVersion": "1", "name": "x" }"#;
    let generated = r#""metadata": { "_generator": { "name": "bicep" } }"#;
    let same = vec![resource; 2_000].join(", ");
    assert!(program(&format!(r#"{generated}, "resources": [ {same} ]"#)).contains("A_B_c_x1998 "));
    let copies = numbered(
        2_000,
        r#"{ "type": "A.B/c", "apiVersion": "1", "name": "x#", "copy": { "name": "c#", "count": 2 } }"#,
    );
    let parameters = numbered(2_000, r#""item#": { "type": "string" }"#);
    let sections = format!(
        r#""parameters": {{ "i": {{ "type": "string" }}, "item": {{ "type": "string" }}, {parameters} }}, "resources": [ {copies} ]"#
    );
    let text = program(&sections);
    assert!(text.contains("for i2 in range(0, 2): {"), "{}", text.get(text.len() - 200..).unwrap());
}

#[test]
fn the_names_of_children_are_not_held_against_all_others() {
    let outer = numbered(
        2_000,
        r#"{ "type": "A.B/c", "apiVersion": "1", "name": "[concat(parameters('p'), '#')]" }"#,
    );
    let inner = numbered(
        2_000,
        r#"{ "type": "A.B/c/d", "apiVersion": "1", "name": "[concat(parameters('p'), '#/x')]" }"#,
    );
    let text = program(&format!(
        r#""parameters": {{ "p": {{ "type": "string" }} }}, "resources": [ {outer}, {inner} ]"#
    ));
    assert!(text.contains("\n  parent: p_1999\n"));
}

#[test]
fn names_of_types_can_be_names_of_other_things() {
    let text = program(
        r#""parameters": { "string": { "type": "string" }, "object": { "type": "int" } }, "variables": { "array": [] },
           "resources": [], "outputs": { "o": { "type": "array", "value": "[variables('array')]" } }"#,
    );
    assert_eq!(
        text,
        "param string sys.string\n\nparam object int\n\nvar array = []\n\noutput o sys.array = array\n"
    );
}
