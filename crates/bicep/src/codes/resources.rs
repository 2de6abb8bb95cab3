//! Resources: types, names, parents and existing ones.

codes! {
    RESOURCE_TYPE "BCP029" Error "this is not a resource type" => "write `<type>@<version>`";
    INTERPOLATED_RESOURCE_TYPE "BCP047" Error "a resource type cannot be interpolated";
    NO_TYPES "BCP081" Warning "there are no types for `{0}`, so its properties are not checked before the deployment";
    SAME_RESOURCE "BCP121" Error "the resources {0} have the same name" => "rename them or put them in different modules";
    TYPE_SEGMENT "BCP156" Error "`{0}` is not the type of a nested resource" => "write one segment, with or without `@<version>`";
    OUTER_TYPE "BCP157" Error "the resource type is unknown because the resource around it has errors";
    NOT_A_RESOURCE "BCP158" Error "a value of type `{0}` has no nested resources";
    NESTED_OF_NON_RESOURCE "BCP158" Error "only resources have nested resources that can be reached with `::`";
    NO_NESTED_RESOURCE "BCP159" Error "the resource `{0}` has no nested resource `{1}`";
    NESTED_IN_LOOP "BCP160" Error "a resource cannot be nested in one that is a loop";
    NAME_SEGMENTS "BCP169" Error "the name must have {0} `/`, one name for each segment of the type";
    CHILD_NAME "BCP170" Error "the name of a child resource must not have a `/`, its parent gives the rest";
    EXISTING_PROPERTY "BCP173" Error "the property `{0}` cannot be used on an existing resource";
    PROVIDERS_SEGMENT "BCP174" Warning "resource types with `/providers/` in them are not checked" => "use the property `scope`";
    LOOP_INVARIANT "BCP179" Warning "every iteration of the loop needs a name of its own" => "use {0} in {1}";
    TYPE_NOT_IN_NAMESPACE "BCP209" Error "the namespace `{0}` has no resource type `{1}`";
    PARENT_NAMESPACE "BCP210" Error "a resource of the namespace `{0}` cannot be a child of one of the namespace `{1}`";
    EXTENSION_TYPED "BCP227" Error "the type `{0}` of an extension cannot be used as the type of a parameter or output";
    RESOURCE_PARAMETER_AS_SCOPE "BCP229" Error "the parameter `{0}` cannot be used as the scope or parent of a resource";
    PARENT_VALUE "BCP240" Error "`parent` must name a resource directly";
    READ_ONLY_TYPE "BCP245" Warning "the resource type `{0}` can only be used with `existing`";
    READ_ONLY_TYPE_AT_SCOPE "BCP246" Warning "the resource type `{0}` can only be used with `existing` at this scope" => "it can be deployed to {1}";
    AMBIGUOUS_TYPE "BCP264" Error "the resource type `{0}` is declared in several namespaces" => "write one of {1} and `:` in front of it";
    LATE_IDENTITY "BCP307" Error "the existing resource `{0}` is not known when the deployment starts, so only {1} can be read";
    OUTPUT_RESOURCE "BCP320" Error "only the id, name, type and version of a resource output of a module can be read here" => "pass the resource to another module";
    NO_RESOURCE_TYPE "BCP392" Warning "the template names `{0}`, which is not a resource type";
    LATE_WITH_DEPENDENCIES "BCP433" Error "the existing resource `{0}` is not known when the deployment starts, so it cannot have explicit dependencies";
    DEPENDENCY_ON_LATE "BCP434" Error "the resource `{0}` cannot depend on `{1}` explicitly because that existing resource is not known when the deployment starts";
    WRITE_ONLY_TYPE "BCP441" Error "the resource type `{0}` cannot be used with `existing`";
}
