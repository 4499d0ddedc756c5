//! The entries of a feed, in the field names that n8n's workflows know.

use super::snippet;
use formats::dates::{Moment, parse_js_date};
use formats::xml::read::{XmlReadOptions, parse};
use node_api::prelude::*;

/// The text of a feed in the encoding that it names.
pub(super) fn decode(response: &HttpResponse) -> String {
    let head = String::from_utf8_lossy(&response.body[..response.body.len().min(200)]).into_owned();
    let in_xml = head.split_once("encoding=").map(|(_, rest)| {
        rest.trim_start_matches(['"', '\'']).split(['"', '\'', '?']).next().unwrap_or_default()
    });
    let in_header = response
        .header("content-type")
        .and_then(|kind| kind.split_once("charset="))
        .map(|(_, name)| name.trim_matches(['"', ' ', ';']));
    let label = in_xml.or(in_header).unwrap_or("utf-8");
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    encoding.decode(&response.body).0.into_owned()
}

/// The entries of an RSS (0.9 to 2.0), RDF or Atom feed.
pub(super) fn read(text: &str, custom: &str) -> Result<Vec<Object>, NodeError> {
    let options = XmlReadOptions {
        attribute_key: "$".into(),
        text_key: "_".into(),
        explicit_array: true,
        explicit_root: true,
        ignore_attributes: false,
        merge_attributes: false,
        normalize: false,
        lower_case: false,
        trim: false,
    };
    let no_feed = |why: &str| {
        NodeError::new(
            Code::UPSTREAM_STATUS,
            format!("The response is not an RSS or Atom feed: {why}"),
        )
        .hint("Check that the URL points to a feed and not to a web page.")
    };
    let document = parse(text, &options).map_err(|error| no_feed(error.message()))?;
    let custom: Vec<&str> =
        custom.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    let entries_at = |place: Option<&Value>, name: &str| -> Vec<Value> {
        place
            .and_then(|place| place.get(name))
            .and_then(Value::as_array)
            .unwrap_or_default()
            .to_vec()
    };
    let first = |value: Option<&Value>, name: &str| {
        value.and_then(|value| value.get(name)).and_then(|list| list.at(0)).cloned()
    };
    if let Some(feed) = document.get("feed") {
        return Ok(entries_at(Some(feed), "entry")
            .iter()
            .map(|entry| atom(entry, &custom))
            .collect());
    }
    if let Some(rss) = document.get("rss") {
        let channel = first(Some(rss), "channel").ok_or_else(|| no_feed("it has no channel"))?;
        return Ok(entries_at(Some(&channel), "item")
            .iter()
            .map(|entry| rss_entry(entry, &custom))
            .collect());
    }
    if let Some(rdf) = document.get("rdf:RDF") {
        return Ok(entries_at(Some(rdf), "item")
            .iter()
            .map(|entry| rss_entry(entry, &custom))
            .collect());
    }
    Err(no_feed("its root element is not supported"))
}

/// The entries that were not there at the last look. What is there at the first look is no news.
pub(super) fn new_entries(
    entries: Vec<Object>,
    memory: &mut Object,
    url: &str,
    most: usize,
) -> Vec<Object> {
    let is_first = memory.get("feedUrl").and_then(Value::as_str) != Some(url);
    let last_ms = memory
        .get("lastItemDate")
        .and_then(Value::as_str)
        .and_then(parse_js_date)
        .unwrap_or(f64::MIN);
    let seen: Vec<Value> =
        memory.get("seen").and_then(Value::as_array).unwrap_or_default().to_vec();
    let date_of =
        |entry: &Object| entry.get("isoDate").and_then(Value::as_str).and_then(parse_js_date);
    let id_of = |entry: &Object| {
        ["guid", "id", "link", "title"]
            .iter()
            .find_map(|key| entry.get(key).filter(|id| id.is_string()).cloned())
    };
    let newest_ms = entries.iter().filter_map(date_of).fold(last_ms, f64::max);
    let undated: Vec<Value> = entries
        .iter()
        .filter(|entry| date_of(entry).is_none())
        .filter_map(id_of)
        .take(most)
        .collect();
    let is_new = |entry: &Object| match date_of(entry) {
        Some(date) => date > last_ms,
        None => id_of(entry).is_some_and(|id| !seen.contains(&id)),
    };
    let news = if is_first { Vec::new() } else { entries.into_iter().filter(is_new).collect() };
    memory.insert("feedUrl", url);
    memory.insert("seen", undated);
    if newest_ms > f64::MIN
        && let Some(moment) = Moment::new(newest_ms, "UTC")
    {
        memory.insert("lastItemDate", iso(&moment));
    }
    news
}

