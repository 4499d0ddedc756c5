//! Tables of schedules and the moments they fire at.

use super::*;
use model::{Value, json};

fn ms(text: &str) -> i64 {
    text.parse::<Timestamp>().unwrap().as_millisecond()
}

fn text(ms: i64, zone: &str) -> String {
    let at = Timestamp::from_millisecond(ms).unwrap().to_zoned(TimeZone::get(zone).unwrap());
    at.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

fn by_cron(expression: &str) -> ScheduleRule {
    ScheduleRule {
        timing: Timing::Cron {
            expression: CronExpression::parse(expression).unwrap(),
            every: None,
        },
        last_run_ms: None,
    }
}

/// The next moments, each found from the one before.
fn moments(rule: &ScheduleRule, from: &str, zone: &str, count: usize) -> Vec<String> {
    let mut at = ms(from);
    let mut found = Vec::new();
    for _ in 0..count {
        at = next_run_after(rule, at, zone).unwrap();
        found.push(text(at, zone));
    }
    found
}

#[test]
fn each_field_has_its_say() {
    for (expression, from, expected) in [
        ("*/15 * * * *", "2026-01-15T10:07:30Z", "2026-01-15T10:15:00+00:00"),
        ("0 9-17 * * MON-FRI", "2026-01-16T17:00:00Z", "2026-01-19T09:00:00+00:00"),
        ("30 0 9,17 * * *", "2026-01-15T09:00:30Z", "2026-01-15T17:00:30+00:00"),
        ("0/20 * * * * *", "2026-01-15T09:00:00.500Z", "2026-01-15T09:00:20+00:00"),
        ("0 0 1 jan *", "2026-01-15T00:00:00Z", "2027-01-01T00:00:00+00:00"),
        ("0 0 29 2 *", "2026-01-15T00:00:00Z", "2028-02-29T00:00:00+00:00"),
        // Either day counts when both are set.
        ("0 0 13 * 5", "2026-01-15T00:00:00Z", "2026-01-16T00:00:00+00:00"),
        ("0 0 L * *", "2026-02-01T00:00:00Z", "2026-02-28T00:00:00+00:00"),
        ("0 0 15W * *", "2026-02-01T00:00:00Z", "2026-02-16T00:00:00+00:00"),
        ("0 0 * * 5L", "2026-01-15T00:00:00Z", "2026-01-30T00:00:00+00:00"),
        ("0 0 * * MON#2", "2026-01-15T00:00:00Z", "2026-02-09T00:00:00+00:00"),
        ("0 0 ? * 7", "2026-01-15T00:00:00Z", "2026-01-18T00:00:00+00:00"),
        ("@weekdays", "2026-01-16T00:00:00Z", "2026-01-19T00:00:00+00:00"),
        (" @Daily ", "2026-01-16T00:00:00Z", "2026-01-17T00:00:00+00:00"),
    ] {
        assert_eq!(moments(&by_cron(expression), from, "UTC", 1), [expected], "{expression}");
    }
}

#[test]
fn a_skipped_hour_is_made_up_for_once() {
    let zone = "America/New_York";
    let from = "2026-03-08T05:00:00Z";
    assert_eq!(
        moments(&by_cron("30 2 * * *"), from, zone, 2),
        ["2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"]
    );
    assert_eq!(
        moments(&by_cron("0 * * * *"), from, zone, 3),
        ["2026-03-08T01:00:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-08T04:00:00-04:00"]
    );
    // A zone that skips half an hour.
    assert_eq!(
        moments(&by_cron("15 2 * * *"), "2026-10-03T12:00:00Z", "Australia/Lord_Howe", 1),
        ["2026-10-04T02:30:00+11:00"]
    );
}

#[test]
fn a_repeated_hour_fires_set_times_once_and_intervals_twice() {
    let zone = "America/New_York";
    let from = "2026-11-01T04:30:00Z";
    assert_eq!(
        moments(&by_cron("30 1 * * *"), from, zone, 2),
        ["2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"]
    );
    assert_eq!(
        moments(&by_cron("*/30 * * * *"), from, zone, 5),
        [
            "2026-11-01T01:00:00-04:00",
            "2026-11-01T01:30:00-04:00",
            "2026-11-01T01:00:00-05:00",
            "2026-11-01T01:30:00-05:00",
            "2026-11-01T02:00:00-05:00"
        ]
    );
}

#[test]
fn hostile_expressions_are_refused() {
    let long = "1,".repeat(5000) + "1 * * * *";
    for expression in [
        "",
        " ",
        "*",
        "* * * *",
        "* * * * * * *",
        "*/0 * * * *",
        "99 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "a b c d e",
        "MON * * * *",
        "* * * MON *",
        "* * * * JAN",
        "* * * * MONDAY",
        ", * * * *",
        "1,,2 * * * *",
        "5-1 * * * *",
        "-1 * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        "*/99999999999 * * * *",
        "* * 32W * *",
        "* * * * 1#9",
        "* * * * #",
        "ß * * * *",
        "١ * * * *",
        "@never",
        "@daily *",
        "0\0 * * * *",
        "1.5 * * * *",
        &long,
    ] {
        let error = CronExpression::parse(expression).unwrap_err();
        assert!(error.to_string().len() < 400, "{error}");
    }
}

#[test]
fn a_day_that_never_comes_is_refused() {
    for expression in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "* * * 31 2 *", "0 0 L * +MON#2"] {
        let error = CronExpression::parse(expression).unwrap_err();
        assert!(error.to_string().contains("never matches a date"), "{error}");
    }
    let rare = by_cron("0 0 29 2 +MON");
    assert_eq!(
        moments(&rare, "2026-01-15T00:00:00Z", "UTC", 2),
        ["2044-02-29T00:00:00+00:00", "2072-02-29T00:00:00+00:00"]
    );
}

