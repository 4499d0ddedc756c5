//! Words for the person at the terminal.

pub(crate) mod table;

use std::io::{IsTerminal, Write};

/// Prints a line to standard output; a closed pipe ends the program quietly.
pub(crate) fn print_line(line: &str) {
    let mut out = std::io::stdout().lock();
    if out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).is_err() {
        std::process::exit(0);
    }
}

/// Prints a line to standard error.
pub(crate) fn eprint_line(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// An error with its causes.
pub(crate) fn print_error(error: &anyhow::Error) {
    let mut text = paint("error:", Colour::Red);
    for (place, cause) in error.chain().enumerate() {
        text.push_str(if place == 0 { " " } else { "\n  because: " });
        let told = cause.to_string();
        text.push_str(&told);
        // The name under which there is a page about it.
        if let Some(code) = cause
            .downcast_ref::<store::Error>()
            .map(|error| error.code().name())
            .filter(|code| !told.contains(code))
        {
            text.push_str(&format!(" ({code})"));
        }
    }
    eprint_line(&text);
}

/// A text that a model wrote, in letters that can be seen: none of them moves the cursor or hides
/// what stands before it.
pub(crate) fn printable(text: &str) -> String {
    let is_odd = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    text.chars()
        .map(
            |letter| {
                if is_odd(letter) {
                    letter.escape_unicode().to_string()
                } else {
                    letter.to_string()
                }
            },
        )
        .collect()
}

/// A number of bytes as people say it.
pub(crate) fn format_size(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / *unit as f64),
        None => format!("{bytes} bytes"),
    }
}

#[derive(Clone, Copy)]
pub(crate) enum Colour {
    Red,
    Green,
    Yellow,
    Dim,
    Bold,
}

/// Colours a text when standard error is a terminal that wants colours.
pub(crate) fn paint(text: &str, colour: Colour) -> String {
    if !std::io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some() {
        return text.to_owned();
    }
    let code = match colour {
        Colour::Red => "31",
        Colour::Green => "32",
        Colour::Yellow => "33",
        Colour::Dim => "2",
        Colour::Bold => "1",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn arguments_are_shown_as_they_are_and_cannot_hide_anything() {
        assert_eq!(
            printable(r#"{"to":"ada@example.com","größe":1}"#),
            r#"{"to":"ada@example.com","größe":1}"#
        );
        assert_eq!(printable("a\u{1b}[2Kb\u{202e}c"), r"a\u{1b}[2Kb\u{202e}c");
    }
}
