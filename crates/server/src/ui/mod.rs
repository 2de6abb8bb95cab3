//! The pages for people, at `/ui`. `pages::ui` writes them; here is who may see them, what is in them, and what happens while they are open.
//!
//! A page is a row like any other request. Its reader is found by their session (`session`), and what they may do is asked of the id in its path,
//! as the API asks it of the same id. `show` has the frame and the headers, `deployments` and `deployment` fill the pages, and `events` sends
//! what changed while a deployment runs. `resources`, `types` and `playground` have their own rows.

mod deployment;
mod deployments;
mod differences;
mod events;
mod page_shell;
mod page_url;
mod playground;
mod resource_check;
mod resources;
mod schema;
mod session;
mod stored_marks;
mod types;
mod value;

use http::{Method, StatusCode};

pub(crate) use page_shell::PageContext;
pub(crate) use session::{caller, check_form};

use crate::access::Access;
use crate::api_error::ApiError;
use crate::identity::{Allowed, Caller, authorize as authorize_path, forbidden};
use crate::response::HttpResponse;
use crate::route::{HttpRoute, Path};
use crate::routed_request::{Captures, RoutedRequest};

/// What the paths of pages begin with.
const ROOT: &str = "ui";

/// The tables of requests.
const TABLES: &[&[HttpRoute]] = &[ROWS, resources::ROWS, types::ROWS, playground::ROWS];

/// The requests, one row for each.
pub(crate) fn rows() -> impl Iterator<Item = &'static HttpRoute> {
    TABLES.iter().copied().flatten()
}

/// The requests of all pages and of those of deployments. What `{id*}` stands for is what the reader needs the role in.
const ROWS: &[HttpRoute] = &[
    HttpRoute {
        method: Method::GET,
        pattern: "/ui",
        access: Access::List,
        about: "Shows deployments: those of a scope, of a state, by name, by time.",
        handler: |call| Box::pin(page_shell::apart(call, deployments::list)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/deployments/{id*}",
        access: Access::Read,
        about: "Shows a deployment.",
        handler: |call| Box::pin(deployment::get_deployment_page(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/cancel/{id*}",
        access: Access::Deploy,
        about: "Cancels a deployment that is under way.",
        handler: |call| Box::pin(deployment::cancel(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/events/{id*}",
        access: Access::Read,
        about: "Sends the parts of the page of a deployment that change, as server-sent events.",
        handler: |call| Box::pin(events::follow(call)),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/sign-in",
        access: Access::Anybody,
        about: "Asks for a token.",
        handler: |call| Box::pin(async move { Ok(session::form(&call)) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/sign-in",
        access: Access::Anybody,
        about: "Begins a session with a token.",
        handler: |call| Box::pin(session::begin(call)),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/sign-out",
        access: Access::Anybody,
        about: "Ends a session.",
        handler: |call| Box::pin(async move { Ok(session::end(&call)) }),
    },
    HttpRoute {
        method: Method::POST,
        pattern: "/ui/theme",
        access: Access::Anybody,
        about: "Switches between light and dark.",
        handler: |call| Box::pin(async move { Ok(page_shell::theme(&call)) }),
    },
    HttpRoute {
        method: Method::GET,
        pattern: "/ui/assets/{hash}/{name}",
        access: Access::Anybody,
        about: "Returns a style, a script or a picture of the pages.",
        handler: |call| Box::pin(async move { asset(&call) }),
    },
];

/// Whether a path is that of a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.parts().first().is_some_and(|first| first.eq_ignore_ascii_case(ROOT))
}

/// Whether a row is that of a page.
pub(crate) fn is_row(row: &HttpRoute) -> bool {
    row.pattern.trim_start_matches('/').split('/').next() == Some(ROOT)
}

/// Refuses a page that its reader may not see. What a page is about is an id behind its own path, and the reader needs for it what the API would ask of
/// them; pages without one show what their reader may see.
pub(crate) fn authorize(
    caller: &Caller,
    access: Access,
    method: &Method,
    captures: &Captures,
) -> Result<Allowed, ApiError> {
    let mut id: Vec<String> = captures.get("id").split('/').map(str::to_owned).collect();
    if access == Access::Deploy {
        // The one thing that pages do.
        id.push("cancel".to_owned());
    }
    match access {
        Access::Anybody | Access::Somebody | Access::List => Ok(Allowed::All),
        // To be on the way to what one may see is not enough: a page has no part that could be shown.
        Access::Read | Access::Deploy | Access::Own => match authorize_path(caller, access, method, &id)? {
            Allowed::All => Ok(Allowed::All),
            Allowed::Shown | Allowed::No => Err(forbidden(caller)),
        },
    }
}

fn asset(call: &RoutedRequest) -> Result<HttpResponse, ApiError> {
    let found = pages::ui::asset(call.path.get("hash"), call.path.get("name"));
    let Some(found) = found else { return Err(ApiError::new("NotFound", "there is no such file")) };
    let answer = HttpResponse::text(StatusCode::OK, found.body.clone()).of_type(found.media);
    // What is in it is in its address.
    Ok(page_shell::guarded(answer).header(http::header::CACHE_CONTROL, "public, max-age=31536000, immutable"))
}
