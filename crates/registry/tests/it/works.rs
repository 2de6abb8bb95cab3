//! What is pushed is pulled, and lands in the cache.

use registry::{
    About, Architecture, ArtifactKind, Digest, Keychain, OciReference, Package, RestoreRequest, restore,
};
use registry_server::Memory;

use crate::support::{Folder, module, place, registries, restore_one, run};

#[test]
fn a_module_is_pushed_and_restored() {
    let (server, folder) = (Memory::start().unwrap(), Folder::new());
    let registries = registries(Keychain::default());
    let about = About { description: Some("A thing".to_owned()), ..About::default() };
    let package = Package::module(b"{}".to_vec(), Some(b"sources".to_vec()), about);
    let place = place(&server.host(), "1.0.0");
    run(async {
        assert!(!registries.is_taken(&place).await.unwrap());
        let digest = registries.push(&place, &package).await.unwrap();
        assert!(registries.is_taken(&place).await.unwrap());
        restore_one(&registries, place.clone(), folder.path()).await.unwrap();
        let read = |name: &str| std::fs::read(folder.path().join("thing").join(name)).unwrap();
        assert_eq!(
            folder.files(),
            ["thing/main.json", "thing/manifest", "thing/metadata", "thing/source.tgz"]
        );
        assert_eq!((read("main.json"), read("source.tgz")), (b"{}".to_vec(), b"sources".to_vec()));
        assert_eq!(Digest::of(&read("manifest")), digest);
        let metadata = format!("{{\n  \"manifestDigest\": \"{digest}\"\n}}");
        assert_eq!(String::from_utf8(read("metadata")).unwrap(), metadata);
    });
}

#[test]
fn an_extension_brings_the_program_of_this_machine() {
    let (server, folder) = (Memory::start().unwrap(), Folder::new());
    let registries = registries(Keychain::default());
    let binaries = Architecture::ALL.into_iter().map(|it| (it, it.name().as_bytes().to_vec())).collect();
    let package = Package::extension(b"types".to_vec(), binaries, String::new());
    let place = place(&server.host(), "1");
    let wanted = [RestoreRequest {
        place: place.clone(),
        kind: ArtifactKind::Extension,
        folder: folder.path().join("x"),
    }];
    run(async {
        registries.push(&place, &package).await.unwrap();
        restore(&registries, &wanted, |_, outcome| outcome.unwrap()).await;
    });
    let mut expected = vec!["x/manifest", "x/metadata", "x/types.tgz"];
    if let Some(here) = Architecture::here() {
        expected.insert(0, "x/extension.bin");
        let program = std::fs::read(folder.path().join("x/extension.bin")).unwrap();
        assert_eq!(program, here.name().as_bytes());
    }
    assert_eq!(folder.files(), expected);
}

#[test]
fn an_artifact_is_pulled_by_its_digest() {
    let (server, folder) = (Memory::start().unwrap(), Folder::new());
    let registries = registries(Keychain::default());
    run(async {
        // A registry keeps a manifest under its digest, too; the one in memory is asked to.
        let digest = registries.push(&place(&server.host(), "1"), &module("{}")).await.unwrap();
        let by_digest = place(&server.host(), digest.as_str());
        registries.push(&by_digest, &module("{}")).await.unwrap();
        restore_one(&registries, by_digest.clone(), folder.path()).await.unwrap();
        server.change(digest.as_str(), |bytes| bytes.push(b' '));
        let refused = registries.pull(&by_digest, ArtifactKind::Module).await.unwrap_err();
        assert!(refused.to_string().starts_with("the manifest has another digest"), "{refused}");
    });
}

#[test]
fn blobs_that_are_there_are_not_sent_again() {
    let server = Memory::start().unwrap();
    let registries = registries(Keychain::default());
    run(async {
        registries.push(&place(&server.host(), "1"), &module("{}")).await.unwrap();
        registries.push(&place(&server.host(), "2"), &module("{}")).await.unwrap();
    });
    let uploads = server.requests().iter().filter(|it| it.method == "POST").count();
    // The config and the template have the same bytes.
    assert_eq!(uploads, 1);
}

#[test]
fn many_modules_are_restored_at_once() {
    let (server, folder) = (Memory::start().unwrap(), Folder::new());
    let registries = registries(Keychain::default());
    let places: Vec<OciReference> = (0..200).map(|n| place(&server.host(), &format!("{n}"))).collect();
    run(async {
        for (n, place) in places.iter().enumerate() {
            registries.push(place, &module(&format!("{{ \"n\": {n} }}"))).await.unwrap();
        }
        let wanted: Vec<RestoreRequest> = places
            .iter()
            .map(|place| RestoreRequest {
                place: place.clone(),
                kind: ArtifactKind::Module,
                folder: folder.path().join(place.version()),
            })
            .collect();
        let mut count = 0;
        restore(&registries, &wanted, |_, outcome| {
            outcome.unwrap();
            count += 1;
        })
        .await;
        assert_eq!(count, 200);
    });
    assert_eq!(folder.files().len(), 600);
    let last = std::fs::read_to_string(folder.path().join("199/main.json")).unwrap();
    assert_eq!(last, "{ \"n\": 199 }");
}

#[test]
fn what_is_in_the_cache_is_replaced_file_by_file() {
    let (server, folder) = (Memory::start().unwrap(), Folder::new());
    let registries = registries(Keychain::default());
    std::fs::create_dir_all(folder.path().join("thing")).unwrap();
    std::fs::write(folder.path().join("thing/lock"), "").unwrap();
    std::fs::write(folder.path().join("thing/main.json"), "half").unwrap();
    run(async {
        let place = place(&server.host(), "1");
        registries.push(&place, &module("{}")).await.unwrap();
        restore_one(&registries, place, folder.path()).await.unwrap();
    });
    assert_eq!(folder.files(), ["thing/lock", "thing/main.json", "thing/manifest", "thing/metadata"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("thing/main.json")).unwrap(), "{}");
}
