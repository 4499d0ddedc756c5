//! Reads what stands inside a line of Markdown: code, links, images, emphasis.

mod links;
mod signs;

pub(super) use signs::encode_code;

use self::links::split_title;
use self::signs::{break_lines, encode_signs};
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
        text = text.replace("...", "…");
        text = if self.options.has("simpleLineBreaks") {
            text.lines().map(str::trim_end).collect::<Vec<_>>().join("<br />\n")
        } else {
            break_lines(&text)
        };
        let done = self.unstash(&text);
        self.stashed.truncate(held_before);
        encode_signs(&done)
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
