//! Links, images, addresses and tags.

use super::{InlineSpans, MAX_BRACKET};

impl InlineSpans<'_> {
    /// `[text](target "title")` and `[text][name]`.
    pub(super) fn link(&mut self, text: &str, is_image: bool) -> Option<(String, usize)> {
        let close = matching(text, '[', ']')?;
        let label = &text[1..close];
        let after = &text[close + 1..];
        let (target, title, used) = if after.starts_with('(') {
            let end = matching(after, '(', ')')?;
            let (target, title) = split_title(after[1..end].trim());
            (target, title, close + end + 2)
        } else {
            let inner = after.trim_start_matches(' ');
            let (name, used) = match inner.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                Some((name, rest)) => {
                    (if name.is_empty() { label } else { name }, text.len() - rest.len())
                }
                None => (label, close + 1),
            };
            let (target, title) =
                self.definitions.get(&name.to_lowercase().replace('\n', " "))?.clone();
            (target, title, used)
        };
        let (target, size) = if self.options.has("parseImgDimensions") && is_image {
            split_size(&target)
        } else {
            (target, String::new())
        };
        let target = target.replace('"', "&quot;");
        let title = title
            .map(|title| format!(" title=\"{}\"", title.replace('"', "&quot;")))
            .unwrap_or_default();
        if is_image {
            let alt = label.replace('"', "&quot;");
            return Some((format!("<img src=\"{target}\" alt=\"{alt}\"{title}{size} />"), used));
        }
        let inner = self.stash_pieces(label);
        let inner = self.emphasis(inner);
        Some((format!("<a href=\"{target}\"{title}{}>{}</a>", self.blank(), inner), used))
    }

    pub(super) fn blank(&self) -> &'static str {
        if self.options.has("openLinksInNewWindow") {
            " rel=\"noopener noreferrer\" target=\"_blank\""
        } else {
            ""
        }
    }

    /// `<http://…>`, `<a@b.c>` and HTML tags.
    pub(super) fn tag(&self, text: &str) -> Option<(String, usize)> {
        let end = text.find('>')?;
        let inner = &text[1..end];
        if ["http://", "https://", "ftp://"].iter().any(|scheme| inner.starts_with(scheme))
            && !inner.contains(char::is_whitespace)
        {
            return Some((format!("<a href=\"{inner}\"{}>{inner}</a>", self.blank()), end + 1));
        }
        let address = inner.strip_prefix("mailto:").unwrap_or(inner);
        if address.contains('@')
            && !address.contains(char::is_whitespace)
            && !address.contains(['=', '"', '<'])
        {
            let encode = |text: &str| {
                if self.options.has("encodeEmails") {
                    text.chars().map(|letter| format!("&#{};", letter as u32)).collect()
                } else {
                    text.to_owned()
                }
            };
            return Some((
                format!(
                    "<a href=\"{}\">{}</a>",
                    encode(&format!("mailto:{address}")),
                    encode(address)
                ),
                end + 1,
            ));
        }
        let is_tag = inner
            .trim_start_matches('/')
            .starts_with(|first: char| first.is_ascii_alphabetic() || first == '!' || first == '?');
        is_tag.then(|| (text[..=end].to_owned(), end + 1))
    }

    pub(super) fn bare_url(&self, text: &str) -> Option<(String, usize)> {
        let starts = ["http://", "https://", "ftp://", "www."]
            .iter()
            .find(|start| text.starts_with(**start))?;
        let end = text
            .find(|letter: char| letter.is_whitespace() || matches!(letter, '<' | '>' | '"' | '\''))
            .unwrap_or(text.len());
        let mut url = &text[..end];
        if self.options.has("excludeTrailingPunctuationFromURLs") {
            url = url.trim_end_matches(['.', '!', '?', '(', ')', ',', ';', ':']);
        }
        if url.len() <= starts.len() {
            return None;
        }
        let target = if url.starts_with("www.") { format!("http://{url}") } else { url.to_owned() };
        Some((format!("<a href=\"{target}\"{}>{url}</a>", self.blank()), url.len()))
    }

    pub(super) fn mention(&self, text: &str) -> Option<(String, usize)> {
        let end = text[1..]
            .find(|letter: char| {
                !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.')
            })
            .map_or(text.len(), |end| end + 1);
        let name = text[1..end].trim_end_matches(['.', '-']);
        let target = self.options.mentions_link.replace("{u}", name);
        (!name.is_empty())
            .then(|| (format!("<a href=\"{target}\"{}>@{name}</a>", self.blank()), name.len() + 1))
    }
}

/// The place of the bracket that closes the first one, if it is near enough to be meant.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    text.find(close)?;
    let mut depth = 0;
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().take(MAX_BRACKET) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            letter if letter == open => depth += 1,
            letter if letter == close => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// `address "title"` in its parts; the address may stand in angle brackets.
pub(super) fn split_title(text: &str) -> (String, Option<String>) {
    let plain =
        |target: &str| target.trim().trim_start_matches('<').trim_end_matches('>').to_owned();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_suffix(quote)
            && let Some(start) =
                rest.find(&format!(" {quote}")).or_else(|| rest.find(&format!("\n{quote}")))
        {
            return (plain(&rest[..start]), Some(rest[start + 2..].to_owned()));
        }
    }
    (plain(text), None)
}

/// `address =100x200` in its parts.
fn split_size(target: &str) -> (String, String) {
    let Some((address, (width, height))) =
        target.rsplit_once(" =").and_then(|(address, size)| Some((address, size.split_once('x')?)))
    else {
        return (target.to_owned(), String::new());
    };
    let attribute = |name: &str, value: &str| match value {
        "*" => format!(" {name}=\"auto\""),
        value => format!(" {name}=\"{value}\""),
    };
    (
        address.trim().to_owned(),
        format!("{}{}", attribute("width", width), attribute("height", height)),
    )
}
