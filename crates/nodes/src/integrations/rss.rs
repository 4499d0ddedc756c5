//! Reads RSS and Atom feeds, on demand and at set times.

mod feed;
mod snippet;

use super::poll;
use node_api::host::StaticScope;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub struct RssFeedRead;
pub struct RssFeedReadTrigger;

/// A feed may not be larger than this.
const MAX_FEED_BYTES: usize = 32 << 20;
/// Entries without a date that are remembered by their id.
const MAX_REMEMBERED: usize = 1000;

impl Node for RssFeedRead {
    fn spec() -> Spec {
        let options = [
            Param::text("customFields", "Custom fields", "")
                .help("Comma-separated additional fields of the entries to read."),
            Param::flag("ignoreSSL", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
        ];
        Spec::new("n8n-nodes-base.rssFeedRead", &[1.0, 1.1, 1.2], "RSS Read", "Read the entries of an RSS or Atom feed").icon("rss").subtitle(&["{url:url}"])
            .untrusted()
            .sends_to("url")
            .group(NodeGroup::Integration)
            .params([
                Param::text("url", "URL", "").required().help("URL of the feed."),
                Param::collection("options", "Options", options).help("Fine points."),
            ])
            .hint("Each entry becomes an item with title, link, pubDate, isoDate, content and contentSnippet.")
            .alias(&["atom", "feed", "news"])
            .repeatable()
            .note("A feed may have at most 32 MB.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        // The first version reads one feed, however many items there are.
        let n_feeds = if ctx.version() < 1.1 { items.len().min(1) } else { items.len() };
        let mut output = ctx.builder();
        for index in 0..n_feeds {
            let url = ctx.text("url", index)?;
            let custom = ctx.text("options.customFields", index)?;
            let certificates = if ctx.flag("options.ignoreSSL", index)? {
                CertificateCheck::Any
            } else {
                CertificateCheck::Verified
            };
            match entries(ctx, &url, &custom, certificates).await {
                Ok(entries) => entries
                    .into_iter()
                    .for_each(|entry| output.push(Item::new(entry).paired_with(index))),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

impl Node for RssFeedReadTrigger {
    fn spec() -> Spec {
        Spec::trigger(
            "n8n-nodes-base.rssFeedReadTrigger",
            &[1.0],
            "RSS Feed Trigger",
            "Start the workflow when a feed has new entries",
        )
        .icon("rss")
        .triggered_by(TriggerKind::Feed)
        .untrusted()
        .params([
            poll::times_param(),
            Param::text("feedUrl", "Feed URL", "").required().help("URL of the feed."),
        ])
        .hint(
            "Use it to process new posts of a site. The first poll only records the existing \
             entries.",
        )
        .alias(&["atom", "feed", "news", "rss"])
        .repeatable()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        if poll::are_supplied(&items) {
            return Ok(vec![items]);
        }
        let url = ctx.text("feedUrl", 0)?;
        if url.is_empty() {
            return Err(NodeError::parameter("feedUrl", "The parameter \"URL\" has to be set!")
                .hint("Enter the URL of a feed."));
        }
        let entries = entries(ctx, &url, "", CertificateCheck::Verified).await?;
        if poll::is_manual_run(ctx) {
            let newest = entries.into_iter().next().map(Item::new);
            return Ok(newest.map(|item| vec![Items::one(item)]).unwrap_or_default());
        }
        let mut memory =
            ctx.host().static_data(StaticScope::Node).as_object().cloned().unwrap_or_default();
        let news = feed::new_entries(entries, &mut memory, &url, MAX_REMEMBERED);
        ctx.host().set_static_data(StaticScope::Node, memory.into());
        if news.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![news.into_iter().map(Item::new).collect()])
    }
}

impl Trigger for RssFeedReadTrigger {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        poll::poll_listeners(setup)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CertificateCheck {
    Verified,
    Any,
}

async fn entries(
    ctx: &Ctx<'_>,
    url: &str,
    custom: &str,
    certificates: CertificateCheck,
) -> Result<Vec<Object>, NodeError> {
    if url.trim().is_empty() {
        return Err(NodeError::parameter("url", "The parameter \"URL\" has to be set!")
            .hint("Enter the URL of a feed."));
    }
    let mut request = HttpRequest::new("GET", url.trim());
    request.set_header(
        "accept",
        "application/rss+xml, application/atom+xml, application/xml;q=0.9, */*;q=0.1",
    );
    request.set_header("user-agent", "heddle-rss");
    request.allow_invalid_certificates = certificates == CertificateCheck::Any;
    request.max_response_bytes = MAX_FEED_BYTES;
    request.timeout_ms = 60_000;
    let response = ctx.host().http().send(request).await.map_err(|error| {
        NodeError::new(error.code(), format!("The feed could not be read: {error}"))
            .hint("Check the URL of the feed.")
    })?;
    if !response.is_success() {
        return Err(NodeError::api(
            response.status,
            format!("The feed responded with status {}", response.status),
        )
        .hint("Check the URL of the feed. It may have moved or require authentication."));
    }
    feed::read(&feed::decode(&response), custom)
}

#[cfg(test)]
mod tests;
