//! Tells public addresses from all others, by our own table of the special ranges that IANA and
//! cloud vendors keep.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address that is not public is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialRange {
    Unspecified,
    Loopback,
    Private,
    LinkLocal,
    Metadata,
    Shared,
    Multicast,
    Documentation,
    Reserved,
    /// An old way of wrapping IPv4 addresses in IPv6, useful only to hide where a request goes.
    Tunnel,
}

impl SpecialRange {
    /// For a sentence such as "it leads to a loopback address".
    pub fn describe(self) -> &'static str {
        match self {
            SpecialRange::Unspecified => "an unspecified address",
            SpecialRange::Loopback => "a loopback address",
            SpecialRange::Private => "a private address",
            SpecialRange::LinkLocal => "a link-local address",
            SpecialRange::Metadata => "a cloud metadata address",
            SpecialRange::Shared => "a shared (carrier) address",
            SpecialRange::Multicast => "a multicast address",
            SpecialRange::Documentation => "an address reserved for documentation",
            SpecialRange::Reserved => "a reserved address",
            SpecialRange::Tunnel => "a tunnel address",
        }
    }

    /// Ranges that the name of a host never opens: only an entry with the address itself does.
    pub fn needs_an_address_entry(self) -> bool {
        matches!(
            self,
            SpecialRange::Metadata
                | SpecialRange::LinkLocal
                | SpecialRange::Multicast
                | SpecialRange::Unspecified
        )
    }
}

const V4: &[([u8; 4], u32, SpecialRange)] = &[
    // Single hosts come first: the first range that fits decides.
    ([169, 254, 169, 254], 32, SpecialRange::Metadata),
    ([169, 254, 170, 2], 32, SpecialRange::Metadata),
    ([100, 100, 100, 200], 32, SpecialRange::Metadata),
    ([192, 0, 0, 192], 32, SpecialRange::Metadata),
    ([168, 63, 129, 16], 32, SpecialRange::Metadata),
    ([0, 0, 0, 0], 8, SpecialRange::Unspecified),
    ([10, 0, 0, 0], 8, SpecialRange::Private),
    ([100, 64, 0, 0], 10, SpecialRange::Shared),
    ([127, 0, 0, 0], 8, SpecialRange::Loopback),
    ([169, 254, 0, 0], 16, SpecialRange::LinkLocal),
    ([172, 16, 0, 0], 12, SpecialRange::Private),
    ([192, 0, 0, 0], 24, SpecialRange::Reserved),
    ([192, 0, 2, 0], 24, SpecialRange::Documentation),
    ([192, 88, 99, 0], 24, SpecialRange::Tunnel),
    ([192, 168, 0, 0], 16, SpecialRange::Private),
    ([198, 18, 0, 0], 15, SpecialRange::Reserved),
    ([198, 51, 100, 0], 24, SpecialRange::Documentation),
    ([203, 0, 113, 0], 24, SpecialRange::Documentation),
    ([224, 0, 0, 0], 4, SpecialRange::Multicast),
    ([240, 0, 0, 0], 4, SpecialRange::Reserved),
];

const V6: &[([u16; 8], u32, SpecialRange)] = &[
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, SpecialRange::Metadata),
    ([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, SpecialRange::Metadata),
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, SpecialRange::Unspecified),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, SpecialRange::Loopback),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, SpecialRange::Private),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, SpecialRange::Tunnel),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, SpecialRange::Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, SpecialRange::Documentation),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, SpecialRange::Tunnel),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, SpecialRange::Documentation),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, SpecialRange::Private),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, SpecialRange::LinkLocal),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, SpecialRange::Private),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, SpecialRange::Multicast),
];

/// What the address is for if it is not public; `None` means that anyone on the internet may have
/// it.
pub fn classify(address: IpAddr) -> Option<SpecialRange> {
    match address {
        IpAddr::V4(address) => classify_v4(address),
        IpAddr::V6(address) => classify_v6(address),
    }
}

/// The IPv4 address itself where it is written as IPv6 (`::ffff:127.0.0.1`); any other address
/// unchanged.
pub fn unwrap_mapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => v6.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn classify_v4(address: Ipv4Addr) -> Option<SpecialRange> {
    let bits = u32::from(address);
    V4.iter()
        .find(|(network, length, _)| (bits ^ u32::from_be_bytes(*network)) >> (32 - length) == 0)
        .map(|(_, _, special)| *special)
}

