//! What resources of some types have beyond what was put: one row for each.
//!
//! A row names a type, the way to a member, and what it holds. `{name}` is the name of the resource, `{id}` its id, `{group}` the start of
//! it up to its resource group, `{location}` its location; `{guid}` an id that belongs to the resource and the member, `{key}` a key of that kind, `{ip}` an address. A
//! member that was put is never replaced. In the way to a member, `*` stands for all items of a list.

/// A member that the service adds.
pub(super) struct AddedProperty {
    pub(super) kind: &'static str,
    pub(super) path: &'static [&'static str],
    pub(super) holds: &'static str,
}

const fn row(kind: &'static str, path: &'static [&'static str], holds: &'static str) -> AddedProperty {
    AddedProperty { kind, path, holds }
}

/// What services add to their resources.
pub(super) const ADDED: &[AddedProperty] = &[
    row(
        "Microsoft.App/managedEnvironments",
        &["properties", "defaultDomain"],
        "{name}.{location}.azurecontainerapps.io",
    ),
    row("Microsoft.App/managedEnvironments", &["properties", "staticIp"], "{ip}"),
    row(
        "Microsoft.App/containerApps",
        &["properties", "configuration", "ingress", "fqdn"],
        "{name}.{location}.azurecontainerapps.io",
    ),
    row("Microsoft.App/containerApps", &["properties", "latestRevisionName"], "{name}--1"),
    row("Microsoft.App/containerApps", &["properties", "customDomainVerificationId"], "{guid}"),
    row(
        "Microsoft.AppConfiguration/configurationStores",
        &["properties", "endpoint"],
        "https://{name}.azconfig.io",
    ),
    row(
        "Microsoft.Automation/automationAccounts",
        &["properties", "automationHybridServiceUrl"],
        "https://{guid}.jrds.we.azure-automation.net/",
    ),
    row(
        "Microsoft.Batch/batchAccounts",
        &["properties", "accountEndpoint"],
        "{name}.{location}.batch.azure.com",
    ),
    row("Microsoft.Cache/redis", &["properties", "hostName"], "{name}.redis.cache.windows.net"),
    row(
        "Microsoft.Cache/redisEnterprise",
        &["properties", "hostName"],
        "{name}.{location}.redisenterprise.cache.azure.net",
    ),
    row("Microsoft.Cdn/profiles", &["properties", "frontDoorId"], "{guid}"),
    row("Microsoft.Cdn/profiles/afdEndpoints", &["properties", "hostName"], "{name}.z01.azurefd.net"),
    row("Microsoft.Cdn/profiles/endpoints", &["properties", "hostName"], "{name}.azureedge.net"),
    row(
        "Microsoft.CognitiveServices/accounts",
        &["properties", "endpoint"],
        "https://{name}.cognitiveservices.azure.com/",
    ),
    row(
        "Microsoft.CognitiveServices/accounts/projects",
        &["properties", "endpoints", "AI Foundry API"],
        "https://{name}.services.ai.azure.com/",
    ),
    row(
        "Microsoft.Communication/communicationServices",
        &["properties", "hostName"],
        "{name}.communication.azure.com",
    ),
    row("Microsoft.Compute/diskEncryptionSets", &["identity", "principalId"], "{guid}"),
    row("Microsoft.Compute/sshPublicKeys", &["properties", "publicKey"], "ssh-rsa {key} {name}"),
    row("Microsoft.Compute/virtualMachines", &["properties", "vmId"], "{guid}"),
    row("Microsoft.ContainerInstance/containerGroups", &["properties", "ipAddress", "ip"], "{ip}"),
    row("Microsoft.ContainerRegistry/registries", &["properties", "loginServer"], "{name}.azurecr.io"),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "fqdn"],
        "{name}.hcp.{location}.azmk8s.io",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "oidcIssuerProfile", "issuerURL"],
        "https://{location}.oic.prod-aks.azure.com/{guid}/",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "identityProfile", "kubeletidentity", "objectId"],
        "{guid}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "identityProfile", "kubeletidentity", "clientId"],
        "{guid}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "identityProfile", "kubeletidentity", "resourceId"],
        "{id}-agentpool",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "azureKeyvaultSecretsProvider", "identity", "objectId"],
        "{guid}",
    ),
    row(
        "Microsoft.DBforMySQL/flexibleServers",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.mysql.database.azure.com",
    ),
    row(
        "Microsoft.DBforPostgreSQL/flexibleServers",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.postgres.database.azure.com",
    ),
    row("Microsoft.Databricks/workspaces", &["properties", "workspaceUrl"], "adb-{name}.azuredatabricks.net"),
    row("Microsoft.Databricks/workspaces", &["properties", "workspaceId"], "{guid}"),
    row("Microsoft.Devices/IotHubs", &["properties", "hostName"], "{name}.azure-devices.net"),
    row(
        "Microsoft.DigitalTwins/digitalTwinsInstances",
        &["properties", "hostName"],
        "{name}.api.{location}.digitaltwins.azure.net",
    ),
    row(
        "Microsoft.DocumentDB/databaseAccounts",
        &["properties", "documentEndpoint"],
        "https://{name}.documents.azure.com:443/",
    ),
    row(
        "Microsoft.DocumentDB/mongoClusters",
        &["properties", "connectionString"],
        "mongodb+srv://<user>:<password>@{name}.mongocluster.cosmos.azure.com",
    ),
    row(
        "Microsoft.EventGrid/domains",
        &["properties", "endpoint"],
        "https://{name}.{location}-1.eventgrid.azure.net/api/events",
    ),
    row(
        "Microsoft.EventGrid/topics",
        &["properties", "endpoint"],
        "https://{name}.{location}-1.eventgrid.azure.net/api/events",
    ),
    row(
        "Microsoft.EventHub/namespaces",
        &["properties", "serviceBusEndpoint"],
        "https://{name}.servicebus.windows.net:443/",
    ),
    row("Microsoft.Insights/components", &["properties", "AppId"], "{guid}"),
    row("Microsoft.Insights/components", &["properties", "InstrumentationKey"], "{guid}"),
    row(
        "Microsoft.Insights/components",
        &["properties", "ConnectionString"],
        "InstrumentationKey={guid};IngestionEndpoint=https://{location}.in.applicationinsights.azure.com/",
    ),
    row(
        "Microsoft.Insights/dataCollectionEndpoints",
        &["properties", "logsIngestion", "endpoint"],
        "https://{name}.{location}.ingest.monitor.azure.com",
    ),
    row("Microsoft.Insights/dataCollectionRules", &["properties", "immutableId"], "dcr-{guid}"),
    row("Microsoft.KeyVault/managedHSMs", &["properties", "hsmUri"], "https://{name}.managedhsm.azure.net/"),
    row("Microsoft.KeyVault/vaults", &["properties", "vaultUri"], "https://{name}.vault.azure.net/"),
    row(
        "Microsoft.KeyVault/vaults/keys",
        &["properties", "keyUri"],
        "https://{parent}.vault.azure.net/keys/{name}",
    ),
    row(
        "Microsoft.KeyVault/vaults/keys",
        &["properties", "keyUriWithVersion"],
        "https://{parent}.vault.azure.net/keys/{name}/{hex}",
    ),
    row(
        "Microsoft.KeyVault/vaults/secrets",
        &["properties", "secretUri"],
        "https://{parent}.vault.azure.net/secrets/{name}",
    ),
    row(
        "Microsoft.KeyVault/vaults/secrets",
        &["properties", "secretUriWithVersion"],
        "https://{parent}.vault.azure.net/secrets/{name}/{hex}",
    ),
    row("Microsoft.Kusto/clusters", &["properties", "uri"], "https://{name}.{location}.kusto.windows.net"),
    row(
        "Microsoft.LoadTestService/loadTests",
        &["properties", "dataPlaneURI"],
        "{guid}.{location}.cnt-prod.loadtesting.azure.com",
    ),
    row("Microsoft.MachineLearningServices/workspaces", &["properties", "workspaceId"], "{guid}"),
    row("Microsoft.ManagedIdentity/userAssignedIdentities", &["properties", "clientId"], "{guid}"),
    row("Microsoft.ManagedIdentity/userAssignedIdentities", &["properties", "principalId"], "{guid}"),
    row("Microsoft.ManagedIdentity/userAssignedIdentities", &["properties", "tenantId"], "{tenant}"),
    row("Microsoft.Network/azureFirewalls", &["properties", "hubIPAddresses", "privateIPAddress"], "{ip}"),
    row("Microsoft.Network/dnsZones", &["properties", "nameServers"], "[]"),
    row(
        "Microsoft.Network/privateEndpoints",
        &["properties", "customDnsConfigs"],
        "[{\"fqdn\": \"{name}.private.example\", \"ipAddresses\": [\"{ip}\"]}]",
    ),
    row(
        "Microsoft.Network/privateEndpoints",
        &["properties", "networkInterfaces"],
        "[{\"id\": \"{id}-nic\"}]",
    ),
    row("Microsoft.Network/publicIPAddresses", &["properties", "ipAddress"], "{ip}"),
    row("Microsoft.Network/publicIPPrefixes", &["properties", "ipPrefix"], "{ip}/28"),
    row("Microsoft.OperationalInsights/workspaces", &["properties", "customerId"], "{guid}"),
    row(
        "Microsoft.Purview/accounts",
        &["properties", "endpoints", "catalog"],
        "https://{name}.purview.azure.com/catalog",
    ),
    row("Microsoft.Search/searchServices", &["properties", "endpoint"], "https://{name}.search.windows.net"),
    row(
        "Microsoft.ServiceBus/namespaces",
        &["properties", "serviceBusEndpoint"],
        "https://{name}.servicebus.windows.net:443/",
    ),
    row("Microsoft.SignalRService/signalR", &["properties", "hostName"], "{name}.service.signalr.net"),
    row("Microsoft.SignalRService/webPubSub", &["properties", "hostName"], "{name}.webpubsub.azure.com"),
    row(
        "Microsoft.Sql/managedInstances",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.database.windows.net",
    ),
    row("Microsoft.Sql/servers", &["properties", "fullyQualifiedDomainName"], "{name}.database.windows.net"),
    row("Microsoft.Storage/storageAccounts", &["properties", "primaryEndpoints"], STORAGE),
    row("Microsoft.Storage/storageAccounts", &["properties", "primaryLocation"], "{location}"),
    row("Microsoft.Storage/storageAccounts", &["properties", "statusOfPrimary"], "available"),
    row(
        "Microsoft.Synapse/workspaces",
        &["properties", "connectivityEndpoints"],
        "{\"dev\": \"https://{name}.dev.azuresynapse.net\", \"sql\": \"{name}.sql.azuresynapse.net\", \"web\": \"https://web.azuresynapse.net\"}",
    ),
    row(
        "Microsoft.VirtualMachineImages/imageTemplates",
        &["properties", "lastRunStatus", "runState"],
        "Succeeded",
    ),
    row(
        "Microsoft.Web/hostingEnvironments",
        &["properties", "dnsSuffix"],
        "{name}.appserviceenvironment.net",
    ),
    row("Microsoft.Web/sites", &["properties", "customDomainVerificationId"], "{hex}"),
    row("Microsoft.Web/sites", &["properties", "defaultHostName"], "{name}.azurewebsites.net"),
    row("Microsoft.Web/sites/slots", &["properties", "defaultHostName"], "{parent}-{name}.azurewebsites.net"),
    row("Microsoft.Web/staticSites", &["properties", "defaultHostname"], "{name}.azurestaticapps.net"),
    row("Microsoft.ApiManagement/service", &["properties", "gatewayUrl"], "https://{name}.azure-api.net"),
    row(
        "Microsoft.App/managedEnvironments",
        &["properties", "customDomainConfiguration", "customDomainVerificationId"],
        "{hex}",
    ),
    row(
        "Microsoft.App/sessionPools",
        &["properties", "poolManagementEndpoint"],
        "https://{location}.dynamicsessions.io/{name}",
    ),
    row("Microsoft.Cache/redis", &["properties", "sslPort"], "6380"),
    row(
        "Microsoft.Cdn/profiles/customDomains",
        &["properties", "validationProperties"],
        "{\"validationToken\": \"{hex}\", \"expirationDate\": \"2099-01-01T00:00:00Z\"}",
    ),
    row(
        "Microsoft.CognitiveServices/accounts",
        &["properties", "endpoints"],
        "{\"Content Safety\": \"https://{name}.cognitiveservices.azure.com/\", \"OpenAI Language Model Instance API\": \"https://{name}.openai.azure.com/\", \"AI Foundry API\": \"https://{name}.services.ai.azure.com/\", \"Content Understanding\": \"https://{name}.services.ai.azure.com/\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "privateFQDN"],
        "{name}.privatelink.{location}.azmk8s.io",
    ),
    row(
        "Microsoft.Databricks/workspaces",
        &["properties", "parameters", "storageAccountName", "value"],
        "dbstorage{name}",
    ),
    row("Microsoft.DesktopVirtualization/hostPools", &["properties", "registrationInfo", "token"], "{key}"),
    row(
        "Microsoft.DevCenter/devcenters",
        &["properties", "devCenterUri"],
        "https://{name}.{location}.devcenter.azure.com/",
    ),
    row("Microsoft.DevTestLab/labs", &["properties", "uniqueIdentifier"], "{guid}"),
    row(
        "Microsoft.ElasticSan/elasticSans/volumegroups/volumes",
        &["properties", "storageTarget"],
        "{\"targetIqn\": \"iqn.{name}\", \"targetPortalHostname\": \"{name}.z1.storage.azure.net\", \"targetPortalPort\": 3260, \"provisioningState\": \"Succeeded\", \"status\": \"Running\"}",
    ),
    row("Microsoft.Network/expressRouteCircuits", &["properties", "serviceKey"], "{guid}"),
    row(
        "Microsoft.Purview/accounts",
        &["properties", "managedResources"],
        "{\"resourceGroup\": \"{id}-rg\", \"storageAccount\": \"{id}-storage\", \"eventHubNamespace\": \"{id}-hub\"}",
    ),
    row("Microsoft.Resources/deploymentScripts/logs", &["properties", "log"], ""),
    row(
        "Microsoft.ServiceFabric/clusters",
        &["properties", "clusterEndpoint"],
        "https://{location}.servicefabric.azure.com",
    ),
    row(
        "Microsoft.ServiceNetworking/trafficControllers/frontends",
        &["properties", "fqdn"],
        "{name}.fz01.alb.azure.com",
    ),
    row("Microsoft.SignalRService/signalR", &["properties", "externalIP"], "{ip}"),
    row("Microsoft.SignalRService/webPubSub", &["properties", "externalIP"], "{ip}"),
    row("Microsoft.Subscription/aliases", &["properties", "subscriptionId"], "{guid}"),
    row("Microsoft.CognitiveServices/accounts/projects", &["properties", "internalId"], "{hex}"),
    row(
        "Microsoft.Compute/virtualMachines",
        &["properties", "storageProfile", "osDisk", "managedDisk", "id"],
        "{group}/providers/Microsoft.Compute/disks/{name}_OsDisk",
    ),
    row(
        "Microsoft.AzureStackHCI/edgeDevices",
        &["properties", "deviceConfiguration", "nicDetails"],
        "[{\"adapterName\": \"eth0\", \"defaultGateway\": \"10.0.0.1\", \"ip4Address\": \"10.0.0.4\", \"subnetMask\": \"255.255.255.0\"}]",
    ),
    row("Microsoft.Databricks/workspaces", &["properties", "managedDiskIdentity", "principalId"], "{guid}"),
    row("Microsoft.HybridCompute/machines", &["identity", "principalId"], "{guid}"),
    row("Microsoft.HybridCompute/machines", &["identity", "type"], "SystemAssigned"),
    row(
        "Microsoft.Network/expressRouteCircuits",
        &["properties", "serviceProviderProvisioningState"],
        "NotProvisioned",
    ),
    row(
        "Microsoft.Storage/storageAccounts/objectReplicationPolicies",
        &["properties", "rules", "*", "ruleId"],
        "{guid}",
    ),
    row(
        "Microsoft.Web/hostingEnvironments",
        &["properties", "networkingConfiguration", "internalInboundIpAddresses"],
        "[\"{ip}\"]",
    ),
    row("Microsoft.Web/sites", &["properties", "outboundIpAddresses"], "{ip}"),
    row("Microsoft.Web/sites", &["properties", "possibleOutboundIpAddresses"], "{ip}"),
    row("Microsoft.Web/sites/slots", &["properties", "outboundIpAddresses"], "{ip}"),
];

