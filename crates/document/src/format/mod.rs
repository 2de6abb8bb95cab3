//! JSON and YAML text with other white space: the same values, written as the same tokens.

mod json;
mod yaml;

#[cfg(test)]
mod tests;

pub use json::format_json;
pub use yaml::format_yaml;
