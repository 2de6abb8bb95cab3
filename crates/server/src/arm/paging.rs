//! Lists that come in pages: `$top`, `$skiptoken`, and the link to the next page.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::api_error::ApiError;
use crate::response::HttpResponse;
use crate::routed_request::RoutedRequest;
use crate::skip_token;

/// How many items a page has if nobody says it, and how many it has at most.
const ITEMS: usize = 200;
const MOST_ITEMS: usize = 1_000;
/// After how many bytes a page ends.
const MOST_BYTES: usize = 4 << 20;

/// The page that a client wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageRequest {
    /// What the page before ended with, in the words of the list; nothing for the first page. It stays where it is when others come and go.
    pub(super) after: Option<String>,
    /// How many items it has at most.
    pub(super) take: usize,
    /// How many items the client wants in all, from here on.
    left: Option<usize>,
}

/// A page: its items as JSON, and what it ends with, if another page follows.
#[derive(Default)]
pub(super) struct Page {
    pub(super) items: Vec<String>,
    pub(super) next: Option<String>,
    bytes: usize,
}

impl Page {
    /// A page with these items.
    pub(super) fn of(items: Vec<String>, next: Option<String>) -> Page {
        Page { items, next, bytes: 0 }
    }

    pub(super) fn push(&mut self, item: String) {
        self.bytes += item.len();
        self.items.push(item);
    }
}

impl PageRequest {
    /// Reads what the request says.
    pub(super) fn of(call: &RoutedRequest) -> Result<PageRequest, ApiError> {
        let number = |name: &'static str| match call.query.get(name) {
            None | Some("") => Ok(None),
            Some(text) => text.parse::<usize>().map(Some).map_err(|_| wrong(name, text)),
        };
        let top = number("$top")?;
        if top == Some(0) {
            return Err(wrong("$top", "0"));
        }
        let (after, left) = match call.query.get("$skiptoken").filter(|token| !token.is_empty()) {
            None => (None, top),
            Some(token) => {
                let opened = skip_token::opened(&call.app, token);
                let (after, left) =
                    opened.as_deref().and_then(parse).ok_or_else(|| wrong("$skiptoken", token))?;
                (Some(after), left)
            }
        };
        Ok(PageRequest { after, take: left.unwrap_or(ITEMS).min(MOST_ITEMS), left })
    }

    /// What the page before ended with, as the list reads it.
    pub(super) fn place<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> Result<Option<T>, ApiError> {
        match &self.after {
            None => Ok(None),
            // What is sealed in it is not told.
            Some(after) => read(after).map(Some).ok_or_else(|| {
                let message = "the query parameter `$skiptoken` is not one of this list";
                ApiError::new("InvalidQueryParameterValue", message)
            }),
        }
    }

    /// Tells whether nothing more goes on a page: it has the items that are wanted, or enough bytes.
    pub(super) fn is_full(&self, page: &Page) -> bool {
        page.items.len() >= self.take || page.bytes >= MOST_BYTES
    }

    /// The page of a list that is always the same: its places are numbers.
    pub(super) fn part(&self, all: Vec<String>) -> Result<Page, ApiError> {
        let skip = self.place(|after| after.parse::<usize>().ok())?.unwrap_or(0);
        let end = skip.saturating_add(self.take);
        let next = (all.len() > end).then(|| end.to_string());
        Ok(Page::of(all.into_iter().skip(skip).take(self.take).collect(), next))
    }

    /// The answer: the items, and the link to those that follow.
    pub(super) fn answer(
        &self,
        call: &RoutedRequest,
        path: &str,
        page: Page,
    ) -> Result<HttpResponse, ApiError> {
        let left = self.left.map(|left| left.saturating_sub(page.items.len()));
        let mut text = format!("{{\"value\":[{}]", page.items.join(","));
        if let Some(next) = page.next.filter(|_| left != Some(0)) {
            let mut link = call.link(path)?;
            for name in ["$filter", "$top"] {
                if let Some(value) = call.query.get(name) {
                    link.push_str(&format!("&{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
                }
            }
            let token = skip_token::sealed(&call.app, &token(&next, left))?;
            link.push_str(&format!("&$skiptoken={token}"));
            text.push_str(",\"nextLink\":");
            text.push_str(&arm::Value::text(link).to_json());
        }
        text.push('}');
        Ok(HttpResponse::text(http::StatusCode::OK, text))
    }
}

/// A place and how many items are wanted behind it, in one text.
fn token(after: &str, left: Option<usize>) -> String {
    let left = left.map(|left| left.to_string()).unwrap_or_default();
    format!("{left}:{after}")
}

/// What such a text says.
fn parse(token: &str) -> Option<(String, Option<usize>)> {
    let (left, after) = token.split_once(':')?;
    let left = if left.is_empty() { None } else { Some(left.parse().ok().filter(|left| *left > 0)?) };
    Some((after.to_owned(), left))
}

fn wrong(name: &str, text: &str) -> ApiError {
    ApiError::new("InvalidQueryParameterValue", format!("the query parameter `{name}` cannot be `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_say_where_to_go_on() {
        for (after, left) in [("/a/b", None), ("7.c:d", Some(50)), ("", Some(1))] {
            assert_eq!(parse(&token(after, left)), Some((after.to_owned(), left)));
        }
        for wrong in ["", "x", "1-0", "200", "0:a", "-1:a", "99999999999999999999999:"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
