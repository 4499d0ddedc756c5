//! Items in batches: those of one batch are worked on at the same time, and between batches there
//! may be a pause.

use futures::future::join_all;
use node_api::prelude::*;
use std::future::Future;

/// How many items at a time, and how long to wait after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Batches {
    size: usize,
    pause_ms: u64,
}

/// More items than this are never asked about at the same time.
const MAX_CONCURRENT: usize = 100;

impl Batches {
    /// What the group of fields at a path says, such as `options.batching`.
    pub(super) fn read(ctx: &Ctx<'_>, path: &str, default_size: usize) -> Result<Self, NodeError> {
        let number =
            |name: &str| Ok::<_, NodeError>(ctx.param(&format!("{path}.{name}"), 0)?.as_f64());
        let size = number("batchSize")?.map_or(default_size, |size| size.max(1.0) as usize);
        let pause_ms = number("delayBetweenBatches")?.map_or(0, |pause| pause.max(0.0) as u64);
        Ok(Self { size: size.min(MAX_CONCURRENT), pause_ms })
    }

    pub(super) fn one_by_one() -> Self {
        Self { size: 1, pause_ms: 0 }
    }

    pub(super) fn param(default_size: i32) -> Param {
        let fields = [
            Param::number("batchSize", "Batch size", default_size)
                .at_least(1.0)
                .help("Number of items processed at the same time."),
            Param::number("delayBetweenBatches", "Delay between batches", 0)
                .at_least(0.0)
                .help("Milliseconds."),
        ];
        Param::collection("batching", "Batch processing", fields)
            .help("Number of items per batch. Use it to stay within the provider's rate limits.")
    }

    /// What is made of each item, in their order. Where a failure stops the node, later batches are
    /// not begun.
    pub(super) async fn map_items<T, F: Future<Output = Result<T, NodeError>>>(
        self,
        ctx: &Ctx<'_>,
        n_items: usize,
        make: impl Fn(usize) -> F,
    ) -> Result<Vec<Result<T, NodeError>>, NodeError> {
        let mut made = Vec::with_capacity(n_items);
        let mut first = 0;
        while first < n_items {
            let end = (first + self.size).min(n_items);
            made.extend(join_all((first..end).map(&make)).await);
            let stops =
                |error: &NodeError| !ctx.continues_on_fail() || error.code() == Code::RUN_UNCERTAIN;
            if made.iter().any(|made| made.as_ref().is_err_and(stops)) {
                break;
            }
            first = end;
            if first < n_items && self.pause_ms > 0 {
                ctx.host().sleep(self.pause_ms).await?;
            }
        }
        Ok(made)
    }

    /// One output with the items that are made of each.
    pub(super) async fn output<F: Future<Output = Result<Vec<Item>, NodeError>>>(
        self,
        ctx: &Ctx<'_>,
        items: &Items,
        make: impl Fn(usize) -> F,
    ) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, made) in self.map_items(ctx, items.len(), make).await?.into_iter().enumerate() {
            match made {
                Ok(made) => made.into_iter().for_each(|item| output.push(item.paired_with(index))),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}
