using 'main.bicep'

// Who deploys says which team it is: `tendon deploy main.bicepparam -- --team crane`
var name = externalInput('sys.cliArgument', 'team')

param team = name
param members = externalInput('sys.file', { path: 'members.json', format: 'json' })

// A command of bicepconfig.json knows the token.
param token = externalInput('acme.token', { name: 'build', purpose: 'deploy' })