#[test]
fn strange_instants_and_zones_give_nothing() {
    let rule = by_cron("* * * * *");
    for instant in [i64::MAX, i64::MIN, 253_402_300_799_000] {
        assert_eq!(next_run_after(&rule, instant, "UTC"), None, "{instant}");
    }
    assert_eq!(next_run_after(&rule, 0, "Europe/Atlantis"), None);
    let interval = ScheduleRule {
        timing: Timing::Interval { milliseconds: 1000 },
        last_run_ms: Some(i64::MIN),
    };
    assert_eq!(next_run_after(&interval, i64::MAX, "UTC"), None);
}

fn rules(type_name: &str, parameters: Value) -> Result<Vec<ScheduleRule>, ScheduleError> {
    rules_of_node(type_name, parameters.as_object().unwrap(), "node").unwrap()
}

fn schedule(entry: Value) -> Result<ScheduleRule, ScheduleError> {
    let parameters = json!({ "rule": { "interval": [entry] } });
    rules("n8n-nodes-base.scheduleTrigger", parameters).map(|mut rules| rules.remove(0))
}

/// The cron expression without its second, or the interval.
fn told(rule: &ScheduleRule) -> String {
    match &rule.timing {
        Timing::Cron { expression, every } => {
            let fields = expression.as_str().split_once(' ').unwrap().1;
            every.map_or_else(
                || fields.to_owned(),
                |every| format!("{fields} every {} {:?}", every.count, every.unit),
            )
        }
        Timing::Interval { milliseconds } => format!("each {milliseconds} ms"),
    }
}

