//! Parents of resources in templates that people wrote: the name of a child begins with that of its parent.

use rustc_hash::FxHashMap;

use crate::code::BicepCode;
use crate::converter::Converter;

impl Converter<'_> {
    /// Finds the parents of resources by comparing their names as they are in the program.
    pub(crate) fn compare_names(&mut self) {
        let mut names: Vec<Option<BicepCode>> = Vec::with_capacity(self.symbols.len());
        for place in 0..self.symbols.len() {
            let symbol = self.symbols.get(place).filter(|symbol| !symbol.is_loop && !symbol.is_module);
            let name = symbol.map(|symbol| symbol.full_name.clone());
            names.push(name.and_then(|name| self.expression(&name).ok()));
        }
        self.mentions.clear();
        // The first resource of each type and name.
        let mut known: FxHashMap<(String, String), usize> = FxHashMap::default();
        for (place, (symbol, name)) in self.symbols.iter().zip(&names).enumerate() {
            if let Some(name) = name {
                known.entry((symbol.ty.to_lowercase(), name.print())).or_insert(place);
            }
        }
        for place in 0..self.symbols.len() {
            let Some(symbol) = self.symbols.get(place) else { continue };
            let (Some(Some(BicepCode::Text(texts, holes))), Some((outer, last))) =
                (names.get(place), symbol.ty.rsplit_once('/'))
            else {
                continue;
            };
            if last.is_empty() || !outer.contains('/') {
                continue;
            }
            let outer = outer.to_lowercase();
            let parents = fronts(texts, holes).into_iter();
            let found = parents
                .filter_map(|front| {
                    let parent = *known.get(&(outer.clone(), front))?;
                    Some((parent, rest_of(texts, holes, names.get(parent)?.as_ref()?)?))
                })
                .min_by_key(|(parent, _)| *parent);
            if let (Some((parent, rest)), Some(symbol)) = (found, self.symbols.get_mut(place)) {
                symbol.parent = Some(parent);
                symbol.short_code = Some(rest);
            }
        }
    }
}

/// How many slashes of a name are looked at: the name of a parent has few.
const MAX_SLASHES: usize = 16;

/// What the name of a parent can be: what stands before each slash, as text.
fn fronts(texts: &[String], holes: &[BicepCode]) -> Vec<String> {
    let mut fronts = Vec::new();
    if let (Some(""), Some(hole)) = (texts.first().map(String::as_str), holes.first()) {
        fronts.push(hole.print());
    }
    let slashes = texts
        .iter()
        .enumerate()
        .flat_map(|(place, text)| text.match_indices('/').map(move |(at, _)| (place, text.get(..at))));
    for (place, last) in slashes.take(MAX_SLASHES) {
        let mut front = texts.get(..place).unwrap_or_default().to_vec();
        front.push(last.unwrap_or_default().to_owned());
        fronts.push(BicepCode::Text(front, holes.get(..place).unwrap_or_default().to_vec()).print());
    }
    fronts
}

/// What is left of a name behind that of the parent and a slash.
fn rest_of(texts: &[String], holes: &[BicepCode], parent: &BicepCode) -> Option<BicepCode> {
    match parent {
        BicepCode::Raw(_) => {
            if holes.first()? != parent || !texts.first()?.is_empty() {
                return None;
            }
            let mut rest = texts.get(1..)?.to_vec();
            let first = rest.first_mut()?;
            *first = first.strip_prefix('/')?.to_owned();
            Some(BicepCode::Text(rest, holes.get(1..)?.to_vec()))
        }
        BicepCode::Text(front, front_holes) => {
            let (last, before) = front.split_last()?;
            let same = texts.get(..before.len())? == before
                && holes.get(..front_holes.len())? == front_holes.as_slice();
            if !same
                || !front_holes.iter().all(|hole| matches!(hole, BicepCode::Raw(_) | BicepCode::Call(..)))
            {
                return None;
            }
            let mut rest = texts.get(before.len()..)?.to_vec();
            let first = rest.first_mut()?;
            *first = first.strip_prefix(last.as_str())?.strip_prefix('/')?.to_owned();
            let rest_holes = holes.get(front_holes.len()..)?;
            match (rest.as_slice(), rest_holes) {
                ([a, b], [hole]) if a.is_empty() && b.is_empty() => Some(hole.clone()),
                _ => Some(BicepCode::Text(rest, rest_holes.to_vec())),
            }
        }
        _ => None,
    }
}
