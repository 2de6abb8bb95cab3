//! The boundaries: one row each, with its contract and what it can carry.

use crate::attack::Dialect;

/// What a template or a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Program {
    /// A template in JSON.
    Template,
    /// A program in Bicep.
    Bicep,
}

/// How a value of a `.bicepparam` file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Assigned {
    /// A literal.
    Literal,
    /// `any(LITERAL)`.
    Any,
    /// `json(loadTextContent(FILE))`.
    Text,
    /// `loadJsonContent(FILE)`.
    Json,
    /// `json(readEnvironmentVariable(NAME))`.
    Environment,
    /// `externalInput('sys.file', ...)`.
    ExternalInput,
}

/// Where a deployment goes over REST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Level {
    Group,
    Subscription,
    ManagementGroup,
    Tenant,
    Plane,
}

/// Where a value that is checked comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Source {
    Json,
    Yaml,
    Input,
}

/// What `tendon check` checks a value against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Against {
    Template,
    Program,
    Parameter,
    Radius,
    Thrift,
    Contract,
}

/// How a value gets into a nested deployment or a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Given {
    /// As a literal.
    Literal,
    /// As `any(LITERAL)`.
    Any,
    /// By an expression that is known before the deployment.
    Expression,
    /// In a loop.
    Loop,
    /// By a property of a resource that is there only when it was deployed.
    RunTime,
    /// By a property that a mock answers.
    Mock,
    /// In a template that is linked, as a literal.
    LinkedTemplate,
    /// In a parameters file that is linked.
    LinkedParameters,
    /// As an output.
    Output,
}

/// How Thrift messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Protocol {
    Binary,
    Compact,
    Json,
}

/// A place where a value that somebody else wrote becomes one that the product acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Boundary {
    /// `--param NAME=VALUE`.
    Param(Program),
    /// `--param NAME=@FILE`.
    ParamFile(Program),
    /// `--parameters FILE.json`.
    ParametersJson(Program),
    /// `--parameters FILE.yaml`.
    ParametersYaml(Program),
    /// `--parameters FILE.json` with values by name.
    PlainValues(Program),
    /// `--parameters FILE.bicepparam`.
    Assignment(Assigned, Program),
    /// `tendon validate`.
    Validate,
    /// `tendon what-if`.
    WhatIf,
    /// `tendon snapshot`.
    Snapshot,
    /// `POST .../validate`.
    RestValidate,
    /// `POST .../whatIf`.
    RestWhatIf,
    /// `tendon check`.
    Check(Against, Source),
    /// Parameters and outputs of nested and linked deployments.
    Nested(Given),
    /// Parameters and outputs of modules.
    Module(Given),
    /// The argument of a function.
    Argument,
    /// The result of a function.
    Result,
    /// The output of a template.
    Output,
    /// `PUT` of a deployment.
    RestDeployment(Level),
    /// `externalInputValues` of a request.
    RestExternalInput,
    /// A run-time value of a nested deployment over REST.
    RestRunTime,
    /// `tendon deploy --server`.
    DeployServer,
    /// `tendon resource create`.
    ResourceCreate(Source),
    /// `tendon resource create --server`.
    ResourceCreateServer(Source),
    /// `PUT` of a Radius resource.
    RestResource,
    /// A Radius resource in a deployment.
    DeployedResource(Given),
    /// A Radius resource in a deployment over REST.
    RestDeployedResource,
    /// What a mock answers for the read-only members of a Radius resource.
    ProviderAnswer,
    /// Resources of types without a contract in a deployment, without and with a scope.
    UnknownType(bool),
    /// `tendon resource-type validate`.
    TypeValidate(Source),
    /// `tendon resource-type create`.
    TypeCreate,
    /// `tendon resource-type update`.
    TypeUpdate,
    /// `tendon resource-type create --server`.
    TypeCreateServer,
    /// `PUT` of a version of a type.
    RestType,
    /// `tendon thrift validate`.
    ThriftValidate(Protocol),
    /// `tendon thrift proxy`.
    ThriftProxy(Protocol),
    /// `extensionConfigs` of a parameters file.
    ExtensionFile,
    /// `extensionConfigs` of a request.
    ExtensionRest,
    /// A contract file.
    ContractFile(Source),
    /// `tendon state import`.
    StateImport,
}

/// How a boundary carries a value, which decides what can be sent over it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// As JSON, byte for byte.
    Bytes,
    /// As an argument or a variable of a process: no NUL, at most 128 kB.
    Argument,
    /// As a text of JSON inside another document: whatever is UTF-8.
    Text,
    /// As a part of a template: JSON, in which texts may be expressions.
    Template,
    /// As a literal of Bicep.
    Literal,
    /// As a Thrift message.
    Wire,
}

