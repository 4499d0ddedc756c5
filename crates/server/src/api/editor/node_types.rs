//! `/api/v1/node-types`: the descriptions of all nodes, from which forms are drawn, and their
//! pages.

use crate::App;
use crate::api::operation::QueryParam;
use crate::api::request::QueryParams;
use crate::api::{ApiOperation, invalid};
use crate::error::ApiError;
use crate::wire;
use crate::{http_cache, response};
use aws_lc_rs::digest::{SHA256, digest};
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use model::{Code, Value};
use node_api::{NodeType, Registry, Spec, docs};
use std::io::{Read as _, Write as _};

pub(in crate::api) const OPERATIONS: &[ApiOperation] = &[
    ApiOperation::new(
        "GET",
        "/node-types",
        "",
        "getNodeTypes",
        "List all node descriptions",
        || get(list),
    )
    .without_scope()
    .response::<wire::NodeTypes>(200),
    ApiOperation::new(
        "GET",
        "/node-types/{type}/docs",
        "",
        "getNodeTypeDocs",
        "Show the documentation of a node",
        || get(page),
    )
    .without_scope()
    .query(&[QueryParam("version", "number")])
    .response::<wire::NodeTypeDocs>(200),
];

/// The descriptions of all nodes as they are sent. Kept packed: it is large, and nearly everybody
/// takes it so.
pub(crate) struct Catalogue {
    compressed: Bytes,
    tag: HeaderValue,
}

impl Catalogue {
    fn new(registry: &Registry) -> Result<Self, ApiError> {
        let failed = |cause: &dyn std::fmt::Display| {
            ApiError::new(
                Code::STORE_CORRUPT,
                format!("The descriptions could not be serialized: {cause}"),
            )
        };
        let all: Result<Vec<Value>, ApiError> =
            registry.all().into_iter().map(|found| describe(found)).collect();
        let text = model::json::to_string(&Value::array(all?));
        let sum = hex::encode(&digest(&SHA256, text.as_bytes()).as_ref()[..12]);
        let tag = HeaderValue::from_str(&format!("\"{sum}\"")).map_err(|error| failed(&error))?;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
        Ok(Self { compressed: encoder.finish().map_err(|error| failed(&error))?.into(), tag })
    }

    fn decompress(&self) -> std::io::Result<Vec<u8>> {
        let mut text = Vec::new();
        GzDecoder::new(&self.compressed[..]).read_to_end(&mut text)?;
        Ok(text)
    }
}

fn describe(found: &NodeType) -> Result<Value, ApiError> {
    let failed = |error| {
        ApiError::new(
            Code::STORE_CORRUPT,
            format!("The description of '{}' could not be serialized: {error}", found.spec.id),
        )
    };
    let mut value = model::to_value(found.spec.as_ref()).map_err(failed)?;
    let fields = value.make_object();
    let id: String = form_urlencoded::byte_serialize(found.spec.id.as_bytes()).collect();
    fields.insert("docs", format!("/node-types/{id}/docs"));
    fields.insert("canBeTool", found.can_be_a_tool());
    fields.insert("supplies", found.is_supplier());
    Ok(value)
}

async fn list(State(app): State<App>, headers: HeaderMap) -> Result<Response, ApiError> {
    let catalogue = match app.catalogue().get() {
        Some(made) => made,
        None => {
            let made = Catalogue::new(&app.runtime.engine.registry)?;
            app.catalogue().get_or_init(|| made)
        }
    };
    let mut response = Response::new(Body::empty());
    let answered = response.headers_mut();
    answered.insert(header::ETAG, catalogue.tag.clone());
    answered.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answered.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    if catalogue.tag.to_str().is_ok_and(|tag| http_cache::is_known(&headers, tag)) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    answered
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json; charset=utf-8"));
    *response.body_mut() = if http_cache::takes(&headers, "gzip") {
        response.headers_mut().insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        Body::from(catalogue.compressed.clone())
    } else {
        let unpacked = catalogue.decompress();
        Body::from(unpacked.map_err(|error| {
            ApiError::new(Code::STORE_CORRUPT, format!("The descriptions are damaged: {error}"))
        })?)
    };
    Ok(response)
}

/// The page of a type: of all its versions, or of the one that is asked for.
async fn page(
    State(app): State<App>,
    Path(type_name): Path<String>,
    query: QueryParams,
) -> Result<Response, ApiError> {
    let version: Option<f64> = match query.get("version") {
        None => None,
        Some(text) => Some(
            text.parse()
                .ok()
                .filter(|version: &f64| version.is_finite())
                .ok_or_else(|| invalid("version", "must be a number"))?,
        ),
    };
    let entries = app.runtime.engine.registry.of_type(&type_name);
    let fitting = entries
        .iter()
        .map(|found| found.spec.as_ref())
        .filter(|spec| version.is_none_or(|version| spec.serves(version)));
    let fitting: Vec<&Spec> = fitting.collect();
    if fitting.is_empty() {
        let type_name: String = type_name.chars().take(100).collect();
        return Err(ApiError::new(
            Code::NOT_FOUND,
            format!("Node type '{type_name}' does not exist in this version"),
        ));
    }
    let markdown = docs::page(&fitting);
    Ok(response::typed(StatusCode::OK, &wire::NodeTypeDocs { markdown: &markdown }))
}
