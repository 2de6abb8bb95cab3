//! `tendon destroy`: delete what was deployed.

use std::io::{BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use arm::{Caseless as _, Value};
use diagnostics::bound;
use diagnostics::printable;
use diagnostics::terminal::Style;
use engine::core::MachineSettings;
use engine::{ChangeKind, Destruction, DestructionPlan, DestructionScope, Failure};

use super::deploy::{add_failure, explain, not_run};
use crate::common::{Common, Form};
use crate::compile::CompileOptions;
use crate::deploy::{
    DeploymentOptions, Loader, LoaderOptions, Target, TargetArguments, TargetPurpose, TargetSetup,
    deployment_name,
};
use crate::exit::{CommandError, Exit};
use crate::local_state::TypeOptions;
use crate::output::Streams;
use crate::remote::TargetError;
use crate::report::value_text;

/// Delete what a deployment, a resource group or a project has made
///
/// Resources are deleted one after the other: what needs another one goes before it. What cannot be deleted keeps what it needs, and nothing else. A
/// deployment is forgotten once its resources are gone, so that the same command goes on where it was interrupted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file that was deployed, the name or id of a deployment, the name or id of a resource group, or the id of a resource; everything in
    /// the state of the project if it is left out
    #[arg(value_name = "WHAT")]
    what: Option<PathBuf>,

    /// The name of the deployment, if it is not that of the file
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Show what would be deleted, and delete nothing
    #[arg(long)]
    what_if: bool,

    /// Delete without asking
    #[arg(short, long)]
    yes: bool,

    #[command(flatten)]
    target: TargetArguments,
}

const EXAMPLES: &str = "\
Examples:
  tendon destroy main.bicep --what-if
  tendon destroy main.bicepparam --yes
  tendon destroy /subscriptions/ID/resourceGroups/shop
  tendon destroy main --server https://127.0.0.1:8443
  tendon destroy --yes";

/// Plans, asks and deletes.
pub(crate) fn run(
    arguments: &Arguments,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let file = arguments.what.as_deref().filter(|what| is_file(what));
    arguments.target.note_earlier(file, common, streams)?;
    let (options, compile) = (DeploymentOptions::default(), CompileOptions::plain());
    let loader = Loader::new(LoaderOptions::new(&options, &compile, &[]), common, streams)?;
    let settings = MachineSettings::default();
    let setup = TargetSetup {
        file,
        loader: &loader,
        compile: &compile,
        types: TypeOptions::default(),
        purpose: TargetPurpose::Deployment { settings, clock: None, is_new: false },
    };
    let planned = arguments.target.open(setup).and_then(|target| {
        let plan = arguments.plan(file, &*target)?;
        target.check_places(&plan.deployments)?;
        Ok((target, plan))
    });
    let (target, plan) = match planned {
        Ok(planned) => planned,
        Err(refused) => return not_run(refused, common, streams),
    };
    if let Some(active) = plan.active.first() {
        return Err(CommandError::Environment(format!(
            "the deployment `{active}` is still running; wait for it, cancel it, or resume it with `tendon deploy --resume`"
        )));
    }
    if arguments.what_if || !arguments.yes {
        show(&plan, arguments.what_if, common, streams)?;
    }
    if arguments.what_if {
        return Ok(Exit::Fine);
    }
    if plan.is_empty() {
        if arguments.yes {
            tell(&plan, Vec::new(), Vec::new(), common, streams)?;
        }
        return Ok(Exit::Fine);
    }
    if !arguments.yes && !confirmed(&plan, streams)? {
        streams.print_error("nothing was deleted\n")?;
        return Ok(Exit::Input);
    }
    let ended = plan.run(|resource| {
        let deleted = target.delete(&resource.id);
        if deleted.is_ok() && (common.verbose || streams.watched) && !common.quiet {
            streams.aside(&format!("{}\n", printable(&format!("- deleted {}", resource.id))));
        }
        deleted
    });
    let forgotten = if ended.iter().all(|end| matches!(end, Destruction::Deleted)) {
        plan.deployments.iter().map(|id| (id.as_str(), target.forget(id))).collect()
    } else {
        Vec::new()
    };
    tell(&plan, ended, forgotten, common, streams)
}

/// Whether an argument is a file that may have been deployed. It may be gone by now.
fn is_file(what: &Path) -> bool {
    let kinds = ["bicep", "bicepparam", "json", "jsonc"];
    let kind = what.extension().and_then(|kind| kind.to_str());
    what.is_file() || kind.is_some_and(|kind| kinds.iter().any(|known| known.eq_ignore_ascii_case(kind)))
}

