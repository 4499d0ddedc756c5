//! The database a credential is for, and how its values become JSON with the node's options.

use super::super::credential::CredentialFields;
use node_api::connect::{DateForm, Dialect, NumberForm, Security, SqlServer, ValueForms};
use node_api::http::TlsCertificates;
use node_api::prelude::*;
use std::sync::Arc;

pub(in super::super) fn postgres(
    ctx: &Ctx<'_>,
    large_numbers_path: &str,
) -> Result<SqlServer, NodeError> {
    let fields = CredentialFields::of(ctx, "postgres")?;
    let mut server = fields.server(5432)?;
    server.allow_invalid_certificates = fields.flag("allowUnauthorizedCerts", Default::default());
    server.security = match fields.text("ssl").as_str() {
        "require" => Security::Tls,
        "allow" => Security::IfOffered,
        _ if server.allow_invalid_certificates => Security::IfOffered,
        _ => Security::Plain,
    };
    if server.user.is_empty() {
        server.user = "postgres".into();
    }
    server.timeout_ms = timeout_ms(ctx, 30.0)?;
    let numbers = if ctx.text(large_numbers_path, 0)? == "numbers" {
        NumberForm::Number
    } else {
        NumberForm::Text
    };
    // Since 2.7 a date is the day it says, and no moment.
    let dates = if ctx.version() >= 2.7 { DateForm::AsWritten } else { DateForm::Iso };
    let values = ValueForms { big_integers: numbers, decimals: numbers, dates };
    let database = Some(fields.text("database"))
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "postgres".into());
    Ok(SqlServer { server, dialect: Dialect::Postgres, database, values })
}

pub(in super::super) fn mysql(ctx: &Ctx<'_>) -> Result<SqlServer, NodeError> {
    let fields = CredentialFields::of(ctx, "mySql")?;
    let mut server = fields.server(3306)?;
    server.timeout_ms = (fields.number("connectTimeout", 10_000.0)?).clamp(1.0, 600_000.0) as u64;
    if !ctx.param("options.connectionTimeout", 0)?.is_nullish() {
        server.timeout_ms = timeout_ms(ctx, 30.0)?;
    }
    if fields.flag("ssl", Default::default()) {
        server.security = Security::Tls;
        let identity =
            [fields.text("clientCertificate"), fields.text("clientPrivateKey")].join("\n");
        server.certificates = Some(Arc::new(TlsCertificates {
            authorities: fields.text("caCertificate"),
            identity: identity.trim().to_owned(),
        }));
    }
    let big_integers = if ctx.text("options.largeNumbersOutput", 0)? == "text" {
        NumberForm::Text
    } else {
        NumberForm::NumberIfExact
    };
    let decimals =
        if ctx.flag("options.decimalNumbers", 0)? { NumberForm::Number } else { NumberForm::Text };
    // Since 2.1 a date is given as the server writes it.
    let dates = if ctx.version() >= 2.1 { DateForm::AsWritten } else { DateForm::Iso };
    Ok(SqlServer {
        server,
        dialect: Dialect::MySql,
        database: fields.text("database"),
        values: ValueForms { big_integers, decimals, dates },
    })
}

fn timeout_ms(ctx: &Ctx<'_>, otherwise_seconds: f64) -> Result<u64, NodeError> {
    let path = "options.connectionTimeout";
    let seconds =
        if ctx.param(path, 0)?.is_nullish() { otherwise_seconds } else { ctx.number(path, 0)? };
    Ok((seconds.clamp(0.001, 600.0) * 1000.0) as u64)
}
