//! The table of all requests that the server knows, and the server that answers them.

use std::sync::Arc;

use ::radius::registry::Registry;
use engine::Host;

use crate::access::Access;
use crate::app::App;
use crate::route::{HttpRoute, Path};
use crate::route_doc::{RouteDoc, Surface, by_surface};
use crate::{arm, login, radius, role_routes, service_routes, state, token_routes, ui};

impl App {
    /// The server in front of an engine and a registry, in local mode.
    pub fn new(host: Arc<Host>, registry: Arc<Registry>) -> App {
        App::answering(described(), host, registry)
    }
}

/// The rows in the order in which they are tried. What fits almost every path comes last.
fn tables() -> impl Iterator<Item = (Surface, &'static HttpRoute)> {
    let of = |surface: Surface| move |row: &'static HttpRoute| (surface, row);
    ui::rows().map(of(Surface::Ui)).chain(before_arm()).chain(arm_rows().map(of(Surface::Arm)))
}

/// What comes before the requests of ARM that are not about deployments.
fn before_arm() -> impl Iterator<Item = (Surface, &'static HttpRoute)> {
    let of = |surface: Surface| move |row: &'static HttpRoute| (surface, row);
    let own = service_routes::ROWS
        .iter()
        .chain(state::ROWS)
        .chain(token_routes::ROWS)
        .chain(role_routes::ROWS)
        .map(of(Surface::Own));
    let login = login::ROWS.iter().map(of(Surface::Identity));
    let deployments = arm::deployment_rows().map(of(Surface::Arm));
    own.chain(login).chain(deployments).chain(radius::rows().map(of(Surface::Radius)))
}

fn arm_rows() -> impl Iterator<Item = &'static HttpRoute> {
    arm::rows().chain(arm::RESOURCES)
}

/// The rows that a path may mean.
///
/// Deployments to a group of Radius are those of ARM. All else in a plane is its own: there, ARM's requests
/// for any resource would change what nobody checked.
pub(crate) fn rows_for(path: &Path) -> impl Iterator<Item = &'static HttpRoute> {
    let is_page = ui::is_page(path);
    let pages = ui::rows().filter(move |_| is_page);
    let in_plane = path.parts().first().is_some_and(|first| first.eq_ignore_ascii_case("planes"));
    let apis = before_arm().map(|(_, row)| row).chain(arm_rows().filter(move |_| !in_plane));
    pages.chain(apis.filter(move |_| !is_page))
}

/// All requests in the order in which they are tried.
fn described() -> Vec<RouteDoc> {
    tables().map(|(surface, row)| request(surface, row)).collect()
}

/// All requests, by surface.
pub fn requests() -> Vec<RouteDoc> {
    by_surface(described())
}

fn request(surface: Surface, row: &'static HttpRoute) -> RouteDoc {
    let who = match row.access {
        Access::Anybody => "anybody",
        Access::Somebody => "any caller who has logged in",
        Access::List => "any caller who has logged in, who sees what a reader may",
        Access::Read => "reader",
        Access::Deploy => "deployer",
        Access::Own => "owner",
    };
    RouteDoc { surface, method: row.method.as_str(), path: row.pattern, who, about: row.about }
}
