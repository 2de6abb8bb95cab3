//! The pages of the server: what `tendon serve` shows at `/ui`.
//!
//! Each page is a function from a plain struct, which the server fills, to what stands in the middle of the page; [`page`] puts the frame around
//! it: head, navigation, theme, landmarks. Styles and scripts are files ([`ASSETS`]), because the policy of these pages allows nothing inline:
//! no `style` attribute, no `onclick`.

mod assets;
mod deployment;
mod deployments;
mod shell;
mod sign_in;

pub use assets::{ASSETS, Asset, asset, asset_path};
pub use deployment::{
    DeploymentView, ErrorView, OperationRow, Part, SourcePlace, deployment, milliseconds, parts, source, took,
};
pub use deployments::{DeploymentFilter, DeploymentRow, DeploymentsView, STATES, deployments};
pub use shell::{Frame, Section, Theme, page};
pub use sign_in::{SignInView, refused, sign_in};
