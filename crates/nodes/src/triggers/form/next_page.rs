//! A further page of a form, or the page that ends it.

use super::fields::fields_param;
use super::page::{bare_page, css_of, open_form_route, web_address};
use crate::flow::wait::{limit, limit_params};
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::headers::checked_value;
use node_api::host::Pause;
use node_api::prelude::*;
use node_api::trigger::{
    FormCompletion, FormPage, ResponseBody, Trigger, TriggerListener, TriggerSetup, WebhookResponse,
};

pub(crate) struct FormNode;

impl Node for FormNode {
    fn spec() -> Spec {
        let pages = [("page", "Next form page"), ("completion", "Form ending")];
        let ways = [("fields", "Using fields below"), ("json", "Using JSON")];
        let fields = fields_param().show("operation", &["page"]).show("defineForm", &["fields"]);
        Spec::new(
            "n8n-nodes-base.form",
            &[1.0, 2.3, 2.4, 2.5],
            "n8n Form",
            "Show another page of a form, or its ending",
        )
        .answers(&[TriggerKind::Form])
        .icon("clipboard-list")
        .resumed_by(ResumeCall::form())
        .untrusted()
        .sends_to("redirectUrl")
        .group(NodeGroup::Flow)
        .params([
            Param::notice("triggerNotice", "The workflow must start with a Form Trigger."),
            Param::choice("operation", "Page type", &pages)
                .raw()
                .help("Whether to show another page or end the form."),
            Param::choice("defineForm", "Define form", &ways)
                .raw()
                .show("operation", &["page"])
                .help("How to define the fields."),
            Param::json(
                "jsonOutput",
                "Form fields",
                "[\n  {\n    \"fieldLabel\": \"Name\",\n    \"requiredField\": true\n  }\n]",
            )
            .show("operation", &["page"])
            .show("defineForm", &["json"])
            .help("The fields as a list of objects with `fieldLabel`, `fieldType` and so on."),
            fields,
        ])
        .params(limit_params().into_iter().map(|param| param.show("operation", &["page"])))
        .params(ending_params())
        .params(option_params())
        .hint(
            "Use it after a Form Trigger to show another page, or an ending with the workflow's \
                 results.",
        )
        .alias(&["wizard", "step", "page", "ending", "thank you"])
        .differs_when(
            "respondWith",
            &["returnBinary"],
            "The file is the whole response, without a completion title and message.",
        )
        .note("Where several branches end the form, the first ending that runs is shown.")
        .repeatable()
        .example(
            "The end of a form",
            r#"{ "operation": "completion", "completionTitle": "Thank you" }"#,
            r#"[{ "Name": "Ada" }]"#,
            r#"[[{ "Name": "Ada" }]]"#,
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let params = ctx.param("", 0)?;
        let no_params = Object::new();
        let given = NodeParams::new(params.as_object().unwrap_or(&no_params));
        if given.text("operation") == "completion" {
            ctx.host().respond(ending(ctx, &given, &items)?);
            return Ok(vec![items]);
        }
        // A mistake in the page is told now rather than to the visitor.
        next_page(&given)?;
        ctx.host().pause(Pause::Form { until: limit(ctx, ctx.host().now_ms() as f64)? });
        Ok(vec![items])
    }
}

impl Trigger for FormNode {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        let given = NodeParams::new(setup.params);
        if given.text("operation") == "completion" {
            return Ok(Vec::new());
        }
        let form = open_form_route(&given, Str::new(), next_page(&given)?)?;
        Ok(vec![TriggerListener::Form(form.into())])
    }

    fn resume_item(setup: &TriggerSetup<'_>, sent: Item) -> Result<Item, NodeError> {
        super::submitted_item(
            &next_page(&NodeParams::new(setup.params))?,
            &sent,
            setup.now_ms,
            setup.timezone,
        )
    }
}

fn next_page(given: &NodeParams<'_>) -> Result<FormPage, NodeError> {
    let page = bare_page(given)?;
    Ok(FormPage {
        title: given.text("options.formTitle"),
        description: given.text("options.formDescription"),
        ..page
    })
}

/// What the visitor sees at the end.
fn ending(
    ctx: &Ctx<'_>,
    given: &NodeParams<'_>,
    items: &Items,
) -> Result<WebhookResponse, NodeError> {
    let completion = match given.text("respondWith").as_str() {
        "redirect" => {
            FormCompletion::Redirect(web_address("redirectUrl", &given.text("redirectUrl"))?)
        }
        "showText" => FormCompletion::Html(given.text("responseText")),
        "returnBinary" => return file(ctx, given, items),
        _ => FormCompletion::Message {
            title: given.text("completionTitle"),
            text: given.text("completionMessage"),
        },
    };
    let page = FormPage {
        title: given.text("options.formTitle"),
        css: css_of(given)?,
        completion,
        ..FormPage::default()
    };
    Ok(WebhookResponse { status: 200, headers: Vec::new(), body: ResponseBody::Page(page.into()) })
}

