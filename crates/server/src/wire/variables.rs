//! Variables.

use super::inline::{inline_schema, with};
use super::{Cursor, Echoed, Id, Nullable, Page, PageLimit, Text};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Variable<'a> {
    pub(crate) id: &'a str,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The project that it is for; `null` if it is for all.
    pub(crate) project: Option<VariableProject<'a>>,
}

#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct VariableProject<'a> {
    pub(crate) id: &'a str,
}

impl<'a> From<&'a store::variables::Variable> for Variable<'a> {
    fn from(variable: &'a store::variables::Variable) -> Self {
        Self {
            id: &variable.id,
            key: &variable.key,
            value: &variable.value,
            kind: "string",
            project: variable.project_id.as_deref().map(|id| VariableProject { id }),
        }
    }
}

pub(crate) type VariableList<'a> = Page<Variable<'a>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(inline)]
pub(crate) enum VariableState {
    Empty,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct VariableQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<String>,
    pub(crate) state: Option<VariableState>,
    pub(crate) project_id: Option<String>,
}

/// Clients send back what they got; `project` is set by `projectId`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct VariableInput {
    pub(crate) key: VariableKey,
    pub(crate) value: Text<0, 1000>,
    #[serde(default)]
    pub(crate) project_id: Nullable<Id>,
    _id: Option<Echoed>,
    _type: Option<Echoed>,
    _project: Option<Echoed>,
}

/// The name by which expressions find a variable.
pub(crate) struct VariableKey(pub(crate) Text<1, 50>);

impl<'de> Deserialize<'de> for VariableKey {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let key = Text::deserialize(input)?;
        let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        match key.chars().all(is_inside) && !key.starts_with(|first: char| first.is_ascii_digit()) {
            true => Ok(Self(key)),
            false => Err(de::Error::custom(
                "must contain only letters, digits and _, and not start with a digit",
            )),
        }
    }
}

inline_schema!(VariableKey, with(Text::<1, 50>::schema(), "pattern", "^[A-Za-z_][A-Za-z0-9_]*$"));

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::*;
    use model::json;

    #[test]
    fn keys_are_words_and_what_is_echoed_is_not_looked_at() {
        for good in ["a", "_a1", "A_b"] {
            let sent = json!({ "key": good, "value": "", "id": 1, "type": [], "project": null });
            assert_eq!(read::<VariableInput>(&sent).unwrap().key.0.as_str(), good);
        }
        for bad in ["", "1a", "a-b", "ä", "a b"] {
            let sent = json!({ "key": bad, "value": "" });
            assert_eq!(read::<VariableInput>(&sent).err().unwrap().path, "key", "{bad}");
        }
    }
}
