//! Validators: functions of a program that decorate what they decide about.

codes! {
    VALIDATOR_ARGUMENT "validator-argument" Error "`{0}` cannot be used in an argument of the validator `{1}`{2}" => "{3}";
    VALIDATOR_FAILED "validator-failed" Warning "the value would be refused{0}";
    HIDDEN_SECURE "validator-hides-secure" Warning "`{0}` hides the built-in decorator of that name, which marks secrets" => "give it another name, and write `@sys.secure()` where the built-in decorator is meant";
    VALIDATOR_PLACE "validator-place" Error "the validator `{0}` cannot be used here" => "validators decorate parameters, outputs, types, properties of object types and items of tuples";
    VALIDATOR_RESULT "validator-result" Error "the function `{0}` cannot be used as a decorator because it returns `{1}`" => "a validator returns `{2}`, or is declared to return `object`";
    VALIDATOR_VALUE "validator-value" Error "the function `{0}` cannot be used as a decorator because it has no parameter" => "the first parameter of a validator takes the value that it decides about";
}
