//! How a value is brought to each boundary.

mod check;
mod extensions;
mod forms;
mod modules;
mod nested;
mod open;
mod options;
mod parameters;
mod records;
mod resources;
mod rest;
mod state;
mod tests;
pub(crate) mod thrift;
mod types;

use crate::Result;
use crate::attack::{Attack, Class, Dialect};
use crate::crossing::{Assigned, Carrier, Crossing, Given, Tested};
use crate::room::{Answer, Room, Shot};
use crate::value::Value;

/// Brings a value to a boundary.
pub(crate) fn send(boundary: Crossing, room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    use Crossing as C;
    match boundary {
        C::Param(program) => parameters::param(room, shot, program),
        C::ParamFile(program) => parameters::param_file(room, shot, program),
        C::ParametersJson(program) => parameters::file(room, shot, program, false),
        C::ParametersYaml(program) => parameters::file(room, shot, program, true),
        C::PlainValues(program) => parameters::plain(room, shot, program),
        C::Assignment(assigned, program) => parameters::assignment(room, shot, assigned, program),
        C::Validate => parameters::predicted(room, shot, "validate"),
        C::WhatIf => parameters::predicted(room, shot, "what-if"),
        C::Snapshot => parameters::predicted(room, shot, "snapshot"),
        C::RestValidate => rest::predicted(room, shot, "validate"),
        C::RestWhatIf => rest::predicted(room, shot, "whatIf"),
        C::Check(against, source) => check::value(room, shot, against, source),
        C::Form(form) => forms::send(room, shot, form),
        C::VaultSecret => parameters::vault_secret(room, shot),
        C::ContractFile(source) => check::contract(room, shot, source),
        C::Nested(given) => nested::deployment(room, shot, given),
        C::Module(given) => modules::module(room, shot, given),
        C::Default(program) => parameters::default(room, shot, program),
        C::Overrides => parameters::overrides(room, shot),
        C::OpenResource(given) => open::deployed(room, shot, given),
        C::NestedEnvelope(given) => open::nested(room, shot, given),
        C::RestOpenResource => open::put(room, shot),
        C::RestPatch => open::patch(room, shot),
        C::TypeChange(changed) => types::change(room, shot, changed),
        C::Argument => modules::text(room, shot, "argument"),
        C::Option(given) => options::arguments(room, shot, given),
        C::Options => options::whole(room, shot),
        C::Decorator(given) => options::declared(room, shot, given),
        C::Result => modules::text(room, shot, "result"),
        C::Output => modules::text(room, shot, "giving"),
        C::RestDeployment(level) => rest::deployment(room, shot, level),
        C::RestExternalInput => rest::external_input(room, shot),
        C::RestRunTime => rest::run_time(room, shot),
        C::DeployServer => parameters::to_server(room, shot),
        C::ResourceCreate(source) => resources::create(room, shot, source),
        C::ResourceCreateServer(source) => resources::create_on_server(room, shot, source),
        C::RestResource => resources::put(room, shot),
        C::DeployedResource(given) => resources::deployed(room, shot, given),
        C::RestDeployedResource => resources::deployed_over_rest(room, shot),
        C::ProviderAnswer => resources::answered(room, shot),
        C::UnknownType(with_scope) => resources::unregistered(room, shot, with_scope),
        C::PlainType => resources::plain(room, shot),
        C::TypeValidate(source) => types::validate(room, shot, source),
        C::TypeCreate => types::create(room, shot),
        C::TypeUpdate => types::update(room, shot),
        C::TypeCreateServer => types::create_on_server(room, shot),
        C::RestType => types::put(room, shot),
        C::ThriftValidate(protocol) => thrift::validate(room, shot, protocol),
        C::ThriftProxy(protocol) => thrift::proxied(room, shot, protocol),
        C::ThriftReply(protocol) => thrift::replied(room, shot, protocol),
        C::ExtensionFile => extensions::file(room, shot),
        C::ExtensionRest => extensions::rest(room, shot),
        C::StateImport => state::import(room, shot),
        C::SharedRecord(stored) => records::shared(room, shot, stored),
        C::RestRegistry(registered) => rest::registry(room, shot, registered),
        C::Test(tested) => tests::run(room, shot, tested),
    }
}

/// What the program keeps a value under once it has crossed the boundary; nothing where nothing is kept.
pub(crate) fn keeps(boundary: Crossing) -> bool {
    use crate::crossing::Level;
    use Crossing as C;
    !matches!(
        boundary,
        C::Validate
            | C::WhatIf
            | C::Snapshot
            | C::RestValidate
            | C::RestWhatIf
            | C::Check(..)
            | C::Form(_)
            | C::ContractFile(_)
            | C::Overrides
            | C::Output
            | C::NestedEnvelope(_)
            | C::Nested(Given::Output)
            | C::RestDeployment(Level::Subscription | Level::ManagementGroup | Level::Tenant | Level::Plane)
            | C::TypeValidate(_)
            | C::TypeUpdate
            | C::RestType
            | C::RestPatch
            | C::TypeChange(_)
            | C::ThriftValidate(_)
            | C::ThriftProxy(_)
            | C::ThriftReply(_)
            | C::ExtensionRest
            | C::StateImport
            | C::SharedRecord(_)
            | C::RestRegistry(_)
            | C::Test(_)
    )
}

