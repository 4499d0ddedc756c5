//! Bodies of every kind, the odd ones among them.

use super::*;
use model::json::parse as json_value;
use std::io::Write as _;

fn how() -> BodyOptions {
    BodyOptions {
        limits: BodyLimits::default(),
        xml: nodes::text::read_xml_request,
        body: BodyMode::Parsed,
        binary_field: Str::new(),
    }
}

async fn read_as(
    content_type: &str,
    encoding: &str,
    bytes: &[u8],
    how: &BodyOptions,
) -> Result<ParsedBody, ApiError> {
    let (mut head, ()) = Request::new(()).into_parts();
    head.headers.insert(header::CONTENT_TYPE, content_type.parse().unwrap());
    head.headers.insert(header::CONTENT_ENCODING, encoding.parse().unwrap());
    read(Body::from(bytes.to_vec()), &head, how).await
}

async fn body(content_type: &str, bytes: &[u8]) -> String {
    match read_as(content_type, "", bytes, &how()).await {
        Ok(read) if read.files.is_empty() => model::json::to_string(&read.json),
        Ok(read) => {
            let files: Vec<String> = read
                .files
                .iter()
                .map(|(name, file)| {
                    format!(
                        "{name}={}:{}",
                        file.file_name.as_deref().unwrap_or("-"),
                        file.mime_type
                    )
                })
                .collect();
            format!("{} {}", model::json::to_string(&read.json), files.join(" "))
        }
        Err(error) => error.code.name().to_owned(),
    }
}

#[tokio::test]
async fn the_type_says_how_a_body_is_read() {
    for (content_type, bytes, wanted) in [
        ("application/json", &b"{\"a\":1}"[..], "{\"a\":1}"),
        ("application/vnd.api+json; charset=utf-8", b"[1]", "[1]"),
        ("APPLICATION/JSON", b"{}", "{}"),
        ("application/json", b"", "{}"),
        ("application/json", b"{\"a\":", "REQUEST_BODY"),
        ("text/plain", b"hi", "\"hi\""),
        ("text/plain; charset=latin1", b"caf\xe9", "\"café\""),
        ("text/html", b"<b>", "{} data=-:text/html"),
        ("text/csv", b"a,b", "{} data=-:text/csv"),
        ("application/octet-stream", b"\0\x01", "{} data=-:application/octet-stream"),
        ("image/svg+xml", b"<svg><script>1</script></svg>", "{\"svg\":{\"script\":\"1\"}}"),
        (
            "application/x-www-form-urlencoded",
            b"a=1&b[c]=2&a=3&d[]=4&e=%zz&f=+",
            "{\"a\":[\"1\",\"3\"],\"b[c]\":\"2\",\"d[]\":\"4\",\"e\":\"%zz\",\"f\":\" \"}",
        ),
        (
            "application/x-www-form-urlencoded",
            b"__proto__=1&constructor[x]=2",
            "{\"__proto__\":\"1\",\"constructor[x]\":\"2\"}",
        ),
        ("", b"{\"a\":1}", "{\"a\":1}"),
        ("", b"plain", "\"plain\""),
    ] {
        assert_eq!(body(content_type, bytes).await, wanted, "{content_type}");
    }
}

#[tokio::test]
async fn xml_is_read_as_n8n_reads_it_and_entities_are_refused() {
    assert_eq!(
        body("text/xml", b"<Order ID='7'><Item> a  b </Item><Item/></Order>").await,
        r#"{"order":{"$":{"ID":"7"},"item":["a b",""]}}"#
    );
    assert_eq!(
        body("application/xml", b"\xef\xbb\xbf<?xml version='1.0'?><a>1</a>").await,
        r#"{"a":"1"}"#
    );
    let bomb = b"<!DOCTYPE l [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'>]><l>&b;</l>";
    assert_eq!(body("application/xml", bomb).await, "REQUEST_TOO_LARGE");
    let outside = b"<!DOCTYPE l [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><l>&x;</l>";
    assert_eq!(body("text/xml", outside).await, "REQUEST_TOO_LARGE");
    assert_eq!(body("text/xml", "<a>".repeat(10_000).as_bytes()).await, "REQUEST_TOO_LARGE");
    assert_eq!(body("text/xml", b"<a>").await, "REQUEST_BODY");
}

