//! Dates as databases write them, in the form JavaScript's dates have in JSON.

use jiff::SignedDuration;
use jiff::civil::{Date, DateTime};

/// `2024-02-29 10:11:12.5+02` as `2024-02-29T08:11:12.500Z`; a date without a time is its midnight,
/// one without a zone is UTC. `None` for what is no moment, such as `infinity`.
pub(super) fn iso(text: &str) -> Option<String> {
    let (date, rest) = text.split_once([' ', 'T']).unwrap_or((text, ""));
    let date: Date = date.parse().ok()?;
    let zone_at = rest.find(['+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(zone_at);
    let moment: DateTime = match clock.trim() {
        "" => date.to_datetime(jiff::civil::Time::midnight()),
        clock => date.to_datetime(clock.parse().ok()?),
    };
    let moment = moment.checked_sub(offset(zone)?).ok()?;
    Some(format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
        moment.year(),
        moment.month(),
        moment.day(),
        moment.hour(),
        moment.minute(),
        moment.second(),
        moment.millisecond()
    ))
}

/// `+05:30` as a stretch of time.
fn offset(zone: &str) -> Option<SignedDuration> {
    let Some(digits) = zone.strip_prefix(['+', '-']) else {
        return zone.is_empty().then_some(SignedDuration::ZERO);
    };
    let mut seconds = 0;
    for (part, unit) in digits.split(':').zip([3600, 60, 1]) {
        seconds += part.parse::<i64>().ok()? * unit;
    }
    Some(SignedDuration::from_secs(if zone.starts_with('-') { -seconds } else { seconds }))
}
