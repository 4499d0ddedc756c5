//! Chooses one of the connected models for each item by rules.

use super::model_spec;
use crate::ai::sub_nodes::models;
use crate::conditions::FilterPlan;
use model::Kind;
use node_api::ai::Supply;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub(crate) struct ModelSelector;

impl Supplier for ModelSelector {
    fn spec() -> Spec {
        let rule = [
            Param::number("modelIndex", "Model", 1)
                .at_least(1.0)
                .help("Number of the connected model, starting at 1."),
            Param::filter("conditions", "Conditions").help("Conditions for choosing the model."),
        ];
        let spec = Spec::new(
            "@n8n/n8n-nodes-langchain.modelSelector",
            &[1.0],
            "Model Selector",
            "Choose a model for each item by rules",
        );
        model_spec(spec)
            .icon("route")
            .inputs([
                Port::of(Kind::AiLanguageModel, "Model 1"),
                Port::of(Kind::AiLanguageModel, "Model 2"),
            ])
            .input_rule(PortRule::number("numberInputs", "Model "))
            .params([
                Param::number("numberInputs", "Number of inputs", 2)
                    .between(2.0, 10.0)
                    .help("Number of models that can be connected."),
                Param::repeated("rules", "Rules", [FieldGroup::new("rule", "Rule", rule)])
                    .help("The first matching rule decides."),
            ])
            .hint(
                "Use expensive models only where they are needed. The rules are evaluated on the \
                 agent's item.",
            )
            .alias(&["router", "switch", "choose model"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let models = models(ctx.host().as_ref(), item).await?;
        let rules = inner.param("rules.rule", item)?;
        let rules = rules.as_array().unwrap_or_default();
        if models.is_empty() {
            return Err(NodeError::failed("No models connected")
                .on_item(item)
                .hint("Connect at least one model node."));
        }
        if rules.is_empty() {
            return Err(NodeError::parameter("rules", "No rules defined")
                .on_item(item)
                .hint("Add at least one rule that chooses a model."));
        }
        for (number, rule) in rules.iter().enumerate() {
            let index = rule.get("modelIndex").and_then(Value::as_f64).unwrap_or(1.0);
            let Some((_, model)) = (index >= 1.0).then(|| models.get(index as usize - 1)).flatten()
            else {
                let message = format!("Invalid model index {index}");
                return Err(NodeError::parameter("rules", message)
                    .on_item(item)
                    .hint(format!("Connected models: {}.", models.len())));
            };
            if FilterPlan::new(&inner, &format!("rules.rule[{number}].conditions"))?
                .passes(&inner, item)?
            {
                return Ok(Supply::Model(model.clone()));
            }
        }
        Err(NodeError::failed("No matching rule found")
            .on_item(item)
            .hint("None of the rules matches this item."))
    }
}
