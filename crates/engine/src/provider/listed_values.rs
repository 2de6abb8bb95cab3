//! What the `list...` actions of resources give: keys, connection strings, credentials.
//!
//! Templates look for the members that a service has, so the answer to an action has those of most services. What has the same name and
//! another form somewhere is a row of its own, by action and type. `{name}` is the name of the resource, `{location}` its location, `{key1}` to
//! `{key4}` are keys that belong to it, `{hex}` is an id of that kind.

use arm::Value;
use machine::records::parse;

use super::members::with;

/// What an action of a resource of a type gives. `answer` fills in what stands in braces.
pub(super) fn listed(kind: &str, action: &str, fill: impl Fn(&str) -> String) -> Option<Value> {
    let own = OWN.iter().filter(|row| {
        row.action.eq_ignore_ascii_case(action)
            && (row.kind.is_empty() || row.kind.eq_ignore_ascii_case(kind))
    });
    own.map(|row| row.holds)
        .try_fold(parse(&fill(COMMON)).ok()?, |all, holds| Some(all.merged_with(&parse(&fill(holds)).ok()?)))
}

/// Resources that list the keys of the policies that they were put with, and where those are.
const POLICIES: &[(&str, [&str; 2])] = &[
    ("Microsoft.Devices/IotHubs", ["properties", "authorizationPolicies"]),
    ("Microsoft.Devices/provisioningServices", ["properties", "authorizationPolicies"]),
];

/// What `listKeys` of a resource gives that has policies of its own, with keys by the name of the policy and a
/// number; none if it has none.
pub(super) fn policies(
    kind: &str,
    action: &str,
    state: &Value,
    key: impl Fn(&str, u8) -> String,
) -> Option<Value> {
    let is_list = action.eq_ignore_ascii_case("listKeys");
    let (_, path) = POLICIES.iter().find(|(own, _)| is_list && own.eq_ignore_ascii_case(kind))?;
    let put = path.iter().try_fold(state, |value, name| value.as_object()?.get(name))?.as_array()?;
    let with_keys = |policy: &Value| {
        let name = policy.as_object().and_then(|policy| policy.get("keyName")).and_then(Value::as_str);
        let name = name.unwrap_or_default();
        ["primaryKey", "secondaryKey"].iter().zip(1..).fold(policy.clone(), |policy, (member, number)| {
            with(&policy, &[member], || Value::text(key(name, number)))
        })
    };
    (!put.is_empty()).then(|| Value::object([("value", Value::array(put.iter().map(with_keys).collect()))]))
}

/// What an action gives besides what all do, or instead.
struct ListedRow {
    action: &'static str,
    /// The type; empty for all.
    kind: &'static str,
    holds: &'static str,
}

const fn row(action: &'static str, kind: &'static str, holds: &'static str) -> ListedRow {
    ListedRow { action, kind, holds }
}

