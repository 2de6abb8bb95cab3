//! Values held against types: properties, items, lengths and ranges.

codes! {
    INTEGER_TOO_LARGE "BCP010" Error "the number does not fit in a signed 64-bit integer";
    DUPLICATE_PROPERTY "BCP025" Error "the property `{0}` is given more than once" => "remove or rename the others";
    CONSTANT_REQUIRED "BCP032" Error "the value must be a compile-time constant";
    VALUE_TYPE "BCP033" Error "expected a value of type `{0}`, found one of type `{1}`";
    ITEM_TYPE "BCP034" Error "the array takes items of type `{0}`, found one of type `{1}`";
    MISSING_PROPERTIES "BCP035" Error "the {0} is missing the required properties {1}{2}";
    PROPERTY_TYPE "BCP036" Error "the property `{0}` takes a value of type `{1}`, found one of type `{2}`{3}";
    EXTRA_PROPERTY "BCP037" Error "the property `{0}` is not allowed on objects of type `{1}`{2}";
    INTERPOLATED_KEY "BCP040" Error "the keys of an object of type `{0}` cannot be interpolated{1}";
    VARIABLE_VALUE "BCP041" Error "a value of type `{0}` cannot be assigned to a variable";
    EXPECTED_TYPE "BCP046" Error "expected a value of type `{0}`";
    READ_ONLY "BCP073" Error "the property `{0}` is read-only{1}";
    MISSING_PROPERTY "BCP078" Error "the property `{0}` requires a value of type `{1}`, and none is given";
    PROPERTY_LITERAL_NEAR "BCP088" Error "the property `{0}` takes a value of type `{1}`, found `{2}`" => "did you mean `{3}`?";
    EXTRA_PROPERTY_NEAR "BCP089" Error "the property `{0}` is not allowed on objects of type `{1}`" => "did you mean `{2}`?";
    ANY_NOT_ALLOWED "BCP176" Error "a value of type `any` is not allowed here";
    OBJECT_LITERAL "BCP183" Error "the value of `{0}` must be an object literal";
    FALLBACK_PROPERTY "BCP187" Warning "the property `{0}` does not exist on the type, although it may be valid{1}";
    UNKNOWN_DISCRIMINATOR "BCP225" Warning "the value of the discriminator `{0}` is not known at compile time, so the object is not checked";
    NULL_ASSIGNMENT "BCP321" Warning "expected a value of type `{0}`, found one of type `{1}`";
    NULL_OPERAND "BCP321" Warning "expected a value of type `{0}`, and `{2}` is of type `{1}`";
    INT_TOO_LARGE "BCP327" Error "the value is at least {0}, and at most {1} is allowed";
    INT_TOO_SMALL "BCP328" Error "the value is at most {0}, and at least {1} is required";
    INT_MAYBE_SMALL "BCP329" Warning "the value can be as small as {0}, and at least {1} is required";
    INT_MAYBE_LARGE "BCP330" Warning "the value can be as large as {0}, and at most {1} is allowed";
    TOO_LONG "BCP332" Error "the length is at least {0}, and at most {1} is allowed";
    TOO_SHORT "BCP333" Error "the length is at most {0}, and at least {1} is required";
    MAYBE_SHORT "BCP334" Warning "the length can be as small as {0}, and at least {1} is required";
    MAYBE_LONG "BCP335" Warning "the length can be as large as {0}, and at most {1} is allowed";
    SPREAD_PLACE "BCP401" Error "`...` cannot be used here";
    SPREAD_TYPE "BCP402" Error "`...` takes a value of type `{0}` here";
    SPREAD_ITEMS "BCP403" Error "the array takes items of type `{0}`, found an array of type `{1}`";
    PATTERN "BCP416" Error "the string does not match the pattern `{0}`";
    SPREAD_WITH_LOOP "BCP417" Error "`...` cannot be used in an object that has loops in its properties";
}
