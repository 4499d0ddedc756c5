//! Deciding on the command line, with and without a server.

use super::{ApprovalHarness, send};
use serde_json::json;
use std::process::{Command, Output, Stdio};
use testkit::{MockModels, ScriptedReply};

fn command(scene: &ApprovalHarness, arguments: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command
        .args(arguments)
        .env("HEDDLE_DATA", &scene.folder.0)
        .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1")
        .env("HEDDLE_LOG", "off");
    output_of(command.output().unwrap())
}

fn output_of(output: Output) -> (bool, String) {
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn the_command_line_shows_what_is_asked_and_decides_by_the_server() {
    let scene = ApprovalHarness::start(
        "commands",
        vec![send("ada").and_call("Send", json!({ "to": "bob" })), ScriptedReply::text("done")],
    );
    let id = scene.ask(2);
    scene.wait_for(&id, "waiting");
    let (ok, shown) = command(&scene, &["executions", "show", &id]);
    assert!(
        ok && shown.contains(r#"asks: Send {"to":"ada"} [item 0: tool 1.1]"#)
            && shown.contains("approve"),
        "{shown}"
    );
    let (ok, several) = command(&scene, &["executions", "approve", &id]);
    assert!(
        !ok && several.contains("APPROVAL_CALL") && several.contains("item 0: tool 1.2"),
        "{several}"
    );
    let (ok, approved) = command(&scene, &["executions", "approve", &id, "--call", "tool 1.2"]);
    assert!(
        ok && approved.contains(r#"approved: Send {"to":"bob"}"#) && approved.contains("waiting"),
        "{approved}"
    );
    let (ok, rejected) = command(&scene, &["executions", "reject", &id, "--reason", "Not Ada"]);
    assert!(
        ok && rejected.contains(r#"rejected: Send {"to":"ada"}"#) && rejected.contains("success"),
        "{rejected}"
    );
    assert_eq!((scene.sent("ada"), scene.sent("bob")), (0, 1));
    assert!(scene.results(1)[0].contains("Not Ada"), "{:?}", scene.results(1));
    let (ok, over) = command(&scene, &["executions", "approve", &id, "--call", "tool 1.1"]);
    assert!(!ok && over.contains("APPROVAL_DECIDED"), "{over}");
    let (ok, none) = command(&scene, &["executions", "approve", "99"]);
    assert!(!ok && none.contains("EXECUTION_NOT_FOUND"), "{none}");
}

#[test]
fn without_a_server_the_run_goes_on_here() {
    let mut scene =
        ApprovalHarness::start("commands-alone", vec![send("ada"), ScriptedReply::text("done")]);
    let id = scene.ask(1);
    scene.wait_for(&id, "waiting");
    let _ = scene.server.process.kill();
    scene.server.wait();
    let (ok, approved) = command(&scene, &["executions", "approve", &id]);
    assert!(ok && approved.contains("success"), "{approved}");
    assert_eq!(scene.sent("ada"), 1);
    let (ok, again) = command(&scene, &["executions", "approve", &id]);
    assert!(!ok && again.contains("APPROVAL_DECIDED"), "{again}");
}

/// Nobody is at the terminal: nothing is done, and it says how somebody could decide.
#[test]
fn an_agent_at_no_terminal_does_nothing_that_it_should_ask_about() {
    let models =
        MockModels::start([ScriptedReply::call("calculator", json!({ "expression": "6*7" }))])
            .unwrap();
    let run = |which: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command
            .args(["agent", "--model", "openai/mock", "--tool", "calculator"])
            .args(which)
            .arg("6*7?");
        command
            .env("OPENAI_API_KEY", "k")
            .env("OPENAI_BASE_URL", models.v1())
            .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1");
        output_of(command.stdin(Stdio::null()).output().unwrap())
    };
    let (ok, asked) = run(&["--ask-before", "all"]);
    assert!(
        !ok && asked.contains(r#"asks to use calculator {"expression":"6*7"}"#)
            && asked.contains("executions approve"),
        "{asked}"
    );
    assert_eq!(models.requests().len(), 1);
    models.script([
        ScriptedReply::call("calculator", json!({ "expression": "6*7" })),
        ScriptedReply::text("It is 42."),
    ]);
    let (ok, answer) = run(&["--ask-before", "changes"]);
    assert!(ok && answer.contains("It is 42."), "a calculator changes nothing: {answer}");
}

/// Code of a model reaches outside only if somebody lets it, by whatever name it gets there.
#[test]
fn issue_14_00_code_at_a_terminal_does_not_reach_outside_unasked() {
    let outside = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", outside.local_addr().unwrap());
    let models = MockModels::start(Vec::new()).unwrap();
    let run = |code: String, then: Option<ScriptedReply>| {
        models.script(
            [ScriptedReply::call("run_javascript", json!({ "input": code }))]
                .into_iter()
                .chain(then),
        );
        let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
        command.args([
            "agent",
            "--model",
            "openai/mock",
            "--tool",
            "code",
            "--ask-before",
            "changes",
            "go",
        ]);
        command
            .env("OPENAI_API_KEY", "k")
            .env("OPENAI_BASE_URL", models.v1())
            .env("HEDDLE_EGRESS_ALLOW", "127.0.0.1");
        output_of(command.stdin(Stdio::null()).output().unwrap())
    };
    let (ok, asked) =
        run(format!("return (await globalThis['fe' + 'tch']('{address}')).status"), None);
    assert!(!ok && asked.contains("asks to use run_javascript"), "{asked}");
    for way in ["new Function", "(() => 0).constructor", "globalThis['ev' + 'al']"] {
        let code = format!(
            "try {{ return await {way}(`return fetch('{address}')`)() }} catch (error) {{ return error.message }}"
        );
        let (_, told) = run(code, Some(ScriptedReply::text("It is over.")));
        assert!(
            told.contains("It is over.") && !told.contains("asks to use"),
            "there is nothing to ask about: {told}"
        );
        let results = models.requests().last().unwrap().body["messages"].to_string();
        assert!(results.contains("Code cannot be made of text here"), "{results}");
    }
    outside.set_nonblocking(true).unwrap();
    assert!(outside.accept().is_err(), "nobody has come");
}
