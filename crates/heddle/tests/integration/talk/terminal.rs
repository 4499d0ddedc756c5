//! `heddle chat` and `heddle agent`.

use super::{calculation, with_memory, workflow};
use crate::support::TempFolder;
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Output, Stdio};
use testkit::{MockModels, ScriptedReply};

/// Runs a command with this on its standard input.
pub(crate) fn heddle(
    folder: &TempFolder,
    arguments: &[&str],
    settings: &[(&str, &str)],
    input: &str,
) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command
        .args(arguments)
        .env("HEDDLE_DATA", &folder.0)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .env_remove("OPENAI_API_KEY");
    command
        .envs(settings.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    // A command that ends at once reads nothing.
    if let Err(error) = process.stdin.take().unwrap().write_all(input.as_bytes()) {
        assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    }
    process.wait_with_output().unwrap()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn each_line_of_a_pipe_is_answered_with_what_was_said_before() {
    let model = MockModels::start(
        [calculation(), vec![ScriptedReply::text("You asked for 6*7.")]].concat(),
    )
    .unwrap();
    let folder = TempFolder::new("chat-pipe");
    let file = folder.write_json("chat", &workflow(&model, json!({})));
    let output =
        heddle(&folder, &["chat", file.to_str().unwrap()], &[], "6*7?\n\nWhat did I ask?\n");
    assert_eq!(text(&output.stdout), "It is 42.\nYou asked for 6*7.\n", "{}", text(&output.stderr));
    assert!(output.status.success());
    assert!(
        text(&output.stderr).contains("calculator") && text(&output.stderr).contains("42"),
        "{}",
        text(&output.stderr)
    );
    let third = &model.requests()[2].body["messages"];
    assert_eq!(third.as_array().unwrap().len(), 4, "{third}");
}

#[test]
fn a_stored_workflow_remembers_the_session_that_is_named() {
    let model = MockModels::start(["One.", "Two."].map(ScriptedReply::text)).unwrap();
    let folder = TempFolder::new("chat-stored");
    let mut document = workflow(&model, json!({}));
    with_memory(&mut document);
    let file = folder.write_json("chat", &document);
    crate::support::heddle(&folder.0, &["import", file.to_str().unwrap()]);
    for (said, answer) in [("first", "One.\n"), ("second", "Two.\n")] {
        let output = heddle(&folder, &["chat", "chat-workflow", "--session", "ada"], &[], said);
        assert_eq!(text(&output.stdout), answer, "{}", text(&output.stderr));
    }
    let second = model.requests()[1].body["messages"].to_string();
    assert!(second.contains("first") && second.contains("One."), "{second}");
}

#[test]
fn what_cannot_be_talked_to_is_told() {
    let model = MockModels::start(Vec::new()).unwrap();
    let folder = TempFolder::new("chat-none");
    let mut document = workflow(&model, json!({}));
    document["nodes"][0]["type"] = json!("n8n-nodes-base.manualTrigger");
    let file = folder.write_json("chat", &document);
    let output = heddle(&folder, &["chat", file.to_str().unwrap()], &[], "hi\n");
    assert!(
        !output.status.success() && text(&output.stderr).contains("no chat trigger"),
        "{}",
        text(&output.stderr)
    );
    let output = heddle(&folder, &["chat", "nowhere"], &[], "hi\n");
    assert!(
        !output.status.success() && text(&output.stderr).contains("WORKFLOW_NOT_FOUND"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn an_agent_needs_no_workflow() {
    let model = MockModels::start(calculation()).unwrap();
    let folder = TempFolder::new("agent-alone");
    let settings = [("OPENAI_API_KEY", "sk-mock"), ("OPENAI_BASE_URL", &model.v1())];
    let objective = "What is {{ 6*7 }}?";
    let output = heddle(
        &folder,
        &["agent", "--model", "openai/mock", "--tool", "calculator", objective],
        &settings,
        "",
    );
    assert_eq!(text(&output.stdout), "It is 42.\n", "{}", text(&output.stderr));
    let asked = &model.requests()[0];
    assert_eq!(asked.header("authorization"), Some("Bearer sk-mock"));
    assert!(
        asked.body["messages"].to_string().contains("What is {{ 6*7 }}?"),
        "what is asked is no expression: {}",
        asked.body
    );
}

#[test]
fn an_agent_runs_javascript_and_reads_files_of_its_folder_only() {
    let folder = TempFolder::new("agent-tools-alone");
    let files = folder.0.join("notes");
    std::fs::create_dir(&files).unwrap();
    std::fs::write(files.join("tea.txt"), "Buy tea").unwrap();
    let model = MockModels::start(vec![
        ScriptedReply::call(
            "run_javascript",
            json!({ "input": "return [1, 2, 3].map((n) => n * 2).join()" }),
        ),
        ScriptedReply::call("files", json!({ "operation": "read", "path": "tea.txt" })),
        ScriptedReply::call("files", json!({ "operation": "read", "path": "../heddle.toml" })),
        ScriptedReply::text("Done."),
    ])
    .unwrap();
    let settings = [("OPENAI_API_KEY", "sk-mock"), ("OPENAI_BASE_URL", &model.v1())];
    let arguments = [
        "agent",
        "-m",
        "openai/mock",
        "-t",
        "code",
        "-t",
        "file",
        "--files",
        files.to_str().unwrap(),
        "--json",
        "go",
    ];
    let output = heddle(&folder, &arguments, &settings, "");
    let lines: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let results: Vec<&Value> = lines
        .iter()
        .filter(|line| line["type"] == "tool-end")
        .map(|line| &line["content"])
        .collect();
    assert_eq!(
        (&results[0]["result"], &results[1]["result"]),
        (&json!("2,4,6"), &json!("Buy tea")),
        "{results:?}"
    );
    assert_eq!(results[2]["isError"], true);
    assert_eq!(lines.last().unwrap(), &json!({ "type": "answer", "content": "Done." }));
}

#[test]
fn an_agent_without_a_key_or_with_an_unknown_provider_says_what_to_do() {
    let folder = TempFolder::new("agent-keyless");
    let output = heddle(&folder, &["agent", "--model", "openai/gpt-5-mini", "hi"], &[], "");
    assert!(
        !output.status.success() && text(&output.stderr).contains("OPENAI_API_KEY"),
        "{}",
        text(&output.stderr)
    );
    let output = heddle(&folder, &["agent", "--model", "oracle/delphi", "hi"], &[], "");
    assert!(
        !output.status.success() && text(&output.stderr).contains("anthropic"),
        "{}",
        text(&output.stderr)
    );
}
