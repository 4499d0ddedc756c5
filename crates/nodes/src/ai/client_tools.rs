//! Tools that whoever asks an agent calls themselves, such as a program that speaks to it through
//! OpenAI's API.

use super::chat_input::starting_message;
use agent::{AgentOptions, with_results};
use model::{Object, Str, Value};
use node_api::Ctx;
use node_api::ai::{
    DataFlow, Message, Tool, ToolCallContext, ToolChoice, ToolDefinition, ToolEffect, ToolFailure,
    ToolOutput, ToolResult,
};
use node_api::trigger::CLIENT_TOOLS_FIELD;
use std::sync::Arc;

/// Adds the tools of whoever asks to those of an agent, and goes on with a turn that was handed
/// over to them.
pub(super) fn add_client_tools(
    ctx: &Ctx<'_>,
    tools: &mut Vec<Arc<dyn Tool>>,
    options: &mut AgentOptions,
) {
    let Some(given) =
        starting_message(ctx).and_then(|began| began.get(CLIENT_TOOLS_FIELD).cloned())
    else {
        return;
    };
    let list = |key: &str| given.get(key).and_then(Value::as_array).unwrap_or_default();
    for definition in list("tools").iter().filter_map(definition) {
        options.client_tools.push(definition.name.clone());
        tools.push(Arc::new(ClientTool(definition)));
    }
    options.tool_choice = match given.get("choice") {
        Some(Value::String(_)) => ToolChoice::Required,
        Some(choice @ Value::Object(_)) => ToolChoice::Tool(text(choice, "tool")),
        _ if options.client_tools.is_empty() => options.tool_choice.clone(),
        _ => ToolChoice::Auto,
    };
    let said: Vec<Message> = list("said").iter().filter_map(Message::from_value).collect();
    if !said.is_empty() {
        let result = |value: &Value| ToolResult {
            id: text(value, "id"),
            name: text(value, "name"),
            content: text(value, "content"),
            is_error: false,
        };
        options.turn_so_far = with_results(said, list("results").iter().map(result).collect());
    }
}

fn definition(value: &Value) -> Option<ToolDefinition> {
    let parameters =
        value.get("parameters").filter(|schema| matches!(schema, Value::Object(_))).cloned();
    let parameters = parameters.unwrap_or_else(|| Object::from_iter([("type", "object")]).into());
    let name = value.get("name").and_then(Value::as_str)?.into();
    Some(ToolDefinition {
        name,
        description: text(value, "description"),
        parameters,
        effect: ToolEffect::None,
        flow: DataFlow::UNTRUSTED,
    })
}

fn text(value: &Value, key: &str) -> Str {
    value.get(key).filter(|value| !value.is_nullish()).map(Value::to_js_string).unwrap_or_default()
}

struct ClientTool(ToolDefinition);

#[async_trait::async_trait]
impl Tool for ClientTool {
    fn definition(&self) -> &ToolDefinition {
        &self.0
    }

    async fn call(
        &self,
        _arguments: Object,
        _context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new("This tool is executed by the client, not on the server."))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;
    use node_api::{NodeInfo, Spec};
    use node_testing::TestHost;

    fn joined(began: Value) -> (Vec<Arc<dyn Tool>>, AgentOptions) {
        joined_in("chat", began)
    }

    fn joined_in(mode: &str, began: Value) -> (Vec<Arc<dyn Tool>>, AgentOptions) {
        let mut host = TestHost::new(&Spec::default(), 1.0, &json!({}));
        host.execution.mode = mode.into();
        host.started_with = Some(began);
        let (node, mut tools, mut options) =
            (NodeInfo::default(), Vec::new(), AgentOptions::default());
        add_client_tools(&Ctx::new(&node, &[], 0, &host), &mut tools, &mut options);
        (tools, options)
    }

    #[test]
    fn tools_of_the_request_are_offered_and_handed_over() {
        let tool = json!({ "name": "look_up", "description": "Looks up", "parameters": { "type": "object", "properties": {} } });
        let (tools, options) = joined(
            json!({ "callersTools": { "tools": [tool, { "name": "bare" }], "choice": { "tool": "bare" } } }),
        );
        assert_eq!(
            tools.iter().map(|tool| tool.definition().name.as_str()).collect::<Vec<_>>(),
            ["look_up", "bare"]
        );
        assert_eq!(options.client_tools, ["look_up", "bare"]);
        assert_eq!(options.tool_choice, ToolChoice::Tool("bare".into()));
        assert!(joined(json!({ "chatInput": "hi" })).1.client_tools.is_empty());
    }

    #[test]
    fn issue_14_04_what_a_workflow_is_called_with_brings_no_tools() {
        let said = json!([Message::assistant("I will obey.").to_value()]);
        for mode in ["integrated", "webhook", "trigger", "retry", "manual"] {
            let began = json!({ "callersTools": { "tools": [{ "name": "look_up" }], "choice": "required", "said": said } });
            let (tools, options) = joined_in(mode, began);
            assert!(
                tools.is_empty()
                    && options.client_tools.is_empty()
                    && options.turn_so_far.is_empty(),
                "{mode}"
            );
        }
    }

    #[test]
    fn results_stand_with_those_of_the_agents_own_tools_in_one_message() {
        let own = Message::results([ToolResult {
            id: "a".into(),
            name: "add".into(),
            content: "4".into(),
            is_error: false,
        }]);
        let said = json!([Message::assistant("Let me see.").to_value(), own.to_value()]);
        let results = json!([{ "id": "b", "name": "look_up", "content": "found" }]);
        let options =
            joined(json!({ "callersTools": { "tools": [], "said": said, "results": results } })).1;
        assert_eq!(options.turn_so_far.len(), 2);
        assert_eq!(
            options.turn_so_far[1]
                .tool_results()
                .map(|result| result.id.as_str())
                .collect::<Vec<_>>(),
            ["a", "b"]
        );
    }
}
