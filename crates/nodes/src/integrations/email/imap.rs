//! Starts a run when mails arrive in a mailbox: looks at set times and remembers how far it has
//! read.

use super::super::credential::CredentialFields;
use super::super::poll;
use super::criteria;
use super::message::{AttachmentMode, MailFormat, item_of};
use node_api::connect::{MailboxAccess, MailboxSession, RemoteServer, Security};
use node_api::host::StaticScope;
use node_api::prelude::*;
use node_api::trigger::{Trigger, TriggerListener, TriggerSetup};

pub struct EmailReadImap;

/// Mails that one look takes; what is left comes with the next.
const MAX_MAILS: usize = 100;
const MAX_MAIL_BYTES: usize = 50 << 20;

/// Where the memory of the node has the mails that the last look has found.
const PENDING_MAILS: &str = "takenMessageUids";

impl Node for EmailReadImap {
    fn spec() -> Spec {
        let formats = [("simple", "Simple"), ("resolved", "Resolved"), ("raw", "RAW")];
        let files = |name: &str, preset: &str| {
            Param::text(name, "Property prefix name", preset)
                .help("Prefix of the binary fields for attachments, followed by a number.")
        };
        let options = [
            Param::text("customEmailConfig", "Custom email rules", "[\"UNSEEN\"]").help(
                "Which emails to fetch, as a list of IMAP search keys such as `[\"UNSEEN\", \
                     [\"SINCE\", \"2024-01-31\"]]`.",
            ),
            Param::number("forceReconnect", "Force reconnect every minutes", 60)
                .help("Has no effect here: each poll opens a new connection."),
            Param::flag("trackLastMessageId", "Fetch only new emails", true)
                .help("Remember the last email and fetch only later ones."),
            Param::flag("allowUnauthorizedCerts", "Ignore SSL issues", false)
                .help("Accept certificates that cannot be verified."),
        ];
        Spec::trigger(
            "n8n-nodes-base.emailReadImap",
            &[1.0, 2.0, 2.1],
            "Email Trigger (IMAP)",
            "Start the workflow when an email arrives",
        )
        .icon("mail")
        .triggered_by(TriggerKind::Email)
        .untrusted()
        .private()
        .group(NodeGroup::Trigger)
        .credential("imap", true)
        .params([
            Param::text("mailbox", "Mailbox name", "INBOX").help("Mailbox folder to poll."),
            Param::choice(
                "postProcessAction",
                "Action",
                &[("read", "Mark as read"), ("nothing", "Nothing")],
            )
            .help("What to do with an email after fetching it."),
            Param::flag("downloadAttachments", "Download attachments", false)
                .show("format", &["simple"])
                .help("Whether to download attachments as binary fields."),
            Param::choice("format", "Format", &formats).help("How much of the email to parse."),
            files("dataPropertyAttachmentsPrefixName", "attachment_").hide("format", &["raw"]),
            poll::times_param(),
            Param::collection("options", "Options", options).help("Fine points."),
        ])
        .hint("Use it to process incoming emails. The first poll fetches the unread ones.")
        .alias(&["mail", "imap", "inbox", "e-mail"])
        .repeatable()
        .differs(
            "Polls at set times, by default every minute, instead of keeping a connection open.",
        )
        .note(
            "A poll fetches at most 100 emails of at most 50 MB each. The rest follow with the \
                 next poll.",
        )
    }

    async fn run(ctx: &Ctx<'_>, items: Items) -> Result<Outputs, NodeError> {
        if poll::are_supplied(&items) {
            // The run is on disk. Should marking fail, the next look does it before it searches.
            let _ = mark_read(ctx).await;
            return Ok(vec![items]);
        }
        let server = server(ctx)?;
        let mut mailbox = ctx.host().connections().mailbox(&server).await?;
        let read = read(ctx, mailbox.as_mut()).await;
        mailbox.close().await;
        let mails = read?;
        if mails.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![mails.into_iter().collect()])
    }
}

impl Trigger for EmailReadImap {
    fn listeners(setup: &TriggerSetup<'_>) -> Result<Vec<TriggerListener>, NodeError> {
        poll::poll_listeners(setup)
    }
}

fn server(ctx: &Ctx<'_>) -> Result<RemoteServer, NodeError> {
    let fields = CredentialFields::of(ctx, "imap")?;
    let mut server = fields.server(993)?;
    server.security = if fields.flag("secure", true) { Security::Tls } else { Security::Plain };
    server.allow_invalid_certificates = fields.flag("allowUnauthorizedCerts", false)
        || ctx.flag("options.allowUnauthorizedCerts", 0)?;
    server.timeout_ms = 60_000;
    Ok(server)
}

