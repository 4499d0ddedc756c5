//! Every other text: a row of numbers and words whose places say what they are.

use super::tokens::Token;
use super::{DateReader, milliseconds};

impl DateReader {
    /// Whether a number may come next in a clock that has begun.
    fn continues_clock(&self, value: i64) -> bool {
        match self.clock.len() {
            1 | 2 => (0..60).contains(&value),
            3 => (0..1000).contains(&value),
            _ => false,
        }
    }

    fn add_to_clock(&mut self, value: i64) -> Option<()> {
        (self.clock.len() < 4).then(|| self.clock.push(value))
    }

    fn finish_clock(&mut self, value: i64) -> Option<()> {
        self.add_to_clock(value)?;
        self.clock.resize(4, 0);
        Some(())
    }

    /// Reads what is left, number by number and word by word.
    pub(super) fn legacy(&mut self) -> Option<()> {
        self.has_number = !self.days.is_empty();
        loop {
            match self.take() {
                Token::End => return Some(()),
                Token::Number(value, _) => self.number(value)?,
                Token::Half(hours) if !self.clock.is_empty() => self.half = Some(hours),
                Token::Month(month) => {
                    self.month = Some(month);
                    self.skip(b'-');
                }
                Token::Zone(hours) if self.has_number => self.set_zone(hours),
                Token::Half(_) | Token::Zone(_) | Token::T | Token::Word => {
                    // Other words stand before the first number, and apart from it.
                    if self.has_number || matches!(self.peek(), Token::Number(..)) {
                        return None;
                    }
                }
                Token::Sign(sign @ (b'+' | b'-')) if self.takes_offset() => self.offset(sign)?,
                Token::Sign(b'+' | b'-' | b')') if self.has_number => return None,
                Token::Sign(_) | Token::Blank | Token::Aside | Token::Other => {}
            }
        }
    }

    fn number(&mut self, value: i64) -> Option<()> {
        self.has_number = true;
        if self.skip(b':') {
            if self.skip(b':') {
                if !self.clock.is_empty() {
                    return None;
                }
                self.clock.extend([value, 0]);
                return Some(());
            }
            self.add_to_clock(value)?;
            self.skip(b'.');
            return Some(());
        }
        if self.peek() == Token::Sign(b'.') && self.continues_clock(value) {
            self.next += 1;
            self.add_to_clock(value)?;
            let Token::Number(fraction, length) = self.take() else { return None };
            return self.finish_clock(milliseconds(fraction, length));
        }
        self.skip(b'.');
        if self.zone_hour.is_some() && self.zone_minute.is_none() && (0..60).contains(&value) {
            self.zone_minute = Some(value);
            return Some(());
        }
        if self.continues_clock(value) {
            self.finish_clock(value)?;
            let ends = matches!(
                self.peek(),
                Token::End | Token::Blank | Token::Zone(0) | Token::Sign(b'+' | b'-')
            );
            return ends.then_some(());
        }
        if self.days.len() >= 3 {
            return None;
        }
        self.days.push(value);
        self.skip(b'-');
        Some(())
    }

    fn takes_offset(&self) -> bool {
        let is_utc = self.zone_hour == Some(0) && self.zone_minute == Some(0);
        is_utc || !self.clock.is_empty()
    }

    fn offset(&mut self, sign: u8) -> Option<()> {
        self.zone_sign = Some(if sign == b'+' { 1 } else { -1 });
        let (mut value, mut length) = (0, 0);
        if let Token::Number(number, digits) = self.peek() {
            self.next += 1;
            (value, length) = (number, digits);
        }
        self.has_number = true;
        if self.peek() == Token::Sign(b':') {
            self.zone_hour = Some(value);
            self.zone_minute = None;
        } else if matches!(length, 1 | 2) {
            self.zone_hour = Some(value);
            self.zone_minute = Some(0);
        } else if matches!(length, 3 | 4) {
            self.zone_hour = Some(value / 100);
            self.zone_minute = Some(value % 100);
        } else {
            return None;
        }
        Some(())
    }
}
