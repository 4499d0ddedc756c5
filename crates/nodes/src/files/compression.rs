//! Packs files into ZIP or gzip, and unpacks them.

use crate::binary::{extension_of_mime, mime_of_path, prepare};
use flate2::{Compression as Level, write::GzEncoder};
use formats::names::{sanitize_file_name, sanitize_path};
use formats::ticker::tick;
use formats::unpack::{UnpackLimits, gunzip, unzip};
use node_api::prelude::*;
use std::collections::HashMap;
use std::io::{Cursor, Write as _};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

pub(crate) struct Compression;

/// Packing these again only costs time.
static PACKED_ALREADY: &[&str] = &[
    "7z", "aifc", "bz2", "doc", "docx", "gif", "gz", "heic", "heif", "jpg", "jpeg", "mov", "mp3",
    "mp4", "pdf", "png", "ppt", "pptx", "rar", "webm", "webp", "xls", "xlsx", "zip",
];

impl Node for Compression {
    fn spec() -> Spec {
        let formats = &[("gzip", "Gzip"), ("zip", "Zip")];
        Spec::new("n8n-nodes-base.compression", &[1.0, 1.1], "Compression", "Compress and decompress files").icon("file-archive")
            .group(NodeGroup::Files)
            .params([
                Param::choice("operation", "Operation", &[("compress", "Compress"), ("decompress", "Decompress")])
                    .preset("decompress")
                    .raw()
                    .help("Whether to compress files or to decompress an archive."),
                Param::text("binaryPropertyName", "Input binary field(s)", "data")
                    .required()
                    .help("Binary fields to use. Separate several with commas."),
                Param::choice("outputFormat", "Output format", formats)
                    .preset("")
                    .show("operation", &["compress"])
                    .versions(&[1.0])
                    .help("Format of the archive."),
                Param::choice("outputFormat", "Output format", formats)
                    .preset("zip")
                    .show("operation", &["compress"])
                    .since(1.1)
                    .help("Format of the archive."),
                Param::text("fileName", "File name", "")
                    .required()
                    .show("operation", &["compress"])
                    .show("outputFormat", &["zip"])
                    .help("The name of the archive, such as data.zip."),
                Param::text("binaryPropertyOutput", "Put output file in field", "data")
                    .show("operation", &["compress"])
                    .show("outputFormat", &["zip"])
                    .help("Name of the binary field for the archive."),
                Param::text("fileName", "File name", "")
                    .show("operation", &["compress"])
                    .show("outputFormat", &["gzip"])
                    .since(1.1)
                    .help("Name of the compressed file without its extension. Defaults to the name of \
                         the input file."),
                Param::text("binaryPropertyOutput", "Put output file in field", "data")
                    .show("operation", &["compress"])
                    .show("outputFormat", &["gzip"])
                    .since(1.1)
                    .help("Name of the binary field for the compressed file. Further files get a \
                         number appended."),
                Param::text("outputPrefix", "Output file prefix", "data")
                    .required()
                    .show("operation", &["compress"])
                    .show("outputFormat", &["gzip"])
                    .versions(&[1.0])
                    .help("Prefix of the output fields, followed by a number."),
                Param::text("outputPrefix", "Output prefix", "file_")
                    .required()
                    .show("operation", &["decompress"])
                    .help("Prefix of the fields for decompressed files, followed by a number."),
            ])
            .hint("Use it to compress files before sending them, or to extract files from a \
                 downloaded archive.")
            .alias(&["zip", "unzip", "gzip", "archive"])
            .repeatable()
            .computes()
            .example(
                "Pack a file",
                r#"{ "operation": "compress", "outputFormat": "zip", "fileName": "data.zip" }"#,
                r#"[{ "json": { "n": 1 }, "binary": { "data": { "mimeType": "text/plain", "fileName": "a.txt", "data": "aGk=" } } }]"#,
                r#"[[{ "n": 1 }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        ctx.map_items(&items, |index, item| match operation.as_str() {
            "compress" => compress(ctx, index, &item),
            "decompress" => decompress(ctx, index, &item),
            other => Err(NodeError::parameter(
                "operation",
                format!("The operation \"{other}\" is not known!"),
            )),
        })
    }
}

fn field_names(ctx: &Ctx<'_>, index: usize) -> Result<Vec<String>, NodeError> {
    Ok(ctx
        .text("binaryPropertyName", index)?
        .split(',')
        .map(|name| name.trim().to_owned())
        .collect())
}

/// What stands before the first dot of a file's name.
fn stem(file: &Binary) -> String {
    file.file_name
        .as_deref()
        .map_or("undefined", |name| name.split('.').next().unwrap_or_default())
        .to_owned()
}

