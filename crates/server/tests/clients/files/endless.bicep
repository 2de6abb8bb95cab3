@waitUntil(x => x.ready == 'yes', 'PT1H')
resource queue 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: 'endlessacc'
  location: resourceGroup().location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
}
