//! Packs a folder of type files, compares every type before and after, and measures.
//!
//! ```text
//! cargo run --release -p tendon-bicep-types --example corpus -- FOLDER [--out FILE] [--type NAME@VERSION]
//! ```

#![expect(
    clippy::disallowed_methods,
    reason = "a program for people: it reads folders and looks at the clock"
)]
#![expect(clippy::print_stdout, reason = "a program for people: it prints what it found")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bicep_types::{
    Error as TypesError, INDEX_FILE, JsonStyle, Location, TypeId, TypeIndex, TypeStore, TypesFile, pack,
    read_index, read_types, split_name, write_index, write_types,
};
use smol_str::SmolStr;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Options {
    folder: PathBuf,
    out: Option<PathBuf>,
    resource_type: String,
}

fn main() -> Outcome<()> {
    let options = options()?;
    let folder = options.folder.clone();
    let source = move |path: &str| {
        std::fs::read(folder.join(path))
            .map_err(|error| TypesError::Unreadable { file: path.to_owned(), message: error.to_string() })
    };
    let mut paths = Vec::new();
    find_files(&options.folder, "", "types.json", &mut paths)?;
    let index = read_index_if_there(&options.folder)?;

    let start = Instant::now();
    let bytes = pack(&paths, &source, index.as_ref())?;
    println!("packed {} files into {} bytes in {:?}", paths.len(), bytes.len(), start.elapsed());
    if let Some(out) = &options.out {
        std::fs::write(out, &bytes)?;
    }
    let bytes: Arc<Vec<u8>> = Arc::new(bytes);

    let json = match index {
        Some(index) => TypeStore::from_index(&index, source.clone()),
        None => TypeStore::from_index(&index_of(&paths, &source)?, source.clone()),
    };
    let packed = TypeStore::from_pack(bytes.clone())?;
    compare_indexes(&json, &packed)?;
    compare_files(&packed, &source)?;
    find_files(&options.folder, "", INDEX_FILE, &mut paths)?;
    compare_writing(&paths, &source)?;
    measure(&bytes, &packed, &source, &options.resource_type)?;
    match &options.out {
        Some(out) => time("read the pack from disk into memory", 20, || Ok(std::fs::read(out).map(drop)?)),
        None => Ok(()),
    }
}

fn options() -> Outcome<Options> {
    let mut options = Options {
        folder: PathBuf::new(),
        out: None,
        resource_type: "Microsoft.Storage/storageAccounts@2023-01-01".to_owned(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => options.out = arguments.next().map(PathBuf::from),
            "--type" => options.resource_type = arguments.next().ok_or("`--type` needs a value")?,
            _ => options.folder = PathBuf::from(argument),
        }
    }
    if options.folder.as_os_str().is_empty() {
        return Err("give the folder that holds the type files".into());
    }
    Ok(options)
}

fn find_files(root: &Path, below: &str, file_name: &str, paths: &mut Vec<SmolStr>) -> Outcome<()> {
    for entry in std::fs::read_dir(root.join(below))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.file_type()?.is_dir() {
            find_files(root, &path, file_name, paths)?;
        } else if name == file_name {
            paths.push(path.into());
        }
    }
    Ok(())
}

fn read_index_if_there(folder: &Path) -> Outcome<Option<TypeIndex>> {
    match std::fs::read(folder.join(INDEX_FILE)) {
        Ok(json) => Ok(Some(read_index(INDEX_FILE, &json)?)),
        Err(_) => Ok(None),
    }
}

fn index_of(paths: &[SmolStr], source: &impl Fn(&str) -> Result<Vec<u8>, TypesError>) -> Outcome<TypeIndex> {
    let mut builder = bicep_types::IndexBuilder::new();
    let start = Instant::now();
    for path in paths {
        builder.add(path, &read_types(path, &source(path)?)?);
    }
    println!("parsed all files as JSON in {:?}", start.elapsed());
    Ok(builder.finish())
}

fn compare_indexes(json: &TypeStore, packed: &TypeStore) -> Outcome<()> {
    let mut names = 0;
    let mut versions = 0;
    let mut functions = 0;
    for name in json.names("") {
        names += 1;
        for expected in json.versions(name)? {
            versions += 1;
            let upper = (name.to_uppercase(), expected.api_version.map(str::to_uppercase));
            let found = packed.resource_type(&upper.0, upper.1.as_deref())?.ok_or("a type is not found")?;
            if (found.name, found.api_version) != (expected.name, expected.api_version)
                || place(packed, found.location)? != place(json, expected.location)?
            {
                return Err(format!("`{name}` differs in the index").into());
            }
            let api_version = expected.api_version.unwrap_or_default();
            let listed = json.resource_functions(name, api_version)?;
            let found = packed.resource_functions(name, api_version)?;
            for pair in listed.iter().zip(&found) {
                if listed.len() != found.len() || place(json, *pair.0)? != place(packed, *pair.1)? {
                    return Err(format!("the functions of `{name}` differ").into());
                }
            }
            functions += listed.len();
        }
        if json.versions(name)?.len() != packed.versions(name)?.len() {
            return Err(format!("`{name}` has another number of versions").into());
        }
    }
    if !json.names("").eq(packed.names("")) {
        return Err("the names differ".into());
    }
    println!("index: {names} names, {versions} resource types, {functions} functions: equal");
    Ok(())
}

