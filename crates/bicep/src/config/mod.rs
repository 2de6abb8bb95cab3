//! `bicepconfig.json`: which file applies, what it says, and the built-in defaults below it.
//!
//! A configuration is a stack of layers, the nearest first: the file itself, the files it extends, and the defaults.
//! Nothing is merged: a lookup asks the layers in turn, which gives the same answers as a deep merge, and every value
//! still knows the file it comes from.

mod formatting;
mod inputs_form;
mod mirror;

use std::sync::Arc;

use contract::Node;
use document::{Document, FileId, JsonOptions, ReadLimits, SourceValue};
use rustc_hash::FxHashSet;
use syntax::Span;

pub use inputs_form::InputsForm;
use inputs_form::SETTING;
pub use mirror::Mirror;
pub(crate) use mirror::RegistryModule;

use crate::codes;
use crate::decorators::CustomDecorator;
use crate::finding::UnlocatedFinding;
use crate::language::{Feature, Features};
use crate::world::{FilePath, ReadError, World};

/// The name of a configuration file.
pub(crate) const FILE_NAME: &str = "bicepconfig.json";

/// How many files may extend each other in a chain.
const MAX_EXTENDS: usize = 64;

/// What applies where no file says otherwise.
const DEFAULTS: &str = r#"{
  "cloud": {
    "currentProfile": "AzureCloud",
    "profiles": {
      "AzureCloud": {
        "resourceManagerEndpoint": "https://management.azure.com",
        "activeDirectoryAuthority": "https://login.microsoftonline.com"
      },
      "AzureChinaCloud": {
        "resourceManagerEndpoint": "https://management.chinacloudapi.cn",
        "activeDirectoryAuthority": "https://login.chinacloudapi.cn"
      },
      "AzureUSGovernment": {
        "resourceManagerEndpoint": "https://management.usgovcloudapi.net",
        "activeDirectoryAuthority": "https://login.microsoftonline.us"
      }
    },
    "credentialPrecedence": ["AzureCLI", "AzurePowerShell"]
  },
  "moduleAliases": {
    "ts": {},
    "br": { "public": { "registry": "mcr.microsoft.com", "modulePath": "bicep" } }
  },
  "extensions": { "az": "builtin:", "kubernetes": "builtin:" },
  "implicitExtensions": ["az"],
  "analyzers": { "core": { "enabled": true, "verbose": false, "rules": {} } },
  "experimentalFeaturesWarning": true,
  "experimentalFeaturesEnabled": {},
  "formatting": { "indentKind": "Space", "newlineKind": "LF", "insertFinalNewline": true, "indentSize": 2, "width": 120 }
}"#;

/// Where folders that stand in for registries are named. The public compiler takes no notice of this member.
const MIRRORS: [&str; 2] = ["tendon", "registries"];

/// Where the index of a registry's modules is named. The public compiler takes no notice of this member, either.
pub(crate) const MODULE_INDEX: &[&str] = &["tendon", "moduleIndex"];

/// Where decorators are declared. The public compiler takes no notice of this member, either.
const DECORATORS: &str = "decorators";

/// The configuration of a source file.
#[derive(Debug)]
pub struct Config {
    layers: Vec<Layer>,
    features: Features,
    mirrors: Vec<Mirror>,
    decorators: Vec<Arc<CustomDecorator>>,
    decorator_faults: Vec<UnlocatedFinding>,
    faults: Vec<UnlocatedFinding>,
}

/// One file of a configuration; the defaults have no path.
#[derive(Debug)]
struct Layer {
    path: Option<FilePath>,
    document: Document,
}

impl Config {
    /// The configuration that applies without any file.
    #[must_use]
    pub fn defaults() -> Config {
        Config::from_layers(Vec::new(), Vec::new())
    }

    /// Reads the configuration that applies to the files of a folder: the nearest file upwards, and what it extends.
    pub fn find(world: &dyn World, folder: &FilePath) -> Config {
        let mut at = Some(folder.clone());
        while let Some(folder) = at {
            let path = folder.join(FILE_NAME);
            if world.exists(&path) {
                return Config::read(world, path);
            }
            at = folder.parent();
        }
        Config::defaults()
    }

