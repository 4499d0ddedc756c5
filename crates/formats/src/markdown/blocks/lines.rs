//! What a line of Markdown begins.

pub(super) fn detab(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut column = 0;
    for letter in line.chars() {
        let width = if letter == '\t' { 4 - column % 4 } else { 1 };
        match letter {
            '\t' => out.extend(std::iter::repeat_n(' ', width)),
            letter => out.push(letter),
        }
        column += width;
    }
    out
}

pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[derive(Clone, Copy, Default)]
pub(super) struct Marker {
    pub(super) is_number: bool,
    pub(super) number: u64,
    /// With the spaces before and after it.
    pub(super) width: usize,
}

pub(super) fn marker_of(line: &str) -> Option<Marker> {
    let start = indent(line);
    let text = &line[start..];
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let length = match text.as_bytes().first()? {
        b'*' | b'+' | b'-' => 1,
        _ if digits > 0 && text[digits..].starts_with('.') => digits + 1,
        _ => return None,
    };
    let spaces = text[length..].len() - text[length..].trim_start_matches(' ').len();
    if start > 3 || spaces == 0 || is_rule(line) {
        return None;
    }
    Some(Marker {
        is_number: digits > 0,
        number: text[..digits].parse().unwrap_or(1),
        width: start + length + spaces,
    })
}

/// A list goes on until a blank line that is followed by a line which is neither indented nor an
/// item.
pub(super) fn list_end(lines: &[&str]) -> usize {
    let starts_block = |line: &str| {
        let is_heading = line.starts_with('#') && !line.trim_start_matches('#').trim().is_empty();
        is_heading
            || is_rule(line)
            || is_quoted(line)
            || (fence_of(line).is_some() && indent(line) == 0)
    };
    let mut at = 1;
    while at < lines.len() {
        if lines[at].is_empty() {
            let next = next_text(lines, at);
            match lines.get(next) {
                Some(line) if indent(line) > 0 || marker_of(line).is_some() => at = next,
                _ => return at,
            }
        } else if starts_block(lines[at]) || underlined(&lines[at..]).is_some() {
            return at;
        } else {
            at += 1;
        }
    }
    lines.len()
}

/// The next line that is not empty.
pub(super) fn next_text(lines: &[&str], from: usize) -> usize {
    lines[from..].iter().position(|line| !line.is_empty()).map_or(lines.len(), |ahead| from + ahead)
}

pub(super) fn fence_of(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(' ');
    let first = text.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(first).len();
    (length >= 3 && indent(line) < 4 && !text[length..].contains('`')).then_some(&text[..length])
}

pub(super) fn is_rule(line: &str) -> bool {
    let marks: String = line.chars().filter(|letter| *letter != ' ').collect();
    marks.len() >= 3
        && indent(line) < 4
        && ['-', '*', '_'].iter().any(|mark| marks.chars().all(|letter| letter == *mark))
}

pub(super) fn is_quoted(line: &str) -> bool {
    line.trim_start().starts_with('>') && indent(line) < 4
}

/// The level of the heading that the second line makes of the first one.
pub(super) fn underlined(lines: &[&str]) -> Option<usize> {
    let text = lines.get(1)?.trim_end();
    [('=', 1), ('-', 2)]
        .into_iter()
        .find(|(mark, _)| !text.is_empty() && text.chars().all(|letter| letter == *mark))
        .map(|(_, level)| level)
}
