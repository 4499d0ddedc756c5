//! What the editor asks of the server beyond n8n's API: descriptions of nodes, runs of a workflow
//! as it is drawn, and what runs did.

pub(super) mod agent;
pub(super) mod api_descriptions;
mod approvals;
pub(super) mod check;
pub(super) mod client_errors;
pub(super) mod connected_tools;
pub(super) mod expression;
pub(super) mod fetch;
pub(super) mod insights;
pub(super) mod instance;
pub(super) mod items;
mod iteration;
mod journal_view;
pub(super) mod node_types;
pub(super) mod outline;
mod previews;
pub(super) mod run;
mod schema;

pub use api_descriptions::RequestForm;
pub(crate) use previews::Previews;