impl Boundary {
    /// All of them.
    pub fn all() -> Vec<Boundary> {
        use Boundary as B;
        let mut all = Vec::new();
        for program in [Program::Template, Program::Bicep] {
            all.extend([
                B::Param(program),
                B::ParamFile(program),
                B::ParametersJson(program),
                B::ParametersYaml(program),
                B::PlainValues(program),
            ]);
            let assigned = [
                Assigned::Literal,
                Assigned::Any,
                Assigned::Text,
                Assigned::Json,
                Assigned::Environment,
                Assigned::ExternalInput,
            ];
            all.extend(assigned.map(|it| B::Assignment(it, program)));
        }
        all.extend([B::Validate, B::WhatIf, B::Snapshot, B::RestValidate, B::RestWhatIf]);
        for against in
            [Against::Program, Against::Parameter, Against::Radius, Against::Thrift, Against::Contract]
        {
            all.extend([Source::Json, Source::Yaml, Source::Input].map(|source| B::Check(against, source)));
        }
        all.push(B::Check(Against::Template, Source::Json));
        let nested = [
            Given::Literal,
            Given::Expression,
            Given::RunTime,
            Given::LinkedTemplate,
            Given::LinkedParameters,
            Given::Output,
        ];
        all.extend(nested.map(B::Nested));
        let modules = [
            Given::Literal,
            Given::Any,
            Given::Expression,
            Given::Loop,
            Given::RunTime,
            Given::Mock,
            Given::Output,
        ];
        all.extend(modules.map(B::Module));
        all.extend([B::Argument, B::Result, B::Output]);
        let levels = [Level::Group, Level::Subscription, Level::ManagementGroup, Level::Tenant, Level::Plane];
        all.extend(levels.map(B::RestDeployment));
        all.extend([B::RestExternalInput, B::RestRunTime, B::DeployServer]);
        for source in [Source::Json, Source::Yaml] {
            all.extend([B::ResourceCreate(source), B::ResourceCreateServer(source), B::TypeValidate(source)]);
            all.push(B::ContractFile(source));
        }
        all.push(B::RestResource);
        all.extend([Given::Literal, Given::Expression, Given::RunTime].map(B::DeployedResource));
        all.extend([B::RestDeployedResource, B::ProviderAnswer, B::UnknownType(false), B::UnknownType(true)]);
        all.extend([B::TypeCreate, B::TypeUpdate, B::TypeCreateServer, B::RestType]);
        all.extend([Protocol::Binary, Protocol::Compact, Protocol::Json].map(B::ThriftValidate));
        all.extend([Protocol::Binary, Protocol::Compact].map(B::ThriftProxy));
        all.extend([B::ExtensionFile, B::ExtensionRest, B::StateImport]);
        all
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> String {
        format!("{self:?}").replace(['(', ')'], "-").replace(", ", "-").trim_end_matches('-').to_owned()
    }

    /// The kinds of contracts it has.
    pub fn dialects(self) -> &'static [Dialect] {
        use Boundary as B;
        use Dialect::{Answer, Arm, Contract, Entry, Extension, Radius, Rules, Schema, Thrift, Unregistered};
        match self {
            B::ParametersJson(_)
            | B::ParametersYaml(_)
            | B::Validate
            | B::WhatIf
            | B::Snapshot
            | B::RestValidate
            | B::RestWhatIf
            | B::RestDeployment(_)
            | B::DeployServer
            | B::Nested(Given::Literal | Given::LinkedTemplate | Given::LinkedParameters) => &[Arm, Entry],
            B::Param(_)
            | B::ParamFile(_)
            | B::PlainValues(_)
            | B::Assignment(..)
            | B::Check(Against::Template | Against::Program | Against::Parameter, _)
            | B::Nested(_)
            | B::Module(_)
            | B::Argument
            | B::Result
            | B::Output
            | B::RestExternalInput
            | B::RestRunTime => &[Arm],
            B::Check(Against::Radius, _)
            | B::ResourceCreate(_)
            | B::ResourceCreateServer(_)
            | B::RestResource
            | B::DeployedResource(_)
            | B::RestDeployedResource
            | B::StateImport => &[Radius],
            B::Check(Against::Thrift, _) | B::ThriftValidate(_) | B::ThriftProxy(_) => &[Thrift],
            B::Check(Against::Contract, _) => &[Contract],
            B::ProviderAnswer => &[Answer],
            B::UnknownType(_) => &[Unregistered],
            B::TypeValidate(_) | B::TypeCreate | B::TypeUpdate | B::TypeCreateServer | B::RestType => {
                &[Schema]
            }
            B::ExtensionFile | B::ExtensionRest => &[Extension],
            B::ContractFile(_) => &[Rules],
        }
    }

    /// Whether the text is read as YAML, or may be: what comes through standard input is, if it is not JSON.
    pub fn reads_yaml(self) -> bool {
        use Boundary as B;
        match self {
            B::ParametersYaml(_) | B::TypeCreate => true,
            B::Check(_, source)
            | B::ResourceCreate(source)
            | B::ResourceCreateServer(source)
            | B::TypeValidate(source)
            | B::ContractFile(source) => source != Source::Json,
            _ => false,
        }
    }

    /// How it carries a value.
    pub fn carrier(self) -> Carrier {
        use Boundary as B;
        match self {
            B::Param(_) | B::Assignment(Assigned::Environment, _) => Carrier::Argument,
            B::Assignment(Assigned::Literal | Assigned::Any, _)
            | B::Module(Given::Literal | Given::Any)
            | B::DeployedResource(Given::Literal)
            | B::UnknownType(_) => Carrier::Literal,
            B::Nested(Given::Literal | Given::LinkedTemplate) => Carrier::Template,
            B::Nested(Given::Expression | Given::RunTime | Given::Output)
            | B::Module(Given::Expression | Given::Loop | Given::RunTime | Given::Output)
            | B::DeployedResource(_)
            | B::Argument
            | B::Result
            | B::Output
            | B::RestRunTime => Carrier::Text,
            B::ThriftValidate(_) | B::ThriftProxy(_) => Carrier::Wire,
            _ => Carrier::Bytes,
        }
    }
}
