//! Follows a renamed node inside expressions: `$('Old')`, `$node["Old"]`, `$node.Old`, `$items("Old")`.

use crate::Str;

/// The expression with every reference to node `old` turned to `new`. All other text stays as it is.
pub fn rename_in_expression(text: &str, old: &str, new: &str) -> Str {
    let mut out = Str::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(next) = rest.chars().next() {
        if next == '$'
            && !is_name_part(previous)
            && let Some((reference, length)) = reference(rest, old, new)
        {
            out.push_str(&reference);
            previous = ')';
            rest = &rest[length..];
            continue;
        }
        out.push(next);
        previous = next;
        rest = &rest[next.len_utf8()..];
    }
    out
}

/// The rewritten reference at the start of a text, and how many bytes it replaces.
fn reference(text: &str, old: &str, new: &str) -> Option<(String, usize)> {
    for (start, bracket) in [("$node", '['), ("$items", '('), ("$", '(')] {
        let Some(after) = text.strip_prefix(start) else { continue };
        let opened = after.trim_start();
        if let Some(inner) = opened.strip_prefix(bracket) {
            let literal = inner.trim_start();
            let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
            let (name, length) = read_literal(&literal[1..], quote)?;
            if name != old {
                return None;
            }
            let before = &text[..text.len() - literal.len()];
            return Some((format!("{before}{quote}{}{quote}", escaped(new, quote)), before.len() + 1 + length));
        }
        if bracket == '['
            && let Some(name) = after.strip_prefix('.')
            && let Some(tail) = name.strip_prefix(old)
            && !tail.starts_with(is_name_part)
        {
            let written = if is_plain_name(new) { format!("$node.{new}") } else { format!("$node[\"{}\"]", escaped(new, '"')) };
            return Some((written, text.len() - tail.len()));
        }
    }
    None
}

/// The content of a literal up to its closing quote, and how many bytes that is with the quote.
fn read_literal(text: &str, quote: char) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut characters = text.char_indices();
    while let Some((at, next)) = characters.next() {
        match next {
            '\\' => name.push(characters.next()?.1),
            '\n' | '\r' if quote != '`' => return None,
            next if next == quote => return Some((name, at + 1)),
            next => name.push(next),
        }
    }
    None
}

/// The name as it stands between quotes.
fn escaped(name: &str, quote: char) -> String {
    let mut out = String::with_capacity(name.len());
    for next in name.chars() {
        match next {
            '\\' | '"' | '\'' => out.extend(['\\', next]),
            '`' if quote == '`' => out.push_str("\\`"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            next => out.push(next),
        }
    }
    // A template literal would read `${` as code.
    if quote == '`' { out.replace("${", "\\${") } else { out }
}

fn is_name_part(part: char) -> bool {
    part.is_alphanumeric() || part == '_' || part == '$'
}

fn is_plain_name(name: &str) -> bool {
    name.chars().all(is_name_part) && name.starts_with(|first: char| is_name_part(first) && !first.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::rename_in_expression;
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, expected: &str) {
        assert_eq!(rename_in_expression(text, old, new), expected, "{text}");
    }

    #[test]
    fn every_form_of_reference_follows() {
        check("={{ $('Old').item.json.a }}", "Old", "New", "={{ $('New').item.json.a }}");
        check("$node[\"Old\"].json + $items(\"Old\", 0)", "Old", "New 1", "$node[\"New 1\"].json + $items(\"New 1\", 0)");
        check("$node.Old.json", "Old", "New", "$node.New.json");
        check("$node.Old.json", "Old", "New 1", "$node[\"New 1\"].json");
        check("$( 'it\\'s' )", "it's", "x", "$( 'x' )");
    }

    #[test]
    fn other_names_stay() {
        for text in ["$('Older')", "$node.Older.json", "my$('Old')", "foo('Old')", "'Old'", "$json.Old", "$('Old"] {
            check(text, "Old", "New", text);
        }
    }

    #[test]
    fn quotes_in_the_new_name_cannot_break_out() {
        check("$('Old')", "Old", "a'); evil('", "$('a\\'); evil(\\'')");
        check("$(`Old`)", "Old", "${x}`", "$(`\\${x}\\``)");
    }

    proptest! {
        #[test]
        fn renaming_there_and_back_gives_the_same_text(new in "[a-zé '\"\\\\]{1,12}") {
            prop_assume!(new != "Old");
            let text = "={{ $('Old').first().json.x + $items(\"Old\") }}";
            let there = rename_in_expression(text, "Old", &new);
            prop_assert_eq!(rename_in_expression(&there, &new, "Old"), text);
        }
    }
}
