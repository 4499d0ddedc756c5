//! The names of JavaScript and of expressions that the rewriting of source must know.

/// Words that cannot be declared.
pub(super) const RESERVED_WORDS: &[&str] = &[
    "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "export", "extends", "false",
    "finally", "for", "function", "if", "import", "in", "instanceof", "new", "null", "return", "super", "switch", "this", "throw", "true", "try",
    "typeof", "var", "void", "while", "with", "yield", "let", "static", "await", "arguments", "of", "async", "get", "set",
];

/// Names that exist in the guest and may be read by expressions.
pub(super) const KNOWN_NAMES: &[&str] = &[
    "undefined", "NaN", "Infinity", "Object", "Array", "String", "Number", "Boolean", "Symbol", "BigInt", "Math", "JSON", "Date", "RegExp", "Map",
    "Set", "WeakMap", "WeakSet", "Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError", "SharedArrayBuffer", "Atomics",
    "Int8Array", "Uint8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array",
    "BigInt64Array", "BigUint64Array", "ArrayBuffer", "DataView", "Intl", "parseInt", "parseFloat", "isNaN", "isFinite", "encodeURI",
    "encodeURIComponent", "decodeURI", "decodeURIComponent", "DateTime", "Interval", "Duration", "process", "extend", "extendOptional", "numberList",
    "zip", "min", "max", "average", "not", "$", "$json", "$data", "$binary", "$input", "$node", "$items", "$item", "$prevNode", "$runIndex",
    "$itemIndex", "$now", "$today", "$parameter", "$rawParameter", "$position", "$thisItem", "$thisItemIndex", "$thisRunIndex", "$jmespath", "$jmesPath",
    "$ifEmpty", "$min", "$max", "$average", "$not", "$fromAI", "$fromAi", "$fromai", "$getPairedItem", "$evaluateExpression", "$self", "$tool", "__sanitize",
];

/// Names that exist in JavaScript or browsers and read as an empty object in expressions, as in
/// n8n.
pub(super) const BLANKED_NAMES: &[&str] = &[
    "document", "global", "globalThis", "Window", "self", "alert", "prompt", "confirm", "eval", "uneval", "setTimeout", "setInterval", "setImmediate",
    "clearImmediate", "queueMicrotask", "Function", "require", "module", "Buffer", "__dirname", "__filename", "fetch", "XMLHttpRequest", "Promise",
    "Generator", "GeneratorFunction", "AsyncFunction", "AsyncGenerator", "AsyncGeneratorFunction", "WebAssembly", "Reflect", "Proxy", "escape",
    "unescape",
];

/// What every object inherits is there as a name as well.
pub(super) const INHERITED_NAMES: &[&str] =
    &["hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString", "toString", "valueOf"];

/// Every method that n8n adds to values. A call of one goes through the guest's `extend`.
pub(super) const EXTENSION_NAMES: &[&str] = &[
    // Text.
    "hash", "urlDecode", "urlEncode", "removeTags", "removeMarkdown", "stripTags", "toBoolean", "toDate", "toDateTime", "toDecimalNumber", "toNumber",
    "toFloat", "toInt", "toWholeNumber", "toSentenceCase", "toSnakeCase", "toTitleCase", "quote", "replaceSpecialChars", "length", "isDomain",
    "isEmail", "isUrl", "isNumeric", "isEmpty", "isNotEmpty", "toJsonString", "extractEmail", "extractDomain", "extractUrl", "extractUrlPath",
    "parseJson", "base64Encode", "base64Decode",
    // Numbers.
    "ceil", "floor", "format", "isEven", "isInteger", "isOdd", "round", "abs",
    // Lists.
    "removeDuplicates", "unique", "first", "last", "pluck", "randomItem", "sum", "min", "max", "average", "compact", "smartJoin", "chunk",
    "renameKeys", "mergeIntoObject", "merge", "union", "difference", "intersection", "append", "reverse",
    // Objects.
    "hasField", "removeField", "removeFieldsContaining", "keepFieldsContaining", "keys", "values",
    // Dates.
    "beginningOf", "endOfMonth", "extract", "isBetween", "isDst", "isInLast", "isWeekend", "minus", "plus", "startOf", "diffTo",
    "diffToNow", "toTimeFromNow", "inBetween",
];
