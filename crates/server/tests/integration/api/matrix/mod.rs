//! Every way in, for everybody: what is answered to whom, however the address is spelled. A way in
//! that no row speaks of fails the test.

mod harness;
mod rows;
mod secret_links;

use crate::app::{Reply, TestApp};
use harness::{MARK, MatrixHarness};
use heddle_server::{EntryPoint, RouteGuard, entry_points};
use rows::{FOR_ANY_KEY, MatrixRow, PEOPLE, Person, ROWS, pages};
use std::collections::BTreeSet;
use store::users::UserRole;

/// The path of a row as it is mounted.
fn mounted(row: &MatrixRow) -> &'static str {
    row.path.split('?').next().unwrap_or_default()
}

/// Whether somebody was let in, as far as the status tells.
fn letter(status: u16) -> char {
    match status {
        200..400 => '+',
        // Whoever guesses is told to wait, which is no way in either.
        401 | 429 => '1',
        403 => '3',
        404 | 405 => '4',
        // They were let in, and nothing came of it.
        400..500 => '~',
        _ => '!',
    }
}

fn check(person: Person, row: &MatrixRow, path: &str, reply: &Reply, expected: char) {
    let found = match letter(reply.status) {
        '~' if row.may_be_refused => '+',
        found => found,
    };
    assert_eq!(
        found, expected,
        "{person:?}: {} {path} gave {} {}",
        row.method, reply.status, reply.body
    );
    if matches!(person, Person::Anonymous | Person::Outsider) {
        assert!(
            !reply.body.contains(MARK),
            "{person:?}: {} {path} shows the project: {}",
            row.method,
            reply.body
        );
    }
}

#[test]
fn issue_14_00_every_way_in_has_a_row_and_every_row_a_way_in() {
    let known: BTreeSet<(String, String)> =
        entry_points().into_iter().map(|entry| (entry.method.to_owned(), entry.path)).collect();
    let pages = pages();
    let n_pages = pages.len();
    let pages = pages
        .into_iter()
        .flat_map(|page| [format!("/{page}"), format!("/{page}/{{*rest}}")])
        .map(|path| ("GET".to_owned(), path));
    let written: BTreeSet<(String, String)> = ROWS
        .iter()
        .map(|row| (row.method.to_owned(), mounted(row).to_owned()))
        .chain(pages)
        .collect();
    let missing: Vec<_> = known.difference(&written).collect();
    assert!(missing.is_empty(), "the matrix has no row for {missing:?}");
    let gone: Vec<_> = written.difference(&known).collect();
    assert!(gone.is_empty(), "nothing is mounted at {gone:?}");
    assert_eq!(ROWS.len() + 2 * n_pages, known.len(), "a way in has two rows");
}

/// What is mounted elsewhere would be in no table.
#[test]
fn issue_14_00_nothing_is_mounted_but_in_the_table_of_routes() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut n_files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            if path.extension().is_none_or(|kind| kind != "rs") || path.ends_with("src/routes.rs") {
                continue;
            }
            n_files += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            for word in [
                "Router::",
                "Router<",
                "Router {",
                ".route(",
                ".route_service(",
                ".nest(",
                ".nest_service(",
                ".merge(",
                ".fallback",
            ] {
                // A handler for several methods is no router of its own.
                let text = text.replace("MethodRouter<App>", "");
                assert!(!text.contains(word), "{} mounts something: {word}", path.display());
            }
        }
    }
    assert!(n_files > 50);
}

#[tokio::test]
async fn issue_14_00_everybody_gets_at_every_way_in_what_the_table_says() {
    let world = MatrixHarness::new().await;
    // Whoever has guessed must wait, and whoever signs out has no session for the rest.
    let last = |row: &&MatrixRow| (row.expected == "111111", row.path == "/api/logout");
    let mut rows: Vec<&MatrixRow> = ROWS.iter().collect();
    rows.sort_by_key(last);
    for row in rows {
        assert_eq!(row.expected.len(), PEOPLE.len(), "{}", row.path);
        for (person, expected) in PEOPLE.into_iter().zip(row.expected.chars()) {
            let n_calls = world.calls(person, "GET", "/", "").len();
            for number in 0..n_calls {
                // Each is asked about things of its own, so that what one removes another still
                // finds.
                let (path, body) = world.real(row).await;
                let call = world.calls(person, row.method, &path, &body).swap_remove(number);
                // The first call of somebody who is known shows a key.
                let is_by_key = number == 0 && person != Person::Anonymous;
                let expected = if is_by_key && row.by_session { '3' } else { expected };
                check(person, row, &path, &call.send().await, expected);
            }
        }
    }
    for page in pages() {
        for person in PEOPLE {
            for path in [format!("/{page}"), format!("/{page}/anything")] {
                for call in world.calls(person, "GET", &path, "") {
                    assert_eq!(call.send().await.status, 200, "{path}");
                }
            }
        }
    }
}

