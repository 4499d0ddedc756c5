//! Waits: for a time, until a moment, or for a call from outside.

use crate::field_type::{DateContext, parse_date};
use crate::triggers::form::{fields_param, form_route, page_of, shared_options, submitted_item};
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::params::option_params;
use crate::triggers::webhook::path::checked;
use crate::triggers::webhook::route::{METHODS, route_of};
use node_api::host::Pause;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub(crate) struct WaitNode;

/// Shorter waits keep the run in memory; longer ones put it to sleep in the store.
const SLEEP_LIMIT_MS: f64 = 65_000.0;

const UNITS: &[(&str, &str)] =
    &[("seconds", "Seconds"), ("minutes", "Minutes"), ("hours", "Hours"), ("days", "Days")];

impl Node for WaitNode {
    fn spec() -> Spec {
        let called = ["webhook", "form"];
        Spec::new(
            "n8n-nodes-base.wait",
            &[1.0, 1.1],
            "Wait",
            "Wait for a duration, until a time, or for a webhook call",
        )
        .icon("hourglass")
        .subtitle(&["{resume?timeInterval=timeInterval}{amount} {unit?seconds:plural amount}"])
        .resumed_by(ResumeCall::form().show("resume", &["form"]))
        .resumed_by(ResumeCall::webhook().show("resume", &["webhook"]))
        .untrusted()
        .sends_to("options.respondWithOptions.values.redirectUrl")
        .group(NodeGroup::Flow)
        .credential("httpBasicAuth", false)
        .credential("httpHeaderAuth", false)
        .credential("jwtAuth", false)
        .params([
            Param::choice(
                "resume",
                "Resume",
                &[
                    ("timeInterval", "After time interval"),
                    ("specificTime", "At specified time"),
                    ("webhook", "On webhook call"),
                    ("form", "On form submitted"),
                ],
            )
            .help("When to continue."),
            Param::date_time("dateTime", "Date and time")
                .show("resume", &["specificTime"])
                .help("Time to continue at."),
            Param::number("amount", "Wait amount", 1)
                .at_least(0.0)
                .until(1.0)
                .show("resume", &["timeInterval"])
                .help("How long."),
            Param::number("amount", "Wait amount", 5)
                .at_least(0.0)
                .since(1.1)
                .show("resume", &["timeInterval"])
                .help("How long."),
            Param::choice("unit", "Wait unit", UNITS)
                .preset("hours")
                .until(1.0)
                .show("resume", &["timeInterval"])
                .help("The unit of the amount."),
            Param::choice("unit", "Wait unit", UNITS)
                .since(1.1)
                .show("resume", &["timeInterval"])
                .help("The unit of the amount."),
            Param::choice(
                "incomingAuthentication",
                "Authentication",
                &[
                    ("none", "None"),
                    ("basicAuth", "Basic auth"),
                    ("headerAuth", "Header auth"),
                    ("jwtAuth", "JWT auth"),
                ],
            )
            .show("resume", &called)
            .help("How callers must authenticate."),
            Param::choice("httpMethod", "HTTP method", METHODS)
                .preset("GET")
                .show("resume", &["webhook"])
                .help("HTTP method of the call."),
            Param::number("responseCode", "Response code", 200)
                .show("resume", &["webhook"])
                .help("Status code of the response."),
            Param::choice(
                "responseMode",
                "Respond",
                &[
                    ("onReceived", "Immediately"),
                    ("lastNode", "When last node finishes"),
                    ("responseNode", "Using 'Respond to Webhook' node"),
                    ("streaming", "Streaming"),
                ],
            )
            .show("resume", &called)
            .help("When to respond to the call."),
            Param::choice(
                "responseData",
                "Response data",
                &[
                    ("allEntries", "All entries"),
                    ("firstEntryJson", "First entry JSON"),
                    ("firstEntryBinary", "First entry binary"),
                    ("noData", "No response body"),
                ],
            )
            .preset("firstEntryJson")
            .show("resume", &["webhook"])
            .show("responseMode", &["lastNode"])
            .help("What to respond with."),
            Param::text("responseBinaryPropertyName", "Property name", "data")
                .show("resume", &["webhook"])
                .show("responseData", &["firstEntryBinary"])
                .help("Binary field to respond with."),
            Param::text("formTitle", "Form title", "")
                .show("resume", &["form"])
                .help("Shown above the form."),
            Param::text("formDescription", "Form description", "")
                .show("resume", &["form"])
                .help("Shown under the title."),
            fields_param().show("resume", &["form"]),
        ])
        .params(limit_params().into_iter().map(|param| param.show("resume", &called)))
        .params([
            Param::collection("options", "Options", webhook_options())
                .show("resume", &["webhook"])
                .help("Webhook options."),
            Param::collection("options", "Options", form_options())
                .show("resume", &["form"])
                .help("Form options."),
        ])
        .hint(
            "Use it to space out calls, or to wait for someone to respond through \
                 $execution.resumeUrl.",
        )
        .alias(&["pause", "sleep", "delay", "approval"])
        .repeatable()
        .example(
            "A moment",
            r#"{ "amount": 1, "unit": "seconds" }"#,
            r#"[{ "n": 1 }]"#,
            r#"[[{ "n": 1 }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let host = ctx.host();
        let now = host.now_ms() as f64;
        let until = match ctx.text("resume", 0)?.as_str() {
            "webhook" => {
                host.pause(Pause::Webhook { until: limit(ctx, now)? });
                return Ok(vec![items]);
            }
            "form" => {
                host.pause(Pause::Form { until: limit(ctx, now)? });
                return Ok(vec![items]);
            }
            "specificTime" => moment(ctx, "dateTime", now)?,
            _ => now + interval(ctx, "amount", "unit")?,
        };
        let left = (until - now).max(0.0);
        if left < SLEEP_LIMIT_MS {
            host.sleep(left as u64).await?;
        } else {
            host.pause(Pause::Until(until as i64));
        }
        Ok(vec![items])
    }
}

impl Trigger for WaitNode {
    /// The path is only what stands behind the address of the run.
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        let suffix = || checked("options.webhookSuffix", &given.text("options.webhookSuffix"));
        Ok(match given.text("resume").as_str() {
            "webhook" => {
                vec![TriggerListener::Webhook(route_of(
                    &given,
                    suffix()?,
                    "incomingAuthentication",
                )?)]
            }
            "form" => vec![TriggerListener::Form(
                form_route(&given, suffix()?, "incomingAuthentication", page_of(&given)?)?.into(),
            )],
            _ => Vec::new(),
        })
    }

