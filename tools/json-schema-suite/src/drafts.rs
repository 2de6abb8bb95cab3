//! The drafts of JSON Schema that are read, and what of their tests is left out.

/// A draft of JSON Schema.
pub(crate) struct Draft {
    /// The folder of its tests.
    pub(crate) folder: &'static str,
    /// What a schema of it says in `$schema`.
    pub(crate) schema: &'static str,
}

/// The newest first.
pub(crate) const DRAFTS: &[Draft] = &[
    Draft { folder: "draft2020-12", schema: "https://json-schema.org/draft/2020-12/schema" },
    Draft { folder: "draft2019-09", schema: "https://json-schema.org/draft/2019-09/schema" },
    Draft { folder: "draft7", schema: "http://json-schema.org/draft-07/schema#" },
    Draft { folder: "draft6", schema: "http://json-schema.org/draft-06/schema#" },
    Draft { folder: "draft4", schema: "http://json-schema.org/draft-04/schema#" },
];

/// Files of tests that are left out, each with its reason.
pub(crate) const LEFT_OUT: &[(&str, &str)] = &[
    ("format.json", "they expect that `format` is a remark; a contract means it"),
    ("vocabulary.json", "they expect that a metaschema of somebody's own can switch words off"),
];
