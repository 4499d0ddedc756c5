//! What an expression may see of the run around it.

use crate::ExprError;
use model::{Item, Items, Str, Value};

/// The world of one expression: the current item, the node it belongs to, and the run so far.
///
/// Implemented by the engine for real runs and for recorded ones; read by both evaluators, so that
/// what `$('Node').item` means, and which error it gives, is written once. Every method is cheap to
/// call: data is shared, and nothing is looked up before an expression asks for it.
pub trait Scope {
    /// The current item, `$json` and `$binary`. `None` when the node has no input item at this
    /// index.
    fn item(&self) -> Option<Item>;
    /// The error of `$json` and `$binary` when there is no current item; the engine names the node
    /// that has not run.
    fn missing_item(&self) -> ExprError {
        ExprError::data("There is no input item")
    }
    /// `$itemIndex`.
    fn item_index(&self) -> usize;
    /// `$runIndex`.
    fn run_index(&self) -> usize;
    /// `$input.all()`: every item of the first connected input.
    fn input(&self) -> Items;
    /// `$prevNode`.
    fn previous(&self) -> Option<PreviousNode>;

    /// Items that another node put out: `$('X').all(output, run)`, `.first()`, `.last()`,
    /// `$items()`, `$node["X"].json`. Without an output, the one that leads to the current node is
    /// taken; without a run, the last one that fits.
    fn node_items(
        &self,
        node: &str,
        output: Option<usize>,
        run: Option<usize>,
    ) -> Result<Items, ExprError>;
    /// The item of `node` that item `index` of the current input (default: the current one) was
    /// made from: `$('X').item`, `.pairedItem(i)`, `.itemMatching(i)`. `None` where n8n gives no
    /// value either.
    fn paired_item(&self, node: &str, index: Option<usize>) -> Result<Option<Item>, ExprError>;
    /// The item of `node` that an item of an output was made from: `$getPairedItem()`.
    fn traced_item(
        &self,
        node: &str,
        from: &PreviousNode,
        position: usize,
    ) -> Result<Option<Item>, ExprError> {
        match from.name == node {
            true => Ok(self.node_items(node, Some(from.output), Some(from.run))?.get(position)),
            false => self.paired_item(node, Some(position)),
        }
    }
    /// Whether a node of that name is in the workflow.
    fn has_node(&self, node: &str) -> bool;
    /// `$('X').isExecuted`.
    fn is_executed(&self, node: &str) -> bool;
    /// How often a node has run: `$node["X"].runIndex` is one less.
    fn runs_of(&self, node: &str) -> usize {
        self.is_executed(node).into()
    }
    /// A parameter of a node (`None`: the current one), evaluated for an item (`None`: the current
    /// one): `$parameter.x`, `$node["X"].parameter.x`.
    fn parameter(
        &self,
        node: Option<&str>,
        name: &str,
        item_index: Option<usize>,
    ) -> Result<Value, ExprError>;
    /// All of them, expressions unevaluated: `$parameter`, `$('X').params`, `$input.params`.
    fn written_parameters(&self, node: Option<&str>) -> Result<Value, ExprError>;
    /// `$('X').context`, `$input.context`: what a looping node shares with expressions.
    fn context(&self, node: Option<&str>) -> Result<Value, ExprError>;

    /// Any other `$name` that is plain data: `$workflow`, `$execution`, `$vars`, `$env`, `$mode`,
    /// `$nodeId`, `$nodeVersion`, `$webhookId`, `$agentInfo`, `$pageCount`, `$request`,
    /// `$response`, additional keys, and so on. `None`: no such name. A name that exists but is
    /// denied (`$env`) is an error.
    fn variable(&self, name: &str) -> Result<Option<Value>, ExprError>;
    /// The names [`Scope::variable`] knows, for `in` checks and completion.
    fn variable_names(&self) -> Vec<Str>;
    /// `$fromAI(key, description, type, default)`: the value a model gave for the key.
    fn ai_value(&self, key: &str, default: Option<Value>) -> Result<Value, ExprError>;

    /// The run's clock for `$now`, `$today` and `new Date()`, in milliseconds since the Unix epoch.
    fn now_ms(&self) -> i64;
    /// IANA name of the zone of `$now`, `DateTime.local()` and date extensions.
    fn timezone(&self) -> &str;
}

/// `$prevNode`: where the current input came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousNode {
    pub name: Str,
    pub output: usize,
    pub run: usize,
}
