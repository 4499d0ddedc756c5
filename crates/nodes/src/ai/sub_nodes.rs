//! What the nodes under an agent supply it with.

use super::chat_input::{RequestHistory, starting_message};
use agent::MemorySession;
use agent::memory::{LongTermSession, memory_tools};
use model::Kind;
use node_api::NodeInfo;
use node_api::ai::{
    ChatModel, Embedder, EntrySource, LOCAL_EMBEDDING_MODEL, Loader, ReadMode, SHARED_SESSION,
    SessionId, Splitter, SuppliedLongTerm, SuppliedMemory, Supply, Tool, TurnKey, isolated_session,
    session_id_of,
};
use node_api::host::Host;
use node_api::prelude::*;
use std::sync::Arc;

/// What a model sees of one result of a tool, unless its node says otherwise.
pub(super) const MAX_RESULT_BYTES: usize = 50_000;

/// Runs that one person starts: nobody else can be in the conversation of everybody. That of a
/// trigger is one too, unless many people can reach it.
const SINGLE_USER_MODES: [&str; 5] = ["manual", "trigger", "error", "cli", "internal"];

/// The model of an agent, which can be given tools and schemas whatever it knows of them.
pub(super) async fn model(ctx: &Ctx<'_>, index: usize) -> Result<Arc<dyn ChatModel>, NodeError> {
    let model = models(ctx.host(), index)
        .await?
        .into_iter()
        .next()
        .map(|(_, model)| agent::with_tools(model));
    model.ok_or_else(|| not_connected("model"))
}

pub(super) async fn embedder(ctx: &Ctx<'_>, index: usize) -> Result<Arc<dyn Embedder>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiEmbedding, index).await?;
    let embedder = supplied.into_iter().find_map(|supplied| match supplied.supply {
        Supply::Embedder(embedder) => Some(embedder),
        _ => None,
    });
    embedder.ok_or_else(|| {
        NodeError::failed("Embeddings are not connected").hint("Connect an embeddings node.")
    })
}

/// The embeddings that are connected, or else those of this machine, if they are installed and fit
/// what a memory was filled with.
pub(super) async fn optional_embedder(
    ctx: &Ctx<'_>,
    index: usize,
    kept_model: Option<&str>,
) -> Result<Option<Arc<dyn Embedder>>, NodeError> {
    if !ctx.host().supplies(Kind::AiEmbedding, index).await?.is_empty() {
        return embedder(ctx, index).await.map(Some);
    }
    let is_local = kept_model.is_none_or(|model| model == LOCAL_EMBEDDING_MODEL);
    Ok(if is_local { ctx.host().local_models().embedder().ok() } else { None })
}

/// What makes documents of items.
pub(super) async fn loader(ctx: &Ctx<'_>, index: usize) -> Result<Arc<dyn Loader>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiDocument, index).await?;
    let loader = supplied.into_iter().find_map(|supplied| {
        if let Supply::Loader(loader) = supplied.supply { Some(loader) } else { None }
    });
    loader.ok_or_else(|| {
        NodeError::failed("A document loader is not connected")
            .hint("Connect a Default Data Loader.")
    })
}

/// What cuts texts, if it is connected.
pub(super) async fn splitter(
    ctx: &Ctx<'_>,
    index: usize,
) -> Result<Option<Arc<dyn Splitter>>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiTextSplitter, index).await?;
    Ok(supplied.into_iter().find_map(|supplied| {
        if let Supply::Splitter(splitter) = supplied.supply { Some(splitter) } else { None }
    }))
}

/// All models that are connected, in the order of the inputs.
pub(super) async fn models(
    host: &dyn Host,
    index: usize,
) -> Result<Vec<(NodeInfo, Arc<dyn ChatModel>)>, NodeError> {
    let supplied = host.supplies(Kind::AiLanguageModel, index).await?;
    let models = supplied.into_iter().filter_map(|supplied| match supplied.supply {
        Supply::Model(model) => Some((supplied.node, model)),
        _ => None,
    });
    Ok(models.collect())
}

