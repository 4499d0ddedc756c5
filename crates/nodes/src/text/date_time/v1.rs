//! The first version of the Date & Time node, which speaks moment's format tokens.

use super::timestamp_ms;
use crate::field_type::to_number;
use formats::dates::{
    Moment, Unit, from_moment_format, parse_js_date, parse_moment, to_moment_format,
};
use node_api::prelude::*;

pub(crate) struct DateTimeV1;

/// The zone of the process that n8n runs in.
const PROCESS_ZONE: &str = "UTC";

impl Node for DateTimeV1 {
    fn spec() -> Spec {
        let format = &["format"];
        let calculate = &["calculate"];
        let formats = [
            ("MM/DD/YYYY", "MM/DD/YYYY"),
            ("YYYY/MM/DD", "YYYY/MM/DD"),
            ("MMMM DD YYYY", "MMMM DD YYYY"),
            ("MM-DD-YYYY", "MM-DD-YYYY"),
            ("YYYY-MM-DD", "YYYY-MM-DD"),
            ("X", "Unix timestamp"),
            ("x", "Unix timestamp in milliseconds"),
        ];
        let units = [
            ("days", "Days"),
            ("quarters", "Quarters"),
            ("years", "Years"),
            ("months", "Months"),
            ("weeks", "Weeks"),
            ("hours", "Hours"),
            ("minutes", "Minutes"),
            ("seconds", "Seconds"),
            ("milliseconds", "Milliseconds"),
        ];
        let from_format = || {
            Param::text("fromFormat", "From format", "")
                .help("Moment tokens of the input format, if it is not recognized automatically.")
        };
        Spec::new(
            "n8n-nodes-base.dateTime",
            &[1.0],
            "Date & Time",
            "Manipulate date and time values",
        )
        .icon("calendar")
        .params([
            Param::choice(
                "action",
                "Action",
                &[("format", "Format a date"), ("calculate", "Calculate a date")],
            )
            .help("What to do."),
            Param::text("value", "Value", "").required().help("The date to use."),
            Param::flag("custom", "Custom format", false)
                .help("Use a custom format.")
                .show("action", format),
            Param::text("toFormat", "To format", "")
                .help("Moment tokens, such as YYYY-MM-DD HH:mm.")
                .show("action", format)
                .show("custom", &[true]),
            Param::choice("toFormat", "To format", &formats)
                .help("Format of the output date.")
                .show("action", format)
                .show("custom", &[false]),
            Param::choice("operation", "Operation", &[("add", "Add"), ("subtract", "Subtract")])
                .help("Add or subtract.")
                .show("action", calculate),
            Param::number("duration", "Duration", 0)
                .help("Number of units.")
                .show("action", calculate),
            Param::choice("timeUnit", "Time unit", &units)
                .help("The unit of the duration.")
                .show("action", calculate),
            Param::text("dataPropertyName", "Property name", "data")
                .required()
                .help("Field for the result."),
            Param::collection(
                "options",
                "Options",
                [
                    from_format(),
                    Param::text("fromTimezone", "From timezone", "UTC")
                        .help("Time zone of the input."),
                    Param::text("toTimezone", "To timezone", "UTC")
                        .help("Time zone of the output."),
                ],
            )
            .help("Further settings.")
            .show("action", format),
            Param::collection("options", "Options", [from_format()])
                .help("Further settings.")
                .show("action", calculate),
        ])
        .hint("Only in old workflows; version 2 of the node replaces it.")
        .repeatable()
        .example(
            "Write a date",
            r#"{ "value": "2024-02-28", "toFormat": "YYYY/MM/DD" }"#,
            r#"[{ "id": 1 }]"#,
            r#"[[{ "id": 1, "data": "2024/02/28" }]]"#,
        )
        .example(
            "Ten days later",
            r#"{ "action": "calculate", "value": "08/01/2022", "duration": 10 }"#,
            "[{}]",
            r#"[[{ "data": "2022-08-11T00:00:00.000Z" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let calculates = ctx.text("action", 0)? == "calculate";
        let mut output = ctx.builder();
        for (index, mut item) in items.iter().enumerate() {
            let result =
                if calculates { calculate(ctx, index).map(Some) } else { format(ctx, index) };
            let name = ctx.text("dataPropertyName", index)?;
            match result {
                Ok(Some(text)) => {
                    item.json.make_object().insert(name, text);
                    output.push(item.paired_with(index));
                }
                // An item without a value is left out.
                Ok(None) => {}
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

fn format(ctx: &Ctx<'_>, index: usize) -> Result<Option<String>, NodeError> {
    let value = match ctx.param("value", index)? {
        Value::Undefined => return Ok(None),
        Value::Date(date) => Value::String(date.iso.clone()),
        value => value,
    };
    let to_format = ctx.text("toFormat", index)?;
    let from_format = ctx.param("options.fromFormat", index)?;
    let (from_zone, to_zone) =
        (ctx.text("options.fromTimezone", index)?, ctx.text("options.toTimezone", index)?);
    let or_workflow =
        |zone: &Str| if zone.is_empty() { Str::from(ctx.host().timezone()) } else { zone.clone() };
    let has_zone = !from_zone.is_empty() || !to_zone.is_empty();
    let shown_in = if has_zone { or_workflow(&to_zone) } else { PROCESS_ZONE.into() };
    let read_in = if has_zone { or_workflow(&from_zone) } else { PROCESS_ZONE.into() };

    let number = to_number(&value);
    let epoch_ms = if number.is_nan() {
        let text = value.to_js_string();
        let known_format = from_format.as_str().filter(|format| !format.is_empty());
        let recognised = parse_moment(&text, &read_in);
        if from_format.is_undefined() && recognised.is_none() {
            let message = "The date input format could not be recognized. Please set the \"From Format\" field";
            return Err(NodeError::parameter("value", message));
        }
        match known_format {
            Some(format) => from_moment_format(&text, format, &read_in, false, ctx.host().now_ms()),
            None => recognised,
        }
    } else {
        Some(timestamp_ms(number))
    };
    let moment = epoch_ms.and_then(|epoch_ms| Moment::new(epoch_ms, PROCESS_ZONE));
    let shown = moment.map(|moment| moment.in_zone(&shown_in).unwrap_or(moment));
    Ok(Some(
        shown.map_or_else(
            || "Invalid date".to_owned(),
            |moment| to_moment_format(&moment, &to_format),
        ),
    ))
}

fn calculate(ctx: &Ctx<'_>, index: usize) -> Result<String, NodeError> {
    let value = ctx.param("value", index)?;
    let from_format = ctx.text("options.fromFormat", index)?;
    let epoch_ms = if from_format.is_empty() {
        let parsed = match &value {
            Value::Number(number) => Some(*number),
            Value::Date(date) => Some(date.epoch_ms),
            other => parse_js_date(&other.to_js_string()),
        };
        let message =
            "Unrecognized date input. Please specify a format in the \"From Format\" field.";
        parsed.ok_or_else(|| NodeError::parameter("value", message))?
    } else {
        let message =
            "Date input cannot be parsed. Please recheck the value and the \"From Format\" field.";
        from_moment_format(
            &value.to_js_string(),
            &from_format,
            PROCESS_ZONE,
            true,
            ctx.host().now_ms(),
        )
        .ok_or_else(|| NodeError::parameter("value", message))?
    };
    let unit = ctx.text("timeUnit", index)?;
    let unit = Unit::from_name(&unit)
        .ok_or_else(|| NodeError::parameter("timeUnit", format!("Invalid unit {unit}")))?;
    let mut amount = ctx.number("duration", index)?;
    // moment knows no fractions of calendar units.
    if unit >= Unit::Day {
        amount = amount.round();
    }
    if ctx.text("operation", index)? != "add" {
        amount = -amount;
    }
    let moved = Moment::new(epoch_ms, PROCESS_ZONE).and_then(|moment| moment.plus(amount, unit));
    moved
        .map(|moment| moment.to_iso())
        .ok_or_else(|| NodeError::parameter("duration", "The date is out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run_on, to_json};

    async fn one(params: Value) -> Result<Value, NodeError> {
        let mut host = TestHost::new(&DateTimeV1::spec(), 1.0, &params);
        host.timezone = "America/New_York".into();
        let outputs =
            run_on::<DateTimeV1>(&host, 1.0, vec![items(&json!([{}]))], OnError::Stop).await?;
        Ok(to_json(&outputs[0])
            .at(0)
            .and_then(|item| item.get("data"))
            .cloned()
            .unwrap_or_default())
    }

    #[tokio::test]
    async fn zones_move_the_date() {
        for (options, format, expected) in [
            (json!({}), "YYYY/MM/DD", "2022/08/01"),
            (json!({ "fromTimezone": "US/Hawaii" }), "YYYY/MM/DD", "2022/07/31"),
            (
                json!({ "fromTimezone": "US/Hawaii", "toTimezone": "US/Pacific" }),
                "x",
                "1659312000000",
            ),
        ] {
            let mut params = json!({ "value": "08/01/2022" });
            params.set_path("toFormat", format);
            params.set_path("options", options);
            assert_eq!(one(params).await.unwrap(), json!(expected));
        }
    }

    #[tokio::test]
    async fn calendar_units_are_added() {
        let params = json!({ "action": "calculate", "value": "08/01/2022", "duration": 2, "timeUnit": "quarters" });
        assert_eq!(one(params).await.unwrap(), json!("2023-02-01T00:00:00.000Z"));
        let params = json!({ "action": "calculate", "operation": "subtract", "value": "08/01/2022", "duration": 2, "timeUnit": "months" });
        assert_eq!(one(params).await.unwrap(), json!("2022-06-01T00:00:00.000Z"));
    }

    #[tokio::test]
    async fn what_is_no_date_is_refused() {
        let error = one(json!({ "value": "soon" })).await.unwrap_err();
        assert_eq!(
            error.message(),
            "The date input format could not be recognized. Please set the \"From Format\" field"
        );
        assert_eq!(
            one(json!({ "value": "soon", "options": { "fromFormat": "" } })).await.unwrap(),
            json!("Invalid date")
        );
        let error = one(json!({ "action": "calculate", "value": "soon" })).await.unwrap_err();
        assert_eq!(
            error.message(),
            "Unrecognized date input. Please specify a format in the \"From Format\" field."
        );
    }
}
