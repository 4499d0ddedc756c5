//! An ordinary node type in the form in which a model calls it.

use crate::{NodeType, Param, Port};
use model::{Kind, Str};
use serde::Serialize;

/// What n8n writes behind the name of an ordinary type that a model calls.
const SUFFIX: &str = "Tool";

/// How the type differs while a model calls it: it takes no items and gives a tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolForm {
    /// The type in workflow JSON, such as `n8n-nodes-base.httpRequestTool`.
    pub id: Str,
    pub name: Str,
    pub outputs: Vec<Port>,
    /// Parameters that it has besides its own.
    pub params: Vec<Param>,
}

impl ToolForm {
    pub(crate) fn of(node: &NodeType) -> Self {
        Self {
            id: form_id(&node.spec.id),
            name: format!("{} {SUFFIX}", node.spec.name).into(),
            outputs: vec![Port::of(Kind::AiTool, SUFFIX).optional().many()],
            params: vec![
                Param::choice(
                    "descriptionType",
                    "Tool description",
                    &[("manual", "Set here"), ("auto", "From the operation")],
                )
                .help("Where the model reads what the tool does."),
                Param::long_text("toolDescription", "Description", "")
                    .show("descriptionType", &["manual"])
                    .help("Tells the model what the tool does and when to use it."),
            ],
        }
    }
}

/// The name of the type while a model calls it.
pub(crate) fn form_id(type_name: &str) -> Str {
    format!("{type_name}{SUFFIX}").into()
}

/// The ordinary type that such a name stands for.
pub(crate) fn ordinary_id(type_name: &str) -> Option<&str> {
    type_name.strip_suffix(SUFFIX)
}
