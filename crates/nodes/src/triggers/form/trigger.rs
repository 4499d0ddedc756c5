//! Starts a run when a form is sent; the page of the form is made from the node's parameters.

use super::fields::fields_param;
use super::page::{form_route, open_form_route, page_of};
use super::submission::submitted_item;
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::path::path_of;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub(crate) struct FormTrigger;

impl Node for FormTrigger {
    fn spec() -> Spec {
        let versions = [1.0, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6];
        let ways = [("basicAuth", "Basic auth"), ("none", "None")];
        Spec::trigger("n8n-nodes-base.formTrigger", &versions, "n8n Form Trigger", "Start when a form is submitted").icon("clipboard-list").subtitle(&["{formTitle}"]).triggered_by(TriggerKind::Form)
            .untrusted()
            .credential("httpBasicAuth", false)
            .params([
                Param::choice("authentication", "Authentication", &ways)
                    .preset("none")
                    .since(2.0)
                    .raw()
                    .help("How visitors authenticate."),
                Param::text("path", "Form path", "").until(2.1).help("Last part of the form's URL. Defaults to the node's ID."),
                Param::text("formTitle", "Form title", "").required().help("Shown above the form and as the page's title."),
                Param::long_text("formDescription", "Form description", "").help("Shown under the title; simple HTML is allowed."),
                fields_param(),
            ])
            .params(response_params())
            .param(Param::collection("options", "Options", option_params()).help("Form options."))
            .hint("Use it to let users start a workflow from a page. Add Form nodes for more pages \
                 and an ending.")
            .alias(&["form", "survey", "page", "input", "questionnaire"])
            .note("The item contains the value of each field, `submittedAt` and `formMode`. Values \
                 that are not form fields are dropped.")
            .repeatable()
            .example(
                "An item of an earlier run",
                r#"{ "formTitle": "Feedback", "formFields": { "values": [{ "fieldLabel": "Name" }] } }"#,
                r#"[{ "Name": "Ada", "submittedAt": "2024-01-01T00:00:00.000Z", "formMode": "test" }]"#,
                r#"[[{ "Name": "Ada", "submittedAt": "2024-01-01T00:00:00.000Z", "formMode": "test" }]]"#,
            )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let params = ctx.param("", 0)?;
        let no_params = Object::new();
        let given = NodeParams::new(params.as_object().unwrap_or(&no_params));
        let page = page_of(&given)?;
        let in_workflow_zone = given.flag_or("options.useWorkflowTimezone", ctx.version() > 2.0);
        let zone = if in_workflow_zone { ctx.host().timezone() } else { "UTC" };
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            output
                .push(submitted_item(&page, &item, ctx.host().now_ms(), zone)?.paired_with(index));
        }
        Ok(vec![output.finish()])
    }
}

impl Trigger for FormTrigger {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        let path = given
            .non_empty_text("path")
            .or_else(|| given.non_empty_text("options.path"))
            .unwrap_or_default();
        let (path, page) = (path_of(setup, "path", &path)?, page_of(&given)?);
        // The first version asks nobody who they are.
        let is_open = setup.node.version < 2.0 && given.value("authentication").is_none();
        let form = if is_open {
            open_form_route(&given, path, page)?
        } else {
            form_route(&given, path, "authentication", page)?
        };
        Ok(vec![TriggerListener::Form(form.into())])
    }
}

fn response_params() -> [Param; 2] {
    let modes = [
        ("onReceived", "Form is submitted"),
        ("lastNode", "Workflow finishes"),
        ("responseNode", "Using 'Respond to Webhook' node"),
    ];
    [
        Param::choice("responseMode", "Respond when", &modes)
            .until(2.1)
            .help("When to respond to the visitor."),
        Param::choice("responseMode", "Respond when", modes.get(..2).unwrap_or_default())
            .since(2.2)
            .help("When to respond to the visitor."),
    ]
}

