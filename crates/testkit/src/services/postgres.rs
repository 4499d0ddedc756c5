//! PostgreSQL, with or without pgvector.

use super::certificate::{CERTIFICATE, KEY, certify};
use super::{PASSWORD, Service, as_user, folder, free_port, run, run_to_end, service_user, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a Postgres was built with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PostgresTls {
    Offered,
    Missing,
}

pub(super) fn start_postgres() -> Service {
    start_postgres_of(&newest(Path::new("/usr/lib/postgresql")).join("bin"), PostgresTls::Offered)
}

pub(super) fn start_postgres_of(bin: &Path, encryption: PostgresTls) -> Service {
    assert!(
        bin.join("postgres").exists(),
        "there is no Postgres in {}: run `cargo xtask services`",
        bin.display()
    );
    let user = service_user("postgres");
    let folder = folder("postgres", user.as_deref());
    let password_file = folder.join("password");
    write(&password_file, PASSWORD, user.as_deref());
    let data = folder.join("data");
    let mut init = as_user(user.as_deref(), &bin.join("initdb"));
    init.arg("-D")
        .arg(&data)
        .args([
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
            "--pwfile",
        ])
        .arg(&password_file);
    run_to_end(&mut init);
    certify(&folder, user.as_deref());
    let port = free_port();
    let mut command = as_user(user.as_deref(), &bin.join("postgres"));
    command.arg("-D").arg(&data).args(["-p", &port.to_string(), "-k"]).arg(&folder);
    command.args([
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        "fsync=off",
        "-c",
        "max_connections=50",
    ]);
    if encryption == PostgresTls::Offered {
        command.args(["-c", "ssl=on"]);
        for (setting, file) in [("ssl_cert_file", CERTIFICATE), ("ssl_key_file", KEY)] {
            command.arg("-c").arg(format!("{setting}={}", folder.join(file).display()));
        }
    }
    let mut server = run(command, port, folder);
    server.stop_signal = "-INT";
    // It takes connections before it takes queries.
    let is_ready = || {
        Command::new(bin.join("pg_isready"))
            .args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()])
            .status()
            .unwrap()
            .success()
    };
    let began = std::time::Instant::now();
    while !is_ready() {
        assert!(began.elapsed().as_secs() < 60, "Postgres is not ready after a minute");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    server
}

fn newest(folder: &Path) -> PathBuf {
    let entries = fs::read_dir(folder).unwrap_or_else(|_| {
        panic!("PostgreSQL is not in {}; `cargo xtask ci` installs it", folder.display())
    });
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("bin/initdb").exists())
        .max()
        .unwrap()
}
