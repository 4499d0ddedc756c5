//! Services that a credential is sent to, and a server whose log is kept.

use super::search::files_of;
use crate::support::Server;
use serde_json::{Value, json};
use std::path::Path;
use testkit::{FakeHttp, FakeResponse};

/// A server that answers each request the same.
pub(crate) struct Listener(FakeHttp);

/// Its port, and the server itself.
pub(crate) fn listener(answer: String) -> (u16, Listener) {
    let server = FakeHttp::fixed(FakeResponse::raw(answer));
    (server.port(), Listener(server))
}

impl Listener {
    /// The heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.0.requests().into_iter().map(|request| request.head).collect()
    }
}

/// A server that logs everything and may reach `allow`.
pub(crate) fn start_server(data: &Path, allow: &str, more: &[(&str, &str)]) -> Server {
    let settings = [&[("HEDDLE_LOG", "trace"), ("HEDDLE_EGRESS_ALLOW", allow)], more].concat();
    let server = Server::start_with_key(data, &settings, "").unwrap();
    // Unless a setting says otherwise, nobody else can reach it: the first owner is made from this
    // machine.
    assert!(server.address.starts_with("127.0.0.1:"), "{}", server.address);
    server
}

/// Ends the server and returns its log and the files it has written.
pub(crate) fn end_and_collect(server: Server, data: &Path) -> Vec<(String, Vec<u8>)> {
    let log = server.log();
    assert!(log.len() > 1000, "the log is not at trace level");
    drop(server);
    let mut left = files_of(data);
    left.push(("the log".to_owned(), log.into_bytes()));
    left
}

pub(crate) fn credential(id: &str, kind: &str, data: Value) -> Value {
    json!({ "id": id, "name": id, "type": kind, "data": data })
}
