//! Search engines and encyclopaedias as tools: one request a question, and what a reader would want
//! of the answer.

use super::fn_tool::{ToolInvocation, supply_tool, text_schema, tool_spec};
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::hosts::SecretBinding;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx, tool_name_of};
use std::sync::Arc;
use url::Url;

const MAX_ANSWER_BYTES: usize = 4 << 20;
const TIMEOUT_MS: u64 = 30_000;
/// Longer texts of an encyclopaedia are cut.
const MAX_SUMMARY_LETTERS: usize = 4000;

/// n8n's Wikipedia tool.
pub(crate) struct ToolWikipedia;

impl Supplier for ToolWikipedia {
    fn spec() -> Spec {
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolWikipedia",
            &[1.0],
            "Wikipedia",
            "Let an agent search Wikipedia",
        )
        .icon("book-open")
        .hint("For general knowledge that a model may get wrong or lack.")
        .alias(&["encyclopaedia", "facts", "knowledge"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description = "Looks something up in Wikipedia and gives the beginnings of the articles that fit best. Give it what to look for.";
        Ok(search_tool(ctx, description, |call| async move {
            let query = [
                ("action", "query"),
                ("format", "json"),
                ("generator", "search"),
                ("gsrsearch", &call.text("input")),
                ("gsrlimit", "3"),
                ("prop", "extracts"),
                ("exintro", "1"),
                ("explaintext", "1"),
                ("exlimit", "max"),
                ("redirects", "1"),
            ];
            let answer =
                get_json(&call, "https://en.wikipedia.org/w/api.php", &query, None).await?;
            Ok(articles(&answer).into())
        }))
    }
}

fn articles(answer: &Value) -> String {
    let pages = answer.get_path("query.pages").and_then(Value::as_object);
    let mut pages: Vec<&Value> =
        pages.into_iter().flat_map(Object::iter).map(|(_, page)| page).collect();
    pages.sort_by_key(|page| page.get("index").and_then(Value::as_usize).unwrap_or(usize::MAX));
    let text = |page: &Value, key: &str| {
        page.get(key).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    };
    let told: Vec<String> = pages
        .iter()
        .map(|page| format!("Page: {}\nSummary: {}", text(page, "title"), text(page, "extract")))
        .collect();
    match told.is_empty() {
        true => "No good Wikipedia Search Result was found".to_owned(),
        false => told.join("\n\n").chars().take(MAX_SUMMARY_LETTERS).collect(),
    }
}

/// n8n's SerpApi tool.
pub(crate) struct ToolSerpApi;

impl Supplier for ToolSerpApi {
    fn spec() -> Spec {
        let devices = [("desktop", "Desktop"), ("mobile", "Mobile"), ("tablet", "Tablet")];
        let options = [
            Param::text("gl", "Country", "us").help("Two-letter country code for the search."),
            Param::choice("device", "Device", &devices).help("Device to get results for."),
            Param::flag("no_cache", "Explicit array", false)
                .help("Search again even if the service has cached results."),
            Param::text("google_domain", "Google domain", "google.com").help("Domain to search."),
            Param::text("hl", "Language", "en").help("Two-letter language code for the search."),
        ];
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolSerpApi",
            &[1.0],
            "SerpApi (Google Search)",
            "Let an agent search the web",
        )
        .icon("search")
        .credential("serpApi", true)
        .param(Param::collection("options", "Options", options).help("Search options."))
        .hint("For recent information, or facts that are not in an encyclopedia.")
        .alias(&["google", "web search"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description =
            "Searches the web. Give it a search query; use it for what has happened lately.";
        Ok(search_tool(ctx, description, |call| async move {
            let (key, bound) = credential(&call, "serpApi", "apiKey")?;
            let question = call.text("input");
            let mut query = vec![
                ("q", question.to_string()),
                ("api_key", key),
                ("engine", "google".to_owned()),
            ];
            let options = call.ctx.ctx().param("options", call.ctx.item())?;
            for name in ["gl", "device", "no_cache", "google_domain", "hl"] {
                if let Some(value) = options.get(name).filter(|value| !value.is_nullish()) {
                    query.push((name, value.to_js_string().to_string()));
                }
            }
            let query: Vec<(&str, &str)> =
                query.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let answer = get_json(&call, "https://serpapi.com/search.json", &query, bound).await?;
            Ok(search_results(&answer))
        }))
    }
}

/// The direct answer if there is one, else what is known of the thing, and the first pages.
fn search_results(answer: &Value) -> Value {
    let direct = [
        "answer_box.answer",
        "answer_box.snippet",
        "answer_box.result",
        "sports_results.game_spotlight",
        "knowledge_graph.description",
    ];
    if let Some(found) =
        direct.iter().find_map(|path| answer.get_path(path).filter(|value| value.is_truthy()))
    {
        return found.clone();
    }
    let pages = answer.get("organic_results").and_then(Value::as_array).unwrap_or_default();
    let found: Vec<Value> = pages
        .iter()
        .take(10)
        .map(|page| {
            let fields = ["title", "link", "snippet"]
                .into_iter()
                .filter_map(|name| Some((name, page.get(name)?.clone())));
            fields.collect::<Object>().into()
        })
        .collect();
    if found.is_empty() { "No good search result found".into() } else { Value::array(found) }
}

/// n8n's SearXNG tool.
pub(crate) struct ToolSearXng;

impl Supplier for ToolSearXng {
    fn spec() -> Spec {
        let options = [
            Param::number("numResults", "Number of results", 10)
                .at_least(1.0)
                .help("Number of results returned to the model."),
            Param::number("pageNumber", "Search page number", 1)
                .at_least(1.0)
                .help("Page of results to return."),
            Param::text("language", "Language", "en")
                .help("Two-letter language code for the search."),
            Param::number("safesearch", "Safe search", 0)
                .between(0.0, 2.0)
                .help("0 for none, 1 for moderate, 2 for strict."),
        ];
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolSearXng",
            &[1.0],
            "SearXNG",
            "Let an agent search the web with SearXNG",
        )
        .icon("search")
        .credential("searXngApi", true)
        .param(Param::collection("options", "Options", options).help("Search options."))
        .hint("For web search on a self-hosted server.")
        .alias(&["web search", "metasearch"])
        .note("Private addresses must be allowed with HEDDLE_EGRESS_ALLOW.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description =
            "Searches the web. Give it a search query; use it for what has happened lately.";
        Ok(search_tool(ctx, description, |call| async move {
            let (base, bound) = credential(&call, "searXngApi", "apiUrl")?;
            let options = call.ctx.ctx().param("options", call.ctx.item())?;
            let option = |name: &str, default: &str| {
                options
                    .get(name)
                    .filter(|value| !value.is_nullish())
                    .map_or_else(|| default.into(), Value::to_js_string)
            };
            let (page, language, safe) =
                (option("pageNumber", "1"), option("language", "en"), option("safesearch", "0"));
            let question = call.text("input");
            let query = [
                ("q", question.as_str()),
                ("format", "json"),
                ("pageno", &page),
                ("language", &language),
                ("safesearch", &safe),
            ];
            let answer =
                get_json(&call, &format!("{}/search", base.trim_end_matches('/')), &query, bound)
                    .await?;
            let most = options.get("numResults").and_then(Value::as_usize).unwrap_or(10);
            let results = answer
                .get("results")
                .and_then(Value::as_array)
                .unwrap_or_default()
                .iter()
                .take(most);
            let shown = results.map(|result| {
                let field = |name: &str| result.get(name).cloned().unwrap_or_default();
                Object::from_iter([
                    ("title", field("title")),
                    ("link", field("url")),
                    ("snippet", field("content")),
                ])
                .into()
            });
            Ok(Value::array(shown.collect()))
        }))
    }
}

/// n8n's Wolfram|Alpha tool.
pub(crate) struct ToolWolframAlpha;

impl Supplier for ToolWolframAlpha {
    fn spec() -> Spec {
        tool_spec(
            "@n8n/n8n-nodes-langchain.toolWolframAlpha",
            &[1.0],
            "Wolfram|Alpha",
            "Let an agent query Wolfram|Alpha",
        )
        .icon("sigma")
        .credential("wolframAlphaApi", true)
        .hint("For mathematics, units and facts that a calculator cannot provide.")
        .alias(&["math", "science", "facts"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let description = "Answers questions about mathematics, science, units, dates and figures. Give it a question in English.";
        Ok(search_tool(ctx, description, |call| async move {
            let (id, bound) = credential(&call, "wolframAlphaApi", "appId")?;
            let query = [("appid", id.as_str()), ("input", &call.text("input"))];
            let answer =
                get(&call, "https://www.wolframalpha.com/api/v1/llm-api", &query, bound).await?;
            Ok(String::from_utf8_lossy(&answer).into_owned().into())
        }))
    }
}

fn search_tool<F, Answer>(ctx: SupplyCtx, description: &str, work: F) -> Supply
where
    F: Fn(ToolInvocation) -> Answer + Send + Sync + 'static,
    Answer: Future<Output = Result<Value, NodeError>> + Send + 'static,
{
    let name = tool_name_of(ctx.node());
    let parameters = text_schema("The search query", true);
    supply_tool(
        ctx,
        ToolDefinition {
            name,
            description: description.into(),
            parameters,
            effect: ToolEffect::None,
            flow: DataFlow::UNTRUSTED.sending(EgressTarget::Declared),
        },
        work,
    )
}

/// A field of a credential, with the hosts that it may be sent to.
fn credential(
    call: &ToolInvocation,
    kind: &str,
    field: &str,
) -> Result<(String, Option<Arc<SecretBinding>>), NodeError> {
    let fields = call.ctx.host().credential(kind, call.ctx.item())?;
    let value = fields.get(field).and_then(Value::as_str).unwrap_or_default();
    if value.is_empty() {
        return Err(NodeError::credential(format!(
            "The credential of type '{kind}' has no '{field}'"
        )));
    }
    Ok((value.to_owned(), Some(fields.binding())))
}

async fn get_json(
    call: &ToolInvocation,
    address: &str,
    query: &[(&str, &str)],
    bound: Option<Arc<SecretBinding>>,
) -> Result<Value, NodeError> {
    let body = get(call, address, query, bound).await?;
    model::json::parse(&String::from_utf8_lossy(&body))
        .map_err(|_| NodeError::failed("The service did not return JSON"))
}

/// The body of a good answer. The address is not told in errors: it may hold a key.
async fn get(
    call: &ToolInvocation,
    address: &str,
    query: &[(&str, &str)],
    bound: Option<Arc<SecretBinding>>,
) -> Result<bytes::Bytes, NodeError> {
    let mut url = Url::parse(address)
        .map_err(|error| NodeError::parameter("", format!("The URL is not valid: {error}")))?;
    url.query_pairs_mut().extend_pairs(query);
    let mut request = HttpRequest::new("GET", url);
    request.timeout_ms = TIMEOUT_MS;
    request.max_response_bytes = MAX_ANSWER_BYTES;
    request.bound = bound;
    let answer = call.ctx.host().http().send(request).await;
    let answer = answer
        .map_err(|error| NodeError::new(error.code(), "The request to the service failed"))?;
    match answer.is_success() {
        true => Ok(answer.body),
        false => Err(NodeError::api(
            answer.status,
            format!("The service responded with status {}", answer.status),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_told_best_first_and_cut() {
        let long = "x".repeat(9000);
        let answer = json!({ "query": { "pages": {
            "7": { "index": 2, "title": "Second", "extract": long },
            "9": { "index": 1, "title": "First", "extract": "One. " }
        } } });
        let told = articles(&answer);
        assert!(
            told.starts_with("Page: First\nSummary: One.\n\nPage: Second\nSummary: xxx"),
            "{told}"
        );
        assert_eq!(told.chars().count(), 4000);
        assert_eq!(
            articles(&json!({ "batchcomplete": "" })),
            "No good Wikipedia Search Result was found"
        );
    }

    #[test]
    fn a_direct_answer_comes_before_pages() {
        let pages = json!([{ "title": "T", "link": "l", "snippet": "s", "position": 1 }]);
        assert_eq!(
            search_results(
                &json!({ "answer_box": { "answer": "42" }, "organic_results": pages.clone() })
            ),
            json!("42")
        );
        assert_eq!(
            search_results(&json!({ "organic_results": pages })),
            json!([{ "title": "T", "link": "l", "snippet": "s" }])
        );
        assert_eq!(search_results(&json!({})), json!("No good search result found"));
    }
}
