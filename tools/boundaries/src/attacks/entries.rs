//! Entries of parameters and of extension configurations in a wrong shape.

use crate::attack::Dialect::{Entry, Extension};
use crate::attack::{Attack, Class};
use crate::value::{Value, object};

pub(super) fn attacks() -> Vec<Attack> {
    let mut out = parameters();
    out.extend(extensions());
    out
}

/// Attacks on the optional parameter `q`, a text of at most eight characters: what is dropped is not missed there.
fn parameters() -> Vec<Attack> {
    let entry = |value: Value| object([("q", value)]);
    let honest = || entry(object([("value", "mine".into())]));
    let mine = || object([("value", "mine".into())]);
    let attack = |name: &str, bad: Value| {
        Attack::new(format!("entry: {name}"), Class::Entry, bad, honest()).only(&[Entry]).at("q")
    };
    let noted = entry(mine().with("metadata", object([("why", "because".into())])));
    let vault = object([
        (
            "keyVault",
            object([(
                "id",
                "/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/g/providers/Microsoft.KeyVault/vaults/v"
                    .into(),
            )]),
        ),
        ("secretName", "s".into()),
    ]);
    let mut noted_attack =
        attack("an unknown member beside metadata", noted.with("q", mine().with("metadatum", 1)));
    noted_attack.twin = noted;
    vec![
        noted_attack,
        attack("misspelt", entry(object([("vlaue", "mine".into())]))),
        attack("empty", entry(object([]))),
        attack("text", entry("mine".into())),
        attack("number", entry(7.into())),
        attack("truth", entry(true.into())),
        attack("null", entry(Value::Null)),
        attack("list", entry(["mine".into()].into())),
        attack("unknown member", entry(mine().with("foo", 1))),
        attack("unknown member before", entry(mine().before("foo", 1))),
        attack("value in two cases", entry(mine().after("VALUE", "toolong-toolong"))),
        attack("value in two cases, the first wrong", entry(mine().before("Value", 5))),
        attack("value and reference", entry(mine().with("reference", vault.clone()))),
        attack("value and expression", entry(mine().with("expression", "['mine']"))),
        attack("reference that is a text", entry(object([("reference", "x".into())]))),
        attack("reference that is empty", entry(object([("reference", object([]))]))),
        attack("reference without a secret", entry(object([("reference", vault.without("secretName"))]))),
        attack("reference with an unknown member", entry(object([("reference", vault.with("foo", 1))]))),
        attack("expression that is a number", entry(object([("expression", 5.into())]))),
        attack("expression that is no expression", entry(object([("expression", "[".into())]))),
        attack("metadata alone", entry(object([("metadata", object([]))]))),
        attack("value of another type", entry(object([("value", 5.into())]))),
        attack("value that is too long", entry(object([("value", "123456789".into())]))),
        attack("value that is null in two cases", entry(mine().with("VALUE", Value::Null))),
        attack("unknown parameter", object([("unknown", mine())])).at("unknown"),
        attack("parameter in two cases", honest().with("Q", mine())).at("Q"),
        attack(
            "parameter in two cases, the first wrong",
            honest().before("Q", object([("value", 5.into())])),
        )
        .at("q"),
        attack("odd name", object([("", mine())])).at(""),
        attack("odd name with a slash", object([("a/b", mine())])).at("a/b"),
    ]
}

/// Attacks on the configuration of the extension `k8s`, which has `namespace`, a text, and `kubeConfig`, a secret.
fn extensions() -> Vec<Attack> {
    let value = |it: Value| object([("value", it)]);
    let config = |members: Value| object([("k8s", members)]);
    let honest =
        || object([("namespace", value("shop".into())), ("kubeConfig", value(crate::attack::SECRET.into()))]);
    let attack = |name: &str, bad: Value| {
        Attack::new(format!("extension: {name}"), Class::Entry, bad, config(honest()))
            .only(&[Extension])
            .at("k8s")
    };
    let with = |name: &str, it: Value| config(honest().with(name, it));
    vec![
        attack("number", with("namespace", value(5.into()))),
        attack("truth", with("namespace", value(true.into()))),
        attack("null", with("namespace", value(Value::Null))),
        attack("list", with("namespace", value(["shop".into()].into()))),
        attack("object", with("namespace", value(object([])))),
        attack("secret of another type", with("kubeConfig", value([crate::attack::SECRET.into()].into()))),
        attack("unknown member", with("colour", value("red".into()))),
        attack("member in two cases", with("NAMESPACE", value("shop".into()))),
        attack("entry with an unknown member", with("namespace", value("shop".into()).with("foo", 1))),
        attack("entry in two cases", with("namespace", value("shop".into()).with("VALUE", 5))),
        attack("entry that is a text", with("namespace", "shop".into())),
        attack("entry that is empty", with("namespace", object([]))),
        attack(
            "entry with two sources",
            with("namespace", value("shop".into()).with("keyVaultReference", object([]))),
        ),
        attack("no member that is required", config(honest().without("namespace"))),
        attack("nothing that is required", config(object([]))),
        attack("configuration that is a list", object([("k8s", Value::Array(Vec::new()))])),
        attack("configuration that is a text", object([("k8s", "shop".into())])),
        attack("configuration that is null", object([("k8s", Value::Null)])),
        attack("unknown extension", config(honest()).with("k9s", honest())).at("k9s"),
        attack("extension in two cases", config(honest()).with("K8S", honest())),
    ]
}
