//! `use-stable-vm-image`: virtual machines with images that are not released.

use syntax::ast::{AstNode as _, Expr, Object, Statement};

use super::{Category, Example, LintCheck, LintRule, Linter};

pub(super) const RULE: LintRule = LintRule::new(
    "use-stable-vm-image",
    Category::BestPractice,
    "Virtual machines use released images.",
    "An image with `preview` in its offer, edition or version can change or go away.",
    &[
        Example::breaks(
            "resource vm 'Microsoft.Compute/virtualMachines@2024-03-01' = {
  name: 'vm'
  properties: {
    storageProfile: {
      imageReference: {
        offer: 'Server-Preview'
        version: 'latest'
      }
    }
  }
}
",
            "'Server-Preview'",
        ),
        Example::keeps(
            "resource vm 'Microsoft.Compute/virtualMachines@2024-03-01' = {
  name: 'vm'
  properties: {
    storageProfile: {
      imageReference: {
        offer: 'Server'
        version: 'latest'
      }
    }
  }
}
",
        ),
    ],
    LintCheck::File(check),
);

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in &model.resources {
        let mut at = model.body_property(&resource.body, "properties");
        for name in ["storageProfile", "imageReference"] {
            at = at.and_then(|value| match value {
                Expr::Object(object) => model.property(object, name).map(|it| it.value()),
                _ => None,
            });
        }
        let image = at.and_then(|value| match value {
            Expr::VariableAccess(_) => match model.statement_of(model.symbol_in(value)?)? {
                Statement::VariableDeclaration(it) => as_object(it.value()),
                _ => None,
            },
            other => as_object(other),
        });
        let Some(image) = image else { continue };
        for name in ["offer", "sku", "version"] {
            if let Some(Expr::String(text)) = model.property(image, name).map(|it| it.value())
                && text.constant().is_some_and(|text| text.to_ascii_lowercase().contains("preview"))
            {
                linter.report(text.span(), format!("`{name}` of the image is a preview"));
            }
        }
    }
}

fn as_object(value: Expr<'_>) -> Option<Object<'_>> {
    match value {
        Expr::Object(object) => Some(object),
        _ => None,
    }
}
