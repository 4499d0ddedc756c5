//! The workloads: the corpus' workflows, how they are called, and what the floor does in their
//! place.

use super::DiskUsage;
use super::api::ApiClient;
use super::load::{RawRequest, request};
use super::process::{BenchServer, HEDDLE};
use super::service::BenchService;
use anyhow::{Context as _, Result};
use std::path::Path;
use std::process::Command;

pub(super) const CORPUS: &str = "../shared/corpus/bench";

const JSON: &str = "application/json";
const BODY: &str = r#"{"id":7,"name":"Ada","tags":["a","b"],"note":"the quick brown fox jumps over the lazy dog"}"#;
/// Where the corpus' workflows expect the service they call.
const SERVICE: &str = "mockapi:8080";
const TABLE_ROWS: usize = 50;
const FILE_BYTES: usize = 100_000;

pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    path: &'static str,
    kind: ScenarioKind,
    /// One request takes about as long as this many of the first scenario.
    pub(super) relative_cost: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScenarioKind {
    Get,
    /// The workflow this many times, each at an address of its own.
    Many(usize),
    Post,
    /// Calls the service three times.
    Calls,
    /// A file goes to disk and comes back.
    File,
    /// Rows go into a data table.
    Rows,
}

#[rustfmt::skip]
pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario { name: "single webhook", file: "single-webhook", path: "single-webhook", kind: ScenarioKind::Get, relative_cost: 1 },
    Scenario { name: "ten webhooks", file: "multiple-webhooks1", path: "multiple-webhook1", kind: ScenarioKind::Many(10), relative_cost: 1 },
    Scenario { name: "Set with expressions", file: "set-node-expressions", path: "set-expressions-benchmark", kind: ScenarioKind::Post, relative_cost: 1 },
    Scenario { name: "Code with 100 items", file: "js-code-node", path: "code-node-benchmark", kind: ScenarioKind::Post, relative_cost: 20 },
    Scenario { name: "three HTTP calls", file: "http-node", path: "benchmark-http-node", kind: ScenarioKind::Calls, relative_cost: 5 },
    Scenario { name: "binary file", file: "binary-data", path: "binary-files-benchmark", kind: ScenarioKind::File, relative_cost: 10 },
    Scenario { name: "data table, 50 rows", file: "data-table-node", path: "data-table-node-benchmark", kind: ScenarioKind::Rows, relative_cost: 10 },
];

impl Scenario {
    /// Puts the workflow into a data folder and activates it.
    pub(super) fn import(&self, data: &Path, service: &BenchService) -> Result<()> {
        let text = std::fs::read_to_string(Path::new(CORPUS).join(format!("{}.json", self.file)))?;
        let text = text.replace(SERVICE, &service.address);
        for number in 1..=self.copies() {
            let file = data.join(format!("workflow-{number}.json"));
            std::fs::write(&file, text.replace(self.path, &self.path_of(number)))?;
            let import = Command::new(HEDDLE)
                .args(["import", "--activate", "--data"])
                .arg(data)
                .arg(&file)
                .output()?;
            anyhow::ensure!(import.status.success(), "{}", String::from_utf8_lossy(&import.stderr));
        }
        std::fs::create_dir_all(data.join("workspace"))?;
        Ok(())
    }

    fn copies(&self) -> usize {
        if let ScenarioKind::Many(count) = self.kind { count } else { 1 }
    }

    fn path_of(&self, number: usize) -> String {
        if let ScenarioKind::Many(_) = self.kind {
            format!("{}-{number}", self.path)
        } else {
            self.path.to_owned()
        }
    }

    pub(super) fn requests(&self, server: &BenchServer, data: &Path) -> Result<Vec<RawRequest>> {
        if self.kind == ScenarioKind::Rows {
            let body = rows(&make_table(server, data)?);
            return Ok(vec![request(
                &server.address,
                "POST",
                &format!("/webhook/{}", self.path),
                JSON,
                body.as_bytes(),
            )]);
        }
        let calls = (1..=self.copies()).map(|number| self.call(server, &self.path_of(number), "."));
        Ok(calls.collect())
    }

    /// The same call for a peer that has the corpus' workflow.
    pub(super) fn request_to_peer(&self, peer: &BenchServer) -> RawRequest {
        self.call(peer, self.path, "/tmp")
    }

    fn call(&self, server: &BenchServer, path: &str, file_folder: &str) -> RawRequest {
        let path = format!("/webhook/{path}");
        match self.kind {
            ScenarioKind::Get | ScenarioKind::Many(_) => {
                request(&server.address, "GET", &path, JSON, b"")
            }
            ScenarioKind::File => request(
                &server.address,
                "POST",
                &path,
                "multipart/form-data; boundary=cut",
                &upload(file_folder),
            ),
            _ => request(&server.address, "POST", &path, JSON, BODY.as_bytes()),
        }
    }

    /// What the bare handler is asked to do: keep as much in as many writes, answer as much, and
    /// reach outside as often.
    pub(super) fn floor_request(
        &self,
        floor: &BenchServer,
        kept: DiskUsage,
        answered: usize,
        service: &BenchService,
    ) -> RawRequest {
        let mut path =
            format!("/floor?keep={}&writes={}&answer={answered}", kept.bytes, kept.writes);
        match self.kind {
            ScenarioKind::Calls => path.push_str(&format!("&calls=3&service={}", service.address)),
            ScenarioKind::File => path.push_str("&file=1"),
            ScenarioKind::Rows => path.push_str(&format!("&rows={TABLE_ROWS}")),
            _ => {}
        }
        match self.kind {
            ScenarioKind::File => {
                request(&floor.address, "POST", &path, "application/octet-stream", &upload("."))
            }
            ScenarioKind::Rows => {
                request(&floor.address, "POST", &path, JSON, rows("0123456789abcdef").as_bytes())
            }
            ScenarioKind::Get | ScenarioKind::Many(_) => {
                request(&floor.address, "GET", &path, JSON, b"")
            }
            _ => request(&floor.address, "POST", &path, JSON, BODY.as_bytes()),
        }
    }
}

fn upload(folder: &str) -> Vec<u8> {
    let field = |head: &str, body: &[u8]| {
        [
            format!("--cut\r\ncontent-disposition: form-data; {head}\r\n\r\n").as_bytes(),
            body,
            b"\r\n",
        ]
        .concat()
    };
    let file = field("name=\"file\"; filename=\"picture.bin\"", &vec![7; FILE_BYTES]);
    [field("name=\"filePath\"", folder.as_bytes()), file, b"--cut--\r\n".to_vec()].concat()
}

fn rows(table: &str) -> String {
    let row = |number: usize| {
        format!(
            r#"{{"firstName":"Ada {number}","age":{number},"birthDate":"2000-01-02T03:04:05Z","isActive":true}}"#
        )
    };
    format!(
        r#"{{"dataTableId":"{table}","items":[{}]}}"#,
        (0..TABLE_ROWS).map(row).collect::<Vec<_>>().join(",")
    )
}

/// Makes the table of the corpus through the API; gives back its id.
fn make_table(server: &BenchServer, data: &Path) -> Result<String> {
    let columns = std::fs::read(Path::new(CORPUS).join("data-table.json"))?;
    let made = ApiClient::of(data)?.call(server, "POST", "/api/v1/data-tables", &columns)?;
    let table: serde_json::Value = serde_json::from_str(&made)?;
    Ok(table["id"].as_str().context("a table without an id")?.to_owned())
}
