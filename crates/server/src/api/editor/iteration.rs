//! One iteration of an agent as its notes tell it: what the model said, the tools it called, and
//! what that took. Both loops note under the same names; what they note differs.

use super::approvals::StepApprovals;
use super::journal_view::{JournalView, SubNodeCall};
use crate::wire::{
    AgentAction, AgentApproval, AgentIteration, AgentTokens, AgentToolCall, Json, Number,
};
use model::{Kind, Str, Value};
use node_api::ai::Message;
use std::collections::HashMap;

pub(super) struct Iteration<'a> {
    pub(super) index: usize,
    item: usize,
    model: Str,
    message: Value,
    calls: Vec<IterationCall<'a>>,
    tokens: AgentTokens,
    duration_ms: Option<f64>,
    started_ms: Option<i64>,
    dollars: Option<f64>,
    confidence: Option<f64>,
    action: Option<AgentAction>,
}

struct IterationCall<'a> {
    id: Str,
    name: Str,
    arguments: Value,
    /// What came of it; a call that was refused has no result.
    result: Option<CallResult>,
    /// What a person was asked about it.
    approval: Option<AgentApproval<'a>>,
}

struct CallResult {
    content: Value,
    is_error: bool,
    duration_ms: f64,
}

/// Whose note it is: an item, and what is left of the key. Notes of agents within a tool have
/// longer keys.
fn parse_key(key: &str) -> Option<(usize, &str)> {
    let (item, name) = key.strip_prefix("item ")?.split_once(": ")?;
    (!name.contains(": ")).then_some((item.parse().ok()?, name))
}

impl<'a> Iteration<'a> {
    pub(super) fn read(
        story: &JournalView,
        node: &str,
        run: usize,
        approvals: &'a StepApprovals,
    ) -> Vec<Self> {
        let notes = story.checkpoints_of(node, run);
        let results: HashMap<(usize, &str), &Value> = notes
            .iter()
            .filter_map(|(key, value)| Some((parse_key(key)?, value)))
            .filter(|((_, name), _)| name.starts_with("tool "))
            .collect();
        let mut answers = story
            .subnode_calls(node, run, Kind::AiLanguageModel)
            .filter(|served| served.task.error.is_none());
        let mut found = Vec::new();
        for (key, value) in notes {
            let Some((item, name)) = parse_key(key) else { continue };
            let Some(index) = name.strip_prefix("model ").and_then(|number| number.parse().ok())
            else {
                continue;
            };
            let mut iteration = match value.get("message").and_then(Message::from_value) {
                Some(message) => {
                    Self::from_tools_loop(index, item, value, &message, (&results, approvals))
                }
                None => Self::from_strict_loop(index, item, value, &results),
            };
            if let Some(answer) = answers.next() {
                iteration.add_usage(answer);
            }
            found.push(iteration);
        }
        found
    }

    pub(super) fn wants_tools(&self) -> bool {
        !self.calls.is_empty()
    }

    fn new(index: usize, item: usize) -> Self {
        Self {
            index,
            item,
            model: Str::new(),
            message: Value::Null,
            calls: Vec::new(),
            tokens: AgentTokens::default(),
            duration_ms: None,
            started_ms: None,
            dollars: None,
            confidence: None,
            action: None,
        }
    }

    fn from_tools_loop(
        index: usize,
        item: usize,
        note: &Value,
        message: &Message,
        (results, approvals): (&HashMap<(usize, &str), &Value>, &'a StepApprovals),
    ) -> Self {
        let usage = |key: &str| {
            let count = note.get("usage").and_then(|usage| usage.get(key)?.as_usize());
            Some(count.unwrap_or(0) as u64)
        };
        let calls = message.tool_calls().enumerate().map(|(number, call)| {
            let key = format!("tool {index}.{}", number + 1);
            let result = results.get(&(item, key.as_str())).map(|kept| CallResult {
                content: kept.get("content").cloned().unwrap_or_default(),
                is_error: kept.get("isError").and_then(Value::as_bool).unwrap_or_default(),
                duration_ms: kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default(),
            });
            let approval = approvals.of(&format!("item {item}: {key}"));
            IterationCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.to_value(),
                result,
                approval,
            }
        });
        let calls: Vec<IterationCall<'_>> = calls.collect();
        let text = message.text();
        Self {
            model: note.get("model").and_then(Value::as_str).unwrap_or_default().into(),
            message: if text.is_empty() { Value::Null } else { text.into() },
            action: Some(if calls.is_empty() { AgentAction::Final } else { AgentAction::Tool }),
            calls,
            tokens: AgentTokens {
                input: usage("input"),
                cached: usage("cachedRead"),
                output: usage("output"),
                reasoning: usage("reasoning"),
            },
            ..Self::new(index, item)
        }
    }

