//! Reading mailboxes over IMAP.

use super::dial::{BoxStream, Dialer, encrypt, within};
use async_imap::types::Flag;
use bytes::Bytes;
use futures::TryStreamExt as _;
use node_api::connect::{
    ConnectError, FetchedMail, MailFolder, MailboxAccess, MailboxSession, RemoteServer, Security,
};

struct ImapSession {
    session: async_imap::Session<BoxStream>,
    server: RemoteServer,
}

pub(super) async fn session(
    dialler: &Dialer,
    server: &RemoteServer,
) -> Result<Box<dyn MailboxSession>, ConnectError> {
    let (stream, _) = dialler.connect(server).await?;
    let stream: BoxStream = match server.security {
        Security::Plain | Security::IfOffered => Box::new(stream),
        Security::Tls => encrypt(server, stream).await?,
        Security::StartTls => {
            let mut client = async_imap::Client::new(stream);
            let ready = async {
                greeting(server, client.read_response().await)?;
                client
                    .run_command_and_check_ok("STARTTLS", None)
                    .await
                    .map_err(|error| connect_error(server, error))
            };
            within(server, ready).await?;
            return sign_in(
                server,
                async_imap::Client::new(encrypt(server, client.into_inner()).await?),
            )
            .await;
        }
    };
    let mut client = async_imap::Client::new(stream);
    within(server, async { greeting(server, client.read_response().await) }).await?;
    sign_in(server, client).await
}

async fn sign_in(
    server: &RemoteServer,
    client: async_imap::Client<BoxStream>,
) -> Result<Box<dyn MailboxSession>, ConnectError> {
    let signed_in = within(server, async {
        client.login(&server.user, &server.password).await.map_err(|(error, _)| match error {
            async_imap::error::Error::No(reason) => {
                ConnectError::SignIn { place: server.authority(), reason: line(&reason) }
            }
            error => connect_error(server, error),
        })
    });
    Ok(Box::new(ImapSession { session: signed_in.await?, server: server.clone() }))
}

fn greeting<T>(
    server: &RemoteServer,
    answer: std::io::Result<Option<T>>,
) -> Result<(), ConnectError> {
    match answer {
        Ok(Some(_)) => Ok(()),
        Ok(None) => Err(connect_error(server, async_imap::error::Error::ConnectionLost)),
        Err(error) => Err(super::dial::unreachable(server, &error)),
    }
}

#[async_trait::async_trait]
impl MailboxSession for ImapSession {
    async fn open(
        &mut self,
        folder: &str,
        access: MailboxAccess,
    ) -> Result<MailFolder, ConnectError> {
        let Self { session, server } = self;
        let opened = within(server, async {
            let opened = match access {
                MailboxAccess::Read => session.examine(folder).await,
                MailboxAccess::Write => session.select(folder).await,
            };
            opened.map_err(|error| connect_error(server, error))
        });
        let opened = opened.await?;
        Ok(MailFolder {
            uid_validity: opened.uid_validity.unwrap_or(0),
            uid_next: opened.uid_next.unwrap_or(0),
        })
    }

    async fn search(&mut self, keys: &str) -> Result<Vec<u32>, ConnectError> {
        let Self { session, server } = self;
        let found = within(server, async {
            session.uid_search(keys).await.map_err(|error| connect_error(server, error))
        });
        let mut uids: Vec<u32> = found.await?.into_iter().collect();
        uids.sort_unstable();
        Ok(uids)
    }

    async fn fetch(&mut self, uid: u32, limit: usize) -> Result<Option<FetchedMail>, ConnectError> {
        let Self { session, server } = self;
        let fetching = async {
            let sizes: Vec<_> = session
                .uid_fetch(uid.to_string(), "(RFC822.SIZE)")
                .await
                .map_err(|error| connect_error(server, error))?
                .try_collect()
                .await
                .map_err(|error| connect_error(server, error))?;
            if sizes.iter().any(|found| found.size.is_some_and(|size| size as usize > limit)) {
                return Err(ConnectError::TooLarge { limit });
            }
            let found: Vec<_> = session
                .uid_fetch(uid.to_string(), "(UID FLAGS BODY.PEEK[])")
                .await
                .map_err(|error| connect_error(server, error))?
                .try_collect()
                .await
                .map_err(|error| connect_error(server, error))?;
            Ok(found.iter().find(|found| found.uid == Some(uid)).and_then(|found| {
                let source = Bytes::copy_from_slice(found.body()?);
                Some(FetchedMail { uid, flags: found.flags().map(flag_name).collect(), source })
            }))
        };
        within(server, fetching).await
    }

    async fn mark_seen(&mut self, uids: &[u32]) -> Result<(), ConnectError> {
        if uids.is_empty() {
            return Ok(());
        }
        let Self { session, server } = self;
        let list = uids.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        within(server, async {
            let stored = session
                .uid_store(list, "+FLAGS.SILENT (\\Seen)")
                .await
                .map_err(|error| connect_error(server, error))?;
            stored
                .try_collect::<Vec<_>>()
                .await
                .map_err(|error| connect_error(server, error))
                .map(drop)
        })
        .await
    }

    async fn close(mut self: Box<Self>) {
        let Self { session, server } = self.as_mut();
        // The answer to a farewell changes nothing.
        let _ = within(server, async {
            session.logout().await.map_err(|error| connect_error(server, error))
        })
        .await;
    }
}

fn flag_name(flag: Flag<'_>) -> String {
    match flag {
        Flag::Seen => "\\Seen".into(),
        Flag::Answered => "\\Answered".into(),
        Flag::Flagged => "\\Flagged".into(),
        Flag::Deleted => "\\Deleted".into(),
        Flag::Draft => "\\Draft".into(),
        Flag::Recent => "\\Recent".into(),
        Flag::MayCreate => "\\*".into(),
        Flag::Custom(name) => name.into_owned(),
    }
}

/// The server's words without what a debug print puts around them.
fn line(reason: &str) -> String {
    let inner = reason
        .split_once("info: Some(\"")
        .and_then(|(_, rest)| rest.split_once("\")"))
        .map(|(inner, _)| inner);
    inner.unwrap_or(reason).to_owned()
}

fn connect_error(server: &RemoteServer, error: async_imap::error::Error) -> ConnectError {
    use async_imap::error::Error;
    let place = server.authority();
    match error {
        Error::Io(error) => super::dial::unreachable(server, &error),
        Error::No(reason) => {
            ConnectError::Refused { message: line(&reason), detail: None, state: "NO".into() }
        }
        Error::Bad(reason) => {
            ConnectError::Refused { message: line(&reason), detail: None, state: "BAD".into() }
        }
        error => ConnectError::Unreachable { place, reason: error.to_string() },
    }
}
