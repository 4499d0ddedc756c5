//! Reads a calendar file into an object: its properties, its events, to-dos and time zones.

use jiff::{Timestamp, civil, tz::TimeZone};
use model::{Object, Value};
use ports::NodeError;

/// More events than this are no honest calendar.
const MAX_LINES: usize = 5_000_000;

/// The calendar in a text.
pub fn parse(text: &str) -> Result<Value, NodeError> {
    let lines = unfold(text)?;
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if is(line, "BEGIN", "VCALENDAR") {
            return Ok(Value::object(calendar(&lines, &mut at)));
        }
    }
    Err(NodeError::input("The file selected in 'Input Binary Field' is not in ICS format")
        .describe("Try to change the operation or select an ICS file in 'Input Binary Field'"))
}

/// One line: its name, its parameters and its value.
struct ContentLine {
    name: String,
    params: Vec<(String, String)>,
    value: String,
}

impl ContentLine {
    fn param(&self, wanted: &str) -> Option<&str> {
        self.params.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }
}

fn is(line: &ContentLine, name: &str, value: &str) -> bool {
    line.name == name && line.value.eq_ignore_ascii_case(value)
}

/// Lines that begin with a blank belong to the one before.
fn unfold(text: &str) -> Result<Vec<ContentLine>, NodeError> {
    let mut whole: Vec<String> = Vec::new();
    for line in text.split(['\n', '\r']).filter(|line| !line.is_empty()) {
        match (line.strip_prefix([' ', '\t']), whole.last_mut()) {
            (Some(rest), Some(last)) => last.push_str(rest),
            _ => whole.push(line.to_owned()),
        }
        if whole.len() > MAX_LINES {
            return Err(NodeError::new(
                model::Code::INPUT_BOMB,
                format!("The calendar exceeds the limit of {MAX_LINES} lines"),
            ));
        }
    }
    Ok(whole.iter().map(|line| split(line)).collect())
}

/// `NAME;PARAM=value;PARAM="quoted: value":value`.
fn split(line: &str) -> ContentLine {
    let mut is_quoted = false;
    let colon = line.char_indices().find(|(_, letter)| {
        is_quoted ^= *letter == '"';
        *letter == ':' && !is_quoted
    });
    let (head, value) = colon.map_or((line, ""), |(at, _)| (&line[..at], &line[at + 1..]));
    let mut parts = Vec::new();
    let mut start = 0;
    let mut is_quoted = false;
    for (at, letter) in head.char_indices() {
        is_quoted ^= letter == '"';
        if letter == ';' && !is_quoted {
            parts.push(&head[start..at]);
            start = at + 1;
        }
    }
    parts.push(&head[start..]);
    let params = parts[1..].iter().filter_map(|part| part.split_once('='));
    ContentLine {
        name: parts[0].trim().to_ascii_uppercase(),
        params: params
            .map(|(name, value)| (name.to_ascii_uppercase(), value.trim_matches('"').to_owned()))
            .collect(),
        value: value.to_owned(),
    }
}

fn calendar(lines: &[ContentLine], at: &mut usize) -> Object {
    let mut found = Object::new();
    let (mut events, mut todos, mut journals, mut free_busy, mut zones) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while let Some(line) = lines.get(*at) {
        *at += 1;
        match line.name.as_str() {
            "END" if is(line, "END", "VCALENDAR") => break,
            "BEGIN" => {
                let kind = line.value.to_ascii_uppercase();
                let part = Value::object(component(lines, at, &kind, 0));
                match kind.as_str() {
                    "VEVENT" => events.push(part),
                    "VTODO" => todos.push(part),
                    "VJOURNAL" => journals.push(part),
                    "VFREEBUSY" => free_busy.push(part),
                    "VTIMEZONE" => zones.push(part),
                    _ => {}
                }
            }
            "VERSION" => drop(found.insert("version", line.value.as_str())),
            "PRODID" => drop(found.insert("prodId", unescaped(&line.value))),
            "METHOD" => drop(found.insert("method", line.value.as_str())),
            "X-WR-CALNAME" => drop(found.insert("name", unescaped(&line.value))),
            _ => {}
        }
    }
    for (name, parts) in [
        ("timezones", zones),
        ("events", events),
        ("todos", todos),
        ("journals", journals),
        ("freeBusy", free_busy),
    ] {
        if !parts.is_empty() {
            found.insert(name, Value::array(parts));
        }
    }
    found
}

