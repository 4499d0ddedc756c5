//! Fields of a form given as JSON: which keys and types a field may have.

use super::loose_json;
use model::{Object, Str, Value};
use std::sync::Arc;

const KEYS: &[&str] = &[
    "fieldLabel",
    "fieldType",
    "fieldName",
    "placeholder",
    "defaultValue",
    "fieldOptions",
    "multiselect",
    "multipleFiles",
    "acceptFileTypes",
    "formatDate",
    "requiredField",
    "fieldValue",
    "elementName",
    "html",
    "limitSelection",
    "numberOfSelections",
    "minSelections",
    "maxSelections",
];

const TYPES: &[&str] = &[
    "date",
    "dropdown",
    "email",
    "file",
    "number",
    "password",
    "text",
    "textarea",
    "checkbox",
    "radio",
    "html",
    "hiddenField",
];

/// The fields, cleaned, or the first thing that is wrong with them.
pub(super) fn parse(value: &Value) -> Result<Value, String> {
    let read = match value {
        Value::String(text) => model::json::parse(text).ok().or_else(|| loose_json::parse(text)),
        other => Some(other.clone()),
    };
    let Some(Value::Array(mut fields)) = read else { return Err("Value is not valid JSON".into()) };
    for (index, field) in Arc::make_mut(&mut fields).iter_mut().enumerate() {
        let Value::Object(field) = field else { return Err("Value is not valid JSON".into()) };
        check_field(Arc::make_mut(field), index)?;
    }
    Ok(Value::Array(fields))
}

fn check_field(field: &mut Object, index: usize) -> Result<(), String> {
    for (key, value) in field.iter_mut() {
        if !KEYS.contains(&key.as_str()) {
            return Err(format!("Key '{key}' in field {index} is not valid for form fields"));
        }
        if key == "fieldOptions" {
            check_options(value, index)?;
            continue;
        }
        match &mut *value {
            Value::Number(_) | Value::Bool(_) => {}
            Value::String(text) => *text = text.replace("<", "&lt;").replace(">", "&gt;"),
            other => *other = Value::String(other.to_js_string()),
        }
        if key == "fieldType" && !value.as_str().is_some_and(|kind| TYPES.contains(&kind)) {
            return Err(format!(
                "Field type '{}' in field {index} is not valid for form fields",
                value.to_js_string()
            ));
        }
    }
    Ok(())
}

fn check_options(value: &mut Value, index: usize) -> Result<(), String> {
    if value.is_array() {
        *value = Value::object(Object::from_iter([(Str::from("values"), value.clone())]));
    }
    let Some(options) = value.get("values").and_then(Value::as_array) else {
        return Err(format!(
            "Field dropdown in field {index} does has no 'values' property that contain an array of options"
        ));
    };
    for (position, option) in options.iter().enumerate() {
        let fits = option.as_object().is_some_and(|option| option.len() == 1)
            && option.get("option").is_some_and(Value::is_string);
        if !fits {
            return Err(format!(
                "Field dropdown in field {index} has an invalid option {position}"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn options_may_be_a_plain_list_and_markup_is_made_harmless() {
        let fields = parse(&json!(
            "[{ fieldLabel: '<b>x</b>', fieldType: 'dropdown', fieldOptions: [{ option: 'a' }] }]"
        ));
        let wanted = json!([{ "fieldLabel": "&lt;b&gt;x&lt;/b&gt;", "fieldType": "dropdown", "fieldOptions": { "values": [{ "option": "a" }] } }]);
        assert_eq!(fields, Ok(wanted));
    }

    #[test]
    fn what_is_wrong_is_told() {
        let reason = |text: &str| parse(&json!(text)).unwrap_err();
        assert_eq!(
            reason("[{ colour: 1 }]"),
            "Key 'colour' in field 0 is not valid for form fields"
        );
        assert_eq!(
            reason("[{ fieldType: 'cube' }]"),
            "Field type 'cube' in field 0 is not valid for form fields"
        );
        assert_eq!(reason("{}"), "Value is not valid JSON");
    }
}
