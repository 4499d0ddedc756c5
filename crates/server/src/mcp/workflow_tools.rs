//! The workflows that are available as tools: those whose settings say so.
//!
//! Invariant: a tool's name means the same workflow to everybody, whatever they may see.

use super::results::to_json_object;
use super::trigger_input::TriggerInput;
use crate::App;
use crate::error::ApiError;
use model::{Str, Value};
use rmcp::model::{Tool, ToolAnnotations};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use store::workflows::StoredWorkflow;
use tokio::sync::Mutex;

/// What the names of all of them begin with, so that none is taken for one of ours.
const NAME_PREFIX: &str = "workflow_";

/// The longest name; clients accept 64 letters.
const MAX_NAME: usize = 64;

/// Letters of the workflow's ID that tell apart two of the same name.
const ID_LETTERS: usize = 6;

/// The setting of a workflow that makes it available, as n8n calls it.
const SETTING: &str = "availableInMCP";

/// All of them, read again when workflows have changed.
#[derive(Default)]
pub(super) struct WorkflowTools(Mutex<Option<ToolIndex>>);

/// A workflow as a tool.
pub(super) struct WorkflowTool {
    pub(super) workflow: Str,
    pub(super) project: Str,
    pub(super) definition: Tool,
}

struct ToolIndex {
    /// The number of the last change that it knows.
    change: i64,
    marked: HashMap<Str, MarkedWorkflow>,
    tools: Arc<BTreeMap<Str, WorkflowTool>>,
}

/// A workflow that is available.
struct MarkedWorkflow {
    name: Str,
    project: Str,
    created_ms: i64,
    description: String,
    schema: Value,
}

impl WorkflowTools {
    /// The tools by name.
    pub(super) async fn all(
        &self,
        app: &App,
    ) -> Result<Arc<BTreeMap<Str, WorkflowTool>>, ApiError> {
        let mut index = self.0.lock().await;
        let change = app.store.workflows_changed().await?;
        let read = match index.take() {
            Some(mut known) => {
                if known.change != change {
                    for id in app.store.changed_since(known.change).await? {
                        let marked = match app.store.workflow(&id).await? {
                            Some(stored) => MarkedWorkflow::read(app, &stored).await,
                            None => None,
                        };
                        match marked {
                            Some(marked) => drop(known.marked.insert(id, marked)),
                            None => drop(known.marked.remove(&id)),
                        }
                    }
                    known.tools = Arc::new(named(&known.marked));
                }
                ToolIndex { change, ..known }
            }
            None => {
                let mut marked = HashMap::new();
                for id in app.store.workflows_containing(&format!("\"{SETTING}\"")).await? {
                    if let Some(stored) = app.store.workflow(&id).await?
                        && let Some(found) = MarkedWorkflow::read(app, &stored).await
                    {
                        marked.insert(id, found);
                    }
                }
                let tools = Arc::new(named(&marked));
                ToolIndex { change, marked, tools }
            }
        };
        let tools = read.tools.clone();
        *index = Some(read);
        Ok(tools)
    }
}

impl MarkedWorkflow {
    /// `None` if the workflow is not available, or nothing starts it that could be called.
    async fn read(app: &App, stored: &StoredWorkflow) -> Option<Self> {
        if stored.archived || !stored.document.contains(SETTING) {
            return None;
        }
        let document = stored.document.clone();
        let document = compute::for_size(document.len(), || model::json::parse(&document));
        let document = document.ok()?.ok()?;
        let is_marked = document.get_path(&format!("settings.{SETTING}"));
        if is_marked.and_then(Value::as_bool) != Some(true) {
            return None;
        }
        let loaded = app.runtime.load(&stored.id).await.ok()?;
        let input = TriggerInput::of(&loaded, app.runtime.engine.ports.clock.now_ms())?;
        let notes = notes_of(&document, &input.node);
        let description = notes.or_else(|| input.description()).map(|text| text.to_string());
        Some(Self {
            name: stored.name.clone(),
            project: stored.project_id.clone(),
            created_ms: stored.created_ms,
            description: description.unwrap_or_else(|| format!("Run '{}'.", stored.name)),
            schema: input.schema(),
        })
    }
}

