//! Connections: keyed by node name, then kind, then output index.

use crate::kind::Kind;
use crate::{Object, Str, Value};
use std::collections::HashSet;

/// Inputs beyond this are a mistake, not a wish. A plan makes room for every input up to the highest one.
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

pub(super) fn read(connections: &Object) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, kinds) in connections.iter() {
        for (kind, outputs) in kinds.as_object().into_iter().flat_map(Object::iter) {
            let Some(kind) = Kind::from_name(kind) else { continue };
            for (output, targets) in outputs.as_array().unwrap_or_default().iter().enumerate() {
                edges.extend(targets.as_array().unwrap_or_default().iter().filter_map(|target| {
                    let to_kind = target.get("type").and_then(Value::as_str).map_or(Some(kind), Kind::from_name)?;
                    let input = target.get("index").map_or(Some(0), Value::as_usize).filter(|index| *index <= MAX_INDEX)?;
                    Some(Edge { from: from.clone(), kind, output, to: target.get("node")?.as_str()?.into(), to_kind, input })
                }));
            }
        }
    }
    edges
}

/// All nodes that can be reached from `node` along one kind (any, if `None`), nearest first, at most `depth` steps away.
pub fn children(edges: &[Edge], node: &str, kind: Option<Kind>, depth: Option<usize>) -> Vec<Str> {
    walk(edges, node, kind, depth, |edge| (&edge.from, &edge.to))
}

/// All nodes from which `node` can be reached; see [`children`].
pub fn parents(edges: &[Edge], node: &str, kind: Option<Kind>, depth: Option<usize>) -> Vec<Str> {
    walk(edges, node, kind, depth, |edge| (&edge.to, &edge.from))
}

fn walk(edges: &[Edge], node: &str, kind: Option<Kind>, depth: Option<usize>, ends: impl Fn(&Edge) -> (&Str, &Str)) -> Vec<Str> {
    let mut found = Vec::new();
    let mut seen = HashSet::from([Str::from(node)]);
    let mut layer = vec![Str::from(node)];
    let mut steps = 0;
    while !layer.is_empty() && depth.is_none_or(|depth| steps < depth) {
        let mut next = Vec::new();
        for name in &layer {
            for edge in edges.iter().filter(|edge| kind.is_none_or(|kind| edge.kind == kind)) {
                let (near, far) = ends(edge);
                if near == name && seen.insert(far.clone()) {
                    next.push(far.clone());
                }
            }
        }
        found.extend(next.iter().cloned());
        layer = next;
        steps += 1;
    }
    found
}
