//! Tokens of an issuer: what is accepted, and everything that is not.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::support::Server;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use engine::Clock;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};
use server::{AuthMode, Guard, Oidc, OidcSettings, RoleRule};

/// An issuer on this machine.
struct Issuer {
    url: String,
    keys: Arc<Mutex<Vec<Value>>>,
    asked: Arc<AtomicUsize>,
    /// Whether it takes requests and answers none.
    is_silent: Arc<AtomicBool>,
}

impl Issuer {
    fn new(keys: Vec<Value>) -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let issuer = Issuer {
            url: url.clone(),
            keys: Arc::new(Mutex::new(keys)),
            asked: Arc::default(),
            is_silent: Arc::default(),
        };
        let (keys, asked) = (Arc::clone(&issuer.keys), Arc::clone(&issuer.asked));
        let is_silent = Arc::clone(&issuer.is_silent);
        std::thread::spawn(move || {
            let mut unanswered = Vec::new();
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                if is_silent.load(Ordering::SeqCst) {
                    unanswered.push(stream);
                    continue;
                }
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let first = lines.next().unwrap().unwrap();
                while !lines.next().unwrap().unwrap().is_empty() {}
                let body = if first.contains("openid-configuration") {
                    asked.fetch_add(1, Ordering::SeqCst);
                    json!({"issuer": url, "jwks_uri": format!("{url}/keys")})
                } else {
                    json!({"keys": *keys.lock().unwrap()})
                };
                let body = body.to_string();
                write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
            }
        });
        issuer
    }

    fn server(&self, pause: Duration) -> Server {
        let oidc = Oidc::new(OidcSettings {
            issuer: self.url.clone(),
            audiences: vec!["tendon".to_owned()],
            roles_claim: "roles".to_owned(),
            roles: vec![RoleRule::parse("readers=reader@/subscriptions/s").unwrap()],
            authorities: None,
            pause,
        });
        Server::with(Clock::Virtual, |_, _| Guard::new(AuthMode::Oidc(Box::new(oidc.unwrap()))))
    }

    /// Claims that are accepted.
    fn claims(&self) -> Value {
        json!({"iss": self.url, "aud": "tendon", "sub": "ann", "exp": now() + 600, "nbf": now() - 10, "roles": ["readers"]})
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Somebody who signs.
enum Signer {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Signer {
    fn ed() -> Signer {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        Signer::Ed(Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap())
    }

    fn ec() -> Signer {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        Signer::Ec(
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref(), &random).unwrap(),
        )
    }

    fn rsa() -> Signer {
        Signer::Rsa(RsaKeyPair::from_pkcs8(include_bytes!("../keys/rsa.der")).unwrap())
    }

    fn algorithm(&self) -> &'static str {
        match self {
            Signer::Ed(_) => "EdDSA",
            Signer::Ec(_) => "ES256",
            Signer::Rsa(_) => "RS256",
        }
    }

    fn public(&self) -> Vec<u8> {
        match self {
            Signer::Ed(pair) => pair.public_key().as_ref().to_vec(),
            Signer::Ec(pair) => pair.public_key().as_ref().to_vec(),
            Signer::Rsa(pair) => ring::rsa::PublicKeyComponents::<Vec<u8>>::from(pair.public()).n,
        }
    }

    fn jwk(&self, kid: &str) -> Value {
        let public = self.public();
        match self {
            Signer::Ed(_) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": encode(public), "kid": kid, "alg": "EdDSA", "use": "sig"})
            }
            Signer::Ec(_) => {
                json!({"kty": "EC", "crv": "P-256", "x": encode(&public[1..33]), "y": encode(&public[33..]), "kid": kid})
            }
            Signer::Rsa(_) => {
                json!({"kty": "RSA", "n": encode(public), "e": "AQAB", "kid": kid, "alg": "RS256"})
            }
        }
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match self {
            Signer::Ed(pair) => pair.sign(message).as_ref().to_vec(),
            Signer::Ec(pair) => pair.sign(&random, message).unwrap().as_ref().to_vec(),
            Signer::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).unwrap();
                signature
            }
        }
    }

    fn token(&self, kid: &str, claims: &Value) -> String {
        self.token_of(kid, &claims.to_string())
    }

    fn token_of(&self, kid: &str, claims: &str) -> String {
        let header = json!({"typ": "JWT", "alg": self.algorithm(), "kid": kid});
        let message = format!("{}.{}", encode(header.to_string()), encode(claims));
        format!("{message}.{}", encode(self.sign(message.as_bytes())))
    }
}

fn ask(server: &Server, path: &str, token: &str) -> u16 {
    let bearer = format!("Bearer {token}");
    server.ask_with(&format!("GET {path}?api-version=1"), "", &[("authorization", &bearer)]).status.as_u16()
}

