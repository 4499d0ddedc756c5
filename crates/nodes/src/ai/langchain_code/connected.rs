//! What is connected to a LangChain Code node, and the calls that its program makes of it.

use crate::ai::agent_host::NodeAgentHost;
use crate::ai::agent_limits::guarded;
use crate::ai::sub_nodes::memory;
use agent::{AgentError, AgentHost as _, MemorySession, ToolGuard, flow};
use model::Kind;
use node_api::ai::{
    ChatModel, ChatRole, DataFlow, Embedder, Exposure, Message, OutputParser, Retriever,
    ScoredDocument, SearchableStore, SuppliedMemory, Supply, ToolArguments, ToolCall,
    ToolCallContext, ToolEffect,
};
use node_api::checkpoints;
use node_api::prelude::*;
use std::sync::Arc;

/// The kinds of connections that programs reach, and those that only go through them.
const KINDS: [Kind; 7] = [
    Kind::AiLanguageModel,
    Kind::AiTool,
    Kind::AiMemory,
    Kind::AiEmbedding,
    Kind::AiVectorStore,
    Kind::AiRetriever,
    Kind::AiOutputParser,
];

/// One thing that is connected. Programs know it by its place in the list.
pub(super) enum Handle {
    Model(Arc<dyn ChatModel>),
    /// By its name at the guard.
    Tool(Str),
    Memory(SuppliedMemory, Option<MemorySession>),
    Embedder(Arc<dyn Embedder>),
    Store(SearchableStore),
    Retriever(Arc<dyn Retriever>),
    Parser(Arc<dyn OutputParser>),
}

/// Everything that is connected.
pub(super) struct Connected {
    handles: Vec<Handle>,
    guard: ToolGuard,
    described: Object,
}

impl Connected {
    /// `single` says of which kinds the program gets one and no list.
    pub(super) async fn of(
        ctx: &Ctx<'_>,
        item: usize,
        single: impl Fn(Kind) -> bool,
    ) -> Result<Self, NodeError> {
        let (mut handles, mut tools, mut described) = (Vec::new(), Vec::new(), Object::new());
        for kind in KINDS {
            let mut list = Vec::new();
            for supplied in ctx.host().supplies(kind, item).await? {
                let mut add = |handle: Handle, more: Object| {
                    let mut about = Object::from_iter([
                        ("id", Value::from(handles.len())),
                        ("name", supplied.node.name.clone().into()),
                    ]);
                    about.extend(more);
                    handles.push(handle);
                    list.push(about.into());
                };
                match supplied.supply {
                    Supply::Model(model) => {
                        let name = model.info().model.clone();
                        add(Handle::Model(model), Object::from_iter([("model", name)]));
                    }
                    Supply::Tools(some) => {
                        for tool in some {
                            let about = tool.definition();
                            let fields = Object::from_iter([
                                ("name", Value::from(about.name.clone())),
                                ("description", about.description.clone().into()),
                                ("schema", about.parameters.clone()),
                            ]);
                            add(Handle::Tool(about.name.clone()), fields);
                            tools.push(tool);
                        }
                    }
                    Supply::Memory(found) => {
                        let session = memory(ctx, item, Str::new()).await.ok().flatten();
                        add(Handle::Memory(found, session), Object::new());
                    }
                    Supply::Embedder(embedder) => add(Handle::Embedder(embedder), Object::new()),
                    Supply::VectorStore(store) => add(Handle::Store(store), Object::new()),
                    Supply::Retriever(found) => add(Handle::Retriever(found), Object::new()),
                    Supply::Parser(parser) => {
                        let told = Object::from_iter([("instructions", parser.instructions())]);
                        add(Handle::Parser(parser), told);
                    }
                    Supply::Reranker(_) | Supply::Loader(_) | Supply::Splitter(_) => {}
                }
            }
            let entry = [("single", Value::from(single(kind))), ("list", Value::array(list))];
            described.insert(kind.name(), Object::from_iter(entry));
        }
        Ok(Self { handles, guard: guarded(ctx, item, tools)?, described })
    }

    pub(super) fn described(&self) -> Value {
        self.described.clone().into()
    }

    /// Whether calling something here may change something outside.
    pub(super) fn may_change(&self) -> bool {
        self.guard.tools().any(|tool| tool.definition().effect != ToolEffect::None)
    }

