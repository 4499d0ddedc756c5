//! Names with a meaning of their own: what may not be touched, what belongs to prototypes, what
//! other code must judge.

/// Properties that reach out of the data; the sandbox words the refusal.
pub(super) fn is_unsafe(name: &str) -> bool {
    matches!(
        name,
        "constructor"
            | "prototype"
            | "__proto__"
            | "getPrototypeOf"
            | "setPrototypeOf"
            | "mainModule"
            | "binding"
            | "_load"
            | "prepareStackTrace"
            | "caller"
            | "callee"
            | "arguments"
            | "defineProperty"
            | "defineProperties"
            | "getOwnPropertyDescriptor"
            | "getOwnPropertyDescriptors"
            | "_linkedBinding"
            | "getBuiltinModule"
            | "dlopen"
            | "execve"
            | "loadEnvFile"
    ) || name.starts_with("__")
        || name.starts_with("constructor")
}

/// What every object inherits: reading one gives a function that the native evaluator does not
/// model.
pub(super) fn is_object_prototype(name: &str) -> bool {
    matches!(
        name,
        "toString"
            | "valueOf"
            | "hasOwnProperty"
            | "isPrototypeOf"
            | "propertyIsEnumerable"
            | "toLocaleString"
    ) || is_unsafe(name)
}

/// Methods and properties that texts, numbers, booleans or arrays inherit.
pub(super) fn is_prototype_method(name: &str) -> bool {
    PROTOTYPE_METHODS.binary_search(&name).is_ok() || is_object_prototype(name)
}

/// In order.
const PROTOTYPE_METHODS: &[&str] = &[
    "anchor",
    "at",
    "big",
    "blink",
    "bold",
    "charAt",
    "charCodeAt",
    "codePointAt",
    "concat",
    "copyWithin",
    "endsWith",
    "entries",
    "every",
    "fill",
    "filter",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "fixed",
    "flat",
    "flatMap",
    "fontcolor",
    "fontsize",
    "forEach",
    "groups",
    "includes",
    "index",
    "indexOf",
    "input",
    "isWellFormed",
    "italics",
    "join",
    "keys",
    "lastIndexOf",
    "link",
    "localeCompare",
    "map",
    "match",
    "matchAll",
    "normalize",
    "padEnd",
    "padStart",
    "pop",
    "push",
    "raw",
    "reduce",
    "reduceRight",
    "repeat",
    "replace",
    "replaceAll",
    "reverse",
    "search",
    "shift",
    "slice",
    "small",
    "some",
    "sort",
    "splice",
    "split",
    "startsWith",
    "strike",
    "sub",
    "substr",
    "substring",
    "sup",
    "toExponential",
    "toFixed",
    "toLocaleLowerCase",
    "toLocaleUpperCase",
    "toLowerCase",
    "toPrecision",
    "toReversed",
    "toSorted",
    "toSpliced",
    "toUpperCase",
    "toWellFormed",
    "trim",
    "trimEnd",
    "trimLeft",
    "trimRight",
    "trimStart",
    "unshift",
    "values",
    "with",
];

/// n8n's extension functions: called on `null` or a type without them they fail in words of their
/// own.
pub(super) fn is_extension(name: &str) -> bool {
    EXTENSIONS.contains(&name)
}

const EXTENSIONS: &[&str] = &[
    "abs",
    "append",
    "average",
    "base64Decode",
    "base64Encode",
    "beginningOf",
    "ceil",
    "chunk",
    "compact",
    "difference",
    "diffTo",
    "diffToNow",
    "endOfMonth",
    "extract",
    "extractDomain",
    "extractEmail",
    "extractUrl",
    "extractUrlPath",
    "first",
    "floor",
    "format",
    "hasField",
    "hash",
    "intersection",
    "isBetween",
    "isBlank",
    "isDomain",
    "isDst",
    "isEmail",
    "isEmpty",
    "isEven",
    "isFalse",
    "isInLast",
    "isInteger",
    "isNotEmpty",
    "isNumeric",
    "isOdd",
    "isPresent",
    "isTrue",
    "isUrl",
    "isWeekend",
    "keepFieldsContaining",
    "keys",
    "last",
    "length",
    "max",
    "merge",
    "mergeIntoObject",
    "min",
    "minus",
    "parseJson",
    "pluck",
    "plus",
    "quote",
    "randomItem",
    "removeDuplicates",
    "removeField",
    "removeFieldsContaining",
    "removeMarkdown",
    "removeTags",
    "renameKeys",
    "replaceSpecialChars",
    "round",
    "smartJoin",
    "sum",
    "toBoolean",
    "toDate",
    "toDateTime",
    "toDecimalNumber",
    "toFloat",
    "toInt",
    "toInteger",
    "toJsonString",
    "toNumber",
    "toSentenceCase",
    "toSnakeCase",
    "toString",
    "toTime",
    "toTitleCase",
    "toWholeNumber",
    "union",
    "unique",
    "urlDecode",
    "urlEncode",
    "values",
];

