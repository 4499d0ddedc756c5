//! PDF files. The parser is not to be trusted with bad files, so it runs in a process of its own
//! where there is a program for it, and guarded otherwise.

pub(super) mod reader_process;

pub use reader_process::{PDF_COMMAND, serve_pdf_reader};

use super::parser_thread::{STACK, run_guarded};
use bytes::Bytes;
use formats::pdf::{PdfOptions, read};
use model::Object;
use node_api::NodeError;
use std::time::Duration;

/// Larger files are refused before anything is parsed.
const MAX_BYTES: usize = 256 << 20;
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// What n8n makes of a PDF: the number of pages, its properties and its text.
pub(crate) async fn extract(data: Bytes, options: PdfOptions) -> Result<Object, NodeError> {
    if data.len() > MAX_BYTES {
        return Err(NodeError::input(format!(
            "The PDF has {} bytes, which exceeds the limit of {MAX_BYTES}",
            data.len()
        )));
    }
    match crate::child_process::program() {
        Some(program) => reader_process::extract(program, &data, &options, READ_TIMEOUT).await,
        None => run_guarded("PDF", READ_TIMEOUT, move || read(&data, &options)).await,
    }
}

#[cfg(test)]
mod tests;
