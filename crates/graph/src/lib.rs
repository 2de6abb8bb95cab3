//! Pictures of deployments: resources, modules and what depends on what.
//!
//! A [`Graph`] is made of a deployment ([`of`]) or by hand. [`layout()`] gives every resource and every dependency a place, and
//! [`svg`], [`mermaid`], [`dot`] and [`json`] write it down. The same graph always gives the same text.
//!
//! Nothing here reads a file or a clock. Names are the words of strangers: whatever they hold, they come out as text.

pub mod dot;
pub mod json;
mod labels;
mod layout;
pub mod mermaid;
mod model;
mod outline;
mod plan;
pub mod svg;
mod table;
mod text;

pub use layout::{Layout, LayoutError, Point, Rect, Route, broken_promises, layout};
pub use model::{
    Condition, DependencyReason, Edge, Graph, GraphError, GraphNode, GraphNodeKind, MAX_EDGES, MAX_NODES,
    NodeId, Repeat, ResourceOutcome, SourceLine, Why,
};
pub use plan::{NoOrigins, Origins, of};
