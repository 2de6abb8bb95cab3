//! Signing in with a token, and pages that say that something cannot be shown.

use maud::{Markup, html};

use super::shell::{PageFrame, form_token};
use crate::text::clean;

/// What the sign-in page shows.
#[derive(Clone, Debug, Default)]
pub struct SignInView {
    /// Where to go afterwards.
    pub back: String,
    /// Why the last attempt was refused.
    pub problem: Option<String>,
    /// Whether tokens are those of an issuer.
    pub has_issuer: bool,
}

/// The page that takes a token.
pub fn sign_in(frame: &PageFrame, view: &SignInView) -> Markup {
    html! {
        h1 { "Sign in" }
        @if let Some(problem) = &view.problem { p.note.bad #problem role="alert" { (clean(problem)) } }
        form.sign-in method="post" action="/ui/sign-in" {
            (form_token(frame))
            input type="hidden" name="back" value=(view.back);
            label for="token" { "Token" }
            input #token name="token" type="password" autocomplete="off" required autofocus size="40"
                aria-describedby="about-token";
            p.about #about-token {
                @if view.has_issuer {
                    "A token of the OpenID Connect issuer of this server, as programs send it."
                } @else {
                    "A token of this server, as `tendon token create` prints it."
                }
                " It is kept, encrypted, in a cookie of this browser for eight hours at most."
            }
            p { button type="submit" { "Sign in" } }
        }
    }
}

/// The page that leads on to another one of ours.
pub fn go_on(path: &str) -> Markup {
    html! {
        h1 { "Tendon" }
        p { a href=(path) { "Go on to the page" } }
    }
}

/// The page of something that cannot be shown.
pub fn refused(code: &str, message: &str) -> Markup {
    html! {
        h1 { "This cannot be shown" }
        div.note.bad role="alert" {
            p { code { (clean(code)) } }
            p { (clean(message)) }
        }
        p { a href="/ui" { "Deployments" } }
    }
}