fn file(
    ctx: &Ctx<'_>,
    given: &NodeParams<'_>,
    items: &Items,
) -> Result<WebhookResponse, NodeError> {
    let parameter = "inputDataFieldName";
    let item = items.first().unwrap_or_default();
    let file =
        ctx.binary(&item, 0, given.non_empty_text(parameter).as_deref().unwrap_or("data"))?;
    let name = file.file_name.as_deref().unwrap_or("file");
    let plain: String = name
        .chars()
        .map(
            |letter| {
                if matches!(letter, ' '..='~') && !"\"\\".contains(letter) { letter } else { '_' }
            },
        )
        .collect();
    let headers = vec![
        ("content-type".into(), checked_value(parameter, "content-type", &file.mime_type)?),
        ("content-disposition".into(), format!("attachment; filename=\"{plain}\"").into()),
    ];
    Ok(WebhookResponse { status: 200, headers, body: ResponseBody::Bytes(file.data.clone()) })
}

fn ending_params() -> Vec<Param> {
    let ways = [
        ("text", "Show completion screen"),
        ("redirect", "Redirect to URL"),
        ("showText", "Show text"),
        ("returnBinary", "Return binary file"),
    ];
    let params = [
        Param::choice("respondWith", "On form submission", &ways).help("What to show at the end."),
        Param::text("redirectUrl", "URL", "")
            .required()
            .show("respondWith", &["redirect"])
            .help("URL to redirect the visitor to."),
        Param::text("completionTitle", "Completion title", "")
            .required()
            .show("respondWith", &["text", "returnBinary"])
            .help("The title of the last page."),
        Param::long_text("completionMessage", "Completion message", "")
            .show("respondWith", &["text", "returnBinary"])
            .help("Shown under the title; simple HTML is allowed."),
        Param::long_text("responseText", "Text", "")
            .show("respondWith", &["showText"])
            .help("A whole page as HTML, or plain text."),
        Param::text("inputDataFieldName", "Input data field name", "data")
            .show("respondWith", &["returnBinary"])
            .help("Binary field with the file for the visitor."),
    ];
    params.into_iter().map(|param| param.show("operation", &["completion"])).collect()
}

