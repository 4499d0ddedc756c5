//! Sums: arithmetic on numbers, worked out without a value for every step in between.
//!
//! Beside what a sum is in general, the parser keeps this form of it. It is tried first; where a
//! part turns out not to be a number, the general form is evaluated instead, which is safe because
//! nothing has changed.

use super::ast::{Arg, Binary, Class, Expr, Unary};
use super::value::Js;
use super::{code, number};
use model::Value;

#[derive(Clone, Debug)]
pub(super) enum Sum {
    Constant(f64),
    Local(u32),
    /// `local.length` of an array.
    Length(u32),
    /// `Math.random()`.
    Random,
    Minus(Box<Sum>),
    Rounded(Rounding, Box<Sum>),
    Of(Operator, Box<(Sum, Sum)>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Rounding {
    Floor,
    Ceil,
    Round,
    Trunc,
    Abs,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// The expression with its quick form, if it is a sum that has one.
pub(super) fn quickened(expr: Expr) -> Expr {
    let is_sum = matches!(expr, Expr::Binary { .. } | Expr::Static { class: Class::Math, .. });
    match Sum::of(&expr).filter(|_| is_sum) {
        Some(quick) => Expr::Sum { quick: Box::new(quick), whole: Box::new(expr) },
        None => expr,
    }
}

impl Sum {
    fn of(expr: &Expr) -> Option<Sum> {
        Some(match expr {
            Expr::Literal(Value::Number(number)) => Sum::Constant(*number),
            Expr::Local(slot) => Sum::Local(*slot),
            Expr::Member { object, key, optional: false } if key == "length" => match **object {
                Expr::Local(slot) => Sum::Length(slot),
                _ => return None,
            },
            Expr::Sum { quick, .. } => (**quick).clone(),
            Expr::Unary { operator: Unary::Minus, operand } => {
                Sum::Minus(Box::new(Self::of(operand)?))
            }
            Expr::Binary { operator, left, right } => {
                let operator = match operator {
                    Binary::Add => Operator::Add,
                    Binary::Sub => Operator::Sub,
                    Binary::Mul => Operator::Mul,
                    Binary::Div => Operator::Div,
                    Binary::Rem => Operator::Rem,
                    _ => return None,
                };
                Sum::Of(operator, Box::new((Self::of(left)?, Self::of(right)?)))
            }
            Expr::Static { class: Class::Math, name, args } => match (name.as_str(), &**args) {
                ("random", []) => Sum::Random,
                (name, [Arg { value, spread: false }]) => {
                    Sum::Rounded(Rounding::from_name(name)?, Box::new(Self::of(value)?))
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The number that it is; `None` where a part of it is something else.
    pub(super) fn number(&self, locals: &[Js]) -> Option<f64> {
        Some(match self {
            Sum::Constant(number) => *number,
            Sum::Local(slot) => match locals.get(*slot as usize) {
                Some(Js::Value(Value::Number(number))) => *number,
                _ => return None,
            },
            Sum::Length(slot) => match locals.get(*slot as usize) {
                Some(Js::Value(Value::Array(values))) => values.len() as f64,
                _ => return None,
            },
            Sum::Random => code::random().ok()?,
            Sum::Minus(operand) => -operand.number(locals)?,
            Sum::Rounded(rounding, operand) => rounding.apply(operand.number(locals)?),
            Sum::Of(operator, sides) => {
                let (left, right) = (sides.0.number(locals)?, sides.1.number(locals)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Sub => left - right,
                    Operator::Mul => left * right,
                    Operator::Div => left / right,
                    Operator::Rem => left % right,
                }
            }
        })
    }
}

impl Rounding {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "floor" => Rounding::Floor,
            "ceil" => Rounding::Ceil,
            "round" => Rounding::Round,
            "trunc" => Rounding::Trunc,
            "abs" => Rounding::Abs,
            _ => return None,
        })
    }

    pub(super) fn apply(self, number: f64) -> f64 {
        match self {
            Rounding::Floor => number.floor(),
            Rounding::Ceil => number.ceil(),
            Rounding::Round => number::round(number),
            Rounding::Trunc => number.trunc(),
            Rounding::Abs => number.abs(),
        }
    }
}
