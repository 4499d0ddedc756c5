//! Redis, in the open and encrypted.

use super::certificate::{AUTHORITY, CERTIFICATE, KEY, certify};
use super::{PASSWORD, Service, folder, free_port, program, run};
use std::process::Command;

pub(super) fn start_redis() -> Service {
    let folder = folder("redis", None);
    certify(&folder, None);
    let (port, tls_port) = (free_port(), free_port());
    let mut command = Command::new(program(&["/usr/bin/redis-server"], "redis-server"));
    command
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "127.0.0.2",
            "--save",
            "",
            "--requirepass",
            PASSWORD,
            "--dir",
        ])
        .arg(&folder);
    command
        .args(["--tls-port", &tls_port.to_string(), "--tls-auth-clients", "no", "--tls-cert-file"])
        .arg(folder.join(CERTIFICATE));
    command
        .arg("--tls-key-file")
        .arg(folder.join(KEY))
        .arg("--tls-ca-cert-file")
        .arg(folder.join(AUTHORITY));
    let mut server = run(command, port, folder);
    server.tls_port = tls_port;
    server
}
