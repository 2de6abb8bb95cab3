//! What clients ask before they have a token.

use crate::support::Server;

#[test]
fn a_client_finds_the_address_of_the_token_and_gets_one() {
    let server = Server::new();
    let found = server.ask("GET /T/v2.0/.well-known/openid-configuration", "");
    assert_eq!(found.body["token_endpoint"], "https://127.0.0.1:8443/T/oauth2/v2.0/token");
    assert_eq!(found.body["issuer"], "https://127.0.0.1:8443/T/v2.0");
    let given = server.ask(
        "POST /T/oauth2/v2.0/token",
        "client_id=c&grant_type=client_credentials&client_secret=s&scope=https%3A%2F%2F127.0.0.1%3A8443%2F.default",
    );
    assert_eq!((given.status.as_u16(), &given.body["token_type"]), (200, &"Bearer".into()));
    let token = given.body["access_token"].as_str().unwrap();
    assert_eq!(token.split('.').count(), 3, "{token}");
}

#[test]
fn the_provider_knows_itself() {
    let found = Server::new().ask("GET /common/discovery/instance?api-version=1.1", "");
    assert_eq!(found.body["metadata"][0]["aliases"][0], "127.0.0.1:8443");
    let tenant = found.body["tenant_discovery_endpoint"].as_str().unwrap();
    assert!(tenant.ends_with("/v2.0/.well-known/openid-configuration"), "{tenant}");
}

#[test]
fn a_managed_identity_gets_a_token_if_it_sends_the_header() {
    let server = Server::new();
    let path = "GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fr";
    assert_eq!(server.ask(path, "").status, 400);
    let given = server.ask_with(path, "", &[("metadata", "true")]);
    assert_eq!((given.status.as_u16(), &given.body["resource"]), (200, &"https://r".into()));
    assert!(given.body["expires_on"].as_str().unwrap().parse::<u64>().is_ok());
    let given = server.ask_with("GET /oauth2/token?resource=r", "", &[("secret", "x")]);
    assert_eq!(given.status, 200);
}
