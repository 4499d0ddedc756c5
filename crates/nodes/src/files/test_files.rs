//! Helps the tests of file nodes: items with files, and a folder in memory.

use bytes::Bytes;
use model::{Binary, Code, Item, OnError, Value, json};
use node_api::files::FileStorage;
use node_api::{Node, NodeError};
use node_testing::{TestHost, run_on};
use std::collections::BTreeMap;
use std::sync::Mutex;

pub(crate) fn text_file(name: &str, text: &str) -> Binary {
    crate::binary::prepare(text.to_owned(), Some(name), None)
}

pub(crate) fn with_file(property: &str, file: Binary) -> Item {
    let mut item = Item::new(json!({}));
    item.set_binary(property, file);
    item
}

/// Runs a node on items and gives back those of its first output.
pub(crate) async fn run_items<N: Node>(
    version: f64,
    params: Value,
    items: Vec<Item>,
) -> Result<Vec<Item>, NodeError> {
    let host = TestHost::new(&N::spec(), version, &params);
    let outputs = run_on::<N>(&host, version, vec![items.into()], OnError::Stop).await?;
    Ok(outputs.first().map(model::Items::to_vec).unwrap_or_default())
}

/// The same with files to read and write.
pub(crate) async fn run_with_files<N: Node>(
    version: f64,
    params: Value,
    items: Vec<Item>,
    files: &[(&str, &str)],
    on_error: OnError,
) -> Result<Vec<Item>, NodeError> {
    let mut host = TestHost::new(&N::spec(), version, &params);
    let held =
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    host.files = Box::new(MemoryFiles { contents: Mutex::new(held) });
    let outputs = run_on::<N>(&host, version, vec![items.into()], on_error).await?;
    Ok(outputs.first().map(model::Items::to_vec).unwrap_or_default())
}

struct MemoryFiles {
    contents: Mutex<BTreeMap<String, Vec<u8>>>,
}

#[async_trait::async_trait]
impl FileStorage for MemoryFiles {
    async fn read(&self, path: &str) -> Result<Bytes, NodeError> {
        let found = self.contents.lock().unwrap().get(path).cloned();
        found.map(Bytes::from).ok_or_else(|| {
            NodeError::new(Code::FILE_IO, format!("The file \"{path}\" could not be accessed."))
                .with("errno", "ENOENT")
        })
    }

    async fn write(&self, path: &str, data: &[u8], append: bool) -> Result<String, NodeError> {
        if path.starts_with("/locked/") {
            return Err(NodeError::new(
                Code::FILE_IO,
                format!("EACCES: permission denied, open '{path}'"),
            )
            .with("errno", "EACCES"));
        }
        let mut held = self.contents.lock().unwrap();
        let file = held.entry(path.to_owned()).or_default();
        if !append {
            file.clear();
        }
        file.extend_from_slice(data);
        Ok(path.to_owned())
    }

    async fn list(&self, pattern: &str) -> Result<Vec<String>, NodeError> {
        let pattern = pattern.replace('\\', "");
        let (start, end) = pattern.split_once('*').unwrap_or((&pattern, ""));
        let held = self.contents.lock().unwrap();
        Ok(held
            .keys()
            .filter(|path| path.starts_with(start) && path.ends_with(end))
            .cloned()
            .collect())
    }
}
