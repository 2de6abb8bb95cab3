//! What the checks can say: one row per code, with its severity and the sentence. `{0}`, `{1}`... are the arguments.
//!
//! Codes and severities are those of the reference compiler, the sentences are our own.

use std::fmt::Display;

use syntax::Span;

use crate::finding::{Finding, Severity};

/// A code with its sentence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) code: &'static str,
    severity: Severity,
    text: &'static str,
}

impl Rule {
    /// The finding at a place; arguments fill the numbered holes of the sentence.
    pub(crate) fn at(self, span: Span, arguments: &[&dyn Display]) -> Finding {
        let mut message = String::with_capacity(self.text.len() + 16);
        let mut rest = self.text;
        while let Some((before, after)) = rest.split_once('{') {
            message.push_str(before);
            let (hole, after) = after.split_once('}').unwrap_or((after, ""));
            let argument = hole.parse::<usize>().ok().and_then(|place| arguments.get(place));
            if let Some(argument) = argument {
                message.push_str(&argument.to_string());
            }
            rest = after;
        }
        message.push_str(rest);
        Finding { span, code: self.code, severity: self.severity, message: message.into() }
    }

    /// The same rule, as a warning where `warn` says so.
    pub(crate) fn or_warning(self, warn: bool) -> Rule {
        if warn { Rule { severity: Severity::Warning, ..self } } else { self }
    }

    /// The same rule, as an information where `info` says so.
    pub(crate) fn or_info(self, info: bool) -> Rule {
        if info { Rule { severity: Severity::Info, ..self } } else { self }
    }
}

/// How many names a sentence lists; hundreds of findings can have a list of thousands.
const MAX_LISTED: usize = 200;

/// Names in backticks, with commas between them.
pub(crate) fn list<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    let mut names = names.into_iter();
    for name in names.by_ref().take(MAX_LISTED) {
        text.push_str(if text.is_empty() { "`" } else { ", `" });
        text.push_str(&name.to_string());
        text.push('`');
    }
    match names.count() {
        0 => {}
        more => text.push_str(&format!(" and {more} more")),
    }
    text
}

macro_rules! rules {
    ($($name:ident $code:literal $severity:ident $text:literal;)*) => {
        $(pub(crate) const $name: Rule = Rule { code: $code, severity: Severity::$severity, text: $text };)*

        /// All rules.
        #[cfg(test)]
        const ALL: &[Rule] = &[$($name,)*];
    };
}

