resource missing 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {
  name: 'nowhere'
}

resource copy 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'copyofit'
  location: resourceGroup().location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  properties: {
    customDomain: { name: missing.properties.primaryEndpoints.blob }
  }
}
