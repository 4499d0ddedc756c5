//! The fields of a form: their parameters, and what a page shows of them.

use crate::triggers::node_params::{NodeParams, text_of};
use node_api::prelude::*;
use node_api::trigger::{FormField, FormFieldKind};

const KINDS: &[(&str, &str)] = &[
    ("checkbox", "Checkboxes"),
    ("html", "Custom HTML"),
    ("date", "Date"),
    ("dropdown", "Dropdown"),
    ("email", "Email"),
    ("file", "File"),
    ("hiddenField", "Hidden field"),
    ("number", "Number"),
    ("password", "Password"),
    ("radio", "Radio buttons"),
    ("text", "Text"),
    ("textarea", "Textarea"),
];
const CHOICES: &[&str] = &["checkbox", "dropdown", "radio"];
const UNLABELLED: &[&str] = &["hiddenField", "html"];
/// A page with more could not be filled in.
const MAX_FIELDS: usize = 500;

/// The list of fields as a parameter.
pub(crate) fn fields_param() -> Param {
    Param::repeated(
        "formFields",
        "Form elements",
        [FieldGroup::new("values", "Element", field_params())],
    )
    .help("The fields of the form.")
}

fn field_params() -> Vec<Param> {
    let option = [Param::text("option", "Option", "").help("An option to choose.")];
    let limits = [("exact", "Exact number"), ("range", "Range"), ("unlimited", "Unlimited")];
    vec![
        Param::text("fieldName", "Field name", "")
            .hide("fieldType", &["html"])
            .help("Name of the field in the item. Defaults to the label."),
        Param::text("fieldLabel", "Label", "")
            .hide("fieldType", UNLABELLED)
            .help("The label above the field."),
        Param::choice("fieldType", "Element type", KINDS).preset("text").help("Type of the field."),
        Param::text("elementName", "Element name", "")
            .show("fieldType", &["html"])
            .help("Name of the field for the HTML in the item."),
        Param::long_text("html", "HTML", "<p>A note</p>")
            .show("fieldType", &["html"])
            .help("Shown between the fields. Scripts, styles and inputs are removed."),
        Param::text("fieldValue", "Field value", "")
            .show("fieldType", &["hiddenField"])
            .help("Value of the field, unless the URL provides one."),
        Param::text("placeholder", "Placeholder", "")
            .show("fieldType", &["email", "number", "password", "text", "textarea"])
            .help("Placeholder of the empty field."),
        Param::text("defaultValue", "Default value", "")
            .hide("fieldType", &["html", "file", "hiddenField", "password"])
            .help("Default value. Separate several choices with commas."),
        Param::repeated(
            "fieldOptions",
            "Field options",
            [FieldGroup::new("values", "Option", option)],
        )
        .show("fieldType", CHOICES)
        .help("Options to choose from."),
        Param::flag("multiselect", "Multiple choice", false)
            .show("fieldType", &["dropdown"])
            .help("Allow several options."),
        Param::choice("limitSelection", "Limit selection", &limits)
            .preset("unlimited")
            .show("fieldType", &["checkbox"])
            .help("How many options must be selected."),
        Param::number("numberOfSelections", "Number of selections", 1)
            .at_least(1.0)
            .show("fieldType", &["checkbox"])
            .show("limitSelection", &["exact"])
            .help("Exact number of options to select."),
        Param::number("minSelections", "Minimum selections", 0)
            .at_least(0.0)
            .show("fieldType", &["checkbox"])
            .show("limitSelection", &["range"])
            .help("Minimum number of options to select."),
        Param::number("maxSelections", "Maximum selections", 1)
            .at_least(1.0)
            .show("fieldType", &["checkbox"])
            .show("limitSelection", &["range"])
            .help("Maximum number of options to select."),
        Param::flag("multipleFiles", "Multiple files", true)
            .show("fieldType", &["file"])
            .help("Allow several files."),
        Param::text("acceptFileTypes", "Accepted file types", "")
            .show("fieldType", &["file"])
            .help(
                "Extensions or MIME types such as `.jpg, .png, application/pdf`. If empty, all are \
                 accepted.",
            ),
        Param::text("formatDate", "Format date as", "")
            .show("fieldType", &["date"])
            .help("Format of the date in the item, such as `dd/MM/yyyy`."),
        Param::flag("requiredField", "Required field", false)
            .hide("fieldType", UNLABELLED)
            .help("Whether the field is required."),
    ]
}

/// The fields that a page shows, from the entries of a form.
pub(crate) fn fields_of(entries: &[Value]) -> Result<Vec<FormField>, NodeError> {
    if entries.len() > MAX_FIELDS {
        let message = format!(
            "The form has {} fields, which exceeds the limit of {MAX_FIELDS}",
            entries.len()
        );
        return Err(NodeError::parameter("formFields", message)
            .hint("Spread them over several pages with Form nodes."));
    }
    let mut fields: Vec<FormField> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let field = field_of(entry.as_object().unwrap_or(&Object::new()), index)?;
        if !field.name.is_empty() && fields.iter().any(|other| other.name == field.name) {
            let message = format!("The field name '{}' is used more than once", field.name);
            return Err(NodeError::parameter("formFields", message)
                .hint("Give each field a unique label or field name."));
        }
        fields.push(field);
    }
    Ok(fields)
}

