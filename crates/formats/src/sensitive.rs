//! Personal data and keys in texts: how they look, and words in their place.

use PersonalDataFormat::{Pattern, Signs};
use model::{Object, Value};
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::OnceLock;

/// How keys of well-known services begin.
pub const KEY_PREFIXES: [&str; 15] = [
    "key-", "sk-", "sk_", "pk_", "pk-", "ghp_", "AKIA", "xox", "SG.", "hf_", "api-", "apikey-",
    "token-", "secret-", "SHA:",
];

/// What is looked for: n8n's name, its name for people, and the form it has.
pub const PERSONAL_DATA: &[(&str, &str, PersonalDataFormat)] = &[
    ("CREDIT_CARD", "Credit Card", Pattern("[0-9]{4}(?:[- ]?[0-9]{4}){3}")),
    ("CRYPTO", "Crypto", Pattern("[13][1-9A-HJ-NP-Za-km-z]{25,34}")),
    (
        "DATE_TIME",
        "Date Time",
        Pattern("(?:0[1-9]|1[012])[-/](?:0[1-9]|[12][0-9]|3[01])[-/](?:19|20)[0-9]{2}"),
    ),
    (
        "EMAIL_ADDRESS",
        "Email Address",
        Pattern("[0-9A-Za-z._%+-]+@(?:[0-9A-Za-z-]+[.])+[A-Za-z]{2,}"),
    ),
    ("IBAN_CODE", "IBAN Code", Pattern("[A-Z]{2}[0-9]{2}[0-9A-Z]{4}[0-9]{7}[0-9A-Z]{0,16}")),
    ("IP_ADDRESS", "IP Address", Pattern("[0-9]{1,3}(?:[.][0-9]{1,3}){3}")),
    (
        "LOCATION",
        "Location",
        Pattern(
            "(?:[A-Za-z]+\\s+)+(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Drive|Dr|Lane|Ln|Place|Pl|Court|Ct|Way|Highway|Hwy)",
        ),
    ),
    ("PHONE_NUMBER", "Phone Number", Pattern("[0-9]{3}[)]?[-.\\s]?[0-9]{3}[-.\\s]?[0-9]{4,6}")),
    ("MEDICAL_LICENSE", "Medical License", Signs("@@######")),
    ("US_BANK_NUMBER", "US Bank Number", Pattern("[0-9]{8,17}")),
    ("US_DRIVER_LICENSE", "US Driver License", Signs("@#######")),
    ("US_ITIN", "US ITIN", Signs("9##-##-####")),
    ("US_PASSPORT", "US Passport", Signs("@########")),
    ("US_SSN", "US SSN", Signs("###-##-####|#########")),
    ("UK_NHS", "UK NHS", Signs("### ### ####")),
    ("UK_NINO", "UK NINO", Signs("@@######@")),
    ("ES_NIF", "ES NIF", Signs("@########")),
    ("ES_NIE", "ES NIE", Signs("@########")),
    ("IT_FISCAL_CODE", "IT Fiscal Code", Signs("@@@@@@##@##@###@")),
    ("IT_DRIVER_LICENSE", "IT Driver License", Signs("@@#######")),
    ("IT_VAT_CODE", "IT VAT Code", Signs("IT###########")),
    ("IT_PASSPORT", "IT Passport", Signs("@@#######")),
    ("IT_IDENTITY_CARD", "IT Identity Card", Signs("@@#######")),
    ("PL_PESEL", "PL PESEL", Signs("###########")),
    ("SG_NRIC_FIN", "SG NRIC FIN", Signs("@#######@")),
    ("SG_UEN", "SG UEN", Signs("########@|#########@")),
    ("AU_ABN", "AU ABN", Signs("## ### ### ###")),
    ("AU_ACN", "AU ACN", Signs("### ### ###")),
    ("AU_TFN", "AU TFN", Signs("#########")),
    ("AU_MEDICARE", "AU Medicare", Signs("#### ##### #")),
    ("IN_PAN", "IN PAN", Signs("@@@@@####@")),
    ("IN_AADHAAR", "IN AADHAAR", Signs("#### #### ####")),
    ("IN_VEHICLE_REGISTRATION", "IN Vehicle Registration", Signs("@@##@@####")),
    ("IN_VOTER", "IN Voter", Signs("@@@#######")),
    ("IN_PASSPORT", "IN Passport", Signs("@#######")),
    (
        "FI_PERSONAL_IDENTITY_CODE",
        "FI Personal Identity Code",
        Pattern("[0-9]{6}[-+A][0-9]{3}[0-9A-Z]"),
    ),
];

