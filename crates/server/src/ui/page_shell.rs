//! The frame of pages, their headers, and pages that say why there is no other.

use arm::Caseless as _;
use http::header::{
    CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, LOCATION, REFERRER_POLICY, REFRESH, SET_COOKIE,
    X_FRAME_OPTIONS,
};
use http::request::Parts;
use http::{Method, StatusCode};
use maud::Markup;
use pages::ui::{self, PageFrame, Section, Theme};
use percent_encoding::utf8_percent_encode;

use super::session;
use crate::api_error::{ApiError, broken};
use crate::app::App;
use crate::response::HttpResponse;
use crate::routed_request::{Query, RoutedRequest, UNSAFE};

/// What a page may load, and from where: our own files, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
     frame-ancestors 'none'; base-uri 'none'";

/// The name of the cookie with the theme.
const THEME: &str = "tendon-theme";

/// How long the theme is remembered, in seconds.
const THEME_LIFE: u32 = 365 * 24 * 3_600;

/// The longest address that somebody is led back to.
const LONGEST_BACK: usize = 2_048;

/// A page in its frame.
pub(super) fn page(
    status: StatusCode,
    frame: &PageFrame,
    section: Section,
    title: &str,
    body: &Markup,
) -> HttpResponse {
    guarded(
        HttpResponse::text(status, ui::page(frame, section, title, body)).of_type("text/html; charset=utf-8"),
    )
}

/// An answer with the headers that all pages have.
pub(super) fn guarded(answer: HttpResponse) -> HttpResponse {
    // The referrer stays within the server: without any, browsers would not say where forms come from.
    let rows: [(HeaderName, &str); 6] = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "same-origin"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    rows.into_iter().fold(answer, |answer, (name, value)| answer.header(name, value))
}

/// Fills a page apart from the threads that serve: it reads and parses very many records.
pub(super) async fn apart(
    call: RoutedRequest,
    fill: fn(&RoutedRequest) -> Result<HttpResponse, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let filled = tokio::task::spawn_blocking(move || fill(&call)).await;
    filled.map_err(|error| broken(&error))?
}

/// Leads to another page.
pub(super) fn redirect(path: &str) -> HttpResponse {
    guarded(HttpResponse::empty(StatusCode::SEE_OTHER).header(LOCATION, path))
}

/// The frame of a page for whoever asks.
pub(super) fn frame(call: &RoutedRequest) -> PageFrame {
    PageFrame {
        user: Some(call.caller.name.clone()).filter(|name| !name.is_empty()),
        can_sign_out: !call.app.guard.is_local(),
        theme: theme_of(&call.headers),
        form_token: session::form_token(&call.app, &call.headers),
        here: back(&call.target).to_owned(),
        refresh: None,
    }
}

fn theme_of(headers: &HeaderMap) -> Theme {
    Theme::parse(session::cookie(headers, THEME).unwrap_or_default())
}

/// Where to lead back to: a page of ours, whatever was asked for.
pub(super) fn back(path: &str) -> &str {
    let is_ours =
        path.strip_prefix("/ui").is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']));
    let is_plain = path.len() <= LONGEST_BACK
        && !path.contains("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    // Browsers go up at such a part, however it is written.
    let goes_up = |part: &str| ["..", "."].contains(&part.caseless().replace("%2e", ".").as_str());
    let is_straight = !path.split(['?', '#']).next().unwrap_or_default().split('/').any(goes_up);
    if is_ours && is_plain && is_straight { path } else { "/ui" }
}

/// Switches between light and dark.
pub(super) fn theme(call: &RoutedRequest) -> HttpResponse {
    let form = Query::parse(&String::from_utf8_lossy(&call.body));
    let theme = Theme::parse(form.get("theme").unwrap_or_default());
    let secure = if call.base.starts_with("https:") { "; Secure" } else { "" };
    let cookie = format!(
        "{THEME}={}; Path=/ui; Max-Age={THEME_LIFE}; HttpOnly; SameSite=Strict{secure}",
        theme.word()
    );
    redirect(back(form.get("back").unwrap_or_default())).header(SET_COOKIE, &cookie)
}

/// What is known of a request for a page, for when it is refused.
pub(crate) struct PageContext {
    target: String,
    is_get: bool,
    /// Whether a link of another site led here.
    is_led: bool,
    has_session: bool,
    frame: PageFrame,
}

impl PageContext {
    /// Looks at a request; none if it is not for a page.
    pub(crate) fn of(app: &App, parts: &Parts) -> Option<PageContext> {
        let path = parts.uri.path();
        let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
        if !first.eq_ignore_ascii_case(super::ROOT) {
            return None;
        }
        let target = parts.uri.path_and_query().map_or("/ui", |target| target.as_str());
        Some(PageContext {
            target: back(target).to_owned(),
            is_get: [Method::GET, Method::HEAD].contains(&parts.method),
            is_led: parts.headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site"),
            has_session: session::has_session(&parts.headers),
            frame: PageFrame {
                user: None,
                can_sign_out: false,
                theme: theme_of(&parts.headers),
                form_token: session::form_token(app, &parts.headers),
                here: "/ui".to_owned(),
                refresh: None,
            },
        })
    }

    /// The page that says why: whoever has to sign in is led there.
    pub(crate) fn refused(&self, refusal: &ApiError) -> HttpResponse {
        let (status, failure) = (refusal.status(), refusal.failure());
        if status == StatusCode::SEE_OTHER && self.is_get && self.is_led {
            // Browsers do not send the session along with a link of another site; with one of ours they do.
            let body = ui::go_on(&self.target);
            let answer = page(StatusCode::OK, &self.frame, Section::Elsewhere, "Tendon", &body);
            return answer.header(REFRESH, &format!("0; url={}", self.target));
        }
        if [StatusCode::SEE_OTHER, StatusCode::UNAUTHORIZED].contains(&status) {
            let target = if self.is_get { self.target.as_str() } else { "/ui" };
            let answer = redirect(&format!("/ui/sign-in?back={}", utf8_percent_encode(target, UNSAFE)));
            return if self.has_session { answer.header(SET_COOKIE, &session::ended()) } else { answer };
        }
        let body = ui::refused(&failure.code, &failure.message);
        refusal.with_hint_headers(page(status, &self.frame, Section::Elsewhere, "Not shown", &body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_elsewhere() {
        for path in ["/ui", "/ui?scope=%2Fa", "/ui?name=../x", "/ui/deployments/subscriptions/s.t..u"] {
            assert_eq!(back(path), path);
        }
        for path in [
            "",
            "/",
            "//evil.test/ui",
            "/ui//evil.test",
            "/uix",
            "https://evil.test/ui",
            "/ui\\x",
            "/ui\r\nx: y",
            "/ui/../x",
            "/ui/a/..",
            "/ui/%2e%2E/x",
            "/ui/.%2e?x",
            "/ui/%2e/x",
        ] {
            assert_eq!(back(path), "/ui", "{path}");
        }
    }
}
