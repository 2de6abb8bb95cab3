//! Loops: what they run over, where they can be used, and collections as a whole.

codes! {
    LOOP_SOURCE "BCP137" Error "a loop takes an `array`, found a value of type `{0}`";
    LOOP_PLACE "BCP138" Error "a loop can only be the value of a resource, module, variable or output, or of a property in a resource or module";
    NESTED_PROPERTY_LOOP "BCP142" Error "a loop in a property cannot be inside another one";
    COMPUTED_KEY_LOOP "BCP143" Error "a property with a computed name cannot have a loop as its value";
    WHOLE_COLLECTION "BCP144" Error "a whole collection of resources or modules cannot be used here" => "use an index to refer to one of them{0}";
}