/// Why a boundary cannot carry an attack, if it cannot.
pub(crate) fn cannot(boundary: Crossing, dialect: Dialect, attack: &Attack) -> Option<&'static str> {
    let unfit = |value: &Value| match boundary.carrier() {
        Carrier::Bytes => None,
        Carrier::Argument if value.json().len() > 120_000 => Some("an argument has at most 128 kB"),
        Carrier::Argument if value.json().contains(&0) => Some("an argument has no NUL"),
        Carrier::Argument if matches!(boundary, Crossing::Param(_)) && value.json_text().is_none() => {
            Some("an argument that is not UTF-8 is wrong usage")
        }
        Carrier::Argument => None,
        Carrier::Text => value.json_text().is_none().then_some("a text is UTF-8"),
        Carrier::Template => None,
        Carrier::Literal => value.bicep().is_none().then_some("Bicep has no literal for it"),
        Carrier::Wire => thrift::cannot(value),
    };
    if attack.is_expression && boundary.carrier() == Carrier::Template {
        return Some("it stands in a template, where it is an expression");
    }
    let is_resource = matches!(
        boundary,
        Crossing::DeployedResource(_)
            | Crossing::RestDeployedResource
            | Crossing::OpenResource(_)
            | Crossing::Option(Given::RunTime)
            | Crossing::Decorator(Given::RunTime)
            | Crossing::RestRunTime
            | Crossing::Test(Tested::Resource)
            | Crossing::Module(Given::RunTime)
            | Crossing::Nested(Given::RunTime)
    );
    if attack.is_null_member && is_resource {
        return Some("a property of a resource that is null is the same as none");
    }
    let is_text = matches!(boundary, Crossing::Assignment(Assigned::Text, _));
    if is_text && attack.value.json_text().is_none() {
        return Some(
            "a text that is loaded is decoded as the compiler of Bicep does it, which replaces what is not UTF-8",
        );
    }
    let is_data = matches!(boundary, Crossing::Assignment(Assigned::Json | Assigned::Yaml, _));
    if is_data && attack.name.ends_with("UTF-16 with a mark") {
        return Some(
            "a file that is loaded says by its mark how it is encoded, as for the compiler of Bicep",
        );
    }
    let is_printed = matches!(boundary, Crossing::Assignment(Assigned::Command, _));
    if is_printed && attack.value.json().len() > 4 << 20 {
        return Some("a command prints at most 4 MiB");
    }
    if attack.is_yaml && boundary.reads_yaml() {
        return Some("YAML has a meaning for it");
    }
    let is_export = matches!(boundary, Crossing::StateImport | Crossing::Test(Tested::State));
    if is_export && dialect == Dialect::Radius && attack.value.is_raw() {
        return Some("a line of an export is JSON, and tried as a whole elsewhere");
    }
    let is_shared = matches!(boundary, Crossing::SharedRecord(_));
    if is_shared && (attack.value.json().contains(&0) || attack.value.json().len() > 100_000) {
        return Some("a statement of SQL is a text without NUL, and an argument");
    }
    if is_shared && attack.class == Class::Depth {
        return Some("a store is read deeper than values are let in");
    }
    let is_of_properties = |path: &str| path == "properties";
    if matches!(boundary, Crossing::NestedEnvelope(_)) && attack.path.as_deref().is_some_and(is_of_properties)
    {
        return Some("the properties of a deployment have a form of their own");
    }
    let is_secret = |path: &str| path == "sec" || path.starts_with("vault");
    if is_export && attack.path.as_deref().is_some_and(is_secret) {
        return Some("secrets are not among the properties that an export has");
    }
    unfit(&attack.value).or_else(|| unfit(&attack.twin))
}

/// A value with text before and behind it.
fn wrapped(before: &str, value: &Value, behind: &str) -> Vec<u8> {
    [before.as_bytes(), &value.json(), behind.as_bytes()].concat()
}

/// The members of `parameters` for a shot: that of `p`, and the entries that it is about.
fn entries(shot: &Shot<'_>) -> Vec<u8> {
    match shot.dialect {
        Dialect::Entry => {
            let honest = crate::attacks::widget();
            let entry = crate::value::object([("value", honest)]);
            shot.value.before("p", entry).json()
        }
        _ => wrapped("{\"p\": {\"value\": ", shot.value, "}}"),
    }
}
