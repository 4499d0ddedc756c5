//! `heddle agent`: an agent without a workflow. A workflow is made for it, so that it runs as any
//! other does.

use super::{block_on, with_code};
use crate::chat_session::{ChatSession, OutputStyle};
use crate::cli::{self, AgentToolChoice, AskBefore};
use crate::settings::Settings;
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use engine::{CredentialSource, RunOptions};
use model::{Object, Str, Value, Workflow, json};
use node_api::NodeError;
use node_api::credential::{CredentialField, CredentialRegistry, CredentialSpec};
use std::process::ExitCode;
use std::sync::Arc;
use store::Workspace;
use tokio_util::sync::CancellationToken;

/// A provider of models, and the description of its credentials.
struct AgentProvider {
    name: Str,
    node_type: Str,
    credential: Arc<CredentialSpec>,
}

/// The providers that credential types name, in the order of their table.
fn providers(types: &CredentialRegistry) -> Vec<AgentProvider> {
    let named = types.all().iter().filter_map(|spec| Some((spec, spec.provider.as_ref()?)));
    named
        .map(|(spec, provider)| AgentProvider {
            name: provider.name.clone(),
            node_type: provider.node_type.clone(),
            credential: spec.clone(),
        })
        .collect()
}

pub(super) fn run(arguments: &cli::AgentArgs) -> Result<ExitCode> {
    let settings = Settings::load()?;
    let mut engine = wiring::engine(&settings)?;
    let (provider, model) = choose_model(&arguments.model, &engine.registry.credentials)?;
    if arguments.tools.contains(&AgentToolChoice::File) {
        let folder =
            arguments.files.as_ref().context("the tool 'file' needs a folder: --files DIR")?;
        engine.ports.files = Arc::new(Workspace::new(folder));
    }
    let manner = if arguments.json { OutputStyle::Json } else { OutputStyle::Text };
    let document = document(arguments, &provider, model);
    block_on(async move {
        let key = match &arguments.credential {
            Some(id) => stored_key(arguments, &provider, id).await?,
            None => key_from_environment(&provider)?,
        };
        engine.ports.credentials =
            Arc::new(ModelCredential { kind: provider.credential.id.clone(), fields: key });
        let workflow =
            Workflow::from_value(&document).context("the agent's workflow could not be created")?;
        let plan = Arc::new(engine.plan(&workflow));
        let options = RunOptions { mode: "cli".into(), ..wiring::run_options(&settings) };
        let mut talk = ChatSession {
            engine,
            plan,
            node: "Start".into(),
            options,
            style: manner,
            session: store::new_id(),
            history: Vec::new(),
            suspended: None,
            pending_events: Vec::new(),
        };
        let cancel = CancellationToken::new();
        let on_interrupt = cancel.clone();
        tokio::spawn(async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                on_interrupt.cancel();
            }
        });
        let has_answer = talk.send(&arguments.objective, cancel).await;
        Ok(if has_answer { ExitCode::SUCCESS } else { ExitCode::from(1) })
    })?
}

fn choose_model<'m>(
    model: &'m str,
    types: &CredentialRegistry,
) -> Result<(AgentProvider, &'m str)> {
    let providers = providers(types);
    let names: Vec<&str> = providers.iter().map(|provider| provider.name.as_str()).collect();
    let known = names.join(", ");
    let Some((name, model)) = model.split_once('/').filter(|(_, model)| !model.is_empty()) else {
        bail!("--model must be PROVIDER/MODEL, such as openai/gpt-5-mini; providers are {known}");
    };
    let provider = providers.into_iter().find(|provider| provider.name == name);
    Ok((
        provider.with_context(|| format!("unknown provider '{name}'; providers are {known}"))?,
        model,
    ))
}

fn key_from_environment(provider: &AgentProvider) -> Result<Object> {
    let spec = &provider.credential;
    let mut fields = Object::new();
    for variable in &spec.env {
        let value = std::env::var(variable.name.as_str()).unwrap_or_default();
        if !value.trim().is_empty() && !fields.contains_key(&variable.field) {
            fields.insert(variable.field.clone(), value);
        }
    }
    let missing = |field: &&CredentialField| field.required && !fields.contains_key(&field.name);
    if let Some(field) = spec.fields.iter().find(missing) {
        let variables = spec.env.iter().filter(|variable| variable.field == field.name);
        let names: Vec<&str> = variables.map(|variable| variable.name.as_str()).collect();
        bail!(
            "no API key for {}: set {}, or choose a stored credential with --credential \
                 (NODE_CREDENTIAL)",
            provider.name,
            names.join(" or ")
        );
    }
    Ok(fields)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the owner of the data folder chose the credential by its ID"
)]
async fn stored_key(
    arguments: &cli::AgentArgs,
    provider: &AgentProvider,
    id: &str,
) -> Result<Object> {
    let store = wiring::open_store(&arguments.data.path()).map_err(with_code)?;
    let missing = || format!("credential '{id}' does not exist");
    let credential = store.credential(id).await.map_err(with_code)?.with_context(missing)?;
    if credential.kind != provider.credential.id {
        bail!(
            "the credential '{id}' has the type '{}'; {} needs the type '{}'",
            credential.kind,
            provider.name,
            provider.credential.id
        );
    }
    Ok(store.open_credential(id).await.map_err(with_code)?.with_context(missing)?.reveal())
}

