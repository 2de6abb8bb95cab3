//! Scopes: where a file, its resources and its modules are deployed to.

codes! {
    TARGET_SCOPE_TWICE "BCP112" Error "`targetScope` is given more than once";
    MODULE_SCOPE_IN_TENANT "BCP113" Error "a module cannot be deployed to this scope from a tenant" => "leave it out, or use `tenant()`, `managementGroup(name)`, `subscription(id)` or `resourceGroup(id, name)`";
    MODULE_SCOPE_IN_MANAGEMENT_GROUP "BCP114" Error "a module cannot be deployed to this scope from a management group" => "leave it out, or use `managementGroup()`, `managementGroup(name)`, `subscription(id)`, `tenant()` or `resourceGroup(id, name)`";
    MODULE_SCOPE_IN_SUBSCRIPTION "BCP115" Error "a module cannot be deployed to this scope from a subscription" => "leave it out, or use `subscription()`, `subscription(id)`, `resourceGroup(name)`, `resourceGroup(id, name)` or `tenant()`";
    MODULE_SCOPE_IN_RESOURCE_GROUP "BCP116" Error "a module cannot be deployed to this scope from a resource group" => "leave it out, or use `resourceGroup()`, `resourceGroup(name)`, `resourceGroup(id, name)`, `subscription()`, `subscription(id)` or `tenant()`";
    MODULE_SCOPE "BCP134" Error "the scope `{0}` is not valid for the module" => "it can be deployed to {1}";
    RESOURCE_SCOPE "BCP135" Error "the scope `{0}` is not valid for the resource type" => "it can be deployed to {1}";
    RESOURCE_SCOPE_DIFFERS "BCP139" Error "a resource must be deployed to the scope of its file" => "use a module for another scope";
    CHILD_SCOPE "BCP164" Error "a child resource has the scope of its parent" => "remove `scope`";
    PARENT_SCOPE "BCP165" Error "the resource would have the scope of `{0}`, and it must be deployed to the scope of its file" => "use a module for another scope";
    UNKNOWN_SCOPE_KIND "BCP420" Error "the kind of the scope cannot be determined at compile time" => "write it so that it does not depend on values";
}
