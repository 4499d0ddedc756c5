//! The settings of HTML to Markdown.

use node_api::prelude::*;

pub(super) fn from_html() -> Vec<Param> {
    let pattern = || {
        [
            Param::text("pattern", "Pattern", "").help("A regular expression."),
            Param::text("replacement", "Replacement", "").help("Replacement for the match."),
        ]
    };
    vec![
        Param::text("bulletMarker", "Bullet marker", "*").help("Marker of list items."),
        Param::text("codeFence", "Code block fence", "```").help("Delimiter of code blocks."),
        Param::text("emDelimiter", "Emphasis delimiter", "_").help("Delimiter of emphasized text."),
        Param::group(
            "globalEscape",
            "Global escape pattern",
            [FieldGroup::new("value", "Value", pattern())],
        )
        .help("Replaces the built-in escaping of characters."),
        Param::text("ignore", "Ignored elements", "")
            .help("Names of elements to leave out, separated by commas."),
        Param::flag("keepDataImages", "Keep images with data", false)
            .help("Keep images with data URLs."),
        Param::group(
            "lineStartEscape",
            "Line start escape pattern",
            [FieldGroup::new("value", "Value", pattern())],
        )
        .help("Replaces the built-in escaping at the start of lines."),
        Param::number("maxConsecutiveNewlines", "Max consecutive new lines", 3)
            .help("Maximum number of consecutive line breaks."),
        Param::flag("useLinkReferenceDefinitions", "Place URLs at the bottom", false)
            .help("List the URLs of links at the end."),
        Param::text("strongDelimiter", "Strong delimiter", "**").help("Delimiter of strong text."),
        Param::choice(
            "codeBlockStyle",
            "Style for code block",
            &[("fence", "Fence"), ("indented", "Indented")],
        )
        .help("Style of code blocks."),
        Param::repeated(
            "textReplace",
            "Text replacement pattern",
            [FieldGroup::new("values", "Values", pattern())],
        )
        .help("Replacements in the text of the page."),
        Param::text("blockElements", "Treat as blocks", "")
            .help("Names of elements to surround with blank lines, separated by commas."),
    ]
}
