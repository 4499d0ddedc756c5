// Extension functions of text, numbers and booleans.

const { host, ExpressionExtensionError, parseDateTime, numberToDateTime } = heddle;
const { String: text, Number: number, Boolean: boolean } = heddle.extensions;
const { DateTime } = heddle.luxon;
const fail = (message, description) => {
  throw new ExpressionExtensionError(message, description);
};

// ---- text ----

const ALGORITHMS = ['md5', 'base64', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'sha3', 'ripemd160'];
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

// Line by line what only stands at its beginning, then what stands inside.
const MARKDOWN_LINE = [/^\s{0,3}(?:`{3,}|~{3,}).*$/, /^\s{0,3}(?:[-*_]\s*){3,}$/, /^\s{0,3}=+\s*$/];
const MARKDOWN_START = /^(\s*)(?:#{1,6}\s+|(?:>\s?)+|[-*+]\s+|\d+[.)]\s+)/;
const MARKDOWN_INSIDE = [
  [/!\[[^\]]*\]\([^)]*\)/g, ''],
  [/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1'],
  [/<((?:https?|mailto):[^>\s]+)>/g, '$1'],
  [/(\*\*\*|___|\*\*|__|~~|\*|_)(?=\S)([^\n]*?\S)\1/g, '$2'],
  [/`+([^`\n]+)`+/g, '$1'],
];
text.removeMarkdown = (value) => {
  const lines = value.split('\n').filter((line) => !MARKDOWN_LINE.some((rule) => rule.test(line)));
  let result = lines.map((line) => line.replace(MARKDOWN_START, '$1').replace(/\s+#+\s*$/, '')).join('\n');
  for (const [rule, replacement] of MARKDOWN_INSIDE) result = result.replace(rule, replacement);
  return result;
};

text.toDate = (value) => {
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) fail('cannot convert to date');
  // Without a time of day it is midnight, whatever zone Date.parse took.
  if (!/\d{1,2}:\d{1,2}/.test(value)) date.setHours(0, 0, 0);
  return date;
};
text.toDateTime = (value, [format]) => {
  if (format) {
    if (format === 'ms' || format === 's' || format === 'us' || format === 'excel') return text.toNumber(value, []) === undefined ? undefined : numberToDateTime(Number(value), format);
    const date = DateTime.fromFormat(value, format);
    return date.isValid ? date : fail('cannot convert to Luxon DateTime');
  }
  return parseDateTime(value);
};

const CURRENCY = /[\p{Sc}]/gu;
const plain = (value) => value.replace(CURRENCY, '').trim();
text.toInt = (value, [radix = 10]) => {
  const result = parseInt(plain(value), radix);
  return Number.isNaN(result) ? fail('cannot convert to integer') : result;
};
text.toWholeNumber = text.toInt;
text.toFloat = (value) => {
  const stripped = plain(value);
  if (stripped.includes(',')) {
    const grouped = stripped.replace(/,(?=\d{3}(\D|$))/g, '');
    const result = parseFloat(grouped.replace(',', '.'));
    return Number.isNaN(result) ? fail('cannot convert to float') : result;
  }
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
text.quote = (value, [mark = '"']) => `${mark}${value.replace(/\\/g, '\\\\').split(mark).join(`\\${mark}`)}${mark}`;
text.parseJson = (value) => {
  try {
    return JSON.parse(value);
  } catch {
    fail('The text is not valid JSON', "Names and texts need double quotes, and there may be no comma behind the last element.");
  }
};

text.urlEncode = (value, [entireString = false]) => (entireString ? encodeURI(value) : encodeURIComponent(value));
text.urlDecode = (value, [entireString = false]) => (entireString ? decodeURI(value) : decodeURIComponent(value));

text.isUrl = (value) => {
  const url = host(38, value);
  return url !== undefined && value.trim().toLowerCase().startsWith(`${url.protocol}//`);
};
const DOMAIN = /^(?:(?!-)[A-Za-z0-9-]{1,63}(?<!-)\.)+(?:[A-Za-z]{2,63}|xn--[A-Za-z0-9-]{1,59})(?::\d{1,5})?$/;
text.isDomain = (value) => DOMAIN.test(value);
const EMAIL =
  /(?:[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-zA-Z0-9!#$%&'*+/=?^_`{|}~-]+)*|"[^"\n]+")@(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?\.)+[a-zA-Z]{2,}|\[\d{1,3}(?:\.\d{1,3}){3}\])/;
text.isEmail = (value) => new RegExp(`^${EMAIL.source}$`).test(value);
text.extractEmail = (value) => {
  const found = EMAIL.exec(value);
  return found ? found[0] : undefined;
};
const URL_IN_TEXT = /(?:(?:https?|ftp|file):\/\/|www\.)[^\s<>"'`{}|\\^]+/i;
text.extractUrl = (value) => {
  const found = URL_IN_TEXT.exec(value);
  return found ? found[0].replace(/[.,;:!?)\]]+$/, '') : undefined;
};
text.extractDomain = (value) => {
  const email = EMAIL.exec(value);
  if (email) return email[0].slice(email[0].lastIndexOf('@') + 1);
  const url = /(?:https?|ftp|file):\/\/(?:[^\s/@]+@)?([^\s/?#:]+)/i.exec(value);
  if (url) return url[1];
  const bare = /(?:^|[\s(])((?:[\w-]+\.)+[A-Za-z]{2,63})(?=$|[\s/?#:)])/.exec(value);
  return bare ? bare[1] : undefined;
};
text.extractUrlPath = (value) => {
  const url = host(38, value);
  return url === undefined ? undefined : url.pathname;
};

const SMALL_WORDS = new Set(
  'a an and as at because but by en for if in neither nor of on only or over per so some than that the to up upon v versus via vs when with without yet'.split(' '),
);
const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1);
text.toTitleCase = (value) =>
  value
    .toLowerCase()
    .split(/(\s+)/)
    .map((word, index) => (index > 0 && SMALL_WORDS.has(word) ? word : word.split('-').map(capital).join('-')))
    .join('');
text.toSentenceCase = (value) => {
  let start = true;
  let result = '';
  for (const letter of value.toLowerCase()) {
    result += start && /\p{L}/u.test(letter) ? letter.toUpperCase() : letter;
    if (/[.!?]/.test(letter)) start = true;
    else if (!/\s/.test(letter)) start = false;
  }
  return result;
};
text.toSnakeCase = (value) =>
  value
    .toLowerCase()
    .replace(/[ \-]/g, '_')
    .replace(/[^\p{L}\p{N}_.]/gu, '');

const LETTERS = { ß: 'ss', æ: 'ae', Æ: 'AE', ø: 'o', Ø: 'O', đ: 'd', Đ: 'D', ł: 'l', Ł: 'L', œ: 'oe', Œ: 'OE', þ: 'th', Þ: 'Th', ð: 'd', Ð: 'D', ı: 'i', ŋ: 'n', ĸ: 'k' };
text.replaceSpecialChars = (value) =>
  value
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßæÆøØđĐłŁœŒþÞðÐıŋĸ]/g, (letter) => LETTERS[letter]);

// ---- numbers ----

number.abs = (value) => Math.abs(value);
number.ceil = (value) => Math.ceil(value);
number.floor = (value) => Math.floor(value);
number.round = (value, [places = 0]) => +value.toFixed(places);
number.isInteger = (value) => Number.isInteger(value);
number.isEven = (value) => (Number.isInteger(value) ? value % 2 === 0 : fail('isEven() needs a whole number'));
number.isOdd = (value) => (Number.isInteger(value) ? Math.abs(value) % 2 === 1 : fail('isOdd() needs a whole number'));
number.isEmpty = () => false;
number.isNotEmpty = () => true;
number.format = (value, [locale = 'en-US', options]) => new Intl.NumberFormat(locale, options).format(value);
number.toBoolean = (value) => value !== 0;
number.toInt = (value) => Math.round(value);
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
boolean.isEmpty = () => false;
boolean.isNotEmpty = () => true;
boolean.toJsonString = (value) => JSON.stringify(value);
