//! Fetches the modules and extensions of registries that programs refer to, before they are compiled.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use bicep::files::{ArtifactVersion, Reference, RestoreFailure};
use bicep::{Artifact, ArtifactState, Compiler, Dialect, FilePath};
use registry::{ArtifactKind, Keychain, OciReference, Registries, RestoreRequest, RetryPolicy, Trust};

use super::disk::{self, FileOverrides};
use super::{CompileOptions, work};
use crate::common::Common;
use crate::exit::CommandError;
use crate::output::Streams;
use crate::progress::ProgressLine;

/// How often it is looked whether what was restored needs more.
const MOST_ROUNDS: usize = 8;

/// Why artifacts are not there, by their full names.
pub(crate) type Failures = BTreeMap<String, RestoreFailure>;

/// A restore, and what came of it so far.
pub(crate) struct Restore<'o> {
    options: &'o CompileOptions,
    is_wanted: bool,
    is_shown: bool,
    /// How many artifacts were fetched.
    pub(crate) count: usize,
    /// Those that could not be.
    pub(crate) failures: Failures,
}

impl CompileOptions {
    /// Gets ready to restore, if that is asked for. By its own name the program asks registries only if it is told to; in the place of the public command it
    /// asks as that does.
    pub(crate) fn restore(&self, common: &Common, streams: &Streams) -> Restore<'_> {
        self.restore_if(self.is_restoring || common.drop_in, common, streams)
    }

    /// Gets ready to restore, unless that is forbidden.
    pub(crate) fn restore_if(&self, is_asked: bool, common: &Common, streams: &Streams) -> Restore<'_> {
        let is_wanted = is_asked && !self.no_restore;
        let is_shown = !common.quiet && streams.live;
        Restore { options: self, is_wanted, is_shown, count: 0, failures: Failures::new() }
    }
}

impl Restore<'_> {
    /// A compiler for files, after what they need was restored, if that is wanted. What could not be restored is a finding where it is named.
    pub(crate) fn compiler(
        &mut self,
        entries: &[FilePath],
        changed: FileOverrides,
        dialect: Dialect,
    ) -> Result<ManuallyDrop<Compiler>, CommandError> {
        let mut compiler = self.options.compiler_knowing(changed.clone(), dialect, self.failures.clone())?;
        if !self.is_wanted {
            return Ok(compiler);
        }
        for _ in 0..MOST_ROUNDS {
            let mut missing = artifacts(entries, |entry| compiler.unrestored(entry))?;
            missing.retain(|artifact| !self.failures.contains_key(&artifact.reference.full_name()));
            if missing.is_empty() {
                break;
            }
            self.fetch(&missing)?;
            let next = self.options.compiler_knowing(changed.clone(), dialect, self.failures.clone())?;
            // There can be several of them, unlike the last one.
            drop(ManuallyDrop::into_inner(std::mem::replace(&mut compiler, next)));
        }
        Ok(compiler)
    }

    /// Fetches all that files need, also what is in the cache, except for what a folder stands in for.
    pub(crate) fn again(&mut self, entries: &[FilePath], dialect: Dialect) -> Result<(), CommandError> {
        if !self.is_wanted {
            return Ok(());
        }
        let compiler = self.options.compiler(Vec::new(), dialect)?;
        let mut wanted = artifacts(entries, |entry| compiler.artifacts(entry))?;
        wanted.retain(|artifact| artifact.state != ArtifactState::Mirrored);
        self.fetch(&wanted)
    }

    fn fetch(&mut self, artifacts: &[Artifact]) -> Result<(), CommandError> {
        let mut progress = ProgressLine::new(self.is_shown);
        let mut count = 0;
        fetch(artifacts, |artifact, of, outcome| {
            let name = artifact.reference.full_name();
            match outcome {
                RestoreOutcome::Refused(failure) => drop(self.failures.insert(name, failure)),
                RestoreOutcome::Asked(outcome) => {
                    count += 1;
                    progress.step(count, of, name.strip_prefix("br:").unwrap_or(&name));
                    match outcome {
                        Ok(()) => self.count += 1,
                        Err(failure) => drop(self.failures.insert(name, failure)),
                    }
                }
            }
        })?;
        progress.clear();
        Ok(())
    }
}

