//! Limits of this compiler: programs that it refuses although the language allows them, and what failed on the way.

codes! {
    CHECK_FAILED "check-failed" Error "the file could not be checked because {0}";
    EXPRESSION_TOO_LARGE "expression-too-large" Error "the expression becomes too large when the variables in it are written out" => "use parameters or modules instead of variables that read resources";
    NESTING_TOO_DEEP "nesting-too-deep" Error "the value is nested deeper than the limit of {0} levels, through the names it uses, so it cannot be compared with its type" => "use fewer levels";
    TEMPLATE_TOO_LARGE "template-too-large" Error "the template is larger than {0} MB{1}" => "use modules less often, or deploy some of them separately";
    FILES_TOO_MUCH_WORK "too-much-work" Error "the files of this program take more than {0} steps to compile, `{1}` is the first beyond the limit" => "use fewer modules, or deploy some of them separately";
    TOO_MUCH_WORK "too-much-work" Error "{0} takes more than {1} steps to check because its parts are repeated too often" => "use fewer names that stand for each other, or split it into modules";
}
