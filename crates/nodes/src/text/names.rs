//! Names that come from outside, made harmless: file names and keys of objects.

use model::Str;

/// Keys that mean something to JavaScript objects, which Code nodes and expressions would trip over.
const UNSAFE: &[&str] = &[
    "__proto__",
    "prototype",
    "constructor",
    "getPrototypeOf",
    "setPrototypeOf",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "defineProperty",
    "defineProperties",
    "__defineGetter__",
    "__defineSetter__",
    "mainModule",
    "binding",
    "_linkedBinding",
    "_load",
    "prepareStackTrace",
];

/// Whether a name may be the key of an object.
pub fn is_safe_property(name: &str) -> bool {
    !UNSAFE.contains(&name)
}

/// A name of an XML element or attribute that may be the key of an object.
pub fn sanitize_xml_name(name: &str) -> Str {
    if is_safe_property(name) { name.into() } else { format!("sanitized_{name}").into() }
}

/// The last part of a path in either system's spelling, without control characters: never a way to another folder.
pub fn sanitize_file_name(name: &str) -> Str {
    let visible: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let last = visible.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().trim();
    match last {
        "" | "." | ".." => "untitled".into(),
        last => last.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_never_leads_elsewhere() {
        for (given, expected) in [
            ("report.pdf", "report.pdf"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("a\0b\n.txt", "ab.txt"),
            ("folder/", "folder"),
            ("x/..", "untitled"),
            ("..\0/", "untitled"),
            ("///", "untitled"),
            (" ", "untitled"),
            ("é/ü.txt", "ü.txt"),
        ] {
            assert_eq!(sanitize_file_name(given), expected, "{given:?}");
        }
    }

    #[test]
    fn dangerous_keys_are_made_safe() {
        for (name, safe) in
            [("__proto__", "sanitized___proto__"), ("constructor", "sanitized_constructor"), ("id", "id"), ("__custom__", "__custom__")]
        {
            assert_eq!(sanitize_xml_name(name), safe);
        }
    }
}
