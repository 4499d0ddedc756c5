//! Names that come from outside, made harmless: file names and keys of objects.

use model::Str;

/// Keys that mean something to JavaScript objects, which Code nodes and expressions would trip
/// over.
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

/// The last part of a path in either system's spelling, without control characters: never a way to
/// another folder, to a device, or to a name that no disk can hold.
pub fn sanitize_file_name(name: &str) -> Str {
    let visible: String = name.chars().filter(|letter| !letter.is_control()).collect();
    let last =
        visible.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().trim();
    match last {
        "" | "." | ".." => "untitled".into(),
        last if is_device(last) => shortened(&format!("_{last}")).into(),
        last => shortened(last).into(),
    }
}

/// A path below a folder, each part of it made harmless.
pub fn sanitize_path(path: &str) -> String {
    let parts = path.split(['/', '\\']).filter(|part| !matches!(part.trim(), "" | "." | ".."));
    let parts: Vec<Str> = parts.map(sanitize_file_name).collect();
    if parts.is_empty() { "untitled".to_owned() } else { parts.join("/") }
}

/// What a name may take on the disks in use.
const MAX_NAME_BYTES: usize = 255;

/// A name that is too long keeps its extension.
fn shortened(name: &str) -> String {
    if name.len() <= MAX_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, extension) = match name.rfind('.').filter(|at| *at > 0 && name.len() - at <= 32) {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    let stem = &stem[..stem.floor_char_boundary(MAX_NAME_BYTES - extension.len())];
    format!("{stem}{extension}")
}

/// Windows opens a device under these names, whatever stands behind the dot.
fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let numbered = |kind: &str| {
        stem.strip_prefix(kind).is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
    };
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
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
            ("nul", "_nul"),
            ("COM1.txt", "_COM1.txt"),
            ("a/aux .tar.gz", "_aux .tar.gz"),
            ("COM10.txt", "COM10.txt"),
            ("console.log", "console.log"),
        ] {
            assert_eq!(sanitize_file_name(given), expected, "{given:?}");
        }
    }

    #[test]
    fn a_long_name_is_cut_and_keeps_its_extension() {
        let name = sanitize_file_name(&format!("{}.pdf", "é".repeat(300)));
        assert!(name.len() <= 255 && name.len() > 250 && name.ends_with("é.pdf"), "{name}");
        assert_eq!(sanitize_file_name(&"x".repeat(300)).len(), 255);
        assert_eq!(sanitize_file_name(&format!("x.{}", "y".repeat(300))).len(), 255);
    }

    #[test]
    fn a_path_stays_below_its_folder() {
        for (given, expected) in [
            ("a/b.txt", "a/b.txt"),
            ("/../a/./b\\nul", "a/b/_nul"),
            ("../..", "untitled"),
            ("", "untitled"),
        ] {
            assert_eq!(sanitize_path(given), expected, "{given:?}");
        }
    }

    #[test]
    fn dangerous_keys_are_made_safe() {
        for (name, safe) in [
            ("__proto__", "sanitized___proto__"),
            ("constructor", "sanitized_constructor"),
            ("id", "id"),
            ("__custom__", "__custom__"),
        ] {
            assert_eq!(sanitize_xml_name(name), safe);
        }
    }
}
