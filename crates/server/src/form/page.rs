//! The markup of a form's page.

use super::markup::clean;
use super::submission::FieldProblem;
use crate::page_policy::{hash_of, inside_style};
use crate::response::{self, SANDBOX};
use axum::http::StatusCode;
use axum::response::Response;
use model::{Object, Value};
use node_api::trigger::{FormCompletion, FormField, FormFieldKind, FormPage};
use std::sync::LazyLock;

const STYLE: &str = include_str!("form.css");

/// A page of ours runs no script and loads nothing but pictures; the two style sheets in it apply
/// by their hashes.
fn policy(css: &str) -> String {
    static STYLE_HASH: LazyLock<String> = LazyLock::new(|| hash_of(STYLE));
    format!(
        "default-src 'none'; style-src {} {}; img-src https: data:; form-action 'self'; frame-ancestors *; base-uri 'none'",
        *STYLE_HASH,
        hash_of(css)
    )
}

/// The form, with what was filled in before and what was wrong with it.
pub(super) fn form(form: &FormPage, given: &Object, problems: &[FieldProblem]) -> Response {
    let mut fields = String::new();
    for (number, field) in form.fields.iter().enumerate() {
        let problem = problems
            .iter()
            .find(|problem| problem.field == field.name)
            .map(|problem| problem.message.as_str());
        fields.push_str(&field_markup(field, number, given.get(&field.name), problem));
    }
    let button = if form.button.is_empty() { "Submit" } else { &form.button };
    let note = if problems.is_empty() {
        ""
    } else {
        "<p class=\"problem note\" role=\"alert\">Please check the marked fields.</p>"
    };
    let main = format!(
        "{}{note}<form method=\"post\" enctype=\"multipart/form-data\" novalidate>{fields}<button>{}</button></form>",
        heading(&form.title, &form.description),
        escape(button)
    );
    respond(form, &main)
}

/// What is shown once a form was sent.
pub(crate) fn page(form: &FormPage) -> Response {
    match &form.completion {
        FormCompletion::Message { title, text } => respond(form, &heading(title, text)),
        FormCompletion::Redirect(url) => respond(
            form,
            &format!(
                "<p class=\"about\"><a class=\"next\" href=\"{}\">Continue</a></p>",
                escape(url)
            ),
        ),
        // A whole page of the author's may run scripts, but not as a page of this instance.
        FormCompletion::Html(html) => response::page(StatusCode::OK, SANDBOX, html.to_string()),
    }
}

fn respond(form: &FormPage, main: &str) -> Response {
    let title = if form.title.is_empty() { "Form" } else { &form.title };
    let foot = if form.attribution { "<footer>Form made with Heddle</footer>" } else { "" };
    let css = inside_style(&form.css);
    let markup = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"robots\" content=\"noindex\"><title>{}</title><style>{STYLE}</style><style>{css}</style></head>\
         <body><main>{main}</main>{foot}</body></html>",
        escape(title)
    );
    response::page(StatusCode::OK, &policy(&css), markup)
}

fn heading(title: &str, text: &str) -> String {
    let title =
        if title.is_empty() { String::new() } else { format!("<h1>{}</h1>", escape(title)) };
    let text = if text.is_empty() {
        String::new()
    } else {
        format!("<p class=\"about\">{}</p>", escape(text).replace('\n', "<br>"))
    };
    format!("{title}{text}")
}

fn field_markup(
    field: &FormField,
    number: usize,
    given: Option<&Value>,
    problem: Option<&str>,
) -> String {
    let id = format!("field-{number}");
    let name = escape(&field.name);
    let first = given.or(Some(&field.default)).filter(|value| !value.is_nullish());
    let text = match first {
        Some(Value::Array(_)) | None => String::new(),
        Some(value) => escape(&value.to_js_string()),
    };
    let is_chosen = |option: &str| match first {
        Some(Value::Array(values)) => values.iter().any(|value| value.as_str() == Some(option)),
        Some(value) => value.to_js_string() == option,
        None => false,
    };
    let required = if field.required { " required" } else { "" };
    let described = if problem.is_some() {
        format!(" aria-invalid=\"true\" aria-describedby=\"{id}-problem\"")
    } else {
        String::new()
    };
    let place = escape(&field.placeholder);
    let input = |kind: &str| {
        format!(
            "<input id=\"{id}\" type=\"{kind}\" name=\"{name}\" value=\"{text}\" placeholder=\"{place}\"{required}{described}>"
        )
    };
    let choices = |kind: &str, options: &[model::Str]| -> String {
        let choice = |option: &model::Str| {
            let (option_text, checked) =
                (escape(option), if is_chosen(option) { " checked" } else { "" });
            format!(
                "<label class=\"choice\"><input type=\"{kind}\" name=\"{name}\" value=\"{option_text}\"{checked}> {option_text}</label>"
            )
        };
        options.iter().map(choice).collect()
    };
    let control = match &field.kind {
        FormFieldKind::Html(markup) => {
            return format!("<div class=\"markup\">{}</div>", clean(markup));
        }
        FormFieldKind::Hidden => {
            return format!("<input type=\"hidden\" name=\"{name}\" value=\"{text}\">");
        }
        FormFieldKind::Text => input("text"),
        FormFieldKind::Number => input("number").replace("<input ", "<input step=\"any\" "),
        FormFieldKind::Email => input("email"),
        FormFieldKind::Password => input("password"),
        FormFieldKind::Date => input("date"),
        FormFieldKind::TextArea => {
            format!(
                "<textarea id=\"{id}\" name=\"{name}\" rows=\"5\" placeholder=\"{place}\"{required}{described}>{text}</textarea>"
            )
        }
        FormFieldKind::DropDown { options, multiple } => {
            let option = |option: &model::Str| {
                let (option_text, selected) =
                    (escape(option), if is_chosen(option) { " selected" } else { "" });
                format!("<option{selected}>{option_text}</option>")
            };
            let many = if *multiple { " multiple" } else { "" };
            let empty = if *multiple { "" } else { "<option value=\"\">Choose …</option>" };
            let options: String = options.iter().map(option).collect();
            format!(
                "<select id=\"{id}\" name=\"{name}\"{many}{required}{described}>{empty}{options}</select>"
            )
        }
        FormFieldKind::Radio { options } => choices("radio", options),
        FormFieldKind::CheckBoxes { options, .. } => choices("checkbox", options),
        FormFieldKind::File { accepts, multiple } => {
            let many = if *multiple { " multiple" } else { "" };
            format!(
                "<input id=\"{id}\" type=\"file\" name=\"{name}\" accept=\"{}\"{many}{required}{described}>",
                escape(accepts)
            )
        }
    };
    let star = if field.required {
        " <span class=\"star\" title=\"required\" aria-hidden=\"true\">*</span>"
    } else {
        ""
    };
    let label = escape(if field.label.is_empty() { &field.name } else { &field.label });
    let problem = problem
        .map(|words| format!("<p class=\"problem\" id=\"{id}-problem\">{}</p>", escape(words)))
        .unwrap_or_default();
    match field.kind {
        FormFieldKind::Radio { .. } | FormFieldKind::CheckBoxes { .. } => {
            format!(
                "<fieldset{described}><legend>{label}{star}</legend>{control}{problem}</fieldset>"
            )
        }
        _ => format!(
            "<div class=\"field\"><label for=\"{id}\">{label}{star}</label>{control}{problem}</div>"
        ),
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
