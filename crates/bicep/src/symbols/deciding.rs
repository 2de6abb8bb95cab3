//! Which parameters decide what a module deploys: kept with the module, because everybody who uses it asks.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

/// What the parameters and variables of a module mention, and which of them decide.
#[derive(Debug, Default)]
pub(crate) struct Deciding {
    /// The parameters, in lower case, and the variables, which have no name here.
    names: Vec<Option<SmolStr>>,
    /// Which of them the value of a variable, or the default value of a parameter, mentions.
    mentions: Vec<Vec<usize>>,
    /// Those that stand where it is decided what is deployed.
    direct: Vec<usize>,
}

impl Deciding {
    /// Adds a parameter, or a variable if there is no name, and gives its number.
    pub(crate) fn add(&mut self, name: Option<&str>) -> usize {
        self.names.push(name.map(|name| name.to_ascii_lowercase().into()));
        self.mentions.push(Vec::new());
        self.names.len() - 1
    }

    /// Notes what a value mentions.
    pub(crate) fn mention(&mut self, number: usize, mentioned: impl IntoIterator<Item = usize>) {
        if let Some(list) = self.mentions.get_mut(number) {
            list.extend(mentioned);
        }
    }

    /// Notes what is mentioned where it is decided what is deployed.
    pub(crate) fn decide(&mut self, mentioned: impl IntoIterator<Item = usize>) {
        self.direct.extend(mentioned);
    }

    /// The parameters that decide if values are given to these. What is not given has its default value, so that what
    /// that mentions decides in its place.
    pub(crate) fn parameters(&self, is_given: impl Fn(&str) -> bool) -> FxHashSet<&str> {
        let mut found = FxHashSet::default();
        let mut seen = vec![false; self.names.len()];
        let mut todo = self.direct.clone();
        while let Some(number) = todo.pop() {
            match seen.get_mut(number) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            if let Some(Some(name)) = self.names.get(number) {
                found.insert(name.as_str());
                if is_given(name) {
                    continue;
                }
            }
            todo.extend(self.mentions.get(number).into_iter().flatten());
        }
        found
    }
}
