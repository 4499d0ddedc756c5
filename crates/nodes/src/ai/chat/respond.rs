//! Says something in the chat that the run began with, and may wait for what is answered.

use crate::ai::sub_nodes::memory;
use crate::flow::wait::{limit_at, limit_fields};
use crate::triggers::node_params::NodeParams;
use model::Kind;
use node_api::ai::Message;
use node_api::host::Pause;
use node_api::prelude::*;
use node_api::trigger::{
    ChatRoute, ChunkKind, PreviousSession, REPLY_FIELD, ResponseBody, ResponseData, Trigger,
    TriggerListener, TriggerSetup, WebhookResponse, WebhookRoute,
};

/// Where the limit of a wait is kept.
const LIMIT: &str = "options.limitWaitTime.values";

pub(crate) struct RespondToChat;

impl Node for RespondToChat {
    fn spec() -> Spec {
        Spec::new(
            "@n8n/n8n-nodes-langchain.chat",
            &[1.0, 1.1, 1.2, 1.3],
            "Respond to Chat",
            "Send a message to the chat and optionally wait for the reply",
        )
        .answers(&[TriggerKind::Chat, TriggerKind::ManualChat])
        .group(NodeGroup::Flow)
        .inputs([
            Port::main(),
            Port::of(Kind::AiMemory, "Memory").show("options.memoryConnection", &[true]),
        ])
        .params(params())
        .hint(
            "Add it after a Chat Trigger, to send interim messages or to ask a question and \
                 wait for the answer.",
        )
        .alias(&["human in the loop", "approval", "ask", "question", "reply"])
        .note(
            "If the chat streams or its response mode is 'Using response nodes', messages \
                 appear as they are sent.",
        )
        .note("The next message with the same session ID resumes the waiting run.")
        .note("Approve with the links, or by replying with one of the two labels.")
        .repeatable()
        .accepts_replies()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        if let Some(reply) = items.first().and_then(|item| item.json.get(REPLY_FIELD).cloned()) {
            remember(ctx, Message::user(reply.to_js_string())).await?;
            return Ok(vec![Items::default()]);
        }
        if ctx.host().trigger_data().is_none_or(|began| {
            began.get("sessionId").is_none() && began.get("chatInput").is_none()
        }) {
            return Err(NodeError::failed("The workflow was not started from a chat")
                .hint("Start the workflow with a Chat Trigger, and send it a message."));
        }
        let message = ctx.text("message", 0)?;
        if message.trim().is_empty() {
            return Err(NodeError::parameter("message", "The message is empty")
                .hint("Enter a message to send to the chat."));
        }
        let params = ctx.param("", 0)?;
        let no_params = Object::new();
        let question = ChatQuestion::read(
            &NodeParams::new(params.as_object().unwrap_or(&no_params)),
            ctx.version(),
        );
        // A mistake in the limit is told before anything is said.
        let until = if ctx.param(LIMIT, 0)?.is_nullish() {
            None
        } else {
            limit_at(ctx, ctx.host().now_ms() as f64, &format!("{LIMIT}."))?
        };
        if ctx.flag("options.memoryConnection", 0)? {
            remember(ctx, Message::assistant(message.clone())).await?;
        }
        send_message(ctx, with_answer_links(ctx, message, &question)?).await;
        if question != ChatQuestion::None {
            ctx.host().pause(Pause::Webhook { until });
        }
        Ok(vec![items])
    }
}

