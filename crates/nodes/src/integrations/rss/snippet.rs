//! The plain words of a piece of HTML.

/// Elements that begin a new line.
const BLOCKS: &[&str] =
    &["h", "br", "p", "ul", "ol", "li", "blockquote", "section", "table", "tr", "div"];

/// The text without tags, entities decoded, blocks on lines of their own.
pub(super) fn from_html(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let Some(end) = rest[start..].find('>') else {
            rest = &rest[start..];
            break;
        };
        let name = rest[start + 1..start + end].trim_start_matches('/');
        let follows = rest[start + end + 1..].chars().next();
        let breaks = BLOCKS.iter().any(|block| name.starts_with(block))
            && follows.is_some_and(|letter| letter != '\n');
        if breaks && !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        rest = &rest[start + end + 1..];
    }
    text.push_str(rest);
    decode(&text).trim().to_owned()
}

fn decode(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    // The parser of the HTML nodes knows every entity; tags are gone already.
    let escaped = text.replace('<', "&lt;");
    scraper::Html::parse_fragment(&escaped).root_element().text().collect()
}
