//! n8n's document loaders: the item's data, or a file that it carries, as documents.

use super::read::{DocumentFormat, PdfDetails, ReadOptions, csv, pdf, strings, text, word_text};
use super::split::{ChunkLengths, DEFAULT_SEPARATORS, RecursiveSplitter, split_documents};
use super::{metadata, metadata_param};
use crate::ai::sub_nodes;
use model::Kind;
use node_api::ai::{Document, Loader, Splitter, Supply};
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};
use std::sync::Arc;

pub(crate) struct DefaultDataLoader;

impl Supplier for DefaultDataLoader {
    fn spec() -> Spec {
        spec(
            "documentDefaultDataLoader",
            &[1.0, 1.1],
            "Default Data Loader",
            "Create documents from items or their files",
        )
        .params([
            Param::choice("dataType", "Type of data", &[("json", "JSON"), ("binary", "Binary")])
                .raw()
                .help("Source of the documents."),
            Param::choice(
                "jsonMode",
                "Mode",
                &[
                    ("allInputData", "Load all input data"),
                    ("expressionData", "Load specific data"),
                ],
            )
            .help("Whether to load all texts of an item, or only those given below.")
            .show("dataType", &["json"]),
            Param::choice(
                "binaryMode",
                "Mode",
                &[("allInputData", "Load all input data"), ("specificField", "Load specific data")],
            )
            .help("Whether to load all files of an item, or only one.")
            .show("dataType", &["binary"]),
            loader_param("auto").show("dataType", &["binary"]),
            key_param().show("dataType", &["binary"]),
            Param::text("jsonData", "Data", "")
                .required()
                .help("A text, or data whose texts are loaded.")
                .show("dataType", &["json"])
                .show("jsonMode", &["expressionData"]),
            Param::choice(
                "textSplittingMode",
                "Text splitting",
                &[("simple", "Simple"), ("custom", "Custom")],
            )
            .help(
                "Simple splits texts into chunks of 1000 characters with an overlap of 200. \
                         Custom uses the connected text splitter.",
            )
            .since(1.1),
            Param::collection("options", "Options", options())
                .help("File format and metadata options."),
        ])
        .hint("Connect it to the document input of a vector store in Insert mode.")
        .differs("EPUB files are not supported. Texts in nested data are loaded once.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let splitter = match ctx.node().version >= 1.1
            && ctx.ctx().text("textSplittingMode", ctx.item())? != "custom"
        {
            true => Some(default_splitter()),
            false => sub_nodes::splitter(&ctx.ctx(), ctx.item()).await?,
        };
        let reads_files = ctx.ctx().text("dataType", ctx.item())? == "binary";
        Ok(Supply::Loader(Arc::new(ItemLoader { ctx, splitter, reads_files, prefix: "options." })))
    }
}

pub(crate) struct BinaryInputLoader;

impl Supplier for BinaryInputLoader {
    fn spec() -> Spec {
        spec(
            "documentBinaryInputLoader",
            &[1.0],
            "Binary Input Loader",
            "Create documents from files of items",
        )
        .legacy()
        .params([loader_param("auto"), key_param()])
        .params(options())
        .hint("Use the Default Data Loader in new workflows.")
        .differs("EPUB files are not supported.")
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let splitter = sub_nodes::splitter(&ctx.ctx(), ctx.item()).await?;
        Ok(Supply::Loader(Arc::new(ItemLoader { ctx, splitter, reads_files: true, prefix: "" })))
    }
}

fn spec(node: &str, versions: &[f64], name: &str, summary: &str) -> Spec {
    Spec::new(&format!("@n8n/n8n-nodes-langchain.{node}"), versions, name, summary)
        .group(NodeGroup::Ai)
        .inputs([Port::of(Kind::AiTextSplitter, "Text Splitter")])
        .icon("file-text")
        .outputs([Port::of(Kind::AiDocument, "Document")])
        .alias(&["document", "pdf", "ingest"])
}

fn loader_param(usual: &str) -> Param {
    let loaders = [
        ("auto", "Automatically detect by MIME type"),
        ("csvLoader", "CSV"),
        ("docxLoader", "Docx"),
        ("epubLoader", "EPub"),
        ("jsonLoader", "JSON"),
        ("pdfLoader", "PDF"),
        ("textLoader", "Text"),
    ];
    Param::choice("loader", "Data format", &loaders).preset(usual).help("Format of the files.")
}

fn key_param() -> Param {
    Param::text("binaryDataKey", "Input data field name", "data")
        .help("Binary field of the item with the file.")
}

fn options() -> Vec<Param> {
    vec![
        Param::text("pointers", "JSON pointers", "").help(
            "JSON pointers to the texts, such as `/text, /meta/title`. If empty, all texts are \
                 loaded.",
        ),
        Param::text("separator", "CSV separator", ",").help("Column separator."),
        Param::text("column", "CSV column", "")
            .help("Name of the column to load. If empty, all columns are loaded."),
        Param::flag("splitPages", "Split pages in PDF", false)
            .help("Whether each page is a document."),
        metadata_param("Metadata", "Metadata added to every document."),
    ]
}

/// The splitter of n8n's loader where none is connected.
fn default_splitter() -> Arc<dyn Splitter> {
    Arc::new(RecursiveSplitter {
        separators: DEFAULT_SEPARATORS,
        lengths: ChunkLengths::DEFAULT,
        keeps_separators: true,
    })
}

struct ItemLoader {
    ctx: SupplyCtx,
    splitter: Option<Arc<dyn Splitter>>,
    reads_files: bool,
    /// Where the options are.
    prefix: &'static str,
}

#[async_trait::async_trait]
impl Loader for ItemLoader {
    async fn load(&self, item: &Item, index: usize) -> Result<Vec<Document>, NodeError> {
        let mut documents = if self.reads_files {
            self.of_files(item, index).await?
        } else {
            self.of_json(item, index)?
        };
        if let Some(splitter) = &self.splitter {
            documents = split_documents(splitter.as_ref(), documents)?;
        }
        let given = metadata(&self.ctx.ctx(), &format!("{}metadata", self.prefix), index)?;
        for document in &mut documents {
            document.metadata.extend(given.clone());
        }
        Ok(documents)
    }
}

impl ItemLoader {
    fn option(&self, name: &str, index: usize) -> Result<Str, NodeError> {
        self.ctx.ctx().text(&format!("{}{name}", self.prefix), index)
    }

