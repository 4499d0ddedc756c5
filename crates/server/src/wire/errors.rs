//! Errors on the wire.

use schemars::JsonSchema;
use serde::Serialize;

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Error<'a> {
    pub(crate) code: &'a str,
    pub(crate) message: &'a str,
    pub(crate) hint: Option<&'a str>,
}