async fn read(ctx: &Ctx<'_>, mailbox: &mut dyn MailboxSession) -> Result<Vec<Item>, NodeError> {
    let format = match ctx.text("format", 0)?.as_str() {
        "resolved" => MailFormat::Resolved,
        "raw" => MailFormat::Raw,
        _ => MailFormat::Simple,
    };
    let keeps_files = format == MailFormat::Resolved || ctx.flag("downloadAttachments", 0)?;
    let files = if keeps_files { AttachmentMode::Include } else { AttachmentMode::Skip };
    let prefix = ctx.text("dataPropertyAttachmentsPrefixName", 0)?;
    let prefix = if prefix.is_empty() { "attachment_".into() } else { prefix };
    let marks = is_marking(ctx)?;
    let by_hand = poll::is_manual_run(ctx);
    let folder = mailbox
        .open(
            &ctx.text("mailbox", 0)?,
            if marks { MailboxAccess::Write } else { MailboxAccess::Read },
        )
        .await?;
    let mut keys = search_keys(ctx)?;
    let mut memory =
        ctx.host().static_data(StaticScope::Node).as_object().cloned().unwrap_or_default();
    let tracks = {
        let option = ctx.param("options.trackLastMessageId", 0)?;
        option.is_nullish() || option.is_truthy()
    };
    // The numbers of mails are only worth something within one numbering of the folder.
    let is_known =
        memory.get("uidValidity").and_then(Value::as_usize) == Some(folder.uid_validity as usize);
    let last_uid = memory
        .get("lastMessageUid")
        .and_then(Value::as_usize)
        .filter(|_| is_known && tracks && !by_hand)
        .unwrap_or(0) as u32;
    let taken = if is_known { pending_mails(&memory) } else { Vec::new() };
    if marks && !by_hand {
        mailbox.mark_seen(&taken).await?;
    }
    if last_uid > 0 {
        keys = format!("UID {}:* {keys}", last_uid.saturating_add(1));
    }
    // `5:*` gives the last mail even if its number is lower.
    let mut found: Vec<u32> =
        mailbox.search(&keys).await?.into_iter().filter(|uid| *uid > last_uid).collect();
    if by_hand {
        found.drain(..found.len().saturating_sub(1));
    }
    found.truncate(MAX_MAILS);
    let mut mails = Vec::with_capacity(found.len());
    for uid in &found {
        if let Some(mail) = mailbox
            .fetch(*uid, MAX_MAIL_BYTES)
            .await
            .map_err(|error| NodeError::from(error).with("uid", *uid))?
        {
            compute::request_offload(mail.source.len()).await;
            mails.push(item_of(&mail, format, files, &prefix));
        }
    }
    if by_hand && marks {
        mailbox.mark_seen(&found).await?;
    }
    if !by_hand && (!found.is_empty() || !taken.is_empty()) {
        if let Some(last) = found.last() {
            memory.insert("lastMessageUid", *last);
        }
        memory.insert("uidValidity", folder.uid_validity);
        let to_mark = if marks { found.as_slice() } else { &[] };
        memory
            .insert(PENDING_MAILS, to_mark.iter().map(|uid| Value::from(*uid)).collect::<Vec<_>>());
        ctx.host().set_static_data(StaticScope::Node, memory.into());
    }
    Ok(mails)
}

/// Marks what the last look has found as read: now that a run has it, and not before.
async fn mark_read(ctx: &Ctx<'_>) -> Result<(), NodeError> {
    let memory = ctx.host().static_data(StaticScope::Node).as_object().cloned().unwrap_or_default();
    let taken = pending_mails(&memory);
    if taken.is_empty() || poll::is_manual_run(ctx) || !is_marking(ctx)? {
        return Ok(());
    }
    let mut mailbox = ctx.host().connections().mailbox(&server(ctx)?).await?;
    let marked = async {
        let folder = mailbox.open(&ctx.text("mailbox", 0)?, MailboxAccess::Write).await?;
        if memory.get("uidValidity").and_then(Value::as_usize) == Some(folder.uid_validity as usize)
        {
            mailbox.mark_seen(&taken).await?;
        }
        Ok(())
    }
    .await;
    mailbox.close().await;
    marked
}

fn is_marking(ctx: &Ctx<'_>) -> Result<bool, NodeError> {
    Ok(ctx.text("postProcessAction", 0)? != "nothing")
}

/// The numbers of the mails that the last look has found.
fn pending_mails(memory: &Object) -> Vec<u32> {
    let numbers = memory.get(PENDING_MAILS).and_then(Value::as_array).unwrap_or_default();
    numbers.iter().filter_map(Value::as_usize).map(|uid| uid as u32).collect()
}

fn search_keys(ctx: &Ctx<'_>) -> Result<String, NodeError> {
    match ctx.param("options.customEmailConfig", 0)? {
        Value::Undefined | Value::Null => Ok("UNSEEN".into()),
        Value::String(text) if text.trim().is_empty() => Ok("UNSEEN".into()),
        Value::String(text) => {
            let list = model::json::parse(&text).map_err(|_| {
                NodeError::parameter(
                    "options.customEmailConfig",
                    "Custom email config is not valid JSON.",
                )
                .hint("Enter a list of IMAP search keys, such as [\"UNSEEN\"].")
            })?;
            criteria::keys(&list)
        }
        list => criteria::keys(&list),
    }
}
