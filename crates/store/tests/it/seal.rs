//! Sealing: what is sealed opens with the same key for the same purpose, and with no other.

use std::path::PathBuf;

use store::{Key, SealError};

fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tendon-seal-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder.join("seal.key")
}

#[test]
fn a_secret_opens_with_its_key_for_its_purpose_only() {
    let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
    let sealed = key.seal("run 1", b"hunter2").unwrap();
    assert_eq!(key.open("run 1", &sealed).unwrap(), b"hunter2");
    assert!(matches!(key.open("run 2", &sealed), Err(SealError::Refused)));
    assert!(matches!(other.open("run 1", &sealed), Err(SealError::Refused)));
    assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
    assert_ne!(key.seal("run 1", b"hunter2").unwrap(), sealed);
}

#[test]
fn damage_is_refused_wherever_it_is() {
    let key = Key::random().unwrap();
    let sealed = key.seal("", b"x").unwrap();
    for at in 0..sealed.len() {
        let mut damaged = sealed.clone();
        damaged[at] ^= 1;
        assert!(matches!(key.open("", &damaged), Err(SealError::Refused)), "byte {at}");
        assert!(matches!(key.open("", &sealed[..at]), Err(SealError::Refused)), "length {at}");
    }
}

#[test]
fn a_key_is_made_once_and_only_for_its_owner() {
    let path = file("made");
    let sealed = Key::in_file(&path).unwrap().seal("", b"x").unwrap();
    assert_eq!(Key::in_file(&path).unwrap().open("", &sealed).unwrap(), b"x");
    assert_eq!(Key::read(&path).unwrap().open("", &sealed).unwrap(), b"x");
    assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(Key::in_file(&path), Err(SealError::Open(_))));
    }
}

#[test]
fn a_file_that_is_not_a_key_is_refused_and_kept() {
    let path = file("broken");
    for text in ["", "abc", &"+1".repeat(32), &"0".repeat(63)] {
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        assert!(matches!(Key::in_file(&path), Err(SealError::Malformed(_))), "{text}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn derived_bytes_depend_on_key_purpose_and_text() {
    let (key, other) = (Key::random().unwrap(), Key::random().unwrap());
    let of = |key: &Key, purpose, text: &str| key.derive(purpose, text.as_bytes()).unwrap();
    assert_eq!(of(&key, "a", "b"), of(&key, "a", "b"));
    for different in [of(&other, "a", "b"), of(&key, "ab", ""), of(&key, "", "ab"), of(&key, "a", "c")] {
        assert_ne!(different, of(&key, "a", "b"));
    }
    assert_eq!(format!("{key:?}"), "Key(***)");
}

#[cfg(unix)]
#[test]
fn a_state_folder_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = file("folder").with_file_name("state");
    store::SqliteStore::open(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    // One that is there stays as somebody made it.
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o750)).unwrap();
    store::SqliteStore::open(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o750);
}

#[test]
fn threads_that_make_a_key_at_once_have_the_same_one() {
    let path = file("at-once");
    let folder = path.parent().unwrap();
    for _ in 0..50 {
        let made: Vec<[u8; 32]> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| Key::in_file(&path).unwrap())).collect();
            threads.into_iter().map(|it| it.join().unwrap().derive("", b"").unwrap()).collect()
        });
        assert!(made.iter().all(|it| *it == made[0]));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0, "a draft is left");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_key_follows_another_and_what_both_sealed_opens() {
    let path = file("ring");
    let key = Key::in_file(&path).unwrap();
    let first = std::fs::read_to_string(&path).unwrap();
    let sealed = key.seal("run", b"hunter2").unwrap();
    let (derived, check) = (key.derive("token", b"t").unwrap(), store::key_check(&key).unwrap());
    // A node that has the prepared key opens what it will seal.
    key.prepared().unwrap().replace(&path).unwrap();
    let prepared = Key::read(&path).unwrap();
    assert_eq!(prepared.others(), (0, true));
    assert_eq!(key.others(), (0, false), "a ring is as it was until it is read again");
    assert!(key.reload(&path).unwrap() && !key.reload(&path).unwrap());
    key.rotated().unwrap().replace(&path).unwrap();
    let rotated = Key::read(&path).unwrap();
    assert_eq!(rotated.others(), (1, false));
    assert_eq!(rotated.open("run", &sealed).unwrap(), b"hunter2");
    let fresh = rotated.seal("run", b"new").unwrap();
    assert_eq!(prepared.open("run", &fresh).unwrap(), b"new");
    // All of it by the clone that a server has, too, and what is derived stays the same.
    let clone = key.clone();
    assert!(key.reload(&path).unwrap());
    assert_eq!(clone.renew("run", &fresh).unwrap(), None);
    let again = clone.renew("run", &sealed).unwrap().unwrap();
    assert_eq!(rotated.derive("token", b"t").unwrap(), derived);
    assert_eq!(store::key_check(&clone).unwrap(), check);
    // The first key opens nothing of it, nor what is sealed from now on; the others do not need it any more.
    rotated.retired().replace(&path).unwrap();
    let retired = Key::read(&path).unwrap();
    assert_eq!(retired.others(), (0, false));
    assert_eq!(retired.open("run", &again).unwrap(), b"hunter2");
    assert!(retired.open("run", &sealed).is_err());
    assert_eq!(retired.derive("token", b"t").unwrap(), derived);
    let old = file("ring-old");
    write(&old, &first);
    assert!(Key::read(&old).unwrap().open("run", &again).is_err());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_ring_of_another_state_or_without_its_root_is_refused() {
    let (path, other) = (file("ring-one"), file("ring-other"));
    let (key, stranger) = (Key::in_file(&path).unwrap(), Key::in_file(&other).unwrap());
    let sealed = key.seal("", b"x").unwrap();
    assert!(matches!(key.reload(&other), Err(SealError::Foreign(_))));
    stranger.rotated().unwrap().replace(&path).unwrap();
    assert!(matches!(key.reload(&path), Err(SealError::Foreign(_))));
    assert_eq!(key.open("", &sealed).unwrap(), b"x");
    let text = std::fs::read_to_string(&path).unwrap();
    for broken in [
        text.lines().filter(|line| !line.starts_with("root")).collect::<Vec<_>>().join("\n"),
        text.replacen("root ", "roof ", 1),
        format!("{text}more"),
        format!("\n{text}"),
    ] {
        write(&path, &broken);
        assert!(matches!(Key::read(&path), Err(SealError::Malformed(_))), "{broken}");
    }
}

fn write(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
}
