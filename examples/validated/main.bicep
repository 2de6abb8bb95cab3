// A place for a team to work in: a vault for its secrets, storage for its files, and a site.

import { label, inNotesOf, hasOneLead } from 'rules.bicep'

type member = {
  @label(20)
  name: string
  role: 'lead' | 'member'
}

@description('What the team is called.')
@minLength(1)
@label(12)
param team string

@description('What the team may spend in a month, in euros.')
@minValue(20)
@inNotesOf(20)
param budget int = 100

@hasOneLead()
param members member[]

@description('What the site shows to the build server.')
@secure()
param token string

param location string = resourceGroup().location

var leads = filter(members, member => member.role == 'lead')

// What people put into the vault stays: it is made once.
@deployIfNotExists()
resource vault 'Microsoft.KeyVault/vaults@2023-07-01' = {
  name: 'kv-${team}'
  location: location
  properties: {
    tenantId: tenant().tenantId
    sku: { family: 'A', name: 'standard' }
    accessPolicies: []
  }
}

resource secret 'Microsoft.KeyVault/vaults/secrets@2023-07-01' = {
  parent: vault
  name: 'build-token'
  properties: { value: token }
}

// The name is free some seconds after another storage account of that name is gone.
@retryOn(['StorageAccountAlreadyTaken'], 3)
@waitUntil(x => x.provisioningState == 'Succeeded', 'PT5M')
resource storage 'Microsoft.Storage/storageAccounts@2023-05-01' = {
  name: 'st${team}'
  location: location
  sku: { name: 'Standard_LRS' }
  kind: 'StorageV2'
  tags: { team: team, lead: leads[0].name, budget: string(budget) }
}

output files string = storage.properties.primaryEndpoints.blob
output lead string = leads[0].name
