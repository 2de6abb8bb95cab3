//! What needs an experimental feature, and what such features bring.

codes! {
    RESOURCE_TYPED "BCP231" Error "parameters and outputs of a resource type require the feature `resourceTypedParamsAndOutputs`";
    NO_TESTS "BCP348" Error "tests require the feature `testFramework`";
    NO_ASSERTS "BCP349" Error "assertions require the feature `assertions`";
    ASSERT_VALUE "BCP350" Error "the value of an assertion must be a `bool`, found a value of type `{0}`";
    USING_WITH "BCP435" Error "`using ... with` requires the feature `deployCommands`";
    WITH_REQUIRED "BCP443" Error "`using` requires `with` when the feature `deployCommands` is on";
    NOT_IN_TEST_FILES "not-in-test-file" Error "a test file cannot have `{0}`, because it deploys nothing itself" => "declare it in the program that is tested";
}
