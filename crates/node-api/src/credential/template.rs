//! Texts with fields of a credential in them: `{field}`, or `{field|default}` for a field that may
//! be empty.

/// The field that a template needs and that is empty.
#[derive(Debug, PartialEq, Eq)]
pub struct EmptyField<'t>(pub &'t str);

/// The template with the values of its fields.
pub fn fill<'t>(
    template: &'t str,
    value: impl Fn(&str) -> Option<String>,
) -> Result<String, EmptyField<'t>> {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, behind) = after.split_once('}').unwrap_or((after, ""));
        let (name, default) = place.split_once('|').unwrap_or((place, ""));
        let found = value(name).filter(|text| !text.is_empty());
        let text = found.unwrap_or_else(|| default.to_owned());
        if text.is_empty() {
            return Err(EmptyField(name));
        }
        filled.push_str(before);
        filled.push_str(&text);
        rest = behind;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The names of the fields in a template.
pub fn fields(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).filter_map(|rest| rest.split(['}', '|']).next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_filled_in_and_may_have_a_default() {
        let value = |name: &str| match name {
            "a" => Some("x".to_owned()),
            "empty" => Some(String::new()),
            _ => None,
        };
        assert_eq!(fill("{a}/{b|y}/{empty|z}", value).unwrap(), "x/y/z");
        assert_eq!(fill("{a}{b}", value), Err(EmptyField("b")));
        assert_eq!(fill("{a", value).unwrap(), "x");
        assert_eq!(fields("{a}/{b|y}").collect::<Vec<_>>(), ["a", "b"]);
    }
}