#[tokio::test]
async fn byte_order_marks_and_character_sets_are_understood() {
    assert_eq!(body("application/json", b"\xef\xbb\xbf{\"a\":1}").await, "{\"a\":1}");
    assert_eq!(body("application/json", b"\xff\xfe{\0}\0").await, "{}");
    assert_eq!(body("application/json; charset=utf-16le", b"{\0}\0").await, "{}");
    assert_eq!(body("application/json", b"{\"a\":\"\xff\"}").await, "REQUEST_BODY");
    assert_eq!(body("text/plain", b"a\xffb").await, "\"a\u{fffd}b\"");
    assert_eq!(body("text/plain; charset=\"shift_jis\"", b"\x83\x65").await, "\"テ\"");
    assert_eq!(body("text/plain; charset=klingon", b"x").await, "REQUEST_ENCODING");
    assert_eq!(body("application/json; charset=iso-2022-kr", b"{}").await, "REQUEST_ENCODING");
}

#[tokio::test]
async fn issue_14_00_no_character_set_hides_values_from_the_estimate() {
    let how =
        BodyOptions { limits: BodyLimits { bytes: 1 << 20, ..BodyLimits::default() }, ..how() };
    let many = ",[]".repeat(150_000);
    // The second byte of each of these letters is a backslash, which before a quote would hide
    // where the text ends.
    for (charset, letter) in
        [("shift_jis", b"\x83\x5c"), ("gbk", b"\x81\x5c"), ("big5", b"\xa5\x5c")]
    {
        let bytes = [b"[\"".as_slice(), letter, b"\"", many.as_bytes(), b"]"].concat();
        let refused =
            read_as(&format!("application/json; charset={charset}"), "", &bytes, &how).await.err();
        assert_eq!(refused.map(|error| error.code), Some(Code::REQUEST_TOO_LARGE), "{charset}");
    }
    // A byte of this letter is a quote.
    let wide: Vec<u8> =
        format!("\u{feff}[\"\u{2200}\"{many}]").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let refused = read_as("application/json", "", &wide, &how).await.err();
    assert_eq!(refused.map(|error| error.code), Some(Code::REQUEST_TOO_LARGE));
}

#[tokio::test]
async fn issue_14_00_work_keeps_its_place_when_its_caller_has_gone() {
    let place = Arc::new(());
    let (go, wait) = std::sync::mpsc::channel::<()>();
    let work = run_blocking_with(place.clone(), move || wait.recv().is_ok());
    assert!(
        tokio::time::timeout(std::time::Duration::from_millis(20), work).await.is_err(),
        "nobody waits any more"
    );
    assert_eq!(Arc::strong_count(&place), 2);
    go.send(()).unwrap();
    while Arc::strong_count(&place) > 1 {
        tokio::task::yield_now().await;
    }
    let (done, place) = run_blocking_with(place, || 1).await.unwrap();
    assert_eq!((done, Arc::strong_count(&place)), (1, 1));
}

