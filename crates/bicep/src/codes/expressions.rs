//! Expressions: operators, properties and indexes.

codes! {
    UNARY_OPERAND "BCP044" Error "the operator `{0}` cannot be applied to a value of type `{1}`";
    BINARY_OPERANDS "BCP045" Error "the operator `{0}` cannot be applied to values of types `{1}` and `{2}`{3}";
    INDEX_KIND "BCP049" Error "an index must be a `string` or an `int`, found `{0}`";
    UNKNOWN_PROPERTY "BCP052" Error "the type `{0}` does not have a property `{1}`";
    UNKNOWN_PROPERTY_LIST "BCP053" Error "the type `{0}` does not have a property `{1}`" => "the properties are {2}";
    NO_PROPERTIES "BCP054" Error "the type `{0}` does not have any properties";
    PROPERTY_OF_NON_OBJECT "BCP055" Error "a value of type `{0}` has no properties, expected an object";
    ARRAY_INDEX "BCP074" Error "the index of an array must be an `int`, found `{0}`";
    OBJECT_INDEX "BCP075" Error "the index of an object must be a `string`, found `{0}`";
    NOT_INDEXABLE "BCP076" Error "a value of type `{0}` cannot be indexed, expected an array or object";
    WRITE_ONLY "BCP077" Error "the property `{1}` of type `{0}` is write-only";
    UNKNOWN_PROPERTY_NEAR "BCP083" Error "the type `{0}` does not have a property `{1}`" => "did you mean `{2}`?";
    NOT_FLAT "BCP309" Error "a value of type `{0}` cannot be flattened because `{1}` is not an array";
    TUPLE_INDEX "BCP311" Error "the index {2} is out of range for the type `{0}`, which has {1} items";
    MAY_BE_NULL "BCP318" Warning "the value of type `{0}` may be null when the deployment starts, and then this access fails";
    SAFE_COLLECTION "BCP323" Error "`[?]` cannot be used on resource and module collections";
    NEGATIVE_INDEX "BCP339" Error "the index {0} is negative";
    DIVISION_BY_ZERO "BCP410" Error "division by zero";
    FROM_END_BASE "BCP414" Error "`^` cannot be used on a value of type `{0}`";
    FROM_END_INDEX "BCP415" Error "`^` cannot be used with an index of type `{0}`";
}
