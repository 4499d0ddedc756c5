//! Commands on the data folder: doctor, retry, resume, export.

use super::{errors, import, node, row, run, stdout_text, stop, webhook};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use testkit::{FakeHttp, FakeResponse};

#[test]
fn the_doctor_finds_a_healthy_folder_healthy_and_names_the_server_on_it() {
    let data = TempFolder::new("doctor-fine");
    import(&data.0.join("data"), &row("Fine", &[webhook("fine")]));
    let before = run(&data.0.join("data"), &["doctor"], &[("HEDDLE_PORT", "0")]);
    assert!(before.status.success(), "{}", stdout_text(&before));
    for words in [
        "ok     database: ok, format ",
        "ok     credential key",
        "ok     server: not running",
        "ok     port: 127.0.0.1:0 is free",
    ] {
        assert!(stdout_text(&before).contains(words), "{words}: {}", stdout_text(&before));
    }
    let server = Server::start(&data.0.join("data"), &[]);
    let meanwhile = run(&data.0.join("data"), &["doctor"], &[]);
    assert!(meanwhile.status.success());
    assert!(
        stdout_text(&meanwhile)
            .contains(&format!("ok     server: running at http://{}", server.address)),
        "{}",
        stdout_text(&meanwhile)
    );
    assert!(stdout_text(&meanwhile).contains("ok     credential key: fits"));
    assert!(stdout_text(&meanwhile).contains("ok     permissions of vault.key: 600"));
}

