//! The name under which a model knows a node that it may call.

use model::Str;

/// What every provider takes at most.
const MAX_LENGTH: usize = 64;

/// The node's name as a tool's: anything but letters, digits, `_` and `-` becomes an underscore, several in a row one.
pub fn tool_name(node_name: &str) -> Str {
    let mut name = Str::new();
    let mut is_gap = false;
    for letter in node_name.chars() {
        let fits = letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
        match fits {
            true => name.push(letter),
            false if is_gap => continue,
            false => name.push('_'),
        }
        is_gap = !fits;
        if name.len() == MAX_LENGTH {
            break;
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::tool_name;

    #[test]
    fn a_name_keeps_letters_and_is_cut() {
        for (name, expected) in [("Get mail!!", "Get_mail_"), ("Größe-1", "Gr_e-1"), ("a_ b", "a__b"), ("", "")] {
            assert_eq!(tool_name(name), expected);
        }
        assert_eq!(tool_name(&"é".repeat(99)), "_");
        assert_eq!(tool_name(&"ab".repeat(99)).len(), 64);
    }
}
