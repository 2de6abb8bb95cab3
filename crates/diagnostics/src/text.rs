//! The texts that diagnostics and fixes have.

use std::borrow::Cow;

/// Text of a diagnostic: most of it is constant and then costs no allocation.
pub type Text = Cow<'static, str>;
