//! `protect-commandtoexecute-secrets`: commands with secrets that everyone can read.

use syntax::ast::{AstNode as _, Expr};

use super::{Category, Example, LintCheck, LintRule, Linter, secrets};

pub(super) const RULE: LintRule = LintRule::new(
    "protect-commandtoexecute-secrets",
    Category::Security,
    "A command with secrets is in the protected settings of an extension.",
    "`settings` of a script extension of a virtual machine are stored and shown as they are. `protectedSettings` are \
        encrypted.",
    &[
        Example::breaks(
            "@secure()
param key string

resource script 'Microsoft.Compute/virtualMachines/extensions@2024-03-01' = {
  name: 'vm/script'
  properties: {
    publisher: 'Microsoft.Azure.Extensions'
    type: 'CustomScript'
    settings: {
      commandToExecute: 'run ${key}'
    }
  }
}
",
            "commandToExecute",
        ),
        Example::keeps(
            "@secure()
param key string

resource script 'Microsoft.Compute/virtualMachines/extensions@2024-03-01' = {
  name: 'vm/script'
  properties: {
    publisher: 'Microsoft.Azure.Extensions'
    type: 'CustomScript'
    protectedSettings: {
      commandToExecute: 'run ${key}'
    }
  }
}
",
        ),
    ],
    LintCheck::File(check),
);

/// The extensions that run scripts: who makes them, and what they are called.
const EXTENSIONS: [(&str, &str); 3] = [
    ("Microsoft.Azure.Extensions", "CustomScript"),
    ("Microsoft.Compute", "CustomScriptExtension"),
    ("Microsoft.OSTCExtensions", "CustomScriptForLinux"),
];

fn check(linter: &mut Linter<'_, '_>) {
    let model = linter.model;
    for resource in linter.azure_resources() {
        let ty = resource.ty.as_ref().map(|ty| ty.name.to_ascii_lowercase());
        if !ty.is_some_and(|ty| ty.ends_with("/extensions")) {
            continue;
        }
        let Some(Expr::Object(properties)) = model.body_property(&resource.body, "properties") else {
            continue;
        };
        let text = |name| match model.property(properties, name).map(|it| it.value()) {
            Some(Expr::String(text)) => text.constant(),
            _ => None,
        };
        let (Some(publisher), Some(ty)) = (text("publisher"), text("type")) else { continue };
        let runs_scripts = |known: &(&str, &str)| {
            known.0.eq_ignore_ascii_case(&publisher) && known.1.eq_ignore_ascii_case(&ty)
        };
        let Some(Expr::Object(settings)) = model.property(properties, "settings").map(|it| it.value()) else {
            continue;
        };
        let Some(command) = model.property(settings, "commandToExecute") else { continue };
        if !EXTENSIONS.iter().any(runs_scripts) {
            continue;
        }
        if let Some(secret) = secrets::find(linter, command.value().node()).pop() {
            let message = format!("the command has a secret in it, {}", secret.what);
            let finding = linter.finding(command.key().span(), message);
            linter.push(finding.with_hint("put it into `protectedSettings`"));
        }
    }
}
