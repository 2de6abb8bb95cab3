//! The style of pages, and the policy that allows it and nothing else.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// The style of reports, with that of pictures.
pub(crate) static STYLE: LazyLock<String> = LazyLock::new(|| {
    [include_str!("report.css"), include_str!("../assets/timeline.css"), graph::svg::STYLE].concat()
});

/// The content security policy of a file: this one style, and nothing from anywhere.
pub(crate) fn policy() -> String {
    let digest = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
}
