//! Modules of registries: schemes and aliases, the modules and versions that the cache and mirrors have, and what these
//! say about themselves.

use std::collections::BTreeSet;

use smol_str::{SmolStr, format_smolstr};
use syntax::Span;
use syntax::ast::{AstNode as _, Expr, Program, Statement};

use super::Completer;
use super::item::{Completion, CompletionKind, FollowUp, Priority, escaped};
use crate::config::RegistryModule;
use crate::content::read_json;
use crate::files::SourceFile;
use crate::{Compiler, FilePath};

/// The registry that everybody can use.
const PUBLIC: &str = "mcr.microsoft.com";

/// What was written of a reference to a registry.
struct PartialReference<'t> {
    /// The host of the registry, as files name it.
    registry: String,
    /// What an alias puts before the path, with a slash at its end.
    prefix: String,
    /// How the reference begins in the program, up to the path.
    head: String,
    /// The path, without what the alias stands for.
    path: &'t str,
    /// Whether the version comes next.
    has_separator: bool,
    /// The version, as far as it was written.
    version: &'t str,
}

impl Completer<'_, '_> {
    /// What can follow at the start of a path, and in one that leads to a registry.
    pub(super) fn registry_paths(&mut self, text: &str, span: Span) {
        if text.trim().is_empty() {
            return self.schemes(span);
        }
        match text {
            _ if text.strip_prefix("br/").is_some_and(|rest| !rest.contains(['/', ':'])) => {
                for alias in self.aliases("br") {
                    self.reference(&alias, &format!("br/{alias}:"), span, "", 1);
                }
            }
            _ if text.strip_prefix("br:").is_some_and(|rest| !rest.contains('/')) => {
                let public = format!("{PUBLIC}/bicep");
                self.reference(&public, &format!("br:{public}/"), span, "", 1);
                let config = self.model.file.config.clone();
                let hosts: BTreeSet<String> = self
                    .aliases("br")
                    .iter()
                    .filter_map(|alias| config.text(&["moduleAliases", "br", alias, "registry"]))
                    .filter(|host| *host != PUBLIC)
                    .map(str::to_owned)
                    .collect();
                for host in hosts {
                    self.reference(&host, &format!("br:{host}/"), span, "", 1);
                }
            }
            _ => self.modules(text, span),
        }
    }

    /// The names of aliases of a scheme, in order.
    fn aliases(&self, scheme: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.model.file.config.names(&["moduleAliases", scheme]).into_iter().map(str::to_owned).collect();
        names.sort();
        names
    }

    /// Where modules can come from besides files.
    fn schemes(&mut self, span: Span) {
        let config = self.model.file.config.clone();
        for scheme in ["br", "ts"] {
            let (whole, short) = match scheme {
                "br" => ("Bicep registry", "Bicep registry (alias)"),
                _ => ("Template spec", "Template spec (alias)"),
            };
            self.reference(&format!("{scheme}:"), &format!("{scheme}:"), span, whole, 2);
            let aliases = self.aliases(scheme);
            if aliases.is_empty() {
                self.reference(&format!("{scheme}/"), &format!("{scheme}/"), span, short, 0);
            }
            for alias in aliases {
                let part = |name| config.text(&["moduleAliases", scheme, &alias, name]);
                let detail = match (scheme, part("registry"), part("modulePath")) {
                    ("br", Some(PUBLIC), Some("bicep")) => "Public Bicep registry".to_owned(),
                    ("br", Some(host), path) => {
                        let path = path.map(|path| format!("{path}/")).unwrap_or_default();
                        format!("Alias for br:{host}/{path}")
                    }
                    _ => whole.to_owned(),
                };
                let label = format!("{scheme}/{alias}:");
                self.reference(&label, &label, span, &detail, 0);
            }
        }
    }

    /// An item that goes on with a reference. Those of a lower rank come first, and all of them after files.
    fn reference(&mut self, label: &str, text: &str, span: Span, detail: &str, rank: u8) {
        let text = format!("'{}$0'", escaped(text));
        let mut item = Completion::plain(CompletionKind::Reference, label, Priority::Low, span, text.clone())
            .into_snippet()
            .filter_text(text)
            .follow_up(FollowUp::Suggest);
        item.detail = Some(detail.to_owned()).filter(|detail| !detail.is_empty());
        item.sort_text = format_smolstr!("9{rank}_{label}");
        self.out.push(item);
    }