    /// Where the data of a tool comes from and goes to whose program may call all that is connected.
    pub(super) fn flow(&self) -> DataFlow {
        let stores = self.handles.iter().any(|handle| {
            matches!(handle, Handle::Store(_) | Handle::Retriever(_) | Handle::Memory(..))
        });
        let start = if stores { DataFlow::STORED } else { DataFlow::default() };
        self.guard.tools().map(|tool| tool.definition().flow).fold(start, |all, one| DataFlow {
            untrusted: all.untrusted || one.untrusted,
            private: all.private || one.private,
            sends: all.sends.max(one.sends),
        })
    }

    /// What is connected, to be supplied as it is.
    pub(super) fn supply(&self, id: usize) -> Option<Supply> {
        Some(match self.handles.get(id)? {
            Handle::Model(model) => Supply::Model(model.clone()),
            Handle::Tool(name) => {
                let tool = self.guard.tools().find(|tool| tool.definition().name == *name)?;
                Supply::Tools(vec![tool.clone()])
            }
            Handle::Memory(memory, _) => Supply::Memory(memory.clone()),
            Handle::Embedder(embedder) => Supply::Embedder(embedder.clone()),
            Handle::Store(store) => Supply::VectorStore(store.clone()),
            Handle::Retriever(retriever) => Supply::Retriever(retriever.clone()),
            Handle::Parser(parser) => Supply::Parser(parser.clone()),
        })
    }

    /// What comes of a call, as the program is told. What it may catch is part of it; what ends the
    /// run is not.
    pub(super) async fn answer(
        &self,
        ctx: &Ctx<'_>,
        world: &NodeAgentHost<'_>,
        number: usize,
        call: &Value,
    ) -> Result<Value, NodeError> {
        let mut answer = Object::new();
        for field in ["on", "does"] {
            answer.insert(field, call.get(field).cloned().unwrap_or_default());
        }
        match self.call(ctx, world, number, call).await {
            Ok(value) => answer.insert("value", value),
            Err(error) if ends_the_run(error.code()) => return Err(error),
            Err(error) => answer.insert("error", error.message().clone()),
        };
        Ok(answer.into())
    }

    async fn call(
        &self,
        ctx: &Ctx<'_>,
        world: &NodeAgentHost<'_>,
        number: usize,
        call: &Value,
    ) -> Result<Value, NodeError> {
        let id = call.get("on").and_then(Value::as_usize);
        let handle = id.and_then(|id| self.handles.get(id));
        let text = |name: &str| call.get(name).map(Value::to_js_string).unwrap_or_default();
        match handle {
            Some(Handle::Model(model)) => {
                let messages = call.get("messages").and_then(Value::as_array).unwrap_or_default();
                let messages = messages.iter().map(message).collect();
                let key = format!("model {number}");
                let reply = agent::ask_for_text(world, &**model, &key, messages).await;
                let reply = reply.map_err(AgentError::into_node_error)?;
                let usage = Object::from_iter([
                    ("input_tokens", reply.usage.input as f64),
                    ("output_tokens", reply.usage.output as f64),
                    ("total_tokens", (reply.usage.input + reply.usage.output) as f64),
                ]);
                Ok(Object::from_iter([
                    ("text", Value::from(reply.message.text())),
                    ("model", reply.model.into()),
                    ("usage", usage.into()),
                ])
                .into())
            }
            Some(Handle::Tool(name)) => {
                self.call_tool(ctx, world, number, name, call.get("input")).await
            }
            Some(Handle::Memory(memory, session)) => {
                let Some(found) = session else {
                    return Err(NodeError::failed("The memory has no session ID"));
                };
                let recalled = memory.memory.load(&found.session, "").await;
                let recalled = recalled.map_err(|error| NodeError::failed(error.to_string()))?;
                Ok(Value::array(recalled.messages.iter().filter_map(told).collect()))
            }
            Some(Handle::Embedder(embedder)) => {
                let texts = call.get("texts").and_then(Value::as_array).unwrap_or_default();
                let texts: Vec<Str> = texts.iter().map(Value::to_js_string).collect();
                let vectors = embedder.embed(&texts).await?.into_iter().map(|vector| {
                    Value::array(vector.into_iter().map(|one| f64::from(one).into()).collect())
                });
                Ok(Value::array(vectors.collect()))
            }
            Some(Handle::Store(store)) => {
                let limit = call.get("k").and_then(Value::as_usize).unwrap_or(4).clamp(1, 1_000);
                Ok(documents(store.find(&text("query"), limit).await?))
            }
            Some(Handle::Retriever(retriever)) => {
                Ok(documents(retriever.retrieve(&text("query")).await?))
            }
            Some(Handle::Parser(parser)) => parser.parse(&Message::assistant(text("text"))).await,
            None => Err(NodeError::failed("The code calls something that is not connected")),
        }
    }

