//! n8n's Chat Memory Manager: reads, adds and removes messages of a memory.

use crate::ai::sub_nodes::{memory, not_connected};
use agent::MemorySession;
use agent::memory::repair_messages;
use model::Kind;
use node_api::ai::{ChatRole, Message, RewriteOutcome, StoredTurn, TurnKey};
use node_api::prelude::*;
use providers::memory::langchain::{content, to_constructor, type_name};

/// How often a change is tried while others change the conversation too.
const MAX_ATTEMPTS: usize = 10;

pub(crate) struct MemoryManager;

impl Node for MemoryManager {
    fn spec() -> Spec {
        Spec::new(
            "@n8n/n8n-nodes-langchain.memoryManager",
            &[1.0, 1.1],
            "Chat Memory Manager",
            "Read and edit the contents of a memory",
        )
        .icon("brain")
        .untrusted()
        .private()
        .group(NodeGroup::Ai)
        .inputs([Port::main(), Port::of(Kind::AiMemory, "Memory")])
        .params(params())
        .hint(
            "Use it to show, seed or clear a conversation. Connect the same memory node to \
                     it and to the agent.",
        )
        .alias(&["chat history", "forget", "clear memory"])
        .repeatable_when("mode", &["load"])
        .note("If part of a turn is removed, tool calls without a result are removed too.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            match manage(ctx, index).await {
                Ok(made) => {
                    let is_last =
                        ctx.version() < 1.1 && !made.is_empty() && is_simplified(ctx, index)?;
                    made.into_iter()
                        .for_each(|json| output.push(Item::new(json).paired_with(index)));
                    if is_last {
                        break;
                    }
                }
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

fn params() -> Vec<Param> {
    let modes = [
        ("load", "Get Many Messages"),
        ("insert", "Insert Messages"),
        ("delete", "Delete Messages"),
    ];
    let kinds = [("system", "System"), ("ai", "AI"), ("user", "User")];
    let message = [
        Param::choice("type", "Type", &kinds).help(
            "Role of the message. System messages reach agents as a note, not as an instruction.",
        ),
        Param::text("message", "Message", "").required().help("Text of the message."),
        Param::flag("hideFromUI", "Hide message in chat", false)
            .help("For compatibility with n8n's chat; nothing is hidden here."),
    ];
    let grouped = [Param::flag("groupMessages", "Group messages", true)
        .help("One item with all messages, or an item for each.")];
    vec![
        Param::choice("mode", "Operation mode", &modes).raw().help("Operation on the memory."),
        Param::choice(
            "insertMode",
            "Insert mode",
            &[("insert", "Insert Messages"), ("override", "Override All Messages")],
        )
        .raw()
        .show("mode", &["insert"])
        .help("Whether to append the messages to the existing ones or replace them."),
        Param::choice("deleteMode", "Delete mode", &[("lastN", "Last N"), ("all", "All Messages")])
            .raw()
            .show("mode", &["delete"])
            .help("Which messages are removed."),
        Param::repeated(
            "messages",
            "Chat messages",
            [FieldGroup::new("messageValues", "Message", message)],
        )
        .show("mode", &["insert"])
        .help("The messages to add."),
        Param::number("lastMessagesCount", "Messages count", 2)
            .show("mode", &["delete"])
            .show("deleteMode", &["lastN"])
            .help("Number of latest messages to delete. If there are fewer, none are deleted."),
        Param::flag("simplifyOutput", "Simplify output", true)
            .show("mode", &["load"])
            .help("Return only the role and text of each message."),
        Param::collection("options", "Options", grouped)
            .show("mode", &["load"])
            .help("Output format of the messages."),
    ]
}

/// The first version stops after the first item that it has simplified messages for.
fn is_simplified(ctx: &Ctx<'_>, index: usize) -> Result<bool, NodeError> {
    Ok(ctx.text("mode", index)? == "load" && ctx.flag("simplifyOutput", index)?)
}

async fn manage(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Value>, NodeError> {
    let looked = memory(ctx, index, Str::new()).await?.ok_or_else(|| not_connected("memory"))?;
    match ctx.text("mode", index)?.as_str() {
        "insert" => {
            let (inserted, key) = (inserted(ctx, index)?, looked.turn.clone());
            let is_override = ctx.text("insertMode", index)? == "override";
            if is_override {
                let new = (!inserted.is_empty()).then(|| StoredTurn::new(key, inserted));
                change(&looked, |_| new.iter().cloned().collect()).await?;
            } else if !inserted.is_empty() {
                let warnings =
                    looked.memory.append(&looked.session, &key, &inserted).await.map_err(failed)?;
                warnings.into_iter().for_each(|words| ctx.host().warn(words));
            }
        }
        "delete" if ctx.text("deleteMode", index)? == "all" => {
            looked.memory.clear(&looked.session).await.map_err(failed)?
        }
        "delete" => {
            let number = ctx.number("lastMessagesCount", index)?.max(0.0) as usize;
            change(&looked, |turns| without_last(turns, number)).await?;
        }
        _ => return load(ctx, index, &looked).await,
    }
    if ctx.version() >= 1.1 {
        return Ok(vec![json!({ "success": true })]);
    }
    Ok(messages(&looked).await?.iter().flat_map(to_constructor).collect())
}

async fn load(
    ctx: &Ctx<'_>,
    index: usize,
    looked: &MemorySession,
) -> Result<Vec<Value>, NodeError> {
    let messages = messages(looked).await?;
    let shown = match ctx.flag("simplifyOutput", index)? {
        true => simplified(&messages),
        false => messages.iter().flat_map(to_constructor).collect(),
    };
    let grouped = ctx.param("options.groupMessages", index)?;
    let is_grouped = if grouped.is_nullish() { ctx.version() >= 1.1 } else { grouped.is_truthy() };
    Ok(match is_grouped {
        true => {
            let count = shown.len();
            vec![
                Object::from_iter([
                    ("messages", Value::array(shown)),
                    ("messagesCount", count.into()),
                ])
                .into(),
            ]
        }
        false => shown,
    })
}

async fn messages(looked: &MemorySession) -> Result<Vec<Message>, NodeError> {
    let turns = looked.memory.turns(&looked.session).await.map_err(failed)?;
    Ok(turns.into_iter().flat_map(|turn| turn.messages).collect())
}

/// Who says what: an object for each group of messages in which nobody speaks twice.
fn simplified(messages: &[Message]) -> Vec<Value> {
    let mut groups: Vec<Object> = Vec::new();
    for message in messages {
        let name = type_name(message.role);
        let said = match message.role {
            ChatRole::Tool => message
                .tool_results()
                .map(|result| result.content.as_str())
                .collect::<Vec<_>>()
                .join("\n")
                .into(),
            _ => content(message),
        };
        match groups.last_mut() {
            Some(group) if !group.contains_key(name) => {
                group.insert(name, said);
            }
            _ => groups.push(Object::from_iter([(name, said)])),
        }
    }
    groups.into_iter().map(Value::from).collect()
}

fn inserted(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Message>, NodeError> {
    let given = ctx.param("messages.messageValues", index)?;
    let message = |value: &Value| {
        let text = value.get("message").map(Value::to_js_string).unwrap_or_default();
        match value.get("type").and_then(Value::as_str) {
            Some("ai") => Message::assistant(text),
            Some("user") => Message::user(text),
            _ => Message::system(text),
        }
    };
    Ok(given.as_array().unwrap_or_default().iter().map(message).collect())
}

/// The turns without their last messages. If there are fewer messages, nothing is removed.
fn without_last(mut turns: Vec<StoredTurn>, number: usize) -> Vec<StoredTurn> {
    if turns.iter().map(|turn| turn.messages.len()).sum::<usize>() < number {
        return turns;
    }
    let mut left = number;
    while left > 0 {
        let Some(mut last) = turns.pop() else { break };
        if last.messages.len() > left {
            last.messages.truncate(last.messages.len() - left);
            last.messages = repair_messages(last.messages);
            // What is left of it is another turn, and must not be taken for the whole one.
            last.key = TurnKey(format!("{} without {left}", last.key.0).into());
            last.embedding = None;
            turns.push(last);
            break;
        }
        left -= last.messages.len();
    }
    turns
}

/// Changes a conversation as a whole; what others append meanwhile is not lost.
async fn change(
    looked: &MemorySession,
    make: impl Fn(Vec<StoredTurn>) -> Vec<StoredTurn>,
) -> Result<(), NodeError> {
    for _ in 0..MAX_ATTEMPTS {
        let turns = looked.memory.turns(&looked.session).await.map_err(failed)?;
        let seen: Vec<TurnKey> = turns.iter().map(|turn| turn.key.clone()).collect();
        let made = make(turns);
        if looked.memory.rewrite(&looked.session, &seen, made).await.map_err(failed)?
            == RewriteOutcome::Done
        {
            return Ok(());
        }
    }
    Err(NodeError::failed("The conversation kept changing concurrently").hint("Try again."))
}

fn failed(error: node_api::ai::MemoryError) -> NodeError {
    NodeError::failed(format!("The memory is not available: {error}"))
}
