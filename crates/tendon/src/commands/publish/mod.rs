//! `tendon publish`: a program or a template as a module of a registry.

mod sources;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diagnostics::printable;
use registry::{About, ArtifactKind, Package};

use super::contract::version_advice;
use crate::common::Common;
use crate::compile::{self, CompileOptions, Job, Results, SourceFilter, check_name, disk};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::publishing::{self, PublishTarget};

/// Publish a module to a registry
///
/// The file is compiled, and its template becomes a module; a template in JSON is published as it is. An
/// existing tag is not overwritten, unless `--force` is given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The program, or a template in JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The reference to publish to: `br:HOST/PATH:TAG`, or `br/ALIAS:PATH:TAG` with an alias of bicepconfig.json
    #[arg(long, value_name = "REFERENCE")]
    target: String,

    /// The address of the documentation of the module
    #[arg(long, value_name = "URI", value_parser = absolute_uri)]
    documentation_uri: Option<String>,

    /// Publish the sources as well, so that editors can show them
    #[arg(long)]
    with_source: bool,

    /// Refuse a tag that is too small for what changed since a version of the same module
    #[arg(long, value_name = "TAG")]
    since: Option<String>,

    /// Overwrite an existing tag
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    compile: CompileOptions,
}

const EXAMPLES: &str = "\
Examples:
  tendon publish main.bicep --target br:example.azurecr.io/team/storage:1.0.0
  tendon publish main.bicep --target br/team:storage:1.0.0 \\
    --documentation-uri https://example.com/storage --with-source
  tendon publish main.json --target br:localhost:5000/storage:dev --force";

/// What the names of templates end with.
const TEMPLATES: [&str; 3] = ["json", "jsonc", "arm"];

fn absolute_uri(text: &str) -> Result<String, String> {
    let (scheme, rest) = text.split_once(':').unwrap_or_default();
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let is_plain = !rest.is_empty()
        && rest.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte));
    if is_scheme && is_plain { Ok(text.to_owned()) } else { Err("it is not an absolute URI".to_owned()) }
}

pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let folder = arguments.file.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let target = PublishTarget::read(&arguments.target, ArtifactKind::Module, folder)?;
    let extension = arguments.file.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let (template, sources) = if TEMPLATES.contains(&extension.as_str()) {
        if arguments.with_source {
            return Err(CommandError::Usage(
                "a template in JSON has no sources; leave out `--with-source`".to_owned(),
            ));
        }
        let shown = format!("`{}`", arguments.file.display());
        let bytes = files::read(&arguments.file).map_err(|unread| CommandError::unread(&shown, &unread))?;
        (bytes, None)
    } else {
        match compiled(arguments, common, streams)? {
            Ok(both) => both,
            Err(exit) => return Ok(exit),
        }
    };
    if let Some(since) = &arguments.since {
        compared_with(since, arguments, common, streams)?;
    }
    let about = About {
        description: description(&template),
        documentation: arguments.documentation_uri.clone(),
        created: publishing::now(),
    };
    target.publish(&Package::module(template, sources, about), arguments.force)?;
    if !common.quiet && !common.drop_in {
        streams.print(&format!("{} published\n", printable(target.name())))?;
    }
    Ok(Exit::Fine)
}

/// Refuses a version that promises more than the program keeps.
fn compared_with(
    since: &str,
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    let (module, tag) = arguments.target.rsplit_once(':').unwrap_or((&arguments.target, ""));
    let advice = version_advice(&format!("{module}:{since}"), &arguments.file, common, streams)?;
    let grown = match (version(since), version(tag)) {
        (Some(before), Some(after)) => growth(before, after),
        _ => {
            return Err(CommandError::Usage(format!(
                "`{since}` and `{tag}` cannot be compared: versions are three numbers, as in `1.2.3`"
            )));
        }
    };
    let rank = |word: &str| ["none", "patch", "minor", "major"].iter().position(|it| *it == word);
    if rank(grown) < rank(advice) {
        return Err(CommandError::Input(format!(
            "the changes since {since} need a new {advice} version, and {tag} is none; `tendon contract diff {module}:{since} {}` lists them",
            arguments.file.display()
        )));
    }
    if !common.quiet && !common.drop_in {
        streams.print(&format!("changes since {since}: {advice}\n"))?;
    }
    Ok(())
}

