//! Disks that are full, read-only, broken or lie, damaged files, other programs at the
//! database, and a system that has no more to give. Nothing that was accepted is lost, and what was
//! turned away never happens.

mod damage;
mod exhaustion;
mod files;
mod foreign;
mod full;
mod large;
mod sync;

use crate::support::faults::Faults;
use crate::support::request_counter::{RequestCounter, pay_workflow};
use crate::support::{Reply, Server, TempFolder, heddle, request, wait_until};
use serde_json::{Value, json};

/// A folder with the paying workflow, its counter, and a hand on what goes wrong.
struct DiskHarness {
    counter: RequestCounter,
    faults: Faults,
    data: TempFolder,
}

impl DiskHarness {
    fn new(name: &str) -> Self {
        let (data, counter) = (TempFolder::new(name), RequestCounter::start());
        prepare(&data, &counter);
        Self { faults: Faults::new(&data), counter, data }
    }

    fn settings(&self) -> Vec<(&str, &str)> {
        vec![("HEDDLE_EGRESS_ALLOW", self.counter.address.as_str()), ("HEDDLE_LOG", "off")]
    }

    fn start(&self) -> Server {
        self.faults.start(&self.settings())
    }

    fn paid(&self, id: u64) -> (usize, usize) {
        (self.counter.count("one", id), self.counter.count("two", id))
    }
}

fn prepare(data: &TempFolder, counter: &RequestCounter) {
    let file = data.write_json("pay", &pay_workflow(&counter.address));
    heddle(&data.0, &["import", "--activate", file.to_str().unwrap()]);
}

fn pay(address: &str, id: u64, filler: &str) -> std::io::Result<Reply> {
    let body = json!({ "id": id, "filler": filler }).to_string();
    request(
        address,
        "POST",
        "/webhook/pay",
        &[("content-type", "application/json")],
        body.as_bytes(),
    )
}

/// The status of the executions that a call led to.
fn statuses(server: &Server, id: u64) -> Vec<String> {
    let of_call = |execution: &&Value| webhook_item(execution)["json"]["body"]["id"] == id;
    server
        .executions()
        .iter()
        .filter(of_call)
        .map(|execution| execution["status"].as_str().unwrap().to_owned())
        .collect()
}

fn webhook_item(execution: &Value) -> &Value {
    &execution["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0]
}

fn all_over(server: &Server) {
    wait_until("every run is over", || {
        let running = server.api("GET", "/executions?status=running&limit=1", None).json();
        running["data"].as_array().is_some_and(Vec::is_empty)
    });
}