fn decompress(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    let prefix = ctx.text("outputPrefix", 0)?;
    let mut made = Item::new(item.json.clone());
    let mut unzipped = 0;
    for (position, name) in field_names(ctx, 0)?.iter().enumerate() {
        let file = ctx.binary(item, index, name)?;
        match file.file_extension.as_deref().unwrap_or_default().to_ascii_lowercase().as_str() {
            "zip" => {
                for (path, content) in unzip(&file.data, UnpackLimits::default())? {
                    // Some programs put every file in a second time under this folder.
                    if !path.contains("__MACOSX") {
                        made.set_binary(
                            format!("{prefix}{unzipped}"),
                            prepare(content, Some(&path), None),
                        );
                        unzipped += 1;
                    }
                }
            }
            "gz" | "gzip" => made.set_binary(format!("{prefix}{position}"), gunzipped(file)?),
            _ => {}
        }
    }
    Ok(made)
}

/// `data.json.gz` holds `data.json`; where the name does not tell, the content does.
fn gunzipped(file: &Binary) -> Result<Binary, NodeError> {
    let content = gunzip(&file.data, UnpackLimits::default())?;
    let inner = file
        .file_name
        .as_deref()
        .and_then(|name| name.strip_suffix(".gz"))
        .and_then(|name| name.rsplit_once('.'));
    let stem = stem(file);
    let told = inner.map(|(_, extension)| extension);
    let mut unpacked = prepare(content, Some(&stem), told.and_then(mime_of_path));
    let extension = told.or_else(|| extension_of_mime(&unpacked.mime_type)).unwrap_or("false");
    unpacked.file_name = Some(sanitize_file_name(&format!("{stem}.{extension}")));
    unpacked.file_extension = Some(extension.into());
    Ok(unpacked)
}

fn compress(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    // The first version takes every setting from the first item.
    let settings_of = if ctx.version() > 1.0 { index } else { 0 };
    let names = field_names(ctx, settings_of)?;
    let files: Vec<&Binary> =
        names.iter().map(|name| ctx.binary(item, index, name)).collect::<Result<_, _>>()?;
    // A field may be named any number of times.
    let most = UnpackLimits::default().bytes;
    if files.iter().map(|file| file.data.len() as u64).sum::<u64>() > most {
        return Err(NodeError::new(
            Code::INPUT_BOMB,
            format!("The files to compress exceed the limit of {most} bytes in total"),
        ));
    }
    let mut made = Item::new(item.json.clone());
    match ctx.text("outputFormat", 0)?.as_str() {
        "zip" => {
            let archive = zip(&files)?;
            let name = ctx.text("fileName", settings_of)?;
            made.set_binary(
                ctx.text("binaryPropertyOutput", settings_of)?,
                prepare(archive, Some(&name), None),
            );
        }
        "gzip" => {
            for (position, file) in files.iter().enumerate() {
                tick()?;
                let (field, path) = if ctx.version() > 1.0 {
                    let field = ctx.text("binaryPropertyOutput", index)?;
                    let field = if position == 0 {
                        field.to_string()
                    } else {
                        format!("{field}{position}")
                    };
                    let name = match ctx.text("fileName", index)?.as_str() {
                        "" => stem(file),
                        name => name.replacen(".gz", "", 1).replacen(".gzip", "", 1),
                    };
                    let extension = file
                        .file_extension
                        .as_deref()
                        .map(|extension| format!(".{}", extension.to_lowercase()));
                    (field, format!("{name}{}.gz", extension.unwrap_or_default()))
                } else {
                    (
                        format!("{}{position}", ctx.text("outputPrefix", 0)?),
                        format!("{}.gzip", stem(file)),
                    )
                };
                made.set_binary(field, prepare(gzip(&file.data)?, Some(&path), None));
            }
        }
        "" => {
            return Err(NodeError::parameter("outputFormat", "No output format was chosen")
                .hint("Choose Zip or Gzip."));
        }
        other => {
            return Err(NodeError::parameter(
                "outputFormat",
                format!("The output format \"{other}\" is not known!"),
            ));
        }
    }
    Ok(made)
}

