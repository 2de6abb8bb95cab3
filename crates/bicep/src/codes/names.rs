//! Names: what they mean, and that each is declared once.

codes! {
    DUPLICATE_NAME "BCP028" Error "the name `{0}` is declared more than once" => "remove or rename the other declarations";
    AMBIGUOUS_FUNCTION "BCP056" Error "several namespaces have a function `{0}`" => "write the namespace in front of it";
    UNKNOWN_NAME "BCP057" Error "the name `{0}` does not exist";
    DECLARATION_HAS_ERRORS "BCP062" Error "the declaration of `{0}` has errors";
    NOT_A_VALUE "BCP063" Error "`{0}` is not a parameter, variable, resource or module";
    SELF_REFERENCE "BCP079" Error "the expression refers to the declaration it is part of";
    CYCLE "BCP080" Error "the expression is part of a cycle: {0}";
    UNKNOWN_NAME_NEAR "BCP082" Error "the name `{0}` does not exist" => "did you mean `{1}`?";
    RESERVED_NAMESPACE "BCP084" Error "the name `{0}` is reserved for a namespace" => "choose another name; the namespaces are {1}";
    DUPLICATE_OUTPUT "BCP145" Error "the output `{0}` is declared more than once" => "remove or rename the other declarations";
    RESERVED_IDENTIFIER "BCP239" Error "the name `{0}` is reserved";
    RESERVED_METADATA "BCP268" Error "the metadata name `{0}` is reserved because it starts with `_`";
    CASE_ONLY "BCP353" Error "the {0} {1} differ only in case, and the deployment engine does not tell them apart";
}
