//! What `environment()` says of the public cloud.

use crate::Value;

/// The members that hold text, in order.
const ENDPOINTS: &[(&str, &str)] = &[
    ("name", "AzureCloud"),
    ("gallery", "https://gallery.azure.com/"),
    ("graph", "https://graph.windows.net/"),
    ("portal", "https://portal.azure.com"),
    ("graphAudience", "https://graph.windows.net/"),
    ("activeDirectoryDataLake", "https://datalake.azure.net/"),
    ("batch", "https://batch.core.windows.net/"),
    ("media", "https://rest.media.azure.net"),
    ("sqlManagement", "https://management.core.windows.net:8443/"),
    (
        "vmImageAliasDoc",
        "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/master/arm-compute/quickstart-templates/aliases.json",
    ),
    ("resourceManager", "https://management.azure.com/"),
];

const SUFFIXES: &[(&str, &str)] = &[
    ("acrLoginServer", ".azurecr.io"),
    ("azureDatalakeAnalyticsCatalogAndJob", "azuredatalakeanalytics.net"),
    ("azureDatalakeStoreFileSystem", "azuredatalakestore.net"),
    ("azureFrontDoorEndpointSuffix", "azurefd.net"),
    ("keyvaultDns", ".vault.azure.net"),
    ("sqlServerHostname", ".database.windows.net"),
    ("storage", "core.windows.net"),
];

const AUDIENCES: &[&str] = &["https://management.core.windows.net/", "https://management.azure.com/"];

/// What `environment()` gives: the addresses of the public cloud.
pub(super) fn environment() -> Value {
    let texts = |rows: &'static [(&str, &str)]| rows.iter().map(|(name, text)| (*name, Value::from(*text)));
    let authentication = Value::object([
        ("loginEndpoint", Value::from("https://login.microsoftonline.com/")),
        ("audiences", Value::array(AUDIENCES.iter().map(|audience| Value::from(*audience)).collect())),
        ("tenant", "common".into()),
        ("identityProvider", "AAD".into()),
    ]);
    Value::object(
        texts(ENDPOINTS)
            .chain([("authentication", authentication), ("suffixes", Value::object(texts(SUFFIXES)))]),
    )
}
