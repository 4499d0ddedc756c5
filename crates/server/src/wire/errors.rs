//! Errors as the API reports them.

use schemars::JsonSchema;
use serde::Serialize;

/// Why a request was refused.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Error<'a> {
    /// One of the codes of the documentation.
    pub(crate) code: &'static str,
    pub(crate) message: &'a str,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<&'a str>,
}
