//! Puts out the vector of a text, for each item.

use crate::ai::sub_nodes::embedder;
use model::Kind;
use node_api::prelude::*;

/// Its type.
pub const EMBED_TEXTS: &str = "embed-texts";

pub(crate) struct EmbedTexts;

impl Node for EmbedTexts {
    fn spec() -> Spec {
        Spec::new(EMBED_TEXTS, &[1.0], "Embed Texts", "Create embeddings of texts")
            .group(NodeGroup::Ai)
            .icon("brain-circuit")
            .inputs([Port::main(), Port::of(Kind::AiEmbedding, "Embeddings")])
            .param(Param::text("text", "Text", "={{ $json.text }}").required().help("The text of each item."))
            .hint("Use it to compare texts by meaning in your own code. Vector stores create \
                 embeddings themselves.")
            .alias(&["embedding", "vector", "similarity"])
            .note("All texts of a run are embedded together. The embeddings node sets the batch size.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let embedder = embedder(ctx, 0).await?;
        let texts =
            (0..items.len()).map(|index| ctx.text("text", index)).collect::<Result<Vec<_>, _>>()?;
        let vectors = embedder.embed(&texts).await?;
        if vectors.len() != texts.len() {
            return Err(NodeError::failed(format!(
                "{} texts were sent, but {} vectors were returned",
                texts.len(),
                vectors.len()
            )));
        }
        let mut output = ctx.builder();
        for (index, vector) in vectors.into_iter().enumerate() {
            let numbers = Value::array(
                vector.into_iter().map(|number| Value::from(f64::from(number))).collect(),
            );
            let json = Object::from_iter([
                ("embedding", numbers),
                ("model", Value::from(embedder.model())),
            ]);
            output.push(Item::new(json).paired_with(index));
        }
        Ok(vec![output.finish()])
    }
}
