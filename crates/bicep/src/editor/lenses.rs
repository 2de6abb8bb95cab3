//! How much a module deploys, shown above its declaration.

use document::SourceValue;
use rustc_hash::FxHashMap;
use syntax::Span;
use syntax::ast::{Expr, Statement};

use super::cursor::name_span;
use crate::symbols::{Model, ModuleTarget, SymbolId};
use crate::{Compiler, FilePath};

/// How deep nested templates are looked into.
const MAX_DEPTH: usize = 32;

/// What is shown above a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLens {
    /// The name of the module.
    pub span: Span,
    /// The file of the module.
    pub path: FilePath,
    /// How much it deploys.
    pub size: PlanSize,
}

/// How much a module deploys, with the modules in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanSize {
    /// The resources; one in a loop counts once.
    pub resources: u64,
    /// The modules in it.
    pub modules: u64,
    /// Whether loops and conditions can make it another number.
    pub varies: bool,
}

impl PlanSize {
    fn add(&mut self, other: PlanSize) {
        self.resources = self.resources.saturating_add(other.resources);
        self.modules = self.modules.saturating_add(other.modules);
        self.varies |= other.varies;
    }

    /// The size in words: `plan: 3 resources, 1 module`.
    #[must_use]
    pub fn title(&self) -> String {
        let counted = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let mut text = format!("plan: {}", counted(self.resources, "resource"));
        if self.modules > 0 {
            text.push_str(", ");
            text.push_str(&counted(self.modules, "module"));
        }
        if self.varies {
            text.push_str(", with loops or conditions");
        }
        text
    }
}

/// The size of the plan of each module of a file, by position.
#[must_use]
pub fn code_lenses(compiler: &Compiler, path: &FilePath) -> Vec<CodeLens> {
    let Ok(model) = compiler.model(path) else { return Vec::new() };
    if model.declarations.modules.is_empty() {
        return Vec::new();
    }
    // Files come after those that they need, so that each is counted once and nothing recurses.
    let mut sizes: FxHashMap<FilePath, PlanSize> = FxHashMap::default();
    for needed in &compiler.closure(path).order {
        let Ok(target) = compiler.target(needed) else { continue };
        let size = match &target {
            ModuleTarget::Bicep(model) => of_program(model, &sizes),
            ModuleTarget::Template(template) => {
                template.root().map(|root| of_template(root, 0)).unwrap_or_default()
            }
        };
        sizes.insert(needed.clone(), size);
    }
    let lens = |symbol: &SymbolId| {
        let target = model.source_of(model.symbol(*symbol).node)?.target.as_ref().ok()?;
        let size = *sizes.get(target.path())?;
        Some(CodeLens { span: name_span(&model, *symbol)?, path: target.path().clone(), size })
    };
    model.declarations.modules.iter().filter_map(lens).collect()
}

fn of_program(model: &Model, sizes: &FxHashMap<FilePath, PlanSize>) -> PlanSize {
    let mut size = PlanSize::default();
    for symbol in &model.declarations.resources {
        let Some(Statement::ResourceDeclaration(it)) = model.statement_of(*symbol) else { continue };
        if it.existing().is_none() {
            size.add(PlanSize { resources: 1, modules: 0, varies: varies(it.value()) });
        }
    }
    for symbol in &model.declarations.modules {
        let Some(Statement::ModuleDeclaration(it)) = model.statement_of(*symbol) else { continue };
        size.add(PlanSize { resources: 0, modules: 1, varies: varies(it.value()) });
        let source = model.source_of(model.symbol(*symbol).node);
        if let Some(Ok(target)) = source.map(|source| &source.target) {
            size.add(sizes.get(target.path()).copied().unwrap_or_default());
        }
    }
    size
}

fn varies(value: Expr<'_>) -> bool {
    matches!(value, Expr::For(_) | Expr::IfCondition(_))
}

fn of_template(template: SourceValue<'_>, depth: usize) -> PlanSize {
    let mut size = PlanSize::default();
    let Some(resources) = template.member("resources").filter(|_| depth < MAX_DEPTH) else { return size };
    let listed = resources.items().chain(resources.members().map(|(_, value)| value));
    for resource in listed {
        let varies = resource.member("copy").is_some() || resource.member("condition").is_some();
        let ty = resource.member("type").and_then(SourceValue::as_str).unwrap_or_default();
        let is_existing = resource.member("existing").is_some();
        if ty.eq_ignore_ascii_case("Microsoft.Resources/deployments") {
            size.add(PlanSize { resources: 0, modules: 1, varies });
            let nested = resource.member("properties").and_then(|it| it.member("template"));
            size.add(nested.map(|nested| of_template(nested, depth + 1)).unwrap_or_default());
        } else if !is_existing {
            size.add(PlanSize { resources: 1, modules: 0, varies });
        }
    }
    size
}