#[test]
fn intervals_of_the_schedule_trigger_become_rules() {
    for (entry, expected) in [
        (json!({ "field": "seconds", "secondsInterval": 10 }), "* * * * *"),
        (json!({ "field": "seconds", "secondsInterval": 90 }), "each 90000 ms"),
        (json!({ "field": "minutes", "minutesInterval": 5 }), "*/5 * * * *"),
        (json!({ "field": "minutes", "minutesInterval": 90 }), "each 5400000 ms"),
        (json!({ "field": "hours", "hoursInterval": 3, "triggerAtMinute": 7 }), "7 */3 * * *"),
        (
            json!({ "field": "hours", "hoursInterval": 48, "triggerAtMinute": 0 }),
            "0 0 * * * every 2 Day",
        ),
        (json!({ "field": "hours", "hoursInterval": 30 }), "each 108000000 ms"),
        (json!({ "field": "days", "triggerAtHour": 9, "triggerAtMinute": 0 }), "0 9 * * *"),
        (
            json!({ "daysInterval": 3, "triggerAtHour": 9, "triggerAtMinute": 30 }),
            "30 9 * * * every 3 Day",
        ),
        (
            json!({ "field": "weeks", "triggerAtDay": [1, 3], "triggerAtHour": 9, "triggerAtMinute": 0 }),
            "0 9 * * 1,3",
        ),
        (
            json!({ "field": "weeks", "weeksInterval": 2, "triggerAtDay": [], "triggerAtHour": 9, "triggerAtMinute": 0 }),
            "0 9 * * * every 2 Week",
        ),
        (
            json!({ "field": "months", "monthsInterval": 3, "triggerAtDayOfMonth": 5, "triggerAtHour": 0, "triggerAtMinute": 0 }),
            "0 0 5 */3 *",
        ),
        (
            json!({ "field": "months", "monthsInterval": 5, "triggerAtDayOfMonth": 5, "triggerAtHour": 0, "triggerAtMinute": 0 }),
            "0 0 5 * * every 5 Month",
        ),
    ] {
        assert_eq!(
            told(&schedule(entry.clone()).unwrap()),
            expected,
            "{}",
            model::json::to_string(&entry)
        );
    }
    for entry in [
        json!({ "field": "minutes", "minutesInterval": 0 }),
        json!({ "field": "seconds", "secondsInterval": -5 }),
        json!({ "field": "hours", "hoursInterval": 1.5 }),
        json!({ "triggerAtHour": 25 }),
        json!({ "field": "weeks", "triggerAtDay": ["x"] }),
        json!({ "field": "weeks", "triggerAtDay": [9] }),
        json!({ "field": "cronExpression", "expression": "*/0 * * * *" }),
        json!({ "field": "cronExpression" }),
    ] {
        assert!(schedule(entry.clone()).is_err(), "{}", model::json::to_string(&entry));
    }
}

#[test]
fn every_third_day_counts_from_the_last_run() {
    let rule =
        schedule(json!({ "daysInterval": 3, "triggerAtHour": 9, "triggerAtMinute": 0 })).unwrap();
    let first = next_run_after(&rule, ms("2026-03-01T12:00:00Z"), "UTC").unwrap();
    assert!(text(first, "UTC").starts_with("2026-03-02T09:00:"));
    let second = next_run_after(&rule.clone().counted_from(first), first, "UTC").unwrap();
    assert!(text(second, "UTC").starts_with("2026-03-05T09:00:"));
    // A server that was off keeps the count.
    let later =
        next_run_after(&rule.counted_from(first), ms("2026-03-06T00:00:00Z"), "UTC").unwrap();
    assert!(text(later, "UTC").starts_with("2026-03-08T09:00:"));
}

#[test]
fn every_second_week_keeps_all_its_days() {
    let entry = json!({ "field": "weeks", "weeksInterval": 2, "triggerAtDay": [1, 5], "triggerAtHour": 9, "triggerAtMinute": 0 });
    let mut rule = schedule(entry).unwrap();
    let mut at = ms("2026-01-04T00:00:00Z");
    let mut days = Vec::new();
    for _ in 0..4 {
        at = next_run_after(&rule, at, "UTC").unwrap();
        rule = rule.counted_from(at);
        days.push(text(at, "UTC").chars().take(10).collect::<String>());
    }
    assert_eq!(days, ["2026-01-05", "2026-01-09", "2026-01-19", "2026-01-23"]);
}

#[test]
fn intervals_go_on_from_the_last_run() {
    let rule =
        &rules("n8n-nodes-base.interval", json!({ "interval": 5, "unit": "minutes" })).unwrap()[0];
    assert_eq!(next_run_after(rule, 1000, "UTC"), Some(301_000));
    assert_eq!(next_run_after(&rule.clone().counted_from(1000), 301_000, "UTC"), Some(601_000));
    assert_eq!(next_run_after(&rule.clone().counted_from(1000), 1_000_000, "UTC"), Some(1_201_000));
    assert!(rules("n8n-nodes-base.interval", json!({ "interval": 0 })).is_err());
    assert!(rules("n8n-nodes-base.interval", json!({ "interval": 1e11 })).is_err());
}