/// Parts that come with a resource, by the type of the part, whatever their name is.
pub(super) const COMES_ALONG: &[&str] = &[
    "Microsoft.Web/sites/config",
    "Microsoft.Web/sites/slots/config",
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies",
    "Microsoft.Web/sites/host",
];

/// Members that are secrets although the types of some versions do not say so; `*` stands for all items of a list.
pub(super) const SECRETS: &[(&str, &[&str])] = &[
    ("Microsoft.App/containerApps", &["properties", "configuration", "secrets", "*", "value"]),
    ("Microsoft.App/jobs", &["properties", "configuration", "secrets", "*", "value"]),
    ("Microsoft.Automation/automationAccounts/credentials", &["properties", "password"]),
    ("Microsoft.Compute/virtualMachines", &["properties", "osProfile", "adminPassword"]),
    (
        "Microsoft.Compute/virtualMachineScaleSets",
        &["properties", "virtualMachineProfile", "osProfile", "adminPassword"],
    ),
    (
        "Microsoft.ContainerInstance/containerGroups",
        &["properties", "imageRegistryCredentials", "*", "password"],
    ),
    ("Microsoft.DBforMySQL/flexibleServers", &["properties", "administratorLoginPassword"]),
    ("Microsoft.DBforPostgreSQL/flexibleServers", &["properties", "administratorLoginPassword"]),
    ("Microsoft.KeyVault/vaults/secrets", &["properties", "value"]),
    ("Microsoft.Sql/managedInstances", &["properties", "administratorLoginPassword"]),
    ("Microsoft.Sql/servers", &["properties", "administratorLoginPassword"]),
];

