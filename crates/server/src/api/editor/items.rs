//! `/api/v1/executions/ID/items` and `/schema`: what went into a node and what came out of it, a
//! page at a time.

use super::journal_view::JournalView;
use crate::App;
use crate::access::Principal;
use crate::api::{ApiOperation, QueryResult, RequestQuery};
use crate::error::ApiError;
use crate::response::typed;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Binary, Code, Item, Items, Kind, Value};
use store::blobs::FileHash;

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions/{id}/items",
        "execution:read",
        "getExecutionItems",
        "List the items of a node, page by page",
        || get(list),
    )
    .query::<wire::ItemQuery>()
    .response::<wire::ExecutionItems>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/schema",
        "execution:read",
        "getExecutionSchema",
        "List the output fields of a node",
        || get(super::schema::show),
    )
    .query::<wire::ItemSelection>()
    .response::<wire::ExecutionSchema>(200),
];

/// A larger item is shown by its beginning.
const MAX_ITEM_BYTES: usize = 256 << 10;
/// How much of it is shown.
const PREVIEW_BYTES: usize = 4 << 10;
/// A page ends early rather than being larger.
const MAX_PAGE_BYTES: usize = 8 << 20;

async fn list(
    State(app): State<App>,
    Extension(who): Extension<Principal>,
    Path(id): Path<String>,
    query: QueryResult<wire::ItemQuery>,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
    let RequestQuery(query) = query?;
    run_blocking(move || page(&story, &query)).await
}

/// Walks items where that holds nobody up: those of a large list are read from the database on the
/// way.
pub(super) async fn run_blocking(
    work: impl FnOnce() -> Result<Response, ApiError> + Send + 'static,
) -> Result<Response, ApiError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(ApiError::new(Code::STORE_DISK, "The items cannot be read")))
}

/// Refuses to show a list of which some could not be read.
pub(super) fn check(story: &JournalView, items: &Items) -> Result<(), ApiError> {
    match items.failure() {
        None => Ok(()),
        Some(_) => Err(ApiError::new(
            Code::STORE_CORRUPT,
            format!("A part of the journal of execution {} is damaged", story.execution.id),
        )),
    }
}

fn page(story: &JournalView, query: &wire::ItemQuery) -> Result<Response, ApiError> {
    let offset = query.offset.map_or(0, wire::Count::as_usize);
    let limit = query.limit.map_or(wire::DEFAULT_ITEMS, wire::BoundedInt::as_usize);
    let search =
        query.search.as_ref().map(|text| text.to_lowercase()).filter(|text| !text.is_empty());
    let all = selected_items(story, &query.selection())?;
    let (mut shown, mut total, mut bytes, mut is_cut) = (Vec::new(), 0, 0, false);
    match &search {
        None => {
            total = all.len();
            for item in
                (offset..total.min(offset.saturating_add(limit))).map_while(|at| all.get(at))
            {
                let (value, length) = shown_item(story, &item, None);
                bytes += length;
                shown.push(value);
                if bytes > MAX_PAGE_BYTES {
                    is_cut = shown.len() < limit.min(total.saturating_sub(offset));
                    break;
                }
            }
        }
        Some(words) => {
            for (place, item) in all.iter().enumerate() {
                if !model::json::to_string(&item.json).to_lowercase().contains(words.as_str()) {
                    continue;
                }
                total += 1;
                let is_on_page = total > offset && shown.len() < limit;
                if is_on_page && bytes <= MAX_PAGE_BYTES {
                    let (value, length) = shown_item(story, &item, Some(place));
                    bytes += length;
                    shown.push(value);
                } else if is_on_page {
                    is_cut = true;
                }
            }
        }
    }
    check(story, &all)?;
    Ok(typed(StatusCode::OK, &wire::ExecutionItems { items: shown, total, truncated: is_cut }))
}

/// The list that a request asks for: an output of a node's run, or what it was given.
pub(super) fn selected_items(
    story: &JournalView,
    wanted: &wire::ItemSelection,
) -> Result<Items, ApiError> {
    let node = wanted.node.as_str();
    let run = wanted.run.map_or(0, wire::Count::as_usize);
    let output = wanted.output.map_or(0, wire::Count::as_usize);
    let missing = || {
        let node: String = node.chars().take(100).collect();
        ApiError::new(
            Code::NOT_FOUND,
            format!("Execution {} has no run {run} of '{node}'", story.execution.id),
        )
    };
    let task = story.runs(node).get(run).ok_or_else(missing)?;
    let found = match wanted.direction {
        wire::ItemDirection::Output => {
            let kind = wanted.kind.map(|kind| kind.0).or_else(|| task.serves());
            let kind = kind.unwrap_or(Kind::Main);
            task.data.get(&kind).and_then(|outputs| outputs.get(output)).cloned().flatten()
        }
        wire::ItemDirection::Input => match &task.input_override {
            Some(inputs) => inputs.get(output).cloned(),
            None => match task.source.get(output).and_then(Option::as_ref) {
                Some(source) => story
                    .step(&source.node, source.run)
                    .and_then(|fed| fed.output(source.output).cloned()),
                None => story.items.clone().filter(|_| {
                    story.start_node.as_deref() == Some(node) && run == 0 && output == 0
                }),
            },
        },
    };
    Ok(found.unwrap_or_default())
}

/// An item as it is shown, and how long that is. With a search, its place in the whole list comes
/// along.
fn shown_item(story: &JournalView, item: &Item, place: Option<usize>) -> (wire::ShownItem, usize) {
    let text = model::json::to_string(&item.json);
    let mut length = text.len();
    let is_large = text.len() > MAX_ITEM_BYTES;
    let preview = is_large.then(|| {
        length = text.floor_char_boundary(PREVIEW_BYTES);
        text[..length].to_owned()
    });
    let files = item.binary.as_ref().map(|files| {
        let shown =
            files.iter().map(|(name, file)| (name.clone(), item_file(story, file, &mut length)));
        wire::IndexedFiles(shown.collect())
    });
    let bare = Item { json: Value::empty_object(), binary: None, ..item.clone() }.to_value();
    let shown = wire::ShownItem {
        json: (!is_large).then(|| wire::JsonObject(item.json.clone())),
        preview,
        bytes: is_large.then_some(text.len()),
        binary: files,
        paired_item: bare.get("pairedItem").cloned().map(wire::Json),
        error: bare.get("error").cloned().map(wire::JsonObject),
        index: place,
    };
    (shown, length)
}

/// A file by where its bytes are: small ones, which are in the journal, in the address itself.
fn item_file(story: &JournalView, file: &Binary, length: &mut usize) -> wire::ItemFile {
    let text = |key: &str| file.extra.get(key).and_then(Value::as_str);
    let (file_size, url) = match text("id").and_then(FileHash::parse) {
        Some(sum) if file.data.is_empty() => {
            let url = format!("/api/v1/executions/{}/binary/{}", story.execution.id, sum.to_hex());
            (text("fileSize").map(str::to_owned), url)
        }
        _ => {
            let url = format!("data:{};base64,{}", file.mime_type, STANDARD.encode(&file.data));
            *length += url.len();
            (Some(file.size_text().to_string()), url)
        }
    };
    wire::ItemFile {
        file_name: file.file_name.as_ref().map(ToString::to_string),
        mime_type: file.mime_type.to_string(),
        file_extension: file.file_extension.as_ref().map(ToString::to_string),
        file_type: file.file_type.as_ref().map(ToString::to_string),
        file_size,
        url,
    }
}
