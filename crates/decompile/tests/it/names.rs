//! Names that mean something to the language, wherever a template can have a name: what is written has no errors, and is the same
//! template again unless a note says which name is another one.

use std::sync::Arc;

use bicep::{Compiler, FilePath, Generator, MemoryWorld};
use decompile::{DecompileOptions, Decompiled, compare, decompile};

/// Keywords, namespaces, literals, functions, types and decorators, in a row.
const NAMES: &str = "sys az this for if in null true false existing param var output resource module type func import using \
    metadata targetScope assert extension provider as with from extends none base string int bool object array any \
    resourceGroup subscription deployment concat format union length items range map reference resourceId secure allowed \
    description export sealed discriminator metadata resourceInput resourceOutput nameof fail copyIndex outputs properties \
    name id parent scope dependsOn Sys FOR null_ sys_ az_var item i newGuid json loadTextContent utcNow inline userDefinedFunction";

/// Names that are none in Bicep.
const OTHERS: &[&str] = &["a-b", "1a", "a b", "", "\u{fc}n", "a.b", "$x", "-", "it''s", "${a}", "*/", "//"];

fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split_whitespace().chain(OTHERS.iter().copied())
}

/// What people write: a name for all that has one.
fn of_people(name: &str) -> String {
    let key = name.replace("''", "'");
    format!(
        r#"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {{ "{key}": {{ "type": "string", "defaultValue": "x" }}, "other": {{ "type": "array" }} }},
  "variables": {{
    "{key}": "[parameters('{name}')]",
    "list": [ "[parameters('{name}')]", "[variables('{name}')]" ],
    "number": 1.5,
    "text": "[format('{{0}}-{{1}}', createArray(1), parameters('{name}'))]",
    "created": "[createArray(parameters('{name}'))]",
    "inner": [ "[equals(parameters('{name}'), 'a')]" ],
    "things": {{ "{key}": "[variables('{name}')]" }},
    "reached": "[variables('things')['{name}']]",
    "called": "[concat(parameters('{name}'), resourceGroup().id, subscription().id, string(length(parameters('other'))))]",
    "copy": [ {{ "name": "many", "count": "[length(parameters('other'))]", "input": [ "[parameters('{name}')]" ] }} ]
  }},
  "resources": [
    {{ "type": "Contoso.App/sites", "apiVersion": "2024-01-01", "name": "[parameters('{name}')]", "properties": {{ "{key}": [ "[variables('{name}')]" ] }} }},
    {{ "type": "Contoso.App/other", "apiVersion": "2024-01-01", "name": "other", "condition": "[equals(parameters('{name}'), 'a')]",
      "dependsOn": [ "[resourceId('Contoso.App/sites', parameters('{name}'))]" ] }}
  ],
  "outputs": {{ "{key}": {{ "type": "array", "value": [ "[parameters('{name}')]", "[resourceId('Contoso.App/sites', parameters('{name}'))]" ] }} }}
}}"#
    )
}

/// What a compiler writes.
fn of_a_compiler(name: &str) -> String {
    let key = name.replace("''", "'");
    format!(
        r##"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "metadata": {{ "_generator": {{ "name": "bicep", "version": "dev", "templateHash": "1" }} }},
  "definitions": {{ "{key}Type": {{ "type": "object", "properties": {{ "{key}": {{ "type": "string" }} }} }} }},
  "parameters": {{ "{key}": {{ "$ref": "#/definitions/{key}Type" }} }},
  "variables": {{
    "list": [ "[parameters('{name}').a]", "[parameters('{name}')]" ]
  }},
  "resources": {{
    "{key}Site": {{ "type": "Contoso.App/sites", "apiVersion": "2024-01-01", "name": "n", "properties": {{ "{key}": [ "[parameters('{name}')]" ] }} }}
  }},
  "outputs": {{ "{key}": {{ "type": "array", "value": [ "[parameters('{name}')]", "[variables('list')]" ] }} }}
}}"##
    )
}

