//! Which function a message is for.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::FileId;
use crate::model::{Model, ServiceId, StructId};

/// A function of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MethodId(pub u32);

/// A function that can be called.
#[derive(Clone, Debug)]
pub struct Method {
    /// The service that has it, by itself or by inheritance.
    pub service: Box<str>,
    /// The number of that service in the table.
    pub(super) service_number: u32,
    /// Its name in the IDL, without the service.
    pub name: Box<str>,
    /// Its name as messages carry it.
    pub(super) wire_name: Arc<[u8]>,
    /// The struct of its arguments, whose rules a call has to keep.
    pub arguments: StructId,
    /// Its result; `None` if nobody answers.
    pub result: Option<StructId>,
    /// Whether the IDL says `oneway`: nobody answers such a call.
    pub oneway: bool,
}

/// What a name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// One function, or one that several services inherit from the same base.
    Found(MethodId),
    /// Functions of several services that take different arguments.
    Ambiguous,
    /// No function of the IDL.
    Unknown,
}

/// The functions of one service. The names are those of the IDL: whoever calls can ask for others, but not put them in.
type ByName = FxHashMap<Box<[u8]>, MethodId>;

/// The functions of the services that a proxy stands in front of.
#[derive(Clone, Debug, Default)]
pub struct MethodTable {
    methods: Vec<Method>,
    plain: FxHashMap<Box<[u8]>, Lookup>,
    services: FxHashMap<Box<[u8]>, ByName>,
}

impl MethodTable {
    /// Makes the table of all services of the main file, or of the one that is named.
    pub fn new(model: &Model, only: Option<&str>) -> MethodTable {
        let mut table = MethodTable::default();
        for (index, service) in model.services.iter().enumerate() {
            let wanted = match only {
                Some(name) => service.name.text == name,
                None => service.file == FileId(0),
            };
            if wanted {
                table.add(model, ServiceId(index as u32));
            }
        }
        table
    }

    fn add(&mut self, model: &Model, id: ServiceId) {
        let service = &model[id].name.text;
        let service_number = self.services.len() as u32;
        let mut own = ByName::default();
        for function in model.functions(id) {
            let name: Box<[u8]> = function.name.text.as_bytes().into();
            // A service's own functions come first, and win.
            let Entry::Vacant(free) = own.entry(name.clone()) else { continue };
            let method = MethodId(self.methods.len() as u32);
            free.insert(method);
            self.methods.push(Method {
                service: service.as_str().into(),
                service_number,
                name: function.name.text.as_str().into(),
                wire_name: function.name.text.as_bytes().into(),
                arguments: function.arguments,
                result: function.result,
                oneway: function.oneway,
            });
            let known = match self.plain.get(&name) {
                Some(Lookup::Found(known)) => self.get(*known).map(|known| known.arguments),
                _ => None,
            };
            let lookup = match (self.plain.contains_key(&name), known) {
                (false, _) => Lookup::Found(method),
                // Inherited from one base by several services.
                (true, Some(arguments)) if arguments == function.arguments => continue,
                (true, _) => Lookup::Ambiguous,
            };
            self.plain.insert(name, lookup);
        }
        self.services.insert(service.as_bytes().into(), own);
    }

    /// Finds a function by name and, where services share a connection, by service.
    pub fn find(&self, service: Option<&[u8]>, function: &[u8]) -> Lookup {
        match service {
            None => self.plain.get(function).copied().unwrap_or(Lookup::Unknown),
            Some(service) => match self.services.get(service).and_then(|own| own.get(function)) {
                Some(method) => Lookup::Found(*method),
                None => Lookup::Unknown,
            },
        }
    }

    /// How many services there are.
    pub fn services(&self) -> usize {
        self.services.len()
    }

    /// Whether there is such a service.
    pub fn has(&self, service: &[u8]) -> bool {
        self.services.contains_key(service)
    }

    /// The function with an id; `None` if the id is of another table.
    pub fn get(&self, id: MethodId) -> Option<&Method> {
        self.methods.get(id.0 as usize)
    }

    /// All functions, in the order of their ids.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }
}
