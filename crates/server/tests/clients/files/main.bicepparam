using 'main.bicep'

param name = 'paramacc'
param password = externalInput('sys.envVar', 'CLIENT_PASSWORD')
param tag = 'build-${externalInput('sys.cliArg', 'build')}'
