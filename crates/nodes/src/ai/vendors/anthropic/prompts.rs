//! Prompts that the provider writes, improves, or turns into templates.

use super::{PROMPTS_BETA, api};
use crate::ai::vendors::api::CallEffect;
use node_api::prelude::*;

pub(super) async fn call(
    ctx: &Ctx<'_>,
    index: usize,
    operation: &str,
) -> Result<Vec<Item>, NodeError> {
    let mut body = Object::new();
    if operation == "generate" {
        body.insert("task", ctx.text("task", index)?);
    } else {
        let messages = ctx.param("messages.values", index)?;
        body.insert("messages", Value::array(messages.as_array().unwrap_or_default().to_vec()));
        let taken: &[&str] =
            if operation == "improve" { &["system", "feedback"] } else { &["system"] };
        for name in taken {
            let words = ctx.text(&format!("options.{name}"), index)?;
            if !words.is_empty() {
                body.insert(*name, words);
            }
        }
    }
    let path = format!("/v1/experimental/{operation}_prompt");
    let answer = api(ctx, index, PROMPTS_BETA)?
        .json(ctx, index, CallEffect::None, "POST", &path, Some(body.into()))
        .await?;
    if !ctx.flag("simplify", index)? {
        return Ok(vec![Item::new(answer)]);
    }
    let told: &[&str] = match operation {
        "templatize" => &["messages", "system", "variable_values"],
        _ => &["messages", "system"],
    };
    let fields = told.iter().map(|name| (*name, answer.get(name).cloned().unwrap_or_default()));
    Ok(vec![Item::new(fields.collect::<Object>())])
}