fn rss_entry(entry: &Value, custom: &[&str]) -> Object {
    let mut made = Object::new();
    let mut copy = |from: &str, to: &str| {
        if let Some(text) = text_at(entry, from).filter(|text| !text.is_empty())
            && !made.contains_key(to)
        {
            made.insert(to, text);
        }
    };
    copy("author", "creator");
    copy("dc:creator", "creator");
    copy("dc:date", "date");
    copy("dc:language", "language");
    copy("dc:rights", "rights");
    copy("dc:source", "source");
    copy("dc:title", "title");
    for name in [
        "title",
        "link",
        "pubDate",
        "author",
        "summary",
        "content:encoded",
        "dc:creator",
        "dc:date",
        "comments",
    ] {
        copy(name, name);
    }
    if let Some(encoded) =
        made.get("content:encoded").and_then(Value::as_str).map(snippet::from_html)
    {
        made.insert("content:encodedSnippet", encoded);
    }
    if let Some(enclosure) =
        entry.get("enclosure").and_then(|list| list.at(0)).and_then(|first| first.get("$"))
    {
        made.insert("enclosure", enclosure.clone());
    }
    if let Some(content) = text_at(entry, "description") {
        made.insert("contentSnippet", snippet::from_html(&content));
        made.insert("content", content);
    }
    if let Some(guid) = text_at(entry, "guid") {
        made.insert("guid", guid);
    }
    if let Some(categories) = entry.get("category").and_then(Value::as_array) {
        made.insert(
            "categories",
            categories.iter().map(|category| Value::from(text_of(category))).collect::<Vec<_>>(),
        );
    }
    let itunes: Object = itunes(entry);
    if !itunes.is_empty() {
        made.insert("itunes", itunes);
    }
    let date = ["pubDate", "date"]
        .iter()
        .find_map(|name| made.get(name).and_then(Value::as_str).map(str::to_owned));
    finish(made, entry, date, custom)
}

fn atom(entry: &Value, custom: &[&str]) -> Object {
    let mut made = Object::new();
    if let Some(title) = text_at(entry, "title") {
        made.insert("title", title);
    }
    let links = entry.get("link").and_then(Value::as_array).unwrap_or_default();
    let rel = |link: &&Value| {
        link.get("$")
            .and_then(|attributes| attributes.get("rel"))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let chosen = links
        .iter()
        .find(|link| rel(link).as_deref() == Some("alternate"))
        .or_else(|| links.first());
    if let Some(link) =
        chosen.and_then(|link| link.get("$")).and_then(|attributes| attributes.get("href"))
    {
        made.insert("link", link.clone());
    }
    let date = ["published", "updated"]
        .iter()
        .find_map(|name| text_at(entry, name).filter(|text| !text.is_empty()));
    if let Some(iso) = date.as_deref().and_then(to_iso) {
        made.insert("pubDate", iso);
    }
    let author =
        entry.get("author").and_then(|list| list.at(0)).and_then(|author| text_at(author, "name"));
    if let Some(author) = author.filter(|name| !name.is_empty()) {
        made.insert("author", author);
    }
    if let Some(content) = text_at(entry, "content").filter(|text| !text.is_empty()) {
        made.insert("contentSnippet", snippet::from_html(&content));
        made.insert("content", content);
    }
    if let Some(summary) = text_at(entry, "summary").filter(|text| !text.is_empty()) {
        made.insert("summary", summary);
    }
    if let Some(id) = text_at(entry, "id") {
        made.insert("id", id);
    }
    finish(made, entry, date, custom)
}

fn finish(mut made: Object, entry: &Value, date: Option<String>, custom: &[&str]) -> Object {
    if let Some(iso) = date.as_deref().and_then(to_iso) {
        made.insert("isoDate", iso);
    }
    for name in custom {
        if let Some(value) = entry.get(name) {
            let value = match value.as_array() {
                Some([only]) if only.is_string() => only.clone(),
                Some([only]) => only.clone(),
                _ => value.clone(),
            };
            made.insert(*name, value);
        }
    }
    made
}

fn itunes(entry: &Value) -> Object {
    let mut made = Object::new();
    for name in [
        "author",
        "subtitle",
        "summary",
        "explicit",
        "duration",
        "season",
        "episode",
        "episodeType",
    ] {
        if let Some(text) = text_at(entry, &format!("itunes:{name}")) {
            made.insert(name, text);
        }
    }
    let image = entry
        .get("itunes:image")
        .and_then(|list| list.at(0))
        .and_then(|image| image.get("$"))
        .and_then(|fields| fields.get("href"));
    if let Some(image) = image {
        made.insert("image", image.clone());
    }
    made
}

fn text_at(entry: &Value, name: &str) -> Option<String> {
    entry.get(name).and_then(|list| list.at(0)).map(text_of)
}

/// The text of an element, those inside of it included.
fn text_of(value: &Value) -> String {
    match value {
        Value::Object(fields) => match fields.get("_") {
            Some(text) => text.to_js_string().to_string(),
            None => fields
                .iter()
                .filter(|(name, _)| *name != "$")
                .map(|(_, inner)| text_of(inner))
                .collect::<Vec<_>>()
                .join(""),
        },
        Value::Array(values) => values.iter().map(text_of).collect::<Vec<_>>().join(""),
        value => value.to_js_string().to_string(),
    }
}

fn to_iso(date: &str) -> Option<String> {
    Moment::new(parse_js_date(date.trim())?, "UTC").map(|moment| iso(&moment))
}

fn iso(moment: &Moment) -> String {
    formats::dates::to_moment_format(moment, "YYYY-MM-DD[T]HH:mm:ss.SSS[Z]")
}
