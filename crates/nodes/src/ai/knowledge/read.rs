//! Reads files into documents: PDF, Word, CSV, JSON, web pages, Markdown and plain text.

mod json;
mod word;

pub(crate) use json::{strings, to_texts};

use super::split::{
    ChunkLengths, DEFAULT_SEPARATORS, RecursiveSplitter, separators_of, split_documents,
};
use crate::child_process;
use crate::files::{
    MAX_THREAD_BYTES, extract_pdf, has_abandoned_threads, run_guarded, text_by_child,
};
use crate::text::page_to_markdown;
use bytes::Bytes;
use formats::encoding::{decode, detect};
use formats::pdf::PdfOptions;
use formats::sheet::{CsvOptions, CsvReader};
use model::{Binary, Object, Str, Value};
use node_api::NodeError;
use node_api::ai::Document;
use std::time::Duration;

/// Larger files are refused; a PDF may be larger, for its pictures.
const MAX_BYTES: usize = 64 << 20;

/// More text than this is no document for people.
const MAX_TEXT_BYTES: usize = 64 << 20;

/// How long a page or a document may take to be read.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// What a file is, by its MIME type or, where that says little, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentFormat {
    Pdf,
    Word,
    Csv,
    Json,
    Html,
    Markdown,
    Text,
}

impl DocumentFormat {
    pub(crate) fn of(file: &Binary) -> Option<Self> {
        let mime_type = file.mime_type.split(';').next().unwrap_or_default().trim().to_lowercase();
        let extension = file
            .file_name
            .as_deref()
            .and_then(|name| name.rsplit_once('.'))
            .map(|(_, extension)| extension.to_lowercase());
        let by_name = match extension.as_deref() {
            Some("pdf") => Some(DocumentFormat::Pdf),
            Some("docx") => Some(DocumentFormat::Word),
            Some("csv") => Some(DocumentFormat::Csv),
            Some("json") => Some(DocumentFormat::Json),
            Some("html" | "htm" | "xhtml") => Some(DocumentFormat::Html),
            Some("md" | "markdown" | "mdx") => Some(DocumentFormat::Markdown),
            Some("txt" | "text" | "log" | "rst" | "yaml" | "yml" | "toml" | "xml") => {
                Some(DocumentFormat::Text)
            }
            _ => None,
        };
        match mime_type.as_str() {
            "application/pdf" => Some(DocumentFormat::Pdf),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => {
                Some(DocumentFormat::Word)
            }
            "text/csv" => Some(DocumentFormat::Csv),
            "application/json" => Some(DocumentFormat::Json),
            "text/html" | "application/xhtml+xml" => Some(DocumentFormat::Html),
            "text/markdown" | "text/md" | "text/mdx" | "text/x-markdown" => {
                Some(DocumentFormat::Markdown)
            }
            other if other.starts_with("text/") => by_name.or(Some(DocumentFormat::Text)),
            "application/xml" | "application/yaml" | "application/x-yaml" => {
                Some(DocumentFormat::Text)
            }
            _ => by_name,
        }
    }
}

/// How a file is read where its format leaves a choice.
#[derive(Clone, Debug)]
pub(crate) struct ReadOptions {
    /// A document for each page of a PDF.
    pub(crate) splits_pages: bool,
    pub(crate) separator: Str,
    /// The one column of a CSV file that is read.
    pub(crate) column: Option<Str>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { splits_pages: true, separator: ",".into(), column: None }
    }
}

/// The documents of a file as Heddle's own nodes, the API and the command line make them, in
/// chunks.
pub(crate) async fn chunks_of_file(
    file: &Binary,
    lengths: ChunkLengths,
) -> Result<Vec<Document>, NodeError> {
    let format = DocumentFormat::of(file).ok_or_else(|| {
        NodeError::input(format!("Files of type '{}' are not supported", file.mime_type))
            .hint("Use PDF, Word (docx), CSV, JSON, HTML, Markdown or plain text.")
    })?;
    let source = file.file_name.clone().filter(|name| !name.is_empty());
    let base = Object::from_iter(source.map(|name| ("source", name)));
    let documents = match format {
        DocumentFormat::Pdf => pdf(file, &base, &ReadOptions::default(), PdfDetails::None).await?,
        DocumentFormat::Word => vec![document(word_text(file).await?, &base)],
        DocumentFormat::Csv => csv(&text(file)?, &base, &ReadOptions::default(), "row")?,
        DocumentFormat::Json => {
            to_texts(&text(file)?)?.into_iter().map(|content| document(content, &base)).collect()
        }
        DocumentFormat::Html => vec![document(html_text(text(file)?).await?, &base)],
        DocumentFormat::Markdown | DocumentFormat::Text => vec![document(text(file)?, &base)],
    };
    let chunks = split_into_chunks(documents, format, lengths)?;
    match chunks.is_empty() {
        true => Err(NodeError::input("The file contains no text")
            .hint("A scanned document contains only images of text.")),
        false => Ok(chunks),
    }
}

