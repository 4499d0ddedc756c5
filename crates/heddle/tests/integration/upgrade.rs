//! A data folder of an earlier version: the current one opens it with everything in it, and there is
//! a way back.

use crate::support::{Server, heddle, request, wait_until};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use testkit::TempFolder;

/// The database format of the folder in the fixture.
const FORMAT: i64 = 3;
/// A key of the API that the earlier version made.
const KEY: &str = "heddle_I1bCHHXg0AHEPx8wNDRFLk74A1UwNKKDQuljc6dl1cPgQRlh";
/// The link that execution 5 waits for.
const LINK: &str = "/webhook-waiting/5-2aab0efa208d7eb1b304e90c01dc91ae";
/// What is in the fixture is old, and stays.
const KEEP: (&str, &str) = ("HEDDLE_KEEP_DAYS", "100000");

/// The data folder of the fixture, below a folder that is gone with the test.
fn unpack(folder: &TempFolder) -> PathBuf {
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/data-a8b77bd.tar.gz");
    let mut tar = Command::new("tar");
    tar.arg("--directory").arg(&folder.0).arg("-xzf").arg(fixture);
    assert!(tar.status().unwrap().success());
    folder.0.join("data")
}

fn serve(data: &Path) -> Server {
    Server::start_with_key(data, &[KEEP], KEY).unwrap()
}

