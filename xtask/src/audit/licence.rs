//! Licence expressions: whether an SPDX expression can be met with the licences we accept.

/// Whether some choice among the alternatives needs accepted licences only. What cannot be read is
/// not accepted.
pub(crate) fn is_met(expression: &str, is_accepted: &dyn Fn(&str) -> bool) -> bool {
    // Old crates separate alternatives with a slash.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = LicenceParser { words: &words, is_accepted };
    reader.any().is_some_and(|met| met && reader.words.is_empty())
}

/// An expression as SPDX spells it.
pub(crate) fn normalized(expression: &str) -> String {
    expression.split('/').map(str::trim).collect::<Vec<_>>().join(" OR ")
}

struct LicenceParser<'w> {
    words: &'w [&'w str],
    is_accepted: &'w dyn Fn(&str) -> bool,
}

impl<'w> LicenceParser<'w> {
    fn take(&mut self, wanted: &str) -> bool {
        match self.words.split_first() {
            Some((word, rest)) if *word == wanted => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }

    fn next(&mut self) -> Option<&'w str> {
        let (word, rest) = self.words.split_first()?;
        self.words = rest;
        Some(word)
    }

    fn any(&mut self) -> Option<bool> {
        let mut met = self.all()?;
        while self.take("OR") {
            met |= self.all()?;
        }
        Some(met)
    }

    fn all(&mut self) -> Option<bool> {
        let mut met = self.one()?;
        while self.take("AND") {
            met &= self.one()?;
        }
        Some(met)
    }

    fn one(&mut self) -> Option<bool> {
        if self.take("(") {
            let met = self.any()?;
            return self.take(")").then_some(met);
        }
        let licence = self.next().filter(|word| !matches!(*word, "OR" | "AND" | "WITH" | ")"))?;
        if self.take("WITH") {
            let exception = self.next()?;
            return Some((self.is_accepted)(&format!("{licence} WITH {exception}")));
        }
        Some((self.is_accepted)(licence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_must_be_met_and_one_alternative_is_enough() {
        let accepted = |licence: &str| {
            matches!(licence, "MIT" | "ISC" | "Apache-2.0" | "Apache-2.0 WITH LLVM-exception")
        };
        for expression in [
            "MIT",
            "MIT/GPL-3.0",
            "GPL-3.0 OR MIT",
            "ISC AND (GPL-3.0 OR MIT)",
            "GPL-3.0 OR ISC AND MIT",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
            "(MIT)",
        ] {
            assert!(is_met(expression, &accepted), "{expression}");
        }
        for expression in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "ISC AND (GPL-3.0 OR AGPL-3.0)",
            "Apache-2.0 WITH Other-exception",
            "MIT OR",
            "MIT MIT",
            "(MIT",
            "MIT)",
            "OR",
            "MIT WITH",
        ] {
            assert!(!is_met(expression, &accepted), "{expression}");
        }
        assert_eq!(normalized("MIT / Apache-2.0"), "MIT OR Apache-2.0");
    }
}
