//! Reads spreadsheets into items and writes items as spreadsheets. An older node; new workflows use
//! Convert to File and Extract from File.

use super::convert_to_file::spreadsheet;
use super::output::ChunkedOutput;
use super::settings::{FileSettings, input_field, one_output, output_field};
use super::spreadsheet_read::{CsvErrors, options, read_book, read_rows};
use formats::sheet::SheetFormat;
use node_api::prelude::*;

pub(crate) struct SpreadsheetFile;

static FORMATS: &[(&str, &str)] = &[
    ("csv", "CSV"),
    ("html", "HTML"),
    ("ods", "ODS"),
    ("rtf", "RTF"),
    ("xls", "XLS"),
    ("xlsx", "XLSX"),
];

impl Node for SpreadsheetFile {
    fn spec() -> Spec {
        let read_formats: Vec<(&str, &str)> =
            [("autodetect", "Autodetect")].into_iter().chain(FORMATS.iter().copied()).collect();
        let (from_file, to_file) = (&["fromFile"], &["toFile"]);
        Spec::new("n8n-nodes-base.spreadsheetFile", &[1.0, 2.0], "Spreadsheet File", "Read and write data from a spreadsheet file").legacy().icon("file-spreadsheet")
            .group(NodeGroup::Files)
            .params([
                Param::choice("operation", "Operation", &[("fromFile", "Read from file"), ("toFile", "Write to file")])
                    .raw()
                    .help("Whether to read a spreadsheet or to write one."),
                input_field().show("operation", from_file),
                Param::choice("fileFormat", "File format", &read_formats)
                    .show("operation", from_file)
                    .since(2.0)
                    .help("Format of the file. Autodetect determines it from the file."),
                options("fileFormat", true).show("operation", from_file).versions(&[1.0]),
                options("fileFormat", false).show("operation", from_file).since(2.0),
                Param::choice("fileFormat", "File format", FORMATS)
                    .preset("xls")
                    .show("operation", to_file)
                    .help("The format of the file."),
                output_field().show("operation", to_file),
                Param::collection(
                    "options",
                    "Options",
                    [
                        Param::flag("compression", "Compression", false)
                            .show("/fileFormat", &["xlsx", "ods"])
                            .help("Whether to compress the file."),
                        Param::text("fileName", "File name", "").help("Name of the file. Defaults to spreadsheet and the extension of the \
                             format."),
                        Param::flag("headerRow", "Header row", true).help("Whether the first row contains the field names."),
                        Param::text("sheetName", "Sheet name", "Sheet")
                            .show("/fileFormat", &["ods", "xls", "xlsx"])
                            .help("The name of the sheet."),
                    ],
                )
                .show("operation", to_file)
                .help("More settings."),
            ])
            .hint("Use Convert to File and Extract from File instead in new workflows.")
            .repeatable()
            .computes()
            .example(
                "Rows of a CSV file",
                r#"{ "operation": "fromFile", "fileFormat": "csv" }"#,
                r#"[{ "json": {}, "binary": { "data": { "mimeType": "text/csv", "fileExtension": "csv", "data": "YSxiCjEsMg==" } } }]"#,
                r#"[[{ "a": "1", "b": "2" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        match ctx.text("operation", 0)?.as_str() {
            "fromFile" => from_file(ctx, &items).await,
            "toFile" => one_output(ctx, to_file(ctx, &items).await, items.len()),
            other => Err(NodeError::parameter(
                "operation",
                format!("The operation \"{other}\" is not supported!"),
            )),
        }
    }
}

async fn from_file(ctx: &Ctx<'_>, items: &Items) -> Result<Outputs, NodeError> {
    let mut output = ChunkedOutput::new(ctx);
    for (index, item) in items.iter().enumerate() {
        let rows = if ctx.version() < 2.0 {
            let settings = FileSettings::read(ctx, "options", index)?;
            let field = ctx.text("binaryPropertyName", index)?;
            match ctx.binary(&item, index, &field) {
                Ok(file) => read_book(ctx, file.data.clone(), &settings).await,
                Err(error) => Err(error),
            }
        } else {
            read_rows(ctx, index, &item, &ctx.text("fileFormat", index)?, CsvErrors::Ignore).await
        };
        match rows {
            Ok(rows) => output.append(&rows, index),
            Err(error) => output.push(ctx.failed_item(index, error)?),
        }
    }
    Ok(vec![output.finish()])
}

