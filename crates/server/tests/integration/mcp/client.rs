//! A client of the Model Context Protocol that sends exactly what it is told.

use crate::app::TestApp;
use serde_json::{Value, json};

pub(super) const MODERN: &str = "2026-07-28";
pub(super) const LEGACY: &str = "2025-06-18";
const META: &str = "io.modelcontextprotocol/";

#[derive(Clone)]
pub(super) struct McpClient {
    http: reqwest::Client,
    pub(super) url: String,
    key: Option<String>,
    session: Option<String>,
    headers: Vec<(String, String)>,
}

/// What came back: the status, and the last message.
pub(super) struct McpReply {
    pub(super) status: u16,
    pub(super) session: Option<String>,
    pub(super) text: String,
    pub(super) messages: Vec<Value>,
}

impl McpReply {
    pub(super) fn message(&self) -> &Value {
        self.messages.last().unwrap_or_else(|| panic!("no message: {} {}", self.status, self.text))
    }

    pub(super) fn result(&self) -> &Value {
        let message = self.message();
        message.get("result").unwrap_or_else(|| panic!("an error: {message}"))
    }

    /// The text of a tool's result, and whether it is an error.
    pub(super) fn tool_text(&self) -> (String, bool) {
        let result = self.result();
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, result["isError"] == json!(true))
    }

    pub(super) fn tool_names(&self) -> Vec<String> {
        let tools = self.result()["tools"].as_array().unwrap();
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    }
}

impl McpClient {
    pub(super) fn new(app: &TestApp, path: &str, key: Option<&str>) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: format!("http://{}{path}", app.address),
            key: key.map(str::to_owned),
            session: None,
            headers: Vec::new(),
        }
    }

    pub(super) fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn with_session(mut self, session: &str) -> Self {
        self.session = Some(session.to_owned());
        self
    }

    fn request(&self, method: reqwest::Method, version: &str) -> reqwest::RequestBuilder {
        let mut request = self
            .http
            .request(method, &self.url)
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", version);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key);
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    /// A request as it is, in the current revision.
    pub(super) fn modern(&self, method: &str, mut params: Value) -> reqwest::RequestBuilder {
        let name = params.get("name").and_then(Value::as_str).map(str::to_owned);
        let token = params.as_object_mut().unwrap().remove("progressToken");
        let mut meta = json!({
            (format!("{META}protocolVersion")): MODERN,
            (format!("{META}clientCapabilities")): {},
            (format!("{META}clientInfo")): { "name": "test", "version": "1" },
        });
        if let Some(token) = token {
            meta["progressToken"] = token;
        }
        params["_meta"] = meta;
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let request = self.request(reqwest::Method::POST, MODERN).header("mcp-method", method);
        let request = match name {
            Some(name) => request.header("mcp-name", name),
            None => request,
        };
        request.header("content-type", "application/json").body(message.to_string())
    }

    pub(super) async fn call(&self, method: &str, params: Value) -> McpReply {
        read(self.modern(method, params).send().await.unwrap()).await
    }

    pub(super) async fn tool(&self, name: &str, arguments: Value) -> McpReply {
        self.call("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    pub(super) async fn tools(&self) -> Vec<String> {
        self.call("tools/list", json!({})).await.tool_names()
    }

    /// A message of an older revision.
    pub(super) async fn legacy(&self, message: &Value) -> McpReply {
        let request = self
            .request(reqwest::Method::POST, LEGACY)
            .header("content-type", "application/json")
            .body(message.to_string());
        read(request.send().await.unwrap()).await
    }

    /// Opens a session of an older revision.
    pub(super) async fn open_session(&self) -> Self {
        let params = json!({ "protocolVersion": LEGACY, "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } });
        let opened = self
            .legacy(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))
            .await;
        assert_eq!(opened.result()["protocolVersion"], json!(LEGACY), "{}", opened.text);
        let client = self.clone().with_session(opened.session.as_deref().unwrap());
        let noted = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(client.legacy(&noted).await.status, 202);
        client
    }

    pub(super) async fn delete(&self) -> u16 {
        self.request(reqwest::Method::DELETE, LEGACY).send().await.unwrap().status().as_u16()
    }

    pub(super) async fn get(&self) -> u16 {
        self.request(reqwest::Method::GET, LEGACY).send().await.unwrap().status().as_u16()
    }
}

pub(super) async fn read(response: reqwest::Response) -> McpReply {
    let status = response.status().as_u16();
    let header = |name: &str| {
        response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
    };
    let (session, kind) = (header("mcp-session-id"), header("content-type").unwrap_or_default());
    let text = response.text().await.unwrap();
    let messages = if kind.starts_with("text/event-stream") {
        let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
        data.filter_map(|line| serde_json::from_str(line.trim()).ok()).collect()
    } else {
        serde_json::from_str(&text).ok().into_iter().collect()
    };
    McpReply { status, session, text, messages }
}