/// Other methods than those in the table are answered nowhere.
#[tokio::test]
async fn issue_14_00_no_way_in_takes_a_method_that_no_row_names() {
    let world = MatrixHarness::new().await;
    let entries = entry_points();
    let paths: BTreeSet<&str> = entries
        .iter()
        .filter(|entry| entry.method != "ANY")
        .map(|entry| entry.path.as_str())
        .collect();
    for path in paths {
        let real: Vec<&str> =
            path.split('/').map(|part| if part.starts_with('{') { "nope" } else { part }).collect();
        let real = real.join("/");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"] {
            // Another row may stand for the same address.
            let is_named = |entry: &EntryPoint| entry.method == method && fits(&entry.path, &real);
            if entries.iter().any(is_named) {
                continue;
            }
            for call in world.calls(Person::Owner, method, &real, "{}") {
                let reply = call.send().await;
                assert!(
                    matches!(reply.status, 404 | 405),
                    "{method} {real} gave {} {}",
                    reply.status,
                    reply.body
                );
            }
        }
    }
}

fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) =
        (pattern.split('/').collect(), path.split('/').collect());
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(&path)
            .all(|(wanted, given)| wanted.starts_with('{') || wanted == given)
}

/// Every way to write an address that some server or proxy takes for another.
fn spellings(path: &str) -> Vec<String> {
    let (path, query) = path
        .split_once('?')
        .map_or((path, String::new()), |(path, query)| (path, format!("?{query}")));
    let encoded: String = path
        .bytes()
        .map(|byte| if byte == b'/' { "/".to_owned() } else { format!("%{byte:02X}") })
        .collect();
    let inner = path.get(1..).unwrap_or_default();
    let all = [
        format!("{path}/"),
        format!("/{path}"),
        format!("/{}", inner.replace('/', "//")),
        path.to_uppercase(),
        encoded,
        path.replace('/', "%2F"),
        format!("/.{path}"),
        format!("/healthz/..{path}"),
        format!("/webhook/..{path}"),
        format!("/webhook/%2e%2e{path}"),
        format!("{path};x=1"),
        format!("{path}%00"),
        format!("{path}%20"),
        format!("{path}.json"),
    ];
    all.into_iter().map(|spelling| format!("{spelling}{query}")).collect()
}

#[tokio::test]
async fn issue_14_00_no_spelling_of_an_address_lets_anybody_in_who_is_kept_out() {
    let world = MatrixHarness::new().await;
    for row in ROWS.iter().filter(|row| row.expected.starts_with('1') && row.expected != "111111") {
        let (path, body) = world.real(row).await;
        for spelling in spellings(&path) {
            for person in [Person::Anonymous, Person::Outsider] {
                let expected = row
                    .expected
                    .chars()
                    .nth(PEOPLE.iter().position(|known| *known == person).unwrap())
                    .unwrap();
                for call in world.calls(person, row.method, &spelling, &body) {
                    let reply = call.send().await;
                    let is_in = reply.status < 400;
                    assert!(
                        !is_in || expected == '+',
                        "{person:?}: {} {spelling} gave {} {}",
                        row.method,
                        reply.status,
                        reply.body
                    );
                    assert!(
                        !reply.body.contains(MARK),
                        "{person:?}: {} {spelling} shows {}",
                        row.method,
                        reply.body
                    );
                    assert!(reply.status < 500, "{} {spelling}: {}", row.method, reply.body);
                }
            }
        }
    }
}

#[tokio::test]
async fn issue_14_00_an_encoded_id_and_another_method_in_a_header_change_nothing() {
    let world = MatrixHarness::new().await;
    for row in
        ROWS.iter().filter(|row| row.path.starts_with("/api/v1/") && row.path.contains("{id}"))
    {
        for (person, expected) in PEOPLE.into_iter().zip(row.expected.chars()) {
            let (path, body) = world.real(row).await;
            let (place, query) =
                path.split_once('?').map_or((path.as_str(), String::new()), |(path, query)| {
                    (path, format!("?{query}"))
                });
            let parts: Vec<String> = place
                .split('/')
                .enumerate()
                .map(|(number, part)| {
                    if number == 4 {
                        part.bytes().map(|byte| format!("%{byte:02x}")).collect()
                    } else {
                        part.to_owned()
                    }
                })
                .collect();
            let encoded = format!("{}{query}", parts.join("/"));
            let call = world.calls(person, row.method, &encoded, &body).swap_remove(0);
            check(person, row, &encoded, &call.send().await, expected);
        }
        if row.method != "GET" {
            continue;
        }
        // A viewer who reads, and would rather have it deleted.
        let (path, body) = world.real(row).await;
        let expected = row.expected.chars().nth(2).unwrap();
        for name in
            ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-Method"]
        {
            let call = world
                .calls(Person::Viewer, "GET", &path, &body)
                .swap_remove(0)
                .header(name, "DELETE");
            check(Person::Viewer, row, &path, &call.send().await, expected);
        }
        let again = world.calls(Person::Viewer, "GET", &path, &body).swap_remove(0);
        check(Person::Viewer, row, &path, &again.send().await, expected);
    }
}

