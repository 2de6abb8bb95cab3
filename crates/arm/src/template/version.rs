//! Language versions of templates, and what each of them allows.

/// The version that a template names as its `languageVersion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "named by their numbers; those with a minor number are experimental")]
pub enum LanguageVersion {
    /// No `languageVersion`, or `1.0`.
    #[default]
    V1,
    V1_9,
    V1_10,
    V2,
    V2_1,
    V2_2,
}

/// What some versions have and others have not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `resources` is an object, whose names can be referred to.
    SymbolicNames,
    /// Resources have `resources` inside.
    ChildResources,
    /// Types beyond a word: `definitions`, `$ref`, `nullable`, `properties`, `items` and the like.
    AggregateTypes,
    /// Resources that are read and not deployed, and `references`.
    ExistingResources,
    /// `extensions`, and resources that belong to one.
    Extensions,
    /// Functions of the template that call each other.
    FunctionsCallFunctions,
    /// `asserts`, which decide whether the outputs are given.
    Asserts,
    /// Members that templates do not have are refused.
    StrictMembers,
}

/// The versions: what a template writes, and what it may then use.
const VERSIONS: &[(LanguageVersion, &str, Features)] = &[
    (LanguageVersion::V1, "1.0", ONE),
    (LanguageVersion::V1_9, "1.9-experimental", ONE_AND_TYPES),
    (LanguageVersion::V1_10, "1.10-experimental", TWO),
    (LanguageVersion::V2, "2.0", TWO),
    (LanguageVersion::V2_1, "2.1-experimental", TWO),
    (LanguageVersion::V2_2, "2.2-experimental", TWO),
];

const ONE: Features = &[&[Feature::ChildResources, Feature::Extensions, Feature::Asserts]];
const ONE_AND_TYPES: Features = &[TYPES];
const TWO: Features = &[TYPES, &[Feature::StrictMembers]];
const TYPES: &[Feature] = &[
    Feature::SymbolicNames,
    Feature::AggregateTypes,
    Feature::ExistingResources,
    Feature::Extensions,
    Feature::FunctionsCallFunctions,
    Feature::Asserts,
];

/// The features of a version.
type Features = &'static [&'static [Feature]];

impl LanguageVersion {
    /// The version that a text names; any other `1.x` counts as the first.
    pub fn parse(text: &str) -> Option<LanguageVersion> {
        let known = VERSIONS.iter().find(|(_, name, _)| name.eq_ignore_ascii_case(text));
        match known {
            Some((version, ..)) => Some(*version),
            None => text.strip_prefix("1.").and_then(|minor| minor.parse::<u8>().ok()).map(|_| Self::V1),
        }
    }

    /// The text that names the version.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Tells whether templates of the version may use something.
    pub fn has(self, feature: Feature) -> bool {
        self.row().2.iter().any(|features| features.contains(&feature))
    }

    /// The texts of all versions, for messages.
    pub fn names() -> impl Iterator<Item = &'static str> {
        VERSIONS.iter().map(|(_, name, _)| *name)
    }

    fn row(self) -> &'static (LanguageVersion, &'static str, Features) {
        const FIRST: (LanguageVersion, &str, Features) = (LanguageVersion::V1, "1.0", ONE);
        VERSIONS.iter().find(|(version, ..)| *version == self).unwrap_or(&FIRST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_read_as_it_is_written() {
        for (version, name, features) in VERSIONS {
            assert_eq!(LanguageVersion::parse(name), Some(*version));
            assert_eq!((version.name(), version.row().2), (*name, *features));
        }
        assert_eq!(LanguageVersion::parse("1.3"), Some(LanguageVersion::V1));
        assert_eq!(LanguageVersion::parse("2.0-EXPERIMENTAL"), None);
        assert_eq!(LanguageVersion::parse("3.0"), None);
    }
}
