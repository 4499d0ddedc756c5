//! Reads what stands inside a line of Markdown: code, links, images, emphasis.

use super::{HtmlOptions, emoji};
use crate::ticker::tick;
use std::collections::HashMap;

/// Stands around the number of a finished piece of HTML while the rest is still being read.
const STASH_MARK: char = '\u{1a}';
/// A link is not longer than this many characters; texts full of open brackets stay quick to read.
const MAX_BRACKET: usize = 2_000;
const ESCAPABLE: &str = "\\`*_{}[]()>#+.!~=|:-";

pub(super) struct InlineSpans<'o> {
    options: &'o HtmlOptions,
    definitions: HashMap<String, (String, Option<String>)>,
    stashed: Vec<String>,
}

impl<'o> InlineSpans<'o> {
    pub(super) fn new(options: &'o HtmlOptions) -> Self {
        Self { options, definitions: HashMap::new(), stashed: Vec::new() }
    }

    /// Takes lines such as `[name]: address "title"` out of a text.
    pub(super) fn take_definitions(&mut self, lines: Vec<String>) -> Vec<String> {
        let mut in_code = false;
        lines
            .into_iter()
            .filter(|line| {
                in_code ^= line.trim_start().starts_with("```");
                let Some((name, rest)) =
                    line.trim_start().strip_prefix('[').and_then(|rest| rest.split_once("]:"))
                else {
                    return true;
                };
                if in_code
                    || line.starts_with("    ")
                    || name.starts_with('^')
                    || name.contains(']')
                    || rest.trim().is_empty()
                {
                    return true;
                }
                let (target, title) = split_title(rest.trim());
                self.definitions.insert(name.to_lowercase(), (target, title));
                false
            })
            .collect()
    }

    /// The HTML of a text without blocks.
    pub(super) fn write(&mut self, text: &str) -> String {
        let text: String = text.chars().filter(|letter| *letter != STASH_MARK).collect();
        let held_before = self.stashed.len();
        let text = self.stash_pieces(&text);
        let text = if self.options.has("emoji") { self.emoji(&text) } else { text };
        let mut text = self.emphasis(text);
        text = encode_amps(&text.replace("...", "…"));
        text = if self.options.has("simpleLineBreaks") {
            text.lines().map(str::trim_end).collect::<Vec<_>>().join("<br />\n")
        } else {
            break_lines(&text)
        };
        let done = self.unstash(&text);
        self.stashed.truncate(held_before);
        done
    }

    fn emphasis(&self, text: String) -> String {
        let mut text = text;
        for (mark, flag) in [('_', "literalMidWordUnderscores"), ('*', "literalMidWordAsterisks")] {
            let words =
                if self.options.has(flag) { MarkBoundary::Whole } else { MarkBoundary::Any };
            text =
                wrap(&text, &mark.to_string().repeat(3), ["<strong><em>", "</em></strong>"], words);
            text = wrap(&text, &mark.to_string().repeat(2), ["<strong>", "</strong>"], words);
            text = wrap(&text, &mark.to_string(), ["<em>", "</em>"], words);
        }
        if self.options.has("strikethrough") {
            text = wrap(&text, "~~", ["<del>", "</del>"], MarkBoundary::Any);
        }
        text
    }

    fn stash(&mut self, html: String) -> String {
        self.stashed.push(html);
        format!("{STASH_MARK}{}{STASH_MARK}", self.stashed.len() - 1)
    }

    fn unstash(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for (position, part) in text.split(STASH_MARK).enumerate() {
            match part
                .parse::<usize>()
                .ok()
                .filter(|_| position % 2 == 1)
                .and_then(|number| self.stashed.get(number))
            {
                Some(held) if held.contains(STASH_MARK) => out.push_str(&self.unstash(held)),
                Some(held) => out.push_str(held),
                None => out.push_str(part),
            }
        }
        out
    }

