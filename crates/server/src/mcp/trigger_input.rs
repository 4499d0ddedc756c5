//! What a workflow takes when it is called as a tool: by the trigger that it starts at.

use crate::App;
use crate::access::Principal;
use crate::error::ApiError;
use crate::form;
use model::{Code, Item, Object, Str, Value, json};
use node_api::TriggerKind;
use node_api::ai::MAX_SESSION_ID_BYTES;
use node_api::trigger::{CHAT_MODE, FormField, FormFieldKind, FormPage, TriggerListener};
use runtime::LoadedWorkflow;
use runtime::chat::ChatMessage;

/// Which triggers are chosen first, if a workflow has several.
const PREFERRED: [TriggerKind; 6] = [
    TriggerKind::Workflow,
    TriggerKind::Form,
    TriggerKind::Chat,
    TriggerKind::Webhook,
    TriggerKind::Manual,
    TriggerKind::Schedule,
];

/// The trigger that a call starts, and what it takes.
pub(super) struct TriggerInput {
    pub(super) node: Str,
    kind: InputKind,
}

enum InputKind {
    /// The inputs that the workflow declares; `None` if it takes anything.
    Fields(Option<Vec<(Str, Str)>>),
    Form(Box<FormPage>),
    Chat,
    Webhook,
    Nothing,
}

/// What a run begins with.
pub(super) struct StartItem {
    pub(super) item: Item,
    pub(super) mode: &'static str,
}

impl TriggerInput {
    /// `None` for a workflow that nothing of this kind starts.
    pub(super) fn of(workflow: &LoadedWorkflow, now_ms: i64) -> Option<Self> {
        let triggers = workflow.plan.nodes.iter().filter(|node| !node.disabled);
        let found = triggers.filter_map(|node| {
            let kind = node.node_type.as_ref()?.spec.trigger?;
            let rank = PREFERRED.iter().position(|preferred| *preferred == kind)?;
            Some((rank, kind, node))
        });
        let (_, kind, node) = found.min_by_key(|(rank, ..)| *rank)?;
        let kind = match kind {
            TriggerKind::Workflow => InputKind::Fields(declared_fields(&node.raw_params)),
            TriggerKind::Form => {
                let listens = workflow.listens_as_written(&node.info.name, now_ms).ok()?;
                let page = listens.into_iter().find_map(|listen| match listen {
                    TriggerListener::Form(form) => Some(form.page),
                    _ => None,
                })?;
                InputKind::Form(Box::new(page))
            }
            TriggerKind::Chat => InputKind::Chat,
            TriggerKind::Webhook => InputKind::Webhook,
            _ => InputKind::Nothing,
        };
        Some(Self { node: node.info.name.clone(), kind })
    }

    /// What is said about it where its author said nothing else.
    pub(super) fn description(&self) -> Option<Str> {
        let InputKind::Form(page) = &self.kind else { return None };
        [&page.description, &page.title].into_iter().find(|text| !text.is_empty()).cloned()
    }

    pub(super) fn schema(&self) -> Value {
        match &self.kind {
            InputKind::Fields(None) => json!({ "type": "object", "additionalProperties": true }),
            InputKind::Fields(Some(fields)) => {
                let properties = fields.iter().map(|(name, kind)| (name.clone(), typed(kind)));
                object_schema(properties.collect(), &[])
            }
            InputKind::Form(page) => form_schema(page),
            InputKind::Chat => {
                let message = json!({ "type": "string", "description": "What to say." });
                let session = json!({ "type": "string", "maxLength": MAX_SESSION_ID_BYTES as f64,
                    "description": "The conversation to continue." });
                let properties = [("message", message), ("sessionId", session)];
                object_schema(Object::from_iter(properties), &["message".into()])
            }
            InputKind::Webhook => {
                let body = json!({ "description": "The body of the call." });
                let query = json!({ "type": "object", "description": "The query of the call." });
                let headers = json!({ "type": "object",
                    "description": "The headers of the call, with lower-case names.",
                    "additionalProperties": { "type": "string" } });
                let properties = [("body", body), ("query", query), ("headers", headers)];
                object_schema(Object::from_iter(properties), &[])
            }
            InputKind::Nothing => object_schema(Object::new(), &[]),
        }
    }

