//! Hands out items in batches, one batch each time the loop comes back to it.

use model::{PairedItem, Source};
use node_api::host::NodeState;
use node_api::prelude::*;
use std::sync::Arc;

pub(crate) struct SplitInBatchesV1;
pub(crate) struct SplitInBatchesV2;
pub(crate) struct SplitInBatches;

impl Node for SplitInBatchesV1 {
    fn spec() -> Spec {
        form(
            Spec::new(
                "n8n-nodes-base.splitInBatches",
                &[1.0],
                "Split In Batches",
                "Process items in batches",
            )
            .icon("repeat")
            .subtitle(&["{batchSize} at a time"]),
        )
        .preset_batch_size(10)
        .repeatable()
        .hint("For older workflows. Version 3 has a separate output for the end of the loop.")
        .example(
            "First batch",
            r#"{ "batchSize": 2 }"#,
            r#"[{ "n": 1 }, { "n": 2 }, { "n": 3 }]"#,
            r#"[[{ "n": 1 }, { "n": 2 }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(match next_batch(ctx, &items)? {
            LoopStep::Batch(batch) => vec![batch],
            LoopStep::Done(_) => Vec::new(),
        })
    }
}

impl Node for SplitInBatchesV2 {
    fn spec() -> Spec {
        form(
            Spec::new(
                "n8n-nodes-base.splitInBatches",
                &[2.0],
                "Split In Batches",
                "Process items in batches",
            )
            .icon("repeat")
            .subtitle(&["{batchSize} at a time"]),
        )
        .preset_batch_size(10)
        .outputs([Port::named("loop"), Port::named("done")])
        .hint("For older workflows. Version 3 swaps the outputs.")
        .example(
            "First batch",
            r#"{ "batchSize": 1 }"#,
            r#"[{ "n": 1 }, { "n": 2 }]"#,
            r#"[[{ "n": 1 }], []]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(match next_batch(ctx, &items)? {
            LoopStep::Batch(batch) => vec![batch, Items::new()],
            LoopStep::Done(collected) => vec![Items::new(), collected],
        })
    }
}

impl Node for SplitInBatches {
    fn spec() -> Spec {
        form(
            Spec::new(
                "n8n-nodes-base.splitInBatches",
                &[3.0],
                "Loop Over Items",
                "Process items in batches, then return all results",
            )
            .icon("repeat")
            .subtitle(&["{batchSize} at a time"]),
        )
        .outputs([Port::named("done"), Port::named("loop")])
        .hint(
            "Connect `loop` to the first node of the loop and its last node back to this one. \
                 `done` receives all results at the end.",
        )
        .alias(&["loop", "for each", "batch"])
        .example(
            "First batch",
            r#"{ "batchSize": 2 }"#,
            r#"[{ "n": 1 }, { "n": 2 }, { "n": 3 }]"#,
            r#"[[], [{ "n": 1 }, { "n": 2 }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        Ok(match next_batch(ctx, &items)? {
            LoopStep::Batch(batch) => vec![Items::new(), batch],
            LoopStep::Done(collected) => vec![collected, Items::new()],
        })
    }
}

enum LoopStep {
    Batch(Items),
    /// Nothing is left; with all that came back through the loop.
    Done(Items),
}

/// What is kept between rounds, as lists of items.
struct LoopState {
    /// All items of the first round, and how many of them were handed out.
    all: Items,
    handed_out: usize,
    /// What came back through the loop: the bulk, and the last few that are not worth a chunk of
    /// their own yet.
    returned: Items,
    recent: Items,
}

/// Many small chunks would make every round slower than the one before.
const CHUNK_WORTH_KEEPING: usize = 512;

impl LoopState {
    fn read(lists: &[Items]) -> Option<Self> {
        let [all, cursor, returned, recent] = lists else { return None };
        let handed_out = cursor.first()?.json.as_usize()?;
        Some(Self {
            all: all.clone(),
            handed_out,
            returned: returned.clone(),
            recent: recent.clone(),
        })
    }

    fn write(self) -> Vec<Items> {
        vec![self.all, Items::one(Item::new(self.handed_out)), self.returned, self.recent]
    }

    fn left(&self) -> usize {
        self.all.len().saturating_sub(self.handed_out)
    }

    fn next_batch(&mut self, size: usize) -> Vec<Item> {
        let batch = self.all.range(self.handed_out, size);
        self.handed_out += batch.len();
        batch
    }

    fn collect_returned(&mut self, ctx: &Ctx<'_>, items: impl Iterator<Item = Item>) {
        let mut recent = ctx.builder();
        recent.extend(self.recent.iter().chain(items));
        self.recent = recent.finish();
        if self.recent.len() >= CHUNK_WORTH_KEEPING {
            self.returned.append(&self.recent);
            self.recent = Items::new();
        }
    }

    fn collected(&self) -> Items {
        let mut collected = self.returned.clone();
        collected.append(&self.recent);
        collected
    }
}

