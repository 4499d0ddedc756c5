//! What lists of data tables can be asked.

use super::inline::inline_schema;
use super::text::parse_text;
use super::{Cursor, JsonText, PageLimit};
use node_api::tables::{SortOrder, TableRecord};
use schemars::{JsonSchema, json_schema};
use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataTableQuery {
    #[serde(default)]
    pub(crate) limit: PageLimit,
    #[serde(default)]
    pub(crate) cursor: Cursor<u32>,
    pub(crate) filter: Option<JsonText<TableFilter>>,
    pub(crate) sort_by: Option<TableSort>,
}

/// Which tables are listed: those that fit every field.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TableFilter {
    id: Option<OneOrMore>,
    name: Option<OneOrMore>,
    project_id: Option<OneOrMore>,
}

impl TableFilter {
    pub(crate) fn matches(&self, table: &TableRecord) -> bool {
        let fits = |wanted: &Option<OneOrMore>, fits: &dyn Fn(&str) -> bool| {
            wanted.as_ref().is_none_or(|wanted| wanted.0.iter().any(|wanted| fits(wanted)))
        };
        let name = table.name.to_lowercase();
        fits(&self.id, &|id| table.id == id)
            && fits(&self.name, &|part| name.contains(&part.to_lowercase()))
            && fits(&self.project_id, &|id| table.project_id == id)
    }
}

/// A text, or a list of texts of which one must fit.
struct OneOrMore(Vec<String>);

impl<'de> Deserialize<'de> for OneOrMore {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(OneOrMoreVisitor).map(Self)
    }
}

struct OneOrMoreVisitor;

impl<'de> Visitor<'de> for OneOrMoreVisitor {
    type Value = Vec<String>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a string or a list of strings")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Vec<String>, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut texts: A) -> Result<Vec<String>, A::Error> {
        let mut read = Vec::new();
        while let Some(text) = texts.next_element()? {
            read.push(text);
        }
        Ok(read)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TableSortField {
    Name,
    CreatedAt,
    UpdatedAt,
    Size,
}

/// `name:asc`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableSort {
    pub(crate) field: TableSortField,
    pub(crate) order: SortOrder,
}

impl Default for TableSort {
    fn default() -> Self {
        Self { field: TableSortField::Name, order: SortOrder::Ascending }
    }
}

impl<'de> Deserialize<'de> for TableSort {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let expected = "name, createdAt, updatedAt or size followed by :asc or :desc";
        parse_text(input, expected, |text| {
            let (field, order) = split_sort(text)?;
            let field = match field {
                "name" => TableSortField::Name,
                "createdAt" => TableSortField::CreatedAt,
                "updatedAt" => TableSortField::UpdatedAt,
                "size" | "sizeBytes" => TableSortField::Size,
                _ => return None,
            };
            Some(Self { field, order })
        })
    }
}

inline_schema!(TableSort, json_schema!({ "type": "string", "default": "name:asc" }));

/// `column:asc` or `column:desc`.
pub(super) fn split_sort(text: &str) -> Option<(&str, SortOrder)> {
    match text.rsplit_once(':')? {
        (column, "asc") => Some((column, SortOrder::Ascending)),
        (column, "desc") => Some((column, SortOrder::Descending)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::read::read;
    use super::super::read_query;
    use super::*;
    use model::json;

    #[test]
    fn a_sort_has_a_known_field_and_an_order() {
        let sort = |text: &str| {
            let query = read_query::<DataTableQuery>(&format!("sortBy={text}"));
            query.map(|query| query.sort_by).map_err(|error| error.path)
        };
        let newest = TableSort { field: TableSortField::CreatedAt, order: SortOrder::Descending };
        assert_eq!(sort("createdAt:desc"), Ok(Some(newest)));
        for bad in ["name", "name:up", "owner:asc", ":asc", ""] {
            assert_eq!(sort(bad), Err("sortBy".to_owned()), "{bad}");
        }
    }

    #[test]
    fn a_filter_has_texts_or_lists_of_texts() {
        let problem = |value| read::<TableFilter>(&value).err().map(|error| error.to_string());
        assert_eq!(problem(json!({ "id": "1", "name": ["a", "b"] })), None);
        assert_eq!(
            problem(json!({ "id": 1 })).unwrap(),
            "'id' must be a string or a list of strings"
        );
        assert_eq!(problem(json!({ "name": [1] })).unwrap(), "'name[0]' must be a string");
        assert!(problem(json!({ "size": "1" })).unwrap().starts_with("'size' is not a field"));
    }
}
