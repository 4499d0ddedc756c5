//! Which names tables and columns may have.

use super::TableError;
use model::Str;

/// Columns that every table has, and the one that previews add.
pub const RESERVED: [&str; 4] = ["id", "createdAt", "updatedAt", "dryRunState"];

const LONGEST_COLUMN: usize = 63;
const LONGEST_TABLE: usize = 128;

pub fn check_column_name(name: &str) -> Result<(), TableError> {
    let refuse = |rule| Err(TableError::Name { what: "a column", name: shortened(name), rule });
    let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if RESERVED.contains(&name) {
        return refuse("it is reserved; every table has it");
    }
    if name.len() > LONGEST_COLUMN {
        return refuse("it has more than 63 characters");
    }
    if !name.starts_with(|letter: char| letter.is_ascii_alphabetic())
        || !name.chars().all(is_inside)
    {
        return refuse("it must start with a letter and contain only letters, digits and _");
    }
    Ok(())
}

pub fn check_table_name(name: &str) -> Result<(), TableError> {
    let refuse = |rule| Err(TableError::Name { what: "a data table", name: shortened(name), rule });
    if name.trim().is_empty() {
        return refuse("it is empty");
    }
    if name.chars().count() > LONGEST_TABLE {
        return refuse("it has more than 128 characters");
    }
    if name.chars().any(char::is_control) {
        return refuse("it contains an invisible character");
    }
    Ok(())
}

fn shortened(name: &str) -> Str {
    name.chars()
        .filter(|letter| !letter.is_control())
        .take(LONGEST_TABLE)
        .collect::<String>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_words() {
        for good in ["a", "firstName", "x_1", &"a".repeat(63)] {
            assert!(check_column_name(good).is_ok(), "{good}");
        }
        let long = "a".repeat(64);
        for bad in [
            "",
            "1a",
            "_a",
            "a b",
            "a\"b",
            "a;drop",
            "é",
            "id",
            "createdAt",
            "updatedAt",
            "dryRunState",
            "a\0",
            "a-b",
            long.as_str(),
        ] {
            assert!(check_column_name(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn table_names_are_texts_that_can_be_shown() {
        assert!(check_table_name("My table; drop \"x\"").is_ok());
        for bad in ["", "  ", "a\0b", "a\nb", &"x".repeat(129)] {
            assert!(check_table_name(bad).is_err(), "{bad}");
        }
    }
}
