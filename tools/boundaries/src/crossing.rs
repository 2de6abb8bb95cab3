//! The crossings: the ways in which a value comes to a boundary of the product, with what each can carry.

use contract::Boundary;

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
    /// `loadYamlContent(FILE)`.
    Yaml,
    /// `json(readEnvironmentVariable(NAME))`.
    Environment,
    /// `externalInput('sys.file', ...)`.
    ExternalInput,
    /// `externalInput('test.answer')`, which a command answers.
    Command,
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

/// A page of the server with a form that takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// Checks a resource against its type.
    Check,
    /// Predicts a deployment.
    Playground,
}

/// How a type is changed that has a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Changed {
    /// `tendon resource-type update`, in a state of this machine.
    State,
    /// `tendon resource-type update --server`.
    Server,
    /// `PUT` of the version.
    Rest,
}

/// Whose record it is in a database that servers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stored {
    /// That of a resource of Radius.
    Radius,
    /// That of a resource whose type nobody describes.
    Open,
}

/// What a test says before its program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tested {
    /// `params`, the path of a parameters file.
    Parameters,
    /// `given`, resources.
    Resource,
    /// `given`, the path of an exported state.
    State,
}

/// What is put to change the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Registered {
    Group,
    Plane,
    Provider,
    Location,
    Type,
    Version,
    Credential,
}

/// How Thrift messages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Protocol {
    Binary,
    Compact,
    Json,
}

/// A way for a value to come to a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Crossing {
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
    /// The form of a page.
    Form(Form),
    /// A secret of a key vault that a parameters file refers to, answered by a mock.
    VaultSecret,
    /// `tendon check`.
    Check(Against, Source),
    /// Parameters and outputs of nested and linked deployments.
    Nested(Given),
    /// Parameters and outputs of modules.
    Module(Given),
    /// The default value of a parameter.
    Default(Program),
    /// The variable `BICEP_PARAMETERS_OVERRIDES` of `tendon build-params`.
    Overrides,
    /// The argument of a function.
    Argument,
    /// Arguments of the options that the engine knows, in a template.
    Option(Given),
    /// `@options` of a template as a whole.
    Options,
    /// The argument of a decorator that `bicepconfig.json` declares.
    Decorator(Given),
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
    /// A resource in a template without extensions.
    PlainType,
    /// A resource whose type nobody describes, in a deployment.
    OpenResource(Given),
    /// The envelope of a nested deployment.
    NestedEnvelope(Given),
    /// `PUT` of a resource whose type nobody describes.
    RestOpenResource,
    /// `PATCH` of a resource whose type nobody describes.
    RestPatch,
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
    /// A change of a type that has a resource.
    TypeChange(Changed),
    /// `tendon thrift validate`.
    ThriftValidate(Protocol),
    /// `tendon thrift proxy`.
    ThriftProxy(Protocol),
    /// A reply through `tendon thrift proxy --replies replace`.
    ThriftReply(Protocol),
    /// `extensionConfigs` of a parameters file.
    ExtensionFile,
    /// `extensionConfigs` of a request.
    ExtensionRest,
    /// A contract file.
    ContractFile(Source),
    /// `tendon state import`.
    StateImport,
    /// A record in a database that servers share, written by somebody else.
    SharedRecord(Stored),
    /// `PUT` of what the registry has besides resources.
    RestRegistry(Registered),
    /// `tendon test`.
    Test(Tested),
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

impl Crossing {
    /// All of them.
    pub fn all() -> Vec<Crossing> {
        Boundary::ALL.iter().flat_map(|boundary| Crossing::of(*boundary)).collect()
    }

