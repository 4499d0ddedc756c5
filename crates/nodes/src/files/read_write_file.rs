//! Reads files from the folder for files, or writes them there.

use super::settings::FileSettings;
use crate::binary::prepare_stream;
use formats::names::sanitize_file_name;
use node_api::ErrorClass;
use node_api::prelude::*;

pub(crate) struct ReadWriteFile;

impl Node for ReadWriteFile {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.readWriteFile",
            &[1.0, 1.1],
            "Read/Write Files from Disk",
            "Read or write files on the computer that runs Heddle",
        )
        .icon("folder-open")
        .untrusted()
        .private()
        .group(NodeGroup::Files)
        .params([
            Param::choice(
                "operation",
                "Operation",
                &[("read", "Read file(s) from disk"), ("write", "Write file to disk")],
            )
            .raw()
            .help("Whether to read files or to write one."),
            Param::text("fileSelector", "File(s) selector", "")
                .required()
                .show("operation", &["read"])
                .help(
                    "Path of a file, or a pattern such as pictures/**/*.png. Paths are relative to \
                     the files folder.",
                ),
            Param::collection(
                "options",
                "Options",
                [
                    Param::text("fileExtension", "File extension", "")
                        .help("File extension to set on the binary field."),
                    Param::text("fileName", "File name", "")
                        .help("File name to set on the binary field."),
                    Param::text("mimeType", "MIME type", "")
                        .help("MIME type to set on the binary field."),
                    Param::text("dataPropertyName", "Put output file in field", "data")
                        .help("Name of the binary field. Defaults to data."),
                ],
            )
            .show("operation", &["read"])
            .help("More settings."),
            Param::text("fileName", "File path and name", "")
                .required()
                .show("operation", &["write"])
                .help("Path of the file to write, with its extension. The folder must exist."),
            Param::text("dataPropertyName", "Input binary field", "data")
                .required()
                .show("operation", &["write"])
                .help("Binary field to write."),
            Param::collection(
                "options",
                "Options",
                [Param::flag("append", "Append", false)
                    .help("Whether to append to an existing file.")],
            )
            .show("operation", &["write"])
            .help("More settings."),
        ])
        .repeatable_when("operation", &["read"])
        .hint("Use it to read and write files in the folder reserved for workflows.")
        .note("Paths outside the folder set by HEDDLE_FILES_ROOT are rejected.")
        .alias(&["disk", "folder", "local file"])
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        let is_write = ctx.text("operation", 0)? == "write";
        for (index, item) in items.iter().enumerate() {
            let made = if is_write {
                write(ctx, index, &item).await.map(|item| vec![item])
            } else {
                read(ctx, index).await
            };
            match made {
                Ok(made) => output.extend(made.into_iter().map(|item| item.paired_with(index))),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn read(ctx: &Ctx<'_>, index: usize) -> Result<Vec<Item>, NodeError> {
    let selector = normalised(&ctx.text("fileSelector", index)?);
    let options = FileSettings::read(ctx, "options", index)?;
    let field = options.text("dataPropertyName").unwrap_or_else(|| "data".into());
    let mut made = Vec::new();
    let in_words = |error: NodeError| n8n_error(ctx, error, &selector, FileOperation::Read);
    for path in ctx.host().files().list(&selector).await.map_err(in_words)? {
        let data = ctx.host().files().read(&path).await.map_err(in_words)?;
        let mut file = prepare_stream(data, &path);
        if let Some(name) = options.present_text("fileName") {
            file.file_name = Some(sanitize_file_name(&name));
        }
        if let Some(extension) = options.present_text("fileExtension") {
            file.file_extension = Some(extension);
        }
        if let Some(mime_type) = options.present_text("mimeType") {
            file.mime_type = mime_type;
        }
        let mut fields = Object::new();
        fields.insert("mimeType", file.mime_type.clone());
        fields.insert("fileType", file.file_type.clone());
        fields.insert("fileName", file.file_name.clone());
        fields.insert("fileExtension", file.file_extension.clone());
        fields.insert("fileSize", file.size_text());
        let mut item = Item::new(fields);
        item.set_binary(field.clone(), file);
        made.push(item);
    }
    Ok(made)
}

async fn write(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    let field = ctx.text("dataPropertyName", index)?;
    let path = ctx.text("fileName", index)?;
    let append = FileSettings::read(ctx, "options", index)?.flag("append");
    let file = ctx.binary(item, index, &field)?;
    ctx.host()
        .files()
        .write(&path, &file.data, append)
        .await
        .map_err(|error| n8n_error(ctx, error, &path, FileOperation::Write))?;
    let mut made = item.clone();
    made.json.make_object().insert("fileName", path);
    Ok(made)
}

/// A path of Windows gets slashes, and parentheses stand for themselves.
fn normalised(selector: &str) -> String {
    let mut letters = selector.chars();
    let is_windows = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':');
    let slashed = if is_windows { selector.replace('\\', "/") } else { selector.to_owned() };
    slashed.replace('(', "\\(").replace(')', "\\)")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FileOperation {
    Read,
    Write,
}

/// What the system says, in n8n's words. It has others for the error item of a run that goes on.
fn n8n_error(ctx: &Ctx<'_>, error: NodeError, path: &str, operation: FileOperation) -> NodeError {
    let errno = error.context().get("errno").and_then(Value::as_str).unwrap_or_default().to_owned();
    let error = error.class(ErrorClass::Api);
    match (errno.as_str(), operation) {
        ("EACCES", FileOperation::Read) if ctx.continues_on_fail() => error
            .reword(format!("You don't have the permissions to access {path}"))
            .describe("Verify that the path specified in 'File(s) Selector' is correct, or change the file(s) permissions if needed"),
        ("EACCES", FileOperation::Write) if ctx.continues_on_fail() => error
            .reword(format!("You don't have the permissions to write the file {path}"))
            .describe("Specify another destination folder in 'File Path and Name', or change the permissions of the parent folder"),
        ("EACCES", _) => error.reword("Forbidden by access permissions, make sure you have the right permissions"),
        ("ENOENT", FileOperation::Write) => error.reword("The file or directory does not exist"),
        ("EISDIR", _) => error.reword("The file path was expected but the given path is a directory"),
        ("ENOTDIR", _) => error.reword("The directory path was expected but the given path is a file"),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::{run_with_files, text_file, with_file};
    use model::OnError;

    #[tokio::test]
    async fn every_file_that_fits_becomes_an_item() {
        let files = [("data/a.json", "{}"), ("data/b (1).json", "[]"), ("data/c.txt", "x")];
        let params = json!({ "fileSelector": "data/*.json" });
        let made = run_with_files::<ReadWriteFile>(
            1.1,
            params,
            vec![Item::new(json!({}))],
            &files,
            OnError::Stop,
        )
        .await
        .unwrap();
        let expected = json!({ "mimeType": "application/json", "fileType": "json", "fileName": "b (1).json", "fileExtension": "json", "fileSize": "2 B" });
        assert_eq!((made.len(), made[1].json.clone()), (2, expected));
        assert_eq!(made[1].binary("data").unwrap().directory.as_deref(), Some("data"));
        let params = json!({ "fileSelector": "data/b (1).json", "options": { "fileName": "x.bin", "mimeType": "a/b", "dataPropertyName": "f" } });
        let made = run_with_files::<ReadWriteFile>(
            1.0,
            params,
            vec![Item::new(json!({}))],
            &files,
            OnError::Stop,
        )
        .await
        .unwrap();
        assert_eq!(made[0].json.get("fileName"), Some(&json!("x.bin")));
        assert_eq!(made[0].binary("f").unwrap().mime_type, "a/b");
    }

    #[tokio::test]
    async fn a_pattern_that_fits_nothing_gives_nothing() {
        let made = run_with_files::<ReadWriteFile>(
            1.0,
            json!({ "fileSelector": "x" }),
            vec![Item::new(json!({}))],
            &[],
            OnError::Stop,
        )
        .await;
        assert_eq!(made.unwrap(), []);
    }

    #[tokio::test]
    async fn a_file_is_written_and_the_item_goes_on() {
        let item = with_file("data", text_file("a.txt", "hi"));
        let params = json!({ "operation": "write", "fileName": "out/a.txt" });
        let made =
            run_with_files::<ReadWriteFile>(1.0, params, vec![item.clone()], &[], OnError::Stop)
                .await
                .unwrap();
        assert_eq!(made[0].json, json!({ "fileName": "out/a.txt" }));
        assert!(made[0].binary("data").is_some());
        let params = json!({ "operation": "write", "fileName": "/locked/a.txt" });
        let error = run_with_files::<ReadWriteFile>(
            1.0,
            params.clone(),
            vec![item.clone()],
            &[],
            OnError::Stop,
        )
        .await
        .unwrap_err();
        assert_eq!(
            error.message(),
            "Forbidden by access permissions, make sure you have the right permissions"
        );
        let made =
            run_with_files::<ReadWriteFile>(1.0, params, vec![item], &[], OnError::ContinueRegular)
                .await
                .unwrap();
        assert_eq!(
            made[0].json.get("error"),
            Some(&json!("You don't have the permissions to write the file /locked/a.txt"))
        );
    }
}
