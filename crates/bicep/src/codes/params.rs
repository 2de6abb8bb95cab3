//! Parameters files: `using`, `extends`, and the values of parameters.

codes! {
    USING_PATH "BCP256" Error "the path of `using` is missing";
    MISSING_PARAMETERS "BCP258" Error "the template requires values for {0}";
    UNDECLARED_PARAMETER "BCP259" Error "the template has no parameter `{0}`";
    NO_USING "BCP261" Error "a parameters file requires `using`";
    USING_TWICE "BCP262" Error "`using` is given more than once";
    USING_TARGET "BCP276" Error "`using` must name a Bicep file";
    PARAMS_SELF_REFERENCE "BCP278" Error "the parameters file `{0}` refers to itself";
    PARAMS_STATEMENT "BCP337" Error "this declaration is not allowed in a parameters file";
    NOT_EVALUATED "BCP338" Error "{0} cannot be evaluated: {1}";
    SECRET_PARAMETER "BCP368" Error "the parameter `{0}` is a secret, which is not known before the deployment";
    DEFAULTED_PARAMETER "BCP369" Error "the parameter `{0}` has the default value of the template, which is not known here";
    EXTENDS_TARGET "BCP404" Error "`extends` must name a parameters file, `*.bicepparam`";
    EXTENDS_TWICE "BCP405" Error "`extends` is given more than once";
    ENVIRONMENT_VARIABLE "BCP427" Error "the environment variable `{0}` is not set, and there is no default value";
    BASE_WITHOUT_EXTENDS "BCP437" Error "`base` can only be used in a file that extends another";
    BASE_REDECLARED "BCP438" Error "the name `base` is reserved";
}
