//! Finding names in a sorted table, without regard to case.

use std::cmp::Ordering;

use crate::error::Result;
use crate::model::TypeId;

/// A file of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

impl FileId {
    pub(crate) fn index(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// A type of a store: a file and a position in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The file that the type is declared in.
    pub file: FileId,
    /// The position in the file.
    pub id: TypeId,
}

/// One row: a name, a version, which is empty when there is none, and a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) location: Location,
}

/// A table of rows sorted by [`compare`] of the name and then of the version.
pub(crate) trait Rows<'a> {
    fn count(&self) -> usize;

    fn row(&self, position: usize) -> Result<Row<'a>>;
}

/// The order of names and versions: bytes, with ASCII letters in lower case.
pub(crate) fn compare(one: &str, other: &str) -> Ordering {
    let lower = |byte: u8| byte.to_ascii_lowercase();
    one.bytes().map(lower).cmp(other.bytes().map(lower))
}

/// All rows of that name and version; in a table of functions there can be several.
pub(crate) fn find<'a>(rows: &impl Rows<'a>, name: &str, version: &str) -> Result<Vec<Row<'a>>> {
    let key = |row: &Row<'_>| compare(row.name, name).then_with(|| compare(row.version, version));
    let start = first_where(rows, |row| key(row) != Ordering::Less)?;
    let mut found = Vec::new();
    for position in start..rows.count() {
        let row = rows.row(position)?;
        if key(&row) != Ordering::Equal {
            break;
        }
        found.push(row);
    }
    Ok(found)
}

/// All rows of that name, in the order of their versions.
pub(crate) fn find_all<'a>(rows: &impl Rows<'a>, name: &str) -> Result<Vec<Row<'a>>> {
    let start = first_where(rows, |row| compare(row.name, name) != Ordering::Less)?;
    let end = first_where(rows, |row| compare(row.name, name) == Ordering::Greater)?;
    (start..end).map(|position| rows.row(position)).collect()
}

/// The distinct names that start with a prefix, in order, each in the spelling of its last version. Rows that
/// cannot be read are passed over.
pub(crate) fn names<'a, R: Rows<'a>>(rows: R, prefix: &str) -> impl Iterator<Item = &'a str> + use<'a, R> {
    let start = first_where(&rows, |row| compare(row.name, prefix) != Ordering::Less);
    let prefix = prefix.to_owned();
    let count = rows.count();
    let mut found = (start.unwrap_or(count)..count)
        .filter_map(move |position| rows.row(position).ok())
        .map(|row| row.name)
        .take_while(move |name| starts_with(name, &prefix))
        .peekable();
    std::iter::from_fn(move || {
        let mut name = found.next()?;
        while let Some(next) = found.next_if(|next| next.eq_ignore_ascii_case(name)) {
            name = next;
        }
        Some(name)
    })
}

/// Up to `limit` names that one can mistake for `name`, the closest first.
pub(crate) fn similar<'a, R: Rows<'a> + Clone>(rows: R, name: &str, limit: usize) -> Vec<&'a str> {
    // Mistakes in the provider's name are rarer than in the rest, and the rest is a short list to look through.
    let provider = name.split_inclusive('/').next().filter(|provider| provider.ends_with('/'));
    let within = (name.len() / 4).clamp(1, 8);
    let rank = |prefix: &str| {
        let near = names(rows.clone(), prefix)
            .filter_map(|candidate| Some((diagnostics::distance(name, candidate, within)?, candidate)));
        near.collect::<Vec<_>>()
    };
    let mut ranked = provider.map(rank).filter(|ranked| !ranked.is_empty()).unwrap_or_else(|| rank(""));
    ranked.sort_by_key(|(distance, _)| *distance);
    ranked.into_iter().map(|(_, candidate)| candidate).take(limit).collect()
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.as_bytes().get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// The first position whose row satisfies a condition that holds for every later row too.
fn first_where<'a>(rows: &impl Rows<'a>, condition: impl Fn(&Row<'a>) -> bool) -> Result<usize> {
    let (mut low, mut high) = (0, rows.count());
    while low < high {
        let middle = low + (high - low) / 2;
        if condition(&rows.row(middle)?) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Ok(low)
}

/// A table in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogTable {
    rows: Vec<OwnedRow>,
}

