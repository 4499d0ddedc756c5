//! The egress policy: which URLs and addresses a request may go to. Pure: no lookups, no clock, no
//! network.

use super::address::{self, SpecialRange};
use ipnet::IpNet;
use model::Code;
use node_api::http::HttpError;
use std::net::IpAddr;
use url::{Host, Url};

/// What the operator has opened beyond the public internet. The default opens nothing.
#[derive(Clone, Debug, Default)]
pub struct EgressPolicy {
    allowed: Vec<AllowEntry>,
    /// The same as the operator wrote it.
    written: Vec<String>,
}

#[derive(Clone, Debug, PartialEq)]
struct AllowEntry {
    target: AllowTarget,
    /// Only this port, if there is one.
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq)]
enum AllowTarget {
    Name(String),
    Network(IpNet),
}

/// A URL that passed the check, taken apart once: the connection is made from this and not from the
/// text again.
#[derive(Clone, Debug)]
pub struct CheckedDestination {
    pub url: Url,
    pub host: Host<String>,
    pub port: u16,
}

/// An entry of the allow list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("HEDDLE_EGRESS_ALLOW: '{entry}' is invalid: {reason}")]
pub struct PolicyError {
    pub entry: String,
    pub reason: &'static str,
}

impl PolicyError {
    pub fn code(&self) -> Code {
        Code::SETTING_INVALID
    }
}

const SETTING: &str = "HEDDLE_EGRESS_ALLOW";

/// Names that mean this machine or its cloud's metadata service, whatever a resolver says.
const CLOSED_NAMES: &[&str] = &[
    "localhost",
    "ip6-localhost",
    "ip6-loopback",
    "broadcasthost",
    "metadata",
    "metadata.goog",
    "instance-data",
];
/// Name endings that are never given out on the internet.
const CLOSED_ENDINGS: &[&str] =
    &[".localhost", ".localdomain", ".internal", ".local", ".home.arpa"];

/// Ports of services that are not HTTP and that a request could be made to talk to. From the fetch
/// standard's list, and databases.
const CLOSED_PORTS: &[u16] = &[
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    445, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 873,
    989, 990, 993, 995, 1433, 1521, 1719, 1720, 1723, 2049, 2375, 3306, 3389, 3659, 4045, 4190,
    5060, 5061, 5432, 5900, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    11211, 27017,
];

impl EgressPolicy {
    /// Reads a comma list of `host`, `host:port`, `CIDR` and `CIDR:port`.
    pub fn parse(list: &str) -> Result<Self, PolicyError> {
        let entries = list.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        let written: Vec<String> = entries.map(str::to_owned).collect();
        let allowed = written.iter().map(|entry| {
            AllowEntry::parse(entry).map_err(|reason| PolicyError { entry: entry.clone(), reason })
        });
        Ok(Self { allowed: allowed.collect::<Result<_, _>>()?, written })
    }

    /// Checks everything about a URL that can be known before its name is looked up.
    pub fn check_url(&self, text: &str) -> Result<CheckedDestination, HttpError> {
        let refuse = |reason: String| HttpError::Url { url: without_secrets(text), reason };
        let url = Url::parse(text.trim()).map_err(|error| refuse(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refuse(format!("only http and https are supported, not {}", url.scheme())));
        }
        let host = url.host().ok_or_else(|| refuse("it has no host".into()))?.to_owned();
        let port = url.port_or_known_default().ok_or_else(|| refuse("it has no port".into()))?;
        let destination = CheckedDestination { host, port, url };
        self.check_destination(&destination)?;
        Ok(destination)
    }

    /// Checks a server that speaks another protocol than HTTP, before its name is looked up.
    pub fn check_server(&self, host: &str, port: u16) -> Result<CheckedDestination, HttpError> {
        let refuse = |reason: String| HttpError::Url { url: without_secrets(host), reason };
        let name = host.trim();
        let inner = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
        let host = match inner.parse::<std::net::Ipv6Addr>() {
            Ok(address) => Host::Ipv6(address),
            Err(_) => Host::parse(name).map_err(|error| refuse(error.to_string()))?,
        };
        let url = Url::parse(&format!("tcp://{host}:{port}"))
            .map_err(|error| refuse(error.to_string()))?;
        let destination = CheckedDestination { url, host, port };
        self.check_host(&destination)?;
        Ok(destination)
    }

    /// Checks an address that the destination's name was looked up to, or that stands in the URL
    /// itself.
    pub fn check_address(
        &self,
        destination: &CheckedDestination,
        address: IpAddr,
    ) -> Result<(), HttpError> {
        let address = address::unwrap_mapped(address);
        let Some(special) = address::classify(address) else { return Ok(()) };
        if self.opens_address(address, destination.port) {
            return Ok(());
        }
        if self.opens_name(destination) && !special.needs_an_address_entry() {
            return Ok(());
        }
        Err(self.blocked(destination, special))
    }

    /// What the operator has opened, as it was written.
    pub fn allowed(&self) -> &[String] {
        &self.written
    }

    /// Checks a `Host` header against the same names and literals as a URL, so that it cannot ask a
    /// public proxy for a private place.
    pub fn check_host_header(&self, value: &str) -> Result<(), HttpError> {
        self.check_url(&format!("http://{value}/")).map(drop)
    }

    fn check_destination(&self, destination: &CheckedDestination) -> Result<(), HttpError> {
        if CLOSED_PORTS.binary_search(&destination.port).is_ok() && !self.opens_port(destination) {
            return Err(self.refuse(
                destination,
                format!("port {} is reserved for another kind of service", destination.port),
            ));
        }
        self.check_host(destination)
    }

