//! A calculator for models, which are bad at arithmetic.

use super::arithmetic::calculate;
use super::fn_tool::tool_spec;
use node_api::ai::{
    Supply, Tool, ToolCallContext, ToolDefinition, ToolEffect, ToolFailure, ToolOutput,
};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};
use std::sync::Arc;

pub(crate) struct CalculatorTool;

impl Supplier for CalculatorTool {
    fn spec() -> Spec {
        tool_spec("calculator-tool", &[1.0], "Calculator", "Lets an agent calculate")
            .recommended()
            .icon("calculator")
            .hint(
                "Connect it to every agent that handles numbers: models are unreliable at \
                 arithmetic.",
            )
            .alias(&["math", "arithmetic", "sum"])
            .note("Supports + - * / ^, parentheses and signs only.")
    }

    async fn supply(_ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Tools(vec![Arc::new(Calculator::named("calculator".into(), "expression"))]))
    }
}

/// n8n's node: named as the node is, and asked for `input`.
pub(crate) struct ToolCalculator;

impl Supplier for ToolCalculator {
    fn spec() -> Spec {
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolCalculator",
            &[1.0],
            "Calculator",
            "Lets an agent calculate, compatible with n8n",
        )
        .compatible()
        .icon("calculator")
        .hint(
            "Connect it to every agent that handles numbers: models are unreliable at arithmetic.",
        )
        .alias(&["math", "arithmetic", "sum"])
        .differs("Supports + - * / ^, parentheses and signs, but no functions such as sqrt.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Tools(vec![Arc::new(Calculator::named(tool_name_of(ctx.node()), "input"))]))
    }
}

/// What the calculator makes of an expression, or what it says is wrong with it: for the fuzzer.
pub fn probe_calculator(expression: &str) -> Result<f64, String> {
    calculate(expression).map_err(|problem| problem.to_string())
}

struct Calculator {
    definition: ToolDefinition,
    /// The argument with the expression.
    argument: &'static str,
}

impl Calculator {
    fn named(name: Str, argument: &'static str) -> Self {
        let expression =
            json!({ "type": "string", "description": "Arithmetic such as (2 + 3) * 4 ^ 2" });
        let mut parameters = json!({ "type": "object" });
        parameters.make_object().insert("properties", Object::from_iter([(argument, expression)]));
        parameters.make_object().insert("required", Value::array(vec![argument.into()]));
        let description =
            "Calculates with + - * / ^ and parentheses. Use it for every calculation.".into();
        Self {
            definition: ToolDefinition {
                name,
                description,
                parameters,
                effect: ToolEffect::None,
                flow: node_api::ai::DataFlow::default(),
            },
            argument,
        }
    }
}

#[async_trait::async_trait]
impl Tool for Calculator {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(
        &self,
        arguments: Object,
        _context: &ToolCallContext,
    ) -> Result<ToolOutput, ToolFailure> {
        let expression = arguments.get(self.argument).and_then(Value::as_str).unwrap_or_default();
        let result =
            calculate(expression).map_err(|problem| ToolFailure::new(problem.to_string()))?;
        Ok(ToolOutput::new(model::number_to_string(result)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn results_are_written_as_people_write_numbers() {
        let calculator = Calculator::named("calculator".into(), "expression");
        let context = ToolCallContext::default();
        let call =
            |text: &str| calculator.call(Object::from_iter([("expression", text)]), &context);
        assert_eq!(call("0.5 * 8").await.unwrap().to_text(), "4");
        assert_eq!(call("1/3").await.unwrap().to_text(), "0.3333333333333333");
        assert_eq!(
            call("2 +").await.unwrap_err().to_string(),
            "Invalid expression: expected a number, but found the end"
        );
    }
}