#[tokio::test]
async fn a_body_may_be_kept_as_it_came() {
    let kept = BodyOptions { body: BodyMode::ParsedAndRaw, binary_field: "other".into(), ..how() };
    let read = read_as("application/json", "", b"{ \"a\": 1 }", &kept).await.unwrap();
    assert_eq!((read.json, read.files[0].0.as_str()), (json_value("{\"a\":1}").unwrap(), "data"));
    assert_eq!(read.files[0].1.data, &b"{ \"a\": 1 }"[..]);
    let file = BodyOptions { body: BodyMode::File, binary_field: "other".into(), ..how() };
    let read = read_as("application/json", "", b"{ broken", &file).await.unwrap();
    assert_eq!((read.json, read.files[0].0.as_str()), (Value::empty_object(), "other"));
    let read = read_as("multipart/form-data; boundary=x", "", b"--x--", &file).await.unwrap();
    assert_eq!(read.files.len(), 1);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[tokio::test]
async fn packed_bodies_are_unpacked_within_limits() {
    let json = b"{\"a\":1}";
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    zlib.write_all(json).unwrap();
    let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    bare.write_all(json).unwrap();
    // `{"a":1}` in brotli, stored.
    let brotli = [b"\x0b\x03\x80".as_slice(), json, b"\x03"].concat();
    for (encoding, bytes) in [
        ("gzip", gzip(json)),
        ("X-GZIP", gzip(json)),
        ("deflate", zlib.finish().unwrap()),
        ("deflate", bare.finish().unwrap()),
        ("br", brotli),
        ("identity", json.to_vec()),
    ] {
        let read = read_as("application/json", encoding, &bytes, &how())
            .await
            .map(|read| model::json::to_string(&read.json));
        assert_eq!(read.map_err(|error| error.message), Ok("{\"a\":1}".to_owned()), "{encoding}");
    }
    let code = async |encoding: &str, bytes: &[u8]| {
        read_as("text/plain", encoding, bytes, &how()).await.err().map(|error| error.code)
    };
    assert_eq!(code("gzip", b"no gzip").await, Some(Code::REQUEST_BODY));
    assert_eq!(code("gzip", &gzip(b"cut short")[..12]).await, Some(Code::REQUEST_BODY));
    assert_eq!(code("gzip, gzip", &gzip(&gzip(json))).await, Some(Code::REQUEST_ENCODING));
    assert_eq!(code("zstd", b"").await, Some(Code::REQUEST_ENCODING));
    // A bomb: 12 MB of nothing are within the size, but not within the ratio; 64 MB are within
    // neither.
    assert_eq!(code("gzip", &gzip(&vec![0; 12 << 20])).await, Some(Code::REQUEST_TOO_LARGE));
    assert_eq!(code("gzip", &gzip(&vec![0; 64 << 20])).await, Some(Code::REQUEST_TOO_LARGE));
    assert_eq!(
        code("gzip", &gzip(&vec![b'a'; 900 << 10])).await,
        None,
        "a small one may be packed as well as it can be"
    );
}

fn form(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut all = Vec::new();
    for (head, content) in parts {
        all.extend_from_slice(
            format!("--x\r\ncontent-disposition: form-data; {head}\r\n\r\n{content}\r\n")
                .as_bytes(),
        );
    }
    all.extend_from_slice(b"--x--\r\n");
    all
}

#[tokio::test]
async fn files_of_a_form_are_named_as_n8n_names_them() {
    let parts = form(&[
        ("name=\"a\"", "1"),
        ("name=\"a\"", "2"),
        ("name=\"one\"; filename=\"x.txt\"", "x"),
        ("name=\"many[]\"; filename=\"y.txt\"", "y"),
        ("name=\"many[]\"; filename=\"z.txt\"", "z"),
    ]);
    let kind = "application/octet-stream";
    let wanted =
        format!("{{\"a\":[\"1\",\"2\"]}} one=x.txt:{kind} many0=y.txt:{kind} many1=z.txt:{kind}");
    assert_eq!(body("multipart/form-data; boundary=x", &parts).await, wanted);
    let own = BodyOptions { binary_field: "f".into(), ..how() };
    let read = read_as("multipart/form-data; boundary=x", "", &parts, &own).await.unwrap();
    assert_eq!(
        read.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["f0", "f1", "f2"]
    );
    let packed =
        read_as("multipart/form-data; boundary=x", "gzip", &gzip(&parts), &how()).await.unwrap();
    assert_eq!(packed.files.len(), 3);
}

#[tokio::test]
async fn names_of_files_lead_nowhere() {
    for (given, kept) in [
        ("../../x", "x"),
        ("..\\..\\x.txt", "x.txt"),
        ("/etc/passwd", "passwd"),
        ("C:\\Windows\\win.ini", "win.ini"),
        ("..", "file"),
        (".", "file"),
        ("", "file"),
        (".htaccess", "htaccess"),
        ("a\u{202e}gpj.exe", "agpj.exe"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1", "_com1"),
        ("LPT9.log", "_LPT9.log"),
        ("console.log", "console.log"),
        ("trailing. . ", "trailing"),
        ("x\u{7}y\u{0}z", "xyz"),
    ] {
        assert_eq!(multipart::clean_file_name(given), kept, "{given:?}");
    }
    assert_eq!(multipart::clean_file_name(&"ä".repeat(1000)).chars().count(), 200);
    assert_eq!(
        multipart::file_name_in("attachment; filename=\"../a.txt\"").as_deref(),
        Some("a.txt")
    );
    assert_eq!(multipart::file_name_in("inline"), None);
}

#[tokio::test]
async fn forms_with_odd_parts_are_read_or_refused() {
    let parts = "multipart/form-data; boundary=x";
    assert_eq!(body("multipart/form-data", b"x").await, "REQUEST_BODY");
    assert_eq!(body("multipart/form-data; boundary=", b"x").await, "REQUEST_BODY");
    assert_eq!(body(parts, b"no parts at all").await, "REQUEST_BODY");
    assert_eq!(body(parts, b"--x\r\n\r\n").await, "REQUEST_BODY");
    assert_eq!(
        body(parts, b"--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\ncut").await,
        "REQUEST_BODY"
    );
    let many: Vec<(&str, &str)> = vec![("name=\"a\"", ""); 10_000];
    assert_eq!(body(parts, &form(&many)).await, "REQUEST_TOO_LARGE");
    let nested = form(&[(
        "name=\"in\"; filename=\"in\"",
        "--y\r\ncontent-disposition: form-data; name=\"z\"\r\n\r\n1\r\n--y--",
    )]);
    assert_eq!(
        body(parts, &nested).await,
        "{} in=in:application/octet-stream",
        "a form in a form is a file"
    );
    let odd = form(&[
        ("name=\"__proto__\"", "1"),
        ("name=\"files[0].filepath\"", "/etc/passwd"),
        ("name=\"data\"", "2"),
    ]);
    assert_eq!(
        body(parts, &odd).await,
        r#"{"__proto__":"1","files[0].filepath":"/etc/passwd","data":"2"}"#
    );
    let long = format!(
        "--x\r\ncontent-disposition: form-data; name=\"{}\"\r\n\r\n1\r\n--x--",
        "n".repeat(1 << 20)
    );
    let told = body(parts, long.as_bytes()).await;
    assert!(told == "REQUEST_BODY" || told.len() > 1 << 20, "{}", &told[..50.min(told.len())]);
}

#[test]
fn brackets_in_a_query_nest_and_cannot_reach_prototypes() {
    let nested = |query: &str| {
        model::json::to_string(&nested_fields(query.as_bytes(), BodyLimits::default()).into())
    };
    for (query, wanted) in [
        ("a=1&b=2", r#"{"a":"1","b":"2"}"#),
        ("a=1&a=2", r#"{"a":["1","2"]}"#),
        ("a[]=1", r#"{"a":["1"]}"#),
        ("a[]=1&a[]=2", r#"{"a":["1","2"]}"#),
        ("a[0]=x&a[1]=y", r#"{"a":["x","y"]}"#),
        ("a[b]=1&a[c]=2", r#"{"a":{"b":"1","c":"2"}}"#),
        ("a[b][c][]=1", r#"{"a":{"b":{"c":["1"]}}}"#),
        ("a[100]=x", r#"{"a":{"100":"x"}}"#),
        ("a[0]=x&a[b]=y", r#"{"a":{"0":"x","b":"y"}}"#),
        ("a[b][c][d][e][f][g]=1", r#"{"a":{"b":{"c":{"d":{"e":{"f":{"[g]":"1"}}}}}}}"#),
        ("__proto__[x]=1&a[__proto__][x]=1&constructor[prototype][x]=1&a[toString]=1", "{}"),
        ("[a]=1&[]=2", r#"{"a":"1","1":"2"}"#),
        ("a[=1", r#"{"a[":"1"}"#),
        ("=1", "{}"),
    ] {
        assert_eq!(nested(query), wanted, "{query}");
    }
    let many: String = (0..5_000).map(|number| format!("k{number}=1&")).collect();
    assert_eq!(nested_fields(many.as_bytes(), BodyLimits::default()).len(), 1000);
}
