//! Checks that expressions are JavaScript. They are compiled, never evaluated.

use super::escape::short;
use super::{Checker, ProblemDraft};
use expr::Template;
use model::{Code, Node, Object, Value};

/// More expressions than this that need the sandbox to tell are not looked at.
const MAX_COMPILED: usize = 2000;

impl Checker<'_> {
    pub(super) fn expressions(&mut self, index: usize, node: &Node<'_>) {
        let Some(found) = self.registry.find(node.type_name(), node.type_version()) else { return };
        let spec = found.spec.clone();
        let empty = Object::new();
        let is_raw =
            |key: &str| spec.params.iter().any(|param| param.name == key && param.no_expression);
        for (key, value) in
            node.parameters().unwrap_or(&empty).iter().filter(|(key, _)| !is_raw(key))
        {
            self.expressions_in(node, value, &format!("nodes[{index}].parameters.{key}"));
        }
    }

    fn expressions_in(&mut self, node: &Node<'_>, value: &Value, place: &str) {
        match value {
            Value::String(text) if text.starts_with('=') => {
                let template = Template::parse(text);
                if template.is_native() || self.compiled >= MAX_COMPILED {
                    return;
                }
                self.compiled += 1;
                if let Some(expr::ExprError::Syntax { detail }) = self.session.malformed(&template)
                {
                    let finding = ProblemDraft::warning(
                        Code::EXPRESSION_SYNTAX,
                        "The node fails when a run reaches it.",
                    )
                    .of(node.name());
                    self.problem(
                        finding,
                        || place.to_owned(),
                        || format!("The expression is not valid JavaScript: {}", short(&detail)),
                    );
                }
            }
            Value::Array(values) => {
                for (at, value) in values.iter().enumerate() {
                    self.expressions_in(node, value, &format!("{place}[{at}]"));
                }
            }
            Value::Object(fields) => {
                for (key, value) in fields.iter() {
                    self.expressions_in(node, value, &format!("{place}.{key}"));
                }
            }
            _ => {}
        }
    }
}
