//! What tests put into pages, and what must not come of it.

use crate::ui::{PageFrame, Theme};

/// The words of somebody who means no good.
pub(super) const TEXT: &str =
    "</textarea></title><script>alert(1)</script>\u{202e}\"'&\u{0}\u{1b}[2J<img src=x onerror=y>";

/// The frame of a page that is tested.
pub(super) fn frame() -> PageFrame {
    PageFrame {
        user: None,
        can_sign_out: false,
        theme: Theme::System,
        form_token: "t".to_owned(),
        here: "/ui".to_owned(),
        refresh: None,
    }
}

/// Holds a page against the policy: nothing runs, nothing is inline, and nothing turns the text around.
#[track_caller]
pub(super) fn check(page: &str) {
    for never in ["<script>", "<img", " style=\"", "<style", " onclick", "\" onerror", "javascript:"] {
        assert!(!page.contains(never), "{never} in {page}");
    }
    // What a field of a form holds is sent back as it is; browsers show it in a box of its own.
    let shown = page.split("value=\"").enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once('"').map_or("", |(_, rest)| rest),
    });
    let shown: String = shown.collect();
    let areas = shown.split("<textarea").enumerate().map(|(at, part)| match at {
        0 => part,
        _ => part.split_once("</textarea>").map_or("", |(_, rest)| rest),
    });
    let shown: String = areas.collect();
    assert!(!shown.contains(['\u{202e}', '\u{0}', '\u{1b}']), "{shown}");
}
