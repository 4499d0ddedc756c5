//! Operators with JavaScript's conversions.

use super::ast::{Binary, Class, Unary};
use super::number::{to_int32, to_uint32};
use super::value::{self, Js, UNDEFINED};
use super::{Run, Stop, names};
use model::{DateKind, Value};
use std::cmp::Ordering;

pub(super) fn binary(operator: Binary, left: &Js, right: &Js) -> Run<Js> {
    let number = |operation: fn(f64, f64) -> f64| {
        Ok(Js::from(operation(left.to_number()?, right.to_number()?)))
    };
    let bits = |operation: fn(i32, i32) -> i32| {
        Ok(Js::from(operation(to_int32(left.to_number()?), to_int32(right.to_number()?))))
    };
    let order = |accepts: fn(Ordering) -> bool| {
        Ok(Js::from(value::compare(left, right)?.is_some_and(accepts)))
    };
    match operator {
        Binary::Add => value::add(left, right).map(Js::Value),
        Binary::Sub => number(|left, right| left - right),
        Binary::Mul => number(|left, right| left * right),
        Binary::Div => number(|left, right| left / right),
        Binary::Rem => number(|left, right| left % right),
        Binary::Pow => Ok(pow(left.to_number()?, right.to_number()?)?.into()),
        Binary::Equal => Ok(value::is_equal(left, right)?.into()),
        Binary::NotEqual => Ok((!value::is_equal(left, right)?).into()),
        Binary::Same => Ok(value::is_same(left, right)?.into()),
        Binary::NotSame => Ok((!value::is_same(left, right)?).into()),
        Binary::Less => order(Ordering::is_lt),
        Binary::LessEqual => order(Ordering::is_le),
        Binary::Greater => order(Ordering::is_gt),
        Binary::GreaterEqual => order(Ordering::is_ge),
        Binary::BitAnd => bits(|left, right| left & right),
        Binary::BitOr => bits(|left, right| left | right),
        Binary::BitXor => bits(|left, right| left ^ right),
        Binary::ShiftLeft => bits(|left, right| left.wrapping_shl(right as u32 & 31)),
        Binary::ShiftRight => bits(|left, right| left >> (right as u32 & 31)),
        Binary::ShiftRightZero => {
            Ok(Js::from(to_uint32(left.to_number()?) >> (to_uint32(right.to_number()?) & 31)))
        }
        Binary::In => is_in(left, right).map(Js::from),
    }
}

/// The usual operators on two numbers, which need no conversion.
pub(super) fn of_numbers(operator: Binary, left: f64, right: f64) -> Option<Value> {
    Some(match operator {
        Binary::Add => Value::Number(left + right),
        Binary::Sub => Value::Number(left - right),
        Binary::Mul => Value::Number(left * right),
        Binary::Div => Value::Number(left / right),
        Binary::Less => Value::Bool(left < right),
        Binary::LessEqual => Value::Bool(left <= right),
        Binary::Greater => Value::Bool(left > right),
        Binary::GreaterEqual => Value::Bool(left >= right),
        _ => return None,
    })
}

/// `**` of whole numbers with an exact result; engines differ in the last digit of the others.
pub(super) fn pow(base: f64, exponent: f64) -> Run<f64> {
    let power = base.powf(exponent);
    let is_exact = base.fract() == 0.0
        && exponent.fract() == 0.0
        && exponent >= 0.0
        && power.abs() <= 9_007_199_254_740_992.0;
    if is_exact { Ok(power) } else { Err(Stop::Declined) }
}

fn is_in(key: &Js, holder: &Js) -> Run<bool> {
    let key = key.to_key()?;
    match holder {
        Js::Value(Value::Object(object)) if object.contains_key(&key) => Ok(true),
        Js::Value(Value::Object(_)) if !names::is_object_prototype(&key) => Ok(false),
        Js::Value(Value::Array(values)) => match value::array_index(&key) {
            Some(index) => Ok(index < values.len()),
            None => Err(Stop::Declined),
        },
        _ => Err(Stop::Declined),
    }
}

pub(super) fn unary(operator: Unary, operand: &Js) -> Run<Js> {
    match operator {
        Unary::Not => Ok((!operand.is_truthy()).into()),
        Unary::Minus => Ok((-operand.to_number()?).into()),
        Unary::Plus => Ok(operand.to_number()?.into()),
        Unary::BitNot => Ok((!to_int32(operand.to_number()?)).into()),
        Unary::TypeOf => Ok(operand.type_of()?.into()),
        Unary::Void => Ok(UNDEFINED),
    }
}

pub(super) fn instance_of(value: &Js, class: Class) -> Run<bool> {
    match (class, value) {
        (Class::Array, Js::Value(value)) => Ok(value.is_array()),
        (Class::Date, Js::Value(Value::Date(date))) => Ok(date.kind == DateKind::Js),
        (Class::Date, Js::Value(_)) => Ok(false),
        (
            Class::Object,
            Js::Value(
                Value::Undefined
                | Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_),
            ),
        ) => Ok(false),
        _ => Err(Stop::Declined),
    }
}
