//! Lists, a page at a time: `{"value": [..], "nextLink": ".."}`.

use axum::http::StatusCode;
use store::Page;

use super::place::{escaped, quoted};
use crate::answer::Answer;
use crate::call::Call;
use crate::refusal::Refusal;

/// How many things a page has at most.
const PAGE: usize = 200;

/// The query that says where a page begins.
const SKIP: &str = "skiptoken";

/// The page that a client wants.
pub(super) struct Wanted {
    skip: usize,
    take: usize,
}

impl Wanted {
    /// Reads `top` and `skiptoken`.
    pub(super) fn of(call: &Call) -> Result<Wanted, Refusal> {
        let number = |name: &str, least: usize| match call.query.get(name) {
            None => Ok(None),
            Some(text) => match text.parse::<usize>() {
                Ok(number) if number >= least => Ok(Some(number)),
                _ => Err(Refusal::new(
                    "BadRequest",
                    format!("`{name}` needs a whole number, at least {least}"),
                )),
            },
        };
        let take = number("top", 1)?.unwrap_or(PAGE).min(PAGE);
        Ok(Wanted { skip: number(SKIP, 0)?.unwrap_or(0), take })
    }

    /// What is asked of a store: one more than the page has tells whether another page follows.
    pub(super) fn page(&self) -> Page {
        Page { skip: self.skip, take: self.take + 1 }
    }

    /// The answer, from the things of [`Wanted::page`]; `path` is where the list is.
    pub(super) fn answer(&self, call: &Call, path: &str, mut items: Vec<String>) -> Answer {
        let more = items.len() > self.take;
        items.truncate(self.take);
        let next = more.then(|| {
            let version =
                call.query.get("api-version").map(|version| format!("api-version={}&", escaped(version)));
            let kept = |name: &str| call.query.get(name).map(|text| format!("{name}={}&", escaped(text)));
            let top = call.query.get("top").map(|_| format!("top={}&", self.take));
            let query = [version, kept("includeIcons"), kept("includeApiVersion"), top]
                .map(Option::unwrap_or_default)
                .concat();
            let link = format!("{}{path}?{query}{SKIP}={}", call.base, self.skip + self.take);
            format!(",\"nextLink\":{}", quoted(&link))
        });
        let body = format!("{{\"value\":[{}]{}}}", items.join(","), next.unwrap_or_default());
        Answer::text(StatusCode::OK, body)
    }

    /// The page of things that are all at hand.
    pub(super) fn of_all<T>(
        &self,
        all: impl IntoIterator<Item = T>,
        show: impl Fn(T) -> String,
    ) -> Vec<String> {
        all.into_iter().skip(self.skip).take(self.take + 1).map(show).collect()
    }
}
