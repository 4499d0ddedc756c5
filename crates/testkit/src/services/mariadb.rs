//! MariaDB, with a database and three users.

use super::certificate::{CERTIFICATE, KEY, certify};
use super::{PASSWORD, Service, folder, free_port, program, run, run_to_end, service_user, write};
use std::process::Command;

pub(super) fn start_mariadb() -> Service {
    let user = service_user("mysql");
    let folder = folder("mariadb", user.as_deref());
    let data = folder.join("data");
    let mut install = Command::new(program(&["/usr/bin/mariadb-install-db"], "mariadb-install-db"));
    install.arg("--no-defaults").arg(format!("--datadir={}", data.display()));
    install.args(["--auth-root-authentication-method=normal", "--skip-test-db"]);
    if let Some(user) = &user {
        install.arg(format!("--user={user}"));
    }
    run_to_end(&mut install);
    certify(&folder, user.as_deref());
    let setup = folder.join("setup.sql");
    let statements = format!(
        "CREATE DATABASE test;\nCREATE USER 'heddle'@'%' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON test.* TO 'heddle'@'%';\n\
         CREATE USER 'secure'@'%' IDENTIFIED BY '{PASSWORD}' REQUIRE SSL;\nGRANT ALL ON test.* TO 'secure'@'%';\n\
         CREATE USER 'admin'@'%' IDENTIFIED BY '{PASSWORD}';\nGRANT ALL ON *.* TO 'admin'@'%' WITH GRANT OPTION;\n"
    );
    write(&setup, &statements, user.as_deref());
    let port = free_port();
    let mut command = Command::new(program(&["/usr/sbin/mariadbd"], "mariadbd"));
    command
        .arg("--no-defaults")
        .arg(format!("--datadir={}", data.display()))
        .arg(format!("--port={port}"));
    command
        .arg(format!("--socket={}", folder.join("socket").display()))
        .arg(format!("--init-file={}", setup.display()));
    command
        .arg(format!("--ssl-cert={}", folder.join(CERTIFICATE).display()))
        .arg(format!("--ssl-key={}", folder.join(KEY).display()));
    command.args([
        "--bind-address=127.0.0.1",
        "--innodb-flush-log-at-trx-commit=0",
        "--skip-name-resolve",
    ]);
    if let Some(user) = &user {
        command.arg(format!("--user={user}"));
    }
    run(command, port, folder)
}
