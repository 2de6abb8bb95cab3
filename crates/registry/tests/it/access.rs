//! Who asks: passwords and tokens, and where they are never sent.

use registry::{ArtifactKind, Keychain, OciError};
use registry_server::{Memory, Request, ScriptedResponse};

use crate::support::{module, place, registries, run};

/// The credential `me` with the password `secret`, encoded.
const BASIC: &str = "Basic bWU6c2VjcmV0";

fn config(host: &str, entry: &str) -> Keychain {
    Keychain::from_config(&format!("{{ \"auths\": {{ \"{host}\": {entry} }} }}")).unwrap()
}

/// A registry that wants a password.
fn with_password() -> Memory {
    let server = Memory::with(|request| {
        let proved = request.header("authorization") == Some(BASIC);
        (!proved).then(|| ScriptedResponse::new(401, "").with("WWW-Authenticate", "Basic realm=\"here\""))
    });
    server.unwrap()
}

#[test]
fn a_password_is_told_to_the_registry_that_asks() {
    let server = with_password();
    let registries = registries(config(&server.host(), "{ \"auth\": \"bWU6c2VjcmV0\" }"));
    run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module("{}")).await.unwrap();
        registries.pull(&place, ArtifactKind::Module).await.unwrap();
    });
    // After the first challenge it is known what the registry wants, for pushes and for pulls.
    let refused = server.requests().iter().filter(|it| it.header("authorization").is_none()).count();
    assert_eq!(refused, 2);
}

#[test]
fn a_wrong_password_is_not_shown() {
    let server = with_password();
    let registries =
        registries(config(&server.host(), "{ \"username\": \"me\", \"password\": \"hunter2\" }"));
    let fault = run(registries.pull(&place(&server.host(), "1"), ArtifactKind::Module)).unwrap_err();
    let text = format!("{fault} {fault:?}");
    assert!(matches!(fault, OciError::Denied(_)) && text.contains("was not accepted"), "{text}");
    assert!(!text.contains("hunter2"));
}

#[test]
fn a_credential_is_not_told_to_another_registry() {
    let (mine, other) = (with_password(), with_password());
    let registries = registries(config(&mine.host(), "{ \"auth\": \"bWU6c2VjcmV0\" }"));
    let fault = run(registries.pull(&place(&other.host(), "1"), ArtifactKind::Module)).unwrap_err();
    assert!(fault.to_string().contains("there is no credential for"), "{fault}");
    assert!(other.requests().iter().all(|request| request.header("authorization").is_none()));
}

/// A service that gives tokens, and a registry that wants them.
fn with_tokens(gives: impl Fn(&Request) -> ScriptedResponse + Send + Sync + 'static) -> (Memory, Memory) {
    let service = Memory::with(move |request| Some(gives(request))).unwrap();
    let realm = format!("http://{}/token", service.host());
    let registry = Memory::with(move |request| {
        let action = if request.method == "GET" { "pull" } else { "pull,push" };
        let scope = format!("repository:team/thing:{action}");
        let proved = match request.header("authorization") {
            Some("Bearer for-push") => true,
            Some("Bearer for-pull") => request.method == "GET",
            _ => false,
        };
        let challenge = format!("Bearer realm=\"{realm}\",service=\"here\",scope=\"{scope}\"");
        (!proved).then(|| ScriptedResponse::new(401, "").with("WWW-Authenticate", &challenge))
    });
    (service, registry.unwrap())
}

fn token_for(request: &Request) -> ScriptedResponse {
    let push = request.query.contains("push") || String::from_utf8_lossy(&request.body).contains("push");
    let token = if push { "for-push" } else { "for-pull" };
    ScriptedResponse::new(200, format!("{{ \"token\": \"{token}\" }}"))
}

#[test]
fn tokens_come_from_the_service_that_the_registry_names() {
    let (service, server) = with_tokens(|request| match request.header("authorization") {
        Some(BASIC) => token_for(request),
        _ => ScriptedResponse::new(401, ""),
    });
    let registries = registries(config(&server.host(), "{ \"auth\": \"bWU6c2VjcmV0\" }"));
    run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module("{}")).await.unwrap();
        registries.pull(&place, ArtifactKind::Module).await.unwrap();
        registries.pull(&place, ArtifactKind::Module).await.unwrap();
    });
    let asked: Vec<String> = service.requests().iter().map(|request| request.query.clone()).collect();
    assert_eq!(
        asked,
        [
            "scope=repository%3Ateam%2Fthing%3Apull%2Cpush&service=here",
            "scope=repository%3Ateam%2Fthing%3Apull&service=here"
        ]
    );
    // The registry itself never sees the password.
    assert!(server.requests().iter().all(|request| request.header("authorization") != Some(BASIC)));
}

#[test]
fn a_public_registry_gives_tokens_to_anybody() {
    let (service, server) = with_tokens(token_for);
    let registries = registries(Keychain::default());
    run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module("{}")).await.unwrap();
        registries.pull(&place, ArtifactKind::Module).await.unwrap();
    });
    assert!(service.requests().iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn a_token_of_identity_is_exchanged() {
    let (service, server) = with_tokens(|request| {
        let form = String::from_utf8_lossy(&request.body).into_owned();
        let fine = request.method == "POST"
            && form.contains("grant_type=refresh_token&client_id=tendon&refresh_token=long%2Bone");
        if fine { token_for(request) } else { ScriptedResponse::new(400, form) }
    });
    let registries = registries(config(&server.host(), "{ \"identitytoken\": \"long+one\" }"));
    run(registries.push(&place(&server.host(), "1"), &module("{}"))).unwrap();
    assert!(service.requests().iter().all(|request| !request.query.contains("long")));
}

#[test]
fn a_service_that_refuses_is_not_asked_forever() {
    let (service, server) = with_tokens(|_| ScriptedResponse::new(403, ""));
    let registries = registries(Keychain::default());
    let fault = run(registries.pull(&place(&server.host(), "1"), ArtifactKind::Module)).unwrap_err();
    assert!(matches!(fault, OciError::Denied(_)), "{fault}");
    assert_eq!(service.requests().len(), 1);
}

#[test]
fn a_token_that_does_not_help_is_told_once() {
    let (service, server) = with_tokens(|_| ScriptedResponse::new(200, "{ \"access_token\": \"useless\" }"));
    let registries = registries(Keychain::default());
    let fault = run(registries.pull(&place(&server.host(), "1"), ArtifactKind::Module)).unwrap_err();
    assert!(matches!(fault, OciError::Denied(_)), "{fault}");
    assert_eq!((service.requests().len(), server.requests().len()), (1, 2));
}

#[test]
fn a_service_without_encryption_is_not_asked() {
    let server = Memory::with(|_| {
        Some(
            ScriptedResponse::new(401, "")
                .with("WWW-Authenticate", "Bearer realm=\"http://tokens.example/\""),
        )
    });
    let server = server.unwrap();
    let registries = registries(config(&server.host(), "{ \"auth\": \"bWU6c2VjcmV0\" }"));
    let fault = run(registries.pull(&place(&server.host(), "1"), ArtifactKind::Module)).unwrap_err();
    assert!(matches!(fault, OciError::Protocol(_)), "{fault}");
}
