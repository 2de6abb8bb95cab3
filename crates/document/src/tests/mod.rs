//! What the readers accept and refuse, as a whole.

mod hostile;
mod json;
mod json_errors;
mod properties;
mod yaml;
mod yaml_errors;
