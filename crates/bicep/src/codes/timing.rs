//! Values that must be known before the deployment, or when it starts.

codes! {
    DEFAULT_REFERENCE "BCP072" Error "the default value of a parameter can only refer to other parameters";
    RUNTIME_IN_PROPERTY "BCP120" Error "the property `{0}` of type `{1}` takes a value that is known when the deployment starts{2}";
    RUNTIME_IN_CONDITION "BCP177" Error "a condition takes a value that is known when the deployment starts{0}";
    RUNTIME_IN_LOOP "BCP178" Error "a loop takes a value that is known when the deployment starts{0}";
    RUNTIME_IN_ARGUMENT "BCP181" Error "the function `{0}` takes arguments that are known when the deployment starts{1}";
    RUNTIME_IN_VARIABLE_LOOP "BCP182" Error "the loop of the variable `{0}` takes values that are known when the deployment starts{1}";
    RUNTIME_IN_FUNCTION "BCP341" Error "a function takes values that are known when the deployment starts{0}";
    RUNTIME_IN_EARLY_ARGUMENT "BCP432" Error "the argument of `{0}` must be known when the deployment starts{1}";
    RUNTIME_IN_CONFIGURATION "BCP444" Error "the configuration of an extension takes values that are known when the deployment starts{0}";
}