async fn to_file(ctx: &Ctx<'_>, items: &Items) -> Result<Item, NodeError> {
    let name = ctx.text("fileFormat", 0)?;
    let format = SheetFormat::named(&name).ok_or_else(|| {
        NodeError::parameter("fileFormat", format!("The file format \"{name}\" is not supported!"))
    })?;
    let settings = FileSettings::read(ctx, "options", 0)?;
    let mut item = Item::new(Value::empty_object());
    item.set_binary(
        ctx.text("binaryPropertyName", 0)?,
        spreadsheet(items, format, &name, &settings, "spreadsheet").await?,
    );
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::{run_items, text_file, with_file};
    use model::OnError;
    use node_testing::{TestHost, run_on};

    #[tokio::test]
    async fn what_was_written_is_read_again_in_every_format() {
        for (format, _) in FORMATS {
            let items = vec![
                Item::new(json!({ "name": "Ann", "n": 1 })),
                Item::new(json!({ "name": "Bob", "n": 2 })),
            ];
            let made = run_items::<SpreadsheetFile>(
                2.0,
                json!({ "operation": "toFile", "fileFormat": format }),
                items,
            )
            .await
            .unwrap();
            let name = made[0].binary("data").unwrap().file_name.clone().unwrap();
            assert_eq!(name, format!("spreadsheet.{format}"));
            let rows = run_items::<SpreadsheetFile>(1.0, json!({}), made.clone()).await.unwrap();
            let rows: Vec<_> = rows.into_iter().map(|item| item.json).collect();
            assert_eq!(
                rows,
                [json!({ "name": "Ann", "n": 1 }), json!({ "name": "Bob", "n": 2 })],
                "{format}"
            );
        }
    }

    #[tokio::test]
    async fn csv_is_typed_in_the_first_version_and_text_in_the_second() {
        let item = with_file("data", text_file("a.csv", "a,b\n1,x\n"));
        let first = run_items::<SpreadsheetFile>(1.0, json!({}), vec![item.clone()]).await.unwrap();
        assert_eq!(first[0].json, json!({ "a": 1, "b": "x" }));
        let second =
            run_items::<SpreadsheetFile>(2.0, json!({}), vec![item.clone()]).await.unwrap();
        assert_eq!(second[0].json, json!({ "a": "1", "b": "x" }));
        let bare = run_items::<SpreadsheetFile>(
            2.0,
            json!({ "options": { "headerRow": false, "includeEmptyCells": true } }),
            vec![item],
        )
        .await
        .unwrap();
        assert_eq!(bare[1].json, json!({ "row": ["1", "x"] }));
    }

    #[tokio::test]
    async fn rows_of_long_and_short_files_come_out_in_order_and_know_their_file() {
        let file = |count: usize| {
            with_file("data", text_file("a.csv", &format!("a\n{}", "x\n".repeat(count))))
        };
        let items =
            vec![file(2), file(1000), with_file("other", text_file("a.csv", "a\n1\n")), file(1)];
        let host = TestHost::new(&SpreadsheetFile::spec(), 2.0, &json!({ "fileFormat": "csv" }));
        let outputs =
            run_on::<SpreadsheetFile>(&host, 2.0, vec![items.into()], OnError::ContinueRegular)
                .await
                .unwrap();
        let from: Vec<u32> = outputs[0].iter().map(|item| item.paired[0].item).collect();
        assert_eq!(from, [vec![0; 2], vec![1; 1000], vec![2, 3]].concat());
        assert!(outputs[0].get(1002).unwrap().error.is_some());
        assert_eq!(outputs[0].last().unwrap().json, json!({ "a": "x" }));
    }

    #[tokio::test]
    async fn a_sheet_that_is_not_there_is_named() {
        let item = with_file("data", text_file("a", "a,b\n1,x\n"));
        let error = run_items::<SpreadsheetFile>(
            1.0,
            json!({ "options": { "sheetName": "Mine" } }),
            vec![item],
        )
        .await
        .unwrap_err();
        assert_eq!(error.message(), "Spreadsheet does not contain sheet called \"Mine\"!");
    }
}