#[test]
fn times_of_the_cron_node_become_expressions() {
    for (entry, expected) in [
        (json!({ "mode": "everyMinute" }), "* * * * *"),
        (json!({ "mode": "everyHour", "minute": 5 }), "5 * * * *"),
        (json!({ "hour": 8, "minute": 0 }), "0 8 * * *"),
        (json!({ "mode": "everyWeek", "hour": 8, "minute": 1, "weekday": "3" }), "1 8 * * 3"),
        (json!({ "mode": "everyMonth", "hour": 8, "minute": 1, "dayOfMonth": 31 }), "1 8 31 * *"),
        (json!({ "mode": "everyX", "unit": "minutes", "value": 10 }), "*/10 * * * *"),
        (json!({ "mode": "everyX", "unit": "minutes", "value": 120 }), "each 7200000 ms"),
        (json!({ "mode": "custom", "cronExpression": " 1 2 3 4 5 6 " }), "2 3 4 5 6"),
    ] {
        let found =
            rules("n8n-nodes-base.cron", json!({ "triggerTimes": { "item": [entry] } })).unwrap();
        assert_eq!(told(&found[0]), expected);
    }
    assert_eq!(rules_of_node("n8n-nodes-base.webhook", &model::Object::new(), ""), None);
}

#[test]
fn the_earliest_of_several_rules_wins() {
    let rules = [by_cron("0 12 * * *"), by_cron("0 6 * * *")];
    assert_eq!(
        next_run_of_any(&rules, ms("2026-01-01T00:00:00Z"), "UTC"),
        Some(ms("2026-01-01T06:00:00Z"))
    );
    assert_eq!(next_run_of_any(&[], 0, "UTC"), None);
}

#[test]
fn a_minute_never_goes_missing_around_a_change_of_the_clock() {
    let rule = by_cron("* * * * *");
    for (zone, from) in [
        ("America/New_York", "2026-03-08T05:00:00Z"),
        ("America/New_York", "2026-11-01T04:00:00Z"),
        ("Australia/Lord_Howe", "2026-10-03T14:00:00Z"),
        ("Australia/Lord_Howe", "2026-04-04T14:00:00Z"),
        ("Africa/Casablanca", "2026-02-15T00:00:00Z"),
        ("Europe/London", "2026-10-25T00:00:00Z"),
    ] {
        let from = ms(from);
        for minute in 0..300 {
            let at = from + minute * 60_000 + 17_250;
            assert_eq!(
                next_run_after(&rule, at, zone),
                Some(from + (minute + 1) * 60_000),
                "{zone} {at}"
            );
        }
    }
}

#[test]
fn no_text_makes_it_panic_or_go_back_in_time() {
    const CLOCK: &[&str] = &["*", "*/7", "0", "2", "1-5", "0/15", "3,1,2", "22-23/1"];
    const FIELDS: [&[&str]; 7] = [
        CLOCK,
        CLOCK,
        CLOCK,
        &["*", "1", "29", "30,31", "L", "15W", "31W", "LW", "?"],
        &["*", "2", "jan", "*/5", "4,6,9,11"],
        &["*", "MON", "MON#5", "5L", "fri-sun", "+5", "0,7", "?"],
        &["*/0", "99", "1,,2", "é", "-", "/", "#", "L", "MON", "W", "+", "1-", "*/*"],
    ];
    let zones = ["UTC", "America/New_York", "Pacific/Apia", "Antarctica/Troll", "Asia/Kathmandu"];
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    let mut fired = 0;
    for _ in 0..5000 {
        let first = random(2);
        let fields: Vec<&str> = (first..6)
            .map(|position| {
                let pool = FIELDS[if random(20) == 0 { 6 } else { position }];
                pool[random(pool.len())]
            })
            .collect();
        let Ok(expression) = CronExpression::parse(&fields.join(" ")) else { continue };
        let at = i64::try_from(random(4_000_000)).unwrap() * 1_000_000;
        let zone = zones[random(zones.len())];
        let rule =
            ScheduleRule { timing: Timing::Cron { expression, every: None }, last_run_ms: None };
        if let Some(next) = next_run_after(&rule, at, zone) {
            assert!(next > at, "{rule:?} {at} {zone}");
            fired += 1;
        }
    }
    assert!(fired > 500, "{fired}");
}