impl Arguments {
    fn plan(&self, file: Option<&Path>, target: &dyn Target) -> Result<DestructionPlan, TargetError> {
        let deployments = target.deployments()?;
        let resources = target.resources()?;
        let plan = |scope| DestructionPlan::new(scope, &deployments, resources.as_deref());
        let word = match (&self.name, file, &self.what) {
            (Some(_), None, Some(_)) => {
                let message =
                    "`--name` is the name of the deployment of a file; leave it out, or name a file";
                return Err(CommandError::Usage(message.to_owned()).into());
            }
            (Some(name), _, _) => name.clone(),
            (None, Some(file), _) => deployment_name(file),
            (None, None, Some(what)) => what.to_string_lossy().into_owned(),
            (None, None, None) if target.is_shared() => {
                let message = "say what to destroy: the name or id of a deployment or of a resource group; a server has those of others, too";
                return Err(CommandError::Usage(message.to_owned()).into());
            }
            (None, None, None) => return Ok(plan(DestructionScope::Everything)),
        };
        let word = word.as_str();
        let folded = word.caseless();
        let ids = deployments.iter().filter_map(|it| it.as_object()?.get("id")?.as_str());
        if word.starts_with('/') {
            let meant = ids.clone().find(|id| id.caseless() == folded);
            return Ok(plan(meant.map_or(DestructionScope::Below(word), DestructionScope::Deployment)));
        }
        let named = |id: &&str| id.rsplit('/').next().is_some_and(|name| name.caseless() == folded);
        let mut meant: Vec<(&str, DestructionScope<'_>)> =
            ids.clone().filter(named).map(|id| (id, DestructionScope::Deployment(id))).collect();
        if file.is_none() && self.name.is_none() {
            let everything = resources.iter().flatten().map(String::as_str).chain(ids);
            for group in everything.filter_map(|id| group_named(id, &folded)) {
                if !meant.iter().any(|(known, _)| known.eq_ignore_ascii_case(group)) {
                    meant.push((group, DestructionScope::Below(group)));
                }
            }
        }
        match meant.as_slice() {
            [(_, one)] => Ok(plan(*one)),
            [] => match target
                .find(word)
                .map(|found| found.filter(|_| file.is_none() && self.name.is_none()))?
            {
                Some(id) => Ok(plan(DestructionScope::Below(&id))),
                None => {
                    let message = format!(
                        "no deployment, resource group or symbolic name `{word}` exists; list them with `tendon state list`"
                    );
                    Err(TargetError::Failure(Failure::new("NotFound", message)))
                }
            },
            several => {
                let ids: Vec<String> = several.iter().map(|(id, _)| format!("`{id}`")).collect();
                let message = format!("`{word}` may be {}; give the whole id of one", ids.join(" or "));
                Err(CommandError::Usage(message).into())
            }
        }
    }
}

/// The id of the resource group that an id is in, if it has a name, which is folded.
pub(super) fn group_named<'i>(id: &'i str, name: &str) -> Option<&'i str> {
    let mut parts = id.match_indices('/').map(|(at, _)| at).chain([id.len()]).skip(3);
    let (before, end) = (parts.next()?, parts.next()?);
    let middle = id.get(..before)?.rsplit('/').next()?;
    let found = id.get(before + 1..end)?;
    (middle.eq_ignore_ascii_case("resourceGroups") && found.caseless() == name)
        .then(|| id.get(..end))
        .flatten()
}

/// How many there are of something.
fn count(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// What a plan comes to.
fn sum(plan: &DestructionPlan) -> String {
    sum_of(plan.resources.len(), plan.deployments.len())
}

fn sum_of(resources: usize, deployments: usize) -> String {
    match deployments {
        0 => count(resources, "resource"),
        _ => format!("{} and {}", count(resources, "resource"), count(deployments, "deployment")),
    }
}

fn texts<'i>(ids: impl IntoIterator<Item = &'i String>) -> Value {
    Value::array(ids.into_iter().map(|id| Value::text(id.as_str())).collect())
}

/// Shows what is to be deleted, in order.
fn show(
    plan: &DestructionPlan,
    is_all: bool,
    common: &Common,
    streams: &mut Streams,
) -> Result<(), CommandError> {
    if common.form() == Form::Json {
        if !is_all {
            return Ok(());
        }
        let resources = plan.resources.iter().map(|resource| {
            let mut members = vec![("id", Value::text(resource.id.as_str()))];
            if !resource.also_of.is_empty() {
                members.push(("alsoOf", texts(&resource.also_of)));
            }
            Value::object(members)
        });
        let shown = Value::object([
            ("resources", Value::array(resources.collect())),
            ("deployments", texts(&plan.deployments)),
        ]);
        return streams.print_result(&value_text(&shown));
    }
    if plan.is_empty() {
        return if common.quiet { Ok(()) } else { streams.print("nothing to delete\n") };
    }
    let mut text = String::new();
    for resource in &plan.resources {
        let mut line = format!("{} {}", ChangeKind::Delete.sign(), resource.id);
        if !resource.also_of.is_empty() {
            let others: Vec<String> = resource.also_of.iter().map(|id| format!("`{id}`")).collect();
            line.push_str(&format!(" (also made by {})", others.join(", ")));
        }
        let line = printable(&line);
        match streams.out_style {
            Style::Colour => text.push_str(&format!("\u{1b}[31m{line}\u{1b}[0m\n")),
            Style::Plain => text.push_str(&format!("{line}\n")),
        }
    }
    for id in &plan.deployments {
        text.push_str(&format!("{}\n", printable(&format!("- {id} (its record)"))));
    }
    text.push_str(&format!("{} to delete\n", sum(plan)));
    streams.print(&text)
}