/// What the objective says is data: no part of it is an expression.
fn document(arguments: &cli::AgentArgs, provider: &AgentProvider, model: &str) -> Value {
    let node = |name: &str, kind: &str, parameters: Value| json!({ "id": name, "name": name, "type": kind, "typeVersion": 1, "position": [0, 0], "parameters": parameters });
    let agent = json!({
        "userMessage": "={{ $json.chatInput }}",
        "systemPrompt": (arguments.system.as_str()),
        "maxIterations": (arguments.max_iterations.max(1)),
        "options": { "onLimit": "conclude", "askBefore": (approval_mode(arguments.ask_before)) }
    });
    let mut nodes = vec![
        node("Start", "@n8n/n8n-nodes-langchain.manualChatTrigger", json!({})),
        node("Agent", "ai-agent", agent),
        node("Model", &provider.node_type, Object::from_iter([("model", model)]).into()),
    ];
    // The one credential that the command line has is chosen for the model, and for nothing else.
    if let Some(model) = nodes.last_mut() {
        let chosen = Object::from_iter([(
            provider.credential.id.clone(),
            Object::from_iter([("id", CREDENTIAL), ("name", CREDENTIAL)]),
        )]);
        model.make_object().insert("credentials", chosen);
    }
    let to = |node: &str, kind: &str| {
        let target = Object::from_iter([
            ("node", Value::from(node)),
            ("type", kind.into()),
            ("index", 0.into()),
        ]);
        Value::from(Object::from_iter([(
            kind,
            Value::array(vec![Value::array(vec![target.into()])]),
        )]))
    };
    let mut connections = Object::from_iter([
        ("Start", to("Agent", "main")),
        ("Model", to("Agent", "ai_languageModel")),
    ]);
    for tool in &arguments.tools {
        let (name, kind, parameters) = tool_node(*tool);
        nodes.push(node(name, kind, parameters));
        connections.insert(name, to("Agent", "ai_tool"));
    }
    Object::from_iter([
        ("name", Value::from("Agent")),
        ("nodes", Value::array(nodes)),
        ("connections", connections.into()),
        ("settings", json!({ "executionOrder": "v1" })),
    ])
    .into()
}

fn approval_mode(asked: Option<AskBefore>) -> &'static str {
    match asked {
        None => "never",
        Some(AskBefore::Changes) => "changes",
        Some(AskBefore::All) => "all",
    }
}

fn tool_node(tool: AgentToolChoice) -> (&'static str, &'static str, Value) {
    match tool {
        AgentToolChoice::Calculator => ("Calculator", "calculator-tool", json!({})),
        AgentToolChoice::Http => (
            "Requests",
            "http-request-tool",
            json!({ "methods": ["GET", "POST", "PUT", "DELETE"] }),
        ),
        AgentToolChoice::Think => ("Think", "think-tool", json!({})),
        AgentToolChoice::File => ("Files", "file-tool", json!({})),
        AgentToolChoice::Code => {
            let description = "Runs JavaScript and returns its result. Give it the body of a function that ends \
                 with `return`.";
            (
                "Code",
                "code-tool",
                json!({ "name": "run_javascript", "description": description, "codeFrom": "model" }),
            )
        }
    }
}

/// What the credential of the model is called in the workflow that is made.
const CREDENTIAL: &str = "command-line";

/// The one credential that the model needs.
struct ModelCredential {
    kind: Str,
    fields: Object,
}

impl CredentialSource for ModelCredential {
    fn get(&self, _stands_for: &str, kind: &str, id: &str) -> Result<Object, NodeError> {
        match kind == self.kind && id == CREDENTIAL {
            true => Ok(self.fields.clone()),
            false => Err(NodeError::credential_not_found(kind, id)),
        }
    }
}
