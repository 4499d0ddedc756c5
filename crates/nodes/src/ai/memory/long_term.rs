//! Works on long-term memory in a workflow: consolidates, searches, adds and deletes.

use super::agent_memory::comma_separated;
use crate::ai::agent_host::NodeAgentHost;
use crate::ai::sub_nodes::{entry_source, models, not_connected, optional_embedder};
use agent::AgentError;
use agent::memory::{ConsolidationReport, LongTermSession, consolidate};
use model::Kind;
use node_api::ai::{
    ConsolidationPolicy, Embedding, EntryKind, MemoryQuery, MemorySpace, NewEntry, PendingGroup,
    ReadMode, SpaceName, SuppliedLongTerm,
};
use node_api::prelude::*;

/// Subjects that one execution consolidates at most.
const MAX_SUBJECTS: usize = 1000;

/// Calls of the model for one subject.
const MAX_ROUNDS: usize = 25;

pub(crate) struct LongTermMemoryNode;

impl Node for LongTermMemoryNode {
    fn spec() -> Spec {
        Spec::new(
            "long-term-memory",
            &[1.0],
            "Long-Term Memory",
            "Consolidate, search, add to or delete from a long-term memory",
        )
        .icon("brain")
        .untrusted()
        .private()
        .group(NodeGroup::Ai)
        .inputs([
            Port::main(),
            Port::of(Kind::AiEmbedding, "Embeddings").optional(),
            Port::of(Kind::AiLanguageModel, "Model").show("operation", &["consolidate"]),
        ])
        .params(params())
        .hint(
            "Put *Consolidate* behind a Schedule Trigger to turn finished conversations into \
             facts.",
        )
        .alias(&["facts", "consolidation", "forget", "delete user", "agent memory"])
        .records_steps()
        .repeatable()
        .note(
            "A turn waits until the facts that come from it are stored. A crash in between \
             neither loses nor repeats it.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for index in 0..items.len() {
            match run_item(ctx, index).await {
                Ok(made) => {
                    made.into_iter()
                        .for_each(|json| output.push(Item::new(json).paired_with(index)));
                }
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

fn params() -> Vec<Param> {
    let operations = [
        ("consolidate", "Consolidate"),
        ("search", "Search"),
        ("add", "Add"),
        ("deleteSubject", "Delete a subject"),
    ];
    let kinds = [("note", "Note"), ("fact", "Fact"), ("document", "Document")];
    vec![
        Param::choice("operation", "Operation", &operations)
            .raw()
            .help("What to do with the memory."),
        Param::text("space", "Long-term memory", "memory")
            .required()
            .help("Name of the long-term memory."),
        Param::text("subject", "Subject", "")
            .show("operation", &["search", "add", "deleteSubject"])
            .help("User or session. A search without one covers all subjects."),
        Param::number("minTurns", "Min turns", 1)
            .at_least(1.0)
            .show("operation", &["consolidate"])
            .help("Skip subjects with fewer turns that wait."),
        Param::number("idleMinutes", "Idle minutes", 30)
            .at_least(0.0)
            .show("operation", &["consolidate"])
            .help("Skip subjects whose last turn is more recent, because they are still talking."),
        Param::text("query", "Query", "")
            .show("operation", &["search"])
            .help("What to look for. If empty, the newest entries are returned."),
        Param::number("limit", "Limit", 10)
            .at_least(1.0)
            .show("operation", &["search"])
            .help("Maximum number of entries."),
        Param::long_text("text", "Text", "")
            .required()
            .show("operation", &["add"])
            .help("Text of the entry."),
        Param::choice("kind", "Kind", &kinds)
            .show("operation", &["add"])
            .help("Kind of the entry."),
        Param::text("tags", "Tags", "")
            .show("operation", &["search", "add"])
            .help("Tags, separated by commas."),
        Param::number("expireDays", "Expires after days", 0)
            .at_least(0.0)
            .show("operation", &["add"])
            .help("Days after which the entry is deleted. 0 keeps it."),
    ]
}

async fn run_item(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Value>, NodeError> {
    let memory = ctx.host().long_term_memory();
    let name = Str::from(ctx.text("space", index)?.trim());
    let operation = ctx.text("operation", index)?;
    if operation == "add" {
        let space = memory.open_space(&name).await?;
        return Ok(vec![add(ctx, index, &space).await?]);
    }
    let space = memory.space(&SpaceName::Name(name)).await?;
    match operation.as_str() {
        "search" => search(ctx, index, &space).await,
        "deleteSubject" => {
            let n_deleted = memory.delete_subject(Some(&space.id), &subject(ctx, index)?).await?;
            Ok(vec![json!({ "deleted": n_deleted })])
        }
        _ => consolidate_all(ctx, index, &space).await,
    }
}

fn subject(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let subject = ctx.text("subject", index)?;
    if subject.is_empty() {
        return Err(NodeError::parameter("subject", "The subject is empty").on_item(index));
    }
    Ok(subject)
}

async fn embedding(
    ctx: &Ctx<'_>,
    index: usize,
    space: &MemorySpace,
    text: &Str,
) -> Result<Option<Embedding>, NodeError> {
    let Some(embedder) = optional_embedder(ctx, index, space.model.as_deref()).await? else {
        return Ok(None);
    };
    let vector = embedder.embed(std::slice::from_ref(text)).await?.into_iter().next();
    Ok(vector.map(|vector| Embedding { model: embedder.model().into(), vector }))
}

async fn add(ctx: &Ctx<'_>, index: usize, space: &MemorySpace) -> Result<Value, NodeError> {
    let text = ctx.text("text", index)?;
    let days = ctx.number("expireDays", index)?;
    let source = entry_source(ctx);
    let now_ms = ctx.host().now_ms();
    let entry = NewEntry {
        // The same step that runs again after a crash.
        key: Some(
            format!("add {} {} {} {index} {text}", source.execution, source.node, ctx.run_index())
                .into(),
        ),
        subject: subject(ctx, index)?,
        kind: EntryKind::from_name(&ctx.text("kind", index)?).unwrap_or_default(),
        tags: comma_separated(&ctx.param("tags", index)?),
        embedding: embedding(ctx, index, space, &text).await?,
        expires_ms: (days > 0.0).then(|| now_ms.saturating_add((days * 86_400_000.0) as i64)),
        text,
        source,
        ..NewEntry::default()
    };
    let memory = ctx.host().long_term_memory();
    let added = memory.add_entries(&space.id, vec![entry]).await?;
    let id = added.into_iter().next().map(|added| added.id).unwrap_or_default();
    Ok(memory.entry(&space.id, &id).await?.to_value())
}

async fn search(ctx: &Ctx<'_>, index: usize, space: &MemorySpace) -> Result<Vec<Value>, NodeError> {
    let asked = ctx.text("query", index)?;
    let is_empty = asked.trim().is_empty();
    let embedding = if is_empty { None } else { embedding(ctx, index, space, &asked).await? };
    let query = MemoryQuery {
        subject: Some(ctx.text("subject", index)?).filter(|subject| !subject.is_empty()),
        words: (!is_empty).then_some(asked),
        embedding,
        tags: comma_separated(&ctx.param("tags", index)?),
        limit: ctx.number("limit", index)?.max(1.0) as usize,
        ..MemoryQuery::default()
    };
    let found = ctx.host().long_term_memory().search_entries(&space.id, query).await?;
    let shown = found.iter().map(|found| {
        let mut shown = found.entry.to_value().as_object().cloned().unwrap_or_default();
        shown.insert("score", found.score);
        shown.into()
    });
    Ok(shown.collect())
}

/// Consolidates what waits of each subject that has stopped talking.
async fn consolidate_all(
    ctx: &Ctx<'_>,
    index: usize,
    space: &MemorySpace,
) -> Result<Vec<Value>, NodeError> {
    let memory = ctx.host().long_term_memory();
    let model = models(ctx.host(), index).await?.into_iter().next();
    let (_, model) = model.ok_or_else(|| not_connected("model"))?;
    let policy = ConsolidationPolicy { model: agent::with_tools(model), every_turns: 0 };
    let min_turns = ctx.number("minTurns", index)?.max(1.0) as usize;
    let idle_ms = (ctx.number("idleMinutes", index)?.max(0.0) * 60_000.0) as i64;
    let until_ms = ctx.host().now_ms().saturating_sub(idle_ms);
    let is_due = |group: &PendingGroup| group.n_turns >= min_turns && group.newest_ms <= until_ms;
    let supplied = SuppliedLongTerm {
        memory: memory.clone(),
        space: space.id.clone(),
        subject: None,
        embedder: optional_embedder(ctx, index, space.model.as_deref()).await?,
        mode: ReadMode::Tool,
        top: 1,
        min_score: 0.0,
        recency_weight: 0.0,
        tags: Vec::new(),
        consolidation: None,
    };
    let world = NodeAgentHost::silent(ctx, index);
    let mut reports = Vec::new();
    for group in memory.pending_subjects(&space.id, MAX_SUBJECTS).await? {
        if !is_due(&group) {
            continue;
        }
        let session = LongTermSession {
            supplied: supplied.clone(),
            subject: group.subject.clone(),
            source: entry_source(ctx),
        };
        let mut total = ConsolidationReport::default();
        for round in 0..MAX_ROUNDS {
            // The first turn that waits names the round, also when it runs again after a crash.
            let first = memory.pending_turns(&space.id, &group.subject, 1).await?;
            let Some(first) = first.into_iter().next().filter(|_| round == 0 || total.turns > 0)
            else {
                break;
            };
            let prefix = format!("consolidation of {}", first.key);
            let report = consolidate(&world, &session, &policy, &prefix, 1)
                .await
                .map_err(AgentError::into_node_error)?;
            if report.turns == 0 {
                break;
            }
            total.add(report);
        }
        let mut shown = total.to_value().as_object().cloned().unwrap_or_default();
        shown.insert("subject", group.subject);
        reports.push(shown.into());
    }
    Ok(reports)
}