const OWN: &[ListedRow] = &[
    row("listCallbackUrl", "", CALLBACK),
    row(
        "listCallbackUrl",
        "Microsoft.Logic/integrationAccounts",
        r#"{"value": "https://prod-00.{location}.logic.azure.com:443/integrationAccounts/{hex}?api-version=2015-08-01-preview&sp=%2Fread&sv=1.0&sig={key1}"}"#,
    ),
    row("listContentCallbackUrl", "", CALLBACK),
    row("listClusterAdminCredential", "", KUBECONFIGS),
    row("listClusterUserCredential", "", KUBECONFIGS),
    row("listClusterMonitoringUserCredential", "", KUBECONFIGS),
    row("listCredential", "", r#"{"properties": {"kubeConfig": "{key1}"}}"#),
    row(
        "listCredentials",
        "Microsoft.RedHatOpenShift/openShiftClusters",
        r#"{"kubeadminUsername": "kubeadmin", "kubeadminPassword": "{key1}"}"#,
    ),
    row("listAdminCredentials", "", r#"{"kubeconfig": "{key1}"}"#),
    row(
        "listConnectionStrings",
        "",
        r#"{"value": [{"name": "Primary", "connectionString": "Endpoint=https://{name}.azconfig.io;Id={hex};Secret={key1}"}]}"#,
    ),
    row(
        "listKeys",
        "Microsoft.AppConfiguration/configurationStores",
        r#"{"value": [{"id": "{hex}", "name": "Primary", "value": "{key1}", "connectionString": "Endpoint=https://{name}.azconfig.io;Id={hex};Secret={key1}", "readOnly": false}]}"#,
    ),
    row(
        "listKeys",
        "Microsoft.Devices/IotHubs",
        r#"{"value": [{"keyName": "iothubowner", "primaryKey": "{key1}", "secondaryKey": "{key2}", "rights": "RegistryWrite, ServiceConnect, DeviceConnect"}, {"keyName": "service", "primaryKey": "{key3}", "secondaryKey": "{key4}", "rights": "ServiceConnect"}, {"keyName": "device", "primaryKey": "{key1}", "secondaryKey": "{key2}", "rights": "DeviceConnect"}, {"keyName": "registryRead", "primaryKey": "{key3}", "secondaryKey": "{key4}", "rights": "RegistryRead"}, {"keyName": "registryReadWrite", "primaryKey": "{key1}", "secondaryKey": "{key2}", "rights": "RegistryWrite"}]}"#,
    ),
    row(
        "listKeys",
        "Microsoft.Devices/provisioningServices",
        r#"{"value": [{"keyName": "provisioningserviceowner", "primaryKey": "{key1}", "secondaryKey": "{key2}", "rights": "ServiceConfig, DeviceConnect, EnrollmentWrite"}]}"#,
    ),
    row(
        "listKeys",
        "Microsoft.Automation/automationAccounts",
        r#"{"keys": [{"KeyName": "Primary", "Permissions": "Full", "Value": "{key1}"}, {"KeyName": "Secondary", "Permissions": "Full", "Value": "{key2}"}]}"#,
    ),
    row(
        "listRegistrationTokens",
        "",
        r#"{"value": [{"token": "{key1}", "expirationTime": "2099-01-01T00:00:00Z"}]}"#,
    ),
    row(
        "listSecrets",
        "Microsoft.Web/sites/functions",
        r#"{"key": "{key1}", "trigger_url": "https://{parent}.azurewebsites.net/api/{name}?code={key1}"}"#,
    ),
    row("list", "", r#"{"properties": {}}"#),
    row(
        "list",
        "Microsoft.Web/sites/config",
        r#"{"properties": {"publishingUserName": "${parent}", "publishingPassword": "{key1}", "scmUri": "https://${parent}:{key1}@{parent}.scm.azurewebsites.net"}}"#,
    ),
    row(
        "listPublishingCredentials",
        "",
        r#"{"properties": {"scmUri": "https://{name}.scm.azurewebsites.net"}}"#,
    ),
];

const CALLBACK: &str = r#"{"value": "https://prod-00.{location}.logic.azure.com:443/workflows/{hex}/triggers/{name}/paths/invoke?api-version=2016-10-01&sp=%2Ftriggers%2F{name}%2Frun&sv=1.0&sig={key1}", "method": "POST", "basePath": "https://prod-00.{location}.logic.azure.com/workflows/{hex}/triggers/{name}/paths/invoke", "queries": {"api-version": "2016-10-01", "sp": "/triggers/{name}/run", "sv": "1.0", "sig": "{key1}"}}"#;

const KUBECONFIGS: &str = r#"{"kubeconfigs": [{"name": "clusterAdmin", "value": "{key1}"}]}"#;

/// What all actions give.
const COMMON: &str = r#"{
"keys": [{"keyName": "key1", "permissions": "FULL", "value": "{key1}"}, {"keyName": "key2", "permissions": "FULL", "value": "{key2}"}],
"key1": "{key1}", "key2": "{key2}", "authKey1": "{key1}", "authKey2": "{key2}", "primaryKey": "{key1}", "secondaryKey": "{key2}",
"primarySharedKey": "{key1}", "secondarySharedKey": "{key2}",
"primaryMasterKey": "{key1}", "secondaryMasterKey": "{key2}",
"primaryReadonlyMasterKey": "{key3}", "secondaryReadonlyMasterKey": "{key4}",
"primaryConnectionString": "Endpoint=sb://{name}.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={key1}",
"secondaryConnectionString": "Endpoint=sb://{name}.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey={key2}",
"connectionStrings": [{"connectionString": "AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key1};", "description": "Primary SQL Connection String"}, {"connectionString": "AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key2};", "description": "Secondary SQL Connection String"}, {"connectionString": "AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key3};", "description": "Primary Read-Only SQL Connection String"}, {"connectionString": "AccountEndpoint=https://{name}.documents.azure.com:443/;AccountKey={key4};", "description": "Secondary Read-Only SQL Connection String"}],
"username": "{name}", "passwords": [{"name": "password", "value": "{key1}"}, {"name": "password2", "value": "{key2}"}],
"accountSasToken": "sv=2023-01-03&sig={key1}", "serviceSasToken": "sv=2023-01-03&sig={key1}",
"value": [{"name": "local", "keyName": "key1", "value": "{key1}", "primaryKey": "{key1}", "secondaryKey": "{key2}", "connectionString": "{key1}"}],
"properties": {"publishingUserName": "{name}", "publishingPassword": "{key1}"},
"functionKeys": {"default": "{key1}"}, "masterKey": "{key1}", "systemKeys": {},
"token": "{key1}", "apiKey": "{key1}"
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_rows_are_objects() {
        for row in OWN {
            assert!(parse(row.holds).is_ok_and(|value| value.as_object().is_some()), "{}", row.holds);
        }
    }

    #[test]
    fn policies_that_were_put_have_keys() {
        let state = parse(
            r#"{"properties": {"authorizationPolicies": [{"keyName": "a", "rights": "ServiceConnect"}, {"keyName": "b", "primaryKey": "own"}]}}"#,
        );
        let of = |kind: &str, action: &str| {
            policies(kind, action, state.as_ref().unwrap(), |name, number| format!("{name}{number}"))
        };
        let listed = of("microsoft.devices/iothubs", "listkeys").map(|listed| listed.to_json());
        assert_eq!(
            listed.as_deref(),
            Some(
                r#"{"value":[{"keyName":"a","rights":"ServiceConnect","primaryKey":"a1","secondaryKey":"a2"},{"keyName":"b","primaryKey":"own","secondaryKey":"b2"}]}"#
            )
        );
        assert!(of("Microsoft.Devices/IotHubs", "listSomething").is_none());
        assert!(of("Microsoft.Web/sites", "listKeys").is_none());
        assert!(
            policies("Microsoft.Devices/IotHubs", "listKeys", &Value::Null, |_, _| String::new()).is_none()
        );
    }

    #[test]
    fn what_an_action_gives_may_have_another_form_for_some_types() {
        let of = |kind: &str, action: &str| listed(kind, action, |text| text.replace("{name}", "n")).unwrap();
        let value = |listed: &Value| listed.as_object().unwrap().get("value").cloned().unwrap();
        assert!(value(&of("A.B/c", "listKeys")).as_array().is_some());
        let url = value(&of("Microsoft.Logic/workflows/triggers", "listcallbackurl"));
        assert!(
            url.as_str().is_some_and(|url| url.contains("/triggers/n/paths/invoke")),
            "{}",
            url.to_json()
        );
    }
}
