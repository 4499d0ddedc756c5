//! Runs a program until it has all it asks for: each time it gets further, with the answers that it
//! has had so far.

use super::connected::Connected;
use crate::ai::agent_host::NodeAgentHost;
use node_api::host::{CodeFlavour, CodeOutput, CodeRequest};
use node_api::prelude::*;
use std::sync::LazyLock;

/// What programs find in place of LangChain: on one line, so that the lines of their own are
/// counted from 1.
static PRELUDE: LazyLock<String> = LazyLock::new(|| {
    include_str!("prelude.js").lines().map(str::trim).collect::<Vec<_>>().join(" ")
});

/// A program and what it sees.
pub(super) struct Program {
    pub(super) source: Str,
    pub(super) items: Items,
    /// Which types of connections it is said to put out.
    pub(super) outputs: Value,
    pub(super) purpose: Purpose,
}

/// What a program is run for.
#[derive(Clone, Debug)]
pub(super) enum Purpose {
    Items,
    /// To know what it supplies.
    Supply,
    /// One of the tools that it supplies is called.
    Call {
        index: usize,
        input: Value,
    },
}

impl Program {
    /// What the program returns, piece by piece.
    pub(super) async fn run(
        &self,
        ctx: &Ctx<'_>,
        world: &NodeAgentHost<'_>,
        connected: &Connected,
    ) -> Result<Vec<CodeOutput>, NodeError> {
        let most = ctx.host().agent_limits().max_iterations;
        let mut answers: Vec<Value> = Vec::new();
        // What a model said may be what the program returns; it must not pass for a call.
        let mut letters = [0; 16];
        ctx.host().fill_random(&mut letters);
        let mark = hex::encode(letters);
        loop {
            let mut pieces = Vec::new();
            let job = CodeRequest {
                source: self.wrapped(),
                flavour: CodeFlavour::AllItems,
                items: self.items.clone(),
                first: 0,
                names: Object::from_iter([("__given", self.given(connected, &answers, &mark))]),
            };
            ctx.host()
                .run_code(job, &mut |piece| {
                    pieces.push(piece);
                    Ok(())
                })
                .await?;
            let asked = match pieces.as_slice() {
                [CodeOutput::Whole(value)] => value.get(&mark).and_then(Value::as_array),
                _ => None,
            };
            let Some(calls) = asked else { return Ok(pieces) };
            if answers.len() + calls.len() > most {
                return Err(NodeError::new(
                    Code::AGENT_LIMIT,
                    format!("The code makes more than {most} calls of connected nodes"),
                )
                .hint("Process fewer items at a time, or ask the operator to raise HEDDLE_AGENT_ITERATIONS."));
            }
            for call in calls {
                if ctx.host().is_cancelled() {
                    return Err(NodeError::cancelled());
                }
                answers.push(connected.answer(ctx, world, answers.len(), call).await?);
            }
        }
    }

    fn wrapped(&self) -> Str {
        format!(
            "{} return await __code.main(async function () {{ {}\n}});",
            PRELUDE.as_str(),
            self.source
        )
        .into()
    }

    fn given(&self, connected: &Connected, answers: &[Value], mark: &str) -> Value {
        let call = match &self.purpose {
            Purpose::Call { index, input } => {
                Object::from_iter([("index", Value::from(*index)), ("input", input.clone())]).into()
            }
            Purpose::Items | Purpose::Supply => Value::Null,
        };
        Object::from_iter([
            ("answers", Value::array(answers.to_vec())),
            ("connected", connected.described()),
            // Names that older programs use.
            (
                "names",
                json!({ "languageModel": "ai_languageModel", "tool": "ai_tool", "memory": "ai_memory" }),
            ),
            ("mark", mark.into()),
            ("outputs", self.outputs.clone()),
            ("supplies", (!matches!(self.purpose, Purpose::Items)).into()),
            ("call", call),
        ])
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_begins_on_the_first_line() {
        assert!(!PRELUDE.contains('\n'));
        assert!(!include_str!("prelude.js").contains("// "), "a comment would swallow the rest");
    }
}