/// Global names of JavaScript and its hosts that are not ours to answer for.
pub(super) fn is_foreign_global(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "AbortController",
        "AggregateError",
        "ArrayBuffer",
        "AsyncFunction",
        "AsyncGenerator",
        "AsyncGeneratorFunction",
        "Atomics",
        "BigInt",
        "BigInt64Array",
        "BigUint64Array",
        "Blob",
        "Buffer",
        "DataView",
        "Duration",
        "Error",
        "EvalError",
        "FinalizationRegistry",
        "Float32Array",
        "Float64Array",
        "FormData",
        "Function",
        "Generator",
        "GeneratorFunction",
        "Headers",
        "Int16Array",
        "Int32Array",
        "Int8Array",
        "Interval",
        "Intl",
        "Iterator",
        "Map",
        "Promise",
        "Proxy",
        "RangeError",
        "ReferenceError",
        "Reflect",
        "Request",
        "Response",
        "Set",
        "SharedArrayBuffer",
        "Symbol",
        "SyntaxError",
        "TextDecoder",
        "TextEncoder",
        "TypeError",
        "URIError",
        "URL",
        "URLSearchParams",
        "Uint16Array",
        "Uint32Array",
        "Uint8Array",
        "Uint8ClampedArray",
        "WeakMap",
        "WeakRef",
        "WeakSet",
        "WebAssembly",
        "Window",
        "XMLHttpRequest",
        "alert",
        "arguments",
        "atob",
        "btoa",
        "clearImmediate",
        "clearInterval",
        "clearTimeout",
        "confirm",
        "console",
        "crypto",
        "document",
        "escape",
        "eval",
        "event",
        "exports",
        "extend",
        "extendOptional",
        "fetch",
        "global",
        "globalThis",
        "jmespath",
        "localStorage",
        "location",
        "module",
        "navigator",
        "performance",
        "process",
        "prompt",
        "queueMicrotask",
        "require",
        "resolvedExpression",
        "sessionStorage",
        "setImmediate",
        "setInterval",
        "setTimeout",
        "structuredClone",
        "unescape",
        "uneval",
        "window",
        "self",
        "async",
        "yield",
        "of",
        "get",
        "set",
        "static",
        "name",
        "top",
        "parent",
        "luxon",
        "IterateeProxy",
        "data",
    ];
    NAMES.contains(&name) || is_object_prototype(name) || matches!(name, "not" | "$if" | "$tool")
}

/// Every name that something may have a method under.
pub(super) fn methods() -> impl Iterator<Item = &'static str> {
    let others = [
        "test",
        "exec",
        "has",
        "hasOwnProperty",
        "toString",
        "valueOf",
        "toLocaleString",
        "toJSON",
        "toFormat",
        "all",
    ];
    PROTOTYPE_METHODS.iter().chain(EXTENSIONS).copied().chain(others)
}

/// Methods whose result is the value they are called on, a part of it, or what a function gave:
/// nothing new is made.
pub(super) fn returns_existing(name: &str) -> bool {
    matches!(
        name,
        "at" | "find"
            | "findLast"
            | "first"
            | "last"
            | "pop"
            | "reduce"
            | "reduceRight"
            | "shift"
            | "toString"
            | "valueOf"
            | "values"
            | "itemMatching"
            | "pairedItem"
    )
}

/// Methods whose result is a new array or object of its own.
pub(super) fn returns_fresh(name: &str) -> bool {
    matches!(
        name,
        "map"
            | "filter"
            | "slice"
            | "split"
            | "concat"
            | "flat"
            | "flatMap"
            | "match"
            | "all"
            | "chunk"
            | "compact"
            | "unique"
            | "pluck"
            | "toSorted"
            | "toReversed"
            | "sort"
            | "reverse"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prototype_names_are_found() {
        for name in ["anchor", "map", "with", "index", "toString", "constructor"] {
            assert!(is_prototype_method(name), "{name}");
        }
        assert!(!is_prototype_method("name"));
    }
}
