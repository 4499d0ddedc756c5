// Extension methods: of each type on its own values, and of every type on any value.

import * as make from '../values.mjs';

const call = (random, subject, name, args) => {
  const { source, items } = make.placed(random, subject);
  const optional = random.chance(0.04) ? '?.' : '.';
  return { code: `${source}${optional}${name}(${args.join(', ')})`, items };
};
const maybe = (random, source) => (random.chance(0.5) ? [source(random)] : []);
const none = () => [];

const TEXT = {
  hash: [make.text, (r) => [...maybe(r, () => make.quoted(r.pick(['md5', 'sha1', 'SHA256', 'sha224', 'sha384', 'sha512', 'sha3', 'base64', 'ripemd160', 'crc32', ''])))]],
  base64Encode: [make.text, none], base64Decode: [(r) => r.pick(['YQ==', 'YWJj', 'w6k=', 'not base64!', 'YQ', 'YQ=', '_-8=', ' YWJj ', '', '////', 'gICA']), none],
  urlEncode: [make.text, (r) => maybe(r, (q) => q.pick(['true', 'false']))],
  urlDecode: [(r) => r.pick(['a%20b', 'a+b', '%C3%A9', '%', '%zz', 'a%2Fb%3Fc', '%E0%A4%A', 'plain', '', '%u0041']), (r) => maybe(r, (q) => q.pick(['true', 'false']))],
  isEmpty: [make.text, none], isNotEmpty: [make.text, none],
  removeTags: [make.html, none], removeMarkdown: [(r) => r.one([make.markdown, make.markdown, make.html, make.text]), none],
  toDate: [make.dateText, none], toDateTime: [(r) => r.one([make.dateText, make.dateText, make.numberText]), (r) => (r.chance(0.75) ? [] : [make.quoted(r.pick(['ms', 's', 'us', 'excel', 'yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy HH:mm', 'd LLLL yyyy', 'X', 'x', '']))])],
  toInt: [make.numberText, (r) => (r.chance(0.8) ? [] : [r.pick(['10', '16', '2', '36', '1'])])],
  toWholeNumber: [make.numberText, none], toFloat: [make.numberText, none], toDecimalNumber: [make.numberText, none], toNumber: [make.numberText, none],
  toBoolean: [make.booleanText, none], isNumeric: [(r) => r.one([make.numberText, make.text]), none],
  quote: [(r) => r.pick(['a', 'a"b', "a'b", 'a\\b', '', 'a`b', '"', 'a""b']), (r) => maybe(r, (q) => make.quoted(q.pick(["'", '`', '"', '*', '']))) ],
  parseJson: [make.jsonText, none], toJsonString: [make.text, none],
  isUrl: [make.address, none], isDomain: [(r) => r.one([make.place, make.address, make.text]), none], isEmail: [(r) => r.one([make.mail, make.mail, make.text]), none],
  extractEmail: [(r) => r.one([make.mail, (q) => `${make.word(q)} ${make.mail(q)} ${make.word(q)}, ${make.mail(q)}`, make.text]), none],
  extractUrl: [(r) => r.one([make.address, (q) => `${make.words(q)} ${make.address(q)} ${make.word(q)}`, (q) => `(${make.address(q)})`, make.text]), none],
  extractDomain: [(r) => r.one([make.address, make.place, make.mail, (q) => `${make.word(q)} ${make.address(q)}`, make.text]), none],
  extractUrlPath: [(r) => r.one([make.address, make.address, make.text]), none],
  toTitleCase: [make.text, none], toSentenceCase: [make.text, none], toSnakeCase: [make.text, none], replaceSpecialChars: [make.text, none],
};

export function textExtensions(random) {
  const name = random.pick(Object.keys(TEXT));
  const [subject, args] = TEXT[name];
  return call(random, make.quoted(subject(random)), name, args(random));
}

