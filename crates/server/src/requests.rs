//! All requests that the server knows, for the documentation and for tools.

use crate::route::{Access, Path, Row};
use crate::{arm, identity, own, radius, state, ui};

/// Whose API a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// Tendon's own.
    Own,
    /// What clients ask when they log in.
    Identity,
    /// That of ARM.
    Arm,
    /// That of Radius.
    Radius,
    /// The pages for people.
    Ui,
}

/// A request that the server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Whose API it belongs to.
    pub surface: Surface,
    /// How it is sent.
    pub method: &'static str,
    /// Its path, with names in braces for what stands there; `{scope}` is the beginning of an id, `{name*}` all that is left.
    pub path: &'static str,
    /// Who may send it.
    pub who: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
}

/// The rows in the order in which they are tried. What fits almost every path comes last.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    ui::rows().chain(before_arm()).chain(arm::rows()).chain(arm::RESOURCES)
}

/// The rows that a path may mean.
///
/// Deployments to a group of Radius are those of ARM. All else in a plane is its own: there, ARM's requests for any resource would change
/// what nobody checked.
pub(crate) fn rows_for(path: &Path) -> impl Iterator<Item = &'static Row> {
    let is_page = ui::is_page(path);
    let pages = ui::rows().filter(move |_| is_page);
    let in_plane = path.parts().first().is_some_and(|first| first.eq_ignore_ascii_case("planes"));
    let apis = before_arm().chain(arm::rows().chain(arm::RESOURCES).filter(move |_| !in_plane));
    pages.chain(apis.filter(move |_| !is_page))
}

fn own_rows() -> impl Iterator<Item = &'static Row> {
    own::ROWS.iter().chain(state::ROWS)
}

fn before_arm() -> impl Iterator<Item = &'static Row> {
    own_rows().chain(identity::ROWS).chain(arm::deployment_rows()).chain(radius::rows())
}

/// All requests, by surface.
pub fn requests() -> Vec<Request> {
    let own = own_rows().map(|row| request(Surface::Own, row));
    let identity = identity::ROWS.iter().map(|row| request(Surface::Identity, row));
    let arm =
        arm::deployment_rows().chain(arm::rows()).chain(arm::RESOURCES).map(|row| request(Surface::Arm, row));
    let radius = radius::rows().map(|row| request(Surface::Radius, row));
    let pages = ui::rows().map(|row| request(Surface::Ui, row));
    own.chain(identity).chain(arm).chain(radius).chain(pages).collect()
}

fn request(surface: Surface, row: &'static Row) -> Request {
    let who = match row.access {
        Access::Anybody => "anybody",
        Access::Somebody => "whoever has logged in",
        Access::List => "whoever has logged in, who sees what a reader may",
        Access::Read => "reader",
        Access::Deploy => "deployer",
        Access::Own => "owner",
    };
    Request { surface, method: row.method.as_str(), path: row.pattern, who, about: row.about }
}
