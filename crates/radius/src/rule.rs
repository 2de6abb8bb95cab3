//! The rules for manifests and schemas: one row each, with its code, what it asks, and an example that breaks it.
//!
//! `docs/radius-rules.md` is made from the rows, the examples run as tests, and `resources/specs` has a case for every code.
//! How strict a rule is, is data of its row: [`ManifestRule::level`] asks the row, and no other code decides about it.

use diagnostics::Severity;

/// The rules that a manifest has to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ManifestDialect {
    /// All spellings that resource types are written in, old and new.
    #[default]
    Tendon,
    /// Also refuses what the public Radius command and its server refuse today.
    Radius,
}

/// Where a manifest is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RuleStage {
    /// By its author, before anything is called.
    #[default]
    Author,
    /// By the registry, before anything is stored.
    Registry,
}

/// How a manifest is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ManifestReadOptions {
    /// The rules that the manifest has to keep.
    pub dialect: ManifestDialect,
    /// Where the manifest is read; some rules hold only for the registry.
    pub gate: RuleStage,
}

/// How bad it is to break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleLevel {
    /// Nothing is reported.
    Off,
    /// Reported, and nothing follows from it.
    Info,
    /// Probably a mistake, or about to be refused elsewhere.
    Warning,
    /// Reported, and nothing of the manifest is registered.
    Error,
}

impl RuleLevel {
    /// The severity of a finding, if there is one.
    pub fn severity(self) -> Option<Severity> {
        match self {
            RuleLevel::Off => None,
            RuleLevel::Info => Some(Severity::Info),
            RuleLevel::Warning => Some(Severity::Warning),
            RuleLevel::Error => Some(Severity::Error),
        }
    }
}

/// A rule for manifests, with how serious it is at each place.
#[derive(Debug)]
pub struct ManifestRule {
    /// The stable name of its findings.
    pub code: &'static str,
    /// How bad it is to break it.
    pub usual: RuleLevel,
    /// How bad it is where the dialect is that of today's Radius.
    pub radius: RuleLevel,
    /// How bad it is at the registry.
    pub registry: RuleLevel,
    /// What the rule asks, in a sentence or two.
    pub text: &'static str,
    /// Something that breaks it.
    pub example: ManifestExample,
}