fn zip(files: &[&Binary]) -> Result<Vec<u8>, NodeError> {
    let failed = |error: &dyn std::fmt::Display| {
        NodeError::failed(format!("Could not write the archive: {error}"))
    };
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let names: Vec<String> = files.iter().map(|file| entry_name(file)).collect();
    let last: HashMap<&str, usize> =
        names.iter().enumerate().map(|(position, name)| (name.as_str(), position)).collect();
    for (position, (file, name)) in files.iter().zip(&names).enumerate() {
        // The last of several files with one name is the one that stays.
        if last.get(name.as_str()) != Some(&position) {
            continue;
        }
        tick()?;
        let is_packed = file
            .file_extension
            .as_deref()
            .is_some_and(|extension| PACKED_ALREADY.contains(&extension));
        let method =
            if is_packed { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        archive
            .start_file(name.as_str(), SimpleFileOptions::default().compression_method(method))
            .map_err(|error| failed(&error))?;
        archive.write_all(&file.data).map_err(|error| failed(&error))?;
    }
    Ok(archive.finish().map_err(|error| failed(&error))?.into_inner())
}

/// A name with folders makes folders in the archive, but leads nobody out of it.
fn entry_name(file: &Binary) -> String {
    file.file_name.as_deref().map_or_else(|| "undefined".to_owned(), sanitize_path)
}

fn gzip(data: &[u8]) -> Result<Vec<u8>, NodeError> {
    let mut encoder = GzEncoder::new(Vec::new(), Level::new(6));
    let packed = encoder.write_all(data).and_then(|()| encoder.finish());
    packed.map_err(|error| NodeError::failed(format!("Could not compress the file: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::{run_items, text_file, with_file};
    use node_testing::{TestHost, run_on};

    #[tokio::test]
    async fn what_was_packed_comes_out_again() {
        let item = with_file("data", text_file("a.txt", "hello"));
        let packed = run_items::<Compression>(
            1.1,
            json!({ "operation": "compress", "fileName": "x.zip" }),
            vec![item],
        )
        .await
        .unwrap();
        let archive = packed[0].binary("data").unwrap();
        assert_eq!(
            (archive.mime_type.as_str(), archive.file_name.as_deref()),
            ("application/zip", Some("x.zip"))
        );
        let unpacked = run_items::<Compression>(1.0, json!({}), packed.clone()).await.unwrap();
        let file = unpacked[0].binary("file_0").unwrap();
        assert_eq!(
            (file.data.as_ref(), file.file_name.as_deref(), file.mime_type.as_str()),
            (&b"hello"[..], Some("a.txt"), "text/plain")
        );
    }

    #[tokio::test]
    async fn gzip_keeps_the_name_in_the_newer_version() {
        let item = with_file("data", text_file("a.JSON", "{}"));
        let packed = run_items::<Compression>(
            1.1,
            json!({ "operation": "compress", "outputFormat": "gzip" }),
            vec![item.clone()],
        )
        .await
        .unwrap();
        let archive = packed[0].binary("data").unwrap();
        assert_eq!(
            (archive.file_name.as_deref(), archive.mime_type.as_str()),
            (Some("a.json.gz"), "application/gzip")
        );
        let unpacked = run_items::<Compression>(1.1, json!({}), packed.clone()).await.unwrap();
        let file = unpacked[0].binary("file_0").unwrap();
        assert_eq!(
            (file.file_name.as_deref(), file.mime_type.as_str(), file.data.as_ref()),
            (Some("a.json"), "application/json", &b"{}"[..])
        );
        let old = run_items::<Compression>(
            1.0,
            json!({ "operation": "compress", "outputFormat": "gzip" }),
            vec![item],
        )
        .await
        .unwrap();
        assert_eq!(old[0].binary("data0").unwrap().file_name.as_deref(), Some("a.gzip"));
    }

    #[tokio::test]
    async fn a_name_leads_nobody_out_of_the_archive() {
        let mut file = text_file("a.txt", "hello");
        file.file_name = Some("../../folder/a.txt".into());
        let params = json!({ "operation": "compress", "fileName": "x.zip" });
        let packed =
            run_items::<Compression>(1.1, params, vec![with_file("data", file)]).await.unwrap();
        let unpacked =
            unzip(&packed[0].binary("data").unwrap().data, UnpackLimits::default()).unwrap();
        assert_eq!(unpacked, [("folder/a.txt".into(), b"hello".to_vec())]);
    }

    #[tokio::test]
    async fn a_bomb_stops_the_run_or_becomes_an_error_item() {
        let mut encoder = GzEncoder::new(Vec::new(), Level::best());
        std::io::copy(&mut std::io::Read::take(std::io::repeat(0), 64 << 20), &mut encoder)
            .unwrap();
        let bomb = prepare(encoder.finish().unwrap(), Some("bomb.gz"), None);
        let item = with_file("data", bomb);
        let error = run_items::<Compression>(1.1, json!({}), vec![item.clone()]).await.unwrap_err();
        assert_eq!(error.code(), Code::INPUT_BOMB);
        let host = TestHost::new(&Compression::spec(), 1.1, &json!({}));
        let outputs = run_on::<Compression>(
            &host,
            1.1,
            vec![vec![item].into()],
            model::OnError::ContinueRegular,
        )
        .await
        .unwrap();
        assert!(outputs[0].first().unwrap().error.is_some());
    }

    #[tokio::test]
    async fn a_missing_file_is_named() {
        let error =
            run_items::<Compression>(1.1, json!({}), vec![Item::new(json!({}))]).await.unwrap_err();
        assert!(error.message().contains("binary file 'data'"), "{error}");
    }
}
