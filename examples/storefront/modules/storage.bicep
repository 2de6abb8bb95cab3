metadata description = 'Files in folders, some of them for everybody.'

import { shelfType } from '../types.bicep'

@description('The name of the account.')
@minLength(3)
@maxLength(24)
param name string

@description('Where it is.')
param location string

@description('What it is tagged with.')
param tags object

@description('The folders.')
param shelves shelfType[]

@description('Whether files survive the loss of a building.')
param redundant bool = false

resource account 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: name
  location: location
  tags: tags
  kind: 'StorageV2'
  sku: {
    name: redundant ? 'Standard_ZRS' : 'Standard_LRS'
  }
  properties: {
    allowBlobPublicAccess: contains(map(shelves, shelf => shelf.?public ?? false), true)
    minimumTlsVersion: 'TLS1_2'
  }

  resource files 'blobServices' = {
    name: 'default'
  }
}

resource containers 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-05-01' = [for shelf in shelves: {
  parent: account::files
  name: shelf.name
  properties: {
    publicAccess: shelf.?public ?? false ? 'Blob' : 'None'
  }
}]

resource policy 'Microsoft.Storage/storageAccounts/managementPolicies@2023-05-01' = {
  parent: account
  name: 'default'
  properties: {
    policy: {
      rules: [for shelf in shelves: {
        name: 'expire-${shelf.name}'
        enabled: shelf.?retentionDays != null
        type: 'Lifecycle'
        definition: {
          actions: {
            baseBlob: {
              delete: {
                daysAfterModificationGreaterThan: shelf.?retentionDays ?? 36500
              }
            }
          }
          filters: {
            blobTypes: [
              'blockBlob'
            ]
            prefixMatch: [
              '${shelf.name}/'
            ]
          }
        }
      }]
    }
  }
  dependsOn: [
    containers
  ]
}

@description('Where files are read.')
output endpoint string = account.properties.primaryEndpoints.blob
