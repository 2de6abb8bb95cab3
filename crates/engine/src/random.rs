//! Random bytes of the system.

use store::{Key, SealError};

/// Sixteen bytes that nobody can foresee.
pub(crate) fn random() -> Result<[u8; 16], SealError> {
    let bytes = Key::random()?.derive("run", b"")?;
    Ok(bytes.first_chunk().copied().unwrap_or_default())
}
