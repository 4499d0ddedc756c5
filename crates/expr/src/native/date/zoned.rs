//! A Luxon `DateTime`: an instant in a zone.

use super::civil::{Civil, DAY_MS, days_in_month};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use model::{DateKind, DateValue, Str};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(in crate::native) enum Zone {
    /// Minutes east of UTC; zero is written as `Z`.
    Fixed(i64),
    Named(Str, TimeZone),
}

#[derive(Clone, Debug)]
pub(in crate::native) struct DateTime {
    pub(in crate::native) ms: i64,
    pub(in crate::native) zone: Zone,
    /// Minutes east of UTC at this instant.
    pub(in crate::native) offset: i64,
    pub(in crate::native) civil: Civil,
}

/// An amount of time with its units, as Luxon keeps it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::native) struct Span {
    /// Years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds; `None` where a
    /// unit is not set.
    pub(in crate::native) units: [Option<f64>; 9],
}

pub(in crate::native) const UNITS: [&str; 9] =
    ["years", "quarters", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"];
/// Milliseconds of the units that always have the same length, from weeks on.
const UNIT_MS: [f64; 9] =
    [0.0, 0.0, 0.0, 604_800_000.0, 86_400_000.0, 3_600_000.0, 60_000.0, 1000.0, 1.0];

/// The place of a unit in [`UNITS`], in singular or plural.
pub(in crate::native) fn unit_index(name: &str) -> Option<usize> {
    UNITS.iter().position(|unit| {
        unit.eq_ignore_ascii_case(name)
            || unit.strip_suffix('s').is_some_and(|unit| unit.eq_ignore_ascii_case(name))
    })
}

impl Zone {
    pub(in crate::native) fn from_name(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        if lower == "utc" || lower == "gmt" {
            return Some(Zone::Fixed(0));
        }
        if let Some(rest) = lower.strip_prefix("utc") {
            let (sign, rest) = match rest.as_bytes().first()? {
                b'+' => (1, &rest[1..]),
                b'-' => (-1, &rest[1..]),
                _ => return None,
            };
            let (hours, minutes) = rest.split_once(':').unwrap_or((rest, "00"));
            if hours.len() > 2
                || minutes.len() != 2
                || !rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b':')
            {
                return None;
            }
            let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
            return (hours <= 23 && minutes <= 59 && hours >= 0 && minutes >= 0)
                .then_some(Zone::Fixed(sign * (hours * 60 + minutes)));
        }
        // Only names from the zone database; Luxon refuses the rest.
        if !name.contains('/')
            && !matches!(name, "EST" | "MST" | "HST" | "CET" | "EET" | "MET" | "WET")
        {
            return None;
        }
        TimeZone::get(name).ok().map(|zone| Zone::Named(name.into(), zone))
    }

    /// Minutes east of UTC at an instant; `None` for the odd seconds of the nineteenth century.
    fn offset_at(&self, ms: i64) -> Option<i64> {
        match self {
            Zone::Fixed(minutes) => Some(*minutes),
            Zone::Named(_, zone) => {
                let seconds =
                    i64::from(zone.to_offset(Timestamp::from_millisecond(ms).ok()?).seconds());
                (seconds % 60 == 0).then_some(seconds / 60)
            }
        }
    }

    pub(in crate::native) fn name(&self) -> Str {
        match self {
            Zone::Fixed(0) => "UTC".into(),
            Zone::Fixed(minutes) => {
                let (hours, rest) = (minutes.abs() / 60, minutes.abs() % 60);
                let sign = if *minutes < 0 { '-' } else { '+' };
                if rest == 0 {
                    format!("UTC{sign}{hours}").into()
                } else {
                    format!("UTC{sign}{hours}:{rest:02}").into()
                }
            }
            Zone::Named(name, _) => name.clone(),
        }
    }
}

impl DateTime {
    pub(in crate::native) fn from_ms(ms: i64, zone: Zone) -> Option<Self> {
        // Four digits of year keep every spelling in its common form.
        if !(-62_135_596_800_000..253_402_300_800_000).contains(&ms) {
            return None;
        }
        let offset = zone.offset_at(ms)?;
        let civil = Civil::from_ms(ms + offset * 60_000);
        Some(Self { ms, zone, offset, civil })
    }

