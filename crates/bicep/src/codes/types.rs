//! Type expressions: what they can refer to, unions, and types that contain themselves.

codes! {
    OUTPUT_TYPE "BCP030" Error "this is not a type of an output" => "the types are {0}";
    PARAMETER_TYPE "BCP031" Error "this is not a type of a parameter" => "the types are {0}";
    LITERAL_TYPE "BCP285" Error "the type expression cannot be reduced to one literal value";
    UNION_MEMBER "BCP286" Error "this member cannot be assigned to the type `{0}` of the union";
    VALUE_AS_TYPE "BCP287" Error "`{0}` is a value, but it is used as a type";
    TYPE_AS_VALUE "BCP288" Error "`{0}` is a type, but it is used as a value";
    NO_TYPE "BCP289" Error "this is not a type" => "the types are {0}";
    UNION_LITERALS "BCP293" Error "all members of a union must be literals";
    UNION_KIND "BCP294" Error "all members of a union must be of one type, such as `string`, `int` or `bool`";
    COMPUTED_TYPE_KEY "BCP296" Error "the property names of a type cannot be computed";
    TYPE_SELF_REFERENCE "BCP298" Error "the type contains itself, so no value could have it";
    TYPE_CYCLE "BCP299" Error "the type contains itself through a cycle, so no value could have it: {0}";
    RESERVED_TYPE_NAME "BCP301" Error "the type name `{0}` is reserved";
    NOT_A_TYPE "BCP302" Error "`{0}` is not a type" => "the types are {1}";
    NAMESPACE_AS_TYPE "BCP306" Error "`{0}` is a namespace, but it is used as a type";
    ADDITIONAL_TWICE "BCP315" Error "an object type can have only one `*`";
    NULLABLE_DEFAULT "BCP326" Error "a nullable parameter cannot have a default value, it is null if no value is given";
    NOT_PARAMETERIZABLE "BCP383" Error "the type `{0}` does not take type arguments";
    TYPE_ARGUMENTS "BCP384" Error "the type `{0}` requires {1} type argument";
    NEGATIVE_TYPE_INDEX "BCP387" Error "the index into a type must not be negative";
    TUPLE_REQUIRED "BCP388" Error "the type `{0}` is not a tuple, so its items cannot be reached with an index";
    ADDITIONAL_REQUIRED "BCP389" Error "the type `{0}` does not declare a type of additional properties";
    TYPED_ARRAY_REQUIRED "BCP390" Error "`[*]` can only be used on arrays with a type of their items";
    NAMED_TYPE_REQUIRED "BCP391" Error "only the members of a declared type can be referred to";
    WHOLE_BODY "BCP394" Error "a type that comes from a resource type must name a property, the whole body cannot be used";
    VARIABLE_TYPE "BCP412" Error "this is not a type of a variable" => "the types are {0}";
}