/// A row of a [`CatalogTable`].
#[derive(Clone, Debug)]
pub(crate) struct OwnedRow {
    pub(crate) name: smol_str::SmolStr,
    pub(crate) version: smol_str::SmolStr,
    pub(crate) location: Location,
}

impl CatalogTable {
    /// Sorts rows. With `unique`, the first of several rows of one name and version is kept, else all of them,
    /// in the order given.
    pub(crate) fn new(mut rows: Vec<OwnedRow>, unique: bool) -> CatalogTable {
        rows.sort_by(|one, other| {
            compare(&one.name, &other.name).then_with(|| compare(&one.version, &other.version))
        });
        if unique {
            rows.dedup_by(|later, first| {
                later.name.eq_ignore_ascii_case(&first.name)
                    && later.version.eq_ignore_ascii_case(&first.version)
            });
        }
        CatalogTable { rows }
    }

    pub(crate) fn rows(&self) -> &[OwnedRow] {
        &self.rows
    }
}

impl<'a> Rows<'a> for &'a CatalogTable {
    fn count(&self) -> usize {
        self.rows.len()
    }

    fn row(&self, position: usize) -> Result<Row<'a>> {
        // Positions come from `count`, so the empty row is never handed out.
        const NOWHERE: Location = Location { file: FileId(u32::MAX), id: TypeId(u32::MAX) };
        let row = self.rows.get(position);
        Ok(row.map_or(Row { name: "", version: "", location: NOWHERE }, |row| Row {
            name: &row.name,
            version: &row.version,
            location: row.location,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[(&str, &str)]) -> CatalogTable {
        let rows = names.iter().zip(0u32..).map(|((name, version), id)| OwnedRow {
            name: (*name).into(),
            version: (*version).into(),
            location: Location { file: FileId(0), id: TypeId(id) },
        });
        CatalogTable::new(rows.collect(), true)
    }

    fn ids(rows: Vec<Row<'_>>) -> Vec<u32> {
        rows.iter().map(|row| row.location.id.0).collect()
    }

    #[test]
    fn a_name_is_found_in_any_case_and_versions_come_in_order() {
        let table = table(&[
            ("My.Rp/things", "2021-01-01"),
            ("my.rp/Things", "2020-01-01-preview"),
            ("My.Rp/thingsAndMore", "2020-01-01"),
            ("MY.RP/THINGS", "2021-01-01"),
            ("My.Rp/things/parts", "2020-01-01"),
        ]);
        assert_eq!(ids(find(&&table, "MY.rp/THINGS", "2021-01-01").unwrap()), [0]);
        assert_eq!(ids(find(&&table, "my.rp/things", "2020-01-01-PREVIEW").unwrap()), [1]);
        assert_eq!(ids(find(&&table, "my.rp/things", "2020-01-01").unwrap()), [] as [u32; 0]);
        assert_eq!(ids(find_all(&&table, "my.rp/things").unwrap()), [1, 0]);
        assert_eq!(
            names(&table, "MY.").collect::<Vec<_>>(),
            ["My.Rp/things", "My.Rp/things/parts", "My.Rp/thingsAndMore"]
        );
        assert_eq!(names(&table, "other").count(), 0);
    }

    #[test]
    fn similar_names_are_of_the_same_provider_if_there_is_one() {
        let table = table(&[
            ("My.Rp/accounts", "1"),
            ("My.Rp/account", "1"),
            ("My.Rp/zebras", "1"),
            ("Your.Rp/accounts", "1"),
        ]);
        assert_eq!(similar(&table, "my.rp/acounts", 2), ["My.Rp/accounts", "My.Rp/account"]);
        assert_eq!(similar(&table, "Your.Pr/accounts", 3), ["Your.Rp/accounts"]);
        assert_eq!(similar(&table, "Nothing.Like/it", 3), [] as [&str; 0]);
    }
}
