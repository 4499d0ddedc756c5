//! Operators with JavaScript's conversions.

use super::ast::{BinaryOp, Class, UnaryOp};
use super::number::{to_int32, to_uint32};
use super::value::{self, Js, UNDEFINED};
use super::{EvalResult, Interrupt, names};
use model::{DateKind, Value};
use std::cmp::Ordering;

pub(super) fn binary(operator: BinaryOp, left: &Js, right: &Js) -> EvalResult<Js> {
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
        BinaryOp::Add => value::add(left, right).map(Js::Value),
        BinaryOp::Sub => number(|left, right| left - right),
        BinaryOp::Mul => number(|left, right| left * right),
        BinaryOp::Div => number(|left, right| left / right),
        BinaryOp::Rem => number(|left, right| left % right),
        BinaryOp::Pow => Ok(pow(left.to_number()?, right.to_number()?)?.into()),
        BinaryOp::Equal => Ok(value::is_equal(left, right)?.into()),
        BinaryOp::NotEqual => Ok((!value::is_equal(left, right)?).into()),
        BinaryOp::Same => Ok(value::is_same(left, right)?.into()),
        BinaryOp::NotSame => Ok((!value::is_same(left, right)?).into()),
        BinaryOp::Less => order(Ordering::is_lt),
        BinaryOp::LessEqual => order(Ordering::is_le),
        BinaryOp::Greater => order(Ordering::is_gt),
        BinaryOp::GreaterEqual => order(Ordering::is_ge),
        BinaryOp::BitAnd => bits(|left, right| left & right),
        BinaryOp::BitOr => bits(|left, right| left | right),
        BinaryOp::BitXor => bits(|left, right| left ^ right),
        BinaryOp::ShiftLeft => bits(|left, right| left.wrapping_shl(right as u32 & 31)),
        BinaryOp::ShiftRight => bits(|left, right| left >> (right as u32 & 31)),
        BinaryOp::ShiftRightZero => {
            Ok(Js::from(to_uint32(left.to_number()?) >> (to_uint32(right.to_number()?) & 31)))
        }
        BinaryOp::In => is_in(left, right).map(Js::from),
    }
}

/// The usual operators on two numbers, which need no conversion.
pub(super) fn of_numbers(operator: BinaryOp, left: f64, right: f64) -> Option<Value> {
    Some(match operator {
        BinaryOp::Add => Value::Number(left + right),
        BinaryOp::Sub => Value::Number(left - right),
        BinaryOp::Mul => Value::Number(left * right),
        BinaryOp::Div => Value::Number(left / right),
        BinaryOp::Less => Value::Bool(left < right),
        BinaryOp::LessEqual => Value::Bool(left <= right),
        BinaryOp::Greater => Value::Bool(left > right),
        BinaryOp::GreaterEqual => Value::Bool(left >= right),
        _ => return None,
    })
}

/// `**` of whole numbers with an exact result; engines differ in the last digit of the others.
pub(super) fn pow(base: f64, exponent: f64) -> EvalResult<f64> {
    let power = base.powf(exponent);
    let is_exact = base.fract() == 0.0
        && exponent.fract() == 0.0
        && exponent >= 0.0
        && power.abs() <= 9_007_199_254_740_992.0;
    if is_exact { Ok(power) } else { Err(Interrupt::Declined) }
}

fn is_in(key: &Js, holder: &Js) -> EvalResult<bool> {
    let key = key.to_key()?;
    match holder {
        Js::Value(Value::Object(object)) if object.contains_key(&key) => Ok(true),
        Js::Value(Value::Object(_)) if !names::is_object_prototype(&key) => Ok(false),
        Js::Value(Value::Array(values)) => match value::array_index(&key) {
            Some(index) => Ok(index < values.len()),
            None => Err(Interrupt::Declined),
        },
        _ => Err(Interrupt::Declined),
    }
}

pub(super) fn unary(operator: UnaryOp, operand: &Js) -> EvalResult<Js> {
    match operator {
        UnaryOp::Not => Ok((!operand.is_truthy()).into()),
        UnaryOp::Minus => Ok((-operand.to_number()?).into()),
        UnaryOp::Plus => Ok(operand.to_number()?.into()),
        UnaryOp::BitNot => Ok((!to_int32(operand.to_number()?)).into()),
        UnaryOp::TypeOf => Ok(operand.type_of()?.into()),
        UnaryOp::Void => Ok(UNDEFINED),
    }
}

pub(super) fn instance_of(value: &Js, class: Class) -> EvalResult<bool> {
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
        _ => Err(Interrupt::Declined),
    }
}
