//! What `az` needs to know to use a server: the lines to paste, and the files of a configuration that is logged in.

use std::path::Path;

use arm::deployment::{LOCAL_DEPLOYER, LOCAL_SUBSCRIPTION, LOCAL_TENANT};

/// The name of the server among the clouds of `az`.
const CLOUD: &str = "Tendon";

/// What stands for a secret where nobody looks at it.
pub(crate) const LOCAL_SECRET: &str = "local";

/// The settings of the environment that `az` and other clients need to trust a server, one row for each.
fn variables(certificate: &Path) -> [(&'static str, String); 4] {
    let certificate = certificate.display().to_string();
    [
        ("REQUESTS_CA_BUNDLE", certificate.clone()),
        ("NODE_EXTRA_CA_CERTS", certificate),
        // Otherwise `az` asks a server of Microsoft whether it knows this one.
        ("AZURE_CORE_INSTANCE_DISCOVERY", "false".to_owned()),
        ("AZURE_CORE_COLLECT_TELEMETRY", "no".to_owned()),
    ]
}

/// What a person pastes to log in.
pub(crate) fn lines_to_paste(url: &str, certificate: &Path, secret: &str) -> String {
    let certificate = std::path::absolute(certificate).unwrap_or_else(|_| certificate.to_owned());
    let mut text = format!(
        "\ncertificate: {}\n\nFor az (or use `tendon az-env DIR`), the SDKs for Python and JavaScript:\n",
        certificate.display()
    );
    for (name, value) in variables(&certificate) {
        text.push_str(&format!("  export {name}={}\n", quoted(&value)));
    }
    text.push_str(&format!(
        "  az cloud register -n {CLOUD} --endpoint-resource-manager {url}/\n  az cloud set -n {CLOUD}\n  \
         az login --service-principal -u {LOCAL_DEPLOYER} -p {secret} --tenant {LOCAL_TENANT}\n"
    ));
    text
}

/// The files of a folder for `AZURE_CONFIG_DIR`, one for each row; the first one is to be sourced.
pub(crate) fn files(
    url: &str,
    certificate: &Path,
    folder: &Path,
    secret: &str,
) -> Vec<(&'static str, String)> {
    let mut env = format!("export AZURE_CONFIG_DIR={}\n", quoted(&folder.display().to_string()));
    for (name, value) in variables(certificate) {
        env.push_str(&format!("export {name}={}\n", quoted(&value)));
    }
    // `az` takes the Bicep compiler that it finds.
    env.push_str("export AZURE_BICEP_USE_BINARY_FROM_PATH=true\n");
    let config = format!(
        "[cloud]\nname = {CLOUD}\n\n[core]\ninstance_discovery = false\ncollect_telemetry = no\nencrypt_token_cache = false\n\n\
         [bicep]\nuse_binary_from_path = true\ncheck_version = false\n"
    );
    let mut clouds = format!("[{CLOUD}]\n");
    for (name, value) in endpoints(url) {
        clouds.push_str(&format!("endpoint_{name} = {value}\n"));
    }
    for (name, value) in SUFFIXES {
        clouds.push_str(&format!("suffix_{name} = {value}\n"));
    }
    let profile = serde_json::json!({
        "installationId": LOCAL_DEPLOYER,
        "subscriptions": [{
            "id": LOCAL_SUBSCRIPTION,
            "name": "local",
            "state": "Enabled",
            "user": {"name": LOCAL_DEPLOYER, "type": "servicePrincipal"},
            "isDefault": true,
            "tenantId": LOCAL_TENANT,
            "homeTenantId": LOCAL_TENANT,
            "environmentName": CLOUD,
            "managedByTenants": [],
        }],
    });
    let entries = serde_json::json!([
        {"client_id": LOCAL_DEPLOYER, "tenant": LOCAL_TENANT, "client_secret": secret}
    ]);
    vec![
        ("env.sh", env),
        ("config", config),
        ("clouds.config", clouds + &format!("subscription = {LOCAL_SUBSCRIPTION}\n")),
        ("azureProfile.json", profile.to_string()),
        ("service_principal_entries.json", entries.to_string()),
    ]
}

/// The addresses of a cloud. All of them are the server, so that nothing goes anywhere else.
fn endpoints(url: &str) -> Vec<(&'static str, String)> {
    let root = format!("{url}/");
    let rows = [
        ("management", &root),
        ("resource_manager", &root),
        ("active_directory", &root),
        ("active_directory_resource_id", &root),
        ("active_directory_graph_resource_id", &root),
        ("microsoft_graph_resource_id", &root),
        ("sql_management", &root),
        ("gallery", &root),
        ("batch_resource_id", &root),
        ("media_resource_id", &root),
    ];
    rows.into_iter().map(|(name, url)| (name, url.clone())).collect()
}

/// What names of services end with; `az` wants some.
const SUFFIXES: &[(&str, &str)] = &[
    ("storage_endpoint", "core.local"),
    ("keyvault_dns", ".vault.local"),
    ("sql_server_hostname", ".database.local"),
    ("acr_login_server_endpoint", ".azurecr.local"),
];

/// A value as a shell reads it.
pub(crate) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,=".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_a_shell() {
        assert_eq!(quoted("/a/b.pem"), "/a/b.pem");
        assert_eq!(quoted("/a b/it's"), "'/a b/it'\\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn the_lines_name_the_certificate_and_the_address() {
        let text = lines_to_paste("https://127.0.0.1:8443", Path::new("/s/tls-cert.pem"), LOCAL_SECRET);
        assert!(text.contains("export REQUESTS_CA_BUNDLE=/s/tls-cert.pem\n"), "{text}");
        assert!(text.contains("--endpoint-resource-manager https://127.0.0.1:8443/\n"), "{text}");
    }
}
