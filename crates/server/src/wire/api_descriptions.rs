//! Descriptions of web APIs, and the requests that are made of their operations.

use super::{JsonObject, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct ApiDescriptionInput {
    /// An OpenAPI 3 or Swagger 2 document, as JSON or YAML. Either this or `url` is needed.
    pub(crate) document: Option<Text<1, { formats::openapi::MAX_DOCUMENT_BYTES }>>,
    /// Where the document is fetched.
    pub(crate) url: Option<Text<1, 2000>>,
    /// The id of the operation that becomes a request. Without it, the operations are listed.
    pub(crate) operation: Option<Text<1, 500>>,
    /// Values that are known already, by the names of parameters: those of a node that is replaced.
    pub(crate) values: Option<JsonObject>,
    /// The type of the credential that the node has been using.
    pub(crate) credential: Option<Text<1, 100>>,
    /// The request is a tool, whose open values a model gives.
    #[serde(default)]
    pub(crate) is_tool: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiDescriptionQuery {
    /// Words that an operation must have in its id, path, tags or texts.
    pub(crate) query: Option<Text<0, 500>>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiDescription<'a> {
    pub(crate) title: &'a str,
    pub(crate) version: &'a str,
    pub(crate) servers: Vec<DescribedServer<'a>>,
    pub(crate) security: Vec<DescribedSecurity<'a>>,
    /// Those that the search has found; none if an operation was chosen.
    pub(crate) operations: Vec<DescribedOperation<'a>>,
    /// How many there are altogether.
    pub(crate) total: usize,
    /// What could not be used.
    pub(crate) findings: Vec<DescriptionFinding<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<DescribedRequest>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DescribedServer<'a> {
    /// With the defaults of its variables.
    pub(crate) url: String,
    pub(crate) description: &'a str,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DescribedSecurity<'a> {
    pub(crate) name: &'a str,
    /// What a credential for it holds.
    pub(crate) hint: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DescribedOperation<'a> {
    pub(crate) id: &'a str,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) summary: &'a str,
    pub(crate) tags: Vec<&'a str>,
    pub(crate) deprecated: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct DescriptionFinding<'a> {
    pub(crate) place: &'a str,
    pub(crate) problem: &'a str,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DescribedRequest {
    /// The parameters of the newest HTTP Request.
    pub(crate) parameters: JsonObject,
    /// What its credential holds, in words; empty if it needs none.
    pub(crate) credential_hint: String,
    /// Optional parameters that it does not send.
    pub(crate) left_out: Vec<String>,
}
