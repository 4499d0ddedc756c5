//! Where the data of a node goes when a model has a say in it. In a run that a model has called,
//! everything that came with the call is the model's choice, and so is every place that is made of
//! it.

use super::destination_match::{fixed_places, is_within, names_place};
use super::host::NodeHost;
use model::{Code, Exposure, Value};
use node_api::host::Host as _;
use node_api::{Destination, DestinationForm, NodeError};

impl NodeHost {
    /// What a parameter would be in a run that no model has called. Nobody can take the call out of
    /// the items again, so that only what the author wrote before the first expression is theirs.
    pub(super) fn without_calling_model(&self, path: &str) -> Option<Vec<Value>> {
        self.run.options.called_by_model?;
        let node = self.plan_node();
        let beginning = node.params.fixed_beginning(path)?;
        let form = node
            .destinations()
            .into_iter()
            .find(|destination| destination.param == path)
            .map(|destination| destination.form);
        Some(
            fixed_places(form.unwrap_or(DestinationForm::Address), &beginning)
                .into_iter()
                .collect(),
        )
    }

    /// Whether a model chose where the node sends its data, in a call of it as a tool for this
    /// item.
    pub(super) fn is_models_choice(&self, destination: &Destination, item: usize) -> bool {
        let Ok(value) = self.parameter(&destination.param, item) else { return true };
        let others = self.without_model(&destination.param, item).unwrap_or_default();
        !is_within(destination.form, &value, &others)
    }

    /// Refuses a node that would send data to a place which came with the call of a model that has
    /// read text of strangers.
    pub(super) fn check_egress(&self) -> Result<(), NodeError> {
        if self.run.options.called_by_model.is_none() {
            return Ok(());
        }
        // What supplies such a node (models, tools) may reach outside too, and may get at private
        // data before it does.
        if self.serves_untrusted() && !self.plan_node().suppliers.is_empty() {
            return Err(refused().hint(
                "The workflow was generated, fetched or read from a file. Store it and call it \
                     by its ID, or add the tool that calls it to \"May send anywhere\" of the \
                     agent.",
            ));
        }
        if !self.serves_exposed_model() {
            return Ok(());
        }
        match self
            .plan_node()
            .destinations()
            .into_iter()
            .find(|destination| self.came_with_call(destination))
        {
            None => Ok(()),
            Some(destination) => Err(refused()
                .hint(
                    "Write the host or recipient directly into the parameter, before any \
                         expression, in a workflow that is stored or embedded in the calling node. \
                         Or add the tool that calls the workflow to \"May send anywhere\" of the \
                         agent.",
                )
                .with("parameter", destination.param)),
        }
    }

    /// Whether a destination may have come with the call of the run.
    fn came_with_call(&self, destination: &Destination) -> bool {
        let node = self.plan_node();
        let Some(beginning) = node.params.fixed_beginning(&destination.param) else {
            return self.run.plan.is_untrusted()
                && node.raw_params.get_path(&destination.param).is_some_and(names_place);
        };
        if self.run.plan.is_untrusted() {
            return true;
        }
        let fixed = fixed_places(destination.form, &beginning);
        match destination.form {
            DestinationForm::Whole => true,
            DestinationForm::Address => fixed.is_none(),
            // What follows the beginning may hold a comma, and another address behind it.
            DestinationForm::Addresses => {
                let n_items =
                    self.inputs().iter().flatten().map(model::Items::len).max().unwrap_or_default();
                let fixed: Vec<Value> = fixed.into_iter().collect();
                let stays = |value: Value| is_within(DestinationForm::Addresses, &value, &fixed);
                !(0..n_items).all(|item| self.parameter(&destination.param, item).is_ok_and(stays))
            }
        }
    }

    /// Whether the run is of a workflow that somebody else gave as text, for a model that has read
    /// text of strangers.
    fn serves_untrusted(&self) -> bool {
        self.run.plan.is_untrusted()
            && self.run.options.called_by_model.is_some_and(|met| met.untrusted)
    }

    /// Whether a model called this run that has read text of strangers, in reach of private data.
    pub(super) fn serves_exposed_model(&self) -> bool {
        let met = self.run.options.called_by_model.and(self.model_exposure());
        matches!(met, Some(Exposure { untrusted: true, private: true }))
    }

    /// Why code was stopped that reached outside.
    pub(super) fn code_refusal(&self) -> NodeError {
        let error = NodeError::new(
            Code::AGENT_OUTWARD,
            "The code tried to access the network, which is not allowed",
        );
        if self.call.is_some() {
            return error;
        }
        error.hint(
            "A model that has read untrusted content called this workflow. Send the request \
                 with an HTTP Request node whose URL begins with the host, or add the tool that \
                 calls the workflow to \"May send anywhere\" of the agent.",
        )
    }
}

fn refused() -> NodeError {
    NodeError::new(
        Code::AGENT_OUTWARD,
        "The node was not run: a model that has read untrusted content called this workflow and \
             could choose where data is sent",
    )
}
