//! How references to modules and extensions are written: what a path, `br:...` or `ts:...` names.

use super::ReferenceKind;
use crate::codes;
use crate::config::Config;
use crate::finding::UnlocatedFinding;
use crate::world::{
    ArtifactVersion, MappedReference, Reference, RegistryReference, TemplateSpecReference, check_path,
};

/// Longest registry and longest repository.
const MAX_NAME: usize = 255;
const MAX_TAG: usize = 128;
/// Longest name of a resource group, a template spec or its version.
const MAX_RESOURCE_NAME: usize = 90;

impl Reference {
    /// Reads a reference; aliases are looked up in the configuration.
    pub fn parse(text: &str, kind: ReferenceKind, config: &Config) -> Result<Reference, UnlocatedFinding> {
        let Some((scheme, rest)) = text.split_once(':') else {
            return check_path(text).map(|()| Reference::Local(text.to_owned()));
        };
        let (scheme, alias) = match scheme.split_once('/') {
            Some((scheme, alias)) => (scheme, Some(alias)),
            None => (scheme, None),
        };
        match scheme {
            "br" => match alias.filter(|alias| check_alias(alias).is_ok()) {
                Some(alias) if config.get(&["moduleAliasesMock", "br", alias]).is_some() => {
                    parse_mapped(rest, alias, kind, config)
                }
                _ => parse_registry(rest, alias, kind, config),
            },
            "br-mock" => Err(codes::MOCK_SCHEME.fault(&[])),
            "ts" if kind == ReferenceKind::Extension => {
                Err(codes::EXTENSION_ALIAS.fault(&[&"a template spec"]))
            }
            "ts" => parse_template_spec(rest, alias, config),
            _ => Err(codes::UNKNOWN_SCHEME.fault(&[&scheme])),
        }
    }
}

/// Reads a reference whose alias is mapped to a folder. Whatever version it names, the folder has one.
fn parse_mapped(
    rest: &str,
    alias: &str,
    kind: ReferenceKind,
    config: &Config,
) -> Result<Reference, UnlocatedFinding> {
    if kind == ReferenceKind::Extension {
        return Err(codes::MAPPED_EXTENSION.fault(&[&alias]));
    }
    let path = ["moduleAliasesMock", "br", alias, "mapToFilePath"];
    let (Some(folder), Some(from)) = (config.text(&path), config.folder_of(&path)) else {
        return Err(codes::ALIAS_WITHOUT_FOLDER.fault(&[&alias]));
    };
    let module = match rest.split_once('@') {
        Some((module, _)) => module,
        None => rest.rsplit_once(':').map_or(rest, |(module, _)| module),
    };
    if module.is_empty() {
        return Err(codes::MISSING_PATH.fault(&[&"a module"]));
    }
    if let Some(segment) = module.split('/').find(|segment| !is_segment(segment)) {
        return Err(codes::REPOSITORY_SEGMENT.fault(&[&format!("br/{alias}:{rest}"), &segment]));
    }
    let file = from.join(folder).join(&format!("{module}.bicep"));
    Ok(Reference::Mapped(MappedReference { module: module.to_owned(), file }))
}

fn parse_registry(
    rest: &str,
    alias: Option<&str>,
    kind: ReferenceKind,
    config: &Config,
) -> Result<Reference, UnlocatedFinding> {
    let text = match alias {
        None => rest.to_owned(),
        Some(_) if kind == ReferenceKind::Extension => {
            return Err(codes::EXTENSION_ALIAS.fault(&[&"an alias of a registry"]));
        }
        Some(alias) => {
            check_alias(alias)?;
            let path = ["moduleAliases", "br", alias];
            if config.get(&path).is_none() {
                return Err(codes::UNKNOWN_REGISTRY_ALIAS.fault(&[&alias]));
            }
            let [a, b, c] = path;
            let Some(registry) = config.text(&[a, b, c, "registry"]) else {
                return Err(codes::ALIAS_WITHOUT_REGISTRY.fault(&[&alias]));
            };
            match config.text(&[a, b, c, "modulePath"]) {
                Some(prefix) => format!("{registry}/{prefix}/{rest}"),
                None => format!("{registry}/{rest}"),
            }
        }
    };
    // It is read as an address: blanks around it, a query and a fragment are no part of the path.
    let address = text.trim_end_matches([' ', '\t', '\r', '\n']);
    let address = address.split(['?', '#']).next().unwrap_or(address);
    let Some((registry, path)) = address.split_once('/') else {
        return Err(codes::REGISTRY_REFERENCE.fault(&[&text]));
    };
    if !is_host(registry) || path.is_empty() {
        return Err(codes::REGISTRY_REFERENCE.fault(&[&text]));
    }
    let path = &straight(path);
    if registry.len() > MAX_NAME {
        return Err(codes::REGISTRY_TOO_LONG.fault(&[&text, &MAX_NAME]));
    }
    let last = path.rfind('/').map_or(0, |slash| slash + 1);
    let delimiter = path.get(last..).and_then(|name| name.find([':', '@'])).map(|at| last + at);
    let repository = delimiter.and_then(|at| path.get(..at)).unwrap_or(path);
    if let Some(segment) = repository.split('/').find(|segment| !is_segment(segment)) {
        return Err(codes::REPOSITORY_SEGMENT.fault(&[&format!("br:{text}"), &segment]));
    }
    if repository.len() > MAX_NAME {
        return Err(codes::REPOSITORY_TOO_LONG.fault(&[&text, &MAX_NAME]));
    }
    let version = delimiter.and_then(|at| path.get(at + 1..)).unwrap_or_default();
    if version.is_empty() {
        return Err(codes::NO_VERSION.fault(&[&text]));
    }
    let version = if path.get(repository.len()..).is_some_and(|rest| rest.starts_with(':')) {
        if version.len() > MAX_TAG {
            return Err(codes::TAG_TOO_LONG.fault(&[&text, &MAX_TAG]));
        }
        if !is_tag(version) {
            return Err(codes::BAD_TAG.fault(&[&text, &version]));
        }
        ArtifactVersion::Tag(version.to_owned())
    } else {
        if !is_digest(version) {
            return Err(codes::BAD_DIGEST.fault(&[&text, &version]));
        }
        ArtifactVersion::Digest(version.to_owned())
    };
    Ok(Reference::Registry(RegistryReference {
        registry: registry.to_ascii_lowercase(),
        repository: repository.to_owned(),
        version,
    }))
}

