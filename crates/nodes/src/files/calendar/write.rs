//! Makes an event file of each item.

use crate::binary::prepare;
use crate::files::settings::FileSettings;
use formats::calendar::{ContentLines, at_time, escaped, one_line, quoted};
use jiff::{Timestamp, ToSpan as _, Zoned, civil, tz::TimeZone};
use node_api::prelude::*;

/// The parameters of an event.
pub(crate) fn event_params() -> Vec<Param> {
    let person = |who: &str| {
        [
            Param::text("name", "Name", "").required().help(&format!("The name of the {who}.")),
            Param::text("email", "Email", "")
                .required()
                .help(&format!("The email address of the {who}.")),
        ]
    };
    let rsvp = Param::flag("rsvp", "RSVP", false)
        .help("Whether the attendee must respond to the invitation.");
    vec![
        Param::text("title", "Event title", "").help("Title of the event."),
        Param::date_time("start", "Start")
            .required()
            .help("Start of the event. The time is ignored for all-day events."),
        Param::date_time("end", "End")
            .required()
            .help("End of the event. The time is ignored for all-day events."),
        Param::flag("allDay", "All day", false).help("Whether it is an all-day event."),
        Param::text("binaryPropertyName", "Put output file in field", "data")
            .required()
            .help("Name of the binary field for the event file."),
        Param::collection(
            "additionalFields",
            "Options",
            [
                Param::repeated(
                    "attendeesUi",
                    "Attendees",
                    [FieldGroup::new(
                        "attendeeValues",
                        "Attendees",
                        person("attendee").into_iter().chain([rsvp]),
                    )],
                )
                .help("Attendees of the event."),
                Param::choice(
                    "busyStatus",
                    "Busy status",
                    &[("BUSY", "Busy"), ("TENTATIVE", "Tentative")],
                )
                .preset("")
                .help("How Microsoft programs show the time."),
                Param::text("calName", "Calendar name", "")
                    .help("The name of the calendar, not of the event."),
                Param::text("description", "Description", "").help("More about the event."),
                Param::text("fileName", "File name", "")
                    .help("Name of the file. Defaults to event.ics."),
                Param::group(
                    "geolocationUi",
                    "Geolocation",
                    [FieldGroup::new(
                        "geolocationValues",
                        "Geolocation",
                        [
                            Param::text("lat", "Latitude", "").help("Degrees north."),
                            Param::text("lon", "Longitude", "").help("Degrees east."),
                        ],
                    )],
                )
                .help("Coordinates of the event."),
                Param::text("location", "Location", "").help("Location of the event."),
                Param::text("recurrenceRule", "Recurrence rule", "")
                    .help("Recurrence rule, such as FREQ=WEEKLY;COUNT=4."),
                Param::group(
                    "organizerUi",
                    "Organizer",
                    [FieldGroup::new("organizerValues", "Organizer", person("organizer"))],
                )
                .help("Who invites."),
                Param::number("sequence", "Sequence", 0)
                    .help("Revision number, for updates to an event sent before."),
                Param::choice(
                    "status",
                    "Status",
                    &[
                        ("CONFIRMED", "Confirmed"),
                        ("CANCELLED", "Cancelled"),
                        ("TENTATIVE", "Tentative"),
                    ],
                )
                .help("Status of the event."),
                Param::text("uid", "UID", "").help("ID of the event. Generated if empty."),
                Param::text("url", "URL", "").help("URL with more information about the event."),
            ],
        )
        .help("More about the event."),
    ]
}

