//! Names for what a program declares: valid, and different from each other.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::{checked, is_name};
use crate::problem::{DecompileError, Result};

/// What a name is for. Names of outputs do not clash with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum NameKind {
    Parameter,
    Resource,
    Variable,
    Output,
    Function,
}

impl NameKind {
    /// What a name gets behind it when it clashes with another one.
    fn suffix(self) -> &'static str {
        match self {
            NameKind::Parameter => "param",
            NameKind::Resource => "resource",
            NameKind::Variable => "var",
            NameKind::Output => "output",
            NameKind::Function => "FUNCTION",
        }
    }
}

/// The names of a program.
#[derive(Debug, Default)]
pub(crate) struct NameAllocator {
    /// By the wanted name in small letters.
    assigned: FxHashMap<String, Vec<(NameKind, String)>>,
    /// All names in small letters, but for those of outputs.
    taken: FxHashSet<String>,
    /// Names of variables of lambdas and parameters of functions, in small letters. What the template declares can have the same.
    locals: FxHashSet<String>,
    /// Which number was the last one behind a name, so that it is not looked for from the beginning each time.
    numbers: FxHashMap<String, usize>,
}

impl NameAllocator {
    /// Gives a name to something, unless something of its kind has it.
    pub(crate) fn request(&mut self, kind: NameKind, wanted: &str) -> Option<String> {
        self.assign_unique(kind, wanted, |_| false)
    }

    /// Gives something the very name that it has in the template, if it is one in Bicep, where capitals count.
    pub(crate) fn try_assign_exact(&mut self, kind: NameKind, name: &str) -> Option<String> {
        let known = self.assigned.entry(name.to_lowercase()).or_default();
        let is_output = kind == NameKind::Output;
        let clashes = known
            .iter()
            .any(|(it, known)| *it == kind || known == name && *it != NameKind::Output && !is_output);
        if clashes || !is_name(name) || is_namespace(name) && !is_output {
            return None;
        }
        known.push((kind, name.to_owned()));
        if !is_output {
            self.taken.insert(name.to_lowercase());
        }
        Some(name.to_owned())
    }

    /// Gives a name that is made up to a resource. Wherever others refer to it, it has to be seen, so that it is no local one.
    pub(crate) fn assign_generated(&mut self, wanted: &str) -> Option<String> {
        let locals = std::mem::take(&mut self.locals);
        let name =
            self.assign_unique(NameKind::Resource, wanted, |name| locals.contains(&name.to_lowercase()));
        self.locals = locals;
        name
    }

    fn assign_unique(
        &mut self,
        kind: NameKind,
        wanted: &str,
        refused: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let known = self.assigned.entry(wanted.to_lowercase()).or_default();
        if known.iter().any(|(it, _)| *it == kind) {
            return None;
        }
        let clashes = kind != NameKind::Output
            && known
                .iter()
                .any(|(it, _)| matches!(it, NameKind::Parameter | NameKind::Variable | NameKind::Resource));
        let mut name = if clashes { format!("{wanted}_{}", kind.suffix()) } else { wanted.to_owned() };
        if kind != NameKind::Output {
            let plain = name.clone();
            let mut number = 1;
            while refused(&name) || !self.taken.insert(name.to_lowercase()) {
                number += 1;
                name = format!("{plain}_{number}");
            }
        }
        known.push((kind, name.clone()));
        Some(name)
    }

    /// A name that nothing has: the wanted one, or one with a number.
    pub(crate) fn fresh(&mut self, wanted: &str) -> String {
        let name = self.free(wanted, |_| false);
        self.reserve(&name);
        name
    }

    /// A name that nothing has and that is not `refused`, without keeping it.
    pub(crate) fn free(&mut self, wanted: &str, refused: impl Fn(&str) -> bool) -> String {
        if !self.is_taken(wanted) && !refused(wanted) {
            return wanted.to_owned();
        }
        // What is taken stays so.
        let mut known = self.numbers.get(wanted).copied().unwrap_or(1);
        let mut number = known;
        loop {
            number += 1;
            let name = format!("{wanted}{number}");
            if self.is_taken(&name) {
                known = if number == known + 1 { number } else { known };
            } else if !refused(&name) {
                self.numbers.insert(wanted.to_owned(), known);
                return name;
            }
        }
    }

    /// Tells whether something has this name.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        let name = name.to_lowercase();
        self.taken.contains(&name) || self.locals.contains(&name)
    }

    /// Keeps a local name from being made up for something else.
    pub(crate) fn reserve_local(&mut self, name: &str) {
        self.locals.insert(name.to_lowercase());
    }

    /// Keeps a name from being given away.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.taken.insert(name.to_lowercase());
    }
}

