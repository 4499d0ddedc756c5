//! Turns items into files: spreadsheets, JSON, text, calendar events, and the bytes that base64
//! stands for.

use super::calendar::{event_params, make_event};
use super::settings::{FileSettings, MARKED, encoding_option, from_all, one_output, output_field};
use crate::binary::{name_if_missing, prepare};
use formats::encoding::{decode_base64, encode};
use formats::sheet::{SheetFormat, WriteOptions, write};
use model::json::{TextPrefix, to_pretty_prefix, to_string};
use node_api::prelude::*;
use tokio::sync::Semaphore;

pub(crate) struct ConvertToFile;

/// The largest JSON that is written with indentation.
const MAX_INDENTED_BYTES: usize = 128 << 20;

/// Writing a large sheet takes some hundred MB.
static SHEETS_AT_ONCE: Semaphore = Semaphore::const_new(2);

const SHEETS: &[&str] = &["csv", "html", "rtf", "ods", "xls", "xlsx"];

impl Node for ConvertToFile {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.convertToFile",
            &[1.0, 1.1],
            "Convert to File",
            "Convert JSON data to binary data",
        )
        .icon("file-output")
        .group(NodeGroup::Files)
        .param(
            Param::choice(
                "operation",
                "Operation",
                &[
                    ("csv", "Convert to CSV"),
                    ("html", "Convert to HTML"),
                    ("iCal", "Convert to ICS"),
                    ("toJson", "Convert to JSON"),
                    ("ods", "Convert to ODS"),
                    ("rtf", "Convert to RTF"),
                    ("toText", "Convert to text file"),
                    ("xls", "Convert to XLS"),
                    ("xlsx", "Convert to XLSX"),
                    ("toBinary", "Move base64 string to file"),
                ],
            )
            .raw()
            .help("Type of file to create."),
        )
        .params(sheet_params())
        .params(text_params(
            "toBinary",
            "Base64 input field",
            "Field with the base64 data. Use dots for nested fields.",
        ))
        .params(text_params(
            "toText",
            "Text input field",
            "Field with the text. Use dots for nested fields.",
        ))
        .params(json_params())
        .params(event_params().into_iter().map(|param| param.show("operation", &["iCal"])))
        .hint("Use it to create files from data: spreadsheets, JSON, or images from base64.")
        .alias(&["csv", "excel", "xlsx", "base64", "ics", "table", "download"])
        .repeatable()
        .computes()
        .example("A table", r#"{ "operation": "csv" }"#, r#"[{ "a": 1 }, { "a": 2 }]"#, r#"[[{}]]"#)
        .example(
            "A file for each item",
            r#"{ "operation": "toJson", "mode": "each" }"#,
            r#"[{ "a": 1 }, { "a": 2 }]"#,
            r#"[[{}, {}]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        match operation.as_str() {
            "toJson" if ctx.text("mode", 0)? != "each" => {
                let all = Value::array(items.iter().map(|item| item.json).collect());
                let made = one_item(ctx, 0, json_file(ctx, 0, &all)?)?;
                Ok(vec![Items::one(from_all(made, items.len()))])
            }
            "toJson" => ctx.map_items(&items, |index, item| {
                one_item(ctx, index, json_file(ctx, index, &item.json)?)
            }),
            "toText" => ctx.map_items(&items, |index, item| {
                one_item(ctx, index, text_file(ctx, index, &item)?)
            }),
            "toBinary" => ctx.map_items(&items, |index, item| {
                one_item(ctx, index, base64_file(ctx, index, &item)?)
            }),
            "iCal" => ctx.map_items(&items, |index, _| make_event(ctx, index)),
            name => match SheetFormat::named(name) {
                Some(format) => {
                    one_output(ctx, sheet_file(ctx, &items, format, name).await, items.len())
                }
                None => Err(NodeError::parameter(
                    "operation",
                    format!("The operation \"{name}\" is not known!"),
                )),
            },
        }
    }
}

fn sheet_params() -> Vec<Param> {
    vec![
        output_field().show("operation", SHEETS),
        Param::collection(
            "options",
            "Options",
            [
                Param::flag("compression", "Compression", false)
                    .show("/operation", &["xlsx", "ods"])
                    .help("Whether to compress the file."),
                Param::text("delimiter", "Delimiter", ",")
                    .show("/operation", &["csv"])
                    .help("Separator between fields."),
                Param::text("fileName", "File name", "").help("The name of the file."),
                Param::flag("headerRow", "Header row", true)
                    .help("Whether the first row contains the field names."),
                Param::text("sheetName", "Sheet name", "Sheet")
                    .show("/operation", &["ods", "xls", "xlsx"])
                    .help("The name of the sheet."),
            ],
        )
        .show("operation", SHEETS)
        .help("More settings."),
    ]
}