    fn from_strict_loop(
        index: usize,
        item: usize,
        note: &Value,
        results: &HashMap<(usize, &str), &Value>,
    ) -> Self {
        let text = note.get("text").and_then(Value::as_str).unwrap_or_default();
        let reply = model::json::parse(text.trim()).unwrap_or_else(|_| text.into());
        let field = |key: &str| reply.get(key).filter(|value| !value.is_nullish()).cloned();
        let key = format!("tool {index}");
        let result = results.get(&(item, key.as_str())).map(|kept| {
            let result = kept.get("result").cloned().unwrap_or_default();
            CallResult {
                is_error: result.get("success").and_then(Value::as_bool) == Some(false),
                content: result
                    .get("data")
                    .or_else(|| result.get("error"))
                    .cloned()
                    .unwrap_or_default(),
                duration_ms: kept.get("durationMs").and_then(Value::as_f64).unwrap_or_default(),
            }
        });
        let action = match field("action").as_ref().and_then(Value::as_str) {
            Some("tool") => Some(AgentAction::Tool),
            Some("final") => Some(AgentAction::Final),
            _ => None,
        };
        let name =
            field("tool").as_ref().and_then(Value::as_str).map(Str::from).unwrap_or_default();
        let call = || IterationCall {
            id: key.as_str().into(),
            name,
            arguments: field("input").unwrap_or_else(Value::empty_object),
            result,
            approval: None,
        };
        Self {
            message: if reply.is_object() {
                field("message").or_else(|| field("thought")).unwrap_or(Value::Null)
            } else {
                reply.clone()
            },
            calls: if action == Some(AgentAction::Tool) { vec![call()] } else { Vec::new() },
            duration_ms: note.get("durationMs").and_then(Value::as_f64),
            confidence: reply.get("confidence").and_then(Value::as_f64),
            action,
            ..Self::new(index, item)
        }
    }

    /// Adds what the record of the answer knows: when it was asked for, how long it took and what
    /// it cost.
    fn add_usage(&mut self, answer: &SubNodeCall) {
        self.started_ms = Some(answer.task.start_time_ms);
        self.duration_ms.get_or_insert(answer.task.execution_time_ms as f64);
        let Some(spent) = &answer.spent else { return };
        self.dollars = spent.dollars;
        if self.model.is_empty() {
            self.model = spent.model.clone();
        }
        if self.tokens.input.is_none() {
            self.tokens = AgentTokens {
                input: Some(spent.input),
                cached: Some(spent.cached),
                output: Some(spent.output),
                reasoning: Some(0),
            };
        }
    }

    pub(super) fn to_wire(&self) -> AgentIteration<'_> {
        AgentIteration {
            index: self.index,
            item: self.item,
            model: &self.model,
            started_ms: self.started_ms,
            duration_ms: self.duration_ms.map(Number),
            message: Json(self.message.clone()),
            tool_calls: self.calls.iter().map(IterationCall::to_wire).collect(),
            tokens: self.tokens,
            dollars: self.dollars.map(Number),
            confidence: self.confidence.map(Number),
            action: self.action,
        }
    }
}

impl IterationCall<'_> {
    fn to_wire(&self) -> AgentToolCall<'_> {
        let result = self.result.as_ref();
        AgentToolCall {
            id: &self.id,
            name: &self.name,
            arguments: Json(self.arguments.clone()),
            result: result.map(|result| Json(result.content.clone())),
            is_error: result.map(|result| result.is_error),
            duration_ms: result.map(|result| Number(result.duration_ms)),
            approval: self.approval.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_an_agent_within_a_tool_are_not_taken_for_ones_of_its_own() {
        assert_eq!(parse_key("item 0: model 1"), Some((0, "model 1")));
        assert_eq!(parse_key("item 12: tool 3.1"), Some((12, "tool 3.1")));
        assert_eq!(parse_key("item 0: tool 1.1: model 1"), None);
        assert_eq!(parse_key("history"), None);
    }
}