impl Trigger for RespondToChat {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let reply = || {
            let (route, page, previous, accepts) =
                (WebhookRoute::new("POST", ""), None, PreviousSession::Off, Some("*".into()));
            TriggerListener::Chat(Box::new(ChatRoute {
                route,
                is_public: false,
                page,
                previous,
                accepts,
            }))
        };
        // What fetches a link only to show what is behind it must not decide anything.
        let link = || {
            let data = ResponseData::Text("Thank you, your response has been recorded.".into());
            TriggerListener::Webhook(WebhookRoute {
                ignores_bots: true,
                data,
                ..WebhookRoute::new("GET", "")
            })
        };
        Ok(match ChatQuestion::read(&NodeParams::new(setup.params), setup.node.version) {
            ChatQuestion::None => Vec::new(),
            ChatQuestion::Open => vec![reply()],
            ChatQuestion::Approval { .. } => vec![reply(), link()],
        })
    }

    fn resume_item(setup: &TriggerSetup<'_>, sent: Item) -> Result<Item, NodeError> {
        let question = ChatQuestion::read(&NodeParams::new(setup.params), setup.node.version);
        let ChatQuestion::Approval { approve, decline, takes_words } = question else {
            return Ok(sent);
        };
        let words = sent.json.get("chatInput").map(Value::to_js_string);
        let is = |label: &Str| {
            words.as_ref().is_some_and(|words| words.trim().eq_ignore_ascii_case(label.trim()))
        };
        let approved = match sent.json.get_path("query.approved").and_then(Value::as_str) {
            Some(told) => Some(told == "true"),
            None if is(&approve) => Some(true),
            None if decline.as_ref().is_some_and(is) => Some(false),
            None => None,
        };
        match (approved, words) {
            (Some(approved), words) => {
                let data = Object::from_iter([("approved", approved)]);
                Ok(Item::new(Object::from_iter([
                    ("data", Value::from(data)),
                    ("chatInput", words.into()),
                ])))
            }
            (None, Some(_)) if takes_words => Ok(sent),
            (None, _) => {
                let labels = decline.map_or_else(
                    || format!("'{approve}'"),
                    |decline| format!("'{approve}' or '{decline}'"),
                );
                Err(NodeError::parameter("approved", "Waiting for an answer to the question")
                    .hint(format!("Reply {labels}, or use the links.")))
            }
        }
    }
}

/// What is waited for after the words.
#[derive(Clone, Debug, PartialEq)]
enum ChatQuestion {
    None,
    /// Anything that is said.
    Open,
    Approval {
        approve: Str,
        decline: Option<Str>,
        /// Whether other words end the wait too.
        takes_words: bool,
    },
}

impl ChatQuestion {
    fn read(given: &NodeParams<'_>, version: f64) -> Self {
        let waits = if version < 1.1 {
            given.flag_or("waitUserReply", true)
        } else {
            given.text("operation") == "sendAndWait"
        };
        if !waits {
            return ChatQuestion::None;
        }
        if version < 1.1 || given.text("responseType") != "approval" {
            return ChatQuestion::Open;
        }
        let label = |name: &str, otherwise: &str| {
            given
                .non_empty_text(&format!("approvalOptions.values.{name}"))
                .unwrap_or_else(|| otherwise.into())
        };
        let has_two = given.text("approvalOptions.values.approvalType") == "double";
        ChatQuestion::Approval {
            approve: label("approveLabel", "Approve"),
            decline: has_two.then(|| label("disapproveLabel", "Decline")),
            takes_words: !given.flag("blockUserInput"),
        }
    }
}

/// The words with a link for each answer that they can have.
fn with_answer_links(
    ctx: &Ctx<'_>,
    message: Str,
    question: &ChatQuestion,
) -> Result<Str, NodeError> {
    let ChatQuestion::Approval { approve, decline, .. } = question else { return Ok(message) };
    let address = ctx.host().evaluate("={{ $execution.resumeUrl }}", 0, &Object::new())?;
    let address = address.as_str().filter(|address| address.starts_with("http"));
    let answers = [(Some(approve), true), (decline.as_ref(), false)];
    let links = answers.into_iter().filter_map(|(label, approved)| {
        Some(match address {
            Some(address) => format!("[{}]({address}?approved={approved})", label?),
            None => format!("[{}]", label?),
        })
    });
    Ok(format!("{message}\n\n{}", links.collect::<Vec<_>>().join("   ")).into())
}

