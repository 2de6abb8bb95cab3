//! Modules: what they give, and what they take.

codes! {
    MODULE_HAS_ERRORS "BCP104" Error "the referenced file has errors";
    SAME_MODULE "BCP122" Error "the modules {0} have the same name and the same scope" => "rename them or put them in different modules";
    MODULE_NO_TYPES "BCP230" Warning "the module uses `{0}`, for which there are no types, so its properties are not checked before the deployment";
    MODULE_TARGET "BCP277" Error "a module must be a Bicep file or a template";
    SECURE_LOCAL "BCP421" Error "the module `{0}` has secure outputs, which are not supported in a local deployment";
    MISSING_CONFIGURATIONS "BCP424" Error "extensions of the template require a configuration: {0}";
    UNDECLARED_EXTENSION "BCP425" Error "the template has no extension `{0}`";
    SECURE_INDIRECT "BCP426" Error "a secure output can only be read directly from the module";
    CONFIGURATION_VALUE "BCP431" Error "the configuration of `{0}` must be an object literal or the configuration of an extension of this file";
}
