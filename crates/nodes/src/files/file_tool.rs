//! The workspace folder as a tool: a model lists, reads and, if it may, writes text files in it.

use crate::ai::tools::fn_tool::{ToolInvocation, name_from_param, supply_tool, tool_spec};
use node_api::ai::{DataFlow, Supply, ToolDefinition, ToolEffect};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

/// More names than this are not shown.
const MAX_NAMES: usize = 1000;

pub(crate) struct FileTool;

impl Supplier for FileTool {
    fn spec() -> Spec {
        let access = [("read", "Only read"), ("readWrite", "Read and write")];
        tool_spec("file-tool", &[1.0], "Files", "Let an agent work with files in the workspace")
            .icon("folder-open")
            .params([
                Param::text("name", "Name", "files").help("Name of the tool for the model."),
                Param::long_text(
                    "description",
                    "Description",
                    "Lists, reads and writes text files in the workspace.",
                )
                .help("Tells the model what the files are about."),
                Param::choice("access", "Access", &access).help("Operations the model may use."),
                Param::number("maxBytes", "Longest text", 100_000)
                    .at_least(1.0)
                    .help("Maximum file size to read or write, in bytes."),
            ])
            .hint("Allow only reading unless the agent needs to write files.")
            .alias(&["disk", "folder", "workspace"])
            .note(
                "Paths outside the folder set by HEDDLE_FILES_ROOT are rejected, including links \
                 that lead out of it.",
            )
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let may_write = ctx.ctx().text("access", ctx.item())? == "readWrite";
        let operations = if may_write {
            json!(["list", "read", "write", "append"])
        } else {
            json!(["list", "read"])
        };
        let parameters = json!({
            "type": "object",
            "properties": {
                "operation": { "type": "string", "enum": operations },
                "path": { "type": "string", "description": "Path of the file relative to the workspace; for list, a pattern such as \
                     **/*.md" },
                "content": { "type": "string", "description": "Content to write" }
            },
            "required": ["operation", "path"],
            "additionalProperties": false
        });
        let definition = ToolDefinition {
            name: name_from_param(&ctx, "name")?,
            description: ctx.ctx().text("description", ctx.item())?,
            parameters,
            effect: if may_write { ToolEffect::Changes } else { ToolEffect::None },
            flow: DataFlow::STORED,
        };
        Ok(supply_tool(ctx, definition, work))
    }
}

async fn work(call: ToolInvocation) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let path = inside(&call.text("path"))?;
    let max_bytes = ctx.number("maxBytes", item)?.max(1.0) as usize;
    let files = ctx.host().files();
    match call.text("operation").as_str() {
        "list" => {
            let found = files.list(&path).await?;
            let n_more = found.len().saturating_sub(MAX_NAMES);
            let names = found.into_iter().take(MAX_NAMES).map(Value::from).collect();
            let mut answer = Object::from_iter([("files", Value::array(names))]);
            if n_more > 0 {
                answer.insert("notShown", n_more);
            }
            Ok(answer.into())
        }
        "read" => {
            let data = files.read(&path).await?;
            let text = std::str::from_utf8(&data)
                .map_err(|_| NodeError::input(format!("'{path}' is not a text file")))?;
            let end = (0..=max_bytes.min(text.len()))
                .rev()
                .find(|at| text.is_char_boundary(*at))
                .unwrap_or(0);
            let ending = if end < text.len() {
                format!("\n[cut: {end} of {} bytes]", text.len())
            } else {
                String::new()
            };
            Ok(format!("{}{ending}", &text[..end]).into())
        }
        operation => {
            let content = call.text("content");
            if content.len() > max_bytes {
                return Err(NodeError::input(format!(
                    "The text has {} bytes, which exceeds the limit of {max_bytes}",
                    content.len()
                )));
            }
            files.write(&path, content.as_bytes(), operation == "append").await?;
            Ok(Object::from_iter([("written", Value::from(content.len())), ("path", path.into())])
                .into())
        }
    }
}

/// A path that begins in the workspace and does not climb. Links are the workspace's to check.
fn inside(path: &str) -> Result<String, NodeError> {
    let path = path.trim().trim_start_matches("./");
    let climbs = path.split(['/', '\\']).any(|name| name == "..");
    if path.is_empty()
        || path.starts_with(['/', '\\', '~'])
        || climbs
        || path.contains(char::is_control)
    {
        return Err(NodeError::new(
            Code::FILE_OUTSIDE,
            format!("'{path}' is not a path inside the workspace"),
        ));
    }
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out() {
        for path in ["notes.md", "./a/b.txt", "a/..b/c", "**/*.md"] {
            assert!(inside(path).is_ok(), "{path}");
        }
        for path in
            ["", " ", "/etc/passwd", "../x", "a/../../x", "a\\..\\x", "~/x", "a\0b", "a\nb", ".."]
        {
            assert!(inside(path).is_err(), "{path:?}");
        }
    }
}