fn place(store: &TypeStore, location: Location) -> Outcome<(&str, TypeId)> {
    Ok((store.path(location.file)?, location.id))
}

fn compare_files(packed: &TypeStore, source: &impl Fn(&str) -> Result<Vec<u8>, TypesError>) -> Outcome<()> {
    let (mut files, mut types) = (0, 0);
    for file in packed.file_ids() {
        let file = packed.file(file)?;
        let json = source(file.path())?;
        let expected = read_types(file.path(), &json)?;
        if expected.len() != file.len() {
            return Err(format!("`{}` has another number of types", file.path()).into());
        }
        for (id, expected) in (0..).map(TypeId).zip(&expected) {
            if file.documented(id)? != *expected {
                return Err(format!("`{}#/{}` differs", file.path(), id.0).into());
            }
        }
        files += 1;
        types += expected.len();
    }
    println!("types: {types} in {files} files: equal");
    Ok(())
}

/// Counts the files that either style of writing gives back byte for byte.
fn compare_writing(paths: &[SmolStr], source: &impl Fn(&str) -> Result<Vec<u8>, TypesError>) -> Outcome<()> {
    let (mut declared, mut sorted, mut neither) = (0, 0, Vec::new());
    for path in paths {
        let json = source(path)?;
        let write = |style| -> Outcome<Vec<u8>> {
            Ok(if path.ends_with(INDEX_FILE) {
                write_index(&read_index(path, &json)?, style)
            } else {
                write_types(&read_types(path, &json)?, style)
            }
            .into_bytes())
        };
        let same = (write(JsonStyle::Declared)? == json, write(JsonStyle::Sorted)? == json);
        declared += usize::from(same.0);
        sorted += usize::from(same.1);
        if same == (false, false) {
            neither.push(path);
        }
    }
    println!(
        "written back byte for byte: {declared} in declared order, {sorted} sorted, neither: {neither:?}"
    );
    Ok(())
}

fn measure(
    bytes: &Arc<Vec<u8>>,
    packed: &TypeStore,
    source: &impl Fn(&str) -> Result<Vec<u8>, TypesError>,
    resource_type: &str,
) -> Outcome<()> {
    let (name, version) = split_name(resource_type);
    let found = packed.resource_type(name, version)?.ok_or("no such resource type")?;
    let path = packed.file(found.location.file)?.path().to_owned();
    let json = source(&path)?;
    println!("{resource_type} in `{path}`, {} bytes of JSON:", json.len());

    let rounds = 1000;
    time("open", rounds, || TypeStore::from_pack(bytes.clone()).map(drop).map_err(Into::into))?;
    let store = TypeStore::from_pack(bytes.clone())?;
    time("look up", rounds, || Ok(store.resource_type(name, version).map(drop)?))?;
    time("open, look up, decode the resource type", rounds, || {
        let store = TypeStore::from_pack(bytes.clone())?;
        let found = store.resource_type(name, version)?.ok_or("no such resource type")?;
        let file = store.file(found.location.file)?;
        file.get(file.resource_type(found.location.id)?.body)?;
        Ok(())
    })?;
    let mut reached = 0;
    time("open, look up, decode everything it reaches", rounds, || {
        let store = TypeStore::from_pack(bytes.clone())?;
        let found = store.resource_type(name, version)?.ok_or("no such resource type")?;
        reached = reach(&*store.file(found.location.file)?, found.location.id)?;
        Ok(())
    })?;
    println!("  ({reached} types)");
    time("open, look up, decode the whole file", rounds, || {
        let store = TypeStore::from_pack(bytes.clone())?;
        let found = store.resource_type(name, version)?.ok_or("no such resource type")?;
        let file = store.file(found.location.file)?;
        Ok(file.ids().try_for_each(|id| file.get(id).map(drop))?)
    })?;
    time("the body with its descriptions, first time", 20, || {
        let store = TypeStore::from_pack(bytes.clone())?;
        let file = store.file(found.location.file)?;
        file.documented(file.resource_type(found.location.id)?.body)?;
        Ok(())
    })?;
    time("read_types of the same file", 50, || Ok(read_types(&path, &json).map(drop)?))?;
    time("serde_json::Value of the same file", 50, || {
        Ok(serde_json::from_slice::<serde_json::Value>(&json).map(drop)?)
    })?;
    time("verify the pack", 20, || Ok(bicep_types::Pack::open(bytes.clone())?.verify()?))?;
    time("similar names", 20, || {
        store.similar_names("Microsoft.Storag/storageAcounts", 3);
        Ok(())
    })
}

fn reach(file: &TypesFile, from: TypeId) -> Outcome<usize> {
    let mut seen = vec![false; file.len()];
    let mut next = vec![from];
    let mut count = 0;
    while let Some(id) = next.pop() {
        let Some(seen) = seen.get_mut(id.index()) else { continue };
        if !std::mem::replace(seen, true) {
            count += 1;
            file.get(id)?.for_each_reference(|id| next.push(id));
        }
    }
    Ok(count)
}

/// The least and the median time of a number of rounds.
fn time(what: &str, rounds: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<()> {
    let mut times: Vec<Duration> = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let least = times.first().copied().unwrap_or_default();
    let median = times.get(rounds / 2).copied().unwrap_or_default();
    println!("  {what}: least {least:?}, median {median:?}");
    Ok(())
}
