//! Functions that rules call and whose code is somewhere else: what they take and give.
//!
//! `twice(i64) -> i64` is a declaration, `twice(i64) -> i64 = example.com/rules.Twice` one that also says what the
//! function is called in a language, and `twice = example.com/rules.Twice` says nothing but that.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::str::FromStr;

use contract::Signature;

use super::functions::FUNCTIONS;
use crate::{Code, Diagnostic, FileId, Span};

/// What a function takes or gives, as far as rules tell values apart: integers of any width are one type, and so are texts and bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the others are Thrift's own types")]
pub enum DeclaredType {
    /// Any value, of whatever type.
    Any,
    Bool,
    /// `i8`, `i16`, `i32`, `i64`, or an enum.
    Int,
    Double,
    Text,
    Bytes,
    List,
    Map,
    /// A struct, union or exception.
    Struct,
}

/// The types by name, in the order in which they are listed to people.
const TYPES: &[(&str, DeclaredType)] = &[
    ("any", DeclaredType::Any),
    ("bool", DeclaredType::Bool),
    ("byte", DeclaredType::Int),
    ("i8", DeclaredType::Int),
    ("i16", DeclaredType::Int),
    ("i32", DeclaredType::Int),
    ("i64", DeclaredType::Int),
    ("double", DeclaredType::Double),
    ("string", DeclaredType::Text),
    ("binary", DeclaredType::Bytes),
    ("uuid", DeclaredType::Bytes),
    ("list", DeclaredType::List),
    ("set", DeclaredType::List),
    ("map", DeclaredType::Map),
    ("struct", DeclaredType::Struct),
];

impl DeclaredType {
    fn read(word: &str) -> Result<DeclaredType, String> {
        let found = TYPES.iter().find(|(name, _)| *name == word);
        found.map(|(_, ty)| *ty).ok_or_else(|| {
            let names: Vec<&str> = TYPES.iter().map(|(name, _)| *name).collect();
            format!("`{word}` is not a type of functions; there are {}", names.join(", "))
        })
    }

    /// What a value of the type is called.
    pub(super) fn noun(self) -> &'static str {
        match self {
            DeclaredType::Any => "a value",
            DeclaredType::Bool => "a bool",
            DeclaredType::Int => "an integer",
            DeclaredType::Double => "a double",
            DeclaredType::Text => "a string",
            DeclaredType::Bytes => "a binary",
            DeclaredType::List => "a list or set",
            DeclaredType::Map => "a map",
            DeclaredType::Struct => "a struct",
        }
    }

    /// Whether rules have something to compare with what is given.
    fn is_comparable(self) -> bool {
        !matches!(self, DeclaredType::List | DeclaredType::Map | DeclaredType::Struct)
    }
}

/// A function that rules call and whose code is somewhere else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// Its name behind the `@`.
    pub name: Box<str>,
    /// What it takes and gives; `None` if only a symbol was written.
    pub types: Option<DeclaredTypes>,
    /// What it is called in a language that code is generated in.
    pub symbol: Option<Box<str>>,
}

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTypes {
    /// The types of its arguments, in order.
    pub takes: Vec<DeclaredType>,
    /// Whether it takes any number of the last, none included.
    pub repeats: bool,
    /// The type of its result.
    pub gives: DeclaredType,
}

impl DeclaredTypes {
    /// The type of an argument.
    pub(super) fn parameter(&self, position: usize) -> Option<DeclaredType> {
        self.takes.get(position).or(self.takes.last().filter(|_| self.repeats)).copied()
    }

    /// Reads `(i64, string...) -> bool`.
    fn read(text: &str) -> Result<DeclaredTypes, String> {
        const FORM: &str = "write the types that it takes and gives, as in `twice(i64) -> i64`";
        let text = text.strip_prefix('(').ok_or(FORM)?;
        let (takes, gives) = text.split_once(')').ok_or(FORM)?;
        let gives = gives.trim().strip_prefix("->").ok_or(FORM)?.trim();
        let mut types =
            DeclaredTypes { takes: Vec::new(), repeats: false, gives: DeclaredType::read(gives)? };
        if !types.gives.is_comparable() {
            return Err(format!("a function gives a value to compare with, not {}", types.gives.noun()));
        }
        for word in takes.split(',').map(str::trim).filter(|_| !takes.trim().is_empty()) {
            if types.repeats {
                return Err("`...` stands behind the last type".to_owned());
            }
            types.repeats = word.ends_with("...");
            types.takes.push(DeclaredType::read(word.trim_end_matches("...").trim_end())?);
        }
        Ok(types)
    }
}

impl Declaration {
    /// How many arguments it takes. Nothing is known of its results before it runs.
    pub(super) fn signature(&self) -> Signature {
        let (least, most) = match &self.types {
            None => (0, usize::MAX),
            Some(types) if types.repeats => (types.takes.len().saturating_sub(1), usize::MAX),
            Some(types) => (types.takes.len(), types.takes.len()),
        };
        Signature { least, most, pure_: false }
    }
}

impl FromStr for Declaration {
    type Err = String;