fn parse_template_spec(
    rest: &str,
    alias: Option<&str>,
    config: &Config,
) -> Result<Reference, UnlocatedFinding> {
    let text = match alias {
        None => rest.to_owned(),
        Some(alias) => {
            check_alias(alias)?;
            let part = |name| config.text(&["moduleAliases", "ts", alias, name]);
            if config.get(&["moduleAliases", "ts", alias]).is_none() {
                return Err(codes::UNKNOWN_TEMPLATE_SPEC_ALIAS.fault(&[&alias]));
            }
            let Some(subscription) = part("subscription") else {
                return Err(codes::ALIAS_WITHOUT_SUBSCRIPTION.fault(&[&alias]));
            };
            let Some(group) = part("resourceGroup") else {
                return Err(codes::ALIAS_WITHOUT_GROUP.fault(&[&alias]));
            };
            format!("{subscription}/{group}/{rest}")
        }
    };
    let parts: Vec<&str> = text.split('/').collect();
    let [subscription, group, spec] = parts.as_slice() else {
        return Err(codes::TEMPLATE_SPEC_REFERENCE.fault(&[&text]));
    };
    let Some((name, version)) = spec.rsplit_once(':') else {
        return Err(codes::TEMPLATE_SPEC_REFERENCE.fault(&[&text]));
    };
    if !is_guid(subscription) {
        return Err(codes::BAD_SUBSCRIPTION.fault(&[&text, subscription]));
    }
    let plain = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "-_.()".contains(c));
    let valid = |text: &str| !text.is_empty() && !text.ends_with('.') && plain(text);
    for (part, too_long, invalid) in [
        (*group, codes::GROUP_TOO_LONG, codes::BAD_GROUP),
        (name, codes::SPEC_TOO_LONG, codes::BAD_SPEC),
        (version, codes::VERSION_TOO_LONG, codes::BAD_VERSION),
    ] {
        if part.len() > MAX_RESOURCE_NAME {
            return Err(too_long.fault(&[&text, &part, &MAX_RESOURCE_NAME]));
        }
        if !valid(part) {
            return Err(invalid.fault(&[&text, &part]));
        }
    }
    Ok(Reference::TemplateSpec(TemplateSpecReference {
        subscription: (*subscription).to_owned(),
        group: (*group).to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
    }))
}

fn check_alias(alias: &str) -> Result<(), UnlocatedFinding> {
    let valid =
        !alias.is_empty() && alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    if valid { Ok(()) } else { Err(codes::BAD_ALIAS.fault(&[&alias])) }
}

/// Tells whether a text is a host, with or without a port, as in the address of a web page.
fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, ""));
    let label = |label: &str| {
        label.starts_with(char::is_alphanumeric)
            && label.chars().all(|it| it.is_alphanumeric() || it == '-' || it == '_')
    };
    let name = name.strip_suffix('.').unwrap_or(name);
    name.split('.').all(label) && port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit())
}

