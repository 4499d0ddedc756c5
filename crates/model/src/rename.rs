//! Follows a renamed node inside expressions: `$('Old')`, `$node["Old"]`, `$node.Old`,
//! `$items("Old")`.

use crate::Str;

/// The expression with every reference to node `old` turned to `new`. All other text stays as it
/// is.
pub fn rename_in_expression(text: &str, old: &str, new: &str) -> Str {
    rename_all(text, &|name| (name == old).then(|| new.into())).unwrap_or_else(|| text.into())
}

/// JavaScript with the references to every node that has a new name; `None` if there are none.
pub fn rename_all(text: &str, new_name: &dyn Fn(&str) -> Option<Str>) -> Option<Str> {
    if !text.contains('$') {
        return None;
    }
    let mut out = Str::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    let mut is_changed = false;
    while let Some(next) = rest.chars().next() {
        if next == '$'
            && !is_name_part(previous)
            && let Some((reference, length)) = reference(rest, new_name)
        {
            is_changed = true;
            out.push_str(&reference);
            previous = ')';
            rest = &rest[length..];
            continue;
        }
        out.push(next);
        previous = next;
        rest = &rest[next.len_utf8()..];
    }
    is_changed.then_some(out)
}

/// Like [`rename_all`] inside the `{{ … }}` of a text; what stands outside of them is no code.
pub fn rename_in_template(text: &str, new_name: &dyn Fn(&str) -> Option<Str>) -> Option<Str> {
    let mut out = Str::with_capacity(text.len());
    let mut is_changed = false;
    let mut rest = text;
    let mut in_code = false;
    while !rest.is_empty() {
        let end = next_bracket(rest, if in_code { "}}" } else { "{{" });
        let (piece, after) = rest.split_at(end);
        match if in_code { rename_all(piece, new_name) } else { None } {
            Some(renamed) => {
                is_changed = true;
                out.push_str(&renamed);
            }
            None => out.push_str(piece),
        }
        let bracket = after.len().min(2);
        out.push_str(&after[..bracket]);
        rest = &after[bracket..];
        in_code = !in_code;
    }
    is_changed.then_some(out)
}

/// Where the next bracket pair stands that no backslash protects; the end of the text if there is
/// none.
fn next_bracket(text: &str, bracket: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find(bracket) {
        let before = &text[from..from + at];
        let backslashes = before.len() - before.trim_end_matches('\\').len();
        if backslashes.is_multiple_of(2) {
            return from + at;
        }
        from += at + bracket.len();
    }
    text.len()
}

/// The rewritten reference at the start of a text, and how many bytes it replaces.
fn reference(text: &str, new_name: &dyn Fn(&str) -> Option<Str>) -> Option<(String, usize)> {
    for (start, bracket) in [("$node", '['), ("$items", '('), ("$", '(')] {
        let Some(after) = text.strip_prefix(start) else { continue };
        let opened = after.trim_start();
        if let Some(inner) = opened.strip_prefix(bracket) {
            let literal = inner.trim_start();
            let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\'' | '`'))?;
            let (name, length) = read_literal(&literal[1..], quote)?;
            let new = new_name(&name)?;
            let before = &text[..text.len() - literal.len()];
            return Some((
                format!("{before}{quote}{}{quote}", escaped(&new, quote)),
                before.len() + 1 + length,
            ));
        }
        if bracket == '['
            && let Some(name) = after.strip_prefix('.')
        {
            let end = name.find(|part| !is_name_part(part)).unwrap_or(name.len());
            let new = new_name(&name[..end])?;
            let written = if is_plain_name(&new) {
                format!("$node.{new}")
            } else {
                format!("$node[\"{}\"]", escaped(&new, '"'))
            };
            return Some((written, "$node.".len() + end));
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
            '\\' => match characters.next()?.1 {
                'n' => name.push('\n'),
                'r' => name.push('\r'),
                't' => name.push('\t'),
                'x' => {
                    let digits = text.get(at + 2..at + 4)?;
                    name.push(char::from(u8::from_str_radix(digits, 16).ok()?));
                    characters.nth(1)?;
                }
                other => name.push(other),
            },
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
    // The end of an expression is looked for without regard to quotes.
    let out = out.replace("}}", "}\\x7d");
    // A template literal would read `${` as code.
    if quote == '`' { out.replace("${", "\\${") } else { out }
}

fn is_name_part(part: char) -> bool {
    part.is_alphanumeric() || part == '_' || part == '$'
}

/// Whether a reference to this name is written `$node.name`. Any other is written with brackets and
/// quotes, as n8n also does for `_` and `$`.
pub fn is_plain_name(name: &str) -> bool {
    name.chars().all(char::is_alphanumeric) && name.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::{rename_in_expression, rename_in_template};
    use proptest::prelude::*;

    #[track_caller]
    fn check(text: &str, old: &str, new: &str, expected: &str) {
        assert_eq!(rename_in_expression(text, old, new), expected, "{text}");
    }

    #[test]
    fn every_form_of_reference_follows() {
        check("={{ $('Old').item.json.a }}", "Old", "New", "={{ $('New').item.json.a }}");
        check(
            "$node[\"Old\"].json + $items(\"Old\", 0)",
            "Old",
            "New 1",
            "$node[\"New 1\"].json + $items(\"New 1\", 0)",
        );
        check("$node.Old.json", "Old", "New", "$node.New.json");
        check("$node.Old.json", "Old", "New 1", "$node[\"New 1\"].json");
        check("$node.Old.json", "Old", "New_1", "$node[\"New_1\"].json");
        check("$( 'it\\'s' )", "it's", "x", "$( 'x' )");
    }

    #[test]
    fn other_names_stay() {
        for text in [
            "$('Older')",
            "$node.Older.json",
            "my$('Old')",
            "foo('Old')",
            "'Old'",
            "$json.Old",
            "$('Old",
        ] {
            check(text, "Old", "New", text);
        }
    }

    #[test]
    fn quotes_in_the_new_name_cannot_break_out() {
        check("$('Old')", "Old", "a'); evil('", "$('a\\'); evil(\\'')");
        check("$(`Old`)", "Old", "${x}`", "$(`\\${x}\\``)");
    }

    #[test]
    fn a_name_cannot_end_the_expression_it_stands_in() {
        check("{{ $('Old') }}", "Old", "a}}{{ evil() }}}", "{{ $('a}\\x7d{{ evil() }\\x7d}') }}");
        check("$('a}\\x7d')", "a}}", "b", "$('b')");
    }

    #[test]
    fn only_what_stands_in_brackets_is_code() {
        let renamed =
            |text| rename_in_template(text, &|name| (name == "Old").then(|| "New".into()));
        assert_eq!(
            renamed("=$('Old') {{ $('Old').x }} $('Old')").as_deref(),
            Some("=$('Old') {{ $('New').x }} $('Old')")
        );
        assert_eq!(renamed("=\\{{ $('Old') }}"), None);
        assert_eq!(renamed("={{ $('Old')").as_deref(), Some("={{ $('New')"));
    }

    proptest! {
        #[test]
        fn renaming_there_and_back_gives_the_same_text(new in "[a-zé '\"\\\\{}$`\n]{1,12}") {
            prop_assume!(new != "Old");
            let text = "={{ $('Old').first().json.x + $items(\"Old\") }}";
            let there = rename_in_expression(text, "Old", &new);
            prop_assert_eq!(rename_in_expression(&there, &new, "Old"), text);
        }
    }
}
