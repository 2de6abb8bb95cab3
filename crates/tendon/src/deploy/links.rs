//! Where linked templates and parameters lie on this machine.

use std::path::{Component, Path, PathBuf};

use arm::deployment::Links;

use crate::exit::CommandError;
use crate::project::Project;
use crate::{files, input};

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

    /// The links of a template; those of one that is no file are only those that were named.
    pub(crate) fn links(&self, template: Option<&TemplateFile>) -> Links {
        let (roots, template) = (self.clone(), template.cloned());
        Links::saying_why(move |address| {
            let (root, path) = roots.path(template.as_ref(), address.plain()).ok_or(None)?;
            // A symbolic link could lead out.
            let path = root.join(path).canonicalize().map_err(|_| None)?;
            if !path.starts_with(root.canonicalize().map_err(|_| None)?) {
                return Err(None);
            }
            let bytes = files::read(&path).map_err(|_| None)?;
            String::from_utf8(bytes).map(Into::into).map_err(|error| Some(not_text(&error)))
        })
    }

    /// The file that an address means, if it lies below a root.
    pub(crate) fn file(&self, address: &str) -> Option<PathBuf> {
        let (root, path) = self.path(None, address)?;
        let path = root.join(path).canonicalize().ok()?;
        path.starts_with(root.canonicalize().ok()?).then_some(path)
    }

    /// The file that an address means: a folder, and the way from it.
    fn path(&self, template: Option<&TemplateFile>, address: &str) -> Option<(PathBuf, PathBuf)> {
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let begins = |root: &&Root| {
            address.get(..root.prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(&root.prefix))
        };
        // The longest prefix says most.
        let root = self.0.iter().filter(begins).max_by_key(|root| root.prefix.len());
        if let Some(root) = root {
            return below(&root.folder, address.get(root.prefix.len()..)?.trim_start_matches('/'));
        }
        let template = template?;
        match address.split_once("://") {
            Some((FILE, path)) => template.in_project(path),
            Some((_, rest)) => template.at_hand(rest),
            None => below(&template.folder, address),
        }
    }
}

/// Where a file is not UTF-8.
fn not_text(error: &std::string::FromUtf8Error) -> String {
    let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let last = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let column = String::from_utf8_lossy(last).chars().count() + 1;
    format!("it is not UTF-8 at line {line}, column {column}")
}

/// A template that is a file, and where the files that it may link to are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TemplateFile {
    file: PathBuf,
    folder: PathBuf,
    project: PathBuf,
}

impl TemplateFile {
    /// A template file; none if it is standard input or not there.
    pub(crate) fn new(file: &Path) -> Option<TemplateFile> {
        if file.as_os_str() == input::STANDARD_INPUT {
            return None;
        }
        let whole = file.canonicalize().ok()?;
        let project = Project::of(Some(&whole)).root().to_owned();
        Some(TemplateFile { folder: whole.parent()?.to_owned(), file: whole, project })
    }

    /// Its address, as a URI.
    pub(crate) fn address(&self) -> Option<String> {
        Some(format!("{FILE}://{}", encoded(self.file.to_str()?)))
    }

    /// The address of its folder, with a slash at the end.
    pub(crate) fn folder_address(&self) -> Option<String> {
        Some(format!("{FILE}://{}/", encoded(self.folder.to_str()?.trim_end_matches('/'))))
    }

    /// A file of the project, by the path in its address.
    fn in_project(&self, path: &str) -> Option<(PathBuf, PathBuf)> {
        let mut whole = PathBuf::new();
        for part in Path::new(&decoded(path)?).components() {
            match part {
                Component::ParentDir => drop(whole.pop()),
                Component::CurDir => {}
                part => whole.push(part),
            }
        }
        Some((self.project.clone(), whole.strip_prefix(&self.project).ok()?.to_owned()))
    }

    /// The copy of a file that is elsewhere. Templates link to where they are published, and lie beside the files that they link to:
    /// the longest end of the address that is a file in a folder around the template, within its project, is that copy.
    fn at_hand(&self, address: &str) -> Option<(PathBuf, PathBuf)> {
        let address = decoded(address)?;
        let (host, path) = address.split_once('/')?;
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        if parts.len() > DEEPEST {
            return None;
        }
        let around = || self.folder.ancestors().take(DEEPEST);
        // What is published from a repository has its whole path in the address, so the repository may begin anywhere around.
        let whole = (host == GITHUB && parts.len() > REPOSITORY + 1).then_some(REPOSITORY);
        let whole = whole.into_iter().flat_map(|from| around().map(move |folder| (from, folder)));
        // A file in a folder that is called like the template's is in that folder, wherever the template was copied to.
        let named = self.folder.file_name();
        let own = parts.iter().rposition(|part| named.is_some_and(|named| named == *part));
        let own = own.map(|at| (at + 1, &*self.folder));
        let ends = (0..parts.len()).flat_map(|from| {
            around().take_while(|it| it.starts_with(&self.project)).map(move |folder| (from, folder))
        });
        whole.chain(own).chain(ends).find_map(|(from, folder)| {
            let (root, rest) = below(folder, &parts.get(from..)?.join("/"))?;
            let found = root.join(&rest);
            // The last name alone says little: only a file beside the template is meant.
            let is_near = from + 1 < parts.len() || folder == self.folder;
            (is_near && found != self.file && found.is_file()).then_some((root, rest))
        })
    }
}

