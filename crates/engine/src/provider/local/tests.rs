//! What the local provider keeps, makes up and gives back.

use arm::template::TypeWord;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use store::MemoryStore;

use super::*;
use machine::core::StepPolicy;

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

fn local() -> Local {
    Local::new(Arc::new(MemoryStore::new()), Key::random().unwrap())
}

fn put(kind: &str, name: &str, body: Value) -> PutRequest {
    PutRequest {
        id: format!("{GROUP}/providers/{kind}/{name}").into(),
        kind: kind.into(),
        api_version: "2025-01-01".into(),
        body: admit_body("/a", body).unwrap(),
        wanted: StepPolicy::default(),
        extension: None,
    }
}

fn at<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(name))
}

#[test]
fn a_storage_account_has_endpoints_and_keys() {
    let local = local();
    let put = put("Microsoft.Storage/storageAccounts", "acc", Value::object([("location", "westus".into())]));
    let ProviderReply::Done(response) = local.put_now(&put) else { panic!() };
    let blob = at(&response.body, &["properties", "primaryEndpoints", "blob"]);
    assert_eq!(blob, Some(&Value::text("https://acc.blob.core.windows.net/")));
    assert_eq!(at(&response.body, &["properties", "provisioningState"]), Some(&Value::text("Succeeded")));
    let ProviderReply::Done(keys) = local.action_now(&put.id, "listKeys", "") else { panic!() };
    let ProviderReply::Done(again) = local.action_now(&put.id.to_uppercase(), "listKeys", "") else {
        panic!()
    };
    assert!(keys.body == again.body, "keys belong to the resource");
    let other = format!("{}2", put.id);
    assert!(matches!(local.action_now(&other, "listKeys", ""), ProviderReply::Missing));
}

#[test]
fn secrets_are_seen_by_the_deployment_and_not_kept() {
    let local = local();
    let secret = |text: &str| {
        Value::object([("properties", Value::object([("password", Value::from(text).secret())]))])
    };
    let (state, kept) = local.put_state(&put("Our.Things/things", "t", secret("hunter2"))).unwrap();
    assert!(at(&state, &["properties", "password"]).unwrap().is_secret());
    assert!(!kept.to_store().contains("hunter2") && !kept.body().has_secret(), "{kept:?}");
    let digest = |kept: &ResourceRecord| at(kept.digests(), &["/properties/password"]).cloned();
    let (_, same) = local.put_state(&put("Our.Things/things", "t", secret("hunter2"))).unwrap();
    let (_, other) = local.put_state(&put("Our.Things/things", "t", secret("hunter3"))).unwrap();
    assert!(digest(&kept).is_some() && digest(&kept) == digest(&same) && digest(&kept) != digest(&other));
}

#[test]
fn a_secret_of_a_vault_is_not_kept_even_if_nobody_says_that_it_is_one() {
    let local = local();
    let body = Value::object([("properties", Value::object([("value", Value::text("hunter2"))]))]);
    let (state, kept) = local.put_state(&put("Microsoft.KeyVault/vaults/secrets", "v/s", body)).unwrap();
    assert!(at(&state, &["properties", "value"]).unwrap().is_secret());
    assert!(!kept.to_store().contains("hunter2"), "{kept:?}");
    assert!(at(kept.digests(), &["/properties/value"]).is_some());
}

#[test]
fn what_is_inside_of_a_resource_is_found() {
    let local = local();
    let subnet = Value::object([("name", "a".into()), ("properties", Value::object([("x", Value::Int(1))]))]);
    let properties = Value::object([("subnets", Value::array(vec![subnet]))]);
    let put = put("Microsoft.Network/virtualNetworks", "net", Value::object([("properties", properties)]));
    local.put_now(&put);
    let found = local.state(&format!("{}/subnets/A", put.id)).unwrap().unwrap();
    assert_eq!(text_member(&found, "id"), Some(format!("{}/subnets/a", put.id).as_str()));
    assert_eq!(local.state(&format!("{}/subnets/b", put.id)).unwrap(), None);
    assert!(local.state(GROUP).unwrap().is_some(), "groups exist as soon as they are named");
}

#[test]
fn items_of_lists_have_what_their_service_adds() {
    let local = local();
    let rules = Value::array(vec![
        Value::object([("sourceContainer", Value::text("a"))]),
        Value::object([("ruleId", Value::text("own"))]),
    ]);
    let body = Value::object([("properties", Value::object([("rules", rules)]))]);
    let put = put("Microsoft.Storage/storageAccounts/objectReplicationPolicies", "p", body);
    let ProviderReply::Done(response) = local.put_now(&put) else { panic!() };
    let rules = at(&response.body, &["properties", "rules"]).unwrap().as_array().unwrap().to_vec();
    assert_eq!(text_member(&rules[0], "ruleId").map(str::len), Some(36));
    assert_eq!(text_member(&rules[1], "ruleId"), Some("own"));
}