fn option_params() -> [Param; 2] {
    let title = |label: &str| {
        Param::text("formTitle", label, "")
            .help("Title of the page. Defaults to the trigger's title.")
    };
    let css = || {
        Param::long_text("customCss", "Custom form styling", "")
            .help("CSS added to the page's own styles.")
    };
    let description = Param::long_text("formDescription", "Form description", "")
        .help("Shown under the title; simple HTML is allowed.");
    let button =
        Param::text("buttonLabel", "Button label", "Submit").help("Label of the submit button.");
    [
        Param::collection("options", "Options", [title("Form title"), description, button, css()])
            .show("operation", &["page"])
            .help("Options of the page."),
        Param::collection("options", "Options", [title("Completion page title"), css()])
            .show("operation", &["completion"])
            .help("Options of the last page."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::OnError;
    use node_api::NodeInfo;
    use node_api::trigger::{FormFieldKind, FormRoute};
    use node_testing::{TestHost, items, run_on};

    async fn run(params: Value, input: Items) -> Result<TestHost, NodeError> {
        let host = TestHost::new(&FormNode::spec(), 2.5, &params);
        run_on::<FormNode>(&host, 2.5, vec![input], OnError::Stop).await?;
        Ok(host)
    }

    async fn ended(mut params: Value) -> Result<FormPage, NodeError> {
        params.set_path("operation", "completion");
        let host = run(params, items(&json!([{}]))).await?;
        assert_eq!(*host.paused.lock().unwrap(), None);
        let answer = host.answered.lock().unwrap().clone().unwrap();
        match answer.body {
            ResponseBody::Page(page) => Ok(*page),
            body => panic!("{body:?}"),
        }
    }

    fn listens(params: Value) -> Result<Vec<FormRoute>, NodeError> {
        let params = FormNode::spec().complete(2.5, params.as_object().unwrap());
        let node = NodeInfo::default();
        let listens = FormNode::listeners(&TriggerSetup {
            node: &node,
            params: &params,
            webhook_id: None,
            workflow_id: "w1",
            now_ms: 0,
            timezone: "UTC",
        })?;
        Ok(listens
            .into_iter()
            .map(
                |listen| {
                    if let TriggerListener::Form(form) = listen { *form } else { panic!("no form") }
                },
            )
            .collect())
    }

    #[tokio::test]
    async fn a_page_puts_the_run_to_sleep_until_it_is_sent() {
        let fields = json!({ "formFields": { "values": [{ "fieldLabel": "Name" }] } });
        let host = run(fields, items(&json!([{}]))).await.unwrap();
        assert_eq!(*host.paused.lock().unwrap(), Some(Pause::Form { until: None }));
        assert_eq!(*host.answered.lock().unwrap(), None);
        let limited = json!({ "limitWaitTime": true, "resumeAmount": 2, "resumeUnit": "minutes" });
        let host = run(limited, items(&json!([{}]))).await.unwrap();
        assert_eq!(
            *host.paused.lock().unwrap(),
            Some(Pause::Form { until: Some(1_704_067_320_000) })
        );
        let broken =
            json!({ "formFields": { "values": [{ "fieldType": "dropdown", "fieldLabel": "x" }] } });
        assert_eq!(
            run(broken, items(&json!([{}]))).await.err().map(|error| error.code()),
            Some(Code::NODE_PARAMETER)
        );
    }

    #[test]
    fn a_page_is_shown_at_the_address_of_the_run() {
        let json = "[{ fieldLabel: 'Name', requiredField: true }, { fieldLabel: 'T', fieldType: 'radio', fieldOptions: [{ option: '<a>' }] }]";
        let mut params =
            json!({ "defineForm": "json", "options": { "formTitle": "Two", "buttonLabel": "On" } });
        params.set_path("jsonOutput", json);
        let forms = listens(params).unwrap();
        let page = &forms[0].page;
        assert_eq!(
            (forms[0].route.path.as_str(), page.title.as_str(), page.button.as_str()),
            ("", "Two", "On")
        );
        assert_eq!((page.fields[0].name.as_str(), page.fields[0].required), ("Name", true));
        assert_eq!(page.fields[1].kind, FormFieldKind::Radio { options: vec!["<a>".into()] });
        assert!(listens(json!({ "operation": "completion" })).unwrap().is_empty());
        let broken = listens(json!({ "defineForm": "json", "jsonOutput": "[{ colour: 1 }]" }));
        assert_eq!(broken.unwrap_err().code(), Code::NODE_PARAMETER);
    }

    #[tokio::test]
    async fn an_ending_answers_with_a_page() {
        let message = FormCompletion::Message { title: "Thanks".into(), text: "Bye".into() };
        let cases = [
            (json!({ "completionTitle": "Thanks", "completionMessage": "Bye" }), message),
            (
                json!({ "respondWith": "redirect", "redirectUrl": "https://a.example" }),
                FormCompletion::Redirect("https://a.example".into()),
            ),
            (
                json!({ "respondWith": "showText", "responseText": "<h1>x</h1>" }),
                FormCompletion::Html("<h1>x</h1>".into()),
            ),
        ];
        for (params, wanted) in cases {
            assert_eq!(ended(params.clone()).await.unwrap().completion, wanted, "{params:?}");
        }
        assert_eq!(ended(json!({ "options": { "formTitle": "End" } })).await.unwrap().title, "End");
        let broken =
            ended(json!({ "respondWith": "redirect", "redirectUrl": "javascript:alert(1)" })).await;
        assert_eq!(broken.unwrap_err().code(), Code::NODE_PARAMETER);
    }

    #[tokio::test]
    async fn an_ending_may_be_a_file() {
        let mut item = Item::new(json!({}));
        item.set_binary("data", Binary::new("x", "text/csv", Some("a\"\r\nü.csv".into())));
        let params = json!({ "operation": "completion", "respondWith": "returnBinary" });
        let host = run(params.clone(), Items::one(item)).await.unwrap();
        let answer = host.answered.lock().unwrap().clone().unwrap();
        let disposition =
            ("content-disposition".into(), "attachment; filename=\"a____.csv\"".into());
        assert_eq!(answer.headers, [("content-type".into(), "text/csv".into()), disposition]);
        assert_eq!(answer.body, ResponseBody::Bytes("x".into()));
        assert_eq!(
            run(params, items(&json!([{}]))).await.err().map(|error| error.code()),
            Some(Code::NODE_INPUT)
        );
    }
}
