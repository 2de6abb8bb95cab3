//! Imports and exports.

codes! {
    NO_IMPORT_PATH "BCP358" Error "the import does not name a file";
    IMPORT_NOT_FOUND "BCP360" Error "`{0}` is not exported by the file";
    IMPORTED_TWICE "BCP362" Error "the symbol is imported more than once, as {0}";
    NOT_EXPORTABLE "BCP372" Error "an exported declaration can only refer to variables, types and functions, and this one refers to {0}";
    IMPORT_HAS_ERRORS "BCP373" Error "`{0}` cannot be imported because the file exports several declarations of that name";
    AMBIGUOUS_EXPORTS "BCP374" Error "the file cannot be imported as a whole because it exports several declarations of the same name: {0}";
    NEEDS_DEPLOYMENT "BCP452" Error "`{0}` cannot be imported by a parameters file because {1} can only be called in a deployment";
}
