//! Works with dates: add, subtract, format, round, compare, take apart.

pub(super) mod v1;

use crate::field_type::to_number;
use formats::dates::{Moment, Unit, from_luxon_format, parse_moment, to_luxon_format, zone};
use model::DateKind;
use node_api::prelude::*;

pub(crate) struct DateTimeNode;

impl Node for DateTimeNode {
    fn spec() -> Spec {
        let operations = [
            ("getCurrentDate", "Get current date"),
            ("addToDate", "Add to a date"),
            ("subtractFromDate", "Subtract from a date"),
            ("formatDate", "Format a date"),
            ("roundDate", "Round a date"),
            ("getTimeBetweenDates", "Get time between dates"),
            ("extractDate", "Extract part of a date"),
        ];
        let units = [
            ("days", "Days"),
            ("years", "Years"),
            ("quarters", "Quarters"),
            ("months", "Months"),
            ("weeks", "Weeks"),
            ("hours", "Hours"),
            ("minutes", "Minutes"),
            ("seconds", "Seconds"),
            ("milliseconds", "Milliseconds"),
        ];
        let formats = [
            ("MM/dd/yyyy", "MM/DD/YYYY"),
            ("custom", "Custom format"),
            ("yyyy/MM/dd", "YYYY/MM/DD"),
            ("MMMM dd yyyy", "MMMM DD YYYY"),
            ("MM-dd-yyyy", "MM-DD-YYYY"),
            ("yyyy-MM-dd", "YYYY-MM-DD"),
            ("X", "Unix timestamp"),
            ("x", "Unix timestamp in milliseconds"),
        ];
        let parts = [
            ("month", "Month"),
            ("year", "Year"),
            ("week", "Week"),
            ("day", "Day"),
            ("hour", "Hour"),
            ("minute", "Minute"),
            ("second", "Second"),
        ];
        let between = [
            ("year", "Year"),
            ("month", "Month"),
            ("week", "Week"),
            ("day", "Day"),
            ("hour", "Hour"),
            ("minute", "Minute"),
            ("second", "Second"),
            ("millisecond", "Millisecond"),
        ];
        let calculates = &["addToDate", "subtractFromDate"];
        let has_date = &["formatDate", "roundDate", "extractDate"];
        let output = |name: &str, operations: &[&str]| {
            Param::text("outputFieldName", "Output field name", name)
                .help("Field for the result.")
                .show("operation", operations)
        };
        let include = || {
            Param::flag("includeInputFields", "Include input fields", false)
                .help("Keep the fields of the input item.")
        };
        let options = |operations: &[&str], params: Vec<Param>| {
            Param::collection("options", "Options", params)
                .help("Further settings.")
                .show("operation", operations)
        };
        Spec::new("n8n-nodes-base.dateTime", &[2.0], "Date & Time", "Manipulate date and time values").icon("calendar")
            .params([
                Param::choice("operation", "Operation", &operations).raw().help("What to do."),
                Param::flag("includeTime", "Include current time", true)
                    .help("If off, the time is set to midnight.")
                    .show("operation", &["getCurrentDate"]),
                Param::text("magnitude", "Date", "").required().help("Start date.").show("operation", calculates),
                Param::choice("timeUnit", "Time unit", &units).help("The unit of the duration.").show("operation", calculates),
                Param::number("duration", "Duration", 0).help("How many units to add or subtract.").show("operation", calculates),
                Param::text("date", "Date", "").help("The date to use.").show("operation", has_date),
                Param::choice("format", "Format", &formats).help("Format of the output date.").show("operation", &["formatDate"]),
                Param::text("customFormat", "Custom format", "")
                    .help("Luxon tokens, such as yyyy-MM-dd HH:mm.")
                    .show("operation", &["formatDate"])
                    .show("format", &["custom"]),
                Param::choice("mode", "Mode", &[("roundDown", "Round down"), ("roundUp", "Round up")])
                    .help("Round down to the start of the unit, or up to the start of the next one.")
                    .show("operation", &["roundDate"]),
                Param::choice("toNearest", "To nearest", &parts)
                    .help("The unit to round down to.")
                    .show("operation", &["roundDate"])
                    .show("mode", &["roundDown"]),
                Param::choice("to", "To", &[("month", "End of month")])
                    .help("The unit to round up to.")
                    .show("operation", &["roundDate"])
                    .show("mode", &["roundUp"]),
                Param::date_time("startDate", "Start date").help("Start date.").show("operation", &["getTimeBetweenDates"]),
                Param::date_time("endDate", "End date").help("End date.").show("operation", &["getTimeBetweenDates"]),
                Param::multi_choice("units", "Units", &between)
                    .preset(json!(["day"]))
                    .help("Units of the result. The smallest one includes the fraction.")
                    .show("operation", &["getTimeBetweenDates"]),
                Param::choice("part", "Part", &parts).help("Part to extract.").show("operation", &["extractDate"]),
                output("currentDate", &["getCurrentDate"]),
                output("newDate", calculates),
                output("formattedDate", &["formatDate"]),
                output("roundedDate", &["roundDate"]),
                output("timeDifference", &["getTimeBetweenDates"]),
                output("datePart", &["extractDate"]),
                options(&["addToDate", "subtractFromDate", "roundDate", "extractDate"], vec![include()]),
                options(
                    &["getCurrentDate"],
                    vec![include(), Param::text("timezone", "Timezone", "").help("Time zone of the output. Defaults to the workflow's time zone.")],
                ),
                options(
                    &["formatDate"],
                    vec![
                        include(),
                        Param::text("fromFormat", "From date format", "")
                            .help("Luxon tokens of the input format, if it is not recognized \
                                 automatically."),
                        Param::flag("timezone", "Use workflow timezone", false)
                            .help("Use the workflow's time zone instead of the date's own."),
                    ],
                ),
                options(
                    &["getTimeBetweenDates"],
                    vec![
                        include(),
                        Param::flag("isoString", "Output as ISO string", false).help("Return the duration in ISO 8601 format, such as P2DT3H."),
                    ],
                ),
            ])
            .alias(&["clock", "format date", "timezone", "duration"])
            .hint("For simple date operations, an expression such as {{ $now.plus(1, 'week') }} is \
                 often shorter.")
            .repeatable()
            .example(
                "Add two days",
                r#"{ "operation": "addToDate", "magnitude": "2024-02-28", "duration": 2, "timeUnit": "days" }"#,
                "[{}]",
                r#"[[{ "newDate": "2024-03-01T00:00:00.000Z" }]]"#,
            )
            .example(
                "Write a date",
                r#"{ "operation": "formatDate", "date": "2024-02-28T10:00:00Z", "format": "custom", "customFormat": "d MMM yyyy" }"#,
                "[{}]",
                r#"[[{ "formattedDate": "28 Feb 2024" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let operation = ctx.text("operation", 0)?;
        let keeps_input = ctx.flag("options.includeInputFields", 0)?;
        ctx.map_items(&items, |index, item| {
            let name = ctx.text("outputFieldName", index)?;
            let result = compute(ctx, index, &operation)?;
            let mut made = if keeps_input { item } else { Item::new(Object::new()) };
            made.json.make_object().insert(name, result);
            Ok(made)
        })
    }
}

fn compute(ctx: &Ctx<'_>, index: usize, operation: &str) -> Result<Value, NodeError> {
    let workflow_zone = ctx.host().timezone();
    let date = |param: &str| parse_date(ctx, &ctx.param(param, index)?, Some(workflow_zone), "");
    match operation {
        "getCurrentDate" => {
            let wanted = ctx.text("options.timezone", index)?;
            let zone_name = if wanted.is_empty() { workflow_zone } else { &*wanted };
            if zone(zone_name).is_none() {
                return Err(NodeError::parameter(
                    "options.timezone",
                    format!("The timezone {zone_name} is not valid. Please check the timezone."),
                ));
            }
            let now =
                Moment::new(ctx.host().now_ms() as f64, zone_name).ok_or_else(out_of_range)?;
            let shown = if ctx.flag("includeTime", index)? {
                now
            } else {
                now.start_of(Unit::Day).ok_or_else(out_of_range)?
            };
            Ok(shown.to_iso().into())
        }
        "addToDate" | "subtractFromDate" => {
            let unit = unit_of(ctx, "timeUnit", index)?;
            let amount =
                ctx.number("duration", index)? * if operation == "addToDate" { 1.0 } else { -1.0 };
            Ok(date("magnitude")?.plus(amount, unit).ok_or_else(out_of_range)?.to_iso().into())
        }
        "formatDate" => {
            let value = ctx.param("date", index)?;
            if value.is_nullish() {
                return Ok(value);
            }
            let zone_name = ctx.flag("options.timezone", index)?.then_some(workflow_zone);
            let moment =
                parse_date(ctx, &value, zone_name, &ctx.text("options.fromFormat", index)?)?;
            let format = match ctx.text("format", index)? {
                format if format == "custom" => ctx.text("customFormat", index)?,
                format => format,
            };
            Ok(to_luxon_format(&moment, &format).into())
        }
        "roundDate" => {
            let moment = date("date")?;
            let rounded = if ctx.text("mode", index)? == "roundUp" {
                let unit = unit_of(ctx, "to", index)?;
                moment.plus(1.0, unit).and_then(|next| next.start_of(unit))
            } else {
                moment.start_of(unit_of(ctx, "toNearest", index)?)
            };
            Ok(rounded.ok_or_else(out_of_range)?.to_iso().into())
        }
        "getTimeBetweenDates" => {
            let (start, end) = (date("startDate")?, date("endDate")?);
            let names: Vec<Str> = match ctx.param("units", index)? {
                Value::Array(units) => units.iter().map(Value::to_js_string).collect(),
                single => vec![single.to_js_string()],
            };
            let units: Vec<Unit> = names
                .iter()
                .map(|name| {
                    Unit::from_name(name).ok_or_else(|| {
                        NodeError::parameter("units", format!("Invalid unit {name}"))
                    })
                })
                .collect::<Result<_, _>>()?;
            let parts = start.until(&end, &units).ok_or_else(out_of_range)?;
            Ok(if ctx.flag("options.isoString", index)? {
                iso_duration(&parts).into()
            } else {
                parts
                    .into_iter()
                    .map(|(unit, count)| (unit.plural(), count))
                    .collect::<Object>()
                    .into()
            })
        }
        "extractDate" => {
            let moment = date("date")?.at;
            Ok(match ctx.text("part", index)?.as_str() {
                "year" => moment.year().into_value(),
                "month" => moment.month().into_value(),
                "week" => moment.date().iso_week_date().week().into_value(),
                "day" => moment.day().into_value(),
                "hour" => moment.hour().into_value(),
                "minute" => moment.minute().into_value(),
                "second" => moment.second().into_value(),
                other => {
                    return Err(NodeError::parameter("part", format!("Unknown part '{other}'")));
                }
            })
        }
        other => Err(NodeError::parameter("operation", format!("Unknown operation '{other}'"))),
    }
}

trait IntoValue {
    fn into_value(self) -> Value;
}

impl<N: Into<i64>> IntoValue for N {
    fn into_value(self) -> Value {
        Value::from(self.into())
    }
}

fn unit_of(ctx: &Ctx<'_>, param: &str, index: usize) -> Result<Unit, NodeError> {
    let name = ctx.text(param, index)?;
    Unit::from_name(&name)
        .ok_or_else(|| NodeError::parameter(param, format!("Invalid unit {name}")))
}

fn out_of_range() -> NodeError {
    NodeError::input("The date is out of range")
}

/// Reads a date as n8n's node does: timestamps by their length, texts as moment reads them.
fn parse_date(
    ctx: &Ctx<'_>,
    value: &Value,
    zone_name: Option<&str>,
    from_format: &str,
) -> Result<Moment, NodeError> {
    let invalid = || NodeError::input("Invalid date format");
    if let Value::Date(date) = value
        && date.kind == DateKind::Luxon
    {
        return Moment::from_iso_with_offset(date.epoch_ms, &date.iso).ok_or_else(invalid);
    }
    let number = to_number(value);
    let mut zone_name = zone_name.map(str::to_owned);
    let epoch_ms = if value.is_undefined() && from_format.is_empty() {
        // A field that an item does not have is the present time in n8n.
        ctx.host().now_ms() as f64
    } else if !number.is_nan() && from_format.is_empty() {
        timestamp_ms(number)
    } else {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) => value.to_js_string(),
            _ => return Err(invalid()),
        };
        if zone_name.is_none()
            && let Some((_, offset)) = text.split_once('+')
        {
            let hours: Option<i64> = offset.chars().take(2).collect::<String>().trim().parse().ok();
            zone_name = Some(format!("Etc/GMT-{}", hours.ok_or_else(invalid)?));
        }
        let parsed = if from_format.is_empty() {
            parse_moment(&text, "UTC")
        } else {
            from_luxon_format(&text, from_format, ctx.host().timezone(), ctx.host().now_ms())
        };
        parsed.ok_or_else(invalid)?
    };
    Moment::new(epoch_ms, zone_name.as_deref().unwrap_or("Etc/UTC")).ok_or_else(invalid)
}

