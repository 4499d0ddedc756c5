//! Any text as a URL: what the egress policy lets through, two other ways of telling addresses
//! apart call public too.

use ipnet::IpNet;
use providers::http::EgressPolicy;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    let policy = EgressPolicy::default();
    check(&policy, text);
    check(&policy, &format!("http://{text}/"));
    check(&policy, &format!("https://[{text}]/"));
    // Every four and sixteen bytes are an address as well.
    let bytes = text.as_bytes();
    if let Some(four) = bytes.first_chunk::<4>() {
        check_address(&policy, IpAddr::V4(Ipv4Addr::from(*four)));
    }
    if let Some(sixteen) = bytes.first_chunk::<16>() {
        check_address(&policy, IpAddr::V6(Ipv6Addr::from(*sixteen)));
    }
}

/// The address as a literal in a URL.
#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn check_address(policy: &EgressPolicy, address: IpAddr) {
    let url = match address {
        IpAddr::V4(address) => format!("http://{address}/"),
        IpAddr::V6(address) => format!("http://[{address}]/"),
    };
    assert_eq!(policy.check_url(&url).is_ok(), !is_in_a_special_range(address), "{url}");
    check(policy, &url);
}

fn check(policy: &EgressPolicy, text: &str) {
    let Ok(destination) = policy.check_url(text) else { return };
    match destination.host {
        url::Host::Ipv4(address) => assert_public(IpAddr::V4(address), text),
        url::Host::Ipv6(address) => assert_public(IpAddr::V6(address), text),
        url::Host::Domain(name) => {
            // A name that the C library would read as a number is not looked up but connected to.
            assert!(
                as_the_c_library_reads(&name).is_none(),
                "{text:?} names {name} and is an address"
            );
            assert_ne!(name.trim_end_matches('.'), "localhost");
        }
    }
    assert!(matches!(destination.url.scheme(), "http" | "https"));
}

fn assert_public(address: IpAddr, text: &str) {
    assert!(!is_in_a_special_range(address), "{text:?} leads to {address}");
    assert!(!is_special_by_the_standard_library(address), "{text:?} leads to {address}");
}

/// The registries' ranges as text, and the addresses that other addresses carry inside.
fn is_in_a_special_range(address: IpAddr) -> bool {
    const RANGES: &[&str] = &[
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "169.254.0.0/16",
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",
        "240.0.0.0/4",
        "168.63.129.16/32",
        "::/128",
        "::1/128",
        "64:ff9b:1::/48",
        "100::/64",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
        "5f00::/16",
        "fc00::/7",
        "fe80::/10",
        "fec0::/10",
        "ff00::/8",
    ];
    if let IpAddr::V6(v6) = address
        && let Some(inner) = inner_address(v6)
    {
        return is_in_a_special_range(IpAddr::V4(inner));
    }
    let in_a_range = RANGES
        .iter()
        .filter_map(|range| range.parse::<IpNet>().ok())
        .any(|range| range.contains(&address));
    // Beyond global unicast nothing has been given out yet.
    in_a_range || matches!(address, IpAddr::V6(v6) if v6.segments()[0] & 0xe000 != 0x2000)
}

fn is_special_by_the_standard_library(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_broadcast()
                || v4.is_documentation()
                || v4.is_unspecified()
                || v4.is_multicast()
                || v4.octets()[0] == 0
        }
        IpAddr::V6(v6) => match inner_address(v6) {
            Some(inner) => is_special_by_the_standard_library(IpAddr::V4(inner)),
            None => {
                v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local()
            }
        },
    }
}

/// The IPv4 address inside: mapped, translated, NAT64.
fn inner_address(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = address.octets();
    let last: [u8; 4] = [octets[12], octets[13], octets[14], octets[15]];
    let is_mapped = octets[..10] == [0; 10] && octets[10..12] == [0xff, 0xff];
    let is_translated = octets[..8] == [0; 8] && octets[8..12] == [0xff, 0xff, 0, 0];
    let is_nat64 = octets[..12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];
    (is_mapped || is_translated || is_nat64).then(|| Ipv4Addr::from(last))
}

/// `inet_aton`: one to four numbers, each decimal, octal or hexadecimal, the last one filling what
/// is left.
fn as_the_c_library_reads(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<&str> = host.split('.').collect();
    let mut numbers = Vec::new();
    for part in &parts {
        let (digits, radix) = match part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
            Some(hex) => (hex, 16),
            None if part.len() > 1 && part.starts_with('0') => (&part[1..], 8),
            None => (*part, 10),
        };
        numbers.push(u64::from_str_radix(digits, radix).ok().filter(|_| !digits.starts_with('+'))?);
    }
    let (last, firsts) = numbers.split_last()?;
    if firsts.len() > 3
        || firsts.iter().any(|number| *number > 255)
        || *last >= 1 << (8 * (4 - firsts.len()))
    {
        return None;
    }
    let bits =
        firsts.iter().enumerate().fold(*last, |bits, (at, number)| bits | number << (8 * (3 - at)));
    Some(Ipv4Addr::from(bits as u32))
}
