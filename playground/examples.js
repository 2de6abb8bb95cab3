// What the page opens with. The first one is shown first.
export const EXAMPLES = [
    {
        name: 'A store and a rule',
        open: 'main.bicep',
        files: {
            'main.bicep': `@description('What the store is called')
@minLength(3)
@maxLength(24)
param name string

@allowed(['Standard_LRS', 'Standard_ZRS'])
param sku string = 'Standard_ZRS'

param location string = resourceGroup().location

resource store 'Microsoft.Storage/storageAccounts@2023-01-01' = {
  name: toLower(name)
  location: location
  sku: { name: sku }
  kind: 'StorageV2'
  properties: {
    minimumTlsVersion: 'TLS1_2'
    allowBlobPublicAccess: false
  }
}

module access 'access.bicep' = {
  params: {
    store: store.name
    readers: [for i in range(0, 3): 'reader-\${i}']
  }
}

output endpoint string = store.properties.primaryEndpoints.blob
`,
            'access.bicep': `param store string
param readers string[]

resource account 'Microsoft.Storage/storageAccounts@2023-01-01' existing = {
  name: store
}

resource containers 'Microsoft.Storage/storageAccounts/blobServices/containers@2023-01-01' = [for reader in readers: {
  name: '\${account.name}/default/\${reader}'
}]

output count int = length(readers)
`,
        },
        parameters: '{ "name": "Shop", "location": "westeurope" }',
        mocks: '{ "reference": { "store": { "primaryEndpoints": { "blob": "https://shop.blob.example/" } } } }',
        scope: '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/shop',
        contract: 'main.bicep',
        value: '{ "name": "ab", "sku": "Premium" }',
    },
    {
        name: 'A contract for orders',
        open: 'order.json',
        files: {
            'order.json': `{
  "type": "object",
  "properties": {
    "id": { "type": "string", "pattern": "^o-[0-9]+$" },
    "items": { "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/Item" } }
  },
  "required": ["id", "items"],
  "$defs": {
    "Item": {
      "type": "object",
      "properties": {
        "sku": { "type": "string" },
        "count": { "type": "integer", "minimum": 1 }
      },
      "required": ["sku"]
    }
  }
}
`,
        },
        parameters: '', mocks: '', scope: '',
        contract: 'order.json',
        value: 'id: o-7\nitems:\n  - sku: A\n    count: 0\n',
    },
    {
        name: 'A Thrift type',
        open: 'shop.thrift',
        files: {
            'shop.thrift': `struct Item {
    1: required string sku (vt.pattern = "^[A-Z]{3}-[0-9]{4}$")
    2: i32 quantity = 1 (vt.ge = "1", vt.le = "1000")
}

struct Order {
    1: string id (vt.prefix = "o-")
    2: list<Item> items (vt.min_size = "1")
    3: i64 total (vt.ge = "0")
    4: i64 discount (vt.ge = "0", vt.le = "$total")
}
`,
        },
        parameters: '', mocks: '', scope: '',
        contract: 'shop.thrift#Order',
        value: '{ "id": "o-1", "items": [{ "sku": "abc" }], "total": 10, "discount": 20 }',
    },
];