/// Seconds with a fraction and short numbers are seconds, long numbers milliseconds.
pub(super) fn timestamp_ms(number: f64) -> f64 {
    let number = if number.fract() != 0.0 { number * 1000.0 } else { number };
    if model::number_to_string(number).len() < 12 { number * 1000.0 } else { number }
}

/// Luxon's `toISO` of a duration.
fn iso_duration(parts: &[(Unit, f64)]) -> String {
    let of = |wanted: Unit| {
        parts.iter().find(|(unit, _)| *unit == wanted).map_or(0.0, |(_, count)| *count)
    };
    let text = model::number_to_string;
    let mut out = String::from("P");
    for (unit, letter) in
        [(Unit::Year, 'Y'), (Unit::Month, 'M'), (Unit::Week, 'W'), (Unit::Day, 'D')]
    {
        if of(unit) != 0.0 {
            out += &format!("{}{letter}", text(of(unit)));
        }
    }
    let seconds = ((of(Unit::Second) + of(Unit::Millisecond) / 1000.0) * 1000.0).round() / 1000.0;
    if of(Unit::Hour) != 0.0 || of(Unit::Minute) != 0.0 || seconds != 0.0 {
        out.push('T');
    }
    for (count, letter) in [(of(Unit::Hour), 'H'), (of(Unit::Minute), 'M'), (seconds, 'S')] {
        if count != 0.0 {
            out += &format!("{}{letter}", text(count));
        }
    }
    if out == "P" { "PT0S".into() } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_testing::{TestHost, items, run, run_on, to_json};

    async fn one(params: Value, field: &str) -> Result<Value, NodeError> {
        Ok(run::<DateTimeNode>(params, json!([{}])).await?[0]
            .at(0)
            .unwrap()
            .get(field)
            .cloned()
            .unwrap_or_default())
    }

    #[tokio::test]
    async fn timestamps_are_told_apart_by_their_length() {
        for value in
            [json!(1682918315906i64), json!(1682918315.906), json!(1682918315), json!("1682918315")]
        {
            let mut params = json!({ "operation": "formatDate", "format": "yyyy/MM/dd" });
            params.set_path("date", value.clone());
            assert_eq!(
                one(params, "formattedDate").await.unwrap(),
                json!("2023/05/01"),
                "{value:?}"
            );
        }
    }

    #[tokio::test]
    async fn a_date_with_an_offset_keeps_it_when_formatted() {
        let params = json!({ "operation": "formatDate", "date": "2024-05-01T01:00:00+05:00", "format": "custom", "customFormat": "dd HH:mm" });
        assert_eq!(one(params, "formattedDate").await.unwrap(), json!("01 01:00"));
    }

    #[tokio::test]
    async fn a_format_of_your_own_is_read_in_the_workflow_zone() {
        let mut host = TestHost::new(
            &DateTimeNode::spec(),
            2.0,
            &json!({ "operation": "formatDate", "date": "01.02.2024", "options": { "fromFormat": "dd.MM.yyyy", "timezone": true, "includeInputFields": true } }),
        );
        host.timezone = "America/New_York".into();
        let outputs =
            run_on::<DateTimeNode>(&host, 2.0, vec![items(&json!([{ "k": 1 }]))], OnError::Stop)
                .await
                .unwrap();
        assert_eq!(to_json(&outputs[0]), json!([{ "k": 1, "formattedDate": "02/01/2024" }]));
    }

    #[tokio::test]
    async fn time_between_dates_has_the_units_asked_for() {
        let params = json!({ "operation": "getTimeBetweenDates", "startDate": "2024-01-01", "endDate": "2024-03-02T06:00:00", "units": ["month", "day"] });
        assert_eq!(
            one(params.clone(), "timeDifference").await.unwrap(),
            json!({ "months": 2, "days": 1.25 })
        );
        let mut iso = params;
        iso.set_path("options.isoString", true);
        assert_eq!(one(iso, "timeDifference").await.unwrap(), json!("P2M1.25D"));
    }

    #[tokio::test]
    async fn what_is_no_date_is_refused() {
        let error = one(json!({ "operation": "extractDate", "date": "soon" }), "datePart")
            .await
            .unwrap_err();
        assert_eq!(error.message(), "Invalid date format");
        assert_eq!(
            one(json!({ "operation": "formatDate", "date": null }), "formattedDate").await.unwrap(),
            Value::Null
        );
        let error = one(json!({ "options": { "timezone": "Mars/Base" } }), "currentDate")
            .await
            .unwrap_err();
        assert_eq!(
            error.message(),
            "The timezone Mars/Base is not valid. Please check the timezone."
        );
    }

    #[tokio::test]
    async fn dates_are_rounded_and_taken_apart() {
        let date = "2024-05-16T10:20:30Z";
        let params = json!({ "operation": "roundDate", "mode": "roundUp", "date": date });
        assert_eq!(one(params, "roundedDate").await.unwrap(), json!("2024-06-01T00:00:00.000Z"));
        assert_eq!(
            one(json!({ "operation": "extractDate", "date": date, "part": "week" }), "datePart")
                .await
                .unwrap(),
            json!(20)
        );
        assert_eq!(
            one(json!({ "includeTime": false }), "currentDate").await.unwrap(),
            json!("2024-01-01T00:00:00.000Z")
        );
    }
}
