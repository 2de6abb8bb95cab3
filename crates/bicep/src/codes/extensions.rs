//! Extensions and the namespaces they bring.

codes! {
    UNKNOWN_EXTENSION "BCP204" Error "the extension `{0}` is not configured";
    NO_CONFIGURATION "BCP205" Error "the extension `{0}` does not take a configuration";
    CONFIGURATION_REQUIRED "BCP206" Error "the extension `{0}` requires a configuration";
    DUPLICATE_NAMESPACE "BCP207" Error "the extension `{0}` is declared more than once" => "remove the others";
    UNKNOWN_NAMESPACE "BCP208" Error "the namespace `{0}` does not exist" => "the namespaces are {1}";
    INTERPOLATED_EXTENSION "BCP303" Error "an extension must be a constant" => "remove the interpolation";
    EXTENSION_TYPES "BCP396" Error "the types of the extension `{0}` cannot be read: {1}";
    IMPLICIT_EXTENSION "BCP397" Error "the extension `{0}` is listed in `implicitExtensions`, but not in `extensions`";
    EXTENSION_CONFIGURED_WRONG "BCP398" Error "the extension `{0}` is configured as built-in, but there is no built-in extension of that name";
    GRAPH_RETIRED "BCP407" Error "the built-in extension `microsoftGraph` is retired" => "use the one from a registry";
    EXTENSION_REFERENCE "BCP418" Error "an extension cannot be used as a value here";
    RESERVED_EXTENSION "BCP419" Error "the name `sys` is reserved for a namespace, so it cannot be an extension";
    ALIAS_REQUIRED "BCP423" Error "an extension that is given by a reference requires an alias" => "write `as` and a name";
}
