//! How a value is brought to each boundary.

mod check;
mod extensions;
mod modules;
mod nested;
mod parameters;
mod resources;
mod rest;
mod state;
pub(crate) mod thrift;
mod types;

use crate::Result;
use crate::attack::{Attack, Class, Dialect};
use crate::boundary::{Assigned, Boundary, Carrier, Given};
use crate::room::{Answer, Room, Shot};
use crate::value::Value;

/// Brings a value to a boundary.
pub(crate) fn send(boundary: Boundary, room: &mut Room<'_>, shot: &Shot<'_>) -> Result<Answer> {
    use Boundary as B;
    match boundary {
        B::Param(program) => parameters::param(room, shot, program),
        B::ParamFile(program) => parameters::param_file(room, shot, program),
        B::ParametersJson(program) => parameters::file(room, shot, program, false),
        B::ParametersYaml(program) => parameters::file(room, shot, program, true),
        B::PlainValues(program) => parameters::plain(room, shot, program),
        B::Assignment(assigned, program) => parameters::assignment(room, shot, assigned, program),
        B::Validate => parameters::predicted(room, shot, "validate"),
        B::WhatIf => parameters::predicted(room, shot, "what-if"),
        B::Snapshot => parameters::predicted(room, shot, "snapshot"),
        B::RestValidate => rest::predicted(room, shot, "validate"),
        B::RestWhatIf => rest::predicted(room, shot, "whatIf"),
        B::Check(against, source) => check::value(room, shot, against, source),
        B::ContractFile(source) => check::contract(room, shot, source),
        B::Nested(given) => nested::deployment(room, shot, given),
        B::Module(given) => modules::module(room, shot, given),
        B::Argument => modules::text(room, shot, "argument"),
        B::Result => modules::text(room, shot, "result"),
        B::Output => modules::text(room, shot, "giving"),
        B::RestDeployment(level) => rest::deployment(room, shot, level),
        B::RestExternalInput => rest::external_input(room, shot),
        B::RestRunTime => rest::run_time(room, shot),
        B::DeployServer => parameters::to_server(room, shot),
        B::ResourceCreate(source) => resources::create(room, shot, source),
        B::ResourceCreateServer(source) => resources::create_on_server(room, shot, source),
        B::RestResource => resources::put(room, shot),
        B::DeployedResource(given) => resources::deployed(room, shot, given),
        B::RestDeployedResource => resources::deployed_over_rest(room, shot),
        B::ProviderAnswer => resources::answered(room, shot),
        B::UnknownType(with_scope) => resources::unregistered(room, shot, with_scope),
        B::TypeValidate(source) => types::validate(room, shot, source),
        B::TypeCreate => types::create(room, shot),
        B::TypeUpdate => types::update(room, shot),
        B::TypeCreateServer => types::create_on_server(room, shot),
        B::RestType => types::put(room, shot),
        B::ThriftValidate(protocol) => thrift::validate(room, shot, protocol),
        B::ThriftProxy(protocol) => thrift::proxied(room, shot, protocol),
        B::ExtensionFile => extensions::file(room, shot),
        B::ExtensionRest => extensions::rest(room, shot),
        B::StateImport => state::import(room, shot),
    }
}

/// What the program keeps a value under once it has crossed the boundary; nothing where nothing is kept.
pub(crate) fn keeps(boundary: Boundary) -> bool {
    use crate::boundary::Level;
    use Boundary as B;
    !matches!(
        boundary,
        B::Validate
            | B::WhatIf
            | B::Snapshot
            | B::RestValidate
            | B::RestWhatIf
            | B::Check(..)
            | B::ContractFile(_)
            | B::Output
            | B::Nested(Given::Output)
            | B::RestDeployment(Level::Subscription | Level::ManagementGroup | Level::Tenant | Level::Plane)
            | B::TypeValidate(_)
            | B::TypeUpdate
            | B::RestType
            | B::ThriftValidate(_)
            | B::ThriftProxy(_)
            | B::ExtensionRest
            | B::StateImport
    )
}

/// Why a boundary cannot carry an attack, if it cannot.
pub(crate) fn cannot(boundary: Boundary, dialect: Dialect, attack: &Attack) -> Option<&'static str> {
    let unfit = |value: &Value| match boundary.carrier() {
        Carrier::Bytes => None,
        Carrier::Argument if value.json().len() > 120_000 => Some("an argument has at most 128 kB"),
        Carrier::Argument if value.json().contains(&0) => Some("an argument has no NUL"),
        Carrier::Argument if matches!(boundary, Boundary::Param(_)) && value.json_text().is_none() => {
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
        Boundary::DeployedResource(_)
            | Boundary::RestDeployedResource
            | Boundary::RestRunTime
            | Boundary::Module(Given::RunTime)
            | Boundary::Nested(Given::RunTime)
    );
    if attack.is_null_member && is_resource {
        return Some("a property of a resource that is null is the same as none");
    }
    let loads = matches!(boundary, Boundary::Assignment(Assigned::Text | Assigned::Json, _));
    if loads && attack.value.json_text().is_none() {
        return Some(
            "a file that is loaded is decoded as the compiler of Bicep does it, which replaces what is not UTF-8",
        );
    }
    if matches!(boundary, Boundary::Assignment(Assigned::Json | Assigned::Text, _))
        && attack.class == Class::TwiceExactly
    {
        return Some("of two members in a file that is loaded the last counts, as for the compiler of Bicep");
    }
    if attack.is_yaml && boundary.reads_yaml() {
        return Some("YAML has a meaning for it");
    }
    if boundary == Boundary::StateImport && dialect == Dialect::Radius && attack.value.is_raw() {
        return Some("a line of an export is JSON, and tried as a whole elsewhere");
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