fn text_params(operation: &str, label: &str, help: &str) -> Vec<Param> {
    let mut options = vec![
        Param::flag("addBOM", "Add byte order mark (BOM)", false)
            .show("encoding", MARKED)
            .help("Whether the file begins with a byte order mark."),
        encoding_option("The encoding of the file."),
        Param::text("fileName", "File name", "").help("The name of the file."),
    ];
    if operation == "toBinary" {
        options.push(
            Param::flag("dataIsBase64", "Data is base64", true)
                .help("Whether the field holds base64; otherwise its text is written."),
        );
        options.push(
            Param::text("mimeType", "MIME type", "")
                .help("MIME type of the file. If empty, it is detected from the name or content."),
        );
    }
    vec![
        Param::text("sourceProperty", label, "")
            .required()
            .show("operation", &[operation])
            .help(help),
        output_field().show("operation", &[operation]),
        Param::collection("options", "Options", options)
            .show("operation", &[operation])
            .help("More settings."),
    ]
}

fn json_params() -> Vec<Param> {
    vec![
        Param::choice(
            "mode",
            "Mode",
            &[("once", "All items to one file"), ("each", "Each item to separate file")],
        )
        .raw()
        .show("operation", &["toJson"])
        .help("Whether to create one file for all items or one per item."),
        output_field().show("operation", &["toJson"]),
        Param::collection(
            "options",
            "Options",
            [
                Param::flag("addBOM", "Add byte order mark (BOM)", false)
                    .show("encoding", MARKED)
                    .help("Whether the file begins with a byte order mark."),
                Param::flag("format", "Format", false)
                    .help("Whether to indent the JSON for easier reading."),
                encoding_option("The encoding of the file."),
                Param::text("fileName", "File name", "")
                    .help("The name of the file, such as data.json."),
            ],
        )
        .show("operation", &["toJson"])
        .help("More settings."),
    ]
}

fn one_item(ctx: &Ctx<'_>, index: usize, file: Binary) -> Result<Item, NodeError> {
    let mut item = Item::new(Value::empty_object());
    item.set_binary(ctx.text("binaryPropertyName", index)?, file);
    Ok(item)
}

async fn sheet_file(
    ctx: &Ctx<'_>,
    items: &Items,
    format: SheetFormat,
    extension: &str,
) -> Result<Item, NodeError> {
    let settings = FileSettings::read(ctx, "options", 0)?;
    one_item(ctx, 0, spreadsheet(items, format, extension, &settings, "File").await?)
}

/// A spreadsheet file of all items, named after its format unless a name was given.
pub(super) async fn spreadsheet(
    items: &Items,
    format: SheetFormat,
    extension: &str,
    settings: &FileSettings,
    default_name: &str,
) -> Result<Binary, NodeError> {
    let options = WriteOptions {
        with_header: settings.flag_or_true("headerRow"),
        compress: settings.flag("compression"),
        sheet_name: settings.text("sheetName").unwrap_or_else(|| "Sheet".into()),
        delimiter: settings.text("delimiter").unwrap_or_else(|| ",".into()),
    };
    let name = settings
        .present_text("fileName")
        .unwrap_or_else(|| format!("{default_name}.{extension}").into());
    // The semaphore is never closed.
    let _turn = SHEETS_AT_ONCE.acquire().await.ok();
    Ok(prepare(write(items, format, &options)?, Some(&name), None))
}

fn json_file(ctx: &Ctx<'_>, index: usize, value: &Value) -> Result<Binary, NodeError> {
    let settings = FileSettings::read(ctx, "options", index)?;
    let text = if settings.flag("format") { indented(value)? } else { to_string(value) };
    finish(text, Some("application/json".into()), settings.text("fileName"), &settings)
}

