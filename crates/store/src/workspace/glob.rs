//! Patterns for file names: `*`, `**`, `?`, `[a-z]` and `{a,b}`, as n8n's file nodes take them.

/// More alternatives than this come from no honest pattern: `{a,b}{a,b}…` doubles with every group.
const MAX_ALTERNATIVES: usize = 1000;

/// One step of a pattern, between two slashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GlobSegment {
    /// A name as it stands.
    Name(String),
    /// A name with wildcards.
    Wild(Vec<GlobToken>),
    /// `*` alone.
    AnyName,
    /// `**`: any number of folders, none included.
    AnyDepth,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum GlobToken {
    Char(char),
    AnyChar,
    AnyText,
    OneOf { ranges: Vec<(char, char)>, negated: bool },
}

/// The pattern without braces: one for each choice. `None` if there are too many.
pub(super) fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(pattern) = open.pop() {
        if done.len() + open.len() > MAX_ALTERNATIVES {
            return None;
        }
        match split_braces(&pattern) {
            Some((before, choices, after)) => {
                if choices.len() > MAX_ALTERNATIVES {
                    return None;
                }
                open.extend(choices.iter().rev().map(|choice| format!("{before}{choice}{after}")));
            }
            None => done.push(pattern),
        }
    }
    Some(done)
}

/// The first `{a,b}` of a pattern: what stands before, its choices, what stands after.
fn split_braces(pattern: &str) -> Option<(&str, Vec<&str>, &str)> {
    let mut depth = 0usize;
    let (mut start, mut choice_start) = (0, 0);
    let mut choices = Vec::new();
    let mut escaped = false;
    for (at, letter) in pattern.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '{' => {
                if depth == 0 {
                    (start, choice_start) = (at, at + 1);
                }
                depth += 1;
            }
            ',' if depth == 1 => {
                choices.push(&pattern[choice_start..at]);
                choice_start = at + 1;
            }
            '}' if depth == 1 => {
                // `{a}` is a name with braces in it, not a choice.
                if choices.is_empty() {
                    depth = 0;
                    continue;
                }
                choices.push(&pattern[choice_start..at]);
                return Some((&pattern[..start], choices, &pattern[at + 1..]));
            }
            '}' if depth > 1 => depth -= 1,
            _ => {}
        }
    }
    None
}

pub(super) fn segments(pattern: &str) -> Vec<GlobSegment> {
    pattern.split('/').filter(|part| !part.is_empty() && *part != ".").map(segment).collect()
}

fn segment(part: &str) -> GlobSegment {
    match part {
        "**" => return GlobSegment::AnyDepth,
        "*" => return GlobSegment::AnyName,
        _ => {}
    }
    let mut tokens = Vec::new();
    let mut letters = part.chars().peekable();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            '*' => GlobToken::AnyText,
            '?' => GlobToken::AnyChar,
            '\\' => GlobToken::Char(letters.next().unwrap_or('\\')),
            '[' if letters.clone().skip(1).any(|letter| letter == ']') => one_of(&mut letters),
            letter => GlobToken::Char(letter),
        });
        if tokens.ends_with(&[GlobToken::AnyText, GlobToken::AnyText]) {
            tokens.pop();
        }
    }
    let plain: Option<String> = tokens
        .iter()
        .map(|token| if let GlobToken::Char(letter) = token { Some(*letter) } else { None })
        .collect();
    plain.map_or(GlobSegment::Wild(tokens), GlobSegment::Name)
}

fn one_of(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> GlobToken {
    let negated = letters.next_if(|letter| matches!(letter, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    let mut is_first = true;
    while let Some(from) = letters.next_if(|letter| *letter != ']' || is_first) {
        is_first = false;
        let mut ahead = letters.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) if to != ']' => {
                ranges.push((from, to));
                *letters = ahead;
            }
            _ => ranges.push((from, from)),
        }
    }
    letters.next();
    GlobToken::OneOf { ranges, negated }
}

/// Whether a name fits. A leading dot must be written out, as shells have it.
pub(super) fn fits(tokens: &[GlobToken], name: &str) -> bool {
    if name.starts_with('.') && tokens.first() != Some(&GlobToken::Char('.')) {
        return false;
    }
    let letters: Vec<char> = name.chars().collect();
    let (mut token, mut letter) = (0, 0);
    // Where to go on when the last `*` has to take one letter more: time grows with the product of
    // both lengths at worst.
    let mut retry: Option<(usize, usize)> = None;
    while letter < letters.len() {
        let fits = match tokens.get(token) {
            Some(GlobToken::AnyText) => {
                retry = Some((token, letter));
                token += 1;
                continue;
            }
            Some(GlobToken::Char(wanted)) => *wanted == letters[letter],
            Some(GlobToken::AnyChar) => true,
            Some(GlobToken::OneOf { ranges, negated }) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&letters[letter])) != *negated
            }
            None => false,
        };
        if fits {
            (token, letter) = (token + 1, letter + 1);
        } else if let Some((star, taken)) = retry {
            retry = Some((star, taken + 1));
            (token, letter) = (star + 1, taken + 1);
        } else {
            return false;
        }
    }
    tokens[token..].iter().all(|token| *token == GlobToken::AnyText)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        match segment(pattern) {
            GlobSegment::Name(wanted) => wanted == name,
            GlobSegment::Wild(tokens) => fits(&tokens, name),
            GlobSegment::AnyName | GlobSegment::AnyDepth => true,
        }
    }

    #[test]
    fn wildcards_fit_names() {
        for (pattern, name, expected) in [
            ("*.json", "a.json", true),
            ("*.json", "a.jsonl", false),
            ("*.json", ".hidden.json", false),
            (".*.json", ".hidden.json", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("*a*b*c", "xaxbxc", true),
            ("*a*b*c", "xaxbx", false),
            ("[a-c]*", "beta", true),
            ("[!a-c]*", "beta", false),
            ("[]x", "[]x", true),
            ("a\\*b", "a*b", true),
            ("a\\*b", "axb", false),
            ("ä*", "äöü", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn braces_give_every_choice_in_order() {
        assert_eq!(
            alternatives("x/{a,b{1,2}}.json").unwrap(),
            ["x/a.json", "x/b1.json", "x/b2.json"]
        );
        assert_eq!(alternatives("{a}").unwrap(), ["{a}"]);
        assert_eq!(alternatives("{a,b").unwrap(), ["{a,b"]);
    }

    #[test]
    fn braces_that_multiply_without_end_are_refused() {
        assert_eq!(alternatives(&"{a,b}".repeat(40)), None);
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        assert!(!matches(&format!("{}b", "*a".repeat(50)), &"a".repeat(5000)));
    }
}
