//! Every trick of addresses, names and URLs that the policy must see through.

use super::*;

fn check(allow: &str, url: &str) -> Result<CheckedDestination, HttpError> {
    EgressPolicy::parse(allow).unwrap().check_url(url)
}

fn is_blocked(result: &Result<CheckedDestination, HttpError>) -> bool {
    matches!(result, Err(HttpError::Blocked { .. }))
}

#[test]
fn every_spelling_of_a_local_address_is_blocked() {
    for host in [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "0",
        "0.0.0.0",
        "0x7f000001",
        "0x7F.1",
        "2130706433",
        "017700000001",
        "0177.0.0.1",
        "127.0.0.1.",
        "①②⑦.⓪.⓪.①",
        "１２７.0.0.1",
        "127。0。0。1",
        "localhost",
        "localhost.",
        "LOCALHOST",
        "loca%6chost",
        "a.localhost",
        "[::1]",
        "[::]",
        "[0:0:0:0:0:0:0:1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
        "[2002:7f00:1::]",
        "[fc00::1]",
        "[fd12::1]",
        "[ff02::1]",
        "[fe80::1]",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.0.1",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.51.100.1",
        "203.0.113.1",
        "169.254.169.254",
        "169.254.170.2",
        "[fd00:ec2::254]",
        "100.100.100.200",
        "192.0.0.192",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "168.63.129.16",
        "0xa9fea9fe",
        "2852039166",
        "metadata",
        "[::ffff:a9fe:a9fe]",
        "printer.local",
    ] {
        for scheme in ["http", "https", "HtTp"] {
            let result = check("", &format!("{scheme}://{host}/x"));
            assert!(is_blocked(&result), "{scheme}://{host}: {result:?}");
        }
    }
}

#[test]
fn a_zone_in_an_address_and_broken_hosts_are_no_urls() {
    for url in [
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://a%2fb/",
        "http://a b/",
        "http:///",
        "http://",
        "",
        "x",
        "//host/x",
        "http://256.256.256.256/",
        "http://0x1ffffffff/",
        "http://a:99999/",
        "http://[::1",
        "http://%00/",
        "http://a%0d%0ab/",
    ] {
        assert!(
            matches!(check("", url), Err(HttpError::Url { .. })),
            "{url}: {:?}",
            check("", url)
        );
    }
}

#[test]
fn other_schemes_are_refused() {
    for url in [
        "file:///etc/passwd",
        "gopher://example.com/",
        "ftp://example.com/",
        "data:text/plain,x",
        "unix:///var/run/docker.sock",
        "http+unix://%2Fvar%2Frun/x",
        "javascript:alert(1)",
        "ws://example.com/",
        "dict://example.com/",
        "FILE:///x",
    ] {
        assert!(matches!(check("", url), Err(HttpError::Url { .. })), "{url}");
    }
}

#[test]
fn the_host_is_what_a_browser_would_take_it_for() {
    for (url, host) in [
        ("http://private.test@example.com/", "example.com"),
        ("http://example.com#@127.0.0.1/", "example.com"),
        ("http://example.com\\@127.0.0.1/", "example.com"),
        ("http://exam\tple.c\nom/", "example.com"),
        ("http://example。com/", "example.com"),
        ("http://EXAMPLE.com:80/", "example.com"),
        ("http://example.com/%2f@127.0.0.1", "example.com"),
        ("  http://example.com/ ", "example.com"),
    ] {
        assert_eq!(check("", url).unwrap().host.to_string(), host, "{url}");
    }
    for url in [
        "http://example.com@127.0.0.1/",
        "http://127.0.0.1#@example.com/",
        "http://127.0.0.1\\@example.com/",
        "http://127.0.0.1:80\\@example.com",
        "http://example.com:80@127.0.0.1/",
        "http://12\t7.0.0.1/",
        "http:127.0.0.1/",
        "http:\\\\127.0.0.1",
        "http://example.com%40x@127.0.0.1/",
    ] {
        assert!(is_blocked(&check("", url)), "{url}: {:?}", check("", url));
    }
}

#[test]
fn ports_of_other_services_are_closed() {
    assert!(CLOSED_PORTS.is_sorted());
    for port in [22, 25, 6379, 3306, 11211] {
        assert!(is_blocked(&check("", &format!("http://example.com:{port}/"))));
        assert!(is_blocked(&check("example.com", &format!("http://example.com:{port}/"))));
        assert!(
            check(&format!("example.com:{port}"), &format!("http://example.com:{port}/")).is_ok()
        );
    }
    assert!(check("", "http://example.com:8080/").is_ok());
}

#[test]
fn an_entry_opens_its_host_and_port_and_nothing_else() {
    assert!(check("127.0.0.1:5678", "http://127.0.0.1:5678/").is_ok());
    assert!(check("127.0.0.1:5678", "http://2130706433:5678/").is_ok());
    assert!(is_blocked(&check("127.0.0.1:5678", "http://127.0.0.1:5679/")));
    assert!(is_blocked(&check("127.0.0.1:5678", "http://127.0.0.1/")));
    assert!(is_blocked(&check("127.0.0.1:5678", "http://127.0.0.2:5678/")));
    assert!(is_blocked(&check("127.0.0.1:5678", "http://localhost:5678/")));
    assert!(check("localhost:5678", "http://LOCALHOST.:5678/").is_ok());
    assert!(check("10.0.0.0/8:443", "https://10.9.8.7/").is_ok());
    assert!(is_blocked(&check("10.0.0.0/8:443", "http://10.9.8.7/")));
    assert!(check("fd00::/8", "http://[fd01::1]/").is_ok());
    assert!(check("[::1]:80", "http://[::1]/").is_ok());
    assert!(is_blocked(&check("[::1]:80", "http://[::1]:81/")));
    assert!(check("127.0.0.0/8", "http://[::ffff:127.0.0.1]/").is_ok());
    assert!(is_blocked(&check("example.com", "http://sub.example.com.localhost/")));
}

