//! What `publish` and `publish-extension` have in common: the place in a registry, and the push to it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bicep::Config;
use bicep::files::{ArtifactVersion, Reference, ReferenceKind};
use registry::{ArtifactKind, OciError, OciReference, Package};
use time::OffsetDateTime;

use crate::compile::disk::{Disk, file_path};
use crate::compile::restore::{registries, runtime, trust};
use crate::exit::CommandError;

/// A place in a registry that can be published to.
#[derive(Debug)]
pub(crate) struct PublishTarget {
    place: OciReference,
    name: String,
}

/// Whether a target is in a registry, and not a file.
pub(crate) fn is_reference(target: &str) -> bool {
    ["br:", "br/", "ts:", "ts/"].iter().any(|scheme| target.starts_with(scheme))
}

impl PublishTarget {
    /// Reads the name of a target; aliases are those of the configuration for files in a folder.
    pub(crate) fn read(text: &str, kind: ArtifactKind, folder: &Path) -> Result<PublishTarget, CommandError> {
        let usage = |why: &str| CommandError::Usage(format!("nothing can be published to `{text}`: {why}"));
        let config = Config::find(&Disk::default(), &file_path(folder));
        let kind = match kind {
            ArtifactKind::Module => ReferenceKind::Module,
            ArtifactKind::Extension => ReferenceKind::Extension,
        };
        let reference = match is_reference(text) {
            true => Reference::parse(text, kind, &config).map_err(|fault| usage(&fault.sentence()))?,
            false => return Err(usage("write `br:HOST/PATH:TAG`")),
        };
        let artifact = match &reference {
            Reference::Registry(artifact) => artifact,
            Reference::TemplateSpec(_) => {
                return Err(usage(
                    "template specs are kept by Azure; `az ts create` makes one of a template",
                ));
            }
            Reference::Local(_) | Reference::Mapped(_) => {
                return Err(usage("it is a folder in the place of a registry"));
            }
        };
        let ArtifactVersion::Tag(tag) = &artifact.version else {
            return Err(usage("a digest cannot be chosen; write a tag"));
        };
        let place = OciReference::new(&artifact.registry, &artifact.repository, tag)
            .map_err(|fault| usage(&fault.to_string()))?;
        if !trust().covers(&place) {
            let host = &artifact.registry;
            return Err(usage(&format!(
                "the registry `{host}` is not trusted; if you trust it, name it in the variable {}",
                registry::Trust::VARIABLE
            )));
        }
        Ok(PublishTarget { place, name: reference.full_name() })
    }

    /// Publishes an artifact. What is there already stays, unless it is to be replaced.
    pub(crate) fn publish(&self, package: &Package, force: bool) -> Result<(), CommandError> {
        let what = package.kind().name();
        let failed = |fault: OciError| {
            CommandError::Environment(format!("the {what} cannot be published to `{}`: {fault}", self.name))
        };
        let registries = registries()?;
        runtime()?.block_on(async {
            if !force && registries.is_taken(&self.place).await.map_err(failed)? {
                return Err(CommandError::Usage(format!(
                    "the {what} `{}` already exists; replace it with `--force`",
                    self.name
                )));
            }
            registries.push(&self.place, package).await.map(drop).map_err(failed)
        })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// The moment of a publication, as RFC 3339 writes it.
pub(crate) fn now() -> String {
    written(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

/// A moment, in UTC and with the seven digits of the public command.
fn written(since: Duration) -> String {
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    let at = OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let (year, month, day) = (at.year(), u8::from(at.month()), at.day());
    let (hour, minute, second) = at.to_hms();
    let ticks = since.subsec_nanos() / 100;
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ticks:07}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_written_in_utc() {
        let moment = Duration::new(1_709_251_199, 123_456_789);
        assert_eq!(written(moment), "2024-02-29T23:59:59.1234567Z");
    }

    #[test]
    fn a_target_is_a_tag_of_a_registry() {
        let read = |text: &str| {
            PublishTarget::read(text, ArtifactKind::Module, Path::new("/nowhere")).map(|it| it.name)
        };
        assert_eq!(read("br:localhost:5000/a/b:v1").unwrap(), "br:localhost:5000/a/b:v1");
        assert_eq!(read("br/public:a:1").unwrap(), "br:mcr.microsoft.com/bicep/a:1");
        for (text, why) in [
            ("main.json", "write `br:HOST/PATH:TAG`"),
            ("br:localhost/a", "no tag"),
            ("br:localhost/A:1", "`A`"),
            (&*format!("br:localhost/a@sha256:{}", "0".repeat(64)), "a digest cannot be chosen"),
            ("ts:00000000-0000-0000-0000-000000000001/group/spec:v1", "az ts create"),
            ("br:registry.example.com/a:1", "is not trusted"),
        ] {
            let found = read(text).unwrap_err().to_string();
            assert!(found.contains(why), "{text}: {found}");
        }
    }
}