    fn resume_item(setup: &TriggerSetup<'_>, sent: Item) -> Result<Item, NodeError> {
        let given = NodeParams::new(setup.params);
        if given.text("resume") != "form" {
            return Ok(sent);
        }
        submitted_item(&page_of(&given)?, &sent, setup.now_ms, setup.timezone)
    }
}

/// The parameters that [`limit`] reads.
pub(crate) fn limit_params() -> Vec<Param> {
    let flag = Param::flag("limitWaitTime", "Limit wait time", false)
        .help("Continue without a call after a timeout.");
    let fields = limit_fields().into_iter().map(|field| field.show("limitWaitTime", &[true]));
    std::iter::once(flag).chain(fields).collect()
}

/// The parameters that [`limit_at`] reads.
pub(crate) fn limit_fields() -> [Param; 4] {
    let kinds =
        [("afterTimeInterval", "After time interval"), ("atSpecifiedTime", "At specified time")];
    [
        Param::choice("limitType", "Limit type", &kinds).help("How to define the limit."),
        Param::number("resumeAmount", "Amount", 1)
            .at_least(0.0)
            .show("limitType", &["afterTimeInterval"])
            .help("Maximum wait time."),
        Param::choice("resumeUnit", "Unit", UNITS)
            .preset("hours")
            .show("limitType", &["afterTimeInterval"])
            .help("The unit of the amount."),
        Param::date_time("maxDateAndTime", "Max date and time")
            .show("limitType", &["atSpecifiedTime"])
            .help("Time to continue at without a call."),
    ]
}

fn interval(ctx: &Ctx<'_>, amount: &str, unit: &str) -> Result<f64, NodeError> {
    // Fields of a group within options come without their defaults.
    let value = Some(ctx.param(amount, 0)?)
        .filter(|value| *value != Value::Undefined)
        .unwrap_or_else(|| 1.into());
    let number = crate::field_type::to_number(&value);
    if value.is_nullish() || number.is_nan() || number < 0.0 {
        return Err(NodeError::parameter(
            amount,
            "Invalid wait amount. Please enter a number that is 0 or greater.",
        ));
    }
    let seconds = match ctx.text(unit, 0)?.as_str() {
        "seconds" => 1.0,
        "minutes" => 60.0,
        "hours" | "" => 3600.0,
        "days" => 86_400.0,
        _ => {
            let description = "Valid units are 'seconds', 'minutes', 'hours', or 'days'.";
            return Err(NodeError::parameter(unit, "Invalid wait unit.").describe(description));
        }
    };
    Ok(number * seconds * 1000.0)
}

fn moment(ctx: &Ctx<'_>, path: &str, now: f64) -> Result<f64, NodeError> {
    let value = ctx.param(path, 0)?;
    let clock = DateContext { zone: ctx.host().timezone(), now_ms: now as i64 };
    let date = if value.is_nullish() { None } else { parse_date(&value, &clock) };
    date.map(|date| date.epoch_ms).ok_or_else(|| {
        NodeError::parameter(path, "Invalid date format")
            .describe(format!("'{}' is not a valid date.", value.to_js_string()))
    })
}

/// When a node that waits for somebody goes on without them, if it does.
pub(crate) fn limit(ctx: &Ctx<'_>, now: f64) -> Result<Option<i64>, NodeError> {
    if !ctx.flag("limitWaitTime", 0)? {
        return Ok(None);
    }
    limit_at(ctx, now, "")
}

