//! The pages of the server: what `tendon serve` shows at `/ui`.
//!
//! Each page is a function from a plain struct, which the server fills, to what stands in the middle of the page; [`page`] puts the frame around
//! it: head, navigation, theme, landmarks. Styles and scripts are files ([`ASSETS`]), because the policy of these pages allows nothing inline:
//! no `style` attribute, no `onclick`.

mod assets;
mod changes;
mod check;
mod deployment;
mod deployments;
#[cfg(test)]
mod hostile;
mod playground;
mod resources;
mod shell;
mod sign_in;
mod tree;
mod types;

pub use assets::{ASSETS, Asset, asset, asset_path};
pub use changes::{Changes, PropertyChange, ResourceChange, changes};
pub use check::{CheckForm, CheckResult, DiagnosticView, check_form, check_result};
pub use deployment::{DeploymentView, ErrorView, OperationRow, Part, SourcePlace, deployment, parts, source};
pub use deployments::{DeploymentFilter, DeploymentRow, DeploymentsView, STATES, deployments};
pub use playground::{Playground, PlaygroundResult, playground};
pub use resources::{Relation, ResourceList, ResourceRow, ResourceView, resource, resource_list};
pub use shell::{PageFrame, Section, Theme, page};
pub use sign_in::{SignInView, go_on, refused, sign_in};
pub use tree::{TreeView, tree};
pub use types::{SchemaRow, TypeList, TypeRow, TypeView, resource_type, type_list};