/// The chunks of a text that comes without a file.
pub(crate) fn chunks_of_text(
    text: Str,
    metadata: Object,
    lengths: ChunkLengths,
) -> Result<Vec<Document>, NodeError> {
    split_into_chunks(vec![Document { content: text, metadata }], DocumentFormat::Markdown, lengths)
}

fn split_into_chunks(
    documents: Vec<Document>,
    format: DocumentFormat,
    lengths: ChunkLengths,
) -> Result<Vec<Document>, NodeError> {
    let separators = match format {
        DocumentFormat::Html | DocumentFormat::Markdown | DocumentFormat::Word => {
            separators_of("markdown").unwrap_or(DEFAULT_SEPARATORS)
        }
        DocumentFormat::Pdf | DocumentFormat::Csv | DocumentFormat::Json | DocumentFormat::Text => {
            DEFAULT_SEPARATORS
        }
    };
    split_documents(&RecursiveSplitter { separators, lengths, keeps_separators: true }, documents)
}

/// How much is told about a PDF beside its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PdfDetails {
    None,
    /// As LangChain's loader tells it.
    All,
}

/// The text of a PDF, page by page or as a whole.
pub(crate) async fn pdf(
    file: &Binary,
    base: &Object,
    options: &ReadOptions,
    details: PdfDetails,
) -> Result<Vec<Document>, NodeError> {
    let read =
        extract_pdf(file.data.clone(), PdfOptions { join_pages: false, ..PdfOptions::default() })
            .await?;
    let pages: Vec<Str> = read
        .get("text")
        .and_then(Value::as_array)
        .unwrap_or_default()
        .iter()
        .map(Value::to_js_string)
        .collect();
    let mut base = base.clone();
    if details == PdfDetails::All {
        let mut about = Object::new();
        for key in ["version", "info", "metadata"] {
            about.insert(key, read.get(key).cloned().unwrap_or(Value::Null));
        }
        about.insert("totalPages", pages.len());
        base.insert("pdf", about);
    }
    if !options.splits_pages {
        return Ok(vec![document(pages.join("\n\n").into(), &base)]);
    }
    let page = |(at, text): (usize, Str)| {
        let mut metadata = base.clone();
        metadata.insert("loc", Object::from_iter([("pageNumber", at + 1)]));
        Document { content: text, metadata }
    };
    Ok(pages
        .into_iter()
        .enumerate()
        .filter(|(_, text)| !text.trim().is_empty())
        .map(page)
        .collect())
}

/// A document for each row: a line for each column, or the one column that is wanted.
pub(crate) fn csv(
    text: &str,
    base: &Object,
    options: &ReadOptions,
    counted_as: &str,
) -> Result<Vec<Document>, NodeError> {
    let comma = CsvOptions {
        delimiter: options.separator.clone(),
        header: true,
        with_empty: true,
        relax_quotes: true,
        skip_errors: false,
        from_line: 1,
        max_records: None,
    };
    let mut reader = CsvReader::new(text, comma);
    let mut documents = Vec::new();
    while let Some(row) = reader.next_record()? {
        let fields = row.as_object().cloned().unwrap_or_default();
        let content: Str = match &options.column {
            Some(column) => fields.get(column).map(Value::to_js_string).ok_or_else(|| {
                NodeError::parameter(
                    "options.column",
                    format!("Column {column} not found in CSV file."),
                )
            })?,
            None => {
                let line = |(name, value): (&Str, &Value)| {
                    format!("{}: {}", name.trim(), value.to_js_string().trim())
                };
                fields.iter().map(line).collect::<Vec<_>>().join("\n").into()
            }
        };
        let mut metadata = base.clone();
        metadata.insert(counted_as, documents.len() + 1);
        documents.push(Document { content, metadata });
    }
    Ok(documents)
}

/// The text of a file, whatever its encoding.
pub(crate) fn text(file: &Binary) -> Result<Str, NodeError> {
    if file.data.len() > MAX_BYTES {
        return Err(NodeError::input(format!(
            "The file has {} bytes, which exceeds the limit of {MAX_BYTES}",
            file.data.len()
        )));
    }
    let text = decode(&file.data, detect(&file.data), true)?;
    if text.contains('\0') {
        return Err(NodeError::input("The file is not text"));
    }
    Ok(text.into())
}

/// The text of a Word document, a paragraph a line.
pub(crate) async fn word_text(file: &Binary) -> Result<Str, NodeError> {
    read_with_timeout(DocumentKind::Word, file.data.clone()).await
}

async fn html_text(page: Str) -> Result<Str, NodeError> {
    read_with_timeout(DocumentKind::Page, Bytes::copy_from_slice(page.as_bytes())).await
}

