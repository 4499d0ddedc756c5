//! Finds the `{{ … }}` of a text, for parameters whose expressions are not simply put into it.

use std::ops::Range;

/// Where each `{{ … }}` stands, braces included.
pub(crate) fn expression_spans(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text[from..].find("{{").map(|at| from + at) {
        let Some(length) = text[start..].find("}}") else { break };
        // `{{ {a: {b: 1}} }}` ends where no brace follows.
        let mut end = start + length + 2;
        while text[end..].starts_with('}') {
            end += 1;
        }
        found.push(start..end);
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::expression_spans;

    #[test]
    fn braces_inside_belong_to_the_expression() {
        let text = "a {{ 1 }}{{ {b: {c: 1}}}} {{ open";
        let found: Vec<&str> = expression_spans(text).into_iter().map(|hole| &text[hole]).collect();
        assert_eq!(found, ["{{ 1 }}", "{{ {b: {c: 1}}}}"]);
    }
}