    fn of_json(&self, item: &Item, index: usize) -> Result<Vec<Document>, NodeError> {
        let ctx = self.ctx.ctx();
        let value = match ctx.text("jsonMode", index)?.as_str() {
            "expressionData" => match ctx.param("jsonData", index)? {
                value @ (Value::Object(_) | Value::Array(_)) => value,
                Value::Undefined | Value::Null => return Ok(Vec::new()),
                text => {
                    return Ok(vec![Document {
                        content: text.to_js_string(),
                        metadata: base_metadata("text/plain"),
                    }]);
                }
            },
            _ => item.json.clone(),
        };
        Ok(text_documents(strings(&value, &self.option("pointers", index)?), "application/json"))
    }

    async fn of_files(&self, item: &Item, index: usize) -> Result<Vec<Document>, NodeError> {
        let ctx = self.ctx.ctx();
        let key = ctx.text("binaryDataKey", index)?;
        let takes_all =
            self.prefix == "options." && ctx.text("binaryMode", index)? == "allInputData";
        let files: Vec<Binary> = match takes_all && item.binary(&key).is_none() {
            true => item
                .binary
                .iter()
                .flat_map(|files| files.iter())
                .map(|(_, file)| file.clone())
                .collect(),
            false => vec![ctx.binary(item, index, &key)?.clone()],
        };
        let mut documents = Vec::new();
        for file in &files {
            documents.extend(self.of_file(file, index).await?);
        }
        Ok(documents)
    }

    async fn of_file(&self, file: &Binary, index: usize) -> Result<Vec<Document>, NodeError> {
        let wanted = self.ctx.ctx().text("loader", index)?;
        let mime_type = file.mime_type.clone();
        let format = DocumentFormat::of(file);
        check(&wanted, format, &mime_type).map_err(|error| error.on_item(index))?;
        let column = Some(self.option("column", index)?).filter(|column| !column.is_empty());
        let separator =
            Some(self.option("separator", index)?).filter(|separator| !separator.is_empty());
        let splits_pages = self.ctx.ctx().flag(&format!("{}splitPages", self.prefix), index)?;
        let options = ReadOptions {
            splits_pages,
            column,
            separator: separator.unwrap_or_else(|| ",".into()),
        };
        let base = base_metadata(&mime_type);
        match format {
            Some(DocumentFormat::Pdf) => pdf(file, &base, &options, PdfDetails::All).await,
            Some(DocumentFormat::Word) => {
                Ok(vec![Document { content: word_text(file).await?, metadata: base }])
            }
            Some(DocumentFormat::Csv) => csv(&text(file)?, &base, &options, "line"),
            Some(DocumentFormat::Json) => {
                let value = model::json::parse(&text(file)?)
                    .map_err(|error| NodeError::input(format!("The JSON is not valid: {error}")))?;
                Ok(text_documents(strings(&value, &self.option("pointers", index)?), &mime_type))
            }
            // n8n takes a page as it is written.
            Some(DocumentFormat::Html | DocumentFormat::Markdown | DocumentFormat::Text) => {
                Ok(vec![Document { content: text(file)?, metadata: base }])
            }
            None => {
                Err(NodeError::input(format!("Unsupported mime type: {mime_type}")).on_item(index))
            }
        }
    }
}

/// Whether a file is what the loader is for.
fn check(wanted: &str, format: Option<DocumentFormat>, mime_type: &str) -> Result<(), NodeError> {
    let needed = match format {
        Some(DocumentFormat::Pdf) => "pdfLoader",
        Some(DocumentFormat::Word) => "docxLoader",
        Some(DocumentFormat::Csv) => "csvLoader",
        Some(DocumentFormat::Json) => "jsonLoader",
        Some(DocumentFormat::Html | DocumentFormat::Markdown | DocumentFormat::Text) => {
            "textLoader"
        }
        None => return Err(NodeError::input(format!("Unsupported mime type: {mime_type}"))),
    };
    match wanted {
        "auto" | "" => Ok(()),
        wanted if wanted == needed => Ok(()),
        _ => {
            let message = format!(
                "Mime type doesn't match selected loader. Please select under \"Loader Type\": {needed}"
            );
            Err(NodeError::parameter("loader", message))
        }
    }
}

/// What LangChain notes about something that came without a name.
fn base_metadata(mime_type: &str) -> Object {
    Object::from_iter([("source", "blob"), ("blobType", mime_type)])
}

/// A document for each text; counted where there are several.
fn text_documents(texts: Vec<Str>, mime_type: &str) -> Vec<Document> {
    let is_counted = texts.len() > 1;
    let document = |(at, content): (usize, Str)| {
        let mut metadata = base_metadata(mime_type);
        if is_counted {
            metadata.insert("line", at + 1);
        }
        Document { content, metadata }
    };
    texts.into_iter().enumerate().map(document).collect()
}