/// The fields of an event or another part, up to its end.
fn component(lines: &[ContentLine], at: &mut usize, kind: &str, depth: usize) -> Object {
    let mut found = Object::new();
    while let Some(line) = lines.get(*at) {
        *at += 1;
        if line.name == "END" && line.value.eq_ignore_ascii_case(kind) {
            break;
        }
        if line.name == "BEGIN" {
            let inner = line.value.to_ascii_uppercase();
            // Parts inside of parts inside of parts do not occur; they are read over without going
            // deeper.
            if depth < 4 {
                let part = component(lines, at, &inner, depth + 1);
                match inner.as_str() {
                    "VALARM" => push(&mut found, "alarms", Value::object(part)),
                    "STANDARD" | "DAYLIGHT" => {
                        let mut part = part;
                        part.insert("type", inner);
                        push(&mut found, "props", Value::object(part));
                    }
                    _ => {}
                }
            }
            continue;
        }
        field(line, &mut found);
    }
    found
}

fn push(found: &mut Object, name: &str, value: Value) {
    found.entry(name).make_array().push(value);
}

fn field(line: &ContentLine, found: &mut Object) {
    let texts = [
        ("SUMMARY", "summary"),
        ("DESCRIPTION", "description"),
        ("LOCATION", "location"),
        ("UID", "uid"),
        ("STATUS", "status"),
        ("CLASS", "class"),
        ("TRANSP", "timeTransparent"),
        ("URL", "url"),
        ("GEO", "geo"),
        ("PRIORITY", "priority"),
        ("COMMENT", "comment"),
        ("ACTION", "action"),
        ("TZID", "id"),
        ("TZNAME", "name"),
        ("TZOFFSETFROM", "offsetFrom"),
        ("TZOFFSETTO", "offsetTo"),
        ("ATTACH", "attach"),
    ];
    let dates = [
        ("DTSTAMP", "stamp"),
        ("DTSTART", "start"),
        ("DTEND", "end"),
        ("CREATED", "created"),
        ("LAST-MODIFIED", "lastModified"),
        ("DUE", "due"),
        ("COMPLETED", "completed"),
        ("RECURRENCE-ID", "recurrenceId"),
    ];
    let name = line.name.as_str();
    if let Some((_, key)) = texts.iter().find(|(known, _)| *known == name) {
        found.insert(*key, unescaped(&line.value));
    } else if let Some((_, key)) = dates.iter().find(|(known, _)| *known == name) {
        if let Some(date) = date(line) {
            let date = if *key == "recurrenceId" {
                Value::object(Object::from_iter([("value", date)]))
            } else {
                date
            };
            found.insert(*key, date);
        }
    } else {
        match name {
            "SEQUENCE" => drop(found.insert("sequence", line.value.trim().parse::<f64>().ok())),
            "CATEGORIES" => {
                let words = split_list(&line.value).into_iter().map(Value::from);
                found.entry("categories").make_array().extend(words);
            }
            "EXDATE" => {
                for value in line.value.split(',') {
                    let one = ContentLine {
                        name: line.name.clone(),
                        params: line.params.clone(),
                        value: value.to_owned(),
                    };
                    if let Some(date) = date(&one) {
                        push(found, "exceptionDates", date);
                    }
                }
            }
            "RRULE" => drop(found.insert("recurrenceRule", rule(&line.value))),
            "ORGANIZER" => drop(found.insert("organizer", person(line))),
            "ATTENDEE" => push(found, "attendees", person(line)),
            "DURATION" => drop(found.insert("duration", duration(&line.value))),
            "TRIGGER" => {
                let mut trigger = Object::from_iter([("type", Value::from("relative"))]);
                trigger.insert("value", duration(&line.value));
                found.insert("trigger", trigger);
            }
            _ => {}
        }
    }
}

