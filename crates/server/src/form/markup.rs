//! Markup that an author puts between the fields of a form: cleaned, so that it cannot pass for a
//! part of our page.

use ammonia::Builder;
use compute::Allowance;
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::sync::LazyLock;
use std::time::Duration;

/// Beyond this nothing of it is shown.
const MAX_BYTES: usize = 256 << 10;

/// Nor if it takes longer than this: it may hold what others have sent, and what is nested takes
/// longer than it is long.
const CLEAN_TIMEOUT: Duration = Duration::from_secs(1);

/// So much is cleaned in passing.
const INLINE_BYTES: usize = 4 << 10;

#[rustfmt::skip]
const TAGS: [&str; 45] = [
    "a", "b", "blockquote", "br", "caption", "code", "dd", "del", "details", "div", "dl", "dt", "em", "figcaption", "figure", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "li", "mark", "ol", "p", "pre", "s", "small", "span", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let attributes = HashMap::from([
        ("a", HashSet::from(["href", "target", "title"])),
        ("img", HashSet::from(["src", "alt", "width", "height", "title"])),
        ("td", HashSet::from(["colspan", "rowspan"])),
        ("th", HashSet::from(["colspan", "rowspan", "scope"])),
        ("ol", HashSet::from(["start"])),
    ]);
    let mut cleaner = Builder::new();
    cleaner
        .tags(HashSet::from(TAGS).into_iter().chain(["u", "ul"]).collect())
        .tag_attributes(attributes)
        .generic_attributes(HashSet::from(["lang", "dir"]))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel"]))
        .link_rel(Some("noopener noreferrer nofollow"));
    cleaner
});

/// The markup with nothing in it that runs, loads from elsewhere by itself but pictures, or looks
/// like our own fields.
pub(super) fn clean(markup: &str) -> String {
    if markup.len() > MAX_BYTES {
        return String::new();
    }
    if markup.len() <= INLINE_BYTES {
        return CLEANER.clean(markup).to_string();
    }
    let allowance = Allowance::new(CLEAN_TIMEOUT, CLEAN_TIMEOUT);
    let cleaned =
        compute::within(&allowance, || CLEANER.clean_from_reader(TimedChunks(markup.as_bytes())));
    cleaned.ok().and_then(Result::ok).map(|document| document.to_string()).unwrap_or_default()
}

/// Markup that is read piece by piece, as long as there is time.
struct TimedChunks<'a>(&'a [u8]);

impl Read for TimedChunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const PIECE: usize = 1 << 10;
        compute::tick().map_err(io::Error::other)?;
        let most = buffer.len().min(PIECE);
        self.0.read(&mut buffer[..most])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_links_stay() {
        assert_eq!(
            clean("<h2>Terms</h2><p>Read <b>all</b> of it.</p>"),
            "<h2>Terms</h2><p>Read <b>all</b> of it.</p>"
        );
        let link = clean("<a href='https://a.example/?q=1' target='_blank' onclick='x()'>here</a>");
        assert_eq!(
            link,
            "<a href=\"https://a.example/?q=1\" target=\"_blank\" rel=\"noopener noreferrer nofollow\">here</a>"
        );
        assert_eq!(
            clean("<img src='https://a.example/x.png' alt='x' onerror='y'>"),
            "<img src=\"https://a.example/x.png\" alt=\"x\">"
        );
    }

    #[test]
    fn issue_14_06_markup_that_takes_too_long_is_left_out() {
        let began = compute::cpu_used();
        assert_eq!(clean(&"<div><b>".repeat(MAX_BYTES / 8)), "");
        assert!(compute::cpu_used() - began < 5 * CLEAN_TIMEOUT);
        let long = format!("<p>{}</p>", "é <b>word</b> ".repeat(10_000));
        assert_eq!(clean(&long), long);
    }

    #[test]
    fn nothing_runs_and_nothing_passes_for_a_part_of_the_page() {
        for markup in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg><script>alert(1)</script></svg>",
            "<svg onload=alert(1)>",
            "<math><mi xlink:href='data:x,<script>alert(1)</script>'>",
            "<a href='javascript:alert(1)'>x</a>",
            "<a href=' jav&#x09;ascript:alert(1)'>x</a>",
            "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
            "<iframe src='https://a.example'></iframe>",
            "<object data='x'></object><embed src='x'>",
            "<form action='https://evil.example'><input name=password></form>",
            "<button formaction='https://evil.example'>x</button>",
            "<style>body{display:none}</style>",
            "<div style='position:fixed;inset:0' class='problem' id='field-0'>x</div>",
            "<base href='https://evil.example'>",
            "<meta http-equiv=refresh content='0;url=https://evil.example'>",
            "<link rel=stylesheet href='https://evil.example'>",
            "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
            "<textarea><script>alert(1)</script></textarea>",
            "</main></body><script>alert(1)</script>",
            "<!--><script>alert(1)</script>-->",
            "<template><script>alert(1)</script></template>",
        ] {
            let kept = clean(markup);
            for wrong in [
                "<script",
                "onerror",
                "onload",
                "javascript:",
                "<iframe",
                "<object",
                "<embed",
                "<form",
                "<input",
                "<button",
                "<style",
                "style=",
                "class=",
                " id=",
                "<base",
                "<meta",
                "<link",
                "<svg",
                "<textarea",
                "</main",
                "<template",
                "data:",
            ] {
                assert!(!kept.contains(wrong), "{markup} left {kept}");
            }
        }
        assert_eq!(clean(&"x".repeat(MAX_BYTES + 1)), "");
    }
}
