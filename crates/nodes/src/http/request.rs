//! HTTP Request: v1 and v2 share one form, v3 and everything after it another.

mod binary;
mod pagination;
mod recovery_check;
pub(super) mod response;
mod spec;
mod text;
pub(super) mod v1;
pub(super) mod v3;

use super::failure::RequestFailure;
use super::secrets::Secrets;
use futures::StreamExt as _;
use node_api::prelude::*;

/// n8n starts all requests of a batch at once; here no more than this many are under way.
const MAX_CONCURRENT: usize = 32;

/// How items are spread over time.
#[derive(Clone, Copy, Debug, Default)]
struct RequestBatching {
    /// Items between two pauses; no pauses without it.
    size: Option<usize>,
    pause_ms: u64,
}

/// What one item came to.
type ItemResult = Result<ItemOutput, (RequestFailure, Secrets)>;

/// The items that came of one.
enum ItemOutput {
    Few(Vec<Item>),
    /// Where the run keeps what is much.
    Many(Items),
}

/// Collects what comes of one item. Much of it does not stay in memory while others are not done.
struct ItemCollector<'c> {
    ctx: &'c Ctx<'c>,
    few: Vec<Item>,
    bytes: usize,
    many: Option<ItemsBuilder>,
}

impl<'c> ItemCollector<'c> {
    fn new(ctx: &'c Ctx<'c>) -> Self {
        Self { ctx, few: Vec::new(), bytes: 0, many: None }
    }

    /// Takes the items of an answer of a length.
    fn add(&mut self, items: Vec<Item>, length: usize) {
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes <= compute::LARGE_BYTES {
            return self.few.extend(items);
        }
        let (ctx, few) = (self.ctx, &mut self.few);
        let many = self.many.get_or_insert_with(|| {
            let mut many = ctx.builder();
            many.extend(few.drain(..));
            many
        });
        many.extend(items);
    }

    fn finish(self) -> ItemOutput {
        self.many.map_or(ItemOutput::Few(self.few), |many| ItemOutput::Many(many.finish()))
    }
}

/// Runs the request of every item, a batch at a time, and puts the results in the order of the
/// items.
///
/// All requests are made even if one fails, as in n8n; the first failure then stops the run or
/// becomes an item.
async fn run_all<'c, F>(
    ctx: &'c Ctx<'_>,
    n_items: usize,
    batching: RequestBatching,
    one: impl Fn(usize) -> F,
) -> Result<Outputs, NodeError>
where
    F: Future<Output = ItemResult> + Send + 'c,
{
    let (mut done, mut output) = (Items::new(), ctx.builder());
    let mut stopped = None;
    let batch = batching.size.filter(|_| batching.pause_ms > 0).unwrap_or(n_items).max(1);
    let mut next = 0;
    while next < n_items {
        if next > 0 {
            ctx.host().sleep(batching.pause_ms).await?;
        }
        let end = n_items.min(next + batch);
        let mut results = futures::stream::iter(next..end).map(&one).buffered(MAX_CONCURRENT);
        let mut index = next;
        while let Some(made) = results.next().await {
            match made {
                Ok(ItemOutput::Few(items)) => {
                    items.into_iter().for_each(|item| output.push(item.paired_with(index)))
                }
                Ok(ItemOutput::Many(items)) => {
                    done.append(&std::mem::replace(&mut output, ctx.builder()).finish());
                    done.append(&items.paired_with(index));
                }
                Err((failure, secrets)) => match failure.into_item(ctx, index, &secrets) {
                    Ok(item) => output.push(item),
                    Err(error) if ctx.host().is_cancelled() => return Err(error),
                    Err(error) => {
                        stopped.get_or_insert(error);
                    }
                },
            }
            index += 1;
        }
        next = end;
    }
    match stopped {
        Some(error) => Err(error),
        None => {
            done.append(&output.finish());
            Ok(vec![done])
        }
    }
}

/// A parameter that holds JSON, as text or already as a value.
fn parse_json(value: &Value, label: &str, index: usize) -> Result<Value, NodeError> {
    match value {
        Value::String(text) => model::json::parse(text).map_err(|problem| {
            NodeError::parameter(
                label,
                format!("The value in the \"{label}\" field is not valid JSON"),
            )
            .hint(format!(
                "{problem}. Texts inserted by an expression need quotes: use JSON.stringify()."
            ))
            .on_item(index)
        }),
        value => Ok(value.clone()),
    }
}

/// The URL of a request, which n8n wants with its scheme.
fn check_url(value: &Value, index: usize) -> Result<String, NodeError> {
    let Some(url) = value.as_str() else {
        let found = if value.is_null() { "null" } else { value.type_of() };
        return Err(NodeError::parameter(
            "url",
            format!("URL parameter must be a string, got {found}"),
        )
        .on_item(index));
    };
    let url = url.trim();
    if url.is_empty() {
        return Err(NodeError::parameter("url", "URL parameter cannot be empty").on_item(index));
    }
    let has_scheme = ["http://", "https://"].iter().any(|scheme| {
        url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    });
    if !has_scheme {
        let shown: String = url.chars().take(200).collect();
        let message = format!("Invalid URL: {shown}. URL must start with \"http\" or \"https\".");
        return Err(NodeError::parameter("url", message).on_item(index));
    }
    Ok(url.to_owned())
}

/// `{ name, value }` entries as fields; entries without a name are left out.
fn fields_of(entries: Option<&Value>) -> impl Iterator<Item = (&str, &Value, &Value)> {
    let entries = match entries {
        Some(Value::Array(entries)) => entries.as_slice(),
        Some(one @ Value::Object(_)) => std::slice::from_ref(one),
        _ => &[],
    };
    let undefined = &Value::Undefined;
    entries.iter().filter_map(move |entry| {
        let name = entry.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
        Some((name, entry.get("value").unwrap_or(undefined), entry))
    })
}

/// The same as one object; a name that occurs more than once has a list of its values.
fn collect_fields(entries: &Value) -> Object {
    let mut fields = Object::new();
    for (name, value, _) in fields_of(Some(entries)) {
        match fields.get_mut(name) {
            None => {
                fields.insert(name, value.clone());
            }
            Some(Value::Array(values)) => std::sync::Arc::make_mut(values).push(value.clone()),
            Some(one) => *one = Value::array(vec![std::mem::take(one), value.clone()]),
        }
    }
    fields
}
