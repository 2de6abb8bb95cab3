//! The binary from a cold start: what it takes to say its version, and to predict a small template.

use super::Given;
use crate::Result;
use crate::processes::{build, quiet, repeated};

/// How often each is started; the clock of processor time is coarse.
const STARTS: u32 = 200;

/// A template as people write them: parameters, a variable, two resources, an output.
const SMALL: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {"name": {"type": "string", "defaultValue": "shop"}, "count": {"type": "int", "defaultValue": 3, "maxValue": 10}},
  "variables": {"account": "[toLower(format('{0}store', parameters('name')))]"},
  "resources": [
    {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[variables('account')]", "location": "westeurope",
     "sku": {"name": "Standard_LRS"}, "kind": "StorageV2"},
    {"copy": {"name": "queues", "count": "[parameters('count')]"}, "type": "Microsoft.Storage/storageAccounts/queueServices/queues",
     "apiVersion": "2023-01-01", "name": "[format('{0}/default/q{1}', variables('account'), copyIndex())]",
     "dependsOn": ["[resourceId('Microsoft.Storage/storageAccounts', variables('account'))]"]}
  ],
  "outputs": {"id": {"type": "string", "value": "[resourceId('Microsoft.Storage/storageAccounts', variables('account'))]"}}
}"#;

const PROGRAM: &str = "\
param name string = 'shop'

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: toLower('${name}store')
  location: 'westeurope'
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
}

output id string = account.id
";

pub(super) fn run(_: &Given) -> Result {
    let tendon = build()?;
    let scratch = std::env::temp_dir().join(format!("tendon-bench-{}", std::process::id()));
    let failed = |error: std::io::Error| format!("cannot write to `{}`: {error}", scratch.display());
    std::fs::create_dir_all(&scratch).map_err(failed)?;
    let (template, program) = (scratch.join("small.json"), scratch.join("small.bicep"));
    std::fs::write(&template, SMALL).map_err(failed)?;
    std::fs::write(&program, PROGRAM).map_err(failed)?;
    println!("From the start of the process to its end, mean of {STARTS}:\n");
    println!("| command | wall | processor | memory |\n|---|--:|--:|--:|");
    let small = |verb: &str, file: &std::path::Path| vec![verb.into(), file.as_os_str().to_owned()];
    let commands = [
        ("--version", vec!["--version".into()]),
        ("snapshot small.json", small("snapshot", &template)),
        ("snapshot small.bicep", small("snapshot", &program)),
    ];
    for (name, arguments) in commands {
        let mut command = quiet(&tendon);
        command.args(arguments).env_remove("TENDON_TYPES");
        let status = command.status().map_err(crate::said)?;
        if !status.success() {
            return Err(format!("`tendon {name}` failed"));
        }
        println!("| {name} | {} |", repeated(&mut command, STARTS)?.row());
    }
    println!();
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(())
}
