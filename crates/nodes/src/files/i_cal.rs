//! Makes calendar files. An older node; new workflows use Convert to File.

use super::calendar::{event_params, make_event};
use node_api::prelude::*;

pub(crate) struct ICalendar;

impl Node for ICalendar {
    fn spec() -> Spec {
        Spec::new("n8n-nodes-base.iCal", &[1.0], "iCalendar", "Create iCalendar files").legacy().icon("calendar")
            .group(NodeGroup::Files)
            .param(Param::choice("operation", "Operation", &[("createEventFile", "Create event file")]).raw().help("Operation to perform."))
            .params(event_params())
            .hint("Use Convert to File instead in new workflows.")
            .repeatable()
            .computes()
            .example(
                "An event",
                r#"{ "title": "Lunch", "start": "2024-01-01T12:00:00Z", "end": "2024-01-01T13:00:00Z" }"#,
                "[{}]",
                "[[{}]]",
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        ctx.map_items(&items, |index, _| make_event(ctx, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::test_files::run_items;

    #[tokio::test]
    async fn an_event_is_written_with_all_its_details() {
        let params = json!({
            "title": "Lunch, really", "start": "2024-01-01T12:00:00+02:00", "end": "2024-01-01 13:00:00",
            "additionalFields": {
                "uid": "u1", "description": "two\nlines", "status": "CONFIRMED", "location": "Here",
                "organizerUi": { "organizerValues": { "name": "Ann", "email": "a@x.org" } },
                "attendeesUi": { "attendeeValues": [{ "name": "Bob", "email": "b@x.org", "rsvp": true }] },
                "recurrenceRule": "FREQ=DAILY", "fileName": "x.ics"
            }
        });
        let made = run_items::<ICalendar>(1.0, params, vec![Item::new(json!({}))]).await.unwrap();
        let file = made[0].binary("data").unwrap();
        assert_eq!(
            (file.mime_type.as_str(), file.file_name.as_deref(), file.file_extension.as_deref()),
            ("text/calendar", Some("x.ics"), Some("ics"))
        );
        let expected = [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "CALSCALE:GREGORIAN",
            "PRODID:adamgibbons/ics",
            "METHOD:PUBLISH",
            "X-PUBLISHED-TTL:PT1H",
            "BEGIN:VEVENT",
            "UID:u1",
            "SUMMARY:Lunch\\, really",
            "DTSTAMP:20240101T000000Z",
            "DTSTART:20240101T100000Z",
            "DTEND:20240101T130000Z",
            "DESCRIPTION:two\\nlines",
            "LOCATION:Here",
            "STATUS:CONFIRMED",
            "ORGANIZER;CN=\"Ann\":MAILTO:a@x.org",
            "ATTENDEE;RSVP=TRUE;CN=\"Bob\":mailto:b@x.org",
            "RRULE:FREQ=DAILY",
            "END:VEVENT",
            "END:VCALENDAR",
            "",
        ];
        assert_eq!(std::str::from_utf8(&file.data).unwrap(), expected.join("\r\n"));
    }

    #[tokio::test]
    async fn whole_days_end_on_the_day_after_and_long_lines_are_folded() {
        let params = json!({ "title": "ž".repeat(60), "start": "2024-01-01", "end": "2024-01-31", "allDay": true });
        let made = run_items::<ICalendar>(1.0, params, vec![Item::new(json!({}))]).await.unwrap();
        let text = String::from_utf8(made[0].binary("data").unwrap().data.to_vec()).unwrap();
        assert!(
            text.contains("DTSTART;VALUE=DATE:20240101\r\nDTEND;VALUE=DATE:20240201\r\n"),
            "{text}"
        );
        assert!(text.lines().all(|line| line.len() <= 75) && text.contains("\r\n\tž"));
    }

    #[tokio::test]
    async fn a_date_that_is_none_is_refused() {
        let error = run_items::<ICalendar>(
            1.0,
            json!({ "start": "soon", "end": "" }),
            vec![Item::new(json!({}))],
        )
        .await
        .unwrap_err();
        assert_eq!(error.code(), Code::NODE_PARAMETER);
    }
}
