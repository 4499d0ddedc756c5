//! `heddle agent`: an agent without a workflow. A workflow is made for it, so that it runs as any
//! other does.

use super::{block_on, with_code};
use crate::chat_session::{ChatSession, OutputStyle};
use crate::cli::{self, AgentToolChoice, AskBefore};
use crate::settings::Settings;
use crate::wiring;
use anyhow::{Context as _, Result, bail};
use engine::{CredentialSource, RunOptions};
use model::{Object, Value, Workflow, json};
use node_api::NodeError;
use std::process::ExitCode;
use std::sync::Arc;
use store::Workspace;
use tokio_util::sync::CancellationToken;

/// A provider: its name here, the node of its models, the kind of its credential, where the key
/// comes from, and where the address does.
struct AgentProvider {
    name: &'static str,
    node: &'static str,
    credential: &'static str,
    keys: &'static [&'static str],
    /// The field of the credential that holds the address, and the variable that it comes from.
    address: Option<(&'static str, &'static str)>,
}

const fn openai_compatible(
    name: &'static str,
    node: &'static str,
    credential: &'static str,
    keys: &'static [&'static str],
) -> AgentProvider {
    AgentProvider { name, node, credential, keys, address: None }
}

const PROVIDERS: &[AgentProvider] = &[
    AgentProvider {
        address: Some(("url", "OPENAI_BASE_URL")),
        ..openai_compatible("openai", "openai-model", "openAiApi", &["OPENAI_API_KEY"])
    },
    AgentProvider {
        address: Some(("url", "ANTHROPIC_BASE_URL")),
        ..openai_compatible("anthropic", "anthropic-model", "anthropicApi", &["ANTHROPIC_API_KEY"])
    },
    openai_compatible(
        "gemini",
        "gemini-model",
        "googlePalmApi",
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    ),
    AgentProvider {
        address: Some(("baseUrl", "OLLAMA_HOST")),
        ..openai_compatible("ollama", "ollama-model", "ollamaApi", &[])
    },
    openai_compatible(
        "openrouter",
        "@n8n/n8n-nodes-langchain.lmChatOpenRouter",
        "openRouterApi",
        &["OPENROUTER_API_KEY"],
    ),
    openai_compatible("groq", "@n8n/n8n-nodes-langchain.lmChatGroq", "groqApi", &["GROQ_API_KEY"]),
    openai_compatible(
        "deepseek",
        "@n8n/n8n-nodes-langchain.lmChatDeepSeek",
        "deepSeekApi",
        &["DEEPSEEK_API_KEY"],
    ),
    openai_compatible(
        "mistral",
        "@n8n/n8n-nodes-langchain.lmChatMistralCloud",
        "mistralCloudApi",
        &["MISTRAL_API_KEY"],
    ),
    openai_compatible("xai", "@n8n/n8n-nodes-langchain.lmChatXAiGrok", "xAiApi", &["XAI_API_KEY"]),
];

pub(super) fn run(arguments: &cli::AgentArgs) -> Result<ExitCode> {
    let settings = Settings::load()?;
    let (provider, model) = choose_model(&arguments.model)?;
    let mut engine = wiring::engine(&settings)?;
    if arguments.tools.contains(&AgentToolChoice::File) {
        let folder =
            arguments.files.as_ref().context("the tool 'file' needs a folder: --files DIR")?;
        engine.ports.files = Arc::new(Workspace::new(folder));
    }
    let manner = if arguments.json { OutputStyle::Json } else { OutputStyle::Text };
    let document = document(arguments, provider, model);
    block_on(async move {
        let key = match &arguments.credential {
            Some(id) => stored_key(arguments, provider, id).await?,
            None => key_from_environment(provider)?,
        };
        engine.ports.credentials =
            Arc::new(ModelCredential { kind: provider.credential, fields: key });
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

fn choose_model(model: &str) -> Result<(&'static AgentProvider, &str)> {
    let names: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
    let known = names.join(", ");
    let Some((name, model)) = model.split_once('/').filter(|(_, model)| !model.is_empty()) else {
        bail!("--model must be PROVIDER/MODEL, such as openai/gpt-5-mini; providers are {known}");
    };
    let provider = PROVIDERS.iter().find(|provider| provider.name == name);
    Ok((
        provider.with_context(|| format!("unknown provider '{name}'; providers are {known}"))?,
        model,
    ))
}

fn key_from_environment(provider: &AgentProvider) -> Result<Object> {
    let found = |name: &&str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let key = provider.keys.iter().find_map(found);
    if key.is_none() && !provider.keys.is_empty() {
        let names = provider.keys.join(" or ");
        bail!(
            "no API key for {}: set {names}, or choose a stored credential with --credential \
                 (NODE_CREDENTIAL)",
            provider.name
        );
    }
    let mut fields = Object::from_iter([("apiKey", Value::from(key.unwrap_or_default()))]);
    if let Some((field, variable)) = provider.address
        && let Some(address) = found(&variable)
    {
        fields.insert(field, address);
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
    if credential.kind != provider.credential {
        bail!(
            "the credential '{id}' has the type '{}'; {} needs the type '{}'",
            credential.kind,
            provider.name,
            provider.credential
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
        node("Model", provider.node, Object::from_iter([("model", model)]).into()),
    ];
    // The one credential that the command line has is chosen for the model, and for nothing else.
    if let Some(model) = nodes.last_mut() {
        let chosen = Object::from_iter([(
            provider.credential,
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
        AgentToolChoice::Http => ("Requests", "http-request-tool", json!({})),
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
    kind: &'static str,
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
