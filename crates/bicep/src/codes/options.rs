//! Decorators that become options of the deployment engine.

codes! {
    DECORATOR_DECLARATION "decorator-declaration" Error "{0} declares the decorator `{1}` in a wrong way: {2}";
    INVALID_DURATION "invalid-duration" Error "`{0}` is not an ISO 8601 duration" => "write it as `PT30S`, `PT20M` or `P1DT2H`";
    OPTION_ON_EXISTING "option-on-existing" Error "the decorator `{0}` cannot be used on an existing resource, because nothing is deployed" => "only `nullIfNotFound` can";
    OTHER_EXTENSION "other-extension" Error "the decorator `{0}` is for resources of the extension `{1}`";
}