const STORAGE: &str = "{\"blob\": \"https://{name}.blob.core.windows.net/\", \"dfs\": \"https://{name}.dfs.core.windows.net/\", \"file\": \"https://{name}.file.core.windows.net/\", \"queue\": \"https://{name}.queue.core.windows.net/\", \"table\": \"https://{name}.table.core.windows.net/\", \"web\": \"https://{name}.z6.web.core.windows.net/\"}";

/// What `list...` actions give, whatever the type: templates look for the members that their service has.
pub(super) const LISTED: &str = "{\
\"keys\": [{\"keyName\": \"key1\", \"permissions\": \"FULL\", \"value\": \"{key1}\"}, {\"keyName\": \"key2\", \"permissions\": \"FULL\", \"value\": \"{key2}\"}],\
\"key1\": \"{key1}\", \"key2\": \"{key2}\", \"primaryKey\": \"{key1}\", \"secondaryKey\": \"{key2}\",\
\"primarySharedKey\": \"{key1}\", \"secondarySharedKey\": \"{key2}\",\
\"primaryMasterKey\": \"{key1}\", \"secondaryMasterKey\": \"{key2}\",\
\"primaryReadonlyMasterKey\": \"{key3}\", \"secondaryReadonlyMasterKey\": \"{key4}\",\
\"primaryConnectionString\": \"Endpoint=sb://{name}.servicebus.windows.net/;SharedAccessKeyName=local;SharedAccessKey={key1}\",\
\"secondaryConnectionString\": \"Endpoint=sb://{name}.servicebus.windows.net/;SharedAccessKeyName=local;SharedAccessKey={key2}\",\
\"connectionStrings\": [{\"connectionString\": \"AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key1};\", \"description\": \"Primary SQL Connection String\"}, {\"connectionString\": \"AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key2};\", \"description\": \"Secondary SQL Connection String\"}, {\"connectionString\": \"AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key3};\", \"description\": \"Primary Read-Only SQL Connection String\"}, {\"connectionString\": \"AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key4};\", \"description\": \"Secondary Read-Only SQL Connection String\"}],\
\"username\": \"{name}\", \"passwords\": [{\"name\": \"password\", \"value\": \"{key1}\"}, {\"name\": \"password2\", \"value\": \"{key2}\"}],\
\"accountSasToken\": \"sv=2023-01-03&sig={key1}\", \"serviceSasToken\": \"sv=2023-01-03&sig={key1}\",\
\"value\": [{\"name\": \"local\", \"keyName\": \"key1\", \"value\": \"{key1}\", \"connectionString\": \"{key1}\"}],\
\"properties\": {\"publishingUserName\": \"{name}\", \"publishingPassword\": \"{key1}\"},\
\"functionKeys\": {\"default\": \"{key1}\"}, \"masterKey\": \"{key1}\", \"systemKeys\": {},\
\"token\": \"{key1}\", \"apiKey\": \"{key1}\"\
}";
