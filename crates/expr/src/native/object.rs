//! Methods of plain objects.

use super::eval::{Args, Machine};
use super::extension::to_json_string;
use super::value::{Js, UNDEFINED, in_js_key_order, value_to_text};
use super::{EvalResult, Interrupt, meter, names};
use model::{Object, Str, Value};
use std::sync::Arc;

pub(super) fn call(
    machine: &mut Machine<'_>,
    object: Arc<Object>,
    name: &str,
    args: &Args,
) -> EvalResult<Js> {
    // A field of that name hides the method, and calling a field is an error.
    if object.contains_key(name) {
        return Err(Interrupt::Declined);
    }
    machine.spend(object.len())?;
    // What these make of it has at most as many parts.
    if matches!(
        name,
        "keys"
            | "values"
            | "removeField"
            | "removeFieldsContaining"
            | "keepFieldsContaining"
            | "compact"
    ) {
        machine.allocate(meter::object_bytes(object.len()))?;
    }
    match (name, args.as_slice()) {
        ("hasOwnProperty", [key]) => Ok(object.contains_key(&key.to_key()?).into()),
        ("toString", []) => Ok("[object Object]".into()),
        ("isEmpty", []) => Ok(object.is_empty().into()),
        ("isNotEmpty", []) => Ok((!object.is_empty()).into()),
        // What objects inherit counts too.
        ("hasField", [Js::Value(Value::String(key))]) if !names::is_object_prototype(key) => {
            Ok(object.contains_key(key).into())
        }
        ("toJsonString", []) => to_json_string(machine, &Value::Object(object)),
        ("keys", []) => {
            let keys = in_js_key_order(Arc::unwrap_or_clone(object))
                .into_iter()
                .map(|(key, _)| Value::String(key));
            Ok(Value::array(keys.collect()).into())
        }
        ("values", []) => {
            let values =
                in_js_key_order(Arc::unwrap_or_clone(object)).into_iter().map(|(_, value)| value);
            Ok(Value::array(values.collect()).into())
        }
        ("removeField", [Js::Value(Value::String(key))]) => {
            let mut object = Arc::unwrap_or_clone(object);
            object.remove(key);
            Ok(Js::from(object))
        }
        ("removeFieldsContaining", [Js::Value(Value::String(part))]) if !part.is_empty() => {
            let mut object = Arc::unwrap_or_clone(object);
            object.retain(|_, value| {
                !value.as_str().is_some_and(|text| text.contains(part.as_str()))
            });
            Ok(Js::from(object))
        }
        ("keepFieldsContaining", [Js::Value(Value::String(part))]) if !part.is_empty() => {
            let mut object = Arc::unwrap_or_clone(object);
            object
                .retain(|_, value| value.as_str().is_some_and(|text| text.contains(part.as_str())));
            Ok(Js::from(object))
        }
        ("toInt" | "toFloat" | "toNumber" | "toBoolean" | "toDateTime", []) => Ok(UNDEFINED),
        ("compact", []) => compact(&object, 0).map(Js::from),
        ("urlEncode", []) => url_encode(&object).map(Js::from),
        _ => Err(Interrupt::Declined),
    }
}

/// Without fields that hold nothing, in nested objects too.
fn compact(object: &Object, depth: usize) -> EvalResult<Object> {
    let mut out = Object::new();
    for (key, value) in object.iter() {
        match value {
            Value::Undefined | Value::Null => {}
            Value::String(text) if text.is_empty() || text == "nil" => {}
            Value::Object(inner) if depth < 32 => {
                meter::spend(inner.len())?;
                meter::allocate(meter::object_bytes(inner.len()))?;
                let inner = compact(inner, depth + 1)?;
                // Whether an object that became empty stays is not ours to guess.
                if inner.is_empty() {
                    return Err(Interrupt::Declined);
                }
                out.insert(key.clone(), inner);
            }
            Value::Array(_) | Value::Object(_) | Value::Date(_) => return Err(Interrupt::Declined),
            other => {
                out.insert(key.clone(), other.clone());
            }
        }
    }
    Ok(out)
}

/// As a form sends it: spaces are plus signs.
fn url_encode(object: &Object) -> EvalResult<Str> {
    if !super::value::has_js_key_order(object) {
        return Err(Interrupt::Declined);
    }
    let mut out = String::new();
    for (key, value) in object.iter() {
        if matches!(value, Value::Array(_) | Value::Object(_) | Value::Date(_)) {
            return Err(Interrupt::Declined);
        }
        if !out.is_empty() {
            out.push('&');
        }
        push_form_text(&mut out, key)?;
        out.push('=');
        push_form_text(&mut out, &value_to_text(value, 0)?)?;
    }
    Ok(out.into())
}

fn push_form_text(out: &mut String, text: &str) -> EvalResult<()> {
    // A byte that is escaped takes three.
    meter::allocate(text.len() * 3)?;
    meter::spend(text.len() / 64)?;
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'*' | b'-' | b'.' | b'_' => out.push(byte as char),
            byte if byte.is_ascii_alphanumeric() => out.push(byte as char),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Ok(())
}