    /// The ways to a boundary. One that is added to the product has none here, and this does not compile.
    pub fn of(boundary: Boundary) -> Vec<Crossing> {
        use Crossing as C;
        const PROGRAMS: [Program; 2] = [Program::Template, Program::Bicep];
        match boundary {
            Boundary::Parameter => C::parameters(),
            Boundary::Default => PROGRAMS.map(C::Default).to_vec(),
            Boundary::ExtensionSetting => vec![C::ExtensionFile, C::ExtensionRest],
            Boundary::NestedParameter => {
                use Given::{
                    Any, Expression, LinkedParameters, LinkedTemplate, Literal, Loop, Mock, RunTime,
                };
                let nested = [Literal, Expression, RunTime, LinkedTemplate, LinkedParameters].map(C::Nested);
                let modules = [Literal, Any, Expression, Loop, RunTime, Mock].map(C::Module);
                nested.into_iter().chain(modules).chain([C::RestRunTime]).collect()
            }
            Boundary::Argument => {
                use Given::{Any, Expression, Literal, RunTime};
                let options = [Literal, Expression, RunTime].map(C::Option);
                let decorators = [Literal, Any, Expression, RunTime].map(C::Decorator);
                [C::Argument, C::Options].into_iter().chain(options).chain(decorators).collect()
            }
            Boundary::FunctionResult => vec![C::Result],
            Boundary::Output => vec![C::Output, C::Nested(Given::Output), C::Module(Given::Output)],
            Boundary::Check => C::checks(),
            Boundary::Resource => {
                let mut all = vec![C::RestResource, C::RestDeployedResource, C::Test(Tested::Resource)];
                for source in [Source::Json, Source::Yaml] {
                    all.extend([C::ResourceCreate(source), C::ResourceCreateServer(source)]);
                }
                all.extend([Given::Literal, Given::Expression, Given::RunTime].map(C::DeployedResource));
                all.extend([false, true].map(C::UnknownType));
                all
            }
            Boundary::ProviderAnswer => vec![C::ProviderAnswer],
            Boundary::OpenResource => {
                let given = [Given::Literal, Given::Expression, Given::RunTime].map(C::OpenResource);
                let nested = [Given::Literal, Given::Expression, Given::RunTime].map(C::NestedEnvelope);
                let all = given.into_iter().chain(nested);
                all.chain([C::RestOpenResource, C::RestPatch, C::PlainType]).collect()
            }
            Boundary::ResourceType => {
                let mut all = [Source::Json, Source::Yaml].map(C::TypeValidate).to_vec();
                all.extend([C::TypeCreate, C::TypeUpdate, C::TypeCreateServer, C::RestType]);
                all.extend([Changed::State, Changed::Server, Changed::Rest].map(C::TypeChange));
                all
            }
            Boundary::RegistryRequest => {
                use Registered::{Credential, Group, Location, Plane, Provider, Type, Version};
                [Group, Plane, Provider, Location, Type, Version, Credential].map(C::RestRegistry).to_vec()
            }
            Boundary::Message => {
                let mut all =
                    [Protocol::Binary, Protocol::Compact, Protocol::Json].map(C::ThriftValidate).to_vec();
                all.extend([Protocol::Binary, Protocol::Compact].map(C::ThriftProxy));
                all
            }
            Boundary::Reply => [Protocol::Binary, Protocol::Compact].map(C::ThriftReply).to_vec(),
            Boundary::ImportedRecord => {
                vec![
                    C::StateImport,
                    C::SharedRecord(Stored::Radius),
                    C::SharedRecord(Stored::Open),
                    C::Test(Tested::State),
                ]
            }
        }
    }

    fn parameters() -> Vec<Crossing> {
        use Crossing as C;
        let mut all = Vec::new();
        for program in [Program::Template, Program::Bicep] {
            all.extend([
                C::Param(program),
                C::ParamFile(program),
                C::ParametersJson(program),
                C::ParametersYaml(program),
                C::PlainValues(program),
            ]);
            let assigned = [
                Assigned::Literal,
                Assigned::Any,
                Assigned::Text,
                Assigned::Json,
                Assigned::Yaml,
                Assigned::Environment,
                Assigned::ExternalInput,
                Assigned::Command,
            ];
            all.extend(assigned.map(|it| C::Assignment(it, program)));
        }
        all.extend([C::Validate, C::WhatIf, C::Snapshot, C::RestValidate, C::RestWhatIf, C::Overrides]);
        let levels = [Level::Group, Level::Subscription, Level::ManagementGroup, Level::Tenant, Level::Plane];
        all.extend(levels.map(C::RestDeployment));
        all.extend([C::RestExternalInput, C::DeployServer, C::VaultSecret, C::Form(Form::Playground)]);
        all.push(C::Test(Tested::Parameters));
        all
    }

    fn checks() -> Vec<Crossing> {
        use Crossing as C;
        let mut all = vec![C::Check(Against::Template, Source::Json)];
        for against in
            [Against::Program, Against::Parameter, Against::Radius, Against::Thrift, Against::Contract]
        {
            all.extend([Source::Json, Source::Yaml, Source::Input].map(|source| C::Check(against, source)));
        }
        all.push(C::Form(Form::Check));
        // A contract is a value, too: that of the words that contracts have.
        all.extend([Source::Json, Source::Yaml].map(C::ContractFile));
        all
    }

    /// Its name on the command line and in reports.
    pub fn name(self) -> String {
        format!("{self:?}").replace(['(', ')'], "-").replace(", ", "-").trim_end_matches('-').to_owned()
    }