    fn check_host(&self, destination: &CheckedDestination) -> Result<(), HttpError> {
        match destination.ip() {
            Some(address) => self.check_address(destination, address),
            None => {
                let name = destination.name();
                let closed = CLOSED_NAMES.contains(&name.as_str())
                    || CLOSED_ENDINGS.iter().any(|ending| name.ends_with(ending));
                if closed && !self.opens_name(destination) {
                    return Err(self
                        .refuse(destination, "the name belongs to the local network".to_owned()));
                }
                Ok(())
            }
        }
    }

    fn blocked(&self, destination: &CheckedDestination, special: SpecialRange) -> HttpError {
        // For a name the address is not told: that would let a workflow read the local network's
        // names.
        let verb = if destination.ip().is_some() { "it is" } else { "it leads to" };
        let reason = format!("{verb} {}", special.describe());
        if !special.needs_an_address_entry() {
            return self.refuse(destination, reason);
        }
        // Nobody should open these without a thought, so there is no line to copy.
        let reason = format!("{reason}, which only an entry of {SETTING} with that address opens");
        HttpError::Blocked { host: destination.host.to_string(), reason }
    }

    /// Says what to set so that just this server can be reached.
    fn refuse(&self, destination: &CheckedDestination, reason: String) -> HttpError {
        let entry = format!("{}:{}", destination.host, destination.port);
        let todo = match self.written.is_empty() {
            true => format!("set {SETTING}={entry}"),
            false => format!("append ,{entry} to {SETTING}"),
        };
        let reason = format!("{reason}. To allow it, {todo} and restart Heddle");
        HttpError::Blocked { host: destination.host.to_string(), reason }
    }

    fn opens_name(&self, destination: &CheckedDestination) -> bool {
        let name = destination.name();
        self.allowed.iter().any(|entry| {
            matches!(&entry.target, AllowTarget::Name(open) if *open == name)
                && entry.matches_port(destination.port)
        })
    }

    fn opens_address(&self, address: IpAddr, port: u16) -> bool {
        self.allowed.iter().any(|entry| {
            matches!(&entry.target, AllowTarget::Network(open) if open.contains(&address))
                && entry.matches_port(port)
        })
    }

    /// A closed port is opened only by an entry that names it.
    fn opens_port(&self, destination: &CheckedDestination) -> bool {
        let name = destination.name();
        self.allowed.iter().filter(|entry| entry.port == Some(destination.port)).any(|entry| {
            match &entry.target {
                AllowTarget::Name(open) => *open == name,
                // Which addresses a name has is not known yet; they are checked one by one once it
                // is.
                AllowTarget::Network(open) => {
                    destination.ip().is_none_or(|address| open.contains(&address))
                }
            }
        })
    }
}

impl CheckedDestination {
    /// The address that stands in the URL, if it is not a name.
    pub fn ip(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Ipv4(address) => Some(IpAddr::V4(*address)),
            Host::Ipv6(address) => Some(address::unwrap_mapped(IpAddr::V6(*address))),
            Host::Domain(name) => name.trim_end_matches('.').parse().ok(),
        }
    }

    fn name(&self) -> String {
        self.host.to_string().trim_end_matches('.').to_ascii_lowercase()
    }
}

impl AllowEntry {
    fn parse(entry: &str) -> Result<Self, &'static str> {
        if let Some((address, rest)) = entry.split_once('/') {
            let (length, port) = match rest.split_once(':') {
                Some((length, port)) => (length, Some(parse_port(port)?)),
                None => (rest, None),
            };
            let address: IpAddr = address
                .trim_matches(['[', ']'])
                .parse()
                .map_err(|_| "the part before the slash is not an address")?;
            let length =
                length.parse().map_err(|_| "the part after the slash is not a prefix length")?;
            let network =
                IpNet::new(address, length).map_err(|_| "the prefix length is too large")?;
            return Ok(Self { target: AllowTarget::Network(network.trunc()), port });
        }
        let (host, port) = match entry.parse::<IpAddr>() {
            Ok(_) => (entry, None),
            Err(_) => match entry.rsplit_once(':') {
                Some((host, port)) if !port.contains(']') => (host, Some(parse_port(port)?)),
                _ => (entry, None),
            },
        };
        let place = match host.trim_matches(['[', ']']).parse::<IpAddr>() {
            Ok(address) => AllowTarget::Network(address::unwrap_mapped(address).into()),
            Err(_) if host.contains('*') => {
                return Err("wildcards are not supported; list each host");
            }
            Err(_) => match Host::parse(host).map_err(|_| "it is neither a host nor a network")? {
                Host::Domain(name) => {
                    AllowTarget::Name(name.trim_end_matches('.').to_ascii_lowercase())
                }
                Host::Ipv4(address) => AllowTarget::Network(IpAddr::V4(address).into()),
                Host::Ipv6(address) => AllowTarget::Network(IpAddr::V6(address).into()),
            },
        };
        Ok(Self { target: place, port })
    }

    fn matches_port(&self, port: u16) -> bool {
        self.port.is_none_or(|open| open == port)
    }
}

fn parse_port(text: &str) -> Result<u16, &'static str> {
    text.parse().ok().filter(|port| *port > 0).ok_or("the port must be a number from 1 to 65535")
}

/// A URL as it may stand in a message: no user, no password, no query.
pub(super) fn without_secrets(text: &str) -> String {
    let cut: String = text.split(['?', '#']).next().unwrap_or_default().chars().take(200).collect();
    match (cut.find("://"), cut.rfind('@')) {
        (Some(scheme), Some(at)) if at > scheme => {
            format!("{}://{}", &cut[..scheme], &cut[at + 1..])
        }
        _ => cut,
    }
}

#[cfg(test)]
mod tests;
