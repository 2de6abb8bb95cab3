// A place for files, with a name that is checked before anything is deployed.

// A function that returns a verdict is a decorator.
func lowercase(name string) object =>
  name == toLower(name) ? { kind: 'success' } : { kind: 'failure', errorMessage: '${name} has capital letters' }

@description('The name of the storage account.')
@minLength(3)
@maxLength(24)
@lowercase()
param name string

@description('Where the files are kept.')
param location string = resourceGroup().location

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  properties: {
    allowBlobPublicAccess: false
    minimumTlsVersion: 'TLS1_2'
  }

  resource blobs 'blobServices' = {
    name: 'default'

    resource pictures 'containers' = {
      name: 'pictures'
    }
  }
}

output address string = account.properties.primaryEndpoints.blob