    /// The instant at which a clock in the zone shows this; `guess` is the offset that is tried
    /// first.
    pub(in crate::native) fn from_civil(civil: Civil, zone: Zone, guess: i64) -> Option<Self> {
        let local = civil.to_ms()?;
        let first = local - guess * 60_000;
        let offset = zone.offset_at(first)?;
        let ms = if offset == guess {
            first
        } else {
            let second = local - offset * 60_000;
            let again = zone.offset_at(second)?;
            if again == offset { second } else { local - offset.min(again) * 60_000 }
        };
        Self::from_ms(ms, zone)
    }

    /// The same clock reading with other fields, as `set` does it.
    pub(in crate::native) fn with_civil(&self, civil: Civil) -> Option<Self> {
        Self::from_civil(civil, self.zone.clone(), self.offset)
    }

    pub(in crate::native) fn in_zone(&self, zone: Zone) -> Option<Self> {
        Self::from_ms(self.ms, zone)
    }

    pub(in crate::native) fn plus(&self, span: &Span) -> Option<Self> {
        let unit = |index: usize| span.units[index].unwrap_or(0.0);
        if (0..3).any(|index| unit(index).fract() != 0.0)
            || span.units.iter().flatten().any(|amount| !amount.is_finite() || amount.abs() > 1e15)
        {
            return None;
        }
        let whole = |index: usize| unit(index).trunc() as i64;
        let year = self.civil.year + whole(0);
        let month = self.civil.month + whole(1) * 3 + whole(2);
        if year.abs() > 100_000 || month.abs() > 1_000_000 {
            return None;
        }
        let day = self.civil.day.min(days_in_month(year, month)) + whole(3) * 7 + whole(4);
        let moved = self.with_civil(Civil { year, month, day, ..self.civil })?;
        let rest: f64 = (3..9)
            .map(|index| {
                if index < 5 {
                    unit(index).fract() * UNIT_MS[index]
                } else {
                    unit(index) * UNIT_MS[index]
                }
            })
            .sum();
        if rest == 0.0 {
            return Some(moved);
        }
        // Luxon keeps fractions of a millisecond; we do not.
        (rest.fract() == 0.0).then_some(())?;
        Self::from_ms(moved.ms.checked_add(rest as i64)?, self.zone.clone())
    }

    pub(in crate::native) fn start_of(&self, unit: usize) -> Option<Self> {
        let mut civil = self.civil;
        if unit == 3 {
            civil.day -= civil.weekday() - 1;
        }
        if unit == 1 {
            civil.month = (civil.month - 1) / 3 * 3 + 1;
        }
        if unit == 0 {
            civil.month = 1;
        }
        if unit <= 2 {
            civil.day = 1;
        }
        if unit <= 4 {
            civil.hour = 0;
        }
        if unit <= 5 {
            civil.minute = 0;
        }
        if unit <= 6 {
            civil.second = 0;
        }
        if unit <= 7 {
            civil.millisecond = 0;
        }
        self.with_civil(civil)
    }

    pub(in crate::native) fn end_of(&self, unit: usize) -> Option<Self> {
        let next = self.plus(&Span::of(unit, 1.0))?.start_of(unit)?;
        Self::from_ms(next.ms - 1, self.zone.clone())
    }

    /// What lies between two instants, in the given units (places in [`UNITS`]), as Luxon counts
    /// it.
    pub(in crate::native) fn diff(&self, other: &DateTime, units: &[usize]) -> Option<Span> {
        if other.ms > self.ms {
            Some(other.since(self, units)?.negated())
        } else {
            self.since(other, units)
        }
    }

    fn since(&self, earlier: &DateTime, units: &[usize]) -> Option<Span> {
        let later = self;
        let mut cursor = earlier.clone();
        let mut high_water = earlier.clone();
        let mut span = Span::default();
        let mut lowest = None;
        for unit in (0..5).filter(|unit| units.contains(unit)) {
            lowest = Some(unit);
            let mut count = cursor.rough_units_until(later, unit) as f64;
            span.units[unit] = Some(count);
            high_water = earlier.plus(&span)?;
            if high_water.ms > later.ms {
                count -= 1.0;
                span.units[unit] = Some(count);
                cursor = earlier.plus(&span)?;
                if cursor.ms > later.ms {
                    high_water = cursor.clone();
                    span.units[unit] = Some(count - 1.0);
                    cursor = earlier.plus(&span)?;
                }
            } else {
                cursor = high_water.clone();
            }
        }
        let mut rest = (later.ms - cursor.ms) as f64;
        let lower: Vec<usize> = (5..9).filter(|unit| units.contains(unit)).collect();
        if lower.is_empty() {
            let lowest = lowest?;
            if high_water.ms < later.ms {
                high_water = cursor.plus(&Span::of(lowest, 1.0))?;
            }
            if high_water.ms != cursor.ms {
                let part = rest / (high_water.ms - cursor.ms) as f64;
                span.units[lowest] = Some(span.units[lowest].unwrap_or(0.0) + part);
            }
            return Some(span);
        }
        for (position, unit) in lower.iter().enumerate() {
            let is_last = position + 1 == lower.len();
            let count =
                if is_last { rest / UNIT_MS[*unit] } else { (rest / UNIT_MS[*unit]).trunc() };
            rest -= count * UNIT_MS[*unit];
            span.units[*unit] = Some(count);
        }
        Some(span)
    }