#[test]
fn a_name_in_the_list_opens_private_addresses_but_never_metadata() {
    let policy = EgressPolicy::parse("intranet.test").unwrap();
    let destination = policy.check_url("http://intranet.test/").unwrap();
    assert!(policy.check_address(&destination, "10.0.0.1".parse().unwrap()).is_ok());
    assert!(policy.check_address(&destination, "169.254.169.254".parse().unwrap()).is_err());
    let other = policy.check_url("http://other.test/").unwrap();
    assert!(policy.check_address(&other, "10.0.0.1".parse().unwrap()).is_err());
}

#[test]
fn broken_entries_are_settings_errors() {
    for entry in [
        "10.0.0.0/33",
        "10.0.0/8",
        "host:0",
        "host:99999",
        "host:x",
        "*.example.com",
        "a b",
        "10.0.0.0/8:0",
        "/8",
        "http://x/",
    ] {
        let error = EgressPolicy::parse(entry).unwrap_err();
        assert_eq!(error.code(), Code::SETTING_INVALID, "{entry}");
        assert!(error.to_string().contains(entry));
    }
    assert!(EgressPolicy::parse(" , ,").unwrap().allowed.is_empty());
}

#[test]
fn messages_show_no_password_and_no_query() {
    assert_eq!(without_secrets("ftp://user:pass@host/path?token=1#x"), "ftp://host/path");
    let shown = check("", "ftp://user:pass@host/path?token=1").unwrap_err().to_string();
    assert!(!shown.contains("pass@") && !shown.contains("token"), "{shown}");
}

/// Numbers that look random and are the same in every run.
fn spread(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |below| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    }
}

#[test]
fn whatever_passes_is_public_and_means_the_same_when_read_again() {
    const PIECES: &[&str] = &[
        "http",
        "https",
        "HTTP",
        "file",
        ":",
        "//",
        "/",
        "\\",
        "@",
        "#",
        "?",
        "%",
        "%2f",
        "%40",
        ".",
        "。",
        "..",
        "[",
        "]",
        "::",
        "1",
        "127.0.0.1",
        "0x7f",
        "0177",
        "2130706433",
        "localhost",
        "example.com",
        "metadata.google.internal",
        "10.0.0.1",
        "ffff",
        "64:ff9b",
        "\t",
        "\n",
        " ",
        "\0",
        "é",
        "①",
        "ß",
        "xn--",
        "%00",
        "user",
        "pass",
        ":80",
        ":22",
        ":99999",
        "fe80::1%25eth0",
        "http://",
        "https://",
    ];
    let policy = EgressPolicy::default();
    let mut pick = spread(7);
    let mut n_passed = 0;
    for _ in 0..60_000 {
        let mut text = String::from(["http://", "https://", ""][pick(3)]);
        for _ in 0..=pick(7) {
            text.push_str(PIECES[pick(PIECES.len())]);
        }
        let Ok(destination) = policy.check_url(&text) else { continue };
        n_passed += 1;
        assert!(matches!(destination.url.scheme(), "http" | "https"), "{text:?}");
        assert!(
            destination.ip().is_none_or(|address| address::classify(address).is_none()),
            "{text:?}"
        );
        let again = policy
            .check_url(destination.url.as_str())
            .unwrap_or_else(|error| panic!("{text:?}: {error}"));
        assert_eq!((again.host, again.port), (destination.host, destination.port), "{text:?}");
    }
    assert!(n_passed > 1000, "{n_passed}");
}

#[test]
fn a_blocked_host_is_told_with_the_setting_that_opens_it() {
    let told = |allow: &str, url: &str| check(allow, url).unwrap_err().to_string();
    assert_eq!(
        told("", "http://localhost:3000/x"),
        "The request to localhost is blocked: the name belongs to the local network. To allow it, \
         set HEDDLE_EGRESS_ALLOW=localhost:3000 and restart Heddle"
    );
    let listed = told("other.internal", "https://192.168.1.5/x?token=1");
    assert!(
        listed.ends_with(
            "it is a private address. To allow it, append ,192.168.1.5:443 to \
             HEDDLE_EGRESS_ALLOW and restart Heddle"
        ),
        "{listed}"
    );
    // What the message says to set does open the host.
    for url in ["http://localhost:3000/x", "http://[::1]:8080/", "http://db.internal:5432/"] {
        let told = told("", url);
        let (_, line) = told.split_once("HEDDLE_EGRESS_ALLOW=").unwrap();
        let (entry, _) = line.split_once(' ').unwrap();
        assert!(check(entry, url).is_ok(), "{url}: {entry}");
    }
    let metadata = told("", "http://169.254.169.254/");
    assert!(!metadata.contains("HEDDLE_EGRESS_ALLOW="), "{metadata}");
}
