//! Converts between Markdown and HTML.

mod blocks;
mod emoji;
mod from_html;
mod spans;
mod tables;

use from_html::to_markdown;
use node_api::prelude::*;

pub(crate) struct Markdown;

impl Node for Markdown {
    fn spec() -> Spec {
        let to_html = &["markdownToHtml"];
        let from_html = &["htmlToMarkdown"];
        Spec::new("n8n-nodes-base.markdown", &[1.0], "Markdown", "Convert data between Markdown and HTML").icon("file-text")
            .params([
                Param::choice("mode", "Mode", &[("htmlToMarkdown", "HTML to Markdown"), ("markdownToHtml", "Markdown to HTML")])
                    .help("Direction of the conversion."),
                Param::long_text("html", "HTML", "").required().help("The HTML to convert.").show("mode", from_html),
                Param::long_text("markdown", "Markdown", "").required().help("The Markdown to convert.").show("mode", to_html),
                Param::text("destinationKey", "Destination key", "data")
                    .required()
                    .help("Field for the result. Dots create nested objects."),
                Param::collection("options", "Options", from_html::params()).help("Further settings.").show("mode", from_html),
                Param::collection("options", "Options", html_params()).help("Further settings.").show("mode", to_html),
            ])
            .note("Uncommon emoji names are not converted, and encoded email addresses always use the \
                 same encoding.")
            .alias(&["md", "html", "convert", "readme"])
            .hint("Use it to convert a model's response to HTML for an email, or a web page to \
                 Markdown for a model.")
            .repeatable()
            .computes()
            .example(
                "Markdown to HTML",
                r##"{ "mode": "markdownToHtml", "markdown": "# Title\n\nSome **bold** text." }"##,
                "[{}]",
                r#"[[{ "data": "<h1 id=\"title\">Title</h1>\n<p>Some <strong>bold</strong> text.</p>" }]]"#,
            )
            .example(
                "HTML to Markdown",
                r#"{ "html": "<h1>Title</h1><p>Some <b>bold</b> text.</p>" }"#,
                "[{}]",
                r##"[[{ "data": "# Title\n\nSome **bold** text." }]]"##,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let reads_markdown = ctx.text("mode", 0)? == "markdownToHtml";
        ctx.map_items(&items, |index, mut item| {
            let text = if reads_markdown {
                let options = HtmlOptions::read(&ctx.param("options", index)?);
                blocks::to_html(&ctx.text("markdown", index)?, &options)
            } else {
                let options = from_html::MarkdownOptions::read(&ctx.param("options", index)?)?;
                to_markdown(&ctx.text("html", index)?, &options)?
            };
            item.json.make_object();
            item.json.put_path(&ctx.text("destinationKey", index)?, text)?;
            Ok(item)
        })
    }
}

/// The settings of Markdown to HTML that change the result.
#[derive(Clone, Debug, Default)]
struct HtmlOptions {
    flags: Vec<Str>,
    header_level_start: usize,
    prefix_header_id: Str,
    mentions_link: Str,
}

const FLAGS: &[(&str, &str, bool, &str)] = &[
    ("openLinksInNewWindow", "Add blank to links", false, "Open links in a new window."),
    ("simplifiedAutoLink", "Automatic linking to URLs", false, "Turn bare URLs into links."),
    (
        "backslashEscapesHTMLTags",
        "Backslash escapes HTML tags",
        false,
        "Escape HTML tags with a backslash.",
    ),
    (
        "completeHTMLDocument",
        "Complete HTML document",
        false,
        "Create a complete page with html, head and body.",
    ),
    (
        "customizedHeaderId",
        "Customized header ID",
        false,
        "Use text in curly braces as the ID of a heading.",
    ),
    ("emoji", "Emoji support", false, "Turn names such as :smile: into emoji."),
    ("encodeEmails", "Encode emails", true, "Obfuscate email addresses."),
    (
        "excludeTrailingPunctuationFromURLs",
        "Exclude trailing punctuation from URLs",
        false,
        "Exclude trailing punctuation from bare URLs.",
    ),
    ("ghCodeBlocks", "GitHub code blocks", true, "Fenced code blocks."),
    (
        "ghCompatibleHeaderId",
        "GitHub compatible header IDs",
        false,
        "Generate heading IDs like GitHub.",
    ),
    ("ghMentions", "GitHub mentions", false, "Link @names."),
    ("tasklists", "GitHub task lists", false, "Check boxes in lists."),
    (
        "requireSpaceBeforeHeadingText",
        "Mandatory space before header",
        false,
        "Require a space after the # of a heading.",
    ),
    ("literalMidWordAsterisks", "Middle word asterisks", false, "Keep asterisks inside words."),
    (
        "literalMidWordUnderscores",
        "Middle word underscores",
        false,
        "Keep underscores inside words.",
    ),
    ("noHeaderId", "No header ID", false, "Omit heading IDs."),
    (
        "parseImgDimensions",
        "Parse image dimensions",
        false,
        "Parse sizes such as =100x200 after an image's URL.",
    ),
    ("rawHeaderId", "Raw header ID", false, "Change heading IDs as little as possible."),
    (
        "rawPrefixHeaderId",
        "Raw prefix header ID",
        false,
        "Keep the prefix of heading IDs unchanged.",
    ),
    ("simpleLineBreaks", "Simple line breaks", false, "Treat every line break as a line break."),
    ("smartIndentationFix", "Smart indentation fix", false, "Remove common indentation."),
    (
        "disableForced4SpacesIndentedSublists",
        "Spaces indented sublists",
        false,
        "Two spaces are enough for an inner list.",
    ),
    (
        "splitAdjacentBlockquotes",
        "Split adjacent blockquotes",
        false,
        "A blank line ends a quotation.",
    ),
    ("strikethrough", "Strikethrough", false, "Read ~~text~~."),
    ("tablesHeaderId", "Tables header ID", false, "Add IDs to table headers."),
    ("tables", "Tables support", false, "Read tables."),
];

fn html_params() -> Vec<Param> {
    let flags = FLAGS
        .iter()
        .map(|(name, label, default, help)| Param::flag(name, label, *default).help(help));
    flags
        .chain([
            Param::text("ghMentionsLink", "GitHub mention link", "https://github.com/{u}")
                .help("URL for mentions. {u} is replaced with the name."),
            Param::number("headerLevelStart", "Header level start", 1)
                .help("The level of the largest heading."),
            Param::text("prefixHeaderId", "Prefix header ID", "section")
                .help("Prefix of heading IDs."),
        ])
        .collect()
}

impl HtmlOptions {
    fn read(given: &Value) -> Self {
        let is_on = |(name, _, default, _): &&(&str, &str, bool, &str)| {
            given.get(name).map_or(*default, Value::is_truthy)
        };
        let text = |name: &str| given.get(name).and_then(Value::as_str).map(Str::from);
        Self {
            flags: FLAGS.iter().filter(is_on).map(|(name, ..)| Str::from(*name)).collect(),
            header_level_start: given
                .get("headerLevelStart")
                .and_then(Value::as_usize)
                .unwrap_or(1)
                .max(1),
            prefix_header_id: text("prefixHeaderId").unwrap_or_default(),
            mentions_link: text("ghMentionsLink")
                .unwrap_or_else(|| "https://github.com/{u}".into()),
        }
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|name| name == flag)
    }
}

/// A web page as Markdown, with n8n's settings; scripts, styles and what is not shown are left out.
pub(crate) fn page_to_markdown(page: &str) -> Result<String, NodeError> {
    to_markdown(page, &from_html::MarkdownOptions::read(&json!({}))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_api::testing::run;

    #[tokio::test]
    async fn the_result_goes_where_it_is_wanted() {
        let params = json!({ "mode": "markdownToHtml", "markdown": "x", "destinationKey": "a.b" });
        assert_eq!(
            run::<Markdown>(params, json!([{ "k": 1 }])).await.unwrap()[0],
            json!([{ "k": 1, "a": { "b": "<p>x</p>" } }])
        );
    }
}
