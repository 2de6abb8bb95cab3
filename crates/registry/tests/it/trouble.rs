//! Registries and connections that fail: what is wrong is refused and leaves nothing, what is interrupted goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use registry::{Keychain, OciError};
use registry_server::{Memory, Request, ScriptedResponse};

use crate::support::{Folder, module, place, registries, restore_one, run};

/// A template that is worth going on with.
fn template() -> String {
    format!("{{ \"text\": \"{}\" }}", "x".repeat(10_000))
}

/// Pushes a module to a server, spoils it, and restores it; nothing may be in the cache if that fails.
#[track_caller]
fn restored(server: &Memory, spoil: impl Fn(&Memory)) -> Result<(), OciError> {
    let folder = Folder::new();
    let registries = registries(Keychain::default());
    let outcome = run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module(&template())).await.unwrap();
        spoil(server);
        restore_one(&registries, place, folder.path()).await
    });
    match &outcome {
        Ok(()) => {
            let text = std::fs::read_to_string(folder.path().join("thing/main.json")).unwrap();
            assert_eq!(text, template());
        }
        Err(_) => assert_eq!(folder.files(), [""; 0]),
    }
    outcome
}

fn is_blob(request: &Request) -> bool {
    request.method == "GET" && request.path.contains("/blobs/")
}

/// A server that answers in its own way to the first requests for a blob.
fn at_first(
    times: usize,
    answer: impl Fn(usize, &Request) -> Option<ScriptedResponse> + Send + Sync + 'static,
) -> Memory {
    let count = AtomicUsize::new(0);
    Memory::with(move |request| {
        let turn = is_blob(request).then(|| count.fetch_add(1, Ordering::Relaxed));
        turn.filter(|turn| *turn < times).and_then(|turn| answer(turn, request))
    })
    .unwrap()
}

#[test]
fn a_wrong_digest_is_refused_and_leaves_nothing() {
    let server = Memory::start().unwrap();
    let fault = restored(&server, |server| {
        server.change(&registry::Digest::of(template().as_bytes()).to_string(), |bytes| bytes[5] ^= 1)
    });
    assert!(matches!(fault, Err(OciError::WrongDigest { what: "main.json", .. })), "{fault:?}");
    // It is not asked for again: what is wrong stays wrong.
    assert_eq!(server.requests().iter().filter(|it| is_blob(it)).count(), 1);
}

#[test]
fn another_size_than_the_manifest_says_is_refused() {
    let server = Memory::start().unwrap();
    let digest = registry::Digest::of(template().as_bytes()).to_string();
    let short = restored(&server, |server| server.change(&digest, |bytes| bytes.truncate(10)));
    assert!(matches!(short, Err(OciError::WrongDigest { .. })), "{short:?}");
    let long = restored(&server, |server| server.change(&digest, |bytes| bytes.resize(1 << 20, 0)));
    assert!(matches!(long, Err(OciError::Connection(_))), "{long:?}");
    let huge = restored(&server, |server| {
        server.change("/manifests/1", |bytes| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            *bytes =
                text.replace(&format!("\"size\":{}", template().len()), "\"size\":99999999999").into_bytes();
        });
    });
    assert!(matches!(huge, Err(OciError::TooLarge { what: "main.json", .. })), "{huge:?}");
}

#[test]
fn a_digest_that_the_registry_says_wrongly_is_refused() {
    let server = Memory::with(|request| {
        let manifest = request.path.ends_with("/manifests/1") && request.method == "GET";
        let digest = registry::Digest::of(b"other").to_string();
        manifest.then(|| ScriptedResponse::new(200, "{}").with("Docker-Content-Digest", &digest))
    });
    let fault = restored(&server.unwrap(), |_| {});
    assert!(matches!(fault, Err(OciError::WrongDigest { what: "the manifest", .. })), "{fault:?}");
}

#[test]
fn an_interrupted_download_goes_on_where_it_ended() {
    let whole = template().into_bytes();
    let server = at_first(1, move |_, _| {
        Some(ScriptedResponse { breaks_after: Some(4_000), ..ScriptedResponse::new(200, whole.clone()) })
    });
    restored(&server, |_| {}).unwrap();
    let ranges: Vec<_> = server
        .requests()
        .iter()
        .filter(|it| is_blob(it))
        .map(|it| it.header("range").map(str::to_owned))
        .collect();
    assert_eq!(ranges, [None, Some("bytes=4000-".to_owned())]);
}