/// A date in the form `{ date, type }`, with the time on the wall where a zone was given.
fn date(line: &ContentLine) -> Option<Value> {
    let text = line.value.trim();
    let is_day = line.param("VALUE") == Some("DATE") || !text.contains('T');
    let mut found = Object::new();
    let day: civil::Date = civil::Date::strptime("%Y%m%d", text.get(..8)?).ok()?;
    if is_day {
        found.insert("date", iso(day.to_zoned(TimeZone::UTC).ok()?.timestamp()));
        found.insert("type", "DATE");
        return Some(Value::object(found));
    }
    let time = civil::DateTime::strptime("%Y%m%dT%H%M%S", text.trim_end_matches('Z')).ok()?;
    let zone =
        line.param("TZID").and_then(|name| TimeZone::get(name).ok().map(|zone| (name, zone)));
    let (moment, local) = match zone {
        Some((name, zone)) if !text.ends_with('Z') => {
            let zoned = time.to_zoned(zone).ok()?;
            let on_the_wall = time.to_zoned(TimeZone::UTC).ok()?.timestamp();
            let mut local = Object::new();
            local.insert("date", iso(on_the_wall));
            local.insert("timezone", name);
            local.insert("tzoffset", zoned.strftime("%z").to_string());
            (zoned.timestamp(), Some(local))
        }
        _ => (time.to_zoned(TimeZone::UTC).ok()?.timestamp(), None),
    };
    found.insert("date", iso(moment));
    found.insert("type", "DATE-TIME");
    if let Some(local) = local {
        found.insert("local", local);
    }
    Some(Value::object(found))
}

fn iso(moment: Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

fn person(line: &ContentLine) -> Value {
    let mut found = Object::new();
    let mail = line.value.trim();
    let mail = mail
        .split_once(':')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("mailto"))
        .map_or(mail, |(_, mail)| mail);
    for (param, key) in [
        ("CN", "name"),
        ("ROLE", "role"),
        ("PARTSTAT", "partstat"),
        ("DIR", "dir"),
        ("SENT-BY", "sentBy"),
        ("CUTYPE", "userType"),
    ] {
        if let Some(value) = line.param(param) {
            found.insert(key, value);
        }
    }
    if let Some(rsvp) = line.param("RSVP") {
        found.insert("rsvp", rsvp.eq_ignore_ascii_case("true"));
    }
    found.insert("email", mail);
    Value::object(found)
}

fn rule(text: &str) -> Value {
    let mut found = Object::new();
    for (name, value) in text.split(';').filter_map(|part| part.split_once('=')) {
        let numbers = || {
            Value::array(
                value
                    .split(',')
                    .filter_map(|number| number.trim().parse::<f64>().ok())
                    .map(Value::from)
                    .collect(),
            )
        };
        match name.to_ascii_uppercase().as_str() {
            "FREQ" => drop(found.insert("frequency", value)),
            "COUNT" => drop(found.insert("count", value.parse::<f64>().ok())),
            "INTERVAL" => drop(found.insert("interval", value.parse::<f64>().ok())),
            "UNTIL" => {
                let line = ContentLine {
                    name: String::new(),
                    params: Vec::new(),
                    value: value.to_owned(),
                };
                found.insert("until", date(&line));
            }
            "WKST" => drop(found.insert("workweekStart", value)),
            "BYDAY" => {
                let days = value.split(',').map(|day| {
                    let letters =
                        day.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(0);
                    let mut found = Object::from_iter([("day", &day[letters..])]);
                    if let Ok(number) = day[..letters].parse::<f64>() {
                        found.insert("occurrence", number);
                    }
                    Value::object(found)
                });
                found.insert("byDay", Value::array(days.collect()));
            }
            "BYMONTH" => drop(found.insert("byMonth", numbers())),
            "BYMONTHDAY" => drop(found.insert("byMonthday", numbers())),
            "BYYEARDAY" => drop(found.insert("byYearday", numbers())),
            "BYWEEKNO" => drop(found.insert("byWeekNo", numbers())),
            "BYSETPOS" => drop(found.insert("bySetPos", numbers())),
            "BYHOUR" => drop(found.insert("byHour", numbers())),
            "BYMINUTE" => drop(found.insert("byMinute", numbers())),
            "BYSECOND" => drop(found.insert("bySecond", numbers())),
            _ => {}
        }
    }
    Value::object(found)
}

