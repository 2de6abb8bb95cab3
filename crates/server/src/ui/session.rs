//! Sessions: a token, sealed in a cookie for some hours. The token is looked at anew for every page, so that one that is revoked or has expired ends the
//! session at once, on every node.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::header::{AUTHORIZATION, COOKIE, HeaderMap, LOCATION, ORIGIN, SET_COOKIE};
use http::request::Parts;
use http::{Method, StatusCode};
use hyper::body::Bytes;
use pages::ui::{Section, SignInView};

use super::page_shell::{self, back};
use crate::api_error::{ApiError, broken};
use crate::app::App;
use crate::identity::{Caller, Roles, is_same, now};
use crate::response::HttpResponse;
use crate::routed_request::{Query, RoutedRequest};

/// The name of the cookie.
const SESSION: &str = "tendon-session";

/// How long a session lasts, in seconds.
const LIFE: i64 = 8 * 3_600;

/// How long a token may be: browsers keep cookies of 4,096 bytes.
const LONGEST_TOKEN: usize = 2_900;

/// What sessions are sealed for, and what the tokens of forms are made for.
const PURPOSE: &str = "ui/session";
const FORM: &str = "ui/form";

/// The name of the field that forms send back.
const FORM_TOKEN: &str = "form-token";

/// Who asks for a page.
pub(crate) async fn caller(app: &App, headers: &HeaderMap) -> Result<Caller, ApiError> {
    if app.guard.is_local() || headers.contains_key(AUTHORIZATION) {
        return resolved(app, app.guard.caller("", headers, None).await?);
    }
    let token = cookie(headers, SESSION).and_then(|sealed| opened(app, sealed, now()));
    let Some(token) = token else {
        return Err(ApiError::new("SignInRequired", "sign in first; a session lasts for eight hours"));
    };
    resolved(app, app.guard.caller_of(&token).await?)
}

/// Somebody whose roles are those of this moment.
fn resolved(app: &App, caller: Caller) -> Result<Caller, ApiError> {
    Ok(Roles::resolve(app.store(), caller)?)
}

/// The values of cookies with a name.
fn cookies<'h>(headers: &'h HeaderMap, name: &str) -> impl Iterator<Item = &'h str> {
    let texts = headers.get_all(COOKIE).iter().filter_map(|header| header.to_str().ok());
    let all = texts.flat_map(|text| text.split(';')).filter_map(|pair| pair.trim().split_once('='));
    all.filter(move |(found, _)| *found == name).map(|(_, value)| value)
}

/// The value of a cookie; none if there are two, which may mean two people.
pub(super) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut found = cookies(headers, name);
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// A token, sealed until a moment.
fn sealed(app: &App, token: &str, until: i64) -> Result<String, ApiError> {
    let mut plain = until.to_be_bytes().to_vec();
    plain.extend_from_slice(token.as_bytes());
    let sealed = app.host.engine().key.seal(PURPOSE, &plain).map_err(|error| broken(&error))?;
    Ok(URL_SAFE_NO_PAD.encode(sealed))
}

/// The token of a session that has not ended.
fn opened(app: &App, sealed: &str, now: i64) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let plain = app.host.engine().key.open(PURPOSE, &bytes).ok()?;
    let (until, token) = plain.split_first_chunk::<8>()?;
    let is_good = now < i64::from_be_bytes(*until);
    String::from_utf8(token.to_vec()).ok().filter(|_| is_good)
}

/// What forms of a session send back: nobody else can know it.
pub(super) fn form_token(app: &App, headers: &HeaderMap) -> String {
    let session = cookie(headers, SESSION).unwrap_or_default();
    let derived = app.host.engine().key.derive(FORM, session.as_bytes());
    derived.map(|token| URL_SAFE_NO_PAD.encode(token)).unwrap_or_default()
}

/// Refuses a form that a page of somebody else sent.
pub(crate) fn check_form(app: &App, base: &str, parts: &Parts, body: &Bytes) -> Result<(), ApiError> {
    if [Method::GET, Method::HEAD].contains(&parts.method) {
        return Ok(());
    }
    let same_origin = |origin: &http::HeaderValue| origin.as_bytes().eq_ignore_ascii_case(base.as_bytes());
    let sites = parts.headers.get_all("sec-fetch-site");
    if !parts.headers.get_all(ORIGIN).iter().all(same_origin)
        || sites.iter().any(|site| site != "same-origin")
    {
        return Err(ApiError::new("CrossOriginRequest", "web pages may not use this server"));
    }
    let form = Query::parse(&String::from_utf8_lossy(body));
    let sent = form.get(FORM_TOKEN).unwrap_or_default();
    let expected = form_token(app, &parts.headers);
    if expected.is_empty() || !is_same(sent.as_bytes(), expected.as_bytes()) {
        return Err(ApiError::new(
            "FormOutOfDate",
            "the form is not one of this session; go back, load the page again, and send it again",
        ));
    }
    Ok(())
}

