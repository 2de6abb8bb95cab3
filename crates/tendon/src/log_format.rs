//! The option for the form of log lines, of every command that runs for long.

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LogFormat {
    // For people.
    #[default]
    Text,
    // One JSON object per line.
    Json,
}

impl From<LogFormat> for logging::LogFormat {
    fn from(format: LogFormat) -> Self {
        match format {
            LogFormat::Text => logging::LogFormat::Text,
            LogFormat::Json => logging::LogFormat::Json,
        }
    }
}
