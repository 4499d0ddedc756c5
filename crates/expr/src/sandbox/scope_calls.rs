//! Calls of the guest that read the run: the current item, other nodes, variables.

use super::clock::{GuestClock, OutOfInlineTime};
use super::encode;
use super::host::{HostCall, HostError, HostReply, as_name, unknown_call};
use super::slots::{FIRST_OWN_SLOT, SlotLookup, SlotShape};
use super::state::GuestState;
use crate::{ExprError, PreviousNode, Scope, TemplateSegment};
use model::{Item, Items, Object, Value};

/// Items that go over in one piece of JSON.
const CHUNK_ITEMS: usize = 256;

/// The longest source that an expression may evaluate: reading it cannot be interrupted.
const MAX_EVALUATED_BYTES: usize = 256 << 10;

pub(super) fn answer(operation: u32, call: &mut HostCall<'_>) -> Result<HostReply, HostError> {
    match operation {
        1 => {
            let item = current_item(call)?;
            item_slot(call, SlotShape::Json, &item)
        }
        2 => match call.caller.data_mut().parcel.take() {
            Some(parcel) => Ok(HostReply::Data(parcel)),
            None => Ok(HostReply::Undefined),
        },
        3 => {
            let item = current_item(call)?;
            Ok(HostReply::Data(encode::files_parcel(call.caller.data_mut(), &item)))
        }
        4 => {
            let item = current_item(call)?;
            item_slot(call, SlotShape::Item, &item)
        }
        5 => {
            let node = call.required_text(0)?;
            let index = call.index(1).or(viewed_index(call));
            let item = call.scope(|scope| scope.paired_item(&node, index))??;
            item_slot_if_any(call, item.as_ref())
        }
        6 => {
            let list = list(call)?;
            let position = if call.number(3) == Some(-1.0) {
                list.len().checked_sub(1)
            } else {
                call.index(3)
            };
            let item = position.and_then(|position| list.get(position));
            item_slot_if_any(call, item.as_ref())
        }
        7 => {
            let list = list(call)?;
            let len = list.len();
            let state = call.caller.data_mut();
            state.list = list;
            state.list_chunk = None;
            Ok(HostReply::Number(len as f64))
        }
        8 => {
            let from = call.index(0).unwrap_or_default();
            let chunk = call.caller.data_mut().next_items(from, CHUNK_ITEMS);
            check_inline(call.caller.data(), chunk.iter().map(|item| &item.json))?;
            Ok(HostReply::Data(encode::items_parcel(call.caller.data_mut(), chunk.into_iter())))
        }
        9 => {
            let index = call.scope(|scope| scope.item_index())?;
            Ok(HostReply::Number(viewed_index(call).unwrap_or(index) as f64))
        }
        10 => Ok(HostReply::Number(call.scope(|scope| scope.run_index())? as f64)),
        11 => {
            let mut previous = Object::new();
            if let Some(found) = call.scope(|scope| scope.previous())? {
                previous.insert("name", found.name);
                previous.insert("outputIndex", found.output);
                previous.insert("runIndex", found.run);
            }
            Ok(HostReply::value(&Value::object(previous)))
        }
        12 => {
            let node = call.required_text(0)?;
            Ok(HostReply::Bool(call.scope(|scope| scope.has_node(&node))?))
        }
        13 => {
            let node = call.required_text(0)?;
            Ok(HostReply::Bool(call.scope(|scope| scope.is_executed(&node))?))
        }
        14 => {
            let node = call.text(0)?;
            let parameters = call.scope(|scope| scope.written_parameters(as_name(&node)))??;
            check_inline(call.caller.data(), std::iter::once(&parameters))?;
            Ok(HostReply::value(&parameters))
        }
        15 => {
            let node = call.text(0)?;
            Ok(HostReply::value(&call.scope(|scope| scope.context(as_name(&node)))??))
        }
        16 => {
            let name = call.required_text(0)?;
            let value = call.scope(|scope| scope.variable(&name))??.unwrap_or_default();
            check_inline(call.caller.data(), std::iter::once(&value))?;
            Ok(HostReply::value(&value))
        }
        17 => {
            let key = call.required_text(0)?;
            let default = call.value(1)?;
            let default = Some(default).filter(|default| !default.is_undefined());
            Ok(HostReply::value(&call.scope(|scope| scope.ai_value(&key, default))??))
        }
        18 => {
            let number = call.index(0).unwrap_or(usize::MAX);
            let Some(data) = call.caller.data().files.get(number).map(|file| file.data.clone())
            else {
                return Ok(HostReply::Undefined);
            };
            call.hold(data.len() / 3 * 4)?;
            Ok(HostReply::Text(crate::host_functions::base64_encode(&data)))
        }
        19 => Ok(HostReply::Text(call.scope(|scope| scope.timezone().to_owned())?)),
        20 => {
            let names = call.scope(|scope| scope.variable_names())?;
            Ok(HostReply::value(&Value::array(names.into_iter().map(Value::from).collect())))
        }
        21 => {
            let number = call.index(0).unwrap_or(usize::MAX);
            let Some(data) = call.caller.data().files.get(number).map(|file| file.data.clone())
            else {
                return Ok(HostReply::Undefined);
            };
            call.hold(data.len())?;
            Ok(HostReply::Bytes(data.to_vec()))
        }
        22 => {
            let source = call.required_text(0)?;
            if source.len() > MAX_EVALUATED_BYTES {
                return Err(too_long(source.len()).into());
            }
            let state = call.caller.data_mut();
            state.before_reading(&source)?;
            let names = call.scope(|scope| scope.variable_names())?;
            Ok(HostReply::Text(
                super::analysis::analyse(&source, &names, super::Thrown::default())?.function(),
            ))
        }
        23 => {
            let template = call.required_text(0)?;
            call.hold(template.len() * 2)?;
            let parts = crate::split(&template).into_iter().filter_map(|part| match part {
                TemplateSegment::Text(text) if text.is_empty() => None,
                TemplateSegment::Text(text) => Some(vec![false.into(), text.into()]),
                TemplateSegment::Code { source, .. } => Some(vec![true.into(), source.into()]),
            });
            Ok(HostReply::value(&Value::array(parts.map(Value::array).collect())))
        }
        24 => {
            let before = call.caller.data().viewed.map(|index| index as f64);
            let viewed = match call.number(0) {
                Some(index) if index >= 0.0 => Some(index as usize),
                Some(_) => Some(usize::MAX),
                None => None,
            };
            call.caller.data_mut().viewed = viewed;
            Ok(before.map_or(HostReply::Undefined, HostReply::Number))
        }
        25 => {
            let (node, name) = (call.text(0)?, call.required_text(1)?);
            let index = call.index(2).or(viewed_index(call));
            let value = call.scope(|scope| scope.parameter(as_name(&node), &name, index))??;
            check_inline(call.caller.data(), std::iter::once(&value))?;
            Ok(HostReply::value(&value))
        }
        26 => {
            let node = call.required_text(0)?;
            Ok(HostReply::Number(call.scope(|scope| scope.runs_of(&node))? as f64))
        }
        27 => {
            let node = call.required_text(0)?;
            let from = PreviousNode {
                name: call.required_text(1)?.into(),
                output: call.index(2).unwrap_or_default(),
                run: call.index(3).unwrap_or_default(),
            };
            let position = call.index(4).unwrap_or(usize::MAX);
            let item = call.scope(|scope| scope.traced_item(&node, &from, position))??;
            item_slot_if_any(call, item.as_ref())
        }
        other => Err(unknown_call(other).into()),
    }
}

