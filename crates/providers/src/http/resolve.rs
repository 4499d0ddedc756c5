//! Names to addresses: a port, so that tests decide what a name means.

use std::io;
use std::net::IpAddr;

/// Looks a name up. Called once per hop of a request; the connection then goes to what came back and nowhere else.
#[async_trait::async_trait]
pub trait Resolve: Send + Sync {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The machine's own resolver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

#[async_trait::async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, 0)).await?.map(|address| address.ip()).collect())
    }
}
