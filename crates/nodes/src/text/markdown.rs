//! Converts between Markdown and HTML.

mod params;

use formats::markdown::{HtmlOptions, MarkdownOptions, ON_BY_DEFAULT, to_html, to_markdown};
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
                Param::collection("options", "Options", params::from_html()).help("Further settings.").show("mode", from_html),
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
                to_html(&ctx.text("markdown", index)?, &options)
            } else {
                let options = MarkdownOptions::read(&ctx.param("options", index)?)?;
                to_markdown(&ctx.text("html", index)?, &options)?
            };
            item.json.make_object();
            item.json.put_path(&ctx.text("destinationKey", index)?, text)?;
            Ok(item)
        })
    }
}

const FLAGS: &[(&str, &str, &str)] = &[
    ("openLinksInNewWindow", "Add blank to links", "Open links in a new window."),
    ("simplifiedAutoLink", "Automatic linking to URLs", "Turn bare URLs into links."),
    (
        "backslashEscapesHTMLTags",
        "Backslash escapes HTML tags",
        "Escape HTML tags with a backslash.",
    ),
    (
        "completeHTMLDocument",
        "Complete HTML document",
        "Create a complete page with html, head and body.",
    ),
    (
        "customizedHeaderId",
        "Customized header ID",
        "Use text in curly braces as the ID of a heading.",
    ),
    ("emoji", "Emoji support", "Turn names such as :smile: into emoji."),
    ("encodeEmails", "Encode emails", "Obfuscate email addresses."),
    (
        "excludeTrailingPunctuationFromURLs",
        "Exclude trailing punctuation from URLs",
        "Exclude trailing punctuation from bare URLs.",
    ),
    ("ghCodeBlocks", "GitHub code blocks", "Fenced code blocks."),
    ("ghCompatibleHeaderId", "GitHub compatible header IDs", "Generate heading IDs like GitHub."),
    ("ghMentions", "GitHub mentions", "Link @names."),
    ("tasklists", "GitHub task lists", "Check boxes in lists."),
    (
        "requireSpaceBeforeHeadingText",
        "Mandatory space before header",
        "Require a space after the # of a heading.",
    ),
    ("literalMidWordAsterisks", "Middle word asterisks", "Keep asterisks inside words."),
    ("literalMidWordUnderscores", "Middle word underscores", "Keep underscores inside words."),
    ("noHeaderId", "No header ID", "Omit heading IDs."),
    (
        "parseImgDimensions",
        "Parse image dimensions",
        "Parse sizes such as =100x200 after an image's URL.",
    ),
    ("rawHeaderId", "Raw header ID", "Change heading IDs as little as possible."),
    ("rawPrefixHeaderId", "Raw prefix header ID", "Keep the prefix of heading IDs unchanged."),
    ("simpleLineBreaks", "Simple line breaks", "Treat every line break as a line break."),
    ("smartIndentationFix", "Smart indentation fix", "Remove common indentation."),
    (
        "disableForced4SpacesIndentedSublists",
        "Spaces indented sublists",
        "Two spaces are enough for an inner list.",
    ),
    ("splitAdjacentBlockquotes", "Split adjacent blockquotes", "A blank line ends a quotation."),
    ("strikethrough", "Strikethrough", "Read ~~text~~."),
    ("tablesHeaderId", "Tables header ID", "Add IDs to table headers."),
    ("tables", "Tables support", "Read tables."),
];

fn html_params() -> Vec<Param> {
    let flags = FLAGS.iter().map(|(name, label, help)| {
        Param::flag(name, label, ON_BY_DEFAULT.contains(name)).help(help)
    });
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

/// A web page as Markdown, with n8n's settings; scripts, styles and what is not shown are left out.
pub(crate) fn page_to_markdown(page: &str) -> Result<String, NodeError> {
    to_markdown(page, &MarkdownOptions::read(&json!({}))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn the_result_goes_where_it_is_wanted() {
        let params = json!({ "mode": "markdownToHtml", "markdown": "x", "destinationKey": "a.b" });
        assert_eq!(
            run::<Markdown>(params, json!([{ "k": 1 }])).await.unwrap()[0],
            json!([{ "k": 1, "a": { "b": "<p>x</p>" } }])
        );
    }
}