const NUMBER = {
  abs: none, ceil: none, floor: none, round: (r) => maybe(r, () => r.pick(['0', '1', '2', '3', '-1', '10', '1.5'])), isInteger: none, isEven: none, isOdd: none, isEmpty: none, isNotEmpty: none,
  format: (r) => r.pick([[], [], ["'de-DE'"], ["'en-US'", "{ style: 'currency', currency: 'USD' }"], ["'de-DE'", "{ style: 'currency', currency: 'EUR' }"], ["'en-IN'"], ["'fr-FR'"], ["'en-US'", '{ maximumFractionDigits: 1 }'], ["'en-US'", '{ minimumFractionDigits: 2 }'], ["'ja-JP'", "{ style: 'currency', currency: 'JPY' }"], ["'en-US'", "{ style: 'percent' }"], ["'en-US'", "{ notation: 'compact' }"], ["'en-US'", '{ maximumSignificantDigits: 3 }'], ["'de-CH'"], ["'pt-BR'"]]),
  toBoolean: none, toInt: none, toFloat: none,
  toDateTime: (r) => maybe(r, () => make.quoted(r.pick(['ms', 's', 'us', 'excel', 'days']))),
};
export function numberExtensions(random) {
  const name = random.pick(Object.keys(NUMBER));
  return call(random, make.number(random), name, NUMBER[name](random));
}

const LIST = {
  first: none, last: none, isEmpty: none, isNotEmpty: none, toJsonString: none,
  sum: none, min: none, max: none, average: none,
  unique: (r) => maybe(r, () => make.quoted(make.key(r))), removeDuplicates: (r) => maybe(r, () => r.times(1, 2, () => make.quoted(make.key(r))).join(', ')),
  union: (r) => [make.list(r)], difference: (r) => [make.list(r)], intersection: (r) => [make.list(r)],
  append: (r) => r.times(0, 3, () => r.one([make.scalar, make.list])), chunk: (r) => r.pick([['1'], ['2'], ['3'], ['10'], ['1.5'], ["'2'"]]), compact: none,
  pluck: (r) => r.times(0, 2, () => make.quoted(make.key(r))), renameKeys: (r) => r.times(0, 4, () => make.quoted(make.key(r))),
  smartJoin: (r) => r.times(0, 2, () => make.quoted(make.key(r))), merge: (r) => maybe(r, make.objects), mergeIntoObject: (r) => maybe(r, make.objects),
  toInt: none, toBoolean: none, toDateTime: none, toFloat: none,
};
export function listExtensions(random) {
  const name = random.pick(Object.keys(LIST));
  const subject = ['sum', 'min', 'max', 'average'].includes(name) ? make.numbers(random) : random.one([make.list, make.list, make.objects, make.numbers]);
  return call(random, subject, name, LIST[name](random));
}

const OBJECT = {
  isEmpty: none, isNotEmpty: none, keys: none, values: none, compact: none, urlEncode: none, toJsonString: none, hasField: (r) => [make.quoted(make.key(r))], merge: (r) => maybe(r, make.any),
  removeField: (r) => [make.quoted(make.key(r))], removeFieldsContaining: (r) => maybe(r, () => r.one([(q) => make.quoted(make.word(q)), () => "''", make.number])),
  keepFieldsContaining: (r) => maybe(r, () => r.one([(q) => make.quoted(make.word(q)), () => "''", make.number])), toInt: none, toBoolean: none, toDateTime: none, toFloat: none,
};
export function objectExtensions(random) {
  const name = random.pick(Object.keys(OBJECT));
  return call(random, make.object(random, 2), name, OBJECT[name](random));
}

