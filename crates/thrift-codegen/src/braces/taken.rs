//! Names of the program, which ours must not be.

use std::collections::BTreeSet;

use thrift::idl::Header;

use crate::Input;

/// Names that are taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    names: BTreeSet<String>,
}

impl Taken {
    /// The names of everything that a program declares, and of the modules that its files are in.
    pub(crate) fn of(input: Input<'_>) -> Taken {
        let model = input.model;
        let mut names = BTreeSet::new();
        names.extend(model.structs.iter().map(|it| it.name.text.clone()));
        names.extend(model.enums.iter().map(|it| it.name.text.clone()));
        names.extend(model.typedefs.iter().map(|it| it.name.text.clone()));
        names.extend(model.consts.iter().map(|it| it.name.text.clone()));
        names.extend(model.services.iter().map(|it| it.name.text.clone()));
        for file in &input.program.files {
            for header in &file.document.headers {
                if let Header::Namespace(it) = header {
                    names.extend(it.name.text.split('.').map(str::to_owned));
                }
            }
        }
        Taken { names }
    }

    pub(crate) fn add(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// Whether nobody has a name.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        !self.names.contains(name)
    }

    /// A name, with underscores behind it if somebody has it.
    pub(crate) fn free(&self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.names.contains(&free) {
            free.push('_');
        }
        free
    }

    /// A name that is then taken. Names that differ only in case are one, since they may be those of files.
    pub(crate) fn claim_file(&mut self, name: &str) -> String {
        let mut free = name.to_owned();
        while self.names.iter().any(|known| known.eq_ignore_ascii_case(&free)) {
            free.push('_');
        }
        self.names.insert(free.clone());
        free
    }
}