    /// Replaces code, escapes, links, images and tags by numbers, so that emphasis leaves them
    /// alone.
    fn stash_pieces(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // Each of these may be looked for to the end of the text.
            if matches!(first, '`' | '\\' | '!' | '[' | '<') && tick().is_err() {
                break;
            }
            let piece = match first {
                '`' => self.code(rest),
                '\\' => self.escape(rest),
                '!' if rest[1..].starts_with('[') => {
                    self.link(&rest[1..], true).map(|(html, used)| (html, used + 1))
                }
                '[' => self.link(rest, false),
                '<' => self.tag(rest),
                'h' | 'f' | 'w'
                    if self.options.has("simplifiedAutoLink")
                        && !out.ends_with(|letter: char| letter.is_alphanumeric()) =>
                {
                    self.bare_url(rest)
                }
                '@' if self.options.has("ghMentions")
                    && !out.ends_with(|letter: char| letter.is_alphanumeric()) =>
                {
                    self.mention(rest)
                }
                _ => None,
            };
            match piece {
                Some((html, used)) => {
                    out += &self.stash(html);
                    rest = &rest[used..];
                }
                None => {
                    // Ticks without a partner are passed over together.
                    let used = if first == '`' {
                        rest.len() - rest.trim_start_matches('`').len()
                    } else {
                        first.len_utf8()
                    };
                    out.push_str(&rest[..used]);
                    rest = &rest[used..];
                }
            }
        }
        out
    }

    fn code(&self, text: &str) -> Option<(String, usize)> {
        let ticks = text.len() - text.trim_start_matches('`').len();
        let mut from = ticks;
        loop {
            let found = text[from..].find(&text[..ticks])? + from;
            let run = text[found..].len() - text[found..].trim_start_matches('`').len();
            if run == ticks {
                let code = text[ticks..found].trim_matches([' ', '\t']);
                return Some((format!("<code>{}</code>", encode_code(code)), found + ticks));
            }
            from = found + run;
        }
    }

    fn escape(&self, text: &str) -> Option<(String, usize)> {
        let escaped = text[1..].chars().next()?;
        if escaped == '<' && self.options.has("backslashEscapesHTMLTags") {
            let end = text.find('>')?;
            return Some((text[1..=end].replace('<', "&lt;").replace('>', "&gt;"), end + 1));
        }
        let shown = if escaped == '>' { "&gt;".to_owned() } else { escaped.to_string() };
        ESCAPABLE.contains(escaped).then_some((shown, 2))
    }

    /// `[text](target "title")` and `[text][name]`.
    fn link(&mut self, text: &str, is_image: bool) -> Option<(String, usize)> {
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
        Some((
            format!("<a href=\"{target}\"{title}{}>{}</a>", self.blank(), encode_amps(&inner)),
            used,
        ))
    }

    fn blank(&self) -> &'static str {
        if self.options.has("openLinksInNewWindow") {
            " rel=\"noopener noreferrer\" target=\"_blank\""
        } else {
            ""
        }
    }

    /// `<http://…>`, `<a@b.c>` and HTML tags.
    fn tag(&self, text: &str) -> Option<(String, usize)> {
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

    fn bare_url(&self, text: &str) -> Option<(String, usize)> {
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

    fn mention(&self, text: &str) -> Option<(String, usize)> {
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

    fn emoji(&mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(':') {
            let after = &rest[start + 1..];
            let found = after.find(':').and_then(|end| Some((emoji::find(&after[..end])?, end)));
            out.push_str(&rest[..start]);
            match found {
                Some((emoji, end)) => {
                    out.push_str(emoji);
                    rest = &after[end + 1..];
                }
                None => {
                    out.push(':');
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// Where marks may stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkBoundary {
    Any,
    /// Around whole words only.
    Whole,
}

/// Puts tags in place of pairs of marks that touch the text between them.
///
/// Whether a mark can close depends on its neighbours alone, so that one walk over the text is
/// enough.
fn wrap(text: &str, mark: &str, [open, close]: [&str; 2], words: MarkBoundary) -> String {
    let is_word = |letter: Option<char>| {
        letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let is_bad = |letter: Option<char>| {
        letter.is_none_or(|letter| {
            letter.is_whitespace() || (mark.len() == 1 && mark.starts_with(letter))
        })
    };
    let before = |at: usize| text[..at].chars().next_back();
    let after = |at: usize| text[at..].chars().next();
    let opens = |at: usize| {
        !is_bad(after(at + mark.len())) && (words == MarkBoundary::Any || !is_word(before(at)))
    };
    let closes = |at: usize| {
        !is_bad(before(at)) && (words == MarkBoundary::Any || !is_word(after(at + mark.len())))
    };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut from = 0;
    while let Some(found) = text[from..].find(mark).map(|at| at + from) {
        let inner = found + mark.len();
        if !opens(found) {
            from = found + 1;
            continue;
        }
        let first = after(inner).map_or(0, char::len_utf8);
        let mut search = inner + first;
        let end = loop {
            match text[search..].find(mark).map(|at| at + search) {
                Some(at) if closes(at) => break Some(at),
                Some(at) => search = at + 1,
                None => break None,
            }
        };
        let Some(end) = end else { break };
        out.push_str(&text[done..found]);
        out.push_str(open);
        out.push_str(&text[inner..end]);
        out.push_str(close);
        done = end + mark.len();
        from = done;
    }
    out.push_str(&text[done..]);
    out
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
fn split_title(text: &str) -> (String, Option<String>) {
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

pub(super) fn encode_code(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes ampersands and angle brackets that start neither an entity nor a tag as entities.
fn encode_amps(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        let rest = &text[at + letter.len_utf8()..];
        match letter {
            '&' => {
                let name = rest.strip_prefix('#').unwrap_or(rest);
                let end =
                    name.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(name.len());
                out.push_str(if end > 0 && name[end..].starts_with(';') { "&" } else { "&amp;" });
            }
            '<' if !rest.starts_with(|next: char| {
                next.is_ascii_alphabetic() || matches!(next, '/' | '?' | '$' | '!')
            }) =>
            {
                out.push_str("&lt;")
            }
            other => out.push(other),
        }
    }
    out
}

/// Two spaces before a line break make it count.
fn break_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        match lines.peek() {
            Some(_) if line.ends_with("  ") => {
                out.push_str(line.trim_end_matches(' '));
                out.push_str("<br />\n");
            }
            Some(_) => {
                out.push_str(line);
                out.push('\n');
            }
            None => out.push_str(line),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    fn write(text: &str, options: model::Value) -> String {
        let options = HtmlOptions::read(&options);
        InlineSpans::new(&options).write(text)
    }

    #[test]
    fn emphasis_links_and_code_are_read() {
        for (text, expected) in [
            (
                "**a** and *b* and ***c***",
                "<strong>a</strong> and <em>b</em> and <strong><em>c</em></strong>",
            ),
            ("__a__ _b_ 2 * 3 * 4", "<strong>a</strong> <em>b</em> 2 * 3 * 4"),
            ("`a < *b*` \\*c\\*", "<code>a &lt; *b*</code> *c*"),
            (
                "[a *b*](http://x.y/z_1_ \"t\")",
                "<a href=\"http://x.y/z_1_\" title=\"t\">a <em>b</em></a>",
            ),
            (
                "![alt](i.png) <http://a.b>",
                "<img src=\"i.png\" alt=\"alt\" /> <a href=\"http://a.b\">http://a.b</a>",
            ),
            ("a  \nb & c &amp; d < e <b>f</b>...", "a<br />\nb &amp; c &amp; d &lt; e <b>f</b>…"),
            ("**[x](y)**", "<strong><a href=\"y\">x</a></strong>"),
        ] {
            assert_eq!(write(text, json!({})), expected, "{text}");
        }
    }

    #[test]
    fn settings_switch_more_on() {
        assert_eq!(
            write("~~a~~ :tada: :nope:", json!({ "strikethrough": true, "emoji": true })),
            "<del>a</del> 🎉 :nope:"
        );
        assert_eq!(
            write(
                "see https://a.b/c.",
                json!({ "simplifiedAutoLink": true, "excludeTrailingPunctuationFromURLs": true, "openLinksInNewWindow": true })
            ),
            "see <a href=\"https://a.b/c\" rel=\"noopener noreferrer\" target=\"_blank\">https://a.b/c</a>."
        );
        assert_eq!(
            write("snake_case_name", json!({ "literalMidWordUnderscores": true })),
            "snake_case_name"
        );
        assert_eq!(write("a\nb", json!({ "simpleLineBreaks": true })), "a<br />\nb");
        assert_eq!(
            write("![a](b.png =10x*)", json!({ "parseImgDimensions": true })),
            "<img src=\"b.png\" alt=\"a\" width=\"10\" height=\"auto\" />"
        );
        assert_eq!(
            write("hi @ann.", json!({ "ghMentions": true })),
            "hi <a href=\"https://github.com/ann\">@ann</a>."
        );
    }
}