/// The same where the limit is set; `place` stands before the names of its fields.
pub(crate) fn limit_at(ctx: &Ctx<'_>, now: f64, place: &str) -> Result<Option<i64>, NodeError> {
    let at = |name: &str| format!("{place}{name}");
    let until = match ctx.text(&at("limitType"), 0)?.as_str() {
        "atSpecifiedTime" => moment(ctx, &at("maxDateAndTime"), now)?,
        _ => now + interval(ctx, &at("resumeAmount"), &at("resumeUnit"))?,
    };
    Ok(Some(until as i64))
}

fn suffix() -> Param {
    Param::text("webhookSuffix", "Webhook suffix", "")
        .help("Suffix for the URL, to tell several Wait nodes apart.")
}

fn webhook_options() -> Vec<Param> {
    // A wait listens to one run's own address, so neither deliveries nor conditions can be mixed
    // up.
    let elsewhere = ["deliveryHeader", "onlyRunIf"];
    let webhook =
        option_params().into_iter().filter(|param| !elsewhere.contains(&param.name.as_str()));
    [suffix()].into_iter().chain(webhook).collect()
}

fn form_options() -> Vec<Param> {
    [suffix()].into_iter().chain(shared_options()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_api::NodeInfo;
    use node_api::trigger::{ResponseData, WebhookAuth, WebhookRoute};
    use node_testing::{TestHost, items, run_on};

    async fn paused(params: Value) -> Result<Option<Pause>, NodeError> {
        let host = TestHost::new(&WaitNode::spec(), 1.1, &params);
        run_on::<WaitNode>(&host, 1.1, vec![items(&json!([{}]))], OnError::Stop).await?;
        Ok(host.paused.lock().unwrap().clone())
    }

    #[tokio::test]
    async fn short_waits_sleep_and_long_ones_put_the_run_to_rest() {
        assert_eq!(paused(json!({ "amount": 64, "unit": "seconds" })).await.unwrap(), None);
        assert_eq!(
            paused(json!({ "amount": 2, "unit": "minutes" })).await.unwrap(),
            Some(Pause::Until(1_704_067_320_000))
        );
        let later = paused(json!({ "resume": "specificTime", "dateTime": "2024-01-02T00:00:00" }))
            .await
            .unwrap();
        assert_eq!(later, Some(Pause::Until(1_704_153_600_000)));
    }

    #[tokio::test]
    async fn a_call_may_have_a_limit() {
        assert_eq!(
            paused(json!({ "resume": "webhook" })).await.unwrap(),
            Some(Pause::Webhook { until: None })
        );
        let params = json!({ "resume": "form", "limitWaitTime": true, "resumeAmount": 1, "resumeUnit": "hours" });
        assert_eq!(
            paused(params).await.unwrap(),
            Some(Pause::Form { until: Some(1_704_070_800_000) })
        );
    }

    #[tokio::test]
    async fn what_is_no_time_is_refused() {
        assert_eq!(
            paused(json!({ "amount": "soon" })).await.unwrap_err().code(),
            Code::NODE_PARAMETER
        );
        let params = json!({ "resume": "specificTime", "dateTime": "soon" });
        assert_eq!(paused(params).await.unwrap_err().message(), "Invalid date format");
    }

    fn listens(params: Value) -> Result<Vec<TriggerListener>, NodeError> {
        let params = WaitNode::spec().complete(1.1, params.as_object().unwrap());
        let node = NodeInfo::default();
        WaitNode::listeners(&TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: Some("u-1"),
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        })
    }

    #[test]
    fn a_call_is_waited_for_at_the_address_of_the_run() {
        let answer =
            json!({ "webhookSuffix": "/approve/", "responseData": "ok", "ignoreBots": true });
        let mut params = json!({ "resume": "webhook", "httpMethod": "POST", "incomingAuthentication": "headerAuth", "responseCode": 202 });
        params.set_path("options", answer);
        let listens = listens(params).unwrap();
        let [TriggerListener::Webhook(route)] = listens.as_slice() else { panic!("one route") };
        let wanted = WebhookRoute {
            auth: WebhookAuth::Header,
            status: 202,
            data: ResponseData::Text("ok".into()),
            ignores_bots: true,
            ..WebhookRoute::new("POST", "approve")
        };
        assert_eq!(*route, wanted);
    }

    #[test]
    fn a_form_is_waited_for_at_the_address_of_the_run() {
        let mut params = json!({ "resume": "form", "formTitle": "Approve?", "incomingAuthentication": "basicAuth" });
        params.set_path("formFields.values[0].fieldLabel", "Why");
        let listens = listens(params).unwrap();
        let [TriggerListener::Form(form)] = listens.as_slice() else { panic!("one form") };
        assert_eq!((form.route.path.as_str(), form.route.auth), ("", WebhookAuth::Basic));
        assert_eq!(
            (form.page.title.as_str(), form.page.fields[0].name.as_str()),
            ("Approve?", "Why")
        );
    }

    #[test]
    fn a_wait_for_time_listens_to_nothing_and_a_broken_suffix_is_told() {
        assert!(listens(json!({ "amount": 3 })).unwrap().is_empty());
        let broken =
            listens(json!({ "resume": "webhook", "options": { "webhookSuffix": "../other" } }));
        assert_eq!(broken.err().map(|error| error.code()), Some(Code::NODE_PARAMETER));
    }
}
