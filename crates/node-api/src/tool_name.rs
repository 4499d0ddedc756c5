//! The name under which a model knows a node that it may call.

use crate::NodeInfo;
use model::Str;

/// What every provider takes at most.
const MAX_LENGTH: usize = 64;

/// The node's name as a tool's: anything but letters, digits, `_` and `-` becomes an underscore,
/// several in a row one.
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

/// The name of a node as a tool; of one whose name has nothing that a provider takes, its type's.
pub fn tool_name_of(node: &NodeInfo) -> Str {
    let own = tool_name(&node.name);
    match own.chars().any(|letter| letter.is_ascii_alphanumeric()) {
        true => own,
        false => tool_name(node.type_name.rsplit('.').next().unwrap_or_default()),
    }
}

/// The name, or one that begins like it, that is not taken yet.
pub fn unique_name(name: Str, is_taken: impl Fn(&str) -> bool) -> Str {
    let mut candidate = name.clone();
    let mut number = 1;
    while is_taken(&candidate) {
        number += 1;
        let ending = format!("_{number}");
        let kept: String = name.chars().take(MAX_LENGTH - ending.len()).collect();
        candidate = (kept + &ending).into();
    }
    candidate
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_letters_and_is_cut() {
        for (name, expected) in
            [("Get mail!!", "Get_mail_"), ("Größe-1", "Gr_e-1"), ("a_ b", "a__b"), ("", "")]
        {
            assert_eq!(tool_name(name), expected);
        }
        assert_eq!(tool_name(&"é".repeat(99)), "_");
        assert_eq!(tool_name(&"ab".repeat(99)).len(), 64);
    }

    #[test]
    fn a_name_without_letters_gives_way_to_the_type() {
        let info = |name: &str| NodeInfo {
            name: name.into(),
            type_name: "n8n-nodes-base.httpRequestTool".into(),
            ..NodeInfo::default()
        };
        assert_eq!(tool_name_of(&info("天気")), "httpRequestTool");
        assert_eq!(tool_name_of(&info("天気 2")), "_2");
    }

    #[test]
    fn no_two_names_are_alike() {
        let taken = ["a".to_owned(), "a_2".to_owned(), "x".repeat(64)];
        let is_taken = |name: &str| taken.iter().any(|known| known == name);
        assert_eq!(unique_name("a".into(), is_taken), "a_3");
        assert_eq!(unique_name("b".into(), is_taken), "b");
        assert_eq!(unique_name("x".repeat(64).into(), is_taken), format!("{}_2", "x".repeat(62)));
    }
}