/// What came of an artifact.
pub(crate) enum RestoreOutcome {
    /// Nobody was asked for it.
    Refused(RestoreFailure),
    /// Its registry was asked.
    Asked(Result<(), RestoreFailure>),
}

/// Fetches artifacts, many at a time, and tells of each what came of it, and how many registries are asked for.
pub(crate) fn fetch(
    artifacts: &[Artifact],
    mut done: impl FnMut(&Artifact, usize, RestoreOutcome),
) -> Result<(), CommandError> {
    let trust = trust();
    let (mut wanted, mut asked) = (Vec::new(), Vec::new());
    let mut refused = Vec::new();
    for artifact in artifacts {
        match want(artifact, &trust) {
            Ok(one) => {
                wanted.push(one);
                asked.push(artifact);
            }
            Err(failure) => refused.push((artifact, failure)),
        }
    }
    let of = wanted.len();
    for (artifact, failure) in refused {
        done(artifact, of, RestoreOutcome::Refused(failure));
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let registries = registries()?;
    let restore = registry::restore(&registries, &wanted, |position, outcome| {
        let Some(artifact) = asked.get(position) else { return };
        let outcome = outcome.map_err(|fault| RestoreFailure::Failed(fault.to_string()));
        done(artifact, of, RestoreOutcome::Asked(outcome));
    });
    runtime()?.block_on(restore);
    Ok(())
}

/// The artifacts of all files, each once.
fn artifacts(
    entries: &[FilePath],
    of: impl Fn(&FilePath) -> Vec<Artifact> + Sync,
) -> Result<Vec<Artifact>, CommandError> {
    let mut found: BTreeMap<(String, bool), Artifact> = BTreeMap::new();
    work::each_in_order(entries, of, |_, artifacts| {
        for artifact in artifacts {
            found.entry((artifact.reference.full_name(), artifact.is_extension)).or_insert(artifact);
        }
        Ok(())
    })?;
    Ok(found.into_values().collect())
}

/// Where an artifact is, if its registry is asked.
fn want(artifact: &Artifact, trust: &Trust) -> Result<RestoreRequest, RestoreFailure> {
    let failed = |why: &str| RestoreFailure::Failed(why.to_owned());
    let reference = match &artifact.reference {
        Reference::Registry(reference) => reference,
        Reference::TemplateSpec(_) => {
            let folder = &artifact.folder;
            return Err(failed(&format!(
                "template specs are kept by Azure, which is not asked; write its template to `{folder}/main.json`"
            )));
        }
        Reference::Local(_) | Reference::Mapped(_) => return Err(failed("it is not in a registry")),
    };
    let version = match &reference.version {
        ArtifactVersion::Tag(version) | ArtifactVersion::Digest(version) => version,
    };
    let place = OciReference::new(&reference.registry, &reference.repository, version)
        .map_err(|fault| RestoreFailure::Failed(fault.to_string()))?;
    if !trust.covers(&place) {
        return Err(RestoreFailure::Untrusted);
    }
    let kind = if artifact.is_extension { ArtifactKind::Extension } else { ArtifactKind::Module };
    Ok(RestoreRequest { place, kind, folder: PathBuf::from(artifact.folder.as_str()) })
}

/// The registries that are asked.
pub(crate) fn trust() -> Trust {
    Trust::new(&std::env::var(Trust::VARIABLE).unwrap_or_default())
}

/// The registries, with the credentials of the user.
pub(crate) fn registries() -> Result<Registries, CommandError> {
    let keychain = Keychain::of_user(&|name| std::env::var(name).ok(), disk::home());
    Registries::new(keychain, RetryPolicy::default())
        .map_err(|fault| CommandError::Environment(fault.to_string()))
}

/// What requests run on.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, CommandError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| CommandError::Environment(format!("cannot ask registries: {error}")))
}
