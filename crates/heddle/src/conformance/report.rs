//! The results of conformance cases: per set, per node type, and the difference of each failure.

use crate::terminal::print_line;
use model::{Object, Value};
use std::collections::BTreeMap;

/// How one case ended; without a difference it passed.
pub(crate) struct CaseResult {
    pub(crate) id: String,
    pub(crate) node_types: Vec<String>,
    pub(crate) difference: Option<String>,
}

#[derive(Default)]
pub(crate) struct ConformanceReport {
    sets: BTreeMap<String, Vec<CaseResult>>,
}

#[derive(Default, Clone, Copy)]
struct PassCount {
    passed: usize,
    failed: usize,
}

impl PassCount {
    fn add(&mut self, case: &CaseResult) {
        if case.difference.is_none() { self.passed += 1 } else { self.failed += 1 }
    }

    fn percent(self) -> f64 {
        100.0 * self.passed as f64 / (self.passed + self.failed).max(1) as f64
    }

    fn to_value(self) -> Value {
        Value::object(Object::from_iter([("passed", self.passed), ("failed", self.failed)]))
    }
}

impl ConformanceReport {
    pub(crate) fn add(&mut self, set: &str, case: CaseResult) {
        self.sets.entry(set.to_owned()).or_default().push(case);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    pub(crate) fn all_passed(&self) -> bool {
        self.cases().all(|case| case.difference.is_none())
    }

    fn cases(&self) -> impl Iterator<Item = &CaseResult> {
        self.sets.values().flatten()
    }

    fn count(cases: &[CaseResult]) -> PassCount {
        let mut count = PassCount::default();
        cases.iter().for_each(|case| count.add(case));
        count
    }

    fn per_node_type(&self) -> BTreeMap<&str, PassCount> {
        let mut counts: BTreeMap<&str, PassCount> = BTreeMap::new();
        for case in self.cases() {
            for node_type in &case.node_types {
                counts.entry(node_type).or_default().add(case);
            }
        }
        counts
    }

    pub(crate) fn print(&self, differences: bool) {
        if differences {
            for (set, cases) in &self.sets {
                for case in cases {
                    if let Some(difference) = &case.difference {
                        print_line(&format!("FAIL {set} {}: {difference}", case.id));
                    }
                }
            }
        }
        let failing: Vec<_> =
            self.per_node_type().into_iter().filter(|(_, count)| count.failed > 0).collect();
        if !failing.is_empty() {
            print_line("node types with failures");
            for (node_type, count) in failing {
                print_line(&format!(
                    "  {node_type:50} {:4} passed {:4} failed",
                    count.passed, count.failed
                ));
            }
        }
        let mut total = PassCount::default();
        for (set, cases) in &self.sets {
            let count = Self::count(cases);
            total.passed += count.passed;
            total.failed += count.failed;
            print_line(&format!(
                "{set:30} {:5} passed {:5} failed  {:5.1} %",
                count.passed,
                count.failed,
                count.percent()
            ));
        }
        print_line(&format!("{} passed, {} failed", total.passed, total.failed));
    }

    pub(crate) fn to_value(&self) -> Value {
        let sets = self
            .sets
            .iter()
            .map(|(set, cases)| (set.as_str(), Self::count(cases).to_value()))
            .collect::<Object>();
        let types = self
            .per_node_type()
            .into_iter()
            .map(|(name, count)| (name, count.to_value()))
            .collect::<Object>();
        let cases = self.sets.iter().flat_map(|(set, cases)| {
            cases.iter().map(move |case| {
                Value::object(Object::from_iter([
                    ("id", Value::from(case.id.as_str())),
                    ("set", set.as_str().into()),
                    ("passed", case.difference.is_none().into()),
                    ("difference", case.difference.clone().into()),
                ]))
            })
        });
        Value::object(Object::from_iter([
            ("sets", Value::from(sets)),
            ("nodeTypes", types.into()),
            ("cases", Value::array(cases.collect())),
        ]))
    }
}
