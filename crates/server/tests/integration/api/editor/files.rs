//! The editor's own files, from a build of three.

use crate::app::{TestApp, TestOptions};
use flate2::Compression;
use flate2::write::GzEncoder;
use heddle_server::{WebContent, WebFile};
use std::io::Write as _;

/// `plain`, compressed by Brotli.
const BROTLI: &[u8] = &[11, 2, 128, 112, 108, 97, 105, 110, 3];

static FILES: [WebFile; 3] = [
    WebFile {
        path: "index.html",
        kind: "text/html; charset=utf-8",
        tag: "\"page\"",
        content: WebContent::Plain(b"<!doctype html><script nonce=HEDDLE_NONCE src=/assets/a.js>"),
    },
    WebFile {
        path: "assets/a.js",
        kind: "text/javascript; charset=utf-8",
        tag: "\"script\"",
        content: WebContent::compressed(BROTLI),
    },
    WebFile {
        path: "icon.svg",
        kind: "image/svg+xml",
        tag: "\"icon\"",
        content: WebContent::Plain(b"<svg/>"),
    },
];

#[tokio::test]
async fn every_page_of_the_editor_is_the_one_file_and_runs_only_our_scripts() {
    let app = TestApp::start_with(TestOptions { editor: &FILES, ..TestOptions::default() }).await;
    for path in [
        "/",
        "/workflows",
        "/workflow/new",
        "/workflow/abc/executions/7",
        "/executions?status=error",
        "/settings/users",
        "/signin",
    ] {
        let page = app.call("GET", path).send().await;
        assert_eq!(page.status, 200, "{path}");
        assert!(page.body.starts_with("<!doctype html>"), "{path}: {}", page.body);
        assert_eq!(page.header("cache-control"), Some("no-store"), "a new build shows at once");
        let policy = page.header("content-security-policy").unwrap();
        assert!(
            policy.contains("frame-ancestors 'none'") && policy.contains("object-src 'none'"),
            "{policy}"
        );
        assert_eq!(page.header("cross-origin-opener-policy"), Some("same-origin"));
    }
}

#[tokio::test]
async fn issue_14_05_a_script_runs_in_the_editor_by_a_nonce_and_not_by_its_address() {
    let app = TestApp::start_with(TestOptions { editor: &FILES, ..TestOptions::default() }).await;
    let nonce = async |path: &str| {
        let page = app.call("GET", path).send().await;
        let policy = page.header("content-security-policy").unwrap();
        let scripts = policy
            .split(';')
            .find_map(|part| part.trim().strip_prefix("script-src "))
            .unwrap()
            .to_owned();
        assert!(
            !scripts.contains("'self'")
                && !scripts.contains("unsafe")
                && !scripts.contains("strict-dynamic"),
            "{scripts}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        let nonce = scripts.split_once("'nonce-").unwrap().1.split_once('\'').unwrap().0.to_owned();
        assert!(
            nonce.len() >= 32 && page.body.contains(&format!("nonce={nonce} ")),
            "{}",
            page.body
        );
        nonce
    };
    assert_ne!(nonce("/").await, nonce("/").await, "every response has its own");
    assert_ne!(nonce("/workflows").await, nonce("/index.html").await);
}

#[tokio::test]
async fn scripts_come_packed_and_are_kept_for_ever() {
    let app = TestApp::start_with(TestOptions { editor: &FILES, ..TestOptions::default() }).await;
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(b"plain").unwrap();
    let gzip = encoder.finish().unwrap();
    for (accepted, coding, body) in [
        ("gzip, deflate, br", Some("br"), &*String::from_utf8_lossy(BROTLI)),
        ("gzip", Some("gzip"), &*String::from_utf8_lossy(&gzip)),
        ("gzip, br;q=0", Some("gzip"), &*String::from_utf8_lossy(&gzip)),
        ("br;q=0", None, "plain"),
        ("", None, "plain"),
        ("identity", None, "plain"),
    ] {
        let script =
            app.call("GET", "/assets/a.js").header("Accept-Encoding", accepted).send().await;
        assert_eq!(
            (script.status, script.header("content-encoding"), script.body.as_str()),
            (200, coding, body),
            "{accepted}"
        );
        assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
        assert!(script.header("cache-control").unwrap().contains("immutable"));
        assert_eq!(script.header("vary"), Some("Accept-Encoding"));
    }
    assert_eq!(app.call("GET", "/icon.svg").send().await.header("cache-control"), Some("no-cache"));
    for (method, path) in [
        ("GET", "/assets/b.js"),
        ("GET", "/assets/"),
        ("POST", "/assets/a.js"),
        ("GET", "/nothing"),
        ("GET", "/api/v1/x"),
    ] {
        let reply = app.call(method, path).send().await;
        assert!(matches!(reply.status, 401 | 404), "{method} {path}: {}", reply.status);
        assert!(!reply.text("code").is_empty());
    }
}

#[tokio::test]
async fn without_an_editor_the_first_page_says_how_to_build_it() {
    let app = TestApp::start().await;
    let page = app.call("GET", "/").send().await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("cargo xtask web"));
    assert_eq!(app.call("GET", "/workflows").send().await.status, 404);
}