fn field_of(entry: &Object, index: usize) -> Result<FormField, NodeError> {
    let given = NodeParams::new(entry);
    let wrong = |message: String, hint: &str| {
        NodeError::parameter("formFields", format!("Field {} of the form {message}", index + 1))
            .hint(hint)
    };
    let kind_name = given.non_empty_text("fieldType").unwrap_or_else(|| "text".into());
    let kind = match kind_name.as_str() {
        "text" => FormFieldKind::Text,
        "textarea" => FormFieldKind::TextArea,
        "number" => FormFieldKind::Number,
        "email" => FormFieldKind::Email,
        "password" => FormFieldKind::Password,
        "date" => FormFieldKind::Date,
        "dropdown" => FormFieldKind::DropDown {
            options: options_of(&given),
            multiple: given.flag("multiselect"),
        },
        "checkbox" => {
            let (at_least, at_most) = limits_of(&given)?;
            FormFieldKind::CheckBoxes { options: options_of(&given), at_least, at_most }
        }
        "radio" => FormFieldKind::Radio { options: options_of(&given) },
        "file" => FormFieldKind::File {
            accepts: given.text("acceptFileTypes"),
            multiple: given.flag("multipleFiles"),
        },
        "hiddenField" => FormFieldKind::Hidden,
        "html" => FormFieldKind::Html(given.text("html")),
        // A browser shows an input of an unknown type as one for text, and so n8n's forms do.
        _ => FormFieldKind::Text,
    };
    let label = given.text("fieldLabel");
    let name = match &kind {
        FormFieldKind::Html(_) => given.text("elementName"),
        _ => given.non_empty_text("fieldName").unwrap_or_else(|| label.clone()),
    };
    if name.is_empty() && !matches!(kind, FormFieldKind::Html(_)) {
        return Err(wrong(
            "has no name".into(),
            "Give the field a label, or a field name if it is hidden.",
        ));
    }
    if CHOICES.contains(&kind_name.as_str()) && options_of(&given).is_empty() {
        return Err(wrong(format!("'{name}' has no options"), "Add at least one option."));
    }
    let default = match &kind {
        FormFieldKind::Hidden => given.value("fieldValue").cloned().unwrap_or_default(),
        FormFieldKind::CheckBoxes { options, .. }
        | FormFieldKind::DropDown { options, multiple: true } => chosen(&given, options),
        FormFieldKind::Html(_) | FormFieldKind::File { .. } | FormFieldKind::Password => {
            Value::Undefined
        }
        _ => given
            .value("defaultValue")
            .filter(|value| value.as_str() != Some(""))
            .cloned()
            .unwrap_or_default(),
    };
    Ok(FormField {
        label: if label.is_empty() { name.clone() } else { label },
        name,
        kind,
        placeholder: given.text("placeholder"),
        default,
        required: given.flag("requiredField"),
        date_format: given.text("formatDate"),
    })
}

fn options_of(given: &NodeParams<'_>) -> Vec<Str> {
    // As JSON they may also be a plain list.
    let listed = given
        .value("fieldOptions")
        .and_then(Value::as_array)
        .unwrap_or_else(|| given.list("fieldOptions.values"));
    let options = listed.iter().map(|entry| entry.get("option").map(text_of).unwrap_or_default());
    options.filter(|option| !option.is_empty()).collect()
}

/// The options chosen at first: a list, one option, or several with commas.
fn chosen(given: &NodeParams<'_>, options: &[Str]) -> Value {
    let listed: Vec<Str> = match given.value("defaultValue") {
        None => return Value::Undefined,
        Some(Value::Array(values)) => values.iter().map(text_of).collect(),
        Some(value) if options.contains(&text_of(value)) => vec![text_of(value)],
        Some(value) => text_of(value).split(',').map(|part| Str::from(part.trim())).collect(),
    };
    let known: Vec<Value> =
        listed.into_iter().filter(|option| options.contains(option)).map(Value::from).collect();
    if known.is_empty() { Value::Undefined } else { Value::array(known) }
}

