//! The page of a form, from the parameters that the Form Trigger, Form and Wait nodes share.

use super::fields::fields_of;
use crate::field_type::{
    DateContext, FieldCheck, TypeOptions, parse_loose_json, validate_field_type,
};
use crate::triggers::node_params::NodeParams;
use crate::triggers::webhook::headers::{checked_value, encoded_address};
use crate::triggers::webhook::route::{answer_when, auth_of};
use node_api::prelude::*;
use node_api::trigger::{FormCompletion, FormPage, FormRoute, WebhookRoute};

/// The note at the foot is shown unless it is switched off.
const ATTRIBUTION_IF_UNSET: bool = true;

/// A form at a path: its page is shown to a GET and sent with a POST. `auth_parameter` is where the
/// node keeps how visitors show who they are.
pub(crate) fn form_route(
    given: &NodeParams<'_>,
    path: Str,
    auth_parameter: &str,
    page: FormPage,
) -> Result<FormRoute, NodeError> {
    let mut form = open_form_route(given, path, page)?;
    form.route.auth = auth_of(given, auth_parameter)?;
    Ok(form)
}

/// The same for a node that has no such parameter.
pub(super) fn open_form_route(
    given: &NodeParams<'_>,
    path: Str,
    page: FormPage,
) -> Result<FormRoute, NodeError> {
    let route = WebhookRoute {
        methods: vec!["GET".into(), "POST".into()],
        answer: answer_when(given)?,
        ignores_bots: given.flag("options.ignoreBots"),
        ..WebhookRoute::new("GET", path)
    };
    Ok(FormRoute { route, page })
}

/// The page of a Form Trigger or of a Wait node.
pub(crate) fn page_of(given: &NodeParams<'_>) -> Result<FormPage, NodeError> {
    Ok(FormPage {
        title: given.text("formTitle"),
        description: given.text("formDescription"),
        attribution: given.flag_or("options.appendAttribution", ATTRIBUTION_IF_UNSET),
        completion: completion_of(given)?,
        ..bare_page(given)?
    })
}

/// What all pages have: fields, the label of the button, styles.
pub(super) fn bare_page(given: &NodeParams<'_>) -> Result<FormPage, NodeError> {
    let fields = match given.text("defineForm").as_str() {
        "json" => fields_of(
            fields_from_json(given.value("jsonOutput").unwrap_or(&Value::Null))?
                .as_array()
                .unwrap_or_default(),
        )?,
        _ => fields_of(given.list("formFields.values"))?,
    };
    Ok(FormPage { fields, button: button_of(given), css: css_of(given)?, ..FormPage::default() })
}

fn button_of(given: &NodeParams<'_>) -> Str {
    given.non_empty_text("options.buttonLabel").unwrap_or_else(|| "Submit".into())
}

/// Styles of the author's. They stand inside of a `style` element, which they must not be able to
/// end.
pub(super) fn css_of(given: &NodeParams<'_>) -> Result<Str, NodeError> {
    let css = given.text("options.customCss");
    match css.contains("</") || css.contains("<!") {
        true => {
            Err(NodeError::parameter("options.customCss", "The custom styling contains markup")
                .hint("Use only CSS, without `<style>` tags."))
        }
        false => Ok(css),
    }
}

fn completion_of(given: &NodeParams<'_>) -> Result<FormCompletion, NodeError> {
    let values = "options.respondWithOptions.values";
    let at = |name: &str| given.non_empty_text(&format!("{values}.{name}"));
    if at("respondWith").as_deref() == Some("redirect") {
        let parameter = "options.respondWithOptions.values.redirectUrl";
        return Ok(FormCompletion::Redirect(web_address(parameter, &given.text(parameter))?));
    }
    // The first version had the text among the options.
    let text =
        at("formSubmittedText").or_else(|| given.non_empty_text("options.formSubmittedText"));
    Ok(match (text, FormCompletion::default()) {
        (Some(text), FormCompletion::Message { title, .. }) => {
            FormCompletion::Message { title, text }
        }
        (_, usual) => usual,
    })
}

/// An address for a browser; one without a scheme is meant for `http`.
pub(super) fn web_address(parameter: &str, given: &str) -> Result<Str, NodeError> {
    let given = checked_value(parameter, "location", given)?;
    let address =
        if given.contains("://") { given.clone() } else { format!("http://{given}").into() };
    let fits = url::Url::parse(&address)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    match fits && !given.is_empty() {
        true => Ok(encoded_address(&address)),
        false => Err(NodeError::parameter(
            parameter,
            format!("'{given}' is not a URL that a browser can be redirected to"),
        )
        .hint("Enter a full URL, such as `https://example.org/thanks`.")),
    }
}

/// Fields given as JSON, also in JavaScript's looser spelling.
fn fields_from_json(value: &Value) -> Result<Value, NodeError> {
    if let FieldCheck::Invalid(reason) = validate_field_type(
        "jsonOutput",
        value,
        "form-fields",
        &TypeOptions::default(),
        &DateContext::utc(),
    ) {
        return Err(NodeError::parameter(
            "jsonOutput",
            format!("The form's fields are not valid: {reason}"),
        )
        .hint("Enter a list of objects, such as `[{ \"fieldLabel\": \"Name\" }]`."));
    }
    Ok(match value {
        Value::String(text) => {
            model::json::parse(text).ok().or_else(|| parse_loose_json(text)).unwrap_or_default()
        }
        other => other.clone(),
    })
}
