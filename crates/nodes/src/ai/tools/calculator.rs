//! A calculator for models, which are bad at arithmetic.

use super::arithmetic::calculate;
use model::Kind;
use node_api::ai::{Effect, Supply, Tool, ToolAnswer, ToolCallContext, ToolDefinition, ToolFailure};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct CalculatorTool;

impl Supplier for CalculatorTool {
    fn spec() -> Spec {
        Spec::new("calculator-tool", &[1.0], "Calculator", "Lets an agent calculate")
            .group(Group::Tool)
            .inputs([])
            .outputs([Port::of(Kind::AiTool, "")])
            .hint("Connect it to every agent that may meet numbers: models guess at arithmetic.")
            .alias(&["math", "arithmetic", "sum"])
            .note("It knows + - * / ^, parentheses and signs, and nothing else.")
    }

    async fn supply(_ctx: SupplyCtx) -> Result<Supply, NodeError> {
        Ok(Supply::Tools(vec![Arc::new(Calculator::default())]))
    }
}

struct Calculator {
    definition: ToolDefinition,
}

impl Default for Calculator {
    fn default() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": { "expression": { "type": "string", "description": "Arithmetic such as (2 + 3) * 4 ^ 2" } },
            "required": ["expression"]
        });
        let description = "Calculates with + - * / ^ and parentheses. Use it for every calculation.";
        Self { definition: ToolDefinition { name: "calculator".into(), description: description.into(), parameters, effect: Effect::None } }
    }
}

#[async_trait::async_trait]
impl Tool for Calculator {
    fn definition(&self) -> &ToolDefinition {
        &self.definition
    }

    async fn call(&self, arguments: Object, _context: &ToolCallContext) -> Result<ToolAnswer, ToolFailure> {
        let expression = arguments.get("expression").and_then(Value::as_str).unwrap_or_default();
        let result = calculate(expression).map_err(|problem| ToolFailure::new(problem.to_string()))?;
        Ok(ToolAnswer::new(model::number_to_string(result)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn results_are_written_as_people_write_numbers() {
        let calculator = Calculator::default();
        let context = ToolCallContext::default();
        let call = |text: &str| calculator.call(Object::from_iter([("expression", text)]), &context);
        assert_eq!(call("0.5 * 8").await.unwrap().to_text(), "4");
        assert_eq!(call("1/3").await.unwrap().to_text(), "0.3333333333333333");
        assert_eq!(call("2 +").await.unwrap_err().to_string(), "Invalid expression: a number was expected, not the end");
    }
}
