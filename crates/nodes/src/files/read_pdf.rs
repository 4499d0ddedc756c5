//! Reads the text of PDF files. An older node; new workflows use Extract from File.

use super::pdf::extract;
use formats::pdf::PdfOptions;
use node_api::prelude::*;

pub(crate) struct ReadPdf;

impl Node for ReadPdf {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.readPDF",
            &[1.0],
            "Read PDF",
            "Read a PDF and extract its content",
        )
        .legacy()
        .icon("file-text")
        .group(NodeGroup::Files)
        .params([
            Param::text("binaryPropertyName", "Input binary field", "data")
                .required()
                .help("Binary field with the PDF."),
            Param::flag("encrypted", "Encrypted", false)
                .help("Whether the PDF is password-protected."),
            Param::secret("password", "Password")
                .show("encrypted", &[true])
                .help("The password of the PDF."),
        ])
        .hint("Use Extract from File instead in new workflows.")
        .repeatable()
        .computes()
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match read(ctx, index, &item).await {
                Ok(made) => output.push(made.paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn read(ctx: &Ctx<'_>, index: usize, item: &Item) -> Result<Item, NodeError> {
    let field = ctx.text("binaryPropertyName", index)?;
    let file = ctx.binary(item, index, &field)?;
    let password =
        if ctx.flag("encrypted", index)? { Some(ctx.text("password", index)?) } else { None };
    let options = PdfOptions { password, join_pages: true, ..PdfOptions::default() };
    let found = extract(file.data.clone(), options).await?;
    Ok(Item { binary: item.binary.clone(), ..Item::new(found) })
}
