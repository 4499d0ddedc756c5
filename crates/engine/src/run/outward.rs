//! Runs that a model has called: what came with the call is the model's choice, and so is every place that is made of it.

use super::host::NodeHost;
use model::{Code, Exposure, Value};
use node_api::NodeError;
use node_api::host::Host as _;

impl NodeHost {
    /// What a parameter would be in a run that no model has called. Nobody can take the call out of the items again, so that only what
    /// the author wrote before the first expression is theirs.
    pub(super) fn without_calling_model(&self, path: &str) -> Option<Vec<Value>> {
        self.run.options.called_by_model?;
        let beginning = self.plan_node().params.fixed_beginning(path)?;
        Some(if has_whole_host(&beginning) { vec![beginning.into()] } else { Vec::new() })
    }

    /// Refuses a node that would send data to a place which came with the call of a model that has read text of strangers.
    pub(super) fn check_outward(&self) -> Result<(), NodeError> {
        if !self.serves_exposed_model() {
            return Ok(());
        }
        let node = self.plan_node();
        let is_models = |path: &str| node.params.fixed_beginning(path).is_some_and(|beginning| !has_whole_host(&beginning));
        match node.places().into_iter().find(|path| is_models(path)) {
            None => Ok(()),
            Some(path) => Err(NodeError::new(
                Code::AGENT_OUTWARD,
                "The node was not run: a model that has read untrusted content called this workflow, and could choose where it sends data",
            )
            .hint(
                "Write the host or the recipient into the parameter itself, before any expression, or name the tool that calls the \
                 workflow under \"May send anywhere\" of the agent.",
            )
            .with("parameter", path)),
        }
    }

    /// Whether a model called this run that has read text of strangers, in reach of private data.
    pub(super) fn serves_exposed_model(&self) -> bool {
        let met = self.run.options.called_by_model.and(self.exposure_of_model());
        matches!(met, Some(Exposure { untrusted: true, private: true }))
    }

    /// Why code was stopped that reached outside.
    pub(super) fn code_refusal(&self) -> NodeError {
        let error = NodeError::new(Code::AGENT_OUTWARD, "The code reaches outside, which it was not allowed to do");
        if self.call.is_some() {
            return error;
        }
        error.hint(
            "A model that has read untrusted content called this workflow. Send the request with an HTTP Request node whose URL begins with \
             the host, or name the tool that calls the workflow under \"May send anywhere\" of the agent.",
        )
    }
}

/// Whether the beginning of an address says where it leads, whatever follows.
fn has_whole_host(beginning: &str) -> bool {
    let rest = beginning.trim_start().split_once("://").map(|(_, rest)| rest);
    rest.is_some_and(|rest| rest.contains(['/', '?', '#'])) && url::Url::parse(beginning.trim_start()).is_ok_and(|url| url.has_host())
}

#[cfg(test)]
mod tests {
    use super::has_whole_host;

    #[test]
    fn only_a_whole_host_stays_what_it_is() {
        for whole in ["https://a.test/", " https://a.test/x", "https://a.test?q=", "https://a.test:8443/#"] {
            assert!(has_whole_host(whole), "{whole}");
        }
        for open in ["", "https://", "https://a.test", "https://a.test:", "https://user@", "a.test/", "/path", "mailto:a@b.test"] {
            assert!(!has_whole_host(open), "{open}");
        }
    }
}
