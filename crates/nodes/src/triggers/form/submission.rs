//! What was sent with a form, as the item that the workflow sees.

use crate::field_type::to_number;
use crate::triggers::node_params::text_of;
use formats::dates::{Moment, from_luxon_format, to_luxon_format};
use node_api::prelude::*;
use node_api::trigger::{FormField, FormFieldKind, FormPage};

/// The field of an item in which the server hands over what was sent: the name of each field with
/// its text, or a list of texts. Files come with the item, under the name of their field, or under
/// `name_0`, `name_1` … if there are several.
pub const FORM_FIELD: &str = "$form";
/// `production` or `test`.
pub const MODE_FIELD: &str = "formMode";

/// The item of a sent form: a value for each field of the page, `submittedAt` and `formMode`. What
/// no field asked for is dropped. An item without [`FORM_FIELD`] stays as it is: it was pinned, or
/// is of an earlier run.
pub fn submitted_item(
    page: &FormPage,
    sent: &Item,
    now_ms: i64,
    zone: &str,
) -> Result<Item, NodeError> {
    let Some(values) = sent.json.get(FORM_FIELD) else { return Ok(sent.clone()) };
    let mut item = Item::new(Object::new());
    let mut json = Object::new();
    for field in page.fields.iter().filter(|field| !field.name.is_empty()) {
        let value = match &field.kind {
            FormFieldKind::Html(markup) => Value::from(markup.clone()),
            FormFieldKind::File { multiple, .. } => take_files(field, sent, &mut item, *multiple),
            _ => value_of(field, values.get(&field.name).unwrap_or(&Value::Null)),
        };
        json.insert(field.name.clone(), if value.is_undefined() { Value::Null } else { value });
    }
    let at = Moment::new(now_ms as f64, zone)
        .ok_or_else(|| NodeError::failed(format!("Unknown time zone '{zone}'")))?;
    json.insert("submittedAt", at.to_iso());
    json.insert(MODE_FIELD, sent.json.get(MODE_FIELD).and_then(Value::as_str).unwrap_or("test"));
    item.json = json.into();
    Ok(item)
}

fn value_of(field: &FormField, sent: &Value) -> Value {
    let texts: Vec<Str> = match sent {
        Value::Undefined | Value::Null => Vec::new(),
        Value::Array(values) => values.iter().map(text_of).collect(),
        value => vec![text_of(value)],
    };
    let first = texts.first().cloned();
    match &field.kind {
        FormFieldKind::CheckBoxes { .. } | FormFieldKind::DropDown { multiple: true, .. } => {
            Value::array(
                texts.into_iter().filter(|text| !text.is_empty()).map(Value::from).collect(),
            )
        }
        FormFieldKind::Number => match first {
            Some(text) if !text.trim().is_empty() => {
                Some(to_number(&text.into())).filter(|number| number.is_finite()).into()
            }
            _ => Value::Null,
        },
        FormFieldKind::Date => {
            first.filter(|text| !text.is_empty()).map(|text| date(&text, &field.date_format)).into()
        }
        FormFieldKind::Text => first.map(|text| Str::from(text.trim())).into(),
        FormFieldKind::Hidden => first.map_or_else(|| field.default.clone(), Value::from),
        _ => first.into(),
    }
}

/// The date in the format of the field; what is no date stays as it was sent.
fn date(text: &str, format: &str) -> Str {
    let read = from_luxon_format(text, "yyyy-MM-dd", "UTC", 0).filter(|_| !format.is_empty());
    let moment = read.and_then(|epoch_ms| Moment::new(epoch_ms, "UTC"));
    moment
        .map_or_else(|| text.into(), |moment| to_luxon_format(&moment, &with_months(format)).into())
}

/// n8n's own examples write months as `mm`, which Luxon reads as minutes; a date has none.
fn with_months(format: &str) -> String {
    format.replace('m', "M").replace("YYYY", "yyyy").replace("DD", "dd")
}

