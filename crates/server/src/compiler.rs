//! Bicep in the playground. The server has no compiler of its own: whoever starts it may hand one in.

use std::ops::Range;
use std::sync::Arc;

use diagnostics::Diagnostic;

/// Compiles the text of one file that nothing stands beside.
pub type Compile = dyn Fn(&str) -> CompileResult + Send + Sync;

/// What became of a program.
pub struct CompileResult {
    /// Its template, unless it has errors.
    pub template: Option<Arc<str>>,
    /// What was found in it; places are those of the first file of a source map.
    pub diagnostics: Vec<Diagnostic>,
    /// The parts of the text that are secrets: default values of secure parameters. They are not shown.
    pub secrets: Vec<Range<u32>>,
    /// The part of the text that a part of the template was made of, such as `parameters.name`.
    pub origin: Origin,
}

/// The way from a part of a template back to the text.
pub type Origin = Box<dyn Fn(&str) -> Option<Range<u32>>>;

/// Whether a text is a template already.
pub(crate) fn is_template(text: &str) -> bool {
    text.trim_start().starts_with('{')
}
