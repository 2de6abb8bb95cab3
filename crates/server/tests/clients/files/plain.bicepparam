using 'main.bicep'

param name = 'plainacc'
param password = 'not used anywhere else'
param tag = 'plain'
