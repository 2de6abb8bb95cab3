//! Who asks, how often, and what they may do.

use http::request::Parts;

use super::Exchange;
use crate::access::Access;
use crate::api_error::ApiError;
use crate::app::App;
use crate::identity::{Caller, Roles, authorize};
use crate::route::Path;
use crate::tls::ClientNames;
use crate::ui;

/// Who asks: a page is asked for with a session, everything else with a token.
pub(super) async fn of(app: &App, base: &str, path: &Path, parts: &Parts) -> Result<Caller, ApiError> {
    if ui::is_page(path) {
        return ui::caller(app, &parts.headers).await;
    }
    let caller = app.guard.caller(base, &parts.headers, parts.extensions.get::<ClientNames>()).await?;
    Ok(Roles::resolve(app.store(), caller)?)
}

/// Finds out who asks, where that matters.
pub(super) async fn identify(exchange: &mut Exchange) -> Result<(), ApiError> {
    exchange.caller = match exchange.row.access {
        Access::Anybody => Caller::nobody(),
        Access::Somebody | Access::List | Access::Read | Access::Deploy | Access::Own => {
            of(&exchange.app, &exchange.base, &exchange.path, &exchange.parts).await?
        }
    };
    exchange.seen.who.clone_from(&exchange.caller.name);
    Ok(())
}

/// Refuses a caller who asks too often.
pub(super) fn check_rate(exchange: &mut Exchange) -> Result<(), ApiError> {
    exchange.app.watch.slow_down(&exchange.caller.name, exchange.seen.peer)
}

/// Refuses what the caller may not do, or says how much of the answer they get.
pub(super) fn check_rights(exchange: &mut Exchange) -> Result<(), ApiError> {
    let (caller, access, method) = (&exchange.caller, exchange.row.access, &exchange.parts.method);
    exchange.allowed = if ui::is_page(&exchange.path) {
        ui::authorize(caller, access, method, &exchange.captures)?
    } else {
        authorize(caller, access, method, exchange.path.parts())?
    };
    Ok(())
}