fn limits_of(given: &NodeParams<'_>) -> Result<(Option<usize>, Option<usize>), NodeError> {
    let (at_least, at_most) = match given.text("limitSelection").as_str() {
        "exact" => {
            let exactly = given.whole_number("numberOfSelections", 1..=1000)?.unwrap_or(1);
            (Some(exactly), Some(exactly))
        }
        "range" => (
            given.whole_number("minSelections", 0..=1000)?,
            given.whole_number("maxSelections", 1..=1000)?,
        ),
        _ => (None, None),
    };
    match (at_least, at_most) {
        (Some(least), Some(most)) if least > most => {
            let message =
                format!("The minimum of {least} selections exceeds the maximum of {most}");
            Err(NodeError::parameter("formFields", message)
                .hint("The minimum must not exceed the maximum."))
        }
        limits => Ok(limits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(entry: Value) -> Result<FormField, NodeError> {
        fields_of(&[entry]).map(|mut fields| fields.remove(0))
    }

    fn kind(entry: Value) -> FormFieldKind {
        field(entry).unwrap().kind
    }

    #[test]
    fn every_type_of_field_has_its_kind() {
        let options = json!({ "values": [{ "option": "a" }, { "option": "b" }, { "option": "" }] });
        let with = |kind: &str, more: Value| {
            let mut entry =
                json!({ "fieldLabel": "x", "fieldType": kind, "fieldOptions": options.clone() });
            entry.make_object().extend(more.as_object().unwrap().clone());
            entry
        };
        let listed = || vec![Str::from("a"), "b".into()];
        let boxes =
            |at_least, at_most| FormFieldKind::CheckBoxes { options: listed(), at_least, at_most };
        let cases = [
            (json!({ "fieldLabel": "x" }), FormFieldKind::Text),
            (with("cube", json!({})), FormFieldKind::Text),
            (with("textarea", json!({})), FormFieldKind::TextArea),
            (with("number", json!({})), FormFieldKind::Number),
            (with("email", json!({})), FormFieldKind::Email),
            (with("password", json!({})), FormFieldKind::Password),
            (with("date", json!({})), FormFieldKind::Date),
            (
                with("dropdown", json!({})),
                FormFieldKind::DropDown { options: listed(), multiple: false },
            ),
            (
                with("dropdown", json!({ "multiselect": true })),
                FormFieldKind::DropDown { options: listed(), multiple: true },
            ),
            (with("radio", json!({})), FormFieldKind::Radio { options: listed() }),
            (with("checkbox", json!({})), boxes(None, None)),
            (
                with("checkbox", json!({ "limitSelection": "exact", "numberOfSelections": 2 })),
                boxes(Some(2), Some(2)),
            ),
            (
                with(
                    "checkbox",
                    json!({ "limitSelection": "range", "minSelections": 1, "maxSelections": 2 }),
                ),
                boxes(Some(1), Some(2)),
            ),
            (
                with("file", json!({ "acceptFileTypes": ".pdf", "multipleFiles": true })),
                FormFieldKind::File { accepts: ".pdf".into(), multiple: true },
            ),
            (json!({ "fieldName": "x", "fieldType": "hiddenField" }), FormFieldKind::Hidden),
            (json!({ "fieldType": "html", "html": "<p>" }), FormFieldKind::Html("<p>".into())),
        ];
        for (entry, wanted) in cases {
            assert_eq!(kind(entry.clone()), wanted, "{entry:?}");
        }
    }

    #[test]
    fn names_labels_and_defaults_are_told_apart() {
        let found = field(json!({ "fieldLabel": "Your name", "fieldName": "name", "placeholder": "Ada", "requiredField": true })).unwrap();
        assert_eq!(
            (found.name.as_str(), found.label.as_str(), found.required),
            ("name", "Your name", true)
        );
        assert_eq!(field(json!({ "fieldLabel": "Your name" })).unwrap().name, "Your name");
        let hidden = field(
            json!({ "fieldType": "hiddenField", "fieldName": "source", "fieldValue": "mail" }),
        )
        .unwrap();
        assert_eq!(hidden.default, json!("mail"));
        let options = json!([{ "option": "a" }, { "option": "b" }, { "option": "c, d" }]);
        for (given, wanted) in
            [("a, b", json!(["a", "b"])), ("c, d", json!(["c, d"])), ("z", Value::Undefined)]
        {
            let mut entry =
                json!({ "fieldLabel": "x", "fieldType": "checkbox", "defaultValue": given });
            entry.set_path("fieldOptions.values", options.clone());
            assert_eq!(field(entry).unwrap().default, wanted, "{given}");
        }
    }

    #[test]
    fn fields_that_cannot_be_shown_are_refused() {
        let cases = [
            json!([{}]),
            json!([{ "fieldType": "dropdown", "fieldLabel": "x" }]),
            json!([{ "fieldLabel": "x" }, { "fieldLabel": "x" }]),
            json!([{ "fieldType": "checkbox", "fieldLabel": "x", "fieldOptions": { "values": [{ "option": "a" }] },
                "limitSelection": "range", "minSelections": 3, "maxSelections": 2 }]),
        ];
        for entries in cases {
            assert_eq!(
                fields_of(entries.as_array().unwrap()).unwrap_err().code(),
                Code::NODE_PARAMETER,
                "{entries:?}"
            );
        }
        let many = vec![json!({ "fieldType": "html" }); MAX_FIELDS + 1];
        assert!(fields_of(&many).is_err());
    }
}