/// The three numbers of a version.
fn version(tag: &str) -> Option<[u64; 3]> {
    let plain = tag.strip_prefix('v').unwrap_or(tag);
    let plain = plain.split(['-', '+']).next().unwrap_or(plain);
    let numbers: Option<Vec<u64>> = plain.split('.').map(|part| part.parse().ok()).collect();
    numbers?.try_into().ok()
}

/// Which number of a version grew. Before version 1.0.0, minor versions may break and patches may add.
fn growth(before: [u64; 3], after: [u64; 3]) -> &'static str {
    let [was_major, was_minor, was_patch] = before;
    let [major, minor, patch] = after;
    let word = if major > was_major {
        "major"
    } else if major == was_major && minor > was_minor {
        "minor"
    } else if (major, minor) == (was_major, was_minor) && patch > was_patch {
        "patch"
    } else {
        "none"
    };
    match (word, was_major) {
        ("minor", 0) => "major",
        ("patch", 0) => "minor",
        (word, _) => word,
    }
}

/// A template, and the sources that it was made of.
type ModulePackage = (Vec<u8>, Option<Vec<u8>>);

/// The template of a program; or how the command ends, because the program has errors.
fn compiled(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Result<ModulePackage, Exit>, CommandError> {
    check_name(&arguments.file, SourceFilter::Program)?;
    let path = disk::file_path(&arguments.file);
    let job = Job { path: path.clone(), named: arguments.file.clone(), output: None };
    let mut restore = arguments.compile.restore(common, streams);
    let compiler = restore.compiler(std::slice::from_ref(&path), Vec::new(), common.dialect())?;
    let template: Mutex<Option<Arc<str>>> = Mutex::default();
    let exit = compile::run(&[job], &compiler, Results::Written, common, streams, |_, compilation| {
        template.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&compilation.template);
        None
    })?;
    let template = template.into_inner().unwrap_or_else(PoisonError::into_inner);
    let Some(template) = template.filter(|_| exit == Exit::Fine) else {
        return Ok(Err(exit.max(Exit::Input)));
    };
    let sources = match arguments.with_source {
        true => {
            let packed = sources::of(&compiler, &path).pack();
            Some(packed.map_err(|error| {
                CommandError::Environment(format!("the sources cannot be packed: {error}"))
            })?)
        }
        false => None,
    };
    Ok(Ok((template.as_bytes().to_vec(), sources)))
}

/// What a template says about itself.
fn description(template: &[u8]) -> Option<String> {
    let template: serde_json::Value = serde_json::from_slice(template).ok()?;
    template.get("metadata")?.get("description")?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_is_at_an_absolute_uri() {
        for text in ["https://example.com/a?b#c", "http://x", "urn:a:b"] {
            assert!(absolute_uri(text).is_ok(), "{text}");
        }
        for text in ["", "x", "/a", "example.com", "https://a b", "1x:y", "https:"] {
            assert!(absolute_uri(text).is_err(), "{text}");
        }
    }

    #[test]
    fn versions_grow_by_their_first_number_that_is_greater() {
        for (before, after, expected) in [
            ("1.2.3", "1.2.4", "patch"),
            ("1.2.3", "1.3.0", "minor"),
            ("1.2.3", "2.0.0", "major"),
            ("1.2.3", "1.2.3", "none"),
            ("1.2.3", "1.1.9", "none"),
            ("v1.2.3", "v1.2.4-rc.1", "patch"),
            ("0.2.3", "0.3.0", "major"),
            ("0.2.3", "0.2.4", "minor"),
        ] {
            let grown = version(before).zip(version(after)).map(|(before, after)| growth(before, after));
            assert_eq!(grown, Some(expected), "{before} {after}");
        }
        assert_eq!(version("latest"), None);
    }

    #[test]
    fn a_template_describes_itself() {
        assert_eq!(
            description(br#"{ "metadata": { "description": "A thing" } }"#).as_deref(),
            Some("A thing")
        );
        assert_eq!(description(br#"{ "metadata": { "description": 1 } }"#), None);
        assert_eq!(description(b"no"), None);
    }
}
