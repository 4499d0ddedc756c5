//! Sends a mail for each item through a mail server.

use super::super::credential::CredentialFields;
use node_api::connect::{Attachment, Mail, RemoteServer, Security};
use node_api::prelude::*;

pub struct EmailSend;

/// What stands under a mail when a note on its origin is asked for.
const ATTRIBUTION: &str = "This mail was sent by a Heddle workflow.";
/// All files of one mail together.
const MAX_ATTACHMENT_BYTES: usize = 50 << 20;

impl Node for EmailSend {
    fn spec() -> Spec {
        let formats = [("text", "Text"), ("html", "HTML"), ("both", "Both")];
        let optional =
            |name: &str, label: &str, help: &str| Param::text(name, label, "").help(help);
        let options = [
            Param::flag("appendAttribution", "Append attribution", false)
                .help("Add a line that names the source of the email."),
            optional(
                "attachments",
                "Attachments",
                "Comma-separated names of the binary fields to attach.",
            ),
            optional(
                "ccEmail",
                "CC email",
                "CC recipients. Separate several addresses with commas.",
            ),
            optional("bccEmail", "BCC email", "BCC recipients, hidden from the others."),
            optional("replyTo", "Reply to", "Address for replies."),
            optional("inReplyTo", "In reply to", "ID of the message that this email replies to."),
            Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
        ];
        Spec::new(
            "n8n-nodes-base.emailSend",
            &[1.0, 2.0, 2.1],
            "Send Email",
            "Send an email through an SMTP server",
        )
        .icon("mail")
        .sends_to_exact("toEmail")
        .sends_to_exact("ccEmail")
        .sends_to_exact("bccEmail")
        .sends_to_exact("options.ccEmail")
        .sends_to_exact("options.bccEmail")
        .group(NodeGroup::Integration)
        .credential("smtp", true)
        .params([
            Param::hidden("resource", "email").since(2.0),
            Param::choice(
                "operation",
                "Operation",
                &[("send", "Send"), ("sendAndWait", "Send and wait for response")],
            )
            .since(2.0)
            .help("What to do."),
            optional(
                "fromEmail",
                "From email",
                "Sender of the email, such as `Support <support@example.com>`.",
            )
            .required(),
            optional(
                "toEmail",
                "To email",
                "Recipients of the email. Separate several addresses with commas.",
            )
            .required(),
            optional(
                "ccEmail",
                "CC email",
                "CC recipients. Separate several addresses with commas.",
            )
            .until(1.0),
            optional("bccEmail", "BCC email", "BCC recipients, hidden from the others.").until(1.0),
            optional("subject", "Subject", "Subject of the email."),
            Param::choice("emailFormat", "Email format", &formats)
                .preset("text")
                .versions(&[2.0])
                .help("Text, HTML, or both side by side."),
            Param::choice("emailFormat", "Email format", &formats)
                .preset("html")
                .since(2.1)
                .help("Text, HTML, or both side by side."),
            Param::long_text("text", "Text", "").help("Email body as plain text."),
            Param::long_text("html", "HTML", "")
                .help("Email body as HTML. `cid:NAME` shows the attached file with that name."),
            optional(
                "attachments",
                "Attachments",
                "Comma-separated names of the binary fields to attach.",
            )
            .until(1.0),
            Param::collection("options", "Options", options).help("Fine points."),
        ])
        .hint("Use a sender address that the mail server allows.")
        .alias(&["smtp", "mail", "e-mail"])
        .differs("The line that names the source of the email is only added if the option is on.")
        .differs_when(
            "operation",
            &["sendAndWait"],
            "Waiting for a reply to an email is not supported.",
        )
        .note("The attachments of an email can have at most 50 MB in total.")
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        let mut output = ctx.builder();
        for (index, item) in items.iter().enumerate() {
            match send(ctx, &item, index).await {
                Ok(made) => output.push(Item::new(made).paired_with(index)),
                Err(error) => output.push(ctx.failed_item(index, error)?),
            }
        }
        Ok(vec![output.finish()])
    }
}

