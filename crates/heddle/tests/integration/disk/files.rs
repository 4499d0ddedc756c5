//! A disk that takes the database, and not the files of executions.

use crate::support::faults::{Fault, Faults, Field};
use crate::support::request_counter::RequestCounter;
use crate::support::workflow::{node, row};
use crate::support::{Server, TempFolder, heddle, request, wait_until};
use serde_json::json;

/// A call whose text becomes a file, and then asks the counter.
fn prepare(data: &TempFolder, counter: &RequestCounter) {
    let webhook = node(
        "Webhook",
        "webhook",
        2.0,
        json!({ "httpMethod": "POST", "path": "file", "options": {} }),
    );
    let file = node(
        "File",
        "convertToFile",
        1.1,
        json!({ "operation": "toText", "sourceProperty": "body.text", "options": {} }),
    );
    let url =
        format!("=http://{}/after/{{{{ $('Webhook').first().json.body.id }}}}", counter.address);
    let after =
        node("After", "httpRequest", 4.2, json!({ "method": "POST", "url": url, "options": {} }));
    let path = data.write_json("file", &row("File", &[webhook, file, after]));
    heddle(&data.0, &["import", "--activate", path.to_str().unwrap()]);
}

fn call(server: &Server, id: u64) -> u16 {
    send(server, id).unwrap()
}

fn send(server: &Server, id: u64) -> std::io::Result<u16> {
    let body = json!({ "id": id, "text": "x".repeat(50_000) }).to_string();
    let headers = [("content-type", "application/json")];
    request(&server.address, "POST", "/webhook/file", &headers, body.as_bytes())
        .map(|reply| reply.status)
}

fn statuses(server: &Server) -> Vec<String> {
    server
        .executions()
        .iter()
        .map(|execution| execution["status"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn issue_15_07_an_accepted_run_whose_file_cannot_be_written_stands_still_until_it_can() {
    let (data, counter) = (TempFolder::new("unwritable-files"), RequestCounter::start());
    prepare(&data, &counter);
    let faults = Faults::new(&data);
    faults.set(Field::OnlyFiles, 1);
    let server =
        faults.start(&[("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")]);
    let is_ready = || server.call("GET", "/healthz/readiness", None).status == 200;
    for (id, fault) in
        [(1, Fault::ReadOnly), (2, Fault::Broken), (3, Fault::Full), (4, Fault::NoMoreFiles)]
    {
        faults.arm(fault, 1);
        assert_eq!(call(&server, id), 200, "what was sent is in the database");
        wait_until("the file is refused", || faults.refused() > 0);
        wait_until("the server says so", || !is_ready());
        assert_eq!(
            (counter.count("after", id), statuses(&server)[0].as_str()),
            (0, "running"),
            "{fault:?}"
        );
        faults.clear();
        wait_until("it goes on", || counter.count("after", id) == 1);
        wait_until("it is over", || statuses(&server)[0] == "success");
        wait_until("the server is ready", is_ready);
    }
    server.stop();
}

/// What the disk did not confirm may be lost without a sign.
#[test]
fn issue_15_07_a_file_that_is_not_confirmed_ends_the_process_and_the_run_goes_on_after_it() {
    let (data, counter) = (TempFolder::new("unsynced-files"), RequestCounter::start());
    prepare(&data, &counter);
    let faults = Faults::new(&data);
    faults.set(Field::OnlyFiles, 1);
    let settings = [("HEDDLE_EGRESS_ALLOW", counter.address.as_str()), ("HEDDLE_LOG", "off")];
    let mut server = faults.start(&settings);
    faults.arm(Fault::SyncFails, 1);
    // The process may end before its answer is on its way.
    assert!(matches!(send(&server, 1), Ok(200) | Err(_)));
    assert!(!server.wait().success());
    assert_eq!(counter.count("after", 1), 0);
    faults.clear();
    let server = faults.start(&settings);
    wait_until("it goes on", || counter.count("after", 1) == 1);
    wait_until("it is over", || statuses(&server) == ["success"]);
    server.stop();
}
