//! The settings of the formatter in a configuration.

use contract::Node;
use syntax::format::{FormatOptions, IndentKind, NewlineKind};

use super::Config;

/// The names of [`IndentKind`].
pub(super) const INDENT_KINDS: &[&str] = &["Space", "Tab"];
/// The names of [`NewlineKind`].
pub(super) const NEWLINE_KINDS: &[&str] = &["LF", "CRLF", "CR"];

impl Config {
    /// How programs are formatted. What is misshapen is a fault of the configuration and has no effect here.
    #[must_use]
    pub fn formatting(&self) -> FormatOptions {
        let default = FormatOptions::default();
        let text = |name: &str| self.text(&["formatting", name]).unwrap_or_default().to_ascii_uppercase();
        // A negative number is none.
        let number = |name: &str| match self.get(&["formatting", name])?.node() {
            Node::Int(number) => Some(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
            _ => None,
        };
        FormatOptions {
            indent_kind: if text("indentKind") == "TAB" { IndentKind::Tab } else { IndentKind::Space },
            indent_size: number("indentSize").unwrap_or(default.indent_size),
            newline_kind: match text("newlineKind").as_str() {
                "CRLF" => NewlineKind::CrLf,
                "CR" => NewlineKind::Cr,
                _ => NewlineKind::Lf,
            },
            insert_final_newline: self
                .flag(&["formatting", "insertFinalNewline"])
                .unwrap_or(default.insert_final_newline),
            width: number("width").unwrap_or(default.width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{FilePath, MemoryWorld};

    fn formatting(config: &str) -> FormatOptions {
        let world = MemoryWorld::default().with_file("/bicepconfig.json", config);
        Config::find(&world, &FilePath::new("/")).formatting()
    }

    #[test]
    fn the_defaults_are_those_of_the_formatter() {
        assert_eq!(Config::defaults().formatting(), FormatOptions::default());
    }

    #[test]
    fn every_option_can_be_configured() {
        let config = r#"{ "formatting": {
            "indentKind": "tab", "indentSize": -1, "newlineKind": "CRLF", "insertFinalNewline": false, "width": 80
        } }"#;
        let expected = FormatOptions {
            indent_kind: IndentKind::Tab,
            indent_size: 0,
            newline_kind: NewlineKind::CrLf,
            insert_final_newline: false,
            width: 80,
        };
        assert_eq!(formatting(config), expected);
        assert_eq!(formatting(r#"{ "formatting": { "newlineKind": "CR" } }"#).newline_kind, NewlineKind::Cr);
    }
}
