@minLength(3)
param name string

@secure()
param password string

param tag string = 'none'

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: name
  location: resourceGroup().location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  tags: { build: tag }
}

resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: '${name}-kv'
  location: resourceGroup().location
  properties: {
    sku: { family: 'A', name: 'standard' }
    tenantId: tenant().tenantId
    accessPolicies: []
  }
  dependsOn: [account]

  resource secret 'secrets' = {
    name: 'password'
    properties: { value: password }
  }
}

output blob string = account.properties.primaryEndpoints.blob
output tag string = tag
