//! Names and values of forms and queries.

use super::BodyLimits;
use model::{Object, Str, Value};

/// How deep names with brackets nest; what lies deeper stays one name.
const DEPTH: usize = 5;

/// The largest number between brackets that is a place in a list.
const MAX_INDEX: usize = 20;

/// Names that every JavaScript object has from birth; a query cannot set them.
const PROTOTYPE_NAMES: [&str; 12] = [
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];

/// Fields of a form: names as they are, and one that comes several times is a list.
pub(crate) fn flat_fields(bytes: &[u8], limits: BodyLimits) -> Object {
    let mut fields = Object::new();
    for (name, value) in form_urlencoded::parse(bytes).take(limits.fields) {
        add(&mut fields, name.into_owned().into(), value.into_owned().into());
    }
    fields
}

pub(super) fn add(fields: &mut Object, name: Str, value: Value) {
    match fields.get_mut(&name) {
        Some(Value::Array(_)) => fields.entry(&name).make_array().push(value),
        Some(before) => {
            let first = std::mem::take(before);
            *before = Value::array(vec![first, value]);
        }
        None => {
            fields.insert(name, value);
        }
    }
}

/// A query, in which brackets in names nest: `a[b]=1&a[c][]=2`.
pub(crate) fn nested_fields(bytes: &[u8], limits: BodyLimits) -> Object {
    let mut fields = Value::empty_object();
    for (name, value) in form_urlencoded::parse(bytes).take(limits.fields) {
        let path = path_of(&name);
        if !name.is_empty() && !path.iter().any(|part| PROTOTYPE_NAMES.contains(part)) {
            insert_path(&mut fields, &path, value.into_owned().into());
        }
    }
    fields.as_object().cloned().unwrap_or_default()
}

/// `a[b][c]` as its parts; `[]` is an empty one.
fn path_of(name: &str) -> Vec<&str> {
    let Some(open) = name.find('[') else { return vec![name] };
    let mut path = if open == 0 { Vec::new() } else { vec![&name[..open]] };
    let n_before = path.len();
    let mut rest = &name[open..];
    while let Some(inner) = rest.strip_prefix('[') {
        let Some(close) = inner.find(']') else { break };
        if path.len() > DEPTH {
            path.push(rest);
            return path;
        }
        path.push(&inner[..close]);
        rest = &inner[close + 1..];
    }
    // Brackets that do not close are part of the name.
    if path.len() == n_before { vec![name] } else { path }
}

fn insert_path(place: &mut Value, path: &[&str], value: Value) {
    let Some((part, rest)) = path.split_first() else {
        return match place {
            Value::Undefined => *place = value,
            Value::Array(_) => place.make_array().push(value),
            Value::Object(_) => {
                if let Some(name) = value.as_str().map(Str::from) {
                    place.make_object().insert(name, true);
                }
            }
            _ => {
                let first = std::mem::take(place);
                *place = Value::array(vec![first, value]);
            }
        };
    };
    let place_in_list = match *part {
        "" => Some(usize::MAX),
        digits => digits
            .parse::<usize>()
            .ok()
            .filter(|number| *number <= MAX_INDEX && number.to_string() == digits),
    };
    match (place_in_list, &*place) {
        (Some(number), Value::Undefined | Value::Array(_)) => {
            if place.is_undefined() {
                *place = Value::array(Vec::new());
            }
            let list = place.make_array();
            if number < list.len()
                && let Some(known) = list.get_mut(number)
            {
                return insert_path(known, rest, value);
            }
            let mut fresh = Value::Undefined;
            insert_path(&mut fresh, rest, value);
            list.push(fresh);
        }
        (_, Value::Object(_)) => {
            let name = if part.is_empty() {
                place.as_object().map_or(0, Object::len).to_string()
            } else {
                (*part).to_owned()
            };
            let object = place.make_object();
            if object.get(&name).is_none() {
                object.insert(name.as_str(), Value::Undefined);
            }
            if let Some(known) = object.get_mut(&name) {
                insert_path(known, rest, value);
            }
        }
        (_, Value::Undefined) => {
            *place = Value::empty_object();
            insert_path(place, path, value);
        }
        (_, Value::Array(_)) => {
            let list = place.make_array().clone();
            let listed = list
                .into_iter()
                .enumerate()
                .map(|(number, value)| (Str::from(number.to_string()), value));
            *place = Value::from(listed.collect::<Object>());
            insert_path(place, path, value);
        }
        // A plain value under the same name stands beside it.
        _ => {
            let first = std::mem::take(place);
            let mut second = Value::Undefined;
            insert_path(&mut second, path, value);
            *place = Value::array(vec![first, second]);
        }
    }
}