    fn read(world: &dyn World, path: FilePath) -> Config {
        let mut layers: Vec<Layer> = Vec::new();
        let mut faults = Vec::new();
        let mut next = Some(path);
        while let Some(path) = next.take() {
            if layers.iter().any(|layer| layer.path.as_ref() == Some(&path)) {
                faults.push(codes::CONFIG_CYCLE.fault(&[&path]));
                break;
            }
            if layers.len() >= MAX_EXTENDS {
                faults.push(codes::CONFIG_CHAIN.fault(&[&MAX_EXTENDS]));
                break;
            }
            match load(world, &path) {
                Ok(document) => {
                    if let Some(fault) = misshapen(&path, &document) {
                        faults.push(fault);
                        break;
                    }
                    match document.root().member("extends").and_then(SourceValue::as_str) {
                        Some(base) if FilePath::is_rooted(base) => {
                            faults.push(codes::CONFIG_ABSOLUTE_BASE.fault(&[&path]));
                        }
                        Some(base) => next = Some(path.folder().join(base)),
                        None => {}
                    }
                    layers.push(Layer { path: Some(path), document });
                }
                Err(fault) => faults.push(fault),
            }
        }
        Config::from_layers(layers, faults)
    }

    fn from_layers(mut layers: Vec<Layer>, faults: Vec<UnlocatedFinding>) -> Config {
        if let Ok(document) = Document::from_json(DEFAULTS, FileId::FIRST, &ReadLimits::DEFAULT) {
            layers.push(Layer { path: None, document });
        }
        let mut config = Config {
            layers,
            features: Features::default(),
            mirrors: Vec::new(),
            decorators: Vec::new(),
            decorator_faults: Vec::new(),
            faults,
        };
        config.features = config.read_features();
        config.read_mirrors();
        config.read_decorators();
        config
    }

    /// Reads which decorators the files declare.
    fn read_decorators(&mut self) {
        let (mut decorators, mut faults) = (Vec::new(), Vec::new());
        let file = self.place_of(&[DECORATORS]).map(|(file, _)| format!("the configuration file `{file}`"));
        if let Some(value) = self.get(&[DECORATORS])
            && !matches!(value.node(), Node::Object(_) | Node::Null)
        {
            let file = self.place_of(&[DECORATORS]).map(|(file, _)| file.to_string()).unwrap_or_default();
            faults.push(codes::INVALID_CONFIG.fault(&[&file, &"`decorators`", &"an object"]));
        }
        for name in self.names(&[DECORATORS]) {
            let Some(value) = self.get(&[DECORATORS, name]) else { continue };
            match CustomDecorator::read(name, value) {
                Ok(declared) => decorators.push(Arc::new(declared)),
                Err(why) => {
                    let file = file.as_deref().unwrap_or_default();
                    faults.push(codes::DECORATOR_DECLARATION.fault(&[&file, &name, &why]));
                }
            }
        }
        (self.decorators, self.decorator_faults) = (decorators, faults);
    }

    fn read_features(&self) -> Features {
        let on =
            |feature: &&Feature| self.flag(&["experimentalFeaturesEnabled", feature.name()]) == Some(true);
        Feature::ALL.iter().filter(on).fold(Features::default(), |features, feature| features.with(*feature))
    }

    /// Reads which folders stand in for registries.
    fn read_mirrors(&mut self) {
        let [first, second] = MIRRORS;
        let (mut mirrors, mut faults) = (Vec::new(), Vec::new());
        for references in self.names(&[first, second]) {
            let path = [first, second, references];
            let (Some(folder), Some(from)) = (self.text(&path), self.folder_of(&path)) else { continue };
            match Mirror::new(references, from.join(folder), self) {
                Ok(mirror) => mirrors.push(mirror),
                Err(fault) => faults.push(fault),
            }
        }
        self.mirrors = mirrors;
        self.faults.extend(faults);
    }

