//! `use-recent-module-versions`: modules of the public registry of which there is a later version.

use syntax::Span;

use super::{Category, Example, LintCheck, LintRule, Linter};
use crate::config::MODULE_INDEX;
use crate::files::{FileReference, ReferenceKind};
use crate::finding::Fix;
use crate::world::{ArtifactVersion, Reference};

pub(super) const RULE: LintRule = LintRule::new(
    "use-recent-module-versions",
    Category::BestPractice,
    "Modules of the public registry have their latest version.",
    "Which versions there are is read from a file that the configuration names: `{ \"tendon\": { \"moduleIndex\": \
        \"index.json\" } }`, relative to the configuration. It has the form of the public registry's index: a list of \
        objects with `moduleName` and `tags`. Without it, no program is checked. In the examples, the latest version of \
        `avm/res/app` is 1.1.0.",
    &[
        Example::breaks(
            "module app 'br/public:avm/res/app:1.0.0' = {\n  name: 'app'\n}\n",
            "'br/public:avm/res/app:1.0.0'",
        )
        .fixed("module app 'br/public:avm/res/app:1.1.0' = {\n  name: 'app'\n}\n"),
        Example::keeps("module app 'br/public:avm/res/app:1.1.0' = {\n  name: 'app'\n}\n"),
    ],
    LintCheck::File(check),
)
.off()
.needs(MODULE_INDEX);

/// Where the public registry has its modules.
const PUBLIC: &str = "mcr.microsoft.com/bicep/";

fn check(linter: &mut Linter<'_, '_>) {
    let file = &linter.model.file;
    let (Some(name), Some(folder)) = (file.config.text(MODULE_INDEX), file.config.folder_of(MODULE_INDEX))
    else {
        return;
    };
    let path = folder.join(name);
    let mut modules = file.references.iter().filter_map(|it| Some((it.span, public(it)?)));
    let Some(first) = modules.next() else { return };
    let index = match linter.checker.module_index(&path) {
        Ok(index) => index,
        Err(why) => {
            // One finding is enough, the file is the same for all.
            return linter.report(first.0, format!("the index of modules `{path}` cannot be read, {why}"));
        }
    };
    for (span, (name, tag)) in [first].into_iter().chain(modules) {
        let Some(latest) = index.later(&name, tag) else { continue };
        let message = format!("the module `{name}` has the later version {latest}");
        let mut finding = linter.finding(span, message);
        if let Some(place) = tag_span(file.tree.text(), span, tag) {
            finding = finding.with_fix(Fix::replace(format!("use version {latest}"), place, latest));
        }
        linter.push(finding);
    }
}

/// The path of a module in the public registry, and its tag.
fn public(it: &FileReference) -> Option<(String, &str)> {
    if it.kind != ReferenceKind::Module {
        return None;
    }
    match it.reference.as_ref()? {
        Reference::Registry(artifact) => {
            let ArtifactVersion::Tag(tag) = &artifact.version else { return None };
            let name = format!("{}/{}", artifact.registry, artifact.repository);
            Some((name.strip_prefix(PUBLIC)?.to_owned(), tag))
        }
        Reference::Mapped(_) | Reference::Local(_) | Reference::TemplateSpec(_) => None,
    }
}

/// Where the tag stands in a reference; none if it is not written as it is.
fn tag_span(text: &str, span: Span, tag: &str) -> Option<Span> {
    let before = span.text(text).strip_suffix('\'')?.strip_suffix(tag)?;
    let start = span.start + u32::try_from(before.len()).ok().filter(|_| before.ends_with(':'))?;
    Some(Span::new(start, start + u32::try_from(tag.len()).ok()?))
}
