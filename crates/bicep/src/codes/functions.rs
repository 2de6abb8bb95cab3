//! Functions: which exist, what they take, and where they can be called.

codes! {
    NO_OVERLOAD "BCP048" Error "no overload of the function takes an argument of type `{0}` here: {1}";
    NOT_A_FUNCTION "BCP059" Error "`{0}` is not a function";
    VARIABLES_FUNCTION "BCP060" Error "the function `{0}` is not supported" => "write the name of the variable";
    PARAMETERS_FUNCTION "BCP061" Error "the function `{0}` is not supported" => "write the name of the parameter";
    DEFAULT_VALUES_ONLY "BCP065" Error "the function `{0}` can only be used in the default value of a parameter";
    BODIES_ONLY "BCP066" Error "the function `{0}` can only be used in the body of a resource or module";
    METHOD_OF_NON_OBJECT "BCP067" Error "a value of type `{0}` has no functions, expected an object";
    OPERATOR_FUNCTION "BCP069" Error "the function `{0}` is not supported" => "use the operator `{1}`";
    ARGUMENT_TYPE "BCP070" Error "an argument of type `{0}` cannot be given for a parameter of type `{1}`";
    ARGUMENT_COUNT "BCP071" Error "expected {0}, found {1}";
    IF_FUNCTION "BCP100" Error "the function `{0}` is not supported" => "use the operator `? :`";
    CREATE_ARRAY_FUNCTION "BCP101" Error "the function `{0}` is not supported" => "write an array literal";
    CREATE_OBJECT_FUNCTION "BCP102" Error "the function `{0}` is not supported" => "write an object literal";
    NO_FUNCTION_IN_NAMESPACE "BCP107" Error "the namespace `{0}` has no function `{1}`";
    NO_FUNCTION_IN_NAMESPACE_NEAR "BCP108" Error "the namespace `{0}` has no function `{1}`" => "did you mean `{2}`?";
    NO_METHOD "BCP109" Error "the type `{0}` has no function `{1}`";
    NO_METHOD_NEAR "BCP110" Error "the type `{0}` has no function `{1}`" => "did you mean `{2}`?";
    SECURE_PARAMETER_ONLY "BCP180" Error "the function `{0}` can only be used as the value of a secure parameter of a module";
    FUNCTION_FAILED "BCP234" Warning "the function `{0}` fails for [{1}]: {2}";
    PROVIDERS_FUNCTION "BCP241" Warning "the function `{0}` is deprecated and will be removed";
    LAMBDA_PLACE "BCP242" Error "a lambda can only be used as an argument of a function";
    LAMBDA_VARIABLE_IN_INDEX "BCP247" Error "the index of a resource or module collection cannot use lambda variables, found {0}";
    LAMBDA_VARIABLE_IN_FUNCTION "BCP248" Error "the function `{0}` cannot use lambda variables, found {1}";
    SHADOWED_FUNCTION "BCP265" Error "`{0}` is not a function" => "did you mean `{1}.{0}`?";
    DIRECT_ONLY "BCP351" Error "the function `{0}` can only be used as the whole value of a parameter";
    NAMELESS "BCP408" Error "`nameof` takes an expression that has a name";
    MAYBE_MISSING "BCP422" Warning "the resource of type `{0}` may not exist, and then this call fails";
}