/// Names that programs cannot declare, because namespaces have them. Names of outputs can be the same.
const NAMESPACES: &[&str] = &["sys", "az", "this"];

/// Tells whether a namespace has this name, so that nothing that others refer to can have it.
pub(crate) fn is_namespace(name: &str) -> bool {
    NAMESPACES.contains(&name)
}

/// A name that has to be declared as it is.
pub(crate) fn declared(name: &str) -> Result<&str> {
    match is_namespace(name) {
        true => Err(DecompileError::new(format!("`{name}` is the name of a namespace in Bicep"))),
        false => checked(name),
    }
}

/// A name that can be declared and is as close to the text as possible; generated ones have no underscores around them.
pub(crate) fn escape(text: &str, generated: bool) -> String {
    let mut name = valid(text, generated);
    if is_namespace(&name) {
        name.push('_');
    }
    name
}

/// The same, where a name of a namespace is no harm.
pub(crate) fn valid(text: &str, generated: bool) -> String {
    let mut name = String::with_capacity(text.len());
    let mut gap = false;
    for character in text.chars() {
        if character.is_ascii_alphanumeric() {
            gap = false;
            name.push(character);
        } else if !gap {
            gap = true;
            name.push('_');
        }
    }
    let mut name = if generated { name.trim_matches('_').to_owned() } else { name };
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if name.is_empty() || matches!(name.as_str(), "true" | "false" | "null") {
        name.push('_');
    }
    name
}

/// `vm` for `vmName` and `vm2` for `vmName2`, so that a resource does not clash with what holds its name.
pub(crate) fn without_name(text: &str) -> String {
    let digits = text.len() - text.trim_end_matches(|it: char| it.is_ascii_digit()).len();
    let (front, number) = text.split_at(text.len() - digits);
    match front.strip_suffix("Name") {
        Some(short) if short.starts_with(|it: char| it.is_ascii_alphabetic()) => format!("{short}{number}"),
        // Something stands before the first letter.
        Some(short) if short.contains(|it: char| it.is_ascii_alphabetic()) => format!("{short}{number}"),
        _ => text.to_owned(),
    }
}

/// One of what the name is for many of: `disk` for `disks`.
pub(crate) fn singular(name: &str) -> Option<String> {
    let short = name
        .strip_suffix("ies")
        .map(|front| format!("{front}y"))
        .or_else(|| name.strip_suffix('s').map(str::to_owned))?;
    (short.len() > 2 && !short.ends_with('s') && is_name(&short)).then_some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_valid() {
        assert_eq!(escape("a-b c", false), "a_b_c");
        assert_eq!(escape("1a", false), "_1a");
        assert_eq!(escape("['a']", true), "a");
        assert_eq!(escape("_a_", false), "_a_");
        assert_eq!(escape("null", false), "null_");
        assert_eq!(escape("sys", false), "sys_");
        assert_eq!(valid("sys", false), "sys");
    }

    #[test]
    fn clashing_names_say_what_they_are_for() {
        let mut names = NameAllocator::default();
        assert_eq!(names.request(NameKind::Parameter, "a").as_deref(), Some("a"));
        assert_eq!(names.request(NameKind::Output, "a").as_deref(), Some("a"));
        assert_eq!(names.request(NameKind::Resource, "A").as_deref(), Some("A_resource"));
        assert_eq!(names.request(NameKind::Variable, "a").as_deref(), Some("a_var"));
        assert_eq!(names.request(NameKind::Variable, "a"), None);
        assert_eq!(names.fresh("a"), "a2");
    }

    #[test]
    fn local_names_are_no_others_that_are_made_up() {
        let mut names = NameAllocator::default();
        names.reserve_local("a");
        assert_eq!(names.assign_generated("a").as_deref(), Some("a_2"));
        assert_eq!(names.fresh("a"), "a2");
        assert_eq!(names.request(NameKind::Variable, "a").as_deref(), Some("a_var"));
        names.reserve_local("b");
        assert_eq!(names.request(NameKind::Variable, "b").as_deref(), Some("b"));
    }

    #[test]
    fn what_holds_a_name_gives_one() {
        assert_eq!(without_name("vmName"), "vm");
        assert_eq!(without_name("vmName2"), "vm2");
        assert_eq!(without_name("Name"), "Name");
        assert_eq!(singular("disks").as_deref(), Some("disk"));
        assert_eq!(singular("policies").as_deref(), Some("policy"));
        assert_eq!(singular("access"), None);
    }
}
