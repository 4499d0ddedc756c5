//! ISO 8601, in the forms that `Date` knows of.

use super::tokens::Token;
use super::{DateReader, milliseconds};

impl DateReader {
    /// Reads ISO 8601. Whether that was all of it; `None` if the text cannot be a date any more.
    pub(super) fn iso(&mut self) -> Option<bool> {
        let start = self.next;
        match self.peek() {
            Token::Sign(sign @ (b'+' | b'-')) => {
                self.next += 1;
                match self.fixed(6, 0..=999_999) {
                    Some(0) if sign == b'-' => {
                        self.next = start;
                        return Some(false);
                    }
                    Some(year) => self.days.push(if sign == b'-' { -year } else { year }),
                    None => {
                        self.next = start;
                        return Some(false);
                    }
                }
            }
            _ => match self.fixed(4, 0..=9999) {
                Some(year) => self.days.push(year),
                None => return Some(false),
            },
        }
        if self.skip(b'-') {
            let Some(month) = self.fixed(2, 1..=12) else { return Some(false) };
            self.days.push(month);
            if self.skip(b'-') {
                let Some(day) = self.fixed(2, 1..=31) else { return Some(false) };
                self.days.push(day);
            }
        }
        if self.peek() == Token::T {
            self.next += 1;
            if !self.iso_clock() {
                return Some(false);
            }
            if self.peek() != Token::End {
                return None;
            }
        } else if self.peek() != Token::End {
            return Some(false);
        }
        if self.zone_sign.is_none() && self.clock.is_empty() {
            self.set_zone(0);
        }
        self.is_iso = true;
        Some(true)
    }

    fn iso_clock(&mut self) -> bool {
        let Some(hour) = self.fixed(2, 0..=24) else { return false };
        self.clock.push(hour);
        let limit = |most| if hour == 24 { 0..=0 } else { 0..=most };
        if !self.skip(b':') {
            return false;
        }
        let Some(minute) = self.fixed(2, limit(59)) else { return false };
        self.clock.push(minute);
        if self.skip(b':') {
            let Some(second) = self.fixed(2, limit(59)) else { return false };
            self.clock.push(second);
            if self.skip(b'.') {
                match self.peek() {
                    Token::Number(value, length) if hour != 24 || value == 0 => {
                        self.next += 1;
                        self.clock.push(milliseconds(value, length));
                    }
                    _ => return false,
                }
            }
        }
        match self.peek() {
            Token::Zone(0) => {
                self.next += 1;
                self.set_zone(0);
                true
            }
            Token::Sign(sign @ (b'+' | b'-')) => {
                self.next += 1;
                self.zone_sign = Some(if sign == b'+' { 1 } else { -1 });
                if let Some(both) = self.fixed(4, 0..=2359) {
                    self.zone_hour = Some(both / 100);
                    self.zone_minute = Some(both % 100);
                    return both % 100 < 60;
                }
                let Some(hour) = self.fixed(2, 0..=23) else { return false };
                self.zone_hour = Some(hour);
                if !self.skip(b':') {
                    return false;
                }
                self.zone_minute = self.fixed(2, 0..=59);
                self.zone_minute.is_some()
            }
            _ => true,
        }
    }
}
