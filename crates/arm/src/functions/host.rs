//! Functions of the template around an expression, and of the deployment around the template.

use super::{Function, FunctionBody, Special, Stage, Stages, special};

/// Where what a deployment needs to start is not yet fixed.
const PLANNED: Stages = Stages::of(&[Stage::Variable, Stage::Structure, Stage::Resource, Stage::Output]);

/// Stands for every function whose name starts with `list`.
pub(super) const LIST: Function =
    host("list*", "resource, apiVersion?, body?", "Calls a `list...` operation of a resource.")
        .only(Stages::RUN_TIME);

pub(super) const FUNCTIONS: &[Function] = &[
    special(
        "copyIndex",
        "loopOrOffset?, offset?",
        Special::CopyIndex,
        "Returns the iteration of a copy loop.",
    )
    .only(PLANNED),
    host("deployer", "", "Returns who deploys.").only(Stages::TEMPLATE),
    host("deployment", "", "Returns the deployment that is under way.").only(Stages::TEMPLATE),
    host("environment", "", "Returns what is known of the cloud that is deployed to.").only(Stages::TEMPLATE),
    host("extensions", "alias", "Returns an extension that the template configures.").only(Stages::RUN_TIME),
    host("externalInputs", "key", "Returns a value that was given from outside.")
        .only(Stages::PARAMETERS_FILE),
    host("invokeResourceMethod", "resource, method, arguments...", "Calls a function of a resource.")
        .only(Stages::RUN_TIME),
    LIST,
    host("managementGroup", "", "Returns the management group that is deployed to.").only(Stages::TEMPLATE),
    Function::new(
        "newGuid",
        "",
        FunctionBody::NewGuid,
        "Makes a random UUID, in the default value of a parameter.",
    )
    .only(Stages::PARAMETER),
    special("parameters", "name", Special::Parameters, "Returns the value of a parameter.")
        .only(Stages::TEMPLATE),
    host(
        "pickZones",
        "namespace, type, location, count?, offset?",
        "Returns zones in which a resource type can be deployed.",
    )
    .only(PLANNED),
    host("providers", "namespace, type?", "Returns what is known of a resource provider.").only(PLANNED),
    host("reference", "resource, apiVersion?, full?", "Returns the state of a resource.")
        .only(Stages::RUN_TIME),
    host("references", "resources, full?", "Returns the states of the resources of a loop.")
        .only(Stages::RUN_TIME),
    host("resourceGroup", "", "Returns the resource group that is deployed to.").only(Stages::TEMPLATE),
    host("resourceInfo", "resource", "Returns what the template says of a resource.").only(PLANNED),
    host("roleDefinitions", "name", "Returns a role by its name.").only(PLANNED),
    host("subscription", "", "Returns the subscription that is deployed to.").only(Stages::TEMPLATE),
    host("target", "full?", "Returns the state of the resource that is deployed, or null.")
        .only(Stages::of(&[Stage::Resource])),
    host("tenant", "", "Returns the tenant that is deployed to.").only(Stages::TEMPLATE),
    host("toLogicalZone", "subscription, location, zone", "Returns the logical zone of a physical one.")
        .only(PLANNED),
    host("toLogicalZones", "subscription, location, zones", "Returns the logical zones of physical ones.")
        .only(PLANNED),
    host("toPhysicalZone", "subscription, location, zone", "Returns the physical zone of a logical one.")
        .only(PLANNED),
    host("toPhysicalZones", "subscription, location, zones", "Returns the physical zones of logical ones.")
        .only(PLANNED),
    special("variables", "name", Special::Variables, "Returns the value of a variable.")
        .only(Stages::DEPLOYMENT),
];

const fn host(name: &'static str, parameters: &'static str, doc: &'static str) -> Function {
    Function::new(name, parameters, FunctionBody::Host, doc)
}