/// The page that asks for a token. Where nobody has to sign in there is nothing to ask.
pub(super) fn form(call: &RoutedRequest) -> HttpResponse {
    let target = back(call.query.get("back").unwrap_or_default());
    if call.app.guard.is_local() {
        return page_shell::redirect(target);
    }
    page(call, StatusCode::OK, target, None)
}

fn page(call: &RoutedRequest, status: StatusCode, back: &str, problem: Option<&str>) -> HttpResponse {
    let view = SignInView {
        back: back.to_owned(),
        problem: problem.map(str::to_owned),
        has_issuer: call.app.guard.has_issuer(),
    };
    let frame = page_shell::frame(call);
    page_shell::page(status, &frame, Section::Elsewhere, "Sign in", &pages::ui::sign_in(&frame, &view))
}

pub(super) async fn begin(call: RoutedRequest) -> Result<HttpResponse, ApiError> {
    let form = Query::parse(&String::from_utf8_lossy(&call.body));
    let target = back(form.get("back").unwrap_or_default()).to_owned();
    let token = form.get("token").unwrap_or_default().trim();
    if token.len() > LONGEST_TOKEN {
        let problem = format!("The token has more than {LONGEST_TOKEN} bytes, which no cookie can hold.");
        return Ok(page(&call, StatusCode::BAD_REQUEST, &target, Some(&problem)));
    }
    let caller = match call.app.guard.caller_of(token).await {
        Ok(caller) => caller,
        Err(refusal) if refusal.status() == StatusCode::UNAUTHORIZED => {
            let problem = "The token is not valid here, was revoked, or has expired.";
            return Ok(page(&call, StatusCode::UNAUTHORIZED, &target, Some(problem)));
        }
        Err(refusal) => return Err(refusal),
    };
    let session = sealed(&call.app, token, now().saturating_add(LIFE))?;
    let answer = HttpResponse::empty(StatusCode::SEE_OTHER).header(LOCATION, &target);
    Ok(page_shell::guarded(answer).header(SET_COOKIE, &set(&call, &session, LIFE)).to(&caller.name))
}

pub(super) fn end(call: &RoutedRequest) -> HttpResponse {
    let answer = HttpResponse::empty(StatusCode::SEE_OTHER).header(LOCATION, "/ui/sign-in");
    page_shell::guarded(answer).header(SET_COOKIE, &set(call, "", 0))
}

/// The header that sets the session.
fn set(call: &RoutedRequest, session: &str, life: i64) -> String {
    let secure = if call.base.starts_with("https:") { "; Secure" } else { "" };
    format!("{SESSION}={session}; Path=/ui; Max-Age={life}; HttpOnly; SameSite=Strict{secure}")
}

/// The header that ends a session which is not good any more.
pub(super) fn ended() -> String {
    format!("{SESSION}=; Path=/ui; Max-Age=0; HttpOnly; SameSite=Strict")
}

/// Whether a request says that it belongs to a session, or to two.
pub(super) fn has_session(headers: &HeaderMap) -> bool {
    cookies(headers, SESSION).next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn with(cookies: &[&'static str]) -> HeaderMap {
        cookies.iter().map(|cookie| (COOKIE, HeaderValue::from_static(cookie))).collect()
    }

    #[test]
    fn a_cookie_is_found_by_its_name_unless_there_are_two() {
        let found = |cookies: &[&'static str]| cookie(&with(cookies), "a").map(str::to_owned);
        assert_eq!(found(&["b=1; a=2;c=3"]).as_deref(), Some("2"));
        assert_eq!(found(&["a=1; a=2"]), None);
        assert_eq!(found(&["a=1", "a=2"]), None);
        assert_eq!(found(&["aa=1; ba=2"]), None);
        assert_eq!(found(&[]), None);
        // Two sessions are none, and both are ended.
        assert!(has_session(&with(&["tendon-session=1; tendon-session=2"])));
        assert!(!has_session(&with(&["a=1"])));
    }
}
