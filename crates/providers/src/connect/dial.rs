//! Opens a byte stream to a server: policy, lookup, connection, encryption, each with the server's
//! time limit.

use super::tls;
use crate::http::{EgressPolicy, NameResolver, checked_addresses};
use node_api::connect::{ConnectError, RemoteServer};
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// A connection, encrypted or not.
pub(super) trait Stream:
    AsyncRead + AsyncWrite + Send + Sync + Unpin + std::fmt::Debug
{
}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin + std::fmt::Debug> Stream for T {}

pub(super) type BoxStream = Box<dyn Stream>;

pub(super) struct Dialer {
    policy: EgressPolicy,
    resolver: Arc<dyn NameResolver>,
}

impl Dialer {
    pub(super) fn new(policy: EgressPolicy, resolver: Arc<dyn NameResolver>) -> Self {
        Self { policy, resolver }
    }

    /// Where the server is, every address of it checked.
    pub(super) async fn addresses(
        &self,
        server: &RemoteServer,
    ) -> Result<Vec<SocketAddr>, ConnectError> {
        let destination = self.policy.check_server(&server.host, server.port)?;
        within(server, async {
            Ok(checked_addresses(&self.policy, self.resolver.as_ref(), &destination).await?)
        })
        .await
    }

    /// A connection in the open to one of the checked addresses, and which one it is.
    pub(super) async fn connect(
        &self,
        server: &RemoteServer,
    ) -> Result<(TcpStream, SocketAddr), ConnectError> {
        let addresses = self.addresses(server).await?;
        connect_to(server, &addresses).await
    }
}

#[expect(clippy::disallowed_methods, reason = "the only code that connects, to checked addresses")]
pub(super) async fn connect_to(
    server: &RemoteServer,
    addresses: &[SocketAddr],
) -> Result<(TcpStream, SocketAddr), ConnectError> {
    within(server, async {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in addresses {
            match TcpStream::connect(address).await {
                Ok(stream) => {
                    // Small questions and answers follow each other; waiting to fill a packet would
                    // slow every one of them.
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, *address));
                }
                Err(error) => last = error,
            }
        }
        Err(unreachable(server, &last))
    })
    .await
}

/// Encrypts a connection.
pub(super) async fn encrypt(
    server: &RemoteServer,
    stream: TcpStream,
) -> Result<BoxStream, ConnectError> {
    let connector = tls::connector(server)?;
    let name = tls::server_name(server)?;
    within(server, async {
        Ok(Box::new(
            connector.connect(name, stream).await.map_err(|error| unreachable(server, &error))?,
        ) as BoxStream)
    })
    .await
}

/// Bounds a step by the server's time limit.
pub(super) async fn within<T>(
    server: &RemoteServer,
    step: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    within_ms(server, server.timeout_ms, step).await
}

/// The same for what has a time of its own.
pub(super) async fn within_ms<T>(
    server: &RemoteServer,
    timeout_ms: u64,
    step: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    let timed = tokio::time::timeout(Duration::from_millis(timeout_ms), step).await;
    timed.unwrap_or_else(|_| Err(ConnectError::Timeout { place: server.authority(), timeout_ms }))
}

/// A failure of the connection in Node.js's words, which workflows know.
pub(super) fn unreachable(server: &RemoteServer, error: &io::Error) -> ConnectError {
    if let Some(untrusted) = tls::untrusted(server, error) {
        return untrusted;
    }
    let reason = match error.kind() {
        io::ErrorKind::ConnectionRefused => format!("connect ECONNREFUSED {}", server.authority()),
        io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof => {
            "the server closed the connection (ECONNRESET)".to_owned()
        }
        io::ErrorKind::TimedOut => format!("connect ETIMEDOUT {}", server.authority()),
        io::ErrorKind::HostUnreachable => format!("connect EHOSTUNREACH {}", server.authority()),
        io::ErrorKind::NetworkUnreachable => format!("connect ENETUNREACH {}", server.authority()),
        _ => error.to_string(),
    };
    ConnectError::Unreachable { place: server.authority(), reason }
}
