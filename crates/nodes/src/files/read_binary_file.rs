//! Reads one file for each item. An older node; new workflows read files with Read/Write Files from
//! Disk.

use crate::binary::prepare_stream;
use node_api::prelude::*;

pub(crate) struct ReadBinaryFile;

impl Node for ReadBinaryFile {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.readBinaryFile",
            &[1.0],
            "Read Binary File",
            "Read a file from disk",
        )
        .legacy()
        .icon("folder-open")
        .untrusted()
        .private()
        .group(NodeGroup::Files)
        .param(
            Param::text("filePath", "File path", "")
                .required()
                .help("Path of the file, inside the files folder."),
        )
        .param(
            Param::text("dataPropertyName", "Property name", "data")
                .required()
                .help("Name of the binary field for the file."),
        )
        .repeatable()
        .hint("Use Read/Write Files from Disk instead in new workflows.")
        .note("Paths outside the folder set by HEDDLE_FILES_ROOT are rejected.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match read(ctx, index, item).await {
                Ok(made) => output.push(made.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn read(ctx: &Ctx<'_>, index: usize, item: Item) -> Result<Item, NodeError> {
    let path = ctx.text("filePath", index)?;
    let data = ctx.host().files().read(&path).await?;
    let mut made = Item { binary: item.binary, ..Item::new(item.json) };
    made.set_binary(ctx.text("dataPropertyName", index)?, prepare_stream(data, &path));
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::run_with_files;
    use model::OnError;

    #[tokio::test]
    async fn the_file_joins_the_item() {
        let params = json!({ "filePath": "a/x.json" });
        let made = run_with_files::<ReadBinaryFile>(
            1.0,
            params,
            vec![Item::new(json!({ "n": 1 }))],
            &[("a/x.json", "{}")],
            OnError::Stop,
        )
        .await
        .unwrap();
        let file = made[0].binary("data").unwrap();
        assert_eq!(
            (made[0].json.clone(), file.mime_type.as_str(), file.file_name.as_deref()),
            (json!({ "n": 1 }), "application/json", Some("x.json"))
        );
    }

    #[tokio::test]
    async fn a_missing_file_is_an_error() {
        let error = run_with_files::<ReadBinaryFile>(
            1.0,
            json!({ "filePath": "no" }),
            vec![Item::new(json!({}))],
            &[],
            OnError::Stop,
        )
        .await
        .unwrap_err();
        assert_eq!(error.message(), "The file \"no\" could not be accessed.");
    }
}
