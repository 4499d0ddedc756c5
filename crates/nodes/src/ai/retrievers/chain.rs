//! n8n's Question and Answer Chain.

use super::question::{TEMPLATE, answer};
use super::retriever;
use crate::ai::agent_host::NodeAgentHost;
use crate::ai::sub_nodes;
use agent::AgentHost as _;
use model::Kind;
use node_api::prelude::*;

pub(crate) struct ChainRetrievalQa;

impl Node for ChainRetrievalQa {
    fn spec() -> Spec {
        let query = |version: f64, expression: &str| {
            Param::text("query", "Query", expression)
                .required()
                .versions(&[version])
                .help("The question.")
        };
        let batching = [
            Param::number("batchSize", "Batch size", 5)
                .at_least(1.0)
                .help("Number of items per batch."),
            Param::number("delayBetweenBatches", "Delay between batches", 0)
                .at_least(0.0)
                .help("Pause between batches, in milliseconds."),
        ];
        Spec::new(
            "@n8n/n8n-nodes-langchain.chainRetrievalQa",
            &[1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
            "Question and Answer Chain",
            "Answer questions from retrieved documents",
        )
        .icon("book-open")
        .untrusted()
        .private()
        .group(NodeGroup::Ai)
        .inputs([
            Port::main(),
            Port::of(Kind::AiLanguageModel, "Model"),
            Port::of(Kind::AiRetriever, "Retriever"),
        ])
        .params([
            query(1.0, "={{ $json.input }}"),
            query(1.1, "={{ $json.chat_input }}"),
            query(1.2, "={{ $json.chatInput }}"),
            Param::choice(
                "promptType",
                "Source for prompt",
                &[("auto", "Connected chat trigger"), ("define", "Define below")],
            )
            .since(1.3)
            .help("Whether to use the item's `chatInput` as the question, or the text below."),
            Param::long_text("text", "Prompt (user message)", "")
                .since(1.3)
                .show("promptType", &["define"])
                .help("The question."),
            Param::collection(
                "options",
                "Options",
                [
                    Param::long_text("systemPromptTemplate", "System prompt template", TEMPLATE)
                        .help(
                            "System prompt for the model. `{context}` is replaced with the \
                             documents.",
                        ),
                    Param::group(
                        "batching",
                        "Batch processing",
                        [FieldGroup::new("batch", "Batch", batching)],
                    )
                    .help("Batching options."),
                ],
            )
            .help("Further settings."),
        ])
        .records_steps()
        .hint(
            "The simplest way to answer from documents: connect a model and a retriever. An agent \
             with a tool can search several times.",
        )
        .alias(&["rag", "qa", "documents"])
        .differs("The default system prompt is worded differently.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let option = |name: &str, usual: f64| -> Result<f64, NodeError> {
            Ok(ctx.param(&format!("options.batching.{name}"), 0)?.as_f64().unwrap_or(usual))
        };
        let (batch, pause) = (
            option("batchSize", 5.0)?.max(1.0) as usize,
            option("delayBetweenBatches", 0.0)?.max(0.0) as u64,
        );
        let mut output = ctx.builder();
        for index in 0..items.len() {
            if index > 0 && index.is_multiple_of(batch) && pause > 0 {
                ctx.host().sleep(pause).await?;
            }
            match answer_question(ctx, index).await {
                Ok(answer) => {
                    let answer = if ctx.version() >= 1.5 {
                        Value::from(answer)
                    } else {
                        Object::from_iter([("text", answer)]).into()
                    };
                    output.push(
                        Item::new(Object::from_iter([("response", answer)])).paired_with(index),
                    );
                }
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn answer_question(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let world = NodeAgentHost::new(ctx, index);
    if let Some(Value::String(kept)) = world.recorded_step("answer") {
        return Ok(kept);
    }
    let question = question(ctx, index)?;
    let given = ctx.text("options.systemPromptTemplate", index)?;
    let template = if given.is_empty() { TEMPLATE } else { given.as_str() };
    let found = retriever(ctx, index).await?.retrieve(&question).await?;
    let answer =
        answer(sub_nodes::model(ctx, index).await?.as_ref(), template, &question, &found).await?;
    world.record_step("answer", answer.clone().into()).await?;
    Ok(answer)
}

fn question(ctx: &Ctx<'_>, index: usize) -> Result<Str, NodeError> {
    let question = match ctx.version() {
        version if version <= 1.2 => ctx.text("query", index)?,
        _ if ctx.text("promptType", index)? == "define" => ctx.text("text", index)?,
        _ => {
            let json = ctx
                .input(0)
                .and_then(|items| items.get(index))
                .map(|item| item.json)
                .unwrap_or_default();
            let said = ["chatInput", "guardrailsInput"].iter().find_map(|field| json.get(field));
            said.filter(|said| !said.is_nullish()).map(Value::to_js_string).unwrap_or_default()
        }
    };
    match question.trim().is_empty() {
        true => Err(NodeError::parameter("text", "No prompt specified")
            .describe("The question is empty: the item has no field 'chatInput', and no question is given in the node.")
            .on_item(index)),
        false => Ok(question),
    }
}
