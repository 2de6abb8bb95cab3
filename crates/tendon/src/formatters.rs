//! The formatters of languages other than Bicep, by the names of files.

use std::path::Path;

use diagnostics::{Diagnostic, FileId};
use document::findings::{Notation, read_error, without_words};
use document::{ReadError, ReadLimits};
use spacing::{Indent, Newline, Style};
use syntax::format::{FormatOptions, IndentKind, NewlineKind};

use crate::exit::CommandError;
use crate::input;

/// A language of which only the white space is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlainLanguage {
    Thrift,
    Json,
    Yaml,
}

impl PlainLanguage {
    /// The language that a file's name tells.
    pub(crate) fn of_name(path: &Path) -> Option<PlainLanguage> {
        match input::extension(path.as_os_str())?.as_str() {
            "thrift" => Some(PlainLanguage::Thrift),
            "json" | "jsonc" => Some(PlainLanguage::Json),
            "yaml" | "yml" => Some(PlainLanguage::Yaml),
            _ => None,
        }
    }

    /// Formats a text, or says why it cannot be read.
    pub(crate) fn format(self, text: &str, file: FileId, style: &Style) -> Result<String, Vec<Diagnostic>> {
        let limits = ReadLimits::DEFAULT;
        let failed = |notation| move |error: ReadError| vec![unread(notation, error, text)];
        match self {
            PlainLanguage::Thrift => thrift::idl::format(file, text, style),
            PlainLanguage::Json => {
                document::format_json(text, file, &limits, style).map_err(failed(Notation::Json))
            }
            PlainLanguage::Yaml => {
                document::format_yaml(text, file, &limits, style).map_err(failed(Notation::Yaml))
            }
        }
    }
}

/// Whether lines of a text must not be shown: of a text that cannot be read, nothing tells where its secrets are.
pub(crate) fn may_hold_secrets(text: &str) -> bool {
    const SIGNS: [&str; 5] = ["secure", "secret", "password", "token", "deploymentparameters"];
    let text = text.to_ascii_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

fn unread(notation: Notation, error: ReadError, text: &str) -> Diagnostic {
    let found = read_error(notation, error, None);
    if !may_hold_secrets(text) {
        return found;
    }
    let mut bare = without_words(found);
    bare.help =
        vec!["the text may hold secrets, so nothing of it is shown; look at the place named above".into()];
    bare
}

/// The same settings as for Bicep, but for the width.
pub(crate) fn style(options: &FormatOptions) -> Result<Style, CommandError> {
    let newline = match options.newline_kind {
        NewlineKind::Lf => Newline::Lf,
        NewlineKind::CrLf => Newline::CrLf,
        NewlineKind::Cr => {
            let message =
                "only Bicep has lines that end with CR; other files take `--newline-kind LF` or `CRLF`";
            return Err(CommandError::Usage(message.to_owned()));
        }
    };
    let indent = match options.indent_kind {
        IndentKind::Space => Indent::Spaces(options.indent_size),
        IndentKind::Tab => Indent::Tab,
    };
    Ok(Style { indent, newline, final_newline: options.insert_final_newline })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_language() {
        let of = |name: &str| PlainLanguage::of_name(Path::new(name));
        assert_eq!(of("a/service.THRIFT"), Some(PlainLanguage::Thrift));
        assert_eq!(of("main.parameters.json"), Some(PlainLanguage::Json));
        assert_eq!(of("settings.jsonc"), Some(PlainLanguage::Json));
        assert_eq!(of("types.yml"), Some(PlainLanguage::Yaml));
        assert_eq!(of("main.bicep"), None);
    }
}
