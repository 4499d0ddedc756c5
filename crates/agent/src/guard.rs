//! Stands between a model and the tools: names, arguments and sizes are checked before and after a
//! call.

use crate::AgentError;
use crate::host::AgentHost;
use crate::schema::{PatternBudget, Validator, read_cost, validator};
use futures::future::{Either, select};
use model::{Object, Str, Value};
use ports::ai::{
    Exposure, Tool, ToolArguments, ToolCall, ToolCallContext, ToolEffect, ToolFailure, ToolOutput,
};
use ports::policy::BoundPolicy;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;

/// What a model may give one tool at most.
const MAX_ARGUMENT_BYTES: usize = 1 << 20;

/// The tools of a run, ready to be called.
pub struct ToolGuard {
    tools: Vec<GuardedTool>,
    by_name: HashMap<Str, usize>,
    max_result_bytes: usize,
    /// How long one call may take, unless the tool can be resumed.
    timeout_ms: Option<u64>,
    /// What the run has come across before the loop.
    prior_exposure: Exposure,
    policy: BoundPolicy,
}

struct GuardedTool {
    tool: Arc<dyn Tool>,
    validator: Validator,
}

/// Why a call is not made, in words for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidCall(pub Str);

impl ToolGuard {
    pub fn new(tools: Vec<Arc<dyn Tool>>, max_result_bytes: usize) -> Result<Self, AgentError> {
        let weight = tools.iter().map(|tool| read_cost(&tool.definition().parameters)).sum();
        compute::for_size(weight, || Self::read(tools, max_result_bytes))
            .map_err(AgentError::Busy)?
    }

    fn read(tools: Vec<Arc<dyn Tool>>, max_result_bytes: usize) -> Result<Self, AgentError> {
        // Callers bring tools of their own, so the patterns of all of them are limited together.
        let mut patterns = PatternBudget::default();
        let mut guard = Self {
            tools: Vec::new(),
            by_name: HashMap::new(),
            max_result_bytes,
            timeout_ms: None,
            prior_exposure: Exposure::default(),
            policy: BoundPolicy::default(),
        };
        for tool in tools {
            let name = tool.definition().name.clone();
            if guard.by_name.insert(name.clone(), guard.tools.len()).is_some() {
                return Err(AgentError::SameName { name });
            }
            let unusable = |problem: String| AgentError::Schema {
                tool: tool.definition().name.clone(),
                problem: problem.into(),
            };
            let schema = as_serde(&tool.definition().parameters).map_err(unusable)?;
            let validator = validator(&schema, &mut patterns).map_err(unusable)?;
            guard.tools.push(GuardedTool { tool, validator });
        }
        Ok(guard)
    }

    /// The same with a limit on the time of each call.
    pub fn with_timeout(self, timeout_ms: u64) -> Self {
        Self { timeout_ms: Some(timeout_ms), ..self }
    }

    /// The same for an agent whose calls the operator has rules about.
    pub fn governed_by(self, policy: BoundPolicy) -> Self {
        Self { policy, ..self }
    }

    pub(crate) fn policy(&self) -> &BoundPolicy {
        &self.policy
    }

    /// The MCP server that a tool is of, if it is of one.
    pub(crate) fn server_of(&self, name: &str) -> Option<Str> {
        let found = self.tools.get(*self.by_name.get(name)?)?;
        Some(found.tool.source().server.clone()).filter(|server| !server.is_empty())
    }

    /// Works until it is done, or until the operator stops the agent.
    pub(crate) async fn until_stopped<T>(
        &self,
        work: impl Future<Output = Result<T, AgentError>>,
    ) -> Result<T, AgentError> {
        let BoundPolicy { policy, subject } = &self.policy;
        match select(policy.wait_agent_stopped(subject), pin!(work)).await {
            Either::Left((reason, _)) => Err(AgentError::Stopped { reason }),
            Either::Right((outcome, _)) => outcome,
        }
    }

    /// The same in a run that has come across this already.
    pub fn exposed_to(self, met: Exposure) -> Self {
        Self { prior_exposure: self.prior_exposure.and(met), ..self }
    }

