//! Lines of a calendar file.

use jiff::Zoned;
use std::fmt::Write as _;

/// A moment in UTC.
pub fn at_time(time: &Zoned) -> String {
    time.strftime("%Y%m%dT%H%M%SZ").to_string()
}

/// Text with the signs that have a meaning in the format marked as meant.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace(';', "\\;")
        .replace(',', "\\,")
        .replace("\r\n", "\\n")
        .replace(['\n', '\r'], "\\n")
}

/// A value that must not begin a new line, where the format has no way to mark one.
pub fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

pub fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('"', "\\\""))
}

/// Lines of at most 75 bytes; what is longer goes on in the next line behind a tab.
#[derive(Default)]
pub struct ContentLines {
    text: String,
}

impl ContentLines {
    pub fn into_text(self) -> String {
        self.text
    }

    pub fn line(&mut self, line: &str) {
        let mut length = 0;
        for letter in line.chars() {
            if length + letter.len_utf8() > 74 {
                let _ = write!(self.text, "\r\n\t");
                length = 1;
            }
            length += letter.len_utf8();
            self.text.push(letter);
        }
        self.text.push_str("\r\n");
    }
}
