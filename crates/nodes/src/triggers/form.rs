//! Forms: pages that start a workflow, go on with it, and end it.

mod fields;
mod next_page;
mod page;
mod submission;
mod trigger;

pub(crate) use fields::fields_param;
pub(crate) use next_page::FormNode;
pub(crate) use page::{form_route, page_of};
pub use submission::{FORM_FIELD, MODE_FIELD, submitted_item};
pub(crate) use trigger::{FormTrigger, shared_options};