#[test]
fn a_download_begins_anew_where_the_parts_do_not_fit() {
    let whole = template().into_bytes();
    let server = at_first(1, move |_, _| {
        let mut wrong = whole.clone();
        wrong[3] ^= 1;
        Some(ScriptedResponse { breaks_after: Some(4_000), ..ScriptedResponse::new(200, wrong) })
    });
    restored(&server, |_| {}).unwrap();
    let without_range = |it: &&Request| is_blob(it) && it.header("range").is_none();
    assert_eq!(server.requests().iter().filter(without_range).count(), 2);
}

#[test]
fn a_server_that_knows_no_ranges_is_asked_for_all_of_it() {
    let whole = template().into_bytes();
    let server = at_first(3, move |turn, _| {
        let answer = ScriptedResponse::new(200, whole.clone());
        Some(if turn < 2 { ScriptedResponse { breaks_after: Some(4_000), ..answer } } else { answer })
    });
    restored(&server, |_| {}).unwrap();
}

#[test]
fn a_download_that_always_breaks_ends() {
    let whole = template().into_bytes();
    let server = at_first(usize::MAX, move |_, _| {
        Some(ScriptedResponse { breaks_after: Some(4_000), ..ScriptedResponse::new(200, whole.clone()) })
    });
    let fault = restored(&server, |_| {});
    assert!(matches!(fault, Err(OciError::Unreachable(_))), "{fault:?}");
    assert_eq!(server.requests().iter().filter(|it| is_blob(it)).count(), 5);
    // One byte at a time is progress, but not forever.
    let whole = template().into_bytes();
    let server = at_first(usize::MAX, move |turn, _| {
        let rest = whole.get(turn..).unwrap_or_default().to_vec();
        let answer = ScriptedResponse::new(if turn == 0 { 200 } else { 206 }, rest);
        let range = format!("bytes {turn}-{}/{}", whole.len() - 1, whole.len());
        Some(ScriptedResponse { breaks_after: Some(1), ..answer.with("Content-Range", &range) })
    });
    let fault = restored(&server, |_| {});
    assert!(matches!(fault, Err(OciError::Unreachable(_))), "{fault:?}");
    assert_eq!(server.requests().iter().filter(|it| is_blob(it)).count(), 64);
}

#[test]
fn a_busy_registry_is_asked_again() {
    let server = at_first(2, |_, _| Some(ScriptedResponse::new(503, "").with("Retry-After", "1")));
    restored(&server, |_| {}).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let server = Memory::with(move |request| {
        let first = request.path.contains("/manifests/") && counted.fetch_add(1, Ordering::Relaxed) < 3;
        first.then(|| ScriptedResponse::new(429, ""))
    });
    restored(&server.unwrap(), |_| {}).unwrap();
    let server = at_first(usize::MAX, |_, _| Some(ScriptedResponse::new(503, "")));
    let fault = restored(&server, |_| {});
    assert!(matches!(fault, Err(OciError::Unreachable(_))), "{fault:?}");
    assert_eq!(server.requests().iter().filter(|it| is_blob(it)).count(), 4);
}

#[test]
fn what_is_not_there_is_not_asked_for_twice() {
    let server = Memory::start().unwrap();
    let folder = Folder::new();
    let registries = registries(Keychain::default());
    let fault = run(restore_one(&registries, place(&server.host(), "9"), folder.path()));
    assert!(matches!(fault, Err(OciError::NotFound)), "{fault:?}");
    assert_eq!(server.requests().len(), 1);
    let gone = restored(&server, |server| {
        server.change("/manifests/1", |bytes| {
            let text = String::from_utf8(bytes.clone()).unwrap();
            *bytes = text
                .replace(
                    registry::Digest::of(template().as_bytes()).as_str(),
                    registry::Digest::of(b"gone").as_str(),
                )
                .into_bytes();
        })
    });
    assert!(gone.unwrap_err().to_string().contains("names a missing blob"));
}

