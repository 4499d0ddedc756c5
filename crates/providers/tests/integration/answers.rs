//! Answers of services share the memory that there is for them. The limit is one for the process, so
//! the test has its own.

use flate2::Compression;
use flate2::write::GzEncoder;
use heddle_providers::http::{EgressPolicy, GuardedHttp};
use node_api::http::{Http as _, HttpError, HttpRequest, HttpResponse};
use std::io::Write as _;
use std::time::Duration;
use testkit::{FakeHttp, FakeResponse};

const MB: usize = 1 << 20;

/// Forty bytes that become 20 MB.
const BROTLI: &[u8] = b"\xcb\xff\xff\x3f\xf8\x27\x00\xe2\xb1\x40\x20\xf7\xfe\x8f\xff\xff\x7f\xf0\x4f\x00\xc4\x61\x11\x80\xee\xfd\x5f\xfe\xff\xff\xe0\x9f\x00\x88\xc3\x02\x00\xdd\xfb\x1f";

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Answers with four megabytes: as they are, or packed.
fn serve() -> FakeHttp {
    // Text that packs as text does, and not as a bomb.
    let letters = (0..4 * MB as u64).map(|at| {
        b"0123456789abcdef"
            [(at.wrapping_mul(at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 60) as usize]
    });
    let plain: Vec<u8> = letters.collect();
    let packed = gzip(&plain);
    FakeHttp::start(move |request| match request.path.as_str() {
        "/gzip" => FakeResponse::with_headers(200, &[("content-encoding", "gzip")], &packed),
        "/br" => FakeResponse::with_headers(200, &[("content-encoding", "br")], BROTLI),
        _ => FakeResponse::text(&plain),
    })
}

#[test]
fn issue_14_09_answers_share_the_memory_that_there_is_for_them() {
    testkit::isolated_async(async {
        compute::limit_intake(16 * MB, 16 * MB);
        let server = serve();
        let address = server.address;
        let http = GuardedHttp::new(EgressPolicy::parse(&address.to_string()).unwrap());
        let get = async |path: &str, timeout_ms: u64| -> Result<HttpResponse, HttpError> {
            let mut request = HttpRequest::new("GET", format!("http://{address}{path}"));
            request.timeout_ms = timeout_ms;
            http.send(request).await
        };
        // Three fit; a fourth goes on because nobody else waits.
        let mut held = Vec::new();
        for path in ["/", "/gzip", "/", "/gzip"] {
            let answer = get(path, 10_000).await.unwrap();
            assert_eq!(answer.body.len(), 4 * MB, "{path}");
            held.push(answer);
        }
        for path in ["/", "/gzip"] {
            assert!(matches!(get(path, 300).await, Err(HttpError::Timeout { .. })), "{path} waits");
        }
        let error = get("/br", 10_000).await.unwrap_err();
        assert!(matches!(error, HttpError::NoCapacity { limit } if limit == 16 * MB), "{error}");
        assert_eq!(error.code(), model::Code::OVERLOAD);
        assert_eq!(
            error.to_string(),
            "Not enough memory for the response: data received from other services already uses the limit of 16777216 bytes"
        );

        let (waited, ()) = tokio::join!(get("/", 10_000), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            held.clear();
        });
        assert_eq!(waited.unwrap().body.len(), 4 * MB, "it goes on when others are done");
        assert_eq!(
            get("/br", 10_000).await.unwrap().body.len(),
            20 * MB,
            "alone, an answer may be larger than all together"
        );
    });
}
