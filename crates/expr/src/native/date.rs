//! Dates: the calendar, instants in zones, and their spellings.

mod civil;
mod format;
mod parse;
mod zoned;

pub(super) use civil::{Civil, days_in_month, is_leap_year, weeks_in_year};
pub(super) use format::{
    MONTHS, WEEKDAYS, date_style, js_date_text, js_iso, js_utc_text, to_format,
};
pub(super) use parse::{from_format, parse_iso, parse_js};
pub(super) use zoned::{DateTime, Span, UNITS, Zone, unit_index};
