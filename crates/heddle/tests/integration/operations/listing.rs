//! Lists on the command line: as JSON, as bare ids, and as what a shell suggests.

use super::{errors, import, row, run, stdout_text, webhook};
use crate::support::{Server, TempFolder, heddle, wait_until};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;

fn listed(data: &Path, arguments: &[&str]) -> Vec<Value> {
    let text = heddle(data, &[arguments, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"))
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// A folder with one of everything that is listed.
fn furnished(name: &str) -> TempFolder {
    let data = TempFolder::new(name);
    let mut document = row("Listed", &[webhook("listed")]);
    document["id"] = json!("listed");
    import(&data.0, &document);
    heddle(&data.0, &["activate", "listed"]);
    heddle(&data.0, &["api-keys", "create", "--label", "mine"]);
    let credential =
        json!([{ "id": "c1", "name": "Mine", "type": "httpHeaderAuth", "data": { "name": "X" } }]);
    let file = data.write_json("credentials", &credential);
    heddle(&data.0, &["credentials", "import", file.to_str().unwrap()]);
    let server = Server::start(&data.0, &[("HEDDLE_LOG", "off")]);
    assert_eq!(server.call("POST", "/webhook/listed", Some(&json!({}))).status, 200);
    wait_until("it is over", || server.executions_with("&status=success").len() == 1);
    server.stop();
    data
}

#[test]
fn every_list_has_json_with_the_fields_that_are_documented_and_bare_ids() {
    let data = furnished("listed");
    let page = include_str!("../../../../../docs/operations.md");
    for (command, shown) in [
        ("list", vec!["list"]),
        ("executions list", vec!["executions", "list"]),
        ("api-keys list", vec!["api-keys", "list"]),
        ("credentials list", vec!["credentials", "list"]),
        ("models list", vec!["models", "list"]),
    ] {
        let rows = listed(&data.0, &shown);
        assert!(!rows.is_empty(), "{command}");
        let line = page.lines().find(|line| line.starts_with(&format!("| `heddle {command}` |")));
        let line = line.unwrap_or_else(|| panic!("{command} is not documented"));
        let fields = line.split(" | ").nth(1).unwrap();
        let fields: Vec<&str> = fields.split('`').skip(1).step_by(2).collect();
        let mut found = keys(&rows[0]);
        let mut documented = fields;
        found.sort_unstable();
        documented.sort_unstable();
        assert_eq!(found, documented, "{command}");
        let quiet = heddle(&data.0, &[&shown[..], &["--quiet"]].concat());
        let first = if shown[0] == "models" { "name" } else { "id" };
        let ids: Vec<&str> = rows.iter().map(|row| row[first].as_str().unwrap()).collect();
        assert_eq!(quiet.lines().collect::<Vec<_>>(), ids, "{command}");
    }
    assert_eq!(listed(&data.0, &["users", "list"])[0]["isPending"], true);
    assert_eq!(listed(&data.0, &["knowledge", "list"]), Vec::<Value>::new());
    let none = ["executions", "list", "--status", "uncertain"];
    assert_eq!(listed(&data.0, &none), Vec::<Value>::new());
    assert_eq!(heddle(&data.0, &["executions", "show", "1", "--quiet"]).trim(), "success");
    let nodes = heddle(&data.0, &["nodes", "stop", "--quiet"]);
    assert!(nodes.lines().any(|line| line == "n8n-nodes-base.stopAndError"), "{nodes}");
    let told = run(&data.0, &["doctor", "--json"], &[("HEDDLE_PORT", "0")]);
    let told: Value = serde_json::from_str(&stdout_text(&told)).unwrap();
    assert_eq!(told["healthy"], true);
    assert!(told["checks"].as_array().unwrap().iter().any(|check| check["check"] == "database"));
    assert_eq!(heddle(&data.0, &["doctor", "--quiet", "--set", "port=0"]), "");
}

/// What a shell suggests where the last of these words is being typed.
fn suggested(data: &Path, words: &[&str]) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("--")
        .args(words)
        .env("HEDDLE_COMPLETE", "bash")
        .env("_CLAP_IFS", "\n")
        .env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string())
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "false")
        .env("HEDDLE_DATA", data)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let words = String::from_utf8(output.stdout).unwrap();
    words.lines().filter(|word| !word.starts_with("--")).map(str::to_owned).collect()
}

#[test]
fn shells_complete_ids_and_names_and_change_nothing() {
    let data = furnished("completed");
    assert_eq!(suggested(&data.0, &["heddle", "activate", ""]), ["listed"]);
    assert_eq!(suggested(&data.0, &["heddle", "executions", "show", ""])[0], "1");
    assert_eq!(
        suggested(&data.0, &["heddle", "executions", "list", "--workflow", "li"]),
        ["listed"]
    );
    assert_eq!(
        suggested(&data.0, &["heddle", "executions", "list", "--status", "u"]),
        ["uncertain"]
    );
    assert_eq!(suggested(&data.0, &["heddle", "agent", "x", "--credential", ""]), ["c1"]);
    // Of the folder that the line names, which is not made.
    let gone = data.0.join("gone");
    let line = ["heddle", "executions", "show", "--data", gone.to_str().unwrap(), "1"];
    assert!(suggested(&data.0, &line).iter().all(|word| word != "1"));
    assert!(!gone.exists());
    for shell in ["bash", "zsh", "fish"] {
        let script = heddle(&data.0, &["completions", shell]);
        assert!(script.contains("HEDDLE_COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn without_a_home_folder_somebody_must_name_a_data_folder() {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("list")
        .env_remove("HEDDLE_DATA")
        .env("HOME", "/heddle-no-such-home")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = errors(&output);
    assert!(told.contains("--data DIR or HEDDLE_DATA"), "{told}");
}