#[test]
fn the_doctor_tells_what_is_wrong_and_what_to_do() {
    let folder = TempFolder::new("doctor-ill");
    let data = folder.0.join("data");
    import(&data, &row("Fine", &[webhook("fine")]));
    Server::start(&data, &[]).stop();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(data.join("vault.key"), std::fs::Permissions::from_mode(0o644))
            .unwrap();
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let open = run(&data, &["doctor"], &[("HEDDLE_PORT", port.as_str())]);
    assert_eq!(open.status.code(), Some(1));
    assert!(
        stdout_text(&open).contains("error  permissions of vault.key: 644")
            && stdout_text(&open).contains("chmod 600"),
        "{}",
        stdout_text(&open)
    );
    assert!(
        stdout_text(&open).contains("warn   port:")
            && stdout_text(&open).contains("is in use by another program"),
        "{}",
        stdout_text(&open)
    );

    std::fs::remove_file(data.join("vault.key")).unwrap();
    let keyless = run(&data, &["doctor"], &[]);
    assert!(
        stdout_text(&keyless).contains("error  credential key: vault.key is missing"),
        "{}",
        stdout_text(&keyless)
    );
    std::fs::write(data.join("vault.key"), "00".repeat(32)).unwrap();
    assert!(
        stdout_text(&run(&data, &["doctor"], &[])).contains("does not match these credentials")
    );

    // Pages in the middle of a database without a log are overwritten.
    let (file, data) = (folder.0.join("b.backup"), folder.0.join("damaged"));
    heddle(&folder.0.join("data"), &["backup", file.to_str().unwrap()]);
    heddle(&data, &["restore", file.to_str().unwrap()]);
    let mut bytes = std::fs::read(data.join("heddle.db")).unwrap();
    for byte in &mut bytes[4096..40_960] {
        *byte = 0xa5;
    }
    std::fs::write(data.join("heddle.db"), &bytes).unwrap();
    let damaged = run(&data, &["doctor"], &[]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(stdout_text(&damaged).contains("STORE_CORRUPT"), "{}", stdout_text(&damaged));
    assert_eq!(std::fs::read(data.join("heddle.db")).unwrap(), bytes);
}

fn last_failed(data: &Path) -> String {
    let listed = heddle(data, &["executions", "list", "--status", "error"]);
    listed.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn a_failed_execution_is_run_again_by_the_server_or_without_one() {
    let folder = TempFolder::new("retry");
    let data = folder.0.join("data");
    let document = row("Broken", &[webhook("broken"), stop()]);
    let id = import(&data, &document);
    let server = Server::start(&data, &[]);
    assert_eq!(server.call("POST", "/webhook/broken", Some(&json!({ "n": 1 }))).status, 500);
    let failed = last_failed(&data);

    // It fails again, and says so.
    let again = run(&data, &["executions", "retry", &failed], &[]);
    assert_eq!(again.status.code(), Some(1), "{}", errors(&again));
    assert!(
        stdout_text(&again).contains("error") && stdout_text(&again).contains("retry"),
        "{}",
        stdout_text(&again)
    );
    // The workflow is corrected, and it succeeds: by the server first.
    let mut fixed = row("Broken", &[webhook("broken"), node("Stop", "noOp", 1.0, json!({}))]);
    fixed["id"] = json!(id);
    import(&data, &fixed);
    wait_until("the server has the new version", || {
        server.call("POST", "/webhook/broken", Some(&json!({}))).status == 200
    });
    let by_server = run(&data, &["executions", "retry", &failed], &[]);
    assert_eq!(by_server.status.code(), Some(0), "{}", errors(&by_server));
    assert!(stdout_text(&by_server).contains("success"));
    // The key that was lent is gone; the one of this test is left.
    assert_eq!(heddle(&data, &["api-keys", "list"]).lines().count(), 1);
    let refused = run(&data, &["executions", "resume", &failed], &[]);
    assert!(errors(&refused).contains("EXECUTION_STATUS"), "{}", errors(&refused));
    server.stop();

    let here = run(&data, &["executions", "retry", &failed], &[]);
    assert_eq!(here.status.code(), Some(0), "{}", errors(&here));
    let run_id = stdout_text(&here).split_whitespace().next().unwrap().to_owned();
    let shown: Value =
        serde_json::from_str(&heddle(&data, &["executions", "show", &run_id])).unwrap();
    // It began with what the failed one began with.
    let first = &shown["data"]["resultData"]["runData"]["Webhook"][0]["data"]["main"][0][0]["json"];
    assert_eq!(first["body"], json!({ "n": 1 }));
    let refused = run(&data, &["executions", "retry", &run_id], &[]);
    assert!(errors(&refused).contains("EXECUTION_STATUS"), "{}", errors(&refused));
    assert!(
        errors(&run(&data, &["executions", "retry", "999"], &[])).contains("EXECUTION_NOT_FOUND")
    );
}

#[test]
fn an_uncertain_execution_goes_on_when_a_person_says_so() {
    let folder = TempFolder::new("resume");
    let data = folder.0.join("data");
    // A service that takes a request and never answers the first one.
    let paid = FakeResponse::json(&json!({ "paid": 1 }));
    let service = FakeHttp::scripted(vec![FakeResponse::silence(), paid]);
    let address = service.address.to_string();
    let pay = node(
        "Pay",
        "httpRequest",
        4.2,
        json!({ "method": "POST", "url": format!("http://{address}/pay"), "options": {} }),
    );
    let mut hook = webhook("pay");
    hook["parameters"]["responseMode"] = json!("onReceived");
    import(&data, &row("Pay", &[hook, pay]));
    let settings = [("HEDDLE_EGRESS_ALLOW", address.as_str())];
    let server = Server::start(&data, &settings);
    server.call("POST", "/webhook/pay", Some(&json!({})));
    wait_until("it pays", || service.n_requests() == 1);
    server.kill();
    // The next start finds the step in doubt.
    let server = Server::start(&data, &settings);
    wait_until("it is uncertain", || server.executions()[0]["status"] == "uncertain");
    server.stop();
    let listed = heddle(&data, &["executions", "list", "--status", "uncertain"]);
    let id =
        listed.split_whitespace().next().unwrap_or_else(|| panic!("none is uncertain")).to_owned();
    let undecided = run(&data, &["executions", "resume", &id], &settings);
    assert_eq!(undecided.status.code(), Some(2), "{}", stdout_text(&undecided));
    assert!(
        errors(&undecided).contains("'Pay' was interrupted and may have taken effect"),
        "{}",
        errors(&undecided)
    );
    let resumed = run(&data, &["executions", "resume", &id, "--again"], &settings);
    assert_eq!(resumed.status.code(), Some(0), "{} {}", stdout_text(&resumed), errors(&resumed));
    assert!(stdout_text(&resumed).contains("success"), "{}", stdout_text(&resumed));
}

#[test]
fn workflows_are_written_out_and_come_back_the_same() {
    let folder = TempFolder::new("export");
    let (data, other) = (folder.0.join("data"), folder.0.join("other"));
    let mut document = row(
        "My: flow",
        &[webhook("fine"), node("Pass", "noOp", 1.0, json!({ "own": { "kept": [1, 2] } }))],
    );
    document["heddleOnly"] = json!({ "x": 1 });
    document["nodes"][1]["heddleNote"] = json!("mine");
    let id = import(&data, &document);
    import(&data, &row("Second", &[webhook("second")]));

    let one: Value = serde_json::from_str(&heddle(&data, &["export", &id])).unwrap();
    assert_eq!(
        (&one["name"], &one["nodes"], &one["heddleOnly"]),
        (&document["name"], &document["nodes"], &document["heddleOnly"])
    );
    assert_eq!((&one["id"], &one["active"]), (&json!(id), &json!(true)));
    let all: Value = serde_json::from_str(&heddle(&data, &["export", "--all"])).unwrap();
    assert_eq!(all.as_array().unwrap().len(), 2);

    let for_n8n = heddle(&data, &["export", &id, "--format", "n8n"]);
    assert!(!for_n8n.contains("heddle"), "{for_n8n}");
    let plain: Value = serde_json::from_str(&for_n8n).unwrap();
    assert_eq!(
        (&plain["connections"], &plain["nodes"][1]["parameters"]),
        (&document["connections"], &document["nodes"][1]["parameters"])
    );

    let files = folder.0.join("flows");
    heddle(&data, &["export", "--all", "--output", files.to_str().unwrap()]);
    let paths: Vec<String> = std::fs::read_dir(&files)
        .unwrap()
        .flatten()
        .map(|entry| entry.path().display().to_string())
        .collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    heddle(
        &other,
        &[&["import"], paths.iter().map(String::as_str).collect::<Vec<_>>().as_slice()].concat(),
    );
    let again: Value = serde_json::from_str(&heddle(&other, &["export", &id])).unwrap();
    assert_eq!(
        (&again["nodes"], &again["connections"], &again["id"]),
        (&one["nodes"], &one["connections"], &one["id"])
    );
    let missing = run(&data, &["export", "nothing"], &[]);
    assert!(errors(&missing).contains("WORKFLOW_NOT_FOUND"));
}