    /// The value at a path of members, from the nearest layer that has one.
    #[must_use]
    pub fn get(&self, path: &[&str]) -> Option<SourceValue<'_>> {
        self.layers.iter().find_map(|layer| layer.at(path))
    }

    /// The text at a path of members.
    #[must_use]
    pub fn text(&self, path: &[&str]) -> Option<&str> {
        self.get(path).and_then(SourceValue::as_str)
    }

    /// The truth value at a path of members.
    #[must_use]
    pub fn flag(&self, path: &[&str]) -> Option<bool> {
        match self.get(path)?.node() {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The names of the members at a path, over all layers, each once.
    pub fn names(&self, path: &[&str]) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for layer in &self.layers {
            let Some(value) = layer.at(path) else { continue };
            for (key, _) in value.members() {
                if let Some(name) = key.as_str()
                    && seen.insert(name)
                {
                    names.push(name);
                }
            }
        }
        names
    }

    /// The folder of the file that says what stands at a path; none where it is a default.
    #[must_use]
    pub fn folder_of(&self, path: &[&str]) -> Option<FilePath> {
        let layer = self.layers.iter().find(|layer| layer.at(path).is_some())?;
        layer.path.as_ref().map(FilePath::folder)
    }

    /// The file that says what stands at a path, and where in it; none where it is a default.
    #[must_use]
    pub fn place_of(&self, path: &[&str]) -> Option<(&FilePath, Span)> {
        let mut found = self.layers.iter().filter_map(|layer| Some((layer.path.as_ref(), layer.at(path)?)));
        let (file, value) = found.next()?;
        let place = value.place();
        Some((file?, Span::new(place.start, place.end)))
    }

    /// The file that applies, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&FilePath> {
        self.layers.first().and_then(|layer| layer.path.as_ref())
    }

    /// Tells whether a file is one of those that say what holds.
    pub(crate) fn is_made_of(&self, path: &FilePath) -> bool {
        self.layers.iter().any(|layer| layer.path.as_ref() == Some(path))
    }

    /// The experimental features that are switched on.
    #[must_use]
    pub fn features(&self) -> Features {
        self.features
    }

    /// The form in which parameters JSON asks for external inputs, where it is said.
    pub(crate) fn inputs_form(&self) -> Option<InputsForm> {
        self.text(&[SETTING]).and_then(InputsForm::named)
    }

    /// The folders that stand in for registries.
    #[must_use]
    pub fn mirrors(&self) -> &[Mirror] {
        &self.mirrors
    }

    /// The decorators that the files declare, beyond those of the language.
    pub(crate) fn decorators(&self) -> &[Arc<CustomDecorator>] {
        &self.decorators
    }

    /// What is wrong with the declarations of decorators.
    pub(crate) fn decorator_faults(&self) -> &[UnlocatedFinding] {
        &self.decorator_faults
    }

    /// What is wrong with the files.
    #[must_use]
    pub fn faults(&self) -> &[UnlocatedFinding] {
        &self.faults
    }

    /// The folder with modules and extensions from registries.
    #[must_use]
    pub fn cache_root(&self, world: &dyn World) -> FilePath {
        const PATH: &[&str] = &["cacheRootDirectory"];
        if let Some(root) = world.modules() {
            return root;
        }
        match (self.text(PATH), self.folder_of(PATH)) {
            (Some(root), Some(folder)) => folder.join(root),
            (Some(root), None) => FilePath::new(root),
            (None, _) => world.cache_root(),
        }
    }
}

impl Layer {
    fn at(&self, path: &[&str]) -> Option<SourceValue<'_>> {
        path.iter().try_fold(self.document.root(), |value, name| value.member(name))
    }
}

