//! n8n's MultiQuery Retriever: a model asks the question in other words, and all of them are looked
//! for.

use super::{ask, retriever, retriever_spec};
use crate::ai::sub_nodes;
use futures::future::try_join_all;
use model::Kind;
use node_api::ai::{ChatModel, Message, Retriever, ScoredDocument, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::collections::HashSet;
use std::sync::Arc;

pub(crate) struct RetrieverMultiQuery;

impl Supplier for RetrieverMultiQuery {
    fn spec() -> Spec {
        let count = Param::number("queryCount", "Query count", 3)
            .between(1.0, 20.0)
            .help("Number of alternative wordings of the question.");
        retriever_spec(
            "retrieverMultiQuery",
            "MultiQuery Retriever",
            "Search with several wordings of a question",
        )
        .inputs([
            Port::of(Kind::AiLanguageModel, "Model"),
            Port::of(Kind::AiRetriever, "Retriever"),
        ])
        .param(Param::collection("options", "Options", [count]).help("Further settings."))
        .hint("For short questions whose wording differs from the documents.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let (inner, item) = (ctx.ctx(), ctx.item());
        let count =
            inner.param("options.queryCount", item)?.as_f64().unwrap_or(3.0).clamp(1.0, 20.0)
                as usize;
        let worded = MultiQueryRetriever {
            model: sub_nodes::model(&inner, item).await?,
            retriever: retriever(&inner, item).await?,
            count,
        };
        Ok(Supply::Retriever(Arc::new(worded)))
    }
}

struct MultiQueryRetriever {
    model: Arc<dyn ChatModel>,
    retriever: Arc<dyn Retriever>,
    count: usize,
}

#[async_trait::async_trait]
impl Retriever for MultiQueryRetriever {
    async fn retrieve(&self, question: &str) -> Result<Vec<ScoredDocument>, NodeError> {
        let instructions = format!(
            "Write {} other ways to ask the question that the user sends, for a search by meaning in a collection of documents. \
             Each stands on a line of its own, without a number or a mark before it. Write nothing else.",
            self.count
        );
        let said =
            ask(self.model.as_ref(), vec![Message::system(instructions), Message::user(question)])
                .await?;
        let questions: Vec<&str> =
            said.lines().map(str::trim).filter(|line| !line.is_empty()).take(self.count).collect();
        let found =
            try_join_all(questions.iter().map(|question| self.retriever.retrieve(question)))
                .await?;
        let mut seen = HashSet::new();
        Ok(found
            .into_iter()
            .flatten()
            .filter(|found| seen.insert(found.document.content.clone()))
            .collect())
    }
}
