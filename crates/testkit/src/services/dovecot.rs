//! Dovecot, a mail server that IMAP clients read from.

use super::certificate::{CERTIFICATE, KEY, certify};
use super::{PASSWORD, Service, folder, free_port, program, run, run_to_end};
use std::fs;
use std::os::unix::fs::chown;
use std::process::Command;

/// A mail server with the user `ada`, whose mailbox lies in `mail/`.
pub(super) fn start_dovecot() -> Service {
    let folder = folder("dovecot", None);
    let (port, tls_port) = (free_port(), free_port());
    let mail = folder.join("mail");
    for name in ["cur", "new", "tmp"] {
        fs::create_dir_all(mail.join(name)).unwrap();
    }
    run_to_end(Command::new("chown").args(["-R", "nobody:nogroup"]).arg(&mail));
    run_to_end(Command::new("chmod").arg("755").arg(&folder));
    certify(&folder, None);
    fs::write(
        folder.join("users"),
        format!("ada:{{PLAIN}}{PASSWORD}:65534:65534::/nonexistent::\n"),
    )
    .unwrap();
    let at = folder.display();
    let settings = format!(
        "base_dir = {at}/run\nstate_dir = {at}/state\nlog_path = {at}/log\nprotocols = imap\nssl = yes\nssl_cert = <{at}/{CERTIFICATE}\nssl_key = <{at}/{KEY}\n\
         disable_plaintext_auth = no\nmail_location = maildir:{at}/mail\nfirst_valid_uid = 1\nfirst_valid_gid = 1\n\
         passdb {{\n driver = passwd-file\n args = {at}/users\n}}\nuserdb {{\n driver = passwd-file\n args = {at}/users\n}}\n\
         service imap-login {{\n chroot =\n inet_listener imap {{\n  address = 127.0.0.1\n  port = {port}\n }}\n inet_listener imaps {{\n  address = 127.0.0.1\n  port = {tls_port}\n  ssl = yes\n }}\n}}\n\
         service anvil {{\n chroot =\n}}\n"
    );
    fs::write(folder.join("dovecot.conf"), settings).unwrap();
    let mut command = Command::new(program(&["/usr/sbin/dovecot"], "dovecot"));
    command.arg("-F").arg("-c").arg(folder.join("dovecot.conf"));
    let mut server = run(command, port, folder);
    server.tls_port = tls_port;
    server
}

/// Puts a mail into the mailbox of a mail server.
pub fn deliver(server: &Service, name: &str, mail: &str) {
    let path = server.folder.join("mail/new").join(name);
    fs::write(&path, mail).unwrap();
    chown(&path, Some(65_534), Some(65_534)).unwrap();
}