/// `-P1DT2H` as its parts.
fn duration(text: &str) -> Value {
    let mut found = Object::new();
    let text = text.trim();
    found.insert("before", text.starts_with('-').then_some(true));
    let mut number = String::new();
    for letter in text.chars() {
        match letter {
            letter if letter.is_ascii_digit() => number.push(letter),
            letter => {
                let key = match letter.to_ascii_uppercase() {
                    'W' => "weeks",
                    'D' => "days",
                    'H' => "hours",
                    'M' => "minutes",
                    'S' => "seconds",
                    _ => continue,
                };
                found.insert(key, std::mem::take(&mut number).parse::<f64>().ok());
            }
        }
    }
    Value::object(found)
}

/// Commas between words, not those that a backslash marks.
fn split_list(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let last = words.len() - 1;
        match letter {
            '\\' => {
                words[last].push('\\');
                words[last].extend(letters.next());
            }
            ',' => words.push(String::new()),
            letter => words[last].push(letter),
        }
    }
    words.iter().map(|word| unescaped(word.trim())).collect()
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('n' | 'N') => out.push('\n'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn an_event_is_read_with_its_dates_and_people() {
        let text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Lunch\\, with\r\n  friends\r\n\
            DTSTART;TZID=Europe/Berlin:20240701T120000\r\nDTEND:20240701T110000Z\r\nDTSTAMP;VALUE=DATE:20240101\r\n\
            ORGANIZER;CN=\"Ann: Lee\":MAILTO:ann@x.org\r\nATTENDEE;RSVP=TRUE;CN=Bob:mailto:bob@x.org\r\n\
            RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,-1FR;UNTIL=20241231\r\nSEQUENCE:3\r\nCATEGORIES:a,b\\,c\r\nBEGIN:VALARM\r\nACTION:DISPLAY\r\n\
            TRIGGER:-PT15M\r\nEND:VALARM\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let expected = json!({
            "version": "2.0", "prodId": "-//x//y",
            "events": [{
                "uid": "1", "summary": "Lunch, with friends", "sequence": 3, "categories": ["a", "b,c"],
                "start": { "date": "2024-07-01T10:00:00.000Z", "type": "DATE-TIME", "local": { "date": "2024-07-01T12:00:00.000Z", "timezone": "Europe/Berlin", "tzoffset": "+0200" } },
                "end": { "date": "2024-07-01T11:00:00.000Z", "type": "DATE-TIME" },
                "stamp": { "date": "2024-01-01T00:00:00.000Z", "type": "DATE" },
                "organizer": { "name": "Ann: Lee", "email": "ann@x.org" },
                "attendees": [{ "name": "Bob", "rsvp": true, "email": "bob@x.org" }],
                "recurrenceRule": { "frequency": "WEEKLY", "interval": 2, "byDay": [{ "day": "MO" }, { "day": "FR", "occurrence": -1 }], "until": { "date": "2024-12-31T00:00:00.000Z", "type": "DATE" } },
                "alarms": [{ "action": "DISPLAY", "trigger": { "type": "relative", "value": { "before": true, "minutes": 15 } } }],
            }],
        });
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn odd_text_is_an_error_or_a_calendar_and_never_a_panic() {
        assert!(parse("hello").is_err());
        for text in [
            "BEGIN:VCALENDAR",
            "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:é\nRRULE:BYDAY=é,;\nDURATION:\\\nSUMMARY:\\",
            "BEGIN:VCALENDAR\n;;;=:\n:\n\"",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        assert!(parse(&format!("BEGIN:VCALENDAR\n{}", "BEGIN:VEVENT\n".repeat(100_000))).is_ok());
    }
}
