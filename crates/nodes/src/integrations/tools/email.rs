//! Mail as a tool: the model writes it, the node says who it is from and who may get it.

use super::super::email::server;
use crate::ai::tools::fn_tool::{ToolInvocation, name_from_param, supply_tool, tool_spec};
use node_api::ai::{DataFlow, EgressTarget, Supply, ToolDefinition, ToolEffect};
use node_api::connect::Mail;
use node_api::prelude::*;
use node_api::{Supplier, SupplyCtx};

pub struct EmailTool;

impl Supplier for EmailTool {
    fn spec() -> Spec {
        tool_spec("email-tool", &[1.0], "Email", "Let an agent send emails")
            .icon("mail")
            .credential("smtp", true)
            .params([
                Param::text("name", "Name", "send_email").help("Name of the tool for the model."),
                Param::long_text(
                    "description",
                    "Description",
                    "Sends an email. A sent email cannot be recalled.",
                )
                .help("Description of the tool for the model."),
                Param::text("fromEmail", "From email", "")
                    .required()
                    .help("Sender of the emails, such as `Support <support@example.com>`."),
                Param::text("allowedRecipients", "Allowed recipients", "").help(
                    "Comma-separated allowed addresses, or domains such as @example.com. If \
                         empty, all recipients are allowed.",
                ),
                Param::collection(
                    "options",
                    "Options",
                    [Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                        .help("Accept certificates that cannot be verified.")],
                )
                .help("Fine points."),
            ])
            .hint(
                "Restrict the recipients: a model that reads untrusted text can be tricked into \
                 sending it anywhere.",
            )
            .alias(&["smtp", "mail", "send"])
    }

    async fn supply(ctx: SupplyCtx) -> Result<Supply, NodeError> {
        let parameters = json!({
            "type": "object",
            "properties": {
                "to": { "type": "string", "description": "Email address; separate several with commas" },
                "subject": { "type": "string" },
                "text": { "type": "string", "description": "The email as plain text" }
            },
            "required": ["to", "subject", "text"],
            "additionalProperties": false
        });
        let description = ctx.ctx().text("description", ctx.item())?;
        let is_bound = !ctx.ctx().text("allowedRecipients", ctx.item())?.trim().is_empty();
        let flow = DataFlow::default().sending(if is_bound {
            EgressTarget::Declared
        } else {
            EgressTarget::ModelChosen
        });
        let definition = ToolDefinition {
            name: name_from_param(&ctx, "name")?,
            description,
            parameters,
            effect: ToolEffect::Changes,
            flow,
        };
        Ok(supply_tool(ctx, definition, send))
    }
}

async fn send(call: ToolInvocation) -> Result<Value, NodeError> {
    let (ctx, item) = (call.ctx.ctx(), call.ctx.item());
    let to = recipients(&call.text("to"), &ctx.text("allowedRecipients", item)?)?;
    let subject = call.text("subject");
    if subject.contains(char::is_control) {
        return Err(NodeError::input("The subject must be a single line"));
    }
    let mail = Mail {
        from: ctx.text("fromEmail", item)?.to_string(),
        to: to.clone(),
        cc: Vec::new(),
        bcc: Vec::new(),
        reply_to: Vec::new(),
        in_reply_to: String::new(),
        subject: subject.to_string(),
        text: Some(call.text("text").to_string()),
        html: None,
        attachments: Vec::new(),
    };
    let receipt = ctx.host().connections().send_mail(&server(&ctx, item)?, mail).await?;
    Ok(Object::from_iter([
        ("sent", Value::from(true)),
        ("to", to.join(", ").into()),
        ("messageId", receipt.message_id.into()),
    ])
    .into())
}

/// The addresses of a mail, all of which must be allowed.
fn recipients(to: &str, allowed: &str) -> Result<Vec<String>, NodeError> {
    let list = |text: &str| {
        text.split([',', ';'])
            .map(|entry| entry.trim().to_owned())
            .filter(|entry| !entry.is_empty())
            .collect::<Vec<_>>()
    };
    let (to, allowed) = (list(to), list(&allowed.to_lowercase()));
    if to.is_empty() {
        return Err(NodeError::input("The email has no recipient"));
    }
    for address in &to {
        // Only bare addresses, so that what is checked is what the mail goes to.
        let is_plain = address.matches('@').count() == 1
            && !address
                .contains(|letter: char| letter.is_control() || " <>\"()\\".contains(letter));
        if !is_plain {
            return Err(NodeError::input(format!("'{address}' is not a plain email address")));
        }
        let lower = address.to_lowercase();
        let fits = |entry: &String| {
            if entry.starts_with('@') { lower.ends_with(entry.as_str()) } else { lower == *entry }
        };
        if !allowed.is_empty() && !allowed.iter().any(fits) {
            return Err(NodeError::disallowed(format!("Emails to {address} are not allowed")));
        }
    }
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_and_plain_addresses_get_mail() {
        let allowed = "ada@example.com, @team.test";
        assert_eq!(
            recipients("Ada@example.com; bob@TEAM.test", allowed).unwrap(),
            ["Ada@example.com", "bob@TEAM.test"]
        );
        let wrong = [
            "eve@evil.test",
            "ada@example.com, eve@evil.test",
            "a@evil.test@team.test",
            "x <a@team.test>",
            "a@team.test\r\nBcc: e@e.test",
            "",
            "ada",
        ];
        for to in wrong {
            assert!(recipients(to, allowed).is_err(), "{to}");
        }
        assert!(recipients("anyone@anywhere.test", "").is_ok());
    }
}