async fn send(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Object, NodeError> {
    if ctx.text("operation", index)? == "sendAndWait" {
        return Err(NodeError::parameter(
            "operation",
            "Sending an email and waiting for its reply is not supported",
        )
        .hint("Send an email with a link to a Wait node's webhook or form instead."));
    }
    let server = server(ctx, index)?;
    let mail = compose(ctx, item, index)?;
    let to = mail.to.clone();
    let receipt = ctx.host().connections().send_mail(&server, mail).await?;
    let list = |entries: Vec<String>| entries.into_iter().map(Value::from).collect::<Vec<_>>();
    let envelope = Object::from_iter([
        ("from", Value::from(receipt.from)),
        ("to", list(receipt.accepted.clone()).into()),
    ]);
    // A server that takes the mail has taken every address; one that it does not take fails the
    // mail.
    let accepted = if receipt.accepted.is_empty() { to } else { receipt.accepted };
    Ok(Object::from_iter([
        ("accepted", Value::from(list(accepted))),
        ("rejected", Value::array(Vec::new())),
        ("response", receipt.response.into()),
        ("envelope", envelope.into()),
        ("messageId", receipt.message_id.into()),
    ]))
}

pub(in crate::integrations) fn server(
    ctx: &Ctx<'_>,
    index: usize,
) -> Result<RemoteServer, NodeError> {
    let fields = CredentialFields::of(ctx, "smtp")?;
    let mut server = fields.server(465)?;
    server.security = match (fields.flag("secure", true), fields.flag("disableStartTls", false)) {
        (true, _) => Security::Tls,
        (false, true) => Security::Plain,
        (false, false) => Security::IfOffered,
    };
    server.allow_invalid_certificates = ctx.flag("options.allowUnauthorizedCerts", index)?;
    server.client_name = fields.text("hostName");
    server.timeout_ms = 60_000;
    Ok(server)
}

fn compose(ctx: &Ctx<'_>, item: &Item, index: usize) -> Result<Mail, NodeError> {
    let is_first = ctx.version() < 2.0;
    let text_at = |path: &str| ctx.text(path, index).map(|text| text.to_string());
    let option =
        |name: &str| text_at(&if is_first { name.to_owned() } else { format!("options.{name}") });
    let from = text_at("fromEmail")?;
    let to = text_at("toEmail")?;
    for (name, value) in [("fromEmail", &from), ("toEmail", &to)] {
        if value.trim().is_empty() {
            return Err(NodeError::parameter(name, format!("The parameter '{name}' is empty"))
                .hint("Enter an email address."));
        }
    }
    let (mut text, mut html) = (Some(text_at("text")?), Some(text_at("html")?));
    match text_at("emailFormat")?.as_str() {
        "text" if !is_first => html = None,
        "html" if !is_first => text = None,
        // The first version sends whichever is there.
        _ if is_first => {
            html = html.filter(|html| !html.is_empty());
            text = text.filter(|text| !text.is_empty() || html.is_none());
        }
        _ => {}
    }
    if !is_first && ctx.flag("options.appendAttribution", index)? {
        text = text.map(|text| format!("{text}\n\n---\n{ATTRIBUTION}"));
        html = html.map(|html| format!("{html}<br><br>---<br><em>{ATTRIBUTION}</em>"));
    }
    let attachments = attachments(ctx, item, index, &option("attachments")?, html.as_deref())?;
    Ok(Mail {
        from,
        to: vec![to],
        cc: vec![option("ccEmail")?],
        bcc: vec![option("bccEmail")?],
        reply_to: vec![text_at("options.replyTo")?],
        in_reply_to: text_at("options.inReplyTo")?,
        subject: text_at("subject")?,
        text,
        html,
        attachments,
    })
}

fn attachments(
    ctx: &Ctx<'_>,
    item: &Item,
    index: usize,
    names: &str,
    html: Option<&str>,
) -> Result<Vec<Attachment>, NodeError> {
    let mut files = Vec::new();
    let mut n_bytes = 0;
    for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        let file = ctx.binary(item, index, name)?;
        let data = file.data.clone();
        n_bytes += data.len();
        if n_bytes > MAX_ATTACHMENT_BYTES {
            return Err(NodeError::input(format!(
                "The attachments exceed the limit of {MAX_ATTACHMENT_BYTES} bytes in total"
            ))
            .hint("Send fewer or smaller files, or a link to them."));
        }
        let is_shown = html.is_some_and(|html| html.contains(&format!("cid:{name}")));
        files.push(Attachment {
            file_name: file
                .file_name
                .as_deref()
                .filter(|name| !name.is_empty())
                .unwrap_or("unknown")
                .to_owned(),
            mime_type: file.mime_type.to_string(),
            data,
            content_id: is_shown.then(|| name.to_owned()),
        });
    }
    Ok(files)
}
