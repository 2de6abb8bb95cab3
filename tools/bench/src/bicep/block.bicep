// A part of a system: what it is called, what it needs, and what it gives to the others.
@description('The name of part _N.')
@minLength(3)
@maxLength(24)
param name_N string = 'part_N'

@description('How many of part _N there are.')
param count_N int = 3

@allowed(['small', 'medium', 'large'])
param size_N string = 'small'

var label_N = '${toLower(name_N)}-${size_N}'
var isLarge_N = size_N == 'large' && count_N > 1
var ports_N = [80, 443, 8080]

resource store_N 'Our.Storage/stores@2025-01-01' = {
  name: label_N
  location: resourceGroup().location
  tags: { part: name_N, size: size_N }
  properties: {
    replicas: isLarge_N ? count_N : 1
    access: { public: false, network: { rules: [], action: 'Deny' } }
    ports: [for port in ports_N: { number: port, open: port != 8080 }]
  }
}

resource items_N 'Our.Storage/stores/items@2025-01-01' = [for i in range(0, count_N): if (isLarge_N) {
  parent: store_N
  name: 'item-${i}'
  properties: {
    key: uniqueString(store_N.id, string(i))
    state: store_N.properties.state
  }
}]

@description('Where part _N is.')
output id_N string = store_N.id
output first_N object = { label: label_N, item: items_N[0].name }