/// What the author has noted at a node.
fn notes_of(document: &Value, node: &str) -> Option<Str> {
    let nodes = document.get("nodes")?.as_array()?;
    let found = nodes
        .iter()
        .find(|candidate| candidate.get("name").and_then(Value::as_str) == Some(node))?;
    let notes = found.get("notes")?.as_str()?.trim();
    (!notes.is_empty()).then(|| notes.into())
}

/// The tools by their names. Of several workflows with the same name the oldest has the short one.
fn named(marked: &HashMap<Str, MarkedWorkflow>) -> BTreeMap<Str, WorkflowTool> {
    let mut oldest_first: Vec<(&Str, &MarkedWorkflow)> = marked.iter().collect();
    oldest_first.sort_by_key(|(id, workflow)| (workflow.created_ms, (*id).clone()));
    let mut tools = BTreeMap::new();
    for (id, workflow) in oldest_first {
        let short = tool_name(&workflow.name);
        let name = match tools.contains_key(&short) {
            false => short,
            true => with_id(&short, id),
        };
        let mut annotations = ToolAnnotations::with_title(workflow.name.to_string());
        annotations.read_only_hint = Some(false);
        let definition = Tool::new(
            name.to_string(),
            workflow.description.clone(),
            to_json_object(&workflow.schema),
        )
        .with_title(workflow.name.to_string())
        .with_annotations(annotations);
        let (id, project) = (id.clone(), workflow.project.clone());
        tools.insert(name, WorkflowTool { workflow: id, project, definition });
    }
    tools
}

/// `Send an invoice` as `workflow_send_an_invoice`.
fn tool_name(name: &str) -> Str {
    let mut slug = String::from(NAME_PREFIX);
    for letter in name.chars() {
        match letter {
            letter if letter.is_ascii_alphanumeric() => slug.push(letter.to_ascii_lowercase()),
            _ if slug.ends_with('_') => {}
            _ => slug.push('_'),
        }
    }
    slug.truncate(MAX_NAME);
    slug.trim_end_matches('_').into()
}

fn with_id(short: &str, id: &str) -> Str {
    let letters: String = id.chars().filter(char::is_ascii_alphanumeric).take(ID_LETTERS).collect();
    let room = MAX_NAME - ID_LETTERS - 1;
    format!("{}_{letters}", &short[..short.len().min(room)]).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workflow(name: &str, created_ms: i64) -> MarkedWorkflow {
        MarkedWorkflow {
            name: name.into(),
            project: "p".into(),
            created_ms,
            description: String::new(),
            schema: Value::empty_object(),
        }
    }

    #[test]
    fn names_are_what_every_client_accepts() {
        for (name, expected) in [
            ("Send an invoice", "workflow_send_an_invoice"),
            ("  Ärger & Co. (v2)!", "workflow_rger_co_v2"),
            ("日本", "workflow"),
            ("list_workflows", "workflow_list_workflows"),
        ] {
            assert_eq!(tool_name(name), expected);
        }
        assert_eq!(tool_name(&"x".repeat(500)).len(), MAX_NAME);
    }

    #[test]
    fn two_of_the_same_name_are_told_apart_and_the_oldest_keeps_the_short_name() {
        let marked = HashMap::from([
            ("new-1234567".into(), workflow("Bill", 2)),
            ("old".into(), workflow("bill", 1)),
            ("other".into(), workflow("Mail", 3)),
        ]);
        let tools = named(&marked);
        let names: Vec<(&str, &str)> =
            tools.iter().map(|(name, tool)| (name.as_str(), tool.workflow.as_str())).collect();
        assert_eq!(
            names,
            [
                ("workflow_bill", "old"),
                ("workflow_bill_new123", "new-1234567"),
                ("workflow_mail", "other")
            ]
        );
    }

    #[test]
    fn a_description_is_the_note_at_the_trigger() {
        let document = model::json!({ "nodes": [{ "name": "Start", "notes": " Sends it. " }, { "name": "B", "notes": "" }] });
        assert_eq!(notes_of(&document, "Start").as_deref(), Some("Sends it."));
        assert_eq!(notes_of(&document, "B"), None);
    }
}
