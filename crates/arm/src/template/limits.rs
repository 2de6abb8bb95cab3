//! How large a template may be.

/// Bounds on one template. Nested templates have bounds of their own, each the same.
///
/// | | default | [`TemplateLimits::azure`] |
/// |---|---|---|
/// | text, in bytes | 64 Mi | 4 Mi |
/// | parameters | 10,000 | 256 |
/// | variables | 10,000 | 512 |
/// | resources as written | 100,000 | 800 |
/// | outputs | 10,000 | 64 |
/// | asserts | 1,000 | 32 |
/// | functions | 10,000 | 10,000 |
/// | one expression, in characters | 1 Mi | 24,576 |
/// | one resource, in bytes | 64 Mi | 1 Mi |
/// | iterations of one loop | 100,000 | 800 |
/// | resources after expansion | 200,000 | 800 |
/// | the name of a deployment, in characters | 256 | 64 |
/// | templates inside each other | 32 | 32 |
/// | errors reported | 100 | 100 |
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateLimits {
    /// The text of the template, in bytes.
    pub bytes: usize,
    /// How many parameters a template declares.
    pub parameters: usize,
    /// How many variables it declares.
    pub variables: usize,
    /// Resources as they are written.
    pub resources: usize,
    /// How many outputs it declares.
    pub outputs: usize,
    /// How many asserts it declares.
    pub asserts: usize,
    /// Functions that the template defines.
    pub functions: usize,
    /// One expression, in characters.
    pub expression: usize,
    /// The text of one resource, in bytes.
    pub resource_bytes: usize,
    /// Iterations of one copy loop.
    pub iterations: usize,
    /// Resources after loops are expanded.
    pub expanded_resources: usize,
    /// The name of a deployment, in characters.
    pub deployment_name: usize,
    /// How many templates may stand inside each other.
    pub nesting: usize,
    /// How many errors are reported at once.
    pub errors: usize,
}

impl TemplateLimits {
    /// The limits of Tendon: far beyond what people write, and finite.
    pub const DEFAULT: TemplateLimits = TemplateLimits {
        bytes: 64 << 20,
        parameters: 10_000,
        variables: 10_000,
        resources: 100_000,
        outputs: 10_000,
        asserts: 1_000,
        functions: 10_000,
        expression: 1 << 20,
        resource_bytes: 64 << 20,
        iterations: 100_000,
        expanded_resources: 200_000,
        deployment_name: 256,
        nesting: 32,
        errors: 100,
    };

    /// The limits of Azure.
    pub const fn azure() -> TemplateLimits {
        TemplateLimits {
            bytes: 4 << 20,
            parameters: 256,
            variables: 512,
            resources: 800,
            outputs: 64,
            asserts: 32,
            expression: 24_576,
            resource_bytes: 1 << 20,
            iterations: 800,
            expanded_resources: 800,
            deployment_name: 64,
            ..TemplateLimits::DEFAULT
        }
    }
}

impl Default for TemplateLimits {
    fn default() -> TemplateLimits {
        TemplateLimits::DEFAULT
    }
}
