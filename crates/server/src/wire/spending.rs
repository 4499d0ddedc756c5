//! What models cost, by day.

use super::Number;
use super::inline::inline_schema;
use super::text::parse_text;
use model::Str;
use schemars::{JsonSchema, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpendingRow<'a> {
    pub(crate) day: &'a str,
    pub(crate) workflow_id: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) model: &'a str,
    pub(crate) calls: u64,
    pub(crate) input_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) dollars: Number,
}

impl<'a> From<&'a store::spending::SpendingRow> for SpendingRow<'a> {
    fn from(row: &'a store::spending::SpendingRow) -> Self {
        Self {
            day: &row.day,
            workflow_id: &row.workflow_id,
            provider: &row.provider,
            model: &row.model,
            calls: row.calls,
            input_tokens: row.input,
            cached_tokens: row.cached,
            output_tokens: row.output,
            dollars: Number(row.dollars),
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Spending<'a> {
    pub(crate) data: Vec<SpendingRow<'a>>,
    pub(crate) dollars: Number,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SpendingQuery {
    pub(crate) from: Option<Day>,
    pub(crate) to: Option<Day>,
    pub(crate) workflow_id: Option<String>,
}

/// A day as ISO 8601 writes it.
pub(crate) struct Day(pub(crate) Str);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        parse_text(input, "a day such as 2026-01-31", |text| {
            let is_day = text.len() == 10 && text.parse::<jiff::civil::Date>().is_ok();
            is_day.then(|| Self(text.into()))
        })
    }
}

inline_schema!(Day, json_schema!({ "type": "string", "format": "date" }));

#[cfg(test)]
mod tests {
    use super::super::read_query;
    use super::*;

    #[test]
    fn a_day_is_written_with_four_two_and_two_digits() {
        let from = |query: &str| read_query::<SpendingQuery>(query).map(|query| query.from);
        assert_eq!(
            from("from=2026-01-31").ok().flatten().map(|day| day.0),
            Some("2026-01-31".into())
        );
        for bad in ["2026-02-31", "2026-1-31", "20260131", "2026-01-31T00:00:00Z", ""] {
            let error = from(&format!("from={bad}")).err().unwrap();
            assert_eq!(error.to_string(), "'from' must be a day such as 2026-01-31", "{bad}");
        }
    }
}