#[tokio::test]
async fn issue_14_00_a_key_opens_what_its_scope_names_and_nothing_else() {
    let world = MatrixHarness::new().await;
    let guarded: Vec<(EntryPoint, &str)> = entry_points()
        .into_iter()
        .filter_map(|entry| match entry.guard {
            RouteGuard::Scope(scope) => Some((entry, scope)),
            RouteGuard::Public | RouteGuard::Principal | RouteGuard::Session => None,
        })
        .collect();
    let scopes: BTreeSet<&str> = guarded.iter().map(|(_, scope)| *scope).collect();
    assert!(scopes.len() > 50, "{scopes:?}");
    for held in &scopes {
        let key = world.app.key("owner@x.y", &[held]).await;
        for (entry, scope) in &guarded {
            let path: Vec<&str> = entry
                .path
                .split('/')
                .map(|part| if part.starts_with('{') { "nope" } else { part })
                .collect();
            let reply =
                world.app.call(entry.method, &path.join("/")).key(&key).json("{}").send().await;
            assert_eq!(
                reply.status != 403,
                scope == held,
                "{held}: {} {} gave {} {}",
                entry.method,
                entry.path,
                reply.status,
                reply.body
            );
            assert_ne!(reply.status, 401, "{}", entry.path);
        }
    }
}

/// Where no scope is asked for, a key of one scope gets what the table says that every key gets,
/// and nothing else.
#[tokio::test]
async fn issue_14_00_a_limited_key_opens_nothing_without_a_scope_but_what_is_written_down() {
    let world = MatrixHarness::new().await;
    let narrow = world.app.key("owner@x.y", &["tag:list"]).await;
    let unscoped: Vec<EntryPoint> = entry_points()
        .into_iter()
        .filter(|entry| matches!(entry.guard, RouteGuard::Principal | RouteGuard::Session))
        .collect();
    let found: BTreeSet<(&str, &str)> = unscoped
        .iter()
        .filter(|entry| entry.guard == RouteGuard::Principal)
        .map(|entry| (entry.method, entry.path.as_str()))
        .collect();
    assert_eq!(
        found,
        FOR_ANY_KEY.iter().copied().collect(),
        "every key opens these, whatever its scopes"
    );
    let by_session: BTreeSet<(&str, &str)> =
        ROWS.iter().filter(|row| row.by_session).map(|row| (row.method, row.path)).collect();
    for entry in &unscoped {
        let row = ROWS
            .iter()
            .find(|row| row.method == entry.method && mounted(row) == entry.path)
            .unwrap();
        let (path, body) = world.real(row).await;
        let reply = world.app.call(entry.method, &path).key(&narrow).json(&body).send().await;
        let is_refused = by_session.contains(&(entry.method, entry.path.as_str()));
        assert_eq!(is_refused, entry.guard == RouteGuard::Session, "{path}");
        assert_eq!(
            reply.status == 403,
            is_refused,
            "{} {path} gave {} {}",
            entry.method,
            reply.status,
            reply.body
        );
        assert_ne!(reply.status, 401, "{path}");
    }
    for (scopes, status) in [(&["tag:list"][..], 403), (&["metrics:read"], 200), (&["*"], 200)] {
        let key = world.app.key("owner@x.y", scopes).await;
        assert_eq!(
            world.app.call("GET", "/metrics").key(&key).send().await.status,
            status,
            "{scopes:?}"
        );
    }
}

/// A person of the instance who only looks changes nothing in any project, whatever they are there.
#[tokio::test]
async fn issue_14_00_a_viewer_of_the_instance_changes_nothing_anywhere() {
    let world = MatrixHarness::new().await;
    let user = world.app.user("reader@x.y", UserRole::Viewer).await;
    let team = world.team().to_owned();
    store::ProjectStore::set_members(
        &world.app.store,
        &team,
        vec![(user.id, store::projects::ProjectRole::Admin)],
    )
    .await
    .unwrap();
    let key = world.app.key("reader@x.y", &["*"]).await;
    // What belongs to oneself, and what only computes.
    let is_free = |row: &MatrixRow| {
        let path = row.path.strip_prefix("/api/v1/").unwrap_or_default();
        matches!(path, "" | "client-errors" | "workflows/check")
    };
    let changes = |row: &&MatrixRow| {
        matches!(row.expected, "143+++" | "1433++" | "143444")
            || (row.expected == "1+++++" && row.method != "GET" && !is_free(row))
    };
    assert!(ROWS.iter().filter(changes).any(|row| row.path == "/api/v1/executions/stop"));
    for row in ROWS.iter().filter(changes) {
        let (path, body) = world.real(row).await;
        let reply = world.app.call(row.method, &path).key(&key).json(&body).send().await;
        assert_eq!(reply.status, 403, "{} {path}: {}", row.method, reply.body);
    }
    let anybody: &TestApp = &world.app;
    assert_eq!(anybody.call("GET", "/api/v1/workflows").key(&key).send().await.status, 200);
}
