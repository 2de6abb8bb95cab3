//! The frame of every page: head, skip link, navigation, who is signed in, the switch for light and dark, and the landmarks.

use maud::{DOCTYPE, Markup, html};

use super::assets::asset_path;
use crate::text::clean;

/// The colours that a reader wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// What the system of the reader says.
    #[default]
    System,
    /// Dark text on light ground, whatever the system says.
    Light,
    /// Light text on dark ground, whatever the system says.
    Dark,
}

impl Theme {
    /// All themes; the first is that of readers who have chosen none.
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// The word for it in forms and cookies.
    pub fn word(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme of a word; that of the system for every other word.
    pub fn parse(word: &str) -> Theme {
        Theme::ALL.into_iter().find(|theme| theme.word() == word).unwrap_or_default()
    }
}

/// The parts of the site that the navigation leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// The list of deployments.
    Deployments,
    /// The list of resources.
    Resources,
    /// The types that resources may have.
    Types,
    /// The page on which templates are tried.
    Playground,
    /// None of them: sign-in, errors.
    Elsewhere,
}

/// Where the navigation leads: one row for each.
const LINKS: &[(Section, &str, &str)] = &[
    (Section::Deployments, "Deployments", "/ui"),
    (Section::Resources, "Resources", "/ui/resources"),
    (Section::Types, "Resource types", "/ui/types"),
    (Section::Playground, "Playground", "/ui/playground"),
];

/// What the frame of a page says.
#[derive(Clone, Debug)]
pub struct PageFrame {
    /// Who is signed in; nobody without a name.
    pub user: Option<String>,
    /// Whether one can sign out: not where nobody has to sign in.
    pub can_sign_out: bool,
    /// The colours that the reader has chosen.
    pub theme: Theme,
    /// The token that forms send back, so that a page of somebody else cannot send them.
    pub form_token: String,
    /// The path and query of this page: where switching the theme leads back to.
    pub here: String,
    /// Seconds after which a page without script loads again; none if it does not change.
    pub refresh: Option<u32>,
}

/// A page. The title and the body are the words of strangers; `body` is markup of this crate.
pub fn page(frame: &PageFrame, section: Section, title: &str, body: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" data-theme=(frame.theme.word()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (clean(title)) " · Tendon" }
                link rel="stylesheet" href=(asset_path("ui.css"));
                link rel="icon" href=(asset_path("icon.svg"));
                script defer src=(asset_path("ui.js")) {}
                @if let Some(seconds) = frame.refresh {
                    noscript { meta http-equiv="refresh" content=(seconds); }
                }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href="/ui" { "Tendon" }
                    @if frame.user.is_some() {
                        nav aria-label="Main" {
                            ul {
                                @for (target, label, path) in LINKS {
                                    li {
                                        a href=(path) aria-current=[(*target == section).then_some("page")] { (label) }
                                    }
                                }
                            }
                        }
                    }
                    (theme(frame))
                    @if let Some(user) = &frame.user {
                        div.who {
                            span { "Signed in as " b { (clean(user)) } }
                            @if frame.can_sign_out {
                                form method="post" action="/ui/sign-out" {
                                    (form_token(frame))
                                    button.plain type="submit" { "Sign out" }
                                }
                            }
                        }
                    }
                }
                p #connection .connection role="status" hidden {}
                main #main tabindex="-1" { (body) }
                footer { p { "Tendon shows what its state holds. Times are UTC." } }
            }
        }
    };
    markup.into_string()
}

/// The hidden field that every form of a page has.
pub(crate) fn form_token(frame: &PageFrame) -> Markup {
    html! { input type="hidden" name="form-token" value=(frame.form_token); }
}

fn theme(frame: &PageFrame) -> Markup {
    html! {
        form.theme method="post" action="/ui/theme" {
            (form_token(frame))
            input type="hidden" name="back" value=(frame.here);
            fieldset {
                legend { "Theme" }
                @for theme in Theme::ALL {
                    button.plain type="submit" name="theme" value=(theme.word())
                        aria-pressed=(if theme == frame.theme { "true" } else { "false" }) { (theme.word()) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_strangers_write_stays_text_and_nothing_is_inline() {
        let hostile = "</title><script>alert(1)</script>\u{202e}\"'";
        let frame = PageFrame {
            user: Some(hostile.to_owned()),
            can_sign_out: true,
            theme: Theme::Dark,
            form_token: "t".to_owned(),
            here: hostile.to_owned(),
            refresh: Some(5),
        };
        let page = page(&frame, Section::Types, hostile, &html! { p { "x" } });
        assert_eq!(page.matches("<script").count(), 1);
        // The address of the page goes back as it came; everything that is shown is made visible.
        assert_eq!(page.matches('\u{202e}').count(), 1);
        assert!(!page.contains(" style=") && !page.contains("<style") && !page.contains(" on"));
        assert_eq!(page.matches("aria-current=\"page\"").count(), 1);
        assert!(page.contains("data-theme=\"dark\""));
    }
}