#[test]
fn tokens_of_the_issuer_are_accepted_with_the_roles_that_they_claim() {
    for signer in [Signer::ed(), Signer::ec(), Signer::rsa()] {
        let issuer = Issuer::new(vec![signer.jwk("k")]);
        let server = issuer.server(Duration::from_secs(30));
        let token = signer.token("k", &issuer.claims());
        assert_eq!(ask(&server, "/subscriptions/s", &token), 200, "{}", signer.algorithm());
        assert_eq!(ask(&server, "/subscriptions/other", &token), 403);
        let mut claims = issuer.claims();
        claims["roles"] = json!([]);
        assert_eq!(ask(&server, "/subscriptions/s", &signer.token("k", &claims)), 403);
        assert_eq!(issuer.asked.load(Ordering::SeqCst), 1);
    }
}

#[test]
fn claims_that_are_not_right_are_refused() {
    let signer = Signer::ed();
    let issuer = Issuer::new(vec![signer.jwk("k")]);
    let server = issuer.server(Duration::from_secs(30));
    let cases: &[(&str, Value)] = &[
        ("aud", json!("another-service")),
        ("aud", json!(["a", "b"])),
        ("aud", Value::Null),
        ("iss", json!("https://evil.example")),
        ("iss", Value::Null),
        ("exp", json!(now() - 3600)),
        ("exp", Value::Null),
        ("exp", json!("never")),
        ("nbf", json!(now() + 3600)),
        ("sub", Value::Null),
        ("sub", json!("")),
    ];
    for (claim, value) in cases {
        let mut claims = issuer.claims();
        if value.is_null() {
            claims.as_object_mut().unwrap().remove(*claim);
        } else {
            claims[*claim] = value.clone();
        }
        assert_eq!(ask(&server, "/subscriptions/s", &signer.token("k", &claims)), 401, "{claim}: {value}");
    }
    // Which of two is meant, nobody can tell.
    let twice = |member: &str| issuer.claims().to_string().replacen('{', &format!("{{{member},"), 1);
    for member in [r#""roles":[]"#, r#""sub":"eve""#, r#""\u0072oles":["none"]"#] {
        let token = signer.token_of("k", &twice(member));
        assert_eq!(ask(&server, "/subscriptions/s", &token), 401, "{member}");
    }
    // Clocks may differ by a little.
    let mut claims = issuer.claims();
    claims["exp"] = json!(now() - 20);
    claims["nbf"] = json!(now() + 20);
    assert_eq!(ask(&server, "/subscriptions/s", &signer.token("k", &claims)), 200);
}

#[test]
fn signatures_that_are_not_of_the_issuer_are_refused() {
    let signer = Signer::ec();
    let issuer = Issuer::new(vec![signer.jwk("k")]);
    let server = issuer.server(Duration::from_secs(30));
    let claims = issuer.claims();
    let good = signer.token("k", &claims);
    let (message, signature) = good.rsplit_once('.').unwrap();
    let payload = message.split_once('.').unwrap().1;
    let header = |value: Value| encode(value.to_string());
    let hmac = {
        // The public key as the secret of a keyed digest.
        let message = format!("{}.{payload}", header(json!({"alg": "HS256", "kid": "k"})));
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &signer.public());
        format!("{message}.{}", encode(ring::hmac::sign(&key, message.as_bytes())))
    };
    let other = encode(claims.to_string().replace("ann", "eve"));
    let wrong = [
        ("no signature", format!("{message}.")),
        ("alg none", format!("{}.{payload}.", header(json!({"alg": "none"})))),
        ("alg None", format!("{}.{payload}.", header(json!({"alg": "None", "kid": "k"})))),
        ("alg HS256", hmac),
        (
            "alg of another family",
            format!("{}.{payload}.{signature}", header(json!({"alg": "RS256", "kid": "k"}))),
        ),
        ("the key of another issuer", Signer::ec().token("k", &claims)),
        ("another kind of key", Signer::ed().token("k", &claims)),
        ("other claims", format!("{}.{other}.{signature}", message.split_once('.').unwrap().0)),
        ("a key in the header", {
            let eve = Signer::ec();
            let message =
                format!("{}.{payload}", header(json!({"alg": "ES256", "kid": "k", "jwk": eve.jwk("k")})));
            format!("{message}.{}", encode(eve.sign(message.as_bytes())))
        }),
        ("a demand that nobody knows", {
            let header = header(json!({"alg": "ES256", "kid": "k", "crit": ["b64"], "b64": false}));
            let message = format!("{header}.{payload}");
            format!("{message}.{}", encode(signer.sign(message.as_bytes())))
        }),
        ("not a token", "a.b.c".to_owned()),
        ("two parts", message.to_owned()),
    ];
    for (what, token) in &wrong {
        assert_eq!(ask(&server, "/subscriptions/s", token), 401, "{what}");
    }
    assert_eq!(ask(&server, "/subscriptions/s", &good), 200);
}

