metadata description = 'A web site on one or more machines.'

import { scaleType } from '../types.bicep'

@description('The name of the site, and of the machines it runs on.')
param name string

@description('Where it is.')
param location string

@description('What it is tagged with.')
param tags object

@description('How many machines it has.')
param scale scaleType

@description('What the site reads from its environment.')
param settings object

@description('The vault with keys that the site needs.')
param vaultUri string?

var machines = scale.kind == 'fixed' ? scale.machines : scale.from
var environment = union(settings, vaultUri != null ? { VAULT: vaultUri } : {})

resource plan 'Microsoft.Web/serverfarms@2024-04-01' = {
  name: '${name}-plan'
  location: location
  tags: tags
  sku: {
    name: 'P1v3'
    capacity: machines
  }
}

resource site 'Microsoft.Web/sites@2024-04-01' = {
  name: name
  location: location
  tags: tags
  identity: {
    type: 'SystemAssigned'
  }
  properties: {
    serverFarmId: plan.id
    httpsOnly: true
    siteConfig: {
      minTlsVersion: '1.2'
      appSettings: [
        for setting in items(environment): {
          name: setting.key
          value: setting.value
        }
      ]
    }
  }
}

resource growth 'Microsoft.Insights/autoscaleSettings@2022-10-01' = if (scale.kind == 'growing') {
  name: '${name}-growth'
  location: location
  tags: tags
  properties: {
    targetResourceUri: plan.id
    enabled: true
    profiles: [
      {
        name: 'load'
        capacity: {
          minimum: string(machines)
          maximum: string(scale.?to ?? machines)
          default: string(machines)
        }
        rules: [
          for change in [
            { when: 'GreaterThan', percent: 70, direction: 'Increase' }
            { when: 'LessThan', percent: 30, direction: 'Decrease' }
          ]: {
            metricTrigger: {
              metricName: 'CpuPercentage'
              metricResourceUri: plan.id
              operator: change.when
              statistic: 'Average'
              threshold: change.percent
              timeAggregation: 'Average'
              timeGrain: 'PT1M'
              timeWindow: 'PT10M'
            }
            scaleAction: {
              cooldown: 'PT5M'
              direction: change.direction
              type: 'ChangeCount'
              value: '1'
            }
          }
        ]
      }
    ]
  }
}

@description('Where people find it.')
output address string = 'https://${site.properties.defaultHostName}'