/// To whoever listens while the run goes on, or else as the answer to the message.
async fn send_message(ctx: &Ctx<'_>, words: Str) {
    ctx.send_chunk(ChunkKind::Begin, 0, None).await;
    ctx.send_chunk(ChunkKind::Item, 0, Some(words.clone().into())).await;
    ctx.send_chunk(ChunkKind::End, 0, None).await;
    if !ctx.host().is_streaming() {
        let body = ResponseBody::Json(Object::from_iter([("output", words)]).into());
        ctx.host().respond(WebhookResponse { status: 200, headers: Vec::new(), body });
    }
}

/// Puts what was said into the memory that is connected here. One that fails is done without.
async fn remember(ctx: &Ctx<'_>, message: Message) -> Result<(), NodeError> {
    if !ctx.flag("options.memoryConnection", 0)? {
        return Ok(());
    }
    let Some(found) = memory(ctx, 0, Str::new()).await? else { return Ok(()) };
    match found.memory.append(&found.session, &found.turn, &[message]).await {
        Ok(warnings) => warnings.into_iter().for_each(|words| ctx.host().warn(words)),
        Err(error) => ctx.host().warn(format!("The memory is not available: {error}").into()),
    }
    Ok(())
}

fn params() -> Vec<Param> {
    let operations = [("send", "Send message"), ("sendAndWait", "Send and wait for response")];
    let kinds = [("freeTextChat", "Free text"), ("approval", "Approval")];
    let approvals = [("single", "Approve only"), ("double", "Approve and decline")];
    let styles = [("primary", "Primary"), ("secondary", "Secondary")];
    let style = |name: &str, preset: &str| {
        Param::choice(name, "Button style", &styles)
            .preset(preset)
            .help("Button style in n8n. Here all links look the same.")
    };
    let approval = [
        Param::choice("approvalType", "Type of approval", &approvals)
            .help("Whether a decline option is offered."),
        Param::text("approveLabel", "Approve label", "Approve")
            .help("Label of the approve option."),
        style("buttonApprovalStyle", "primary"),
        Param::text("disapproveLabel", "Decline label", "Decline")
            .show("approvalType", &["double"])
            .help("Label of the decline option."),
        style("buttonDisapprovalStyle", "secondary").show("approvalType", &["double"]),
    ];
    let limit = Param::group(
        "limitWaitTime",
        "Limit wait time",
        [FieldGroup::new("values", "Values", limit_fields())],
    )
    .help("Continue without a reply after a timeout.");
    let options = [
        Param::flag("memoryConnection", "Add memory input connection", false)
            .help("Store the message and the reply in the connected memory."),
        limit,
    ];
    vec![
        Param::choice("operation", "Operation", &operations)
            .since(1.1)
            .raw()
            .help("Whether the run waits for a reply."),
        Param::long_text("message", "Message", "")
            .required()
            .help("Message to send. Markdown is supported."),
        Param::flag("waitUserReply", "Wait for user reply", true)
            .until(1.0)
            .help("Continue with the next message of the conversation."),
        Param::choice("responseType", "Response type", &kinds)
            .since(1.1)
            .show("operation", &["sendAndWait"])
            .help("Type of reply to wait for."),
        Param::flag("blockUserInput", "Block user input", false)
            .since(1.1)
            .show("operation", &["sendAndWait"])
            .show("responseType", &["approval"])
            .help("Accept only one of the two answers."),
        Param::group(
            "approvalOptions",
            "Approval options",
            [FieldGroup::new("values", "Values", approval)],
        )
        .since(1.1)
        .show("operation", &["sendAndWait"])
        .show("responseType", &["approval"])
        .help("Labels of the answers."),
        Param::collection("options", "Options", options).help("Memory and reply timeout."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_api::NodeInfo;
    use node_testing::{TestHost, items, run_on};

    async fn run(
        version: f64,
        params: Value,
    ) -> Result<(Option<Pause>, Option<WebhookResponse>), NodeError> {
        let mut host = TestHost::new(&RespondToChat::spec(), version, &params);
        host.started_with = Some(json!({ "sessionId": "s", "chatInput": "hi" }));
        run_on::<RespondToChat>(&host, version, vec![items(&json!([{ "n": 1 }]))], OnError::Stop)
            .await?;
        let paused = host.paused.lock().unwrap().clone();
        let answered = host.answered.lock().unwrap().clone();
        Ok((paused, answered))
    }

    fn said(answer: Option<WebhookResponse>) -> Value {
        match answer.map(|answer| answer.body) {
            Some(ResponseBody::Json(value)) => value,
            other => panic!("{other:?}"),
        }
    }

    #[tokio::test]
    async fn words_are_said_and_a_reply_is_waited_for_where_the_node_says_so() {
        let (paused, answered) = run(1.0, json!({ "message": "Who are you?" })).await.unwrap();
        assert_eq!(
            (paused, said(answered)),
            (Some(Pause::Webhook { until: None }), json!({ "output": "Who are you?" }))
        );
        assert_eq!(
            run(1.0, json!({ "message": "Hi", "waitUserReply": false })).await.unwrap().0,
            None
        );
        assert_eq!(run(1.2, json!({ "message": "Hi" })).await.unwrap().0, None);
        let limited = json!({ "message": "Hi", "operation": "sendAndWait", "options": { "limitWaitTime": { "values": { "resumeAmount": 4 } } } });
        assert_eq!(
            run(1.2, limited).await.unwrap().0,
            Some(Pause::Webhook { until: Some(1_704_081_600_000) })
        );
    }

    #[tokio::test]
    async fn nothing_to_say_and_a_run_without_a_chat_are_told() {
        assert_eq!(
            run(1.2, json!({ "message": " " })).await.unwrap_err().code(),
            Code::NODE_PARAMETER
        );
        let host = TestHost::new(&RespondToChat::spec(), 1.2, &json!({ "message": "Hi" }));
        let error = run_on::<RespondToChat>(&host, 1.2, vec![items(&json!([{}]))], OnError::Stop)
            .await
            .unwrap_err();
        assert!(error.message().contains("not started from a chat"), "{error}");
    }

    fn with_setup<T>(params: &Value, ask: impl FnOnce(&TriggerSetup<'_>) -> T) -> T {
        let params = RespondToChat::spec().complete(1.2, params.as_object().unwrap());
        let node = NodeInfo { version: 1.2, ..NodeInfo::default() };
        ask(&TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: None,
            workflow_id: "w",
            now_ms: 0,
            timezone: "UTC",
        })
    }

    #[test]
    fn an_approval_is_given_by_a_link_or_a_label_and_other_words_only_where_they_are_taken() {
        let approval = |blocks: bool| {
            let values = json!({ "approvalType": "double", "approveLabel": "Send it" });
            json!({ "operation": "sendAndWait", "message": "?", "responseType": "approval", "blockUserInput": blocks, "approvalOptions": { "values": values } })
        };
        let woken = |blocks: bool, sent: Value| {
            with_setup(&approval(blocks), |setup| {
                RespondToChat::resume_item(setup, Item::new(sent))
            })
        };
        let approved =
            |sent: Value| woken(true, sent).unwrap().json.get_path("data.approved").cloned();
        assert_eq!(approved(json!({ "query": { "approved": "true" } })), Some(json!(true)));
        assert_eq!(approved(json!({ "query": { "approved": "false" } })), Some(json!(false)));
        assert_eq!(approved(json!({ "chatInput": "send it " })), Some(json!(true)));
        assert_eq!(approved(json!({ "chatInput": "Decline" })), Some(json!(false)));
        assert_eq!(
            woken(false, json!({ "chatInput": "Why?" })).unwrap().json,
            json!({ "chatInput": "Why?" })
        );
        assert!(
            woken(true, json!({ "chatInput": "Why?" })).is_err()
                && woken(false, json!({ "query": {} })).is_err()
        );
        assert_eq!(with_setup(&approval(false), RespondToChat::listeners).unwrap().len(), 2);
    }
}
