//! Modules and extensions of registries: published, restored and used, with a registry in memory and with a real one.

use std::process::Output;

use registry::{About, Keychain, OciReference, Package, Registries, RetryPolicy};
use registry_server::{Access, Breaking, Debian, ELSEWHERE, Memory, PASSWORD, ScriptedResponse, USER, token};

use crate::support::Folder;

const TEMPLATE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "size": { "type": "int" } },
  "resources": [],
  "outputs": { "twice": { "type": "int", "value": "[mul(2, parameters('size'))]" } }
}"#;

/// Puts modules into a registry, by their tags.
fn push_all<'m>(host: &str, modules: impl IntoIterator<Item = (&'m str, &'m str)>) {
    let registries = Registries::new(Keychain::default(), RetryPolicy::default()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for (tag, template) in modules {
        let place = OciReference::new(host, "team/thing", tag).unwrap();
        let package = Package::module(template.as_bytes().to_vec(), None, About::default());
        runtime.block_on(registries.push(&place, &package)).unwrap();
    }
}

fn push(server: &Memory, tag: &str, template: &str) {
    push_all(&server.host(), [(tag, template)]);
}

/// What a command says, and how it ends.
fn said(folder: &Folder, line: &str) -> String {
    let Output { status, stdout, stderr } = folder.run_line(line, b"");
    format!("{}{}{:?}", folder.anonymous(&stdout), folder.anonymous(&stderr), status.code())
}

fn program(server: &Memory, tag: &str) -> String {
    let host = server.host();
    format!(
        "module thing 'br:{host}/team/thing:{tag}' = {{\n  name: 'thing'\n  params: {{ size: 2 }}\n}}\noutput four int = thing.outputs.twice\n"
    )
}

#[test]
fn a_build_restores_what_is_missing_if_it_is_told_to() {
    let server = Memory::start().unwrap();
    push(&server, "1.0", TEMPLATE);
    let pushed = server.requests().len();
    let folder = Folder::with(&[("main.bicep", program(&server, "1.0").as_bytes())]);
    for options in ["", " --no-restore", " --restore --no-restore"] {
        let offline = said(&folder, &format!("tendon build main.bicep --stdout{options}"));
        assert!(offline.contains("BCP190") && offline.ends_with("Some(1)"), "{offline}");
        assert!(offline.contains("`tendon restore FILE`"), "{offline}");
    }
    assert_eq!(server.requests().len(), pushed);
    let built = said(&folder, "tendon build main.bicep --stdout --no-restore --restore");
    assert!(built.contains("mul(2, parameters('size'))") && built.ends_with("Some(0)"), "{built}");
    let requests = server.requests().len();
    for line in ["tendon build main.bicep --stdout --restore", "tendon build main.bicep --stdout"] {
        assert_eq!(said(&folder, line), built);
    }
    assert_eq!(server.requests().len(), requests);
    let cached = format!(".bicep/br/{}/team$thing/1.0$", server.host().replace(':', "$"));
    for file in ["main.json", "manifest", "metadata"] {
        assert!(folder.path(&cached).join(file).is_file(), "{file}");
    }
}

#[test]
fn every_command_that_compiles_restores_if_it_is_told_to() {
    for (line, restores) in [
        ("tendon lint main.bicep", "tendon lint main.bicep --restore"),
        ("tendon snapshot main.bicep", "tendon snapshot main.bicep --restore"),
        ("tendon validate main.bicep", "tendon validate main.bicep --restore"),
        ("tendon graph main.bicep", "tendon graph main.bicep --restore"),
        (
            "tendon generate-params main.bicep --stdout",
            "tendon generate-params main.bicep --stdout --restore",
        ),
        (
            "tendon build-params main.bicepparam --stdout",
            "tendon build-params main.bicepparam --stdout --restore",
        ),
        ("tendon restore main.bicep --force --no-restore", "tendon restore main.bicep"),
        ("bicep build main.bicep --stdout --no-restore", "bicep build main.bicep --stdout"),
        ("bicep lint main.bicep --no-restore", "bicep lint main.bicep"),
        ("bicep build-params main.bicepparam --stdout --no-restore", "bicep build-params main.bicepparam"),
        ("bicep restore main.bicep --no-restore", "bicep restore main.bicep"),
    ] {
        let server = Memory::start().unwrap();
        push(&server, "1.0", TEMPLATE);
        let pushed = server.requests().len();
        let folder = Folder::with(&[
            ("main.bicep", program(&server, "1.0").as_bytes()),
            ("main.bicepparam", b"using 'main.bicep'\n"),
        ]);
        let offline = said(&folder, line);
        assert!(offline.contains("BCP190") && offline.ends_with("Some(1)"), "{line}: {offline}");
        assert_eq!(server.requests().len(), pushed, "{line}");
        let said = said(&folder, restores);
        assert!(said.ends_with("Some(0)"), "{restores}: {said}");
        assert!(server.requests().len() > pushed, "{restores}");
    }
}