fn text_file(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Binary, NodeError> {
    let settings = FileSettings::read(ctx, "options", index)?;
    let value = source(ctx, index, item)?;
    let name = settings.text("fileName").unwrap_or_else(|| "file.txt".into());
    let (text, mime_type) = written(&value, "text/plain");
    finish(text, Some(mime_type.into()), Some(name), &settings)
}

fn base64_file(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Binary, NodeError> {
    let settings = FileSettings::read(ctx, "options", index)?;
    let value = source(ctx, index, item)?;
    let mut mime_type = settings.text("mimeType");
    if settings.get("dataIsBase64") == &Value::Bool(false) {
        let (text, told) = written(&value, "");
        if !told.is_empty() {
            mime_type = Some(told.into());
        }
        return finish(text, mime_type, settings.text("fileName"), &settings);
    }
    let text = if value.is_nullish() { Str::new() } else { value.to_js_string() };
    let (told, content) = split_data_url(&text);
    let is_base64 = content.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte) || byte.is_ascii_whitespace()
    });
    if !is_base64 {
        let message = "The provided string is not valid base64 data. If you are trying to write plain text to a file, use the \"Convert to Text File\" operation instead.";
        return Err(NodeError::input(message));
    }
    let mime_type = mime_type.or_else(|| told.map(Str::from));
    let mut file =
        prepare(decode_base64(content), settings.text("fileName").as_deref(), mime_type.as_deref());
    name_if_missing(&mut file);
    Ok(file)
}

/// The MIME type and the base64 of a data URL; any other text is all base64.
fn split_data_url(text: &str) -> (Option<&str>, &str) {
    let parts = text.trim().strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match parts {
        Some((head, content)) => (
            head.split(';').next().map(str::trim).filter(|mime_type| !mime_type.is_empty()),
            content,
        ),
        None => (None, text),
    }
}

