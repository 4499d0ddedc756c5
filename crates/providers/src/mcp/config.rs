//! The operator's servers: `mcp.json` in its conventional form.

mod place;
#[cfg(test)]
mod tests;

use super::environment::check_variable;
use super::limits::{MAX_CALL_TIMEOUT, PROCESS_MEMORY};
use model::{Object, Str, Value, json};
use node_api::mcp::McpTransport;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use url::Url;

/// The file's servers, and what is wrong with it. A wrong entry leaves the others usable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpConfig {
    pub servers: BTreeMap<Str, ServerConfig>,
    pub problems: Vec<ConfigProblem>,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, {field}: {problem}")]
pub struct ConfigProblem {
    /// The server, if the problem is with one.
    pub server: Option<Str>,
    pub field: Str,
    pub line: usize,
    pub problem: Str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    pub launch: Launch,
    pub call_timeout: Option<Duration>,
    /// The tools that may be used; all if there is no list.
    pub allowed_tools: Option<Vec<Str>>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Launch {
    Process(ProcessConfig),
    Remote { transport: McpTransport, url: Url, headers: Vec<(String, String)> },
}

#[derive(Clone, PartialEq)]
pub struct ProcessConfig {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<PathBuf>,
    /// Folders that come before the usual ones where programs are looked for.
    pub path: Vec<String>,
    pub memory: u64,
}

/// Variables may be secrets.
impl std::fmt::Debug for ProcessConfig {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "ProcessConfig({})", self.command)
    }
}

const MAX_SERVERS: usize = 200;
const MAX_NAME_CHARS: usize = 64;
const FIELDS: &[&str] = &[
    "type",
    "command",
    "args",
    "env",
    "cwd",
    "path",
    "memoryMb",
    "url",
    "headers",
    "timeoutMs",
    "allowedTools",
    "disabled",
    "description",
];

/// Reads the file's text.
pub fn parse(text: &str) -> McpConfig {
    let mut config = McpConfig::default();
    let document = match json::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let problem = format!("the file is not valid JSON: {}", error.what).into();
            config.problems.push(ConfigProblem {
                server: None,
                field: "mcp.json".into(),
                line: error.line,
                problem,
            });
            return config;
        }
    };
    let mut reader = Reader { text, problems: Vec::new(), server: None };
    match document.get("mcpServers").and_then(Value::as_object) {
        None => reader.problem(&["mcpServers"], "is missing or not an object"),
        Some(servers) if servers.len() > MAX_SERVERS => {
            reader.problem(&["mcpServers"], format!("has more than {MAX_SERVERS} servers"));
        }
        Some(servers) => {
            for (name, entry) in servers.iter() {
                reader.server = Some(name.clone());
                let n_problems = reader.problems.len();
                let found = reader.server_config(name, entry);
                if let (Some(found), true) = (found, reader.problems.len() == n_problems) {
                    config.servers.insert(name.clone(), found);
                }
            }
        }
    }
    config.problems = reader.problems;
    config
}

struct Reader<'t> {
    text: &'t str,
    problems: Vec<ConfigProblem>,
    server: Option<Str>,
}

