//! What is told of the requests that the server knows: in the documentation, to tools, and by the metrics.

/// Whose API a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// Requests that only Tendon has.
    Own,
    /// What clients ask when they log in.
    Identity,
    /// Requests of the ARM REST API.
    Arm,
    /// Requests of the Radius API.
    Radius,
    /// The pages for people.
    Ui,
}

/// A request that the server knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteDoc {
    /// Whose API it belongs to.
    pub surface: Surface,
    /// How it is sent.
    pub method: &'static str,
    /// Its path, with names in braces for what stands there; `{scope}` is the beginning of an id, `{name*}` all that is left.
    pub path: &'static str,
    /// Who may send it, in words.
    pub who: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
}

/// The requests with those of one API together, in the order of [`Surface`].
pub(crate) fn by_surface(mut requests: Vec<RouteDoc>) -> Vec<RouteDoc> {
    requests.sort_by_key(|request| request.surface);
    requests
}