/// The host of the files of public repositories, and how many parts of an address name the repository and its version.
const GITHUB: &str = "raw.githubusercontent.com";
const REPOSITORY: usize = 3;

/// The scheme of addresses of files.
const FILE: &str = "file";

/// How many folders are looked into, and how many parts an address has.
const DEEPEST: usize = 32;

/// A path as a part of a URI.
fn encoded(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The path that a part of a URI stands for; none if it is none.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit(rest.next()?)? * 16 + digit(rest.next()?)?);
    }
    String::from_utf8(bytes).ok()
}

/// A file in a folder or below it.
fn below(folder: &Path, rest: &str) -> Option<(PathBuf, PathBuf)> {
    let rest = Path::new(rest);
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
        let here =
            TemplateFile { file: "/p/here/main.json".into(), folder: "/p/here".into(), project: "/p".into() };
        let found = roots.path(Some(&here), address);
        assert_eq!(found.map(|(folder, rest)| folder.join(rest)), expect.map(PathBuf::from), "{address}");
    }

    #[test]
    fn links_stay_in_the_folder_of_the_template() {
        check("a.json", Some("/p/here/a.json"));
        check("./parts/a.json", Some("/p/here/./parts/a.json"));
        check("file:///p/here/a%20b.json", Some("/p/here/a b.json"));
        check("file:///p/here/../parts/a.json", Some("/p/parts/a.json"));
        check("file:///p/here/../../etc/hosts", None);
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
    fn what_is_published_is_looked_for_beside_the_template() {
        let project = std::env::temp_dir().join(format!("tendon-published-{}", std::process::id()));
        let folder = project.join("samples/shop");
        std::fs::create_dir_all(folder.join("parts")).unwrap();
        std::fs::create_dir_all(project.join("modules")).unwrap();
        std::fs::create_dir_all(project.join(".git")).unwrap();
        for file in ["samples/shop/main.json", "samples/shop/parts/one.json", "modules/two.json", "main.json"]
        {
            std::fs::write(project.join(file), "{}").unwrap();
        }
        let template = TemplateFile::new(&folder.join("main.json")).unwrap();
        let root = project.canonicalize().unwrap();
        let check = |address: &str, expect: Option<&str>| {
            let found =
                Roots::default().path(Some(&template), address).map(|(folder, rest)| folder.join(rest));
            assert_eq!(found, expect.map(|expect| root.join(expect)), "{address}");
        };
        let raw = "https://raw.githubusercontent.com/contoso/samples-of-shops/main";
        check(&format!("{raw}/modules/two.json?token=1"), Some("modules/two.json"));
        check(&format!("{raw}/old/place/shop/parts/one.json"), Some("samples/shop/parts/one.json"));
        check("https://store.example.com/c/parts/one.json", Some("samples/shop/parts/one.json"));
        check("https://store.example.com/c/parts/two.json", None);
        // Not the template itself, and not a file elsewhere that is only called the same.
        check("https://store.example.com/c/main.json", None);
        check("https://store.example.com/c/two.json", None);
        check("https://store.example.com/../modules/two.json", Some("modules/two.json"));
        std::fs::remove_dir_all(project).unwrap();
    }

    #[test]
    fn a_root_needs_both_its_parts() {
        assert!(Roots::new(&["https://example.com/".to_owned()]).is_err());
        assert!(Roots::new(&["=dir".to_owned()]).is_err());
        assert_eq!(Roots::new(&["https://a/?b=c=dir".to_owned()]).unwrap().0[0].folder, Path::new("dir"));
    }

    #[test]
    fn what_is_not_there_is_not_read() {
        let template = TemplateFile::new(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
        let links = Roots::default().links(template.as_ref());
        let read = |path: &str| links.read(&Address::new(path, false));
        assert!(read("Cargo.toml").is_some_and(|text| text.contains("[package]")));
        assert!(read("missing.json").is_none());
    }

    #[test]
    fn what_is_no_text_has_a_place() {
        let folder = std::env::temp_dir().join(format!("tendon-links-text-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("main.json"), b"{\n  \"\xC3\xA9\xFF\": 1}").unwrap();
        let template = TemplateFile::new(&folder.join("main.json"));
        let links = Roots::default().links(template.as_ref());
        let why = links.text(&Address::new("main.json", false)).unwrap_err();
        assert_eq!(why.as_deref(), Some("it is not UTF-8 at line 2, column 5"));
        assert_eq!(links.text(&Address::new("missing.json", false)), Err(None));
        std::fs::remove_dir_all(folder).unwrap();
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
        let template = TemplateFile::new(&inside.join("real.json"));
        let links = Roots::default().links(template.as_ref());
        let read = |path: &str| links.read(&Address::new(path, false)).is_some();
        assert_eq!(["real.json", "stays.json", "leads-out.json"].map(read), [true, true, false]);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