fn load(world: &dyn World, path: &FilePath) -> Result<Document, UnlocatedFinding> {
    let bytes = world.read(path).map_err(|error| {
        let why = match error {
            ReadError::NotFound => "it does not exist".to_owned(),
            ReadError::Failed(why) => why,
        };
        codes::UNREADABLE_CONFIG.fault(&[path, &why])
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Document::from_json_with(&*text, FileId::FIRST, &ReadLimits::DEFAULT, JsonOptions::RELAXED)
        .map_err(|error| codes::CONFIG_NOT_JSON.fault(&[path, &error]))
}

/// What a member of a configuration holds.
#[derive(Clone, Copy)]
enum MemberShape {
    Object,
    List,
    Text,
    Flag,
    Integer,
    OneOf(&'static [&'static str]),
}

/// The members that have a shape of their own; others are read as they are needed.
const SHAPES: &[(&[&str], MemberShape)] = &[
    (&[], MemberShape::Object),
    (&["extends"], MemberShape::Text),
    (&["cloud"], MemberShape::Object),
    (&["cloud", "currentProfile"], MemberShape::Text),
    (&["cloud", "profiles"], MemberShape::Object),
    (&["moduleAliases"], MemberShape::Object),
    (&["moduleAliases", "br"], MemberShape::Object),
    (&["moduleAliases", "ts"], MemberShape::Object),
    (&["extensions"], MemberShape::Object),
    (&["implicitExtensions"], MemberShape::List),
    (&["analyzers"], MemberShape::Object),
    (&["analyzers", "core"], MemberShape::Object),
    (&["analyzers", "core", "enabled"], MemberShape::Flag),
    (&["analyzers", "core", "rules"], MemberShape::Object),
    (&["cacheRootDirectory"], MemberShape::Text),
    (&["experimentalFeaturesWarning"], MemberShape::Flag),
    (&["experimentalFeaturesEnabled"], MemberShape::Object),
    (&["formatting"], MemberShape::Object),
    (&["formatting", "indentKind"], MemberShape::OneOf(formatting::INDENT_KINDS)),
    (&["formatting", "indentSize"], MemberShape::Integer),
    (&["formatting", "insertFinalNewline"], MemberShape::Flag),
    (&["formatting", "newlineKind"], MemberShape::OneOf(formatting::NEWLINE_KINDS)),
    (&["formatting", "width"], MemberShape::Integer),
    (&["externalInputs"], MemberShape::Object),
    (&["externalInputsForm"], MemberShape::Text),
    (&["tendon"], MemberShape::Object),
    (&["tendon", "registries"], MemberShape::Object),
    (MODULE_INDEX, MemberShape::Text),
];

/// What is wrong with the shape of a configuration.
fn misshapen(path: &FilePath, document: &Document) -> Option<UnlocatedFinding> {
    let at = |names: &[&str]| names.iter().try_fold(document.root(), |value, name| value.member(name));
    let fits = |value: SourceValue<'_>, shape: MemberShape| match shape {
        MemberShape::Object => matches!(value.node(), Node::Object(_)),
        MemberShape::List => matches!(value.node(), Node::List(_)),
        MemberShape::Text => matches!(value.node(), Node::Text(_)),
        MemberShape::Flag => matches!(value.node(), Node::Bool(_)),
        MemberShape::Integer => matches!(value.node(), Node::Int(_)),
        MemberShape::OneOf(names) => {
            value.as_str().is_some_and(|text| names.iter().any(|name| name.eq_ignore_ascii_case(text)))
        }
    };
    let wrong = |names: &[&str], shape: MemberShape| {
        let value = at(names)?;
        let found = matches!(value.node(), Node::Null) && !names.is_empty() || fits(value, shape);
        let wanted = match shape {
            MemberShape::Object => "an object".to_owned(),
            MemberShape::List => "an array".to_owned(),
            MemberShape::Text => "a string".to_owned(),
            MemberShape::Flag => "`true` or `false`".to_owned(),
            MemberShape::Integer => "an integer".to_owned(),
            MemberShape::OneOf(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                names.join(" or ")
            }
        };
        let name =
            if names.is_empty() { "the whole file".to_owned() } else { format!("`{}`", names.join(".")) };
        (!found).then(|| codes::INVALID_CONFIG.fault(&[path, &name, &wanted]))
    };
    let features = Feature::ALL.iter().map(|feature| ["experimentalFeaturesEnabled", feature.name()]);
    SHAPES
        .iter()
        .find_map(|(names, shape)| wrong(names, *shape))
        .or_else(|| features.into_iter().find_map(|names| wrong(&names, MemberShape::Flag)))
        .or_else(|| {
            let form = document.root().member(SETTING).and_then(SourceValue::as_str)?;
            let unknown = InputsForm::named(form).is_none();
            let name = format!("`{SETTING}`");
            unknown.then(|| codes::INVALID_CONFIG.fault(&[path, &name, &"`proposal` or `azure`"]))
        })
}

