//! Figures that are counted while work goes on: an atomic step each, nothing else.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// One bucket for every power of two up to this one, and one for what is larger.
const LARGEST: usize = 26;

/// How often values of which size came. Times are counted in microseconds.
#[derive(Debug)]
pub struct Histogram {
    buckets: [AtomicU64; LARGEST + 2],
    sum: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { buckets: [const { AtomicU64::new(0) }; LARGEST + 2], sum: AtomicU64::new(0) }
    }
}

impl Histogram {
    pub fn record(&self, value: u64) {
        let bits = u64::BITS - value.saturating_sub(1).leading_zeros();
        self.buckets[(bits as usize).min(LARGEST + 1)].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    pub fn record_time(&self, time: Duration) {
        self.record(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).sum()
    }

    /// Writes it in Prometheus' text format. `labels` stand without braces; values are divided by
    /// `scale`.
    pub fn write(
        &self,
        out: &mut String,
        name: &str,
        labels: &str,
        powers: std::ops::RangeInclusive<usize>,
        scale: f64,
    ) {
        let comma = if labels.is_empty() { "" } else { "," };
        let mut so_far = 0;
        for (power, bucket) in self.buckets.iter().enumerate() {
            so_far += bucket.load(Ordering::Relaxed);
            if power <= LARGEST && powers.contains(&power) {
                let bound = (1_u64 << power) as f64 / scale;
                let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"{bound}\"}} {so_far}");
            }
        }
        let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {so_far}");
        let braces = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        let _ =
            writeln!(out, "{name}_sum{braces} {}", self.sum.load(Ordering::Relaxed) as f64 / scale);
        let _ = writeln!(out, "{name}_count{braces} {so_far}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_falls_into_the_smallest_bucket_that_holds_it() {
        let histogram = Histogram::default();
        for value in [0, 1, 2, 3, 4, 5, 1 << 40] {
            histogram.record(value);
        }
        let mut text = String::new();
        histogram.write(&mut text, "x", "a=\"b\"", 0..=2, 1.0);
        let expected = "x_bucket{a=\"b\",le=\"1\"} 2\nx_bucket{a=\"b\",le=\"2\"} 3\nx_bucket{a=\"b\",le=\"4\"} 5\n\
                        x_bucket{a=\"b\",le=\"+Inf\"} 7\nx_sum{a=\"b\"} 1099511627791\nx_count{a=\"b\"} 7\n";
        assert_eq!(text, expected);
        assert_eq!(histogram.count(), 7);
    }

    #[test]
    fn times_are_told_in_seconds() {
        let histogram = Histogram::default();
        histogram.record_time(Duration::from_millis(2));
        let mut text = String::new();
        histogram.write(&mut text, "t", "", 11..=11, 1e6);
        assert_eq!(
            text,
            "t_bucket{le=\"0.002048\"} 1\nt_bucket{le=\"+Inf\"} 1\nt_sum 0.002\nt_count 1\n"
        );
    }
}
