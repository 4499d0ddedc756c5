//! Chains: nodes that ask a model about each item, without tools.

pub(super) mod classifier;
pub(super) mod extractor;
pub(super) mod llm;
pub(super) mod sentiment;
pub(super) mod summarization;
mod text_chunks;

use super::agent_host::NodeAgentHost;
use super::parsers::structured::{StructuredParser, Wrapping};
use super::sub_nodes::model;
use agent::{AgentError, MAX_REPAIRS, ask_structured};
use model::Kind;
use node_api::ai::Message;
use node_api::prelude::*;

/// The description of a chain: items come in, and a model is connected.
fn chain_spec(spec: Spec) -> Spec {
    spec.group(NodeGroup::Ai)
        .inputs([Port::main(), Port::of(Kind::AiLanguageModel, "Model")])
        .records_steps()
}

/// Whether an answer that cannot be read is given back to the model.
fn auto_fixing_param() -> Param {
    Param::flag("enableAutoFixing", "Enable auto-fixing", true)
        .help("Send responses that cannot be parsed back to the model, twice at most.")
}

/// What a model says about a text, as JSON of a form.
pub(super) async fn ask_json(
    ctx: &Ctx<'_>,
    index: usize,
    key: &str,
    system: Str,
    text: Str,
    schema: &Value,
) -> Result<Value, NodeError> {
    let parser = StructuredParser::new(schema, Wrapping::None)?;
    let model = model(ctx, index).await?;
    let messages = vec![Message::system(system), Message::user(text)];
    let world = NodeAgentHost::silent(ctx, index);
    let is_fixed = ctx.param("options.enableAutoFixing", index)?.as_bool() != Some(false);
    let max_repairs = if is_fixed { MAX_REPAIRS } else { 0 };
    ask_structured(&world, model.as_ref(), key, messages, &parser, max_repairs)
        .await
        .map_err(AgentError::into_node_error)
}

/// A prompt in LangChain's form: `{name}` stands for a value, doubled braces for themselves.
fn fill_template(template: &str, values: &[(&str, &str)]) -> Str {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = values.iter().find(|(name, _)| {
            rest.strip_prefix('{').is_some_and(|rest| rest.starts_with(&format!("{name}}}")))
        });
        let taken = match known {
            Some((name, value)) => {
                filled.push_str(value);
                name.len() + 2
            }
            None => {
                filled.push_str(&rest[..1]);
                if rest.starts_with("{{") || rest.starts_with("}}") { 2 } else { 1 }
            }
        };
        rest = &rest[taken..];
    }
    filled.push_str(rest);
    filled.into()
}

/// Items that go to one of several outputs, and failures to the first.
struct RoutedItems {
    outputs: Vec<ItemsBuilder>,
}

impl RoutedItems {
    fn new(ctx: &Ctx<'_>, n_outputs: usize) -> Self {
        Self { outputs: (0..n_outputs.max(1)).map(|_| ctx.builder()).collect() }
    }

    fn put(&mut self, output: usize, item: Item) {
        if let Some(output) = self.outputs.get_mut(output) {
            output.push(item);
        }
    }

    fn finish(self) -> Outputs {
        self.outputs.into_iter().map(ItemsBuilder::finish).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_filled_in_once_and_keeps_other_braces() {
        assert_eq!(
            fill_template("Say {text} as {{\"a\": {other}}}", &[("text", "{text}")]),
            "Say {text} as {\"a\": {other}}"
        );
        assert_eq!(fill_template("no braces", &[("text", "x")]), "no braces");
        assert_eq!(fill_template("end {", &[("text", "x")]), "end {");
    }
}
