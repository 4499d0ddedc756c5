//! Tools, their calls and their results as words.

use model::{Object, Str, Value};
use ports::ai::{
    ChatRole, Message, MessagePart, OutputFormat, ToolCall, ToolChoice, ToolDefinition,
};

/// What a model is told about its tools.
pub(super) fn tools(tools: &[ToolDefinition], choice: &ToolChoice) -> Option<Str> {
    if tools.is_empty() {
        return None;
    }
    let mut words = String::from("You can use these tools:\n");
    for tool in tools {
        let schema = model::json::to_string(&tool.parameters);
        words.push_str(&format!(
            "\n- {}: {}\n  Input, as JSON Schema: {schema}\n",
            tool.name, tool.description
        ));
    }
    words.push_str(
        "\nTo use a tool, answer with one JSON object and nothing else: {\"action\": \"NAME OF THE TOOL\", \"input\": {…}}. \
         To use several at once, answer with a list of such objects. You are then told the results. \
         When you need no tool any more, answer with {\"action\": \"final\", \"message\": \"YOUR ANSWER\"}.",
    );
    match choice {
        ToolChoice::Required => words.push_str(" Use a tool now."),
        ToolChoice::Tool(name) => words.push_str(&format!(" Use the tool {name} now.")),
        ToolChoice::Auto | ToolChoice::None => {}
    }
    Some(words.into())
}

/// What a model is told about the form of its answer.
pub(super) fn format(format: &OutputFormat) -> Option<Str> {
    match format {
        OutputFormat::Schema { schema, .. } => {
            let schema = model::json::to_string(schema);
            Some(
                format!("Your answer itself must be JSON that fits this schema, with no words around it and no code fence: {schema}")
                    .into(),
            )
        }
        OutputFormat::Text | OutputFormat::Json => None,
    }
}

/// Puts words behind the system messages that are there.
pub(super) fn put_system(messages: &mut Vec<Message>, words: Vec<Str>) {
    if words.is_empty() {
        return;
    }
    let words = words.join("\n\n");
    match messages.iter_mut().take_while(|message| message.role == ChatRole::System).last() {
        Some(system) => system.parts.push(MessagePart::Text(format!("\n\n{words}").into())),
        None => messages.insert(0, Message::system(words)),
    }
}

/// A message without calls and results: they become what the model wrote, and what it is told.
pub(super) fn plain(message: &Message) -> Message {
    let calls: Vec<&ToolCall> = message.tool_calls().collect();
    let mut parts: Vec<MessagePart> = message
        .parts
        .iter()
        .filter(|part| !matches!(part, MessagePart::ToolCall(_) | MessagePart::ToolResult(_)))
        .cloned()
        .collect();
    if !calls.is_empty() {
        let actions: Vec<Value> = calls.into_iter().map(action).collect();
        let written = if let [action] = actions.as_slice() {
            model::json::to_string(action)
        } else {
            model::json::to_string(&actions.into())
        };
        parts.push(MessagePart::Text(written.into()));
    }
    let results = message.tool_results().map(|result| match result.is_error {
        true => format!("{} failed: {}", result.name, result.content),
        false => format!("Result of {}: {}", result.name, result.content),
    });
    let results: Vec<String> = results.collect();
    if !results.is_empty() {
        parts.push(MessagePart::Text(results.join("\n\n").into()));
    }
    let role = if message.role == ChatRole::Tool { ChatRole::User } else { message.role };
    Message { role, parts, opaque: message.opaque.clone() }
}

fn action(call: &ToolCall) -> Value {
    Object::from_iter([
        ("action", Value::from(call.name.clone())),
        ("input", call.arguments.to_value()),
    ])
    .into()
}