fn item_slot_if_any(call: &mut HostCall<'_>, item: Option<&Item>) -> Result<HostReply, HostError> {
    item.map_or(Ok(HostReply::Undefined), |item| item_slot(call, SlotShape::Item, item))
}

fn too_long(bytes: usize) -> ExprError {
    ExprError::Data {
        message: format!(
            "$evaluateExpression() accepts at most {MAX_EVALUATED_BYTES} bytes between {{{{ and \
             }}}}, not {bytes}"
        )
        .into(),
        description: Some(
            "Store long texts in data, and read them from there in the expression.".into(),
        ),
        kind: None,
    }
}

/// The index of the item that code or a nested template looks at, if it is another one.
fn viewed_index(call: &HostCall<'_>) -> Option<usize> {
    let state = call.caller.data();
    state.viewed.or(state.code.index)
}

fn current_item(call: &HostCall<'_>) -> Result<Item, HostError> {
    let viewed = call.caller.data().viewed;
    let item = |scope: &dyn Scope| match viewed {
        Some(index) => scope.input().get(index),
        None => scope.item(),
    };
    match call.scope(|scope| item(scope).ok_or_else(|| scope.missing_item()))? {
        Ok(item) => Ok(item),
        Err(error) => Err(error.into()),
    }
}

/// The list that the first three arguments name: node (none: the input), output, run.
fn list(call: &mut HostCall<'_>) -> Result<Items, HostError> {
    match call.text(0)? {
        None => Ok(call.scope(|scope| scope.input())?),
        Some(node) => {
            let (output, run) = (call.index(1), call.index(2));
            Ok(call.scope(|scope| scope.node_items(&node, output, run))??)
        }
    }
}

/// Says where the guest finds an item: a slot number from 0, or below 0 that it must be fetched.
fn item_slot(
    call: &mut HostCall<'_>,
    shape: SlotShape,
    item: &Item,
) -> Result<HostReply, HostError> {
    let state = call.caller.data_mut();
    // Files are not part of the key of a slot, so items that carry some are not kept. Code changes
    // what it was given at any time.
    let is_plain = shape == SlotShape::Json || (item.binary.is_none() && item.error.is_none());
    let (place, first) = match (is_plain, state.copies) {
        (true, false) => (state.slots.lookup(shape, &item.json), 0),
        (true, true) if state.is_expression => {
            (state.own_slots.lookup(shape, &item.json), FIRST_OWN_SLOT)
        }
        _ => (SlotLookup::Once, 0),
    };
    let number = match place {
        SlotLookup::Cached(slot) => return Ok(HostReply::Number((first + slot) as f64)),
        SlotLookup::Fetch(slot) => -1.0 - (first + slot) as f64,
        SlotLookup::Once => -1000.0,
    };
    check_inline(state, std::iter::once(&item.json))?;
    let parcel = match shape {
        SlotShape::Json => encode::value_parcel(&item.json),
        SlotShape::Item => encode::item_parcel(state, item),
    };
    state.parcel = Some(parcel);
    Ok(HostReply::Number(number))
}

/// Writing values down is not interrupted. On a thread that serves others, what takes longer than a
/// moment is left to the next try.
fn check_inline<'v>(
    state: &GuestState,
    mut values: impl Iterator<Item = &'v Value>,
) -> Result<(), HostError> {
    let mut left = compute::LARGE_BYTES;
    match state.clock == GuestClock::Inline && !values.all(|value| value.fits_within(&mut left)) {
        true => Err(HostError::Trap(wasmtime::Error::new(OutOfInlineTime))),
        false => Ok(()),
    }
}