#[test]
fn a_script_has_the_outputs_that_its_text_names() {
    let local = local();
    let script = "$DeploymentScriptOutputs = @{ publicKey = $key; secretUrl = $url }";
    let properties = Value::object([("scriptContent", Value::text(script))]);
    let put = put(SCRIPTS, "s", Value::object([("properties", properties)]));
    let ProviderReply::Done(one) = local.put_now(&put) else { panic!() };
    let ProviderReply::Done(two) = local.put_now(&put) else { panic!() };
    assert_eq!(one.body, two.body, "the values are the same each time");
    let outputs = at(&one.body, &["properties", "outputs"]).unwrap();
    assert_eq!(text_member(outputs, "publicKey").map(str::len), Some(88));
    assert!(text_member(outputs, "secretUrl").unwrap().contains("/secrets/s/"));
}

#[test]
fn a_script_has_the_outputs_that_are_read_of_it() {
    let local = local();
    let output = |name: &str, word, parts: Vec<ReadMember>| ReadMember {
        name: Some(name.into()),
        word,
        parts,
        items: 0,
    };
    let item = ReadMember { name: None, ..output("", None, vec![output("host", None, vec![])]) };
    let list = ReadMember { items: 2, ..output("list", None, vec![item]) };
    let inner = vec![output("publicKey", Some(TypeWord::String), vec![])];
    let read = vec![
        output("flag", Some(TypeWord::Bool), vec![]),
        output("count", Some(TypeWord::Int), vec![]),
        output("rows", Some(TypeWord::Array), vec![]),
        output("table", Some(TypeWord::Object), vec![]),
        output("keyInfo", Some(TypeWord::String), inner),
        list,
    ];
    let mut put = put(
        SCRIPTS,
        "s",
        Value::object([(
            "properties",
            Value::object([(
                "scriptContent",
                Value::text("$DeploymentScriptOutputs = @{ Flag = 1; other = 2 }"),
            )]),
        )]),
    );
    put.wanted.script_outputs = read.into();
    let ProviderReply::Done(one) = local.put_now(&put) else { panic!() };
    let outputs = at(&one.body, &["properties", "outputs"]).unwrap();
    let key = at(outputs, &["keyInfo", "publicKey"]).and_then(Value::as_str).unwrap();
    let list = at(outputs, &["list"]).and_then(Value::as_array).unwrap();
    assert_eq!((key.len(), list.len()), (88, 2));
    assert!(list.iter().all(|item| text_member(item, "host").is_some()), "{}", outputs.to_json());
    let rest = |name: &str| at(outputs, &[name]).map(Value::to_json);
    let expect = [("flag", "true"), ("count", "1"), ("rows", "[]"), ("table", "{}")];
    for (name, expect) in expect {
        assert_eq!(rest(name).as_deref(), Some(expect), "{name}");
    }
    assert!(rest("other").is_some());
    assert_eq!(outputs.as_object().unwrap().len(), 7);
}

#[test]
fn some_resources_are_there_without_being_put() {
    let local = local();
    let namespace = put("Microsoft.EventHub/namespaces", "n", Value::Null);
    local.put_now(&namespace);
    let rule = format!("{}/AuthorizationRules/RootManageSharedAccessKey", namespace.id);
    assert!(local.state(&rule).unwrap().is_some());
    assert!(local.state(&format!("{}/AuthorizationRules/other", namespace.id)).unwrap().is_none());
    for id in [
        format!("{GROUP}/providers/Microsoft.Resources/tags/default"),
        format!("{GROUP}/providers/Microsoft.HybridCompute/machines/m"),
    ] {
        assert!(local.state(&id).unwrap().is_some(), "{id}");
    }
}

#[test]
fn what_a_placeholder_names_is_there() {
    let local = local();
    let state = |rest: &str| local.state(&format!("{GROUP}/providers/{rest}")).unwrap();
    let vault = state("Microsoft.KeyVault/vaults/GET-PREREQ-vault").unwrap();
    let address = at(&vault, &["properties", "vaultUri"]).and_then(Value::as_str).map(str::to_owned);
    assert_eq!(address.as_deref(), Some("https://GET-PREREQ-vault.vault.azure.net/"));
    assert!(state("Microsoft.Logic/workflows/GEN-FLOW/triggers/manual").is_some());
    assert!(state("Microsoft.Network/virtualNetworks/net/subnets/GET-PREREQ-subnet").is_some());
    for absent in [
        "Microsoft.KeyVault/vaults/vault",
        "Microsoft.KeyVault/vaults/get-prereq-vault",
        "Microsoft.KeyVault/vaults/GET-PREREQ-vault/keys/own",
    ] {
        assert_eq!(state(absent), None, "{absent}");
    }
    // What is put is what was put.
    let name = "GEN-VNET-NAME";
    let tags = Value::object([("tags", Value::object([("a", Value::text("b"))]))]);
    local.put_now(&put("Microsoft.Network/virtualNetworks", name, tags));
    let put = state(&format!("Microsoft.Network/virtualNetworks/{name}")).unwrap();
    assert!(at(&put, &["tags", "a"]).is_some());
}

