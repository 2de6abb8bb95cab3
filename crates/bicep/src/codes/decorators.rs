//! Decorators: which exist, what they decorate, and what they take.

codes! {
    ALLOWED_EMPTY "BCP099" Error "`allowed` needs at least one value";
    DECORATOR_TARGET "BCP124" Error "the decorator `{0}` can be used on type `{1}`, found type `{2}`";
    NOT_FOR_PARAMETERS "BCP125" Error "the function `{0}` cannot be used as a decorator of a parameter";
    NOT_FOR_VARIABLES "BCP126" Error "the function `{0}` cannot be used as a decorator of a variable";
    NOT_FOR_RESOURCES "BCP127" Error "the function `{0}` cannot be used as a decorator of a resource";
    NOT_FOR_MODULES "BCP128" Error "the function `{0}` cannot be used as a decorator of a module";
    NOT_FOR_OUTPUTS "BCP129" Error "the function `{0}` cannot be used as a decorator of an output";
    DECORATORS_NOT_ALLOWED "BCP130" Error "decorators are not allowed here";
    EXPECTED_DECLARATION "BCP132" Error "expected a declaration after the decorator";
    NOT_CALLABLE "BCP141" Error "the expression cannot be used as a decorator because it cannot be called";
    EXPECTED_PARAMETER "BCP147" Error "expected a parameter after the decorator";
    EXPECTED_RESOURCE "BCP149" Error "expected a resource after the decorator";
    NOT_A_DECORATOR "BCP152" Error "the function `{0}` is not a decorator";
    EXPECTED_RESOURCE_OR_MODULE "BCP153" Error "expected a resource or module after the decorator";
    BATCH_SIZE "BCP154" Error "the batch size must be at least {0}, found {1}";
    BATCH_TARGET "BCP155" Error "the decorator `{0}` can only be used on resource and module collections";
    DUPLICATE_DECORATOR "BCP166" Error "the decorator `{0}` is given more than once";
    NEGATIVE_LENGTH "BCP168" Error "a length must not be negative";
    NOT_FOR_METADATA "BCP269" Error "the function `{0}` cannot be used as a decorator of metadata";
    EXPECTED_DATA "BCP292" Error "expected a parameter, output or type after the decorator";
    DECORATOR_ON_LITERAL "BCP295" Error "the decorator `{0}` cannot be used on literal types and unions of them";
    NOT_FOR_TYPES "BCP297" Error "the function `{0}` cannot be used as a decorator of a type";
    DECORATOR_ON_ALIAS "BCP308" Error "the decorator `{0}` cannot be used where the type is a declared one";
    SEALED_WITH_ADDITIONAL "BCP316" Error "`sealed` cannot be used on object types with `*`";
    MIN_ABOVE_MAX "BCP331" Error "`{0}` must not be greater than `{2}`, found {1} and {3}";
    EXPORT_TARGET "BCP361" Error "`@export()` can only be used on declarations at the top level of a file";
    DISCRIMINATOR_TARGET "BCP363" Error "`discriminator` can only be used on unions of several object types";
    DISCRIMINATOR_PROPERTY "BCP364" Error "every member of the union needs a required property `{0}` whose type is one string";
    DISCRIMINATOR_TWICE "BCP365" Error "the value `{1}` of the discriminator `{0}` is used by more than one member of the union";
    OTHER_DISCRIMINATOR "BCP366" Error "the members of the union already have the discriminator `{0}`";
    DECORATOR_ON_DERIVED "BCP386" Error "the decorator `{0}` cannot be used where the type comes from a resource type";
    SECURE_TARGET "BCP440" Error "`secure` can only be used on types whose values are all strings or all objects";
    NULL_IF_NOT_FOUND "BCP445" Error "`nullIfNotFound` can only be used on existing resources";
}
