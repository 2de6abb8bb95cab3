using 'main.bicep'
param p = {
  a: [1, '''x''']
}
