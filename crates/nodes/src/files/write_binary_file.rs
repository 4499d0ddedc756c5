//! Writes a file of each item to disk. An older node; new workflows write files with Read/Write
//! Files from Disk.

use super::settings::FileSettings;
use node_api::prelude::*;

pub(crate) struct WriteBinaryFile;

impl Node for WriteBinaryFile {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.writeBinaryFile",
            &[1.0],
            "Write Binary File",
            "Write a file to disk",
        )
        .legacy()
        .icon("folder-open")
        .group(NodeGroup::Files)
        .params([
            Param::text("fileName", "File name", "")
                .required()
                .help("Path of the file to write, inside the files folder."),
            Param::text("dataPropertyName", "Property name", "data")
                .required()
                .help("Binary field to write."),
            Param::collection(
                "options",
                "Options",
                [Param::flag("append", "Append", false)
                    .help("Whether to append to an existing file.")],
            )
            .help("More settings."),
        ])
        .hint("Use Read/Write Files from Disk instead in new workflows.")
        .note("Paths outside the folder set by HEDDLE_FILES_ROOT are rejected.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match write(ctx, index, &item).await {
                Ok(made) => output.push(made.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn write(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    let field = ctx.text("dataPropertyName", index)?;
    let path = ctx.text("fileName", index)?;
    let append = FileSettings::read(ctx, "options", 0)?.flag("append");
    let file = ctx.binary(item, index, &field)?;
    ctx.host().files().write(&path, &file.data, append).await?;
    let mut made = item.clone();
    made.json.make_object().insert("fileName", path);
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::{run_with_files, text_file, with_file};
    use model::OnError;

    #[tokio::test]
    async fn the_path_joins_the_item() {
        let item = with_file("data", text_file("a.txt", "hi"));
        let made = run_with_files::<WriteBinaryFile>(
            1.0,
            json!({ "fileName": "x/y.txt" }),
            vec![item],
            &[],
            OnError::Stop,
        )
        .await
        .unwrap();
        assert_eq!(made[0].json, json!({ "fileName": "x/y.txt" }));
        assert!(made[0].binary("data").is_some());
    }

    #[tokio::test]
    async fn an_item_without_the_file_is_an_error() {
        let error = run_with_files::<WriteBinaryFile>(
            1.0,
            json!({ "fileName": "x" }),
            vec![Item::new(json!({}))],
            &[],
            OnError::Stop,
        )
        .await
        .unwrap_err();
        assert!(error.message().contains("binary file 'data'"), "{error}");
    }
}
