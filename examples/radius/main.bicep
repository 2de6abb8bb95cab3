extension radius
extension mycompany // generated from the schema

param environment string = 'dev'

@description('How large the database is.')
param size string = 'L'

resource webapp 'Applications.Core/containers@2024-01-01' = {
  name: 'sample-webapp'
  properties: {
    environment: environment
    image: 'ghcr.io/mycompany/webapp:1.0'
    env: {
      DB_HOSTNAME: { fromValue: { value: db.properties.status.binding.hostname } }
      DB_USERNAME: { fromValue: { value: db.properties.status.binding.username } }
      DB_PASSWORD: {
        fromSecret: {
          secret: db.properties.status.binding.secret
          key: 'password'
        }
      }
    }
  }
}

resource db 'MyCompany.Resources/postgresDatabases@2025-01-01-preview' = {
  name: 'sample-db'
  properties: {
    environment: environment
    size: any(size)
  }
}

output hostname string = db.properties.status.binding.hostname
