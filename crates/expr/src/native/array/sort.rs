//! Sorting as JavaScript promises it: stable, by text or by a function, `undefined` last.

use super::super::eval::Machine;
use super::super::value::{Js, value_to_text};
use super::super::{EvalResult, Interrupt, text};
use model::{Str, Value};
use smallvec::smallvec;

pub(super) fn by_text(machine: &mut Machine<'_>, values: Vec<Value>) -> EvalResult<Vec<Value>> {
    let (known, unknown): (Vec<_>, Vec<_>) =
        values.into_iter().partition(|value| !value.is_undefined());
    machine.allocate(known.len() * size_of::<Value>())?;
    let mut keyed = known
        .into_iter()
        .map(|value| Ok((value_to_text(&value, 0)?, value)))
        .collect::<EvalResult<Vec<(Str, Value)>>>()?;
    machine.spend(keyed.len() * 16)?;
    keyed.sort_by(|(one, _), (two, _)| text::compare(one, two));
    Ok(keyed.into_iter().map(|(_, value)| value).chain(unknown).collect())
}

/// A merge sort of our own: the function may be inconsistent or fail, which the library's sort does
/// not forgive.
pub(super) fn by_function(
    machine: &mut Machine<'_>,
    values: Vec<Value>,
    function: &Js,
) -> EvalResult<Vec<Value>> {
    let (mut values, unknown): (Vec<_>, Vec<_>) =
        values.into_iter().partition(|value| !value.is_undefined());
    machine.allocate(size_of_val(values.as_slice()))?;
    let mut width = 1;
    while width < values.len() {
        let mut merged = Vec::with_capacity(values.len());
        for pair in values.chunks(width * 2) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(machine, left, right, function, &mut merged)?;
        }
        values = merged;
        width *= 2;
    }
    values.extend(unknown);
    Ok(values)
}

fn merge(
    machine: &mut Machine<'_>,
    left: &[Value],
    right: &[Value],
    function: &Js,
    out: &mut Vec<Value>,
) -> EvalResult<()> {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(one), Some(two)) = (left.peek(), right.peek()) {
        let order = machine
            .call(function, smallvec![Js::Value((*one).clone()), Js::Value((*two).clone())])?;
        // A function that answers with a truth value or `NaN` gives no order that engines agree on.
        let Js::Value(Value::Number(order)) = order else { return Err(Interrupt::Declined) };
        if order.is_nan() {
            return Err(Interrupt::Declined);
        }
        let next = if order > 0.0 { right.next() } else { left.next() };
        out.extend(next.cloned());
    }
    out.extend(left.cloned());
    out.extend(right.cloned());
    Ok(())
}
