//! Names to addresses: a port, so that tests decide what a name means.

use super::policy::{CheckedDestination, EgressPolicy};
use node_api::http::HttpError;
use std::io;
use std::net::{IpAddr, SocketAddr};

/// Looks a name up. Called once per hop of a request; the connection then goes to what came back
/// and nowhere else.
#[async_trait::async_trait]
pub trait NameResolver: Send + Sync {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The machine's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait::async_trait]
impl NameResolver for SystemResolver {
    #[expect(clippy::disallowed_methods, reason = "the only code that resolves names")]
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}

/// The addresses of a destination, every one of them checked. One closed address among several
/// closes the name.
pub(crate) async fn checked_addresses(
    policy: &EgressPolicy,
    resolver: &dyn NameResolver,
    destination: &CheckedDestination,
) -> Result<Vec<SocketAddr>, HttpError> {
    let mut addresses = match destination.ip() {
        Some(address) => vec![address],
        None => {
            let host = destination.host.to_string();
            let not_found =
                |reason: String| HttpError::Unreachable { reason, errno: Some("ENOTFOUND") };
            let found = resolver.resolve(&host).await.map_err(|error| match error.kind() {
                io::ErrorKind::TimedOut => HttpError::Unreachable {
                    reason: format!("getaddrinfo EAI_AGAIN {host}"),
                    errno: Some("EAI_AGAIN"),
                },
                _ => not_found(format!("getaddrinfo ENOTFOUND {host}")),
            })?;
            if found.is_empty() {
                return Err(not_found(format!("getaddrinfo ENOTFOUND {host}")));
            }
            found
        }
    };
    for address in &addresses {
        policy.check_address(destination, *address)?;
    }
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses.into_iter().map(|address| SocketAddr::new(address, destination.port)).collect())
}
