//! A tool that one node supplies, called on its own and not by a model.

use super::connected_tools::host_of;
use super::lock;
use super::subnode_record::SubNodeRecorder;
use super::{ActiveRun, Engine};
use crate::options::RunOptions;
use crate::plan::Plan;
use crate::ports::NoJournal;
use compute::Offload;
use model::{Kind, Object, Value};
use node_api::ai::{Supply, Tool, ToolCallContext};
use node_api::{ErrorClass, NodeError};
use std::pin::pin;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

impl Engine {
    /// Calls the first tool that a node supplies, as far as the operator's policy lets it. A call that
    /// would need a person's approval is refused. Nothing is recorded. `None`: the node supplies no
    /// tool; the warnings say why.
    pub async fn call_tool(
        &self,
        plan: Arc<Plan>,
        node: usize,
        arguments: Object,
        options: RunOptions,
        cancel: CancellationToken,
    ) -> Result<Option<Value>, NodeError> {
        let mut engine = self.clone();
        engine.ports.journal = Arc::new(NoJournal);
        let run = ActiveRun::new(engine, plan.clone(), options, cancel);
        let host = host_of(&run, node);
        let calling = async {
            let supply = host.supply_of(node, Kind::AiTool, 0).await?;
            let info = &plan.nodes[node].info;
            let recorder = SubNodeRecorder::new(&host, info, Kind::AiTool, 0);
            let Supply::Tools(tools) = recorder.recorded(supply, &mut Vec::new()) else {
                return Err(NodeError::failed("The node supplies no tools"));
            };
            let Some(tool) = tools.into_iter().next() else {
                let warnings = std::mem::take(&mut *lock(&run.shared.warnings));
                return match warnings.is_empty() {
                    true => Ok(None),
                    false => Err(NodeError::failed(warnings.join(" "))),
                };
            };
            call(&*tool, arguments).await.map(Some)
        };
        Offload::new(pin!(calling), run.cpu.clone()).await
    }
}

async fn call(tool: &dyn Tool, arguments: Object) -> Result<Value, NodeError> {
    let context = ToolCallContext {
        call_id: "call".into(),
        key: "call".into(),
        allow_egress: true,
        ..ToolCallContext::default()
    };
    let answer = tool.call(arguments, &context).await;
    answer.map(|output| output.content).map_err(|failure| {
        let code = failure.cause.as_deref().and_then(model::Code::from_name);
        let error = match code {
            Some(code) => NodeError::new(code, failure.message),
            None => NodeError::failed(failure.message),
        };
        error.class(ErrorClass::Operation)
    })
}
