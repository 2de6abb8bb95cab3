//! Functions of the template around an expression, and of the deployment around the template.

use super::{Family, Function, Run, Special};

/// Stands for every function whose name starts with `list`.
pub(super) const LIST: Function =
    host("list*", "resource, apiVersion?, body?", "Calls a `list...` operation of a resource.");

pub(super) const FUNCTIONS: &[Function] = &[
    special(
        "copyIndex",
        "loopOrOffset?, offset?",
        Special::CopyIndex,
        "Returns the iteration of a copy loop.",
    ),
    host("deployer", "", "Returns who deploys."),
    host("deployment", "", "Returns the deployment that is under way."),
    host("environment", "", "Returns what is known of the cloud that is deployed to."),
    host("extensions", "alias", "Returns an extension that the template configures."),
    host("externalInputs", "key", "Returns a value that was given from outside."),
    host("invokeResourceMethod", "resource, method, arguments...", "Calls a function of a resource."),
    LIST,
    host("managementGroup", "", "Returns the management group that is deployed to."),
    Function::new(
        Family::Deployment,
        "newGuid",
        "",
        Run::NewGuid,
        "Makes a random UUID, in the default value of a parameter.",
    ),
    special("parameters", "name", Special::Parameters, "Returns the value of a parameter."),
    host(
        "pickZones",
        "namespace, type, location, count?, offset?",
        "Returns zones in which a resource type can be deployed.",
    ),
    host("providers", "namespace, type?", "Returns what is known of a resource provider."),
    host("reference", "resource, apiVersion?, full?", "Returns the state of a resource."),
    host("references", "resources, full?", "Returns the states of the resources of a loop."),
    host("resourceGroup", "", "Returns the resource group that is deployed to."),
    host("resourceInfo", "resource", "Returns what the template says of a resource."),
    host("roleDefinitions", "name", "Returns a role by its name."),
    host("subscription", "", "Returns the subscription that is deployed to."),
    host("target", "full?", "Returns the state of the resource that is deployed, or null."),
    host("tenant", "", "Returns the tenant that is deployed to."),
    host("toLogicalZone", "subscription, location, zone", "Returns the logical zone of a physical one."),
    host("toLogicalZones", "subscription, location, zones", "Returns the logical zones of physical ones."),
    host("toPhysicalZone", "subscription, location, zone", "Returns the physical zone of a logical one."),
    host("toPhysicalZones", "subscription, location, zones", "Returns the physical zones of logical ones."),
    special("variables", "name", Special::Variables, "Returns the value of a variable."),
];

const fn host(name: &'static str, parameters: &'static str, doc: &'static str) -> Function {
    Function::new(Family::Deployment, name, parameters, Run::Host, doc)
}

const fn special(
    name: &'static str,
    parameters: &'static str,
    special: Special,
    doc: &'static str,
) -> Function {
    Function::new(Family::Deployment, name, parameters, Run::Special(special), doc)
}
