//! `$input`, `$('Node')`, `$node`, items and the other things that the scope knows.

use super::ast::Root;
use super::date::{DateTime, Zone};
use super::eval::{Args, Machine};
use super::value::{Js, UNDEFINED};
use super::{EvalResult, Interrupt};
use crate::ExprError;
use model::{Binary, Item, Items, Object, Str, Value};
use std::cell::RefCell;
use std::sync::Arc;

/// What an item takes as an element of a list, without its data.
const ITEM_BYTES: usize = 200;

pub(super) fn root(machine: &mut Machine<'_>, root: Root) -> EvalResult<Js> {
    let scope = machine.scope;
    match root {
        Root::Json => Ok(Js::Value(scope.item().ok_or(Interrupt::Declined)?.json)),
        Root::Binary => Ok(binary_without_data(&scope.item().ok_or(Interrupt::Declined)?)),
        Root::Input => Ok(Js::Input),
        Root::OldNodes => Ok(Js::OldNodes),
        Root::PreviousNode => {
            let previous = scope.previous().ok_or(Interrupt::Declined)?;
            let mut object = Object::with_capacity(3);
            object.insert("name", previous.name);
            object.insert("outputIndex", previous.output);
            object.insert("runIndex", previous.run);
            Ok(Js::from(object))
        }
        Root::Parameter => Ok(Js::OwnParameters),
        Root::RunIndex => Ok(scope.run_index().into()),
        Root::ItemIndex if scope.item().is_none() => Err(Interrupt::Declined),
        Root::ItemIndex => Ok(scope.item_index().into()),
        Root::Now => now(machine).map(|now| Js::DateTime(Arc::new(now))),
        Root::Today => {
            let today = now(machine)?.start_of(4).ok_or(Interrupt::Declined)?;
            Ok(Js::DateTime(Arc::new(today)))
        }
    }
}

/// The run's zone.
pub(super) fn local_zone(machine: &Machine<'_>) -> EvalResult<Zone> {
    thread_local! {
        /// Most expressions of a run share one zone, and looking one up costs more than the rest of
        /// `$now`.
        static LAST: RefCell<Option<(Str, Zone)>> = const { RefCell::new(None) };
    }
    let name = machine.scope.timezone();
    LAST.with_borrow_mut(|last| match last {
        Some((known, zone)) if known == name => Ok(zone.clone()),
        _ => {
            let zone = Zone::from_name(name).ok_or(Interrupt::Declined)?;
            *last = Some((name.into(), zone.clone()));
            Ok(zone)
        }
    })
}

pub(super) fn now(machine: &Machine<'_>) -> EvalResult<DateTime> {
    DateTime::from_ms(machine.scope.now_ms(), local_zone(machine)?).ok_or(Interrupt::Declined)
}

/// `$binary`: what is known about the files, without their content.
fn binary_without_data(item: &Item) -> Js {
    let files = item.binary.iter().flat_map(|files| files.iter());
    let described: Object = files
        .map(|(name, file)| {
            let light = Binary { data: Default::default(), ..file.clone() };
            let mut value = light.to_value();
            let fields = value.make_object();
            fields.remove("data");
            if !file.extra.contains_key("fileSize") {
                fields.insert("fileSize", file.size_text());
            }
            (name.clone(), value)
        })
        .collect();
    Js::from(described)
}

pub(super) fn item_member(item: &Item, key: &str) -> EvalResult<Js> {
    match key {
        "json" => Ok(Js::Value(item.json.clone())),
        "binary" if item.binary.is_none() => Ok(UNDEFINED),
        "binary" => Err(Interrupt::Declined),
        "pairedItem" | "error" => {
            let value = Item { binary: None, ..item.clone() }.to_value();
            Ok(Js::Value(value.get(key).cloned().unwrap_or_default()))
        }
        _ if super::names::is_object_prototype(key) => Err(Interrupt::Declined),
        _ => Ok(UNDEFINED),
    }
}

