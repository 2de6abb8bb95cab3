//! The list of deployments. A page reads only so many records, however many there are and whatever is filtered for.

use std::collections::BTreeSet;

use arm::rest_time::{parse_moment, shown_moment};
use arm::{Caseless as _, ProvisioningState};
use engine::DeploymentRecord;
use graph::ResourceOutcome;
use http::StatusCode;
use pages::ui::{DeploymentFilter, DeploymentRow, DeploymentsView, STATES, Section};
use store::{Deployment, RunId, Status};

use super::{page_shell, page_url};
use crate::api_error::ApiError;
use crate::bounded_rows;
use crate::response::HttpResponse;
use crate::routed_request::RoutedRequest;
use crate::skip_token;

/// How many deployments a page has.
const PAGE: usize = 50;

/// How many records are read at a time.
const READ: usize = 200;

/// How many records are looked at for a page; then the reader is asked whether to go on.
const MOST_LOOKS: usize = 2_000;

/// Shows a page of deployments.
pub(super) fn list(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let view = view(call)?;
    let frame = page_shell::frame(call);
    Ok(page_shell::page(
        StatusCode::OK,
        &frame,
        Section::Deployments,
        "Deployments",
        &pages::ui::deployments(&view),
    ))
}

fn filter_of(call: &RoutedRequest) -> DeploymentFilter {
    let get = |name: &str| call.query.get(name).unwrap_or_default().trim().to_owned();
    DeploymentFilter {
        scope: get("scope"),
        state: get("state"),
        name: get("name"),
        from: get("from"),
        to: get("to"),
    }
}

/// What a filter means.
struct DeploymentQuery {
    /// The scope, in lower case.
    below: String,
    /// Whether the store can be asked for this one scope.
    is_exact: bool,
    state: String,
    name: String,
    from: Option<i64>,
    to: Option<i64>,
}

impl DeploymentQuery {
    fn of(call: &RoutedRequest, filter: &DeploymentFilter) -> Result<DeploymentQuery, String> {
        let time = |text: &str| match (text.is_empty(), parse_moment(text)) {
            (true, _) => Ok(None),
            (false, Some(at)) => Ok(Some(at)),
            (false, None) => Err(format!("`{text}` is not a time such as 2026-01-31T12:00")),
        };
        // Who sees one scope only looks there, and not at everybody else's deployments.
        let own = match (filter.scope.is_empty(), call.caller.grants.as_slice()) {
            (true, [only]) => only.scope.to_string(),
            (true, _) | (false, _) => filter.scope.clone(),
        };
        let below = own.caseless().trim_end_matches('/').to_owned();
        if !below.is_empty() && !below.starts_with('/') {
            return Err(format!("`{own}` is not a scope: it begins with `/`, such as /subscriptions/ID"));
        }
        let state = &filter.state;
        if !state.is_empty() && !STATES.iter().any(|known| known.eq_ignore_ascii_case(state)) {
            return Err(format!("`{state}` is not a state: it is one of {}", STATES.join(", ")));
        }
        Ok(DeploymentQuery {
            is_exact: page_url::is_leaf(&below),
            below,
            state: filter.state.caseless(),
            name: filter.name.caseless(),
            from: time(&filter.from)?,
            // The last minute counts as a whole.
            to: time(&filter.to)?.map(|to| to.saturating_add(59_999)),
        })
    }

    /// Whether a record may be one that is wanted, as far as its key says.
    fn may_be(&self, row: &Deployment) -> bool {
        page_url::is_below(row.key.scope(), &self.below) && row.key.name().contains(&self.name)
    }
}