/// Options that the Wait node has for its form, too.
pub(crate) fn shared_options() -> Vec<Param> {
    let ways = [("text", "Form submitted text"), ("redirect", "Redirect URL")];
    let ending = [
        Param::choice("respondWith", "Respond with", &ways)
            .help("What to show after the form is submitted."),
        Param::long_text("formSubmittedText", "Text to show", "Your response has been recorded")
            .show("respondWith", &["text"])
            .help("Shown after the form is submitted."),
        Param::text("redirectUrl", "URL to redirect to", "")
            .show("respondWith", &["redirect"])
            .help("URL to redirect the visitor to."),
    ];
    vec![
        Param::flag("appendAttribution", "Append attribution", true)
            .help("Show an attribution at the bottom of the page."),
        Param::text("buttonLabel", "Button label", "Submit").help("Label of the submit button."),
        Param::flag("ignoreBots", "Ignore bots", false)
            .guard()
            .help("Do not serve the form to crawlers and link previews."),
        Param::group(
            "respondWithOptions",
            "Form response",
            [FieldGroup::new("values", "Values", ending)],
        )
        .preset(json!({ "values": { "respondWith": "text" } }))
        .help("What to show after the form is submitted, unless there is another page."),
        Param::long_text("customCss", "Custom form styling", "")
            .help("CSS added to the page's own styles."),
    ]
}

fn option_params() -> Vec<Param> {
    let mut options = shared_options();
    options.extend([
        Param::text("formSubmittedText", "Form submitted text", "")
            .versions(&[1.0])
            .help("Shown after the form is submitted."),
        Param::text("path", "Form path", "")
            .since(2.2)
            .help("Last part of the form's URL. Defaults to the node's ID."),
        Param::flag("useWorkflowTimezone", "Use workflow timezone", false).since(2.0).help(
            "Return `submittedAt` in the workflow's time zone instead of UTC. On by default \
                 after version 2.",
        ),
    ]);
    options
}

#[cfg(test)]
mod tests {
    use super::super::submission::FORM_FIELD;
    use super::*;
    use model::OnError;
    use node_api::NodeInfo;
    use node_api::trigger::{FormCompletion, FormRoute, ResponseMode, WebhookAuth};
    use node_testing::{TestHost, items, run_on, to_json};

