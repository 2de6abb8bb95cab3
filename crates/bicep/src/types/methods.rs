//! The functions that can be called on an object.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::Signature;

/// From how many functions on they are looked up by name.
const MANY: usize = 16;

/// The functions of an object, in the order of their declaration.
#[derive(Clone, Debug, Default)]
pub(crate) struct Methods(Arc<MethodNames>);

#[derive(Debug, Default)]
struct MethodNames {
    all: Vec<Signature>,
    /// The places of those with a name, and under the empty name of those that stand for many names.
    by_name: OnceLock<FxHashMap<SmolStr, Vec<usize>>>,
}

impl Methods {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Signature> {
        self.0.all.iter()
    }

    /// The functions that a name can mean.
    #[must_use]
    pub(crate) fn named(&self, name: &str) -> Arc<[Signature]> {
        if self.0.all.len() < MANY {
            return self.iter().filter(|method| method.is_for(name)).cloned().collect();
        }
        let by_name = self.0.by_name.get_or_init(|| {
            let mut places: FxHashMap<SmolStr, Vec<usize>> = FxHashMap::default();
            for (place, method) in self.iter().enumerate() {
                let key = if method.name.ends_with('*') { SmolStr::default() } else { method.name.clone() };
                places.entry(key).or_default().push(place);
            }
            places
        });
        let mut places: Vec<usize> =
            [name, ""].iter().filter_map(|key| by_name.get(*key)).flatten().copied().collect();
        places.sort_unstable();
        places.dedup();
        let found = places.iter().filter_map(|place| self.0.all.get(*place));
        found.filter(|method| method.is_for(name)).cloned().collect()
    }
}

impl FromIterator<Signature> for Methods {
    fn from_iter<I: IntoIterator<Item = Signature>>(methods: I) -> Methods {
        Methods(Arc::new(MethodNames { all: methods.into_iter().collect(), by_name: OnceLock::new() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{FunctionFlags, Ty};

    #[test]
    fn many_functions_are_found_like_few() {
        let signature = |name: String| Signature {
            name: name.into(),
            parameters: Vec::new(),
            rest: None,
            result: Ty::any(),
            flags: FunctionFlags::empty(),
            built_in: None,
        };
        for count in [2, 100] {
            let numbered = (0..count).map(|number| signature(format!("f{number}")));
            let more = ["list*", "listKeys", "f1"].map(|name| signature(name.to_owned()));
            let methods: Methods = numbered.chain(more).collect();
            let names =
                |name: &str| methods.named(name).iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
            assert_eq!(names("listKeys"), ["list*", "listKeys"]);
            assert_eq!(names("listOther"), ["list*"]);
            assert_eq!(names("f1"), ["f1", "f1"]);
            assert!(names("g").is_empty());
        }
    }
}