#[test]
fn what_a_placeholder_names_has_what_is_read_of_it() {
    let local = local();
    let member = |name: &str, parts: Vec<ReadMember>| ReadMember {
        name: Some(name.into()),
        word: None,
        parts,
        items: 0,
    };
    let read = [member("identity", vec![member("principalId", Vec::new())])];
    let presumed = |id: &str| {
        let state = local.state(id).unwrap().unwrap();
        let presumed = local.presumed(id, &state, &read);
        at(&presumed, &["identity", "principalId"]).and_then(Value::as_str).map(str::len)
    };
    let id = |rest: &str| format!("{GROUP}/providers/Microsoft.Compute/virtualMachines/{rest}");
    assert_eq!(presumed(&id("GET-PREREQ-vmName")), Some(36));
    let placeholder = format!("{GROUP}/providers/GET-PREREQ-vmResourceId");
    assert_eq!(presumed(&placeholder), Some(36), "the id itself may be a placeholder");
    // What is put has what was put, whatever is read of it.
    for name in ["vm", "GEN-VM-NAME"] {
        local.put_now(&put("Microsoft.Compute/virtualMachines", name, Value::Null));
        assert_eq!(presumed(&id(name)), None, "{name}");
    }
}

#[test]
fn deleting_takes_what_is_inside() {
    let local = local();
    for name in ["a", "b"] {
        local.put_now(&put("Our.Things/things", name, Value::Null));
    }
    let mut part = put("Our.Things/things/parts", "p", Value::Null);
    part.id = format!("{GROUP}/providers/Our.Things/things/a/parts/p").into();
    local.put_now(&part);
    assert_eq!(local.ids(GROUP).unwrap().len(), 3);
    local.delete_now(&format!("{GROUP}/providers/Our.Things/things/A"));
    assert_eq!(local.ids(GROUP).unwrap(), [format!("{GROUP}/providers/Our.Things/things/b")]);
}

#[test]
fn services_add_what_a_row_says_if_its_parts_are_there() {
    let local = local();
    let address = |label: Option<&str>| {
        let label = label.map(|label| ("domainNameLabel", Value::text(label)));
        let properties = Value::object([("dnsSettings", Value::object(label))]);
        let body = Value::object([("location", Value::text("West US")), ("properties", properties)]);
        let ProviderReply::Done(done) = local.put_now(&put("Microsoft.Network/publicIPAddresses", "a", body))
        else {
            panic!()
        };
        at(&done.body, &["properties", "dnsSettings", "fqdn"]).and_then(Value::as_str).map(str::to_owned)
    };
    assert_eq!(address(Some("shop")).as_deref(), Some("shop.westus.cloudapp.azure.com"));
    assert_eq!((address(None), address(Some(""))), (None, None));
    let configurations = Value::array(vec![Value::object([("name", Value::text("one"))])]);
    let properties = Value::object([("ipConfigurations", configurations)]);
    let card = put("Microsoft.Network/networkInterfaces", "n", Value::object([("properties", properties)]));
    let ProviderReply::Done(done) = local.put_now(&card) else { panic!() };
    let first =
        at(&done.body, &["properties", "ipConfigurations"]).and_then(Value::as_array).unwrap().first();
    let private = at(first.unwrap(), &["properties", "privateIPAddress"]).and_then(Value::as_str);
    assert!(private.is_some_and(|private| private.starts_with("10.0.0.")), "{private:?}");
}

