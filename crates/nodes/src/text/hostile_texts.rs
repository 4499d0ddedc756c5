//! Texts that take longer to read than they are long: whatever a node does with them, others get
//! their turn and the step ends soon after its CPU time is used up.

use super::html::Html;
use super::markdown::Markdown;
use super::xml::Xml;
use compute::{Allowance, Offload};
use model::Value;
use model::json;
use node_api::NodeError;
use node_testing::run;
use std::time::Duration;

/// What a step may use, and how long it may go on after that before it notices; a debug build is
/// slow.
const GRANTED: Duration = Duration::from_millis(50);
const SILENT: Duration = Duration::from_secs(2);

const BYTES: usize = 150 << 10;

const PIECES: &[&str] = &[
    "*",
    "**a",
    "*a_",
    "_a ",
    "[",
    "[a](",
    "![",
    "![a][",
    "]",
    "`",
    "``a",
    "> ",
    "- ",
    "- a\n ",
    "1. ",
    "\n# ",
    "~~",
    "a\n===\n",
    "\\",
    "\t",
    "[a]: b\n",
    "[^1]: a\n",
    "http://a",
    "@a ",
    "a@b.c ",
    "|a",
    "|a|b|\n|-|-|\n",
    "<",
    "<a",
    "<a ",
    "<a b=c ",
    "b='1' ",
    "<!--",
    "-->",
    "&",
    "&amp",
    "&#38;",
    "<div>",
    "<b>",
    "<b><p>",
    "<a href=x>",
    "<ul><li>",
    "<table><tr><td>",
    "<table>",
    "<td>",
    "<p>",
    "</p>",
    "</b>",
    "<blockquote>",
    "<pre>",
    "<h1>",
    "<select>",
    "<svg>",
    "<template>",
    "<script>",
    "<textarea>",
    "<![CDATA[",
    "<?a ",
    "<!DOCTYPE a [",
    "<!ENTITY a 'b'>",
    "\"",
    "'",
    ",",
    "\r\n",
    "  \n",
    "\n\n",
    "é",
    ":smile:",
    "$$",
    "```\n",
    "~~~",
    "<br>",
    "===",
    "---\n",
    "+ ",
    "* * *\n",
    "<code>",
    "<details>",
];

/// Pieces that only hurt between others.
fn texts() -> Vec<(String, String)> {
    let repeated = |piece: &str| piece.repeat(BYTES / piece.len());
    let mut texts: Vec<(String, String)> =
        PIECES.iter().map(|piece| (format!("{piece:?}"), repeated(piece))).collect();
    let numbered = |before: &str, after: &str| {
        (0..BYTES / (before.len() + after.len() + 5))
            .map(|number| format!("{before}{number}{after}"))
            .collect::<String>()
    };
    texts.push(("attributes".into(), format!("<a {}>x</a>", numbered("b", "=1 "))));
    texts.push((
        "formats".into(),
        format!(
            "<div>{}</div>{}",
            numbered("<b id=", ">").split_at(20_000).0,
            repeated("<div>x</div>")
        ),
    ));
    texts.push((
        "references".into(),
        format!("{}{}", numbered("[a", "]: b\n"), numbered("[a", "] ")),
    ));
    texts.push(("headings".into(), repeated("# a\n\n")));
    texts.push((
        "indented".into(),
        (0..700).map(|level| format!("{}- a\n", " ".repeat(level))).collect(),
    ));
    texts.push(("elements".into(), numbered("<a", ">")));
    texts.push(("closed".into(), format!("{}{}", repeated("<div>"), repeated("</div>"))));
    texts.push(("xml".into(), format!("<r>{}</r>", repeated("<a b='1'>&lt;</a>"))));
    texts
}

/// What took longer than it may.
#[derive(Default)]
struct SlowTexts(Vec<String>);

impl SlowTexts {
    async fn run(
        &mut self,
        what: &str,
        name: &str,
        work: impl Future<Output = Result<Vec<Value>, NodeError>>,
    ) {
        let began = compute::cpu_used();
        // That it fails is fine: it is refused, or its time is over.
        let _ = Offload::new(Box::pin(work), Allowance::new(GRANTED, GRANTED)).await;
        let used = compute::cpu_used() - began;
        if used > GRANTED + SILENT {
            self.0.push(format!("{what} of {name}: {used:?}"));
        }
    }
}

impl Drop for SlowTexts {
    fn drop(&mut self) {
        assert!(self.0.is_empty(), "{:#?}", self.0);
    }
}

#[tokio::test]
async fn issue_14_06_markdown_of_strangers_takes_no_longer_than_it_may() {
    let mut slow = SlowTexts::default();
    for (name, text) in texts() {
        slow.run(
            "HTML",
            &name,
            run::<Markdown>(json!({ "mode": "markdownToHtml", "markdown": text }), json!([{}])),
        )
        .await;
    }
}

#[tokio::test]
async fn issue_14_06_pages_of_strangers_take_no_longer_than_they_may() {
    let values = |what: &str, selector: &str| json!([{ "key": "a", "cssSelector": selector, "returnValue": what, "returnArray": true }]);
    let mut slow = SlowTexts::default();
    for (name, text) in texts() {
        slow.run("Markdown", &name, run::<Markdown>(json!({ "html": text.clone() }), json!([{}])))
            .await;
        for (what, selector) in [
            ("text", "*"),
            ("html", "div, b, p"),
            ("text", "p ~ p ~ div"),
            ("attribute", ":has(em)"),
            ("text", "p:nth-child(3)"),
        ] {
            let params = json!({ "operation": "extractHtmlContent", "extractionValues": { "values": values(what, selector) } });
            slow.run(selector, &name, run::<Html>(params, json!([{ "data": text.clone() }]))).await;
        }
    }
}

#[tokio::test]
async fn issue_14_06_xml_of_strangers_takes_no_longer_than_it_may() {
    let mut slow = SlowTexts::default();
    for (name, text) in texts() {
        slow.run("XML", &name, run::<Xml>(json!({}), json!([{ "data": text }]))).await;
    }
}
