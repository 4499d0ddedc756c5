//! Keeps idle connections for a while, each for the server, the sign-in and the checked address it
//! was made with.

use node_api::connect::RemoteServer;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Idle connections that are kept in all.
const MAX_IDLE: usize = 32;
/// Servers close what is idle for long; a connection older than this is not used again.
const IDLE_TTL: Duration = Duration::from_secs(30);

pub(super) struct Pool<C> {
    idle: Mutex<Vec<Idle<C>>>,
}

struct Idle<C> {
    server: RemoteServer,
    database: String,
    address: SocketAddr,
    since: Instant,
    connection: C,
}

impl<C> Default for Pool<C> {
    fn default() -> Self {
        Self { idle: Mutex::default() }
    }
}

impl<C> Pool<C> {
    /// An idle connection to one of the addresses, which have just been checked.
    pub(super) fn take(
        &self,
        server: &RemoteServer,
        database: &str,
        addresses: &[SocketAddr],
    ) -> Option<(C, SocketAddr)> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|kept| kept.since.elapsed() < IDLE_TTL);
        let fits = |kept: &Idle<C>| {
            kept.server == *server && kept.database == database && addresses.contains(&kept.address)
        };
        let at = idle.iter().rposition(fits)?;
        let kept = idle.swap_remove(at);
        Some((kept.connection, kept.address))
    }

    pub(super) fn put(
        &self,
        server: RemoteServer,
        database: String,
        address: SocketAddr,
        connection: C,
    ) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() >= MAX_IDLE {
            idle.remove(0);
        }
        idle.push(Idle { server, database, address, since: Instant::now(), connection });
    }
}