/// Runs a command to its end, whatever that is.
fn run(data: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(arguments).env("HEDDLE_DATA", data).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn database(data: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(data.join("heddle.db")).unwrap()
}

fn format(data: &Path) -> i64 {
    database(data).query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

/// The backups that migrations of a folder have made.
fn backups(data: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(data.join("backups")) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn execution(server: &Server, id: i64) -> Value {
    server.api("GET", &format!("/executions/{id}?includeData=true"), None).json()
}

/// The first item that a node put out.
fn output(execution: &Value, node: &str) -> Value {
    execution["data"]["resultData"]["runData"][node][0]["data"]["main"][0][0].clone()
}

/// Everything that was put into the fixture, except the executions that wait.
fn has_everything(server: &Server, data: &Path) {
    let workflows = server.api("GET", "/workflows", None).json();
    let mut names: Vec<&str> = workflows["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Fails", "File", "Greeting", "Sleeps", "Waits for a call"]);
    let reply = server.call("GET", "/webhook/greeting?name=Grace", None);
    assert_eq!(reply.json()["greeting"], "Hello, Grace!");

    let succeeded = execution(server, 1);
    assert_eq!(succeeded["status"], "success");
    assert_eq!(output(&succeeded, "Greet")["json"]["greeting"], "Hello, Ada!");
    let failed = execution(server, 2);
    assert_eq!(failed["status"], "error");
    assert_eq!(failed["data"]["resultData"]["error"]["message"], "out of stock");
    let with_file = execution(server, 3);
    assert_eq!(output(&with_file, "Convert")["binary"]["data"]["fileName"], "lines.txt");
    let sum = "0477f8f3f297f849b02c43cf73c736bd91ce6e864c965e560120e5c045bec456";
    let file = server.api("GET", &format!("/executions/3/binary/{sum}"), None);
    assert_eq!((file.status, file.text()), (200, "line of text\n".repeat(3000)));

    let table = server.api("GET", "/data-tables", None).json()["data"][0].clone();
    assert_eq!(table["name"], "Orders");
    let rows = format!("/data-tables/{}/rows", table["id"].as_str().unwrap());
    let rows = server.api("GET", &rows, None).json();
    let row =
        |index: usize| (rows["data"][index]["item"].clone(), rows["data"][index]["count"].clone());
    assert_eq!([row(0), row(1)], [(json!("loom"), json!(3)), (json!("shuttle"), json!(12))]);

    let credentials = heddle(data, &["credentials", "export", "--decrypted"]);
    assert!(credentials.contains("canary-2f81"), "the credential cannot be decrypted");
    assert_eq!(sign_in(server, "Correct-horse-7"), 200);
    assert_eq!(sign_in(server, "another"), 401);
}

fn sign_in(server: &Server, password: &str) -> u16 {
    let body = json!({ "email": "ada@example.com", "password": password });
    server.call("POST", "/api/login", Some(&body)).status
}

#[test]
fn a_folder_of_an_earlier_version_opens_with_everything_in_it() {
    let folder = TempFolder::new("upgrade");
    let data = unpack(&folder);
    let server = serve(&data);
    assert!(format(&data) > FORMAT);
    assert_eq!(backups(&data).len(), 1);
    has_everything(&server, &data);

    // One wait has been over since before the upgrade.
    wait_until("the sleeping run resumes", || execution(&server, 4)["status"] == "success");
    assert_eq!(output(&execution(&server, 4), "After")["json"]["done"], "order 41 shipped");
    // The other one ends with a call of the link that the earlier version made.
    assert_eq!(execution(&server, 5)["status"], "waiting");
    let headers = [("content-type", "application/json")];
    let reply = request(&server.address, "POST", LINK, &headers, br#"{"name":"Ada"}"#).unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text());
    wait_until("the waiting run resumes", || execution(&server, 5)["status"] == "success");
    let done = &output(&execution(&server, 5), "After")["json"]["done"];
    assert_eq!(done, "order 42 confirmed by Ada");
    server.stop();

    // The next start has nothing to migrate.
    serve(&data).stop();
    assert_eq!(backups(&data).len(), 1);
}

#[test]
fn the_backup_from_before_a_migration_restores_the_folder_as_it_was() {
    let folder = TempFolder::new("upgrade-back");
    let data = unpack(&folder);
    let refused = run(&data, &["list"]);
    assert!(errors(&refused).contains("written by an older Heddle"), "{}", errors(&refused));
    assert_eq!((format(&data), backups(&data).len()), (FORMAT, 0));

    let migrated = run(&data, &["migrate"]);
    assert!(migrated.status.success(), "{}", errors(&migrated));
    let backup = backups(&data).pop().unwrap();
    let name = backup.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with(concat!("before-", env!("CARGO_PKG_VERSION"), "-")), "{name}");
    // What it says is what is done next.
    let restore = format!("heddle restore {} --data {} --force", backup.display(), data.display());
    assert!(errors(&migrated).contains(&restore), "{}", errors(&migrated));

    let arguments: Vec<&str> = restore.split_whitespace().skip(1).collect();
    let restored = run(&data, &arguments);
    assert!(restored.status.success(), "{}", errors(&restored));
    assert_eq!((format(&data), backups(&data).len()), (FORMAT, 0));
    let server = serve(&data);
    has_everything(&server, &data);
    server.stop();
}

#[test]
fn nothing_is_migrated_unless_it_was_backed_up_or_that_was_not_wanted() {
    let folder = TempFolder::new("upgrade-full");
    let data = unpack(&folder);
    // Where backups belong there is something else.
    std::fs::write(data.join("backups"), "").unwrap();
    let refused = run(&data, &["migrate"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("could not be backed up first"), "{}", errors(&refused));
    assert_eq!(format(&data), FORMAT);
    heddle(&data, &["migrate", "--no-backup"]);
    assert!(format(&data) > FORMAT);
}

#[test]
fn a_folder_of_a_newer_version_is_refused_with_both_versions() {
    let folder = TempFolder::new("upgrade-newer");
    let data = unpack(&folder);
    heddle(&data, &["migrate"]);
    let known = format(&data);
    let newer = database(&data);
    newer.pragma_update(None, "user_version", known + 1).unwrap();
    let sql = "UPDATE facts SET value = '9.8.7' WHERE key = 'heddle_version'";
    assert_eq!(newer.execute(sql, []).unwrap(), 1);
    drop(newer);
    let own = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "written by a newer Heddle (Heddle 9.8.7, format {}); this is Heddle {own}, format {known}. Use the newer version, or restore",
        known + 1
    );
    for command in [&["serve", "--port", "0"][..], &["migrate"], &["list"]] {
        let refused = run(&data, command);
        assert_eq!(refused.status.code(), Some(2));
        assert!(errors(&refused).contains(&expected), "{}", errors(&refused));
    }
    assert_eq!(format(&data), known + 1);
}
