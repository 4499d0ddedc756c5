//! A tool written in JavaScript: the sandbox runs it with what the model gave as `query`.

use super::fn_tool::{ToolInvocation, name_from_param, supply_tool, text_schema, tool_spec};
use super::schema;
use node_api::ai::{DataFlow, Supply, ToolDefinition, ToolEffect};
use node_api::host::{CodeFlavour, CodeOutput, CodeRequest};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};

const EXAMPLE: &str =
    "// Example: convert the incoming query to uppercase and return it\nreturn query.toUpperCase()";
const LIMITS: &str = "Limits: 30 seconds, 64 MB of memory, 20 requests and 100 KB of output.";

/// n8n's node.
pub(crate) struct ToolCode;

impl Supplier for ToolCode {
    fn spec() -> Spec {
        let python = "# Example: convert the incoming query to uppercase and return it\nreturn query.upper()";
        let languages = [("javaScript", "JavaScript"), ("python", "Python (Beta)")];
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolCode",
            &[1.0, 1.1, 1.2, 1.3],
            "Code Tool",
            "A tool written in JavaScript, compatible with n8n",
        )
        .compatible()
        .icon("code-xml")
        .params([
            Param::text("name", "Name", "").until(1.1).help("Name of the tool for the model."),
            Param::long_text("description", "Description", "")
                .help("Tells the model when to call the tool and what to pass to it."),
            Param::choice("language", "Language", &languages)
                .raw()
                .help("Only JavaScript is supported."),
            javascript().show("language", &["javaScript"]),
            Param::code("pythonCode", "Python", "python", python)
                .raw()
                .show("language", &["python"])
                .help("Not supported."),
        ])
        .params(schema::params())
        .runs_code()
        .hint("For small computations. For more, let the agent call a workflow.")
        .alias(&["javascript", "function", "script"])
        .differs_when("language", &["python"], "Python is not supported.")
        .note(LIMITS)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let version = ctx.node().version;
        let name =
            if version < 1.2 { name_from_param(&ctx, "name")? } else { tool_name_of(ctx.node()) };
        if ctx.ctx().text("language", ctx.item())? == "python" {
            return Err(NodeError::parameter("language", "Python is not supported")
                .hint("Rewrite the code in JavaScript."));
        }
        supplied(ctx, name, version >= 1.3)
    }
}

/// Heddle's own.
pub(crate) struct CodeTool;

impl Supplier for CodeTool {
    fn spec() -> Spec {
        tool_spec("code-tool", &[1.0], "Code", "A tool written in JavaScript")
            .recommended()
            .icon("code-xml")
            .params([
                Param::text("name", "Name", "")
                    .help("Name of the tool for the model. Defaults to the node name."),
                Param::long_text("description", "Description", "")
                    .required()
                    .help("Tells the model when to call the tool and what to pass to it."),
                Param::choice(
                    "codeFrom",
                    "Code from",
                    &[("author", "The field below"), ("model", "The model")],
                )
                .raw()
                .help(
                    "Source of the code. A model provides a function body that ends with \
                         `return`.",
                ),
                javascript().show("codeFrom", &["author"]),
            ])
            .params(schema::params())
            .runs_code()
            .hint("For small computations. For more, let the agent call a workflow.")
            .alias(&["javascript", "function", "script"])
            .note(LIMITS)
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let name = name_from_param(&ctx, "name")?;
        supplied(ctx, name, true)
    }
}

fn javascript() -> Param {
    Param::code("jsCode", "JavaScript", "javaScript", EXAMPLE).raw().help(
        "`query` is the model's input: a text, or an object if a schema is set. Return what the \
             model should see.",
    )
}

fn supplied(ctx: SupplyCtx, name: Str, all_required: bool) -> Result<Supply, NodeError> {
    let schema = schema::argument_schema(&ctx, all_required)?;
    let takes_text = schema.is_none();
    let definition = ToolDefinition {
        name,
        description: ctx.ctx().text("description", ctx.item())?,
        parameters: schema.unwrap_or_else(|| text_schema("Input for the tool", false)),
        // What the code asks the sandbox for decides.
        effect: ToolEffect::Dynamic,
        flow: DataFlow::default(),
    };
    Ok(supply_tool(ctx, definition, move |call| run(call, takes_text)))
}

async fn run(call: ToolInvocation, takes_text: bool) -> Result<Value, NodeError> {
    let query =
        if takes_text { call.text("input").into() } else { Value::from(call.arguments.clone()) };
    let inner = call.ctx.ctx();
    // Code of a model is the program itself, so that its loops and requests count like those of any
    // other.
    let by_model = inner
        .host()
        .raw_parameter("codeFrom")
        .and_then(|from| from.as_str().map(|from| from == "model"))
        == Some(true);
    let job = CodeRequest {
        source: if by_model {
            query.to_js_string()
        } else {
            inner.text("jsCode", call.ctx.item())?
        },
        flavour: CodeFlavour::Tool,
        items: Items::one(Item::new(call.arguments.clone())),
        first: 0,
        names: Object::from_iter([("query", query)]),
    };
    let (mut whole, mut list) = (Value::Undefined, Vec::new());
    let mut is_list = false;
    inner
        .host()
        .run_code(job, &mut |piece| {
            match piece {
                CodeOutput::Whole(value) | CodeOutput::ForItem { value, .. } => whole = value,
                CodeOutput::List { .. } => is_list = true,
                CodeOutput::Element(value) => list.push(value),
            }
            Ok(())
        })
        .await?;
    match (is_list, whole) {
        (true, _) => Ok(Value::array(list)),
        (false, Value::Undefined | Value::Null) => {
            Err(NodeError::failed("The code returned nothing")
                .hint("End the code with a `return` statement."))
        }
        (false, Value::Number(number)) => Ok(model::number_to_string(number).into()),
        (false, value) => Ok(value),
    }
}