impl Reader<'_> {
    fn problem(&mut self, path: &[&str], problem: impl Into<Str>) {
        self.problems.push(ConfigProblem {
            server: self.server.clone(),
            field: path.join(".").into(),
            line: place::line_of(self.text, path),
            problem: problem.into(),
        });
    }

    /// `None` if there is a problem, or the entry is switched off.
    fn server_config(&mut self, name: &str, entry: &Value) -> Option<ServerConfig> {
        let at = |field| ["mcpServers", name, field];
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || !name.chars().all(is_plain) {
            let rule = "a name has up to 64 letters, digits, dots, hyphens and underscores";
            self.problem(&["mcpServers", name], rule);
            return None;
        }
        let Some(entry) = entry.as_object() else {
            self.problem(&["mcpServers", name], "is not an object");
            return None;
        };
        if entry.get("disabled").is_some_and(Value::is_truthy) {
            return None;
        }
        for (field, _) in entry.iter().filter(|(field, _)| !FIELDS.contains(&field.as_str())) {
            tracing::warn!(server = name, %field, "Unknown field in mcp.json is ignored.");
        }
        let call_timeout = match entry.get("timeoutMs") {
            None => None,
            Some(value) => match value.as_f64().filter(|given| *given >= 1.0) {
                Some(given) => Some(Duration::from_millis(given as u64).min(MAX_CALL_TIMEOUT)),
                None => {
                    self.problem(&at("timeoutMs"), "is not a positive number");
                    None
                }
            },
        };
        let allowed_tools = entry.contains_key("allowedTools").then(|| {
            let names = self.texts(entry, &at("allowedTools"));
            names.into_iter().map(Str::from).collect()
        });
        let kind = self.text(entry, &at("type"));
        let launch = match kind.as_deref() {
            None | Some("stdio") if entry.contains_key("command") => self.process(name, entry),
            None if !entry.contains_key("url") => {
                self.problem(&["mcpServers", name], "has neither 'command' nor 'url'");
                None
            }
            None | Some("http" | "streamable-http" | "streamableHttp") => {
                self.remote(name, entry, McpTransport::Http)
            }
            Some("sse") => self.remote(name, entry, McpTransport::Sse),
            Some("stdio") => {
                self.problem(&at("command"), "is missing");
                None
            }
            Some(other) => {
                let known = "known types are 'stdio', 'http' and 'sse'";
                self.problem(&at("type"), format!("'{other}' is unknown; {known}"));
                None
            }
        }?;
        Some(ServerConfig { launch, call_timeout, allowed_tools })
    }

    fn process(&mut self, name: &str, entry: &Object) -> Option<Launch> {
        let at = |field| ["mcpServers", name, field];
        let command = self.text(entry, &at("command")).unwrap_or_default();
        if command.trim().is_empty() || command.contains('\0') {
            self.problem(&at("command"), "is empty or not a text");
            return None;
        }
        let args = self.texts(entry, &at("args"));
        let path = self.texts(entry, &at("path"));
        if let Some(folder) = path.iter().find(|folder| !folder.starts_with('/')) {
            self.problem(&at("path"), format!("'{folder}' is not an absolute path"));
        }
        let env = self.pairs(entry, &at("env"));
        for (variable, _) in &env {
            if let Err(rule) = check_variable(variable) {
                self.problem(&["mcpServers", name, "env", variable], rule);
            }
        }
        let cwd = self.text(entry, &at("cwd")).map(PathBuf::from);
        let memory = match entry.get("memoryMb") {
            None => PROCESS_MEMORY,
            Some(value) => match value.as_f64().filter(|given| *given >= 16.0) {
                Some(given) => (given as u64).saturating_mul(1 << 20),
                None => {
                    self.problem(&at("memoryMb"), "is not a number of at least 16");
                    PROCESS_MEMORY
                }
            },
        };
        Some(Launch::Process(ProcessConfig { command, args, env, cwd, path, memory }))
    }

    fn remote(&mut self, name: &str, entry: &Object, transport: McpTransport) -> Option<Launch> {
        let at = |field| ["mcpServers", name, field];
        let given = self.text(entry, &at("url")).unwrap_or_default();
        let url = Url::parse(&given).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https") && url.has_host() && url.username().is_empty()
        });
        if url.is_none() {
            self.problem(&at("url"), "is not an http or https address without a user name");
        }
        let headers = self.pairs(entry, &at("headers"));
        for (header, value) in &headers {
            let fits = http::HeaderName::try_from(header).is_ok()
                && http::HeaderValue::try_from(value).is_ok();
            if !fits {
                let path = ["mcpServers", name, "headers", header];
                self.problem(&path, "is not a valid header");
            }
        }
        Some(Launch::Remote { transport, url: url?, headers })
    }

    fn text(&mut self, entry: &Object, path: &[&str; 3]) -> Option<String> {
        match entry.get(path[2]) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.to_string()),
            Some(_) => {
                self.problem(path, "is not a text");
                None
            }
        }
    }

    fn texts(&mut self, entry: &Object, path: &[&str; 3]) -> Vec<String> {
        let Some(value) = entry.get(path[2]) else { return Vec::new() };
        let texts = value.as_array().and_then(|values| {
            values.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<_>>()
        });
        texts.unwrap_or_else(|| {
            self.problem(path, "is not a list of texts");
            Vec::new()
        })
    }

    fn pairs(&mut self, entry: &Object, path: &[&str; 3]) -> Vec<(String, String)> {
        let Some(value) = entry.get(path[2]) else { return Vec::new() };
        let pairs = value.as_object().and_then(|object| {
            let pair = |(name, value): (&Str, &Value)| {
                Some((name.to_string(), value.as_str().filter(|text| !text.contains('\0'))?.into()))
            };
            object.iter().map(pair).collect::<Option<_>>()
        });
        pairs.unwrap_or_else(|| {
            self.problem(path, "is not an object of texts");
            Vec::new()
        })
    }
}
