//! Lists, a page at a time: `{"value": [..], "nextLink": ".."}`.

use ::arm::Caseless as _;
use ::radius::registry::{ResourceRows, StoredResource};
use http::StatusCode;

use super::request_scope::{escaped, quoted};
use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::routed_request::RoutedRequest;
use crate::skip_token;

/// How many things a page has at most.
const PAGE: usize = 200;

/// The query that says what the page before ended with.
const SKIP: &str = "skiptoken";

/// The page that a client wants.
pub(super) struct PageRequest {
    /// The key of the last item of the page before. It stays where it is when others come and go.
    after: Option<String>,
    take: usize,
}

/// A page: its items as JSON, and the key of the last one if another page follows.
pub(super) struct Page {
    items: Vec<String>,
    next: Option<String>,
}

impl PageRequest {
    /// Reads `top` and `skiptoken`.
    pub(super) fn of(call: &RoutedRequest) -> Result<PageRequest, ApiError> {
        let wrong = |message: &str| ApiError::new("BadRequest", message);
        let take = match call.query.get("top").map(str::parse::<usize>) {
            None => PAGE,
            Some(Ok(top)) if top > 0 => top.min(PAGE),
            Some(_) => return Err(wrong("`top` needs a whole number, at least 1")),
        };
        let read = |token: &str| skip_token::opened(&call.app, token);
        let after = match call.query.get(SKIP).map(read) {
            None => None,
            Some(Some(after)) => Some(after),
            Some(None) => return Err(wrong("`skiptoken` is not one that a page has named")),
        };
        Ok(PageRequest { after, take })
    }

    /// What the page before ended with.
    pub(super) fn after(&self) -> Option<&str> {
        self.after.as_deref()
    }

    /// How many items to look for: one more than a page has tells whether another page follows.
    pub(super) fn look_for(&self) -> usize {
        self.take + 1
    }

    /// The page of items in the order of their keys that begin behind [`PageRequest::after`].
    pub(super) fn page<T>(
        &self,
        items: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> String,
        show: impl Fn(&T) -> String,
    ) -> Page {
        let (mut shown, mut last) = (Vec::new(), None);
        for item in items {
            if shown.len() == self.take {
                return Page { items: shown, next: last };
            }
            shown.push(show(&item));
            last = Some(key(&item));
        }
        Page { items: shown, next: None }
    }

    /// The same of resources that may have been cut by bytes: then another page follows behind the last one.
    pub(super) fn resources(&self, found: ResourceRows, show: impl Fn(&StoredResource) -> String) -> Page {
        let last = found.rows.last().filter(|_| found.is_cut).map(|last| last.id.caseless());
        let page = self.page(found.rows, |it| it.id.caseless(), show);
        Page { next: page.next.or(last), ..page }
    }

    /// The page of items that are all at hand, in the order of their keys. No two have the same.
    pub(super) fn of_all<T>(
        &self,
        all: impl IntoIterator<Item = T>,
        key: impl Fn(&T) -> String,
        show: impl Fn(&T) -> String,
    ) -> Page {
        let mut all: Vec<T> = all.into_iter().collect();
        all.sort_by_cached_key(&key);
        let is_seen = |item: &T| self.after().is_some_and(|after| *key(item) <= *after);
        self.page(all.into_iter().skip_while(is_seen), &key, show)
    }

    /// The answer; `path` is where the list is.
    pub(super) fn answer(
        &self,
        call: &RoutedRequest,
        path: &str,
        page: Page,
    ) -> Result<HttpResponse, ApiError> {
        let next = page.next.map(|after| skip_token::sealed(&call.app, &after)).transpose()?.map(|after| {
            let version =
                call.query.get("api-version").map(|version| format!("api-version={}&", escaped(version)));
            let kept = |name: &str| call.query.get(name).map(|text| format!("{name}={}&", escaped(text)));
            let top = call.query.get("top").map(|_| format!("top={}&", self.take));
            let query = [version, kept("includeIcons"), kept("includeApiVersion"), top]
                .map(Option::unwrap_or_default)
                .concat();
            let link = format!("{}{path}?{query}{SKIP}={after}", call.base);
            format!(",\"nextLink\":{}", quoted(&link))
        });
        let body = format!("{{\"value\":[{}]{}}}", page.items.join(","), next.unwrap_or_default());
        Ok(HttpResponse::text(StatusCode::OK, body))
    }
}
