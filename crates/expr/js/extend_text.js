// Extension functions of text, numbers and booleans.

const { host, ExpressionExtensionError, parseDateTime, numberToDateTime } = heddle;
const { String: text, Number: number, Boolean: boolean } = heddle.extensions;
const { DateTime } = heddle.luxon;
const fail = (message, description) => {
  throw new ExpressionExtensionError(message, description);
};

// ---- text ----

const ALGORITHMS = ['md5', 'base64', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3'];
text.hash = (value, [algorithm = 'md5']) => {
  const name = String(algorithm).toLowerCase();
  if (name === 'base64') return host(36, 'base64', value);
  if (!ALGORITHMS.includes(name)) fail(`Unknown algorithm ${algorithm}; known are ${ALGORITHMS.join(', ')}`);
  return host(36, 'hex', host(30, name, value));
};
text.base64Encode = (value) => host(36, 'base64', value);
text.base64Decode = (value) => host(36, 'utf8', host(37, 'base64', value));
text.isEmpty = (value) => value === '';
text.isNotEmpty = (value) => value !== '';
text.length = (value) => value.length;
text.toJsonString = (value) => JSON.stringify(value);
text.removeTags = (value) => value.replace(/<[^>]*>?/gm, '');
text.stripTags = text.removeTags;

// In this order; a rule sees what those before it have left. `$` without `m` is the end of the whole text.
const MARKDOWN = [
  // Bullets and single digits, and what fences and underlines a line.
  [/^(\s*)(?:[*+-]|\d\.)\s+/gm, '$1'],
  [/\n==+/g, '\n'],
  [/~~/g, ''],
  [/```.*\n/g, ''],
  // Tags without unusual characters, footnotes, images and links.
  [/<[\w\s|='":(),;/.-]+[>|\\]/g, ''],
  [/^[=-]{2,}\s*$/g, ''],
  [/\[\^.+?\](?:: .*?$)?/g, ''],
  [/\s{0,2}\[.*?\]: .*?$/g, ''],
  [/!\[.*?\][[(].*?[\])]/g, ''],
  [/\[(.*?)\][[(].*?[\])]/g, '$1'],
  [/>/g, ''],
  [/^\s{1,2}\[.*?\]: \S+(?: ".*?")?\s*$/g, ''],
  // Headings, emphasis, code, rules and blank lines.
  [/^#{1,6}\s*([^#]*)\s*(?:#{1,6})?/gm, '$1'],
  [/([*_]{1,3})(\S.*?\S)\1/g, '$2'],
  [/(`{3,})(.*?)\1/gm, '$2'],
  [/^-{3,}\s*$/g, ''],
  [/`(.+?)`/g, '$1'],
  [/\n{2,}/g, '\n\n'],
];
text.removeMarkdown = (value) => MARKDOWN.reduce((left, [rule, replacement]) => left.replace(rule, replacement), value);

text.toDate = (value) => {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) fail('cannot convert to date');
  // Without a time of day it is midnight, whatever zone Date.parse took.
  if (!/\d{1,2}:\d{1,2}/.test(value)) date.setHours(0, 0, 0);
  return date;
};
text.toDateTime = (value, [format]) => {
  if (format) {
    if (format === 'ms' || format === 's' || format === 'us' || format === 'excel') return numberToDateTime(Number(value), format);
    return DateTime.fromFormat(value, format);
  }
  return parseDateTime(value);
};

const CURRENCY = /[\p{Sc}]/gu;
const plain = (value) => value.replace(CURRENCY, '').trim();
text.toInt = (value, [radix]) => {
  const result = parseInt(plain(value), radix);
  return Number.isNaN(result) ? fail('cannot convert to integer') : result;
};
text.toWholeNumber = text.toInt;
text.toFloat = (value) => {
  const stripped = plain(value);
  if (stripped.includes(',')) fail('cannot convert to float, expected . as decimal separator');
  const result = parseFloat(stripped);
  return Number.isNaN(result) ? fail('cannot convert to float') : result;
};
text.toDecimalNumber = text.toFloat;
text.toNumber = (value) => {
  const result = Number(plain(value));
  return Number.isNaN(result) ? fail('cannot convert to number') : result;
};
text.toBoolean = (value) => value.length > 0 && !['false', 'no', '0'].includes(value.toLowerCase());
text.isNumeric = (value) => !value.includes(' ') && !Number.isNaN(Number(value)) && !Number.isNaN(parseFloat(value));
text.quote = (value, [mark = '"']) => {
  if (mark === '') throw new TypeError('quotes are needed');
  return `${mark}${value.replace(/\\/g, '\\\\').split(mark).join(`\\${mark}`)}${mark}`;
};
text.parseJson = (value) => {
  try {
    if (value.startsWith('\ufeff')) throw new SyntaxError('a mark of the byte order is no JSON');
    return JSON.parse(value);
  } catch {
    fail('Parsing failed', "Names and texts need double quotes, and there may be no comma behind the last element.");
  }
};

text.urlEncode = (value, [entireString = false]) => (entireString ? encodeURI(value) : encodeURIComponent(value));
text.urlDecode = (value, [entireString = false]) => (entireString ? decodeURI(value) : decodeURIComponent(value));

