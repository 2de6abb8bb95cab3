//! What resources of some types have beyond what was put: one row for each.
//!
//! A row names a type, the way to a member, and what it holds. `{name}` is the name of the resource, `{id}` its id, `{group}` the start of
//! it up to its resource group, `{location}` its location; `{guid}` an id that belongs to the resource and the member, `{key}` a key of that kind, `{ip}` a public
//! address and `{private}` a private one, `{identity}` the principal of the resource or of the one that it extends. `{.a.b}` is what the resource
//! has at `a.b`: without that, the service adds nothing. A member that was put is never replaced. In the way to a member, `*` stands for all items
//! of a list, and `{.a}` is looked for in the item.

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
        "[{\"id\": \"{group}/providers/Microsoft.Network/networkInterfaces/{name}.nic.{guid}\"}]",
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
    row(
        "Microsoft.Web/hostingEnvironments/configurations",
        &["properties", "internalInboundIpAddresses"],
        "[\"{private}\"]",
    ),
    row(
        "Microsoft.Web/hostingEnvironments/configurations",
        &["properties", "externalInboundIpAddresses"],
        "[\"{ip}\"]",
    ),
    row("Microsoft.Web/sites", &["properties", "outboundIpAddresses"], "{ip}"),
    row("Microsoft.Web/sites", &["properties", "possibleOutboundIpAddresses"], "{ip}"),
    row("Microsoft.Web/sites/slots", &["properties", "outboundIpAddresses"], "{ip}"),
    row(
        "Microsoft.Network/publicIPAddresses",
        &["properties", "dnsSettings", "fqdn"],
        "{.properties.dnsSettings.domainNameLabel}.{location}.cloudapp.azure.com",
    ),
    row("Microsoft.Network/publicIPAddresses", &["properties", "resourceGuid"], "{guid}"),
    row(
        "Microsoft.Network/networkInterfaces",
        &["properties", "ipConfigurations", "*", "properties", "privateIPAddress"],
        "{private}",
    ),
    row(
        "Microsoft.Network/networkInterfaces",
        &["properties", "ipConfigurations"],
        "[{\"name\": \"privateEndpointIpConfig\", \"id\": \"{id}/ipConfigurations/privateEndpointIpConfig\", \"properties\": {\"privateIPAddress\": \"{private}\", \"primary\": true}}]",
    ),
    row(
        "Microsoft.NetApp/netAppAccounts/capacityPools/volumes",
        &["properties", "mountTargets"],
        "[{\"mountTargetId\": \"{guid}\", \"fileSystemId\": \"{guid}\", \"ipAddress\": \"{private}\", \"smbServerFqdn\": \"{lower}.contoso.com\"}]",
    ),
    row("Microsoft.Network/networkInterfaces", &["properties", "macAddress"], "00-0D-3A-4F-2B-6C"),
    row(
        "Microsoft.Network/networkInterfaces",
        &["properties", "dnsSettings", "internalDomainNameSuffix"],
        "{hex}.bx.internal.cloudapp.net",
    ),
    row("Microsoft.Network/networkInterfaces", &["properties", "resourceGuid"], "{guid}"),
    row(
        "Microsoft.Network/loadBalancers",
        &["properties", "frontendIPConfigurations", "*", "properties", "privateIPAddress"],
        "{private}",
    ),
    row(
        "Microsoft.Network/applicationGateways",
        &["properties", "frontendIPConfigurations", "*", "properties", "privateIPAddress"],
        "{private}",
    ),
    row(
        "Microsoft.Network/azureFirewalls",
        &["properties", "ipConfigurations", "*", "properties", "privateIPAddress"],
        "{private}",
    ),
    row("Microsoft.Network/bastionHosts", &["properties", "dnsName"], "bst-{guid}.bastion.azure.com"),
    row("Microsoft.Network/virtualNetworkGateways", &["properties", "bgpSettings", "asn"], "65515"),
    row(
        "Microsoft.Network/virtualNetworkGateways",
        &["properties", "bgpSettings", "bgpPeeringAddress"],
        "{private}",
    ),
    row(
        "Microsoft.Network/virtualNetworkGateways",
        &["properties", "bgpSettings", "bgpPeeringAddresses"],
        "[{\"ipconfigurationId\": \"{id}/ipConfigurations/default\", \"defaultBgpIpAddresses\": [\"{private}\"], \"customBgpIpAddresses\": [], \"tunnelIpAddresses\": [\"{ip}\"]}]",
    ),
    row("Microsoft.Network/vpnGateways", &["properties", "bgpSettings", "asn"], "65515"),
    row(
        "Microsoft.Network/vpnGateways",
        &["properties", "bgpSettings", "bgpPeeringAddresses"],
        "[{\"ipconfigurationId\": \"Instance0\", \"defaultBgpIpAddresses\": [\"{private}\"], \"customBgpIpAddresses\": [], \"tunnelIpAddresses\": [\"{ip}\"]}, {\"ipconfigurationId\": \"Instance1\", \"defaultBgpIpAddresses\": [\"{private}\"], \"customBgpIpAddresses\": [], \"tunnelIpAddresses\": [\"{ip}\"]}]",
    ),
    row(
        "Microsoft.Network/vpnGateways",
        &["properties", "ipConfigurations"],
        "[{\"id\": \"Instance0\", \"publicIpAddress\": \"{ip}\", \"privateIpAddress\": \"{private}\"}, {\"id\": \"Instance1\", \"publicIpAddress\": \"{ip}\", \"privateIpAddress\": \"{private}\"}]",
    ),
    row("Microsoft.Network/virtualHubs", &["properties", "virtualRouterAsn"], "65515"),
    row("Microsoft.Network/virtualHubs", &["properties", "virtualRouterIps"], "[\"{private}\"]"),
    row(
        "Microsoft.Network/trafficManagerProfiles",
        &["properties", "dnsConfig", "fqdn"],
        "{.properties.dnsConfig.relativeName}.trafficmanager.net",
    ),
    row("Microsoft.Network/frontDoors", &["properties", "frontdoorId"], "{guid}"),
    row("Microsoft.Network/frontDoors", &["properties", "cname"], "{name}.azurefd.net"),
    row(
        "Microsoft.Network/dnsResolvers/inboundEndpoints",
        &["properties", "ipConfigurations", "*", "privateIpAddress"],
        "{private}",
    ),
    row("Microsoft.Network/virtualNetworks", &["properties", "resourceGuid"], "{guid}"),
    row("Microsoft.Network/networkSecurityGroups", &["properties", "resourceGuid"], "{guid}"),
    row(
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces/ipConfigurations/publicIPAddresses",
        &["properties", "ipAddress"],
        "{ip}",
    ),
    row(
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces/ipConfigurations/publicIPAddresses",
        &["properties", "dnsSettings", "fqdn"],
        "vm0.{name}.{location}.cloudapp.azure.com",
    ),
    row("Microsoft.Compute/virtualMachineScaleSets/publicIPAddresses", &["properties", "ipAddress"], "{ip}"),
    row(
        "Microsoft.Compute/virtualMachineScaleSets/publicIPAddresses",
        &["properties", "dnsSettings", "fqdn"],
        "vm0.{name}.{location}.cloudapp.azure.com",
    ),
    row(
        "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces",
        &["properties", "ipConfigurations"],
        "[{\"name\": \"ipconfig\", \"properties\": {\"privateIPAddress\": \"{private}\"}}]",
    ),
    row("Microsoft.Compute/virtualMachineScaleSets", &["properties", "uniqueId"], "{guid}"),
    row(
        "Microsoft.Compute/virtualMachines/extensions",
        &["properties", "instanceView"],
        "{\"name\": \"{name}\", \"statuses\": [{\"code\": \"ProvisioningState/succeeded\", \"level\": \"Info\", \"displayStatus\": \"Provisioning succeeded\", \"message\": \"Enable succeeded: \\n[stdout]\\n0 0 0 0 0\\n0 0 0 0 0\\n\\n[stderr]\\n\"}], \"substatuses\": [{\"code\": \"ComponentStatus/StdOut/succeeded\", \"level\": \"Info\", \"displayStatus\": \"Provisioning succeeded\", \"message\": \"0 0 0 0 0\\n0 0 0 0 0\\n0 0 0 0 0\\n\"}, {\"code\": \"ComponentStatus/StdErr/succeeded\", \"level\": \"Info\", \"displayStatus\": \"Provisioning succeeded\", \"message\": \"\"}]}",
    ),
    row(
        "Microsoft.Compute/virtualMachines",
        &["properties", "instanceView"],
        "{\"vmAgent\": {\"statuses\": [{\"code\": \"ProvisioningState/succeeded\", \"level\": \"Info\", \"displayStatus\": \"Ready\"}]}, \"statuses\": [{\"code\": \"ProvisioningState/succeeded\", \"level\": \"Info\", \"displayStatus\": \"Provisioning succeeded\"}, {\"code\": \"PowerState/running\", \"level\": \"Info\", \"displayStatus\": \"VM running\"}]}",
    ),
    row("Microsoft.ManagedIdentity/identities", &["properties", "principalId"], "{identity}"),
    row("Microsoft.ManagedIdentity/identities", &["properties", "tenantId"], "{tenant}"),
    row("Microsoft.ManagedIdentity/identities", &["properties", "clientId"], "{guid}"),
    row(
        "Microsoft.ContainerInstance/containerGroups",
        &["properties", "ipAddress", "fqdn"],
        "{.properties.ipAddress.dnsNameLabel}.{location}.azurecontainer.io",
    ),
    row(
        "Microsoft.ContainerService/containerServices",
        &["properties", "masterProfile", "fqdn"],
        "{.properties.masterProfile.dnsPrefix}.{location}.cloudapp.azure.com",
    ),
    row(
        "Microsoft.ContainerService/containerServices",
        &["properties", "agentPoolProfiles", "*", "fqdn"],
        "{.dnsPrefix}.{location}.cloudapp.azure.com",
    ),
    row(
        "Microsoft.ContainerService/containerServices",
        &["properties", "diagnosticsProfile", "vmDiagnostics", "storageUri"],
        "https://{name}.blob.core.windows.net/",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "nodeResourceGroup"],
        "MC_{groupname}_{name}_{location}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "azurePortalFQDN"],
        "{name}.portal.hcp.{location}.azmk8s.io",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "ingressApplicationGateway", "identity"],
        "{\"resourceId\": \"{id}-ingressapplicationgateway\", \"clientId\": \"{guid}\", \"objectId\": \"{guid}\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "omsagent", "identity"],
        "{\"resourceId\": \"{id}-omsagent\", \"clientId\": \"{guid}\", \"objectId\": \"{guid}\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "azurepolicy", "identity"],
        "{\"resourceId\": \"{id}-azurepolicy\", \"clientId\": \"{guid}\", \"objectId\": \"{guid}\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "aciConnectorLinux", "identity"],
        "{\"resourceId\": \"{id}-aciconnectorlinux\", \"clientId\": \"{guid}\", \"objectId\": \"{guid}\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &["properties", "addonProfiles", "httpApplicationRouting", "identity"],
        "{\"resourceId\": \"{id}-httpapplicationrouting\", \"clientId\": \"{guid}\", \"objectId\": \"{guid}\"}",
    ),
    row(
        "Microsoft.ContainerService/managedClusters",
        &[
            "properties",
            "addonProfiles",
            "httpApplicationRouting",
            "config",
            "HTTPApplicationRoutingZoneName",
        ],
        "{hex}.{location}.aksapp.io",
    ),
    row(
        "Microsoft.RedHatOpenShift/openShiftClusters",
        &["properties", "consoleProfile", "url"],
        "https://console-openshift-console.apps.{name}.{location}.aroapp.io/",
    ),
    row(
        "Microsoft.RedHatOpenShift/openShiftClusters",
        &["properties", "apiserverProfile", "url"],
        "https://api.{name}.{location}.aroapp.io:6443/",
    ),
    row("Microsoft.AppPlatform/Spring", &["properties", "fqdn"], "{name}.azuremicroservices.io"),
    row(
        "Microsoft.AppPlatform/Spring/apps",
        &["properties", "url"],
        "https://{parent}-{name}.azuremicroservices.io",
    ),
    row(
        "Microsoft.DBforMySQL/servers",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.mysql.database.azure.com",
    ),
    row(
        "Microsoft.DBforPostgreSQL/servers",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.postgres.database.azure.com",
    ),
    row(
        "Microsoft.DBforMariaDB/servers",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.mariadb.database.azure.com",
    ),
    row(
        "Microsoft.DBforPostgreSQL/serverGroupsv2",
        &["properties", "fullyQualifiedDomainName"],
        "{name}.postgres.database.azure.com",
    ),
    row(
        "Microsoft.DBforPostgreSQL/serverGroupsv2",
        &["properties", "serverNames"],
        "[{\"name\": \"{name}-c\", \"fullyQualifiedDomainName\": \"c.{name}.postgres.database.azure.com\"}]",
    ),
    row("Microsoft.Sql/servers", &["properties", "state"], "Ready"),
    row("Microsoft.Sql/managedInstances", &["properties", "dnsZone"], "{hex}"),
    row("Microsoft.Cache/redis", &["properties", "port"], "6379"),
    row("Microsoft.Cache/redisEnterprise/databases", &["properties", "port"], "10000"),
    row(
        "Microsoft.DocumentDB/databaseAccounts",
        &["properties", "writeLocations"],
        "[{\"id\": \"{name}-{location}\", \"locationName\": \"{location}\", \"documentEndpoint\": \"https://{name}-{location}.documents.azure.com:443/\", \"provisioningState\": \"Succeeded\", \"failoverPriority\": 0}]",
    ),
    row(
        "Microsoft.DocumentDB/databaseAccounts",
        &["properties", "readLocations"],
        "[{\"id\": \"{name}-{location}\", \"locationName\": \"{location}\", \"documentEndpoint\": \"https://{name}-{location}.documents.azure.com:443/\", \"provisioningState\": \"Succeeded\", \"failoverPriority\": 0}]",
    ),
    row(
        "Microsoft.Kusto/clusters",
        &["properties", "dataIngestionUri"],
        "https://ingest-{name}.{location}.kusto.windows.net",
    ),
    row(
        "Microsoft.TimeSeriesInsights/environments",
        &["properties", "dataAccessFqdn"],
        "{guid}.env.timeseries.azure.com",
    ),
    row("Microsoft.TimeSeriesInsights/environments", &["properties", "dataAccessId"], "{guid}"),
    row("Microsoft.StreamAnalytics/streamingjobs", &["properties", "jobId"], "{guid}"),
    row(
        "Microsoft.Databricks/workspaces",
        &["properties", "storageAccountIdentity"],
        "{\"principalId\": \"{guid}\", \"tenantId\": \"{tenant}\", \"type\": \"SystemAssigned\"}",
    ),
    row(
        "Microsoft.Databricks/workspaces",
        &["properties", "managedDiskIdentity"],
        "{\"principalId\": \"{guid}\", \"tenantId\": \"{tenant}\", \"type\": \"SystemAssigned\"}",
    ),
    row(
        "Microsoft.HDInsight/clusters",
        &["properties", "connectivityEndpoints"],
        "[{\"name\": \"SSH\", \"protocol\": \"TCP\", \"location\": \"{name}-ssh.azurehdinsight.net\", \"port\": 22}, {\"name\": \"HTTPS\", \"protocol\": \"TCP\", \"location\": \"{name}.azurehdinsight.net\", \"port\": 443}]",
    ),
    row("Microsoft.HDInsight/clusters", &["properties", "clusterState"], "Running"),
    row("Microsoft.Web/sites", &["properties", "hostNames"], "[\"{name}.azurewebsites.net\"]"),
    row(
        "Microsoft.Web/sites",
        &["properties", "enabledHostNames"],
        "[\"{name}.azurewebsites.net\", \"{name}.scm.azurewebsites.net\"]",
    ),
    row(
        "Microsoft.Web/sites",
        &["properties", "hostNameSslStates"],
        "[{\"name\": \"{name}.azurewebsites.net\", \"sslState\": \"Disabled\", \"hostType\": \"Standard\"}, {\"name\": \"{name}.scm.azurewebsites.net\", \"sslState\": \"Disabled\", \"hostType\": \"Repository\"}]",
    ),
    row("Microsoft.Web/sites", &["properties", "state"], "Running"),
    row("Microsoft.Web/sites", &["properties", "inboundIpAddress"], "{ip}"),
    row("Microsoft.Web/sites/slots", &["properties", "hostNames"], "[\"{parent}-{name}.azurewebsites.net\"]"),
    row("Microsoft.Web/certificates", &["properties", "thumbprint"], "{thumbprint}"),
    row(
        "Microsoft.CertificateRegistration/certificateOrders",
        &["properties", "domainVerificationToken"],
        "{hex}",
    ),
    row(
        "Microsoft.CertificateRegistration/certificateOrders",
        &["properties", "signedCertificate"],
        "{\"thumbprint\": \"{thumbprint}\", \"subject\": \"CN={name}\"}",
    ),
    row("Microsoft.ApiManagement/service", &["properties", "privateIPAddresses"], "[\"{private}\"]"),
    row("Microsoft.ApiManagement/service", &["properties", "publicIPAddresses"], "[\"{ip}\"]"),
    row(
        "Microsoft.ApiManagement/service",
        &["properties", "hostnameConfigurations"],
        "[{\"type\": \"Proxy\", \"hostName\": \"{name}.azure-api.net\", \"negotiateClientCertificate\": false, \"defaultSslBinding\": true}]",
    ),
    row(
        "Microsoft.ApiManagement/service",
        &["properties", "portalUrl"],
        "https://{name}.portal.azure-api.net",
    ),
    row(
        "Microsoft.ApiManagement/service",
        &["properties", "developerPortalUrl"],
        "https://{name}.developer.azure-api.net",
    ),
    row(
        "Microsoft.ApiManagement/service",
        &["properties", "managementApiUrl"],
        "https://{name}.management.azure-api.net",
    ),
    row("Microsoft.ApiManagement/service", &["properties", "scmUrl"], "https://{name}.scm.azure-api.net"),
    row(
        "Microsoft.ApiManagement/service",
        &["properties", "gatewayRegionalUrl"],
        "https://{name}.azure-api.net",
    ),
    row(
        "Microsoft.Logic/workflows",
        &["properties", "accessEndpoint"],
        "https://prod-00.{location}.logic.azure.com:443/workflows/{hex}",
    ),
    row(
        "Microsoft.Logic/integrationServiceEnvironments",
        &["properties", "integrationServiceEnvironmentId"],
        "{guid}",
    ),
    row(
        "Microsoft.BotService/botServices",
        &["properties", "endpoint"],
        "https://{name}.azurewebsites.net/api/messages",
    ),
    row(
        "Microsoft.Media/mediaServices",
        &["properties", "apiEndpoints"],
        "[{\"endpoint\": \"https://{name}.restv2.{location}.media.azure.net/api/\", \"majorVersion\": \"2\"}]",
    ),
    row("Microsoft.Media/mediaServices", &["properties", "mediaServiceId"], "{guid}"),
    row(
        "Microsoft.Cdn/profiles/endpoints",
        &["properties", "originHostHeader"],
        "{.properties.origins.0.properties.hostName}",
    ),
    row(
        "Microsoft.AAD/domainServices",
        &["properties", "replicaSets", "*", "domainControllerIpAddress"],
        "[\"{private}\"]",
    ),
    row("Microsoft.AAD/domainServices", &["properties", "domainControllerIpAddress"], "[\"{private}\"]"),
    row("Microsoft.Storage/storageAccounts", &["properties", "creationTime"], "2025-01-01T00:00:00.0000000Z"),
    row("Microsoft.Storage/storageAccounts", &["properties", "secondaryLocation"], "{location}"),
    row(
        "Microsoft.Storage/storageAccounts",
        &["properties", "secondaryEndpoints"],
        "{\"blob\": \"https://{name}-secondary.blob.core.windows.net/\", \"dfs\": \"https://{name}-secondary.dfs.core.windows.net/\", \"queue\": \"https://{name}-secondary.queue.core.windows.net/\", \"table\": \"https://{name}-secondary.table.core.windows.net/\", \"web\": \"https://{name}-secondary.z6.web.core.windows.net/\"}",
    ),
    row("Microsoft.Storage/storageAccounts", &["properties", "statusOfSecondary"], "available"),
    row(
        "Microsoft.Automation/automationAccounts",
        &["properties", "RegistrationUrl"],
        "https://{guid}.agentsvc.azure-automation.net/accounts/{guid}",
    ),
    row("Microsoft.Automation/automationAccounts", &["properties", "state"], "Ok"),
    row("Microsoft.Search/searchServices", &["properties", "status"], "running"),
    row("Microsoft.DataLakeStore/accounts", &["properties", "endpoint"], "{name}.azuredatalakestore.net"),
    row(
        "Microsoft.DataLakeAnalytics/accounts",
        &["properties", "endpoint"],
        "{name}.azuredatalakeanalytics.net",
    ),
    row(
        "Microsoft.Devices/provisioningServices",
        &["properties", "serviceOperationsHostName"],
        "{name}.azure-devices-provisioning.net",
    ),
    row(
        "Microsoft.Devices/provisioningServices",
        &["properties", "deviceProvisioningHostName"],
        "global.azure-devices-provisioning.net",
    ),
    row("Microsoft.Devices/provisioningServices", &["properties", "idScope"], "0ne{hex8}"),
    row(
        "Microsoft.Devices/IotHubs",
        &["properties", "eventHubEndpoints"],
        "{\"events\": {\"retentionTimeInDays\": 1, \"partitionCount\": 4, \"partitionIds\": [\"0\", \"1\", \"2\", \"3\"], \"path\": \"{lower}\", \"endpoint\": \"sb://ihsuprod{hex8}.servicebus.windows.net/\"}}",
    ),
    row("Microsoft.Devices/IotHubs", &["properties", "eventHubEndpoints", "events", "path"], "{lower}"),
    row(
        "Microsoft.Devices/IotHubs",
        &["properties", "eventHubEndpoints", "events", "endpoint"],
        "sb://ihsuprod{hex8}.servicebus.windows.net/",
    ),
    row("Microsoft.IoTCentral/iotApps", &["properties", "applicationId"], "{guid}"),
    row("Microsoft.RecoveryServices/vaults", &["properties", "privateEndpointStateForBackup"], "None"),
    row(
        "Microsoft.MachineLearningServices/workspaces",
        &["properties", "discoveryUrl"],
        "https://{location}.api.azureml.ms/discovery",
    ),
    row(
        "Microsoft.MachineLearningServices/workspaces/onlineEndpoints",
        &["properties", "scoringUri"],
        "https://{name}.{location}.inference.ml.azure.com/score",
    ),
    row(
        "Microsoft.MachineLearningServices/workspaces/jobs",
        &["properties", "services"],
        "{\"Tracking\": {\"jobServiceType\": \"Tracking\", \"endpoint\": \"azureml://{location}.api.azureml.ms/mlflow/v1.0{group}/providers/Microsoft.MachineLearningServices/workspaces/{parent}\"}, \"Studio\": {\"jobServiceType\": \"Studio\", \"endpoint\": \"https://ml.azure.com/runs/{name}?wsid={group}/workspaces/{parent}\"}}",
    ),
    row("Microsoft.MachineLearning/commitmentPlans", &["properties", "creationDate"], "2025-01-01T00:00:00Z"),
    row("Microsoft.Maps/accounts", &["properties", "uniqueId"], "{guid}"),
    row(
        "Microsoft.NotificationHubs/namespaces",
        &["properties", "serviceBusEndpoint"],
        "https://{name}.servicebus.windows.net:443/",
    ),
    row(
        "Microsoft.Relay/namespaces",
        &["properties", "serviceBusEndpoint"],
        "https://{name}.servicebus.windows.net:443/",
    ),
    row("Microsoft.ServiceFabric/clusters", &["properties", "clusterId"], "{guid}"),
    row(
        "Microsoft.ServiceFabric/managedClusters",
        &["properties", "fqdn"],
        "{name}.{location}.cloudapp.azure.com",
    ),
    row(
        "Microsoft.HealthcareApis/services",
        &["properties", "serviceUrl"],
        "https://{name}.azurehealthcareapis.com",
    ),
    row(
        "Microsoft.Dashboard/grafana",
        &["properties", "endpoint"],
        "https://{name}.{location}.grafana.azure.com",
    ),
    row(
        "Microsoft.Monitor/accounts",
        &["properties", "metrics"],
        "{\"prometheusQueryEndpoint\": \"https://{name}.{location}.prometheus.monitor.azure.com\", \"internalId\": \"{guid}\"}",
    ),
    row("Microsoft.AzureActiveDirectory/b2cDirectories", &["properties", "tenantId"], "{guid}"),
    row("Microsoft.VMwareCloudSimple/dedicatedCloudNodes", &["properties", "status"], "used"),
    row(
        "Microsoft.AVS/privateClouds",
        &["properties", "endpoints"],
        "{\"vcsa\": \"https://10.0.0.2/\", \"nsxtManager\": \"https://10.0.0.3/\", \"hcxCloudManager\": \"https://10.0.0.9/\"}",
    ),
    row("Microsoft.AppConfiguration/configurationStores/keyValues", &["properties", "eTag"], "{hex}"),
    row(
        "Microsoft.EventGrid/namespaces",
        &["properties", "topicSpacesConfiguration", "hostname"],
        "{name}.{location}-1.ts.eventgrid.azure.net",
    ),
];

