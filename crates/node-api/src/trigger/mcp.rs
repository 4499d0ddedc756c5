//! Calls of tools by clients of the Model Context Protocol: the item that a run begins with, and how
//! its trigger answers.

use super::{ResponseBody, WebhookResponse};
use model::{Object, Str, Value};

/// The method under which the address of a server is claimed.
pub const MCP_METHOD: &str = "POST";

/// The field of a start item that names the tool.
pub const MCP_TOOL_FIELD: &str = "tool";

/// The field of a start item with the arguments of the call.
pub const MCP_ARGUMENTS_FIELD: &str = "arguments";

/// What a tool answered, in words that a model may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpToolReply {
    pub content: Str,
    pub is_error: bool,
}

impl McpToolReply {
    /// The fields of the trigger's output.
    pub fn to_object(&self) -> Object {
        Object::from_iter([
            ("content", Value::from(self.content.clone())),
            ("isError", self.is_error.into()),
        ])
    }

    pub fn into_response(self) -> WebhookResponse {
        let body = ResponseBody::Json(self.to_object().into());
        WebhookResponse { status: 200, headers: Vec::new(), body }
    }

    /// What [`Self::into_response`] holds; `None` for any other response.
    pub fn from_response(response: &WebhookResponse) -> Option<Self> {
        let ResponseBody::Json(body) = &response.body else { return None };
        let content = body.get("content").and_then(Value::as_str)?.into();
        let is_error = body.get("isError").and_then(Value::as_bool)?;
        Some(Self { content, is_error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_survives_the_way_through_a_run() {
        let reply = McpToolReply { content: "42".into(), is_error: true };
        assert_eq!(McpToolReply::from_response(&reply.clone().into_response()), Some(reply));
        let other = WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Empty };
        assert_eq!(McpToolReply::from_response(&other), None);
    }
}