    fn rough_units_until(&self, later: &DateTime, unit: usize) -> i64 {
        let years = later.civil.year - self.civil.year;
        let quarter = |civil: Civil| (civil.month + 2) / 3;
        let day = |civil: Civil| {
            Civil::date(civil.year, civil.month, civil.day).to_ms().unwrap_or(0) / DAY_MS
        };
        let days = day(later.civil) - day(self.civil);
        match unit {
            0 => years,
            1 => quarter(later.civil) - quarter(self.civil) + years * 4,
            2 => later.civil.month - self.civil.month + years * 12,
            3 => (days - days % 7) / 7,
            _ => days,
        }
    }

    pub(in crate::native) fn iso_date(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.civil.year, self.civil.month, self.civil.day)
    }

    pub(in crate::native) fn iso_time(&self, with_ms: bool, with_offset: bool) -> String {
        let Civil { hour, minute, second, millisecond, .. } = self.civil;
        let mut out = format!("{hour:02}:{minute:02}:{second:02}");
        if with_ms {
            out.push_str(&format!(".{millisecond:03}"));
        }
        if with_offset {
            match self.zone {
                Zone::Fixed(0) => out.push('Z'),
                _ => out.push_str(&offset_text(self.offset, ":")),
            }
        }
        out
    }

    pub(in crate::native) fn iso(&self) -> Str {
        format!("{}T{}", self.iso_date(), self.iso_time(true, true)).into()
    }

    pub(in crate::native) fn to_date_value(&self) -> Arc<DateValue> {
        Arc::new(DateValue { epoch_ms: self.ms as f64, iso: self.iso(), kind: DateKind::Luxon })
    }

    /// Whether the clock is ahead of the zone's usual offset.
    pub(in crate::native) fn is_in_dst(&self) -> Option<bool> {
        let at = |month| {
            DateTime::from_civil(
                Civil::date(self.civil.year, month, 1),
                self.zone.clone(),
                self.offset,
            )
            .map(|date| date.offset)
        };
        Some(match self.zone {
            Zone::Fixed(_) => false,
            _ => self.offset > at(1)? || self.offset > at(5)?,
        })
    }
}

pub(in crate::native) fn offset_text(offset: i64, separator: &str) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    format!("{sign}{:02}{separator}{:02}", offset.abs() / 60, offset.abs() % 60)
}

impl Span {
    pub(in crate::native) fn of(unit: usize, amount: f64) -> Self {
        let mut span = Span::default();
        span.units[unit] = Some(amount);
        span
    }

    pub(in crate::native) fn negated(mut self) -> Self {
        for amount in self.units.iter_mut().flatten() {
            *amount = if *amount == 0.0 { 0.0 } else { -*amount };
        }
        self
    }

    /// The whole span in one unit; `None` where months or years of unknown length take part.
    pub(in crate::native) fn as_unit(&self, unit: usize) -> Option<f64> {
        if unit < 3 || self.units[..3].iter().any(Option::is_some) {
            let set: Vec<usize> = (0..9).filter(|index| self.units[*index].is_some()).collect();
            return if set == [unit] { self.units[unit].map(in_shifted_form) } else { None };
        }
        let larger: f64 = (3..unit)
            .map(|index| self.units[index].unwrap_or(0.0) * (UNIT_MS[index] / UNIT_MS[unit]))
            .sum();
        let own = in_shifted_form(larger + self.units[unit].unwrap_or(0.0));
        let smaller = (unit + 1..9)
            .filter_map(|index| Some(self.units[index]? / (UNIT_MS[unit] / UNIT_MS[index])));
        Some(smaller.fold(own, |sum, part| sum + part))
    }
}

/// Luxon takes an amount apart and puts it together again, which shows in the last digit.
fn in_shifted_form(amount: f64) -> f64 {
    let whole = amount.trunc();
    whole + (amount * 1000.0 - whole * 1000.0) / 1000.0
}