/// Parts that come with a resource, by the type of the part, whatever their name is.
pub(super) const COMES_ALONG: &[&str] = &[
    "Microsoft.Web/hostingEnvironments/configurations",
    "Microsoft.Web/sites/config",
    "Microsoft.Web/sites/slots/config",
    "Microsoft.Web/sites/basicPublishingCredentialsPolicies",
    "Microsoft.Web/sites/host",
    "Microsoft.Web/sites/functions",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces/ipConfigurations",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines/networkInterfaces/ipConfigurations/publicIPAddresses",
    "Microsoft.ContainerService/managedClusters/accessProfiles",
    "Microsoft.Devices/IotHubs/IotHubKeys",
    "Microsoft.Devices/provisioningServices/keys",
    "Microsoft.Logic/workflows/triggers",
    "Microsoft.Logic/workflows/versions/triggers",
    // Environments that the service curates are in every workspace.
    "Microsoft.MachineLearningServices/workspaces/environments",
    "Microsoft.ManagedIdentity/identities",
];

/// Resources that a service makes beside another one: the type, what stands between the name of the other one and the rest of the name, and the
/// type of the other one.
pub(super) const MADE_BESIDE: &[(&str, &str, &str)] =
    &[("Microsoft.Network/networkInterfaces", ".nic.", "Microsoft.Network/privateEndpoints")];

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
