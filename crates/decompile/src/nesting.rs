//! Resources that were nested in others: without names of resources, the names of their loops tell.

use std::collections::BTreeMap;

use crate::code::is_name;
use crate::converter::Converter;
use crate::json::Json;

/// The most resources that may be inside each other.
pub(crate) const MAX_NESTED: usize = 32;

/// Resources that belong into one: what each is called there, and what it is in.
type Group = BTreeMap<usize, (String, Option<usize>)>;

impl Converter<'_> {
    /// Puts resources of loops such as `account::service::containers` into the resources that they were in.
    pub(crate) fn nest_by_loops(&mut self) {
        let mut groups: BTreeMap<usize, Option<Group>> = BTreeMap::new();
        for place in 0..self.symbols.len() {
            let Some((outer, chain)) = self.chain(place) else { continue };
            let group = groups.entry(outer).or_insert_with(|| Some(Group::new()));
            let fits = |group: &Group| {
                chain.iter().all(|(place, it)| group.get(place).is_none_or(|known| known == it))
            };
            match group.take().filter(fits) {
                Some(mut known) => {
                    known.extend(chain);
                    *group = Some(known);
                }
                None => *group = None,
            }
        }
        for (outer, group) in groups {
            if let Some(group) = group.filter(|group| self.are_together(group)) {
                self.nest_group(outer, group);
            }
        }
    }

    /// The resource that is around all others which the name of a loop tells of, and all of them.
    fn chain(&self, place: usize) -> Option<(usize, Group)> {
        let name = self.symbols.get(place)?.json?.at(&["copy", "name"]).and_then(Json::as_str)?;
        let parts: Vec<&str> = name.split("::").collect();
        if parts.len() < 2 || parts.len() > MAX_NESTED || !parts.iter().all(|part| is_name(part)) {
            return None;
        }
        let mut group = Group::new();
        let mut inner = place;
        for part in parts.iter().skip(1).rev() {
            let symbol = self.symbols.get(inner)?;
            let parent = symbol.parent.filter(|_| symbol.parent_index.is_none())?;
            let outer = self.symbols.get(parent)?;
            if outer.is_loop || outer.is_module {
                return None;
            }
            group.insert(inner, ((*part).to_owned(), Some(parent)));
            inner = parent;
        }
        group.insert(inner, ((*parts.first()?).to_owned(), None));
        Some((inner, group))
    }

    /// Tells whether resources stand together in the template, so that nesting them keeps their order.
    fn are_together(&self, group: &Group) -> bool {
        let listed = |place: &&usize| self.symbols.get(**place).is_some_and(|symbol| symbol.json.is_some());
        let places: Vec<usize> = group.keys().filter(listed).copied().collect();
        match (places.first(), places.last()) {
            (Some(first), Some(last)) => last - first + 1 == places.len(),
            _ => false,
        }
    }

    fn nest_group(&mut self, outer: usize, group: Group) {
        let Some((name, _)) = group.get(&outer) else { return };
        let is_own = self.symbols.get(outer).is_some_and(|symbol| symbol.own.eq_ignore_ascii_case(name));
        if !is_own && self.names.is_taken(name) {
            return;
        }
        self.names.reserve(name);
        for (place, (own, around)) in &group {
            let mut names = vec![own.as_str()];
            let mut next = *around;
            while let Some((name, further)) = next.and_then(|place| group.get(&place)) {
                names.push(name);
                next = *further;
            }
            names.reverse();
            if let Some(symbol) = self.symbols.get_mut(*place) {
                (symbol.own, symbol.name, symbol.nested_in) = (own.clone(), names.join("::"), *around);
            }
            if let Some(around) = around.and_then(|around| self.symbols.get_mut(around)) {
                around.children.push(*place);
            }
        }
    }

    /// Where a resource is written: where it is in the template, or the first of those that are in it.
    pub(crate) fn first_of(&self, place: usize) -> usize {
        let mut first = place;
        let mut open = vec![place];
        while let Some(place) = open.pop() {
            first = first.min(place);
            open.extend(self.symbols.get(place).map(|symbol| symbol.children.as_slice()).unwrap_or_default());
        }
        first
    }
}