#[test]
fn new_keys_are_found_and_unknown_ones_do_not_flood_the_issuer() {
    let (old, new) = (Signer::ed(), Signer::ed());
    let issuer = Issuer::new(vec![old.jwk("old")]);
    let server = issuer.server(Duration::ZERO);
    assert_eq!(ask(&server, "/subscriptions/s", &old.token("old", &issuer.claims())), 200);
    *issuer.keys.lock().unwrap() = vec![new.jwk("new")];
    assert_eq!(ask(&server, "/subscriptions/s", &new.token("new", &issuer.claims())), 200);
    assert_eq!(ask(&server, "/subscriptions/s", &old.token("old", &issuer.claims())), 401);
    let patient = issuer.server(Duration::from_secs(3600));
    let before = issuer.asked.load(Ordering::SeqCst);
    for number in 0..100 {
        let answer = ask(&patient, "/subscriptions/s", &new.token(&number.to_string(), &issuer.claims()));
        assert!([401, 429].contains(&answer), "{answer}");
    }
    assert_eq!(issuer.asked.load(Ordering::SeqCst), before + 1);
}

#[test]
fn settings_that_would_accept_too_much_are_refused() {
    let settings = |issuer: &str, audiences: &[&str], roles: &[&str]| OidcSettings {
        issuer: issuer.to_owned(),
        audiences: audiences.iter().map(|&it| it.to_owned()).collect(),
        roles_claim: "roles".to_owned(),
        roles: roles.iter().map(|rule| RoleRule::parse(rule).unwrap()).collect(),
        authorities: None,
        pause: Duration::ZERO,
    };
    assert!(Oidc::new(settings("https://issuer.example", &["a"], &["x=owner@/"])).is_ok());
    assert!(Oidc::new(settings("http://issuer.example", &["a"], &["x=owner@/"])).is_err());
    assert!(Oidc::new(settings("https://issuer.example", &[], &["x=owner@/"])).is_err());
    assert!(Oidc::new(settings("https://issuer.example", &["a"], &[])).is_err());
}

#[test]
fn a_token_of_the_issuer_begins_a_session_of_pages() {
    let signer = Signer::ed();
    let issuer = Issuer::new(vec![signer.jwk("k")]);
    let server = issuer.server(Duration::from_secs(30));
    let (_, form) = server.text("GET /ui/sign-in");
    assert!(form.contains("OpenID Connect"), "{form}");
    let form_token = form.split("name=\"form-token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let sign_in = |token: &str| {
        server.bytes("POST /ui/sign-in", &format!("form-token={form_token}&token={token}"), &[])
    };
    let mut expired = issuer.claims();
    expired["exp"] = json!(now() - 3600);
    assert_eq!(sign_in(&signer.token("k", &expired)).0, 401);
    let (status, headers, _) = sign_in(&signer.token("k", &issuer.claims()));
    assert_eq!(status, 303);
    let cookie = headers["set-cookie"].to_str().unwrap().split(';').next().unwrap();
    let page = |path: &str| server.text_with(&format!("GET {path}"), &[("cookie", cookie)]);
    let (status, list) = page("/ui");
    assert!(status == 200 && list.contains("ann"), "{list}");
    let deployment = "providers/Microsoft.Resources/deployments/d";
    assert_eq!(page(&format!("/ui/deployments/subscriptions/s/{deployment}")).0, 404);
    assert_eq!(page(&format!("/ui/deployments/subscriptions/other/{deployment}")).0, 403);
}

#[test]
fn an_issuer_that_is_silent_delays_nobody_whose_key_is_known() {
    let signer = Signer::ed();
    let issuer = Issuer::new(vec![signer.jwk("k")]);
    let server = issuer.server(Duration::ZERO);
    let known = signer.token("k", &issuer.claims());
    assert_eq!(ask(&server, "/subscriptions/s", &known), 200);
    issuer.is_silent.store(true, Ordering::SeqCst);
    let unknown = signer.token("other", &issuer.claims());
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| ask(&server, "/subscriptions/s", &unknown));
        std::thread::sleep(Duration::from_millis(100));
        let asked = Instant::now();
        for _ in 0..100 {
            assert_eq!(ask(&server, "/subscriptions/s", &known), 200);
        }
        assert!(asked.elapsed() < Duration::from_secs(3), "{:?}", asked.elapsed());
        assert_eq!(waits.join().unwrap(), 401);
    });
}
