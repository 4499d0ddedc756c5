//! Gets the data out of files: rows of spreadsheets, JSON, text, calendars, the text of PDFs, or
//! the bytes as base64.

use super::output::ChunkedOutput;
use super::pdf::extract;
use super::settings::{FileSettings, MARKED, encoding_option, input_field};
use super::spreadsheet_read::{CsvErrors, options, read_rows};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use compute::MemoryReservation;
use formats::calendar;
use formats::encoding::{decode, detect};
use formats::pdf::PdfOptions;
use node_api::prelude::*;
use node_api::untrusted::read_json;

pub(crate) struct ExtractFromFile;

const SHEETS: &[&str] = &["csv", "html", "rtf", "ods", "xls", "xlsx"];
const TEXTS: &[&str] = &["binaryToPropery", "fromJson", "text", "fromIcs", "xml"];

impl Node for ExtractFromFile {
    fn spec() -> Spec {
        let keep_source = || {
            Param::choice(
                "keepSource",
                "Keep source",
                &[("json", "JSON"), ("binary", "Binary"), ("both", "Both")],
            )
            .help("What to keep of the input item.")
        };
        Spec::new("n8n-nodes-base.extractFromFile", &[1.0, 1.1], "Extract from File", "Convert binary data to JSON").icon("file-input")
            .group(NodeGroup::Files)
            .params([
                Param::choice(
                    "operation",
                    "Operation",
                    &[
                        ("csv", "Extract from CSV"),
                        ("html", "Extract from HTML"),
                        ("fromIcs", "Extract from ICS"),
                        ("fromJson", "Extract from JSON"),
                        ("ods", "Extract from ODS"),
                        ("pdf", "Extract from PDF"),
                        ("rtf", "Extract from RTF"),
                        ("text", "Extract from text file"),
                        ("xml", "Extract from XML"),
                        ("xls", "Extract from XLS"),
                        ("xlsx", "Extract from XLSX"),
                        ("binaryToPropery", "Move file to base64 string"),
                    ],
                )
                .raw()
                .help("Type of file."),
                input_field().show("operation", SHEETS),
                options("operation", false).show("operation", SHEETS),
                input_field().show("operation", TEXTS),
                Param::text("destinationKey", "Destination output field", "data")
                    .required()
                    .show("operation", TEXTS)
                    .help("Field for the data. Use dots for nested fields."),
                Param::collection(
                    "options",
                    "Options",
                    [
                        encoding_option("Encoding of the file. Detected if not set."),
                        Param::flag("stripBOM", "Strip BOM", true)
                            .show("encoding", MARKED)
                            .help("Whether to remove a byte order mark at the start."),
                        keep_source(),
                    ],
                )
                .show("operation", TEXTS)
                .help("More settings."),
                input_field().show("operation", &["pdf"]),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("joinPages", "Join pages", true)
                            .help("Whether to join the text of all pages. Otherwise it is a list of \
                                 pages."),
                        keep_source(),
                        Param::number("maxPages", "Max pages", 0).help("Maximum number of pages to read."),
                        Param::secret("password", "Password").help("Password of the PDF, if it has one."),
                    ],
                )
                .show("operation", &["pdf"])
                .help("More settings."),
            ])
            .hint("Use it after a node that returns files, such as an HTTP request or a form, to read \
                 their contents.")
            .alias(&["csv", "excel", "xlsx", "pdf", "parse", "read file", "base64"])
            .repeatable()
            .computes()
            .example(
                "Rows of a CSV file",
                "{}",
                r#"[{ "json": {}, "binary": { "data": { "mimeType": "text/csv", "fileExtension": "csv", "data": "YSxiCjEsMg==" } } }]"#,
                r#"[[{ "a": "1", "b": "2" }]]"#,
            )
            .example(
                "The text of a file",
                r#"{ "operation": "text" }"#,
                r#"[{ "json": {}, "binary": { "data": { "mimeType": "text/plain", "data": "aGk=" } } }]"#,
                r#"[[{ "data": "hi" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        let is_known = operation == "pdf"
            || SHEETS.contains(&operation.as_str())
            || TEXTS.contains(&operation.as_str());
        if !is_known {
            return Err(NodeError::parameter(
                "operation",
                format!("The operation \"{operation}\" is not known!"),
            ));
        }
        let mut output = ChunkedOutput::new(ctx);
        for (index, item) in items.iter().enumerate() {
            // Until the item is with the others, which the run keeps where there is room.
            let mut held = MemoryReservation::default();
            let made = match operation.as_str() {
                "pdf" => from_pdf(ctx, index, &item).await.map(Items::one),
                name if SHEETS.contains(&name) => from_sheet(ctx, index, &item, name).await,
                // An item without the file is left out.
                name => from_text(ctx, index, &item, name, &mut held)
                    .await
                    .map(|item| item.map(Items::one).unwrap_or_default()),
            };
            match made {
                Ok(made) => output.append(&made, index),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn from_sheet(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    format: &str,
) -> Result<Items, NodeError> {
    let errors = if ctx.version() > 1.0 { CsvErrors::Fail } else { CsvErrors::Ignore };
    read_rows(ctx, index, item, format, errors).await
}

async fn from_text(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    operation: &str,
    held: &mut MemoryReservation,
) -> Result<Option<Item>, NodeError> {
    let field = ctx.text("binaryPropertyName", index)?;
    let Some(file) = item.binary(&field) else { return Ok(None) };
    let settings = FileSettings::read(ctx, "options", index)?;
    let text = || {
        let encoding = settings.text("encoding").unwrap_or_else(|| detect(&file.data).into());
        decode(&file.data, &encoding, settings.flag_or_true("stripBOM"))
    };
    let value = match operation {
        "binaryToPropery" => Value::from(STANDARD.encode(&file.data)),
        "fromJson" => match text()? {
            text if text.is_empty() => Value::empty_object(),
            text => read_json(&text, held).await.map_err(|error| {
                let not_json = || {
                    NodeError::input(
                        "The file selected in 'Input Binary Field' is not in JSON format",
                    )
                    .describe(
                        "Try to change the operation or select a JSON file in 'Input Binary Field'",
                    )
                    .hint(format!("The text is not valid JSON: {error}."))
                };
                error.to_node_error("The file", Code::INPUT_BOMB).unwrap_or_else(not_json)
            })?,
        },
        "fromIcs" => calendar::parse(&text()?)?,
        _ => Value::from(text()?),
    };
    let mut made = retained_item(item, &field, &settings);
    made.json.put_path(&ctx.text("destinationKey", index)?, value)?;
    Ok(Some(made))
}

async fn from_pdf(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    let field = ctx.text("binaryPropertyName", index)?;
    let settings = FileSettings::read(ctx, "options", index)?;
    let file = ctx.binary(item, index, &field)?;
    let options = PdfOptions {
        password: settings.text("password"),
        max_pages: settings.number("maxPages").map(|most| most.max(0.0) as usize),
        join_pages: settings.flag_or_true("joinPages"),
    };
    let found = extract(file.data.clone(), options).await?;
    let mut made = retained_item(item, &field, &settings);
    made.json.make_object().extend(found);
    Ok(made)
}

/// What stays of the input item: nothing of its JSON and all files but this one, unless the
/// settings say otherwise.
fn retained_item(item: &Item, field: &str, settings: &FileSettings) -> Item {
    let source = settings.text("keepSource").unwrap_or_default();
    let json = if matches!(source.as_str(), "" | "binary") {
        Value::empty_object()
    } else {
        item.json.clone()
    };
    let mut made = Item { binary: item.binary.clone(), ..Item::new(json) };
    if !matches!(source.as_str(), "binary" | "both") {
        made.remove_binary(field);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binary::prepare;
    use crate::files::test_files::{run_items, text_file, with_file};

    async fn one(version: f64, params: Value, file: Binary) -> Result<Vec<Value>, NodeError> {
        let items =
            run_items::<ExtractFromFile>(version, params, vec![with_file("data", file)]).await?;
        Ok(items.into_iter().map(|item| item.json).collect())
    }

    #[tokio::test]
    async fn errors_in_csv_are_passed_over_in_the_first_version_only() {
        let file = text_file("a.csv", "a,b\n1,2\n3\n");
        assert_eq!(
            one(1.0, json!({}), file.clone()).await.unwrap(),
            [json!({ "a": "1", "b": "2" })]
        );
        let error = one(1.1, json!({}), file.clone()).await.unwrap_err();
        assert_eq!(error.message(), "Invalid Record Length: columns length is 2, got 1 on line 3");
        let mut other = file;
        other.file_extension = Some("txt".into());
        let error = one(1.1, json!({}), other).await.unwrap_err();
        assert_eq!(
            error.message(),
            "The file selected in 'Input Binary Field' is not in csv format"
        );
    }

    #[tokio::test]
    async fn csv_settings_are_followed() {
        let file = text_file("a.csv", "x\na;b\n1;\n2;3\n4;5\n");
        let options =
            json!({ "delimiter": ";", "fromLine": 2, "maxRowCount": 2, "includeEmptyCells": true });
        assert_eq!(
            one(1.1, json!({ "options": options }), file).await.unwrap(),
            [json!({ "a": "1", "b": "" }), json!({ "a": "2", "b": "3" })]
        );
        let marked = prepare(b"\xef\xbb\xbfa\n1".to_vec(), Some("a.csv"), None);
        assert_eq!(
            one(1.1, json!({}), marked.clone()).await.unwrap(),
            [json!({ "\u{feff}a": "1" })]
        );
        assert_eq!(
            one(1.1, json!({ "options": { "enableBOM": true } }), marked).await.unwrap(),
            [json!({ "a": "1" })]
        );
        let latin = prepare(b"a\n\xe9".to_vec(), Some("a.csv"), None);
        assert_eq!(
            one(1.1, json!({ "options": { "encoding": "latin1" } }), latin.clone()).await.unwrap(),
            [json!({ "a": "é" })]
        );
        assert_eq!(one(1.1, json!({}), latin).await.unwrap(), [json!({ "a": "\u{fffd}" })]);
    }

    #[tokio::test]
    async fn text_json_and_base64_go_into_a_field() {
        let file = text_file("a.json", r#"{"x":1}"#);
        assert_eq!(
            one(1.1, json!({ "operation": "fromJson", "destinationKey": "a.b" }), file.clone())
                .await
                .unwrap(),
            [json!({ "a": { "b": { "x": 1 } } })]
        );
        assert_eq!(
            one(1.0, json!({ "operation": "text" }), file.clone()).await.unwrap(),
            [json!({ "data": "{\"x\":1}" })]
        );
        assert_eq!(
            one(1.0, json!({ "operation": "binaryToPropery" }), file).await.unwrap(),
            [json!({ "data": "eyJ4IjoxfQ==" })]
        );
        assert_eq!(
            one(1.0, json!({ "operation": "fromJson" }), text_file("a.json", "")).await.unwrap(),
            [json!({ "data": {} })]
        );
        let error = one(1.0, json!({ "operation": "fromJson" }), text_file("a.json", "hello"))
            .await
            .unwrap_err();
        assert_eq!(
            error.message(),
            "The file selected in 'Input Binary Field' is not in JSON format"
        );
    }

    #[tokio::test]
    async fn issue_14_09_a_file_of_many_small_lists_is_refused_before_it_is_read() {
        let lists = format!("[{}0]", "[0],".repeat(compute::largest_intake() / 150));
        let error = one(1.1, json!({ "operation": "fromJson" }), text_file("a.json", &lists))
            .await
            .unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB, "{error}");
        assert_eq!(error.message(), "The file needs more than 268435456 bytes of memory");
        let fewer = format!("[{}0]", "[0],".repeat(20_000));
        assert_eq!(
            one(1.1, json!({ "operation": "fromJson" }), text_file("a.json", &fewer))
                .await
                .unwrap()
                .len(),
            1
        );
    }

    #[tokio::test]
    async fn the_source_stays_as_far_as_it_is_wanted() {
        let mut item = with_file("data", text_file("a.txt", "hi"));
        item.json = json!({ "n": 1 });
        item.set_binary("other", text_file("b.txt", "x"));
        for (keep, json, files) in [
            (json!({}), json!({ "data": "hi" }), vec!["other"]),
            (json!({ "keepSource": "json" }), json!({ "n": 1, "data": "hi" }), vec!["other"]),
            (json!({ "keepSource": "binary" }), json!({ "data": "hi" }), vec!["data", "other"]),
            (
                json!({ "keepSource": "both" }),
                json!({ "n": 1, "data": "hi" }),
                vec!["data", "other"],
            ),
        ] {
            let made = run_items::<ExtractFromFile>(
                1.0,
                json!({ "operation": "text", "options": keep }),
                vec![item.clone()],
            )
            .await
            .unwrap();
            let names: Vec<_> = made[0]
                .binary
                .iter()
                .flat_map(|files| files.iter())
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!((made[0].json.clone(), names), (json, files));
        }
    }

    #[tokio::test]
    async fn an_item_without_the_file_is_left_out_of_texts_and_an_error_elsewhere() {
        let bare = || vec![Item::new(json!({}))];
        assert!(
            run_items::<ExtractFromFile>(1.0, json!({ "operation": "text" }), bare())
                .await
                .unwrap()
                .is_empty()
        );
        for operation in ["csv", "pdf", "xlsx"] {
            let error =
                run_items::<ExtractFromFile>(1.0, json!({ "operation": operation }), bare())
                    .await
                    .unwrap_err();
            assert!(error.message().contains("binary file 'data'"), "{error}");
        }
        let other = vec![with_file("x", text_file("a", ""))];
        let error = run_items::<ExtractFromFile>(1.0, json!({}), other).await.unwrap_err();
        assert_eq!(error.message(), "The item has no binary field 'data' [item 0]");
    }

    #[tokio::test]
    async fn a_page_and_a_calendar_give_their_data() {
        let page = text_file("a.html", "<table><tr><th>a</th></tr><tr><td>1</td></tr></table>");
        assert_eq!(
            one(1.1, json!({ "operation": "html" }), page).await.unwrap(),
            [json!({ "a": 1 })]
        );
        let calendar = text_file("a.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nEND:VCALENDAR");
        assert_eq!(
            one(1.1, json!({ "operation": "fromIcs" }), calendar).await.unwrap(),
            [json!({ "data": { "version": "2.0" } })]
        );
        // XML is handed over as its text; entities in it are nobody's business.
        let xml = text_file("a.xml", "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>");
        assert_eq!(
            one(1.1, json!({ "operation": "xml" }), xml).await.unwrap(),
            [json!({ "data": "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>" })]
        );
    }

    #[tokio::test]
    async fn a_very_long_line_is_one_value() {
        let file = text_file("a.csv", &format!("a\n{}\n", "x".repeat(20 << 20)));
        assert_eq!(
            one(1.1, json!({}), file).await.unwrap()[0]
                .get("a")
                .and_then(Value::as_str)
                .map(str::len),
            Some(20 << 20)
        );
    }

    #[tokio::test]
    async fn a_line_of_a_gigabyte_is_refused_unread() {
        // Zeroed memory that nobody touches takes no space.
        let mut file = text_file("a.csv", "");
        file.data = vec![0; 1 << 30].into();
        for operation in ["csv", "xlsx", "html"] {
            let error =
                one(1.1, json!({ "operation": operation }), file.clone()).await.unwrap_err();
            assert_eq!(error.code(), Code::INPUT_BOMB, "{error}");
        }
    }
}