/// A document whose text somebody else's bytes decide how to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocumentKind {
    Word,
    Page,
}

impl DocumentKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Word => "Word document",
            Self::Page => "web page",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        [Self::Word, Self::Page].into_iter().find(|kind| kind.name() == name)
    }

    /// The text of a document, however long it takes.
    pub(crate) fn read(self, data: &[u8]) -> Result<String, NodeError> {
        match self {
            Self::Word => word::text(data, MAX_TEXT_BYTES as u64),
            Self::Page => page_to_markdown(&String::from_utf8_lossy(data)),
        }
    }
}

/// Reads a document within its time: in a process that can be ended, unless it is small and nothing
/// was left behind on a thread.
async fn read_with_timeout(kind: DocumentKind, data: Bytes) -> Result<Str, NodeError> {
    match child_process::program() {
        Some(program) if data.len() > MAX_THREAD_BYTES || has_abandoned_threads() => {
            text_by_child(program, kind, &data, READ_TIMEOUT).await
        }
        _ => run_guarded(kind.name(), READ_TIMEOUT, move || kind.read(&data)).await.map(Into::into),
    }
}

fn document(content: Str, metadata: &Object) -> Document {
    Document { content, metadata: metadata.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn chunks(name: &str, mime_type: &str, data: &[u8]) -> Result<Vec<Document>, NodeError> {
        chunks_of_file(
            &Binary::new(data.to_vec(), mime_type, Some(name.into())),
            ChunkLengths::DEFAULT,
        )
        .await
    }

    async fn contents(name: &str, mime_type: &str, data: &str) -> Vec<String> {
        let chunks = chunks(name, mime_type, data.as_bytes()).await.unwrap();
        chunks.into_iter().map(|document| document.content.to_string()).collect()
    }

    #[tokio::test]
    async fn each_format_becomes_text() {
        assert_eq!(contents("a.txt", "text/plain", "hello\nworld").await, ["hello\nworld"]);
        assert_eq!(
            contents("a.csv", "application/octet-stream", "name,age\nAda,36\nBob,41").await,
            ["name: Ada\nage: 36", "name: Bob\nage: 41"]
        );
        let json = r#"[{ "title": "Refunds", "days": 30, "who": { "name": "Ada" } }, "plain"]"#;
        assert_eq!(
            contents("a.json", "application/json", json).await,
            ["title: Refunds\ndays: 30\nwho.name: Ada", "plain"]
        );
        let page = "<html><head><title>x</title><style>p{}</style></head><body><h1>Refunds</h1><script>alert(1)</script><p>Within <b>30</b> days</p></body></html>";
        let told = contents("a.html", "text/html", page).await.join("\n");
        assert!(
            told.contains("# Refunds")
                && told.contains("30")
                && !told.contains("alert")
                && !told.contains("p{}"),
            "{told}"
        );
    }

    #[tokio::test]
    async fn markdown_is_cut_at_its_headings_and_knows_where_it_comes_from() {
        let text = format!(
            "# Shop\n\n## Refunds\n\n{}\n\n## Shipping\n\n{}",
            "Money back. ".repeat(50),
            "By post. ".repeat(80)
        );
        let chunks = chunks("shop.md", "text/markdown", text.as_bytes()).await.unwrap();
        assert_eq!(chunks.len(), 2, "{chunks:#?}");
        assert!(chunks[1].content.starts_with("## Shipping"));
        let loc = chunks[1].metadata.get("loc").cloned().unwrap();
        assert_eq!(
            (
                chunks[1].metadata.get("source").and_then(Value::as_str),
                loc.get_path("lines.from").and_then(Value::as_usize)
            ),
            (Some("shop.md"), Some(7))
        );
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_refused_in_words() {
        let error = chunks("a.bin", "application/octet-stream", b"\x00\x01").await.unwrap_err();
        assert!(error.message().contains("application/octet-stream"), "{error}");
        assert_eq!(
            chunks("a.txt", "text/plain", b"a\0b").await.unwrap_err().message().as_str(),
            "The file is not text"
        );
        assert_eq!(
            chunks("a.txt", "text/plain", b" \n ").await.unwrap_err().message().as_str(),
            "The file contains no text"
        );
        for (name, mime_type, data) in [
            ("a.json", "application/json", "{"),
            ("a.docx", "application/octet-stream", "PK"),
            ("a.pdf", "application/pdf", "%PDF-"),
        ] {
            assert!(chunks(name, mime_type, data.as_bytes()).await.is_err(), "{name}");
        }
    }

    #[tokio::test]
    async fn deeply_nested_pages_and_json_end() {
        let page = format!("<body>{}text{}</body>", "<div>".repeat(5_000), "</div>".repeat(5_000));
        let _ = chunks("a.html", "text/html", page.as_bytes()).await;
        let json = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(chunks("a.json", "application/json", json.as_bytes()).await.is_err());
    }
}