#[test]
fn a_storage_elsewhere_is_followed_and_never_told_who_asks() {
    let storage = Memory::with(|_| Some(ScriptedResponse::new(200, template()))).unwrap();
    let elsewhere = format!("http://{}/blob?key=1", storage.host());
    let server = Memory::with(move |request| {
        if request.header("authorization").is_none() {
            return Some(ScriptedResponse::new(401, "").with("WWW-Authenticate", "Basic realm=\"x\""));
        }
        is_blob(request).then(|| ScriptedResponse::new(307, "").with("Location", &elsewhere))
    });
    let server = server.unwrap();
    let config = format!("{{ \"auths\": {{ \"{}\": {{ \"auth\": \"bWU6c2VjcmV0\" }} }} }}", server.host());
    let folder = Folder::new();
    let registries = registries(Keychain::from_config(&config).unwrap());
    run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module(&template())).await.unwrap();
        restore_one(&registries, place, folder.path()).await.unwrap();
    });
    assert_eq!(storage.requests().len(), 1);
    assert!(storage.requests().iter().all(|request| request.header("authorization").is_none()));
}

#[test]
fn a_storage_elsewhere_cannot_ask_for_the_credential_of_the_registry() {
    let service = Memory::with(|_| Some(ScriptedResponse::new(200, r#"{"token":"t"}"#))).unwrap();
    for challenge in
        [format!("Bearer realm=\"http://{}/token\"", service.host()), "Basic realm=\"x\"".to_owned()]
    {
        let storage =
            Memory::with(move |_| Some(ScriptedResponse::new(401, "").with("WWW-Authenticate", &challenge)))
                .unwrap();
        let elsewhere = format!("http://{}/blob", storage.host());
        let server = Memory::with(move |request| {
            is_blob(request).then(|| ScriptedResponse::new(307, "").with("Location", &elsewhere))
        });
        let server = server.unwrap();
        let config =
            format!("{{ \"auths\": {{ \"{}\": {{ \"auth\": \"bWU6c2VjcmV0\" }} }} }}", server.host());
        let folder = Folder::new();
        let registries = registries(Keychain::from_config(&config).unwrap());
        let fault = run(async {
            let place = place(&server.host(), "1");
            registries.push(&place, &module(&template())).await.unwrap();
            restore_one(&registries, place, folder.path()).await.unwrap_err()
        });
        assert!(fault.to_string().contains("401"), "{fault}");
        assert!(storage.requests().iter().all(|request| request.header("authorization").is_none()));
    }
    assert!(service.requests().is_empty(), "the service of a stranger was asked for a token");
}

#[test]
fn a_registry_cannot_lead_in_circles() {
    let server = Memory::with(|request| {
        is_blob(request).then(|| ScriptedResponse::new(302, "").with("Location", "/v2/x/blobs/y"))
    });
    let server = server.unwrap();
    let fault = restored(&server, |_| {}).unwrap_err();
    assert!(matches!(fault, OciError::Protocol(_)), "{fault}");
    assert_eq!(server.requests().iter().filter(|it| is_blob(it)).count(), 4);
    let away = Memory::with(|request| {
        is_blob(request)
            .then(|| ScriptedResponse::new(302, "").with("Location", "http://storage.example/key=secret"))
    });
    let fault = restored(&away.unwrap(), |_| {}).unwrap_err();
    assert!(matches!(fault, OciError::Protocol(_)) && !fault.to_string().contains("secret"), "{fault}");
}

#[test]
fn an_upload_that_breaks_is_begun_anew() {
    let count = AtomicUsize::new(0);
    let server = Memory::with(move |request| {
        let upload = request.method == "PUT" && request.path.contains("/uploads/");
        let first = upload && count.fetch_add(1, Ordering::Relaxed) < 2;
        first.then(|| ScriptedResponse::new(500, ""))
    });
    restored(&server.unwrap(), |_| {}).unwrap();
}

#[test]
fn a_registry_that_is_not_there_is_named() {
    let folder = Folder::new();
    let registries = registries(Keychain::default());
    let fault = run(restore_one(&registries, place("127.0.0.1:1", "1"), folder.path())).unwrap_err();
    assert!(
        matches!(fault, OciError::Unreachable(_)) && fault.to_string().contains("127.0.0.1:1"),
        "{fault}"
    );
}
