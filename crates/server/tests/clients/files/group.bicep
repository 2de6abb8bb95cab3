targetScope = 'subscription'

param name string

resource group 'Microsoft.Resources/resourceGroups@2024-11-01' = {
  name: name
  location: deployment().location
}

output id string = group.id
