//! Reads all files that fit a pattern. An older node; new workflows read files with Read/Write
//! Files from Disk.

use crate::binary::prepare_stream;
use node_api::prelude::*;

pub(crate) struct ReadBinaryFiles;

impl Node for ReadBinaryFiles {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.readBinaryFiles",
            &[1.0],
            "Read Binary Files",
            "Read files from disk",
        )
        .legacy()
        .icon("folder-open")
        .untrusted()
        .private()
        .group(NodeGroup::Files)
        .param(
            Param::text("fileSelector", "File selector", "")
                .required()
                .help("A pattern such as *.jpg, inside the files folder."),
        )
        .param(
            Param::text("dataPropertyName", "Property name", "data")
                .required()
                .help("Name of the binary field for each file."),
        )
        .repeatable()
        .hint("Use Read/Write Files from Disk instead in new workflows.")
        .note("Paths outside the folder set by HEDDLE_FILES_ROOT are rejected.")
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        let selector = ctx.text("fileSelector", 0)?;
        let field = ctx.text("dataPropertyName", 0)?;
        let mut output = ctx.builder();
        for path in ctx.host().files().list(&selector).await? {
            let data = ctx.host().files().read(&path).await?;
            let mut item = Item::new(Value::empty_object()).paired_with(0);
            item.set_binary(field.clone(), prepare_stream(data, &path));
            output.push(item);
        }
        Ok(vec![output.finish()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::run_with_files;
    use model::OnError;

    #[tokio::test]
    async fn each_file_is_an_item_of_its_own() {
        let files = [("a.json", "1"), ("b.json", "2"), ("c.txt", "3")];
        let made = run_with_files::<ReadBinaryFiles>(
            1.0,
            json!({ "fileSelector": "*.json" }),
            vec![],
            &files,
            OnError::Stop,
        )
        .await
        .unwrap();
        let names: Vec<_> = made
            .iter()
            .map(|item| item.binary("data").unwrap().file_name.clone().unwrap())
            .collect();
        assert_eq!(names, ["a.json", "b.json"]);
    }
}