// A host that a text may name: `localhost`, four numbers, or names with a point between them and letters at the end.
const HOST = String.raw`(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|(?:[\w-]+\.)+(?:xn--[a-z\d]+|[a-z]{2,}))`;
const URL_IN_TEXT = new RegExp(String.raw`(?:https?|ftp)://${HOST}\S*`, 'i');
const WHOLE_URL = new RegExp(`^${URL_IN_TEXT.source}$`, 'i');
const DOMAIN = new RegExp(String.raw`^${HOST}(?::\d+)?(?:[/?#]\S*)?$`, 'i');
const DOMAIN_OF_URL = new RegExp(String.raw`^(?:(?:(?:https?|ftp):)?//)?@?(${HOST})(?::\d+)?(?:[/?#]\S*)?$`, 'i');
const EMAIL = /(?:[^<>()[\]\\.,;:\s@"]+(?:\.[^<>()[\]\\.,;:\s@"]+)*|"[^\n]+")@(?:\[\d{1,3}(?:\.\d{1,3}){3}\]|(?:[a-zA-Z\d-]+\.)+[a-zA-Z]{2,})/;
text.isUrl = (value) => WHOLE_URL.test(value);
text.extractUrl = (value) => {
  const found = URL_IN_TEXT.exec(value);
  return found ? found[0] : undefined;
};
text.isDomain = (value) => DOMAIN.test(value);
// Whatever else surrounds it, as long as there is no blank.
text.isEmail = (value) => !value.includes(' ') && EMAIL.test(value);
text.extractEmail = (value) => {
  const found = EMAIL.exec(value);
  return found ? found[0] : undefined;
};
text.extractDomain = (value) => {
  if (text.isEmail(value)) {
    const [email] = EMAIL.exec(value);
    return email.slice(email.lastIndexOf('@') + 1);
  }
  const found = DOMAIN_OF_URL.exec(value);
  return found ? found[1] : undefined;
};
text.extractUrlPath = (value) => {
  const url = host(38, value);
  return url === undefined ? undefined : url.pathname;
};

const SMALL_WORDS = 'a an and as at because but by en for if in neither nor of on only or over per so some than that the to up upon v versus via vs when with without yet';
/** A word with a small one in it, such as `and,` or `on/off`. */
const HAS_SMALL_WORD = new RegExp(`\\b(?:${SMALL_WORDS.replaceAll(' ', '|')})\\b`, 'i');
/** A word that is written in a way of its own, such as `iPhone` or `example.com`. */
const OWN_WAY = /.(?=[A-Z]|\..)/;
const hasTitle = (value, word, index) => {
  const end = index + word.length;
  if (OWN_WAY.test(word) || (HAS_SMALL_WORD.test(word) && index > 0 && end < value.length)) return false;
  return value[end] !== ':' || /\s/.test(value[end + 1] ?? '');
};
text.toTitleCase = (value) => {
  let result = '';
  for (const { 0: word, index } of value.matchAll(/[^\s:\u2013\u2014-]+|./g)) {
    result += hasTitle(value, word, index) ? word.replace(/[A-Za-z\d\u00c0-\u00ff]/, (letter) => letter.toUpperCase()) : word;
  }
  return result;
};
text.toSentenceCase = (value) => {
  let start = true;
  let result = '';
  for (const letter of value) {
    const lower = letter.toLowerCase();
    const isLetter = /\p{L}/u.test(letter);
    if (!start || !isLetter) result += lower;
    else result += (/\p{L}/u.test(result) ? lower : letter).toUpperCase();
    if (/[.!?]/.test(letter)) start = true;
    else if (isLetter) start = false;
  }
  return result;
};
text.toSnakeCase = (value) =>
  value
    .toLowerCase()
    .replace(/[ \-]/g, '_')
    .replace(/[!-,./:-@[-^`{-~]/g, '');

/** What stands for a character in plain letters, where that is known. */
const transliterated = (letter) => {
  const code = letter.codePointAt(0);
  if (code >= 0x1f000 && code < 0x20000) return '?';
  const block = heddle.transliterations.find(([first, texts]) => code >= first && code < first + texts.length);
  return block ? block[1][code - block[0]] : letter;
};
text.replaceSpecialChars = (value) => value.replace(/[^\x00-\x7f]/gu, transliterated);

// ---- numbers ----

number.abs = (value) => Math.abs(value);
number.ceil = (value) => Math.ceil(value);
number.floor = (value) => Math.floor(value);
number.round = (value, [places = 0]) => +value.toFixed(places);
number.isInteger = (value) => Number.isInteger(value);
number.isEven = (value) => (Number.isInteger(value) ? value % 2 === 0 : fail('isEven() needs a whole number'));
number.isOdd = (value) => (Number.isInteger(value) ? Math.abs(value) % 2 === 1 : fail('isOdd() needs a whole number'));
// Zero and NaN count as empty, as `false` does.
number.isEmpty = (value) => !value;
number.isNotEmpty = (value) => Boolean(value);
number.format = (value, [locale = 'en-US', options]) => new Intl.NumberFormat(locale, options).format(value);
number.toBoolean = (value) => value !== 0;
number.toInt = (value) => +value.toFixed(0);
number.toWholeNumber = number.toInt;
number.toFloat = (value) => value;
number.toDecimalNumber = number.toFloat;
number.toNumber = (value) => value;
number.toDateTime = (value, [format]) => numberToDateTime(value, format);
number.toJsonString = (value) => JSON.stringify(value);

// ---- booleans ----

boolean.toBoolean = (value) => value;
boolean.toInt = (value) => (value ? 1 : 0);
boolean.toWholeNumber = boolean.toInt;
boolean.toFloat = boolean.toInt;
boolean.toDecimalNumber = boolean.toInt;
boolean.toNumber = boolean.toInt;
boolean.toDateTime = () => undefined;
boolean.isEmpty = (value) => !value;
boolean.isNotEmpty = (value) => value;
boolean.toJsonString = (value) => JSON.stringify(value);