/// Something that breaks a rule, in YAML.
#[derive(Clone, Copy, Debug)]
pub enum ManifestExample {
    /// A manifest from its first line.
    Manifest(&'static str),
    /// A type, below its name.
    Type(&'static str),
    /// The schema of a type.
    Schema(&'static str),
    /// The schema of one property.
    Property(&'static str),
}

impl ManifestExample {
    /// The example as a whole manifest.
    pub fn manifest(&self) -> String {
        let below = |head: &str, depth: usize, text: &str| {
            let pad = " ".repeat(depth);
            let lines: Vec<String> = text.lines().map(|line| format!("{pad}{line}\n")).collect();
            format!("{head}\n{}", lines.concat())
        };
        const TYPE: &str = "namespace: MyCompany.Resources\ntypes:\n  widgets:";
        const SCHEMA: &str = "    apiVersions:\n      '2025-01-01':\n        schema:";
        const PROPERTY: &str = "          type: object\n          properties:\n            size:";
        match *self {
            ManifestExample::Manifest(text) => text.to_owned(),
            ManifestExample::Type(text) => below(TYPE, 4, text),
            ManifestExample::Schema(text) => below(&format!("{TYPE}\n{SCHEMA}"), 10, text),
            ManifestExample::Property(text) => below(&format!("{TYPE}\n{SCHEMA}\n{PROPERTY}"), 14, text),
        }
    }

    /// The example as it stands in the table.
    pub fn text(&self) -> &'static str {
        match *self {
            ManifestExample::Manifest(text)
            | ManifestExample::Type(text)
            | ManifestExample::Schema(text)
            | ManifestExample::Property(text) => text,
        }
    }

    /// What the example is a part of.
    pub fn what(&self) -> &'static str {
        match self {
            ManifestExample::Manifest(_) => "a manifest",
            ManifestExample::Type(_) => "a type",
            ManifestExample::Schema(_) => "a schema",
            ManifestExample::Property(_) => "a property",
        }
    }
}

impl ManifestRule {
    /// How bad it is to break the rule, asked so.
    pub fn level(&self, options: ManifestReadOptions) -> RuleLevel {
        let radius = match options.dialect {
            ManifestDialect::Tendon => RuleLevel::Off,
            ManifestDialect::Radius => self.radius,
        };
        let registry = match options.gate {
            RuleStage::Author => RuleLevel::Off,
            RuleStage::Registry => self.registry,
        };
        self.usual.max(radius).max(registry)
    }

    /// Finds a rule by its code, with or without the `radius/` before it.
    pub fn find(code: &str) -> Option<&'static ManifestRule> {
        ALL.iter().copied().find(|rule| rule.code == code || rule.code.strip_prefix("radius/") == Some(code))
    }
}

/// Declares the rules: name, code, levels (usual; in the dialect of Radius; at the registry), text, example.
macro_rules! rules {
    ($($name:ident $code:literal $usual:ident $radius:ident $registry:ident $text:literal $kind:ident($example:literal);)*) => {
        $(
            #[doc = $text]
            pub static $name: ManifestRule = ManifestRule {
                code: concat!("radius/", $code),
                usual: RuleLevel::$usual,
                radius: RuleLevel::$radius,
                registry: RuleLevel::$registry,
                text: $text,
                example: ManifestExample::$kind($example),
            };
        )*

        /// Every rule, in the order of the documentation.
        pub static ALL: &[&ManifestRule] = &[$(&$name),*];
    };
}

rules! {
    // The manifest.
    FIELD_KIND "field-kind" Error Error Error
        "A field of a manifest has the kind of value that it needs: `types` and `apiVersions` are mappings, names are text, `capabilities` is a list of text."
        Type("apiVersions: ['2025-01-01']");
    MISSING_FIELD "missing-field" Error Error Error
        "A manifest has a `namespace`, and every API version has a `schema`, which may be empty (`{}`)."
        Type("apiVersions:\n  '2025-01-01': {}");
    UNKNOWN_FIELD "unknown-field" Error Error Error
        "A manifest has `namespace`, `location` and `types`; a type has `description`, `capabilities`, `defaultApiVersion` and `apiVersions`; a version has `schema`. There is nothing else."
        Type("icon: widget.svg\napiVersions: {}");
    NAMESPACE "namespace" Error Error Error
        "A namespace has two parts with a dot between them. Each begins with a capital letter, goes on with letters and digits, and has 2 to 63 characters: `MyCompany.Resources`."
        Manifest("namespace: mycompany\ntypes: {}");
    NAMESPACE_SPELLING "namespace-spelling" Warning Error Warning
        "The namespace is called `namespace`. `name` is its old spelling."
        Manifest("name: MyCompany.Resources\ntypes: {}");
    TWO_NAMESPACES "two-namespaces" Error Error Error
        "A manifest has one namespace."
        Manifest("name: MyCompany.Resources\nnamespace: MyCompany.Messaging\ntypes: {}");
    NO_TYPES "no-types" Warning Warning Warning
        "A manifest without types registers nothing."
        Manifest("namespace: MyCompany.Resources\ntypes: {}");
    LOCATION "location" Error Error Error
        "`location` names where a type is served: a mapping from a name of letters and digits to the address of a server."
        Manifest("namespace: MyCompany.Resources\nlocation:\n  my-location: http://localhost:8080\ntypes: {}");
    SEVERAL_LOCATIONS "several-locations" Warning Warning Warning
        "Of several locations only the first is used."
        Manifest("namespace: MyCompany.Resources\nlocation:\n  east: http://localhost:8080\n  west: http://localhost:8081\ntypes: {}");
    TYPE_NAME "type-name" Error Error Error
        "The name of a type begins with a small letter, goes on with letters and digits, and has 2 to 63 characters: `myWidgets`."
        Manifest("namespace: MyCompany.Resources\ntypes:\n  my-widgets:\n    apiVersions: {}");
    TYPE_TWICE "type-twice" Error Error Error
        "The names of types differ by more than capitals, and a type is declared in one manifest: ids of resources are compared regardless of case."
        Manifest("namespace: MyCompany.Resources\ntypes:\n  widgets:\n    apiVersions: {}\n  widGets:\n    apiVersions: {}");
    BUILT_IN_TYPE "built-in-type" Error Error Error
        "A type that Radius itself has is not declared: environments and applications of `Applications.Core` and `Radius.Core`, and `Radius.Core/recipePacks`."
        Manifest("namespace: Radius.Core\ntypes:\n  environments:\n    apiVersions:\n      '2025-01-01':\n        schema: {}");
    API_VERSION "api-version" Error Error Error
        "An API version is a date, and may be a preview: `2025-01-01` or `2025-01-01-preview`."
        Type("apiVersions:\n  '20250101':\n    schema: {}");
    API_VERSION_DATE "api-version-date" Warning Warning Warning
        "The date of an API version is in the calendar."
        Type("apiVersions:\n  '2025-13-45':\n    schema: {}");
    NO_VERSIONS "no-versions" Warning Warning Warning
        "A type without API versions cannot be used."
        Type("apiVersions: {}");
    DEFAULT_VERSION "default-version" Warning Warning Warning
        "`defaultApiVersion` is one of the versions of the type."
        Type("defaultApiVersion: '2024-01-01'\napiVersions:\n  '2025-01-01':\n    schema: {}");
    CAPABILITY "capability" Error Error Error
        "A capability begins with a capital letter and goes on with letters and digits: `ManualResourceProvisioning`."
        Type("capabilities: [sync-async]\napiVersions: {}");
    UNKNOWN_CAPABILITY "unknown-capability" Warning Warning Error
        "The one capability that a registry knows is `ManualResourceProvisioning`."
        Type("capabilities: [Synchronous]\napiVersions: {}");
    OLD_CAPABILITY "old-capability" Warning Error Warning
        "`SupportsRecipes` is no longer a capability: recipes are what types support by default. It is left out."
        Type("capabilities: [SupportsRecipes]\napiVersions: {}");
    LIMIT "limit" Error Error Error
        "A manifest has at most 5,000 types; a schema has at most 10,000 nodes in at most 64 levels; a text is at most 64 KiB long."
        Manifest("");
    // Where the schema is.
    SCHEMA_PLACE "schema-place" Warning Error Warning
        "A schema stands directly below `schema`. `openAPIV3Schema` around it is an old spelling."
        Schema("openAPIV3Schema:\n  type: object\n  properties: {}");
    TWO_SCHEMAS "two-schemas" Error Error Error
        "Beside `openAPIV3Schema` stands nothing but `type: object`: a version has one schema."
        Schema("openAPIV3Schema:\n  type: object\nproperties: {}");
    // The structure.
    ROOT_TYPE "root-type" Error Error Error
        "The schema of a type is an object."
        Schema("type: string");
    ROOT_KEYWORD "root-keyword" Error Error Error
        "The schema of a type says what it has by `properties`: beside them stand `type`, `required`, `title`, `description`, `additionalProperties: false` and names that begin with `x-`."
        Schema("type: object\nminProperties: 1\nproperties: {}");
    UNTYPED "untyped" Error Error Error
        "Every schema has a `type`: the root, properties, the elements of arrays and the values of maps."
        Property("description: how large it is");
    TYPE "type" Error Error Error
        "A type is one of `string`, `integer`, `number`, `boolean`, `object` and `array`; `any` is one for the values of a map called `platformOptions`."
        Property("type: text");
    COMPOSITION "composition" Error Error Error
        "`allOf`, `anyOf`, `oneOf`, `not` and `discriminator` are not supported, not even when they are empty."
        Property("type: string\nallOf: []");
    REFERENCE "reference" Error Error Error
        "A `$ref` is one of the built-in schemas, such as `https://radapp.io/schemas/v1#RecipeStatus`."
        Property("$ref: '#/components/schemas/Size'");
    REFERENCE_SIBLING "reference-sibling" Error Error Error
        "Beside a `$ref` stand only `description`, `title`, `readOnly`, `deprecated` and names that begin with `x-`."
        Property("$ref: https://radapp.io/schemas/v1#RecipeStatus\nminProperties: 1");
    BUILT_IN "built-in" Off Error Off
        "Today's Radius has no built-in schemas."
        Property("$ref: https://radapp.io/schemas/v1#RecipeStatus");
    PROPERTIES_AND_MAP "properties-and-map" Error Error Error
        "An object has either `properties` or, as a map, `additionalProperties` with a schema. `additionalProperties: false` goes with both."
        Property("type: object\nproperties:\n  a: {type: string}\nadditionalProperties: {type: string}");
    OPEN_MAP "open-map" Error Error Error
        "The values of a map have a type: `additionalProperties` is neither `true` nor empty, except in a map called `platformOptions`."
        Property("type: object\nadditionalProperties: true");
    ITEMS "items" Error Error Error
        "An array says by `items` what its elements are."
        Property("type: array");
    ITEM_SPELLING "item-spelling" Warning Error Warning
        "The elements of an array are called `items`. `item` is an old spelling."
        Property("type: array\nitem: {type: string}");
    CONTENT "content" Warning Error Warning
        "`schema` below a string says what the document looks like that the string names. It is kept for readers and checks nothing."
        Property("type: string\nschema:\n  type: object\n  properties: {}");
    // Names of the root.
    RESERVED "reserved" Error Error Error
        "Some properties of the root are known to Radius: `recipe` cannot be declared, `status` only as a read-only object; `application`, `environment` and `codeReference` are strings; `connections` is a map."
        Schema("type: object\nproperties:\n  application: {type: integer}");
    NAME_TWICE "name-twice" Error Error Error
        "No two properties of an object, and no two members of a value in a schema, have names that differ only in case, and none at the root differs only in case from one that Radius knows (`environment`, `recipe`): neither Bicep nor ARM can tell them apart."
        Schema("type: object\nproperties:\n  size: {type: string}\n  Size: {type: integer}");
    STATUS "status" Warning Error Warning
        "Today's Radius refuses a property called `status`."
        Schema("type: object\nproperties:\n  status: {type: object, readOnly: true, properties: {}}");
    OVERWRITTEN "overwritten" Warning Warning Warning
        "The server writes `provisioningState` in every answer, over a property of that name."
        Schema("type: object\nproperties:\n  provisioningState: {type: string}");
    SECRETS "secrets" Error Error Error
        "A property `secrets` of the root is an object of strings, and a `name` in it is read-only."
        Schema("type: object\nproperties:\n  secrets: {type: string}");
    // Keywords.
    KEYWORD "keyword" Error Error Error
        "A keyword is one of the Schema Object of OpenAPI 3.0, or begins with `x-`."
        Property("type: string\nmaxLenght: 3");
    LATER_KEYWORD "later-keyword" Error Error Error
        "Schemas are those of OpenAPI 3.0: keywords and forms of OpenAPI 3.1 are refused."
        Property("type: integer\nminimum: 0\nexclusiveMinimum: 1");
    KEYWORD_KIND "keyword-kind" Error Error Error
        "A keyword is followed by the kind of value that it needs."
        Property("type: string\nminLength: '3'");
    KEYWORD_TYPE "keyword-type" Error Error Error
        "A keyword says something about values of the type: `minLength` is for strings, `minimum` for numbers."
        Property("type: integer\nminLength: 3");
    NO_EFFECT "no-effect" Warning Warning Warning
        "A keyword has an effect: `exclusiveMinimum` stands beside `minimum`, and a list of required names has names in it."
        Property("type: integer\nexclusiveMinimum: true");
    SENSITIVE "sensitive" Error Error Error
        "`x-radius-sensitive` is `true` or `false`, and `true` only on strings and objects."
        Property("type: integer\nx-radius-sensitive: true");
    READ_AND_WRITE_ONLY "read-and-write-only" Error Error Error
        "A property is not read-only and write-only at once."
        Property("type: string\nreadOnly: true\nwriteOnly: true");
    REQUIRED "required" Error Error Error
        "A required name is declared in `properties`, and listed once."
        Property("type: object\nproperties: {}\nrequired: [width]");
    REQUIRED_READ_ONLY "required-read-only" Warning Warning Warning
        "A read-only property cannot be asked of the author of a resource, so that `required` says nothing about requests."
        Schema("type: object\nproperties:\n  host: {type: string, readOnly: true}\nrequired: [host]");
    ENUM "enum" Error Error Error
        "An `enum` has at least one value, no two are equal, and all are of the type."
        Property("type: string\nenum: [S, 3]");
    BOUNDS "bounds" Error Error Error
        "Some value satisfies all that a schema asks, and what it compares with is in the range of its type."
        Property("type: integer\nminimum: 10\nmaximum: 1");
    PATTERN "pattern" Error Error Error
        "A `pattern` is a regular expression of ECMA-262, or of Go, without look-around and back-references."
        Property("type: string\npattern: '[unclosed'");
    DEFAULT "default" Error Error Error
        "A `default` satisfies its schema."
        Property("type: string\ndefault: 5");
    EXAMPLE "example" Error Error Error
        "An `example` satisfies its schema."
        Property("type: string\nmaxLength: 2\nexample: abc");
    UNUSED_DEFAULT "unused-default" Warning Warning Warning
        "The default of a property that is required or read-only is never used."
        Schema("type: object\nproperties:\n  size: {type: string, default: S}\nrequired: [size]");
    FORMAT "format" Info Info Info
        "A `format` that is not known is kept and not checked."
        Property("type: string\nformat: license-plate");
    FORMAT_TYPE "format-type" Warning Warning Warning
        "A `format` is one for values of the type."
        Property("type: string\nformat: int32");
    NOT_JSON "not-json" Error Error Error
        "Values in a schema are those of JSON: numbers are finite and in the range of doubles, and values nest at most 64 levels."
        Property("type: number\ndefault: .inf");
    PROPERTY_NAME "property-name" Warning Warning Warning
        "The name of a property begins with a letter or `_` and goes on with letters, digits, `_` and `-`. Other names need quotes in Bicep."
        Schema("type: object\nproperties:\n  'the size': {type: string}");
    DESCRIPTION "description" Info Info Off
        "Properties have a description."
        Property("type: string");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_texts_are_sentences() {
        let mut codes: Vec<&str> = ALL.iter().map(|rule| rule.code).collect();
        codes.sort_unstable();
        assert!(codes.windows(2).all(|pair| pair[0] != pair[1]), "{codes:?}");
        for rule in ALL {
            assert!(rule.text.ends_with('.') && rule.text.len() > 20, "{}", rule.code);
        }
    }
}
