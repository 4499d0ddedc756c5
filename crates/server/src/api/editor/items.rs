//! `/api/v1/executions/ID/items` and `/schema`: what went into a node and what came out of it, a
//! page at a time.

use super::journal_view::JournalView;
use crate::App;
use crate::access::Principal;
use crate::api::operation::{LIMIT, QueryParam};
use crate::api::request::{QueryParams, number};
use crate::api::{ApiOperation, invalid};
use crate::error::ApiError;
use crate::response::json;
use crate::wire;
use axum::Extension;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Binary, Code, Item, Items, Kind, Object, Str, Value};
use store::blobs::FileHash;

const NODE: QueryParam = QueryParam("node", "string");
const RUN: QueryParam = QueryParam("run", "integer");
const OUTPUT: QueryParam = QueryParam("output", "integer");

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/executions/{id}/items",
        "execution:read",
        "getExecutionItems",
        "List the items of a node, page by page",
        || get(list),
    )
    .query(&[
        NODE,
        RUN,
        QueryParam("kind", "string"),
        OUTPUT,
        QueryParam("direction", "string"),
        QueryParam("offset", "integer"),
        LIMIT,
        QueryParam("search", "string"),
    ])
    .response::<wire::ExecutionItems>(200),
    ApiOperation::new(
        "GET",
        "/executions/{id}/schema",
        "execution:read",
        "getExecutionSchema",
        "List the output fields of a node",
        || get(super::schema::show),
    )
    .query(&[NODE, RUN, QueryParam("kind", "string"), OUTPUT, QueryParam("direction", "string")])
    .response::<wire::ExecutionSchema>(200),
];

/// Items on a page when nothing is said, and at most.
const PAGE: usize = 50;
const MAX_PAGE: usize = 250;
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
    query: QueryParams,
) -> Result<Response, ApiError> {
    let story = JournalView::read(&app, &who, &id).await?;
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

fn page(story: &JournalView, query: &QueryParams) -> Result<Response, ApiError> {
    let offset = number(query, "offset", 0, usize::MAX)?.unwrap_or(0);
    let limit = number(query, "limit", 1, MAX_PAGE)?.unwrap_or(PAGE);
    let search =
        query.get("search").map(|text| text.to_lowercase()).filter(|text| !text.is_empty());
    let all = selected_items(story, query)?;
    let (mut shown, mut total, mut bytes, mut is_cut) = (Vec::new(), 0, 0, false);
    match &search {
        None => {
            total = all.len();
            for item in
                (offset..total.min(offset.saturating_add(limit))).map_while(|at| all.get(at))
            {
                let (value, length) = item_json(story, &item, None);
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
                    let (value, length) = item_json(story, &item, Some(place));
                    bytes += length;
                    shown.push(value);
                } else if is_on_page {
                    is_cut = true;
                }
            }
        }
    }
    check(story, &all)?;
    let mut answer = Object::from_iter([("items", Value::array(shown)), ("total", total.into())]);
    if is_cut {
        answer.insert("truncated", true);
    }
    Ok(json(StatusCode::OK, &answer.into()))
}

/// The list that a request asks for: an output of a node's run, or what it was given.
pub(super) fn selected_items(story: &JournalView, query: &QueryParams) -> Result<Items, ApiError> {
    let node = query
        .get("node")
        .filter(|name| !name.is_empty())
        .ok_or_else(|| invalid("node", "must name a node"))?;
    let run = number(query, "run", 0, usize::MAX)?.unwrap_or(0);
    let output = number(query, "output", 0, usize::MAX)?.unwrap_or(0);
    let kind = match query.get("kind").map(String::as_str) {
        None => None,
        Some(name) => {
            Some(Kind::from_name(name).ok_or_else(|| invalid("kind", "is not a connection type"))?)
        }
    };
    let is_input = match query.get("direction").map(String::as_str) {
        None | Some("output") => false,
        Some("input") => true,
        Some(_) => return Err(invalid("direction", "must be input or output")),
    };
    let missing = || {
        let node: String = node.chars().take(100).collect();
        ApiError::new(
            Code::NOT_FOUND,
            format!("Execution {} has no run {run} of '{node}'", story.execution.id),
        )
    };
    let task = story.runs(node).get(run).ok_or_else(missing)?;
    let found = match is_input {
        false => {
            let kind = kind.or_else(|| task.serves()).unwrap_or(Kind::Main);
            task.data.get(&kind).and_then(|outputs| outputs.get(output)).cloned().flatten()
        }
        true => match &task.input_override {
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
fn item_json(story: &JournalView, item: &Item, place: Option<usize>) -> (Value, usize) {
    let text = model::json::to_string(&item.json);
    let mut fields = Object::new();
    let mut length = text.len();
    if text.len() > MAX_ITEM_BYTES {
        let end = (0..=PREVIEW_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        fields.insert("preview", &text[..end]);
        fields.insert("bytes", text.len());
        length = end;
    } else {
        fields.insert("json", item.json.clone());
    }
    if let Some(files) = &item.binary {
        let shown =
            files.iter().map(|(name, file)| (name.clone(), file_json(story, file, &mut length)));
        fields.insert("binary", shown.collect::<Object>());
    }
    let bare = Item { json: Value::empty_object(), binary: None, ..item.clone() }.to_value();
    for key in ["pairedItem", "error"] {
        if let Some(value) = bare.get(key) {
            fields.insert(key, value.clone());
        }
    }
    if let Some(place) = place {
        fields.insert("index", place);
    }
    (fields.into(), length)
}

/// A file by where its bytes are: small ones, which are in the journal, in the address itself.
fn file_json(story: &JournalView, file: &Binary, length: &mut usize) -> Value {
    let text = |key: &str| file.extra.get(key).and_then(Value::as_str);
    let (size, url) = match text("id").and_then(FileHash::parse) {
        Some(sum) if file.data.is_empty() => {
            let url = format!("/api/v1/executions/{}/binary/{}", story.execution.id, sum.to_hex());
            (text("fileSize").map(Str::from), url)
        }
        _ => {
            let url = format!("data:{};base64,{}", file.mime_type, STANDARD.encode(&file.data));
            *length += url.len();
            (Some(file.size_text().into()), url)
        }
    };
    Object::from_iter([
        ("fileName", Value::from(file.file_name.clone())),
        ("mimeType", file.mime_type.clone().into()),
        ("fileExtension", file.file_extension.clone().into()),
        ("fileType", file.file_type.clone().into()),
        ("fileSize", size.into()),
        ("url", url.into()),
    ])
    .into()
}
