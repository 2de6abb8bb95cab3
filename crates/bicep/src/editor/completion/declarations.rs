//! Declarations, from their first word on: keywords, and snippets of whole declarations.

use super::Completer;
use super::item::{Completion, Priority};
use crate::language::Feature;

/// The keywords of programs.
const PROGRAM_WORDS: &[(&str, &str, Priority)] = &[
    ("metadata", "Metadata keyword", Priority::Medium),
    ("param", "Parameter keyword", Priority::Medium),
    ("var", "Variable keyword", Priority::Medium),
    ("resource", "Resource keyword", Priority::High),
    ("output", "Output keyword", Priority::Medium),
    ("module", "Module keyword", Priority::Medium),
    ("targetScope", "Target Scope keyword", Priority::Medium),
    ("type", "Type keyword", Priority::Medium),
    ("import", "Import keyword", Priority::Medium),
    ("extension", "Extension keyword", Priority::Medium),
];

/// The keywords of parameters files.
const PARAMETERS_WORDS: &[(&str, &str)] = &[
    ("extension", "Extension keyword"),
    ("import", "Import keyword"),
    ("param", "Parameter assignment keyword"),
    ("extends", "Extends keyword"),
];

/// Whole declarations: label, what they are, snippet, priority.
const SNIPPETS: &[(&str, &str, &str, Priority)] = &[
    ("func", "Function declaration", "func ${1:name}() ${2:outputType} => $0", Priority::Medium),
    (
        "module",
        "Module declaration",
        "module ${1:name} '${2:path}' = {\n\tname: '${3:deployment}'\n\tparams: {\n\t\t$0\n\t}\n}",
        Priority::Medium,
    ),
    ("output", "Output declaration", "output ${1:name} ${2:type} = $0", Priority::Medium),
    ("param", "Parameter declaration", "param ${1:name} ${2:type}$0", Priority::Medium),
    (
        "param-defaults",
        "Parameter declaration with default value",
        "param ${1:name} ${2:type} = ${0:default}",
        Priority::Medium,
    ),
    (
        "param-defaults-allowed-values",
        "Parameter declaration with default and allowed values",
        "@allowed([\n\t${3:value}\n])\nparam ${1:name} ${2:type} = ${0:default}",
        Priority::Medium,
    ),
    (
        "param-secure-string",
        "Secure string parameter",
        "@secure()\nparam ${1:name} string$0",
        Priority::Medium,
    ),
    ("var", "Variable declaration", "var ${1:name} = $0", Priority::Medium),
    (
        "resource-defaults",
        "Resource with defaults",
        "resource ${1:name} '${2:type}' = {\n\tname: ${3:resourceName}\n\tlocation: ${4:location}\n\tproperties: {\n\t\t$0\n\t}\n}",
        Priority::High,
    ),
    (
        "resource-without-defaults",
        "Resource without defaults",
        "resource ${1:name} '${2:type}' = {\n\tname: ${3:resourceName}\n\t$0\n}",
        Priority::High,
    ),
    (
        "resource-child-defaults",
        "Child Resource with defaults",
        "resource ${1:name} '${2:type}' = {\n\tparent: ${3:parent}\n\tname: ${4:resourceName}\n\tproperties: {\n\t\t$0\n\t}\n}",
        Priority::High,
    ),
    (
        "resource-child-without-defaults",
        "Child Resource without defaults",
        "resource ${1:name} '${2:type}' = {\n\tparent: ${3:parent}\n\tname: ${4:resourceName}\n\t$0\n}",
        Priority::High,
    ),
];

/// Resources inside the bodies of others: label, what they are, snippet.
const NESTED: &[(&str, &str, &str)] = &[
    (
        "resource-with-defaults",
        "Nested resource with defaults",
        "resource ${1:Identifier} '${2:Type}' = {\n  name: $3\n  properties: {\n    $0\n  }\n}",
    ),
    (
        "resource-without-defaults",
        "Nested resource without defaults",
        "resource ${1:Identifier} '${2:Type}' = {\n  name: $3\n  $0\n}",
    ),
];

impl Completer<'_, '_> {
    pub(super) fn declarations(&mut self) {
        if self.model.is_params() { self.parameters_file_words() } else { self.program_words() }
    }

    fn program_words(&mut self) {
        let (span, features) = (self.span, self.model.features());
        for (word, detail, priority) in PROGRAM_WORDS {
            self.out.push(Completion::keyword(word, detail, *priority, span));
        }
        let gated = [
            (Feature::TestFramework, "test", "Test keyword"),
            (Feature::Assertions, "assert", "Assert keyword"),
        ];
        for (_, word, detail) in gated.into_iter().filter(|(feature, ..)| features.has(*feature)) {
            self.out.push(Completion::keyword(word, detail, Priority::Medium, span));
        }
        for (label, detail, text, priority) in SNIPPETS {
            self.out.push(Completion::snippet(label, detail, *priority, span, text));
        }
    }

    fn parameters_file_words(&mut self) {
        let span = self.span;
        let mut words: Vec<(&str, &str)> = Vec::new();
        // A file can be for one program only.
        let has_using = self
            .model
            .file
            .tree
            .root()
            .child_nodes()
            .any(|node| matches!(node.kind(), syntax::NodeKind::UsingDeclaration));
        words.extend((!has_using).then_some(("using", "Using keyword")));
        words.extend(PARAMETERS_WORDS);
        if self.model.features().has(Feature::ModuleExtensionConfigs) {
            words.push(("extensionConfig", "Extension config assignment keyword"));
        }
        for (word, detail) in words {
            self.out.push(Completion::keyword(word, detail, Priority::Medium, span));
        }
    }

    pub(super) fn nested_resource(&mut self) {
        let span = self.span;
        self.out.push(Completion::keyword("resource", "Resource keyword", Priority::Medium, span));
        for (label, detail, text) in NESTED {
            self.out.push(Completion::snippet(label, detail, Priority::Medium, span, text).preselect(true));
        }
    }
}
