//! Programs of our own, as long as they are wanted to be.

use super::Source;

/// How many lines one block of a program has.
const BLOCK_LINES: usize = 40;

/// Programs of three sizes.
pub(super) fn own() -> Vec<Source> {
    [40, 400, 4_000]
        .into_iter()
        .map(|lines| Source { name: format!("{lines} lines"), text: of(lines) })
        .collect()
}

/// A program of about so many lines: parameters, variables, resources, loops, outputs.
pub(super) fn of(lines: usize) -> String {
    let block = include_str!("block.bicep");
    (0..lines.div_ceil(BLOCK_LINES)).map(|number| block.replace("_N", &format!("_{number}"))).collect()
}

/// One resource.
pub(super) const ONE_RESOURCE: &str = "\
param name string
param location string = resourceGroup().location

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: location
  kind: 'StorageV2'
  sku: {
    name: 'Standard_LRS'
  }
  properties: {
    minimumTlsVersion: 'TLS1_2'
  }
}

output id string = account.id
";
