//! Starts a run with each message of a chat.

use super::params::{GREETING, PLACEHOLDER, SUBTITLE, TITLE, WELCOME, params};
use crate::ai::sub_nodes::memory;
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::path::path_of;
use crate::triggers::webhook::route::{origins_of, unknown_auth};
use model::Kind;
use node_api::ai::{ChatRole, Message};
use node_api::prelude::*;
use node_api::trigger::{
    ChatPage, ChatRoute, PreviousSession, ResponseData, ResponseMode, StreamDetail, Trigger,
    TriggerListener, TriggerSetup, WebhookAuth, WebhookRoute,
};
use providers::memory::langchain::to_constructor;

pub(crate) struct ChatTrigger;

impl Node for ChatTrigger {
    fn spec() -> Spec {
        let versions = [1.0, 1.1, 1.2, 1.3, 1.4];
        Spec::trigger(
            "@n8n/n8n-nodes-langchain.chatTrigger",
            &versions,
            "Chat Trigger",
            "Start with each chat message",
        )
        .icon("messages-square")
        .triggered_by(TriggerKind::Chat)
        .inputs([
            Port::of(Kind::AiMemory, "Memory").show("options.loadPreviousSession", &["memory"])
        ])
        .credential("httpBasicAuth", false)
        .params(params())
        .hint(
            "Add an agent after it. `$json.chatInput` is the message and `$json.sessionId` the \
                 conversation.",
        )
        .alias(&["chat", "message", "chatbot", "conversation"])
        .note(
            "Files of a message are in the item's binary fields `data0`, `data1` and so on; \
                 `files` describes them.",
        )
        .note("Messages from response nodes are streamed as the response.")
        .note("`eventDetail` is specific to Heddle; n8n ignores it.")
        .repeatable()
        .example(
            "A message",
            r#"{ "public": true }"#,
            r#"[{ "sessionId": "s-1", "action": "sendMessage", "chatInput": "Hello" }]"#,
            r#"[[{ "sessionId": "s-1", "action": "sendMessage", "chatInput": "Hello" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let asked = items.first().is_some_and(|item| {
            item.json.get("action").and_then(Value::as_str) == Some("loadPreviousSession")
        });
        match asked && ctx.text("options.loadPreviousSession", 0)? == "memory" {
            true => Ok(vec![previous_session(ctx).await?]),
            false => Ok(vec![items]),
        }
    }
}

impl Trigger for ChatTrigger {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        let (is_hosted, is_public) = (given.text("mode") != "webhook", given.flag("public"));
        let answer = answer_of(&given)?;
        let route = WebhookRoute {
            // A chat that is not public has no address.
            auth: if is_public { auth_of(&given)? } else { WebhookAuth::None },
            answer,
            data: ResponseData::FirstItem { field: None, content_type: None },
            allowed_origins: origins_of(&given)?,
            detail: detail_of(&given)?,
            ..WebhookRoute::new("POST", format!("{}/chat", path_of(setup, "path", "")?))
        };
        // In a page of the author's own, what may be sent is the author's affair.
        let takes_files = given.flag("options.allowFileUploads") || !is_hosted;
        Ok(vec![TriggerListener::Chat(Box::new(ChatRoute {
            route,
            is_public,
            page: is_hosted.then(|| page_of(&given)).transpose()?,
            previous: match given.text("options.loadPreviousSession").as_str() {
                "memory" => PreviousSession::Memory,
                "manually" => PreviousSession::Manually,
                _ => PreviousSession::Off,
            },
            accepts: takes_files.then(|| {
                given.non_empty_text("options.allowedFilesMimeTypes").unwrap_or_else(|| "*".into())
            }),
        }))])
    }
}

/// What was said in the conversation, as n8n's chat reads it.
async fn previous_session(ctx: &Ctx<'_>) -> Result<Items, NodeError> {
    let Some(found) = memory(ctx, 0, Str::new()).await? else { return Ok(Items::default()) };
    let turns = found
        .memory
        .turns(&found.session)
        .await
        .map_err(|error| NodeError::failed(error.to_string()))?;
    let said = turns.iter().flat_map(|turn| &turn.messages).filter(|message| is_shown(message));
    Ok(said.flat_map(to_constructor).map(Item::new).collect())
}

/// What tools were asked and said is no part of what people said to each other.
fn is_shown(message: &Message) -> bool {
    matches!(message.role, ChatRole::User | ChatRole::Assistant)
        && !message.text().trim().is_empty()
}

fn answer_of(given: &NodeParams<'_>) -> Result<ResponseMode, NodeError> {
    match given.text("options.responseMode").as_str() {
        "" if given.flag("availableInChat") => Ok(ResponseMode::Streaming),
        "" | "lastNode" => Ok(ResponseMode::LastNode),
        "responseNode" => Ok(ResponseMode::ResponseNode),
        "streaming" | "responseNodes" => Ok(ResponseMode::Streaming),
        other => Err(NodeError::parameter(
            "options.responseMode",
            format!("Unknown response mode '{other}'"),
        )
        .hint("Choose 'lastNode', 'responseNode', 'responseNodes' or 'streaming'.")),
    }
}