    /// The item of a call with these arguments, or what is wrong with them.
    pub(super) fn start(
        &self,
        app: &App,
        who: &Principal,
        arguments: Object,
        length: usize,
    ) -> Result<StartItem, ApiError> {
        let start = |json: Object, mode: &'static str| StartItem { item: Item::new(json), mode };
        Ok(match &self.kind {
            InputKind::Fields(_) => start(arguments, "webhook"),
            InputKind::Form(page) => {
                let problems = form::problems(page, &arguments, length);
                if !problems.is_empty() {
                    return Err(ApiError::new(Code::REQUEST_INVALID, problems.join(" ")));
                }
                let fields = [("$form", Value::from(arguments)), ("formMode", "production".into())];
                start(Object::from_iter(fields), "webhook")
            }
            InputKind::Chat => {
                let text = |key: &str| arguments.get(key).and_then(Value::as_str).map(Str::from);
                let message = text("message").filter(|text| !text.is_empty()).ok_or_else(|| {
                    ApiError::new(Code::REQUEST_INVALID, "'message' is missing or not a text")
                })?;
                // Those of different callers never meet, whatever they call them.
                let session =
                    text("sessionId").map(|id| Str::from(format!("{}:{id}", who.user_id)));
                if session.as_ref().is_some_and(|session| session.len() > MAX_SESSION_ID_BYTES) {
                    let message =
                        format!("'sessionId' is longer than {MAX_SESSION_ID_BYTES} bytes");
                    return Err(ApiError::new(Code::REQUEST_INVALID, message));
                }
                // Nobody else opens it who writes the same name.
                let tokens = &app.runtime.runner.resume_tokens;
                let session = session.map(|session| tokens.sign_session(&session));
                let said = ChatMessage { text: message, session, ..ChatMessage::default() };
                StartItem { item: said.into_item(), mode: CHAT_MODE }
            }
            InputKind::Webhook => {
                let part = |key: &str| match arguments.get(key) {
                    Some(value @ Value::Object(_)) => value.clone(),
                    _ => Value::empty_object(),
                };
                let body = arguments.get("body").cloned().unwrap_or_else(Value::empty_object);
                let item = Object::from_iter([
                    ("headers", part("headers")),
                    ("params", Value::empty_object()),
                    ("query", part("query")),
                    ("body", body),
                    ("webhookUrl", "".into()),
                    ("executionMode", "production".into()),
                ]);
                start(item, "webhook")
            }
            InputKind::Nothing => start(Object::new(), "webhook"),
        })
    }
}

/// The inputs that an Execute Workflow Trigger declares, with their types.
fn declared_fields(params: &Value) -> Option<Vec<(Str, Str)>> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(Str::from);
    match params.get("inputSource").and_then(Value::as_str) {
        Some("passthrough") => None,
        Some("jsonExample") => {
            let example = params.get("jsonExample")?;
            let read = match example {
                Value::String(text) => model::json::parse(text).ok()?,
                other => other.clone(),
            };
            let fields = read.as_object()?.iter();
            Some(fields.map(|(name, value)| (name.clone(), type_of(value).into())).collect())
        }
        _ => {
            let fields = params.get_path("workflowInputs.values")?.as_array()?.iter();
            let named = fields.filter_map(|field| {
                let name = text(field.get("name")).filter(|name| !name.is_empty())?;
                Some((name, text(field.get("type")).unwrap_or_else(|| "string".into())))
            });
            Some(named.collect())
        }
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        _ => "any",
    }
}

fn typed(kind: &str) -> Value {
    match kind {
        "any" => json!({}),
        kind => Object::from_iter([("type", kind)]).into(),
    }
}

fn form_schema(page: &FormPage) -> Value {
    let asked = page
        .fields
        .iter()
        .filter(|field| !matches!(field.kind, FormFieldKind::Html(_) | FormFieldKind::File { .. }));
    let required: Vec<Value> = asked
        .clone()
        .filter(|field| field.required)
        .map(|field| Value::from(field.name.clone()))
        .collect();
    let properties: Object = asked.map(|field| (field.name.clone(), field_schema(field))).collect();
    object_schema(properties, &required)
}

fn field_schema(field: &FormField) -> Value {
    let choice = |options: &[Str]| {
        Object::from_iter([
            ("type", Value::from("string")),
            ("enum", Value::array(options.iter().cloned().map(Value::from).collect())),
        ])
    };
    let several = |options: &[Str]| {
        Object::from_iter([("type", Value::from("array")), ("items", choice(options).into())])
    };
    let mut schema = match &field.kind {
        FormFieldKind::Number => Object::from_iter([("type", "number")]),
        FormFieldKind::Email => Object::from_iter([("type", "string"), ("format", "email")]),
        FormFieldKind::Date => Object::from_iter([("type", "string"), ("format", "date")]),
        FormFieldKind::DropDown { options, multiple: true }
        | FormFieldKind::CheckBoxes { options, .. } => several(options),
        FormFieldKind::DropDown { options, multiple: false } | FormFieldKind::Radio { options } => {
            choice(options)
        }
        _ => Object::from_iter([("type", "string")]),
    };
    if !field.label.is_empty() && field.label != field.name {
        schema.insert("description", field.label.clone());
    }
    schema.into()
}

fn object_schema(properties: Object, required: &[Value]) -> Value {
    let mut schema =
        Object::from_iter([("type", Value::from("object")), ("properties", properties.into())]);
    if !required.is_empty() {
        schema.insert("required", Value::array(required.to_vec()));
    }
    schema.into()
}