#[test]
fn what_services_make_is_there_as_soon_as_its_maker_is() {
    let local = local();
    let id = |rest: &str| format!("{GROUP}/providers/{rest}");
    let made = [
        "Microsoft.Logic/workflows/flow/triggers/manual",
        "Microsoft.Compute/virtualMachineScaleSets/set/virtualMachines/0/networkInterfaces/nic/ipConfigurations/ip/publicIPAddresses/pub",
        "Microsoft.Compute/virtualMachines/vm/providers/Microsoft.ManagedIdentity/Identities/default",
        "Microsoft.Network/networkInterfaces/end.nic.3f2a",
        "Microsoft.MachineLearningServices/workspaces/learn/environments/AzureML-minimal",
    ];
    for made in made {
        assert_eq!(local.state(&id(made)).unwrap(), None, "{made}");
    }
    for (kind, name) in [
        ("Microsoft.Logic/workflows", "flow"),
        ("Microsoft.Compute/virtualMachineScaleSets", "set"),
        ("Microsoft.Network/privateEndpoints", "end"),
        ("Microsoft.MachineLearningServices/workspaces", "learn"),
    ] {
        assert!(matches!(local.put_now(&put(kind, name, Value::Null)), ProviderReply::Done(_)));
    }
    let identity = Value::object([("type", Value::text("SystemAssigned"))]);
    let machine = put("Microsoft.Compute/virtualMachines", "vm", Value::object([("identity", identity)]));
    let ProviderReply::Done(machine) = local.put_now(&machine) else { panic!() };
    for made in made {
        assert!(local.state(&id(made)).unwrap().is_some(), "{made}");
    }
    let identity = local.state(&id(made[2])).unwrap().unwrap();
    assert_eq!(
        at(&identity, &["properties", "principalId"]),
        at(&machine.body, &["identity", "principalId"])
    );
    assert_eq!(local.state(&id("Microsoft.Logic/workflows/flow/runs/r")).unwrap(), None);
    assert_eq!(local.state(&id("Microsoft.Logic/workflows/flow/providers/A.B/c/default")).unwrap(), None);
}

#[test]
fn keys_look_like_keys_and_a_vault_need_not_be_there() {
    let local = local();
    let account = put("Microsoft.Storage/storageAccounts", "store", Value::Null);
    assert!(matches!(local.put_now(&account), ProviderReply::Done(_)));
    let ProviderReply::Done(keys) = local.action_now(&account.id, "listKeys", "2023-01-01") else { panic!() };
    let keys = keys.body.expose();
    let first = at(&keys, &["keys"]).and_then(Value::as_array).unwrap().first().cloned().unwrap();
    let key = text_member(&first, "value").unwrap();
    assert_eq!(STANDARD.decode(key).unwrap().len(), 64);
    let vault = format!("{GROUP}/providers/Microsoft.KeyVault/vaults/v/secrets/s");
    let ProviderReply::Done(secret) = local.action_now(&vault, "getSecret", "") else { panic!() };
    assert!(secret.body.is_secret());
    assert!(matches!(local.action_now(&vault, "listKeys", ""), ProviderReply::Missing));
}

#[test]
fn groups_are_kept_if_they_have_to_be() {
    let local = local().keeping_groups();
    let thing = put("Our.Things/things", "t", Value::Null);
    let ProviderReply::Failed(failure) = local.put_now(&thing) else { panic!() };
    assert_eq!((failure.code.as_str(), failure.target.as_deref()), ("ResourceGroupNotFound", Some(GROUP)));
    assert_eq!((local.state(GROUP).unwrap(), local.group(GROUP).unwrap()), (None, None));
    let body = Value::object([("location", Value::text("north"))]);
    let group = PutRequest { id: GROUP.into(), ..put("Microsoft.Resources/resourceGroups", "g", body) };
    assert!(matches!(local.put_now(&group), ProviderReply::Done(_)));
    assert!(matches!(local.put_now(&thing), ProviderReply::Done(_)));
    for name in ["..", ".", "a\\b", "a\r\nb: c", "\0"] {
        let thing = put("Our.Things/things", name, Value::Null);
        let ProviderReply::Failed(failure) = local.put_now(&thing) else { panic!("{name}") };
        assert_eq!(failure.code, "InvalidResourceName", "{name}");
    }
    assert_eq!(
        local.group(GROUP).unwrap().as_ref().and_then(|group| text_member(group, "location")),
        Some("north")
    );
    assert_eq!(group_of("/subscriptions/s/providers/A.B/c/d"), None);
    assert_eq!(group_of("/planes/radius/local/resourceGroups/g/providers/A.B/c/d"), None);
}

#[test]
fn names_are_taken_from_ids() {
    let name = ResourceName::of("/subscriptions/s/resourceGroups/g/providers/A.B/c/d/e/f");
    assert_eq!((name.kind.as_str(), name.last.as_str()), ("A.B/c/e", "f"));
    assert_eq!(name.parent.as_deref(), Some("/subscriptions/s/resourceGroups/g/providers/A.B/c/d"));
    assert_eq!(ResourceName::of("/subscriptions/s").kind, "Microsoft.Resources/subscriptions");
    assert_eq!(
        ResourceName::of("/subscriptions/s/resourceGroups/g").kind,
        "Microsoft.Resources/resourceGroups"
    );
    let extension = ResourceName::of("/x/providers/A.B/c/d/providers/E.F/g/h");
    assert_eq!((extension.kind.as_str(), extension.parent), ("E.F/g", None));
}