/// The form of a piece of personal data.
#[derive(Clone, Copy, Debug)]
pub enum PersonalDataFormat {
    /// `#` is a digit and `@` a capital letter; `|` stands between two forms.
    Signs(&'static str),
    Pattern(&'static str),
}

impl PersonalDataFormat {
    /// As a pattern that stands alone: no letter or digit of ASCII goes on over its ends.
    pub fn pattern(self) -> String {
        let inner = match self {
            Pattern(pattern) => pattern.to_owned(),
            Signs(signs) => signs.replace('#', "[0-9]").replace('@', "[A-Z]"),
        };
        format!(r"(?-u:\b)(?:{inner})(?-u:\b)")
    }
}

/// Fields whose values are secrets, whatever they look like. Signs and capitals do not count.
const SECRET_FIELDS: [&str; 12] = [
    "authorization",
    "proxyauthorization",
    "cookie",
    "setcookie",
    "password",
    "passwd",
    "secret",
    "clientsecret",
    "apikey",
    "accesstoken",
    "refreshtoken",
    "privatekey",
];

/// Personal data that a redaction replaces: what points to a person wherever it stands.
const REDACTED: [&str; 6] =
    ["CREDIT_CARD", "EMAIL_ADDRESS", "IBAN_CODE", "IP_ADDRESS", "US_SSN", "PHONE_NUMBER"];

/// A key is at least so long; shorter words only begin like one.
const MIN_KEY_CHARS: usize = 12;

/// What is replaced in what leaves the instance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Addresses, numbers of cards and telephones, and the like.
    pub personal_data: bool,
}

impl Redaction {
    /// The value without secrets, and without personal data if that is asked for.
    pub fn of(self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.of_text(text).into_owned().into(),
            Value::Array(values) => {
                Value::array(values.iter().map(|value| self.of(value)).collect())
            }
            Value::Object(fields) => self.of_fields(fields).into(),
            other => other.clone(),
        }
    }

    pub fn of_fields(self, fields: &Object) -> Object {
        let field = |(name, value): (&model::Str, &Value)| {
            let hides = is_secret_field(name) && !value.is_nullish();
            (name.clone(), if hides { "<SECRET>".into() } else { self.of(value) })
        };
        fields.iter().map(field).collect()
    }

    pub fn of_text(self, text: &str) -> Cow<'_, str> {
        let text = without_keys(text);
        if !self.personal_data {
            return text;
        }
        let Some(pattern) = personal_data() else { return text };
        let replaced = pattern.replace_all(&text, |found: &Captures<'_>| {
            let name = REDACTED.into_iter().find(|name| found.name(name).is_some());
            format!("<{}>", name.unwrap_or("PERSONAL_DATA"))
        });
        match replaced {
            Cow::Borrowed(_) => text,
            Cow::Owned(replaced) => Cow::Owned(replaced),
        }
    }
}

fn is_secret_field(name: &str) -> bool {
    let plain: String =
        name.chars().filter(|letter| letter.is_alphanumeric()).collect::<String>().to_lowercase();
    SECRET_FIELDS.contains(&plain.as_str())
}

/// The text with a word in the place of each key of a known form.
fn without_keys(text: &str) -> Cow<'_, str> {
    static KEYS: OnceLock<Option<Regex>> = OnceLock::new();
    let keys = KEYS.get_or_init(|| {
        let beginnings: Vec<String> =
            KEY_PREFIXES.iter().map(|beginning| regex::escape(beginning)).collect();
        let rest = format!(r"[0-9A-Za-z_.~+/=-]{{{MIN_KEY_CHARS},}}");
        Regex::new(&format!(r"(?-u:\b)(?:{}){rest}", beginnings.join("|"))).ok()
    });
    match keys {
        Some(keys) => keys.replace_all(text, "<SECRET>"),
        None => Cow::Borrowed(text),
    }
}

/// One pattern for all, with a group for each.
fn personal_data() -> Option<&'static Regex> {
    static ALL: OnceLock<Option<Regex>> = OnceLock::new();
    ALL.get_or_init(|| {
        let groups: Vec<String> = REDACTED
            .into_iter()
            .filter_map(|wanted| PERSONAL_DATA.iter().find(|(name, _, _)| *name == wanted))
            .map(|(name, _, form)| format!("(?P<{name}>{})", form.pattern()))
            .collect();
        Regex::new(&groups.join("|")).ok()
    })
    .as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::json;

    #[test]
    fn secrets_are_always_replaced_and_personal_data_when_asked_for() {
        let value = json!({
            "headers": { "Authorization": "Bearer abc", "accept": "text/html" },
            "api_key": "short",
            "text": "Use sk-proj-0123456789abcdef and mail ann@example.com or call 555-123-4567"
        });
        let secrets = Redaction::default().of(&value);
        assert_eq!(
            secrets,
            json!({
                "headers": { "Authorization": "<SECRET>", "accept": "text/html" },
                "api_key": "<SECRET>",
                "text": "Use <SECRET> and mail ann@example.com or call 555-123-4567"
            })
        );
        let all = Redaction { personal_data: true }.of(&value);
        let text = all.get("text").and_then(Value::as_str).unwrap();
        assert_eq!(text, "Use <SECRET> and mail <EMAIL_ADDRESS> or call <PHONE_NUMBER>");
    }

    #[test]
    fn every_form_that_is_redacted_is_one_that_is_known() {
        assert!(personal_data().is_some_and(|all| all.captures_len() == REDACTED.len() + 1));
        let all = Redaction { personal_data: true };
        for (text, word) in [
            ("4111-1111-1111-1111", "<CREDIT_CARD>"),
            ("DE89370400440532013000", "<IBAN_CODE>"),
            ("10.0.0.1", "<IP_ADDRESS>"),
            ("123-45-6789", "<US_SSN>"),
        ] {
            assert_eq!(all.of_text(text), word);
        }
        assert_eq!(all.of_text("nothing here, version 1.2"), "nothing here, version 1.2");
    }
}
