//! Where classes are: those of the Apache compiler, and ours beside them.

use std::collections::HashMap;

use thrift::FileId;
use thrift::idl::{Header, IdlFile};
use thrift::model::{EnumId, StructId, StructRole};

use crate::Input;
use crate::braces::Taken;

/// The packages and classes of a program.
pub(super) struct Classes {
    files: Vec<Place>,
    /// The class around the structs of arguments and results.
    services: HashMap<StructId, String>,
}

struct Place {
    package: String,
    class: String,
}

impl Classes {
    pub(super) fn of(input: Input<'_>, taken: &Taken) -> Classes {
        // UPSTREAM: the constants of a file are in a class that is called after it.
        let mut taken = taken.clone();
        for file in &input.program.files {
            taken.add(&format!("{}Constants", stem(&file.path)));
        }
        let mut files = Vec::new();
        for file in &input.program.files {
            let class = taken.claim_file(&format!("{}Validator", camel(stem(&file.path))));
            files.push(Place { package: package(&file.document), class });
        }
        let mut services = HashMap::new();
        for service in &input.model.services {
            for function in &service.functions {
                services.insert(function.arguments, service.name.text.clone());
                services.extend(function.result.map(|result| (result, service.name.text.clone())));
            }
        }
        Classes { files, services }
    }

    fn place(&self, file: FileId) -> Option<&Place> {
        self.files.get(file.0 as usize)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|place| place.class.as_str())
    }

    pub(super) fn package(&self, file: FileId) -> &str {
        self.place(file).map_or("", |place| &place.package)
    }

    pub(super) fn class(&self, file: FileId) -> &str {
        self.place(file).map_or("", |place| &place.class)
    }

    pub(super) fn path(&self, file: FileId) -> String {
        match self.package(file) {
            "" => format!("{}.java", self.class(file)),
            package => format!("{}/{}.java", package.replace('.', "/"), self.class(file)),
        }
    }

    /// A class of a file, as another file calls it. Within a package that is its name: a type may be called like the
    /// beginning of a package, and hides it then.
    fn seen(&self, name: &str, file: FileId, from: FileId) -> String {
        match self.package(file) {
            package if package.is_empty() || package == self.package(from) => name.to_owned(),
            package => format!("{package}.{name}"),
        }
    }

    pub(super) fn validator(&self, file: FileId, from: FileId) -> String {
        self.seen(self.class(file), file, from)
    }

    pub(super) fn structure(&self, input: Input<'_>, id: StructId, from: FileId) -> String {
        let it = &input.model[id];
        let name = match (it.role, self.services.get(&id)) {
            (StructRole::Arguments | StructRole::Result, Some(service)) => {
                format!("{service}.{}", it.name.text)
            }
            _ => it.name.text.clone(),
        };
        self.seen(&name, it.file, from)
    }

    pub(super) fn enumeration(&self, input: Input<'_>, id: EnumId, from: FileId) -> String {
        let it = &input.model[id];
        self.seen(&it.name.text, it.file, from)
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

// UPSTREAM: `namespace *` serves if there is none for Java.
fn package(document: &IdlFile) -> String {
    let find = |scope: &str| {
        document.headers.iter().find_map(|header| match header {
            Header::Namespace(it) if it.scope.text == scope => Some(it.name.text.clone()),
            _ => None,
        })
    };
    find("java").or_else(|| find("*")).unwrap_or_default()
}

/// A text in which words begin with capitals and nothing but letters and digits is left.
fn camel(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let mut letters = word.chars();
        out.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        out.push_str(letters.as_str());
    }
    if out.starts_with(|c: char| c.is_ascii_digit()) {
        out.insert(0, 'V');
    }
    out
}
