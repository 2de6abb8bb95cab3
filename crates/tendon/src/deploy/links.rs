//! Where linked templates and parameters lie on this machine.

use std::path::{Component, Path, PathBuf};

use arm::deployment::Links;

use crate::exit::CommandError;
use crate::files;

/// Addresses that begin with a text are files in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    prefix: String,
    folder: PathBuf,
}

/// Where links may lead. Nothing is fetched, and no link leads out of its folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roots(Vec<Root>);

impl Roots {
    /// Takes `PREFIX=DIR` for each root.
    pub(crate) fn new(options: &[String]) -> Result<Roots, CommandError> {
        let root = |option: &String| match option.rsplit_once('=') {
            Some((prefix, folder)) if !prefix.is_empty() && !folder.is_empty() => {
                Ok(Root { prefix: prefix.to_owned(), folder: folder.into() })
            }
            Some(_) | None => Err(CommandError::Usage(format!(
                "`--link-root {option}` has no address or no folder; write `--link-root https://example.com/templates/=DIR`"
            ))),
        };
        options.iter().map(root).collect::<Result<_, _>>().map(Roots)
    }

    /// The links of a template in a folder; a relative one leads to a file in it.
    pub(crate) fn links(&self, folder: Option<&Path>) -> Links {
        let (roots, folder) = (self.clone(), folder.map(Path::to_owned));
        Links::new(move |address| {
            let (root, path) = roots.path(folder.as_deref(), address.plain())?;
            // A symbolic link could lead out.
            let path = root.join(path).canonicalize().ok()?;
            if !path.starts_with(root.canonicalize().ok()?) {
                return None;
            }
            String::from_utf8(files::read(&path).ok()?).ok().map(Into::into)
        })
    }

    /// The file that an address means, if it lies below a root.
    pub(crate) fn file(&self, address: &str) -> Option<PathBuf> {
        let (root, path) = self.path(None, address)?;
        let path = root.join(path).canonicalize().ok()?;
        path.starts_with(root.canonicalize().ok()?).then_some(path)
    }

    /// The file that an address means: a folder, and the way from it.
    fn path(&self, folder: Option<&Path>, address: &str) -> Option<(PathBuf, PathBuf)> {
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let begins = |root: &&Root| {
            address.get(..root.prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(&root.prefix))
        };
        // The longest prefix says most.
        let root = self.0.iter().filter(begins).max_by_key(|root| root.prefix.len());
        match root {
            Some(root) => below(&root.folder, address.get(root.prefix.len()..)?.trim_start_matches('/')),
            None if address.contains("://") => None,
            None => below(folder?, address),
        }
    }
}

/// A file in a folder or below it.
fn below(folder: &Path, rest: &str) -> Option<(PathBuf, PathBuf)> {
    let rest = Path::new(rest);
    // The folder of a file that is named alone is the current one, which has no name.
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let stays = rest.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    stays.then(|| (folder.to_owned(), rest.to_owned()))
}

#[cfg(test)]
mod tests {
    use arm::deployment::Address;

    use super::*;

    #[track_caller]
    fn check(address: &str, expect: Option<&str>) {
        let options =
            ["https://example.com/a/=one", "https://example.com/a/b=two", "/subscriptions/s/=three"];
        let roots = Roots::new(&options.map(str::to_owned)).unwrap();
        let found = roots.path(Some(Path::new("here")), address);
        assert_eq!(found.map(|(folder, rest)| folder.join(rest)), expect.map(PathBuf::from), "{address}");
    }

    #[test]
    fn links_stay_in_the_folder_of_the_template() {
        check("a.json", Some("here/a.json"));
        check("./parts/a.json", Some("here/./parts/a.json"));
        check("../a.json", None);
        check("/etc/hosts", None);
        check("file:///etc/hosts", None);
    }

    #[test]
    fn addresses_are_files_in_the_folders_that_were_named() {
        check("https://example.com/a/x.json?sig=1", Some("one/x.json"));
        check("HTTPS://EXAMPLE.COM/a/x.json", Some("one/x.json"));
        check("https://example.com/a/b/x.json", Some("two/x.json"));
        check("https://example.com/a/../x.json", None);
        check("https://example.com/x.json", None);
        check("/subscriptions/s/spec/1.0", Some("three/spec/1.0"));
    }

    #[test]
    fn a_root_needs_both_its_parts() {
        assert!(Roots::new(&["https://example.com/".to_owned()]).is_err());
        assert!(Roots::new(&["=dir".to_owned()]).is_err());
        assert_eq!(Roots::new(&["https://a/?b=c=dir".to_owned()]).unwrap().0[0].folder, Path::new("dir"));
    }

    #[test]
    fn what_is_not_there_is_not_read() {
        let links = Roots::default().links(Some(Path::new(env!("CARGO_MANIFEST_DIR"))));
        let read = |path: &str| links.read(&Address::new(path, false));
        assert!(read("Cargo.toml").is_some_and(|text| text.contains("[package]")));
        assert!(read("missing.json").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_does_not_lead_out() {
        let folder = std::env::temp_dir().join(format!("tendon-links-{}", std::process::id()));
        let (inside, outside) = (folder.join("in"), folder.join("out.json"));
        std::fs::create_dir_all(&inside).unwrap();
        std::fs::write(&outside, "{}").unwrap();
        std::fs::write(inside.join("real.json"), "{}").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("leads-out.json")).unwrap();
        std::os::unix::fs::symlink("real.json", inside.join("stays.json")).unwrap();
        let links = Roots::default().links(Some(&inside));
        let read = |path: &str| links.read(&Address::new(path, false)).is_some();
        assert_eq!(["real.json", "stays.json", "leads-out.json"].map(read), [true, true, false]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