/// Moves the files of a field into the item and gives back what is told of them in its JSON.
fn take_files(field: &FormField, sent: &Item, item: &mut Item, multiple: bool) -> Value {
    let numbered = (0..).map_while(|number| sent.binary(&format!("{}_{number}", field.name)));
    let files: Vec<&Binary> = sent.binary(&field.name).into_iter().chain(numbered).collect();
    let property: String = field
        .name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' })
        .collect();
    let several = multiple || files.len() > 1;
    let mut told = Vec::with_capacity(files.len());
    for (number, file) in files.into_iter().enumerate() {
        told.push(Value::from(Object::from_iter([
            ("filename", Value::from(file.file_name.clone())),
            ("mimetype", file.mime_type.clone().into()),
            ("size", file.data.len().into()),
        ])));
        let name = if several { format!("{property}_{number}") } else { property.clone() };
        item.set_binary(name, file.clone());
    }
    match several {
        true => Value::array(told),
        false => told.pop().unwrap_or(Value::Null),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::fields_of;
    use super::*;

    const NOW: i64 = 1_704_067_200_000;

    fn page(fields: Value) -> FormPage {
        FormPage { fields: fields_of(fields.as_array().unwrap()).unwrap(), ..FormPage::default() }
    }

    fn submitted(fields: Value, sent: Value) -> Value {
        let sent = Item::new(json!({ FORM_FIELD: sent, MODE_FIELD: "production" }));
        submitted_item(&page(fields), &sent, NOW, "UTC").unwrap().json
    }

    #[test]
    fn each_field_has_a_value_of_its_type() {
        let options = json!({ "values": [{ "option": "a" }, { "option": "b" }] });
        let cases = [
            (json!({}), json!(" hi "), json!("hi")),
            (json!({ "fieldType": "textarea" }), json!(" hi\n"), json!(" hi\n")),
            (json!({ "fieldType": "number" }), json!("4.5"), json!(4.5)),
            (json!({ "fieldType": "number" }), json!(""), Value::Null),
            (json!({ "fieldType": "number" }), json!("many"), Value::Null),
            (json!({ "fieldType": "email" }), json!("a@b.example"), json!("a@b.example")),
            (json!({ "fieldType": "date" }), json!("2024-12-31"), json!("2024-12-31")),
            (
                json!({ "fieldType": "date", "formatDate": "mm/dd/yyyy" }),
                json!("2024-12-31"),
                json!("12/31/2024"),
            ),
            (
                json!({ "fieldType": "date", "formatDate": "dd.MM.yyyy" }),
                json!("soon"),
                json!("soon"),
            ),
            (json!({ "fieldType": "dropdown" }), json!("a"), json!("a")),
            (json!({ "fieldType": "dropdown", "multiselect": true }), json!("a"), json!(["a"])),
            (json!({ "fieldType": "checkbox" }), json!(["a", "b"]), json!(["a", "b"])),
            (json!({ "fieldType": "checkbox" }), Value::Null, json!([])),
            (json!({ "fieldType": "radio" }), Value::Null, Value::Null),
            (
                json!({ "fieldType": "hiddenField", "fieldValue": "mail" }),
                Value::Null,
                json!("mail"),
            ),
            (
                json!({ "fieldType": "hiddenField", "fieldValue": "mail" }),
                json!("web"),
                json!("web"),
            ),
        ];
        for (mut field, sent, wanted) in cases {
            field.set_path("fieldLabel", "x");
            field.set_path("fieldOptions", options.clone());
            let json = submitted(Value::array(vec![field.clone()]), json!({ "x": sent }));
            assert_eq!(json.get("x"), Some(&wanted), "{field:?}");
        }
    }

    #[test]
    fn the_item_tells_when_and_how_and_nothing_that_was_not_asked_for() {
        let fields = json!([{ "fieldLabel": "Name" }, { "fieldType": "html", "html": "<p>" }, { "fieldType": "html", "elementName": "note", "html": "<b>" }]);
        let json =
            submitted(fields, json!({ "Name": "Ada", "isAdmin": "true", "submittedAt": "never" }));
        let wanted = json!({ "Name": "Ada", "note": "<b>", "submittedAt": "2024-01-01T00:00:00.000Z", "formMode": "production" });
        assert_eq!(json, wanted);
    }

    #[test]
    fn files_travel_with_the_item_and_are_told_in_it() {
        let mut sent = Item::new(json!({ FORM_FIELD: {} }));
        sent.set_binary("My CV", Binary::new("pdf!", "application/pdf", Some("cv.pdf".into())));
        sent.set_binary("Photos_0", Binary::new("a", "image/png", None));
        sent.set_binary("Photos_1", Binary::new("bb", "image/png", None));
        sent.set_binary("other", Binary::new("x", "text/plain", None));
        let fields = json!([
            { "fieldLabel": "My CV", "fieldType": "file" },
            { "fieldLabel": "Photos", "fieldType": "file", "multipleFiles": true },
            { "fieldLabel": "None", "fieldType": "file" }
        ]);
        let item = submitted_item(&page(fields), &sent, NOW, "Asia/Tokyo").unwrap();
        let names: Vec<&str> = item
            .binary
            .iter()
            .flat_map(|files| files.iter())
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["My_CV", "Photos_0", "Photos_1"]);
        assert_eq!(
            item.json.get("My CV"),
            Some(&json!({ "filename": "cv.pdf", "mimetype": "application/pdf", "size": 4 }))
        );
        assert_eq!(item.json.get_path("Photos[1].size"), Some(&json!(2)));
        assert_eq!(
            (item.json.get("None"), item.json.get("formMode")),
            (Some(&Value::Null), Some(&json!("test")))
        );
        assert_eq!(item.json.get("submittedAt"), Some(&json!("2024-01-01T09:00:00.000+09:00")));
    }

    #[test]
    fn an_item_that_was_not_sent_with_the_form_stays() {
        let pinned = Item::new(json!({ "Name": "Ada", "submittedAt": "then" }));
        assert_eq!(
            submitted_item(&page(json!([])), &pinned, NOW, "UTC").unwrap().json,
            pinned.json
        );
    }
}
