using 'main.bicep'

param stage = 'prod'

param scale = {
  kind: 'growing'
  from: 2
  to: 10
}

param shelves = [
  {
    name: 'pictures'
    public: true
  }
  {
    name: 'invoices'
    retentionDays: 10 * 365
  }
  {
    name: 'exports'
    retentionDays: 30
  }
]

param paymentVault = readEnvironmentVariable('SHOP_VAULT', 'shop-prod-vault')
