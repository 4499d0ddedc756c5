//! Moves data between an item's JSON and its files.

use super::settings::{FileSettings, MARKED, encoding_option};
use crate::binary::{name_if_missing, prepare};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use compute::MemoryReservation;
use formats::encoding::{decode, decode_base64, encode};
use node_api::prelude::*;
use node_api::untrusted::{UntrustedError, read_json};

pub(crate) struct MoveBinaryData;

impl Node for MoveBinaryData {
    fn spec() -> Spec {
        let to_json = &["binaryToJson"];
        let to_binary = &["jsonToBinary"];
        Spec::new(
            "n8n-nodes-base.moveBinaryData",
            &[1.0, 1.1],
            "Convert to/from binary data",
            "Move data between binary and JSON properties",
        ).legacy().icon("file-input")
        .group(NodeGroup::Files)
        .params([
            Param::choice("mode", "Mode", &[("binaryToJson", "Binary to JSON"), ("jsonToBinary", "JSON to Binary")])
                .help("Direction of the conversion."),
            Param::flag("setAllData", "Set all data", true)
                .show("mode", to_json)
                .help("Whether the file is JSON that becomes the whole item. Otherwise its text is \
                     written to one field."),
            Param::text("sourceKey", "Source key", "data").required().show("mode", to_json).help("Binary field to read."),
            Param::text("destinationKey", "Destination key", "data")
                .required()
                .show("mode", to_json)
                .show("setAllData", &[false])
                .help("Field for the content. Use dots for nested fields."),
            Param::flag("convertAllData", "Convert all data", true)
                .show("mode", to_binary)
                .help("Whether to write the item's whole JSON to the file. Otherwise only one field \
                     is written."),
            Param::text("sourceKey", "Source key", "data")
                .required()
                .show("convertAllData", &[false])
                .show("mode", to_binary)
                .help("Field to write to the file. Use dots for nested fields."),
            Param::text("destinationKey", "Destination key", "data")
                .required()
                .show("mode", to_binary)
                .help("Binary field for the file."),
            Param::collection(
                "options",
                "Options",
                [
                    Param::flag("addBOM", "Add BOM", false)
                        .show("/mode", to_binary)
                        .show("encoding", MARKED)
                        .help("Whether the file begins with a byte order mark."),
                    Param::flag("dataIsBase64", "Data is base64", false)
                        .hide("useRawData", &[true])
                        .show("/mode", to_binary)
                        .show("/convertAllData", &[false])
                        .help("Whether the field contains the file's bytes as base64."),
                    encoding_option("The encoding of the file.").show("/mode", &["binaryToJson", "jsonToBinary"]),
                    Param::text("fileName", "File name", "").show("/mode", to_binary).help("The name of the file, such as example.json."),
                    Param::flag("jsonParse", "JSON parse", false)
                        .hide("keepAsBase64", &[true])
                        .show("/mode", to_json)
                        .show("/setAllData", &[false])
                        .help("Whether to parse the text of the file as JSON."),
                    Param::flag("keepAsBase64", "Keep as base64", false)
                        .hide("jsonParse", &[true])
                        .show("/mode", to_json)
                        .show("/setAllData", &[false])
                        .help("Whether to store the content as base64 instead of text."),
                    Param::flag("keepSource", "Keep source", false).help("Whether to keep the source data in the item."),
                    Param::text("mimeType", "MIME type", "application/json").show("/mode", to_binary).help("The MIME type of the file."),
                    Param::flag("stripBOM", "Strip BOM", true)
                        .show("/mode", to_json)
                        .show("encoding", MARKED)
                        .help("Whether to remove a byte order mark at the start."),
                    Param::flag("useRawData", "Use raw data", false)
                        .hide("dataIsBase64", &[true])
                        .show("/mode", to_binary)
                        .help("Whether to write a text unchanged instead of as JSON."),
                ],
            )
            .help("More settings."),
        ])
        .hint("Older workflows use it to convert between JSON and files. In new ones, use Convert to \
             File and Extract from File.")
        .repeatable()
        .computes()
        .example(
            "The text of a file",
            r#"{ "setAllData": false, "destinationKey": "text" }"#,
            r#"[{ "json": { "n": 1 }, "binary": { "data": { "mimeType": "text/plain", "data": "aGk=" } } }]"#,
            r#"[[{ "n": 1, "text": "hi" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mode = ctx.text("mode", 0)?;
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            let options = FileSettings::read(ctx, "options", index)?;
            let mut held = MemoryReservation::default();
            let made = match mode.as_str() {
                "binaryToJson" => to_json(ctx, index, &item, &options, &mut held).await,
                "jsonToBinary" => to_binary(ctx, index, &item, &options),
                other => Err(NodeError::parameter(
                    "mode",
                    format!("The operation \"{other}\" is not known!"),
                )),
            };
            match made {
                // An item without the data is left out.
                Ok(None) => {}
                Ok(Some(made)) => output.push(made.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn to_json(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    options: &FileSettings,
    held: &mut MemoryReservation,
) -> Result<Option<Item>, NodeError> {
    let source = ctx.text("sourceKey", index)?;
    let Some(file) = item.binary(&source) else { return Ok(None) };
    let encoding = options.text("encoding").unwrap_or_else(|| "utf8".into());
    let text = || decode(&file.data, &encoding, options.flag_or_true("stripBOM"));
    let mut made = Item { binary: item.binary.clone(), ..Item::default() };
    if ctx.flag("setAllData", index)? {
        made.json = parse_json(&text()?, held).await?;
    } else {
        let content =
            if options.flag("keepAsBase64") { STANDARD.encode(&file.data) } else { text()? };
        let content = if options.flag("jsonParse") {
            parse_json(&content, held).await?
        } else {
            Value::from(content)
        };
        made.json = item.json.clone();
        made.json.put_path(&ctx.text("destinationKey", index)?, content)?;
    }
    if !options.flag("keepSource") {
        made.remove_binary(&source);
    }
    Ok(Some(made))
}

fn to_binary(
    ctx: &Ctx<'_>,
    index: usize,
    item: &Item,
    options: &FileSettings,
) -> Result<Option<Item>, NodeError> {
    let is_all = ctx.flag("convertAllData", index)?;
    let source = if is_all { Str::new() } else { ctx.text("sourceKey", index)? };
    let value = if is_all { Some(&item.json) } else { item.json.get_path(&source) };
    let Some(value) = value.filter(|value| !value.is_undefined()) else { return Ok(None) };
    let mut mime_type = options.text("mimeType");
    let data = if options.flag("dataIsBase64") {
        match value {
            Value::String(text) => decode_base64(text),
            other => {
                let message = format!(
                    "The field '{source}' must be a base64 string, but it is of type {}",
                    other.kind_name()
                );
                return Err(NodeError::input(message));
            }
        }
    } else {
        let is_json = !options.flag("useRawData")
            || matches!(value, Value::Object(_) | Value::Array(_) | Value::Null | Value::Date(_));
        if is_json {
            mime_type.get_or_insert_with(|| "application/json".into());
        }
        let text =
            if is_json { model::json::to_string(value).into() } else { value.to_js_string() };
        let encoding = options.text("encoding").unwrap_or_else(|| "utf8".into());
        encode(&text, &encoding, options.flag("addBOM"))?
    };
    let is_first_version = ctx.version() <= 1.0;
    if is_first_version {
        mime_type.get_or_insert_with(|| "application/json".into());
    }
    let mut file = prepare(data, options.text("fileName").as_deref(), mime_type.as_deref());
    if !is_first_version {
        name_if_missing(&mut file);
    }
    let mut made = Item { binary: item.binary.clone(), ..Item::new(item.json.clone()) };
    made.set_binary(ctx.text("destinationKey", index)?, file);
    if !options.flag("keepSource") {
        if is_all {
            made.json = Value::empty_object();
        } else {
            made.json.remove_path(&source);
        }
    }
    Ok(Some(made))
}

async fn parse_json(text: &str, held: &mut MemoryReservation) -> Result<Value, NodeError> {
    read_json(text, held).await.map_err(|error| {
        let UntrustedError::NotJson(error) = error else {
            return error
                .to_node_error("The file", Code::INPUT_BOMB)
                .unwrap_or_else(|| NodeError::input(error.to_string()));
        };
        let place = format!("The text is not valid JSON: {error}.");
        if text.trim().is_empty() {
            return NodeError::input("Unexpected end of JSON input").describe(place);
        }
        let shown: String = text.chars().take(40).collect();
        let first = text.trim_start().chars().next().unwrap_or_default();
        let more = if shown.len() < text.len() { "..." } else { "" };
        NodeError::input(format!("Unexpected token '{first}', \"{shown}\"{more} is not valid JSON"))
            .describe(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::{run_items, text_file, with_file};

    fn told(file: &Binary) -> (&str, Option<&str>, Option<&str>, &[u8]) {
        (&file.mime_type, file.file_name.as_deref(), file.file_extension.as_deref(), &file.data)
    }

    #[tokio::test]
    async fn json_becomes_a_file_and_comes_back() {
        let item = Item::new(json!({ "name": "test", "list": [1, 2] }));
        let made =
            run_items::<MoveBinaryData>(1.0, json!({ "mode": "jsonToBinary" }), vec![item.clone()])
                .await
                .unwrap();
        assert_eq!(
            told(made[0].binary("data").unwrap()),
            ("application/json", None, Some("json"), &br#"{"name":"test","list":[1,2]}"#[..])
        );
        assert_eq!(made[0].json, json!({}));
        let back = run_items::<MoveBinaryData>(1.0, json!({}), made).await.unwrap();
        assert_eq!((back[0].json.clone(), back[0].binary.clone()), (item.json, None));
    }

    #[tokio::test]
    async fn one_field_becomes_a_file_of_any_type() {
        let item = Item::new(json!({ "file": "Testing file", "other": 1 }));
        let params = json!({ "mode": "jsonToBinary", "convertAllData": false, "sourceKey": "file", "options": { "fileName": "testFile", "mimeType": "text" } });
        let made = run_items::<MoveBinaryData>(1.0, params, vec![item.clone()]).await.unwrap();
        assert_eq!(
            told(made[0].binary("data").unwrap()),
            ("text", Some("testFile"), None, &b"\"Testing file\""[..])
        );
        assert_eq!(made[0].json, json!({ "other": 1 }));
        let raw = json!({ "mode": "jsonToBinary", "convertAllData": false, "sourceKey": "file", "options": { "useRawData": true, "keepSource": true } });
        let made = run_items::<MoveBinaryData>(1.1, raw, vec![item]).await.unwrap();
        assert_eq!(
            told(made[0].binary("data").unwrap()),
            ("text/plain", Some("file"), None, &b"Testing file"[..])
        );
        assert_eq!(made[0].json, json!({ "file": "Testing file", "other": 1 }));
    }

    #[tokio::test]
    async fn base64_stands_for_bytes_both_ways() {
        let params = json!({ "mode": "jsonToBinary", "convertAllData": false, "options": { "dataIsBase64": true } });
        let made =
            run_items::<MoveBinaryData>(1.1, params, vec![Item::new(json!({ "data": "aGk=" }))])
                .await
                .unwrap();
        assert_eq!(made[0].binary("data").unwrap().data.as_ref(), b"hi");
        let params = json!({ "setAllData": false, "options": { "keepAsBase64": true } });
        let back = run_items::<MoveBinaryData>(1.1, params, made).await.unwrap();
        assert_eq!(back[0].json, json!({ "data": "aGk=" }));
    }

    #[tokio::test]
    async fn items_without_the_data_are_left_out_and_bad_json_is_an_error() {
        assert!(
            run_items::<MoveBinaryData>(1.0, json!({}), vec![Item::new(json!({}))])
                .await
                .unwrap()
                .is_empty()
        );
        let item = with_file("data", text_file("a.txt", "hello"));
        let error = run_items::<MoveBinaryData>(1.0, json!({}), vec![item]).await.unwrap_err();
        assert_eq!(error.message(), "Unexpected token 'h', \"hello\" is not valid JSON");
    }
}