    fn listens(version: f64, params: Value) -> Result<FormRoute, NodeError> {
        let params = FormTrigger::spec().complete(version, params.as_object().unwrap());
        let node = NodeInfo { version, ..NodeInfo::default() };
        let listens = FormTrigger::listeners(&TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: Some("u-1"),
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        })?;
        match listens.as_slice() {
            [TriggerListener::Form(form)] => Ok((**form).clone()),
            _ => panic!("a form trigger listens to one form"),
        }
    }

    #[test]
    fn a_form_is_shown_and_sent_at_one_address() {
        let form =
            listens(2.5, json!({ "formTitle": "Hello", "formDescription": "Say <b>hi</b>" }))
                .unwrap();
        assert_eq!(form.route.methods, [Str::from("GET"), "POST".into()]);
        assert_eq!(
            (form.route.path.as_str(), form.route.auth, form.route.answer),
            ("u-1", WebhookAuth::None, ResponseMode::Received)
        );
        assert_eq!(
            (form.page.title.as_str(), form.page.description.as_str()),
            ("Hello", "Say <b>hi</b>")
        );
        assert_eq!((form.page.button.as_str(), form.page.attribution), ("Submit", true));
        assert_eq!(form.page.completion, FormCompletion::default());
    }

    #[test]
    fn the_path_and_the_ending_stand_where_the_version_keeps_them() {
        let paths = [
            (1.0, json!({ "path": "f" })),
            (2.1, json!({ "path": "f" })),
            (2.2, json!({ "options": { "path": "/f/" } })),
        ];
        for (version, params) in paths {
            assert_eq!(listens(version, params).unwrap().route.path, "f", "{version}");
        }
        let text = |text: &str| FormCompletion::Message {
            title: "Form Submitted".into(),
            text: text.into(),
        };
        let old = listens(1.0, json!({ "options": { "formSubmittedText": "Thanks" } })).unwrap();
        assert_eq!(old.page.completion, text("Thanks"));
        let ending = |values: Value| {
            listens(2.5, json!({ "options": { "respondWithOptions": { "values": values } } }))
                .map(|form| form.page.completion)
        };
        assert_eq!(
            ending(json!({ "respondWith": "text", "formSubmittedText": "Bye" })).unwrap(),
            text("Bye")
        );
        let redirect =
            |address: &str| ending(json!({ "respondWith": "redirect", "redirectUrl": address }));
        assert_eq!(
            redirect("a.example/x").unwrap(),
            FormCompletion::Redirect("http://a.example/x".into())
        );
        assert_eq!(
            redirect("https://a.example/ü").unwrap(),
            FormCompletion::Redirect("https://a.example/%C3%BC".into())
        );
        for address in [
            "",
            "javascript:alert(1)",
            "javascript://x/%0aalert(1)",
            "data:text/html,x",
            "https://a\r\nb",
        ] {
            assert!(
                redirect(address).is_err_and(|error| error.code() == Code::NODE_PARAMETER),
                "{address}"
            );
        }
    }

    #[test]
    fn options_reach_the_page_and_the_route() {
        let options = json!({ "appendAttribution": false, "buttonLabel": "Go", "customCss": "h1 { color: red }", "ignoreBots": true });
        let mut params = json!({ "authentication": "basicAuth", "responseMode": "lastNode" });
        params.set_path("options", options);
        let form = listens(2.5, params).unwrap();
        assert_eq!(
            (form.page.attribution, form.page.button.as_str(), form.page.css.as_str()),
            (false, "Go", "h1 { color: red }")
        );
        assert_eq!(
            (form.route.auth, form.route.answer, form.route.ignores_bots),
            (WebhookAuth::Basic, ResponseMode::LastNode, true)
        );
        let broken = listens(2.5, json!({ "options": { "customCss": "</style><script>" } }));
        assert_eq!(broken.unwrap_err().code(), Code::NODE_PARAMETER);
    }

    #[test]
    fn issue_14_16_a_form_is_open_only_if_its_author_says_so() {
        for way in
            [json!(""), Value::Null, Value::Undefined, json!("magic"), json!("={{ $vars.mode }}")]
        {
            let mut params = json!({});
            params.set_path("authentication", way.clone());
            assert_eq!(listens(2.5, params).unwrap_err().code(), Code::NODE_PARAMETER, "{way:?}");
        }
        assert_eq!(
            listens(1.0, json!({})).unwrap().route.auth,
            WebhookAuth::None,
            "the first version has no authentication"
        );
        assert_eq!(
            listens(1.0, json!({ "authentication": "basicAuth" })).unwrap().route.auth,
            WebhookAuth::Basic
        );
    }

    #[tokio::test]
    async fn what_was_sent_becomes_the_item() {
        let params =
            json!({ "formFields": { "values": [{ "fieldLabel": "Age", "fieldType": "number" }] } });
        let sent = || {
            vec![items(&json!([{ FORM_FIELD: { "Age": "36", "x": 1 }, "formMode": "production" }]))]
        };
        for (version, options, at) in [
            (1.0, json!({}), "2024-01-01T00:00:00.000Z"),
            (2.0, json!({}), "2024-01-01T00:00:00.000Z"),
            (2.5, json!({}), "2024-01-01T01:00:00.000+01:00"),
            (2.5, json!({ "useWorkflowTimezone": false }), "2024-01-01T00:00:00.000Z"),
        ] {
            let mut params = params.clone();
            params.set_path("options", options);
            let mut host = TestHost::new(&FormTrigger::spec(), version, &params);
            host.timezone = "Europe/Berlin".into();
            let outputs =
                run_on::<FormTrigger>(&host, version, sent(), OnError::Stop).await.unwrap();
            assert_eq!(
                to_json(&outputs[0]),
                json!([{ "Age": 36, "submittedAt": at, "formMode": "production" }]),
                "{version}"
            );
        }
    }
}
