//! What the emitter asks of the compiler around it.

use std::sync::Arc;

use arm::template_text::Layered;

use crate::check::FileCheckResult;
use crate::options::CompilerOptions;
use crate::symbols::Model;
use crate::world::FilePath;

/// The surroundings of a file that is written.
pub(crate) trait EmitHost {
    /// How the compiler compiles.
    fn options(&self) -> &CompilerOptions;

    /// What came of checking a file.
    fn checked(&self, model: &Model) -> FileCheckResult;

    /// The template that a module becomes; none when it has errors.
    fn template(&self, path: &FilePath) -> Option<Arc<Layered>>;
}