/// Asks whether to go on.
fn confirmed(plan: &DestructionPlan, streams: &mut Streams) -> Result<bool, CommandError> {
    if !std::io::stdin().is_terminal() {
        let message =
            "there is no terminal to ask at: `--yes` deletes without asking, `--what-if` shows what would go";
        return Err(CommandError::Usage(message.to_owned()));
    }
    streams.print_error(&format!("delete {}? [y/N] ", sum(plan)))?;
    let mut answer = String::new();
    let mut input = std::io::Read::take(std::io::stdin().lock(), 1 << 10);
    input.read_line(&mut answer).map_err(|error| CommandError::reading("the answer", &error))?;
    Ok(["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()))
}

/// Says what was deleted and what was not.
fn tell(
    plan: &DestructionPlan,
    ended: Vec<Destruction<TargetError>>,
    forgotten: Vec<(&str, Result<(), TargetError>)>,
    common: &Common,
    streams: &mut Streams,
) -> Result<Exit, CommandError> {
    let (mut deleted, mut failed, mut kept) = (Vec::new(), Vec::new(), Vec::new());
    for (resource, end) in plan.resources.iter().zip(ended) {
        match end {
            Destruction::Deleted => deleted.push(&resource.id),
            Destruction::Failed(refused) => failed.push((resource.id.as_str(), refused)),
            Destruction::Kept(because) => {
                let because = plan.resources.get(because).map_or("", |it| it.id.as_str());
                kept.push((resource.id.as_str(), because));
            }
        }
    }
    let mut gone = Vec::new();
    for (id, end) in forgotten {
        match end {
            Ok(()) => gone.push(id.to_owned()),
            Err(refused) => failed.push((id, refused)),
        }
    }
    let exit = if failed.is_empty() { Exit::Fine } else { Exit::Input };
    let failures = failed.into_iter().map(|(id, refused)| match refused {
        TargetError::Failure(failure) => (id, failure),
        TargetError::Unreachable(error) => (id, Failure::new("Unreachable", error.to_string())),
    });
    let failures: Vec<(&str, Failure)> = failures.collect();
    if common.form() == Form::Json {
        for (_, failure) in &failures {
            add_failure(failure, streams)?;
        }
        let failed = failures
            .iter()
            .map(|(id, failure)| Value::object([("id", Value::text(*id)), ("error", failure.to_value())]));
        let kept = kept.iter().map(|(id, because)| {
            Value::object([("id", Value::text(*id)), ("neededBy", Value::text(*because))])
        });
        let told = Value::object([
            ("deleted", texts(deleted)),
            ("failed", Value::array(failed.collect())),
            ("kept", Value::array(kept.collect())),
            ("deployments", texts(&gone)),
        ]);
        streams.print_result(&value_text(&told))?;
        return Ok(exit);
    }
    for (id, mut failure) in failures {
        failure.target.get_or_insert_with(|| id.into());
        explain(&failure, common, streams)?;
    }
    for (id, because) in &kept {
        let line = format!("kept {}: {} needs it", bound::name(id), bound::name(because));
        streams.print_error(&format!("{}\n", printable(&line)))?;
    }
    if !common.quiet {
        if plan.is_empty() {
            streams.print("nothing to delete\n")?;
            return Ok(exit);
        }
        let done = sum_of(deleted.len(), gone.len());
        let rest = plan.resources.len() - deleted.len();
        let rest =
            if rest == 0 { String::new() } else { format!(", {} not deleted", count(rest, "resource")) };
        streams.print(&format!("{done} deleted{rest}\n"))?;
    }
    Ok(exit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_found_by_its_name() {
        let group = "/subscriptions/s/resourceGroups/Shop";
        for id in [group.to_owned(), format!("{group}/providers/A.B/c/d")] {
            assert_eq!(group_named(&id, "shop"), Some(group), "{id}");
            assert_eq!(group_named(&id, "sho"), None, "{id}");
        }
        assert_eq!(group_named("/subscriptions/s/providers/shop", "shop"), None);
        assert_eq!(group_named("/shop", "shop"), None);
    }
}