    /// What the loop has come across once these tools were used. Data that any of its tools can get
    /// at is within its reach.
    pub(crate) fn exposure<'n>(
        &self,
        also: Exposure,
        used: impl IntoIterator<Item = &'n Str>,
    ) -> Exposure {
        let flow_of = |name: &Str| {
            self.by_name
                .get(name)
                .and_then(|index| self.tools.get(*index))
                .map(|found| found.tool.definition().flow)
        };
        let untrusted = used.into_iter().filter_map(flow_of).any(|flow| flow.untrusted);
        let private = self.tools().any(|tool| tool.definition().flow.private);
        self.prior_exposure.and(also).and(Exposure { untrusted, private })
    }

    /// Whether what was said earlier may hold text of strangers: some tool brings such text in.
    pub(crate) fn brings_untrusted(&self) -> bool {
        self.tools().any(|tool| tool.definition().flow.untrusted)
    }

    pub fn tools(&self) -> impl Iterator<Item = &Arc<dyn Tool>> {
        self.tools.iter().map(|guarded| &guarded.tool)
    }

    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tool and the arguments of a call, or what is wrong with it.
    pub fn admit(&self, call: &ToolCall) -> Result<(&Arc<dyn Tool>, Object), InvalidCall> {
        let Some(guarded) = self.by_name.get(&call.name).and_then(|index| self.tools.get(*index))
        else {
            let names: Vec<&str> =
                self.tools().map(|tool| tool.definition().name.as_str()).collect();
            return Err(InvalidCall(
                format!("There is no tool '{}'. The tools are: {}.", call.name, names.join(", "))
                    .into(),
            ));
        };
        let arguments = match &call.arguments {
            ToolArguments::Parsed(arguments) => arguments.clone(),
            ToolArguments::Malformed { problem, .. } => {
                return Err(InvalidCall(
                    format!("The arguments of '{}' are not a JSON object: {problem}", call.name)
                        .into(),
                ));
            }
        };
        let text = model::json::to_string(&Value::from(arguments.clone()));
        if text.len() > MAX_ARGUMENT_BYTES {
            let message = format!(
                "The arguments of '{}' have {} bytes; the limit is {MAX_ARGUMENT_BYTES}",
                call.name,
                text.len()
            );
            return Err(InvalidCall(message.into()));
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "converts a small value that is already parsed"
        )]
        let given: serde_json::Value = serde_json::from_str(&text).map_err(|problem| {
            InvalidCall(
                format!("The arguments of '{}' cannot be read: {problem}", call.name).into(),
            )
        })?;
        let problems = guarded.validator.problems(&given);
        let problems: Vec<String> = problems
            .iter()
            .map(|problem| format!("{}: {}", path_or_root(&problem.path), problem.text))
            .collect();
        if !problems.is_empty() {
            return Err(InvalidCall(
                format!(
                    "The arguments of '{}' do not match its schema: {}",
                    call.name,
                    problems.join("; ")
                )
                .into(),
            ));
        }
        Ok((&guarded.tool, arguments))
    }

    /// Makes a call that was admitted.
    pub(crate) async fn call(
        &self,
        world: &dyn AgentHost,
        tool: &dyn Tool,
        arguments: Object,
        context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let effect = tool.definition().effect;
        let Some(timeout_ms) = self.timeout_ms.filter(|_| effect != ToolEffect::Resumes) else {
            return tool.call(arguments, context).await;
        };
        let call = pin!(tool.call(arguments, context));
        match select(call, pin!(world.sleep(timeout_ms))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) if effect == ToolEffect::None => {
                Err(ToolFailure::new(format!("It timed out after {timeout_ms} ms")))
            }
            Either::Right(_) => Err(ToolFailure::new(format!(
                "It timed out after {timeout_ms} ms. It may have taken effect; check before you \
                 call it again"
            ))),
        }
    }

    /// The same for a result that stays data while it is short enough.
    pub fn capped_value(&self, content: Value) -> Value {
        let text = ToolOutput::new(content.clone()).to_text();
        if text.len() <= self.max_result_bytes { content } else { self.capped(text).into() }
    }

    /// A result as the model gets it: what is longer than the limit is cut, and says so. Control
    /// characters that no text needs are left out.
    pub fn capped(&self, content: Str) -> Str {
        let is_odd = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
        let cleaned = |text: &str| text.chars().filter(|letter| !is_odd(*letter)).collect::<Str>();
        if content.len() <= self.max_result_bytes {
            return if content.contains(is_odd) { cleaned(&content) } else { content };
        }
        let end =
            (0..=self.max_result_bytes).rev().find(|at| content.is_char_boundary(*at)).unwrap_or(0);
        format!("{}\n[cut: {} of {} bytes]", cleaned(&content[..end]), end, content.len()).into()
    }
}

#[expect(clippy::disallowed_methods, reason = "converts a value that is already parsed")]
fn as_serde(schema: &Value) -> Result<serde_json::Value, String> {
    serde_json::from_str(&model::json::to_string(schema)).map_err(|error| error.to_string())
}

fn path_or_root(path: &str) -> &str {
    if path.is_empty() { "arguments" } else { path }
}
