//! Numbers out of their range are refused when a parameter is evaluated, whatever they come from.

use crate::plan::PlanNode;
use model::{PathKeys, Value};
use node_api::{NodeError, NumberRange};

impl PlanNode {
    /// Refuses the value of a parameter, or of all for an empty path, with a number in it that is
    /// out of its range.
    pub(crate) fn check_ranges(&self, path: &str, value: &Value) -> Result<(), NodeError> {
        match self.ranges.iter().find(|range| !is_allowed(range, path, value)) {
            None => Ok(()),
            Some(range) => Err(out_of_range(range)),
        }
    }
}

fn is_allowed(range: &NumberRange, path: &str, value: &Value) -> bool {
    let mut keys = PathKeys::of(&range.path);
    let is_inside = path.is_empty() || PathKeys::of(path).all(|key| keys.next() == Some(key));
    !is_inside || value.get_keys(keys).is_none_or(|number| range.allows(number))
}

fn out_of_range(range: &NumberRange) -> NodeError {
    let words = range.words();
    let hint = match range.min.is_some() && range.max.is_some() {
        true => format!("Enter a number {words}."),
        false => format!("Enter a number of {words}."),
    };
    NodeError::parameter(&range.path, format!("'{}' must be {words}", range.label)).hint(hint)
}
