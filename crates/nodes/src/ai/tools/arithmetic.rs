//! Arithmetic as people write it: `+ - * / ^`, parentheses and signs. Nothing else, and nothing is
//! evaluated but numbers.

/// Parentheses and signs inside of each other.
const MAX_DEPTH: usize = 100;
/// So much of a number that is none is shown.
const SHOWN: usize = 40;

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArithmeticError {
    #[error("Invalid expression: {0}")]
    Invalid(String),
    #[error("Calculation error: {0}")]
    Calculation(String),
}

pub(super) fn calculate(text: &str) -> Result<f64, ArithmeticError> {
    let is_known = |letter: char| {
        letter.is_ascii_digit() || letter.is_whitespace() || "+-*/().^".contains(letter)
    };
    if let Some(strange) = text.chars().find(|letter| !is_known(*letter)) {
        return Err(ArithmeticError::Invalid(format!(
            "'{strange}' is neither a number nor one of + - * / ^ ( )"
        )));
    }
    let mut reader = ArithmeticParser { rest: text.trim_start(), depth: 0 };
    if reader.rest.is_empty() {
        return Err(ArithmeticError::Invalid("the expression is empty".into()));
    }
    let result = reader.sum()?;
    if !reader.rest.is_empty() {
        return Err(ArithmeticError::Invalid(format!("unexpected '{}'", first(reader.rest))));
    }
    if result.is_finite() {
        Ok(result)
    } else {
        Err(ArithmeticError::Calculation("the result is too large".into()))
    }
}

struct ArithmeticParser<'t> {
    rest: &'t str,
    depth: usize,
}

impl ArithmeticParser<'_> {
    fn take(&mut self, sign: &str) -> bool {
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, ArithmeticError> {
        let mut value = self.product()?;
        loop {
            if self.take("+") {
                value += self.product()?;
            } else if self.take("-") {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, ArithmeticError> {
        let mut value = self.signed()?;
        loop {
            if self.take("*") {
                value *= self.signed()?;
            } else if self.take("/") {
                let divisor = self.signed()?;
                if divisor == 0.0 {
                    return Err(ArithmeticError::Calculation("division by zero".into()));
                }
                value /= divisor;
            } else {
                return Ok(value);
            }
        }
    }

    /// A sign binds less than a power: `-2^2` is `-4`.
    fn signed(&mut self) -> Result<f64, ArithmeticError> {
        self.nested(|reader| {
            if reader.take("-") {
                return reader.signed().map(|value| -value);
            }
            if reader.take("+") {
                return reader.signed();
            }
            reader.power()
        })
    }

    /// Powers group to the right: `2^3^2` is `2^9`. Some languages write `2 ** 3`.
    fn power(&mut self) -> Result<f64, ArithmeticError> {
        let base = self.number()?;
        if !self.take("^") && !self.take("**") {
            return Ok(base);
        }
        let power = base.powf(self.signed()?);
        if power.is_nan() {
            Err(ArithmeticError::Calculation("the root of a negative number".into()))
        } else {
            Ok(power)
        }
    }

    fn number(&mut self) -> Result<f64, ArithmeticError> {
        if self.take("(") {
            let value = self.nested(Self::sum)?;
            return if self.take(")") {
                Ok(value)
            } else {
                Err(ArithmeticError::Invalid("a parenthesis is not closed".into()))
            };
        }
        let length = self
            .rest
            .find(|letter: char| !letter.is_ascii_digit() && letter != '.')
            .unwrap_or(self.rest.len());
        let (digits, after) = self.rest.split_at(length);
        if digits.is_empty() {
            let found = if self.rest.is_empty() {
                "the end".to_owned()
            } else {
                format!("'{}'", first(self.rest))
            };
            return Err(ArithmeticError::Invalid(format!("expected a number, but found {found}")));
        }
        let number = digits.parse().map_err(|_| {
            ArithmeticError::Invalid(format!("'{}' is not a number", shown(digits)))
        })?;
        self.rest = after.trim_start();
        Ok(number)
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<f64, ArithmeticError>,
    ) -> Result<f64, ArithmeticError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(ArithmeticError::Invalid(format!(
                "more than {MAX_DEPTH} nested parentheses or signs"
            )));
        }
        let value = read(self);
        self.depth -= 1;
        value
    }
}

fn shown(digits: &str) -> String {
    match digits.get(..SHOWN) {
        Some(beginning) if digits.len() > SHOWN => format!("{beginning}…"),
        _ => digits.to_owned(),
    }
}

fn first(text: &str) -> String {
    text.chars().take(1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precedence_is_that_of_school() {
        for (text, wanted) in [
            ("2+2", 4.0),
            ("2 + 3 * 4", 14.0),
            ("(2+3)*4", 20.0),
            ("2^3^2", 512.0),
            ("-2^2", -4.0),
            ("2^-1", 0.5),
            ("2 ** 3", 8.0),
            ("2*3**2", 18.0),
            ("-2**2", -4.0),
            ("2**3**2", 512.0),
            ("2**-1*4", 2.0),
            ("--3", 3.0),
            ("2*-3", -6.0),
            ("10/4/5", 0.5),
            (" 1.5 + .5 ", 2.0),
            ("7-2-1", 4.0),
        ] {
            assert_eq!(calculate(text), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_arithmetic_is_refused_with_a_reason() {
        for (text, wanted) in [
            ("", "Invalid expression: the expression is empty"),
            ("2+", "Invalid expression: expected a number, but found the end"),
            ("(1", "Invalid expression: a parenthesis is not closed"),
            ("1)", "Invalid expression: unexpected ')'"),
            ("1.2.3", "Invalid expression: '1.2.3' is not a number"),
            (
                "process.exit()",
                "Invalid expression: 'p' is neither a number nor one of + - * / ^ ( )",
            ),
            ("1/0", "Calculation error: division by zero"),
            ("2 * * 3", "Invalid expression: expected a number, but found '*'"),
            ("(0-8)**.5", "Calculation error: the root of a negative number"),
            ("(0-8)^.5", "Calculation error: the root of a negative number"),
            ("9^9^9", "Calculation error: the result is too large"),
        ] {
            assert_eq!(calculate(text).unwrap_err().to_string(), wanted, "{text}");
        }
        let long = calculate(&"1.".repeat(100_000)).unwrap_err().to_string();
        assert!(long.len() < 100 && long.contains("1.1.1."), "{long}");
        let deep = "(".repeat(100_000);
        assert!(calculate(&deep).unwrap_err().to_string().contains("nested parentheses"));
    }
}
