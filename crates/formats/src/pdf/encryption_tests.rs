//! Files that pypdf encrypted: a title, two pages, `secret` opens them and `boss` owns them. Anybody may open the last.

use super::{PdfOptions, read};
use model::{Object, Value};

const FILES: [(&str, &[u8]); 4] = [
    ("RC4, 40 bits", include_bytes!("encrypted/rc4-40.pdf")),
    ("RC4, 128 bits", include_bytes!("encrypted/rc4-128.pdf")),
    ("AES, 128 bits", include_bytes!("encrypted/aes-128.pdf")),
    ("AES, 256 bits", include_bytes!("encrypted/aes-256.pdf")),
];
const OWNER_ONLY: &[u8] = include_bytes!("encrypted/owner-only.pdf");

fn read_with(data: &[u8], password: Option<&str>) -> Result<Object, String> {
    let options = PdfOptions {
        password: password.map(Into::into),
        join_pages: true,
        ..PdfOptions::default()
    };
    read(data, &options).map_err(|error| error.message().to_string())
}

#[track_caller]
fn check_opened(name: &str, read: Result<Object, String>) {
    let read = Value::object(read.unwrap_or_else(|error| panic!("{name}: {error}")));
    let text = read.get("text").and_then(Value::as_str).unwrap_or_default();
    assert_eq!(text, "Hello encrypted world\n\nSecond page", "{name}");
    let info = read.get("info").unwrap();
    assert_eq!(info.get("Title").and_then(Value::as_str), Some("The title"), "{name}");
    assert_eq!(info.get("EncryptFilterName").and_then(Value::as_str), Some("Standard"), "{name}");
}

#[test]
fn issue_17_02_the_password_of_a_reader_and_that_of_the_owner_open_it() {
    for (name, data) in FILES {
        for password in ["secret", "boss"] {
            check_opened(name, read_with(data, Some(password)));
        }
    }
}

#[test]
fn issue_17_02_without_the_password_it_stays_closed() {
    for (name, data) in FILES {
        for nothing in [None, Some("")] {
            assert_eq!(read_with(data, nothing), Err("No password given".to_owned()), "{name}");
        }
        let wrong = read_with(data, Some("Secret"));
        assert_eq!(wrong, Err("Incorrect Password".to_owned()), "{name}");
    }
}

#[test]
fn issue_17_02_a_file_that_only_its_owner_may_change_opens_without_a_password() {
    for password in [None, Some("boss"), Some("")] {
        check_opened("owner only", read_with(OWNER_ONLY, password));
    }
}
