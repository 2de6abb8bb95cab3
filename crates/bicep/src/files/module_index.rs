//! The index of a registry's modules: which versions there are.

use std::sync::Arc;

use contract::Node;
use document::{Document, FileId, JsonOptions, ReadLimits, SourceValue};
use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::{FilePath, ReadError, World};

/// The latest versions of modules, by the paths of the modules. It is read from the JSON of the public registry's index:
/// a list of objects with `moduleName` and `tags`.
#[derive(Debug, Default)]
pub(crate) struct ModuleIndex {
    latest: FxHashMap<SmolStr, (ModuleVersion, SmolStr)>,
}

impl ModuleIndex {
    /// Reads an index, or says why it cannot be had.
    pub(crate) fn read(world: &dyn World, path: &FilePath) -> Result<Arc<ModuleIndex>, String> {
        let bytes = world.read(path).map_err(|error| match error {
            ReadError::NotFound => "it does not exist".to_owned(),
            ReadError::Failed(why) => why,
        })?;
        let text = String::from_utf8_lossy(&bytes);
        let read =
            Document::from_json_with(&*text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED);
        let document = read.map_err(|error| format!("it is not JSON: {error}"))?;
        ModuleIndex::of(document.root()).map(Arc::new).ok_or_else(|| {
            "it is not a list of objects with a `moduleName` and a list of texts as `tags`".to_owned()
        })
    }

    fn of(root: SourceValue<'_>) -> Option<ModuleIndex> {
        let is_list = |value: SourceValue<'_>| matches!(value.node(), Node::List(_));
        if !is_list(root) {
            return None;
        }
        let mut latest = FxHashMap::default();
        for module in root.items() {
            let name = module.member("moduleName")?.as_str()?;
            let tags = module.member("tags").filter(|tags| is_list(*tags))?;
            let mut best: Option<(ModuleVersion, SmolStr)> = None;
            for tag in tags.items() {
                let tag = tag.as_str()?;
                // There may be tags that are not versions, such as `latest`.
                let Some(version) = ModuleVersion::parse(tag) else { continue };
                if best.as_ref().is_none_or(|(best, _)| *best < version) {
                    best = Some((version, tag.into()));
                }
            }
            if let Some(best) = best {
                latest.insert(name.into(), best);
            }
        }
        Some(ModuleIndex { latest })
    }

    /// The latest version of a module, if it is later than this one.
    pub(crate) fn later(&self, module: &str, tag: &str) -> Option<&str> {
        let (latest, text) = self.latest.get(module)?;
        (*latest > ModuleVersion::parse(tag)?).then_some(text)
    }
}

/// A semantic version, in the order of precedence. What stands behind `+` does not count.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ModuleVersion {
    numbers: [u64; 3],
    /// A release comes after all of its prereleases.
    is_release: bool,
    prerelease: Vec<Identifier>,
}

/// A part of a prerelease: numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Identifier {
    Number(u64),
    Word(SmolStr),
}

impl ModuleVersion {
    fn parse(text: &str) -> Option<ModuleVersion> {
        let is_identifier =
            |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let (text, build) = text.split_once('+').map_or((text, None), |(text, build)| (text, Some(build)));
        if !build.is_none_or(|build| build.split('.').all(is_identifier)) {
            return None;
        }
        let (core, prerelease) = text.split_once('-').map_or((text, None), |(core, rest)| (core, Some(rest)));
        let mut parts = core.split('.').map(number);
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        if parts.next().is_some() {
            return None;
        }
        let identifier = |it: &str| match it.bytes().all(|byte| byte.is_ascii_digit()) {
            true => number(it).map(Identifier::Number),
            false => is_identifier(it).then(|| Identifier::Word(it.into())),
        };
        let is_release = prerelease.is_none();
        let prerelease: Option<_> =
            prerelease.into_iter().flat_map(|it| it.split('.')).map(identifier).collect();
        Some(ModuleVersion { numbers, is_release, prerelease: prerelease? })
    }
}

/// A number without leading zeros.
fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn index(text: &str) -> Result<Arc<ModuleIndex>, String> {
        let world = MemoryWorld::default().with_file("/index.json", text);
        ModuleIndex::read(&world, &FilePath::new("/index.json"))
    }

    #[test]
    fn versions_have_the_order_of_semantic_versions() {
        let order = [
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-10",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0-x-y",
            "2.0.0",
        ];
        let parsed: Vec<ModuleVersion> = order.iter().map(|it| ModuleVersion::parse(it).unwrap()).collect();
        assert!(parsed.is_sorted_by(|a, b| a < b));
        assert_eq!(ModuleVersion::parse("1.0.0+a.01"), ModuleVersion::parse("1.0.0"));
        let wrong = [
            "",
            "1",
            "1.0",
            "1.0.0.0",
            "v1.0.0",
            "01.0.0",
            "1.0.0-",
            "1.0.0-01",
            "1.0.0-a..b",
            "1.0.0+",
            "1.0.x",
            "+1.0.0",
            "99999999999999999999.0.0",
            "latest",
        ];
        for wrong in wrong {
            assert_eq!(ModuleVersion::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_latest_version_is_found() {
        let text = r#"[
            { "moduleName": "avm/a", "tags": ["0.9.0", "0.10.0", "latest", "0.2.0"], "properties": {} },
            { "moduleName": "avm/none", "tags": [] }
        ]"#;
        let index = index(text).unwrap();
        assert_eq!(index.later("avm/a", "0.9.0"), Some("0.10.0"));
        assert_eq!(index.later("avm/a", "0.10.0"), None);
        assert_eq!(index.later("avm/a", "1.0.0"), None);
        assert_eq!(index.later("avm/a", "latest"), None);
        assert_eq!(index.later("avm/none", "0.1.0"), None);
        assert_eq!(index.later("avm/b", "0.1.0"), None);
    }

    #[test]
    fn what_is_not_an_index_is_an_error() {
        for wrong in ["{}", "[1]", r#"[{ "moduleName": "a" }]"#, r#"[{ "moduleName": "a", "tags": [1] }]"#] {
            assert!(index(wrong).is_err_and(|why| why.starts_with("it is not a list")), "{wrong}");
        }
        assert!(index("[").is_err_and(|why| why.starts_with("it is not JSON")));
        let missing = ModuleIndex::read(&MemoryWorld::default(), &FilePath::new("/index.json"));
        assert!(missing.is_err_and(|why| why == "it does not exist"));
    }
}
