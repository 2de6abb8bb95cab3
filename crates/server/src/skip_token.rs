//! Where a list goes on, as the link to its next page has it. It is sealed: the last record that was looked at may be one that the reader is not shown.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::api_error::{ApiError, broken};
use crate::app::App;

/// What bookmarks are sealed for.
const PURPOSE: &str = "list/bookmark";

/// A place in a list, as a link has it.
pub(crate) fn sealed(app: &App, place: &str) -> Result<String, ApiError> {
    let sealed = app.host.engine().key.seal(PURPOSE, place.as_bytes()).map_err(|error| broken(&error))?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// The place that a link has; none if it is not one of ours.
pub(crate) fn opened(app: &App, bookmark: &str) -> Option<String> {
    let sealed = URL_SAFE_NO_PAD.decode(bookmark).ok()?;
    String::from_utf8(app.host.engine().key.open(PURPOSE, &sealed).ok()?).ok()
}
