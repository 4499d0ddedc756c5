//! Credentials from end to end: brought along, used by a running server, and never shown.

use crate::support::{Server, request};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use testkit::TempFolder;

const CANARY: &str = "canary-51b0c7de";

struct VaultHome(TempFolder);

impl VaultHome {
    fn new(name: &str) -> Self {
        Self(TempFolder::new(&format!("vault-{name}")))
    }

    fn heddle(&self, arguments: &[&str]) -> Output {
        command(&self.0.0).args(arguments).output().unwrap()
    }

    /// What a command prints; it must succeed.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.heddle(arguments);
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn import(&self) {
        let list = format!(
            r#"[{{"id":"c1","name":"Hook","type":"httpHeaderAuth","data":{{"name":"X-Key","value":"{CANARY}"}}}}]"#
        );
        let file = self.0.write("credentials.json", &list);
        self.says(&["credentials", "import", file.to_str().unwrap()]);
        std::fs::remove_file(file).unwrap();
    }
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.env("HEDDLE_DATA", folder.join("data")).env("HEDDLE_LOG", "trace");
    command
}

fn start_server(folder: &VaultHome) -> Server {
    let settings = [("HEDDLE_LOG", "trace")];
    Server::start_with_key(&folder.0.0.join("data"), &settings, "").unwrap()
}

/// The head and the body of the response.
fn get(server: &Server, path: &str, header: (&str, &str)) -> String {
    let reply = request(&server.address, "GET", path, &[header], b"").unwrap();
    format!("{}\r\n\r\n{}", reply.headers, reply.text())
}

const WORKFLOW: &str = r#"{"id":"w1","name":"Guarded","nodes":[{"id":"n1","name":"Hook","type":"n8n-nodes-base.webhook","typeVersion":2,"position":[0,0],"parameters":{"path":"guarded","authentication":"headerAuth","responseMode":"lastNode"},"credentials":{"httpHeaderAuth":{"id":"c1","name":"Hook"}}}],"connections":{},"settings":{}}"#;

#[test]
fn a_webhook_is_guarded_by_an_imported_credential_that_nobody_sees() {
    let folder = VaultHome::new("serve");
    folder.import();
    let workflow = folder.0.write("flow.json", WORKFLOW);
    folder.says(&["import", "--activate", workflow.to_str().unwrap()]);
    let key = folder.says(&["api-keys", "create"]);
    let server = start_server(&folder);
    let denied = get(&server, "/webhook/guarded", ("x-key", "wrong"));
    assert!(denied.starts_with("HTTP/1.1 403"), "{denied}");
    let taken = get(&server, "/webhook/guarded", ("x-key", CANARY));
    assert!(taken.starts_with("HTTP/1.1 200"), "{taken}");
    folder.says(&["credentials", "rotate"]);
    let taken = get(&server, "/webhook/guarded", ("x-key", CANARY));
    assert!(taken.starts_with("HTTP/1.1 200"), "after the key changed beside the server: {taken}");
    for path in ["/credentials", "/credentials/c1", "/workflows/w1"] {
        let reply = get(&server, &format!("/api/v1{path}"), ("x-n8n-api-key", key.trim()));
        assert!(reply.starts_with("HTTP/1.1 200") && !reply.contains(CANARY), "{reply}");
    }
    let log = server.log();
    assert!(log.contains("There is no owner yet"), "{log}");
    assert!(!log.contains(CANARY), "the log holds the secret");
    drop(server);
    for entry in std::fs::read_dir(folder.0.0.join("data")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap_or_default();
        let holds = bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        // The caller sent it as a header, which is part of what the workflow was given.
        assert!(!holds || name.starts_with("heddle.db"), "{name} holds the secret");
    }
}

#[test]
fn credentials_go_out_as_they_came_in() {
    let folder = VaultHome::new("export");
    folder.import();
    assert!(!folder.says(&["credentials", "list"]).contains(CANARY));
    assert!(!folder.heddle(&["credentials", "export"]).status.success());
    let exported = folder.says(&["credentials", "export", "--decrypted"]);
    assert!(exported.contains(CANARY) && exported.contains("\"id\":\"c1\""));
    assert!(folder.says(&["credentials", "rotate"]).contains("1 credentials"));
    assert!(folder.says(&["credentials", "verify"]).contains("1 of 1"));
    assert_eq!(folder.says(&["credentials", "export", "--decrypted"]), exported);
}

#[test]
fn a_wrong_key_keeps_the_server_from_starting() {
    let folder = VaultHome::new("wrong");
    folder.import();
    let path = folder.0.0.join("data/vault.key");
    let right = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, "11".repeat(32)).unwrap();
    for arguments in [
        &["serve", "--port", "0"][..],
        &["credentials", "verify"],
        &["credentials", "rotate"],
        &["credentials", "export", "--decrypted"],
    ] {
        let output = folder.heddle(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && told.contains("VAULT_KEY"), "{arguments:?}: {told}");
    }
    std::fs::write(&path, right).unwrap();
    assert!(folder.says(&["credentials", "export", "--decrypted"]).contains(CANARY));
}

#[test]
fn what_is_no_export_is_refused_whole() {
    let folder = VaultHome::new("bad");
    for (text, told) in [
        ("nonsense", "not JSON"),
        (
            r#"[{"name":"a","type":"t","data":{}},{"name":"b","type":"t","data":"U2FsdGVkX1"}]"#,
            "--decrypted",
        ),
        (r#"[{"name":"a","data":{}}]"#, "no type"),
    ] {
        let file = folder.0.write("bad.json", text);
        let output = folder.heddle(&["credentials", "import", file.to_str().unwrap()]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(told), "{text}: {error}");
    }
    assert_eq!(folder.says(&["credentials", "list"]), "");
}

#[test]
fn people_are_managed_on_the_command_line() {
    let folder = VaultHome::new("users");
    let mut child = command(&folder.0.0)
        .args(["users", "create", "Ada@x.y", "--role", "admin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"long enough\n").unwrap();
    assert!(child.wait().unwrap().success());
    assert!(folder.says(&["users", "list"]).contains("ada@x.y"));
    folder.says(&["users", "role", "ada@x.y", "viewer"]);
    assert!(folder.says(&["users", "list"]).contains("viewer"));
    assert!(!folder.heddle(&["users", "role", "ada@x.y", "king"]).status.success());
    folder.says(&["users", "delete", "ada@x.y"]);
    assert_eq!(folder.says(&["users", "list"]), "");
}

#[test]
fn a_change_of_the_key_that_is_killed_at_any_moment_loses_nothing() {
    let folder = VaultHome::new("killed");
    let rows: Vec<String> = (0..300)
        .map(|index| {
            format!(r#"{{"id":"c{index}","name":"n","type":"httpHeaderAuth","data":{{"name":"X-Key","value":"{CANARY}-{index}"}}}}"#)
        })
        .collect();
    let file = folder.0.write("credentials.json", format!("[{}]", rows.join(",")));
    folder.says(&["credentials", "import", file.to_str().unwrap()]);
    let before = folder.says(&["credentials", "export", "--decrypted"]);
    for delay_ms in [0, 5, 10, 15, 20, 25, 30, 40, 50, 70, 100] {
        let mut child = command(&folder.0.0)
            .args(["credentials", "rotate"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(delay_ms));
        let _ = child.kill();
        child.wait().unwrap();
        assert!(
            folder.says(&["credentials", "verify"]).contains("300 of 300"),
            "killed after {delay_ms} ms"
        );
    }
    assert_eq!(folder.says(&["credentials", "export", "--decrypted"]), before);
}