fn auth_of(given: &NodeParams<'_>) -> Result<WebhookAuth, NodeError> {
    match given.text("authentication").as_str() {
        "none" => Ok(WebhookAuth::None),
        "basicAuth" => Ok(WebhookAuth::Basic),
        "n8nUserAuth" => Ok(WebhookAuth::User),
        other => Err(unknown_auth("authentication", other, "'none', 'basicAuth' or 'n8nUserAuth'")),
    }
}

fn detail_of(given: &NodeParams<'_>) -> Result<StreamDetail, NodeError> {
    match given.text("options.eventDetail").as_str() {
        "answer" => Ok(StreamDetail::Answer),
        "" | "steps" => Ok(StreamDetail::Steps),
        "everything" => Ok(StreamDetail::Everything),
        other => Err(NodeError::parameter(
            "options.eventDetail",
            format!("Unknown event detail '{other}'"),
        )
        .hint("Choose 'answer', 'steps' or 'everything'.")),
    }
}

fn page_of(given: &NodeParams<'_>) -> Result<ChatPage, NodeError> {
    let css = given.text("options.customCss");
    if css.contains("</") || css.contains("<!") {
        return Err(NodeError::parameter(
            "options.customCss",
            "The custom styling contains markup",
        )
        .hint("Use only CSS, without `<style>` tags."));
    }
    // An option that was emptied stays empty; one that nobody set has its default.
    let text = |path: &str, default: &str| {
        given.value(path).map_or_else(|| default.into(), |_| given.text(path))
    };
    Ok(ChatPage {
        title: text("options.title", TITLE),
        subtitle: text("options.subtitle", SUBTITLE),
        greeting: text("initialMessages", GREETING),
        placeholder: text("options.inputPlaceholder", PLACEHOLDER),
        welcome: given
            .flag("options.showWelcomeScreen")
            .then(|| text("options.getStarted", WELCOME)),
        css,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::NodeInfo;

    fn chat(params: Value) -> Result<ChatRoute, NodeError> {
        let version = 1.4;
        let params = ChatTrigger::spec().complete(version, params.as_object().unwrap());
        let node = NodeInfo { id: "n-1".into(), version, ..NodeInfo::default() };
        let setup = TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: Some("u-1"),
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        };
        match ChatTrigger::listeners(&setup)?.remove(0) {
            TriggerListener::Chat(chat) => Ok(*chat),
            _ => unreachable!("a chat listens for messages"),
        }
    }

    #[test]
    fn the_address_is_n8ns_and_a_chat_is_closed_until_it_is_made_public() {
        let closed = chat(json!({})).unwrap();
        assert_eq!((closed.route.path.as_str(), closed.is_public), ("u-1/chat", false));
        let open = chat(json!({ "public": true, "mode": "webhook" })).unwrap();
        assert!(open.is_public && open.page.is_none() && open.accepts.as_deref() == Some("*"));
        assert_eq!(open.methods().collect::<Vec<_>>(), ["POST"]);
    }

    #[test]
    fn answers_come_as_the_options_say() {
        for (params, answer) in [
            (json!({}), ResponseMode::LastNode),
            (json!({ "availableInChat": true }), ResponseMode::Streaming),
            (
                json!({ "availableInChat": true, "options": { "responseMode": "lastNode" } }),
                ResponseMode::LastNode,
            ),
            (json!({ "options": { "responseMode": "streaming" } }), ResponseMode::Streaming),
            (json!({ "options": { "responseMode": "responseNode" } }), ResponseMode::ResponseNode),
            (json!({ "options": { "responseMode": "responseNodes" } }), ResponseMode::Streaming),
        ] {
            assert_eq!(chat(params.clone()).unwrap().route.answer, answer, "{params:?}");
        }
    }

    #[test]
    fn what_nobody_knows_does_not_open_a_chat() {
        for params in [
            json!({ "public": true, "authentication": "oauth" }),
            json!({ "public": true, "authentication": "" }),
            json!({ "public": true, "authentication": "={{ $vars.mode }}" }),
            json!({ "public": "={{ true }}", "authentication": Value::Null }),
            json!({ "options": { "responseMode": "pigeon" } }),
            json!({ "options": { "eventDetail": "nothing" } }),
            json!({ "options": { "customCss": "</style><script>alert(1)</script>" } }),
        ] {
            assert_eq!(
                chat(params.clone()).unwrap_err().code(),
                Code::NODE_PARAMETER,
                "{params:?}"
            );
        }
        assert_eq!(
            chat(json!({ "public": true, "authentication": "n8nUserAuth" })).unwrap().route.auth,
            WebhookAuth::User
        );
    }

    #[test]
    fn files_are_taken_on_the_page_only_when_the_author_says_so() {
        assert_eq!(chat(json!({})).unwrap().accepts, None);
        let options =
            json!({ "options": { "allowFileUploads": true, "allowedFilesMimeTypes": "image/*" } });
        assert_eq!(chat(options).unwrap().accepts.as_deref(), Some("image/*"));
    }
}
