//! Signing in to the pages, and what nobody can do without.

use crate::support::{Server, TokenServer, VERSION};
use http::HeaderMap;
use server::{Surface, requests};

const DEPLOYMENT: &str = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Resources/deployments/d";

const EMPTY: &str = r#"{"properties": {"mode": "Incremental", "template": {
    "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
    "contentVersion": "1.0.0.0", "resources": []}}}"#;

/// A page: its status, its headers and its text.
struct Page {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Page {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// What forms of the page send back.
    fn form_token(&self) -> &str {
        let rest = self.text.split("name=\"form-token\" value=\"").nth(1).unwrap();
        rest.split('"').next().unwrap()
    }
}

fn ask(server: &Server, request: &str, body: &str, headers: &[(&str, &str)]) -> Page {
    let (status, headers, bytes) = server.bytes(request, body, headers);
    Page { status: status.as_u16(), headers, text: String::from_utf8(bytes).unwrap() }
}

/// A server with the groups `g` and `h`, each with a deployment `d`.
fn server() -> TokenServer {
    let server = TokenServer::new();
    let owner = server.token("owner", "/");
    for group in ["g", "h"] {
        let path = format!("/subscriptions/s/resourcegroups/{group}");
        server.ask(&format!("PUT {path}?{VERSION}"), r#"{"location": "north"}"#, &owner);
        let deployment = DEPLOYMENT.replace("/g/", &format!("/{group}/"));
        let put = server.ask(&format!("PUT {deployment}?{VERSION}"), EMPTY, &owner);
        assert_eq!(put.status, 200, "{put:?}");
    }
    server
}

/// Signs in with a token, and gives the cookie.
fn sign_in(server: &TokenServer, token: &str) -> String {
    let form = ask(&server.server, "GET /ui/sign-in", "", &[]);
    let body = format!("form-token={}&token={token}&back=%2Fui", form.form_token());
    let signed = ask(&server.server, "POST /ui/sign-in", &body, &[]);
    assert_eq!((signed.status, signed.header("location")), (303, "/ui"), "{}", signed.text);
    let cookie = signed.header("set-cookie");
    for part in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/ui", "Max-Age=28800"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains(token), "{cookie}");
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn a_token_begins_a_session_that_shows_pages() {
    let server = server();
    let away = ask(&server.server, "GET /ui?state=Failed", "", &[]);
    assert_eq!((away.status, away.header("location")), (303, "/ui/sign-in?back=%2Fui%3Fstate%3DFailed"));
    let cookie = sign_in(&server, &server.token("reader", "/"));
    let page = ask(&server.server, "GET /ui", "", &[("cookie", &cookie)]);
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Signed in as") && page.text.contains(">d</a>"), "{}", page.text);
    // Signing out ends it for this browser.
    let body = format!("form-token={}", page.form_token());
    let out = ask(&server.server, "POST /ui/sign-out", &body, &[("cookie", &cookie)]);
    assert_eq!(out.status, 303);
    assert!(
        out.header("set-cookie").contains("tendon-session=; Path=/ui; Max-Age=0"),
        "{out:?}",
        out = out.headers
    );
}

#[test]
fn a_link_of_another_site_leads_to_the_page_if_there_is_a_session() {
    let server = server();
    let path = format!("/ui/deployments{DEPLOYMENT}");
    // The browser leaves the cookie out, and sends it with the request that our own page makes.
    let led = ask(&server.server, &format!("GET {path}"), "", &[("sec-fetch-site", "cross-site")]);
    assert_eq!((led.status, led.header("refresh")), (200, format!("0; url={path}").as_str()));
    assert!(!led.text.contains("Succeeded"), "{}", led.text);
    let cookie = sign_in(&server, &server.token("reader", "/"));
    let headers = [("sec-fetch-site", "same-origin"), ("cookie", cookie.as_str())];
    assert_eq!(ask(&server.server, &format!("GET {path}"), "", &headers).status, 200);
    let nobody = ask(&server.server, &format!("GET {path}"), "", &[("sec-fetch-site", "same-origin")]);
    assert_eq!(nobody.status, 303);
}

#[test]
fn a_session_ends_with_its_token() {
    let server = server();
    let cookie = sign_in(&server, &server.token("reader", "/"));
    server.revoke_all();
    let page = ask(&server.server, "GET /ui", "", &[("cookie", &cookie)]);
    assert_eq!((page.status, page.header("location")), (303, "/ui/sign-in?back=%2Fui"));
    assert!(page.header("set-cookie").contains("Max-Age=0"));
}

#[test]
fn wrong_tokens_and_forged_sessions_are_refused() {
    let server = server();
    let form = ask(&server.server, "GET /ui/sign-in", "", &[]);
    for token in ["", "x", "tdn_0123456789abcdef_AAAA"] {
        let body = format!("form-token={}&token={token}", form.form_token());
        let page = ask(&server.server, "POST /ui/sign-in", &body, &[]);
        assert_eq!(page.status, 401, "{token}");
        assert!(page.text.contains("role=\"alert\"") && page.header("set-cookie").is_empty());
    }
    let long = format!("form-token={}&token={}", form.form_token(), "x".repeat(3_000));
    assert_eq!(ask(&server.server, "POST /ui/sign-in", &long, &[]).status, 400);
    let good = sign_in(&server, &server.token("owner", "/"));
    let (name, value) = good.split_once('=').unwrap();
    let flipped = format!("{name}=Z{}", value.strip_prefix(|_| true).unwrap());
    for cookie in ["tendon-session=", "tendon-session=AAAA", &flipped, &format!("{good}; {good}")] {
        let page = ask(&server.server, "GET /ui", "", &[("cookie", cookie)]);
        assert_eq!(page.status, 303, "{cookie}");
    }
}

#[test]
fn forms_of_other_pages_are_refused() {
    let server = server();
    let cookie = sign_in(&server, &server.token("owner", "/"));
    let page = ask(&server.server, "GET /ui", "", &[("cookie", &cookie)]);
    let theme = |token: &str, headers: &[(&str, &str)]| {
        let body = format!("form-token={token}&theme=dark&back=https%3A%2F%2Fevil.test%2F");
        let all: Vec<(&str, &str)> = headers.iter().copied().chain([("cookie", cookie.as_str())]).collect();
        ask(&server.server, "POST /ui/theme", &body, &all)
    };
    let good = page.form_token();
    let switched = theme(good, &[("origin", "https://127.0.0.1:8443"), ("sec-fetch-site", "same-origin")]);
    assert_eq!((switched.status, switched.header("location")), (303, "/ui"));
    assert!(switched.header("set-cookie").starts_with("tendon-theme=dark;"));
    assert_eq!(theme(good, &[("origin", "https://evil.test")]).status, 403);
    assert_eq!(theme(good, &[("origin", "null")]).status, 403);
    assert_eq!(theme(good, &[("sec-fetch-site", "cross-site")]).status, 403);
    assert_eq!(theme("", &[]).status, 403);
    // The token of another session is no good here.
    let other = sign_in(&server, &server.token("owner", "/"));
    let other = ask(&server.server, "GET /ui", "", &[("cookie", &other)]);
    assert_eq!(theme(other.form_token(), &[]).status, 403);
    // The theme is in the page.
    let dark = ask(&server.server, "GET /ui", "", &[("cookie", &format!("{cookie}; tendon-theme=dark"))]);
    assert!(dark.text.contains("data-theme=\"dark\""));
}

/// Every page that there is, about the deployment of a group; what a page is about comes from its row.
fn pages(group: &str) -> Vec<(String, &'static str)> {
    let id = DEPLOYMENT.replace("/g/", &format!("/{group}/"));
    let all = requests().into_iter().filter(|row| row.surface == Surface::Ui && row.method == "GET");
    let about = all.filter(|row| row.path.contains("{id*}"));
    about.map(|row| (format!("GET {}", row.path.replace("/{id*}", &id)), row.who)).collect()
}

#[test]
fn a_reader_of_one_group_sees_that_group_on_every_page() {
    let server = server();
    let cookie = sign_in(&server, &server.token("reader", "/subscriptions/s/resourceGroups/g"));
    let headers: &[(&str, &str)] = &[("cookie", &cookie)];
    assert!(pages("g").len() >= 2);
    for (request, who) in pages("g") {
        let open = server.server.open(&request, headers);
        assert!([200, 404].contains(&open.status.as_u16()), "{request}: {} ({who})", open.status);
    }
    for (request, _) in pages("h") {
        let page = ask(&server.server, &request, "", headers);
        assert_eq!(page.status, 403, "{request}");
        assert!(page.text.contains("AuthorizationFailed"), "{}", page.text);
    }
    // Above the group there is nothing to see but the way to it, which is no page.
    let above = "GET /ui/deployments/subscriptions/s/providers/Microsoft.Resources/deployments/d";
    assert_eq!(ask(&server.server, above, "", headers).status, 403);
    for query in ["", "?scope=/subscriptions/s", "?scope=/", "?scope=/subscriptions/s/resourceGroups/h"] {
        let list = ask(&server.server, &format!("GET /ui{query}"), "", headers);
        assert_eq!(list.status, 200);
        assert!(!list.text.contains("/resourcegroups/h/"), "{query}: {}", list.text);
    }
    let own = ask(&server.server, "GET /ui", "", headers);
    assert!(own.text.contains("/resourcegroups/g/"), "{}", own.text);
    // A reader cannot cancel, whatever the form says, and is not offered to.
    let body = format!("form-token={}", own.form_token());
    let cancel = ask(&server.server, &format!("POST /ui/cancel{DEPLOYMENT}"), &body, headers);
    assert_eq!(cancel.status, 403, "{}", cancel.text);
}

#[test]
fn every_page_has_the_headers_that_keep_others_out() {
    let server = server();
    let cookie = sign_in(&server, &server.token("reader", "/"));
    let script = ask(&server.server, "GET /ui", "", &[("cookie", &cookie)]);
    let script = script.text.split("src=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let requests = ["/ui", "/ui/sign-in", "/ui/nothing", &format!("/ui/deployments{DEPLOYMENT}"), &script];
    for path in requests {
        for headers in [&[("cookie", cookie.as_str())][..], &[]] {
            let page = ask(&server.server, &format!("GET {path}"), "", headers);
            let policy = page.header("content-security-policy");
            assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self';"), "{path}");
            assert!(!policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"));
            assert_eq!(page.header("x-content-type-options"), "nosniff");
            assert_eq!(page.header("referrer-policy"), "same-origin");
            for never in [" style=\"", "<style", " onclick=", "javascript:", "http://", "https://"] {
                let text = page.text.replace("http://www.w3.org/2000/svg", "");
                assert!(
                    !page.header("content-type").starts_with("text/html") || !text.contains(never),
                    "{never}: {text}"
                );
            }
        }
    }
    let file = ask(&server.server, &format!("GET {script}"), "", &[]);
    assert_eq!(file.header("cache-control"), "public, max-age=31536000, immutable");
    assert_eq!(file.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(ask(&server.server, "GET /ui/assets/old/ui.js", "", &[]).status, 404);
}

#[test]
fn nobody_signs_in_to_a_local_server() {
    let server = Server::new();
    server.group("g");
    assert_eq!(ask(&server, "GET /ui", "", &[]).status, 200);
    let page = ask(&server, "GET /ui/sign-in?back=/ui/x", "", &[]);
    assert_eq!((page.status, page.header("location")), (303, "/ui/x"));
    // Another web page gets nothing, and is told so in HTML.
    let foreign = ask(&server, "GET /ui", "", &[("sec-fetch-site", "cross-site")]);
    assert_eq!((foreign.status, foreign.header("content-type")), (403, "text/html; charset=utf-8"));
}

#[test]
fn head_is_get_without_a_body_and_other_methods_learn_what_there_is() {
    let server = Server::new();
    for page in ["/ui", "/ui/types", "/ui/playground", "/healthz"] {
        let (expected, sent, full) = server.bytes(&format!("GET {page}"), "", &[]);
        let (status, headers, body) = server.bytes(&format!("HEAD {page}"), "", &[]);
        assert_eq!((status, body.len()), (expected, 0), "{page}");
        assert_eq!(headers.get("content-type"), sent.get("content-type"), "{page}");
        assert_eq!(headers["content-length"], full.len().to_string().as_str(), "{page}");
    }
    let (status, headers, _) = server.bytes("DELETE /ui/sign-in", "", &[]);
    assert_eq!((status.as_u16(), headers["allow"].to_str().unwrap()), (405, "GET, POST"));
    let (status, headers, _) =
        server.bytes("PATCH /subscriptions/s/resources?api-version=2021-04-01", "", &[]);
    assert_eq!((status.as_u16(), headers["allow"].to_str().unwrap()), (405, "GET"));
}
