//! Configuration files.

codes! {
    CONFIG_NOT_JSON "BCP271" Error "the configuration file `{0}` is not valid JSON: {1}";
    UNREADABLE_CONFIG "BCP272" Error "the configuration file `{0}` cannot be read: {1}";
    INVALID_CONFIG "BCP273" Error "the configuration file `{0}` is not valid: {1} must be {2}";
    CONFIG_ABSOLUTE_BASE "BCP453" Error "the configuration file `{0}` must name the file it extends by a relative path";
    CONFIG_CYCLE "BCP454" Error "the configuration file `{0}` extends itself";
    CONFIG_CHAIN "BCP455" Error "more than {0} configuration files extend each other";
}