fn next_batch(ctx: &Ctx<'_>, items: &Items) -> Result<LoopStep, NodeError> {
    let size = ctx.number("batchSize", 0)?;
    let size = if size >= 1.0 { size as usize } else { 1 };
    let reset = ctx.param("options.reset", 0)?.as_bool() == Some(true);
    let host = ctx.host();
    let NodeState { mut context, lists } = host.state();
    let mut rounds;
    let batch: Vec<Item>;
    match LoopState::read(&lists).filter(|_| !reset) {
        None => {
            context.insert("currentRunIndex", 0);
            context.insert("maxRunIndex", items.len().div_ceil(size));
            context.insert("sourceData", host.input_source(0).map(|source| source.to_value()));
            rounds = LoopState {
                all: items.paired_by_index(0),
                handed_out: 0,
                returned: Items::new(),
                recent: Items::new(),
            };
            batch = rounds.next_batch(size);
        }
        Some(earlier) => {
            rounds = earlier;
            let round = context.get("currentRunIndex").and_then(Value::as_f64).unwrap_or(0.0);
            context.insert("currentRunIndex", round + 1.0);
            let came_from = host.input_source(0).map(Arc::new);
            let pair =
                |index: usize| PairedItem { source: came_from.clone(), ..PairedItem::new(index) };
            rounds.collect_returned(
                ctx,
                items.iter().enumerate().map(|(index, item)| item.with_pairs(vec![pair(index)])),
            );
            // The batch came from what fed the first round, not from the end of the loop that fed
            // this one.
            let first_source = context.get("sourceData").and_then(Source::from_value).map(Arc::new);
            batch = rounds
                .next_batch(size)
                .into_iter()
                .map(|item| overwrite_source(item, first_source.as_ref()))
                .collect();
        }
    }
    context.insert("noItemsLeft", rounds.left() == 0);
    context.insert("done", batch.is_empty());
    let step = if batch.is_empty() {
        LoopStep::Done(rounds.collected())
    } else {
        LoopStep::Batch(batch.into())
    };
    host.set_state(NodeState { context, lists: rounds.write() });
    Ok(step)
}

fn overwrite_source(item: Item, source: Option<&Arc<Source>>) -> Item {
    let pairs: Vec<PairedItem> = match &*item.paired {
        [] => vec![PairedItem { source: source.cloned(), ..PairedItem::new(0) }],
        pairs => pairs
            .iter()
            .map(|pair| PairedItem { source: source.cloned(), ..pair.clone() })
            .collect(),
    };
    item.with_pairs(pairs)
}

fn form(spec: Spec) -> Spec {
    spec.group(NodeGroup::Flow)
        .param(
            Param::number("batchSize", "Batch size", 1)
                .at_least(1.0)
                .help("Number of items per batch."),
        )
        .param(
            Param::collection(
                "options",
                "Options",
                [Param::flag("reset", "Reset", false)
                    .help("Start over with the items that just arrived.")],
            )
            .help("Loop options."),
        )
}

trait PresetBatchSize {
    fn preset_batch_size(self, size: u32) -> Self;
}

impl PresetBatchSize for Spec {
    fn preset_batch_size(mut self, size: u32) -> Self {
        for param in self.params.iter_mut().filter(|param| param.name == "batchSize") {
            param.default = size.into();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, to_json};

    async fn rounds<N: Node>(
        version: f64,
        feeds: &[Value],
        options: Value,
    ) -> (TestHost, Vec<Vec<Value>>) {
        let host =
            TestHost::new(&N::spec(), version, &json!({ "batchSize": 2, "options": options }));
        let mut outputs = Vec::new();
        for feed in feeds {
            let round =
                run_on::<N>(&host, version, vec![items(feed)], OnError::Stop).await.unwrap();
            outputs.push(round.iter().map(to_json).collect());
        }
        (host, outputs)
    }

    #[tokio::test]
    async fn the_loop_hands_out_batches_and_ends_with_what_came_back() {
        let feeds = [json!([1, 2, 3]), json!(["a", "b"]), json!(["c"])];
        let (host, outputs) = rounds::<SplitInBatches>(3.0, &feeds, json!({})).await;
        assert_eq!(outputs[0], [json!([]), json!([1, 2])]);
        assert_eq!(outputs[1], [json!([]), json!([3])]);
        assert_eq!(outputs[2], [json!(["a", "b", "c"]), json!([])]);
        let context = Value::object(node_api::host::Host::state(&host).context);
        assert_eq!(context.get("done"), Some(&json!(true)));
        assert_eq!(context.get("maxRunIndex"), Some(&json!(2)));
        assert_eq!(context.get("currentRunIndex"), Some(&json!(2)));
    }

    #[tokio::test]
    async fn the_first_version_says_nothing_at_the_end() {
        let (_, outputs) =
            rounds::<SplitInBatchesV1>(1.0, &[json!([1]), json!([1])], json!({})).await;
        assert_eq!(outputs, [vec![json!([1])], vec![]]);
    }

    #[tokio::test]
    async fn a_reset_starts_anew() {
        let (_, outputs) = rounds::<SplitInBatches>(
            3.0,
            &[json!([1, 2, 3]), json!([7])],
            json!({ "reset": true }),
        )
        .await;
        assert_eq!(outputs[1], [json!([]), json!([7])]);
    }
}
