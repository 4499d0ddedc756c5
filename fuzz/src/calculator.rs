//! Any text as arithmetic: calculating it never panics, ends, and gives a number that can be
//! written and read, or a short reason.

use nodes::ai::probe_calculator;

/// In bytes.
const LONGEST_REASON: usize = 200;
/// In letters.
const LONGEST_TERM: usize = 40;

#[allow(
    unreachable_pub,
    reason = "a module of its own in the fuzz targets, a private one in tests"
)]
pub fn holds(text: &str) {
    check(text);
    // Deep, long and wide, whatever the text is.
    check(&format!("{}{text}{}", "(".repeat(90), ")".repeat(90)));
    check(&format!("{}{text}", "-".repeat(200)));
    check(&format!("1{}", format!("+({text})").repeat(50)));
    if let Some(term) = Term::read(text)
        && let Some(number) = term.number()
    {
        for power in ["^", "**"] {
            let written = term.written(power).0;
            assert_eq!(probe_calculator(&written), Ok(number as f64), "{written}");
        }
    }
}

/// Arithmetic with small whole numbers, to compare with: it is written with no more parentheses
/// than school asks for.
enum Term {
    Number(i64),
    Minus(Box<Term>),
    Pair(char, Box<Term>, Box<Term>),
}

impl Term {
    /// The text as a calculator with a stack reads it: digits are put on it, signs take from it.
    fn read(text: &str) -> Option<Self> {
        let mut stack = Vec::new();
        for letter in text.chars().take(LONGEST_TERM) {
            let term = match letter {
                '0'..='9' => Term::Number(i64::from(letter as u8 - b'0')),
                '~' => Term::Minus(Box::new(stack.pop()?)),
                '+' | '-' | '*' | '^' => {
                    let right = Box::new(stack.pop()?);
                    Term::Pair(letter, Box::new(stack.pop()?), right)
                }
                _ => return None,
            };
            stack.push(term);
        }
        stack.pop()
    }

    /// None if it is not whole or too large to be exact.
    fn number(&self) -> Option<i64> {
        let number = match self {
            Term::Number(number) => Some(*number),
            Term::Minus(term) => Some(-term.number()?),
            Term::Pair(sign, left, right) => {
                let (left, right) = (left.number()?, right.number()?);
                match sign {
                    '+' => left.checked_add(right),
                    '-' => left.checked_sub(right),
                    '*' => left.checked_mul(right),
                    _ => left.checked_pow(u32::try_from(right).ok()?),
                }
            }
        };
        number.filter(|number| number.abs() < 1 << 50)
    }

    /// With how closely it holds together: a sum least, a number most.
    fn written(&self, power: &str) -> (String, u8) {
        let in_place = |term: &Term, least: u8| {
            let (text, holds) = term.written(power);
            if holds < least { format!("({text})") } else { text }
        };
        match self {
            Term::Number(number) => (number.to_string(), 5),
            Term::Minus(term) => (format!("-{}", in_place(term, 3)), 3),
            Term::Pair('*', left, right) => {
                (format!("{}*{}", in_place(left, 2), in_place(right, 3)), 2)
            }
            Term::Pair('^', left, right) => {
                (format!("{}{power}{}", in_place(left, 5), in_place(right, 3)), 4)
            }
            Term::Pair(sign, left, right) => {
                (format!("{}{sign}{}", in_place(left, 1), in_place(right, 2)), 1)
            }
        }
    }
}

fn check(text: &str) {
    match probe_calculator(text) {
        Ok(number) => {
            assert!(number.is_finite(), "{text:?} is {number}");
            let written = model::number_to_string(number);
            assert_eq!(
                written.parse::<f64>().ok(),
                Some(number),
                "{text:?} is {number}, written {written}"
            );
            // Unless it is too deep then.
            if let Ok(again) = probe_calculator(&format!("({text})")) {
                assert_eq!(again, number, "parentheses change {text:?}");
            }
        }
        Err(reason) => {
            assert!(!reason.is_empty() && reason.len() <= LONGEST_REASON, "{text:?}: {reason}")
        }
    }
}