rules! {
    INTEGER_TOO_LARGE "BCP010" Error "the number does not fit in 64 bits with a sign";
    DUPLICATE_PROPERTY "BCP025" Error "the property `{0}` is given more than once, remove or rename the others";
    DUPLICATE_NAME "BCP028" Error "the name `{0}` is declared more than once, remove or rename the others";
    RESOURCE_TYPE "BCP029" Error "this is no resource type, write `type@version`";
    OUTPUT_TYPE "BCP030" Error "this is no type for an output, the types are {0}";
    PARAMETER_TYPE "BCP031" Error "this is no type for a parameter, the types are {0}";
    CONSTANT_REQUIRED "BCP032" Error "the value must be known when the program is compiled";
    VALUE_TYPE "BCP033" Error "expected a value of type `{0}`, found one of type `{1}`";
    ITEM_TYPE "BCP034" Error "the array takes items of type `{0}`, found one of type `{1}`";
    MISSING_PROPERTIES "BCP035" Error "the {0} lacks the required properties {1}{2}";
    PROPERTY_TYPE "BCP036" Error "the property `{0}` takes a value of type `{1}`, found one of type `{2}`{3}";
    EXTRA_PROPERTY "BCP037" Error "the property `{0}` is not allowed on objects of type `{1}`{2}";
    INTERPOLATED_KEY "BCP040" Error "keys of objects of type `{0}` cannot be interpolated{1}";
    VARIABLE_VALUE "BCP041" Error "a value of type `{0}` cannot be kept in a variable";
    UNARY_OPERAND "BCP044" Error "the operator `{0}` cannot be applied to a value of type `{1}`";
    BINARY_OPERANDS "BCP045" Error "the operator `{0}` cannot be applied to values of types `{1}` and `{2}`{3}";
    EXPECTED_TYPE "BCP046" Error "expected a value of type `{0}`";
    INTERPOLATED_RESOURCE_TYPE "BCP047" Error "a resource type cannot be interpolated";
    NO_OVERLOAD "BCP048" Error "no way to call the function takes an argument of type `{0}` here: {1}";
    INDEX_KIND "BCP049" Error "an index is a `string` or an `int`, found `{0}`";
    UNKNOWN_PROPERTY "BCP052" Error "the type `{0}` has no property `{1}`";
    UNKNOWN_PROPERTY_LIST "BCP053" Error "the type `{0}` has no property `{1}`, it has {2}";
    NO_PROPERTIES "BCP054" Error "the type `{0}` has no properties";
    PROPERTY_OF_NON_OBJECT "BCP055" Error "a value of type `{0}` has no properties, an object is needed";
    NOT_A_FUNCTION "BCP059" Error "`{0}` is no function";
    DECLARATION_HAS_ERRORS "BCP062" Error "the declaration of `{0}` has errors";
    NOT_A_VALUE "BCP063" Error "`{0}` is no parameter, variable, resource or module";
    METHOD_OF_NON_OBJECT "BCP067" Error "a value of type `{0}` has no functions, an object is needed";
    ARGUMENT_TYPE "BCP070" Error "an argument of type `{0}` cannot be given for a parameter of type `{1}`";
    ARGUMENT_COUNT "BCP071" Error "expected {0}, found {1}";
    DEFAULT_REFERENCE "BCP072" Error "the default value of a parameter can only refer to other parameters";
    READ_ONLY "BCP073" Error "the property `{0}` can only be read{1}";
    ARRAY_INDEX "BCP074" Error "the index of an array is an `int`, found `{0}`";
    OBJECT_INDEX "BCP075" Error "the index of an object is a `string`, found `{0}`";
    NOT_INDEXABLE "BCP076" Error "a value of type `{0}` has no index, an array or object is needed";
    WRITE_ONLY "BCP077" Error "the property `{1}` of type `{0}` can only be written";
    MISSING_PROPERTY "BCP078" Error "the property `{0}` needs a value of type `{1}`, and none is given";
    SELF_REFERENCE "BCP079" Error "the expression refers to the declaration it is part of";
    CYCLE "BCP080" Error "the expression is part of a circle: {0}";
    NO_TYPES "BCP081" Warning "there are no types for `{0}`, so its properties are not checked before the deployment";
    UNKNOWN_PROPERTY_NEAR "BCP083" Error "the type `{0}` has no property `{1}`, did you mean `{2}`?";
    RESERVED_NAMESPACE "BCP084" Error "the name `{0}` belongs to a namespace, choose another; the namespaces are {1}";
    PROPERTY_LITERAL_NEAR "BCP088" Error "the property `{0}` takes a value of type `{1}`, found `{2}`, did you mean `{3}`?";
    EXTRA_PROPERTY_NEAR "BCP089" Error "the property `{0}` is not allowed on objects of type `{1}`, did you mean `{2}`?";
    ALLOWED_EMPTY "BCP099" Error "`allowed` needs at least one value";
    MODULE_HAS_ERRORS "BCP104" Error "the file that is referred to has errors";
    NO_FUNCTION_IN_NAMESPACE "BCP107" Error "the namespace `{0}` has no function `{1}`";
    NO_FUNCTION_IN_NAMESPACE_NEAR "BCP108" Error "the namespace `{0}` has no function `{1}`, did you mean `{2}`?";
    NO_METHOD "BCP109" Error "the type `{0}` has no function `{1}`";
    NO_METHOD_NEAR "BCP110" Error "the type `{0}` has no function `{1}`, did you mean `{2}`?";
    TARGET_SCOPE_TWICE "BCP112" Error "`targetScope` is given more than once";
    MODULE_SCOPE_IN_TENANT "BCP113" Error "a module cannot be deployed to this scope from a tenant: leave it out, or use `tenant()`, `managementGroup(name)`, `subscription(id)` or `resourceGroup(id, name)`";
    MODULE_SCOPE_IN_MANAGEMENT_GROUP "BCP114" Error "a module cannot be deployed to this scope from a management group: leave it out, or use `managementGroup()`, `managementGroup(name)`, `subscription(id)`, `tenant()` or `resourceGroup(id, name)`";
    MODULE_SCOPE_IN_SUBSCRIPTION "BCP115" Error "a module cannot be deployed to this scope from a subscription: leave it out, or use `subscription()`, `subscription(id)`, `resourceGroup(name)`, `resourceGroup(id, name)` or `tenant()`";
    MODULE_SCOPE_IN_RESOURCE_GROUP "BCP116" Error "a module cannot be deployed to this scope from a resource group: leave it out, or use `resourceGroup()`, `resourceGroup(name)`, `resourceGroup(id, name)`, `subscription()`, `subscription(id)` or `tenant()`";
    RUNTIME_IN_PROPERTY "BCP120" Error "the property `{0}` of type `{1}` needs a value that is known when the deployment starts{2}";
    SAME_RESOURCE "BCP121" Error "the resources {0} have one name, rename them or put them in different modules";
    SAME_MODULE "BCP122" Error "the modules {0} have one name and one scope, rename them or put them in different modules";
    DECORATOR_TARGET "BCP124" Error "the decorator `{0}` is for values of type `{1}`, and this one has type `{2}`";
    DECORATORS_NOT_ALLOWED "BCP130" Error "there can be no decorators here";
    EXPECTED_DECLARATION "BCP132" Error "expected a declaration after the decorator";
    MODULE_SCOPE "BCP134" Error "the scope `{0}` is not one of the module's, which are {1}";
    RESOURCE_SCOPE "BCP135" Error "the scope `{0}` is not one of the resource type's, which are {1}";
    LOOP_SOURCE "BCP137" Error "a loop needs an `array`, found a value of type `{0}`";
    LOOP_PLACE "BCP138" Error "a loop can only be the value of a resource, module, variable or output, or of a property in a resource or module";
    RESOURCE_SCOPE_DIFFERS "BCP139" Error "a resource is deployed to the scope of its file, use a module for another scope";
    NOT_CALLABLE "BCP141" Error "this is no decorator, because it cannot be called";
    NESTED_PROPERTY_LOOP "BCP142" Error "a loop in a property cannot be inside another one";
    COMPUTED_KEY_LOOP "BCP143" Error "a property whose name is computed cannot have a loop as value";
    WHOLE_COLLECTION "BCP144" Error "a whole collection of resources or modules cannot be used here, pick one with an index{0}";
    DUPLICATE_OUTPUT "BCP145" Error "the output `{0}` is declared more than once, remove or rename the others";
    EXPECTED_PARAMETER "BCP147" Error "expected a parameter after the decorator";
    EXPECTED_VARIABLE "BCP148" Error "expected a variable after the decorator";
    EXPECTED_RESOURCE "BCP149" Error "expected a resource after the decorator";
    EXPECTED_MODULE "BCP150" Error "expected a module after the decorator";
    EXPECTED_OUTPUT "BCP151" Error "expected an output after the decorator";
    EXPECTED_RESOURCE_OR_MODULE "BCP153" Error "expected a resource or module after the decorator";
    BATCH_SIZE "BCP154" Error "the batch size is at least {0}, found {1}";
    BATCH_TARGET "BCP155" Error "the decorator `{0}` is for collections of resources or modules";
    TYPE_SEGMENT "BCP156" Error "`{0}` is no type of a nested resource, which is one segment, with `@version` or without";
    OUTER_TYPE "BCP157" Error "the resource type is unknown because the resource around it has errors";
    NOT_A_RESOURCE "BCP158" Error "a value of type `{0}` has no nested resources";
    NESTED_IN_LOOP "BCP160" Error "a resource cannot be nested in one that is a loop";
    CHILD_SCOPE "BCP164" Error "a child has the scope of its parent, remove `scope`";
    PARENT_SCOPE "BCP165" Error "the resource would have the scope of `{0}`, and it can only be deployed to the scope of its file; use a module for another scope";
    DUPLICATE_DECORATOR "BCP166" Error "the decorator `{0}` is given more than once";
    NEGATIVE_LENGTH "BCP168" Error "a length cannot be negative";
    NAME_SEGMENTS "BCP169" Error "the name needs {0} `/`, one name for each segment of the type";
    CHILD_NAME "BCP170" Error "the name of a child has no `/`, its parent gives the rest";
    EXISTING_PROPERTY "BCP173" Error "the property `{0}` cannot be given for an existing resource";
    PROVIDERS_SEGMENT "BCP174" Warning "types with `/providers/` inside are not checked, use the property `scope`";
    ANY_NOT_ALLOWED "BCP176" Error "a value of type `any` is not allowed here";
    RUNTIME_IN_CONDITION "BCP177" Error "a condition needs a value that is known when the deployment starts{0}";
    RUNTIME_IN_LOOP "BCP178" Error "a loop needs a value that is known when the deployment starts{0}";
    LOOP_INVARIANT "BCP179" Warning "the names in a loop must differ, use {0} in {1}";
    SECURE_PARAMETER_ONLY "BCP180" Error "the function `{0}` can only be the value of a secure parameter of a module";
    RUNTIME_IN_ARGUMENT "BCP181" Error "the function `{0}` needs arguments that are known when the deployment starts{1}";
    RUNTIME_IN_VARIABLE_LOOP "BCP182" Error "the loop of the variable `{0}` needs values that are known when the deployment starts{1}";
    OBJECT_LITERAL "BCP183" Error "the value of `{0}` must be an object that is written out";
    ENCODING "BCP185" Info "the file says that it is written in `{0}`, and was read so";
    BAD_JSON "BCP186" Error "this is no JSON";
    FALLBACK_PROPERTY "BCP187" Warning "the type does not have the property `{0}`, although it may be valid{1}";
    TEMPLATE_HAS_ERRORS "BCP188" Error "the template that is referred to has errors";
    UNKNOWN_EXTENSION "BCP204" Error "the extension `{0}` is not known";
    NO_CONFIGURATION "BCP205" Error "the extension `{0}` takes no configuration";
    CONFIGURATION_REQUIRED "BCP206" Error "the extension `{0}` needs a configuration";
    DUPLICATE_NAMESPACE "BCP207" Error "the extension `{0}` can be declared only once, remove the others";
    UNKNOWN_NAMESPACE "BCP208" Error "the namespace `{0}` is not known, the namespaces are {1}";
    TYPE_NOT_IN_NAMESPACE "BCP209" Error "the namespace `{0}` has no resource type `{1}`";
    PARENT_NAMESPACE "BCP210" Error "a resource of the namespace `{0}` cannot be inside one of the namespace `{1}`";
    UNKNOWN_DISCRIMINATOR "BCP225" Warning "the value of `{0}` is not known now, so the object is not checked";
    EXTENSION_TYPED "BCP227" Error "the type `{0}` of an extension cannot be the type of a parameter or output";
    RESOURCE_PARAMETER_AS_SCOPE "BCP229" Error "the parameter `{0}` can be neither scope nor parent of a resource";
    MODULE_NO_TYPES "BCP230" Warning "the module uses `{0}`, there are no types for it, so its properties are not checked before the deployment";
    RESOURCE_TYPED "BCP231" Error "parameters and outputs that are resources need the feature `resourceTypedParamsAndOutputs`";
    FUNCTION_FAILED "BCP234" Warning "the function `{0}` fails for [{1}]: {2}";
    RESERVED_IDENTIFIER "BCP239" Error "the name `{0}` is reserved";
    PARENT_VALUE "BCP240" Error "`parent` must name a resource directly";
    PROVIDERS_FUNCTION "BCP241" Warning "the function `{0}` will be removed";
    LAMBDA_PLACE "BCP242" Error "a lambda can only be the argument of a function";
    LAMBDA_ARGUMENTS "BCP244" Error "a lambda of type `{0}` takes {1} arguments, found {2}";
    READ_ONLY_TYPE "BCP245" Warning "the resource type `{0}` can only be used with `existing`";
    READ_ONLY_TYPE_AT_SCOPE "BCP246" Warning "the resource type `{0}` can only be used with `existing` at this scope, it can be deployed to {1}";
    LAMBDA_VARIABLE_IN_INDEX "BCP247" Error "the index of a resource or module collection cannot use variables of a lambda, here {0}";
    LAMBDA_VARIABLE_IN_FUNCTION "BCP248" Error "the function `{0}` cannot use variables of a lambda, here {1}";
    MISSING_PARAMETERS "BCP258" Error "the template needs values for {0}";
    UNDECLARED_PARAMETER "BCP259" Error "the template has no parameter `{0}`";
    NO_USING "BCP261" Error "a parameters file needs `using`";
    USING_TWICE "BCP262" Error "`using` is given more than once";
    AMBIGUOUS_TYPE "BCP264" Error "the resource type `{0}` belongs to several namespaces, write one of {1} and `:` in front of it";
    SHADOWED_FUNCTION "BCP265" Error "`{0}` is no function, did you mean `{1}.{0}`?";
    EXPECTED_METADATA "BCP267" Error "expected metadata after the decorator";
    RESERVED_METADATA "BCP268" Error "the name `{0}` is reserved, because it starts with `_`";
    USING_TARGET "BCP276" Error "`using` must name a Bicep file";
    LITERAL_TYPE "BCP285" Error "the type is not reducible to one value";
    UNION_MEMBER "BCP286" Error "this member does not fit the type `{0}` of the union";
    VALUE_AS_TYPE "BCP287" Error "`{0}` is a value and no type";
    TYPE_AS_VALUE "BCP288" Error "`{0}` is a type and no value";
    NO_TYPE "BCP289" Error "this is no type, the types are {0}";
    EXPECTED_PARAMETER_OR_TYPE "BCP290" Error "expected a parameter or type after the decorator";
    EXPECTED_DATA "BCP292" Error "expected a parameter, output or type after the decorator";
    UNION_LITERALS "BCP293" Error "all members of a union must be literals";
    UNION_KIND "BCP294" Error "the members of a union must be of one kind, such as `string`, `int` or `bool`";
    DECORATOR_ON_LITERAL "BCP295" Error "the decorator `{0}` is not for unions and literals, which say themselves what is allowed";
    COMPUTED_TYPE_KEY "BCP296" Error "the names of properties of a type cannot be computed";
    TYPE_SELF_REFERENCE "BCP298" Error "the type contains itself, so no value could have it";
    TYPE_CYCLE "BCP299" Error "the type contains itself through a circle, so no value could have it: {0}";
    RESERVED_TYPE_NAME "BCP301" Error "the type name `{0}` is reserved";
    NOT_A_TYPE "BCP302" Error "`{0}` is no type, the types are {1}";
    NAMESPACE_AS_TYPE "BCP306" Error "`{0}` is a namespace and no type";
    LATE_IDENTITY "BCP307" Error "the existing resource `{0}` is only known during the deployment, so nothing but {1} can be read of it";
    DECORATOR_ON_ALIAS "BCP308" Error "the decorator `{0}` is not for declarations whose type is a declared one";
    NOT_FLAT "BCP309" Error "a value of type `{0}` cannot be flattened, because `{1}` is no array";
    TUPLE_INDEX "BCP311" Error "the index {2} is outside of the type `{0}`, which has {1} items";
    ADDITIONAL_TWICE "BCP315" Error "an object type can have `*` once only";
    SEALED_WITH_ADDITIONAL "BCP316" Error "`sealed` is not for object types with `*`";
    MAY_BE_NULL "BCP318" Warning "the value of type `{0}` may be null when the deployment starts, and then this access fails";
    OUTPUT_RESOURCE "BCP320" Error "of a resource that a module gives only the id, the name, the type and the version can be read here, pass the resource to another module";
    NULL_ASSIGNMENT "BCP321" Warning "expected a value of type `{0}`, found one of type `{1}`";
    NULL_OPERAND "BCP321" Warning "expected a value of type `{0}`, and `{2}` is of type `{1}`";
    SAFE_COLLECTION "BCP323" Error "`[?]` cannot be used on collections of resources or modules";
    NULLABLE_DEFAULT "BCP326" Error "a parameter that can be null has no default value, it is null when not given";
    INT_TOO_LARGE "BCP327" Error "the value is at least {0}, and at most {1} is allowed";
    INT_TOO_SMALL "BCP328" Error "the value is at most {0}, and at least {1} is required";
    INT_MAYBE_SMALL "BCP329" Warning "the value can be as small as {0}, and at least {1} is required";
    INT_MAYBE_LARGE "BCP330" Warning "the value can be as large as {0}, and at most {1} is allowed";
    MIN_ABOVE_MAX "BCP331" Error "`{0}` must not be greater than `{2}`, found {1} and {3}";
    TOO_LONG "BCP332" Error "the length is at least {0}, and at most {1} is allowed";
    TOO_SHORT "BCP333" Error "the length is at most {0}, and at least {1} is required";
    MAYBE_SHORT "BCP334" Warning "the length can be as small as {0}, and at least {1} is required";
    MAYBE_LONG "BCP335" Warning "the length can be as large as {0}, and at most {1} is allowed";
    PARAMS_STATEMENT "BCP337" Error "this declaration cannot be in a parameters file";
    NEGATIVE_INDEX "BCP339" Error "the index {0} is negative";
    RUNTIME_IN_FUNCTION "BCP341" Error "a function needs values that are known when the deployment starts{0}";
    NO_TESTS "BCP348" Error "tests need the feature `testFramework`";
    NO_ASSERTS "BCP349" Error "assertions need the feature `assertions`";
    ASSERT_VALUE "BCP350" Error "an assertion is a `bool`, found a value of type `{0}`";
    DIRECT_ONLY "BCP351" Error "the function `{0}` can only be the whole value of a parameter";
    CASE_ONLY "BCP353" Error "the {0} {1} differ in case only, and the deployment engine takes them for one";
    NO_IMPORT_PATH "BCP358" Error "the import says nothing of the file it is from";
    IMPORT_NOT_FOUND "BCP360" Error "`{0}` is not exported by the file";
    EXPORT_TARGET "BCP361" Error "`@export()` is for declarations of the file only";
    IMPORTED_TWICE "BCP362" Error "this is imported more than once, as {0}";
    DISCRIMINATOR_TARGET "BCP363" Error "`discriminator` is for unions of different objects";
    DISCRIMINATOR_PROPERTY "BCP364" Error "every member of the union needs the property `{0}` with one text";
    DISCRIMINATOR_TWICE "BCP365" Error "the value `{1}` of `{0}` is in more than one member of the union";
    OTHER_DISCRIMINATOR "BCP366" Error "the members of the union are told apart by `{0}` already";
    NOT_EXPORTABLE "BCP372" Error "what is exported can only refer to variables, types and functions, and this one refers to {0}";
    IMPORT_HAS_ERRORS "BCP373" Error "`{0}` cannot be imported, because the file exports several things of that name";
    AMBIGUOUS_EXPORTS "BCP374" Error "not everything can be imported from the file, because it exports several things of the same name: {0}";
    NOT_PARAMETERIZABLE "BCP383" Error "the type `{0}` takes no arguments";
    TYPE_ARGUMENTS "BCP384" Error "the type `{0}` needs {1} argument";
    DECORATOR_ON_DERIVED "BCP386" Error "the decorator `{0}` is not for declarations whose type comes from a resource";
    NEGATIVE_TYPE_INDEX "BCP387" Error "the index into a type is not negative";
    TUPLE_REQUIRED "BCP388" Error "the type `{0}` has no items with a place of their own";
    ADDITIONAL_REQUIRED "BCP389" Error "the type `{0}` says nothing of additional properties";
    TYPED_ARRAY_REQUIRED "BCP390" Error "`[*]` is for arrays that say what their items are";
    NAMED_TYPE_REQUIRED "BCP391" Error "only a type with a name has members to refer to";
    NO_RESOURCE_TYPE "BCP392" Warning "the template names `{0}`, which is no resource type";
    WHOLE_BODY "BCP394" Error "a type from a resource must name a property of it, the whole body cannot be a type";
    EXTENSION_CONFIGURED_WRONG "BCP398" Error "the extension `{0}` is configured as built in, and there is none";
    SPREAD_PLACE "BCP401" Error "`...` cannot be used here";
    SPREAD_TYPE "BCP402" Error "`...` needs a value of type `{0}` here";
    SPREAD_ITEMS "BCP403" Error "the array takes items of type `{0}`, found an array of type `{1}`";
    EXTENDS_TARGET "BCP404" Error "`extends` must name a parameters file, `*.bicepparam`";
    EXTENDS_TWICE "BCP405" Error "`extends` is given more than once";
    GRAPH_RETIRED "BCP407" Error "the built-in extension `microsoftGraph` is gone, use the one from a registry";
    NAMELESS "BCP408" Error "`nameof` needs something that has a name";
    RESOURCE_GENERIC "BCP409" Warning "`resource<>` is outdated, say `resourceInput<>` or `resourceOutput<>`";
    DIVISION_BY_ZERO "BCP410" Error "there is no division by zero";
    VARIABLE_TYPE "BCP412" Error "this is no type for a variable, the types are {0}";
    FROM_END_BASE "BCP414" Error "`^` cannot be used on a value of type `{0}`";
    FROM_END_INDEX "BCP415" Error "`^` cannot be used with an index of type `{0}`";
    PATTERN "BCP416" Error "the text does not match the pattern `{0}`";
    SPREAD_WITH_LOOP "BCP417" Error "`...` cannot be used in an object that has loops in its properties";
    EXTENSION_REFERENCE "BCP418" Error "an extension cannot be used as a value here";
    UNKNOWN_SCOPE_KIND "BCP420" Error "the kind of scope is not known now, write it so that it does not depend on values";
    SECURE_LOCAL "BCP421" Error "the module `{0}` has secure outputs, which a local deployment cannot have";
    MAYBE_MISSING "BCP422" Warning "the resource of type `{0}` may not exist, and then this call fails";
    ALIAS_REQUIRED "BCP423" Error "an extension that is named by a reference needs an alias, write `as` and a name";
    MISSING_CONFIGURATIONS "BCP424" Error "extensions of the template need a configuration: {0}";
    UNDECLARED_EXTENSION "BCP425" Error "the template has no extension `{0}`";
    SECURE_INDIRECT "BCP426" Error "a secure output can only be read from the module itself";
    ENVIRONMENT_VARIABLE "BCP427" Error "the environment variable `{0}` is not set, and there is no default";
    CONFIGURATION_VALUE "BCP431" Error "the configuration of `{0}` must be written out, or be that of an extension of this file";
    RUNTIME_IN_EARLY_ARGUMENT "BCP432" Error "the argument of `{0}` must be known when the deployment starts{1}";
    LATE_WITH_DEPENDENCIES "BCP433" Error "the existing resource `{0}` is only known during the deployment, so it cannot have explicit dependencies";
    DEPENDENCY_ON_LATE "BCP434" Error "the resource `{0}` cannot depend on `{1}` explicitly, because that existing resource is only known during the deployment";
    USING_WITH "BCP435" Error "`using ... with` needs the feature `deployCommands`";
    BASE_WITHOUT_EXTENDS "BCP437" Error "`base` is only there in a file that extends another";
    BASE_REDECLARED "BCP438" Error "the name `base` is reserved";
    SECURE_TARGET "BCP440" Error "`secure` is for values that are all texts or all objects";
    WRITE_ONLY_TYPE "BCP441" Error "resources of type `{0}` cannot be referred to with `existing`";
    WITH_REQUIRED "BCP443" Error "`using` needs `with` when the feature `deployCommands` is on";
    NULL_IF_NOT_FOUND "BCP445" Error "`nullIfNotFound` is for existing resources";
    NEEDS_DEPLOYMENT "BCP452" Error "`{0}` cannot be imported by a parameters file, because {1} can only be called in a deployment";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_sentences_are_fragments() {
        assert!(ALL.is_sorted_by(|a, b| a.code <= b.code));
        for rule in ALL {
            assert!(!rule.text.ends_with('.'), "{}", rule.code);
        }
        let found = ARGUMENT_COUNT.at(Span::new(1, 2), &[&"2 arguments", &3]);
        assert_eq!(found.message, "expected 2 arguments, found 3");
        assert_eq!(list(["a", "b"]), "`a`, `b`");
    }
}
