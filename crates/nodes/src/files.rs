//! Nodes for files: read, write, convert, pack.

mod calendar;
mod compression;
mod convert_to_file;
mod extract_from_file;
mod file_tool;
mod i_cal;
mod move_binary_data;
mod output;
mod parser_thread;
mod pdf;
mod read_binary_file;
mod read_binary_files;
mod read_pdf;
mod read_write_file;
mod settings;
mod spreadsheet_file;
mod spreadsheet_read;
#[cfg(test)]
mod test_files;
mod write_binary_file;

pub(crate) use parser_thread::{has_abandoned_threads, run_guarded};
pub(crate) use pdf::extract as extract_pdf;
pub(crate) use pdf::reader_process::text as text_by_child;
pub use pdf::{PDF_COMMAND, serve_pdf_reader};
pub(crate) use spreadsheet_read::MAX_THREAD_BYTES;

use node_api::{NodeEntry, run, supply};

pub static NODES: &[NodeEntry] = &[
    run::<compression::Compression>(),
    run::<convert_to_file::ConvertToFile>(),
    run::<extract_from_file::ExtractFromFile>(),
    run::<i_cal::ICalendar>(),
    run::<move_binary_data::MoveBinaryData>(),
    run::<read_binary_file::ReadBinaryFile>(),
    run::<read_binary_files::ReadBinaryFiles>(),
    run::<read_pdf::ReadPdf>(),
    run::<read_write_file::ReadWriteFile>(),
    run::<spreadsheet_file::SpreadsheetFile>(),
    run::<write_binary_file::WriteBinaryFile>(),
    supply::<file_tool::FileTool>(),
];