fn source(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Value, NodeError> {
    let path = ctx.text("sourceProperty", index)?;
    // Without a name the whole item is meant.
    let value = if path.is_empty() { Some(&item.json) } else { item.json.get_path(&path) };
    let value = value.filter(|value| !value.is_undefined());
    value.cloned().ok_or_else(|| NodeError::input(format!("The value in \"{path}\" is not set")))
}

/// The text of a value: JSON for what has structure, nothing for what JavaScript takes for false.
fn written(value: &Value, mime_type: &'static str) -> (String, &'static str) {
    match value {
        Value::Object(_) | Value::Array(_) | Value::Null | Value::Date(_) => {
            (to_string(value), "application/json")
        }
        value if value.is_truthy() => (value.to_js_string().to_string(), mime_type),
        _ => (String::new(), mime_type),
    }
}

/// Blanks can make a text hundreds of times larger than what it says.
fn indented(value: &Value) -> Result<String, NodeError> {
    let TextPrefix { text, is_cut } = to_pretty_prefix(value, MAX_INDENTED_BYTES);
    let message = || {
        format!(
            "The indented JSON exceeds the limit of {MAX_INDENTED_BYTES} bytes; turn off \
                 \"Format\" to write it on one line"
        )
    };
    if is_cut { Err(NodeError::input(message())) } else { Ok(text) }
}

fn finish(
    text: String,
    mime_type: Option<Str>,
    name: Option<Str>,
    settings: &FileSettings,
) -> Result<Binary, NodeError> {
    let encoding = settings.text("encoding").unwrap_or_else(|| "utf8".into());
    let data = encode(&text, &encoding, settings.flag("addBOM"))?;
    let mut file = prepare(data, name.as_deref(), mime_type.as_deref());
    name_if_missing(&mut file);
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::run_items;

    type FileSummary = (String, String, String);

    fn file_summary(item: &Item) -> FileSummary {
        let file = item.binary("data").unwrap();
        (
            file.mime_type.to_string(),
            file.file_name.clone().unwrap_or_default().to_string(),
            String::from_utf8_lossy(&file.data).into_owned(),
        )
    }

    fn expect(mime_type: &str, name: &str, data: &str) -> FileSummary {
        (mime_type.to_owned(), name.to_owned(), data.to_owned())
    }

    async fn convert(params: Value, json: Value) -> Result<FileSummary, NodeError> {
        run_items::<ConvertToFile>(1.1, params, vec![Item::new(json)])
            .await
            .map(|items| file_summary(&items[0]))
    }

    #[tokio::test]
    async fn all_items_become_one_table() {
        let items =
            vec![Item::new(json!({ "a": 1, "b": { "c": "x,y" } })), Item::new(json!({ "a": 2 }))];
        let made = run_items::<ConvertToFile>(1.1, json!({}), items).await.unwrap();
        assert_eq!(
            file_summary(&made[0]),
            expect("text/csv", "File.csv", "\u{feff}a,b.c\n1,\"x,y\"\n2,")
        );
        assert_eq!(made[0].paired.len(), 2);
    }

    #[tokio::test]
    async fn json_is_one_file_or_one_each() {
        let items = || vec![Item::new(json!({ "a": 1 })), Item::new(json!({ "a": 2 }))];
        let one = run_items::<ConvertToFile>(1.1, json!({ "operation": "toJson" }), items())
            .await
            .unwrap();
        assert_eq!(
            file_summary(&one[0]),
            expect("application/json", "file.json", r#"[{"a":1},{"a":2}]"#)
        );
        let params = json!({ "operation": "toJson", "mode": "each", "options": { "format": true, "fileName": "x.json" } });
        let each = run_items::<ConvertToFile>(1.1, params, items()).await.unwrap();
        assert_eq!(
            (each.len(), file_summary(&each[1])),
            (2, expect("application/json", "x.json", "{\n  \"a\": 2\n}"))
        );
    }

    #[tokio::test]
    async fn issue_14_00_json_that_is_mostly_indentation_is_refused() {
        let deep = (0..400).fold(Value::array(vec![Value::from(1); 300_000]), |inner, _| {
            Value::array(vec![inner])
        });
        let params = |format: bool| json!({ "operation": "toJson", "mode": "each", "options": { "format": (format) } });
        let item = || vec![Item::new(json!({ "deep": (deep.clone()) }))];
        assert!(run_items::<ConvertToFile>(1.1, params(false), item()).await.is_ok());
        let error = run_items::<ConvertToFile>(1.1, params(true), item()).await.unwrap_err();
        assert!(error.message().contains("exceeds the limit of 134217728 bytes"), "{error}");
    }

    #[tokio::test]
    async fn text_is_written_in_any_encoding() {
        let to_text = |options: Value| json!({ "operation": "toText", "sourceProperty": "a.text", "options": options });
        let data = json!({ "a": { "text": "hi" } });
        assert_eq!(
            convert(to_text(json!({})), data.clone()).await.unwrap(),
            expect("text/plain", "file.txt", "hi")
        );
        assert_eq!(
            convert(to_text(json!({ "fileName": "c.html" })), data.clone()).await.unwrap(),
            expect("text/plain", "c.html", "hi")
        );
        assert_eq!(
            convert(to_text(json!({ "encoding": "utf8", "addBOM": true })), data).await.unwrap().2,
            "\u{feff}hi"
        );
        assert_eq!(
            convert(to_text(json!({})), json!({ "a": { "text": [1] } })).await.unwrap(),
            expect("application/json", "file.txt", "[1]")
        );
        let error = convert(to_text(json!({})), json!({})).await.unwrap_err();
        assert_eq!(error.message(), "The value in \"a.text\" is not set");
    }

    #[tokio::test]
    async fn base64_becomes_the_bytes_it_stands_for() {
        let params = |options: Value| json!({ "operation": "toBinary", "sourceProperty": "d", "options": options });
        let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk";
        let made = convert(params(json!({})), json!({ "d": png })).await.unwrap();
        assert_eq!((made.0.as_str(), made.1.as_str()), ("image/png", "file.png"));
        let made =
            convert(params(json!({})), json!({ "d": "data:text/html;charset=utf-8;base64,aGk=" }))
                .await
                .unwrap();
        assert_eq!(made, expect("text/html", "file.html", "hi"));
        let made = convert(
            params(json!({ "mimeType": "audio/mpeg", "fileName": "x.mp3" })),
            json!({ "d": "aGk" }),
        )
        .await
        .unwrap();
        assert_eq!(made, expect("audio/mpeg", "x.mp3", "hi"));
        let made =
            convert(params(json!({ "dataIsBase64": false })), json!({ "d": "plain & simple" }))
                .await
                .unwrap();
        assert_eq!(made, expect("text/plain", "file", "plain & simple"));
        let error = convert(params(json!({})), json!({ "d": "plain & simple" })).await.unwrap_err();
        assert!(
            error.message().starts_with("The provided string is not valid base64 data."),
            "{error}"
        );
    }

    #[tokio::test]
    async fn spreadsheets_have_the_type_of_their_format() {
        for (operation, mime_type) in [
            ("html", "text/html"),
            ("rtf", "application/rtf"),
            ("ods", "application/vnd.oasis.opendocument.spreadsheet"),
            ("xls", "application/vnd.ms-excel"),
            ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
        ] {
            let made = convert(json!({ "operation": operation }), json!({ "a": 1 })).await.unwrap();
            assert_eq!((made.0.as_str(), made.1), (mime_type, format!("File.{operation}")));
        }
        let error =
            convert(json!({ "operation": "xlsx", "options": { "sheetName": "a/b" } }), json!({}))
                .await
                .unwrap_err();
        assert_eq!(error.message(), "Sheet name cannot contain : \\ / ? * [ ]");
    }
}