fn view(call: &RoutedRequest) -> Result<DeploymentsView, ApiError> {
    let filter = filter_of(call);
    let wanted = match DeploymentQuery::of(call, &filter) {
        Ok(wanted) => wanted,
        Err(problem) => return Ok(DeploymentsView { filter, problem: Some(problem), ..Default::default() }),
    };
    let reach = call.caller.reach();
    let start = call.query.get("after").and_then(|after| place_of(&skip_token::opened(&call.app, after)?));
    // What came after the last moment is skipped without being read.
    let before = wanted.to.map(|to| (to, RunId(u128::MAX)));
    let mut after = match (start, before) {
        (Some(start), Some(before)) => Some(start.min(before)),
        (start, before) => start.or(before),
    };
    let (mut rows, mut looks, mut next) = (Vec::new(), 0, None);
    let mut scopes = BTreeSet::new();
    'looking: loop {
        let scope = wanted.is_exact.then_some(wanted.below.as_str());
        // One more than a page has tells whether another page follows.
        let take = if rows.is_empty() && looks == 0 { PAGE + 1 } else { READ };
        let read = bounded_rows::deployments(call.app.store(), scope, after, take)?;
        let is_last = read.is_last;
        for row in read.rows {
            if wanted.from.is_some_and(|from| row.order < from) {
                break 'looking;
            }
            if rows.len() == PAGE || looks == MOST_LOOKS {
                next = after;
                break 'looking;
            }
            looks += 1;
            after = Some((row.order, row.run));
            if wanted.may_be(&row)
                && reach.can_read(&page_url::id_of(&row.key))
                && let Some(shown) = shown(&row, &wanted.state)?
            {
                scopes.insert(row.key.scope().to_owned());
                rows.push(shown);
            }
        }
        if is_last {
            break;
        }
    }
    let looked_at = next.filter(|_| rows.len() < PAGE).map(|_| looks);
    let link = |after: &str| {
        let DeploymentFilter { scope, state, name, from, to } = &filter;
        let pairs = [("scope", scope), ("state", state), ("name", name), ("from", from), ("to", to)]
            .map(|(name, value)| (name, value.as_str()));
        page_url::with_query("/ui", &pairs.into_iter().chain([("after", after)]).collect::<Vec<_>>())
    };
    let sealed =
        |(order, run): (i64, RunId)| skip_token::sealed(&call.app, &format!("{order}.{:032x}", run.0));
    let next = next.map(sealed).transpose()?.map(|after| link(&after));
    let first = start.map(|_| link(""));
    // That of the tenant is everything.
    let scopes = scopes.into_iter().filter(|scope| !scope.is_empty()).collect();
    Ok(DeploymentsView { problem: None, scopes, rows, looked_at, next, first, filter })
}

/// The place of a deployment in the list.
fn place_of(text: &str) -> Option<(i64, RunId)> {
    let (order, run) = text.split_once('.')?;
    Some((order.parse().ok()?, RunId(u128::from_str_radix(run, 16).ok()?)))
}

/// A record as the list shows it; none if it is not in the state that is wanted.
fn shown(row: &Deployment, wanted: &str) -> Result<Option<DeploymentRow>, ApiError> {
    if row.status == Status::Active && !wanted.is_empty() && wanted != "running" {
        return Ok(None);
    }
    // One that cannot be read does not hide the others.
    let record = DeploymentRecord::from_store(&row.body).ok();
    let state = record.as_ref().map_or("", |record| state_word(row, record));
    if !wanted.is_empty() && !state.eq_ignore_ascii_case(wanted) && row.status == Status::Ended {
        return Ok(None);
    }
    let id = match &record {
        Some(record) => record.id.to_string(),
        None => page_url::id_of(&row.key),
    };
    let (scope, name) = page_url::split(&id).unwrap_or((row.key.scope(), row.key.name()));
    let timestamp = record.as_ref().and_then(|record| record.timestamp);
    let took = record.as_ref().and_then(|record| record.duration);
    Ok(Some(DeploymentRow {
        href: page_url::page("deployments", &page_url::id_of(&row.key)),
        name: name.to_owned(),
        scope: page_url::parts(scope),
        mark: mark(row.status, record.as_ref()),
        at: timestamp.map(shown_moment).unwrap_or_default(),
        took: took.filter(|_| row.status == Status::Ended),
        state: state.to_owned(),
        is_nested: row.root != row.run,
    }))
}

/// The word for how far a deployment has come. That it was asked to stop is no state of the API, and people want to know.
pub(super) fn state_word(row: &Deployment, record: &DeploymentRecord) -> &'static str {
    let is_canceling = row.status == Status::Active && record.cancel_requested;
    if is_canceling { "Canceling" } else { record.state.as_str() }
}

/// How a deployment ended, for the eye.
pub(super) fn mark(status: Status, record: Option<&DeploymentRecord>) -> ResourceOutcome {
    match (status, record.map(|record| record.state)) {
        (Status::Active, _) => ResourceOutcome::Running,
        (Status::Ended, Some(ProvisioningState::Succeeded)) => ResourceOutcome::Succeeded,
        (Status::Ended, Some(ProvisioningState::Canceled)) => ResourceOutcome::Canceled,
        (Status::Ended, _) => ResourceOutcome::Failed,
    }
}