    /// The modules of a registry, and their versions.
    fn modules(&mut self, text: &str, span: Span) {
        let Some(written) = self.written(text) else { return };
        let mut found = self.repositories(&written.registry);
        found.sort_by(|a, b| a.path.cmp(&b.path).then_with(|| newest_first(&a.version, &b.version)));
        found.dedup_by(|a, b| (&a.path, &a.version) == (&b.path, &b.version));
        if written.has_separator {
            let wanted = format!("{}{}", written.prefix, written.path);
            let stem = text.strip_suffix(written.version).unwrap_or(text);
            let versions = found.into_iter().filter(|module| module.path == wanted);
            for (place, RegistryModule { version, file, .. }) in versions.enumerate() {
                let text = format!("'{stem}{version}'$0");
                let kind = CompletionKind::Snippet;
                let item = Completion::plain(kind, version, Priority::Low, span, text.clone());
                let sort_text = format_smolstr!("{place:04}");
                let described_in = Some(file);
                self.out.push(Completion {
                    sort_text,
                    described_in,
                    ..item.into_snippet().filter_text(text)
                });
            }
            return;
        }
        // The first of each is the newest, which says best what the module is.
        found.dedup_by(|a, b| a.path == b.path);
        for module in found {
            let Some(own) = module.path.strip_prefix(written.prefix.as_str()) else { continue };
            if own.starts_with(written.path) {
                self.reference(own, &format!("{}{own}:", written.head), span, "", 1);
                if let Some(item) = self.out.last_mut() {
                    item.described_in = Some(module.file);
                }
            }
        }
    }

    /// Takes what was written of a reference apart.
    fn written<'t>(&self, text: &'t str) -> Option<PartialReference<'t>> {
        let (registry, prefix, head, rest) = if let Some(rest) = text.strip_prefix("br/") {
            let (alias, rest) = rest.split_once(':')?;
            let part = |name| self.model.file.config.text(&["moduleAliases", "br", alias, name]);
            let prefix = part("modulePath").map(|path| format!("{}/", path.trim_matches('/')));
            (part("registry")?.to_owned(), prefix.unwrap_or_default(), format!("br/{alias}:"), rest)
        } else {
            let (host, rest) = text.strip_prefix("br:")?.split_once('/')?;
            (host.to_owned(), String::new(), format!("br:{host}/"), rest)
        };
        let (path, version) =
            rest.split_once(':').map_or((rest, None), |(path, version)| (path, Some(version)));
        Some(PartialReference {
            registry,
            prefix,
            head,
            path,
            has_separator: version.is_some(),
            version: version.unwrap_or_default(),
        })
    }

    /// The modules of a registry that are known without asking it.
    fn repositories(&self, registry: &str) -> Vec<RegistryModule> {
        let world = self.compiler.world();
        let config = &self.model.file.config;
        let mut found: Vec<RegistryModule> = Vec::new();
        let folder = config.cache_root(world).join("br").join(&registry.replace(':', "$").to_lowercase());
        for entry in world.list(&folder).unwrap_or_default().into_iter().filter(|entry| entry.is_folder) {
            let own = folder.join(&entry.name);
            let path = entry.name.replace('$', "/");
            for version in world.list(&own).unwrap_or_default().into_iter().filter(|it| it.is_folder) {
                // The name of a tag ends with the mark that keeps its capitals.
                if let Some((tag, _)) = version.name.split_once('$') {
                    let file = own.join(&version.name).join("main.json");
                    found.push(RegistryModule { path: path.clone(), version: tag.to_owned(), file });
                }
            }
        }
        for mirror in self.compiler.mirrors().iter().chain(config.mirrors()) {
            found.extend(mirror.modules(registry, world));
        }
        found
    }
}

/// What a module of a registry says about itself, in Markdown; the file is that of a [`Completion`].
#[must_use]
pub fn describe(compiler: &Compiler, file: &FilePath) -> Option<String> {
    match file.name() {
        "main.json" => {
            let bytes = compiler.world().read(file).ok()?;
            let value = read_json(&String::from_utf8_lossy(&bytes)).ok()?;
            let metadata = value.as_object()?.get("metadata")?.as_object()?;
            let text = |name: &str| metadata.get(name).and_then(|value| value.as_str());
            described(text("name"), text("description"))
        }
        "main.bicep" => {
            let source = compiler.file(file).ok()?;
            let SourceFile::Bicep(program) = &*source else { return None };
            let statements = Program::cast(program.tree.root())?.statements();
            let metadata: Vec<(&str, String)> = statements
                .filter_map(|statement| match statement {
                    Statement::MetadataDeclaration(it) => match it.value() {
                        Expr::String(value) => Some((it.name().text(), value.constant()?.into_owned())),
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            let text =
                |name: &str| metadata.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str());
            described(text("name"), text("description"))
        }
        _ => None,
    }
}

fn described(name: Option<&str>, description: Option<&str>) -> Option<String> {
    match (name, description) {
        (None, None) => None,
        (Some(name), None) => Some(format!("**{name}**")),
        (None, Some(description)) => Some(description.to_owned()),
        (Some(name), Some(description)) => Some(format!("**{name}**\n\n{description}")),
    }
}

/// The order of versions: newest first, by their numbers.
fn newest_first(a: &str, b: &str) -> std::cmp::Ordering {
    let numbers = |version: &str| -> Vec<(u64, SmolStr)> {
        let parts = version.split(['.', '-', '+']);
        parts.map(|part| (part.parse().unwrap_or(u64::MAX), part.into())).collect()
    };
    numbers(b).cmp(&numbers(a)).then_with(|| b.cmp(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let mut versions = ["0.9.0", "0.10.0", "1.0.0", "0.9.1"];
        versions.sort_by(|a, b| newest_first(a, b));
        assert_eq!(versions, ["1.0.0", "0.10.0", "0.9.1", "0.9.0"]);
    }
}
