//! Answers that do not fit are brought into form by a model.

use super::{connected_parser, parser_spec};
use crate::ai::sub_nodes::models;
use model::Kind;
use node_api::ai::{ChatModel, ChatRequest, Message, OutputFormat, OutputParser, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

const FIX_PROMPT: &str = "An answer was to be given in this form:\n{instructions}\n\nThis answer was given:\n{completion}\n\nIt cannot be used:\n{error}\n\nGive the answer again in the form that was asked for, and nothing else.";

pub(crate) struct OutputParserAutofixing;

impl Supplier for OutputParserAutofixing {
    fn spec() -> Spec {
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.outputParserAutofixing",
            &[1.0],
            "Auto-fixing Output Parser",
            "Use a model to fix answers that another parser rejects",
        )
        .icon("braces");
        parser_spec(spec)
            .inputs([
                Port::of(Kind::AiLanguageModel, "Model"),
                Port::of(Kind::AiOutputParser, "Output Parser"),
            ])
            .param(
                Param::collection("options", "Options", [fix_prompt_param()])
                    .help("Options for fixing answers."),
            )
            .hint(
                "Connect a parser and a model. In new workflows use the auto-fix option of the \
                 structured parser instead.",
            )
            .alias(&["repair", "retry"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (host, item) = (ctx.host().as_ref(), ctx.item());
        let model =
            models(host, item).await?.into_iter().next().map(|(_, model)| agent::with_tools(model));
        let model = model.ok_or_else(|| {
            NodeError::failed("A model is not connected")
                .hint("Connect the model that fixes answers.")
        })?;
        let parser = connected_parser(host, item).await?;
        let parser = parser.ok_or_else(|| {
            NodeError::failed("An output parser is not connected")
                .hint("Connect the parser whose answers are fixed.")
        })?;
        Ok(Supply::Parser(Arc::new(FixingParser::new(
            parser,
            model,
            ctx.ctx().text("options.prompt", item)?,
        )?)))
    }
}

pub(super) fn fix_prompt_param() -> Param {
    Param::long_text("prompt", "Retry prompt", FIX_PROMPT).help(
        "Placeholders for the format, the answer and the error: {instructions}, {completion}, \
             {error}.",
    )
}

/// A parser that asks a model once to fix what it cannot read.
pub(super) struct FixingParser {
    inner: Arc<dyn OutputParser>,
    model: Arc<dyn ChatModel>,
    prompt: Str,
}

impl FixingParser {
    /// An empty prompt is the one of the house.
    pub(super) fn new(
        inner: Arc<dyn OutputParser>,
        model: Arc<dyn ChatModel>,
        prompt: Str,
    ) -> Result<Self, NodeError> {
        let prompt = if prompt.trim().is_empty() { FIX_PROMPT.into() } else { prompt };
        if !prompt.contains("{error}") {
            return Err(NodeError::parameter(
                "prompt",
                "Auto-fixing parser prompt has to contain {error} placeholder",
            )
            .hint("Add {error} where the error should appear."));
        }
        Ok(Self { inner, model, prompt })
    }

    fn request(&self, answer: &Message, error: &NodeError) -> ChatRequest {
        let problem =
            format!("{error} {}", error.description().map(Str::as_str).unwrap_or_default());
        let words = self
            .prompt
            .replace("{instructions}", &self.inner.instructions())
            .replace("{error}", problem.trim())
            // Last, because an answer may hold words in braces too.
            .replace("{completion}", &answer.text());
        let format = match self.inner.schema() {
            Some(schema) => OutputFormat::Schema { name: "answer".into(), schema: schema.clone() },
            None => OutputFormat::Text,
        };
        ChatRequest { messages: vec![Message::user(words)], format, ..ChatRequest::default() }
    }
}

#[async_trait::async_trait]
impl OutputParser for FixingParser {
    fn instructions(&self) -> Str {
        self.inner.instructions()
    }

    fn schema(&self) -> Option<&Value> {
        self.inner.schema()
    }

    async fn parse(&self, answer: &Message) -> Result<Value, NodeError> {
        let error = match self.inner.parse(answer).await {
            Err(error) => error,
            read => return read,
        };
        let fixed = self
            .model
            .chat(self.request(answer, &error))
            .await
            .map_err(|error| agent::AgentError::Model(error).into_node_error())?;
        self.inner.parse(&fixed.message).await
    }
}