/// Shares a configuration between the files of a folder.
pub(crate) type SharedConfig = Arc<Config>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn the_nearest_file_upwards_applies_over_the_defaults() {
        let world = MemoryWorld::default()
            .with_file(
                "/a/bicepconfig.json",
                r#"{ "moduleAliases": { "br": { "x": { "registry": "r.io" } } }, }"#,
            )
            .with_file("/a/b/c/main.bicep", "");
        let config = Config::find(&world, &FilePath::new("/a/b/c"));
        assert_eq!(config.text(&["moduleAliases", "br", "x", "registry"]), Some("r.io"));
        assert_eq!(config.text(&["moduleAliases", "br", "public", "registry"]), Some("mcr.microsoft.com"));
        assert_eq!(config.names(&["moduleAliases", "br"]), ["x", "public"]);
        assert_eq!(config.path().map(FilePath::as_str), Some("/a/bicepconfig.json"));
    }

    #[test]
    fn a_file_can_extend_others_but_not_itself() {
        let world = MemoryWorld::default()
            .with_file("/bicepconfig.json", r#"{ "extends": "base/one.json", "cacheRootDirectory": "x" }"#)
            .with_file("/base/one.json", r#"{ "extends": "../bicepconfig.json", "implicitExtensions": [] }"#);
        let config = Config::find(&world, &FilePath::new("/"));
        assert_eq!(config.get(&["implicitExtensions"]).map(|value| value.items().count()), Some(0));
        assert_eq!(config.cache_root(&world).as_str(), "/x");
        assert_eq!(config.faults().first().map(|fault| fault.code), Some("BCP454"));
    }

    #[test]
    fn what_a_file_cannot_say_is_reported() {
        let fault = |text: &str| {
            let world = MemoryWorld::default().with_file("/bicepconfig.json", text);
            let config = Config::find(&world, &FilePath::new("/"));
            config.faults().first().map(|fault| (fault.code, fault.message.to_string()))
        };
        let code = |text: &str| fault(text).map(|(code, _)| code);
        assert_eq!(code(r#"{ "extends": "/elsewhere/bicepconfig.json" }"#), Some("BCP453"));
        assert_eq!(code(r#"{ "extends": "missing.json" }"#), Some("BCP272"));
        assert_eq!(code(r#"{ "analyzers": { "core": { "enabled": "yes" } } }"#), Some("BCP273"));
        assert_eq!(code(r#"{ "experimentalFeaturesEnabled": { "waitUntil": 1 } }"#), Some("BCP273"));
        assert_eq!(code(r#"{ "formatting": { "width": "80" } }"#), Some("BCP273"));
        assert_eq!(code(r#"{ "formatting": { "newlineKind": "Auto" } }"#), Some("BCP273"));
        assert_eq!(code("[]"), Some("BCP273"));
        assert_eq!(code(r#"{ "experimentalFeaturesEnabled": { "unknown": 1 }, "unknown": 1 }"#), None);
        let (_, message) = fault(r#"{ "implicitExtensions": "az" }"#).unwrap();
        assert!(message.ends_with("`implicitExtensions` must be an array"), "{message}");
    }

    #[test]
    fn folders_in_the_place_of_registries_lie_beside_the_file_that_names_them() {
        let world = MemoryWorld::default()
            .with_file(
                "/a/bicepconfig.json",
                r#"{ "extends": "../base/b.json", "tendon": { "registries": { "br:x.io": "x" } } }"#,
            )
            .with_file(
                "/base/b.json",
                r#"{ "tendon": { "registries": { "br/public": "public", "x.io": "y", "br:y.io": 1 } } }"#,
            );
        let config = Config::find(&world, &FilePath::new("/a"));
        let expected = [("br:x.io", "/a/x"), ("br/public", "/base/public")];
        let expected = expected.map(|(name, root)| Mirror::new(name, FilePath::new(root), &config).unwrap());
        assert_eq!(config.mirrors(), expected);
        assert_eq!(config.faults().iter().map(|fault| fault.code).collect::<Vec<_>>(), ["BCP193"]);
    }

    #[test]
    fn a_broken_file_is_reported_and_the_defaults_apply() {
        let world = MemoryWorld::default().with_file("/bicepconfig.json", "{");
        let config = Config::find(&world, &FilePath::new("/"));
        assert_eq!(config.faults().first().map(|fault| fault.code), Some("BCP271"));
        assert_eq!(config.flag(&["analyzers", "core", "enabled"]), Some(true));
    }
}