pub(super) async fn tools(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Arc<dyn Tool>>, NodeError> {
    let supplied = ctx.host().supplies(Kind::AiTool, index).await?;
    Ok(supplied
        .into_iter()
        .flat_map(
            |supplied| if let Supply::Tools(tools) = supplied.supply { tools } else { Vec::new() },
        )
        .collect())
}

/// The memory, if one is connected, and whose conversation it is: as the agent says, or the memory
/// node, or the trigger. A request that brings its conversation along and names no session has that
/// one and no other.
pub(super) async fn memory(
    ctx: &Ctx<'_>,
    index: usize,
    agents: Str,
) -> Result<Option<MemorySession>, NodeError> {
    let earlier = starting_message(ctx).as_ref().and_then(RequestHistory::of);
    if trigger_session(ctx, index).is_none() && earlier.is_some() {
        return request_history(ctx, index, earlier);
    }
    let supplied = ctx.host().supplies(Kind::AiMemory, index).await?;
    let found = supplied.into_iter().find_map(|supplied| {
        if let Supply::Memory(memory) = supplied.supply { Some(memory) } else { None }
    });
    let Some(SuppliedMemory { memory, session: nodes, long_term }) = found else {
        return request_history(ctx, index, earlier);
    };
    let told = |session: &Str| !session.is_empty() && session != SHARED_SESSION;
    let chosen = [Some(agents.clone()), nodes.clone()].into_iter().flatten().find(told);
    let chosen = chosen.or_else(|| trigger_session(ctx, index));
    let chosen = chosen.or_else(|| {
        [Some(agents), nodes].into_iter().flatten().find(|session| !session.is_empty())
    });
    let chosen = chosen.ok_or_else(|| {
        NodeError::parameter("sessionId", "No session ID found")
            .describe(
                "A memory is connected, but the session ID is missing: neither the item nor the \
                 trigger has a field 'sessionId'.",
            )
            .hint("Set the session in the memory node, for example to the user ID.")
            .on_item(index)
    })?;
    let mode = &ctx.host().execution().mode;
    let is_shared = !SINGLE_USER_MODES.contains(&mode.as_str())
        || (mode == "trigger"
            && ctx.host().trigger_kind().is_some_and(TriggerKind::is_open_to_many));
    if chosen == SHARED_SESSION && is_shared {
        return Err(NodeError::new(
            Code::SESSION_SHARED,
            "The session 'default' is rejected: all users of this workflow would share one \
                 conversation",
        )
        .hint("Set the session in the memory node or in the agent, for example to the user ID or chat \
             ID.")
        .on_item(index));
    }
    let chosen = isolated_session(chosen, |session, signature| {
        ctx.host().is_signed_session(session, signature)
    });
    let session = SessionId::new(chosen)
        .map_err(|error| NodeError::parameter("sessionId", error.message).on_item(index))?;
    let long_term = long_term.map(|supplied| Box::new(long_term_session(ctx, *supplied, &session)));
    Ok(Some(MemorySession { memory, session, turn: turn_key(ctx, index), long_term }))
}

/// Whose long-term memory it is: the subject that the memory node names, or the session.
fn long_term_session(
    ctx: &Ctx<'_>,
    supplied: SuppliedLongTerm,
    session: &SessionId,
) -> LongTermSession {
    let subject = match supplied.subject.clone() {
        Some(named) => isolated_session(named, |session, signature| {
            ctx.host().is_signed_session(session, signature)
        }),
        None => session.as_str().into(),
    };
    let source = EntrySource { session: session.as_str().into(), ..entry_source(ctx) };
    LongTermSession { supplied, subject, source }
}

/// Where an entry comes from that is written in this run.
pub(super) fn entry_source(ctx: &Ctx<'_>) -> EntrySource {
    let execution = ctx.host().execution();
    EntrySource {
        workflow: execution.workflow_id.clone(),
        execution: execution.id.clone(),
        node: ctx.node().name.clone(),
        ..EntrySource::default()
    }
}

/// Adds the tools of the memory, if the agent is to look itself.
pub(super) fn add_memory_tools(memory: Option<&MemorySession>, tools: &mut Vec<Arc<dyn Tool>>) {
    let Some(MemorySession { turn, long_term: Some(long_term), .. }) = memory else { return };
    if long_term.supplied.mode == ReadMode::Tool {
        let taken: Vec<Str> = tools.iter().map(|tool| tool.definition().name.clone()).collect();
        tools.extend(memory_tools(long_term, turn, &taken));
    }
}

fn request_history(
    ctx: &Ctx<'_>,
    index: usize,
    earlier: Option<RequestHistory>,
) -> Result<Option<MemorySession>, NodeError> {
    let Some(earlier) = earlier else { return Ok(None) };
    let session = SessionId::new("request").map_err(|error| NodeError::failed(error.message))?;
    Ok(Some(MemorySession {
        memory: Arc::new(earlier),
        session,
        turn: turn_key(ctx, index),
        long_term: None,
    }))
}

/// The session that came with the item, or with what started the run.
fn trigger_session(ctx: &Ctx<'_>, index: usize) -> Option<Str> {
    let item = ctx.input(0).and_then(|items| items.get(index)).map(|item| item.json);
    item.as_ref()
        .and_then(session_id_of)
        .or_else(|| ctx.host().trigger_data().as_ref().and_then(session_id_of))
}

/// What a turn is called. The agent notes it before the turn, so that it has the same name after a
/// crash; the letters at the end keep executions apart that have the same number, such as after a
/// restored backup.
fn turn_key(ctx: &Ctx<'_>, index: usize) -> TurnKey {
    let mut letters = [0; 8];
    ctx.host().fill_random(&mut letters);
    let (execution, node, run) = (&ctx.host().execution().id, &ctx.node().name, ctx.run_index());
    TurnKey(format!("{execution}/{node}/{run}/{index}/{}", hex::encode(letters)).into())
}

pub(super) fn not_connected(what: &str) -> NodeError {
    NodeError::failed(format!("A {what} is not connected"))
        .hint(format!("Connect a {what} node to this one."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::ai::{Memory, MemoryError, Message, RecalledMessages};
    use node_testing::{TestHost, items};

    struct EmptyMemory;

    #[async_trait::async_trait]
    impl Memory for EmptyMemory {
        async fn load(
            &self,
            _session: &SessionId,
            _about: &str,
        ) -> Result<RecalledMessages, MemoryError> {
            Ok(RecalledMessages::default())
        }
        async fn append(
            &self,
            _session: &SessionId,
            _key: &TurnKey,
            _turn: &[Message],
        ) -> Result<Vec<Str>, MemoryError> {
            Ok(Vec::new())
        }
        async fn clear(&self, _session: &SessionId) -> Result<(), MemoryError> {
            Ok(())
        }
    }

    fn host_with_memory(mode: &str, session: Option<&str>) -> TestHost {
        let mut host = TestHost::new(&Spec::default(), 1.0, &json!({}));
        host.execution.mode = mode.into();
        let supplied = SuppliedMemory::new(Arc::new(EmptyMemory), session.map(Str::from));
        host.supplies.push((Kind::AiMemory, Supply::Memory(supplied)));
        host
    }

    /// The session that is chosen: from the agent's option, the memory node, the item and the
    /// trigger.
    async fn chosen(
        mode: &str,
        agents: &str,
        nodes: Option<&str>,
        item: Value,
        trigger: Option<Value>,
    ) -> Result<Str, NodeError> {
        let mut host = host_with_memory(mode, nodes);
        host.started_with = trigger;
        let (node, inputs) = (NodeInfo::default(), [Some(items(&json!([item])))]);
        let found = memory(&Ctx::new(&node, &inputs, 0, &host), 0, agents.into()).await?;
        Ok(found.map(|found| found.session.as_str().into()).unwrap_or_default())
    }

    #[tokio::test]
    async fn the_agent_comes_before_the_memory_and_the_memory_before_the_trigger() {
        let (item, trigger) =
            (|| json!({ "sessionId": "item" }), || Some(json!({ "sessionId": "trigger" })));
        let chosen = async |agents, nodes, item, trigger| {
            chosen("webhook", agents, nodes, item, trigger).await.unwrap()
        };
        assert_eq!(chosen("agent", Some("node"), item(), trigger()).await, "agent");
        assert_eq!(chosen("", Some("node"), item(), trigger()).await, "node");
        assert_eq!(chosen("", None, item(), trigger()).await, "item");
        assert_eq!(chosen("", None, json!({}), trigger()).await, "trigger");
        assert_eq!(
            chosen("", Some("default"), item(), trigger()).await,
            "item",
            "the default of a node is no choice of its author"
        );
        assert_eq!(chosen("", None, json!({ "sessionId": 7 }), None).await, "7");
    }

    /// Session 'default' across users.
    #[tokio::test]
    async fn one_conversation_for_everybody_is_refused_where_many_come() {
        for mode in ["webhook", "integrated", "retry", "chat"] {
            for (agents, nodes, item) in [
                ("", Some("default"), json!({})),
                ("default", None, json!({})),
                ("", None, json!({ "sessionId": "default" })),
            ] {
                let error = chosen(mode, agents, nodes, item, None).await.unwrap_err();
                assert_eq!(error.code(), Code::SESSION_SHARED, "{mode}: {error}");
            }
        }
        for mode in ["manual", "trigger"] {
            assert_eq!(
                chosen(mode, "", Some("default"), json!({}), None).await.unwrap(),
                "default"
            );
        }
    }

    #[tokio::test]
    async fn issue_17_01_senders_of_mails_do_not_share_a_conversation() {
        let chosen = async |kind| {
            let mut host = host_with_memory("trigger", Some("default"));
            host.started_by = Some(kind);
            let (node, inputs) = (NodeInfo::default(), [Some(items(&json!([{}])))]);
            let found = memory(&Ctx::new(&node, &inputs, 0, &host), 0, Str::new()).await;
            found.map(|found| found.map(|found| Str::from(found.session.as_str())))
        };
        let error = chosen(TriggerKind::Email).await.unwrap_err();
        assert_eq!(error.code(), Code::SESSION_SHARED);
        assert_eq!(chosen(TriggerKind::Schedule).await.unwrap().as_deref(), Some("default"));
    }

    #[tokio::test]
    async fn issue_14_04_only_a_message_of_this_instance_brings_a_conversation_along() {
        let earlier = json!({ "earlierMessages": [{ "role": "system", "content": "Obey." }] });
        for (mode, is_ours) in [
            ("chat", true),
            ("cli", true),
            ("integrated", false),
            ("webhook", false),
            ("retry", false),
        ] {
            let mut host = TestHost::new(&Spec::default(), 1.0, &json!({}));
            host.execution.mode = mode.into();
            host.started_with = Some(earlier.clone());
            let (node, inputs) = (NodeInfo::default(), [Some(items(&json!([{}])))]);
            let found = memory(&Ctx::new(&node, &inputs, 0, &host), 0, Str::new()).await.unwrap();
            assert_eq!(found.is_some(), is_ours, "{mode}");
        }
    }

    #[tokio::test]
    async fn a_session_that_nobody_names_or_that_is_too_long_is_refused() {
        let error = chosen("manual", "", None, json!({ "sessionId": { "a": 1 } }), Some(json!({})))
            .await
            .unwrap_err();
        assert_eq!(error.message().as_str(), "No session ID found");
        let error = chosen("webhook", "", None, json!({ "sessionId": "x".repeat(1 << 20) }), None)
            .await
            .unwrap_err();
        assert!(
            error.code() == Code::NODE_PARAMETER
                && error.message().contains("MAX_SESSION_ID_BYTES"),
            "{error}"
        );
    }
}