/// A property of `$input`, `$node`, `$('Node')` or `$node["Node"]`.
pub(super) fn member(machine: &mut Machine<'_>, object: &Js, key: &str) -> EvalResult<Js> {
    let scope = machine.scope;
    match (object, key) {
        (Js::Input, "item") => Ok(Js::Item(Box::new(scope.item().ok_or(Interrupt::Declined)?))),
        // Of the node that the input comes from.
        (Js::Input, "params") => {
            let previous = scope.previous().ok_or(Interrupt::Declined)?;
            Ok(Js::Value(scope.written_parameters(Some(&previous.name))?))
        }
        (Js::OldNodes, name) => {
            known(machine, name)?;
            Ok(Js::OldNode(name.into()))
        }
        (Js::Node(node), "item") => traced(scope.paired_item(node, None)?),
        (Js::Node(node), "params") => Ok(Js::Value(scope.written_parameters(Some(node))?)),
        (Js::Node(node), "context") => Ok(Js::Value(scope.context(Some(node))?)),
        (Js::Node(node), "isExecuted") => Ok(scope.is_executed(node).into()),
        (Js::OldNode(node), "json" | "data") => Ok(Js::Value(old_item(machine, node)?.json)),
        (Js::OldNode(node), "binary") => Ok(binary_without_data(&old_item(machine, node)?)),
        (Js::OldNode(node), "parameter") => Ok(Js::ParametersOf(node.clone())),
        (Js::OwnParameters | Js::ParametersOf(_), "toJSON") => Err(Interrupt::Declined),
        (Js::OwnParameters, name) => Ok(Js::Value(scope.parameter(None, name, None)?)),
        (Js::ParametersOf(node), name) => Ok(Js::Value(scope.parameter(Some(node), name, None)?)),
        (Js::OldNode(node), "context") => Ok(Js::Value(scope.context(Some(node))?)),
        _ => Err(Interrupt::Declined),
    }
}

/// A trace that breaks off is a TypeError in n8n.
fn traced(item: Option<Item>) -> EvalResult<Js> {
    item.map(|item| Js::Item(Box::new(item))).ok_or(Interrupt::TypeError)
}

fn item_or_undefined(item: Option<Item>) -> Js {
    item.map_or(UNDEFINED, |item| Js::Item(Box::new(item)))
}

/// `$node["X"]` goes by the position of the item, not by what it was made from.
fn old_item(machine: &Machine<'_>, node: &str) -> EvalResult<Item> {
    let items = machine.scope.node_items(node, None, None)?;
    items.get(machine.scope.item_index()).ok_or(Interrupt::Declined)
}

/// `$('Node')`.
pub(super) fn node(machine: &Machine<'_>, name: &Str) -> EvalResult<Js> {
    // No name stands for the node before this one.
    if name.is_empty() {
        return Err(Interrupt::Declined);
    }
    known(machine, name)?;
    Ok(Js::Node(name.clone()))
}

pub(super) fn known(machine: &Machine<'_>, name: &str) -> EvalResult<()> {
    if machine.scope.has_node(name) {
        return Ok(());
    }
    let description = format!("There is no node named '{name}'.");
    Err(ExprError::Data {
        message: "Referenced node doesn't exist".into(),
        description: Some(description.into()),
        kind: None,
    }
    .into())
}

/// `$items(node, output, run)`.
pub(super) fn items_function(machine: &mut Machine<'_>, args: &Args) -> EvalResult<Js> {
    let items = match args.as_slice() {
        [] => machine.scope.input(),
        [name, positions @ ..] => {
            let name = name.as_str().ok_or(Interrupt::Declined)?;
            let (output, run) = positions_of(positions)?;
            machine.scope.node_items(name, Some(output.unwrap_or(0)), run)?
        }
    };
    array_of(machine, &items)
}

/// A method of `$input` or `$('Node')`.
pub(super) fn call(
    machine: &mut Machine<'_>,
    object: &Js,
    name: &str,
    args: &Args,
) -> EvalResult<Js> {
    let scope = machine.scope;
    let items = match (object, name) {
        (Js::Input, "first" | "last" | "all") if args.is_empty() => scope.input(),
        (Js::Node(node), "first" | "last" | "all") => {
            let (output, run) = positions_of(args)?;
            scope.node_items(node, output, run)?
        }
        (Js::Node(node), "itemMatching" | "pairedItem") => {
            let index = match args.first() {
                None if name == "pairedItem" => None,
                Some(Js::Value(value)) => Some(value.as_usize().ok_or(Interrupt::Declined)?),
                _ => return Err(Interrupt::Declined),
            };
            return traced(scope.paired_item(node, index)?);
        }
        _ => return Err(Interrupt::Declined),
    };
    match name {
        "first" => Ok(item_or_undefined(items.first())),
        "last" => Ok(item_or_undefined(items.last())),
        _ => array_of(machine, &items),
    }
}

fn positions_of(args: &[Js]) -> EvalResult<(Option<usize>, Option<usize>)> {
    let position = |at: usize| match args.get(at) {
        None | Some(Js::Value(Value::Undefined)) => Ok(None),
        Some(Js::Value(value)) => value.as_usize().map(Some).ok_or(Interrupt::Declined),
        _ => Err(Interrupt::Declined),
    };
    Ok((position(0)?, position(1)?))
}

fn array_of(machine: &mut Machine<'_>, items: &Items) -> EvalResult<Js> {
    machine.spend(items.len())?;
    machine.allocate(items.len() * ITEM_BYTES)?;
    // Files would have to be written out as text; the sandbox fetches them only when they are asked
    // for.
    if items.iter().any(|item| item.binary.is_some()) {
        return Err(Interrupt::Declined);
    }
    Ok(Value::array(items.iter().map(|item| item.to_value()).collect()).into())
}
