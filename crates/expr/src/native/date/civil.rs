//! The calendar: between milliseconds and years, months and days, without a time zone.

/// A moment on some clock on the wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::native) struct Civil {
    pub(in crate::native) year: i64,
    /// From 1.
    pub(in crate::native) month: i64,
    pub(in crate::native) day: i64,
    pub(in crate::native) hour: i64,
    pub(in crate::native) minute: i64,
    pub(in crate::native) second: i64,
    pub(in crate::native) millisecond: i64,
}

pub(in crate::native) const DAY_MS: i64 = 86_400_000;

impl Civil {
    pub(in crate::native) fn date(year: i64, month: i64, day: i64) -> Self {
        Self { year, month, day, hour: 0, minute: 0, second: 0, millisecond: 0 }
    }

    pub(in crate::native) fn from_ms(ms: i64) -> Self {
        let (year, month, day) = civil_from_days(ms.div_euclid(DAY_MS));
        let rest = ms.rem_euclid(DAY_MS);
        Self {
            year,
            month,
            day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            millisecond: rest % 1000,
        }
    }

    /// Milliseconds since 1970 on the same clock. Fields may be out of their range and carry over,
    /// as in `Date.UTC`.
    pub(in crate::native) fn to_ms(self) -> Option<i64> {
        let in_reach = |number: i64| number.abs() < 1 << 40;
        let fields = [
            self.year,
            self.month,
            self.day,
            self.hour,
            self.minute,
            self.second,
            self.millisecond,
        ];
        if !fields.into_iter().all(in_reach) || self.year.abs() > 500_000 {
            return None;
        }
        let month = self.month - 1;
        let days = days_from_civil(self.year + month.div_euclid(12), month.rem_euclid(12) + 1, 1)
            + self.day
            - 1;
        let clock =
            self.hour * 3_600_000 + self.minute * 60_000 + self.second * 1000 + self.millisecond;
        days.checked_mul(DAY_MS)?.checked_add(clock)
    }

    /// 1 for Monday to 7 for Sunday.
    pub(in crate::native) fn weekday(self) -> i64 {
        (days_from_civil(self.year, self.month, self.day) + 3).rem_euclid(7) + 1
    }

    /// The day of the year, from 1.
    pub(in crate::native) fn ordinal(self) -> i64 {
        days_from_civil(self.year, self.month, self.day) - days_from_civil(self.year, 1, 1) + 1
    }

    /// The ISO week and the year it belongs to.
    pub(in crate::native) fn iso_week(self) -> (i64, i64) {
        let week = (self.ordinal() - self.weekday() + 10) / 7;
        if week < 1 {
            (self.year - 1, weeks_in_year(self.year - 1))
        } else if week > weeks_in_year(self.year) {
            (self.year + 1, 1)
        } else {
            (self.year, week)
        }
    }
}

pub(in crate::native) fn is_leap_year(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

pub(in crate::native) fn weeks_in_year(year: i64) -> i64 {
    let first = Civil::date(year, 1, 1).weekday();
    if first == 4 || (first == 3 && is_leap_year(year)) { 53 } else { 52 }
}

/// Days of a month; the month may be out of range and carries over into the year.
pub(in crate::native) fn days_in_month(year: i64, month: i64) -> i64 {
    let (year, month) = (year + (month - 1).div_euclid(12), (month - 1).rem_euclid(12) + 1);
    match month {
        2 if is_leap_year(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01 (Howard Hinnant's algorithm).
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_go_both_ways() {
        for days in (-800_000..800_000).step_by(37) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        assert_eq!(civil_from_days(0), (1970, 1, 1));
        assert_eq!(Civil::date(2024, 2, 29).to_ms(), Some(1_709_164_800_000));
        assert_eq!(Civil::date(2024, 14, 1).to_ms(), Civil::date(2025, 2, 1).to_ms());
    }

    #[test]
    fn weeks_follow_the_iso_calendar() {
        assert_eq!(Civil::date(2026, 1, 15).weekday(), 4);
        assert_eq!(Civil::date(2021, 1, 3).iso_week(), (2020, 53));
        assert_eq!(Civil::date(2024, 12, 30).iso_week(), (2025, 1));
        assert_eq!(Civil::date(2024, 3, 30).ordinal(), 90);
    }
}