/// The path without `.` and `..`, as in the address of a web page.
fn straight(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Small letters and digits, with single `.`, `_` or `-` between them.
fn is_segment(text: &str) -> bool {
    let word =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    text.split(['.', '_', '-']).all(word)
}

fn is_tag(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().next().is_some_and(plain) && text.bytes().all(|byte| plain(byte) || b".-".contains(&byte))
}

fn is_digest(text: &str) -> bool {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix("sha256:").is_some_and(|digits| digits.len() == 64 && digits.bytes().all(hex))
}

fn is_guid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::FilePath;

    fn parse(text: &str) -> Result<Reference, UnlocatedFinding> {
        Reference::parse(text, ReferenceKind::Module, &Config::defaults())
    }

    #[track_caller]
    fn fails(text: &str, code: &str) {
        let fault = parse(text).expect_err(text);
        assert_eq!(fault.code, code, "{text}: {}", fault.message);
    }

    #[test]
    fn a_registry_reference_becomes_a_folder_of_the_cache() {
        let reference = parse("br/public:avm/utl/types/avm-common-types:0.6.1").unwrap();
        assert_eq!(reference.full_name(), "br:mcr.microsoft.com/bicep/avm/utl/types/avm-common-types:0.6.1");
        let Reference::Registry(artifact) = reference else { panic!() };
        assert_eq!(
            artifact.cache_folder(&FilePath::new("/c")).as_str(),
            "/c/br/mcr.microsoft.com/bicep$avm$utl$types$avm-common-types/0.6.1$"
        );
    }

    #[test]
    fn a_registry_is_written_like_the_host_of_a_web_page() {
        let name =
            |text: &str| parse(text).map(|reference| reference.full_name()).map_err(|fault| fault.code);
        assert_eq!(name("br:X.io:5000/a/./b/../c:V1").as_deref(), Ok("br:x.io:5000/a/c:V1"));
        assert_eq!(name("br:localhost/a:1").as_deref(), Ok("br:localhost/a:1"));
    }

    #[test]
    fn a_template_spec_becomes_a_folder_in_small_letters() {
        let text = "ts:00000000-0000-0000-0000-000000000000/My-Group/Spec:V1";
        let Ok(Reference::TemplateSpec(spec)) = parse(text) else { panic!() };
        assert_eq!(
            spec.cache_folder(&FilePath::new("/c")).as_str(),
            "/c/ts/00000000-0000-0000-0000-000000000000/my-group/spec/v1"
        );
        assert!(spec.resource_id().ends_with(
            "/resourceGroups/My-Group/providers/Microsoft.Resources/templateSpecs/Spec/versions/V1"
        ));
    }

    #[test]
    fn an_alias_can_be_mapped_to_a_folder() {
        let text = r#"{ "moduleAliasesMock": { "br": { "x": { "mapToFilePath": "lib" }, "y": {} } } }"#;
        let world = crate::MemoryWorld::default().with_file("/a/bicepconfig.json", text);
        let config = Config::find(&world, &FilePath::new("/a/b"));
        let parse = |text, kind| Reference::parse(text, kind, &config);
        for text in ["br/x:net/vnet", "br/x:net/vnet:1.0.0", "br/x:net/vnet@sha256:00"] {
            let Ok(Reference::Mapped(mapped)) = parse(text, ReferenceKind::Module) else { panic!("{text}") };
            assert_eq!((mapped.module.as_str(), mapped.file.as_str()), ("net/vnet", "/a/lib/net/vnet.bicep"));
        }
        let code = |text, kind| parse(text, kind).expect_err(text).code;
        assert_eq!(code("br/x:Net:1", ReferenceKind::Module), "BCP195");
        assert_eq!(code("br/x::1", ReferenceKind::Module), "BCP090");
        assert_eq!(code("br/y:net:1", ReferenceKind::Module), "BCP216");
        assert_eq!(code("br/x:net:1", ReferenceKind::Extension), "BCP448");
        assert_eq!(code("br/public:net:1", ReferenceKind::Extension), "BCP380");
        assert_eq!(code("ts:a/b/c:1", ReferenceKind::Extension), "BCP380");
    }

    #[test]
    fn mistakes_have_codes_of_their_own() {
        fails("http:x", "BCP189");
        fails("br-mock:x", "BCP449");
        fails("br:x", "BCP193");
        fails("br:x..io/foo:1", "BCP193");
        fails("br:x!io/foo:1", "BCP193");
        fails("br:x.io:port/foo:1", "BCP193");
        fails("br:x.io/Foo:1", "BCP195");
        fails("br:x.io/foo", "BCP196");
        fails("br:x.io/foo:-", "BCP198");
        fails("br:x.io/foo@sha256:1", "BCP224");
        fails("br/none:foo:1", "BCP213");
        fails("ts/none:foo:1", "BCP212");
        fails("ts:a/b/c:1", "BCP217");
        fails("", "BCP050");
        fails("/a.bicep", "BCP051");
        fails("a\\b.bicep", "BCP098");
        fails("a?.bicep", "BCP085");
        fails("a.", "BCP086");
    }
}
