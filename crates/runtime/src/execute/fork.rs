//! A run that goes another way: what an earlier one did up to a step stays as it was, and from
//! there on it is done anew.

use crate::execute::start::{RunRequest, StartContext, retry_mode};
use crate::execute::steps::JournalSteps;
use crate::{AcceptedRun, Error, LoadedWorkflow, Runtime};
use model::{Kind, Object, Str, Value, Workflow};
use node_api::{Registry, StartCause, checkpoints};
use std::sync::Arc;

/// Where a fork begins, and how it differs.
#[derive(Clone, Debug)]
pub struct Fork {
    /// `NODE`, or `NODE/NOTE` for a place within an agent, such as `Agent/model 2`.
    pub from: Str,
    /// Asked from there on, in the place of what the model nodes say.
    pub model: Option<Str>,
}

impl Runtime {
    pub async fn fork(self: &Arc<Self>, id: i64, fork: Fork) -> Result<AcceptedRun, Error> {
        let execution = self.store.execution(id).await?.ok_or(Error::NoExecution { id })?;
        let mut steps = JournalSteps::read(self.store.journal(id).await?);
        let position =
            steps.find(&fork.from).map_err(|problem| Error::NoStep { problem: problem.into() })?;
        let (workflow, document) = match &fork.model {
            None => (self.workflow_of(&execution).await?, self.store.document(id).await?),
            Some(model) => {
                let (workflow, document) = self
                    .with_model(
                        &execution.started.workflow_id,
                        &execution.started.version_id,
                        id,
                        model,
                    )
                    .await?;
                (workflow, Some(document))
            }
        };
        let step = &mut steps.all[position.step];
        let (node, mut notes) = (step.node.clone(), std::mem::take(&mut step.notes));
        notes.truncate(position.notes);
        let mut notes: Object = notes.into_iter().collect();
        // What a person allowed there, they did not allow here.
        checkpoints::discard_unused_approvals(&mut notes);
        let context = StartContext {
            recorded: steps.all.drain(..position.step).filter_map(|step| step.recorded).collect(),
            interrupted_step: Some((node, notes)),
            document,
            called_by_model: steps.called_by_model,
            ..StartContext::default()
        };
        let request = RunRequest {
            workflow,
            cause: StartCause::Hand,
            node: steps.start_node.clone(),
            items: steps.items.clone(),
            mode: retry_mode(&execution.started.mode),
            retry_of: Some(id),
            extent: steps.extent.clone(),
            request_id: Str::new(),
        };
        let run = self.runner.start_with(request, context)?;
        self.runner.wait_accepted(&run.log).await?;
        Ok(run)
    }

    /// The workflow of a run with another model in all its model nodes, and its text.
    async fn with_model(
        &self,
        workflow_id: &Str,
        version_id: &str,
        id: i64,
        model: &Str,
    ) -> Result<(Arc<LoadedWorkflow>, Str), Error> {
        let missing = || Error::NoWorkflow { id: workflow_id.clone() };
        let stored = self.store.workflow(workflow_id).await?.ok_or_else(missing)?;
        let text = match version_id.is_empty() {
            true => self.store.document(id).await?,
            false if stored.version_id == version_id => Some(stored.document.clone()),
            false => self.store.version(version_id).await?,
        };
        let text = text.ok_or_else(missing)?;
        let unreadable = |cause: String| Error::Unreadable { cause: cause.into() };
        let mut document =
            model::json::parse(&text).map_err(|error| unreadable(error.to_string()))?;
        put_model(&mut document, &self.engine.registry, model);
        let workflow = Workflow::from_value(&document)
            .ok_or_else(|| unreadable("it is not an object".into()))?;
        let loaded = Arc::new(LoadedWorkflow::of_text(&workflow, &stored, &self.engine));
        Ok((loaded, model::json::to_string(&document).into()))
    }
}

/// Puts a model's name into every node that supplies one.
fn put_model(document: &mut Value, registry: &Registry, model: &Str) {
    let supplies_models = |node: &Value| {
        let type_name = node.get("type").and_then(Value::as_str).unwrap_or_default();
        let kinds = registry.of_type(type_name).iter().flat_map(|found| found.spec.outputs.iter());
        kinds.into_iter().any(|port| port.kind == Kind::AiLanguageModel)
    };
    let Some(nodes) = document.make_object().get_mut("nodes") else { return };
    for node in nodes.make_array().iter_mut().filter(|node| supplies_models(node)) {
        let parameters = node.make_object().entry("parameters").make_object();
        // n8n's node for Gemini has a name of its own for it.
        let key = if parameters.get("modelName").is_some() { "modelName" } else { "model" };
        let named = match parameters.get(key) {
            Some(Value::Object(_)) => Object::from_iter([
                ("__rl", Value::from(true)),
                ("mode", "id".into()),
                ("value", model.clone().into()),
            ])
            .into(),
            _ => Value::from(model.clone()),
        };
        parameters.insert(key, named);
    }
}
