//! What an author says about asking a person before an agent uses its tools.

use agent::{AgentOptions, ApprovalPolicy};
use node_api::ai::Tool;
use node_api::prelude::*;
use node_api::tool_name;
use std::sync::Arc;

const HOUR_MS: f64 = 3_600_000.0;

/// Nobody is waited for longer than ten years.
const MAX_HOURS: f64 = 87_600.0;

/// Options of an agent; without them it asks nobody.
pub(super) fn params() -> [Param; 4] {
    let choices = [
        ("never", "Never"),
        ("changes", "Tools that change something or send data out"),
        ("all", "Every tool"),
    ];
    [
        Param::choice("askBefore", "Ask before tools run", &choices).help(
            "The run is suspended until someone approves or rejects the exact call. \
                 Sub-workflow and agent tools require approval only with \"Every tool\" or if \
                 listed by name.",
        ),
        Param::text("alsoAskBefore", "Also ask before", "")
            .help("Comma-separated names of tools that always require approval."),
        Param::text("maySendAnywhere", "May send anywhere", "").help(
            "Comma-separated names of tools that may send data to any destination, even after \
                 the agent has read untrusted content.",
        ),
        Param::number("approvalHours", "Approval timeout", 24).between(0.0, MAX_HOURS).help(
            "In hours. A call without a decision by then is not made, and the agent is \
                 informed.",
        ),
    ]
}

/// Puts what the options of the node at an item say into those of its loop, which has these tools.
pub(super) fn read(
    ctx: &Ctx<'_>,
    index: usize,
    tools: &[Arc<dyn Tool>],
    options: &mut AgentOptions,
) -> Result<(), NodeError> {
    let option = |name: &str| ctx.param(&format!("options.{name}"), index);
    let wrong = |name: &str, problem: String| {
        NodeError::parameter(&format!("options.{name}"), problem).on_item(index)
    };
    options.approval = match option("askBefore")? {
        Value::Undefined | Value::Null => ApprovalPolicy::Never,
        given => match given.as_str() {
            Some("never") => ApprovalPolicy::Never,
            Some("changes") => ApprovalPolicy::Changes,
            Some("all") => ApprovalPolicy::All,
            // Whoever means to be asked is not to find out afterwards that they were not.
            _ => {
                return Err(wrong(
                    "askBefore",
                    format!("'{}' must be one of never, changes or all", given.to_js_string()),
                ));
            }
        },
    };
    let named = |option_name: &str, purpose: &str| -> Result<Vec<Str>, NodeError> {
        let names = match option(option_name)? {
            Value::Undefined | Value::Null => Str::new(),
            given => given.to_js_string(),
        };
        let mut all = Vec::new();
        for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let known = tools.iter().map(|tool| &tool.definition().name);
            let found = { known.clone() }
                .find(|known| *known == name)
                .or_else(|| { known }.find(|known| **known == tool_name(name)));
            let Some(found) = found else {
                let there: Vec<&str> =
                    tools.iter().map(|tool| tool.definition().name.as_str()).collect();
                let problem = format!("There is no tool '{name}' {purpose}");
                return Err(wrong(option_name, problem)
                    .hint(format!("Available tools: {}.", there.join(", "))));
            };
            all.push(found.clone());
        }
        Ok(all)
    };
    options.ask_before = named("alsoAskBefore", "to require approval for")?;
    options.trusted = named("maySendAnywhere", "to allow sending anywhere")?;
    let asks = options.approval != ApprovalPolicy::Never || !options.ask_before.is_empty();
    if !asks {
        return Ok(());
    }
    if let Some(hours) = option("approvalHours")?.as_f64() {
        options.approval_timeout_ms = (hours.clamp(0.0, MAX_HOURS) * HOUR_MS) as u64;
    }
    match ctx.host().can_wait_for_person() {
        true => Ok(()),
        false => {
            Err(NodeError::failed("An agent used as an ordinary tool cannot wait for approval")
                .hint("Use an AI Agent Tool instead, or set the agent to never ask.")
                .on_item(index))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::ai::{ToolCallContext, ToolDefinition, ToolEffect, ToolFailure, ToolOutput};
    use node_api::{NodeInfo, Spec};
    use node_testing::TestHost;

    struct Named(ToolDefinition);

    #[async_trait::async_trait]
    impl Tool for Named {
        fn definition(&self) -> &ToolDefinition {
            &self.0
        }

        async fn call(
            &self,
            _arguments: Object,
            _context: &ToolCallContext,
        ) -> Result<ToolOutput, ToolFailure> {
            Ok(ToolOutput::new("done"))
        }
    }

    fn options(given: Value) -> Result<AgentOptions, NodeError> {
        let named = |name: &str| -> Arc<dyn Tool> {
            let definition = ToolDefinition {
                name: name.into(),
                description: "".into(),
                parameters: json!({ "type": "object" }),
                effect: ToolEffect::None,
                flow: node_api::ai::DataFlow::default(),
            };
            Arc::new(Named(definition))
        };
        let host = TestHost::new(&Spec::default(), 1.0, &json!({ "options": given }));
        let (node, mut options) = (NodeInfo::default(), AgentOptions::default());
        read(
            &Ctx::new(&node, &[], 0, &host),
            0,
            &[named("Send_mail"), named("look")],
            &mut options,
        )?;
        Ok(options)
    }

    #[test]
    fn without_a_word_nobody_is_asked() {
        for given in
            [json!({}), json!({ "askBefore": "never", "alsoAskBefore": " , ", "approvalHours": 1 })]
        {
            let options = options(given).unwrap();
            assert!(options.approval == ApprovalPolicy::Never && options.ask_before.is_empty());
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_and_not_taken_for_never() {
        for (given, words) in [
            (json!({ "askBefore": "sometimes" }), "'sometimes'"),
            (json!({ "askBefore": true }), "'true'"),
            (json!({ "alsoAskBefore": "Send mail, pay" }), "'pay'"),
            // The host of this test cannot wait.
            (json!({ "askBefore": "all" }), "cannot wait"),
            (json!({ "alsoAskBefore": "Send mail" }), "cannot wait"),
        ] {
            let error = options(given.clone()).unwrap_err();
            assert!(error.message().contains(words), "{given:?}: {}", error.message());
        }
    }
}
