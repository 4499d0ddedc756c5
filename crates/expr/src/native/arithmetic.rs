//! Sums: arithmetic on numbers, worked out without a value for every step in between.
//!
//! Beside what a sum is in general, the parser keeps this form of it. It is tried first; where a
//! part turns out not to be a number, the general form is evaluated instead, which is safe because
//! nothing has changed.

use super::ast::{Arg, BinaryOp, Class, Expr, UnaryOp};
use super::value::Js;
use super::{code, number};
use model::Value;

#[derive(Clone, Debug)]
pub(super) enum Arithmetic {
    Constant(f64),
    Local(u32),
    /// `local.length` of an array.
    Length(u32),
    /// `Math.random()`.
    Random,
    Minus(Box<Arithmetic>),
    Rounded(Rounding, Box<Arithmetic>),
    Of(ArithmeticOp, Box<(Arithmetic, Arithmetic)>),
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
pub(super) enum ArithmeticOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

/// The expression with its quick form, if it is a sum that has one.
pub(super) fn quickened(expr: Expr) -> Expr {
    let is_sum = matches!(expr, Expr::Binary { .. } | Expr::Static { class: Class::Math, .. });
    match Arithmetic::of(&expr).filter(|_| is_sum) {
        Some(quick) => Expr::Sum { quick: Box::new(quick), whole: Box::new(expr) },
        None => expr,
    }
}

impl Arithmetic {
    fn of(expr: &Expr) -> Option<Arithmetic> {
        Some(match expr {
            Expr::Literal(Value::Number(number)) => Arithmetic::Constant(*number),
            Expr::Local(slot) => Arithmetic::Local(*slot),
            Expr::Member { object, key, optional: false } if key == "length" => match **object {
                Expr::Local(slot) => Arithmetic::Length(slot),
                _ => return None,
            },
            Expr::Sum { quick, .. } => (**quick).clone(),
            Expr::Unary { operator: UnaryOp::Minus, operand } => {
                Arithmetic::Minus(Box::new(Self::of(operand)?))
            }
            Expr::Binary { operator, left, right } => {
                let operator = match operator {
                    BinaryOp::Add => ArithmeticOp::Add,
                    BinaryOp::Sub => ArithmeticOp::Sub,
                    BinaryOp::Mul => ArithmeticOp::Mul,
                    BinaryOp::Div => ArithmeticOp::Div,
                    BinaryOp::Rem => ArithmeticOp::Rem,
                    _ => return None,
                };
                Arithmetic::Of(operator, Box::new((Self::of(left)?, Self::of(right)?)))
            }
            Expr::Static { class: Class::Math, name, args } => match (name.as_str(), &**args) {
                ("random", []) => Arithmetic::Random,
                (name, [Arg { value, spread: false }]) => {
                    Arithmetic::Rounded(Rounding::from_name(name)?, Box::new(Self::of(value)?))
                }
                _ => return None,
            },
            _ => return None,
        })
    }

    /// The number that it is; `None` where a part of it is something else.
    pub(super) fn number(&self, locals: &[Js]) -> Option<f64> {
        Some(match self {
            Arithmetic::Constant(number) => *number,
            Arithmetic::Local(slot) => match locals.get(*slot as usize) {
                Some(Js::Value(Value::Number(number))) => *number,
                _ => return None,
            },
            Arithmetic::Length(slot) => match locals.get(*slot as usize) {
                Some(Js::Value(Value::Array(values))) => values.len() as f64,
                _ => return None,
            },
            Arithmetic::Random => code::random().ok()?,
            Arithmetic::Minus(operand) => -operand.number(locals)?,
            Arithmetic::Rounded(rounding, operand) => rounding.apply(operand.number(locals)?),
            Arithmetic::Of(operator, sides) => {
                let (left, right) = (sides.0.number(locals)?, sides.1.number(locals)?);
                match operator {
                    ArithmeticOp::Add => left + right,
                    ArithmeticOp::Sub => left - right,
                    ArithmeticOp::Mul => left * right,
                    ArithmeticOp::Div => left / right,
                    ArithmeticOp::Rem => left % right,
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
