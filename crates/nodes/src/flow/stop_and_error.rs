//! Ends the run with an error of the author's own.

use node_api::prelude::*;

pub(crate) struct StopAndError;

impl Node for StopAndError {
    fn spec() -> Spec {
        Spec::new(
            "n8n-nodes-base.stopAndError",
            &[1.0],
            "Stop and Error",
            "End the run with an error",
        )
        .icon("circle-stop")
        .subtitle(&["{errorMessage}"])
        .group(NodeGroup::Flow)
        .outputs([])
        .param(
            Param::choice(
                "errorType",
                "Error type",
                &[("errorMessage", "Error message"), ("errorObject", "Error object")],
            )
            .help("Whether the error is a message or an object."),
        )
        .param(
            Param::text("errorMessage", "Error message", "")
                .required()
                .show("errorType", &["errorMessage"])
                .help("Error message."),
        )
        .param(
            Param::json("errorObject", "Error object", "")
                .required()
                .show("errorType", &["errorObject"])
                .help("An object with `message`, `description` and any other data to record."),
        )
        .hint("Add it to a branch that should never run. The error workflow receives its message.")
        .alias(&["throw", "fail", "abort"])
        .repeatable()
    }

    async fn run(ctx: &Ctx<'_>, _items: Items) -> Result<Outputs, NodeError> {
        if ctx.text("errorType", 0)? != "errorObject" {
            return Err(NodeError::failed(ctx.text("errorMessage", 0)?));
        }
        let given = ctx.param("errorObject", 0)?;
        let object = match &given {
            Value::Object(object) => (**object).clone(),
            value => {
                let read = model::json::parse(&value.to_js_string());
                let read = read.map_err(|problem| {
                    NodeError::parameter(
                        "errorObject",
                        format!("The error object is not valid JSON: {problem}"),
                    )
                })?;
                read.as_object().cloned().unwrap_or_default()
            }
        };
        let text = |key: &str| {
            object.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(Str::from)
        };
        let message = text("message").or_else(|| text("description")).or_else(|| text("error"));
        let message = message.unwrap_or_else(|| {
            format!("Error: {}", model::json::to_string(&Value::object(object.clone()))).into()
        });
        let mut error = NodeError::failed(message);
        if let Some(description) = text("description") {
            error = error.describe(description);
        }
        for (key, value) in
            object.iter().filter(|(key, _)| *key != "message" && *key != "description")
        {
            error = error.with(key, value.clone());
        }
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use node_testing::run;

    #[tokio::test]
    async fn the_message_is_the_authors() {
        let error = run::<StopAndError>(json!({ "errorMessage": "No stock left" }), json!([{}]))
            .await
            .unwrap_err();
        assert_eq!(error.message(), "No stock left");
    }

    #[tokio::test]
    async fn an_object_gives_message_description_and_more() {
        let params = json!({ "errorType": "errorObject", "errorObject": r#"{ "code": "404", "description": "Gone" }"# });
        let error = run::<StopAndError>(params, json!([{}])).await.unwrap_err();
        assert_eq!(error.message(), "Gone");
        assert_eq!(error.description().unwrap(), "Gone");
        assert_eq!(error.context().get("code"), Some(&json!("404")));
        let bare = json!({ "errorType": "errorObject", "errorObject": { "code": 7 } });
        assert_eq!(
            run::<StopAndError>(bare, json!([{}])).await.unwrap_err().message(),
            "Error: {\"code\":7}"
        );
        let broken = json!({ "errorType": "errorObject", "errorObject": "{" });
        assert_eq!(
            run::<StopAndError>(broken, json!([{}])).await.unwrap_err().code(),
            Code::NODE_PARAMETER
        );
    }
}
