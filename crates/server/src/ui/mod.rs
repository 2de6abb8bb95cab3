//! The pages for people, at `/ui`. `pages::ui` writes them; here is who may see them, what is in them, and what happens while they are open.
//!
//! A page is a row like any other request. Its reader is found by their session (`session`), and what they may do is asked of the id in its path,
//! as the API asks it of the same id. `show` has the frame and the headers, `deployments` and `deployment` fill the pages, and `events` sends
//! what changed while a deployment runs. `resources`, `types` and `playground` have their own rows.

mod checked;
mod deployment;
mod deployments;
mod differences;
mod events;
mod moment;
mod place;
mod playground;
mod resources;
mod schema;
mod session;
mod show;
mod stored_marks;
mod types;
mod value;

use axum::http::{Method, StatusCode};

pub use moment::parse as read_moment;
pub(crate) use session::{caller, check_form};
pub(crate) use show::Asked;

use crate::access::Access;
use crate::answer::Answer;
use crate::call::{Call, Captures};
use crate::identity::{Allowed, Caller, authorize as authorize_path, forbidden};
use crate::refusal::Refusal;
use crate::route::{Path, Row};

/// What the paths of pages begin with.
const ROOT: &str = "ui";

/// The tables of requests.
const TABLES: &[&[Row]] = &[ROWS, resources::ROWS, types::ROWS, playground::ROWS];

/// The requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    TABLES.iter().copied().flatten()
}

/// The requests of all pages and of those of deployments. What `{id*}` stands for is what the reader needs the role in.
const ROWS: &[Row] = &[
    Row {
        method: Method::GET,
        pattern: "/ui",
        access: Access::List,
        about: "Shows deployments: those of a scope, of a state, by name, by time.",
        handler: |call| Box::pin(show::apart(call, deployments::list)),
    },
    Row {
        method: Method::GET,
        pattern: "/ui/deployments/{id*}",
        access: Access::Read,
        about: "Shows a deployment.",
        handler: |call| Box::pin(deployment::show(call)),
    },
    Row {
        method: Method::POST,
        pattern: "/ui/cancel/{id*}",
        access: Access::Deploy,
        about: "Cancels a deployment that is under way.",
        handler: |call| Box::pin(deployment::cancel(call)),
    },
    Row {
        method: Method::GET,
        pattern: "/ui/events/{id*}",
        access: Access::Read,
        about: "Sends the parts of the page of a deployment that change, as server-sent events.",
        handler: |call| Box::pin(events::follow(call)),
    },
    Row {
        method: Method::GET,
        pattern: "/ui/sign-in",
        access: Access::Anybody,
        about: "Asks for a token.",
        handler: |call| Box::pin(async move { Ok(session::form(&call)) }),
    },
    Row {
        method: Method::POST,
        pattern: "/ui/sign-in",
        access: Access::Anybody,
        about: "Begins a session with a token.",
        handler: |call| Box::pin(session::begin(call)),
    },
    Row {
        method: Method::POST,
        pattern: "/ui/sign-out",
        access: Access::Anybody,
        about: "Ends a session.",
        handler: |call| Box::pin(async move { Ok(session::end(&call)) }),
    },
    Row {
        method: Method::POST,
        pattern: "/ui/theme",
        access: Access::Anybody,
        about: "Switches between light and dark.",
        handler: |call| Box::pin(async move { Ok(show::theme(&call)) }),
    },
    Row {
        method: Method::GET,
        pattern: "/ui/assets/{hash}/{name}",
        access: Access::Anybody,
        about: "Gives a style, a script or a picture of the pages.",
        handler: |call| Box::pin(async move { asset(&call) }),
    },
];

/// Whether a path is that of a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.parts().first().is_some_and(|first| first.eq_ignore_ascii_case(ROOT))
}

/// Whether a row is that of a page.
pub(crate) fn is_row(row: &Row) -> bool {
    row.pattern.trim_start_matches('/').split('/').next() == Some(ROOT)
}

/// Refuses a page that its reader may not see. What a page is about is an id behind its own path, and the reader needs for it what the API would ask of
/// them; pages without one show what their reader may see.
pub(crate) fn authorize(caller: &Caller, access: Access, captures: &Captures) -> Result<Allowed, Refusal> {
    let id: Vec<String> = captures.get("id").split('/').map(str::to_owned).collect();
    match access {
        Access::Anybody | Access::Somebody | Access::List => Ok(Allowed::All),
        // To be on the way to what one may see is not enough: a page has no part that could be shown.
        Access::Read | Access::Deploy | Access::Own => match authorize_path(caller, access, &id)? {
            Allowed::All => Ok(Allowed::All),
            Allowed::Shown | Allowed::No => Err(forbidden(caller)),
        },
    }
}

fn asset(call: &Call) -> Result<Answer, Refusal> {
    let found = pages::ui::asset(call.path.get("hash"), call.path.get("name"));
    let Some(found) = found else { return Err(Refusal::new("NotFound", "there is no such file")) };
    let answer = Answer::text(StatusCode::OK, found.body.clone()).of_type(found.media);
    // What is in it is in its address.
    Ok(show::guarded(answer).header(axum::http::header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
}