/// Names of types and resources, too; what a name can be for at the same time.
fn declared_by_a_compiler(name: &str) -> String {
    let key = name.replace("''", "'");
    format!(
        r##"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "metadata": {{ "_generator": {{ "name": "bicep", "version": "dev", "templateHash": "1" }} }},
  "parameters": {{ "p": {{ "type": "string", "nullable": true }} }},
  "resources": {{
    "{key}": {{ "type": "Contoso.App/sites", "apiVersion": "2024-01-01", "name": "n" }},
    "after": {{ "type": "Contoso.App/sites", "apiVersion": "2024-01-01", "name": "m", "properties": {{ "list": [ "[reference('{name}').x]" ] }}, "dependsOn": [ "{key}" ] }}
  }}
}}"##
    )
}

fn typed_by_a_compiler(name: &str) -> String {
    let key = name.replace("''", "'");
    format!(
        r##"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "metadata": {{ "_generator": {{ "name": "bicep", "version": "dev", "templateHash": "1" }} }},
  "definitions": {{ "{key}": {{ "type": "string" }} }},
  "parameters": {{ "p": {{ "$ref": "#/definitions/{key}" }}, "q": {{ "type": "int" }}, "o": {{ "type": "object", "properties": {{ "{key}": {{ "$ref": "#/definitions/{key}" }} }} }} }},
  "resources": {{}}
}}"##
    )
}

fn called_by_a_compiler(name: &str) -> String {
    let key = name.replace("''", "'");
    format!(
        r##"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "metadata": {{ "_generator": {{ "name": "bicep", "version": "dev", "templateHash": "1" }} }},
  "functions": [ {{ "namespace": "__bicep", "members": {{ "{key}": {{
    "parameters": [ {{ "type": "string", "name": "{key}" }} ],
    "output": {{ "type": "array", "value": [ "[parameters('{name}')]" ] }} }} }} }} ],
  "resources": {{}},
  "outputs": {{ "{key}": {{ "type": "array", "value": "[__bicep.{key}('x')]" }} }}
}}"##
    )
}

/// Errors of the program, and where its template is another one.
fn again(wanted: &str, made: &Decompiled) -> (Vec<String>, Vec<String>) {
    let world = made.files.iter().fold(MemoryWorld::default(), |world, file| {
        world.with_file(FilePath::new("/").join(&file.path).as_str(), file.text.as_str())
    });
    let generator = Generator { name: "bicep".into(), version: "dev".into() };
    let compiler = Compiler::new(Arc::new(world), bicep::CompilerOptions::new(generator));
    let compilation = compiler.compile(&FilePath::new("/main.bicep"));
    let found = compilation.findings.iter().flat_map(|(_, found)| found.iter());
    let errors = found.filter(|it| it.is_error()).map(|it| it.message.to_string()).collect();
    let template = compilation.template.unwrap_or_default();
    let differences = compare(wanted, &template, 10).unwrap_or_default();
    (errors, differences.iter().map(|it| it.path.clone()).collect())
}

#[track_caller]
fn check(template: fn(&str) -> String) {
    let mut failures = Vec::new();
    for name in names() {
        let text = template(name);
        let made = match decompile(&text, &DecompileOptions::default()) {
            Ok(made) => made,
            // It says which part and why.
            Err(_) => continue,
        };
        let (errors, differences) = again(&text, &made);
        let program = made.files.first().map_or("", |file| file.text.as_str());
        if !errors.is_empty() {
            failures.push(format!("{name:?} has errors: {errors:?}\n{program}"));
        } else if made.is_generated && made.notes.is_empty() && !differences.is_empty() {
            failures.push(format!("{name:?} is another template: {differences:?}\n{program}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn names_in_templates_that_people_wrote() {
    check(of_people);
}

#[test]
fn names_in_templates_that_a_compiler_wrote() {
    check(of_a_compiler);
    check(declared_by_a_compiler);
    check(typed_by_a_compiler);
    check(called_by_a_compiler);
}
