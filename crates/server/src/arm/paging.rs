//! Lists that come in pages: `$top`, `$skiptoken`, and the link to the next page.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::answer::Answer;
use crate::call::Call;
use crate::refusal::Refusal;

/// How many items a page has if nobody says it, and how many it has at most.
const ITEMS: usize = 200;
const MOST_ITEMS: usize = 1_000;

/// The page that a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// How many rows come before it.
    pub(super) skip: usize,
    /// How many items it has at most.
    pub(super) take: usize,
    /// How many items the client wants in all, from here on.
    left: Option<usize>,
}

/// A page: its items as JSON, and where the next one starts, if there is one.
pub(super) struct Page {
    pub(super) items: Vec<String>,
    /// How many rows come before the next page; nothing if this is the last one.
    pub(super) next: Option<usize>,
}

impl Wanted {
    /// Reads what the request says.
    pub(super) fn of(call: &Call) -> Result<Wanted, Refusal> {
        let number = |name: &'static str| match call.query.get(name) {
            None | Some("") => Ok(None),
            Some(text) => text.parse::<usize>().map(Some).map_err(|_| wrong(name, text)),
        };
        let top = number("$top")?;
        if top == Some(0) {
            return Err(wrong("$top", "0"));
        }
        let (skip, left) = match call.query.get("$skiptoken").filter(|token| !token.is_empty()) {
            None => (0, top),
            Some(token) => parse(token).ok_or_else(|| wrong("$skiptoken", token))?,
        };
        Ok(Wanted { skip, take: left.unwrap_or(ITEMS).min(MOST_ITEMS), left })
    }

    /// The page of a list of which all items are known.
    pub(super) fn part(self, all: Vec<String>) -> Page {
        let end = self.skip.saturating_add(self.take);
        let next = (all.len() > end).then_some(end);
        Page { items: all.into_iter().skip(self.skip).take(self.take).collect(), next }
    }

    /// The answer: the items, and the link to those that follow.
    pub(super) fn answer(self, call: &Call, path: &str, page: Page) -> Result<Answer, Refusal> {
        let left = self.left.map(|left| left.saturating_sub(page.items.len()));
        let mut text = format!("{{\"value\":[{}]", page.items.join(","));
        if let Some(next) = page.next.filter(|_| left != Some(0)) {
            let token = match left {
                Some(left) => format!("{next}-{left}"),
                None => next.to_string(),
            };
            let mut link = call.link(path)?;
            for name in ["$filter", "$top"] {
                if let Some(value) = call.query.get(name) {
                    link.push_str(&format!("&{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)));
                }
            }
            link.push_str(&format!("&$skiptoken={token}"));
            text.push_str(",\"nextLink\":");
            text.push_str(&arm::Value::text(link).to_json());
        }
        text.push('}');
        Ok(Answer::text(axum::http::StatusCode::OK, text))
    }
}

/// What a token says: how many rows come before, and how many items are wanted.
fn parse(token: &str) -> Option<(usize, Option<usize>)> {
    match token.split_once('-') {
        None => Some((token.parse().ok()?, None)),
        Some((skip, left)) => Some((skip.parse().ok()?, Some(left.parse().ok().filter(|left| *left > 0)?))),
    }
}

fn wrong(name: &str, text: &str) -> Refusal {
    Refusal::new("InvalidQueryParameterValue", format!("the query parameter `{name}` cannot be `{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_say_where_to_go_on() {
        assert_eq!(parse("200"), Some((200, None)));
        assert_eq!(parse("200-50"), Some((200, Some(50))));
        for wrong in ["", "x", "1-", "1-0", "-1", "99999999999999999999999"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