/// The item with the event file of one input item.
pub(crate) fn make_event(ctx: &Ctx<'_>, index: usize) -> Result<Item, NodeError> {
    let fields = FileSettings::read(ctx, "additionalFields", index)?;
    let is_all_day = ctx.flag("allDay", index)?;
    let start = moment(ctx, "start", index)?;
    let mut end = moment(ctx, "end", index)?;
    if is_all_day {
        end = end.checked_add(1.day()).map_err(|error| {
            NodeError::parameter("end", format!("The end is not valid: {error}"))
        })?;
    }
    let stamp = Timestamp::from_millisecond(ctx.host().now_ms())
        .unwrap_or_default()
        .to_zoned(TimeZone::UTC);
    let uid = fields.text("uid").map_or_else(|| random_id(ctx), |uid| uid.to_string());
    let mut out = ContentLines::default();
    out.line("BEGIN:VCALENDAR");
    out.line("VERSION:2.0");
    out.line("CALSCALE:GREGORIAN");
    out.line("PRODID:adamgibbons/ics");
    out.line("METHOD:PUBLISH");
    if let Some(name) = fields.text("calName") {
        out.line(&format!("X-WR-CALNAME:{}", escaped(&name)));
    }
    out.line("X-PUBLISHED-TTL:PT1H");
    out.line("BEGIN:VEVENT");
    out.line(&format!("UID:{}", one_line(&uid)));
    let title = ctx.text("title", index)?;
    if !title.is_empty() {
        out.line(&format!("SUMMARY:{}", escaped(&title)));
    }
    out.line(&format!("DTSTAMP:{}", at_time(&stamp)));
    for (name, time) in [("DTSTART", &start), ("DTEND", &end)] {
        out.line(&if is_all_day {
            format!("{name};VALUE=DATE:{}", time.strftime("%Y%m%d"))
        } else {
            format!("{name}:{}", at_time(time))
        });
    }
    if let Some(number) = fields.number("sequence") {
        out.line(&format!("SEQUENCE:{}", model::number_to_string(number)));
    }
    add_details(&fields, &mut out);
    out.line("END:VEVENT");
    out.line("END:VCALENDAR");
    let name = fields.text("fileName").unwrap_or_else(|| "event.ics".into());
    let mut item = Item::new(Value::empty_object());
    item.set_binary(
        ctx.text("binaryPropertyName", index)?,
        prepare(out.into_text(), Some(&name), Some("text/calendar")),
    );
    Ok(item)
}

fn add_details(fields: &FileSettings, out: &mut ContentLines) {
    if let Some(text) = fields.text("description") {
        out.line(&format!("DESCRIPTION:{}", escaped(&text)));
    }
    if let Some(url) = fields.text("url") {
        out.line(&format!("URL:{}", one_line(&url)));
    }
    if let (Some(lat), Some(lon)) = (
        fields.text("geolocationUi.geolocationValues.lat"),
        fields.text("geolocationUi.geolocationValues.lon"),
    ) {
        out.line(&format!("GEO:{};{}", one_line(&lat), one_line(&lon)));
    }
    if let Some(place) = fields.text("location") {
        out.line(&format!("LOCATION:{}", escaped(&place)));
    }
    if let Some(status) = fields.text("status") {
        out.line(&format!("STATUS:{}", one_line(&status)));
    }
    let organizer = FileSettings::of(fields.get("organizerUi.organizerValues"));
    if let Some(name) = organizer.present_text("name") {
        let mail = organizer
            .text("email")
            .map(|mail| format!(":MAILTO:{}", one_line(&mail)))
            .unwrap_or_default();
        out.line(&format!("ORGANIZER;CN={}{mail}", quoted(&name)));
    }
    if let Some(status) = fields.text("busyStatus") {
        out.line(&format!("X-MICROSOFT-CDO-BUSYSTATUS:{}", one_line(&status)));
    }
    for attendee in fields.get("attendeesUi.attendeeValues").as_array().unwrap_or_default() {
        let attendee = FileSettings::of(attendee);
        let name = attendee.text("name").unwrap_or_else(|| "Unnamed attendee".into());
        let mail = attendee
            .text("email")
            .map(|mail| format!(":mailto:{}", one_line(&mail)))
            .unwrap_or_default();
        let rsvp = if attendee.flag("rsvp") { "TRUE" } else { "FALSE" };
        out.line(&format!("ATTENDEE;RSVP={rsvp};CN={}{mail}", quoted(&name)));
    }
    if let Some(rule) = fields.text("recurrenceRule") {
        out.line(&format!("RRULE:{}", one_line(&rule)));
    }
}

/// The moment that a parameter tells, in UTC; a time without a zone is taken as UTC.
fn moment(ctx: &Ctx<'_>, name: &str, index: usize) -> Result<Zoned, NodeError> {
    let value = ctx.param(name, index)?;
    let refused = || {
        let message = format!(
            "The parameter '{name}' must be a date and time, but it is {}",
            model::json::to_string(&value)
        );
        NodeError::parameter(name, message)
    };
    let found = match &value {
        Value::Date(date) => Timestamp::from_millisecond(date.epoch_ms as i64).ok(),
        Value::Number(number) => Timestamp::from_millisecond(*number as i64).ok(),
        Value::String(text) => {
            let text = text.trim();
            let local = || {
                text.replacen(' ', "T", 1)
                    .parse::<civil::DateTime>()
                    .or_else(|_| text.parse::<civil::Date>().map(civil::DateTime::from))
                    .ok()
            };
            text.parse::<Timestamp>()
                .ok()
                .or_else(|| local()?.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp()))
        }
        _ => None,
    };
    found.map(|time| time.to_zoned(TimeZone::UTC)).ok_or_else(refused)
}

fn random_id(ctx: &Ctx<'_>) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = [0; 21];
    ctx.host().fill_random(&mut bytes);
    bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte & 63)])).collect()
}
