metadata name = 'Storefront'
metadata description = 'A web shop: a site, its files, and a queue of orders for those who pack them.'

import { commonTags, nameOf, scaleType, shelfType, stageType } from 'types.bicep'

@description('Which shop this is.')
param stage stageType

@description('Where it runs.')
param location string = resourceGroup().location

@description('The machines of the site.')
param scale scaleType = {
  kind: 'fixed'
  machines: 1
}

@description('The folders of files that it serves.')
param shelves shelfType[] = [
  {
    name: 'pictures'
    public: true
  }
  {
    name: 'invoices'
    retentionDays: 3650
  }
]

@description('The vault with the key of the payment service; without one, the shop takes no cards.')
param paymentVault string?

var isProduction = stage == 'prod'
var tags = union(commonTags, { stage: stage })
var publicShelves = filter(shelves, shelf => shelf.?public ?? false)

module storage 'modules/storage.bicep' = {
  name: 'storage'
  params: {
    name: take('shop${stage}${uniqueString(resourceGroup().id)}', 24)
    location: location
    tags: tags
    shelves: shelves
    redundant: isProduction
  }
}

// The vault belongs to somebody else: it is only read.
resource vault 'Microsoft.KeyVault/vaults@2023-07-01' existing = if (paymentVault != null) {
  name: paymentVault ?? 'none'
}

module site 'modules/site.bicep' = {
  name: 'site'
  params: {
    name: nameOf(stage, 'site')
    location: location
    tags: tags
    scale: scale
    settings: {
      FILES: storage.outputs.endpoint
      PUBLIC_SHELVES: join(map(publicShelves, shelf => shelf.name), ',')
      ORDERS: orders.name
      CARDS: string(paymentVault != null)
    }
    vaultUri: vault.?properties.?vaultUri
  }
}

resource messages 'Microsoft.ServiceBus/namespaces@2024-01-01' = {
  name: nameOf(stage, 'messages')
  location: location
  tags: tags
  sku: {
    name: isProduction ? 'Premium' : 'Standard'
  }

  resource orders 'queues' = {
    name: 'orders'
    properties: {
      maxDeliveryCount: 5
      deadLetteringOnMessageExpiration: true
    }
  }
}

// What is worth keeping cannot be deleted by accident.
resource lock 'Microsoft.Authorization/locks@2020-05-01' = if (isProduction) {
  name: 'keep'
  properties: {
    level: 'CanNotDelete'
    notes: 'Orders on their way would be lost.'
  }
}

var orders = {
  name: messages::orders.name
}

@description('Where customers go.')
output address string = site.outputs.address

@description('Where each shelf is.')
output shelfAddresses array = [for shelf in shelves: {
  name: shelf.name
  address: '${storage.outputs.endpoint}${shelf.name}'
}]
