//! Connections: keyed by node name, then kind, then output index.

use crate::kind::Kind;
use crate::{Object, Str, Value};
use std::collections::{HashMap, HashSet};

/// Inputs beyond this are a mistake, not a wish. A plan makes room for every input up to the
/// highest one.
pub const MAX_INDEX: usize = 100;

/// One connection between two nodes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge {
    pub from: Str,
    pub kind: Kind,
    pub output: usize,
    pub to: Str,
    /// The kind of the input it ends at; the same as `kind` in every sound workflow.
    pub to_kind: Kind,
    pub input: usize,
}

pub(crate) fn read(connections: &Object) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, kinds) in connections.iter() {
        for (kind, outputs) in kinds.as_object().into_iter().flat_map(Object::iter) {
            let Some(kind) = Kind::from_name(kind) else { continue };
            for (output, targets) in outputs.as_array().unwrap_or_default().iter().enumerate() {
                let targets = targets.as_array().unwrap_or_default();
                edges.extend(targets.iter().filter_map(|end| target(from, kind, output, end)));
            }
        }
    }
    edges
}

/// One connection, if its target has the right form.
pub(crate) fn target(from: &Str, kind: Kind, output: usize, target: &Value) -> Option<Edge> {
    let to_kind = target.get("type").and_then(Value::as_str).map_or(Some(kind), Kind::from_name)?;
    let input =
        target.get("index").map_or(Some(0), Value::as_usize).filter(|index| *index <= MAX_INDEX)?;
    // Names are shared: a long one must not be copied for every connection.
    let Value::String(to) = target.get("node")? else { return None };
    Some(Edge { from: from.clone(), kind, output, to: to.clone(), to_kind, input })
}

/// All nodes that can be reached from `node` along one kind (any, if `None`), at most `depth` steps
/// away.
///
/// The order is n8n's: what lies behind a node comes before it, and of several connections the last
/// comes first.
pub fn children(edges: &[Edge], node: &str, kind: Option<Kind>, depth: Option<usize>) -> Vec<Str> {
    let mut next: HashMap<&str, Vec<&Str>> = HashMap::new();
    for edge in edges.iter().filter(|edge| kind.is_none_or(|kind| edge.kind == kind)) {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    walk(&next, node, depth)
}

/// All nodes from which `node` can be reached; see [`children`]. Of several connections the one to
/// the last input comes first.
pub fn parents(edges: &[Edge], node: &str, kind: Option<Kind>, depth: Option<usize>) -> Vec<Str> {
    let mut fitting: Vec<&Edge> =
        edges.iter().filter(|edge| kind.is_none_or(|kind| edge.to_kind == kind)).collect();
    fitting.sort_by_key(|edge| edge.input);
    let mut next: HashMap<&str, Vec<&Str>> = HashMap::new();
    for edge in fitting {
        next.entry(&edge.to).or_default().push(&edge.from);
    }
    walk(&next, node, depth)
}

/// Goes down each connection from the last to the first and notes a node once everything behind it
/// is noted.
fn walk(next: &HashMap<&str, Vec<&Str>>, node: &str, depth: Option<usize>) -> Vec<Str> {
    struct WalkStep<'e> {
        name: &'e str,
        left: Vec<&'e Str>,
        budget: usize,
    }
    let targets = |name: &str, budget: usize| {
        if budget == 0 { Vec::new() } else { next.get(name).cloned().unwrap_or_default() }
    };
    let budget = depth.unwrap_or(usize::MAX);
    let mut found = Vec::new();
    let mut noted = HashSet::from([node]);
    let mut on_path = HashSet::from([node]);
    // How many steps were left when a node was last looked behind: only more of them can show
    // anything new.
    let mut looked_behind: HashMap<&str, usize> = HashMap::new();
    let mut path = vec![WalkStep { name: node, left: targets(node, budget), budget }];
    while let Some(step) = path.last_mut() {
        // Without a limit every way shows the same, however long it is.
        let budget = depth.map_or(usize::MAX, |_| step.budget.saturating_sub(1));
        match step.left.pop() {
            Some(target) => {
                let is_done = looked_behind.get(target.as_str()).is_some_and(|had| *had >= budget);
                if !is_done && on_path.insert(target) {
                    looked_behind.insert(target, budget);
                    path.push(WalkStep { name: target, left: targets(target, budget), budget });
                }
            }
            None => {
                on_path.remove(step.name);
                if noted.insert(step.name) {
                    found.push(Str::from(step.name));
                }
                path.pop();
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(text: &str) -> Vec<Edge> {
        let pairs = text.split_whitespace().filter_map(|pair| pair.split_once('>'));
        pairs
            .map(|(from, to)| Edge {
                from: from.into(),
                kind: Kind::Main,
                output: 0,
                to: to.into(),
                to_kind: Kind::Main,
                input: 0,
            })
            .collect()
    }

    #[track_caller]
    fn check(graph: &str, from: &str, depth: Option<usize>, expected: &str) {
        assert_eq!(
            children(&edges(graph), from, Some(Kind::Main), depth).join(" "),
            expected,
            "{graph}"
        );
    }

    #[test]
    fn what_lies_behind_a_node_comes_before_it() {
        check("a>b b>c c>d", "a", None, "d c b");
        check("a>b b>c c>d", "a", Some(2), "c b");
        check("a>b b>c c>d", "a", Some(0), "");
        check("a>b a>c b>d c>d d>e", "a", None, "e d c b");
        assert_eq!(parents(&edges("a>b b>c"), "c", None, None), ["a", "b"]);
    }

    #[test]
    fn a_circle_is_walked_once() {
        check("a>b b>c c>a", "a", None, "c b");
        check("a>b b>c c>b c>d", "a", None, "d c b");
        check("a>a", "a", None, "");
    }

    #[test]
    fn a_nearer_way_found_later_shows_more() {
        check("a>b a>x x>b b>c", "a", Some(2), "b x c");
        check("a>b a>x x>b b>c", "a", Some(3), "c b x");
    }

    #[test]
    fn many_ways_through_a_graph_take_no_longer() {
        let ladder: String =
            (0..2000).map(|step| format!("{step}>{0} {step}>b{0} b{0}>{0} ", step + 1)).collect();
        assert_eq!(children(&edges(&ladder), "0", None, None).len(), 4000);
        assert_eq!(children(&edges(&ladder), "0", None, Some(40)).len(), 80);
    }

    #[test]
    fn the_last_input_comes_first() {
        let mut graph = edges("second>merge first>merge");
        graph[0].input = 1;
        assert_eq!(parents(&graph, "merge", None, None), ["second", "first"]);
    }
}