    fn from_str(text: &str) -> Result<Declaration, String> {
        let (declared, symbol) = match text.split_once('=') {
            Some((declared, symbol)) => (declared.trim(), Some(symbol.trim())),
            None => (text.trim(), None),
        };
        if symbol == Some("") {
            return Err("behind `=` stands what the function is called in the language".to_owned());
        }
        let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = declared.find(|c| !is_letter(c)).unwrap_or(declared.len());
        let (name, types) = declared.split_at_checked(end).unwrap_or_default();
        if name.is_empty() {
            return Err(
                "a declaration begins with the name of the function, as in `twice(i64) -> i64`".to_owned()
            );
        }
        if FUNCTIONS.iter().any(|function| function.name == name) {
            return Err(format!("`@{name}` already exists, and cannot be declared"));
        }
        let types = match types.trim() {
            "" if symbol.is_some() => None,
            types => Some(DeclaredTypes::read(types)?),
        };
        Ok(Declaration { name: name.into(), types, symbol: symbol.map(Into::into) })
    }
}

/// The functions that are declared, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    by_name: BTreeMap<Box<str>, Declaration>,
}

impl Declarations {
    /// Adds a declaration. What one says of a function and another does not is put together.
    pub fn add(&mut self, further: Declaration) -> Result<(), String> {
        match self.by_name.entry(further.name.clone()) {
            Entry::Vacant(place) => {
                place.insert(further);
            }
            Entry::Occupied(mut place) => {
                let known = place.get_mut();
                let differs =
                    |what: &str| Err(format!("`{}` is declared twice, with different {what}", further.name));
                match (&known.types, further.types) {
                    (Some(known), Some(further)) if *known != further => return differs("types"),
                    (None, Some(further)) => known.types = Some(further),
                    _ => {}
                }
                match (&known.symbol, further.symbol) {
                    (Some(known), Some(further)) if *known != further => return differs("symbols"),
                    (None, Some(further)) => known.symbol = Some(further),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Reads a file: a declaration in each line, `#` before comments.
    pub fn read(&mut self, text: &str, file: FileId) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let code = line.split('#').next().unwrap_or_default();
            let declared = code.trim();
            if !declared.is_empty() {
                let at = start + (code.len() - code.trim_start().len());
                if let Err(problem) = declared.parse().and_then(|declared| self.add(declared)) {
                    let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                    let span = Span::new(file, place(at), place(at + declared.len()));
                    found.push(Code::FunctionDeclaration.at(span, problem));
                }
            }
            start += line.len();
        }
        found
    }

    /// A function by its name.
    pub fn get(&self, name: &str) -> Option<&Declaration> {
        self.by_name.get(name)
    }

    /// The names of all functions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(AsRef::as_ref)
    }

    /// The functions that are called something in a language, with what they are called there.
    pub fn symbols(&self) -> impl Iterator<Item = (&str, &str)> {
        self.by_name.values().filter_map(|it| Some((&*it.name, it.symbol.as_deref()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, part: &str) {
        let problem = text.parse::<Declaration>().unwrap_err();
        assert!(problem.contains(part), "{problem}");
    }

    #[test]
    fn a_declaration_has_types_a_symbol_or_both() {
        let it: Declaration = " sum( i64 , double... )->double = example.com/rules.Sum ".parse().unwrap();
        let types = it.types.as_ref().unwrap();
        assert_eq!(types.takes, [DeclaredType::Int, DeclaredType::Double]);
        assert_eq!((types.repeats, types.gives), (true, DeclaredType::Double));
        assert_eq!(it.symbol.as_deref(), Some("example.com/rules.Sum"));
        assert_eq!(it.signature().least, 1);
        assert_eq!(types.parameter(7), Some(DeclaredType::Double));
        let none: Declaration = "noon() -> bool".parse().unwrap();
        assert_eq!((none.signature().least, none.signature().most), (0, 0));
        assert_eq!("f=rules.f".parse::<Declaration>().unwrap().types, None);
    }

    #[test]
    fn what_is_no_declaration_is_refused() {
        refused("", "begins with the name");
        refused("twice", "write the types");
        refused("twice(i64)", "write the types");
        refused("twice(i64) -> ", "not a type");
        refused("twice(list<i64>) -> i64", "`list<i64>` is not a type");
        refused("twice(i64,) -> i64", "`` is not a type");
        refused("twice(i64..., i64) -> i64", "behind the last");
        refused("twice(i64) -> list", "not a list or set");
        refused("len(string) -> i64", "already exists");
        refused("twice =", "behind `=`");
    }

    #[test]
    fn declarations_are_put_together() {
        let mut known = Declarations::default();
        let text = "# ours\ntwice(i64) -> i64 # doubles\n\n  twice = rules.twice\r\ntwice(bool) -> i64\n";
        let found = known.read(text, FileId(3));
        assert_eq!(found.len(), 1, "{found:?}");
        let span = found[0].primary.unwrap();
        assert_eq!(text.get(span.start as usize..span.end as usize), Some("twice(bool) -> i64"));
        assert_eq!(known.symbols().collect::<Vec<_>>(), [("twice", "rules.twice")]);
        assert!(known.get("twice").unwrap().types.is_some());
    }
}
