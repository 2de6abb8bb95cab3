//! `tendon publish`: a program or a template as a module of a registry.

mod sources;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use diagnostics::printable;
use registry::{About, ArtifactKind, Package};

use crate::common::Common;
use crate::compile::{self, CompileOptions, Job, Results, SourceFilter, check_name, disk};
use crate::exit::{CommandError, Exit};
use crate::files;
use crate::output::Streams;
use crate::publishing::{self, PublishTarget};

/// Publish a module to a registry
///
/// The file is compiled, and its template becomes a module; a template in JSON is published as it is. An existing tag is not overwritten, unless `--force` is
/// given.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The program, or a template in JSON
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where to publish: `br:HOST/PATH:TAG`, or `br/ALIAS:PATH:TAG` with an alias of bicepconfig.json
    #[arg(long, value_name = "REFERENCE")]
    target: String,

    /// Where the documentation of the module is
    #[arg(long, value_name = "URI", value_parser = absolute_uri)]
    documentation_uri: Option<String>,

    /// Publish the sources as well, so that editors can show them
    #[arg(long)]
    with_source: bool,

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

/// Publishes a module.
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
    fn a_template_describes_itself() {
        assert_eq!(
            description(br#"{ "metadata": { "description": "A thing" } }"#).as_deref(),
            Some("A thing")
        );
        assert_eq!(description(br#"{ "metadata": { "description": 1 } }"#), None);
        assert_eq!(description(b"no"), None);
    }
}