#[test]
fn what_is_decompiled_is_compiled_with_restored_modules() {
    let server = Memory::start().unwrap();
    push(
        &server,
        "1.0",
        r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "languageVersion": "2.0",
  "definitions": { "size": { "type": "int", "metadata": { "__bicep_export!": true } } },
  "resources": {}
}"#,
    );
    let host = server.host();
    let program = format!("import {{ size }} from 'br:{host}/team/thing:1.0'\nparam x size\n");
    let folder = Folder::with(&[("main.bicep", program.as_bytes())]);
    assert!(said(&folder, "tendon build main.bicep --restore --modules one").ends_with("Some(0)"));
    let offline = said(&folder, "tendon decompile main.json --check --modules two");
    assert!(offline.contains("BCP190"), "{offline}");
    let checked = said(&folder, "tendon decompile main.json --check --modules two --restore");
    assert_eq!(checked, "Some(0)");
}

#[test]
fn commands_without_a_program_have_nothing_to_restore() {
    let folder = Folder::with(&[]);
    let refused = said(&folder, "tendon serve --restore");
    assert!(refused.contains("fetches nothing from registries") && refused.ends_with("Some(2)"), "{refused}");
}

#[test]
fn what_cannot_be_restored_is_a_finding_where_it_is_named() {
    let server = Memory::start().unwrap();
    let host = server.host();
    let text = format!(
        "module a 'br:{host}/team/thing:9' = {{\n  name: 'a'\n}}\nmodule b 'br:registry.example.com/b:1' = {{\n  name: 'b'\n}}\nmodule c 'ts:00000000-0000-0000-0000-000000000001/group/spec:v1' = {{\n  name: 'c'\n}}\n"
    );
    let folder = Folder::with(&[("main.bicep", text.as_bytes())]);
    let restored = said(&folder, "tendon restore main.bicep");
    let expected = format!(
        "/FOLDER/main.bicep(1,10) : Error BCP192: `br:{host}/team/thing:9` cannot be restored: the registry does not have it [https://aka.ms/bicep/core-diagnostics#BCP192]
/FOLDER/main.bicep(4,10) : Error BCP446: `br:registry.example.com/b:1` is not restored, because its registry is not trusted; if you trust it, name its host in the variable BICEP_TRUSTED_REGISTRIES [https://aka.ms/bicep/core-diagnostics#BCP446]
/FOLDER/main.bicep(7,10) : Error BCP192: `ts:00000000-0000-0000-0000-000000000001/group/spec:v1` cannot be restored: template specs are kept by Azure, which is not asked; write its template to `/FOLDER/.bicep/ts/00000000-0000-0000-0000-000000000001/group/spec/v1/main.json` [https://aka.ms/bicep/core-diagnostics#BCP192]
Some(1)"
    );
    assert_eq!(restored, expected);
    let built = said(&folder, "tendon build main.bicep --stdout --restore");
    assert!(built.contains("BCP192") && built.contains("BCP446") && built.ends_with("Some(1)"), "{built}");
}

#[test]
fn force_fetches_what_is_there_and_keeps_it_if_that_fails() {
    let server = Memory::start().unwrap();
    push(&server, "1.0", TEMPLATE);
    let folder = Folder::with(&[("main.bicep", program(&server, "1.0").as_bytes())]);
    assert_eq!(said(&folder, "tendon restore main.bicep"), "note: restored 1 artifact\nSome(0)");
    assert_eq!(said(&folder, "tendon restore main.bicep"), "Some(0)");
    push(&server, "1.0", &TEMPLATE.replace("mul(2", "mul(3"));
    assert_eq!(said(&folder, "tendon restore main.bicep --force"), "note: restored 1 artifact\nSome(0)");
    assert!(said(&folder, "tendon build main.bicep --stdout").contains("mul(3"));
    server.change("/manifests/1.0", Vec::clear);
    let failed = said(&folder, "tendon restore main.bicep --force");
    assert!(failed.contains("stays in the cache as it is") && failed.ends_with("Some(1)"), "{failed}");
    assert!(said(&folder, "tendon build main.bicep --stdout").contains("mul(3"));
}

#[test]
fn two_hundred_modules_are_restored_by_several_processes_at_once() {
    let server = Debian::start(&Access::Open).unwrap();
    let tags: Vec<String> = (0..200).map(|n| n.to_string()).collect();
    push_all(&server.host(), tags.iter().map(|tag| (tag.as_str(), TEMPLATE)));
    let mut text = String::new();
    for n in &tags {
        let host = server.host();
        text += &format!(
            "module m{n} 'br:{host}/team/thing:{n}' = {{\n  name: 'm{n}'\n  params: {{ size: {n} }}\n}}\n"
        );
    }
    let folder = Folder::with(&[("main.bicep", text.as_bytes())]);
    std::thread::scope(|scope| {
        let runs: Vec<_> =
            (0..3).map(|_| scope.spawn(|| said(&folder, "tendon restore main.bicep --quiet"))).collect();
        for run in runs {
            assert_eq!(run.join().unwrap(), "Some(0)");
        }
    });
    let repository = folder.path(&format!(".bicep/br/{}/team$thing", server.host().replace(':', "$")));
    // No folder is left of what was not complete.
    assert_eq!(std::fs::read_dir(&repository).unwrap().count(), 200);
    let built = said(&folder, "tendon build main.bicep --no-restore");
    assert!(built.ends_with("Some(0)"), "{built}");
}

const MODULE: &str = "\
metadata description = 'Doubles a size'
param size int
module inner 'inner.bicep' = {
  name: 'inner'
}
output twice int = size * 2
";

/// A folder with a program that can be published, and one that uses what was published.
fn publishable(host: &str) -> Folder {
    let user = format!(
        "module thing 'br:{host}/team/thing:1.0' = {{\n  name: 'thing'\n  params: {{ size: 2 }}\n}}\noutput four int = thing.outputs.twice\n"
    );
    Folder::with(&[
        ("module.bicep", MODULE.as_bytes()),
        ("inner.bicep", b"output x string = 'x'\n"),
        ("main.bicep", user.as_bytes()),
    ])
}

/// Publishes a module, restores it and uses it; variables come before each command.
#[track_caller]
fn publish_and_use(folder: &Folder, host: &str, variables: &str) {
    let publish = format!("{variables} tendon publish module.bicep --target br:{host}/team/thing:1.0");
    let publish = publish.trim_start();
    assert_eq!(
        said(folder, &format!("{publish} --with-source --documentation-uri https://example.com/thing")),
        format!("br:{host}/team/thing:1.0 published\nSome(0)")
    );
    assert_eq!(
        said(folder, publish),
        format!(
            "error: the module `br:{host}/team/thing:1.0` already exists; replace it with `--force`\nSome(2)"
        )
    );
    assert!(said(folder, &format!("{publish} --force --with-source")).ends_with("Some(0)"));
    let build = format!("{variables} tendon build main.bicep --stdout --restore");
    let built = said(folder, build.trim_start());
    assert!(built.contains("[mul(parameters('size'), 2)]") && built.ends_with("Some(0)"), "{built}");
    let cached = folder.path(&format!(".bicep/br/{}/team$thing/1.0$", host.replace(':', "$")));
    for file in ["main.json", "manifest", "metadata", "source.tgz"] {
        assert!(cached.join(file).is_file(), "{file}");
    }
}

#[test]
fn what_is_published_to_a_real_registry_is_used() {
    let server = Debian::start(&Access::Open).unwrap();
    let folder = publishable(&server.host());
    publish_and_use(&folder, &server.host(), "");
    // A template is published as it is, and the public name of the command says nothing if all is well.
    folder.write("plain.json", TEMPLATE.as_bytes());
    let target = format!("br:{}/team/plain:1", server.host());
    assert_eq!(said(&folder, &format!("bicep publish plain.json --target {target}")), "Some(0)");
    let again = said(&folder, &format!("bicep publish plain.json --target {target}"));
    assert!(again.contains("already exists") && again.ends_with("Some(1)"), "{again}");
    let sources = said(&folder, &format!("bicep publish plain.json --target {target} --with-source --force"));
    assert!(sources.contains("has no sources") && sources.ends_with("Some(1)"), "{sources}");
}

#[test]
fn a_program_with_errors_is_not_published() {
    let server = Memory::start().unwrap();
    let folder = Folder::with(&[("wrong.bicep", b"output x string = y\n")]);
    let refused = said(&folder, &format!("tendon publish wrong.bicep --target br:{}/a:1", server.host()));
    assert!(refused.contains("BCP057") && refused.ends_with("Some(1)"), "{refused}");
    assert!(server.requests().is_empty());
    for (target, why) in
        [("a:1", "write `br:HOST/PATH:TAG`"), ("br:registry.example.com/a:1", "is not trusted")]
    {
        let refused = said(&folder, &format!("tendon publish wrong.bicep --target {target}"));
        assert!(refused.contains(why) && refused.ends_with("Some(2)"), "{refused}");
    }
}

#[test]
fn a_real_registry_with_a_password_is_used_with_the_credentials_of_docker() {
    let server = Debian::start(&Access::Password).unwrap();
    let host = server.host();
    let folder = publishable(&host);
    let refused = said(&folder, "tendon build main.bicep --stdout --restore");
    assert!(refused.contains("there is no credential for") && refused.ends_with("Some(1)"), "{refused}");
    // The encoded name and password.
    folder.write(
        ".docker/config.json",
        format!("{{ \"auths\": {{ \"{host}\": {{ \"auth\": \"bWU6c2VjcmV0\" }} }} }}").as_bytes(),
    );
    publish_and_use(&folder, &host, "");
    folder.write(
        ".docker/config.json",
        format!("{{ \"auths\": {{ \"{host}\": {{ \"auth\": \"bWU6aHVudGVyMg==\" }} }} }}").as_bytes(),
    );
    let refused = said(&folder, "tendon restore main.bicep --force");
    assert!(refused.contains("was not accepted") && refused.ends_with("Some(1)"), "{refused}");
    assert!(!refused.contains("hunter2") && !refused.contains("aHVudGVyMg"), "{refused}");
    std::fs::remove_file(folder.path(".docker/config.json")).unwrap();
    let variables = format!("DOCKER_REGISTRY={host} DOCKER_USERNAME={USER} DOCKER_PASSWORD={PASSWORD}");
    assert!(said(&folder, &format!("{variables} tendon restore main.bicep --force")).ends_with("Some(0)"));
}

#[cfg(unix)]
#[test]
fn a_credential_helper_is_asked_for_its_host_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let server = Debian::start(&Access::Password).unwrap();
    let host = server.host();
    let folder = publishable(&host);
    // It leaves an agent behind that keeps its output open, which must not be waited for.
    let program = format!(
        "#!/bin/sh\nread -r host\nsleep 65 &\necho \"$1 $host\" >> '{}'\n[ \"$host\" = '{host}' ] || {{ echo 'credentials not found in native keychain'; exit 1; }}\necho '{{ \"ServerURL\": \"x\", \"Username\": \"{USER}\", \"Secret\": \"{PASSWORD}\" }}'\n",
        folder.path("asked").display()
    );
    folder.write("bin/docker-credential-ours", program.as_bytes());
    let file = folder.path("bin/docker-credential-ours");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!("{{ \"credHelpers\": {{ \"{host}\": \"ours\", \"other.example\": \"nobody\" }} }}");
    folder.write("docker/config.json", config.as_bytes());
    let path = format!("PATH={}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    publish_and_use(&folder, &host, &format!("DOCKER_CONFIG={} {path}", folder.path("docker").display()));
    let asked = std::fs::read_to_string(folder.path("asked")).unwrap();
    // Once for each command, however many requests it makes.
    assert_eq!(asked, format!("get {host}\n").repeat(4));
}

#[test]
fn a_real_registry_with_tokens_gets_them_from_its_service() {
    let service = Memory::with(|request| {
        let proved = request.header("authorization") == Some("Basic bWU6c2VjcmV0");
        let token = token(request.query.contains("push"));
        Some(match proved {
            true => ScriptedResponse::new(200, format!("{{ \"token\": \"{token}\" }}")),
            false => ScriptedResponse::new(401, ""),
        })
    });
    let service = service.unwrap();
    let server = Debian::start(&Access::Token(format!("http://{}/token", service.host()))).unwrap();
    let host = server.host();
    let folder = publishable(&host);
    let refused = said(&folder, "tendon build main.bicep --stdout --restore");
    assert!(refused.contains("the service for its tokens answered 401"), "{refused}");
    folder.write(
        ".docker/config.json",
        format!("{{ \"auths\": {{ \"{host}\": {{ \"auth\": \"bWU6c2VjcmV0\" }} }} }}").as_bytes(),
    );
    publish_and_use(&folder, &host, "");
}

#[test]
fn a_registry_elsewhere_is_asked_over_tls_with_a_certificate_that_is_trusted() {
    let certificates = Folder::with(&[]);
    let made = |folder: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let folder = certificates.path(folder);
        server::Identity::own(&folder, &names, std::time::SystemTime::now()).unwrap().certificate
    };
    let key = |certificate: &std::path::Path| certificate.with_file_name("tls-key.pem");
    let right = made("right", &[ELSEWHERE]);
    let server = Debian::start_secure(&right, &key(&right)).unwrap();
    let host = server.host_elsewhere();
    let folder = publishable(&host);
    let restore = "tendon restore main.bicep";
    let refused = said(&folder, restore);
    assert!(refused.contains("its registry is not trusted") && refused.ends_with("Some(1)"), "{refused}");
    let trusted = format!("BICEP_TRUSTED_REGISTRIES={ELSEWHERE}");
    let trusting =
        |certificate: &std::path::Path| format!("{trusted} SSL_CERT_FILE={}", certificate.display());
    // The system does not know the certificate, and neither does somebody who has another one for the same name.
    for variables in [trusted.clone(), trusting(&made("other", &[ELSEWHERE]))] {
        let refused = said(&folder, &format!("{variables} {restore}"));
        assert!(refused.contains("certificate") && refused.ends_with("Some(1)"), "{refused}");
    }
    publish_and_use(&folder, &host, &trusting(&right));
    // A certificate that is trusted and has another name.
    let named = made("named", &["registry.example.com"]);
    let server = Debian::start_secure(&named, &key(&named)).unwrap();
    let folder = publishable(&server.host_elsewhere());
    let refused = said(&folder, &format!("{} {restore}", trusting(&named)));
    assert!(refused.contains("certificate") && refused.ends_with("Some(1)"), "{refused}");
    assert!(!folder.path(".bicep").exists());
}

#[test]
fn downloads_over_connections_that_break_are_finished() {
    let server = Debian::start(&Access::Open).unwrap();
    let large = TEMPLATE.replace(
        "\"resources\"",
        &format!("\"metadata\": {{ \"x\": \"{}\" }}, \"resources\"", "y".repeat(100_000)),
    );
    let folder = Folder::with(&[("large.json", large.as_bytes())]);
    let target = format!("br:{}/team/thing:1.0", server.host());
    assert!(said(&folder, &format!("tendon publish large.json --target {target}")).ends_with("Some(0)"));
    // No connection brings all of it.
    let proxy = Breaking::start(&server.host(), 40_000).unwrap();
    folder.write(
        "main.bicep",
        format!(
            "module thing 'br:{}/team/thing:1.0' = {{\n  name: 'thing'\n  params: {{ size: 2 }}\n}}\n",
            proxy.host()
        )
        .as_bytes(),
    );
    let restored = said(&folder, "tendon restore main.bicep");
    assert_eq!(restored, "note: restored 1 artifact\nSome(0)");
    assert!(proxy.broken() >= 2);
    let cached =
        folder.path(&format!(".bicep/br/{}/team$thing/1.0$/main.json", proxy.host().replace(':', "$")));
    assert_eq!(std::fs::read_to_string(cached).unwrap(), large);
}

#[test]
fn what_was_changed_in_the_storage_of_a_real_registry_is_refused() {
    let server = Debian::start(&Access::Open).unwrap();
    let folder = publishable(&server.host());
    folder.write("plain.json", TEMPLATE.as_bytes());
    let target = format!("br:{}/team/thing:1.0", server.host());
    assert!(said(&folder, &format!("tendon publish plain.json --target {target}")).ends_with("Some(0)"));
    for blob in server.blobs().unwrap() {
        let text = std::fs::read_to_string(&blob).unwrap();
        std::fs::write(blob, text.replace("mul(2", "mul(9")).unwrap();
    }
    let refused = said(&folder, "tendon build main.bicep --stdout --restore");
    assert!(refused.contains("has another digest") && refused.ends_with("Some(1)"), "{refused}");
    assert!(
        !folder
            .path(".bicep")
            .join("br")
            .join(server.host().replace(':', "$"))
            .join("team$thing/1.0$")
            .exists()
    );
}

#[test]
fn an_extension_is_published_and_used() {
    let server = Debian::start(&Access::Open).unwrap();
    let host = server.host();
    let types = "\
namespace: MyCompany.Things
types:
  widgets:
    apiVersions:
      '2025-01-01':
        schema:
          type: object
          properties:
            size: { type: integer }
          required: [size]
";
    let folder = Folder::with(&[
        ("types.yaml", types.as_bytes()),
        ("main.bicep", b"extension mycompany\nresource w 'MyCompany.Things/widgets@2025-01-01' = {\n  name: 'w'\n  properties: { size: 'large' }\n}\n"),
    ]);
    let config = format!(
        "{{ \"experimentalFeaturesEnabled\": {{ \"extensibility\": true }}, \"extensions\": {{ \"mycompany\": \"br:{host}/ext/mycompany:1\" }} }}"
    );
    folder.write("bicepconfig.json", config.as_bytes());
    let target = format!("--target br:{host}/ext/mycompany:1");
    let published = said(&folder, &format!("tendon bicep publish-extension -f types.yaml {target}"));
    assert_eq!(published, format!("br:{host}/ext/mycompany:1 published\nSome(0)"));
    let built = said(&folder, "tendon build main.bicep --stdout --restore");
    assert!(built.contains("BCP036: the property `size` takes a value of type `int`"), "{built}");
    assert!(
        folder.path(&format!(".bicep/br/{}/ext$mycompany/1$/types.tgz", host.replace(':', "$"))).is_file()
    );
    // As a module it is of no use.
    folder.write(
        "other.bicep",
        format!("module a 'br:{host}/ext/mycompany:1' = {{\n  name: 'a'\n}}\n").as_bytes(),
    );
    let refused = said(&folder, "tendon build other.bicep --stdout --restore");
    assert!(refused.contains("it is an extension, and not a module"), "{refused}");
}

#[test]
fn types_that_others_wrote_are_published_with_programs() {
    let server = Debian::start(&Access::Open).unwrap();
    let host = server.host();
    let folder = Folder::with(&[
        ("out/index.json", br#"{ "resources": {}, "resourceFunctions": {}, "settings": { "name": "Things", "version": "1.0.0", "isSingleton": false } }"#),
        ("program", b"#!/bin/sh\n"),
    ]);
    let line = format!(
        "out/index.json --target br:{host}/ext/things:1 --bin-linux-x64 program --bin-win-arm64 program"
    );
    assert_eq!(said(&folder, &format!("bicep publish-extension {line}")), "Some(0)");
    let again = said(&folder, &format!("tendon publish-extension {line}"));
    assert!(again.contains("already exists") && again.ends_with("Some(2)"), "{again}");
    folder.write("main.bicep", format!("extension 'br:{host}/ext/things:1'\n").as_bytes());
    folder.write("bicepconfig.json", b"{ \"experimentalFeaturesEnabled\": { \"extensibility\": true } }");
    assert_eq!(said(&folder, "tendon restore main.bicep"), "note: restored 1 artifact\nSome(0)");
    let cached = folder.path(&format!(".bicep/br/{}/ext$things/1$", host.replace(':', "$")));
    let has_program = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    assert_eq!(cached.join("extension.bin").is_file(), has_program);
}

#[test]
fn a_program_is_compared_with_the_version_that_was_published() {
    let server = Memory::start().unwrap();
    push(&server, "1.2.0", TEMPLATE);
    let host = server.host();
    let folder = Folder::with(&[("main.bicep", b"param size int\noutput twice int = size * 2\n")]);
    let line = format!("tendon contract diff br:{host}/team/thing:1.2.0 . --fail-on breaking");
    let same = said(&folder, &line);
    assert!(same.contains("next version: patch") && same.ends_with("Some(0)"), "{same}");
    folder.write("main.bicep", b"@minValue(3)\nparam size int\noutput twice int = size * 2\n");
    let narrower = said(&folder, &line);
    assert!(narrower.contains("breaking[minimum-raised] parameters $.size"), "{narrower}");
    assert!(narrower.contains("next version: major") && narrower.ends_with("Some(1)"), "{narrower}");
    let publish = |tag: &str| {
        said(&folder, &format!("tendon publish main.bicep --target br:{host}/team/thing:{tag} --since 1.2.0"))
    };
    let refused = publish("1.3.0");
    assert!(refused.contains("need a new major version") && refused.ends_with("Some(1)"), "{refused}");
    let published = publish("2.0.0");
    assert!(
        published.contains("changes since 1.2.0: major") && published.ends_with("Some(0)"),
        "{published}"
    );
    let missing = said(&folder, &format!("tendon contract diff br:{host}/team/thing:9.9.9 ."));
    assert!(missing.contains("cannot read") && missing.ends_with("Some(3)"), "{missing}");
}