fn classify_v6(address: Ipv6Addr) -> Option<SpecialRange> {
    let parts = address.segments();
    let last_four = || Ipv4Addr::from(((u32::from(parts[6])) << 16) | u32::from(parts[7]));
    match parts {
        // Mapped (::ffff:a.b.c.d), translated (::ffff:0:a.b.c.d) and NAT64 (64:ff9b::a.b.c.d) are
        // as good as the address inside.
        [0, 0, 0, 0, 0, 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => {
            return classify_v4(last_four());
        }
        // ISATAP keeps an IPv4 address in the lower half of any network.
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => return Some(SpecialRange::Tunnel),
        _ => {}
    }
    let bits = u128::from(address);
    let listed = V6.iter().find(|(network, length, _)| {
        (bits ^ u128::from(Ipv6Addr::from(*network))) >> (128 - length) == 0
    });
    match listed {
        Some((_, _, special)) => Some(*special),
        // Only 2000::/3 is given out on the internet.
        None if parts[0] >> 13 != 1 => Some(SpecialRange::Reserved),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(text: &str) -> Option<SpecialRange> {
        classify(text.parse().unwrap_or_else(|_| panic!("{text}")))
    }

    #[test]
    fn every_special_ipv4_range_is_closed_from_its_first_to_its_last_address() {
        for (network, length, _) in V4 {
            let first = u32::from_be_bytes(*network);
            let last = first | u32::MAX.checked_shr(*length).unwrap_or(0);
            for bits in [first, first + (last - first) / 2, last] {
                let address = Ipv4Addr::from(bits);
                assert!(classify_v4(address).is_some(), "{address}");
                let hidden = [
                    format!("::ffff:{address}"),
                    format!("::{address}"),
                    format!("64:ff9b::{address}"),
                    format!("::ffff:0:{address}"),
                    format!("2002:{:x}:{:x}::", bits >> 16, bits & 0xffff),
                    format!("2001:0:102:304:0:0:{:x}:{:x}", !bits >> 16, !bits & 0xffff),
                    format!("2a00::5efe:{address}"),
                ];
                for text in hidden {
                    assert!(class(&text).is_some(), "{text}");
                }
            }
        }
    }

    #[test]
    fn the_neighbours_of_special_ranges_are_public() {
        for text in [
            "1.0.0.0",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "168.63.129.17",
            "2606:4700:4700::1111",
            "2a00:1450::1",
            "64:ff9b::8.8.8.8",
            "::ffff:8.8.8.8",
            "2001:4860:4860::8888",
            "2003::1",
        ] {
            assert_eq!(class(text), None, "{text}");
        }
    }

    #[test]
    fn special_ipv6_ranges_are_closed() {
        for text in [
            "::",
            "::1",
            "::2",
            "100::1",
            "64:ff9b:1::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002::1",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
            "ff0e::1",
            "4000::1",
            "1fff::1",
        ] {
            assert!(class(text).is_some(), "{text}");
        }
    }

    #[test]
    fn metadata_services_are_told_apart() {
        for text in [
            "169.254.169.254",
            "169.254.170.2",
            "fd00:ec2::254",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
        ] {
            assert_eq!(class(text), Some(SpecialRange::Metadata), "{text}");
            assert!(class(text).unwrap().needs_an_address_entry());
        }
    }

    /// Numbers that look random and are the same in every run.
    fn spread(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        })
    }

    #[test]
    fn nothing_that_the_standard_library_calls_special_is_public() {
        for bits in spread(1).take(200_000) {
            let address = Ipv4Addr::from(bits as u32);
            let special = address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
                || address.is_multicast()
                || address.is_broadcast()
                || address.is_unspecified();
            assert!(!special || classify_v4(address).is_some(), "{address}");
        }
        for (high, low) in spread(2).zip(spread(3)).take(200_000) {
            let address = Ipv6Addr::from((u128::from(high) << 64) | u128::from(low));
            let special = address.is_unique_local()
                || address.is_unicast_link_local()
                || address.is_multicast()
                || address.is_loopback();
            assert!(!special || classify_v6(address).is_some(), "{address}");
        }
    }
}