    /// As an agent would call it: its arguments are checked, and it is on record before its result is
    /// used.
    async fn call_tool(
        &self,
        ctx: &Ctx<'_>,
        world: &NodeAgentHost<'_>,
        number: usize,
        name: &Str,
        input: Option<&Value>,
    ) -> Result<Value, NodeError> {
        let key = format!("tool {number}");
        if let Some(kept) = world.recorded_step(&key) {
            return Ok(checkpoints::confirmed_text(&kept).map_or(kept, Value::from));
        }
        let arguments = match input {
            Some(Value::Object(fields)) => (**fields).clone(),
            None | Some(Value::Undefined | Value::Null) => Object::new(),
            Some(other) => Object::from_iter([("input", other.clone())]),
        };
        let call = ToolCall {
            id: key.as_str().into(),
            name: name.clone(),
            arguments: ToolArguments::Parsed(arguments),
            opaque: None,
        };
        let (tool, arguments) =
            self.guard.admit(&call).map_err(|invalid| NodeError::failed(invalid.0))?;
        // What a model said may have come from anybody.
        let exposure = ctx.host().exposure().and(Exposure { untrusted: true, private: false });
        let context = ToolCallContext {
            call_id: call.id.clone(),
            item: 0,
            key: world.full_key(&key),
            allow_egress: true,
            exposure,
            // A program cannot wait for a person.
            is_authorized: false,
        };
        let sends = tool.sends(&arguments, &context);
        if flow::decide(exposure, sends, false) == flow::FlowDecision::NeedsApproval {
            return Err(NodeError::new(
                Code::AGENT_OUTWARD,
                format!("'{name}' was not called: code may not send data to a destination that depends on untrusted content"),
            )
            .hint("Let an agent call the tool, whose calls a person can approve."));
        }
        let begun = checkpoints::started_key(&key);
        if matches!(tool.definition().effect, ToolEffect::Changes | ToolEffect::Dynamic) {
            if checkpoints::is_started(world.recorded_step(&begun).as_ref()) {
                return Err(NodeError::new(
                    Code::RUN_UNCERTAIN,
                    format!("The call of '{name}' was interrupted and may have succeeded"),
                )
                .hint("Check whether it took effect, then resume the execution with the result, or stop it.")
                .with("call", world.full_key(&key)));
            }
            world.record_step(&begun, true.into()).await?;
        }
        let output = tool.call(arguments, &context).await.map_err(|failure| {
            let code = if failure.is_uncertain { Code::RUN_UNCERTAIN } else { Code::NODE_FAILED };
            NodeError::new(code, failure.message)
        })?;
        let content = self.guard.capped_value(output.content);
        world.record_step(&key, content.clone()).await?;
        Ok(content)
    }
}

/// What no program may catch.
fn ends_the_run(code: Code) -> bool {
    [
        Code::RUN_UNCERTAIN,
        Code::RUN_CANCELLED,
        Code::RUN_RECORD,
        Code::BUDGET_REACHED,
        Code::RUN_TIMEOUT,
    ]
    .contains(&code)
}

fn message(entry: &Value) -> Message {
    let words = entry.get("content").map(Value::to_js_string).unwrap_or_default();
    match entry.get("role").and_then(Value::as_str) {
        Some("system") => Message::system(words),
        Some("assistant") => Message::assistant(words),
        _ => Message::user(words),
    }
}

/// What people and models said to each other.
fn told(message: &Message) -> Option<Value> {
    let role = match message.role {
        ChatRole::User => "user",
        ChatRole::Assistant => "assistant",
        ChatRole::System | ChatRole::Tool => return None,
    };
    let content = message.text();
    (!content.is_empty()).then(|| {
        Object::from_iter([("role", Value::from(role)), ("content", content.into())]).into()
    })
}

fn documents(found: Vec<ScoredDocument>) -> Value {
    let shown = found.into_iter().map(|found| {
        Object::from_iter([
            ("pageContent", Value::from(found.document.content)),
            ("metadata", found.document.metadata.into()),
            ("score", found.score.into()),
        ])
        .into()
    });
    Value::array(shown.collect())
}