    /// The kinds of contracts it has.
    pub fn dialects(self) -> &'static [Dialect] {
        use Crossing as C;
        use Dialect::{
            Answer, Arm, Change, Contract, Declared, Entry, Envelope, Extension, Open, OptionForm,
            OptionValue, Outside, Radius, Registry, Rules, Schema, Thrift, Unregistered,
        };
        match self {
            C::ParametersJson(_)
            | C::ParametersYaml(_)
            | C::Validate
            | C::WhatIf
            | C::Snapshot
            | C::RestValidate
            | C::RestWhatIf
            | C::RestDeployment(_)
            | C::DeployServer
            | C::Form(Form::Playground)
            | C::Test(Tested::Parameters)
            | C::Nested(Given::Literal | Given::LinkedTemplate | Given::LinkedParameters) => &[Arm, Entry],
            C::Param(_)
            | C::ParamFile(_)
            | C::PlainValues(_)
            | C::Assignment(..)
            | C::Check(Against::Template | Against::Program | Against::Parameter, _)
            | C::Nested(_)
            | C::Module(_)
            | C::Default(_)
            | C::Overrides
            | C::Argument
            | C::Result
            | C::Output
            | C::RestExternalInput
            | C::RestRunTime
            | C::VaultSecret => &[Arm],
            C::SharedRecord(_) => &[Open],
            C::OpenResource(_) | C::RestOpenResource | C::RestPatch => &[Open, Envelope],
            C::NestedEnvelope(_) => &[Envelope],
            C::Option(_) => &[OptionValue],
            C::Options => &[OptionForm],
            C::Decorator(_) => &[Declared],
            C::TypeChange(_) => &[Change],
            C::Check(Against::Radius, _)
            | C::Form(Form::Check)
            | C::ResourceCreate(_)
            | C::ResourceCreateServer(_)
            | C::RestResource
            | C::DeployedResource(_)
            | C::RestDeployedResource
            | C::Test(Tested::Resource | Tested::State)
            | C::StateImport => &[Radius],
            C::Check(Against::Thrift, _) | C::ThriftValidate(_) | C::ThriftProxy(_) | C::ThriftReply(_) => {
                &[Thrift]
            }
            C::Check(Against::Contract, _) => &[Contract],
            C::ProviderAnswer => &[Answer],
            C::UnknownType(_) => &[Unregistered],
            C::PlainType => &[Outside],
            C::TypeValidate(_) | C::TypeCreate | C::TypeUpdate | C::TypeCreateServer | C::RestType => {
                &[Schema]
            }
            C::ExtensionFile | C::ExtensionRest => &[Extension],
            C::ContractFile(_) => &[Rules],
            C::RestRegistry(_) => &[Registry],
        }
    }

    /// Whether the text is read as YAML, or may be: what comes through standard input is, if it is not JSON.
    pub fn reads_yaml(self) -> bool {
        use Crossing as C;
        match self {
            C::ParametersYaml(_)
            | C::Assignment(Assigned::Yaml, _)
            | C::TypeCreate
            | C::Form(Form::Check) => true,
            C::Check(_, source)
            | C::ResourceCreate(source)
            | C::ResourceCreateServer(source)
            | C::TypeValidate(source)
            | C::ContractFile(source) => source != Source::Json,
            _ => false,
        }
    }

    /// How it carries a value.
    pub fn carrier(self) -> Carrier {
        use Crossing as C;
        match self {
            C::Param(_) | C::Assignment(Assigned::Environment, _) | C::Overrides => Carrier::Argument,
            C::Assignment(Assigned::Literal | Assigned::Any, _)
            | C::Module(Given::Literal | Given::Any)
            | C::DeployedResource(Given::Literal)
            | C::Decorator(Given::Literal | Given::Any)
            | C::Default(Program::Bicep)
            | C::UnknownType(_) => Carrier::Literal,
            C::Nested(Given::Literal | Given::LinkedTemplate)
            | C::Default(Program::Template)
            | C::OpenResource(Given::Literal)
            | C::NestedEnvelope(Given::Literal)
            | C::Option(Given::Literal)
            | C::Options => Carrier::Template,
            C::Nested(Given::Expression | Given::RunTime | Given::Output)
            | C::Module(Given::Expression | Given::Loop | Given::RunTime | Given::Output)
            | C::DeployedResource(_)
            | C::OpenResource(_)
            | C::NestedEnvelope(_)
            | C::Option(_)
            | C::Decorator(_)
            | C::Argument
            | C::Result
            | C::Output
            | C::SharedRecord(_)
            | C::Test(Tested::Resource)
            | C::RestRunTime => Carrier::Text,
            C::ThriftValidate(_) | C::ThriftProxy(_) | C::ThriftReply(_) => Carrier::Wire,
            _ => Carrier::Bytes,
        }
    }
}
