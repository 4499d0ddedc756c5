//! Spreads schedules over time, so that a thousand hourly workflows do not all start in the same
//! second.

/// The parts of a time that a schedule leaves open, chosen once and for all by the node's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    pub second: u32,
    pub minute: u32,
    pub hour: u32,
    pub day_of_month: u32,
}

impl Spread {
    /// The same text always gives the same spread: a schedule keeps its second across restarts.
    pub fn of(identity: &str) -> Self {
        // FNV-1a, whose result is the same on every machine and in every version.
        let hash = identity.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let part = |shift: u32, below: u64| u32::try_from((hash >> shift) % below).unwrap_or(0);
        Self {
            second: part(0, 60),
            minute: part(12, 60),
            hour: part(24, 24),
            day_of_month: part(36, 28) + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;
    use std::collections::HashSet;

    #[test]
    fn nodes_are_spread_over_the_minute_and_stay_where_they_are() {
        assert_eq!(Spread::of("workflow 1/node 7"), Spread::of("workflow 1/node 7"));
        let seconds: HashSet<u32> =
            (0..1000).map(|number| Spread::of(&format!("node {number}")).second).collect();
        assert_eq!(seconds.len(), 60);
    }
}
