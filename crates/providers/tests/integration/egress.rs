//! The guarded client end to end, on listeners of this machine: lookups, pinning, redirects,
//! limits.

use futures::StreamExt as _;
use heddle_providers::http::{EgressPolicy, GuardedHttp, NameResolver};
use node_api::http::{Http, HttpBody, HttpError, HttpRequest, HttpResponse};
use std::collections::HashMap;
use std::io::{self, Write as _};
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testkit::{FakeHttp, FakeResponse, FakeStep};
use tokio::net::TcpListener;

fn ok(body: &str) -> FakeResponse {
    FakeResponse::text(body)
}

fn redirect(status: u16, location: &str) -> FakeResponse {
    FakeResponse::redirect(status, location)
}

/// Names that mean what the test says: each lookup takes the next answer, the last one stays.
#[derive(Default)]
struct Names {
    answers: Mutex<HashMap<String, Vec<Vec<&'static str>>>>,
    lookups: AtomicUsize,
}

impl Names {
    fn of(list: &[(&str, &[&[&'static str]])]) -> Arc<Self> {
        let answers = list.iter().map(|(name, answers)| {
            ((*name).to_owned(), answers.iter().map(|answer| answer.to_vec()).collect())
        });
        Arc::new(Self { answers: Mutex::new(answers.collect()), lookups: AtomicUsize::new(0) })
    }
}

#[async_trait::async_trait]
impl NameResolver for Names {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        self.lookups.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let queue = answers.get_mut(host).ok_or_else(|| io::Error::other("no such name"))?;
        let answer = if queue.len() > 1 { queue.remove(0) } else { queue[0].clone() };
        match answer.as_slice() {
            ["fail"] => {
                Err(io::Error::new(io::ErrorKind::TimedOut, "the resolver does not answer"))
            }
            texts => Ok(texts.iter().map(|text| text.parse().unwrap()).collect()),
        }
    }
}

fn client(allow: &str, names: &Arc<Names>) -> GuardedHttp {
    GuardedHttp::with_resolver(EgressPolicy::parse(allow).unwrap(), names.clone())
}

async fn get(http: &GuardedHttp, url: &str) -> Result<HttpResponse, HttpError> {
    let mut request = HttpRequest::new("GET", url);
    request.timeout_ms = 10_000;
    http.send(request).await
}

fn is_blocked(result: &Result<HttpResponse, HttpError>) -> bool {
    matches!(result, Err(HttpError::Blocked { .. }))
}

#[tokio::test]
async fn loopback_is_closed_until_the_operator_opens_that_port() {
    let server = FakeHttp::start(|_| ok("hello"));
    let names = Names::of(&[("localhost", &[&["127.0.0.1"]])]);
    let port = server.address.port();
    let closed = client("", &names);
    for host in ["127.0.0.1", "127.1", "2130706433", "localhost", "[::ffff:127.0.0.1]", "0"] {
        assert!(is_blocked(&get(&closed, &format!("http://{host}:{port}/")).await), "{host}");
    }
    assert!(is_blocked(
        &get(&client(&format!("127.0.0.1:{}", port ^ 1), &names), &server.url("/")).await
    ));
    assert!(server.requests().is_empty());
    let open = client(&format!("127.0.0.1:{port}"), &names);
    assert_eq!(get(&open, &server.url("/")).await.unwrap().body, "hello");
}

#[tokio::test]
async fn a_name_is_as_closed_as_the_worst_of_its_addresses() {
    let server = FakeHttp::start(|_| ok("hello"));
    let port = server.address.port();
    let names = Names::of(&[
        ("private.test", &[&["127.0.0.1"]]),
        ("mixed.test", &[&["93.184.216.34", "127.0.0.1"]]),
        ("six.test", &[&["::1"]]),
        ("mapped.test", &[&["::ffff:10.0.0.1"]]),
        ("meta.test", &[&["169.254.169.254"]]),
        ("later.test", &[&["fail"], &["127.0.0.1"]]),
        ("empty.test", &[&[]]),
    ]);
    let http = client("", &names);
    for name in ["private.test", "mixed.test", "six.test", "mapped.test", "meta.test"] {
        let result = get(&http, &format!("http://{name}:{port}/")).await;
        assert!(is_blocked(&result), "{name}: {result:?}");
        assert!(
            !result.unwrap_err().to_string().contains("127.0.0.1"),
            "the address of a name is not told"
        );
    }
    // A resolver that fails closes the way, and the second try meets the check again.
    assert!(matches!(
        get(&http, &format!("http://later.test:{port}/")).await,
        Err(HttpError::Unreachable { errno: Some("EAI_AGAIN"), .. })
    ));
    assert!(is_blocked(&get(&http, &format!("http://later.test:{port}/")).await));
    for name in ["empty.test", "unknown.test"] {
        assert!(matches!(
            get(&http, &format!("http://{name}/")).await,
            Err(HttpError::Unreachable { errno: Some("ENOTFOUND"), .. })
        ));
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_still_connected_to_the_checked_one() {
    let good = FakeHttp::start(|_| ok("checked"));
    let port = good.address.port();
    let bad = FakeHttp::start_at(&format!("127.0.0.2:{port}"), |_| ok("rebound"));
    let names = Names::of(&[("rebind.test", &[&["127.0.0.1"], &["127.0.0.2"]])]);
    let http = client(&format!("127.0.0.1/32:{port}"), &names);
    let url = format!("http://rebind.test:{port}/");
    assert_eq!(get(&http, &url).await.unwrap().body, "checked");
    assert_eq!(
        names.lookups.load(Ordering::SeqCst),
        1,
        "the connection makes no lookup of its own"
    );
    assert!(is_blocked(&get(&http, &url).await));
    assert!(bad.requests().is_empty());
}

#[tokio::test]
async fn every_hop_of_a_redirect_is_checked() {
    let names = Names::of(&[("inner.test", &[&["10.0.0.1"]])]);
    let target = FakeHttp::start(|_| ok("never"));
    let target_port = target.address.port();
    for status in [301, 302, 303, 307, 308] {
        for location in [
            format!("http://127.0.0.1:{target_port}/"),
            format!("//127.0.0.1:{target_port}/"),
            format!("http://2130706433:{target_port}/"),
            "http://inner.test/".into(),
            "http://169.254.169.254/latest/meta-data/".into(),
            "//localhost/".into(),
        ] {
            let to = location.clone();
            let server = FakeHttp::start(move |_| redirect(status, &to));
            let http = client(&server.address.to_string(), &names);
            assert!(is_blocked(&get(&http, &server.url("/")).await), "{status} {location}");
        }
        for location in
            ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://example.com/", "data:text/plain,x"]
        {
            let server = FakeHttp::start(move |_| redirect(status, location));
            let http = client(&server.address.to_string(), &names);
            assert!(
                matches!(get(&http, &server.url("/")).await, Err(HttpError::Url { .. })),
                "{status} {location}"
            );
        }
    }
    assert!(target.requests().is_empty());
}

#[tokio::test]
async fn redirects_are_followed_up_to_the_limit() {
    let server = FakeHttp::start(|request| {
        let hop: usize = request.path.trim_start_matches('/').parse().unwrap_or(0);
        if hop >= 6 { ok("arrived") } else { redirect(302, &format!("/{}", hop + 1)) }
    });
    let http = client(&server.address.to_string(), &Names::of(&[]));
    let mut request = HttpRequest::new("GET", server.url("/1"));
    request.max_redirects = 5;
    let response = http.send(request.clone()).await.unwrap();
    assert_eq!(
        (response.body.as_ref(), response.url.as_str()),
        (&b"arrived"[..], server.url("/6").as_str())
    );
    request.url = server.url("/0");
    assert!(matches!(
        http.send(request.clone()).await,
        Err(HttpError::TooManyRedirects { limit: 5 })
    ));
    request.follow_redirects = false;
    assert_eq!(http.send(request).await.unwrap().status, 302);
}

#[tokio::test]
async fn issue_14_08_no_request_asks_for_itself_back() {
    let server = FakeHttp::start(|request| ok(&request.text()));
    let http = client(&server.address.to_string(), &Names::of(&[]));
    for method in ["TRACE", "TRACK", "CONNECT", "trace", "Track", " TRACE "] {
        let request = HttpRequest::new(method, server.url("/"));
        assert!(
            matches!(http.send(request.clone()).await, Err(HttpError::Method { .. })),
            "{method}"
        );
        assert!(
            matches!(http.open(request).await.map(drop), Err(HttpError::Method { .. })),
            "{method}"
        );
    }
    assert!(server.requests().is_empty());
    assert_eq!(http.send(HttpRequest::new("PROPFIND", server.url("/"))).await.unwrap().status, 200);
}

#[tokio::test]
async fn credentials_do_not_follow_to_another_origin() {
    let other = FakeHttp::start(|_| ok("other"));
    let to = other.url("/there");
    let first = FakeHttp::start(move |_| redirect(307, &to));
    let http = client(&format!("{},{}", first.address, other.address), &Names::of(&[]));
    let mut request =
        HttpRequest::new("POST", first.url("/").replace("http://", "http://user:secret@"));
    request.set_header("Cookie", "secret=1");
    request.set_header("X-Api-Key", "secret");
    request.set_header("X-Plain", "kept");
    request.credential_headers = vec!["x-api-key".into()];
    request.body = HttpBody::Bytes("payload".into());
    let response = http.send(request).await.unwrap();
    assert!(!response.url.contains("secret"));
    let (first, other) = (first.received(), other.received());
    assert!(
        first.contains("authorization: Basic dXNlcjpzZWNyZXQ=") && first.contains("secret=1"),
        "{first}"
    );
    assert!(other.contains("x-plain: kept") && other.ends_with("payload"), "{other}");
    assert!(
        !other.to_lowercase().contains("secret") && !other.contains("dXNlcjpzZWNyZXQ="),
        "{other}"
    );
}

#[tokio::test]
async fn headers_cannot_change_where_or_how_a_request_goes() {
    let server = FakeHttp::start(|_| ok("x"));
    let http = client(&server.address.to_string(), &Names::of(&[]));
    for host in ["metadata.google.internal", "localhost", "10.0.0.1"] {
        let mut request = HttpRequest::new("GET", server.url("/"));
        request.set_header("Host", host);
        assert!(is_blocked(&http.send(request).await), "{host}");
    }
    let mut request = HttpRequest::new("POST", server.url("/"));
    request.body = HttpBody::Bytes("12345".into());
    request.set_header("Accept-Encoding", "gzip, deflate, br, zstd");
    request.set_header("Transfer-Encoding", "chunked");
    request.set_header("Content-Length", "1");
    http.send(request).await.unwrap();
    let seen = server.received();
    assert!(seen.contains("content-length: 5") && !seen.contains("chunked"), "{seen}");
    assert!(
        seen.contains("accept-encoding: gzip, deflate, br\r\n"),
        "what cannot be unpacked is not asked for: {seen}"
    );
    let mut request = HttpRequest::new("GET", server.url("/"));
    request.set_header("X-Split", "a\r\nX-Other: b");
    assert!(http.send(request).await.is_err());
}

#[tokio::test]
async fn proxies_are_used_only_when_named_and_only_where_allowed() {
    let proxy = FakeHttp::start(|_| ok("by proxy"));
    let server = FakeHttp::start(|_| ok("direct"));
    let http = client(&server.address.to_string(), &Names::of(&[]));
    assert_eq!(get(&http, &server.url("/")).await.unwrap().body, "direct");
    let mut request = HttpRequest::new("GET", server.url("/"));
    request.proxy = Some(proxy.address.to_string());
    assert!(is_blocked(&http.send(request.clone()).await));
    let http = client(&format!("{},{}", server.address, proxy.address), &Names::of(&[]));
    assert_eq!(http.send(request.clone()).await.unwrap().body, "by proxy");
    request.url = "http://10.0.0.1/".into();
    assert!(is_blocked(&http.send(request).await), "the target is checked too");
}

#[tokio::test]
async fn answers_are_unpacked_within_the_limit() {
    let bomb = gzip(&vec![b'a'; 30 << 20]);
    let server = FakeHttp::start(move |request| {
        let body = if request.path == "/bomb" { bomb.clone() } else { gzip(b"small text") };
        FakeResponse::with_headers(200, &[("content-encoding", "gzip")], body)
    });
    let http = client(&server.address.to_string(), &Names::of(&[]));
    let response = get(&http, &server.url("/")).await.unwrap();
    assert_eq!(
        (response.body.as_ref(), response.header("content-encoding")),
        (&b"small text"[..], None)
    );
    let mut request = HttpRequest::new("GET", server.url("/bomb"));
    request.max_response_bytes = 1 << 20;
    assert!(
        matches!(http.send(request).await, Err(HttpError::TooLarge { limit }) if limit == 1 << 20)
    );
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_body_of_ten_gigabytes_ends_at_the_limit() {
    let server = FakeHttp::start(|request| {
        let length = if request.path == "/told" { "Content-Length: 10737418240\r\n" } else { "" };
        let head = format!("HTTP/1.1 200 OK\r\n{length}Connection: close\r\n\r\n");
        // At most 64 MB in all, so that a client without a limit cannot fill the machine.
        let body = FakeStep::Repeat(vec![b'x'; 64 << 10], 1024);
        FakeResponse::steps([FakeStep::Send(head.into_bytes()), body])
    });
    let http = client(&server.address.to_string(), &Names::of(&[]));
    for path in ["/told", "/untold"] {
        let mut request = HttpRequest::new("GET", server.url(path));
        request.max_response_bytes = 1 << 20;
        assert!(matches!(http.send(request).await, Err(HttpError::TooLarge { .. })), "{path}");
    }
    assert!(server.n_bytes_sent() < 48 << 20, "the client hung up early");
}

#[tokio::test]
async fn a_slow_body_and_a_silent_server_run_out_of_time() {
    let server = FakeHttp::start(|request| {
        if request.path == "/silent" {
            return FakeResponse::steps([FakeStep::Wait(Duration::from_secs(2))]);
        }
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n".to_vec();
        let letter = [FakeStep::Wait(Duration::from_millis(20)), FakeStep::Send(b"x".to_vec())];
        let body = std::iter::repeat_n(letter, 100).flatten();
        FakeResponse::steps([FakeStep::Send(head)].into_iter().chain(body))
    });
    let http = client(&server.address.to_string(), &Names::of(&[]));
    for path in ["/slow", "/silent"] {
        let mut request = HttpRequest::new("GET", server.url(path));
        request.timeout_ms = 150;
        assert!(
            matches!(http.send(request).await, Err(HttpError::Timeout { timeout_ms: 150 })),
            "{path}"
        );
    }
}

#[tokio::test]
async fn an_answer_can_be_read_while_it_comes_under_the_same_policy() {
    let first_is_read = Arc::new(tokio::sync::Notify::new());
    let signal = first_is_read.clone();
    let server = FakeHttp::start(move |request| {
        let send = |bytes: &[u8]| FakeStep::Send(bytes.to_vec());
        if request.path == "/packed" {
            let head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n";
            return FakeResponse::steps([send(head), send(&gzip(b"small text"))]);
        }
        let head = send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        let wait = FakeStep::WaitFor(signal.clone());
        FakeResponse::steps([head, send(b"one"), wait, send(b"two")])
    });
    let names = Names::of(&[]);
    let http = client(&server.address.to_string(), &names);
    let mut request = HttpRequest::new("GET", server.url("/"));
    request.max_response_bytes = 5;
    let mut answer = http.open(request).await.unwrap();
    assert_eq!(
        (answer.status, answer.body.next().await.unwrap().unwrap().as_ref()),
        (200, &b"one"[..])
    );
    first_is_read.notify_one();
    assert!(matches!(answer.body.next().await, Some(Err(HttpError::TooLarge { limit: 5 }))));
    let mut answer = http.open(HttpRequest::new("GET", server.url("/packed"))).await.unwrap();
    assert_eq!(answer.header("content-encoding"), None);
    assert_eq!(answer.body.next().await.unwrap().unwrap().as_ref(), b"small text");
    assert!(answer.body.next().await.is_none());
    let closed = client("", &names).open(HttpRequest::new("GET", server.url("/"))).await;
    assert!(matches!(closed, Err(HttpError::Blocked { .. })));
}

#[tokio::test]
async fn what_is_no_http_answer_is_refused() {
    let many_headers: String = (0..2000).map(|n| format!("X-{n}: v\r\n")).collect();
    let long_header = format!("X-Long: {}\r\n", "v".repeat(200 << 10));
    let answers = [
        "just some text, as HTTP/0.9 had it".to_owned(),
        "SSH-2.0-OpenSSH_9.6\r\n".to_owned(),
        String::new(),
        format!("HTTP/1.1 200 OK\r\n{many_headers}\r\nbody"),
        format!("HTTP/1.1 200 OK\r\n{long_header}\r\nbody"),
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut".to_owned(),
    ];
    for answer in answers {
        let start: String = answer.chars().take(40).collect();
        let server = FakeHttp::start(move |_| FakeResponse::raw(answer.clone()));
        let http = client(&server.address.to_string(), &Names::of(&[]));
        assert!(get(&http, &server.url("/")).await.is_err(), "{start}");
    }
}

#[tokio::test]
async fn a_closed_port_is_told_in_nodes_words() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let http = client(&address.to_string(), &Names::of(&[]));
    let error = get(&http, &format!("http://{address}/")).await.unwrap_err();
    assert!(
        matches!(&error, HttpError::Unreachable { errno: Some("ECONNREFUSED"), .. }),
        "{error:?}"
    );
}
