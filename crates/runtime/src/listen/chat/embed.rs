//! Embeddings of texts, made by an embeddings node of a stored workflow.

use super::MEMORY_TIMEOUT_MS;
use crate::{Error, LoadedWorkflow, Runtime, versions};
use engine::RunOutcome;
use model::{Item, Object, Str, Value, Workflow};

impl Runtime {
    /// The vectors of texts, made by an embeddings node of a stored workflow: items with
    /// `embedding`. `asker` is the type of the node that asks it.
    pub async fn embed(
        &self,
        workflow_id: &str,
        node: &str,
        asker: &str,
        texts: Vec<Str>,
    ) -> Result<RunOutcome, Error> {
        let missing = || Error::NoWorkflow { id: workflow_id.into() };
        let stored = self.store.workflow(workflow_id).await?.ok_or_else(missing)?;
        let stored = versions::with_listening_document(&self.store, stored).await?;
        let unreadable = |cause: String| Error::Unreadable { cause: cause.into() };
        let mut document =
            model::json::parse(&stored.document).map_err(|error| unreadable(error.to_string()))?;
        let asking = Str::from(format!("Embed {}", store::new_id()));
        add_embedding_node(&mut document, node, &asking, asker);
        let workflow = Workflow::from_value(&document)
            .ok_or_else(|| unreadable("it is not an object".to_owned()))?;
        let loaded = LoadedWorkflow::of_text(&workflow, &stored, &self.engine);
        let items =
            texts.into_iter().map(|text| Item::new(Object::from_iter([("text", text)]))).collect();
        Ok(self.runner.ask_trigger(&loaded, &asking, items, MEMORY_TIMEOUT_MS).await)
    }
}

/// Puts a node behind an embeddings node that asks it for the vectors of its items.
fn add_embedding_node(document: &mut Value, node: &str, asking: &Str, asker: &str) {
    let fields = [
        ("id", Value::from(asking.clone())),
        ("name", asking.clone().into()),
        ("type", asker.into()),
        ("typeVersion", 1.into()),
        ("position", Value::array(vec![0.into(), 0.into()])),
        ("parameters", Value::empty_object()),
    ];
    let mut nodes = document.get("nodes").and_then(Value::as_array).unwrap_or_default().to_vec();
    nodes.push(Object::from_iter(fields).into());
    let to = [
        ("node", Value::from(asking.clone())),
        ("type", "ai_embedding".into()),
        ("index", 0.into()),
    ];
    let connection = Value::array(vec![Value::array(vec![Object::from_iter(to).into()])]);
    let mut connections =
        document.get("connections").and_then(Value::as_object).cloned().unwrap_or_default();
    connections.insert(node, Value::from(Object::from_iter([("ai_embedding", connection)])));
    let document = document.make_object();
    document.insert("nodes", Value::array(nodes));
    document.insert("connections", Value::from(connections));
}