const instant = (r) => r.one([make.jsDate, make.luxonDate]);
const dateLike = (r) => r.one([make.jsDate, make.luxonDate, (q) => make.quoted(make.isoText(q)), (q) => make.quoted(make.dateText(q)), make.any]);
const amount = (r) => r.one([(q) => [make.whole(q), make.quoted(make.unit(q))], (q) => [make.whole(q), make.quoted(make.unit(q))], (q) => [`{ ${q.pick(make.UNITS)}: ${make.whole(q)} }`], (q) => [`{ ${q.pick(make.UNITS)}: ${make.whole(q)}, ${q.pick(make.UNITS)}: ${make.whole(q)} }`], (q) => [make.whole(q)], (q) => [make.number(q), make.quoted(make.unit(q))], () => []]);
const DATE = {
  plus: amount, minus: amount, beginningOf: (r) => maybe(r, () => make.quoted(make.unit(r))), endOf: (r) => [make.quoted(make.unit(r))], endOfMonth: none,
  extract: (r) => maybe(r, () => make.quoted(r.chance(0.5) ? make.unit(r) : r.pick(['dayOfWeek', 'weekday', 'yearDayNumber', 'week', 'year', 'quarter', 'weekYear', 'ordinal', 'daysInMonth', 'zoneName']))),
  format: (r) => [make.quoted(r.pick(FORMATS))], toFormat: (r) => [make.quoted(r.pick(FORMATS))],
  isBetween: (r) => r.times(r.chance(0.1) ? 0 : 2, 2, () => dateLike(r)), isWeekend: none, isDst: none,
  isInLast: (r) => r.one([() => [], (q) => [make.whole(q)], (q) => [make.whole(q), make.quoted(make.unit(q))]]),
  diffTo: (r) => [dateLike(r), ...maybe(r, () => r.one([(q) => make.quoted(make.unit(q)), (q) => `[${q.times(1, 3, () => make.quoted(make.unit(q))).join(', ')}]`]))],
  diffToNow: (r) => maybe(r, () => make.quoted(make.unit(r))), toDateTime: none, toInt: none, toFloat: none, toBoolean: none, isEmpty: none, isNotEmpty: none,
  toISO: none, toISOString: none, toString: none, toRelative: none, toJSDate: none, toMillis: none, toSQL: none, toHTTP: none, toRFC2822: none,
  setZone: (r) => [make.quoted(r.pick(make.ZONES))], set: (r) => [`{ ${r.pick(make.UNITS)}: ${make.whole(r)} }`], hasSame: (r) => [make.luxonDate(r), make.quoted(make.unit(r))],
  diff: (r) => [make.luxonDate(r), ...maybe(r, () => make.quoted(make.unit(r)))],
};
const FORMATS = ['yyyy-MM-dd', 'dd/MM/yyyy', 'HH:mm:ss', 'yyyy-MM-dd HH:mm:ss.SSS', 'LLL d, yyyy', 'LLLL', 'cccc', 'ccc', 'EEE', 'EEEE', 'h:mm a', 'hh', 'D', 'DD', 'DDD', 'DDDD', 't', 'tt', 'T', 'TT', 'f', 'ff', 'F', 'FF', "'week' W", 'kkkk-WW', 'o', 'ooo', 'q', 'qq', 'Z', 'ZZ', 'ZZZ', 'ZZZZ', 'ZZZZZ', 'z', 'X', 'x', 'S', 'u', 'y', 'yy', 'yyyyy', 'G', 'GG', 'M/d/yy', 'MMMM do', "yyyy'T'HH", '', 'nonsense', "'unclosed", 'DATETIME', 'Do', 'YYYY-MM-DD', 'dd. MMMM yyyy', 'EEEEE', 'LLLLL', 'a', 'n', 'W', 'ii', 'H', 'm', 's', 'uuu', 'TTT', 'TTTT', 'ttt', 'fff', 'ffff', 'FFF', 'FFFF'];
export const dateExtensions = (random) => {
  const name = random.pick(Object.keys(DATE));
  // n8n gives no difference of a JavaScript date.
  const subject = name.startsWith('diff') ? make.luxonDate(random) : instant(random);
  return { code: `${subject}.${name}(${DATE[name](random).join(', ')})` };
};

const NAMES = [...new Set([TEXT, NUMBER, LIST, OBJECT, DATE].flatMap((table) => Object.keys(table)))];
const argumentsOf = (table, name) => (Object.hasOwn(table, name) ? (table === TEXT ? TEXT[name][1] : table[name]) : undefined);

/** A method of any type on a value of any type. */
export function strangeExtensions(random) {
  const name = random.pick(NAMES);
  const known = [TEXT, NUMBER, LIST, OBJECT, DATE].map((table) => argumentsOf(table, name)).filter(Boolean);
  const args = random.chance(0.6) ? random.pick(known)(random) : random.times(0, 2, () => make.any(random));
  const subject = random.chance(0.2) ? random.pick(['null', 'undefined', '$json.missing', '$json.missing.deeper', "''", '[]', '({})', '0', 'NaN', '(() => 1)', '/x/', 'Symbol.iterator', 'true', 'false', 'new Set([1])', 'new Map([[1, 2]])', 'Math', 'String']) : make.any(random);
  return call(random, subject, name, args);
}
