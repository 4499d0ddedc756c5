//! Parameters that keep callers out: one that an expression leaves empty must not stand for letting
//! everybody in.

use crate::plan::PlanNode;
use model::Value;
use node_api::NodeError;

impl PlanNode {
    /// Refuses parameters, as they were evaluated, in which an expression gives nothing where the
    /// node says whose calls it takes.
    pub fn check_guards(&self, params: &Value) -> Result<(), NodeError> {
        let Some(node_type) = self.node_type.as_deref().filter(|_| self.has_expressions()) else {
            return Ok(());
        };
        let is_open =
            |path: &String| self.params.has_expression(path) && says_nothing(params.get_path(path));
        match node_type.spec.guards().into_iter().find(is_open) {
            None => Ok(()),
            Some(path) => Err(NodeError::parameter(
                &path,
                format!("The expression of '{path}' is empty and would not restrict access"),
            )
            .hint(
                "Check that the variable it reads exists and has a value, or remove the \
                     expression.",
            )),
        }
    }

    /// The parameters as they are written, without the guards that are expressions. They tell where
    /// a trigger listens, and not whose calls it takes.
    pub fn written_without_guards(&self) -> Value {
        let mut params = self.raw_params.clone();
        let guards = self.node_type.as_deref().map(|found| found.spec.guards()).unwrap_or_default();
        for path in guards.iter().filter(|path| self.params.has_expression(path)) {
            params.remove_path(path);
        }
        params
    }
}

/// Whether a value holds nothing that could be meant: a list of which only the commas are left is
/// as empty as none.
fn says_nothing(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Undefined | Value::Null) => true,
        Some(Value::String(text)) => {
            !text.chars().any(|letter| letter.is_alphanumeric() || letter == '*')
        }
        Some(Value::Array(values)) => values.iter().all(|value| says_nothing(Some(value))),
        Some(Value::Object(fields)) => fields.is_empty(),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn issue_14_16_what_is_left_of_an_empty_list_says_nothing() {
        for empty in [
            json!(""),
            json!(" "),
            json!(","),
            json!(" , ,"),
            Value::Null,
            Value::Undefined,
            json!([]),
            json!(["", Value::Null]),
        ] {
            assert!(says_nothing(Some(&empty)), "{empty:?}");
        }
        assert!(says_nothing(None));
        for said in
            [json!("192.0.2.7"), json!("::1"), json!("*"), json!(false), json!(0), json!(["a"])]
        {
            assert!(!says_nothing(Some(&said)), "{said:?}");
        }
    }
}
